// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.time.OffsetDateTime;
import java.util.Objects;
import java.util.UUID;
import org.arbalest.device.columns.Tensor;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.types.Extension;
import org.arbalest.device.types.Extension.FixedShapeTensor;
import org.arbalest.device.types.Extension.TimestampWithOffset;
import org.arbalest.device.types.Extension.VariableShapeTensor;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.BoolType;
import org.arbalest.device.types.FlatType.DateType;
import org.arbalest.device.types.FlatType.DecimalType;
import org.arbalest.device.types.FlatType.DurationType;
import org.arbalest.device.types.FlatType.FixedSizeBinaryType;
import org.arbalest.device.types.FlatType.FloatType;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.types.FlatType.IntervalType;
import org.arbalest.device.types.FlatType.TimeType;
import org.arbalest.device.types.FlatType.TimestampType;
import org.arbalest.device.types.Interval;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.arbalest.device.types.NestedType.MapType;
import org.jspecify.annotations.Nullable;

/**
 * Reads the values of one type from CPU memory. Positions count from the start of the buffers and are checked by the
 * caller; buffers may be unaligned (ARR-14).
 *
 * <p>The constructors read no buffer, because it may be in device memory.
 */
abstract class Values {
  final Field field;

  /** The column for which this reader was created; it builds the exceptions. */
  private @Nullable ColumnImpl owner;

  Values(Field field) {
    this.field = field;
  }

  /** Returns the reader for a column, whose array the caller keeps alive. */
  static Values of(ColumnImpl column, Ownership held) {
    Values values = make(column, held);
    values.owner = column;
    return values;
  }

  /**
   * Creates a reader. The readers of frequent types have a method that makes them and returns this class. If this
   * method created them, the JVM would load their classes to verify it.
   */
  private static Values make(ColumnImpl column, Ownership held) {
    Field field = column.field();
    Layout.Shape shape = Layout.of(field).shape;
    if (shape == Layout.Shape.FIXED) {
      long address = RawArrowArray.buffer(column.struct, 1);
      if (field.type() instanceof IntType type) return FixedValues.Integers.of(field, address, type.signed(), true);
      return field.type() instanceof FloatType ? FixedValues.Floats.of(field, address)
          : OtherFixed.make(column, address);
    }
    if (shape == Layout.Shape.VARIABLE) return VariableValues.of(column, held);
    boolean isStruct = shape == Layout.Shape.STRUCT && field.extension() == null;
    return isStruct ? StructValues.of(column) : Others.make(column);
  }

  /** The readers of the other values of a fixed width. */
  private static final class OtherFixed {
    static Values make(ColumnImpl column, long address) {
      Field field = column.field();
      return switch (field.type()) {
        case BoolType _ -> new BoolValues(field, address);
        case DateType _, TimeType _, TimestampType _, DurationType _ ->
            new FixedValues.Integers(field, address, true, false);
        case DecimalType type -> new FixedValues.Decimals(field, address, type.scale());
        case FixedSizeBinaryType _ -> new FixedValues.Binary(field, address);
        case DictionaryType type ->
            new DictionaryValues(column, new FixedValues.Integers(field, address, type.index().signed(), true));
        case IntervalType type -> new IntervalValues(field, address, type.unit());
        default -> throw new AssertionError(field);
      };
    }
  }

  /** The readers of views, lists, unions, runs, nulls, and structs of an extension type. */
  private static final class Others {
    static Values make(ColumnImpl column) {
      Field field = column.field();
      return switch (Layout.of(field).shape) {
        case FIXED, VARIABLE -> throw new AssertionError(field);
        case VIEW -> new ViewValues(column);
        case LIST -> field.type() instanceof MapType ? new MapValues(column) : new ListValues(column);
        case FIXED_LIST -> field.extension() instanceof FixedShapeTensor tensor ? new FixedTensorValues(column, tensor)
            : new ListValues(column);
        case LIST_VIEW -> new ListViewValues(column);
        case STRUCT -> ofStruct(column);
        case SPARSE_UNION, DENSE_UNION -> new UnionValues(column);
        case RUN_END -> new RunEndValues(column);
        case NULL -> new Nulls(field);
      };
    }

