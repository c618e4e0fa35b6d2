// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.util.Arrays;
import java.util.List;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/** Appends objects as structs, field by field. */
final class RowWriter extends ValueWriter {
  private final List<PartWriter> parts;
  private final boolean isByValue;

  RowWriter(List<PartWriter> parts) {
    this.parts = List.copyOf(parts);
    this.isByValue = parts.stream().anyMatch(PartWriter::isByValue);
  }

  /** Appends objects as the rows of a batch; none is null. */
  void writeAll(@Nullable Object[] rows, BatchBuilder batch) {
    for (PartWriter part : parts) part.write(rows, rows.length, batch.column(part.field));
  }

  @Override
  boolean isByValue() {
    return isByValue;
  }

  @Override
  Field exact(Field struct, @Nullable Object[] values, int count) {
    if (!isByValue) return struct;
    @Nullable Object[] owners = Arrays.copyOf(values, count);
    for (int i = 0; i < count; i++) {
      if (owners[i] == null) owners[i] = ABSENT;
    }
    return struct
        .withType(DataType.struct(parts.stream().map(part -> part.exact(owners, count)).toArray(Field[]::new)));
  }

  @Override
  void write(@Nullable Object[] values, int count, ColumnBuilder column) {
    @Nullable Object[] owners = Arrays.copyOf(values, count);
    boolean nullable = column.field().isNullable();
    for (int i = 0; i < count; i++) {
      if (owners[i] == null || (isAbsent(owners[i]) && nullable)) {
        column.appendNull();
        owners[i] = ABSENT;
      } else {
        column.appendStruct();
      }
    }
    for (int i = 0; i < parts.size(); i++) parts.get(i).write(owners, count, column.child(i));
  }
}
