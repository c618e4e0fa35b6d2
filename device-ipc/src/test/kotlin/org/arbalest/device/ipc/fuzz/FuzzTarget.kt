// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.fuzz

import org.arbalest.device.Validation
import org.arbalest.device.ipc.Inputs
import org.arbalest.device.ipc.IpcException
import org.arbalest.device.ipc.IpcReadOptions
import org.arbalest.device.ipc.internal.compress.Codec
import org.arbalest.device.ipc.internal.compress.MalformedCompression
import org.arbalest.device.monitoring.ResourceCounters
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.nio.MappedByteBuffer
import java.nio.channels.FileChannel
import java.nio.file.Path
import java.nio.file.StandardOpenOption.CREATE
import java.nio.file.StandardOpenOption.READ
import java.nio.file.StandardOpenOption.WRITE

/**
 * A target that Jazzer calls with bytes again and again. It reads the bytes in several ways. The result must be the
 * documented exception, or batches whose every value can be read. No resources may be left.
 */
internal abstract class FuzzTarget {
    protected abstract fun run(data: ByteArray)

    /** Runs one input, and checks the resource counters. */
    fun fuzz(data: ByteArray) {
        note(data)
        val before = ResourceCounters.now()
        run(data)
        val left = ResourceCounters.now().since(before)
        check(left.isZero) { "the input left resources: $left" }
    }

    companion object {
        /**
         * The property with the path of the file that holds the last input, because a JVM that crashes cannot report
         * it.
         */
        const val LAST = "arbalest.fuzz.last"

        private const val MOST_BYTES = 1 shl 16

        private val last: MappedByteBuffer? = System.getProperty(LAST)?.let { path ->
            FileChannel.open(Path.of(path), CREATE, READ, WRITE).use {
                it.map(FileChannel.MapMode.READ_WRITE, 0, MOST_BYTES + 4L)
            }
        }

        private fun note(data: ByteArray) {
            val to = last ?: return
            val size = minOf(data.size, MOST_BYTES)
            to.putInt(0, size)
            to.put(4, data, 0, size)
        }

        private val OPTIONS = IpcReadOptions.defaults().withValidation(Validation.FULL)
            .withMaxAllocation(1L shl 22)

        /** Reads the bytes in some ways, which must agree about the rows. */
        fun read(data: ByteArray, vararg inputs: Inputs) {
            val rows = inputs.map { input ->
                try {
                    input.read(data, OPTIONS)
                } catch (e: IpcException) {
                    check(e.position() in 0..data.size) { "the position is outside of ${data.size} bytes: $e" }
                    null
                }
            }
            check(rows.distinct().size == 1) { "${inputs.toList()} read $rows rows" }
        }
    }
}

/** A target with a bug that only coverage leads to. A search that does not find it finds nothing. */
internal object PlantedBug : FuzzTarget() {
    override fun run(data: ByteArray) {
        fun has(at: Int, letter: Char) = at < data.size && data[at] == letter.code.toByte()
        if (has(0, 'A') && has(1, 'R') && has(2, 'R')) error("the planted bug")
    }

    @JvmStatic
    fun fuzzerTestOneInput(data: ByteArray) = fuzz(data)
}

/** Files, by a channel and in memory. */
internal object FuzzFile : FuzzTarget() {
    override fun run(data: ByteArray) = read(data, Inputs.FILE_CHANNEL, Inputs.FILE_SEGMENT)

    @JvmStatic
    fun fuzzerTestOneInput(data: ByteArray) = fuzz(data)
}

/** Streams, by an input stream and in memory. */
internal object FuzzStream : FuzzTarget() {
    override fun run(data: ByteArray) = read(data, Inputs.INPUT_STREAM, Inputs.STREAM_SEGMENT)

    @JvmStatic
    fun fuzzerTestOneInput(data: ByteArray) = fuzz(data)
}

/**
 * LZ4 frames: the decoder writes to no byte outside of the target, and reads none outside of the source. The first two
 * bytes are the size of the target.
 */
internal object FuzzLz4 : FuzzTarget() {
    private const val GUARD = 64L
    private const val FILL: Byte = 0x5a

    override fun run(data: ByteArray) {
        if (data.size < 2) return
        val size = (data[0].toLong() and 0xff) or (data[1].toLong() and 0xff shl 8)
        val frame = data.size - 2L
        Arena.ofConfined().use { arena ->
            // the result must not depend on the bytes behind the source
            val results = listOf<Byte>(0, -1).map { behind ->
                val source = arena.allocate(frame + GUARD).fill(behind).asSlice(0, frame)
                source.copyFrom(MemorySegment.ofArray(data).asSlice(2))
                val all = arena.allocate(size + 2 * GUARD).fill(FILL)
                val target = all.asSlice(GUARD, size)
                val isWhole = try {
                    Codec.of(org.arbalest.device.ipc.IpcCompression.LZ4_FRAME, 0).decompress(source, target, null)
                    true
                } catch (e: MalformedCompression) {
                    check(e.position() in 0..frame) { e }
                    false
                }
                for (i in 0 until GUARD) {
                    check(all.get(JAVA_BYTE, i) == FILL) { "byte ${i - GUARD} changed" }
                    check(all.get(JAVA_BYTE, size + GUARD + i) == FILL) { "byte ${size + i} of $size changed" }
                }
                if (isWhole) target.toArray(JAVA_BYTE).toList() else null
            }
            check(results[0] == results[1]) { "the result depends on bytes behind the source" }
        }
    }

    @JvmStatic
    fun fuzzerTestOneInput(data: ByteArray) = fuzz(data)
}
