// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import java.util.Arrays;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.columns.ByteStringView;
import org.arbalest.device.columns.Column;
import org.arbalest.device.columns.DoubleView;
import org.arbalest.device.columns.IntView;
import org.arbalest.device.columns.LongView;
import org.openjdk.jmh.annotations.CompilerControl;
import org.openjdk.jmh.annotations.CompilerControl.Mode;

/**
 * The measured loops, as a user would write them. Before the measurement, {@link #warmUp} runs each loop over all
 * columns that it accepts, so that no loop is fast because the JIT knows only one kind of column.
 */
@CompilerControl(Mode.DONT_INLINE)
final class ReadLoops {
  private static final String[] MAYBE_NULL = {"nulls", "late_null", "int32"};
  private static final String[] NUMBERS =
      {"longs", "int8", "uint16", "timestamp", "date32", "encoded", "runs", "union"};

  private ReadLoops() {}

  /**
   * Runs each loop over columns of all types that it accepts, with nulls and without, until it is compiled for all of
   * them.
   */
  static long warmUp(ReadBatch batch) {
    long sum = 0;
    try (RecordBatch slice = batch.ours.slice(1, ReadBatch.ROWS - 2)) {
      for (int i = 0; i < 20; i++) {
        for (RecordBatch array : new RecordBatch[] {batch.ours, slice}) {
          for (String name : MAYBE_NULL) sum += sumValid(array.column(name));
          for (String name : NUMBERS) sum += sum(array.column(name)) + sumValid(array.column(name));
          for (String name : new String[] {"longs", "nulls", "late_null"}) {
            LongView values = array.column(name).asLongs();
            sum +=
                sumValid(values) + sumOrZero(values) + ForEachLoop.sumForEach(values) + ForEachLoop.sumOthers(values);
            sum += KotlinReadLoopsKt.sumValid(array.column(name)) + KotlinReadLoopsKt.sumForEach(array.column(name));
          }
          sum += sum(array.column("longs").asLongs()) + KotlinReadLoopsKt.sum(array.column("longs"));
          sum += sumValid(array.column("int32").asInts()) + sumValid(array.column("date32").asInts())
              + sumValid(array.column("float64").asDoubles());
          sum += (long) array.column("float32").toDoubleArray()[0];
          for (long row = 0; row < array.length(); row++) {
            sum += (long) (array.column("float32").getDouble(row) + array.column("float64").getDouble(row));
          }
        }
        sum += sum(slice.column("late_null").asLongs()) + sum(slice.column("late_null"))
            + KotlinReadLoopsKt.sum(slice.column("late_null"));
        sum += sum(batch.arrowLongs) + sumValid(batch.arrowLongs) + sumValid(batch.arrowNulls);
      }
    }
    return sum;
  }

  /** Does the same with the loops over text, in each layout that is read as bytes. */
  static long warmUpText(ReadBatch batch, byte[] constant) {
    long sum = 0;
    try (RecordBatch slice = batch.ours.slice(1, ReadBatch.ROWS - 2)) {
      for (int i = 0; i < 60; i++) {
        for (RecordBatch array : new RecordBatch[] {batch.ours, slice}) {
          for (String name : new String[] {"texts", "large_texts", "views", "fixed"}) {
            ByteStringView texts = array.column(name).asByteStrings();
            sum += countBytes(texts) + countEqual(texts, constant) + sumHashes(texts);
          }
        }
        ByteStringView binary = slice.column("binary").asByteStrings();
        sum += countBytes(binary) + countEqual(binary, constant) + sumHashes(binary);
        sum += countBytes(batch.arrowTexts) + countEqual(batch.arrowTexts, constant) + sumHashes(batch.arrowTexts);
      }
    }
    return sum;
  }

  static long sum(long[] values) {
    long sum = 0;
    for (long value : values) sum += value;
    return sum;
  }

  static long sum(LongView values) {
    long sum = 0;
    for (long row = 0; row < values.length(); row++) sum += values.get(row);
    return sum;
  }

  static long sumValid(LongView values) {
    long sum = 0;
    for (long row = 0; row < values.length(); row++) {
      if (!values.isNull(row)) sum += values.get(row);
    }
    return sum;
  }

  static long sumOrZero(LongView values) {
    long sum = 0;
    for (long row = 0; row < values.length(); row++) sum += values.getOrDefault(row, 0);
    return sum;
  }

  static long sumValid(IntView values) {
    long sum = 0;
    for (long row = 0; row < values.length(); row++) {
      if (!values.isNull(row)) sum += values.get(row);
    }
    return sum;
  }

  static long sumValid(DoubleView values) {
    double sum = 0;
    for (long row = 0; row < values.length(); row++) {
      if (!values.isNull(row)) sum += values.get(row);
    }
    return (long) sum;
  }

  static long sum(Column column) {
    long sum = 0;
    for (long row = 0; row < column.length(); row++) sum += column.getLong(row);
    return sum;
  }

  static long sumValid(Column column) {
    long sum = 0;
    for (long row = 0; row < column.length(); row++) {
      if (!column.isNull(row)) sum += column.getLong(row);
    }
    return sum;
  }

  static long sum(BigIntVector vector) {
    long sum = 0;
    for (int row = 0; row < vector.getValueCount(); row++) sum += vector.get(row);
    return sum;
  }

  static long sumValid(BigIntVector vector) {
    long sum = 0;
    for (int row = 0; row < vector.getValueCount(); row++) {
      if (!vector.isNull(row)) sum += vector.get(row);
    }
    return sum;
  }

  static long countBytes(ByteStringView texts) {
    long bytes = 0;
    for (long row = 0; row < texts.length(); row++) bytes += texts.byteLength(row);
    return bytes;
  }

  static long countBytes(VarCharVector texts) {
    long bytes = 0;
    for (int row = 0; row < texts.getValueCount(); row++) bytes += texts.get(row).length;
    return bytes;
  }

  static long countEqual(ByteStringView texts, byte[] constant) {
    long equal = 0;
    for (long row = 0; row < texts.length(); row++) {
      if (texts.contentEquals(row, constant)) equal++;
    }
    return equal;
  }

  static long countEqual(VarCharVector texts, byte[] constant) {
    long equal = 0;
    for (int row = 0; row < texts.getValueCount(); row++) {
      if (Arrays.equals(texts.get(row), constant)) equal++;
    }
    return equal;
  }

  static long sumHashes(ByteStringView texts) {
    long sum = 0;
    for (long row = 0; row < texts.length(); row++) sum += texts.hash(row);
    return sum;
  }

  static long sumHashes(VarCharVector texts) {
    long sum = 0;
    for (int row = 0; row < texts.getValueCount(); row++) sum += texts.hashCode(row);
    return sum;
  }
}
