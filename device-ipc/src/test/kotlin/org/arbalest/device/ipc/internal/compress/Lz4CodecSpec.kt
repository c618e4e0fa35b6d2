// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.compress

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorInputStream
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorOutputStream
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorOutputStream.BlockSize
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorOutputStream.Parameters
import org.arbalest.device.ipc.IpcCompression.LZ4_FRAME
import java.io.ByteArrayOutputStream
import java.lang.foreign.Arena

private fun theirs(bytes: ByteArray, content: Boolean, blocks: Boolean, linked: Boolean): ByteArray =
    ByteArrayOutputStream().also { frame ->
        val parameters = Parameters(BlockSize.K64, content, blocks, linked)
        FramedLZ4CompressorOutputStream(frame, parameters).use { it.write(bytes) }
    }.toByteArray()

private val small = repeating(40, 40) + repeating(60, 3) + repeating(30, 30) + repeating(40, 40)

class Lz4CodecSpec : FunSpec({
    val codec = Codec.of(LZ4_FRAME, 0)

    test("each buffer comes back, and other decoders read it") {
        for ((what, bytes) in buffers()) {
            withClue(what) {
                val frame = codec.compressed(bytes)
                codec.decompressed(frame, bytes.size).contentEquals(bytes) shouldBe true
                val read = FramedLZ4CompressorInputStream(frame.inputStream()).use { it.readAllBytes() }
                read.contentEquals(bytes) shouldBe true
            }
        }
    }

    test("frames with linked or independent blocks, with and without checksums, are read") {
        val bytes = phrases(200_000)
        for (flags in 0 until 8) {
            withClue("flags $flags") {
                val frame = theirs(bytes, flags and 1 != 0, flags and 2 != 0, flags and 4 != 0)
                codec.decompressed(frame, bytes.size).contentEquals(bytes) shouldBe true
            }
        }
    }

    test("a match of an independent block does not reach the block before it") {
        val bytes = phrases(200_000)
        val linked = theirs(bytes, content = false, blocks = false, linked = true)
        linked[4] = (linked[4].toInt() or 0x20).toByte()
        Arena.ofConfined().use { linked[6] = (XxHash32.of(it.copyOf(linked), 4, 2) ushr 8).toByte() }
        shouldThrow<MalformedCompression> { codec.decompressed(linked, bytes.size) }.message shouldContain "bytes back"
    }

    test("several frames and skippable frames are one buffer") {
        val skippable = byteArrayOf(0x53, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 9, 9, 9)
        val frame = codec.compressed(small)
        val both = skippable + frame + skippable + theirs(small, content = true, blocks = true, linked = true)
        codec.decompressed(both, 2 * small.size) shouldBe small + small
        shouldThrow<MalformedCompression> { codec.decompressed(skippable, 0) }.message shouldContain "no LZ4 frame"
    }

    test("another size than the target's is an error") {
        val frames = listOf(codec.compressed(small), theirs(small, content = true, blocks = false, linked = false))
        for (frame in frames) {
            for (size in listOf(0, 1, small.size - 1, small.size + 1)) {
                codec.decompressedOrNull(frame, size) shouldBe null
            }
            codec.decompressedOrNull(frame + 0, small.size) shouldBe null
        }
    }

    test("a frame that ends anywhere too early is an error") {
        for (frame in listOf(codec.compressed(small), theirs(small, content = true, blocks = true, linked = true))) {
            for (end in frame.indices) {
                withClue("end $end") { codec.decompressedOrNull(frame.copyOf(end), small.size) shouldBe null }
            }
        }
    }

    test("a changed byte is an error, if a checksum covers it, and never writes outside of the target") {
        val summed = theirs(small, content = true, blocks = true, linked = true)
        summed.mutations { at, frame ->
            val read = codec.decompressedOrNull(frame, small.size)
            withClue("byte $at") { (read == null || read.contentEquals(small)) shouldBe true }
        }
        codec.compressed(small).mutations { _, frame -> codec.decompressedOrNull(frame, small.size) }
    }

    test("random changes are an error or other bytes, and nothing else") {
        val bytes = repeating(300, 5) + phrases(2000) + repeating(500, 300)
        for (frame in codec.compressed(bytes).randomMutations(5000)) codec.decompressedOrNull(frame, bytes.size)
        // Past the header, whose checksum finds most changes.
        val header = codec.compressed(bytes).copyOf(15)
        val blocks = codec.compressed(bytes).drop(15).toByteArray()
        for (changed in blocks.randomMutations(5000)) codec.decompressedOrNull(header + changed, bytes.size)
    }

    test("a target that is too small to compress into is an error") {
        Arena.ofConfined().use { arena ->
            val target = arena.allocate(codec.maxCompressedSize(100) - 1)
            shouldThrow<IllegalArgumentException> { codec.compress(arena.allocate(100), target) }
        }
    }
})
