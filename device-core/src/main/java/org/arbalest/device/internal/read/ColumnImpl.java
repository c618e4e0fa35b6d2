package org.arbalest.device.internal.read;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.util.Objects;
import org.arbalest.device.Column;
import org.arbalest.device.DataType;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.Field;
import org.arbalest.device.FlatType.IntType;
import org.arbalest.device.NestedType.DictionaryType;
import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.memory.Bitmaps;
import org.arbalest.device.internal.schema.Layout;
import org.jspecify.annotations.Nullable;

/** Some rows of an array, and the {@link Values} that read its type. See {@link Column}. */
public final class ColumnImpl extends ColumnRows {
  private final Values values;
  private final long validity;

  /** An array as a column; borrowed, for as long as the handle is open. */
  public static ColumnImpl of(DeviceArrayImpl array) {
    array.holder();
    return new ColumnImpl(array, array.field(), array.struct(), array.offset(), array.length());
  }

  public ColumnImpl(DeviceArrayImpl array, Field field, long struct, long offset, long length) {
    super(array, field, struct, offset, length);
    Layout layout = Layout.of(field);
    boolean hasValidity = layout.shape.hasValidity && ArrowArrayStruct.nullCount(struct) != 0;
    this.validity = hasValidity ? ArrowArrayStruct.buffer(struct, 0) : 0;
    this.values = Values.of(this);
  }

  @Override
  public long nullCount() {
    array.holder();
    Layout layout = Layout.of(field);
    if (layout.shape == Layout.Shape.NULL) return length;
    if (layout.dictionary != null && dictionary().nullCount() != 0) return countNulls();
    if (validity == 0) return 0;
    long known = ArrowArrayStruct.nullCount(struct);
    boolean whole = offset == ArrowArrayStruct.offset(struct) && length == ArrowArrayStruct.length(struct);
    if (known >= 0 && whole) return known;
    checkReadable();
    return length - Bitmaps.countOnes(validity, offset, length);
  }

  private long countNulls() {
    long nulls = 0;
    for (long row = 0; row < length; row++) nulls += isNull(row) ? 1 : 0;
    return nulls;
  }

  @Override
  public boolean isNull(long row) {
    Objects.checkIndex(row, length);
    checkReadable();
    if (validity != 0 && !Bitmaps.get(validity, offset + row)) return true;
    return values.isNull(offset + row);
  }

  @Override
  public boolean getBoolean(long row) {
    return values.getBoolean(at(row));
  }

  @Override
  public long getLong(long row) {
    return values.getLong(at(row));
  }

  @Override
  public int getInt(long row) {
    long value = getLong(row);
    if (value != (int) value || (value < 0 && isUnsigned())) {
      throw new ArithmeticException(describe() + ": " + get(row) + " does not fit an int");
    }
    return (int) value;
  }

  @Override
  public double getDouble(long row) {
    return values.getDouble(at(row));
  }

  @Override
  public BigDecimal getDecimal(long row) {
    return values.getDecimal(at(row));
  }

  @Override
  public String getString(long row) {
    return values.getString(at(row));
  }

  @Override
  public byte[] getBytes(long row) {
    return values.getBytes(at(row));
  }

  @Override
  public Column getList(long row) {
    return values.getList(at(row));
  }

  @Override
  public @Nullable Object get(long row) {
    return isNull(row) ? null : values.get(at(row));
  }

  @Override
  public long[] toLongArray() {
    checkReadable();
    long[] result = new long[size()];
    if (values.copyTo(result, offset)) return result;
    for (int i = 0; i < result.length; i++) {
      if (!isNull(i)) result[i] = values.getLong(offset + i);
    }
    return result;
  }

  @Override
  public double[] toDoubleArray() {
    checkReadable();
    double[] result = new double[size()];
    if (values.copyTo(result, offset)) return result;
    for (int i = 0; i < result.length; i++) {
      if (!isNull(i)) result[i] = values.getDouble(offset + i);
    }
    return result;
  }

  @Override
  public MemorySegment segment(Arena arena) {
    Objects.requireNonNull(arena, "arena");
    checkReadable();
    MemorySegment raw = values.segment(offset, length);
    DeviceArray held = array.retain();
    try {
      return raw.reinterpret(arena, _ -> held.close()).asReadOnly();
    } catch (Throwable t) {
      held.close();
      throw t;
    }
  }

  private int size() {
    if (length > Integer.MAX_VALUE - 8) throw new IllegalArgumentException(length + " rows do not fit a Java array");
    return (int) length;
  }

  private long at(long row) {
    Objects.checkIndex(row, length);
    checkReadable();
    return offset + row;
  }

  private boolean isUnsigned() {
    DataType type = field.type() instanceof DictionaryType encoded ? encoded.values().type() : field.type();
    return type instanceof IntType(_, boolean signed) && !signed;
  }
}
