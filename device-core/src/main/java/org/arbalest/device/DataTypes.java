package org.arbalest.device;

import java.util.Arrays;
import java.util.List;
import org.arbalest.device.DataType.BoolType;
import org.arbalest.device.DataType.FloatType;
import org.arbalest.device.DataType.IntType;
import org.arbalest.device.DataType.StructType;
import org.arbalest.device.DataType.Utf8Type;

/** The types without parameters, ready to use, and the checks that the records of {@link DataType} make. */
public final class DataTypes {
  /** {@code b}. */
  public static final DataType BOOL = new BoolType();

  /** {@code c}. */
  public static final IntType INT8 = new IntType(8, true);

  /** {@code s}. */
  public static final IntType INT16 = new IntType(16, true);

  /** {@code i}. */
  public static final IntType INT32 = new IntType(32, true);

  /** {@code l}. */
  public static final IntType INT64 = new IntType(64, true);

  /** {@code C}. */
  public static final IntType UINT8 = new IntType(8, false);

  /** {@code S}. */
  public static final IntType UINT16 = new IntType(16, false);

  /** {@code I}. */
  public static final IntType UINT32 = new IntType(32, false);

  /** {@code L}. */
  public static final IntType UINT64 = new IntType(64, false);

  /** {@code e}. */
  public static final FloatType FLOAT16 = new FloatType(16);

  /** {@code f}. */
  public static final FloatType FLOAT32 = new FloatType(32);

  /** {@code g}. */
  public static final FloatType FLOAT64 = new FloatType(64);

  /** {@code u}. */
  public static final DataType UTF8 = new Utf8Type();

  private DataTypes() {}

  static void oneOf(String what, int value, int... legal) {
    if (Arrays.stream(legal).noneMatch(l -> l == value)) {
      throw new IllegalArgumentException(what + " is one of " + Arrays.toString(legal) + ", not " + value);
    }
  }

  static void notNegative(String what, int value) {
    if (value < 0) throw new IllegalArgumentException(what + " is not negative, but " + value + " was given");
  }

  /** Refuses text that C would read only in part, or otherwise (SCH-21). */
  static void checkText(String what, String text) {
    if (text.indexOf(0) >= 0) throw new IllegalArgumentException(what + " has no NUL character, which ends a string in C");
    int half = Utf8.half(text);
    if (half >= 0) throw new IllegalArgumentException(what + " \"" + text + "\": " + Utf8.describe(text, half));
  }

  static void checkEntries(Field entries) {
    if (!(entries.type() instanceof StructType(List<Field> fields)) || fields.size() != 2) {
      throw new IllegalArgumentException("a map has one struct child with two fields, not " + entries.type());
    }
    if (fields.get(0).isNullable()) throw new IllegalArgumentException("the keys of a map are not nullable");
  }

  static void checkTypeIds(List<Integer> ids, int fields) {
    if (ids.size() != fields) {
      throw new IllegalArgumentException("a union has " + ids.size() + " type ids " + ids + " for " + fields + " children");
    }
    if (ids.stream().anyMatch(id -> id < 0 || id > 127)) {
      throw new IllegalArgumentException("the type ids of a union are within 0..127, not " + ids);
    }
    if (ids.stream().distinct().count() != ids.size()) {
      throw new IllegalArgumentException("the type ids of a union are distinct, not " + ids);
    }
  }

  static void checkRunEnds(Field runEnds) {
    if (!(runEnds.type() instanceof IntType(int bits, boolean signed)) || bits == 8 || !signed) {
      throw new IllegalArgumentException("run ends are int16, int32 or int64, not " + runEnds.type());
    }
    if (runEnds.isNullable()) throw new IllegalArgumentException("run ends are not nullable");
  }
}
