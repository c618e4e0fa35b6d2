// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides

import org.apache.arrow.memory.BufferAllocator
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.arrow.ArrowReaders
import org.arbalest.device.arrow.ArrowVectors
import org.jetbrains.kotlinx.dataframe.AnyFrame
import org.jetbrains.kotlinx.dataframe.io.arrowWriter
import org.jetbrains.kotlinx.dataframe.io.toDataFrame

// Kotlin DataFrame, for docs/guides/arrow-java.md.

fun toDataFrame(batches: RecordBatchReader, allocator: BufferAllocator): AnyFrame =
    ArrowReaders.toReplacingArrowReader(batches, allocator).toDataFrame() // closes the reader

fun <R> lend(frame: AnyFrame, action: (RecordBatch) -> R): R = frame.arrowWriter().use { writer ->
    // the writer owns the memory: copy a batch that outlives this block
    writer.allocateVectorSchemaRoot().use { root -> ArrowVectors.toRecordBatch(root).use(action) }
}
