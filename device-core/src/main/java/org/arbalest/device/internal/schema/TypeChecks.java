// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import java.util.Arrays;
import java.util.List;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.types.NestedType.StructType;

/** Checks of the parameters of types. */
public final class TypeChecks {
  private TypeChecks() {}

  public static void oneOf(String what, int value, int... legal) {
    for (int each : legal) {
      if (each == value) return;
    }
    throw new IllegalArgumentException(what + " is one of " + Arrays.toString(legal) + ", not " + value);
  }

  public static void notNegative(String what, int value) {
    if (value < 0) throw new IllegalArgumentException(what + " is not negative, but " + value + " was given");
  }

  /** Rejects text that a C consumer would read only in part, or differently (SCH-21). */
  public static void checkText(String what, String text) {
    if (text.indexOf(0) >= 0)
      throw new IllegalArgumentException(what + " must not have a NUL character, which ends a string in C");
    int half = Utf8.half(text);
    if (half >= 0) throw new IllegalArgumentException(what + " \"" + text + "\": " + Utf8.describe(text, half));
  }

  public static void checkEntries(Field entries) {
    if (!(entries.type() instanceof StructType(List<Field> fields)) || fields.size() != 2) {
      throw new IllegalArgumentException("a map has one struct child with two fields, not " + entries.type());
    }
    if (fields.get(0).isNullable()) throw new IllegalArgumentException("the keys of a map are not nullable");
  }

  public static void checkTypeIds(List<Integer> ids, int fields) {
    if (ids.size() != fields) {
      throw new IllegalArgumentException(
          "a union has " + ids.size() + " type ids " + ids + " for " + fields + " children");
    }
    if (ids.stream().anyMatch(id -> id < 0 || id > 127)) {
      throw new IllegalArgumentException("the type ids of a union are within 0..127, not " + ids);
    }
    if (ids.stream().distinct().count() != ids.size()) {
      throw new IllegalArgumentException("the type ids of a union are distinct, not " + ids);
    }
  }

  public static void checkRunEnds(Field runEnds) {
    if (!(runEnds.type() instanceof IntType(int bits, boolean signed)) || bits == 8 || !signed) {
      throw new IllegalArgumentException("run ends are int16, int32 or int64, not " + runEnds.type());
    }
    if (runEnds.isNullable()) throw new IllegalArgumentException("run ends are not nullable");
  }
}
