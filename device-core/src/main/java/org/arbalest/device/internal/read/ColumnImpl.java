package org.arbalest.device.internal.read;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.util.Objects;
import org.arbalest.device.Column;
import org.arbalest.device.DataType;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Field;
import org.arbalest.device.FlatType.IntType;
import org.arbalest.device.NestedType.DictionaryType;
import org.arbalest.device.NestedType.StructType;
import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.abi.Errno;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.memory.Bitmaps;
import org.arbalest.device.internal.schema.FieldNames;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.TypeNames;
import org.jspecify.annotations.Nullable;

/** Some rows of an array, and the {@link Values} that read its type. See {@link Column}. */
public final class ColumnImpl implements Column {
  private final DeviceArrayImpl array;
  private final Field field;
  private final long struct;
  private final long offset;
  private final long length;
  private final Values values;
  private final long validity;

  /** Volatile, so that a thread that finds it sees what was waited for. */
  private volatile boolean readable;

  /** An array as a column; borrowed, for as long as the handle is open. */
  public static ColumnImpl of(DeviceArrayImpl array) {
    array.holder();
    return new ColumnImpl(array, array.field(), array.struct(), array.offset(), array.length());
  }

  public ColumnImpl(DeviceArrayImpl array, Field field, long struct, long offset, long length) {
    this.array = array;
    this.field = field;
    this.struct = struct;
    this.offset = offset;
    this.length = length;
    Layout layout = Layout.of(field);
    boolean hasValidity = layout.shape.hasValidity && ArrowArrayStruct.nullCount(struct) != 0;
    this.validity = hasValidity ? ArrowArrayStruct.buffer(struct, 0) : 0;
    this.readable = array.isReadable();
    this.values = Values.of(this);
  }

  @Override
  public Field field() {
    return field;
  }

  @Override
  public String name() {
    return field.name();
  }

  @Override
  public long length() {
    return length;
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
  public Column column(int index) {
    if (!(field.type() instanceof StructType)) throw new IllegalArgumentException(describe() + " is not a struct and has no columns");
    return childAt(index);
  }

  @Override
  public Column column(String name) {
    Objects.requireNonNull(name, "name");
    if (!(field.type() instanceof StructType struct)) throw new IllegalArgumentException(describe() + " is not a struct and has no columns");
    return childAt(FieldNames.find(struct.fields(), name, this::describe));
  }

  @Override
  public Column items() {
    if (Layout.of(field).children.length != 1) throw new IllegalArgumentException(describe() + " is not a list and has no items");
    return childAt(0);
  }

  @Override
  public Column dictionary() {
    array.holder();
    Field dictionary = Layout.of(field).dictionary;
    if (dictionary == null) throw new IllegalArgumentException(describe() + " is not dictionary-encoded");
    return whole(array, dictionary, ArrowArrayStruct.dictionary(struct));
  }

  @Override
  public Column indices() {
    array.holder();
    if (!(field.type() instanceof DictionaryType encoded)) throw new IllegalArgumentException(describe() + " is not dictionary-encoded");
    return new ColumnImpl(array, Field.of(field.name(), encoded.index()).withNullable(field.isNullable()), struct, offset, length);
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

  /** A child by its position in the type; one of a struct or a sparse union has this column's rows (ARR-10, ARR-11). */
  ColumnImpl childAt(int index) {
    array.holder();
    Objects.checkIndex(index, Layout.of(field).children.length);
    Layout layout = Layout.of(field);
    Field child = layout.children[index];
    long node = ArrowArrayStruct.child(struct, index);
    if (!layout.shape.sharesRows()) return whole(array, child, node);
    return new ColumnImpl(array, child, node, ArrowArrayStruct.offset(node) + offset, length);
  }

  private static ColumnImpl whole(DeviceArrayImpl array, Field field, long struct) {
    return new ColumnImpl(array, field, struct, ArrowArrayStruct.offset(struct), ArrowArrayStruct.length(struct));
  }

  /** Some of this column's rows, counted from the start of its buffers. */
  ColumnImpl range(long from, long count) {
    return new ColumnImpl(array, field, struct, offset + from, count);
  }

  @Override
  public int bufferCount() {
    array.holder();
    return Math.toIntExact(ArrowArrayStruct.nBuffers(struct));
  }

  @Override
  public long bufferAddress(int index) {
    return ArrowArrayStruct.buffer(struct, Objects.checkIndex(index, bufferCount()));
  }

  @Override
  public long offset() {
    return offset;
  }

  long struct() {
    return struct;
  }

  /** See {@link Ownership#dataSize}. */
  long dataSize() {
    return array.holder().dataSize(struct);
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

  private void checkReadable() {
    array.holder();
    if (readable) return;
    readable = array.isReadable();
    if (!readable) {
      String why = array.device().isCpuAccessible() ? ", and has an event that must be waited for first" : ", whose memory the CPU cannot read";
      throw new DeviceException(Errno.ENOSYS, describe() + " is on " + array.device() + why);
    }
  }

  private boolean isUnsigned() {
    DataType type = field.type() instanceof DictionaryType encoded ? encoded.values().type() : field.type();
    return type instanceof IntType(_, boolean signed) && !signed;
  }

  String describe() {
    if (!field.name().isEmpty()) return "column \"" + field.name() + "\" of type " + TypeNames.of(field.type());
    return field.type() instanceof StructType ? "the batch" : "the array of type " + TypeNames.of(field.type());
  }

  @Override
  public String toString() {
    return field + ", length " + length;
  }
}
