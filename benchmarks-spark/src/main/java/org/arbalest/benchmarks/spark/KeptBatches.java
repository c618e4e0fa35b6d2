// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.arbalest.device.Devices;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.types.Field;

/**
 * The whole table in native memory. Each executor makes it once, at the first request, and keeps it until its end.
 * Therefore a read costs only the passing of the batches.
 */
final class KeptBatches {
  /** The number of partitions, each of which is one task. */
  static final int PARTITIONS = 8;

  /** The batch size of Spark's own cache, so that neither side has the advantage of larger batches. */
  private static final int BATCH_ROWS = 10_000;

  /** The batches of each partition, by the number of rows of the table. */
  private static final Map<Long, List<List<RecordBatch>>> TABLES = new ConcurrentHashMap<>();

  private KeptBatches() {}

  /** Returns the batches of a partition of a table with {@code rows} rows. The caller retains and never closes them. */
  static List<RecordBatch> of(long rows, int partition) {
    return TABLES.computeIfAbsent(rows, KeptBatches::table).get(partition);
  }

  private static List<List<RecordBatch>> table(long rows) {
    List<List<RecordBatch>> partitions = new ArrayList<>();
    for (int i = 0; i < PARTITIONS; i++) partitions.add(partition(rows * i / PARTITIONS, rows * (i + 1) / PARTITIONS));
    return partitions;
  }

  private static List<RecordBatch> partition(long from, long to) {
    List<RecordBatch> batches = new ArrayList<>();
    for (long first = from; first < to; first += BATCH_ROWS)
      batches.add(batch(first, (int) Math.min(BATCH_ROWS, to - first)));
    return batches;
  }

  private static RecordBatch batch(long first, int rows) {
    long[] ids = new long[rows];
    int[] keys = new int[rows];
    double[] values = new double[rows];
    long[] others = new long[rows];
    for (int row = 0; row < rows; row++) {
      long id = first + row;
      ids[row] = id;
      keys[row] = Numbers.key(id);
      values[row] = Numbers.value(id);
      others[row] = Numbers.other(id);
    }
    try (BatchBuilder batch = BatchBuilder.of(Devices.cpu(), rows)) {
      List<Field> fields = Numbers.SCHEMA.fields();
      batch.column(fields.get(0)).appendAll(ids);
      batch.column(fields.get(1)).appendAll(keys);
      batch.column(fields.get(2)).appendAll(values);
      batch.column(fields.get(3)).appendAll(others).setNulls(row -> Numbers.isOtherNull(first + row));
      return batch.build();
    }
  }
}
