// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.time.OffsetDateTime;
import java.util.Objects;
import java.util.UUID;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.objects.ExtensionCodec;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Interval;
import org.jspecify.annotations.Nullable;

/**
 * The default for all append methods: single values are rejected, and arrays are appended value by value. See
 * {@link ColumnBuilder}.
 */
abstract sealed class UnsupportedAppends extends TimesBuilder
    permits BoolBuilder,
    EncodedBuilder,
    FixedBuilder,
    ItemsBuilder,
    MapBuilder,
    NullBuilder,
    StructBuilder,
    TextBuilder,
    UnionBuilder {
  UnsupportedAppends(BuildMemory memory, Field field) {
    super(memory, field, null, null);
  }

  UnsupportedAppends(BuildMemory memory, Field field, @Nullable GrowableBuffer integers,
      @Nullable GrowableBuffer floats) {
    super(memory, field, integers, floats);
  }

  @Override
  public ColumnBuilder append(boolean value) {
    throw doesNotFit("a boolean");
  }

  @Override
  ColumnBuilder appendOther(long value) {
    throw doesNotFit("an integer");
  }

  @Override
  ColumnBuilder appendOther(double value) {
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
  public ColumnBuilder append(MemorySegment value) {
    throw doesNotFit("bytes");
  }

  @Override
  public ColumnBuilder append(Interval value) {
    throw doesNotFit("an interval");
  }

  @Override
  ColumnBuilder appendTime(Object value) {
    throw doesNotFit(TimeCounts.named(value));
  }

  @Override
  public ColumnBuilder append(UUID value) {
    throw doesNotFit("a UUID");
  }

  @Override
  public ColumnBuilder append(OffsetDateTime value) {
    throw doesNotFit("a timestamp with an offset");
  }

  @Override
  public <T> void append(T value, ExtensionCodec<T> codec) {
    Objects.requireNonNull(value, NO_VALUE);
    WholeValue.append(this, value, codec);
  }

  @Override
  public ColumnBuilder appendTensor(int... shape) {
    throw doesNotFit("a tensor");
  }

  @Override
  public ColumnBuilder appendNullWithParts() {
    return appendNull();
  }

  @Override
  public ColumnBuilder appendList(int size) {
    throw doesNotFit("a list");
  }

  @Override
  public ColumnBuilder appendLists(int[] sizes) {
    throw doesNotFit("a list");
  }

  @Override
  public ColumnBuilder appendListView(long offset, int size) {
    throw doesNotFit("a list-view");
  }

  @Override
  public ColumnBuilder appendMap(int size) {
    throw doesNotFit("a map");
  }

  @Override
  public ColumnBuilder appendStruct() {
    throw doesNotFit("a struct");
  }

  @Override
  public ColumnBuilder appendUnion(int child) {
    throw doesNotFit("a union");
  }

  @Override
  public ColumnBuilder appendUnion(String child) {
    throw doesNotFit("a union");
  }

  @Override
  public ColumnBuilder appendUnions(byte[] typeIds) {
    throw doesNotFit("a union");
  }

  @Override
  public ColumnBuilder appendRun(long count) {
    throw doesNotFit("a run");
  }

  @Override
  public ColumnBuilder appendIndex(long index) {
    throw doesNotFit("an index");
  }

  @Override
  public ColumnBuilder appendIndices(int[] indices) {
    throw doesNotFit("an index");
  }

  @Override
  public ColumnBuilder growIndices() {
    throw doesNotFit("an index");
  }

  @Override
  public ColumnBuilder viewBufferSize(int bytes) {
    throw doesNotFit("views");
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
  public ColumnBuilder keys() {
    throw doesNotFit("a map");
  }

  @Override
  public ColumnBuilder keys(Field key) {
    throw doesNotFit("a map");
  }

  @Override
  public ColumnBuilder values() {
    throw doesNotFit("a map or a run");
  }

  @Override
  public ColumnBuilder values(Field value) {
    throw doesNotFit("a map or a run");
  }

  @Override
  public ColumnBuilder dictionary() {
    throw doesNotFit("an index");
  }

  @Override
  public ColumnBuilder dictionary(Field value) {
    throw doesNotFit("an index");
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
    return together(() -> {
      for (boolean value : values) append(value);
    });
  }

  @Override
  public ColumnBuilder appendAll(byte[] values) {
    Objects.requireNonNull(values, "values");
    return together(() -> {
      for (byte value : values) append((long) value);
    });
  }

  @Override
  public ColumnBuilder appendAll(short[] values) {
    Objects.requireNonNull(values, "values");
    return together(() -> {
      for (short value : values) append((long) value);
    });
  }

  @Override
  public ColumnBuilder appendAll(int[] values) {
    Objects.requireNonNull(values, "values");
    return together(() -> {
      for (int value : values) append((long) value);
    });
  }

  @Override
  public ColumnBuilder appendAll(long[] values) {
    Objects.requireNonNull(values, "values");
    return together(() -> {
      for (long value : values) append(value);
    });
  }

  @Override
  public ColumnBuilder appendAll(float[] values) {
    Objects.requireNonNull(values, "values");
    return together(() -> {
      for (float value : values) append((double) value);
    });
  }

  @Override
  public ColumnBuilder appendAll(double[] values) {
    Objects.requireNonNull(values, "values");
    return together(() -> {
      for (double value : values) append(value);
    });
  }

  @Override
  public ColumnBuilder appendAll(MemorySegment offsets, MemorySegment data) {
    throw doesNotFit("values with offsets");
  }

  @Override
  public ColumnBuilder appendAll(MemorySegment stored) {
    throw doesNotFit("values of fixed width");
  }
}
