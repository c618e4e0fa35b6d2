package org.arbalest.device.internal.read;

import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import org.arbalest.device.Column;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Field;
import org.arbalest.device.FlatType.BoolType;
import org.arbalest.device.FlatType.DateType;
import org.arbalest.device.FlatType.DecimalType;
import org.arbalest.device.FlatType.DurationType;
import org.arbalest.device.FlatType.FixedSizeBinaryType;
import org.arbalest.device.FlatType.FloatType;
import org.arbalest.device.FlatType.IntType;
import org.arbalest.device.FlatType.TimeType;
import org.arbalest.device.FlatType.TimestampType;
import org.arbalest.device.NestedType.DictionaryType;
import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.internal.schema.Layout;
import org.jspecify.annotations.Nullable;

/**
 * How the values of one type are read from CPU memory. Positions count from the start of the buffers and were checked; buffers may be
 * unaligned (ARR-14). Making one reads no buffer that may be on a device.
 */
abstract class Values {
  final Field field;

  Values(Field field) {
    this.field = field;
  }

  /** The reader for the array that a column is a view of. */
  static Values of(ColumnImpl column) {
    long struct = column.struct;
    Field field = column.field();
    return switch (Layout.of(field).shape) {
      case FIXED -> fixed(column, ArrowArrayStruct.buffer(struct, 1));
      case VARIABLE -> new VariableValues(column);
      case LIST, FIXED_LIST -> new ListValues(column);
      case STRUCT -> new StructValues(column);
      case NULL, VIEW, LIST_VIEW, SPARSE_UNION, DENSE_UNION, RUN_END -> new Unread(field);
    };
  }

  private static Values fixed(ColumnImpl column, long address) {
    Field field = column.field();
    return switch (field.type()) {
      case BoolType _ -> new BoolValues(field, address);
      case IntType type -> new FixedValues.Integers(field, address, type.signed());
      case DateType _, TimeType _, TimestampType _, DurationType _ -> new FixedValues.Integers(field, address, true);
      case FloatType _ -> new FixedValues.Floats(field, address);
      case DecimalType type -> new FixedValues.Decimals(field, address, type.scale());
      case FixedSizeBinaryType _ -> new FixedValues.Binary(field, address);
      case DictionaryType type -> new DictionaryValues(column, new FixedValues.Integers(field, address, type.index().signed()));
      default -> new Unread(field);
    };
  }

  /** Whether a value stands for a null although it is valid itself. */
  boolean isNull(long at) {
    return false;
  }

  /** Copies values from a position on, if they are stored as the array's are; otherwise does nothing and returns false. */
  boolean copyTo(long[] array, long from) {
    return false;
  }

  /** Copies values from a position on, if they are stored as the array's are; otherwise does nothing and returns false. */
  boolean copyTo(double[] array, long from) {
    return false;
  }

  boolean getBoolean(long at) {
    throw cannot("a boolean");
  }

  long getLong(long at) {
    throw cannot("an integer");
  }

  double getDouble(long at) {
    throw cannot("a number");
  }

  BigDecimal getDecimal(long at) {
    throw cannot("a decimal");
  }

  String getString(long at) {
    throw cannot("text");
  }

  byte[] getBytes(long at) {
    throw cannot("bytes");
  }

  Column getList(long at) {
    throw cannot("a list");
  }

  /** The value as an object; the row is not null. */
  abstract @Nullable Object get(long at);

  /** The memory of some values, back to back. */
  MemorySegment segment(long from, long length) {
    throw cannot("a segment");
  }

  RuntimeException cannot(String what) {
    return new IllegalArgumentException(
        "column \"" + field.name() + "\" of type \"" + Layout.of(field).format + "\" cannot be read as " + what);
  }

  /** A number of bytes or elements of one value as the length of a Java array, which it may be beyond. */
  final int arrayLength(long size) {
    if (size > Integer.MAX_VALUE - 8) {
      throw DeviceException.invalid("column \"" + field.name() + "\": the " + size + " bytes or elements of one value do not fit a Java array");
    }
    return (int) size;
  }

  /** A type whose values are not read yet, and null arrays, which have none. */
  private static final class Unread extends Values {
    Unread(Field field) {
      super(field);
    }

    @Override
    boolean isNull(long at) {
      return switch (Layout.of(field).shape) {
        case NULL -> true;
        case SPARSE_UNION, DENSE_UNION, RUN_END -> throw cannot("null or not");
        default -> false;
      };
    }

    @Override
    @Nullable Object get(long at) {
      throw cannot("an object");
    }

    @Override
    RuntimeException cannot(String what) {
      return new IllegalArgumentException(
          "column \"" + field.name() + "\": reading values of type \"" + Layout.of(field).format + "\" is not supported yet");
    }
  }
}
