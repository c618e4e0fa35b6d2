// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.flow.Flow
import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.vector.VectorSchemaRoot
import org.apache.arrow.vector.ipc.ArrowFileReader
import org.apache.arrow.vector.ipc.ArrowReader
import org.apache.arrow.vector.ipc.ArrowStreamWriter
import org.arbalest.coroutines.*
import org.arbalest.device.*
import org.arbalest.device.arrow.ArrowReaders
import org.arbalest.device.arrow.ArrowVectors
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.types.*
import java.io.OutputStream
import java.lang.foreign.MemorySegment
import java.nio.channels.FileChannel
import java.nio.file.Path

// Roots and readers, for docs/guides/arrow-java.md.

fun handOver(root: VectorSchemaRoot, array: MemorySegment, schema: MemorySegment) {
    // the caller can close the root after this call
    ArrowVectors.toRecordBatch(root).use { CData.exportArray(it, array, CExport.DATA.schemaTo(schema)) }
}

fun takeBack(array: MemorySegment, schema: MemorySegment, allocator: BufferAllocator): VectorSchemaRoot =
    CData.importBatch(array, CImport.DATA.schema(schema)).use { ArrowVectors.toVectorSchemaRoot(it, allocator) }

fun onto(device: Device, file: Path, allocator: BufferAllocator, action: (RecordBatch) -> Unit) {
    ArrowReaders.toRecordBatchReader(ArrowFileReader(FileChannel.open(file), allocator)).useArrays { batches ->
        for (batch in batches) batch.copyTo(device).use(action)
    }
}

fun write(batches: RecordBatchReader, out: OutputStream, allocator: BufferAllocator) {
    ArrowReaders.toReplacingArrowReader(batches, allocator).use { reader ->
        ArrowStreamWriter(reader.vectorSchemaRoot, reader, out).use { while (reader.loadNextBatch()) it.writeBatch() }
    }
}

fun here(there: RecordBatch): RecordBatch = there.copyTo(Devices.cpu()).apply { synchronize() }

fun asFlow(reader: ArrowReader): LendingFlow<RecordBatch> = ArrowReaders.toRecordBatchReader(reader).asFlow()

fun asArrowReader(batches: Flow<RecordBatch>, schema: Schema, allocator: BufferAllocator): ArrowReader =
    ArrowReaders.toReplacingArrowReader(batches.asReader(schema, context = Dispatchers.IO), allocator)