    private static Values ofStruct(ColumnImpl column) {
      Extension extension = column.field().extension();
      if (extension instanceof TimestampWithOffset) return new OffsetTimeValues(column);
      return extension instanceof VariableShapeTensor tensor ? new VariableTensorValues(column, tensor)
          : new StructValues(column);
    }
  }

  /**
   * Returns the field of a value: the values' field of a dictionary or of runs, and for a union the field of the child.
   */
  Field fieldAt(long at) {
    return field;
  }

  /** Returns whether a valid position may refer to a null. */
  boolean hasNullsBelow() {
    return Layout.of(field).dictionary != null || !Layout.of(field).shape.hasValidity;
  }

  /** Returns whether a valid position refers to a null. */
  boolean isNull(long at) {
    return false;
  }

  /**
   * Copies values from a position on, if the array has the same format as the column. Otherwise does nothing and
   * returns false.
   */
  boolean copyTo(long[] array, long from) {
    return false;
  }

  /**
   * Copies values from a position on, if the array has the same format as the column. Otherwise does nothing and
   * returns false.
   */
  boolean copyTo(double[] array, long from) {
    return false;
  }

  /** Returns the address of the values if they are integers of 64 bits, otherwise 0. */
  long longs() {
    return 0;
  }

  boolean getBoolean(long at) {
    throw cannot(Getter.BOOLEAN.what);
  }

  long getLong(long at) {
    throw cannot(Getter.LONG.what);
  }

  double getDouble(long at) {
    throw cannot(Getter.DOUBLE.what);
  }

  BigDecimal getDecimal(long at) {
    throw cannot(Getter.DECIMAL.what);
  }

  String getString(long at) {
    throw cannot(Getter.STRING.what);
  }

  final byte[] getBytes(long at) {
    return getBytes(at, Long.MAX_VALUE);
  }

  /** Returns the bytes of a value, or the first {@code most} of them. */
  byte[] getBytes(long at, long most) {
    throw cannot(Getter.BYTES.what);
  }

  /** Returns whether the bytes are text. */
  boolean isText() {
    return false;
  }

  Interval getInterval(long at) {
    throw cannot(Getter.INTERVAL.what);
  }

  UUID getUuid(long at) {
    throw cannot(Getter.UUID.what);
  }

  OffsetDateTime getOffsetDateTime(long at) {
    throw cannot(Getter.OFFSET_DATE_TIME.what);
  }

  Tensor getTensor(long at) {
    throw cannot(Getter.TENSOR.what);
  }

  ColumnImpl getList(long at) {
    throw cannot(Getter.LIST.what);
  }

  int getTypeId(long at) {
    throw cannot(Getter.UNION.what);
  }

  long getChildRow(long at) {
    throw cannot(Getter.UNION.what);
  }

  /** Returns the value as an object. The row is not null. */
  abstract @Nullable Object get(long at);

  /** Returns the memory of several values, which is contiguous. */
  MemorySegment segment(long from, long length) {
    throw cannot("a segment");
  }

  final RuntimeException cannot(String what) {
    return Objects.requireNonNull(owner).cannot(what);
  }

  /** Returns the number of bytes or elements of one value as the length of a Java array; throws if it is too large. */
  final int arrayLength(long at, long size) {
    if (size > Integer.MAX_VALUE - 8) {
      throw Objects.requireNonNull(owner).malformed(at,
          "the " + size + " bytes or elements of one value do not fit a Java array");
    }
    return (int) size;
  }

  /** Reads null arrays, which have no values. */
  static final class Nulls extends Values {
    Nulls(Field field) {
      super(field);
    }

    @Override
    boolean isNull(long at) {
      return true;
    }

    @Override
    @Nullable
    Object get(long at) {
      return null;
    }
  }
}
