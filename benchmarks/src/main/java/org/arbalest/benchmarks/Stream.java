// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.c.ArrowArrayStream;
import org.apache.arrow.c.Data;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.Schema;
import org.arbalest.device.DeviceType;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.c.ArrowDeviceArrayStreamStruct;
import org.arbalest.device.c.CData;
import org.arbalest.device.c.CExport;
import org.arbalest.device.c.CImport;
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
 * Measures passing one batch through a C stream. The consumer calls {@code get_next} through its pointer; the producer,
 * in the same JVM, exports the same batch each time; and the consumer releases it. The stream has no end. The result
 * does not include opening the stream and its schema.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
@State(Scope.Thread)
public class Stream {
  /** The number of int64 columns. */
  @Param({"1", "10", "100"}) int columns;

  /** Whether each column has a null; see {@link Batches}. */
  @Param("false") boolean nulls;

  /** A stream of the library, exported and imported. */
  @State(Scope.Thread)
  @SuppressWarnings("NullAway.Init") // JMH calls the @Setup
  public static class Ours {
    RecordBatch batch;
    RecordBatchReader plain;
    RecordBatchReader device;

    @Setup
    public void open(Stream stream) {
      Batches.crossOthers();
      batch = Batches.ours(stream.columns, stream.nulls);
      MemorySegment struct = Arena.global().allocate(ArrowDeviceArrayStreamStruct.LAYOUT);
      CData.exportStream(endless(), struct, CExport.DATA);
      plain = CData.importStream(struct, CImport.DATA);
      CData.exportStream(endless(), struct, CExport.DEVICE);
      device = CData.importStream(struct, CImport.DEVICE);
    }

    private RecordBatchReader endless() {
      return RecordBatchReader.of(batch.schema(), DeviceType.CPU, batch::retain);
    }

    @TearDown
    public void close() {
      plain.close();
      device.close();
      batch.close();
    }
  }

  /** A stream of arrow-java, exported and imported. The root of the reader is loaded once. */
  @State(Scope.Thread)
  @SuppressWarnings("NullAway.Init") // JMH calls the @Setup
  public static class ArrowJava {
    final RootAllocator allocator = new RootAllocator();
    ArrowReader reader;

    @Setup
    public void open(Stream stream) {
      ArrowArrayStream struct = ArrowArrayStream.allocateNew(allocator);
      Data.exportArrayStream(allocator, new Endless(allocator, stream.columns, stream.nulls), struct);
      reader = Data.importArrayStream(allocator, struct);
      struct.close();
    }

    @TearDown
    public void close() throws IOException {
      reader.close();
      allocator.close();
    }
  }

  private static final class Endless extends ArrowReader {
    private final int columns;
    private final boolean nulls;
    private boolean loaded;

    Endless(BufferAllocator allocator, int columns, boolean nulls) {
      super(allocator);
      this.columns = columns;
      this.nulls = nulls;
    }

    @Override
    public boolean loadNextBatch() throws IOException {
      if (!loaded) Batches.fill(getVectorSchemaRoot(), nulls);
      loaded = true;
      return true;
    }

    @Override
    public long bytesRead() {
      return 0;
    }

    @Override
    protected void closeReadSource() {}

    @Override
    protected Schema readSchema() {
      return Batches.arrowJavaSchema(columns);
    }
  }

  /** Passes a batch through an {@code ArrowArrayStream} of the library. */
  @Benchmark
  public void stream(Ours side) {
    Objects.requireNonNull(side.plain.next()).close();
  }

  /** Passes a batch through an {@code ArrowDeviceArrayStream} of the library. */
  @Benchmark
  public void deviceStream(Ours side) {
    Objects.requireNonNull(side.device.next()).close();
  }

  /** Passes a batch through an {@code ArrowArrayStream} of arrow-java; loading a batch releases the earlier one. */
  @Benchmark
  public boolean arrowJavaStream(ArrowJava side) throws IOException {
    return side.reader.loadNextBatch();
  }
}
