// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.write;

import java.util.List;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.arbalest.device.types.NestedType.FixedSizeListType;
import org.arbalest.device.types.NestedType.MapType;
import org.arbalest.device.types.NestedType.StructType;
import org.arbalest.device.types.NestedType.UnionType;
import org.jspecify.annotations.Nullable;

/** Whether a batch has the buffers of the writer's schema. Metadata, and the names of list items, may differ. */
final class SameLayout {
  private static final SameLayout EQUAL = new SameLayout(null, false);

  private final @Nullable String fault;
  private final boolean isLessNullable;

  private SameLayout(@Nullable String fault, boolean isLessNullable) {
    this.fault = fault;
    this.isLessNullable = isLessNullable;
  }

  /** Compares the schema of a writer with the field of a batch. */
  static SameLayout of(Field expected, Field actual) {
    if (expected.equals(actual)) return EQUAL;
    boolean[] isLessNullable = {false};
    String fault = difference("the batch", expected, actual, isLessNullable, false);
    return new SameLayout(fault, isLessNullable[0]);
  }

  /** Throws unless the buffers are the same. */
  void require() {
    if (fault != null) throw new IllegalArgumentException("cannot write the batch: " + fault
        + "; convert the batch to the writer's schema, with convertTo");
  }

  /** Returns whether the batch must be converted, because only its content decides whether it fits. */
  boolean mustConvert() {
    return isLessNullable;
  }

  private static @Nullable String difference(String path, Field expected, Field actual, boolean[] isLessNullable,
      boolean hasName) {
    if (hasName && !expected.name().equals(actual.name())) {
      return path + " is named \"" + actual.name() + "\" instead of \"" + expected.name() + "\"";
    }
    if (actual.isNullable() && !expected.isNullable()) isLessNullable[0] = true;
    DataType type = expected.type();
    DataType other = actual.type();
    List<Field> children = type.children();
    List<Field> others = other.children();
    boolean isSame = type instanceof NestedType ? type.getClass() == other.getClass() && isSame(type, other)
        && children.size() == others.size() : type.equals(other);
    if (!isSame) return path + " has the type " + other + " instead of " + type;
    boolean haveNames = type instanceof StructType || type instanceof UnionType;
    for (int i = 0; i < children.size(); i++) {
      String fault = difference(path + "." + children.get(i).name(), children.get(i), others.get(i), isLessNullable,
          haveNames);
      if (fault != null) return fault;
    }
    if (type instanceof DictionaryType own && other instanceof DictionaryType theirs) {
      return difference(path + ".dictionary", own.values(), theirs.values(), isLessNullable, false);
    }
    return null;
  }

  /** Compares what a nested type has besides its children. */
  private static boolean isSame(DataType type, DataType other) {
    return switch (type) {
      case FixedSizeListType own -> own.size() == ((FixedSizeListType) other).size();
      case MapType own -> own.keysSorted() == ((MapType) other).keysSorted() || !own.keysSorted();
      case UnionType own -> own.mode() == ((UnionType) other).mode()
          && own.typeIds().equals(((UnionType) other).typeIds());
      case DictionaryType own -> own.index().equals(((DictionaryType) other).index())
          && (((DictionaryType) other).ordered() || !own.ordered());
      default -> true;
    };
  }
}
