// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.util.ValueVectorUtility;
import org.arbalest.device.ArrayData;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.Devices;
import org.arbalest.device.Validation;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures the full validation of one column in GB/s. For text, the bytes are those of the text, otherwise those of the
 * buffer that validation reads or would read: {@value #BYTES} bytes, which do not fit into the near caches. For
 * comparison, it measures a plain read of such memory. All kinds of columns are validated before in the same process.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(FullValidation.BYTES)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class FullValidation {
  static final int BYTES = 1 << 24;

  /** The parts of the texts, of about 16 bytes each. */
  private static final String[] ASCII = {"an ascii word or", "two, and 16 byte"};

  private static final String[] MIXED =
      {"Grüße aus Köln ", "Привет мир", "東京とソウル", "plain ascii too ", "😀 emoji ok", "αβγ and δ"};

  /** A column that is validated. */
  @State(Scope.Thread)
  @SuppressWarnings("NullAway.Init") // JMH calls the @Setup
  public static class Column {
    @Param({"ascii", "mixed", "offsets32", "offsets64", "list", "int64", "dictionary", "decimal128",
        "time64"}) String kind;

    DeviceArray array;

    @Setup
    public void make() {
      for (String other : List.of("ascii", "mixed", "offsets32", "offsets64", "list", "int64", "dictionary",
          "decimal128", "time64")) {
        try (DeviceArray small = column(other, 1 << 12)) {
          for (int i = 0; i < 2_000; i++) small.validate(Validation.FULL);
        }
      }
      array = column(kind, BYTES);
    }

    @TearDown
    public void close() {
      array.close();
    }
  }

  /** The same texts in arrow-java. */
  @State(Scope.Thread)
  @SuppressWarnings("NullAway.Init") // JMH calls the @Setup
  public static class ArrowJava {
    @Param({"ascii", "mixed"}) String kind;

    final RootAllocator allocator = new RootAllocator();
    VarCharVector vector;

    @Setup
    public void make() {
      vector = new VarCharVector("a", allocator);
      List<byte[]> texts = texts(kind, BYTES);
      vector.allocateNew(BYTES + 64L, texts.size());
      for (int i = 0; i < texts.size(); i++) vector.setSafe(i, texts.get(i));
      vector.setValueCount(texts.size());
    }

    @TearDown
    public void close() {
      vector.close();
      allocator.close();
    }
  }

  /** Plain memory. */
  @State(Scope.Thread)
  public static class Memory {
    final MemorySegment segment = Devices.cpu().allocate(BYTES).segment().fill((byte) 1);
  }

  private static List<byte[]> texts(String kind, int bytes) {
    String[] words = kind.equals("ascii") ? ASCII : MIXED;
    List<byte[]> texts = new ArrayList<>();
    for (int size = 0; size < bytes; size += texts.getLast().length)
      texts.add(words[Math.floorMod(texts.size() * 0x9E3779B9, words.length)].getBytes(UTF_8));
    return texts;
  }

  private static DeviceArray column(String kind, int bytes) {
    return switch (kind) {
      case "ascii", "mixed" -> text(texts(kind, bytes));
      case "offsets32" ->
          of(DataType.BINARY, bytes / 4 - 1, null, offsets(bytes / 4), Devices.cpu().allocate(bytes / 4));
      case "offsets64" ->
          of(DataType.LARGE_BINARY, bytes / 8 - 1, null, longs(bytes / 8, true), Devices.cpu().allocate(bytes / 8));
      case "list" -> list(bytes);
      case "int64" -> of(DataType.INT64, bytes / 8, validity(bytes / 8), longs(bytes / 8, true));
      case "dictionary" -> dictionary(bytes);
      case "decimal128" -> of(DataType.decimal128(38, 2), bytes / 16, validity(bytes / 16), longs(bytes / 8, false));
      case "time64" -> of(DataType.time(org.arbalest.device.types.ArrowTimeUnit.NANOSECOND), bytes / 8,
          validity(bytes / 8), longs(bytes / 8, true));
      default -> throw new IllegalArgumentException(kind);
    };
  }

  private static DeviceArray of(DataType type, int length, @Nullable DeviceBuffer... buffers) {
    return DeviceArray.of(Field.of("a", type), data(length, buffers));
  }

  private static ArrayData data(int length, @Nullable DeviceBuffer... buffers) {
    List<@Nullable DeviceBuffer> list = new ArrayList<>();
    for (DeviceBuffer buffer : buffers) list.add(buffer);
    return ArrayData.of(length, 0, list);
  }

  /** Returns a validity bitmap without nulls. */
  private static DeviceBuffer validity(int length) {
    DeviceBuffer bitmap = Devices.cpu().allocate(length / 8 + 1);
    bitmap.segment().fill((byte) -1);
    return bitmap;
  }

  private static DeviceBuffer offsets(int count) {
    DeviceBuffer offsets = Devices.cpu().allocate(4L * count);
    for (int i = 0; i < count; i++) offsets.segment().setAtIndex(JAVA_INT, i, i);
    return offsets;
  }

  private static DeviceBuffer longs(int count, boolean ascend) {
    DeviceBuffer longs = Devices.cpu().allocate(8L * count);
    for (int i = 0; i < count; i++) longs.segment().setAtIndex(JAVA_LONG, i, ascend ? i : (i & 1) == 0 ? i : 0);
    return longs;
  }

  private static DeviceArray text(List<byte[]> texts) {
    DeviceBuffer offsets = Devices.cpu().allocate(4L * (texts.size() + 1));
    int size = 0;
    for (int i = 0; i <= texts.size(); i++) {
      offsets.segment().setAtIndex(JAVA_INT, i, size);
      if (i < texts.size()) size += texts.get(i).length;
    }
    DeviceBuffer data = Devices.cpu().allocate(size);
    int at = 0;
    for (byte[] text : texts) {
      MemorySegment.copy(MemorySegment.ofArray(text), 0, data.segment(), at, text.length);
      at += text.length;
    }
    return of(DataType.UTF8, texts.size(), validity(texts.size()), offsets, data);
  }

  private static DeviceArray list(int bytes) {
    int length = bytes / 4 - 1;
    List<@Nullable DeviceBuffer> buffers = new ArrayList<>();
    buffers.add(null);
    buffers.add(offsets(length + 1));
    ArrayData items = data(length, null, longs(length, true));
    return DeviceArray.of(Field.of("a", DataType.list(Field.of("item", DataType.INT64))),
        ArrayData.of(length, 0, buffers, List.of(items)));
  }

  private static DeviceArray dictionary(int bytes) {
    List<@Nullable DeviceBuffer> buffers = new ArrayList<>();
    buffers.add(null);
    buffers.add(offsets(bytes / 4));
    ArrayData values = data(bytes / 4, null, longs(bytes / 4, true));
    return DeviceArray.of(Field.of("a", DataType.dictionary(DataType.INT32, DataType.INT64)),
        new ArrayData(bytes / 4, 0, 0, buffers, List.of(), values));
  }

  /** Validates a column with the library. */
  @Benchmark
  public void full(Column column) {
    column.array.validate(Validation.FULL);
  }

  /** Validates the same texts with arrow-java's {@code validateFull}. */
  @Benchmark
  public void arrowJavaFull(ArrowJava column) {
    ValueVectorUtility.validateFull(column.vector);
  }

  /** Returns the sum of all longs in memory. */
  @Benchmark
  public long memory(Memory memory) {
    long sum = 0;
    for (int i = 0; i < BYTES / Long.BYTES; i++) sum += memory.segment.getAtIndex(JAVA_LONG, i);
    return sum;
  }
}
