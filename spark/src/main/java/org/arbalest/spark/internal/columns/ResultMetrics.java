// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.io.Serializable;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.util.LongAccumulator;
import org.arbalest.spark.internal.vector.ArrowBatches;

/**
 * The metrics of functions' results in Spark's UI, in addition to {@link ColumnMetrics}.
 *
 * @param waitedMicros the time of waiting for batches, in microseconds, with the pulls of the function for these
 *     batches; without the function's time before it returned its reader
 * @param copiedMicros the time of waiting for copies from a device, in microseconds
 */
record ResultMetrics(LongAccumulator batches, LongAccumulator rows, LongAccumulator bytes, LongAccumulator waitedMicros,
    LongAccumulator copiedMicros)
    implements Serializable {
  static ResultMetrics of(Dataset<?> dataframe) {
    SparkContext context = dataframe.sparkSession().sparkContext();
    return new ResultMetrics(
        context.longAccumulator("arbalest: batches of results"),
        context.longAccumulator("arbalest: rows of results"),
        context.longAccumulator("arbalest: bytes of results"),
        context.longAccumulator("arbalest: µs waited for results"),
        context.longAccumulator("arbalest: µs results were copied"));
  }

  /** Adds the progress of a stream since the last call. */
  void add(ArrowBatches from, Seen seen) {
    seen.batches = added(batches, from.count(), seen.batches);
    seen.rows = added(rows, from.rows(), seen.rows);
    seen.bytes = added(bytes, from.bytes(), seen.bytes);
    seen.waited = added(waitedMicros, TimeUnit.NANOSECONDS.toMicros(from.waitedNanos()), seen.waited);
    seen.copied = added(copiedMicros, TimeUnit.NANOSECONDS.toMicros(from.copiedNanos()), seen.copied);
  }

  private static long added(LongAccumulator to, long now, long before) {
    if (now != before) to.add(now - before); // Spark's UI displays a metric that was incremented by zero
    return now;
  }

  /** The part of one stream that was already added. */
  static final class Seen {
    private long batches;
    private long rows;
    private long bytes;
    private long waited;
    private long copied;
  }
}
