// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.RecordBatch
import org.arbalest.device.ipc.ArrowFile
import org.arbalest.device.ipc.ArrowStream
import org.arbalest.device.ipc.IpcCompression
import org.arbalest.device.ipc.IpcException
import org.arbalest.device.ipc.IpcReadOptions
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.Schema
import java.io.FilterInputStream
import java.io.InputStream
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.file.Path
import kotlin.io.path.fileSize
import kotlin.io.path.inputStream

/** The two forms of Arrow's IPC format. */
internal enum class ArrowKind {
    FILE,
    STREAM,
}

/** An open Arrow file or stream, which is read from its begin to its end. */
internal interface ArrowInput : DeviceArrayReader.Source<RecordBatch> {
    val kind: ArrowKind
    val schema: Schema

    /** The metadata of a file's footer. */
    val footer: Metadata

    /** The metadata of the last batch's message. */
    val metadata: Metadata

    /** The compression of the last batch. */
    val compression: IpcCompression

    /** The part of the input that was read, from 0 to [size]. */
    val position: Long
    val size: Long
}

/**
 * Opens an Arrow file or stream, which its first bytes tell apart.
 *
 * @throws IllegalArgumentException if it is neither
 */
internal fun openArrow(path: Path, options: IpcReadOptions = IpcReadOptions.defaults()): ArrowInput = naming(path) {
    when (arrowKind(path)) {
        ArrowKind.FILE -> FileInput(ArrowFile.open(path, options))
        ArrowKind.STREAM -> {
            val counted = CountedInput(path.inputStream())
            try {
                StreamInput(ArrowStream.open(counted, options), counted, path.fileSize())
            } catch (t: Throwable) {
                counted.close()
                throw t
            }
        }
    }
}

/** Runs [block]. The error of a malformed input names the path. */
internal inline fun <T> naming(path: Path, block: () -> T): T = try {
    block()
} catch (e: IpcException) {
    throw IllegalArgumentException(if (e.file() == null) "$path: ${e.message}" else e.message, e)
}

/** More than the metadata of any schema that this program reads without the mark of a message. */
private const val LARGEST_OLD_SCHEMA = 16 shl 20

internal fun arrowKind(path: Path): ArrowKind {
    val start = path.inputStream().use { it.readNBytes(8) }
    require(start.isNotEmpty()) { "$path is empty; an Arrow stream has at least its schema" }
    if (String(start, Charsets.ISO_8859_1).startsWith("ARROW1")) return ArrowKind.FILE
    if (start.size == 8) {
        // The mark of a message; before Arrow 0.15, a stream began with the length of the schema.
        val first = ByteBuffer.wrap(start).order(ByteOrder.LITTLE_ENDIAN).getInt()
        if (first == -1 || first in 1..LARGEST_OLD_SCHEMA) return ArrowKind.STREAM
    }
    throw IllegalArgumentException("$path is neither an Arrow file nor an Arrow stream: it begins with the bytes " +
        start.joinToString(" ") { "%02x".format(it) })
}

private class FileInput(private val file: ArrowFile) : ArrowInput {
    private var next = 0

    override val kind = ArrowKind.FILE
    override val schema: Schema = file.schema()
    override val footer: Metadata = file.metadata()
    override val metadata: Metadata get() = file.metadata(next - 1)
    override val compression: IpcCompression get() = file.compression(next - 1)
    override val position: Long get() = next.toLong()
    override val size: Long = file.batchCount().toLong()

    override fun next(): RecordBatch? = if (next == file.batchCount()) null else file.batch(next++)

    override fun close() = file.close()
}

private class StreamInput(
    private val stream: ArrowStream,
    private val input: CountedInput,
    override val size: Long,
) : ArrowInput {
    override val kind = ArrowKind.STREAM
    override val schema: Schema = stream.schema()
    override val footer: Metadata = Metadata.empty()
    override val metadata: Metadata get() = stream.metadata()
    override val compression: IpcCompression get() = stream.compression()
    override val position: Long get() = input.count

    override fun next(): RecordBatch? = stream.next()

    override fun close() = stream.close()
}

/** Counts the bytes that are read or skipped. */
private class CountedInput(input: InputStream) : FilterInputStream(input) {
    var count = 0L
        private set

    override fun read(): Int = super.read().also { if (it >= 0) count++ }

    override fun read(bytes: ByteArray, offset: Int, length: Int): Int =
        super.read(bytes, offset, length).also { if (it > 0) count += it }

    override fun skip(bytes: Long): Long = super.skip(bytes).also { count += it }
}
