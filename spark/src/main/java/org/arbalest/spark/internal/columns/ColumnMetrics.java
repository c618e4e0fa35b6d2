// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.io.Serializable;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.util.LongAccumulator;
import org.arbalest.device.RecordBatch;
import org.arbalest.spark.internal.vector.ColumnBytes;

/**
 * The metrics of a query's columns in Spark's UI, as accumulators of its stages. A retried task counts again, and so
 * does each action on a DataFrame, as for all accumulators in transformations.
 *
 * @param shared the number of batches that are arrays of a source, without a copy
 * @param copied the number of batches that were copied from Spark's columns
 * @param ofInternalRows the number of batches that were made from internal rows, for a plan with rows
 * @param ofRows the number of batches that were made from rows of Spark's public API
 * @param bytes the number of bytes of all these columns
 * @param waitedMicros the time of waiting for Spark's columns, in microseconds
 * @param copiedMicros the time of copying, in microseconds; for rows, with the time of waiting for them
 */
record ColumnMetrics(LongAccumulator shared, LongAccumulator copied, LongAccumulator ofInternalRows,
    LongAccumulator ofRows, LongAccumulator rows,
    LongAccumulator bytes, LongAccumulator waitedMicros, LongAccumulator copiedMicros)
    implements Serializable {
  static ColumnMetrics of(Dataset<?> dataframe) {
    SparkContext context = dataframe.sparkSession().sparkContext();
    return new ColumnMetrics(
        context.longAccumulator("arbalest: batches shared with the source"),
        context.longAccumulator("arbalest: batches copied of columns"),
        context.longAccumulator("arbalest: batches made of internal rows"),
        context.longAccumulator("arbalest: batches made of rows"),
        context.longAccumulator("arbalest: rows"),
        context.longAccumulator("arbalest: bytes of columns"),
        context.longAccumulator("arbalest: µs waited for columns"),
        context.longAccumulator("arbalest: µs copied"));
  }

  RecordBatch ofInternalRows(Supplier<RecordBatch> maker) {
    return counted(ofInternalRows, maker);
  }

  RecordBatch ofRows(Supplier<RecordBatch> maker) {
    return counted(ofRows, maker);
  }

  RecordBatch shared(Supplier<RecordBatch> maker) {
    return counted(shared, maker);
  }

  RecordBatch copied(Supplier<RecordBatch> maker) {
    return counted(copied, maker);
  }

  void waited(long nanos) {
    waitedMicros.add(TimeUnit.NANOSECONDS.toMicros(nanos));
  }

  private RecordBatch counted(LongAccumulator batches, Supplier<RecordBatch> maker) {
    long start = System.nanoTime();
    RecordBatch made = maker.get();
    try {
      bytes.add(ColumnBytes.of(made));
    } catch (Throwable t) { // if offsets are invalid
      made.close();
      throw t;
    }
    copiedMicros.add(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - start));
    batches.add(1);
    rows.add(made.length());
    return made;
  }
}
