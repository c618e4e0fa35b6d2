// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.ArrayData
import org.arbalest.device.Availability
import org.arbalest.device.Device
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.MemoryManager
import org.arbalest.device.MemoryPool
import org.arbalest.device.RecordBatch
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.ArrowDeviceArrayStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.internal.abi.RawArrowDeviceArray
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.CPeer
import org.arbalest.support.PeerMoves
import org.arbalest.support.PeerNodes
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import org.arbalest.testkit.SkipWithout
import org.arbalest.testkit.contract.Held
import org.arbalest.testkit.contract.columns
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.pageable
import org.jocl.CL
import org.jocl.Pointer
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE

/** Unified shared memory, with and without shared virtual memory, and its export and import as `cl_mem`. */
class UsmSpec : FunSpec({
    extension(CCompiler.needed)
    extension(UsmDouble.extension)
    extension(SkipWithout.device(DeviceType.OPENCL))
    extension(ResourceCountersExtension)
    extension(UserEvent.opened)

    val plain by lazy { Devices.device(DeviceType.OPENCL, 0) }
    val unifiedOnly by lazy { Devices.device(DeviceType.OPENCL, 1) }
    val both by lazy { Devices.device(DeviceType.OPENCL, 2) }
    val cpu: Device = Devices.cpu()

    lateinit var arena: Arena
    beforeTest { arena = Arena.ofConfined() }
    afterTest { arena.close() }

    fun memory(device: Device, kind: UnifiedMemory): MemoryManager = OpenCl.unifiedMemory(device, kind).orElseThrow()

    fun DeviceBuffer.bytes(): List<Byte> = copyTo(cpu.memory()).use { it.segment().toArray(JAVA_BYTE).toList() }

    fun out(): MemorySegment = arena.allocate(ArrowDeviceArrayStruct.LAYOUT)

    fun rows(array: RecordBatch): List<Any?> = array.copyTo(cpu).use { here ->
        here.synchronize()
        List(here.length().toInt()) { here.asColumn().get(it.toLong()) }
    }

    test("a device offers unified memory if its platform and the device support it [OCL-04]") {
        val lines = Devices.status().single { it.type() == DeviceType.OPENCL }.descriptions()
        lines[0] shouldContain "coarse- and fine-grained shared virtual memory"
        lines[0].contains("unified") shouldBe false
        lines[1] shouldContain "at once, unified shared memory"
        lines[2] shouldContain "coarse-grained shared virtual memory, unified shared memory"
        for (kind in UnifiedMemory.entries) {
            OpenCl.unifiedMemory(plain, kind).isEmpty shouldBe true
            OpenCl.unifiedMemory(both, kind).isPresent shouldBe true
        }
        shouldThrow<IllegalArgumentException> { OpenCl.unifiedMemory(cpu, UnifiedMemory.HOST) }
    }

    test("a device without shared virtual or unified memory is left out, and the status names it [OCL-09]") {
        (Devices.availability(DeviceType.OPENCL) as Availability.Ready).devices() shouldBe 3
        val line = Devices.describe().lines().single { "bare double" in it }
        line shouldContain Regex("^OPENCL: left out bare double, Portable Computing Language, OpenCL .* at once, ")
        line.endsWith("without shared virtual or unified shared memory") shouldBe true
    }

    test("unified memory is the device's or host memory only if shared virtual memory lacks that kind [OCL-04]") {
        fun kinds(memory: MemoryManager): List<Long> = memory.allocate(100).use { buffer ->
            buffer.device() shouldBe memory.device()
            UnifiedMemory.entries.map { UsmDouble.live(it) }
        }
        kinds(unifiedOnly.memory()) shouldBe listOf(1L, 0L, 0L)
        kinds(both.memory()) shouldBe listOf(0L, 0L, 0L)
        kinds(unifiedOnly.hostMemory().orElseThrow()) shouldBe listOf(0L, 1L, 0L)
        kinds(both.hostMemory().orElseThrow()) shouldBe listOf(0L, 1L, 0L)
        for (kind in UnifiedMemory.entries) {
            kinds(memory(both, kind)) shouldBe UnifiedMemory.entries.map { if (it == kind) 1L else 0L }
            memory(both, kind).isCpuAccessible shouldBe (kind != UnifiedMemory.DEVICE)
        }
        memory(both, UnifiedMemory.DEVICE).allocate(8).use { buffer ->
            shouldThrow<DeviceException> { buffer.view(cpu.memory()) }.errno() shouldBe Errno.ENOSYS
        }
        memory(both, UnifiedMemory.SHARED).allocate(8, 4096).use { it.address() % 4096 shouldBe 0 }
        MemoryPool.of(memory(both, UnifiedMemory.SHARED), 1 shl 20).use { pool ->
            pool.allocate(5000).use { it.segment().fill(1) }
        }
    }

    test("a failed allocation or copy names the function, the device and the code [OCL-04, DEV-14]") {
        UsmDouble.fail("clDeviceMemAllocINTEL", code = -6)
        val error = shouldThrow<DeviceException> { unifiedOnly.allocate(1000) }
        error.message shouldContain
            "clDeviceMemAllocINTEL on OPENCL:1 failed: CL_OUT_OF_HOST_MEMORY (-6), asked for 1000 bytes"
        error.errno() shouldBe Errno.ENOMEM
        shouldThrow<DeviceException> { unifiedOnly.allocate(1L shl 50) }.message shouldContain
            "clDeviceMemAllocINTEL on OPENCL:1 was not called"
        UsmDouble.fail("clEnqueueMemcpyINTEL", code = -5)
        pageable(100, 1).use { here ->
            shouldThrow<DeviceException> { here.copyTo(unifiedOnly.memory()) }.message shouldContain
                "clEnqueueMemcpyINTEL on OPENCL:1 failed: CL_OUT_OF_RESOURCES (-5)"
        }
    }

    test("each kind of memory is copied to each other kind, by the function for that memory [OCL-05]") {
        val memories = listOf(cpu.memory(), both.memory()) + UnifiedMemory.entries.map { memory(both, it) }
        for ((i, from) in memories.withIndex()) {
            for ((j, to) in memories.withIndex()) {
                withClue("$i to $j") {
                    val before = UsmDouble.memcpys
                    pageable(3000, i * 7 + j).use { here ->
                        val there = from.allocate(3000)
                        val again = to.allocate(3000)
                        both.createStream().use { stream ->
                            stream.copy(here, there)
                            stream.copy(there, again)
                            stream.synchronize()
                        }
                        again.bytes() shouldBe here.bytes()
                        listOf(there, again).forEach { it.close() }
                    }
                    if (i < 2 && j < 2) UsmDouble.memcpys shouldBe
                        before else UsmDouble.memcpys shouldBeGreaterThan before
                }
            }
        }
    }

    test("a batch with columns of every type is copied into unified memory and back [OCL-05]") {
        for (target in UnifiedMemory.entries.map { memory(both, it) } + unifiedOnly.memory()) {
            everyKind(50).use { batch ->
                batch.copyTo(target, target.device().defaultStream()).use { rows(it) shouldBe rows(batch) }
            }
            target.device().defaultStream().synchronize()
        }
    }

    test("unified memory is freed only after the work that uses it, and close does not wait [OCL-05]") {
        for (device in listOf(unifiedOnly, both)) {
            val gate = UserEvent(device)
            device.createStream().use { stream ->
                gate.syncEvent().use(stream::waitFor)
                val batch = columns(2).use { it.copyTo(memory(device, UnifiedMemory.DEVICE), stream) }
                val copy = batch.copyTo(memory(device, UnifiedMemory.SHARED), stream)
                listOf(batch, copy).forEach { it.close() }
                UsmDouble.live(UnifiedMemory.DEVICE) shouldBe 1
                UsmDouble.live(UnifiedMemory.SHARED) shouldBe 1
                gate.open()
                stream.synchronize()
            }
            eventually("the memory is freed") {
                UsmDouble.live(UnifiedMemory.DEVICE) + UsmDouble.live(UnifiedMemory.SHARED) == 0L
            }
        }
    }

    test("flushes and callbacks of a batch copy do not grow with its columns, and every event is released [OCL-06]") {
        for (device in listOf(unifiedOnly, both)) {
            val counts = listOf(2, 100).map { count ->
                columns(count).use { batch ->
                    device.createStream().use { stream ->
                        batch.copyTo(device, stream).use { it.synchronize() }
                        eventually("the warm-up is over") { Held.now().waits() == 0L }
                        val held = UsmDouble.events
                        val before = UsmDouble.flushes to UsmDouble.callbacks
                        batch.copyTo(device, stream).use { copy ->
                            copy.synchronize()
                            copy.retainChild(count - 1).use { it.asColumn().bufferCount() shouldBe 2 }
                        }
                        // for PoCL, a thread still queries the warm-up's events for up to 20 ms
                        eventually("each event is released") { Held.now().waits() == 0L && UsmDouble.events <= held }
                        UsmDouble.flushes - before.first to UsmDouble.callbacks - before.second
                    }
                }
            }
            counts[0] shouldBe counts[1]
            counts[1].first shouldBeLessThan 8
            counts[1].second shouldBeLessThan 6
        }
    }

    test("an import rejects memory of another device, and names both devices [OCL-03]") {
        for ((of, claimed) in listOf(
            unifiedOnly.memory() to both, both.memory() to unifiedOnly, plain.memory() to both,
        )) {
            val buffer = of.allocate(80)
            val data = ArrayData.of(10, 0, listOf(null), listOf(ArrayData.of(10, 0, listOf(null, buffer))))
            val out = out()
            CData.exportArray(DeviceArray.of(Schema.of(listOf(Field.of("n", DataType.INT64))).asField(), data), out,
                CExport.DEVICE)
            RawArrowDeviceArray.setDeviceId(out.address(), claimed.id())
            claimed.defaultStream()
            val error = shouldThrow<DeviceException> {
                CData.importArray(out, CImport.DEVICE.schema(Schema.of(listOf(Field.of("n", DataType.INT64)))))
            }
            error.message shouldContain "$.n: buffers[1]: the buffer 0x"
            error.message shouldContain "is memory of ${of.device()}, and not of $claimed"
            error.errno() shouldBe Errno.EINVAL
        }
    }

    test("unified memory is exported by copies, and imported by copies without shared virtual memory [OCL-01]") {
        for (memory in listOf(
            unifiedOnly.memory(), memory(both, UnifiedMemory.DEVICE), memory(both, UnifiedMemory.SHARED),
        )) {
            everyKind(25).use { batch ->
                val stream = memory.device().defaultStream()
                val there = batch.copyTo(memory, stream)
                there.synchronize()
                val out = out()
                OpenCl.exportMemObjects(there, out, stream)
                val memcpys = UsmDouble.memcpys
                OpenCl.importMemObjects(out, batch.schema(), stream).use { again -> rows(again) shouldBe rows(batch) }
                if (memory.device() == unifiedOnly) UsmDouble.memcpys shouldBeGreaterThan memcpys
                stream.synchronize()
            }
        }
    }

    test("a cl_mem with its own memory is copied on the device, not through main memory [OCL-02]") {
        val content = LongArray(500) { it * 11L }
        val theirs = CL.clCreateBuffer(Jocl.context(both), CL.CL_MEM_READ_WRITE or CL.CL_MEM_COPY_HOST_PTR, 4000,
            Pointer.to(content), null)
        val array = arena.allocate(ArrowArrayStruct.LAYOUT)
        PeerNodes.array(array, length = 500, buffers = 1, children = 1)
        val child = MemorySegment.ofAddress(RawArrowArray.child(array.address(), 0)).reinterpret(RawArrowArray.SIZE)
        PeerNodes.array(child, length = 500, buffers = 2)
        PeerNodes.setForeignBuffer(child, 1, MemorySegment.ofAddress(theirs.nativePointer))
        val struct = out().also { PeerNodes.deviceArray(it, array, 2, 4, MemorySegment.NULL) }
        val before = UsmDouble.mapsAndCopies
        OpenCl.importMemObjects(struct, Schema.of(listOf(Field.of("n", DataType.INT64))), both.defaultStream()).use {
            UsmDouble.mapsAndCopies shouldBe (before.first to before.second + 1)
            it.copyTo(cpu).use { here -> here.synchronize(); here.column("n").toLongArray() shouldBe content }
        }
        both.defaultStream().synchronize()
        eventually("the copy releases the producer's array") { CPeer.counts().arrays == 0L }
        CL.clReleaseMemObject(theirs)
    }

    test("a failed export leaves the array's handle open, and no cl_mem [OCL-01, OWN-09]") {
        everyKind(25).use { batch ->
            val stream = both.defaultStream()
            batch.copyTo(both).use { there ->
                there.synchronize()
                eventually("the copy releases its source") { Held.now().waits() == 0L }
                for (function in listOf("clCreateBuffer", "clCreateSubBuffer", "clEnqueueCopyBuffer")) {
                    var calls = 0L
                    do {
                        UsmDouble.fail(function, ++calls)
                        val out = out().fill(0x5a)
                        val failure = runCatching {
                            OpenCl.exportMemObjects(there.retain().also { handle -> opened.add(handle) }, out, stream)
                        }.exceptionOrNull()
                        val pending = UsmDouble.failNothing()
                        withClue("$function, call $calls") {
                            if (failure != null) {
                                (failure as DeviceException).message shouldContain
                                    "$function on OPENCL:2 failed: CL_OUT_OF_RESOURCES (-5)"
                                out.toArray(JAVA_BYTE).toSet() shouldBe setOf<Byte>(0x5a)
                                opened.last().column("long").bufferAddress(1) shouldBe
                                    there.column("long").bufferAddress(1)
                                opened.last().close()
                            } else {
                                PeerMoves.release(out, StructKind.DEVICE_ARRAY)
                            }
                            stream.synchronize()
                            eventually("every cl_mem is released") { UsmDouble.memObjects == 0L }
                        }
                    } while (!pending)
                    calls shouldBeGreaterThan 1
                }
                opened.clear()
            }
        }
    }

    test("a failed import releases its allocations and the producer's array [OCL-02, OWN-09]") {
        everyKind(25).use { batch ->
            val stream = unifiedOnly.defaultStream()
            var calls = 0L
            do {
                val there = batch.copyTo(unifiedOnly)
                there.synchronize()
                val out = out()
                OpenCl.exportMemObjects(there, out, stream)
                UsmDouble.fail("clDeviceMemAllocINTEL", ++calls)
                val failure = runCatching { OpenCl.importMemObjects(out, batch.schema(), stream).close() }
                    .exceptionOrNull()
                val pending = UsmDouble.failNothing()
                withClue("call $calls") {
                    if (failure != null) failure.message shouldContain "clDeviceMemAllocINTEL"
                    RawArrowArray.release(out.address()) shouldBe 0
                    stream.synchronize()
                    eventually("all memory, memory objects and exports are released") {
                        UsmDouble.memObjects == 0L && UsmDouble.live(UnifiedMemory.DEVICE) == 0L &&
                            Held.now().exports() == 0L
                    }
                }
            } while (!pending)
            calls shouldBeGreaterThan 5
        }
    }
})

private val opened = mutableListOf<RecordBatch>()
