// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Metadata
import org.arbalest.support.EveryType
import java.io.ByteArrayOutputStream

/** Small files and streams with every type, to truncate and to change. */
internal object Subjects {
    /** A whole file or stream, and the ways to read it. */
    class Subject(val name: String, val bytes: ByteArray, val inputs: List<Inputs>)

    /** A file and a stream of two batches with every type. */
    fun everyType(compression: IpcCompression, rows: Int = 5): List<Subject> {
        val batches = { listOf(EveryType.batch(0, rows), EveryType.batch(2, rows)) }
        return of("every type, $compression", compression, batches)
    }

    /** The columns of all types, some at a time: these files are smaller. */
    fun someTypes(compression: IpcCompression, columns: Int = 6): List<Subject> =
        EveryType.fields.chunked(columns).flatMap { fields ->
            val names = fields.map { it.name() }.toTypedArray()
            of("${names.joinToString()}, $compression", compression) {
                listOf(0, 2).map { from -> EveryType.batch(from, 5).use { it.select(*names) } }
            }
        }

    /** A file and a stream whose second batch adds values to the dictionary of the first. */
    fun deltas(compression: IpcCompression): List<Subject> = of("deltas, $compression", compression) {
        listOf(listOf("a", "b"), listOf("a", "b", "c"), listOf("x")).map(::words)
    }

    private fun words(words: List<String>): RecordBatch {
        val field = Field.of("word", DataType.dictionary(DataType.INT8, DataType.UTF8))
        return BatchBuilder.of(Devices.cpu(), words.size).use { batch ->
            val column = batch.column(field)
            words.forEach(column::append)
            batch.build()
        }
    }

    private fun of(name: String, compression: IpcCompression, batches: () -> List<RecordBatch>): List<Subject> {
        val options = IpcWriteOptions.defaults().withAlignment(8).withCompression(compression)
        val metadata = Metadata.of("key", "value")
        return listOf(true, false).map { isFile ->
            val output = ByteArrayOutputStream()
            val all = batches()
            val writer = if (isFile) ArrowWriter.file(output, all[0].schema(), options.withMetadata(metadata))
            else ArrowWriter.stream(output, all[0].schema(), options)
            writer.use { w ->
                all.forEach { batch -> batch.use { w.write(it, metadata) } }
                w.finish()
            }
            val kind = if (isFile) "file" else "stream"
            Subject("$kind with $name", output.toByteArray(), if (isFile) Inputs.files else Inputs.streams)
        }
    }
}
