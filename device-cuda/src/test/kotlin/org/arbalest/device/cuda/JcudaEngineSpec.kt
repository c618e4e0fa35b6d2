// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import jcuda.Pointer
import jcuda.driver.CUcontext
import jcuda.driver.CUdeviceptr
import jcuda.driver.CUevent
import jcuda.driver.CUresult
import jcuda.driver.CUstream
import jcuda.driver.JCudaDriver
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.gpu.CudaDouble
import org.arbalest.support.gpu.GpuDouble
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers
import org.arbalest.testkit.contract.pageable
import org.arbalest.testkit.contract.settled
import java.nio.ByteBuffer
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicInteger

/** JCuda's calls on the library's objects, and the library's calls on JCuda's objects, in one driver. */
class JcudaEngineSpec : FunSpec({
    extension(CCompiler.needed)
    extension(jcudaNatives)
    extension(CudaDouble.extension)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    val device by lazy { Devices.device(DeviceType.CUDA, 0) }
    val second by lazy { Devices.device(DeviceType.CUDA, 1) }
    val cpu = Devices.cpu()

    test("a JCuda stream is wrapped as a stream, and JCuda still owns it") {
        val stream = CUstream()
        Cuda.enter(device).use { JCudaDriver.cuStreamCreate(stream, 0) shouldBe CUresult.CUDA_SUCCESS }
        Jcuda.stream(device, stream).use { ours ->
            Jcuda.cuStream(ours) shouldBe stream
            numbers(10).use { it.copyTo(device, ours) }.use { there ->
                there.copyTo(cpu, ours).use {
                    it.synchronize()
                    it.column("a").getLong(9) shouldBe 27
                }
            }
        }
        Cuda.enter(device).use {
            JCudaDriver.cuStreamSynchronize(stream) shouldBe CUresult.CUDA_SUCCESS
            JCudaDriver.cuStreamDestroy(stream) shouldBe CUresult.CUDA_SUCCESS
        }
        Jcuda.stream(device, CUstream()).use { it.handle() shouldBe 0 }
        Raw.inContext(CudaDouble.greenContext(0)) {
            shouldThrow<DeviceException> { Jcuda.stream(device, CUstream()) }.message shouldContain
                "the handle 0 is that of a default stream of the current context"
        }
    }

    test("a stream of a green context is wrapped if the driver names its primary context [DEV-37]") {
        val stream = CUstream()
        Cuda.enter(device).use { JCudaDriver.cuStreamCreate(stream, 1) shouldBe CUresult.CUDA_SUCCESS }
        CudaDouble.green(Jcuda.stream(device, stream).use { it.handle() })
        Jcuda.stream(device, stream).use { ours ->
            numbers(10).use { it.copyTo(device, ours) }.use { there ->
                there.copyTo(cpu, ours).use {
                    it.synchronize()
                    it.column("a").getLong(9) shouldBe 27
                }
            }
        }
        shouldThrow<DeviceException> { Jcuda.stream(second, stream) }.message shouldContain "belongs to the context"
        CudaDouble.fail("cuStreamGetCtx_v2", code = Cu.NOT_SUPPORTED) // a driver before CUDA 12.5
        shouldThrow<DeviceException> { Jcuda.stream(device, stream) }.message shouldContain "belongs to the context"
        CudaDouble.green(0)
        Cuda.enter(device).use { JCudaDriver.cuStreamDestroy(stream) shouldBe CUresult.CUDA_SUCCESS }
    }

    test("a stream of another context is rejected, with both contexts in the error") {
        val stream = CUstream()
        Cuda.enter(second).use { JCudaDriver.cuStreamCreate(stream, 0) }
        val error = shouldThrow<DeviceException> { Jcuda.stream(device, stream) }
        error.errno() shouldBe Errno.EINVAL
        error.message shouldContain "belongs to the context 0x${Cuda.context(second).toString(16)}, but CUDA:0 works " +
            "in 0x${Cuda.context(device).toString(16)}"
        Cuda.enter(second).use { JCudaDriver.cuStreamDestroy(stream) }
    }

    test("a JCuda event of any GPU works as a sync event, and JCuda waits for the library's event [DEV-03]") {
        for (its in listOf(device, second)) {
            its.createStream().use { stream ->
                device.createStream().use { waiting ->
                    val gate = gates.shut(stream)
                    val event = CUevent()
                    Cuda.enter(its).use {
                        JCudaDriver.cuEventCreate(event, 0) shouldBe CUresult.CUDA_SUCCESS
                        JCudaDriver.cuEventRecord(event, Jcuda.cuStream(stream)) shouldBe CUresult.CUDA_SUCCESS
                    }
                    Jcuda.syncEvent(device, event).use { ours ->
                        Cuda.enter(its).use { JCudaDriver.cuEventDestroy(event) shouldBe CUresult.CUDA_SUCCESS }
                        ours.isReady shouldBe false
                        waiting.waitFor(ours)
                        val stage = ours.onReady().toCompletableFuture()
                        waiting.record().use { end ->
                            Cuda.enter(device).use {
                                JCudaDriver.cuEventQuery(Jcuda.event(end)) shouldBe CUresult.CUDA_ERROR_NOT_READY
                            }
                            gate.open()
                            Cuda.enter(device).use {
                                JCudaDriver.cuEventSynchronize(Jcuda.event(end)) shouldBe CUresult.CUDA_SUCCESS
                            }
                            end.isReady shouldBe true
                        }
                        stage.get(5, SECONDS)
                    }
                }
            }
        }
    }

    test("a JCuda event that was recorded in a graph is rejected before a library stream waits for it [DEV-60]") {
        device.createStream().use { captured ->
            CudaDouble.captured(captured.handle()) {
                val recorded = CudaDouble.capturedEvent(captured.handle())
                device.adoptEvent(recorded).use { ours ->
                    val streams = CudaDouble.live(GpuDouble.Live.STREAMS)
                    shouldThrow<DeviceException> { Jcuda.syncEvent(device, Jcuda.event(ours)) }.message shouldContain
                        "CUDA_ERROR_CAPTURED_EVENT (907)"
                    CudaDouble.live(GpuDouble.Live.STREAMS) shouldBe streams
                }
            } shouldBe -1 // the query has invalidated its owner's capture
            CudaDouble.violation shouldBe ""
        }
    }

    test("an adopted JCuda event is destroyed when its handle closes") {
        device.createStream().use { stream ->
            settled()
            Frees.CALLS.drain()
            val before = CudaDouble.live(GpuDouble.Live.EVENTS)
            val event = CUevent()
            Cuda.enter(device).use {
                JCudaDriver.cuEventCreate(event, 0)
                JCudaDriver.cuEventRecord(event, Jcuda.cuStream(stream))
            }
            Jcuda.adoptEvent(device, event).use { ours ->
                Jcuda.event(ours) shouldBe event
                ours.synchronize()
                CudaDouble.live(GpuDouble.Live.EVENTS) shouldBe before + 1
            }
            eventually("the event is destroyed") { CudaDouble.live(GpuDouble.Live.EVENTS) == before }
        }
    }

    test("JCuda memory at a byte offset is wrapped as a buffer, and freed once after its last use") {
        val memory = CUdeviceptr()
        Cuda.enter(device).use { JCudaDriver.cuMemAlloc(memory, 256) shouldBe CUresult.CUDA_SUCCESS }
        val freed = AtomicInteger()
        val buffer = Jcuda.buffer(device, memory.withByteOffset(64), 128) {
            Cuda.enter(device).use { JCudaDriver.cuMemFree(memory) }
            freed.incrementAndGet()
        }
        buffer.size() shouldBe 128
        pageable(128, 5).use { source ->
            device.createStream().use { stream ->
                stream.copy(source, buffer)
                stream.synchronize()
            }
            val bytes = ByteBuffer.allocateDirect(128) // under -Xcheck:jni, JCuda does not write to arrays
            Cuda.enter(device).use {
                JCudaDriver.cuMemcpyDtoH(Pointer.to(bytes), memory.withByteOffset(64), 128) shouldBe
                    CUresult.CUDA_SUCCESS
            }
            bytes shouldBe source.segment().asByteBuffer()
        }
        buffer.close()
        eventually("JCuda's memory is freed") { freed.get() == 1 }
        shouldThrow<IllegalArgumentException> { Jcuda.buffer(device, CUdeviceptr(), 16) {} }.message shouldContain
            "CUdeviceptr has no native pointer"
        shouldThrow<IllegalArgumentException> { Jcuda.syncEvent(device, CUevent()) }.message shouldContain
            "CUevent has no native pointer"
    }

    test("a column's JCuda pointers are its buffers' addresses, and null for a missing buffer") {
        BatchBuilder.of(cpu, 3).use {
            it.int64("n", longArrayOf(1, 2, 3)).utf8("t", listOf("a", null, "c")).build()
        }.use { it.copyTo(device) }.use { batch ->
            Jcuda.pointers(batch.column("n")).map { it != null } shouldContainExactly listOf(false, true)
            Jcuda.pointers(batch.column("t")).map { it != null } shouldContainExactly listOf(true, true, true)
        }
    }

    test("JCuda sees the library's context as current, and a device that is not CUDA's is rejected") {
        val current = CUcontext()
        Cuda.enter(device).use { JCudaDriver.cuCtxGetCurrent(current) shouldBe CUresult.CUDA_SUCCESS }
        current shouldBe Jcuda.context(device)
        Cuda.device(second) shouldBe 1
        for (call in listOf<() -> Any>(
            { Cuda.context(cpu) }, { Jcuda.context(cpu) }, { Jcuda.cuStream(cpu.defaultStream()) }, { Cuda.enter(cpu) },
        )) {
            shouldThrow<IllegalArgumentException> { call() }.message shouldContain "CPU is not a CUDA device"
        }
    }
})
