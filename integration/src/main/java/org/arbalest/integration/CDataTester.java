// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.Validation;
import org.arbalest.device.c.CData;
import org.arbalest.device.c.CExport;
import org.arbalest.device.c.CImport;
import org.arbalest.device.monitoring.ResourceCounters;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The functions that Arrow's integration suite calls for the C data interface, and the same for C streams.
 *
 * <p>Structs are addresses of memory that the caller owns. A function returns null if it succeeds, otherwise the text
 * of the error or of the difference. An import releases the struct, also if it finds a difference.
 */
public final class CDataTester {
  private CDataTester() {}

  /** Exports the schema of a JSON file to an {@code ArrowSchema}. */
  public static @Nullable String exportSchemaFromJson(String path, long address) {
    return Expectation.attempt(() -> {
      CData.exportSchema(Expectation.read(path).file().schema().schema().asField(), MemorySegment.ofAddress(address));
      return null;
    });
  }

  /** Exports a batch of a JSON file to an {@code ArrowArray}. */
  public static @Nullable String exportBatchFromJson(String path, int index, long address) {
    return Expectation.attempt(() -> {
      try (RecordBatch batch = Expectation.read(path).file().batch(index)) {
        CData.exportArray(batch, MemorySegment.ofAddress(address), CExport.DATA);
        return null;
      }
    });
  }

  /** Exports all batches of a JSON file to an {@code ArrowArrayStream}. */
  public static @Nullable String exportStreamFromJson(String path, long address) {
    return Expectation.attempt(() -> {
      try (RecordBatchReader reader = Expectation.read(path).file().reader()) {
        CData.exportStream(reader, MemorySegment.ofAddress(address), CExport.DATA);
        return null;
      }
    });
  }

  /** Imports an {@code ArrowSchema}, and compares it with the schema of a JSON file. */
  public static @Nullable String importSchemaAndCompare(String path, long address) {
    return Expectation.attempt(() -> {
      Schema found = Schema.ofStruct(CData.importSchema(MemorySegment.ofAddress(address)));
      return Expectation.read(path).schemaDifference(found);
    });
  }

  /** Imports an {@code ArrowArray} with the schema of a JSON file, validates it, and compares it with a batch. */
  public static @Nullable String importBatchAndCompare(String path, int index, long address) {
    return Expectation.attempt(() -> {
      Expectation expected = Expectation.read(path);
      CImport options = CImport.DATA.schema(expected.file().schema().schema()).validation(Validation.FULL);
      try (RecordBatch found = CData.importBatch(MemorySegment.ofAddress(address), options)) {
        return expected.batchDifference(index, found);
      }
    });
  }

  /** Imports an {@code ArrowArrayStream}, and compares it with a JSON file. */
  public static @Nullable String importStreamAndCompare(String path, long address) {
    return Expectation.attempt(() -> {
      Expectation expected = Expectation.read(path);
      CImport options = CImport.DATA.validation(Validation.FULL);
      try (RecordBatchReader found = CData.importStream(MemorySegment.ofAddress(address), options)) {
        return expected.difference(found);
      }
    });
  }

  /** Returns the bytes of all buffers that are open, in handles and in exports. */
  public static long liveBytes() {
    return ResourceCounters.now().bufferBytes();
  }

  /** Returns the number of arrays, schemas and streams that this library holds, or that native code holds. */
  public static long liveStructs() {
    ResourceCounters counters = ResourceCounters.now();
    return counters.arrays() + counters.exports() + counters.readers() + counters.streams();
  }
}
