// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowFileReader;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.arbalest.device.Device;
import org.arbalest.device.Devices;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.arrow.ArrowReaders;
import org.arbalest.device.arrow.ArrowVectors;
import org.arbalest.device.c.CData;
import org.arbalest.device.c.CExport;
import org.arbalest.device.c.CImport;

/** Roots and readers, for docs/guides/arrow-java.md. */
final class ArrowIpcJava {
  private ArrowIpcJava() {}

  static void handOver(VectorSchemaRoot root, MemorySegment array, MemorySegment schema) {
    try (RecordBatch batch = ArrowVectors.toRecordBatch(root)) {
      CData.exportArray(batch, array, CExport.DATA.schemaTo(schema)); // the root may be closed now
    }
  }

  static VectorSchemaRoot takeBack(MemorySegment array, MemorySegment schema, BufferAllocator allocator) {
    try (RecordBatch batch = CData.importBatch(array, CImport.DATA.schema(schema))) {
      return ArrowVectors.toVectorSchemaRoot(batch, allocator);
    }
  }

  static void onto(Device device, Path file, BufferAllocator allocator, Consumer<RecordBatch> action)
      throws IOException {
    try (RecordBatchReader batches =
        ArrowReaders.toRecordBatchReader(new ArrowFileReader(FileChannel.open(file), allocator))) {
      batches.forEach(batch -> {
        try (RecordBatch there = batch.copyTo(device)) {
          action.accept(there);
        }
      });
    }
  }

  static void write(RecordBatchReader batches, OutputStream out, BufferAllocator allocator) throws IOException {
    try (ArrowReader reader = ArrowReaders.toReplacingArrowReader(batches, allocator);
        ArrowStreamWriter writer = new ArrowStreamWriter(reader.getVectorSchemaRoot(), reader, out)) {
      while (reader.loadNextBatch()) writer.writeBatch();
    }
  }

  static RecordBatch here(RecordBatch there) {
    RecordBatch here = there.copyTo(Devices.cpu());
    here.synchronize();
    return here;
  }
}
