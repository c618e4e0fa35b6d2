// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.objects.ExtensionCodec;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Interval;

/**
 * A builder of a type that stores repeated values once. It appends each value to the values first, and then encodes it.
 */
abstract sealed class EncodedBuilder extends UnsupportedAppends permits DictionaryBuilder, RunEndBuilder {
  final ChildSlot values;

  /** The progress of the values before the current append. */
  private final Progress before = new Progress();

  EncodedBuilder(BuildMemory memory, Field field, Field value) {
    super(memory, field);
    this.values = new ChildSlot(this, value, 0);
  }

  final ColumnBuilder replace(Field value) {
    return values.replace("value", value, 0);
  }

  /** Encodes the last of the values, which is complete. */
  abstract void encode();

  /** Throws if the column cannot encode values in its current state. */
  void checkBefore() {}

  /** Prepares for one more value and returns the builder to which it is appended. */
  private ColumnBuilderImpl begin() {
    checkBefore();
    before.save(values.builder);
    return values.builder;
  }

  /**
   * Encodes the value that was just appended to the values. If that fails, removes the value again, with the parts that
   * its append made (OWN-15).
   */
  private ColumnBuilder encoded() {
    try {
      values.checkComplete();
      encode();
      return this;
    } catch (Throwable t) {
      undo(before);
      throw t;
    }
  }

  /** Returns a description of the type and of how values are appended to it, for errors. */
  abstract String described();

  @Override
  final IllegalArgumentException doesNotFit(String what) {
    return refused(what + " itself: it is " + described(), "");
  }

  @Override
  public final ColumnBuilder append(boolean value) {
    begin().append(value);
    return encoded();
  }

  @Override
  final ColumnBuilder appendOther(long value) {
    begin().append(value);
    return encoded();
  }

  @Override
  final ColumnBuilder appendOther(double value) {
    begin().append(value);
    return encoded();
  }

  @Override
  public final ColumnBuilder append(BigDecimal value) {
    begin().append(value);
    return encoded();
  }

  @Override
  public ColumnBuilder append(String value) {
    begin().append(value);
    return encoded();
  }

  @Override
  public final ColumnBuilder append(byte[] value) {
    begin().append(value);
    return encoded();
  }

  @Override
  public final ColumnBuilder append(MemorySegment value) {
    begin().append(value);
    return encoded();
  }

  @Override
  public final ColumnBuilder append(Interval value) {
    begin().append(value);
    return encoded();
  }

  @Override
  final ColumnBuilder appendTime(Object value) {
    begin().appendTime(value);
    return encoded();
  }

  @Override
  public final ColumnBuilder append(UUID value) {
    begin().append(value);
    return encoded();
  }

  @Override
  public final ColumnBuilder append(OffsetDateTime value) {
    begin().append(value);
    return encoded();
  }

  @Override
  public final <T> void append(T value, ExtensionCodec<T> codec) {
    if (WholeValue.fits(this, codec)) {
      super.append(value, codec);
    } else {
      unwrap(begin()).append(value, codec);
      encoded();
    }
  }

  @Override
  public final ColumnBuilder appendTensor(int... shape) {
    begin().appendTensor(shape);
    return encoded();
  }

  @Override
  public final ColumnBuilder appendList(int size) {
    begin().appendList(size);
    return encoded();
  }

  @Override
  public final ColumnBuilder appendMap(int size) {
    begin().appendMap(size);
    return encoded();
  }

  @Override
  public final ColumnBuilder appendStruct() {
    begin().appendStruct();
    return encoded();
  }

  @Override
  public final ColumnBuilder appendUnion(int child) {
    begin().appendUnion(child);
    return encoded();
  }

  @Override
  public final ColumnBuilder appendUnion(String child) {
    begin().appendUnion(child);
    return encoded();
  }

  @Override
  final List<ColumnBuilderImpl> parts() {
    return List.of(values.builder);
  }

  @Override
  ColumnBuilder together(Runnable appends) {
    Progress start = new Progress();
    start.save(values.builder);
    try {
      return super.together(appends);
    } catch (Throwable t) {
      undo(start);
      throw t;
    }
  }

  private void undo(Progress to) {
    if (!memory.isOpen()) return;
    to.restore(values.builder);
    changed();
  }
}
