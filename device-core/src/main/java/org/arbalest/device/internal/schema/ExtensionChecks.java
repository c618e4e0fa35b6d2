// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Checks of the parameters of extension types against the specification. Each throws {@link IllegalArgumentException}
 * for a wrong parameter.
 */
public final class ExtensionChecks {
  private ExtensionChecks() {}

  /** Rejects an unpaired surrogate, which JSON in UTF-8 cannot express. */
  public static void checkText(String what, String text) {
    int half = Utf8.half(Objects.requireNonNull(text, what));
    if (half >= 0) throw new IllegalArgumentException(what + " \"" + text + "\": " + Utf8.describe(text, half));
  }

  /** Returns a copy of sizes, none of which is negative. */
  public static List<Integer> sizes(String what, List<Integer> sizes) {
    Objects.requireNonNull(sizes, what);
    for (int size : sizes) checkSize(what, size, sizes);
    return List.copyOf(sizes);
  }

  /** Returns a copy of sizes, none of which is negative. A null is a size that is not known. */
  public static List<@Nullable Integer> someSizes(String what, List<@Nullable Integer> sizes) {
    Objects.requireNonNull(sizes, what);
    for (Integer size : sizes) {
      if (size != null) checkSize(what, size, sizes);
    }
    return Collections.unmodifiableList(new ArrayList<>(sizes));
  }

  /** Builds the message only for an error, because a producer can declare a long list of sizes. */
  private static void checkSize(String what, int size, List<?> sizes) {
    if (size < 0) TypeChecks.notNegative("a size in " + what + " " + sizes, size);
  }

  public static List<String> names(List<String> dimNames) {
    Objects.requireNonNull(dimNames, "dimNames").forEach(name -> checkText("a name in dimNames", name));
    return List.copyOf(dimNames);
  }

  public static List<Integer> permutation(List<Integer> permutation) {
    BitSet seen = new BitSet();
    for (int dimension : Objects.requireNonNull(permutation, "permutation")) {
      if (dimension < 0 || dimension >= permutation.size() || seen.get(dimension)) {
        throw new IllegalArgumentException(
            "permutation has each of 0 to " + (permutation.size() - 1) + " once, but it is " + permutation);
      }
      seen.set(dimension);
    }
    return List.copyOf(permutation);
  }

  /** Rejects a list for a different number of dimensions; an empty list is always accepted. */
  public static void checkDimensions(int dimensions, List<String> dimNames, List<Integer> permutation,
      List<@Nullable Integer> uniformShape) {
    checkDimensions("dimNames", dimensions, dimNames);
    checkDimensions("permutation", dimensions, permutation);
    checkDimensions("uniformShape", dimensions, uniformShape);
  }

  private static void checkDimensions(String what, int dimensions, List<? extends @Nullable Object> said) {
    if (!said.isEmpty() && said.size() != dimensions) {
      throw new IllegalArgumentException(
          what + " " + said + " is of " + said.size() + " dimensions, but the tensor has " + dimensions);
    }
  }

  /** Returns the number of elements of a tensor. */
  public static long elements(List<Integer> shape) {
    if (shape.contains(0)) return 0;
    long elements = 1;
    for (int size : shape) {
      elements *= size;
      if (elements > Integer.MAX_VALUE)
        throw new IllegalArgumentException("a tensor of shape " + shape + " has more elements than 32 bits count");
    }
    return elements;
  }
}
