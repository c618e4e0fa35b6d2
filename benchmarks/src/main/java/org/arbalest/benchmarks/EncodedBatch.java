// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.ViewVarCharVector;
import org.apache.arrow.vector.complex.RunEndEncodedVector;
import org.apache.arrow.vector.types.Types;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.arbalest.device.ArrayData;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.Devices;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * The data of {@link ReadingEncoded}, with the same values in the memory of each library. It has {@value #ROWS} rows of
 * {@value #WORDS} different texts, as views and with a dictionary; half of the texts are too long for a view's inline
 * bytes. It also has as many int64 in runs of one to nineteen rows.
 */
final class EncodedBatch implements AutoCloseable {
  static final int ROWS = 100_000;
  static final int WORDS = 1_000;

  private final List<byte[]> words = new ArrayList<>();
  private final int[] word = new int[ROWS];
  private final int[] ends;
  private final long[] runs;

  final DeviceArray views;
  final DeviceArray dictionary;
  final DeviceArray runEnds;

  private final RootAllocator allocator = new RootAllocator();
  final ViewVarCharVector arrowViews = new ViewVarCharVector("views", allocator);
  final IntVector arrowIndices = new IntVector("indices", allocator);
  final VarCharVector arrowWords = new VarCharVector("words", allocator);
  final RunEndEncodedVector arrowRunEnds;

  EncodedBatch() {
    Random random = new Random(1);
    for (int i = 0; i < WORDS; i++) words.add(("word " + i + (i % 2 == 0 ? "" : " with a tail")).getBytes(UTF_8));
    for (int row = 0; row < ROWS; row++) word[row] = random.nextInt(WORDS);
    List<Integer> all = new ArrayList<>();
    for (int end = 0; end < ROWS; all.add(end)) end = Math.min(ROWS, end + 1 + random.nextInt(19));
    this.ends = all.stream().mapToInt(Integer::intValue).toArray();
    this.runs = random.longs(ends.length).toArray();
    this.views = views();
    this.dictionary = dictionary();
    this.runEnds = runEnds();
    this.arrowRunEnds = arrowRunEnds();
    fillArrowJava();
  }

  private DeviceArray views() {
    ByteArrayOutputStream data = new ByteArrayOutputStream();
    ByteBuffer views = ByteBuffer.allocate(16 * ROWS).order(ByteOrder.nativeOrder());
    for (int row = 0; row < ROWS; row++) {
      byte[] text = words.get(word[row]);
      views.putInt(16 * row, text.length);
      views.put(16 * row + 4, text, 0, Math.min(text.length, text.length <= 12 ? 12 : 4));
      if (text.length <= 12) continue;
      views.putInt(16 * row + 12, data.size());
      data.writeBytes(text);
    }
    return DeviceArray.of(Field.of("views", DataType.UTF8_VIEW),
        data(ROWS, buffer(views.array()), buffer(data.toByteArray())));
  }

  private DeviceArray dictionary() {
    ByteArrayOutputStream data = new ByteArrayOutputStream();
    int[] offsets = new int[WORDS + 1];
    for (int i = 0; i < WORDS; i++) {
      data.writeBytes(words.get(i));
      offsets[i + 1] = data.size();
    }
    ArrayData values = data(WORDS, buffer(MemorySegment.ofArray(offsets)), buffer(data.toByteArray()));
    ArrayData indices = data(ROWS, buffer(MemorySegment.ofArray(word)));
    ArrayData encoded = new ArrayData(ROWS, 0, 0, indices.buffers(), List.of(), values);
    return DeviceArray.of(Field.of("words", DataType.dictionary(DataType.INT32, DataType.UTF8)), encoded);
  }

  private DeviceArray runEnds() {
    ArrayData endsData = data(ends.length, buffer(MemorySegment.ofArray(ends)));
    ArrayData values = data(runs.length, buffer(MemorySegment.ofArray(runs)));
    DataType type = DataType.runEndEncoded(DataType.INT32, Field.of("values", DataType.INT64));
    return DeviceArray.of(Field.of("runs", type), ArrayData.of(ROWS, 0, List.of(), List.of(endsData, values)));
  }

  private static ArrayData data(int length, DeviceBuffer... buffers) {
    List<@Nullable DeviceBuffer> all = new ArrayList<>();
    all.add(null);
    all.addAll(List.of(buffers));
    return ArrayData.of(length, 0, all);
  }

  private static DeviceBuffer buffer(byte[] bytes) {
    return buffer(MemorySegment.ofArray(bytes));
  }

  private static DeviceBuffer buffer(MemorySegment content) {
    DeviceBuffer buffer = Devices.cpu().allocate(content.byteSize());
    buffer.segment().copyFrom(content);
    return buffer;
  }

  private RunEndEncodedVector arrowRunEnds() {
    FieldType type = FieldType.notNullable(new ArrowType.RunEndEncoded());
    List<org.apache.arrow.vector.types.pojo.Field> children =
        List.of(
            new org.apache.arrow.vector.types.pojo.Field("run_ends",
                FieldType.notNullable(Types.MinorType.INT.getType()), null),
            new org.apache.arrow.vector.types.pojo.Field("values", FieldType.nullable(Types.MinorType.BIGINT.getType()),
                null));
    return (RunEndEncodedVector) new org.apache.arrow.vector.types.pojo.Field("runs", type, children)
        .createVector(allocator);
  }

  private void fillArrowJava() {
    arrowIndices.allocateNew(ROWS);
    for (int row = 0; row < ROWS; row++) {
      arrowViews.setSafe(row, words.get(word[row]));
      arrowIndices.set(row, word[row]);
    }
    for (int i = 0; i < WORDS; i++) arrowWords.setSafe(i, words.get(i));
    IntVector runEndsVector = (IntVector) arrowRunEnds.getRunEndsVector();
    BigIntVector values = (BigIntVector) arrowRunEnds.getValuesVector();
    for (int i = 0; i < ends.length; i++) {
      runEndsVector.setSafe(i, ends[i]);
      values.setSafe(i, runs[i]);
    }
    runEndsVector.setValueCount(ends.length);
    values.setValueCount(ends.length);
    arrowViews.setValueCount(ROWS);
    arrowIndices.setValueCount(ROWS);
    arrowWords.setValueCount(WORDS);
    arrowRunEnds.setValueCount(ROWS);
  }

  @Override
  public void close() {
    views.close();
    dictionary.close();
    runEnds.close();
    arrowViews.close();
    arrowIndices.close();
    arrowWords.close();
    arrowRunEnds.close();
    allocator.close();
  }
}
