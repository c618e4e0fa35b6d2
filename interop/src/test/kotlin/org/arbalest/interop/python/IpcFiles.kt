// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.python

import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.Validation
import org.arbalest.device.ipc.ArrowFile
import org.arbalest.device.ipc.ArrowStream
import org.arbalest.device.ipc.ArrowWriter
import org.arbalest.device.ipc.IpcReadOptions
import org.arbalest.device.ipc.IpcWriteOptions
import org.arbalest.device.types.Schema
import java.nio.file.Path

/** Files with batches, in the file format and in the stream format. */
internal object IpcFiles {
    enum class Kind {
        FILE, STREAM;

        val other: Kind get() = entries[1 - ordinal]

        override fun toString(): String = name.lowercase()
    }

    /** Writes batches, and closes them. */
    fun write(path: Path, kind: Kind, schema: Schema, batches: List<RecordBatch>, options: IpcWriteOptions) {
        val writer = when (kind) {
            Kind.FILE -> ArrowWriter.file(path, schema, options)
            Kind.STREAM -> ArrowWriter.stream(path, schema, options)
        }
        writer.use {
            batches.forEach { batch -> batch.use(writer::write) }
            writer.finish()
        }
    }

    /** Opens all batches of a file, which are validated in full. */
    fun read(path: Path, kind: Kind): RecordBatchReader {
        val options = IpcReadOptions.defaults().withValidation(Validation.FULL)
        return if (kind == Kind.FILE) ArrowFile.read(path, options) else ArrowStream.read(path, options)
    }
}
