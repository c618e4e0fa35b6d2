// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.c.ArrowArray;
import org.apache.arrow.c.ArrowSchema;
import org.apache.arrow.c.CDataDictionaryProvider;
import org.apache.arrow.c.Data;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.c.ArrowArrayStruct;
import org.arbalest.device.c.ArrowDeviceArrayStruct;
import org.arbalest.device.c.ArrowSchemaStruct;
import org.arbalest.device.c.CData;
import org.arbalest.device.c.CExport;
import org.arbalest.device.c.CImport;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Metadata;
import org.arbalest.device.types.Schema;
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
 * Measures exporting a batch to a C struct, importing it again and releasing it; no column is copied or read.
 *
 * <p>The batch and the structs are made once. Without a schema, so is the importer's knowledge of the type. Both
 * libraries import in the JVM that exported. The library detects that by the release callback and does not release
 * through C; arrow-java releases through JNI. {@link ReleaseFromC} measures the additional cost of a consumer in C.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class ExportImportRelease {
  /** The common state of the runs of one thread. */
  @State(Scope.Thread)
  public abstract static class Side {
    /** The number of int64 columns. */
    @Param({"1", "10", "100"}) int columns;

    /** Whether each column has a null; see {@link Batches}. */
    @Param("false") boolean nulls;
  }

  /** One batch of the library, whose handle each cycle retains, and C structs. */
  @SuppressWarnings("NullAway.Init") // JMH calls the @Setup
  public static class Ours extends Side {
    final MemorySegment array = Arena.global().allocate(ArrowDeviceArrayStruct.LAYOUT);
    final MemorySegment schemaStruct = Arena.global().allocate(ArrowSchemaStruct.LAYOUT);
    RecordBatch batch;
    Schema schema;

    /** The options, made once. If the JIT does not remove them, options cost 32 bytes per call. */
    CImport data;
    CImport device;
    final CImport withSchema = CImport.DATA.schema(schemaStruct);
    final CExport withSchemaOut = CExport.DATA.schemaTo(schemaStruct);

    /** Different schemas in a cycle, more than the library caches. */
    final Field[] others = new Field[64];

    int next;

    @Setup
    public void make() {
      Batches.crossOthers();
      batch = Batches.ours(columns, nulls);
      schema = batch.schema();
      data = CImport.DATA.schema(schema);
      device = CImport.DEVICE.schema(schema);
      for (int i = 0; i < others.length; i++)
        others[i] = batch.field().withMetadata(Metadata.of("number", String.valueOf(i)));
    }

    Field another() {
      next = (next + 1) % others.length;
      return others[next];
    }

    @TearDown
    public void close() {
      batch.close();
    }
  }

  /**
   * One batch of arrow-java, a root to import into, and C structs. Each cycle wraps the structs again, since the import
   * closes the wrapper.
   */
  @SuppressWarnings("NullAway.Init") // JMH calls the @Setup
  public static class ArrowJava extends Side {
    final RootAllocator allocator = new RootAllocator();
    final long array = Arena.global().allocate(ArrowArrayStruct.LAYOUT).address();
    final long schema = Arena.global().allocate(ArrowSchemaStruct.LAYOUT).address();
    final CDataDictionaryProvider dictionaries = new CDataDictionaryProvider();
    VectorSchemaRoot batch;
    VectorSchemaRoot imported;

    @Setup
    public void make() {
      batch = Batches.arrowJava(allocator, columns, nulls);
      imported = VectorSchemaRoot.create(batch.getSchema(), allocator);
    }

    @TearDown
    public void close() {
      batch.close();
      imported.close();
      dictionaries.close();
      allocator.close();
    }
  }

  /** Exports and imports an {@code ArrowArray} with the library, which checks the structs on import. */
  @Benchmark
  public void array(Ours side) {
    CData.exportArray(side.batch.retain(), side.array, CExport.DATA);
    CData.importArray(side.array, side.data).close();
  }

  /** Exports and imports an {@code ArrowDeviceArray} with the library. */
  @Benchmark
  public void deviceArray(Ours side) {
    CData.exportArray(side.batch.retain(), side.array, CExport.DEVICE);
    CData.importArray(side.array, side.device).close();
  }

  /** Exports and imports an {@code ArrowArray} with its {@code ArrowSchema}, which the library finds in its cache. */
  @Benchmark
  public void arrayWithSchema(Ours side) {
    CData.exportArray(side.batch.retain(), side.array, side.withSchemaOut);
    CData.importArray(side.array, side.withSchema).close();
  }

  /** Exports and imports a schema without an array, which the library finds in its cache. */
  @Benchmark
  public Schema schema(Ours side) {
    CData.exportSchema(side.schema.asField(), side.schemaStruct);
    return Schema.ofStruct(CData.importSchema(side.schemaStruct));
  }

  /** Exports and imports a schema that is no longer in the library's cache, and is parsed. */
  @Benchmark
  public Field schemaAnew(Ours side) {
    CData.exportSchema(side.another(), side.schemaStruct);
    return CData.importSchema(side.schemaStruct);
  }

  /** Exports and imports with arrow-java into the same root; clearing the root releases the array. */
  @Benchmark
  public void arrowJavaArray(ArrowJava side) {
    ArrowArray array = ArrowArray.wrap(side.array);
    Data.exportVectorSchemaRoot(side.allocator, side.batch, null, array);
    Data.importIntoVectorSchemaRoot(side.allocator, array, side.imported, null);
    side.imported.clear();
  }

  /** Exports and imports with arrow-java; the {@code ArrowSchema} is written, parsed and released. Makes a new root. */
  @Benchmark
  public void arrowJavaArrayWithSchema(ArrowJava side) {
    ArrowArray array = ArrowArray.wrap(side.array);
    ArrowSchema schema = ArrowSchema.wrap(side.schema);
    Data.exportVectorSchemaRoot(side.allocator, side.batch, null, array, schema);
    Data.importVectorSchemaRoot(side.allocator, array, schema, side.dictionaries).close();
  }
}
