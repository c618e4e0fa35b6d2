// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.compression.CommonsCompressionFactory;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.compression.CompressionCodec;
import org.apache.arrow.vector.compression.CompressionUtil;
import org.apache.arrow.vector.compression.NoCompressionCodec;
import org.apache.arrow.vector.ipc.ArrowFileReader;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.arbalest.device.ArrayData;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.Devices;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.Validation;
import org.arbalest.device.arrow.ArrowReaders;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.ipc.ArrowFile;
import org.arbalest.device.ipc.ArrowWriter;
import org.arbalest.device.ipc.IpcCompression;
import org.arbalest.device.ipc.IpcReadOptions;
import org.arbalest.device.ipc.IpcWriteOptions;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures reading and writing Arrow files: ten columns of int64, float64, utf8, a dictionary and a list, in batches of
 * 65,536 rows. For comparison, it measures arrow-java, a read of the same bytes into one buffer, and a gathering write
 * of the same buffers. The files are in the folder of the property {@code ipc.folder}, on tmpfs by default.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(value = 1, jvmArgsAppend = {"--add-opens=java.base/java.nio=ALL-UNNAMED"})
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init") // JMH calls the @Setup
public class IpcFiles {
  private static final int ROWS = 65_536;
  private static final IpcReadOptions TRUSTED = IpcReadOptions.defaults().withValidation(Validation.STRUCTURAL);

  /** The size of the file in MB, before compression. */
  @Param({"1000"}) int megabytes;

  /** The compression. */
  @Param({"NONE"}) IpcCompression compression;

  private final RootAllocator allocator = new RootAllocator();
  private Path folder;
  private Path file;
  private Path written;
  private ArrowFile opened;
  private RecordBatch batch;
  private ArrowReader source;
  private int batches;
  private ByteBuffer whole;
  private ByteBuffer[] buffers;
  private ArrayData data;

  /** Writes the file. */
  @Setup
  public void make() throws IOException {
    folder = Files.createTempDirectory(Path.of(System.getProperty("ipc.folder", "/dev/shm")), "ipc");
    file = folder.resolve("file.arrow");
    written = folder.resolve("written.arrow");
    batch = batch();
    data = ArrayData.of(batch);
    List<ByteBuffer> all = new ArrayList<>();
    addBuffers(data, all);
    buffers = all.toArray(ByteBuffer[]::new);
    long bytes = 0;
    for (ByteBuffer buffer : buffers) bytes += buffer.remaining();
    batches = (int) Math.max(1, megabytes * 1_000_000L / bytes);
    write(file);
    opened = ArrowFile.open(file, TRUSTED);
    source = ArrowReaders.toArrowReader(RecordBatchReader.of(batch.schema(), List.of(batch.retain())), allocator);
    source.loadNextBatch();
    whole = ByteBuffer.allocateDirect((int) Math.min(Integer.MAX_VALUE - 8, Files.size(file)));
  }

  /** Deletes the files. */
  @TearDown
  public void delete() throws IOException {
    opened.close();
    source.close();
    data.close();
    batch.close();
    allocator.close();
    Files.deleteIfExists(file);
    Files.deleteIfExists(written);
    Files.delete(folder);
  }

  private static RecordBatch batch() {
    Random random = new Random(42);
    try (BatchBuilder builder = BatchBuilder.of(Devices.cpu(), ROWS)) {
      for (int i = 0; i < 3; i++) {
        ColumnBuilder column = builder.column(Field.of("int64_" + i, DataType.INT64));
        for (int row = 0; row < ROWS; row++) column.append(random.nextLong(1L << (10 * i + 10)));
      }
      for (int i = 0; i < 3; i++) {
        ColumnBuilder column = builder.column(Field.of("float64_" + i, DataType.FLOAT64));
        for (int row = 0; row < ROWS; row++) column.append(random.nextInt(100_000) / 100.0);
      }
      for (int i = 0; i < 2; i++) {
        ColumnBuilder column = builder.column(Field.of("utf8_" + i, DataType.UTF8));
        for (int row = 0; row < ROWS; row++) column.append("customer " + random.nextInt(100_000));
      }
      ColumnBuilder dictionary =
          builder.column(Field.of("dictionary", DataType.dictionary(DataType.INT32, DataType.UTF8)));
      for (int row = 0; row < ROWS; row++) dictionary.append("city " + random.nextInt(500));
      ColumnBuilder list = builder.column(Field.of("list", DataType.list(DataType.INT32)));
      for (int row = 0; row < ROWS; row++) {
        int count = random.nextInt(4);
        list.appendList(count);
        for (int i = 0; i < count; i++) list.items().append(random.nextInt(1000));
      }
      return builder.build();
    }
  }

  private static void addBuffers(ArrayData data, List<ByteBuffer> all) {
    for (DeviceBuffer buffer : data.buffers()) if (buffer != null) all.add(buffer.segment().asByteBuffer());
    for (ArrayData child : data.children()) addBuffers(child, all);
  }

