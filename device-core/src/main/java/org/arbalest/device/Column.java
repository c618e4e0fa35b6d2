package org.arbalest.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.util.Objects;
import org.arbalest.device.DataType.DictionaryType;
import org.arbalest.device.DataType.IntType;
import org.arbalest.device.DataType.StructType;
import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.abi.Errno;
import org.jspecify.annotations.Nullable;

/**
 * A typed view of one array's values. Borrowed from a {@link DeviceArray}: it can be used while that handle is open, and has nothing to
 * close.
 *
 * <p>Rows run from 0; an offset of the array or of its parents is accounted for. {@link #getLong} reads any integer, date, time, timestamp or
 * duration, exactly; {@link #getDecimal} any integer or decimal, exactly; {@link #getDouble} any number, rounded to a double if it is none:
 * integers beyond 2<sup>53</sup>, decimals. {@link #getString} reads text, {@link #getBytes} text and binary, as long as they are stored with
 * offsets or in a fixed size. A dictionary-encoded column reads as its values. Views, list-views, unions, intervals and run-ends cannot be read
 * yet. The value of a null row is undefined: ask {@link #isNull} first, or use {@link #get}. A child's own nulls are its own: a null struct does
 * not make its fields null.
 *
 * <p>The getters throw {@link IllegalStateException} after the handle was closed, {@link IndexOutOfBoundsException} for a row that is not
 * there, {@link IllegalArgumentException} for a type that they do not read, {@link DeviceException} where the CPU cannot read the buffers.
 */
public final class Column {
  private final DeviceArray array;
  private final Field field;
  private final long struct;
  private final long offset;
  private final long length;
  private final Values values;
  private final long validity;
  private boolean readable;

  Column(DeviceArray array, Field field, long struct, long offset, long length) {
    this.array = array;
    this.field = field;
    this.struct = struct;
    this.offset = offset;
    this.length = length;
    Layout layout = field.layout;
    boolean hasValidity = layout.shape.hasValidity && ArrowArrayStruct.nullCount(struct) != 0;
    this.validity = hasValidity ? ArrowArrayStruct.buffer(struct, 0) : 0;
    this.readable = array.isReadable();
    this.values = Values.of(this);
  }

  /** The field that this column is of. */
  public Field field() {
    return field;
  }

  /** The field's name. */
  public String name() {
    return field.name();
  }

  /** The number of rows. */
  public long length() {
    return length;
  }

