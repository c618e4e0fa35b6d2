// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntPredicate;
import org.arbalest.device.ArrayData;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.objects.ExtensionCodec;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * A column that grows. See {@link ColumnBuilder}.
 *
 * <p>What is appended row by row most is final here: since no other class implements the interface, it is called
 * directly then, and inlined, however many kinds of builders there are. It is no longer than what C2 inlines wherever
 * it is called (35 bytes of code).
 */
public abstract sealed class ColumnBuilderImpl extends NamedBuilder implements ColumnBuilder permits TimesBuilder {
  private static final long NULL_HASH = 0;

  final BuildMemory memory;
  final ValidityBuilder validity;
  private final boolean nullable;

  /** The values, if any long is one as it is. */
  private final @Nullable GrowableBuffer integers;

  /** The values, if any double is one as it is. */
  private final @Nullable GrowableBuffer floats;

  /** The values, if a null is 64 bits of zero there, and there may be one. */
  private final @Nullable GrowableBuffer zeroes;

  ColumnBuilderImpl(BuildMemory memory, Field field, @Nullable GrowableBuffer integers,
      @Nullable GrowableBuffer floats) {
    super(field);
    this.memory = memory;
    this.validity = new ValidityBuilder(memory, integers == null ? floats : integers);
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
    integers.putLong(value); // which is all, see ValidityBuilder
    return this;
  }

  @Override
  public final ColumnBuilder append(double value) {
    if (floats == null) return appendOther(value);
    floats.putLong(Double.doubleToRawLongBits(value));
    return this;
  }

  @Override
  public final ColumnBuilder appendNull() {
    if (zeroes == null) return appendOtherNull();
    zeroes.putLong(0);
    validity.appendNullTo(zeroes);
    return this;
  }

  /** Appends an integer where values are not just its 64 bits. */
  abstract ColumnBuilder appendOther(long value);

  /** Appends a floating-point number where values are not just its 64 bits. */
  abstract ColumnBuilder appendOther(double value);

  /** Appends a value of java.time, exactly, or refuses it. */
  abstract ColumnBuilder appendTime(Object value);

  @Override
  public final ColumnBuilder appendNulls(long count) {
    memory.checkOpen();
    if (count < 0 || count > Long.MAX_VALUE - length())
      throw new IllegalArgumentException(here() + ": " + count + " nulls");
    if (count == 0) return this;
    checkNullable(length());
    addNulls(count);
    return this;
  }

  private ColumnBuilder appendOtherNull() {
    memory.checkOpen();
    checkNullable(length());
    addNull();
    return this;
  }

  /** Appends a null where values are not 64 bits, and may be null. */
  void addNull() {
    writeNull();
    validity.appendNull();
  }

  /** Appends several nulls, where there may be some. */
  void addNulls(long count) {
    writeNulls(count);
    validity.appendNulls(count);
  }

  @Override
  public final ColumnBuilder setNulls(IntPredicate isNull) {
    Objects.requireNonNull(isNull, "isNull");
    memory.checkOpen();
    checkOwnNulls();
    // items of large lists may be more than an IntPredicate can tell apart
    int count = Math.toIntExact(validity.length());
    long[] nulls = new long[(int) ((count + 63L) >>> 6)];
    for (int i = 0; i < count; i++) {
      if (isNull.test(i)) {
        checkNullable(i);
        nulls[i >>> 6] |= 1L << i;
      }
    }
    validity.setNulls(0, nulls);
    changedAbove();
    return this;
  }

  @Override
  public final ColumnBuilder setNulls(long from, MemorySegment bitmap, long bitOffset) {
    Objects.requireNonNull(bitmap, "validity");
    checkOwnNulls();
    memory.checkOpen();
    long count = length() - Objects.checkIndex(from, length() + 1);
    if (bitOffset < 0 || bitOffset > Long.MAX_VALUE - count - 7 || (bitOffset + count + 7) >>> 3 > bitmap.byteSize()) {
      throw new IndexOutOfBoundsException("column \"" + path() + "\": " + count + " rows from bit " + bitOffset + " of "
          + bitmap.byteSize() + " bytes on");
    }
    long first = from & -Long.SIZE;
    long[] nulls = NullBits.of(bitmap, bitOffset, from - first, count);
    for (int i = 0; !nullable && i < nulls.length; i++) {
      if (nulls[i] != 0) checkNullable(first + i * (long) Long.SIZE + Long.numberOfTrailingZeros(nulls[i]));
    }
    validity.setNulls(first, nulls);
    changedAbove();
    return this;
  }

