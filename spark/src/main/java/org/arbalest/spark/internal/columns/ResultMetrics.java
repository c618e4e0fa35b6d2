// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.io.Serializable;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.util.LongAccumulator;
import org.arbalest.spark.internal.vector.ArrowBatches;

/**
 * What Spark's UI has of what functions make, beside {@link ColumnMetrics}.
 *
 * @param waitedMicros how long batches were waited for, with what functions pulled for them; not what a function did
 *     before it gave its reader
 * @param copiedMicros how long copies from a device were waited for
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

  /** Adds what a stream has more than it had when it was added last. */
  void add(ArrowBatches from, Seen seen) {
    seen.batches = added(batches, from.count(), seen.batches);
    seen.rows = added(rows, from.rows(), seen.rows);
    seen.bytes = added(bytes, from.bytes(), seen.bytes);
    seen.waited = added(waitedMicros, TimeUnit.NANOSECONDS.toMicros(from.waitedNanos()), seen.waited);
    seen.copied = added(copiedMicros, TimeUnit.NANOSECONDS.toMicros(from.copiedNanos()), seen.copied);
  }

  private static long added(LongAccumulator to, long now, long before) {
    if (now != before) to.add(now - before); // a zero that is added is shown
    return now;
  }

  /** What was added of one stream. */
  static final class Seen {
    private long batches;
    private long rows;
    private long bytes;
    private long waited;
    private long copied;
  }
}
