// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.io.Serializable;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.util.LongAccumulator;
import org.arbalest.device.DeviceArray;
import org.arbalest.spark.internal.vector.ColumnBytes;

/**
 * What Spark's UI has of the columns of a query, as accumulators of its stages. A task that is tried again counts
 * again, and so does each action on a DataFrame, as all accumulators of transformations do.
 *
 * @param shared how many batches are arrays of a source's, as they are
 * @param copied how many batches were copied of Spark's columns
 * @param ofInternalRows how many batches were made of rows, where Spark's plan has rows
 * @param ofRows how many batches were made of rows, by its public API
 * @param bytes how many bytes of columns all of these have
 * @param waitedMicros how long was waited for Spark's columns
 * @param copiedMicros how long copying took; of rows, with waiting for them
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

  DeviceArray ofInternalRows(Supplier<DeviceArray> maker) {
    return counted(ofInternalRows, maker);
  }

  DeviceArray ofRows(Supplier<DeviceArray> maker) {
    return counted(ofRows, maker);
  }

  DeviceArray shared(Supplier<DeviceArray> maker) {
    return counted(shared, maker);
  }

  DeviceArray copied(Supplier<DeviceArray> maker) {
    return counted(copied, maker);
  }

  void waited(long nanos) {
    waitedMicros.add(TimeUnit.NANOSECONDS.toMicros(nanos));
  }

  private DeviceArray counted(LongAccumulator batches, Supplier<DeviceArray> maker) {
    long start = System.nanoTime();
    DeviceArray made = maker.get();
    try {
      bytes.add(ColumnBytes.of(made));
    } catch (Throwable t) { // of offsets that are none
      made.close();
      throw t;
    }
    copiedMicros.add(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - start));
    batches.add(1);
    rows.add(made.length());
    return made;
  }
}