  /** Throws if there are no nulls but those of what values are made of. */
  void checkOwnNulls() {}

  /** Appends several values; if that throws, none (OWN-15). */
  ColumnBuilder together(Runnable appends) {
    long before = length();
    long progress = progress();
    try {
      appends.run();
      return this;
    } catch (Throwable t) {
      if (memory.isOpen()) {
        truncate(before);
        restored(progress);
      }
      throw t;
    }
  }

  /** Writes whatever stands where a null is. */
  abstract void writeNull();

  /** The same for several nulls that come next. */
  void writeNulls(long count) {
    for (long i = 0; i < count; i++) writeNull();
  }

  /**
   * Throws if some fillers cannot be appended in a row: parts of what comes before are missing or too many, or they are
   * too many themselves (OWN-15).
   */
  void checkFillers(long count) {}

  /**
   * Appends a value that nobody reads, since what it is a part of is null, or another part; cannot be refused after
   * {@link #checkFillers}.
   */
  void appendFiller() {
    writeNull();
    if (zeroes != null) {
      validity.appendNullTo(zeroes);
    } else if (nullable) {
      validity.appendNull();
    } else {
      validity.appendValid(1);
    }
  }

  /** Appends several of them. */
  void appendFillers(long count) {
    for (long i = 0; i < count; i++) appendFiller();
  }

  /** The same, of a type whose fillers have no parts. */
  final void appendFillersAtOnce(long count) {
    writeNulls(count);
    if (nullable) {
      validity.appendNulls(count);
    } else {
      validity.appendValid(count);
    }
  }

  /** The builders of what the values are made of. */
  List<ColumnBuilderImpl> parts() {
    return List.of();
  }

  /** What says how far this is besides its length, for {@link #restored}. */
  long progress() {
    return 0;
  }

  /** Told what {@link #progress} was, behind {@link #truncate}: what was appended since is gone. */
  void restored(long progress) {}

  /** Told when values below, which there are already, may be others by now. */
  void changed() {}

  private void changedAbove() {
    for (NamedBuilder each = above; each instanceof ColumnBuilderImpl builder; each = builder.above) builder.changed();
  }

  /** Forgets the values from some row on; what they were made of stays, until {@link #truncateParts}. */
  abstract void truncate(long length);

  /** Forgets the parts of nested values that no value is made of; all values are complete. */
  void truncateParts() {}

  /** Throws if values are made of more parts than were appended, or of fewer. */
  void checkComplete() {}

  /** A hash of a value, null or not. */
  final long hashAt(long row) {
    return validity.isNull(row) ? NULL_HASH : hash(row);
  }

  /** Whether two values are the same, bit by bit, or both null. */
  final boolean sameAt(long one, long other) {
    boolean isNull = validity.isNull(one);
    return isNull == validity.isNull(other) && (isNull || same(one, other));
  }

  /** A hash of a value that is not null. */
  abstract long hash(long row);

  /** Whether two values, which are not null, are the same. */
  abstract boolean same(long one, long other);

  /** The buffers behind the validity bitmap. */
  abstract List<GrowableBuffer> buffers();

  /** Adds the buffers behind the validity bitmap to those of the array. */
  void addBuffers(List<@Nullable DeviceBuffer> taken) {
    for (GrowableBuffer buffer : buffers()) taken.add(buffer.take());
  }

  /** The array, whose memory is still to be moved into a {@link DeviceArray}. */
  ArrayData finish() {
    return finish(List.of());
  }

  /** The array with its children. */
  final ArrayData finish(List<ArrayData> children) {
    List<@Nullable DeviceBuffer> taken = new ArrayList<>();
    taken.add(validity.take());
    addBuffers(taken);
    return ArrayData.of(length(), validity.nullCount(), taken, children);
  }

  /** Whether a value may be null, which is what is appended for a null and as a filler then. */
  boolean isNullable() {
    return nullable;
  }

  final void checkNullable(long row) {
    if (!nullable)
      throw new IllegalArgumentException("column \"" + path() + "\" is not nullable, but row " + row + " is null");
  }

  public static ColumnBuilderImpl unwrap(ColumnBuilder builder) {
    return switch (builder) {
      case ColumnBuilderImpl made -> made;
    };
  }

  /** See {@link ExtensionCodec#append}. */
  public abstract <T> void append(T value, ExtensionCodec<T> codec);
}
