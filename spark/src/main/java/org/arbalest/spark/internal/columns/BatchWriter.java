// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.util.List;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.sql.types.YearMonthIntervalType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.arbalest.spark.internal.vector.ArrowVector;

/** A writer that copies batches borrowed from Spark into arrays of this library, which may outlive the batches. */
final class BatchWriter {
  /** The number of values in one Java array: a batch of a source may have any number of rows. */
  private static final int MOST = 8192;

  private final Schema schema;
  private final ValueWriter[] writers;
  private final MemoryManager memory;

  BatchWriter(StructType type, MemoryManager memory) {
    this.schema = ArrowTypes.of(type);
    this.writers = ValueWriter.all(type);
    this.memory = memory;
  }

  Schema schema() {
    return schema;
  }

  /** Returns a copy with as many rows as Spark's batch. */
  RecordBatch copy(ColumnarBatch batch) {
    int rows = batch.numRows();
    List<Field> fields = schema.fields();
    try (BatchBuilder builder = BatchBuilder.of(memory, rows)) {
      for (int i = 0; i < fields.size(); i++) copy(builder.column(fields.get(i)), batch.column(i), rows, writers[i]);
      return builder.build();
    }
  }

  private void copy(ColumnBuilder to, ColumnVector from, int rows, ValueWriter writer) {
    // other vectors may throw when a null value is read
    boolean hasAll = from instanceof WritableColumnVector || from instanceof ArrowVector;
    if (hasAll && copyWhole(to, from, rows)) return;
    var values = new ColumnarArray(from, 0, rows);
    for (int row = 0; row < rows; row++) writer.appendNullable(to, values, row);
  }

  /** Copies values in arrays of many, including values of nulls. Returns false if the type does not permit it. */
  private static boolean copyWhole(ColumnBuilder to, ColumnVector from, int rows) {
    int some;
    for (int left = rows; left > 0; left -= some) {
      some = Math.min(MOST, left);
      if (!copySome(to, from, rows - left, some)) return false;
    }
    if (from.hasNull()) to.setNulls(from::isNullAt);
    return true;
  }

  private static boolean copySome(ColumnBuilder to, ColumnVector from, int at, int rows) {
    switch (from.dataType()) {
      case IntegerType _, DateType _, YearMonthIntervalType _ -> to.appendAll(from.getInts(at, rows));
      case LongType _, TimestampType _, TimestampNTZType _,
          DayTimeIntervalType _ -> to.appendAll(from.getLongs(at, rows));
      case FloatType _ -> to.appendAll(from.getFloats(at, rows));
      case DoubleType _ -> to.appendAll(from.getDoubles(at, rows));
      default -> {
        return false;
      }
    }
    return true;
  }
}
