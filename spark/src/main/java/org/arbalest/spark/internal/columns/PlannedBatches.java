// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.arbalest.device.DeviceType;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType;
import org.arbalest.device.types.NestedType;
import org.arbalest.device.types.Schema;
import org.arbalest.spark.internal.vector.ArrowBatch;
import org.jspecify.annotations.Nullable;

/**
 * The batches of a plan with columns. Arrays of this library's sources come without a copy if they have the layout that
 * the schema promises. All other batches are copied.
 */
final class PlannedBatches implements TaskColumns.Batches {
  private final Iterator<ColumnarBatch> from;
  private final BatchWriter writer;
  private final ColumnMetrics metrics;

  /** The schema of the last check, with its result below. */
  private @Nullable Field seen;

  private boolean isLaidOut;

  PlannedBatches(Iterator<ColumnarBatch> from, BatchWriter writer, ColumnMetrics metrics) {
    this.from = from;
    this.writer = writer;
    this.metrics = metrics;
  }

  @Override
  public @Nullable RecordBatch next() {
    long start = System.nanoTime();
    if (!from.hasNext()) return null;
    ColumnarBatch batch = from.next();
    metrics.waited(System.nanoTime() - start);
    if (batch instanceof ArrowBatch ours && isShared(ours))
      return metrics.shared(() -> ours.array().convertTo(writer.schema().asField()));
    return metrics.copied(() -> writer.copy(batch));
  }

  private boolean isShared(ArrowBatch batch) {
    RecordBatch array = batch.array();
    return array.device().type().equals(DeviceType.CPU) && batch.hasNames(writer.schema()) && isLaidOut(array.field());
  }

  private boolean isLaidOut(Field field) {
    if (field.equals(seen)) return isLaidOut;
    seen = field;
    isLaidOut = field.type() instanceof NestedType.StructType(List<Field> there) && !writer.schema().fields().isEmpty()
        && haveLayouts(there, writer.schema());
    return isLaidOut;
  }

  private static boolean haveLayouts(List<Field> there, Schema wanted) {
    for (Field field : wanted.fields()) {
      List<Field> named = there.stream().filter(other -> other.name().equals(field.name())).toList();
      if (named.size() != 1 || !isSame(named.getFirst(), field)) return false;
    }
    return true;
  }

  /**
   * Returns whether two fields have the same layout. Nullability is ignored, because Spark's schema was made from this
   * one.
   */
  private static boolean isSame(Field there, Field wanted) {
    DataType type = wanted.type();
    return switch (there.type()) {
      case FlatType flat -> flat.equals(type);
      case NestedType.ListType(Field item) -> type instanceof NestedType.ListType(Field other) && isSame(item, other);
      case NestedType.MapType(Field entries, boolean _) ->
          type instanceof NestedType.MapType(Field other, boolean _) && isSame(entries, other);
      case NestedType.StructType(List<Field> fields) ->
          type instanceof NestedType.StructType(List<Field> others) && areSame(fields, others);
      default -> false;
    };
  }

  private static boolean areSame(List<Field> there, List<Field> wanted) {
    if (there.size() != wanted.size()) return false;
    for (int i = 0; i < wanted.size(); i++) {
      if (!there.get(i).name().equals(wanted.get(i).name()) || !isSame(there.get(i), wanted.get(i))) return false;
    }
    return true;
  }
}
