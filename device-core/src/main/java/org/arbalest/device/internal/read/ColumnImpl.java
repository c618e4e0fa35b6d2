// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.UUID;
import org.arbalest.device.DeviceException;
import org.arbalest.device.columns.Column;
import org.arbalest.device.columns.Runs;
import org.arbalest.device.columns.Tensor;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.array.RecordBatchImpl;
import org.arbalest.device.internal.memory.Bitmaps;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.objects.ExtensionCodec;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.types.FlatType.NullType;
import org.arbalest.device.types.Interval;
import org.arbalest.device.types.NestedType.MapType;
import org.jspecify.annotations.Nullable;

/** A range of rows of an array, with the {@link Values} that read its type. See {@link Column}. */
public final class ColumnImpl extends ColumnTimes {
  final Values values;
  private final long validity;

  /** Whether a row may be null although its own validity bit is set. */
  private final boolean hasNullsBelow;

  /** The address of row 0, for 64-bit integers, which are read directly; otherwise 0. */
  private final long longs;

  /** The reader of an extension type for {@link #get(long)}, or null if that method reads the storage. */
  private final @Nullable ExtensionReader extension;

  /**
   * The codec that read the last value, which saves a repeated call of {@code fits}. Any thread sets it without
   * synchronization; it is only compared.
   */
  private @Nullable ExtensionCodec<?> fitting;

  /** The column of which this is a range, or null. */
  private final @Nullable ColumnImpl rangeOf;

  /** This column without the extension type; created at first use. */
  private volatile @Nullable ColumnImpl storage;

  /** Returns an array as a column. The column is borrowed: it is valid while the handle is open. */
  public static ColumnImpl of(DeviceArrayImpl array) {
    Ownership owner = array.share();
    try {
      return new ColumnImpl(array, owner, array.field(), array.struct(owner), array.offset(), array.length(), null);
    } finally {
      owner.release();
    }
  }

  /**
   * Returns a record batch as a column, and throws if the batch's own bitmap makes a row null, because its columns do
   * not contain that.
   */
  public static ColumnImpl ofBatch(RecordBatchImpl array) {
    ColumnImpl batch = of(array);
    if (batch.validity == 0) return batch;
    long nulls = batch.nullCount();
    if (nulls == 0) return batch;
    throw DeviceException.invalid(
        batch.describe() + " has " + DeviceArrayImpl.counted(nulls, "null row")
            + " in its own bitmap only, not in its columns: pushDownNulls() returns a batch whose columns have these "
            + "nulls, and asColumn().column(…) returns the columns unchanged");
  }

  /**
   * Creates a column of a struct.
   *
   * @param held a reference to the array, which the caller keeps during the call
   */
  ColumnImpl(DeviceArrayImpl array, Ownership held, Field field, long struct, long offset, long length,
      @Nullable ColumnRows above) {
    super(array, field, struct, offset, length, above);
    boolean hasValidity = Layout.of(field).shape.hasValidity && RawArrowArray.nullCount(struct) != 0;
    this.validity = hasValidity ? RawArrowArray.buffer(struct, 0) : 0;
    this.values = Values.of(this, held);
    this.hasNullsBelow = values.hasNullsBelow();
    this.longs = longs();
    this.extension = ExtensionReader.of(field);
    this.rangeOf = null;
  }

  private ColumnImpl(ColumnImpl of, long offset, long length) {
    super(of, offset, length);
    this.validity = of.validity;
    this.values = of.values;
    this.hasNullsBelow = of.hasNullsBelow;
    this.longs = longs();
    this.extension = of.extension;
    this.fitting = of.fitting;
    this.rangeOf = of.rangeOf == null ? of : of.rangeOf;
  }

  private long longs() {
    long address = values.longs();
    return address == 0 ? 0 : address + Long.BYTES * offset;
  }

  /** Returns a range of this column's rows, with the same reader. */
  ColumnImpl range(long from, long count) {
    return new ColumnImpl(this, offset + from, count);
  }

  /** Returns the implementation; every {@link Column} has this class. */
  public static ColumnImpl unwrap(Column column) {
    return (ColumnImpl) column;
  }

  /** Returns the address of the validity bitmap, or 0 if the rows have no nulls of their own. */
  public long validity() {
    return validity;
  }

  @Override
  public long nullCount() {
    Ownership owner = array.share();
    try {
      return heldNullCount();
    } finally {
      owner.release();
    }
  }

