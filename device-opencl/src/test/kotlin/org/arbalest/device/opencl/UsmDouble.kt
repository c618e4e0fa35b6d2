// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl

import io.kotest.core.extensions.TestCaseExtension
import io.kotest.core.test.TestCase
import io.kotest.core.test.TestType
import io.kotest.engine.test.TestResult
import org.arbalest.device.Device
import org.arbalest.device.DeviceStream
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.support.NativeLibrary
import org.arbalest.support.Settling
import org.arbalest.testkit.contract.Backend
import org.arbalest.testkit.contract.Baseline
import org.arbalest.testkit.contract.Gate
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemoryLayout
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.ADDRESS
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.lang.invoke.MethodHandle

/**
 * A simulator of unified shared memory, in `usm.c`. Its functions precede those of the OpenCL loader, and it adds two
 * devices.
 *
 * It must be loaded before the process looks for OpenCL. It records each violation of the memory's rules, which then
 * fails the test.
 */
internal object UsmDouble {
    private val library: NativeLibrary by lazy { NativeLibrary.compile("opencl/usm.c").also { ClLibrary.precede(it) } }
    private val liveFunction by function("usm_live", JAVA_LONG, JAVA_INT)
    private val memcpysFunction by function("usm_memcpys", JAVA_LONG)
    private val objectsFunction by function("usm_mem_objects", JAVA_LONG)
    private val countFunction by function("usm_count", JAVA_LONG, JAVA_INT)
    private val violationsFunction by function("usm_violations", JAVA_LONG)
    private val violationFunction by function("usm_violation", ADDRESS)
    private val resetFunction by function("usm_reset", null)
    private val failFunction by function("usm_fail", null, ADDRESS, JAVA_LONG, JAVA_INT)
    private val failNothingFunction by function("usm_fail_nothing", JAVA_INT)

    /** The number of allocations of each kind of memory, and then the number of `cl_mem`. */
    private val baseline = Baseline(UnifiedMemory.entries.size + 1) {
        UnifiedMemory.entries.map(::all) + objectsFunction.invoke() as Long
    }

    /** Returns the number of allocations of this kind since the current test began, less those freed since. */
    fun live(kind: UnifiedMemory): Long = baseline.now()[kind.ordinal]

    private fun all(kind: UnifiedMemory): Long =
        liveFunction.invoke(if (kind == UnifiedMemory.HOST) 0x4197 else 0x4198 + kind.ordinal / 2) as Long

    /** The number of copies by the extension's function. */
    val memcpys: Long get() = memcpysFunction.invoke() as Long

    /** The number of `cl_mem` that the library has created since the current test began and not released. */
    val memObjects: Long get() = baseline.now().last()

    /** The number of references to events. */
    val events: Long get() = countFunction.invoke(0) as Long

    /** The number of flushes of queues since the process began. */
    val flushes: Long get() = countFunction.invoke(1) as Long

    /** The number of callbacks registered since the process began. */
    val callbacks: Long get() = countFunction.invoke(2) as Long

    /** The numbers of `cl_mem` that were mapped, and copied to another `cl_mem`, since the process began. */
    val mapsAndCopies: Pair<Long, Long> get() = countFunction.invoke(3) as Long to countFunction.invoke(4) as Long

    /** Makes the [nth] call of a function from now on fail. */
    fun fail(name: String, nth: Long = 1, code: Int = -5): Unit = Arena.ofConfined().use {
        failFunction.invoke(it.allocateFrom(name), nth, code)
    }

    /** Cancels the failure that [fail] has set. Returns whether it was still pending. */
    fun failNothing(): Boolean = failNothingFunction.invoke() as Int != 0

    private fun left(): Map<String, Long>? =
        (UnifiedMemory.entries.associate { "$it" to live(it) } + ("cl_mem" to memObjects)).filterValues { it != 0L }
            .ifEmpty { null }

    private fun violation(): String? =
        if (violationsFunction.invoke() as Long == 0L) null else (violationFunction.invoke() as MemorySegment)
            .reinterpret(Long.MAX_VALUE).getString(0)

    /**
     * An extension that loads the simulator before the tests of a spec. It fails a test that breaks the memory's rules,
     * or leaves memory or a `cl_mem`.
     */
    val extension: TestCaseExtension = object : TestCaseExtension {
        override suspend fun intercept(testCase: TestCase, execute: suspend (TestCase) -> TestResult): TestResult {
            if (testCase.type != TestType.Test) return execute(testCase)
            resetFunction.invoke()
            baseline.begin()
            val result = execute(testCase)
            val left = Settling.leftAfter(Settling.quietAfter(result)) { left() }
            val words = listOfNotNull(left?.let { "there is more than before: $it" }, violation()).joinToString("; ")
            return if (words.isEmpty() || !result.isSuccess) result
            else TestResult.Failure(result.duration, AssertionError(words))
        }
    }

    private fun function(
        name: String,
        result: MemoryLayout?,
        vararg parameters: MemoryLayout,
    ): Lazy<MethodHandle> = lazy {
        val type = if (result == null) FunctionDescriptor.ofVoid(*parameters)
        else FunctionDescriptor.of(result, *parameters)
        Linker.nativeLinker().downcallHandle(library.find(name).orElseThrow(), type)
    }
}

/** A backend of one of the simulator's devices. Device 1 has only unified memory; 2 also has shared virtual memory. */
internal class UsmBackend(id: Long) : Backend {
    override val device: Device by lazy { Devices.device(DeviceType.OPENCL, id) }

    override fun gate(stream: DeviceStream): Gate = UserEvent(device).also { gate ->
        gate.syncEvent().use(stream::waitFor)
    }
}
