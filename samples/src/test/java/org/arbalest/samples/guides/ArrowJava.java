// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides;

import java.lang.foreign.MemorySegment;
import org.apache.arrow.c.ArrowArray;
import org.apache.arrow.c.ArrowSchema;
import org.apache.arrow.c.CDataDictionaryProvider;
import org.apache.arrow.c.Data;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.c.CData;
import org.arbalest.device.c.CExport;
import org.arbalest.device.c.CImport;

/** A root to a batch and back, by Arrow Java's own arrow-c-data. docs/guides/sharing.md links here. */
final class ArrowJava {
  private ArrowJava() {}

  static RecordBatch fromArrowJava(VectorSchemaRoot root, BufferAllocator allocator) {
    try (ArrowArray array = ArrowArray.allocateNew(allocator);
        ArrowSchema schema = ArrowSchema.allocateNew(allocator)) {
      Data.exportVectorSchemaRoot(allocator, root, null, array, schema);
      return CData.importBatch(MemorySegment.ofAddress(array.memoryAddress()),
          CImport.DATA.schema(MemorySegment.ofAddress(schema.memoryAddress())));
    }
  }

  static VectorSchemaRoot toArrowJava(RecordBatch batch, BufferAllocator allocator,
      CDataDictionaryProvider dictionaries) {
    try (ArrowArray array = ArrowArray.allocateNew(allocator);
        ArrowSchema schema = ArrowSchema.allocateNew(allocator);
        RecordBatch whole = batch.compact()) { // Arrow Java 19 ignores the offset of a slice
      CData.exportArray(whole, MemorySegment.ofAddress(array.memoryAddress()),
          CExport.DATA.schemaTo(MemorySegment.ofAddress(schema.memoryAddress())));
      return Data.importVectorSchemaRoot(allocator, array, schema, dictionaries);
    }
  }
}
