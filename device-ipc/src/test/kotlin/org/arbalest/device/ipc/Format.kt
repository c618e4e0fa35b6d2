// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.assertions.withClue
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import org.arbalest.device.RecordBatch
import org.arbalest.device.types.Schema
import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream
import java.lang.foreign.MemorySegment

/** The two formats, each with this library's writer and reader. */
internal enum class Format {
    FILE, STREAM;

    /** Writes batches of one schema. */
    fun write(options: IpcWriteOptions, vararg batches: RecordBatch): ByteArray =
        write(options, batches[0].schema(), batches.asList())

    fun write(options: IpcWriteOptions, schema: Schema, batches: List<RecordBatch>): ByteArray {
        val out = ByteArrayOutputStream()
        val writer = when (this) {
            FILE -> ArrowWriter.file(out, schema, options)
            STREAM -> ArrowWriter.stream(out, schema, options)
        }
        writer.use {
            batches.forEach(it::write)
            it.finish()
        }
        return out.toByteArray()
    }

    /** Reads all batches, and passes each to [block], which borrows it. Returns the number of batches. */
    fun read(bytes: ByteArray, block: (RecordBatch) -> Unit): Int {
        val options = IpcReadOptions.defaults()
        val reader = when (this) {
            FILE -> ArrowFile.open(MemorySegment.ofArray(bytes), {}, options).use(ArrowFile::reader)
            STREAM -> ArrowStream.read(ByteArrayInputStream(bytes), options)
        }
        var count = 0
        reader.use { batches ->
            batches.forEach {
                count++
                block(it)
            }
        }
        return count
    }

    /** Expects that this library reads these batches. */
    fun shouldRead(bytes: ByteArray, vararg batches: RecordBatch) {
        var count = 0
        read(bytes) {
            withClue("batch $count") { it.valueDifference(batches[count]).shouldBeNull() }
            count++
        } shouldBe batches.size
    }

    companion object {
        /** Runs [block] for each format, without compression and with one codec. */
        fun some(block: (Format, IpcCompression) -> Unit) {
            for (format in entries) {
                block(format, IpcCompression.NONE)
                block(format, if (format == FILE) IpcCompression.ZSTD else IpcCompression.LZ4_FRAME)
            }
        }

        /** Runs [block] for each format with each codec. */
        fun each(block: (Format, IpcCompression) -> Unit) {
            for (format in entries) for (codec in IpcCompression.entries) block(format, codec)
        }
    }
}
