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
import org.arbalest.device.internal.memory.Bitmaps;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.objects.ExtensionCodec;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.types.FlatType.NullType;
import org.arbalest.device.types.Interval;
import org.arbalest.device.types.NestedType.MapType;
import org.arbalest.device.types.NestedType.StructType;
import org.jspecify.annotations.Nullable;

/** Some rows of an array, and the {@link Values} that read its type. See {@link Column}. */
public final class ColumnImpl extends ColumnTimes {
  final Values values;
  private final long validity;

  /** Whether a row may be null although it is valid itself. */
  private final boolean hasNullsBelow;

  /** Where row 0 is, of integers of 64 bits, which are read without asking how; else 0. */
  private final long longs;

  /** What reads an extension type by {@link #get(long)}, or null if that is read as what it is stored as. */
  private final @Nullable ExtensionReader extension;

  /**
   * The codec that read the last value, so that it is asked once whether it fits; set by whatever thread, and only
   * compared.
   */
  private @Nullable ExtensionCodec<?> fitting;

  /** What this is a range of, if it is one. */
  private final @Nullable ColumnImpl rangeOf;

  /** This column without the extension type; made at first use. */
  private volatile @Nullable ColumnImpl storage;

  /** An array as a column; borrowed, for as long as the handle is open. */
  public static ColumnImpl of(DeviceArrayImpl array) {
    Ownership owner = array.share();
    try {
      return new ColumnImpl(array, owner, array.field(), array.struct(owner), array.offset(), array.length(), null);
    } finally {
      owner.release();
    }
  }

  /**
   * A record batch as a column, whose columns say all: none of its rows is null itself. Of other arrays the same as
   * {@link #of}.
   */
  public static ColumnImpl ofBatch(DeviceArrayImpl array) {
    ColumnImpl batch = of(array);
    if (batch.validity == 0 || !(batch.field.type() instanceof StructType)) return batch;
    long nulls = batch.nullCount();
    if (nulls == 0) return batch;
    throw DeviceException.invalid(
        batch.describe() + " has " + DeviceArrayImpl.counted(nulls, "row")
            + " that its own bitmap makes null, which its columns do not say: "
            + "pushDownNulls() gives a batch whose columns do, asColumn().column(…) the columns as they are");
  }

  /** @param held of the array, by the caller, while this is made */
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
    return values instanceof FixedValues.Integers integers && integers.width == Long.BYTES
        ? integers.address + Long.BYTES * offset : 0;
  }

  /** Some of this column's rows, which are read as they are here. */
  ColumnImpl range(long from, long count) {
    return new ColumnImpl(this, offset + from, count);
  }

  /** The implementation, which every {@link Column} is. */
  public static ColumnImpl unwrap(Column column) {
    return (ColumnImpl) column;
  }

  /** The address of the validity bitmap, or 0 if the rows have no nulls of their own. */
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
    if (longs != 0) return validity != 0 && !Bitmaps.get(validity, offset + row); // as getLong asks again
    return isNullAt(offset + row);
  }

  /** Whether what is at a position in the buffers is null. */
  boolean isNullAt(long at) {
    return (validity != 0 && !Bitmaps.get(validity, at)) || (hasNullsBelow && values.isNull(at));
  }

  /** Whether a row is null, and not what it stands for. */
  boolean isNullItself(long row) {
    return validity != 0 && !Bitmaps.get(validity, offset + row);
  }

  /** What a getter throws for a row that is null (READ-50). */
  public NoSuchElementException isNullIn(long row) {
    return new NoSuchElementException(
        describe() + " is null in row " + row + "; ask isNull first, or read it by Column.get, in Kotlin by getOrNull");
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
    // the first without a virtual call
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

  /** See {@link ExtensionCodec#get}. */
  @SuppressWarnings("ReferenceEquality") // what equals of the user's does is no matter of each value
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

  /** Of a range, that of what it is a range of: lists are ranges, and many. */
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

  /** Of what is encoded, the row of {@link #encodedValues} that the value of a row, which is not null, is. */
  public long encodedRow(long row) {
    Redirected encoded = (Redirected) values;
    long at = valueAt(row, Getter.ANY);
    return encoded.row(encoded.source(at), at);
  }

  /** What is encoded by a dictionary or in run-ends. */
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

  /** What {@link #get} answers for the value at a position, which is not null. */
  @Nullable
  Object object(long at) {
    return extension == null ? values.get(at) : extension.get(this, at - offset);
  }

  /** What a row, which is not null, is as a value of its extension type; null if it is read as what it is stored as. */
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

  /** The number of rows as the length of a Java array. */
  public int arraySize() {
    if (length > Integer.MAX_VALUE - 8) throw new IllegalArgumentException(length + " rows do not fit a Java array");
    return (int) length;
  }

  /**
   * Where a row is in the buffers, that is not null itself; for a getter, which reads the type or says that it does
   * not.
   */
  private long at(long row, Getter getter) {
    checkRow(row);
    checkReadable();
    long at = offset + row;
    if (validity != 0 && !Bitmaps.get(validity, at)) throw noValue(row, getter);
    return at;
  }

  /** The same, if nothing that it stands for is null. */
  private long valueAt(long row, Getter getter) {
    long at = at(row, getter);
    return hasNullsBelow ? validBelow(at, getter) : at;
  }

  private long validBelow(long at, Getter getter) {
    if (values.isNull(at)) throw noValue(at - offset, getter);
    return at;
  }

  /**
   * What a getter throws for a row that is null: that it does not read the type, as of any other row (READ-02), or else
   * that there is no value.
   */
  private RuntimeException noValue(long row, Getter getter) {
    ColumnImpl typed = values instanceof UnionValues union ? union.source(offset + row) : this;
    boolean reads =
        getter == Getter.ANY || typed.field.valueType() instanceof NullType || Getters.read(typed.field, getter);
    return reads ? isNullIn(row) : typed.cannot(getter.what);
  }
}
