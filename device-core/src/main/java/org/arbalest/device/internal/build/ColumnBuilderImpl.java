package org.arbalest.device.internal.build;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.function.IntPredicate;
import org.arbalest.device.ArrayData;
import org.arbalest.device.ColumnBuilder;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.Field;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.Utf8;
import org.jspecify.annotations.Nullable;

/**
 * A column that grows. See {@link ColumnBuilder}.
 *
 * <p>What is appended row by row most is final here: since no other class implements the interface, it is called directly then, and inlined, however many
 * kinds of builders there are. It is no longer than what C2 inlines wherever it is called (35 bytes of code).
 */
public abstract sealed class ColumnBuilderImpl implements ColumnBuilder permits RefusingBuilder {
  private static final long NULL_HASH = 0;

  final BuildMemory memory;
  final Field field;
  final ValidityBuilder validity;
  private final boolean nullable;

  /** The values, if any long is one as it is. */
  private final @Nullable GrowableBuffer integers;

  /** The values, if any double is one as it is. */
  private final @Nullable GrowableBuffer floats;

  /** The values, if a null is 64 bits of zero there, and there may be one. */
  private final @Nullable GrowableBuffer zeroes;

  /** The dictionary or the run-ends whose values these are: who appends knows them by its name and its rows. */
  @Nullable ColumnBuilderImpl encoded;

  ColumnBuilderImpl(BuildMemory memory, Field field, @Nullable GrowableBuffer integers, @Nullable GrowableBuffer floats) {
    this.memory = memory;
    this.field = field;
    this.validity = new ValidityBuilder(memory);
    this.nullable = field.isNullable();
    this.integers = integers;
    this.floats = floats;
    this.zeroes = !nullable ? null : integers == null ? floats : integers;
  }

  @Override
  public Field field() {
    return field;
  }

  @Override
  public final long length() {
    return validity.length();
  }

  @Override
  public final ColumnBuilder append(long value) {
    if (integers == null) return appendOther(value);
    integers.putLong(value);
    validity.appendValid();
    return this;
  }

  @Override
  public final ColumnBuilder append(double value) {
    if (floats == null) return appendOther(value);
    floats.putLong(Double.doubleToRawLongBits(value));
    validity.appendValid();
    return this;
  }

  @Override
  public final ColumnBuilder appendNull() {
    if (zeroes == null) return appendOtherNull();
    zeroes.putLong(0);
    validity.appendNull();
    return this;
  }

  /** Appends an integer where values are not just its 64 bits. */
  abstract ColumnBuilder appendOther(long value);

  /** Appends a floating-point number where values are not just its 64 bits. */
  abstract ColumnBuilder appendOther(double value);

  private ColumnBuilder appendOtherNull() {
    checkNullable(length());
    addNull();
    return this;
  }

  /** Appends a null where values are not 64 bits, and may be null. */
  void addNull() {
    writeNull();
    validity.appendNull();
  }

  @Override
  public ColumnBuilder setNulls(IntPredicate isNull) {
    Objects.requireNonNull(isNull, "isNull");
    int count = Math.toIntExact(validity.length()); // items of large lists may be more than an IntPredicate can tell apart
    BitSet nulls = new BitSet();
    for (int i = 0; i < count; i++) {
      if (isNull.test(i)) {
        checkNullable(i);
        nulls.set(i);
      }
    }
    nulls.stream().forEach(validity::setNull);
    return this;
  }

  /** Appends several values; if that throws, none (OWN-15). */
  ColumnBuilder together(Runnable appends) {
    long before = length();
    try {
      appends.run();
      return this;
    } catch (Throwable t) {
      if (memory.isOpen()) truncate(before);
      throw t;
    }
  }

  /** Writes whatever stands where a null is. */
  abstract void writeNull();

  /** Throws if a filler cannot be appended, since parts are missing of what comes before; asked before anything is (OWN-15). */
  void checkFiller() {}

  /** Appends a value that nobody reads, since what it is a part of is null, or another part. */
  void appendFiller() {
    writeNull();
    if (nullable) {
      validity.appendNull();
    } else {
      validity.appendValid();
    }
  }

  /** Forgets the values from some row on; what they were made of stays, until {@link #truncateParts}. */
  abstract void truncate(long length);

  /** Forgets the parts of nested values that no value is made of. */
  void truncateParts() {}

  /** Throws if values are made of more parts than were appended, or of fewer. */
  void checkComplete() {}

  /** A hash of a value, null or not. */
  final long hashAt(long row) {
    return validity.isNull(row) ? NULL_HASH : hash(row);
  }

  /** A hash of several values in order. */
  final long hashAll(long from, long count) {
    long hash = Hashes.mix(Hashes.START, count);
    for (long i = 0; i < count; i++) hash = Hashes.mix(hash, hashAt(from + i));
    return hash;
  }

  /** Whether two values are the same, bit by bit, or both null. */
  final boolean sameAt(long one, long other) {
    boolean isNull = validity.isNull(one);
    return isNull == validity.isNull(other) && (isNull || same(one, other));
  }

  /** Whether several values in order are the same. */
  final boolean sameAll(long one, long other, long count) {
    for (long i = 0; i < count; i++) {
      if (!sameAt(one + i, other + i)) return false;
    }
    return true;
  }

  /** A hash of a value that is not null. */
  abstract long hash(long row);

  /** Whether two values, which are not null, are the same. */
  abstract boolean same(long one, long other);

  /** The buffers behind the validity bitmap. */
  abstract List<GrowableBuffer> buffers();

  /** The array, whose memory is still to be moved into a {@link DeviceArray}. */
  ArrayData finish() {
    return finish(List.of());
  }

  /** The array with its children. */
  final ArrayData finish(List<ArrayData> children) {
    List<@Nullable DeviceBuffer> taken = new ArrayList<>();
    taken.add(validity.take());
    for (GrowableBuffer buffer : buffers()) taken.add(buffer.take());
    return ArrayData.of(length(), validity.nullCount(), taken, children);
  }

  final boolean isNullable() {
    return nullable;
  }

  final void checkNullable(long row) {
    if (!nullable) throw new IllegalArgumentException("column \"" + field.name() + "\" is not nullable, but row " + row + " is null");
  }

  /** The bytes of text. */
  final byte[] utf8(String value) {
    byte[] bytes = value.getBytes(UTF_8);
    int half = Utf8.half(value, bytes);
    if (half >= 0) throw new IllegalArgumentException(here() + ": " + Utf8.describe(value, half));
    return bytes;
  }

  /** Refuses bytes that are not UTF-8. */
  final void checkText(MemorySegment value) {
    if (!Utf8.isText(value)) throw doesNotHold(value.byteSize() + " bytes that are not UTF-8");
  }

  /** A value that is not one of the type's. */
  final IllegalArgumentException doesNotHold(String value) {
    return doesNotFit(value + ", in row " + row());
  }

  final IllegalArgumentException doesNotFit(String what) {
    return new IllegalArgumentException("column \"" + name() + "\" of type \"" + Layout.of(field).format + "\" does not hold " + what);
  }

  /** The column and the row that is being appended, for an error. */
  final String here() {
    return "column \"" + name() + "\", row " + row();
  }

  private String name() {
    return encoded == null ? field.name() : encoded.name();
  }

  private long row() {
    return encoded == null ? length() : encoded.row();
  }
}
