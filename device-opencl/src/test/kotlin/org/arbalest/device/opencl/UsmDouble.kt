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
 * Unified shared memory in software, before the loader's functions: two devices more, of which `usm.c` tells. For a
 * process in which nobody has looked for OpenCL before; what the memory's rules forbid is counted, and fails a test.
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

    /** How many allocations there are of each kind of memory, and at last how many `cl_mem`. */
    private val baseline = Baseline(UnifiedMemory.entries.size + 1) {
        UnifiedMemory.entries.map(::all) + objectsFunction.invoke() as Long
    }

    /** Returns how many allocations there are that were not there when the current test began. */
    fun live(kind: UnifiedMemory): Long = baseline.now()[kind.ordinal]

    private fun all(kind: UnifiedMemory): Long =
        liveFunction.invoke(if (kind == UnifiedMemory.HOST) 0x4197 else 0x4198 + kind.ordinal / 2) as Long

    /** How many copies went by the extension's function. */
    val memcpys: Long get() = memcpysFunction.invoke() as Long

    /** How many `cl_mem` our code has not released since the current test began. */
    val memObjects: Long get() = baseline.now().last()

    /** How many events are held. */
    val events: Long get() = countFunction.invoke(0) as Long

    /** How often a queue was flushed, since the process began. */
    val flushes: Long get() = countFunction.invoke(1) as Long

    /** How many callbacks were asked for, since the process began. */
    val callbacks: Long get() = countFunction.invoke(2) as Long

    /** How many `cl_mem` were mapped, and how many copied to another, since the process began. */
    val mapsAndCopies: Pair<Long, Long> get() = countFunction.invoke(3) as Long to countFunction.invoke(4) as Long

    /** Lets the [nth] call of a function from now on fail. */
    fun fail(name: String, nth: Long = 1, code: Int = -5): Unit = Arena.ofConfined().use {
        failFunction.invoke(it.allocateFrom(name), nth, code)
    }

    /** Whether what [fail] asked for has not come; takes it back. */
    fun failNothing(): Boolean = failNothingFunction.invoke() as Int != 0

    private fun left(): Map<String, Long>? =
        (UnifiedMemory.entries.associate { "$it" to live(it) } + ("cl_mem" to memObjects)).filterValues { it != 0L }
            .ifEmpty { null }

    private fun violation(): String? =
        if (violationsFunction.invoke() as Long == 0L) null else (violationFunction.invoke() as MemorySegment)
            .reinterpret(Long.MAX_VALUE).getString(0)

    /**
     * Loads the double before the tests of a spec; fails a test in which the memory's rules were broken, or that leaves
     * memory or a `cl_mem`.
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

/** One of the double's devices: 1 has unified memory only, 2 shared virtual memory as well. */
internal class UsmBackend(id: Long) : Backend {
    override val device: Device by lazy { Devices.device(DeviceType.OPENCL, id) }

    override fun gate(stream: DeviceStream): Gate = UserEvent(device).also { gate ->
        gate.syncEvent().use(stream::waitFor)
    }
}
