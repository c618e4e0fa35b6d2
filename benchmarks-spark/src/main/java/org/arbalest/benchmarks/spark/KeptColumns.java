// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks.spark;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.types.Schema;
import org.arbalest.spark.ColumnPartition;
import org.arbalest.spark.ColumnSource;
import org.arbalest.spark.ColumnTask;
import org.arbalest.spark.ScanRequest;

/** A source that returns the table in the executor's memory; the option {@code rows} gives the number of rows. */
public final class KeptColumns implements ColumnSource {
  @Override
  public Schema schema(Map<String, String> options) {
    return Numbers.SCHEMA;
  }

  @Override
  public List<ColumnPartition> partitions(ScanRequest request) {
    long rows = Long.parseLong(request.options().getOrDefault("rows", "0"));
    return IntStream.range(0, KeptBatches.PARTITIONS).<ColumnPartition>mapToObj(i -> new Part(rows, i)).toList();
  }

  private record Part(long rows, int number) implements ColumnPartition {
    @Override
    public RecordBatchReader open(ColumnTask task) {
      Iterator<RecordBatch> batches = KeptBatches.of(rows, number).iterator();
      return RecordBatchReader.of(Numbers.SCHEMA, () -> batches.hasNext() ? batches.next().retain() : null);
    }
  }
}
