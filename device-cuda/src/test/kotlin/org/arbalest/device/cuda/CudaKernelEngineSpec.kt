// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import jcuda.Pointer
import jcuda.driver.CUfunction
import jcuda.driver.CUmodule
import jcuda.driver.CUresult
import jcuda.driver.JCudaDriver
import org.arbalest.device.ArrayData
import org.arbalest.device.Device
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceStream
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.gpu.CudaDouble
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.ADDRESS
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.lang.invoke.MethodHandles
import java.lang.invoke.MethodType

/**
 * The sample's kernel on a batch of columns. The GPU check runs it as PTX on a GPU. On the simulator, [HistogramOnCpu]
 * replaces the kernel.
 */
class CudaKernelEngineSpec : FunSpec({
    extension(CCompiler.needed)
    extension(jcudaNatives)
    extension(cuda)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    test("a kernel counts flights after the batch's event, and the counts are an array with its own event") {
        val device = Devices.device(DeviceType.CUDA, 0)
        if (onDouble) CudaDouble.kernel("histogram", HistogramOnCpu.address, parameters = 5)
        val rows = if (onDouble) 100_003 else 4_000_003
        val origins = IntArray(rows) { (it * 7919L % AIRPORTS).toInt() }
        val delays = LongArray(rows) { it * 31L % 400 - 60 }
        val expected = IntArray(AIRPORTS * BINS).also { counts ->
            for (row in 0 until rows)
                counts[origins[row] * BINS + Math.floorDiv(delays[row] + 30, 15L).coerceIn(0, BINS - 1L).toInt()]++
        }
        device.createStream().use { loading ->
            device.createStream().use { computing ->
                val kernel = Cuda.enter(device).use { load(device, computing) }
                val gate = gates.shut(loading)
                val flights = BatchBuilder.of(Devices.cpu(), rows).use {
                    it.int32("origin", origins).int64("delay", delays).build()
                }.use { it.copyTo(device, loading) }
                val counts = zeroes(4L * AIRPORTS * BINS, computing)
                computing.waitFor(flights)
                Cuda.enter(device).use { launch(kernel, flights, counts, computing) }
                computing.keepAlive(flights)
                flights.close()
                val data = ArrayData.of(expected.size.toLong(), 0, listOf(null),
                    listOf(ArrayData.of(expected.size.toLong(), 0, listOf(null, counts))))
                val result =
                    RecordBatch.of(Schema.of(listOf(Field.of("count", DataType.INT32))), data, computing)
                result.isReady shouldBe false
                val back = result.use { it.copyTo(Devices.cpu(), computing) }
                gate.open()
                back.use {
                    it.synchronize()
                    it.column("count").toLongArray().map(Long::toInt) shouldBe expected.toList()
                }
            }
        }
    }
})

private const val AIRPORTS = 100
private const val BINS = 16

private fun zeroes(size: Long, stream: DeviceStream): DeviceBuffer = stream.device().allocate(size).also { target ->
    Devices.cpu().allocate(size).use { source ->
        source.segment().fill(0)
        stream.copy(source, target)
    }
}

/**
 * Loads the kernel for the rest of the process, and launches it once on no rows. A driver may load a kernel at its
 * first launch, and then waits for all other work.
 */
private fun load(device: Device, stream: DeviceStream): CUfunction {
    val module = CUmodule()
    val ptx = checkNotNull(CudaKernelEngineSpec::class.java.getResource("/org/arbalest/samples/ptx/histogram.ptx"))
        .readBytes() + 0
    JCudaDriver.cuModuleLoadData(module, ptx) shouldBe CUresult.CUDA_SUCCESS
    val function = CUfunction()
    JCudaDriver.cuModuleGetFunction(function, module, "histogram") shouldBe CUresult.CUDA_SUCCESS
    val none = device.allocate(8)
    val pointer = Pointer.to(Jcuda.pointer(none))
    val parameters = Pointer.to(pointer, Pointer.to(longArrayOf(4)), pointer, Pointer.to(longArrayOf(0)), pointer)
    JCudaDriver.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, Jcuda.cuStream(stream), parameters, null) shouldBe
        CUresult.CUDA_SUCCESS
    stream.synchronize()
    none.close()
    return function
}

private fun launch(function: CUfunction, flights: RecordBatch, counts: DeviceBuffer, stream: DeviceStream) {
    val parameters = Pointer.to(
        Pointer.to(Jcuda.pointers(flights.column("origin"))[1]!!), Pointer.to(longArrayOf(4)),
        Pointer.to(Jcuda.pointers(flights.column("delay"))[1]!!),
        Pointer.to(longArrayOf(flights.length())), Pointer.to(Jcuda.pointer(counts)),
    )
    val blocks = Math.ceilDiv(flights.length(), 256L).toInt()
    JCudaDriver.cuLaunchKernel(function, blocks, 1, 1, 256, 1, 1, 0, Jcuda.cuStream(stream), parameters, null) shouldBe
        CUresult.CUDA_SUCCESS
}

/** The kernel's computation in Java, for the simulator. It reads indices of four bytes. */
internal object HistogramOnCpu {
    val address: MemorySegment by lazy {
        val handle = MethodHandles.lookup()
            .findStatic(HistogramOnCpu::class.java, "run", MethodType.methodType(Void.TYPE, MemorySegment::class.java))
        Linker.nativeLinker().upcallStub(handle, FunctionDescriptor.ofVoid(ADDRESS), Arena.global())
    }

    @JvmStatic
    fun run(arguments: MemorySegment) {
        val list = arguments.reinterpret(40)
        fun argument(i: Int): Long = list.getAtIndex(ADDRESS, i.toLong()).reinterpret(8).get(JAVA_LONG, 0)
        val rows = argument(3)
        val origin = CudaDouble.at(argument(0), 4 * rows)
        val delay = CudaDouble.at(argument(2), 8 * rows)
        val counts = CudaDouble.at(argument(4), 4L * AIRPORTS * BINS)
        for (row in 0 until rows) {
            val bin = Math.floorDiv(delay.getAtIndex(JAVA_LONG, row) + 30, 15L).coerceIn(0, BINS - 1L)
            val at = origin.getAtIndex(JAVA_INT, row) * BINS + bin
            counts.setAtIndex(JAVA_INT, at, counts.getAtIndex(JAVA_INT, at) + 1)
        }
    }
}
