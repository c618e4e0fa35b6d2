// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm

import io.kotest.core.extensions.TestCaseExtension
import org.arbalest.device.Device
import org.arbalest.device.DeviceStream
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.internal.staging.Staging
import org.arbalest.support.gpu.GpuBackend
import org.arbalest.support.gpu.GpuDouble
import org.arbalest.support.gpu.GpuDouble.Live
import org.arbalest.support.gpu.GpuWords
import org.arbalest.support.gpu.HipDouble
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
 * Whether the tests run on the simulator of HIP. With `-Darbalest.rocm=driver`, which the GPU check sets, they run on a
 * driver.
 */
internal val onDouble: Boolean = System.getProperty("arbalest.rocm") != "driver"

/** An extension that loads the simulator for a spec, and fails a test that leaks a resource of it. */
internal val hipDouble: TestCaseExtension = HipDouble.balanced(RocmBackend(DeviceType.ROCM))

/** An extension for a spec that runs on the simulator or a driver. It loads the selected one. */
internal val rocm: TestCaseExtension = if (onDouble) hipDouble else SkipWithout.device(DeviceType.ROCM)

/** A backend of the first device of one ROCm type, on the simulator or on a driver. */
internal class RocmBackend(private val type: DeviceType) : GpuBackend {
    override val device: Device by lazy { Devices.device(type, 0) }
    override val double: GpuDouble get() = HipDouble.also {
        check(onDouble) { "the tests run on a driver, so the simulator is not loaded; omit -Darbalest.rocm=driver" }
    }
    override val onDouble: Boolean get() = org.arbalest.device.rocm.onDouble
    override val others: List<Device> get() = listOfNotNull(gpus.getOrNull(1), Devices.device(DeviceType.ROCM_HOST, 0))
    override val slotSizes: Pair<Long, Long> get() = 64L * 1024 to 4L * 1024 * 1024
    override val mostSlots: Pair<Int, Int> get() = 64 to 16
    override val types: List<DeviceType> get() = listOf(DeviceType.ROCM, DeviceType.ROCM_HOST)
    override val threads: String get() = "arbalest-rocm"
    override val program: KClass<*> get() = RocmProgram::class
    override val sharingCalls: List<String> get() = listOf("hipMemGetAddressRange", "hipIpcGetMemHandle")
    override val openingCalls: List<String> get() = listOf("hipIpcOpenMemHandle", "hipIpcCloseMemHandle")
    override val shareableCalls: List<String> get() = listOf("hipMalloc", "hipFree")
    override val visibility: String get() = "HIP_VISIBLE_DEVICES"
    override val sharesEvents: Boolean get() = false
    override val options: List<String> get() = if (HipDouble.isRocm5) listOf("-Darbalest.hip=5") else emptyList()
    override val words: GpuWords
        get() = GpuWords(
            allocation = "hipMalloc",
            plainAllocation = "hipMalloc",
            plainFree = "hipFree",
            frees = listOf("hipEventDestroy", "hipStreamDestroy", "hipFreeAsync", "hipHostFree", "hipFree"),
            query = "hipEventQuery",
            current = "hipGetDevice",
            address = "hipDrvPointerGetAttributes",
            outOfMemory = "hipErrorOutOfMemory (2)",
            illegalAddress = "hipErrorIllegalAddress (700)",
            noDevice = "hipErrorNoDevice (100)",
            unknown = "hipErrorUnknown (999)",
            absent = "HIP was not found",
            pins = listOf("hipHostRegister", "hipHostGetDevicePointer"),
            unpin = "hipHostUnregister",
        )

    override fun slots(): Int = staging().slots()

    override fun blocks(): Int = staging().blocks()

    override fun kept(what: Live): Long = when (what) {
        Live.STREAMS -> gpus.indices.sumOf { staging(it).queues().toLong() }
        Live.PINNED -> gpus.indices.sumOf { staging(it).blocks().toLong() } + gates.blocks()
        else -> 0L
    }

    override fun hasPool(): Boolean = Gpu.open(0).pool.isThere

    override val functions: Set<String> get() = HipLibrary.functions().keys.map { it.removeSuffix("_v2") }.toSet()

    override val batchCopy: String? get() = null

    override val change: String get() = "hipSetDevice"

    override fun drainFrees(): Unit = Frees.CALLS.drain()

    override fun requestPools() {
        System.setProperty(Pool.REQUESTED, "true")
    }

    override fun isInstalled(): Boolean = HipLibrary.missing() == null

    override fun gate(stream: DeviceStream): Gate = gates.shut(stream)
}

internal object RocmProgram {
    @JvmStatic
    fun main(args: Array<String>): Unit = gpuProgram(RocmBackend(DeviceType.ROCM), args)
}

private val waitValue by lazy {
    Raw.function("hipStreamWaitValue32", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT)
}

internal val gates = WordGates(allocate = { bytes ->
    val out = Arena.ofAuto().allocate(JAVA_LONG)
    check(Raw.call(Raw.function("hipHostMalloc", JAVA_LONG, JAVA_LONG, JAVA_INT), out.address(), bytes, 0) == 0)
    MemorySegment.ofAddress(out.get(JAVA_LONG, 0)).reinterpret(bytes)
}) { stream, word -> check(Raw.call(waitValue, stream.handle(), word, 1, 0, -1) == 0) }

/** The names of HIP's library, from the newest, in the backend's order. The simulator has the first name. */
private val NAMES = listOf("libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5")

/** Direct calls of HIP's functions, without the library. */
internal object Raw {
    private val library by lazy {
        if (onDouble) HipDouble.load()
        NAMES.firstNotNullOf { name -> runCatching { SymbolLookup.libraryLookup(name, Arena.global()) }.getOrNull() }
    }
    private val getDeviceFunction by lazy { function("hipGetDevice", JAVA_LONG) }
    private val setDeviceFunction by lazy { function("hipSetDevice", JAVA_INT) }

    fun function(name: String, vararg parameters: MemoryLayout): MethodHandle =
        Linker.nativeLinker().downcallHandle(library.findOrThrow(name), FunctionDescriptor.of(JAVA_INT, *parameters))

    fun call(function: MethodHandle, vararg arguments: Any): Int = function.invokeWithArguments(*arguments) as Int

    /** Runs a block with another device current. */
    fun <T> onDevice(ordinal: Int, block: () -> T): T {
        val before = currentDevice()
        setDevice(ordinal)
        try {
            return block()
        } finally {
            setDevice(before)
        }
    }

    fun currentDevice(): Int = Arena.ofConfined().use { arena ->
        val out = arena.allocate(JAVA_INT)
        check(call(getDeviceFunction, out.address()) == 0)
        out.get(JAVA_INT, 0)
    }

    fun setDevice(ordinal: Int): Unit = check(call(setDeviceFunction, ordinal) == 0)
}

/** Returns the staging that core uses for a GPU's copies from and to pageable memory. */
internal fun staging(ordinal: Int = 0): Staging =
    checkNotNull(Staging.of(RocmDriver.of(Gpu.open(ordinal), DeviceType.ROCM)))
