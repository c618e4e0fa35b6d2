// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowDeviceArray
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.gpu.HipDouble
import org.arbalest.support.gpu.gpuDriverContract
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.util.concurrent.TimeUnit.SECONDS

/**
 * The driver contract of GPUs, and HIP's own rules for current devices, host functions and foreign streams. The spec
 * runs on the simulator; the GPU check runs it on a driver.
 */
class RocmDriverSpec : FunSpec({
    extension(CCompiler.needed)
    extension(rocm)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    val backend = RocmBackend(DeviceType.ROCM)
    include(gpuDriverContract(backend))

    val device by lazy { Devices.device(DeviceType.ROCM, 0) }
    val second by lazy { backend.gpus.last() }
    val cpu = Devices.cpu()

    test("every call restores the thread's current device [DEV-10]") {
        fun useAll() {
            for (used in backend.gpus) {
                val other = if (used == device) second else device
                used.createStream().use { stream ->
                    numbers(100).use { it.copyTo(used, stream) }.use { there ->
                        there.copyTo(cpu, stream).use { back ->
                            back.synchronize()
                            back.isReady shouldBe true
                        }
                        stream.record().use { it.onReady().toCompletableFuture().get(5, SECONDS) }
                        there.copyTo(other, other.defaultStream()).use { it.synchronize() }
                    }
                    stream.synchronize()
                    used.hostMemory().get().allocate(100).close()
                }
            }
        }
        for (ordinal in backend.gpus.indices) {
            Raw.onDevice(ordinal) {
                useAll()
                Raw.currentDevice() shouldBe ordinal
            }
        }
    }

    test("host functions do not call HIP, also if an event's completion closes arrays and records events") {
        device.createStream().use { stream ->
            val gate = gates.shut(stream)
            val source = numbers(500)
            val there = source.copyTo(device, stream)
            val done = checkNotNull(there.syncEvent()).use { it.onReady() }.thenCompose {
                there.close()
                device.createStream().use { other -> other.record().use { it.onReady() } }
            }
            source.close()
            gate.open()
            done.toCompletableFuture().get(5, SECONDS)
            stream.synchronize()
        }
        if (onDouble) HipDouble.violation shouldBe ""
    }

    test("streams: a foreign stream is wrapped and used, and not destroyed") {
        val out = Arena.ofAuto().allocate(JAVA_LONG)
        Raw.onDevice(second.id().toInt()) {
            Raw.call(Raw.function("hipStreamCreateWithFlags", JAVA_LONG, JAVA_INT), out.address(), 0) shouldBe 0
        }
        val foreign = out.get(JAVA_LONG, 0)
        second.wrapStream(foreign).use { stream ->
            stream.handle() shouldBe foreign
            val gate = gates.shut(stream)
            numbers(10).use { it.copyTo(second, stream) }.use { there ->
                there.isReady shouldBe false
                gate.open()
                there.copyTo(cpu, stream).use { it.synchronize() }
            }
        }
        Raw.call(Raw.function("hipStreamQuery", JAVA_LONG), foreign) shouldBe 0
        Raw.call(Raw.function("hipStreamDestroy", JAVA_LONG), foreign) shouldBe 0
    }

    test("an exported array's sync_event points to a hipEvent_t that HIP can query [DEV-03]") {
        Arena.ofConfined().use { arena ->
            device.createStream().use { stream ->
                val gate = gates.shut(stream)
                val struct = arena.allocate(RawArrowDeviceArray.SIZE, 8)
                CData.exportArray(numbers(10).use { it.copyTo(device, stream) }, struct, CExport.DEVICE)
                RawArrowDeviceArray.deviceType(struct.address()) shouldBe 10
                val event = MemorySegment.ofAddress(RawArrowDeviceArray.syncEvent(struct.address())).reinterpret(8)
                    .get(JAVA_LONG, 0)
                val query = Raw.function("hipEventQuery", JAVA_LONG)
                Raw.call(query, event) shouldBe Hip.NOT_READY
                gate.open()
                eventually("the event completes") { Raw.call(query, event) == Hip.SUCCESS }
                CData.importArray(struct, CImport.DEVICE.schema(numbers(1).use { it.schema() })).close()
            }
        }
    }
})
