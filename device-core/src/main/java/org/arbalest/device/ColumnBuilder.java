package org.arbalest.device;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.function.IntPredicate;
import org.arbalest.device.DataType.BinaryType;
import org.arbalest.device.DataType.BoolType;
import org.arbalest.device.DataType.DictionaryType;
import org.arbalest.device.DataType.IntervalType;
import org.arbalest.device.DataType.LargeBinaryType;
import org.arbalest.device.DataType.LargeListType;
import org.arbalest.device.DataType.LargeUtf8Type;
import org.arbalest.device.DataType.ListType;
import org.arbalest.device.DataType.NullType;
import org.arbalest.device.DataType.StructType;
import org.arbalest.device.DataType.Utf8Type;
import org.arbalest.device.Layout.Shape;
import org.jspecify.annotations.Nullable;

/**
 * Appends the values of one column, in order. Belongs to a {@link BatchBuilder}, which frees it; not for several threads at once.
 *
 * <p>What fits which type: {@code append(long)} integers, dates, times, timestamps and durations (in the type's unit), and decimals; {@code
 * append(double)} floats; {@code append(BigDecimal)} decimals; {@code append(String)} text and dictionaries of text; {@code append(byte[])}
 * binary; {@link #appendList} lists; {@link #appendStruct} structs. Anything else is an {@link IllegalArgumentException} that names the
 * column, its type and the value, and so is a value out of the type's range, and text with half a surrogate pair.
 *
 * <p>Whatever is appended is appended as a whole or, if it throws, not at all: the builder is then as it was (OWN-15). Only where memory runs out
 * can the batch not be built any more.
 */
