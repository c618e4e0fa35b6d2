// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.compress

import com.github.luben.zstd.Zstd
import com.github.luben.zstd.ZstdCompressCtx
import com.github.luben.zstd.ZstdInputStream
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeLessThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Devices
import org.arbalest.device.ipc.IpcCompression.ZSTD
import kotlin.random.Random

private fun theirs(bytes: ByteArray, sized: Boolean, checksum: Boolean): ByteArray =
    ZstdCompressCtx().use { it.setContentSize(sized).setChecksum(checksum).compress(bytes) }

private val small = repeating(40, 40) + repeating(60, 3) + repeating(30, 30) + repeating(40, 40)
private val skippable = byteArrayOf(0x53, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 9, 9, 9)

class ZstdCodecSpec : FunSpec({
    val codecs = mapOf("native" to Codec.of(ZSTD, 0), "Java" to ZstdCodec(ZstdLibrary(0, false)))

    for ((name, codec) in codecs) {
        test("each buffer comes back, and other decoders read it ($name)") {
            // The encoder in Java is slow until it is compiled.
            val most = if (name == "Java") 100_000 else Int.MAX_VALUE
            for ((what, bytes) in buffers().filter { (_, bytes) -> bytes.size <= most }) {
                withClue(what) {
                    val frame = codec.compressed(bytes)
                    codec.decompressed(frame, bytes.size).contentEquals(bytes) shouldBe true
                    ZstdInputStream(frame.inputStream()).use { it.readAllBytes() }.contentEquals(bytes) shouldBe true
                }
            }
        }

        test("frames of another encoder are read, with and without a size and a checksum ($name)") {
            for (bytes in listOf(phrases(200_000), small, ByteArray(0))) {
                for (flags in 0 until 4) {
                    val frame = theirs(bytes, flags and 1 != 0, flags and 2 != 0)
                    codec.decompressed(frame, bytes.size).contentEquals(bytes) shouldBe true
                    codec.decompressed(frame + skippable + frame, 2 * bytes.size) shouldBe bytes + bytes
                }
            }
        }

        test("a mapped source is copied by frames, not whole ($name) [FIL-20]") {
            val bytes = Random(1).nextBytes(10_000)
            val frame = theirs(bytes, sized = true, checksum = false)
            val copies = Devices.cpu().memory().metered()
            val all = List(10) { frame }.reduce(ByteArray::plus)
            codec.decompressed(all, 100_000, copies) shouldBe List(10) { bytes }.reduce(ByteArray::plus)
            copies.statistics().peakBytes() shouldBeLessThan 11_000
            copies.statistics().totalBytes() shouldBe 10L * frame.size
            copies.statistics().currentBytes() shouldBe 0
        }

        test("another size than the target's is an error ($name)") {
            for (frame in listOf(theirs(small, sized = true, checksum = false), theirs(small, false, true))) {
                for (size in listOf(0, 1, small.size - 1, small.size + 1)) {
                    withClue("size $size") { codec.decompressedOrNull(frame, size) shouldBe null }
                }
                codec.decompressedOrNull(frame + 0, small.size) shouldBe null
            }
            shouldThrow<MalformedCompression> { codec.decompressed(skippable, 0) }.message shouldContain "no Zstandard"
        }

        test("a frame that ends anywhere too early is an error ($name)") {
            val frame = theirs(small, sized = true, checksum = true)
            for (end in frame.indices) {
                withClue("end $end") { codec.decompressedOrNull(frame.copyOf(end), small.size) shouldBe null }
            }
        }

        test("a changed byte is an error, if a checksum covers it, and never writes outside of the target ($name)") {
            theirs(small, sized = true, checksum = true).mutations { at, frame ->
                val read = codec.decompressedOrNull(frame, small.size)
                withClue("byte $at") { (read == null || read.contentEquals(small)) shouldBe true }
            }
            theirs(small, sized = false, checksum = false).mutations { _, frame ->
                codec.decompressedOrNull(frame, small.size)
            }
        }

        test("random changes are an error or other bytes, and nothing else ($name)") {
            val bytes = repeating(300, 5) + phrases(2000) + repeating(500, 300)
            for (frame in codec.compressed(bytes).randomMutations(3000)) codec.decompressedOrNull(frame, bytes.size)
        }
    }

    test("the level reaches the encoder") {
        val bytes = buffers().first { (what, _) -> what.startsWith("65537 bytes of small") }.second
        Codec.of(ZSTD, 19).compressed(bytes).size shouldBeLessThan Codec.of(ZSTD, 1).compressed(bytes).size
    }

    test("a buffer of more than 16 MiB becomes several frames, which one call of libzstd reads") {
        val bytes = ByteArray((33 shl 20) + 1) { (it ushr 18).toByte() }
        val frames = codecs.getValue("native").compressed(bytes)
        codecs.getValue("native").decompressed(frames, bytes.size).contentEquals(bytes) shouldBe true
        val read = ByteArray(bytes.size)
        Zstd.decompress(read, frames) shouldBe bytes.size.toLong()
        read.contentEquals(bytes) shouldBe true
    }
})
