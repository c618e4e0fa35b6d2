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
import jcuda.driver.CUfunction
import jcuda.driver.CUmodule
import jcuda.driver.CUresult
import jcuda.driver.CUstream
import jcuda.driver.JCudaDriver
import org.arbalest.device.ArrayData
import org.arbalest.device.DataTypes
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Field
import org.arbalest.device.Schema
import org.arbalest.device.abi.DeviceType
import org.arbalest.device.abi.Errno
import org.arbalest.testkit.CCompiler
import org.arbalest.testkit.LedgerExtension
import org.arbalest.testkit.SkipWithout
import org.arbalest.testkit.gpu.CudaDouble
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.ADDRESS
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.lang.invoke.MethodHandles
import java.lang.invoke.MethodType
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicInteger

/** JCuda's own calls on our objects, and ours on JCuda's, in one driver. */
class JcudaSpec : FunSpec({
    extension(CCompiler.needed)
    extension(SkipWithout { "JCuda has natives for Linux on x86-64 only".takeUnless { "${System.getProperty("os.name")} ${System.getProperty("os.arch")}" == "Linux amd64" } })
    extension(CudaDouble.Extension)
    extension(LedgerExtension)

    val device by lazy { Devices.device(DeviceType.CUDA, 0) }
    val second by lazy { Devices.device(DeviceType.CUDA, 1) }
    val cpu = Devices.cpu()

    test("a kernel computes on a column, behind the array's event; the result is an array with an event of its own") {
        val rows = 1000
        CudaDouble.kernel("add", KernelOnCpu.address, parameters = 4)
        device.createStream().use { loading ->
            device.createStream().use { computing ->
                val gate = ValueGate(loading)
                val numbers = cpu.batchBuilder(rows).use { it.int64("n", LongArray(rows) { i -> i.toLong() }).build() }.use { it.copyTo(device, loading) }
                val out = device.allocate(8L * rows)
                computing.waitFor(numbers)
                Cuda.enter(device).use {
                    val module = CUmodule()
                    JCudaDriver.cuModuleLoadData(module, "// PTX\n.entry add(\n)\u0000".encodeToByteArray()) shouldBe CUresult.CUDA_SUCCESS
                    val function = CUfunction()
                    JCudaDriver.cuModuleGetFunction(function, module, "add") shouldBe CUresult.CUDA_SUCCESS
                    val parameters = Pointer.to(
                        Pointer.to(Jcuda.pointers(numbers.column("n"))[1]!!), Pointer.to(Jcuda.pointer(out)),
                        Pointer.to(longArrayOf(7)), Pointer.to(longArrayOf(rows.toLong())),
                    )
                    val blocks = (rows + 255) / 256
                    JCudaDriver.cuLaunchKernel(function, blocks, 1, 1, 256, 1, 1, 0, Jcuda.cuStream(computing), parameters, null) shouldBe CUresult.CUDA_SUCCESS
                    JCudaDriver.cuModuleUnload(module) shouldBe CUresult.CUDA_SUCCESS
                }
                computing.keepAlive(numbers)
                numbers.close()
                val data = ArrayData.of(rows.toLong(), 0, listOf(null), listOf(ArrayData.of(rows.toLong(), 0, listOf(null, out))))
                val sums = DeviceArray.of(Schema.of(listOf(Field.of("sum", DataTypes.INT64))), data, computing)
                sums.isReady shouldBe false
                val back = sums.use { it.copyTo(cpu, computing) }
                gate.open()
                back.use {
                    it.synchronize()
                    it.column("sum").toLongArray() shouldBe LongArray(rows) { i -> i + 7L }
                }
            }
        }
    }

    test("a stream of JCuda's is a stream, and stays JCuda's") {
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
    }

    test("a stream of another context is refused with both contexts") {
        val stream = CUstream()
        Cuda.enter(second).use { JCudaDriver.cuStreamCreate(stream, 0) }
        val error = shouldThrow<DeviceException> { Jcuda.stream(device, stream) }
        error.errno() shouldBe Errno.EINVAL
        error.message shouldContain "belongs to the context 0x${Cuda.context(second).toString(16)}, but CUDA:0 works in 0x${Cuda.context(device).toString(16)}"
        Cuda.enter(second).use { JCudaDriver.cuStreamDestroy(stream) }
    }

    test("DEV-03 an event of JCuda's is waited for as a sync event, also of another GPU, and stays JCuda's; and the reverse") {
        for (its in listOf(device, second)) {
            its.createStream().use { stream ->
                device.createStream().use { waiting ->
                    val gate = ValueGate(stream)
                    val event = CUevent()
                    Cuda.enter(its).use {
                        JCudaDriver.cuEventCreate(event, 0) shouldBe CUresult.CUDA_SUCCESS
                        JCudaDriver.cuEventRecord(event, Jcuda.cuStream(stream)) shouldBe CUresult.CUDA_SUCCESS
                    }
                    Jcuda.syncEvent(device, event).use { ours ->
                        Cuda.enter(its).use { JCudaDriver.cuEventDestroy(event) shouldBe CUresult.CUDA_SUCCESS }
                        ours.isDone shouldBe false
                        waiting.waitFor(ours)
                        val stage = ours.completion().toCompletableFuture()
                        waiting.record().use { end ->
                            Cuda.enter(device).use { JCudaDriver.cuEventQuery(Jcuda.event(end)) shouldBe CUresult.CUDA_ERROR_NOT_READY }
                            gate.open()
                            Cuda.enter(device).use { JCudaDriver.cuEventSynchronize(Jcuda.event(end)) shouldBe CUresult.CUDA_SUCCESS }
                            end.isDone shouldBe true
                        }
                        stage.get(20, SECONDS)
                    }
                }
            }
        }
    }

    test("an event of JCuda's that is given away is destroyed with its handle") {
        device.createStream().use { stream ->
            val before = CudaDouble.live(CudaDouble.Live.EVENTS)
            val event = CUevent()
            Cuda.enter(device).use {
                JCudaDriver.cuEventCreate(event, 0)
                JCudaDriver.cuEventRecord(event, Jcuda.cuStream(stream))
            }
            Jcuda.adoptEvent(device, event).use { ours ->
                Jcuda.event(ours) shouldBe event
                ours.synchronize()
                CudaDouble.live(CudaDouble.Live.EVENTS) shouldBe before + 1
            }
            CudaDouble.live(CudaDouble.Live.EVENTS) shouldBe before
        }
    }

    test("memory of JCuda's is a buffer, with its byte offset, until the last who uses it lets go") {
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
            val bytes = ByteArray(128)
            Cuda.enter(device).use { JCudaDriver.cuMemcpyDtoH(Pointer.to(bytes), memory.withByteOffset(64), 128) shouldBe CUresult.CUDA_SUCCESS }
            bytes shouldBe source.segment().toArray(java.lang.foreign.ValueLayout.JAVA_BYTE)
        }
        buffer.close()
        eventually("it is freed") { freed.get() == 1 }
        shouldThrow<IllegalArgumentException> { Jcuda.buffer(device, CUdeviceptr(), 16) {} }.message shouldContain "CUdeviceptr has no native pointer"
        shouldThrow<IllegalArgumentException> { Jcuda.syncEvent(device, CUevent()) }.message shouldContain "CUevent has no native pointer"
    }

    test("a column's pointers are its buffers, and null where there is none") {
        cpu.batchBuilder(3).use { it.int64("n", longArrayOf(1, 2, 3)).utf8("t", listOf("a", null, "c")).build() }.use { it.copyTo(device) }.use { batch ->
            Jcuda.pointers(batch.column("n")).map { it != null } shouldContainExactly listOf(false, true)
            Jcuda.pointers(batch.column("t")).map { it != null } shouldContainExactly listOf(true, true, true)
        }
    }

    test("the context is JCuda's, too; what is none of CUDA's is refused") {
        val current = CUcontext()
        Cuda.enter(device).use { JCudaDriver.cuCtxGetCurrent(current) shouldBe CUresult.CUDA_SUCCESS }
        current shouldBe Jcuda.context(device)
        Cuda.device(second) shouldBe 1
        for (call in listOf<() -> Any>({ Cuda.context(cpu) }, { Jcuda.context(cpu) }, { Jcuda.cuStream(cpu.defaultStream()) }, { Cuda.enter(cpu) })) {
            shouldThrow<IllegalArgumentException> { call() }.message shouldContain "CPU is not a CUDA device"
        }
    }
})

/** `out[i] = in[i] + add`, as the double's kernel. */
internal object KernelOnCpu {
    val address: MemorySegment by lazy {
        val handle = MethodHandles.lookup().findStatic(KernelOnCpu::class.java, "run", MethodType.methodType(Void.TYPE, MemorySegment::class.java))
        Linker.nativeLinker().upcallStub(handle, FunctionDescriptor.ofVoid(ADDRESS), Arena.global())
    }

    @JvmStatic
    fun run(arguments: MemorySegment) {
        val list = arguments.reinterpret(32)
        fun argument(i: Int): Long = list.getAtIndex(ADDRESS, i.toLong()).reinterpret(8).get(JAVA_LONG, 0)
        val rows = argument(3)
        val input = CudaDouble.at(argument(0), 8 * rows)
        val output = CudaDouble.at(argument(1), 8 * rows)
        for (i in 0 until rows) output.setAtIndex(JAVA_LONG, i, input.getAtIndex(JAVA_LONG, i) + argument(2))
    }
}
