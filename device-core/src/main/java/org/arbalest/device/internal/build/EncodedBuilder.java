package org.arbalest.device.internal.build;

import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import org.arbalest.device.ColumnBuilder;
import org.arbalest.device.Field;
import org.arbalest.device.Interval;

/** What stores a value that comes again only once: a value is appended to the values, and then looked at. */
abstract sealed class EncodedBuilder extends RefusingBuilder permits DictionaryBuilder, RunEndBuilder {
  final Part values;

  EncodedBuilder(BuildMemory memory, Field field, Field value) {
    super(memory, field);
    this.values = new Part(this, value, 0);
    values.builder.encoded = this;
  }

  final ColumnBuilder replace(Field value) {
    values.replace("value", value, 0).encoded = this;
    return values.builder;
  }

  /** Encodes the last of the values, which is complete. */
  abstract void encode();

  /** Throws if values cannot be encoded now. */
  void checkBefore() {}

  /** Appends a value that was appended to the values; if that cannot be, it goes from there, too (OWN-15). */
  private ColumnBuilder encoded() {
    try {
      values.builder.checkComplete();
      encode();
      return this;
    } catch (Throwable t) {
      if (memory.isOpen()) values.builder.truncate(values.builder.length() - 1);
      throw t;
    }
  }

  @Override
  public final ColumnBuilder append(boolean value) {
    checkBefore();
    values.builder.append(value);
    return encoded();
  }

  @Override
  final ColumnBuilder appendOther(long value) {
    checkBefore();
    values.builder.append(value);
    return encoded();
  }

  @Override
  final ColumnBuilder appendOther(double value) {
    checkBefore();
    values.builder.append(value);
    return encoded();
  }

  @Override
  public final ColumnBuilder append(BigDecimal value) {
    checkBefore();
    values.builder.append(value);
    return encoded();
  }

  @Override
  public ColumnBuilder append(String value) {
    checkBefore();
    values.builder.append(value);
    return encoded();
  }

  @Override
  public final ColumnBuilder append(byte[] value) {
    checkBefore();
    values.builder.append(value);
    return encoded();
  }

  @Override
  public final ColumnBuilder append(MemorySegment value) {
    checkBefore();
    values.builder.append(value);
    return encoded();
  }

  @Override
  public final ColumnBuilder append(Interval value) {
    checkBefore();
    values.builder.append(value);
    return encoded();
  }

  @Override
  public final ColumnBuilder appendList(int size) {
    checkBefore();
    values.builder.appendList(size);
    return encoded();
  }

  @Override
  public final ColumnBuilder appendMap(int size) {
    checkBefore();
    values.builder.appendMap(size);
    return encoded();
  }

  @Override
  public final ColumnBuilder appendStruct() {
    checkBefore();
    values.builder.appendStruct();
    return encoded();
  }

  @Override
  public final ColumnBuilder appendUnion(int child) {
    checkBefore();
    values.builder.appendUnion(child);
    return encoded();
  }

  @Override
  public final ColumnBuilder appendUnion(String child) {
    checkBefore();
    values.builder.appendUnion(child);
    return encoded();
  }

  /** Encodes a null, whose parts are made here. */
  final ColumnBuilder encodedNull() {
    checkBefore();
    values.builder.checkFiller();
    values.builder.appendFiller();
    return encoded();
  }

  @Override
  ColumnBuilder together(Runnable appends) {
    long before = values.builder.length();
    try {
      return super.together(appends);
    } catch (Throwable t) {
      if (memory.isOpen()) forgetValues(before);
      throw t;
    }
  }

  /** Forgets the values from some one on, which no row has any more. */
  void forgetValues(long before) {
    if (values.builder.length() > before) values.truncate(before);
  }
}
