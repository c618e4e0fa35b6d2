// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.arbalest.device.Devices;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.ArrowTimeUnit;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;

/**
 * The data of the read benchmarks: {@value #ROWS} rows in columns of many types, with the same values in the memory of
 * each library and in Java arrays. A random tenth of the rows of {@code nulls} is null. The texts are random names of
 * airports, of three to fourteen bytes.
 */
final class ReadBatch implements AutoCloseable {
  static final int ROWS = 100_000;

  private static final List<String> NAMES = List.of("OSL", "AMS", "CDG", "Reykjavik", "Ho Chi Minh");

  final long[] longs = new long[ROWS];
  final boolean[] isNull = new boolean[ROWS];
  final List<String> texts = new ArrayList<>();
  final RecordBatch ours;

  private final RootAllocator allocator = new RootAllocator();
  final BigIntVector arrowLongs = new BigIntVector("longs", allocator);
  final BigIntVector arrowNulls = new BigIntVector("nulls", allocator);
  final VarCharVector arrowTexts = new VarCharVector("texts", allocator);

  ReadBatch() {
    Random random = new Random(1);
    for (int row = 0; row < ROWS; row++) {
      longs[row] = row;
      isNull[row] = random.nextInt(10) == 0;
      texts.add(NAMES.get(random.nextInt(NAMES.size())));
    }
    this.ours = build();
    fillArrowJava();
  }

  private RecordBatch build() {
    try (BatchBuilder batch = BatchBuilder.of(Devices.cpu(), ROWS)) {
      batch.int64("longs", longs).utf8("texts", texts);
      batch.column(Field.of("nulls", DataType.INT64)).appendAll(longs).setNulls(row -> isNull[row]);
      batch.column(Field.of("late_null", DataType.INT64)).appendAll(longs).setNulls(row -> row == ROWS - 1);
      batch.column(Field.of("int8", DataType.INT8)).appendAll(new byte[ROWS]);
      batch.column(Field.of("uint16", DataType.UINT16)).appendAll(new short[ROWS]);
      batch.column(Field.of("int32", DataType.INT32)).appendAll(new int[ROWS]).setNulls(row -> isNull[row]);
      batch.column(Field.of("float32", DataType.FLOAT32)).appendAll(new float[ROWS]);
      batch.column(Field.of("float64", DataType.FLOAT64)).appendAll(new double[ROWS]);
      ColumnBuilder largeTexts = batch.column(Field.of("large_texts", DataType.LARGE_UTF8));
      ColumnBuilder views = batch.column(Field.of("views", DataType.UTF8_VIEW));
      ColumnBuilder fixed = batch.column(Field.of("fixed", DataType.fixedSizeBinary(4)));
      for (String text : texts) {
        largeTexts.append(text);
        views.append(text);
        fixed.append(new byte[] {1, 2, 3, (byte) text.length()});
      }
      ColumnBuilder words = batch.column(Field.of("words", DataType.dictionary(DataType.INT8, DataType.UTF8)));
      for (String text : texts) words.append(text);
      addOthers(batch);
      return batch.build();
    }
  }

  /** Adds the columns that are read before the measurement, so that the JIT cannot assume one type of columns. */
  private void addOthers(BatchBuilder batch) {
    batch.column(Field.of("timestamp", DataType.timestamp(ArrowTimeUnit.MICROSECOND, "UTC"))).appendAll(longs);
    batch.column(Field.of("date32", DataType.DATE32)).appendAll(new int[ROWS]);
    ColumnBuilder encoded = batch.column(Field.of("encoded", DataType.dictionary(DataType.INT16, DataType.INT64)));
    ColumnBuilder runs =
        batch.column(Field.of("runs", DataType.runEndEncoded(DataType.INT32, Field.of("values", DataType.INT64))));
    ColumnBuilder union = batch
        .column(Field.of("union", DataType.denseUnion(Field.of("a", DataType.INT64), Field.of("b", DataType.INT32))));
    ColumnBuilder binary = batch.column(Field.of("binary", DataType.BINARY));
    for (int row = 0; row < ROWS; row++) {
      encoded.append((long) row % 100);
      runs.append((long) row / 10);
      union.appendUnion(row % 2).child(row % 2).append(row);
      if (row == ROWS - 1) {
        binary.appendNull();
      } else {
        binary.append(texts.get(row).getBytes(UTF_8));
      }
    }
  }

  private void fillArrowJava() {
    arrowLongs.allocateNew(ROWS);
    arrowNulls.allocateNew(ROWS);
    arrowTexts.allocateNew(ROWS);
    for (int row = 0; row < ROWS; row++) {
      arrowLongs.set(row, longs[row]);
      if (isNull[row]) {
        arrowNulls.setNull(row);
      } else {
        arrowNulls.set(row, longs[row]);
      }
      arrowTexts.setSafe(row, texts.get(row).getBytes(UTF_8));
    }
    arrowLongs.setValueCount(ROWS);
    arrowNulls.setValueCount(ROWS);
    arrowTexts.setValueCount(ROWS);
  }

  @Override
  public void close() {
    ours.close();
    arrowLongs.close();
    arrowNulls.close();
    arrowTexts.close();
    allocator.close();
  }
}