  private long heldNullCount() {
    Layout layout = Layout.of(field);
    if (layout.shape == Layout.Shape.NULL) return length;
    if (values instanceof RunEndValues runs) return runs.countNulls(this);
    boolean ofOthers = values instanceof UnionValues || (values instanceof OffsetTimeValues && hasNullsBelow);
    if (ofOthers || (layout.dictionary != null && dictionary().nullCount() != 0)) return countNulls();
    if (validity == 0) return 0;
    long known = RawArrowArray.nullCount(struct);
    boolean whole = offset == RawArrowArray.offset(struct) && length == RawArrowArray.length(struct);
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
    checkRow(row);
    checkReadable();
    if (longs != 0) return validity != 0 && !Bitmaps.get(validity, offset + row); // like in getLong
    return isNullAt(offset + row);
  }

  /** Returns whether the value at a position in the buffers is null. */
  boolean isNullAt(long at) {
    return (validity != 0 && !Bitmaps.get(validity, at)) || (hasNullsBelow && values.isNull(at));
  }

  /** Returns whether a row's own validity bit says null, regardless of the value that it refers to. */
  boolean isNullItself(long row) {
    return validity != 0 && !Bitmaps.get(validity, offset + row);
  }

  /** Returns the exception of a getter for a null row (READ-50). */
  public NoSuchElementException isNullIn(long row) {
    return new NoSuchElementException(
        describe() + " is null in row " + row
            + "; check isNull first, or read it with Column.get, in Kotlin with getOrNull");
  }

  @Override
  public boolean getBoolean(long row) {
    return values.getBoolean(valueAt(row, Getter.BOOLEAN));
  }

  @Override
  public long getLong(long row) {
    if (longs == 0) return otherLong(row);
    checkRow(row);
    checkReadable();
    if (validity != 0 && !Bitmaps.get(validity, offset + row)) throw isNullIn(row);
    return NativeHeap.getLong(longs + Long.BYTES * row);
  }

  private long otherLong(long row) {
    long at = valueAt(row, Getter.LONG);
    // a direct call in the first case, without virtual dispatch
    return values instanceof FixedValues.Integers integers ? integers.getLong(at) : values.getLong(at);
  }

  @Override
  public int getInt(long row) {
    long value = getLong(row);
    if (value != (int) value
        || (value < 0 && fieldAt(row, Getter.INT).type() instanceof IntType(_, boolean signed) && !signed)) {
      throw new ArithmeticException(describe() + ", row " + row + ": " + get(row) + " does not fit an int");
    }
    return (int) value;
  }

  @Override
  public double getDouble(long row) {
    long at = valueAt(row, Getter.DOUBLE);
    return values instanceof FixedValues.Floats floats ? floats.getDouble(at) : values.getDouble(at);
  }

  @Override
  public BigDecimal getDecimal(long row) {
    return values.getDecimal(valueAt(row, Getter.DECIMAL));
  }

  @Override
  public String getString(long row) {
    return values.getString(valueAt(row, Getter.STRING));
  }

  @Override
  public byte[] getBytes(long row) {
    return values.getBytes(valueAt(row, Getter.BYTES));
  }

  @Override
  public Interval getInterval(long row) {
    return values.getInterval(valueAt(row, Getter.INTERVAL));
  }

  @Override
  public UUID getUuid(long row) {
    return values.getUuid(valueAt(row, Getter.UUID));
  }

  @Override
  public OffsetDateTime getOffsetDateTime(long row) {
    return values.getOffsetDateTime(valueAt(row, Getter.OFFSET_DATE_TIME));
  }

  @Override
  public Tensor getTensor(long row) {
    return values.getTensor(valueAt(row, Getter.TENSOR));
  }

  /** Reads a value with a codec. See {@link ExtensionCodec#get}. */
  @SuppressWarnings("ReferenceEquality") // equals would run the application's code for each value
  public <T> T get(long row, ExtensionCodec<T> codec) {
    Objects.checkIndex(row, length);
    checkReadable();
    if (codec == fitting || Codecs.fits(codec, field)) {
      valueAt(row, Getter.ANY);
      fitting = codec;
      return codec.fromStorage(storage(), row);
    }
    if (!(values instanceof Redirected elsewhere))
      throw cannot("values of " + codec.valueClass().getName(), Codecs.mismatch(codec));
    long at = valueAt(row, Getter.ANY);
    ColumnImpl source = elsewhere.source(at);
    return source.get(elsewhere.row(source, at), codec);
  }

  @Override
  public ColumnImpl storage() {
    if (field.extension() == null) return this;
    ColumnImpl known = storage;
    if (known == null) storage = known = madeStorage();
    return known;
  }

  /** Creates {@link #storage}. A range takes a range of its source's storage, because lists create many ranges. */
  private ColumnImpl madeStorage() {
    ColumnImpl of = rangeOf;
    if (of != null) return of.storage().range(offset - of.offset, length);
    Ownership owner = array.share();
    try {
      return new ColumnImpl(array, owner, field.storage(), struct, offset, length, above);
    } finally {
      owner.release();
    }
  }

  @Override
  public ColumnImpl getList(long row) {
    return values.getList(valueAt(row, Getter.LIST));
  }

