// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.arrowcpp

import org.arbalest.device.RecordBatch
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.ipc.IpcCompression
import org.arbalest.interop.I32
import org.arbalest.interop.I64
import org.arbalest.interop.PTR
import org.arbalest.interop.function
import org.arbalest.interop.orWords
import java.nio.file.Path

/** Arrow C++'s writers of Arrow files and streams, called through `files.cpp`. */
internal object CppFiles {
    private val write = ArrowCpp.compile("files.cpp", "arrow_own.h", "files.map")
        .function("files_write", I32, PTR, PTR, PTR, I64, I32, I32, I32, I32, PTR)

    /**
     * Writes batches of one schema, and closes them.
     *
     * @param version the version of the metadata, 4 or 5
     * @param deltas whether values that were added to a dictionary are written as a delta
     */
    fun write(
        path: Path,
        batches: List<RecordBatch>,
        isFile: Boolean,
        codec: IpcCompression = IpcCompression.NONE,
        version: Int = 5,
        deltas: Boolean = false,
    ) {
        orWords { text ->
            val schema = allocate(ArrowSchemaStruct.LAYOUT)
            CData.exportSchema(batches[0].schema().asField(), schema)
            val arrays = allocate(ArrowArrayStruct.LAYOUT, batches.size.toLong())
            val size = ArrowArrayStruct.LAYOUT.byteSize()
            batches.forEachIndexed { i, batch ->
                batch.use { CData.exportArray(it, arrays.asSlice(i * size, size), CExport.DATA) }
            }
            val number = when (codec) {
                IpcCompression.NONE -> 0
                IpcCompression.ZSTD -> 4
                IpcCompression.LZ4_FRAME -> 6
            }
            Unit.takeIf {
                write(allocateFrom("$path"), schema, arrays, batches.size.toLong(), if (isFile) 1 else 0, number,
                    version - 1, if (deltas) 1 else 0, text) == 0
            }
        }
    }
}
