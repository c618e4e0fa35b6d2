package org.arbalest.device.internal.build;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
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

/** A column that grows; what a type does not take, its builder refuses here. See {@link ColumnBuilder}. */
public abstract sealed class ColumnBuilderImpl implements ColumnBuilder
    permits BoolBuilder, DictionaryBuilder, FixedBuilder, ListBuilder, NullBuilder, StructBuilder, VariableBuilder {
  final Field field;
  final ValidityBuilder validity;

  ColumnBuilderImpl(BuildMemory memory, Field field) {
    this.field = field;
    this.validity = new ValidityBuilder(memory);
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
  public final ColumnBuilder appendNull() {
    checkNullable(length());
    writeNull();
    validity.appendNull();
    return this;
  }

  @Override
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

  @Override
  public ColumnBuilder append(boolean value) {
    throw doesNotFit("a boolean");
  }

  @Override
  public ColumnBuilder append(long value) {
    throw doesNotFit("an integer");
  }

  @Override
  public ColumnBuilder append(double value) {
    throw doesNotFit("a floating-point number");
  }

  @Override
  public ColumnBuilder append(BigDecimal value) {
    throw doesNotFit("a decimal");
  }

  @Override
  public ColumnBuilder append(String value) {
    throw doesNotFit("text");
  }

  @Override
  public ColumnBuilder append(byte[] value) {
    throw doesNotFit("bytes");
  }

  @Override
  public ColumnBuilder appendList(int size) {
    throw doesNotFit("a list");
  }

  @Override
  public ColumnBuilder appendStruct() {
    throw doesNotFit("a struct");
  }

  @Override
  public ColumnBuilder items() {
    throw doesNotFit("a list");
  }

  @Override
  public ColumnBuilder items(Field item) {
    throw doesNotFit("a list");
  }

  @Override
  public ColumnBuilder child(String name) {
    throw doesNotFit("a struct");
  }

  @Override
  public ColumnBuilder child(int index) {
    throw doesNotFit("a struct");
  }

  @Override
  public ColumnBuilder addChild(Field child) {
    throw doesNotFit("a struct");
  }

  @Override
  public ColumnBuilder appendAll(boolean[] values) {
    Objects.requireNonNull(values, "values");
    for (boolean value : values) append(value);
    return this;
  }

  @Override
  public ColumnBuilder appendAll(byte[] values) {
    Objects.requireNonNull(values, "values");
    int ahead = 0;
    for (byte value : values) check(value, ahead++);
    for (byte value : values) append((long) value);
    return this;
  }

  @Override
  public ColumnBuilder appendAll(short[] values) {
    Objects.requireNonNull(values, "values");
    int ahead = 0;
    for (short value : values) check(value, ahead++);
    for (short value : values) append((long) value);
    return this;
  }

  @Override
  public ColumnBuilder appendAll(int[] values) {
    Objects.requireNonNull(values, "values");
    int ahead = 0;
    for (int value : values) check(value, ahead++);
    for (int value : values) append((long) value);
    return this;
  }

  @Override
  public ColumnBuilder appendAll(long[] values) {
    Objects.requireNonNull(values, "values");
    int ahead = 0;
    for (long value : values) check(value, ahead++);
    for (long value : values) append(value);
    return this;
  }

  @Override
  public ColumnBuilder appendAll(float[] values) {
    Objects.requireNonNull(values, "values");
    for (float value : values) append((double) value);
    return this;
  }

  @Override
  public ColumnBuilder appendAll(double[] values) {
    Objects.requireNonNull(values, "values");
    for (double value : values) append(value);
    return this;
  }

  @Override
  public ColumnBuilder appendAll(MemorySegment stored) {
    throw doesNotFit("values of fixed width");
  }

  /** Throws if an integer could not be appended behind some others; asked before several are (OWN-15). */
  void check(long value, int ahead) {}

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

  /** A value that is not one of the type's, to be appended behind some others. */
  final IllegalArgumentException doesNotFit(String value, int ahead) {
    return doesNotFit(value + ", in row " + (length() + ahead));
  }

  final IllegalArgumentException doesNotFit(String what) {
    return new IllegalArgumentException("column \"" + field.name() + "\" of type \"" + Layout.of(field).format + "\" does not hold " + what);
  }
}
