// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.assembly;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.arbalest.device.Devices;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.arbalest.spark.ColumnPartition;
import org.arbalest.spark.ColumnSource;
import org.arbalest.spark.ColumnTask;
import org.arbalest.spark.ScanRequest;

/** A source of the numbers below 4000, in four partitions. */
public final class Ids implements ColumnSource {
  @Override
  public Schema schema(Map<String, String> options) {
    return Schema.of(Field.of("id", DataType.INT64));
  }

  @Override
  public List<Part> partitions(ScanRequest request) {
    return IntStream.range(0, 4).mapToObj(part -> new Part(part * 1000, request.schema())).toList();
  }

  record Part(long from, Schema schema) implements ColumnPartition {
    @Override
    public RecordBatchReader open(ColumnTask task) {
      try (BatchBuilder batch = BatchBuilder.of(Devices.cpu(), 1000)) {
        for (Field field : schema.fields())
          batch.column(field).appendAll(LongStream.range(from, from + 1000).toArray());
        return RecordBatchReader.of(schema, List.of(batch.build()));
      }
    }
  }
}