  @Override
  public Map<@Nullable Object, @Nullable Object> getMap(long row) {
    if (!(fieldAt(row, Getter.MAP).type() instanceof MapType)) throw cannot(Getter.MAP.what);
    return MapValues.toMap(values.getList(valueAt(row, Getter.MAP)), this, row);
  }

  /** Returns the row in {@link #encodedValues} of the value of a row, which must not be null. */
  public long encodedRow(long row) {
    Redirected encoded = (Redirected) values;
    long at = valueAt(row, Getter.ANY);
    return encoded.row(encoded.source(at), at);
  }

  /** Returns the values of a dictionary, or of runs. */
  public ColumnImpl encodedValues() {
    return values instanceof RunEndValues runs ? runs.values() : dictionary();
  }

  @Override
  public int getTypeId(long row) {
    return values.getTypeId(at(row, Getter.UNION));
  }

  @Override
  public long getChildRow(long row) {
    long childRow = values.getChildRow(at(row, Getter.UNION));
    return Layout.of(field).shape == Layout.Shape.SPARSE_UNION ? row : childRow;
  }

  @Override
  public Runs runs() {
    array.checkOpen();
    if (values instanceof RunEndValues runs) return new RunsImpl(this, runs);
    throw new IllegalArgumentException(describe() + " is not run-end-encoded and has no runs");
  }

  @Override
  Field fieldAt(long row, Getter getter) {
    return values.fieldAt(valueAt(row, getter));
  }

  @Override
  public @Nullable Object get(long row) {
    return isNull(row) ? null : object(offset + row);
  }

  /** Returns the result of {@link #get} for the value at a position, which must not be null. */
  @Nullable
  Object object(long at) {
    return extension == null ? values.get(at) : extension.get(this, at - offset);
  }

  /**
   * Returns a row, which must not be null, as a value of its extension type. Returns null if the row is read as its
   * storage.
   */
  @Nullable
  Object extensionValue(long row) {
    return extension == null ? null : extension.get(this, row);
  }

  @Override
  public List<@Nullable Object> toList() {
    checkReadable();
    List<@Nullable Object> all = new ArrayList<>(arraySize());
    for (long row = 0; row < length; row++) all.add(get(row));
    return Collections.unmodifiableList(all);
  }

  @Override
  public long[] toLongArray() {
    ColumnArrays.checkLongs(this);
    checkNoNulls();
    return ColumnArrays.longs(this, 0);
  }

  @Override
  public long[] toLongArray(long ifNull) {
    ColumnArrays.checkLongs(this);
    return ColumnArrays.longs(this, ifNull);
  }

  @Override
  public double[] toDoubleArray() {
    ColumnArrays.checkDoubles(this);
    checkNoNulls();
    return ColumnArrays.doubles(this, 0);
  }

  @Override
  public double[] toDoubleArray(double ifNull) {
    ColumnArrays.checkDoubles(this);
    return ColumnArrays.doubles(this, ifNull);
  }

  private void checkNoNulls() {
    if (nullCount() == 0) return;
    for (long row = 0; row < length; row++) {
      if (isNull(row)) throw isNullIn(row);
    }
  }

  @Override
  public MemorySegment segment(Arena arena) {
    return ColumnArrays.segment(this, Objects.requireNonNull(arena, "arena"));
  }

  /** Returns the number of rows as the length of a Java array. */
  public int arraySize() {
    if (length > Integer.MAX_VALUE - 8) throw new IllegalArgumentException(length + " rows do not fit a Java array");
    return (int) length;
  }

  /**
   * Returns the position of a row in the buffers, for a getter. If the row itself is null, throws the exception of
   * {@link #noValue}.
   */
  private long at(long row, Getter getter) {
    checkRow(row);
    checkReadable();
    long at = offset + row;
    if (validity != 0 && !Bitmaps.get(validity, at)) throw noValue(row, getter);
    return at;
  }

  /** Returns the position of a row like {@link #at}. Throws also if the value that the row refers to is null. */
  private long valueAt(long row, Getter getter) {
    long at = at(row, getter);
    return hasNullsBelow ? validBelow(at, getter) : at;
  }

  private long validBelow(long at, Getter getter) {
    if (values.isNull(at)) throw noValue(at - offset, getter);
    return at;
  }

  /**
   * Returns the exception of a getter for a null row. If the getter does not read the type, it is the same as for any
   * other row (READ-02); otherwise it says that the row is null.
   */
  private RuntimeException noValue(long row, Getter getter) {
    ColumnImpl typed = values instanceof UnionValues union ? union.source(offset + row) : this;
    boolean reads =
        getter == Getter.ANY || typed.field.valueType() instanceof NullType || Getters.read(typed.field, getter);
    return reads ? isNullIn(row) : typed.cannot(getter.what);
  }
}
