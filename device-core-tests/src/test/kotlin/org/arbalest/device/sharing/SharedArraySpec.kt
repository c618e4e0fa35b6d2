// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.sharing

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.support.SharingFake
import org.arbalest.device.support.fromElsewhere
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.EveryType
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers
import java.nio.ByteBuffer
import java.nio.ByteOrder.LITTLE_ENDIAN
import java.util.concurrent.atomic.AtomicInteger
import kotlin.random.Random

/**
 * Shared and opened arrays of a device whose other process is this one. CudaSharingSoakSpec and RocmSharingSoakSpec use
 * a GPU and another process.
 */
class SharedArraySpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    val device = Devices.device(SharingFake.TYPE, 0)

    afterTest { SharingFake.shouldBeLeft() }

    fun RecordBatch.shared(): SharedArray = use { it.copyTo(device.shareableMemory().get(), device.defaultStream()) }
        .use { SharedArray.of(it) }

    fun DeviceArray.here(): DeviceArray = copyTo(Devices.cpu()).also { it.synchronize() }

    test(
        "arrays of every type, and slices, are opened unchanged without a copy, and each side keeps them open [IPC-01]",
    ) {
        for ((from, count) in listOf(0L to 30L, 3L to 21L, 30L to 0L)) {
            EveryType.batch(5, 30).use { it.slice(from, count) }.use { source ->
                val shared = source.retain().shared()
                val closed = AtomicInteger()
                val memories = SharingFake.live
                SharedArray.open(shared.message().fromElsewhere()) { closed.incrementAndGet() }.use { array ->
                    SharingFake.live shouldBe memories
                    array.device() shouldBe device
                    array.here().use { source.difference(it).shouldBeNull() }
                    array.slice(0, count).use { closed.get() shouldBe 0 }
                }
                eventually("the callback is called") { closed.get() == 1 }
                shared.isOpen shouldBe true
                shared.close()
                shared.close()
                shared.isOpen shouldBe false
                eventually("the array is freed before the next one is counted") { SharingFake.live == 0 }
            }
        }
    }

    test("a shared array stays until it is no longer shared, even if its array is closed [IPC-03]") {
        val shared = numbers(100).shared()
        SharingFake.live shouldBe 1
        SharedArray.open(shared.message().fromElsewhere()) {}.use { array ->
            array.here().asRecordBatch().use { it.column("a").getLong(99) shouldBe 297 }
        }
        shared.close()
        eventually("the array is freed") { SharingFake.live == 0 }
    }

    /** Returns a batch of two columns in two allocations. */
    fun twoAllocations(): DeviceArray {
        fun single(value: Long) = BatchBuilder.of(Devices.cpu(), 1).use { it.int64("n", longArrayOf(value)).build() }
            .use { it.copyTo(device.shareableMemory().get(), device.defaultStream()) }
        val columns = listOf(single(1), single(2))
        val data = columns.map { column -> column.use { ArrayData.of(it) } }
        return DeviceArray.of(
            Schema.of(Field.of("a", DataType.INT64), Field.of("b", DataType.INT64)).asField(),
            ArrayData.of(1, 0, listOf(null), data.flatMap { it.children() }),
        )
    }

    test("each allocation is closed, and the callback is called once, after the last one [IPC-03]") {
        val shared = twoAllocations().use { SharedArray.of(it) }
        val calls = AtomicInteger()
        SharedArray.open(shared.message().fromElsewhere()) { calls.incrementAndGet() }.use { array ->
            SharingFake.opened.size shouldBe 2
            array.here().asRecordBatch().use { it.column("b").getLong(0) shouldBe 2 }
            calls.get() shouldBe 0
        }
        eventually("both are closed and the callback is called") { SharingFake.opened.isEmpty() && calls.get() == 1 }
        shared.close()
    }

    test("an array with an allocation that cannot be shared is rejected before any allocation is exported [IPC-04]") {
        twoAllocations().use { both ->
            val before = SharingFake.exports.get()
            for (address in SharingFake.addresses()) {
                SharingFake.refused = address
                val error = shouldThrow<DeviceException> { SharedArray.of(both) }
                error.errno() shouldBe Errno.EINVAL
                error.message shouldContain "this memory has no handle; copy it to the device's shareableMemory()"
                SharingFake.exports.get() shouldBe before
            }
            SharingFake.refused = 0
            SharedArray.of(both).close()
            SharingFake.exports.get() shouldBe before + 2
        }
    }

    test("a message with one handle for two allocations is rejected before anything is opened [IPC-06]") {
        twoAllocations().use { SharedArray.of(it) }.use { shared ->
            val message = shared.message()
            val words = ByteBuffer.wrap(message)
            val (first, second) = SharingFake.addresses().sorted()
            words.putLong((36..message.size - 8).single { words.getLong(it) == second }, first)
            shouldThrow<DeviceException> { SharedArray.open(message.fromElsewhere()) {} }.run {
                errno() shouldBe Errno.EINVAL
                this.message shouldContain "the same handle for the allocations 0 and 1"
            }
            SharingFake.opened.size shouldBe 0
        }
    }

    test("a process does not open its own shared array, and is notified that nothing is open [IPC-04]") {
        numbers(10).shared().use { shared ->
            val calls = AtomicInteger()
            shouldThrow<DeviceException> { SharedArray.open(shared.message()) { calls.incrementAndGet() } }
                .message shouldContain "from this process"
            calls.get() shouldBe 1
        }
        numbers(10).use { host -> shouldThrow<DeviceException> { SharedArray.of(host) }.errno() shouldBe Errno.ENOSYS }
    }

    test("a message that is cut short, or changed anywhere, is rejected [IPC-06]") {
        numbers(10).shared().use { shared ->
            val good = shared.message().fromElsewhere()
            for (length in good.indices) shouldThrow<DeviceException> { SharedArray.open(good.copyOf(length)) {} }
                .errno() shouldBe Errno.EINVAL
            for (i in good.indices) shouldThrow<DeviceException> {
                SharedArray.open(good.clone().also { it[i] = (it[i] + 1).toByte() }) {}
            }.errno() shouldBe Errno.EINVAL
            SharedArray.open(good) {}.close()
        }
    }

    test(
        "a message with a valid checksum cannot open or read memory that does not exist, and calls back once " +
            "[IPC-06, IPC-09]",
    ) {
        val random = Random(18)
        EveryType.batch(5, 30).shared().use { shared ->
            val good = shared.message()
            val calls = AtomicInteger()
            val said = mutableSetOf<String>()
            var opened = 0
            repeat(2000) {
                val bad = good.clone()
                repeat(1 + random.nextInt(3)) {
                    val at = 36 + random.nextInt(bad.size - 36)
                    bad[at] = if (random.nextBoolean()) random.nextInt().toByte()
                    else listOf(0, -1, 127, 1).random(random).toByte()
                }
                try {
                    SharedArray.open(bad.fromElsewhere()) { calls.incrementAndGet() }.use { array ->
                        opened++
                        array.here().close()
                    }
                } catch (e: DeviceException) {
                    said += e.message.orEmpty().replace(Regex("[0-9]+"), "n").take(100)
                }
                withClue(it) { SharingFake.wrong.toList().shouldBeEmpty() }
            }
            opened shouldBeGreaterThan 100
            withClue(said.joinToString("\n")) {
                for (words in listOf("bytes at n of an allocation of n", "bytes, but needs n",
                    "is in allocation n, of n", "is negative")) said.any { words in it } shouldBe true
            }
            eventually("every attempt has called back once") { calls.get() == 2000 }
        }
    }

    test("a buffer must be within its allocation to the byte, and an allocation have its declared size [IPC-09]") {
        numbers(8).shared().use { shared ->
            val good = shared.message()
            val words = ByteBuffer.wrap(good).order(LITTLE_ENDIAN)
            val size = SharingFake.sizes().single()
            val places = (36..good.size - 8).filter { words.getLong(it) == size }
            val changed = good.clone().also {
                ByteBuffer.wrap(it).order(LITTLE_ENDIAN).putLong(places.first(), size + 1)
            }
            shouldThrow<DeviceException> { SharedArray.open(changed.fromElsewhere()) {} }.message shouldContain
                "is declared with ${size + 1} bytes, but has $size"
            // the buffers of the second column
            val buffers = (36..good.size - 16).filter { words.getLong(it) == 64L && words.getLong(it + 8) == 64L }
            val beyond = good.clone().also {
                ByteBuffer.wrap(it).order(LITTLE_ENDIAN).putLong(buffers.last(), size - 63)
            }
            shouldThrow<DeviceException> { SharedArray.open(beyond.fromElsewhere()) {} }.message shouldContain
                "bytes at ${size - 63} of an allocation of $size"
        }
    }
})
