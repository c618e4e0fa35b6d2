// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.c.ArrowArray;
import org.apache.arrow.c.ArrowSchema;
import org.apache.arrow.c.CDataDictionaryProvider;
import org.apache.arrow.c.Data;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.ForeignAllocation;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.arrow.ArrowVectors;
import org.arbalest.device.c.ArrowArrayStruct;
import org.arbalest.device.c.ArrowSchemaStruct;
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
 * Measures converting a root of int64 columns with 1,024 rows to a device array and into another root. For comparison,
 * it measures Arrow Java's own calls for the buffers, and {@code arrow-c-data}.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class ArrowRoots {
  /** Two roots, their buffers, and C structs. */
  @State(Scope.Thread)
  @SuppressWarnings("NullAway.Init") // JMH calls the @Setup
  public static class Roots {
    /** The number of int64 columns, of two buffers each. */
    @Param({"10", "100"}) int columns;

    final RootAllocator allocator = new RootAllocator();
    final RootAllocator elsewhere = new RootAllocator();
    final long array = Arena.global().allocate(ArrowArrayStruct.LAYOUT).address();
    final long schema = Arena.global().allocate(ArrowSchemaStruct.LAYOUT).address();
    final CDataDictionaryProvider dictionaries = new CDataDictionaryProvider();
    final List<ArrowBuf> buffers = new ArrayList<>();
    VectorSchemaRoot root;
    VectorSchemaRoot target;
    VectorSchemaRoot targetElsewhere;
    ArrowBuf[] wrapped;

    @Setup
    public void make() {
      root = Batches.arrowJava(allocator, columns, true);
      target = VectorSchemaRoot.create(root.getSchema(), allocator);
      targetElsewhere = VectorSchemaRoot.create(root.getSchema(), elsewhere);
      for (FieldVector vector : root.getFieldVectors()) buffers.addAll(vector.getFieldBuffers());
      wrapped = new ArrowBuf[buffers.size()];
    }

    @TearDown
    public void close() {
      root.close();
      target.close();
      targetElsewhere.close();
      dictionaries.close();
      allocator.close();
      elsewhere.close();
    }

    void wrapAll() {
      for (int i = 0; i < wrapped.length; i++) {
        ArrowBuf buffer = buffers.get(i);
        buffer.getReferenceManager().retain();
        wrapped[i] = allocator.wrapForeignAllocation(new Retained(buffer));
      }
    }
  }

  private static final class Retained extends ForeignAllocation {
    private final ArrowBuf buffer;

    Retained(ArrowBuf buffer) {
      super(buffer.capacity(), buffer.memoryAddress());
      this.buffer = buffer;
    }

    @Override
    protected void release0() {
      buffer.getReferenceManager().release();
    }
  }

  /** Runs the bare loop: retains, wraps and releases each buffer. */
  @Benchmark
  public void bare(Roots roots) {
    roots.wrapAll();
    for (ArrowBuf buffer : roots.wrapped) buffer.getReferenceManager().release();
  }

  /**
   * Runs the same loop, and loads the buffers into the vectors of the other root, as arrow-java does: each vector
   * retains its own buffer and releases the earlier one.
   */
  @Benchmark
  public void bareLoaded(Roots roots) {
    roots.wrapAll();
    for (int i = 0; i < roots.columns; i++) {
      roots.target.getVector(i).loadFieldBuffers(new ArrowFieldNode(roots.root.getRowCount(), 0),
          Arrays.asList(roots.wrapped[2 * i], roots.wrapped[2 * i + 1]));
    }
    for (ArrowBuf buffer : roots.wrapped) buffer.getReferenceManager().release();
    roots.target.setRowCount(roots.root.getRowCount());
  }

  /** Converts a root to a device array, and releases the array. */
  @Benchmark
  public void toDeviceArray(Roots roots) {
    ArrowVectors.toRecordBatch(roots.root).close();
  }

  /** Converts a root to a device array, and loads it into the other root. */
  @Benchmark
  public void roundTrip(Roots roots) {
    try (RecordBatch batch = ArrowVectors.toRecordBatch(roots.root)) {
      ArrowVectors.loadInto(batch, roots.target);
    }
  }

  /** Converts to a device array and into a root of another allocator, which wraps each buffer instead of sharing it. */
  @Benchmark
  public void roundTripElsewhere(Roots roots) {
    try (RecordBatch batch = ArrowVectors.toRecordBatch(roots.root)) {
      ArrowVectors.loadInto(batch, roots.targetElsewhere);
    }
  }

  /** Converts a root to a device array, and to a new root. */
  @Benchmark
  public void newRoot(Roots roots) {
    try (RecordBatch batch = ArrowVectors.toRecordBatch(roots.root)) {
      ArrowVectors.toVectorSchemaRoot(batch, roots.allocator).close();
    }
  }

  /** Does the same by arrow-c-data, without the schema. */
  @Benchmark
  public void arrowCData(Roots roots) {
    try (ArrowArray array = ArrowArray.wrap(roots.array)) {
      Data.exportVectorSchemaRoot(roots.allocator, roots.root, null, array);
    }
    Data.importIntoVectorSchemaRoot(roots.allocator, ArrowArray.wrap(roots.array), roots.target, roots.dictionaries);
  }

  /** Does the same by arrow-c-data, with the schema. */
  @Benchmark
  public void arrowCDataWithSchema(Roots roots) {
    Data.exportVectorSchemaRoot(roots.allocator, roots.root, null, ArrowArray.wrap(roots.array),
        ArrowSchema.wrap(roots.schema));
    Data.importVectorSchemaRoot(roots.allocator, ArrowArray.wrap(roots.array), ArrowSchema.wrap(roots.schema),
        roots.dictionaries).close();
  }
}
