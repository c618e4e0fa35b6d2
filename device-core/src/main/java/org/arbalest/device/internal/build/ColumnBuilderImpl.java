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
 * A builder of one column. See {@link ColumnBuilder}.
 *
 * <p>The methods that append one row are final in this class. No other class implements the interface, so C2 calls them
 * directly and inlines them, for any number of builder classes. Each is at most 35 bytes of bytecode, the limit up to
 * which C2 inlines a method at every call.
 */
public abstract sealed class ColumnBuilderImpl extends NamedBuilder implements ColumnBuilder permits TimesBuilder {
  private static final long NULL_HASH = 0;

  final BuildMemory memory;
  final ValidityBuilder validity;
  private final boolean nullable;

  /** The values, if every {@code long} is stored without conversion. */
  private final @Nullable GrowableBuffer integers;

  /** The values, if every {@code double} is stored without conversion. */
  private final @Nullable GrowableBuffer floats;

  /** The values, if the column is nullable and stores a null as 64 zero bits. */
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
    integers.putLong(value); // the validity needs no update here, see ValidityBuilder
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

  /** Appends an integer to a column that does not store it as the same 64 bits. */
  abstract ColumnBuilder appendOther(long value);

  /** Appends a floating-point number to a column that does not store it as the same 64 bits. */
  abstract ColumnBuilder appendOther(double value);

  /** Appends a value of java.time exactly, or throws. */
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

  /** Appends a null to a nullable column whose values are not 64 bits wide. */
  void addNull() {
    writeNull();
    validity.appendNull();
  }

  /** Appends several nulls to a nullable column. */
  void addNulls(long count) {
    writeNulls(count);
    validity.appendNulls(count);
  }

  @Override
  public final ColumnBuilder setNulls(IntPredicate isNull) {
    Objects.requireNonNull(isNull, "isNull");
    memory.checkOpen();
    checkOwnNulls();
    // a large list may have more items than an int can index
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

  /** Throws if the type has no validity bitmap, so that only its children have nulls. */
  void checkOwnNulls() {}

  /** Runs several appends. If one of them throws, none takes effect (OWN-15). */
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

  /** Writes a placeholder value for a null. */
  abstract void writeNull();

  /** Writes placeholder values for the next {@code count} nulls. */
  void writeNulls(long count) {
    for (long i = 0; i < count; i++) writeNull();
  }

  /**
   * Throws if {@code count} fillers cannot follow: the values before them have too few or too many parts, or the
   * fillers are too many (OWN-15).
   */
  void checkFillers(long count) {}

  /**
   * Appends a value that no reader sees, because its parent is null or uses another child. It cannot fail after
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

  /** Appends several fillers, see {@link #appendFiller}. */
  void appendFillers(long count) {
    for (long i = 0; i < count; i++) appendFiller();
  }

  /** Appends several fillers of a type whose fillers have no parts. */
  final void appendFillersAtOnce(long count) {
    writeNulls(count);
    if (nullable) {
      validity.appendNulls(count);
    } else {
      validity.appendValid(count);
    }
  }

  /** Returns the builders of the children. */
  List<ColumnBuilderImpl> parts() {
    return List.of();
  }

  /** Returns the progress of the builder besides its length, for {@link #restored}. */
  long progress() {
    return 0;
  }

  /**
   * Restores the state for which {@link #progress} returned this value. The caller has called {@link #truncate} before.
   */
  void restored(long progress) {}

  /** Called when existing values of a descendant may have changed. */
  void changed() {}

  private void changedAbove() {
    for (NamedBuilder each = above; each instanceof ColumnBuilderImpl builder; each = builder.above) builder.changed();
  }

  /** Removes the rows from {@code length} on; their parts stay until {@link #truncateParts}. */
  abstract void truncate(long length);

  /** Removes the parts of nested values that no value uses. All values are complete then. */
  void truncateParts() {}

  /** Throws if the values need more or fewer parts than were appended. */
  void checkComplete() {}

  /** Returns a hash of a value or of a null. */
  final long hashAt(long row) {
    return validity.isNull(row) ? NULL_HASH : hash(row);
  }

  /** Returns whether two values have the same bits, or are both null. */
  final boolean sameAt(long one, long other) {
    boolean isNull = validity.isNull(one);
    return isNull == validity.isNull(other) && (isNull || same(one, other));
  }

  /** Returns a hash of a value that is not null. */
  abstract long hash(long row);

  /** Returns whether two values, neither of which is null, are the same. */
  abstract boolean same(long one, long other);

  /** Returns the buffers that follow the validity bitmap. */
  abstract List<GrowableBuffer> buffers();

  /** Adds the buffers that follow the validity bitmap to the buffers of the array. */
  void addBuffers(List<@Nullable DeviceBuffer> taken) {
    for (GrowableBuffer buffer : buffers()) taken.add(buffer.take());
  }

  /** Returns the array. The caller still has to move its memory into a {@link DeviceArray}. */
  ArrayData finish() {
    return finish(List.of());
  }

  /** Returns the array with these children. */
  final ArrayData finish(List<ArrayData> children) {
    List<@Nullable DeviceBuffer> taken = new ArrayList<>();
    taken.add(validity.take());
    addBuffers(taken);
    return ArrayData.of(length(), validity.nullCount(), taken, children);
  }

  /** Returns whether the column accepts nulls. A nullable column also uses a null as its filler. */
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

  /** Appends a value of an extension type. See {@link ExtensionCodec#append}. */
  public abstract <T> void append(T value, ExtensionCodec<T> codec);
}
