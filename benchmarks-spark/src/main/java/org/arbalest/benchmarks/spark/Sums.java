// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks.spark;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.util.Iterator;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ReadChannel;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.spark.sql.Row;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.columns.DoubleView;
import org.arbalest.device.columns.IntView;
import org.arbalest.device.columns.LongView;

/** Sums of a partition's values, as a user would compute them. All methods know that only the last column has nulls. */
final class Sums {
  private static final Schema ARROW = new Schema(List.of(
      Field.nullable("id", new ArrowType.Int(Long.SIZE, true)),
      Field.nullable("key", new ArrowType.Int(Integer.SIZE, true)),
      Field.nullable("value", new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE)),
      Field.nullable("other", new ArrowType.Int(Long.SIZE, true))));

  private Sums() {}

  static long ofColumns(RecordBatchReader columns) {
    long sum = 0;
    while (true) {
      try (RecordBatch batch = columns.next()) {
        if (batch == null) return sum;
        sum += sum(batch.column("id").asLongs()) + sum(batch.column("key").asInts())
            + (long) sum(batch.column("value").asDoubles())
            + sumValid(batch.column("other").asLongs());
      }
    }
  }

  private static long sum(LongView values) {
    long sum = 0;
    for (long row = 0; row < values.length(); row++) sum += values.get(row);
    return sum;
  }

  private static long sum(IntView values) {
    long sum = 0;
    for (long row = 0; row < values.length(); row++) sum += values.get(row);
    return sum;
  }

  private static double sum(DoubleView values) {
    double sum = 0;
    for (long row = 0; row < values.length(); row++) sum += values.get(row);
    return sum;
  }

  private static long sumValid(LongView values) {
    long sum = 0;
    for (long row = 0; row < values.length(); row++) {
      if (!values.isNull(row)) sum += values.get(row);
    }
    return sum;
  }

  static Iterator<Long> ofRows(Iterator<Row> rows) {
    long sum = 0;
    double values = 0;
    while (rows.hasNext()) {
      Row row = rows.next();
      sum += row.getLong(0) + row.getInt(1);
      values += row.getDouble(2);
      if (!row.isNullAt(3)) sum += row.getLong(3);
    }
    return List.of(sum + (long) values).iterator();
  }

  /** Returns the sum of record batches in Arrow's IPC message format, without their schema. */
  static Iterator<Long> ofPayloads(Iterator<byte[]> payloads) throws IOException {
    long sum = 0;
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot root = VectorSchemaRoot.create(ARROW, allocator)) {
      var loader = new VectorLoader(root);
      while (payloads.hasNext()) {
        var channel = new ReadChannel(Channels.newChannel(new ByteArrayInputStream(payloads.next())));
        try (ArrowRecordBatch batch = MessageSerializer.deserializeRecordBatch(channel, allocator)) {
          loader.load(batch);
        }
        sum += sum((BigIntVector) root.getVector(0)) + sum((IntVector) root.getVector(1))
            + (long) sum((Float8Vector) root.getVector(2))
            + sumValid((BigIntVector) root.getVector(3));
      }
    }
    return List.of(sum).iterator();
  }

  private static long sum(BigIntVector values) {
    long sum = 0;
    for (int row = 0; row < values.getValueCount(); row++) sum += values.get(row);
    return sum;
  }

  private static long sum(IntVector values) {
    long sum = 0;
    for (int row = 0; row < values.getValueCount(); row++) sum += values.get(row);
    return sum;
  }

  private static double sum(Float8Vector values) {
    double sum = 0;
    for (int row = 0; row < values.getValueCount(); row++) sum += values.get(row);
    return sum;
  }

  private static long sumValid(BigIntVector values) {
    long sum = 0;
    for (int row = 0; row < values.getValueCount(); row++) {
      if (!values.isNull(row)) sum += values.get(row);
    }
    return sum;
  }
}
