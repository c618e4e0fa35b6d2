// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.c.ArrowArrayStreamStruct
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.columns.Column
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment

/** Exports this array to the C structs and imports it again. The handle of this array is consumed. */
internal fun RecordBatch.throughC(): RecordBatch = Arena.ofConfined().use { arena ->
    val array = arena.allocate(ArrowArrayStruct.LAYOUT)
    val schema = arena.allocate(ArrowSchemaStruct.LAYOUT)
    CData.exportArray(this, array, CExport.DATA.schemaTo(schema))
    CData.importBatch(array, CImport.DATA.schema(schema))
}

/** Exports this reader to a C stream and runs [block] with the stream. The reader is consumed. */
internal fun <T> RecordBatchReader.asStruct(block: (MemorySegment) -> T): T = Arena.ofShared().use { arena ->
    val stream = arena.allocate(ArrowArrayStreamStruct.LAYOUT)
    CData.exportStream(this, stream, CExport.DATA)
    block(stream)
}

/** Returns all values as objects, with bytes as lists, so that they can be compared. */
internal fun Column.values(): List<Any?> = (0 until length()).map { row ->
    get(row).let { if (it is ByteArray) it.toList() else it }
}
