// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.compress

import io.kotest.assertions.withClue
import io.kotest.matchers.shouldBe
import org.arbalest.device.MemoryManager
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import kotlin.random.Random

private const val GUARD = 64L
private const val GUARD_BYTE: Byte = 0x5A

/** Buffers of each size and content that the codecs must bring back. */
internal fun buffers(): List<Pair<String, ByteArray>> =
    listOf(0, 1, 7, 65_535, 65_536, 65_537, (4 shl 20) - 1, (4 shl 20) + 1).flatMap { size ->
        listOf(
            "$size random bytes" to Random(size).nextBytes(size),
            "$size bytes of small numbers" to
                Random(size).let { random -> ByteArray(size) { if (it % 4 == 0) random.nextInt(9).toByte() else 0 } }
        )
    } +
        listOf(1, 2, 3, 7, 8, 9).flatMap { period ->
            listOf(64, 1000, 70_001).map { size -> "$size bytes that repeat every $period" to repeating(size, period) }
        }

internal fun repeating(size: Int, period: Int) = ByteArray(size) { (it % period * 31 + 5).toByte() }

/** Returns a buffer of few long phrases, for encoders that are slow. */
internal fun phrases(size: Int): ByteArray {
    val random = Random(42)
    val phrases = List(8) { random.nextBytes(1500) }
    val bytes = generateSequence { phrases[random.nextInt(8)] }.take(size / 1500 + 1).toList()
    return bytes.flatMap { it.asIterable() }.take(size).toByteArray()
}

internal fun Arena.copyOf(bytes: ByteArray): MemorySegment =
    allocate(bytes.size.toLong(), 1).also { it.copyFrom(MemorySegment.ofArray(bytes)) }

internal fun Codec.compressed(bytes: ByteArray): ByteArray =
    Arena.ofConfined().use { arena ->
        val target = arena.allocate(maxCompressedSize(bytes.size.toLong()))
        target.asSlice(0, compress(arena.copyOf(bytes), target)).toArray(JAVA_BYTE)
    }

/** Decompresses into a target between guards, and checks that they are unchanged, also after an error. */
internal fun Codec.decompressed(bytes: ByteArray, size: Int, copies: MemoryManager? = null): ByteArray =
    Arena.ofConfined().use { arena ->
        val guarded = arena.allocate(size + 2 * GUARD).fill(GUARD_BYTE)
        val target = guarded.asSlice(GUARD, size.toLong())
        try {
            decompress(arena.copyOf(bytes).asReadOnly(), target, copies)
        } finally {
            val guards = guarded.asSlice(0, GUARD).toArray(JAVA_BYTE) +
                guarded.asSlice(GUARD + size, GUARD).toArray(JAVA_BYTE)
            withClue("the guards around the target") { guards.all { it == GUARD_BYTE } shouldBe true }
        }
        target.toArray(JAVA_BYTE)
    }

/** Returns the decompressed bytes, or null if the source is malformed. Any other error is the test's. */
internal fun Codec.decompressedOrNull(bytes: ByteArray, size: Int): ByteArray? =
    try {
        decompressed(bytes, size)
    } catch (e: MalformedCompression) {
        withClue(e.message) { (e.position() in 0..bytes.size) shouldBe true }
        null
    }

/** Calls [check] with each change of one byte to each of some values, and the number of the byte. */
internal fun ByteArray.mutations(check: (Int, ByteArray) -> Unit) {
    for (at in indices) {
        for (change in listOf(1, 2, 4, 8, 16, 32, 64, 128, 255)) {
            check(at, copyOf().also { it[at] = (it[at].toInt() xor change).toByte() })
        }
    }
}

/** Returns [count] copies with one to eight random bytes at random places, the same ones in each run. */
internal fun ByteArray.randomMutations(count: Int): Sequence<ByteArray> {
    val random = Random(7)
    return generateSequence {
        copyOf().also { copy ->
            repeat(random.nextInt(1, 9)) { copy[random.nextInt(size)] = random.nextInt().toByte() }
        }
    }.take(count)
}