  private void write(Path target) throws IOException {
    IpcWriteOptions options = IpcWriteOptions.defaults().withCompression(compression);
    try (ArrowWriter writer = ArrowWriter.file(target, batch.schema(), options)) {
      for (int i = 0; i < batches; i++) writer.write(batch);
      writer.finish();
    }
  }

  /** Maps the file, and reads its first batch. */
  @Benchmark
  public long openFirst() throws IOException {
    try (ArrowFile opened = ArrowFile.open(file, TRUSTED); RecordBatch first = opened.batch(0)) {
      return first.length();
    }
  }

  /** The same by arrow-java, which reads the batch. */
  @Benchmark
  public long openFirstArrowJava() throws IOException {
    try (FileChannel channel = FileChannel.open(file);
        ArrowFileReader reader = new ArrowFileReader(channel, allocator, CommonsCompressionFactory.INSTANCE)) {
      reader.loadNextBatch();
      return reader.getVectorSchemaRoot().getRowCount();
    }
  }

  /** Reads all batches of a file that is open, but no value: its pages are mapped since the first pass. */
  @Benchmark
  public long passMapped() throws IOException {
    long rows = 0;
    for (int i = 0; i < opened.batchCount(); i++) {
      try (RecordBatch next = opened.batch(i)) {
        rows += next.length();
      }
    }
    return rows;
  }

  /** Maps the file, and reads all batches, but no value. */
  @Benchmark
  public long readMapped() throws IOException {
    return read(TRUSTED);
  }

  /** Reads all batches by a channel. */
  @Benchmark
  public long readChannel() throws IOException {
    return read(TRUSTED.withMemory(Devices.cpu().memory()));
  }

  /** Maps the file, and validates all batches in full. */
  @Benchmark
  public long readValidated() throws IOException {
    return read(IpcReadOptions.defaults().withValidation(Validation.FULL));
  }

  private long read(IpcReadOptions options) throws IOException {
    long rows = 0;
    try (RecordBatchReader reader = ArrowFile.read(file, options)) {
      while (true) {
        try (RecordBatch next = reader.next()) {
          if (next == null) return rows;
          rows += next.length();
        }
      }
    }
  }

  /** Reads the bytes of the file, by parts of a batch's size, into one buffer of this size. */
  @Benchmark
  public long readBareParts() throws IOException {
    ByteBuffer part = whole.slice(0, whole.capacity() / batches);
    try (FileChannel channel = FileChannel.open(file)) {
      while (channel.read(part.clear()) >= 0);
      return channel.position();
    }
  }

  /** Reads the bytes of the file into one buffer. */
  @Benchmark
  public int readBare() throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      whole.clear();
      while (whole.hasRemaining() && channel.read(whole) >= 0);
      return whole.position();
    }
  }

  /** Reads all batches by arrow-java. */
  @Benchmark
  public long readArrowJava() throws IOException {
    long rows = 0;
    try (FileChannel channel = FileChannel.open(file);
        ArrowFileReader reader = new ArrowFileReader(channel, allocator, CommonsCompressionFactory.INSTANCE)) {
      while (reader.loadNextBatch()) rows += reader.getVectorSchemaRoot().getRowCount();
    }
    return rows;
  }

  /** Writes all batches. */
  @Benchmark
  public void write() throws IOException {
    write(written);
  }

  /** Writes the same buffers by a gathering channel. */
  @Benchmark
  public void writeBare() throws IOException {
    try (FileChannel channel = FileChannel.open(written, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
        StandardOpenOption.TRUNCATE_EXISTING)) {
      for (int i = 0; i < batches; i++) {
        for (ByteBuffer buffer : buffers) buffer.rewind();
        for (int first = 0; first < buffers.length;) {
          channel.write(buffers, first, buffers.length - first);
          while (first < buffers.length && !buffers[first].hasRemaining()) first++;
        }
      }
    }
  }

  /** Writes all batches by arrow-java. */
  @Benchmark
  public void writeArrowJava() throws IOException {
    CompressionUtil.CodecType codec = switch (compression) {
      case NONE -> CompressionUtil.CodecType.NO_COMPRESSION;
      case LZ4_FRAME -> CompressionUtil.CodecType.LZ4_FRAME;
      case ZSTD -> CompressionUtil.CodecType.ZSTD;
    };
    // its factory of codecs has none for no compression
    CompressionCodec.Factory factory = compression == IpcCompression.NONE ? NoCompressionCodec.Factory.INSTANCE
        : CommonsCompressionFactory.INSTANCE;
    try (
        FileChannel channel = FileChannel.open(written, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING);
        ArrowFileWriter writer = new ArrowFileWriter(source.getVectorSchemaRoot(), source, channel, null,
            IpcOption.DEFAULT, factory, codec)) {
      writer.start();
      for (int i = 0; i < batches; i++) writer.writeBatch();
      writer.end();
    }
  }
}
