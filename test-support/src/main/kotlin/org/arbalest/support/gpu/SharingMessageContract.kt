// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.gpu

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.funSpec
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.sharing.SharedArray
import org.arbalest.support.gpu.GpuDouble.Live
import org.arbalest.testkit.contract.eventually
import java.nio.ByteBuffer
import java.nio.ByteOrder.LITTLE_ENDIAN
import java.util.HexFormat
import java.util.concurrent.atomic.AtomicInteger
import java.util.zip.CRC32C
import kotlin.random.Random

/** The contract of damaged or false messages: they have no effect. */
fun sharingMessageContract(backend: GpuBackend): TestFactory = funSpec {
    fun message(rows: Int): ByteArray = manyLayouts(rows).use { backend.toShareable(it, backend.gpu(0)) }.use { array ->
        SharedArray.of(array).use { it.message() }
    }

    fun refused(message: ByteArray): DeviceException {
        val closed = AtomicInteger()
        val error = shouldThrow<DeviceException> { SharedArray.open(message) { closed.incrementAndGet() } }
        closed.get() shouldBe 1
        return error
    }

    test("a message that is truncated, extended, changed or of another version is rejected with the reason [IPC-06]") {
        val good = message(20)
        for (length in good.indices) refused(good.copyOf(length)).errno() shouldBe Errno.EINVAL
        refused(good + 0).message shouldContain "its checksum is wrong"
        refused("GET / HTTP/1.1 and more".encodeToByteArray()).message shouldContain
            "are not a message of a shared array"
        refused(good.clone().also { it[8] = 2 }).message shouldContain "has version 2, and this release reads version 1"
        refused(good.checked(good.size + 3)).message shouldContain "3 bytes after its end"
        refused(good.checked(good.size - 3)).message shouldContain "the message ends at byte"
        for (i in 12 until good.size) refused(good.clone().also { it[i] = (it[i] + 1).toByte() }).message shouldContain
            "its checksum is wrong"
        backend.hasNothingLeft()
    }

    test("an allocation smaller than its message says, even by a byte, is closed and rejected [IPC-09]") {
        SharingPeer(backend).use { peer ->
            val message = HexFormat.of().parseHex(peer.ask("share", "0", "100"))
            val words = ByteBuffer.wrap(message).order(LITTLE_ENDIAN)
            val place = (0..message.size - 8).first { words.getLong(it) == ALLOCATED }
            for (bytes in listOf(ALLOCATED + 1, 2 * ALLOCATED, 1L shl 32)) {
                words.putLong(place, bytes)
                refused(message.checked(message.size)).errno() shouldBe Errno.EINVAL
                backend.double.live(Live.OPENED) shouldBe 0
            }
            words.putLong(place, ALLOCATED)
            SharedArray.open(message.checked(message.size)) {}.use { it.length() shouldBe 100 }
        }
        backend.hasNothingLeft()
        backend.double.violation shouldBe ""
    }

    test(
        "a damaged message with a correct checksum is rejected, or its array is copied within its allocation " +
            "[IPC-06]",
    ) {
        SharingPeer(backend).use { peer -> // objects that this peer shares can be opened here
            val good = HexFormat.of().parseHex(peer.ask("shareMany", "0", "20"))
            val said = mutableSetOf<String>()
            val closed = AtomicInteger()
            var opened = 0
            for (bad in damaged(good, Random(18)).take(4000)) {
                try {
                    SharedArray.open(bad) { closed.incrementAndGet() }.use { array ->
                        opened++
                        array.copyTo(Devices.cpu()).use { it.synchronize() }
                    }
                } catch (e: DeviceException) {
                    said += e.message.orEmpty().replace(Regex("[0-9]+"), "n").take(100)
                }
                backend.double.violation shouldBe ""
            }
            withClue(said.joinToString("\n")) {
                val expected = listOf("bytes at n of an allocation of n", "bytes, but needs n",
                    "is in allocation n, of n", "is negative", "buffers, but an array of type", "has the UUID")
                for (words in expected) said.any { words in it } shouldBe true
            }
            opened.toLong() shouldBeGreaterThan 100
            eventually("each open, also a failed one, is notified once") { closed.get() == 4000 }
        }
        backend.hasNothingLeft()
    }
}

/** Returns messages with some changed bytes after the sender's identification; each has a correct checksum. */
private fun damaged(good: ByteArray, random: Random): Sequence<ByteArray> = generateSequence {
    val bad = good.clone()
    repeat(1 + random.nextInt(3)) {
        val at = 36 + random.nextInt(bad.size - 36)
        bad[at] = if (random.nextBoolean()) random.nextInt().toByte() else listOf(0, -1, 127, 1).random(random).toByte()
    }
    bad.checked(bad.size)
}

/** Returns these bytes, shortened or extended, with a correct checksum. */
fun ByteArray.checked(size: Int): ByteArray {
    val bytes = copyOf(size)
    val checksum = CRC32C().apply { update(bytes, 16, size - 16) }
    ByteBuffer.wrap(bytes).order(LITTLE_ENDIAN).putInt(12, checksum.value.toInt())
    return bytes
}

/** The unit of a simulator's shareable allocations, in bytes. */
private const val ALLOCATED = 2L shl 20