public abstract sealed class ColumnBuilder
    permits BoolBuilder, DictionaryBuilder, FixedBuilder, ListBuilder, NullBuilder, StructBuilder, VariableBuilder {
  final Field field;
  final ValidityBuilder validity;

  ColumnBuilder(BuildMemory memory, Field field) {
    this.field = field;
    this.validity = new ValidityBuilder(memory);
  }

  /** A builder for a field; throws if arrays of its type cannot be built yet. */
  static ColumnBuilder of(BuildMemory memory, Field field, int rows) {
    Shape shape = field.layout.shape;
    return switch (field.type()) {
      case NullType _ -> new NullBuilder(memory, field);
      case BoolType _ -> new BoolBuilder(memory, field, rows);
      case DictionaryType type when type.values().type() instanceof Utf8Type -> new DictionaryBuilder(memory, field, type, rows);
      case Utf8Type _, LargeUtf8Type _, BinaryType _, LargeBinaryType _ -> new VariableBuilder(memory, field, rows);
      case StructType type -> new StructBuilder(memory, field, type, rows);
      case ListType type -> new ListBuilder(memory, field, type.item(), rows);
      case LargeListType type -> new ListBuilder(memory, field, type.item(), rows);
      case DataType _ when shape == Shape.FIXED && !(field.type() instanceof DictionaryType) && !(field.type() instanceof IntervalType) ->
          new FixedBuilder(memory, field, rows);
      default ->
          throw new UnsupportedOperationException(
              "column \"" + field.name() + "\": building type " + TypeNames.of(field.type()) + " is not supported yet");
    };
  }

  /** The field that is built; of a struct or list whose type is still growing, as far as it is known. */
  public Field field() {
    return field;
  }

  /** How many values were appended. */
  public final long length() {
    return validity.length();
  }

  /** Appends a null. */
  public final ColumnBuilder appendNull() {
    checkNullable(length());
    writeNull();
    validity.appendNull();
    return this;
  }

  /** Makes those of the values appended so far null for which the predicate of their position is true; none if it throws. */
  public final ColumnBuilder setNulls(IntPredicate isNull) {
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

  /** Appends a boolean. */
  public ColumnBuilder append(boolean value) {
    throw doesNotFit("a boolean");
  }

  /** Appends an integer, or the number that a date, time, timestamp or duration is stored as; to uint64 as its 64 bits. */
  public ColumnBuilder append(long value) {
    throw doesNotFit("an integer");
  }

  /** Appends a floating-point number; a narrower type rounds it. */
  public ColumnBuilder append(double value) {
    throw doesNotFit("a floating-point number");
  }

  /** Appends a decimal, which must fit the type's precision and scale exactly. */
  public ColumnBuilder append(BigDecimal value) {
    throw doesNotFit("a decimal");
  }

  /** Appends text. */
  public ColumnBuilder append(String value) {
    throw doesNotFit("text");
  }

  /** Appends bytes. */
  public ColumnBuilder append(byte[] value) {
    throw doesNotFit("bytes");
  }

  /** Appends a list: the next {@code size} elements of {@link #items}, whether they were appended before this call or come after it. */
  public ColumnBuilder appendList(int size) {
    throw doesNotFit("a list");
  }

  /** Appends a struct, whose fields are appended to the {@link #child} builders, before this call or after it. */
  public ColumnBuilder appendStruct() {
    throw doesNotFit("a struct");
  }

  /** The builder of a list's elements. */
  public ColumnBuilder items() {
    throw doesNotFit("a list");
  }

  /**
   * Says what a list's elements are, in place of what its type said, and returns their builder.
   *
   * @throws IllegalStateException if elements were appended
   */
  public ColumnBuilder items(Field item) {
    throw doesNotFit("a list");
  }

  /** The builder of a struct's field of this name. */
  public ColumnBuilder child(String name) {
    throw doesNotFit("a struct");
  }

  /** Adds a field to a struct's type, and returns its builder. */
  public ColumnBuilder addChild(Field child) {
    throw doesNotFit("a struct");
  }

  /** Appends all values of an array; in one copy where the type stores them as they are. */
  public ColumnBuilder appendAll(boolean[] values) {
    Objects.requireNonNull(values, "values");
    for (boolean value : values) append(value);
    return this;
  }

  /** Appends all values of an array; in one copy where the type stores them as they are. */
  public ColumnBuilder appendAll(byte[] values) {
    Objects.requireNonNull(values, "values");
    for (byte value : values) check(value);
    for (byte value : values) append((long) value);
    return this;
  }

  /** Appends all values of an array; in one copy where the type stores them as they are. */
  public ColumnBuilder appendAll(short[] values) {
    Objects.requireNonNull(values, "values");
    for (short value : values) check(value);
    for (short value : values) append((long) value);
    return this;
  }

  /** Appends all values of an array; in one copy where the type stores them as they are. */
  public ColumnBuilder appendAll(int[] values) {
    Objects.requireNonNull(values, "values");
    for (int value : values) check(value);
    for (int value : values) append((long) value);
    return this;
  }

  /** Appends all values of an array; in one copy where the type stores them as they are. */
  public ColumnBuilder appendAll(long[] values) {
    Objects.requireNonNull(values, "values");
    for (long value : values) check(value);
    for (long value : values) append(value);
    return this;
  }

  /** Appends all values of an array; in one copy where the type stores them as they are. */
  public ColumnBuilder appendAll(float[] values) {
    Objects.requireNonNull(values, "values");
    for (float value : values) append((double) value);
    return this;
  }

  /** Appends all values of an array; in one copy where the type stores them as they are. */
  public ColumnBuilder appendAll(double[] values) {
    Objects.requireNonNull(values, "values");
    for (double value : values) append(value);
    return this;
  }

  /**
   * Appends values of fixed width as they are stored in Arrow's buffers, back to back, in one copy. Nothing is checked but the size.
   *
   * @param stored memory, on the heap or not, whose size is a multiple of the type's width
   */
  public ColumnBuilder appendAll(MemorySegment stored) {
    throw doesNotFit("values of fixed width");
  }

  /** Throws if an integer could not be appended; asked before several are (OWN-15). */
  void check(long value) {}

  /** Writes whatever stands where a null is. */
  abstract void writeNull();

  /** The buffers behind the validity bitmap. */
  abstract List<GrowableBuffer> buffers();

  /** The array, whose memory is still to be moved into a {@link DeviceArray}. */
  ArrayData finish() {
    List<@Nullable DeviceBuffer> taken = new ArrayList<>();
    taken.add(validity.take());
    for (GrowableBuffer buffer : buffers()) taken.add(buffer.take());
    return ArrayData.of(length(), validity.nullCount(), taken);
  }

  private void checkNullable(long row) {
    if (!field.isNullable()) throw new IllegalArgumentException("column \"" + field.name() + "\" is not nullable, but row " + row + " is null");
  }

  /** The bytes of text. */
  final byte[] utf8(String value) {
    byte[] bytes = value.getBytes(UTF_8);
    int half = Utf8.half(value, bytes);
    if (half >= 0) {
      throw new IllegalArgumentException(String.format("column \"%s\", row %d: %s", field.name(), length(), Utf8.describe(value, half)));
    }
    return bytes;
  }

  final IllegalArgumentException doesNotFit(String what) {
    return new IllegalArgumentException("column \"" + field.name() + "\" of type \"" + field.layout.format + "\" does not hold " + what);
  }
}
