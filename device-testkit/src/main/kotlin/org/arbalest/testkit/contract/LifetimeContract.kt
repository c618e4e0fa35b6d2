// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.contract

import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.funSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.ArrowDeviceArrayStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.spi.ArrayBridge
import java.lang.foreign.Arena
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.util.concurrent.atomic.AtomicReference

/**
 * Tests of lifetime. Nothing is freed that queued work needs, and everything is freed once, regardless of the code that
 * closes it.
 */
internal fun lifetimeContract(backend: Backend): TestFactory = funSpec {
    val device by lazy { backend.device }
    val cpu = Devices.cpu()

    test("lifetime: a copy keeps its source and its target until it completes") {
        device.createStream().use { stream ->
            val source = numbers(5000)
            val before = settled()
            backend.held(stream) { gate ->
                source.copyTo(device, stream).close()
                source.close()
                if (gate != null) (ResourceCounters.now().since(before).arrays() >= 0) shouldBe true
                gate?.open()
                stream.synchronize()
                eventually("source and target are freed") {
                    ResourceCounters.now().since(before).run { arrays() == -1L && buffers() < 0 && waits() == 0L }
                }
            }
        }
    }

    test("lifetime: keepAlive keeps an array and a buffer until the work completes") {
        device.createStream().use { stream ->
            val array = numbers(10).use { it.copyTo(device, stream) }
            val buffer = device.allocate(64)
            stream.synchronize()
            val held = settled()
            backend.held(stream) { gate ->
                stream.keepAlive(array)
                stream.keepAlive(buffer)
                array.close()
                buffer.close()
                if (gate != null) ResourceCounters.now().since(held).run { arrays() to buffers() } shouldBe (0L to 0L)
                gate?.open()
                stream.synchronize()
                eventually("array and buffer are freed") {
                    ResourceCounters.now().since(held).run { arrays() == -1L && buffers() <= -2L }
                }
            }
        }
    }

    test(
        "an array that is not ready is exported with a pointer to its event, which lives until the release " +
            "[DEV-03, DEV-05]",
    ) {
        Arena.ofConfined().use { arena ->
            device.createStream().use { stream ->
                numbers(500).use { source ->
                    backend.held(stream) { gate ->
                        val out = ArrowDeviceArrayStruct.allocate(arena)
                        CData.exportArray(source.copyTo(device, stream), out, CExport.DEVICE)
                        val cell = ArrowDeviceArrayStruct.syncEvent(out).address()
                        if (gate == null) {
                            cell shouldBe 0
                        } else {
                            val handle = arena.address(cell)
                            handle shouldNotBe 0
                            val imported = CData.importArray(out, CImport.DEVICE.schema(source.schema()))
                            imported.isReady shouldBe false
                            ArrayBridge.syncEventAddress(imported) shouldBe cell
                            gate.open()
                            imported.synchronize()
                            arena.address(cell) shouldBe handle
                            imported.fetch() shouldBe source.rows()
                            CData.exportArray(imported, out, CExport.DEVICE)
                            ArrowDeviceArrayStruct.syncEvent(out).address() shouldBe 0 // known to be complete
                        }
                        NativeThread.release(out)
                    }
                }
            }
        }
    }

    test("an array that C releases before it is ready is freed when it becomes ready [DEV-05]") {
        Arena.ofConfined().use { arena ->
            device.createStream().use { stream ->
                val before = settled()
                backend.held(stream) { gate ->
                    val out = ArrowDeviceArrayStruct.allocate(arena)
                    CData.exportArray(numbers(500).use { it.copyTo(device, stream) }, out, CExport.DEVICE)
                    NativeThread.release(out)
                    if (gate != null) (ResourceCounters.now().since(before).buffers() > 0) shouldBe true
                    gate?.open()
                    stream.synchronize()
                    eventually("the array is freed") {
                        ResourceCounters.now().since(before).run { buffers() == 0L && events() == 0L && waits() == 0L }
                    }
                }
            }
        }
    }

    test("after a wait an array is exported without an event [DEV-15]") {
        Arena.ofConfined().use { arena ->
            numbers(20).use { source ->
                val out = ArrowDeviceArrayStruct.allocate(arena)
                CData.exportArray(source.copyTo(device).also { it.synchronize() }, out, CExport.DEVICE)
                ArrowDeviceArrayStruct.syncEvent(out).address() shouldBe 0
                ArrowDeviceArrayStruct.deviceType(out) shouldBe device.type().code()
                ArrowDeviceArrayStruct.deviceId(out) shouldBe device.id()
                CData.importArray(out, CImport.DEVICE.schema(source.schema())).use {
                    it.device() shouldBeSameInstanceAs device
                    it.fetch() shouldBe source.rows()
                }
            }
        }
    }

    test("the export of an array on the CPU waits until the array is ready, and has no event [DEV-02]") {
        Arena.ofShared().use { arena ->
            device.createStream().use { stream ->
                numbers(300).use { source ->
                    val there = source.copyTo(device).also { it.synchronize() }
                    backend.held(stream) { gate ->
                        val back = there.use { it.copyTo(cpu, stream) }
                        val out = ArrowDeviceArrayStruct.allocate(arena)
                        val failure = AtomicReference<Throwable>()
                        val exporting = Thread.ofPlatform().unstarted { CData.exportArray(back, out, CExport.DEVICE) }
                        exporting.setUncaughtExceptionHandler { _, e -> failure.set(e) }
                        exporting.start()
                        gate?.open()
                        exporting.join()
                        failure.get()?.let { throw it }
                        ArrowDeviceArrayStruct.syncEvent(out).address() shouldBe 0
                        ArrowDeviceArrayStruct.deviceType(out) shouldBe DeviceType.CPU.code()
                        ArrowArrayStruct.length(out) shouldBe 300
                        CData.importArray(out, CImport.DEVICE.schema(source.schema())).use {
                            it.rows() shouldBe source.rows()
                        }
                    }
                }
            }
        }
    }

    test("arrays are released on native threads that are new to the JVM [DEV-10]") {
        Arena.ofConfined().use { arena ->
            numbers(50).use { source ->
                repeat(50) {
                    val out = ArrowDeviceArrayStruct.allocate(arena)
                    CData.exportArray(source.copyTo(device), out, CExport.DEVICE)
                    NativeThread.release(out) shouldBe true
                }
            }
        }
    }

    test("streams, events and copies work on any thread [DEV-10]") {
        val threads = List(8) { seed ->
            val failure = AtomicReference<Throwable>()
            val thread = (if (seed % 2 == 0) Thread.ofPlatform() else Thread.ofVirtual()).unstarted {
                device.createStream().use { stream ->
                    batch(40, first = seed).use { source ->
                        source.copyTo(device, stream).use { it.fetch() shouldBe source.rows() }
                    }
                }
            }
            thread.setUncaughtExceptionHandler { _, e -> failure.set(e) }
            thread.start()
            thread to failure
        }
        for ((thread, failure) in threads) {
            thread.join()
            failure.get()?.let { throw it }
        }
    }

    test("leaks: two thousand batches, copied to the device and back and closed in any order, leave nothing open") {
        device.createStream().use { stream ->
            numbers(30).use { source ->
                repeat(2000) {
                    val there = source.copyTo(device, stream)
                    val back = there.copyTo(cpu, stream)
                    if (it % 2 == 0) there.close()
                    back.close()
                    there.close()
                }
                stream.synchronize()
            }
        }
    }
}

/** Returns the address in a cell of CPU memory. */
private fun Arena.address(cell: Long): Long = java.lang.foreign.MemorySegment.ofAddress(cell).reinterpret(8, this, null)
    .get(JAVA_LONG, 0)
