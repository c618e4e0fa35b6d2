// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.comparables.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.ArrowDeviceArrayStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.CPeer
import org.arbalest.support.PeerNodes
import org.arbalest.support.PeerStreams
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.fake.FakeCall
import org.arbalest.support.fake.FakeDevice
import org.arbalest.support.fake.FakeExtension
import org.arbalest.testkit.contract.eventually
import java.lang.foreign.Arena
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.time.Duration

/** Tests of core that only the fake device makes possible: single steps, and a failure of each driver call. */
class DeviceFakeSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)
    extension(FakeExtension)

    val cpu = Devices.cpu()
    val device by lazy { Devices.device(DeviceType.EXT_DEV, 0) }
    val pinned by lazy { Devices.device(DeviceType.CUDA_HOST, 0) }
    val fake by lazy { device.let { FakeDevice.of(DeviceType.EXT_DEV, 0) } }

    fun text(rows: Int): RecordBatch = BatchBuilder.of(cpu, rows).use { batch ->
        batch.int64("id", LongArray(rows) { it.toLong() }).utf8("text", List(rows) { "row $it" }).build()
    }

    test("copies and a kernel in one stream start only when the device runs them, in order [DEV-06]") {
        device.createStream().use { stream ->
            fake.hold()
            val there = BatchBuilder.of(cpu, 2).use { it.int64("n", longArrayOf(20, 22)).build() }
                .use { it.copyTo(device, stream) }
            fake.launch(stream, there.column("n").bufferAddress(1), 16) { n ->
                for (i in 0L..1L) n.setAtIndex(JAVA_LONG, i, n.getAtIndex(JAVA_LONG, i) * 2)
            }
            val back = there.use { it.copyTo(cpu, stream) }
            back.isReady shouldBe false
            while (fake.step(stream)) Unit
            back.isReady shouldBe true
            back.use { it.column("n").toLongArray() shouldBe longArrayOf(40, 44) }
        }
    }

    test("synchronize() of an array or a stream returns after the work or its time limit") {
        val moment = Duration.ofMillis(1)
        device.createStream().use { stream ->
            fake.hold()
            val there = text(3).use { it.copyTo(device, stream) }
            there.synchronize(moment) shouldBe false
            while (fake.step(stream)) Unit
            there.synchronize(Duration.ofSeconds(10)) shouldBe true
            device.createStream().use { other ->
                val before = text(1).use { it.copyTo(device, other) }
                other.synchronize(moment) shouldBe false
                fake.release()
                other.synchronize(Duration.ofSeconds(10)) shouldBe true
                before.close()
            }
            stream.synchronize(Duration.ofSeconds(10)) shouldBe true
            there.use { it.copyTo(cpu.memory(), stream) }.use { back ->
                text(3).use { back.difference(it) shouldBe null }
            }
        }
    }

    test("a copy of small columns is one command in each direction") {
        device.createStream().use { stream ->
            fake.hold()
            val there = BatchBuilder.of(cpu, 4).use { batch ->
                repeat(20) { batch.int32("c$it", IntArray(4) { i -> i }) }
                batch.build()
            }.use { it.copyTo(device, stream) }
            fake.pending(stream) shouldBe 2 // the copy and the event
            fake.release()
            fake.hold()
            val back = there.copyTo(cpu, stream)
            fake.pending(stream) shouldBe 2
            fake.release()
            back.use { it.column("c19").getInt(3) shouldBe 3 }
            there.close()
        }
    }

    test("a copy rejects a third device's stream before it queues work, and names all three devices [DEV-21]") {
        val other = Devices.device(DeviceType.EXT_DEV, 1)
        text(10).use { here ->
            other.createStream().use { stream ->
                fun refused(route: String, copy: () -> RecordBatch) {
                    shouldThrow<IllegalArgumentException> { copy() }.message shouldBe
                        "a stream of EXT_DEV:1 was given for a copy $route; use a stream of a device that takes part"
                }
                refused("from CPU to EXT_DEV:0") { here.copyTo(device, stream) }
                here.copyTo(device).use { there ->
                    refused("from EXT_DEV:0 to CPU") { there.copyTo(cpu, stream) }
                    refused("on EXT_DEV:0") { there.copyTo(device, stream) }
                    there.copyTo(other, stream).use { it.synchronize() }
                }
                FakeDevice.of(DeviceType.EXT_DEV, 1).pending(stream) shouldBe 0
            }
        }
    }

    test("a copy reads all offsets that the host needs in one wait") {
        val there = text(100).use { it.copyTo(device) }
        device.createStream().use { stream ->
            fake.hold()
            val copying = Thread.ofPlatform().start { there.copyTo(cpu, stream).use { it.synchronize() } }
            eventually("a command is queued") { fake.pending(stream) != 0 } // the offsets
            fake.step(stream) shouldBe true
            eventually("a command is queued") { fake.pending(stream) != 0 } // the rest
            fake.release()
            copying.join()
        }
        there.close()
    }

    test("pinned memory becomes a CPU array without a copy, and is readable only after its event [DEV-11]") {
        val fakePinned = FakeDevice.of(pinned.type(), 0)
        pinned.createStream().use { stream ->
            fakePinned.hold()
            val array = text(10).use { it.copyTo(pinned, stream) }
            val moved = array.use { it.viewOrCopyTo(cpu) }
            moved.device() shouldBe cpu
            shouldThrow<IllegalStateException> { moved.column("id").getLong(0) }.message shouldContain
                "has not completed"
            val buffers = ResourceCounters.now().buffers()
            fakePinned.release()
            moved.use {
                it.synchronize()
                it.column("text").getString(9) shouldBe "row 9"
                (ResourceCounters.now().buffers() <= buffers) shouldBe true
            }
        }
    }

    test("an import rejects an unknown or NULL event, and releases the array [DEV-03, DEV-12]") {
        val schema = Schema.of(Field.of("id", DataType.INT64), Field.of("name", DataType.UTF8))
        Arena.ofConfined().use { arena ->
            for ((handle, words) in listOf(
                77L to "77, which is not an event of EXT_DEV:0", 0L to "an event that is NULL",
            )) {
                val array = arena.allocate(ArrowArrayStruct.LAYOUT)
                PeerStreams.batch(array, firstId = 0, rows = 1)
                val wrapped = arena.allocate(ArrowDeviceArrayStruct.LAYOUT)
                PeerNodes.deviceArray(wrapped, array, device.id(), 12,
                    syncEvent = arena.allocateFrom(JAVA_LONG, handle))
                val error = shouldThrow<DeviceException> { CData.importArray(wrapped, CImport.DEVICE.schema(schema)) }
                error.errno() shouldBe Errno.EINVAL
                error.message shouldContain words
                CPeer.counts().arrays shouldBe 0
            }
        }
    }

    test("the library waits for an imported event but never destroys it [DEV-05]") {
        val event = fake.userEvent()
        val schema = Schema.of(Field.of("id", DataType.INT64), Field.of("name", DataType.UTF8))
        Arena.ofConfined().use { arena ->
            val array = arena.allocate(ArrowArrayStruct.LAYOUT)
            PeerStreams.batch(array, firstId = 0, rows = 3)
            val wrapped = arena.allocate(ArrowDeviceArrayStruct.LAYOUT)
            PeerNodes.deviceArray(wrapped, array, 0, 12, syncEvent = arena.allocateFrom(JAVA_LONG, event.handle))
            val imported = CData.importArray(wrapped, CImport.DEVICE.schema(schema))
            val ready = imported.onReady().toCompletableFuture()
            val sync = imported.syncEvent()!!
            imported.close()
            CPeer.counts().arrays shouldBe 3 // held by the event's handle and by the wait
            ready.isDone shouldBe false
            sync.close()
            event.complete()
            ready.join()
            eventually("the C peer has released all arrays") { CPeer.counts().arrays == 0L }
            fake.counts().events shouldBe 1
            device.adoptEvent(event.handle).close()
        }
    }

    test("onReady() fails if the device cannot register the callback, and nothing stays held") {
        fake.failCall(FakeCall.CALLBACK)
        device.createStream().use { stream ->
            fake.hold()
            stream.record().use { event ->
                event.onReady().toCompletableFuture().isCompletedExceptionally shouldBe true
                fake.release()
                event.onReady().toCompletableFuture().join()
            }
        }
    }

    test("any failing driver call during a copy reports its error and leaks nothing [DEV-14]") {
        var calls = 0
        val messages = sortedSetOf<String>()
        text(50).use { source ->
            while (true) {
                fake.failCallNumber(++calls)
                val error = runCatching {
                    device.createStream().use { stream ->
                        source.copyTo(device, stream).use { a ->
                            stream.keepAlive(a)
                            a.copyTo(device, stream).use { b -> b.copyTo(cpu, stream).use { it.synchronize() } }
                        }
                    }
                }.exceptionOrNull()
                fake.failCallNumber(Int.MAX_VALUE)
                fake.violations().shouldBeEmpty()
                if (error == null) break
                (error as DeviceException).errno() shouldBe
                    if ("fakeAlloc" in error.message!!) Errno.ENOMEM else Errno.EIO
                messages += error.message!!.substringBefore(" on")
            }
        }
        messages.toList() shouldContainExactly
            listOf("fakeAlloc", "fakeEventCallback", "fakeEventRecord", "fakeMemcpyAsync", "fakeQueueCreate")
        calls shouldBeGreaterThan 10
    }

    test("concat joins one or several device arrays with a stream of the CPU") {
        text(5).use { it.copyTo(device) }.use { there ->
            for (count in 1..2) {
                DeviceArray.concat(List(count) { there }, device.memory(), cpu.defaultStream()).use { joined ->
                    joined.copyTo(cpu).use { back ->
                        back.synchronize()
                        back.column("id").getLong(5L * count - 1) shouldBe 4
                    }
                }
            }
        }
    }

    test("a failed event query releases no memory that queued work still uses [DEV-19]") {
        device.createStream().use { stream ->
            fake.hold()
            val (a, b) = List(2) { device.allocate(8) }
            fake.failCall(FakeCall.QUERY)
            stream.copy(a, b)
            listOf(a, b).forEach { it.close() }
            fake.violations().shouldBeEmpty()

            val there = text(50).use { it.copyTo(device, stream) }
            fake.failCall(FakeCall.QUERY)
            there.close()
            fake.violations().shouldBeEmpty()
            fake.release()
            stream.synchronize()
        }
    }

    test("any failing driver call during concat reports its error and leaks nothing [DEV-14]") {
        var calls = 0
        text(50).use { source ->
            source.copyTo(device).use { there ->
                there.synchronize()
                while (true) {
                    fake.failCallNumber(++calls)
                    val error = runCatching {
                        DeviceArray.concat(listOf(source, there, there), device.memory(), device.defaultStream())
                            .use { it.synchronize() }
                    }.exceptionOrNull()
                    fake.failCallNumber(Int.MAX_VALUE)
                    fake.violations().shouldBeEmpty()
                    if (error == null) break
                    (error as DeviceException).errno() shouldBe
                        if ("fakeAlloc" in error.message!!) Errno.ENOMEM else Errno.EIO
                }
            }
        }
        calls shouldBeGreaterThan 6
    }

    test("concat names the array whose work failed [DEV-04, DEV-14]") {
        text(5).use { source ->
            device.createStream().use { stream ->
                fake.failNextCommand()
                source.copyTo(device, stream).use { broken ->
                    shouldThrow<DeviceException> { DeviceArray.concat(listOf(source, broken), cpu.memory(), stream) }
                        .message shouldContain "arrays[1]: "
                    shouldThrow<DeviceException> { DeviceArray.concat(listOf(broken), cpu.memory(), stream) }
                        .message shouldContain "arrays[0]: "
                }
            }
        }
    }

    test("a failed command fails the copy that depends on it, and the memory is released [DEV-14]") {
        device.createStream().use { stream ->
            val source = text(50)
            fake.hold()
            fake.failNextCommand()
            val there = source.use { it.copyTo(device, stream) }
            val ready = there.onReady().toCompletableFuture()
            fake.release()
            shouldThrow<DeviceException> { there.synchronize() }.message shouldContain "FAKE_LAUNCH_FAILED (719)"
            runCatching { ready.join() }.exceptionOrNull()!!.cause!!.message shouldContain
                "a command on EXT_DEV:0 failed"
            there.close()
        }
    }
})
