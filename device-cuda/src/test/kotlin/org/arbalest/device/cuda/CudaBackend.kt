// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.core.extensions.TestCaseExtension
import org.arbalest.device.Availability
import org.arbalest.device.Device
import org.arbalest.device.DeviceStream
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.internal.staging.Staging
import org.arbalest.support.gpu.CudaDouble
import org.arbalest.support.gpu.GpuBackend
import org.arbalest.support.gpu.GpuDouble
import org.arbalest.support.gpu.GpuDouble.Live
import org.arbalest.support.gpu.GpuWords
import org.arbalest.support.gpu.WordGates
import org.arbalest.support.gpu.gpuProgram
import org.arbalest.testkit.SkipWithout
import org.arbalest.testkit.contract.Gate
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemoryLayout
import java.lang.foreign.MemorySegment
import java.lang.foreign.SymbolLookup
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.lang.invoke.MethodHandle
import kotlin.reflect.KClass

/**
 * Whether the tests run on the simulator of the driver. With `-Darbalest.cuda=driver`, which the GPU check sets, they
 * run on the driver.
 */
internal val onDouble: Boolean = System.getProperty("arbalest.cuda") != "driver"

/** An extension that loads the simulator for a spec, and fails a test that leaks a resource of it. */
internal val cudaDouble: TestCaseExtension = CudaDouble.balanced(CudaBackend(DeviceType.CUDA))

/** An extension for a spec that runs on the simulator or the driver. It loads the selected one. */
internal val cuda: TestCaseExtension = if (onDouble) cudaDouble else SkipWithout.device(DeviceType.CUDA)

/** Skips tests on an integrated GPU, such as that of a Jetson, if CUDA has no handles for its memory. */
internal val sharedMemory = SkipWithout {
    if (Gpu.attribute(0, Cu.INTEGRATED) == 0) return@SkipWithout null
    Devices.device(DeviceType.CUDA, 0).shareableMemory().get().allocate(8).use { buffer ->
        Gpu.open(0).sharing.run { runCatching { export(prepare(buffer.address())) } }.exceptionOrNull()?.message
    }
}

internal val jcudaNatives = SkipWithout {
    val system = "${System.getProperty("os.name")} on ${System.getProperty("os.arch")}"
    "JCuda has no natives for $system".takeUnless { system == "Linux on amd64" }
}

/** A backend of the first device of one CUDA type. Its `libcuda.so.1` is the simulator or the driver. */
internal open class CudaBackend(private val type: DeviceType) : GpuBackend {
    override val device: Device by lazy { Devices.device(type, 0) }
    override val double: GpuDouble get() = CudaDouble.also {
        check(onDouble) { "the tests run on a driver, so the simulator is not loaded; omit -Darbalest.cuda=driver" }
    }
    override val onDouble: Boolean get() = org.arbalest.device.cuda.onDouble
    override val others: List<Device>
        get() = listOf(DeviceType.CUDA to 1L, DeviceType.CUDA_HOST to 0L, DeviceType.CUDA_MANAGED to 0L)
            .filter { (type, id) ->
                (Devices.availability(type) as? Availability.Ready).let { it != null && it.devices() > id }
            }
            .map { (type, id) -> Devices.device(type, id) }
    override val slotSizes: Pair<Long, Long> get() = 64L * 1024 to 4L * 1024 * 1024
    override val mostSlots: Pair<Int, Int> get() = 64 to 16
    override val types: List<DeviceType> get() = listOf(DeviceType.CUDA, DeviceType.CUDA_HOST, DeviceType.CUDA_MANAGED)
    override val threads: String get() = "arbalest-cuda"
    override val program: KClass<*> get() = CudaProgram::class
    override val options: List<String>
        get() = if (onDouble) listOf() else listOf("-Darbalest.cuda=driver")
    override val sharingCalls: List<String>
        get() = listOf(
            "cuStreamCreate", "cuStreamWaitEvent", "cuEventCreate", "cuEventRecord", "cuPointerGetAttribute",
            "cuMemGetAddressRange", "cuIpcGetMemHandle",
            "cuIpcGetEventHandle",
        )
    override val openingCalls: List<String> get() = listOf("cuIpcOpenMemHandle", "cuIpcCloseMemHandle")
    override val shareableCalls: List<String> get() = listOf("cuMemAlloc", "cuMemFree")
    override val visibility: String get() = "CUDA_VISIBLE_DEVICES"
    override val words: GpuWords
        get() = GpuWords(
            allocation = "cuMemAllocFromPoolAsync",
            plainAllocation = "cuMemAlloc",
            plainFree = "cuMemFree",
            frees = listOf("cuEventDestroy", "cuStreamDestroy", "cuMemFreeAsync", "cuMemFreeHost", "cuMemFree"),
            query = "cuEventQuery",
            current = "cuCtxPushCurrent",
            address = "cuPointerGetAttribute",
            outOfMemory = "CUDA_ERROR_OUT_OF_MEMORY (2)",
            illegalAddress = "CUDA_ERROR_ILLEGAL_ADDRESS (700)",
            noDevice = "CUDA_ERROR_NO_DEVICE (100)",
            unknown = "unknown code (999)",
            absent = "no CUDA driver was found",
            pins = listOf("cuMemHostRegister"),
            unpin = "cuMemHostUnregister",
        )