  /** The number of nulls; counted now if the producer did not. Unions and run-ends have none, whatever their values are (ARR-06). */
  public long nullCount() {
    array.holder();
    Layout layout = field.layout;
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

  /** Whether a row is null: itself, or the value of the dictionary that it stands for. */
  public boolean isNull(long row) {
    Objects.checkIndex(row, length);
    checkReadable();
    if (validity != 0 && !Bitmaps.get(validity, offset + row)) return true;
    return values.isNull(offset + row);
  }

  /** A boolean. */
  public boolean getBoolean(long row) {
    return values.getBoolean(at(row));
  }

  /** An integer, or the number that a date, time, timestamp or duration is stored as; uint64 as its 64 bits. */
  public long getLong(long row) {
    return values.getLong(at(row));
  }

  /** {@link #getLong}, if it fits an {@code int}. */
  public int getInt(long row) {
    long value = getLong(row);
    if (value != (int) value || (value < 0 && isUnsigned())) {
      throw new ArithmeticException(describe() + ": " + get(row) + " does not fit an int");
    }
    return (int) value;
  }

  /** A floating-point number, or an integer or a decimal as the nearest one. */
  public double getDouble(long row) {
    return values.getDouble(at(row));
  }

  /** A decimal number, exactly, or an integer as one. */
  public BigDecimal getDecimal(long row) {
    return values.getDecimal(at(row));
  }

  /** Text. */
  public String getString(long row) {
    return values.getString(at(row));
  }

  /** A copy of the bytes of a text or binary value. */
  public byte[] getBytes(long row) {
    return values.getBytes(at(row));
  }

  /** The elements of one list, as a column of their own. */
  public Column getList(long row) {
    return values.getList(at(row));
  }

  /**
   * The value as an object, or null: Boolean, Long, Double, BigDecimal (decimals and uint64), String, byte[], a List of such for a list, a
   * Map by name for a struct. Nulls of the elements are null.
   */
  public @Nullable Object get(long row) {
    return isNull(row) ? null : values.get(at(row));
  }

  /** All values of a column that {@link #getLong} reads; something for the nulls. */
  public long[] toLongArray() {
    checkReadable();
    long[] result = new long[size()];
    if (values.copyTo(result, offset)) return result;
    for (int i = 0; i < result.length; i++) {
      if (!isNull(i)) result[i] = values.getLong(offset + i);
    }
    return result;
  }

  /** All values of a column that {@link #getDouble} reads; something for the nulls. */
  public double[] toDoubleArray() {
    checkReadable();
    double[] result = new double[size()];
    if (values.copyTo(result, offset)) return result;
    for (int i = 0; i < result.length; i++) {
      if (!isNull(i)) result[i] = values.getDouble(offset + i);
    }
    return result;
  }

  /** The field of a struct at a position, as a column of the same rows. */
  public Column column(int index) {
    if (!(field.type() instanceof StructType)) throw new IllegalArgumentException(describe() + " is not a struct and has no columns");
    return childAt(index);
  }

  /** The first field of a struct with this name, as a column of the same rows. */
  public Column column(String name) {
    Objects.requireNonNull(name, "name");
    Field[] children = field.layout.children;
    for (int i = 0; i < children.length; i++) {
      if (children[i].name().equals(name)) return column(i);
    }
    if (!(field.type() instanceof StructType struct)) throw new IllegalArgumentException(describe() + " is not a struct and has no columns");
    throw new IllegalArgumentException(
        describe() + " has no column \"" + name + "\"; it has " + struct.fields().stream().map(Field::name).toList());
  }

  /** All elements of all lists, in the order they are stored; also those that no list refers to. */
  public Column items() {
    if (field.layout.children.length != 1) throw new IllegalArgumentException(describe() + " is not a list and has no items");
    return childAt(0);
  }

  /** The values that the indices of a dictionary-encoded column point to. */
  public Column dictionary() {
    array.holder();
    Field dictionary = field.layout.dictionary;
    if (dictionary == null) throw new IllegalArgumentException(describe() + " is not dictionary-encoded");
    return whole(array, dictionary, ArrowArrayStruct.dictionary(struct));
  }

  /** The indices of a dictionary-encoded column, as a column of integers. */
  public Column indices() {
    array.holder();
    if (!(field.type() instanceof DictionaryType encoded)) throw new IllegalArgumentException(describe() + " is not dictionary-encoded");
    return new Column(array, Field.of(field.name(), encoded.index()).withNullable(field.isNullable()), struct, offset, length);
  }

  /**
   * The values' buffer as a read-only segment, from the first row on: for types of fixed width, and the bytes of text and binary. The array
   * is retained until the arena is closed, so that the segment is safe for as long as it can be used.
   */
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
  Column childAt(int index) {
    array.holder();
    Objects.checkIndex(index, field.layout.children.length);
    Field child = field.layout.children[index];
    long node = ArrowArrayStruct.child(struct, index);
    return switch (field.layout.shape) {
      case STRUCT, SPARSE_UNION -> new Column(array, child, node, ArrowArrayStruct.offset(node) + offset, length);
      default -> whole(array, child, node);
    };
  }

  private static Column whole(DeviceArray array, Field field, long struct) {
    return new Column(array, field, struct, ArrowArrayStruct.offset(struct), ArrowArrayStruct.length(struct));
  }

  /** Some of this column's rows, counted from the start of its buffers. */
  Column range(long from, long count) {
    return new Column(array, field, struct, offset + from, count);
  }

  /** The number of the array's buffers in the C interface, in its order: where the type has a bitmap, that is the first. */
  public int bufferCount() {
    array.holder();
    return Math.toIntExact(ArrowArrayStruct.nBuffers(struct));
  }

  /**
   * A buffer's device pointer, for native code and kernels, or 0 where there is none; {@link #offset} says where in it this column begins. For
   * whoever waits for the array's event first, and keeps it alive meanwhile ({@link DeviceStream#keepAlive(DeviceArray)}).
   *
   * @param index the buffer's place in the columnar format's order
   */
  public long bufferAddress(int index) {
    return ArrowArrayStruct.buffer(struct, Objects.checkIndex(index, bufferCount()));
  }

  /** The element of the buffers that is row 0. */
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

  private String describe() {
    if (!field.name().isEmpty()) return "column \"" + field.name() + "\" of type " + TypeNames.of(field.type());
    return field.type() instanceof StructType ? "the batch" : "the array of type " + TypeNames.of(field.type());
  }

  @Override
  public String toString() {
    return field + ", length " + length;
  }
}
