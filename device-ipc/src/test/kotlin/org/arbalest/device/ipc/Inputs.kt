// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.Validation
import java.io.ByteArrayInputStream
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.nio.ByteBuffer
import java.nio.channels.Channels
import java.nio.channels.ReadableByteChannel
import java.nio.channels.SeekableByteChannel
import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.deleteIfExists
import kotlin.io.path.writeBytes

/** All ways to read the bytes of a file or stream to the end. */
internal enum class Inputs(val isFile: Boolean) {
    MAPPED_FILE(true),
    FILE_BY_PATH_AND_CHANNEL(true),
    FILE_CHANNEL(true),
    FILE_SEGMENT(true),
    STREAM_CHANNEL(false),
    INPUT_STREAM(false),
    STREAM_SEGMENT(false),
    ;

    /** Opens the bytes, reads every batch, and closes all. Returns the number of rows. */
    fun read(
        bytes: ByteArray,
        options: IpcReadOptions = IpcReadOptions.defaults(),
        use: (RecordBatch) -> Unit = ::readEveryValue,
    ): Long = when (this) {
        MAPPED_FILE -> atPath(bytes) { read(ArrowFile.open(it, options), use) }
        FILE_BY_PATH_AND_CHANNEL -> atPath(bytes) { read(ArrowFile.open(it, inMemory(options)), use) }
        FILE_CHANNEL -> read(ArrowFile.open(ByteChannel(bytes), options), use)
        FILE_SEGMENT -> inSegment(bytes) { segment, onFree -> read(ArrowFile.open(segment, onFree, options), use) }
        STREAM_CHANNEL -> read(ArrowStream.open(channel(bytes), options), use)
        INPUT_STREAM -> read(ArrowStream.open(ByteArrayInputStream(bytes), options), use)
        STREAM_SEGMENT -> inSegment(bytes) { segment, onFree -> read(ArrowStream.open(segment, onFree, options), use) }
    }

    companion object {
        val files = entries.filter { it.isFile }
        val streams = entries.filter { !it.isFile }

        /** The inputs that need no file in a folder, which takes more time than the rest. */
        val quick = entries - MAPPED_FILE - FILE_BY_PATH_AND_CHANNEL

        private val path: Path by lazy {
            Files.createTempFile("arbalest", ".arrow").also { it.toFile().deleteOnExit() }
        }

        private fun inMemory(options: IpcReadOptions) = options.withMemory(Devices.cpu().memory())

        private fun channel(bytes: ByteArray): ReadableByteChannel = Channels.newChannel(ByteArrayInputStream(bytes))

        private fun <T> atPath(bytes: ByteArray, action: (Path) -> T): T {
            path.deleteIfExists() // a mapped file must not become shorter
            path.writeBytes(bytes)
            return action(path)
        }

        private fun <T> inSegment(bytes: ByteArray, action: (MemorySegment, Runnable) -> T): T =
            Arena.ofConfined().use { arena ->
                val segment = arena.allocate(bytes.size.toLong().coerceAtLeast(1), 64).asSlice(0, bytes.size.toLong())
                segment.copyFrom(MemorySegment.ofArray(bytes))
                var isOpened = false
                var freed = 0
                try {
                    action(segment, { freed++ }).also { isOpened = true }
                } finally {
                    check(freed <= 1 && (freed == 1 || !isOpened)) { "onFree ran $freed times" }
                }
            }

        private fun read(file: ArrowFile, use: (RecordBatch) -> Unit): Long = file.use {
            var rows = 0L
            for (i in 0 until file.batchCount()) file.batch(i).use { batch ->
                rows += batch.length()
                use(batch)
            }
            file.metadata()
            rows.also { check(file.rowCount() == rows) { "rowCount() is ${file.rowCount()} instead of $rows" } }
        }

        private fun read(stream: ArrowStream, use: (RecordBatch) -> Unit): Long = stream.use {
            var rows = 0L
            while (true) rows += (stream.next() ?: break).use { batch -> batch.length().also { use(batch) } }
            stream.metadata()
            rows
        }

        /** Validates a batch again, and reads its values: all of them, or some of a batch with very many rows. */
        fun readEveryValue(batch: RecordBatch) {
            batch.validate(Validation.FULL)
            val column = batch.asColumn()
            val most = 300L
            try {
                for (row in 0 until minOf(most, column.length())) column.get(row)
                for (row in maxOf(most, column.length() - 3) until column.length()) column.get(row)
            } catch (e: IllegalArgumentException) {
                // the row of a struct with two fields of one name is no map
                if ("ask by the index" !in e.message!!) throw e
            }
        }
    }
}

/** A file in memory that is read as a channel. */
internal class ByteChannel(private val bytes: ByteArray) : SeekableByteChannel {
    private var position = 0L
    private var isOpen = true

    override fun read(target: ByteBuffer): Int {
        check(isOpen) { "closed" }
        val count = minOf(target.remaining().toLong(), bytes.size - position).toInt()
        if (count <= 0) return if (target.hasRemaining()) -1 else 0
        target.put(bytes, position.toInt(), count)
        position += count
        return count
    }

    override fun position(): Long = position

    override fun position(newPosition: Long) = apply { position = newPosition }

    override fun size(): Long = bytes.size.toLong()

    override fun isOpen(): Boolean = isOpen

    override fun close() {
        isOpen = false
    }

    override fun write(source: ByteBuffer): Int = throw UnsupportedOperationException()

    override fun truncate(size: Long) = throw UnsupportedOperationException()
}
