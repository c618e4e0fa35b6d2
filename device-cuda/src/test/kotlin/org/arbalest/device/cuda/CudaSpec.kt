// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.MemoryPool
import org.arbalest.device.RecordBatch
import org.arbalest.device.Validation
import org.arbalest.device.c.ArrowDeviceArrayStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.gpu.CudaDouble
import org.arbalest.support.gpu.GpuDouble
import org.arbalest.support.gpu.gpuContract
import org.arbalest.testkit.contract.Held
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.texts
import java.lang.foreign.Arena
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG

/** Returns a pool of pinned main memory. */
private fun hostPool(): Long = Arena.ofConfined().use { arena ->
    val properties = arena.allocate(88, 8)
    properties.set(JAVA_INT, 0, 1) // CU_MEM_ALLOCATION_TYPE_PINNED
    properties.set(JAVA_INT, 8, 2) // CU_MEM_LOCATION_TYPE_HOST
    val out = arena.allocate(JAVA_LONG)
    Cu.MEM_POOL_CREATE.call(out.address(), properties.address()) shouldBe 0
    out.get(JAVA_LONG, 0)
}

/** The contract of GPUs, and CUDA's own rules for stream capture and managed memory, on the simulator. */
class CudaSpec : FunSpec({
    extension(CCompiler.needed)
    extension(cudaDouble)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    include(gpuContract(CudaBackend(DeviceType.CUDA)))

    val device by lazy { Devices.device(DeviceType.CUDA, 0) }
    val cpu = Devices.cpu()

    test("a driver that needs a context to query a stream's capture is queried again in that context [DEV-60]") {
        device.createStream().use { stream ->
            stream.handle()
            CudaDouble.captured(stream.handle()) {
                CudaDouble.fail("cuStreamIsCapturing", code = 201)
                shouldThrow<IllegalStateException> { stream.record() }.message shouldContain "is being captured"
                CudaDouble.failNothing() shouldBe 0
            } shouldBe 0
        }
    }

    test("one call of the driver queues at most 1,024 copies, and a batch of more columns is complete [DEV-34]") {
        val pinned = device.hostMemory().get()
        val children = List(1500) { column ->
            val values = pinned.allocate(20_000) // smaller ones are gathered
            values.segment().setAtIndex(JAVA_LONG, 2499, column.toLong())
            ArrayData.of(2500, 0, listOf(null, values))
        }
        val fields = List(1500) { Field.of("c$it", DataType.INT64) }
        RecordBatch.of(Schema.of(fields), ArrayData.of(2500, 0, listOf(null), children)).use { source ->
            CudaDouble.mostPieces()
            source.copyTo(device).use { there ->
                CudaDouble.mostPieces() shouldBe 1024
                there.copyTo(cpu).use { back ->
                    back.synchronize()
                    for (column in 0 until 1500) back.column(column).getLong(2499) shouldBe column
                }
            }
        }
    }

    test("a GPU, its streams and its copies take memory from a chosen pool, and from their own again [DEV-66]") {
        val own = Gpu.open(0).pool.chosen()
        val theirs = Cuda.currentPool(device)
        fun served() = CudaDouble.served(own) to CudaDouble.served(theirs)
        device.createStream().use { stream ->
            fun allocate() = listOf(device.allocate(100), stream.memory().allocate(100))
            fun copy() = texts(1000).use { it.copyTo(device, stream) }
            val before = served()
            val kept = allocate()
            Cuda.usePool(device, theirs)
            try {
                val tried = served()
                tried.first - before.first shouldBe 2
                tried.second - before.second shouldBe 1
                kept.forEach { it.close() } // memory of a pool that is not the chosen one any more
                allocate().forEach { it.close() }
                copy().use { it.synchronize() }
                served().first shouldBe tried.first
                served().second shouldBeGreaterThan tried.second + 2
            } finally {
                Cuda.usePool(device, 0)
            }
            val after = served()
            allocate().forEach { it.close() }
            served() shouldBe (after.first + 2 to after.second)
        }
        eventually("all buffers are freed") { Held.now().run { buffers() == 0L && waits() == 0L } }
    }

    test("copies between GPUs are whole, although a chosen pool lets no other GPU reach its memory [DEV-36, DEV-66]") {
        val gpus = List(2) { Devices.device(DeviceType.CUDA, it.toLong()) }
        gpus.forEach { Cuda.usePool(it, Cuda.currentPool(it)) }
        try {
            texts(1000).use { source ->
                for (by in gpus) for ((from, to) in listOf(gpus, gpus.reversed())) by.createStream().use { stream ->
                    val peers = CudaDouble.calls("cuMemcpyPeerAsync")
                    source.copyTo(from).use { it.copyTo(to, stream) }.use { there ->
                        there.copyTo(cpu).use { back ->
                            back.synchronize()
                            back.contentEquals(source) shouldBe true
                        }
                    }
                    CudaDouble.calls("cuMemcpyPeerAsync") shouldBeGreaterThan peers
                }
            }
        } finally {
            gpus.forEach { Cuda.usePool(it, 0) }
        }
        eventually("all is freed") { Held.now().run { buffers() == 0L && waits() == 0L } }
    }

    test("buffers without an address and without bytes are exported from a GPU and imported there again [OWN-23]") {
        DeviceBuffer.wrap(device, 0, 0) {}.use { owner ->
            val buffers = listOf(null) + List(2) { DeviceBuffer.wrap(device, 0, 0, owner) }
            val field = Field.of("name", DataType.UTF8)
            DeviceArray.of(field, ArrayData.of(0, 0, buffers)).use { array ->
                Arena.ofConfined().use { arena ->
                    val struct = ArrowDeviceArrayStruct.allocate(arena)
                    CData.exportArray(array.retain(), struct, CExport.DEVICE)
                    val options = CImport.DEVICE.schema(Schema.of(field).fields().single()).validation(Validation.FULL)
                    CData.importArray(struct, options).use { again ->
                        again.device() shouldBe device
                        again.copyTo(cpu).use { it.synchronize(); it.length() shouldBe 0 }
                    }
                }
            }
        }
        eventually("all is freed") { Held.now().run { buffers() == 0L && arrays() == 0L } }
    }

    test("a pool of another GPU, or one that serves no memory, is refused, and nothing changes [DEV-66]") {
        val own = Gpu.open(0).pool.chosen()
        val other = Cuda.currentPool(Devices.device(DeviceType.CUDA, 1))
        shouldThrow<DeviceException> { Cuda.usePool(device, other) }.run {
            errno() shouldBe Errno.EINVAL
            message shouldContain "the pool's memory is memory of CUDA:1, but it was chosen for CUDA:0"
        }
        shouldThrow<DeviceException> { Cuda.usePool(device, hostPool()) }.message shouldContain
            "the pool's memory is pinned main memory, but it was chosen for CUDA:0"
        shouldThrow<DeviceException> { Cuda.usePool(device, 2) }.message shouldContain "0x2 is not a pool of CUDA:0"
        CudaDouble.fail("cuMemAllocFromPoolAsync", code = 1)
        shouldThrow<DeviceException> { Cuda.usePool(device, Cuda.currentPool(device)) }.message shouldContain
            "cuMemAllocFromPoolAsync on CUDA:0 failed: CUDA_ERROR_INVALID_VALUE (1)"
        CudaDouble.failNothing() shouldBe 0
        Gpu.open(0).pool.chosen() shouldBe own
    }

    test("managed memory: prefetch and advice pass the location and the allocation to the driver") {
        val managed = Devices.device(DeviceType.CUDA_MANAGED, 0)
        managed.memory().trim()
        val before = CudaDouble.live(GpuDouble.Live.MANAGED)
        device.createStream().use { stream ->
            managed.allocate(100_000).use { buffer ->
                Cuda.prefetch(buffer, Devices.device(DeviceType.CUDA, 1), stream)
                CudaDouble.hinted shouldBe listOf(0L, 1L, buffer.address(), 100_000L)
                Cuda.prefetch(buffer, cpu, stream)
                CudaDouble.hinted shouldBe listOf(0L, -1L, buffer.address(), 100_000L)
                MemoryAdvice.entries.forEachIndexed { i, advice ->
                    Cuda.advise(buffer, advice, cpu)
                    CudaDouble.hinted.take(2) shouldBe listOf(i + 1L, -1L)
                }
                Cuda.advise(buffer, MemoryAdvice.PREFERRED_LOCATION, device)
                CudaDouble.hinted.take(2) shouldBe listOf(3L, 0L)
            }
            eventually("the advised memory is freed, which waits for the device") {
                CudaDouble.live(GpuDouble.Live.MANAGED) == before
            }
            val gate = gates.shut(stream)
            texts(1000).use { it.copyTo(managed, stream) }.use { batch ->
                Cuda.prefetch(batch, device, stream)
                CudaDouble.hinted.take(2) shouldBe listOf(0L, 0L)
                Cuda.advise(batch, MemoryAdvice.READ_MOSTLY, device)
            } // the batch is closed, but its memory is kept until the stream has prefetched it
            gate.open()
            stream.synchronize()
        }
        eventually("all buffers and waits are released") { Held.now().run { buffers() == 0L && waits() == 0L } }
    }

    test("managed memory: advice ends with its buffer, also in pools; merely prefetched memory is reused [DEV-52]") {
        val managed = Devices.device(DeviceType.CUDA_MANAGED, 0)
        val before = CudaDouble.live(GpuDouble.Live.MANAGED)
        MemoryPool.of(managed.memory().metered(), 1L shl 20).use { pool ->
            for (memory in listOf(managed.memory(), pool)) {
                memory.allocate(100_000).use { buffer ->
                    buffer.slice(50_000, 100).use { Cuda.advise(it, MemoryAdvice.READ_MOSTLY, device) }
                    CudaDouble.advised(buffer.address()) shouldBe true
                }
                memory.allocate(100_000).use { CudaDouble.advised(it.address()) shouldBe false }
                texts(1000).use { it.copyTo(memory, device.defaultStream()) }.use { batch ->
                    batch.synchronize()
                    Cuda.advise(batch, MemoryAdvice.PREFERRED_LOCATION, cpu)
                }
                eventually("the batch is freed") { Held.now().buffers() == 0L }
                val next = List(8) { memory.allocate(20_000L shl (it % 4)) }
                next.any { CudaDouble.advised(it.address()) } shouldBe false
                next.forEach { it.close() }
                val moved = memory.allocate(100_000).use { buffer ->
                    device.defaultStream().run { Cuda.prefetch(buffer, cpu, this); synchronize() }
                    buffer.address()
                }
                eventually("nothing uses the prefetched buffer") { Held.now().buffers() == 0L }
                memory.allocate(100_000).use { it.address() shouldBe moved }
            }
        }
        managed.memory().trim()
        eventually("all managed memory is freed") { CudaDouble.live(GpuDouble.Live.MANAGED) <= before }
    }

    test("managed memory: prefetch and advice reject other memory, and a GPU without concurrent access") {
        val managed = Devices.device(DeviceType.CUDA_MANAGED, 0)
        device.createStream().use { stream ->
            device.allocate(100).use { own ->
                shouldThrow<DeviceException> { Cuda.prefetch(own, device, stream) }.run {
                    errno() shouldBe Errno.EINVAL
                    message shouldContain
                        "cuMemPrefetchAsync on CUDA:0 failed: CUDA_ERROR_INVALID_VALUE (1), asked for 100 bytes at 0x"
                    message shouldContain "it is for managed memory"
                }
                shouldThrow<DeviceException> {
                    Cuda.advise(own, MemoryAdvice.ACCESSED_BY, device)
                }.message shouldContain
                    "cuMemAdvise on CUDA:0 failed: CUDA_ERROR_INVALID_VALUE (1), asked for ACCESSED_BY for 100 bytes"
            }
            managed.allocate(100).use { buffer ->
                CudaDouble.fail("cuMemPrefetchAsync")
                shouldThrow<DeviceException> { Cuda.prefetch(buffer, cpu, stream) }.message shouldContain
                    "unknown code (999)"
                CudaDouble.managedWithCpu(false)
                for (use in listOf({
                    Cuda.prefetch(buffer, device, stream)
                }, { Cuda.prefetch(buffer, cpu, stream) }, { Cuda.advise(buffer, MemoryAdvice.ACCESSED_BY, device) })) {
                    shouldThrow<DeviceException> { use() }.run {
                        errno() shouldBe Errno.ENOSYS
                        message shouldContain "concurrentManagedAccess is 0"
                    }
                }
                CudaDouble.managedWithCpu(true)
            }
            shouldThrow<IllegalArgumentException> {
                Cuda.prefetch(cpu.allocate(8).also { it.close() }, device, cpu.defaultStream())
            }
        }
    }

    test("managed memory can take the place of freed GPU memory, also if a stream or pool still has it [DEV-28]") {
        CudaDouble.reset(memory = 1 shl 20)
        val managed = Devices.device(DeviceType.CUDA_MANAGED, 0)
        repeat(200) {
            device.allocate(700_000).close()
            managed.allocate(700_000).close()
        }
        managed.memory().trim()
    }

    test("memory: managed memory above the GPU's free memory is rejected, and the error has the size") {
        val managed = Devices.device(DeviceType.CUDA_MANAGED, 0)
        val half = GpuDouble.MEMORY / 2
        managed.allocate(half - 8192).use {
            val error = shouldThrow<DeviceException> { managed.allocate(half) }
            error.errno() shouldBe Errno.ENOMEM
            error.message shouldContain "cuMemAllocManaged on CUDA_MANAGED:0 was not called: asked for $half bytes"
        }
        Frees.CALLS.drain()
        managed.allocate(half).close()
        Frees.CALLS.drain()
    }
})
