// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.assertions.withClue
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import org.apache.arrow.compression.CommonsCompressionFactory
import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.vector.VectorSchemaRoot
import org.apache.arrow.vector.compression.CompressionUtil.CodecType
import org.apache.arrow.vector.compression.NoCompressionCodec
import org.apache.arrow.vector.dictionary.DictionaryProvider
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider
import org.apache.arrow.vector.ipc.ArrowFileReader
import org.apache.arrow.vector.ipc.ArrowFileWriter
import org.apache.arrow.vector.ipc.ArrowReader
import org.apache.arrow.vector.ipc.ArrowStreamReader
import org.apache.arrow.vector.ipc.ArrowStreamWriter
import org.apache.arrow.vector.ipc.message.IpcOption
import org.apache.arrow.vector.util.ByteArrayReadableSeekableByteChannel
import org.arbalest.device.RecordBatch
import org.arbalest.device.Validation
import org.arbalest.device.arrow.ArrowVectors
import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream
import java.nio.channels.Channels
import java.util.Optional
import org.apache.arrow.vector.ipc.ArrowWriter as JavaWriter

/** Arrow Java's readers and writers of both formats. */
internal object ArrowJava {
    /** Opens a file or stream; the caller closes the reader. */
    fun reader(format: Format, bytes: ByteArray, allocator: BufferAllocator): ArrowReader = when (format) {
        Format.FILE ->
            ArrowFileReader(ByteArrayReadableSeekableByteChannel(bytes), allocator, CommonsCompressionFactory.INSTANCE)
        Format.STREAM ->
            ArrowStreamReader(ByteArrayInputStream(bytes), allocator, CommonsCompressionFactory.INSTANCE)
    }

    /** Reads all batches, and passes each to [block], which borrows it. Returns the number of batches. */
    fun read(format: Format, bytes: ByteArray, allocator: BufferAllocator, block: (RecordBatch) -> Unit): Int {
        var count = 0
        reader(format, bytes, allocator).use { reader ->
            val root = reader.vectorSchemaRoot
            while (reader.loadNextBatch()) {
                count++
                ArrowVectors.toRecordBatch(root, reader).use(block)
            }
        }
        return count
    }

    /** Writes a root as a file or stream; [block] fills it, and writes each batch. */
    fun write(
        format: Format,
        codec: IpcCompression,
        root: VectorSchemaRoot,
        dictionaries: DictionaryProvider,
        footer: Map<String, String> = emptyMap(),
        option: IpcOption = IpcOption.DEFAULT,
        block: (JavaWriter) -> Unit = JavaWriter::writeBatch,
    ): ByteArray {
        val out = ByteArrayOutputStream()
        val channel = Channels.newChannel(out)
        val (factory, type) = when (codec) {
            IpcCompression.NONE -> NoCompressionCodec.Factory.INSTANCE to CodecType.NO_COMPRESSION
            IpcCompression.LZ4_FRAME -> CommonsCompressionFactory.INSTANCE to CodecType.LZ4_FRAME
            IpcCompression.ZSTD -> CommonsCompressionFactory.INSTANCE to CodecType.ZSTD
        }
        val level = Optional.empty<Int>()
        val writer = when (format) {
            Format.FILE -> ArrowFileWriter(root, dictionaries, channel, footer, option, factory, type, level)
            Format.STREAM -> ArrowStreamWriter(root, dictionaries, channel, option, factory, type, level)
        }
        writer.use {
            it.start()
            block(it)
            it.end()
        }
        return out.toByteArray()
    }

    /** Writes a batch as a file or stream. */
    fun write(
        format: Format,
        codec: IpcCompression,
        batch: RecordBatch,
        allocator: BufferAllocator,
        option: IpcOption = IpcOption.DEFAULT,
    ): ByteArray {
        val dictionaries = MapDictionaryProvider()
        try {
            return ArrowVectors.toVectorSchemaRoot(batch, allocator, dictionaries).use { root ->
                write(format, codec, root, dictionaries, option = option)
            }
        } finally {
            dictionaries.dictionaryIds.forEach { dictionaries.lookup(it).vector.close() }
        }
    }

    /** Expects that Arrow Java reads these batches. */
    fun shouldRead(format: Format, bytes: ByteArray, allocator: BufferAllocator, vararg batches: RecordBatch) {
        var count = 0
        read(format, bytes, allocator) {
            it.validate(Validation.FULL)
            withClue("batch $count") { it.valueDifference(batches[count]).shouldBeNull() }
            count++
        } shouldBe batches.size
    }
}
