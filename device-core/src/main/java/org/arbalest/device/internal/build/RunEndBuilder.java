// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.ArrayData;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.RunEndEncodedType;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.RunEnds;
import org.arbalest.device.internal.schema.TypeNames;
import org.jspecify.annotations.Nullable;

/** A builder of run-end-encoded columns: each value once, with the end of its run. */
final class RunEndBuilder extends EncodedBuilder {
  private final RunEndEncodedType type;
  private final Numbers ends;
  private final long most;

  RunEndBuilder(BuildMemory memory, Field field, RunEndEncodedType type) {
    super(memory, field, type.values());
    this.type = type;
    long bits = Layout.of(type.runEnds()).bits;
    this.ends = new Numbers(memory, bits, 0);
    this.most = -1L >>> (Long.SIZE - bits + 1);
  }

  @Override
  public ColumnBuilder appendRun(long count) {
    if (count <= 0) throw new IllegalArgumentException(here() + ": a run of " + count + " rows; it has at least one");
    checkEnd(count);
    ends.put(length() + count);
    validity.appendValid(count);
    return this;
  }

  private void checkEnd(long count) {
    if (count <= most - length()) return;
    throw new IllegalArgumentException(
        here() + ": a run of " + count + " rows ends beyond what " + TypeNames.of(type.runEnds().type())
            + " run ends count (" + most + ")");
  }

  @Override
  void checkBefore() {
    if (values.builder.length() != ends.count()) {
      throw new IllegalStateException(here() + ": there are " + ends.count() + " runs, but " + values.builder.length()
          + " values were appended for them");
    }
  }

  @Override
  void encode() {
    checkEnd(1);
    long last = values.builder.length() - 1;
    if (last > 0 && values.builder.sameAt(last, last - 1)) {
      values.truncate(last);
      ends.truncate(last - 1);
    }
    ends.put(length() + 1);
    validity.appendValid();
  }

  @Override
  void addNull() {
    addNulls(1);
  }

  @Override
  void addNulls(long count) {
    if (!values.builder.isNullable())
      throw new IllegalArgumentException(here() + ": is null, but the values of the runs are not nullable");
    checkFillers(count);
    appendFillers(count);
  }

  /** Returns whether the fillers of the values are nulls. */
  @Override
  boolean isNullable() {
    return super.isNullable() && values.builder.isNullable();
  }

  @Override
  void checkOwnNulls() {
    throw new IllegalArgumentException(
        "column \"" + path() + "\" is run-end-encoded and has no nulls of its own; its values have them");
  }

  @Override
  void writeNull() {}

  @Override
  void checkFillers(long count) {
    checkBefore();
    values.checkComplete();
    values.builder.checkFillers(Math.min(count, 2)); // the second filler equals the first, so encode() removes it
    checkEnd(count);
  }

  @Override
  void appendFiller() {
    values.builder.appendFiller();
    encode();
  }

  /** Appends the fillers as one run. */
  @Override
  void appendFillers(long count) {
    if (count == 0) return;
    appendFiller();
    ends.truncate(ends.count() - 1);
    ends.put(length() + count - 1);
    validity.appendValid(count - 1);
  }

  @Override
  public ColumnBuilder values() {
    return values.builder;
  }

  @Override
  public ColumnBuilder values(Field value) {
    return replace(value);
  }

  @Override
  String described() {
    return "run-end-encoded; its values are appended one by one, and their parts to values()";
  }

  /** Returns the field with the current type of the values. */
  @Override
  public Field field() {
    RunEndEncodedType now = new RunEndEncodedType(type.runEnds(), values.builder.field());
    return now.equals(field.type()) ? field : field.withType(now);
  }

  @Override
  void truncate(long length) {
    long runs = length == 0 ? 0 : runAt(length - 1) + 1;
    ends.truncate(runs);
    if (runs > 0 && ends.get(runs - 1) > length) {
      ends.truncate(runs - 1);
      ends.put(length);
    }
    validity.truncate(length);
  }

  @Override
  void truncateParts() {
    values.truncate(ends.count());
  }

  @Override
  void checkComplete() {
    values.check("runs", "values", ends.count());
  }

  private long runAt(long row) {
    return new RunEnds(ends.buffer().address(), Layout.of(type.runEnds()).bits, ends.count()).find(row);
  }

  @Override
  long hash(long row) {
    return values.builder.hashAt(runAt(row));
  }

  @Override
  boolean same(long one, long other) {
    return values.builder.sameAt(runAt(one), runAt(other));
  }

  @Override
  List<GrowableBuffer> buffers() {
    return List.of();
  }

  @Override
  ArrayData finish() {
    List<@Nullable DeviceBuffer> buffers = new ArrayList<>();
    buffers.add(null);
    buffers.add(ends.buffer().take());
    ArrayData runEnds = ArrayData.of(ends.count(), 0, buffers);
    return ArrayData.of(length(), 0, List.of(), List.of(runEnds, values.builder.finish()));
  }
}