    override fun slots(): Int = staging().slots()

    override fun blocks(): Int = staging().blocks()

    override fun kept(what: Live): Long = when (what) {
        Live.STREAMS -> gpus.indices.sumOf { staging(it).queues().toLong() }
        Live.PINNED -> gpus.indices.sumOf { staging(it).blocks().toLong() } + gates.blocks()
        else -> 0L
    }

    override fun hasPool(): Boolean = Gpu.open(0).pool.isThere

    override fun makeLasting() {
        if (!hasPool()) return
        for (id in gpus.indices) {
            val gpu = Devices.device(DeviceType.CUDA, id.toLong())
            Cuda.usePool(gpu, Cuda.currentPool(gpu)) // a stream for pools of others
            Cuda.usePool(gpu, 0)
        }
    }

    override val functions: Set<String> get() = CuLibrary.functions().keys.map { it.removeSuffix("_v2") }.toSet()

    override val batchCopy: String? get() = "cuMemcpyBatchAsync"

    override val copiesBatches: Boolean get() = Gpu.open(0).copies.copiesBatches()

    override val reachesPageable: Boolean get() = Gpu.open(0).reachesPageable

    override val change: String get() = "cuCtxPushCurrent"

    override fun drainFrees(): Unit = Frees.CALLS.drain()

    override fun isInstalled(): Boolean = CuLibrary.missing() == null

    override fun gate(stream: DeviceStream): Gate = gates.shut(stream)
}

internal object CudaProgram {
    @JvmStatic
    fun main(args: Array<String>): Unit = gpuProgram(CudaBackend(DeviceType.CUDA), args)
}

private val waitValue by lazy { Raw.function("cuStreamWaitValue32_v2", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT) }

internal val gates = WordGates(allocate = { bytes ->
    val alloc = Raw.function("cuMemHostAlloc", JAVA_LONG, JAVA_LONG, JAVA_INT)
    Raw.inContext(Devices.device(DeviceType.CUDA, 0)) {
        val out = Arena.ofAuto().allocate(JAVA_LONG)
        check(Raw.call(alloc, out.address(), bytes, 1) == 0)
        MemorySegment.ofAddress(out.get(JAVA_LONG, 0)).reinterpret(bytes)
    }
}) { stream, word -> Raw.inContext(stream.device()) { check(Raw.call(waitValue, stream.handle(), word, 1, 0) == 0) } }

/** Direct calls of the driver's functions, without the library. */
internal object Raw {
    private val library by lazy { SymbolLookup.libraryLookup("libcuda.so.1", Arena.global()) }
    private val push by lazy { function("cuCtxPushCurrent_v2", JAVA_LONG) }
    private val pop by lazy { function("cuCtxPopCurrent_v2", JAVA_LONG) }

    fun function(name: String, vararg parameters: MemoryLayout): MethodHandle =
        Linker.nativeLinker().downcallHandle(library.findOrThrow(name), FunctionDescriptor.of(JAVA_INT, *parameters))

    fun call(function: MethodHandle, vararg arguments: Any): Int = function.invokeWithArguments(*arguments) as Int

    fun <T> inContext(device: Device, block: () -> T): T = inContext(CudaProvider.gpu(device).context(), block)

    fun <T> inContext(context: Long, block: () -> T): T {
        check(call(push, context) == 0)
        try {
            return block()
        } finally {
            check(call(pop, 0L) == 0)
        }
    }
}

/** Returns the staging that core uses for a GPU's copies from and to pageable memory. */
internal fun staging(gpu: Int = 0): Staging = checkNotNull(Staging.of(CudaDriver.of(Gpu.open(gpu), DeviceType.CUDA)))
