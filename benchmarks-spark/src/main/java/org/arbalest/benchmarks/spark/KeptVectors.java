// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks.spark;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.apache.spark.sql.execution.vectorized.OffHeapColumnVector;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.columns.Column;

/**
 * The whole table in Spark's own vectors in native memory, a copy of {@link KeptBatches}. Each executor makes it once,
 * at the first request.
 */
final class KeptVectors {
  /** The batches of each partition, by the number of rows of the table. */
  private static final Map<Long, List<List<ColumnarBatch>>> TABLES = new ConcurrentHashMap<>();

  private KeptVectors() {}

  /** Returns the batches of a partition of a table with {@code rows} rows. The caller must not close them. */
  static List<ColumnarBatch> of(long rows, int partition) {
    return TABLES.computeIfAbsent(rows, KeptVectors::table).get(partition);
  }

  private static List<List<ColumnarBatch>> table(long rows) {
    return IntStream.range(0, KeptBatches.PARTITIONS)
        .mapToObj(i -> KeptBatches.of(rows, i).stream().map(KeptVectors::copy).toList()).toList();
  }

  private static ColumnarBatch copy(RecordBatch batch) {
    int rows = (int) batch.length();
    var ids = new OffHeapColumnVector(rows, DataTypes.LongType);
    ids.putLongs(0, rows, batch.column("id").toLongArray(), 0);
    var keys = new OffHeapColumnVector(rows, DataTypes.IntegerType);
    keys.putInts(0, rows, batch.column("key").asInts().toArray(), 0);
    var values = new OffHeapColumnVector(rows, DataTypes.DoubleType);
    values.putDoubles(0, rows, batch.column("value").toDoubleArray(), 0);
    return new ColumnarBatch(new ColumnVector[] {ids, keys, values, nullable(batch.column("other"), rows)}, rows);
  }

  private static WritableColumnVector nullable(Column from, int rows) {
    var to = new OffHeapColumnVector(rows, DataTypes.LongType);
    for (int row = 0; row < rows; row++) {
      if (from.isNull(row)) {
        to.putNull(row);
      } else {
        to.putLong(row, from.getLong(row));
      }
    }
    return to;
  }
}
