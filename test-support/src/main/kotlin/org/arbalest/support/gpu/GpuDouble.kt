// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.gpu

import io.kotest.core.extensions.TestCaseExtension
import io.kotest.core.spec.Spec
import io.kotest.core.test.TestCase
import io.kotest.core.test.TestType
import io.kotest.engine.test.TestResult
import org.arbalest.device.DeviceStream
import org.arbalest.device.Devices
import org.arbalest.support.NativeLibrary
import org.arbalest.support.Settling
import org.arbalest.support.withArguments
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemoryLayout
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.ADDRESS
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.lang.invoke.MethodHandle
import java.util.concurrent.TimeoutException
import java.util.concurrent.atomic.AtomicLongArray
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds

/**
 * A GPU's runtime in software, for tests without a GPU: two devices whose memory the CPU cannot touch, streams that
 * work in threads of their own, events, host functions, and the runtime's rules. What a GPU punishes with undefined
 * behaviour is counted in [violations].
 *
 * It is compiled, and is the process's library of that name from [load] on, which must come before anybody looks for
 * the real one.
 */
sealed class GpuDouble(
    private val version: Int,
    /** The version that it simulates, such as `13.0`. It lacks the functions that came later. */
    val release: String,
    private val header: String,
    soname: String,
    private vararg val sources: String,
) {
    /** What is live in a double. What the code under test keeps for itself counts as well. */
    enum class Live {
        /** Allocations of device memory. */
        DEVICE,

        /** Allocations of pinned memory. */
        PINNED,

        /** Allocations of managed memory. */
        MANAGED,

        /** Streams. */
        STREAMS,

        /** Events. */
        EVENTS,

        /** What is queued and not done. */
        COMMANDS,

        /** Other processes' memory that is open here. */
        OPENED,

        /** Pieces of others' memory that are registered. */
        REGISTERED,

        /** Ranges of addresses that are reserved. */
        RESERVED,
    }

    val library: NativeLibrary by lazy { compileAs(soname, Prototypes(header).absent(release)) }
    private val resetFunction by function("double_reset", null, JAVA_INT, JAVA_LONG, JAVA_INT)
    private val failFunction by function("double_fail", null, ADDRESS, JAVA_LONG, JAVA_INT)
    private val failFromFunction by function("double_fail_from", null, ADDRESS, JAVA_LONG, JAVA_INT)
    private val failNothingFunction by function("double_fail_nothing", JAVA_INT)
    private val dieFunction by function("double_die", null, JAVA_INT, JAVA_INT)
    private val liveFunction by function("double_live", JAVA_LONG, JAVA_INT)
    private val forgetMemoryFunction by function("double_forget_memory", null, JAVA_INT)

    /**
     * What tests before this one have left and nobody has released yet, of each kind; a thread of the backend's may ask
     * for [live] at any time.
     */
    private val forgotten = AtomicLongArray(Live.entries.size)

    /** What is live between tests beyond what the backend keeps, of this spec. */
    private var atRest: Map<Live, Long> = emptyMap()
    private var atRestIn: Spec? = null
    private val callsFunction by function("double_calls", JAVA_LONG, ADDRESS)
    private val callsHereFunction by function("double_calls_here", JAVA_LONG, ADDRESS)
    private val reachPageableFunction by function("double_reach_pageable", null, JAVA_INT)
    private val holdHostFunctions by function("double_hold_host_functions", null, JAVA_INT)
    private val oneHostThreadFunction by function("double_one_host_thread", null, JAVA_INT)
    private val allocationsWaitFunction by function("double_allocations_wait", null, JAVA_INT)
    private val captureStreamFunction by function("double_capture_stream", JAVA_LONG, ADDRESS, JAVA_INT)
    private val capturedEventFunction by function("double_captured_event", ADDRESS, ADDRESS)
    private val captureBlockingFunction by function("double_capture_blocking", null, JAVA_INT, JAVA_INT)
    private val copiesDoneFunction by function("double_copies_done", JAVA_LONG)
    private val mappedFunction by function("double_mapped", JAVA_LONG)
    private val freeingFunction by function("double_freeing", JAVA_INT)
    private val shiftedFunction by function("double_shifted", null, JAVA_INT)
    private val violationCount by function("double_violations", JAVA_LONG)
    private val violationText by function("double_violation", ADDRESS)
    private val kernelFunction by function("double_kernel", JAVA_INT, ADDRESS, ADDRESS, JAVA_INT)
    private val atFunction by function("double_at", ADDRESS, JAVA_LONG)
    private val endFunction by function("double_end_with_process", null)
    private val holdFunction by function("double_hold", JAVA_INT, ADDRESS)
    private val slowFunction by function("double_slow", null, JAVA_LONG)
    private val spoilFunction by function("double_spoil", null, JAVA_LONG)
    private val stickFunction by function("double_stick", null, JAVA_LONG)
    private val spareFunction by function("double_spare", null, JAVA_INT)
    private val depthFunction by function("double_depth", JAVA_INT)
    private val resetThreadFunction by function("double_reset_thread", null)
    private val captureFunction by function("double_capture", null, JAVA_INT)
    private val captureModesFunction by function("double_capture_modes", null, JAVA_INT)
    private val captureModeFunction by function("double_capture_mode", JAVA_INT)
    private val captureRefusedFunction by function("double_capture_refused", JAVA_LONG)
    private val connectionsFunction by function("double_connections", null, JAVA_INT)
    private val askedFunction by function("double_asked", JAVA_LONG)
    private val deinitializeFunction by function("double_deinitialize", null)

    /** Compiles and loads it once more, under another name, without the functions [lacking] and with all others. */
    fun compileAs(soname: String, lacking: Set<String> = emptySet()): NativeLibrary {
        val flags = lacking.map { "-D$it=absent_$it" } + "-DGPU_DRIVER_VERSION=$version"
        return NativeLibrary.compileAs(soname, flags, *sources, "gpu/$header", *CORE)
    }

    /** Compiles and loads it, once per process. Needs a C compiler. */
    fun load() {
        reset()
    }

    /** How many GPUs it has, if a test says nothing else. */
    var usualDevices: Int = 2

    /**
     * Forgets what a test has provoked, revives devices that died, and sets what there is. While nothing is allocated
     * or queued.
     */
    fun reset(devices: Int = usualDevices, memory: Long = MEMORY, hasPools: Boolean = true) {
        resetFunction.invoke(devices, memory, if (hasPools) 1 else 0)
        captureFunction.invoke(0)
        captureModesFunction.invoke(1)
        connections(0)
        oneHostThreadFunction.invoke(0)
        allocationsWait(false)
        usual()
    }

    /** Takes back what a test has said of this runtime only. */
    protected open fun usual() {}

    /**
     * Lets a call fail with [code]: the [nth] from now on of the function [name], such as `cuMemAlloc`, or of any if it
     * is empty.
     */
    fun fail(name: String, nth: Long = 1, code: Int = 999): Unit = withArguments {
        failFunction.invoke(text(name), nth, code)
    }

    /** Like [fail], that call and all that come after it, until [failNothing]. */
    fun failFrom(name: String, nth: Long = 1, code: Int = 999): Unit = withArguments {
        failFromFunction.invoke(text(name), nth, code)
    }

    /** Takes back what [fail] and [failFrom] asked for: how many of them have not come. */
    fun failNothing(): Int = failNothingFunction.invoke() as Int

    /**
     * Lets a device die, as of a kernel that reads where there is nothing: every call fails, what is queued is dropped.
     */
    fun die(device: Int, code: Int = 700) {
        dieFunction.invoke(device, code)
    }

    /**
     * Another thread captures a graph in global mode while the block runs: a call that is then "potentially unsafe" is
     * refused (900), and is a violation, unless the thread that makes it is relaxed.
     *
     * @param events what whoever asks for an event, or waits for one, is answered with, whatever mode he is in, without
     *     a violation; 0 if nothing special
     * @param hasModes whether the driver has a function for a thread's mode; without it there is no violation either
     */
    fun <T> capturing(events: Int = 0, hasModes: Boolean = true, block: () -> T): T {
        captureModesFunction.invoke(if (hasModes) 1 else 0)
        captureFunction.invoke(if (events == 0) 1 else events)
        try {
            return block()
        } finally {
            captureFunction.invoke(0)
            captureModesFunction.invoke(1)
        }
    }

    /** How many calls were refused since the capture began. */
    val refused: Long get() = captureRefusedFunction.invoke() as Long

    /**
     * How many hardware connections the streams of a device share, each of which does what is queued in the order in
     * which it was; 0: one for each stream.
     */
    fun connections(count: Int) {
        connectionsFunction.invoke(count)
    }

    /** How many calls there were since the beginning, or since [deinitialize]. */
    val asked: Long get() = askedFunction.invoke() as Long

    /** The driver is no more, as at the end of a process: every call says so from now on, until [reset]. */
    fun deinitialize() {
        deinitializeFunction.invoke()
    }

    /** Lets each copy take so many [times] as long from now on; 1 is as long as usual. */
    fun slow(times: Long) {
        slowFunction.invoke(times)
    }

    /** Spoils one byte of the [nth] copy from now on. */
    fun spoil(nth: Long) {
        spoilFunction.invoke(nth)
    }

    /** Lets the [nth] copy from now on never end, nor what is behind it in its stream; until the process ends. */
    fun stick(nth: Long) {
        stickFunction.invoke(nth)
    }

    /** Whether the copies that this thread queues from now on are untouched by [slow], [spoil] and [stick]. */
    fun spare(spared: Boolean) {
        spareFunction.invoke(if (spared) 1 else 0)
    }

    /** Returns how many of a kind there are, without what earlier tests have left. */
    fun live(what: Live): Long = liveFunction.invoke(what.ordinal) as Long - forgotten.get(what.ordinal)

    /** How often the function [name] was called since the process began; of an empty name, how often any was. */
    fun calls(name: String = ""): Long = withArguments { callsFunction.invoke(text(name)) as Long }

    /** Like [calls], by the calling thread. */
    fun callsHere(name: String = ""): Long = withArguments { callsHereFunction.invoke(text(name)) as Long }

    /** Runs a block while host functions are held back, as by a CPU that is busy. */
    fun <T> withoutHostFunctions(block: () -> T): T {
        holdHostFunctions.invoke(1)
        try {
            return block()
        } finally {
            holdHostFunctions.invoke(0)
        }
    }

    /** Lets each device call one host function at a time, as a runtime with one thread for them does; until [reset]. */
    fun oneHostThread() {
        oneHostThreadFunction.invoke(1)
    }

    /**
     * Whether whoever allocates memory, not in a stream's order, waits until the device has done all that is queued,
     * and holds up the others meanwhile; no, if a test does not say so.
     */
    fun allocationsWait(wait: Boolean) {
        allocationsWaitFunction.invoke(if (wait) 1 else 0)
    }

    /**
     * Runs a block while the owner of a stream captures it into a graph, which is never launched: how much went into
     * that; -1 if it was invalidated by a question for an event.
     */
    fun captured(handle: Long, block: () -> Unit): Long {
        val stream = MemorySegment.ofAddress(handle)
        captureStreamFunction.invoke(stream, 1)
        val failure = runCatching(block)
        val captured = captureStreamFunction.invoke(stream, 0) as Long
        failure.getOrThrow()
        return captured
    }

    /** An event that is recorded in a stream within [captured], for [org.arbalest.device.Device.adoptEvent]. */
    fun capturedEvent(handle: Long): Long =
        (capturedEventFunction.invoke(MemorySegment.ofAddress(handle)) as MemorySegment).address()

    /** Runs a block while somebody captures a stream of a device which its default stream waits for. */
    fun <T> capturedBlocking(device: Int, block: () -> T): T {
        captureBlockingFunction.invoke(device, 1)
        return try {
            block()
        } finally {
            captureBlockingFunction.invoke(device, 0)
        }
    }

    /** How many copies the devices have done since the process began. */
    val copiesDone: Long get() = copiesDoneFunction.invoke() as Long

    /**
     * Whether devices reach pageable memory by the CPU's page tables, as a GH200's does; to be said before a device is
     * opened.
     */
    fun reachPageable(reach: Boolean) {
        reachPageableFunction.invoke(if (reach) 1 else 0)
    }

    /** How often the driver itself gave device memory, which is slow; what a cache serves is not among it. */
    val mapped: Long get() = mappedFunction.invoke() as Long

    /** How many threads wait in a free until a device is idle, and hold up all others. */
    val freeing: Int get() = freeingFunction.invoke() as Int

    /** Whether GPUs find registered memory elsewhere than the CPU does; no, if a test does not say so. */
    fun shifted(are: Boolean) {
        shiftedFunction.invoke(if (are) 1 else 0)
    }

    /** What was done that a real driver does not forgive: memory used that is not allocated, handles that are none. */
    val violations: Long get() = violationCount.invoke() as Long

    /** The first violation in words, or an empty text. */
    val violation: String get() = (violationText.invoke() as MemorySegment).reinterpret(Long.MAX_VALUE).getString(0)

    /**
     * Says what a kernel does, of which a module has the name: [function] is a C function `void f(void** arguments)`,
     * which gets pointers to its [parameters] parameters of 8 bytes each, and finds device memory by `double_at`.
     */
    fun kernel(name: String, function: MemorySegment, parameters: Int): Unit =
        withArguments {
            check(kernelFunction.invoke(text(name), function, parameters) == 1) {
                "the double has no room for the kernel $name"
            }
        }

    /** Where the bytes of a device's address are, for what stands in for a kernel. */
    fun at(address: Long, bytes: Long): MemorySegment = (atFunction.invoke(address) as MemorySegment).reinterpret(bytes)

    /**
     * The calling thread's mode beside captures of other threads': 0, the default, or what the code under test has
     * left.
     */
    val captureMode: Int get() = captureModeFunction.invoke() as Int

    /**
     * What the code under test may not leave changed on a thread: the number of its contexts, or its current device.
     */
    val threadState: Int get() = depthFunction.invoke() as Int

    /**
     * Loads the double before the tests of a spec; fails a test in which there was a violation, or which leaves a
     * context on its thread's stack, or another device than the first current; and resets the double, and the thread's
     * state in it, after each.
     */
    val extension: TestCaseExtension = watching(null)

    /**
     * Like [extension]; also fails a test that leaves something live which the [backend] does not keep. What a test
     * leaves is reported on that test only: [live] does not count it any more, and its memory is free again. Registered
     * before the [org.arbalest.support.ResourceCountersExtension].
     *
     * A thread may release what a test has left while the next one runs, which is not blamed for it. An equal leak of
     * that next test is not seen then.
     */
    fun balanced(backend: GpuBackend): TestCaseExtension = watching(backend)

    private fun watching(backend: GpuBackend?): TestCaseExtension = object : TestCaseExtension {
        override suspend fun intercept(testCase: TestCase, execute: suspend (TestCase) -> TestResult): TestResult {
            if (testCase.type != TestType.Test) return execute(testCase)
            load()
            if (backend != null && atRestIn !== testCase.spec) rest(backend, testCase.spec)
            if (backend != null && hasForgotten()) countReleased(backend.more())
            val result = execute(testCase)
            val words = listOfNotNull(
                "$violations violations, first: $violation".takeIf { violations != 0L },
                "the thread is left with the context or device $threadState".takeIf { threadState != 0 },
                "the thread is left in the capture mode $captureMode".takeIf { captureMode != 0 },
            ).toMutableList()
            reset()
            resetThreadFunction.invoke()
            val left = if (backend == null) emptyMap() else forgetLeft(backend, Settling.quietAfter(result))
            if (left.isNotEmpty()) {
                words += "the runtime has more than before: $left"
            } else if (violations != 0L) {
                words += "$violations violations after the test, first: $violation"
            }
            reset() // what was left may have broken a rule
            if (words.isEmpty()) return result
            val violated = AssertionError(words.joinToString("; "))
            result.errorOrNull?.addSuppressed(violated) // it may be why
            return if (result.isSuccess) TestResult.Failure(result.duration, violated) else result
        }
    }

    /** Other specs of the process may have left something that nobody counted. */
    private suspend fun rest(backend: GpuBackend, spec: Spec) {
        for (type in backend.types) { // whose default streams are made when they are needed first, and stay
            for (gpu in backend.gpus.indices) Devices.device(type, gpu.toLong()).defaultStream()
        }
        countReleased(checkNotNull(Settling.leftAfter(QUIET) { backend.unkept() }))
        atRest = backend.unkept()
        atRestIn = spec
    }

    /** Returns what the test has left, which is not counted from now on. */
    private suspend fun forgetLeft(backend: GpuBackend, quiet: Duration): Map<Live, Long> {
        val left = Settling.leftAfter(quiet) { backend.more().filterValues { it > 0 }.ifEmpty { null } }.orEmpty()
        for ((what, more) in left) forgotten.addAndGet(what.ordinal, more)
        if (hasForgotten()) countReleased(backend.more())
        return left
    }

    /**
     * What earlier tests have left and a thread has released by now is not forgotten any more: a later test may leave
     * as much, which counts.
     */
    private fun countReleased(more: Map<Live, Long>) {
        for ((what, count) in more) forgotten.addAndGet(what.ordinal, count.coerceIn(-forgotten.get(what.ordinal), 0))
        forgetMemoryFunction.invoke(if (hasForgotten()) 1 else 0)
    }

    private fun hasForgotten(): Boolean = Live.entries.any { forgotten.get(it.ordinal) != 0L }

    /** Returns how much more is live than between tests; a negative number is less. */
    private fun GpuBackend.more(): Map<Live, Long> = unkept().mapValues { (what, now) -> now - atRest.getValue(what) }

    /** Returns what is live beyond what the backend keeps, when it has given back what it can. */
    private fun GpuBackend.unkept(): Map<Live, Long> {
        try {
            drainFrees(limit = 5)
            trim()
        } catch (_: TimeoutException) {
            // a command that never ends holds it up, and is among what is live
        }
        return Live.entries.associateWith { live(it) - kept(it) }
    }

    /**
     * From now on the double does at the end of the process what a driver may do in a static destructor, when the JVM
     * is over: it lets go what [hold] held back, does what is queued, host functions too, and joins the threads of
     * streams that are made from now on. It says so on the standard output; where a thread hangs the exit code is 99.
     */
    fun endWithProcess() {
        endFunction.invoke()
    }

    /** Holds back what is queued in a [stream] from now on, until the process ends; after [endWithProcess]. */
    fun hold(stream: DeviceStream): Unit = check(holdFunction.invoke(MemorySegment.ofAddress(stream.handle())) == 0)

    fun function(name: String, result: MemoryLayout?, vararg parameters: MemoryLayout): Lazy<MethodHandle> = lazy {
        val type = if (result == null) FunctionDescriptor.ofVoid(*parameters)
        else FunctionDescriptor.of(result, *parameters)
        Linker.nativeLinker().downcallHandle(library.findOrThrow(name), type)
    }

    companion object {
        /** The memory of each device, if a test says nothing else: 1 GiB. */
        const val MEMORY: Long = 1L shl 30

        /** Begins a spec when nothing changes any more for so long. */
        private val QUIET = 20.milliseconds

        private val CORE = listOf("gpu.c", "exit.c", "queue.c", "capture.c", "ipc.c", "trouble.c", "gpu.h", "exit.h",
            "queue.h", "capture.h", "ipc.h", "trouble.h").map { "gpu/$it" }.toTypedArray()
    }
}
