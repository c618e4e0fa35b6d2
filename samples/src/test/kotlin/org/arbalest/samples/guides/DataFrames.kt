// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides

import org.apache.arrow.memory.BufferAllocator
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.arrow.ArrowReaders
import org.arbalest.device.arrow.ArrowVectors
import org.jetbrains.kotlinx.dataframe.AnyFrame
import org.jetbrains.kotlinx.dataframe.io.arrowWriter
import org.jetbrains.kotlinx.dataframe.io.toDataFrame

// The snippets of docs/guides/arrow-java.md about Kotlin DataFrame.

fun toDataFrame(batches: DeviceArrayReader, allocator: BufferAllocator): AnyFrame =
    ArrowReaders.toReplacingArrowReader(batches, allocator).toDataFrame() // which closes the reader

fun <R> lend(frame: AnyFrame, action: (DeviceArray) -> R): R = frame.arrowWriter().use { writer ->
    // whose allocator ends with it: copy what is to stay
    writer.allocateVectorSchemaRoot().use { root -> ArrowVectors.toDeviceArray(root).use(action) }
}
