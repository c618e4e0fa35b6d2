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
 * A simulator of a GPU's runtime, for tests without a GPU. It has two devices whose memory the CPU cannot access,
 * streams that work in their own threads, events, host functions, and the runtime's rules. It counts actions that are
 * undefined behaviour on a GPU in [violations].
 *
 * From [load] on it is the process's library of that name. Call [load] before any code looks for the real library.
 */
sealed class GpuDouble(
    private val version: Int,
    /** The version that it simulates, such as `13.0`. It lacks all later functions. */
    val release: String,
    private val header: String,
    soname: String,
    private vararg val sources: String,
) {
    /** The kinds of live objects of a simulator. Objects that the code under test keeps are included. */
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

        /** Queued commands that are not done. */
        COMMANDS,

        /** Memory of other processes that is open here. */
        OPENED,

        /** Registered pieces of memory of other owners. */
        REGISTERED,

        /** Reserved ranges of addresses. */
        RESERVED,

        /** Pools of other processes that are imported here. */
        POOLS,
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
     * The numbers of objects of each kind that earlier tests have left and that are not released yet. A thread of the
     * backend may query [live] at any time.
     */
    private val forgotten = AtomicLongArray(Live.entries.size)

    /** The numbers of live objects between tests, without those that the backend keeps, of this spec. */
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

    /**
     * Compiles and loads the simulator again, under another name, without the functions [lacking] and with all others.
     */
    fun compileAs(soname: String, lacking: Set<String> = emptySet()): NativeLibrary {
        val flags = lacking.map { "-D$it=absent_$it" } + "-DGPU_DRIVER_VERSION=$version"
        return NativeLibrary.compileAs(soname, flags, *sources, "gpu/$header", *CORE)
    }

    /** Compiles and loads the simulator, once per process. Needs a C compiler. */
    fun load() {
        reset()
    }

    /** The number of GPUs, unless a test sets another one. */
    var usualDevices: Int = 2

    /**
     * Forgets provoked errors, revives failed devices, and sets the devices and their memory. Call it only while
     * nothing is allocated or queued.
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

    /** The names of other machines for [simulate]. */
    open val machines: List<String> get() = emptyList()

    /** Simulates another machine, from the next [reset] on; before the first device is opened. */
    open fun simulate(machine: String): Unit = error("no machine $machine")

    /** Resets the settings that only this runtime has. */
    protected open fun usual() {}

    /**
     * Makes a call fail with [code]: the [nth] call from now on of the function [name], such as `cuMemAlloc`, or of any
     * function if the name is empty.
     */
    fun fail(name: String, nth: Long = 1, code: Int = 999): Unit = withArguments {
        failFunction.invoke(text(name), nth, code)
    }

    /** Makes that call and all later calls fail, until [failNothing]; see [fail]. */
    fun failFrom(name: String, nth: Long = 1, code: Int = 999): Unit = withArguments {
        failFromFunction.invoke(text(name), nth, code)
    }

    /** Removes the failures of [fail] and [failFrom]. Returns how many of them have not occurred. */
    fun failNothing(): Int = failNothingFunction.invoke() as Int

    /**
     * Makes a device fail, as after a kernel that reads an invalid address: every call fails, and queued work is
     * dropped.
     */
    fun die(device: Int, code: Int = 700) {
        dieFunction.invoke(device, code)
    }

    /**
     * Simulates another thread that captures a graph in global mode while the block runs. A "potentially unsafe" call
     * then fails (900), and is a violation, unless the calling thread is in relaxed mode.
     *
     * @param events the code that a query of an event, or a wait for one, returns in any mode, without a violation; 0
     *     for the usual code
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

    /** The number of calls that failed since the capture began because of it. */
    val refused: Long get() = captureRefusedFunction.invoke() as Long

    /**
     * Sets how many hardware connections the streams of a device share. Each connection runs its work in the order of
     * queueing. 0 gives each stream its own.
     */
    fun connections(count: Int) {
        connectionsFunction.invoke(count)
    }

    /** The number of calls since the start, or since [deinitialize]. */
    val asked: Long get() = askedFunction.invoke() as Long

    /**
     * Simulates the end of the driver, as at the end of a process: every call fails with that code from now on, until
     * [reset].
     */
    fun deinitialize() {
        deinitializeFunction.invoke()
    }

    /** Makes each copy take [times] as long from now on; 1 is the usual time. */
    fun slow(times: Long) {
        slowFunction.invoke(times)
    }

    /** Corrupts one byte of the [nth] copy from now on. */
    fun spoil(nth: Long) {
        spoilFunction.invoke(nth)
    }

    /** Makes the [nth] copy from now on never end, with all later work in its stream, until the process ends. */
    fun stick(nth: Long) {
        stickFunction.invoke(nth)
    }

    /** Sets whether [slow], [spoil] and [stick] spare the copies that this thread queues from now on. */
    fun spare(spared: Boolean) {
        spareFunction.invoke(if (spared) 1 else 0)
    }

    /** Returns the number of live objects of a kind, without those that earlier tests have left. */
    fun live(what: Live): Long = liveFunction.invoke(what.ordinal) as Long - forgotten.get(what.ordinal)

    /**
     * Returns the number of calls of the function [name] since the process began; for an empty name, of all functions.
     */
    fun calls(name: String = ""): Long = withArguments { callsFunction.invoke(text(name)) as Long }

    /** Returns the same number as [calls], for the calling thread only. */
    fun callsHere(name: String = ""): Long = withArguments { callsHereFunction.invoke(text(name)) as Long }

    /** Runs a block while host functions are delayed, as by a busy CPU. */
    fun <T> withoutHostFunctions(block: () -> T): T {
        holdHostFunctions.invoke(1)
        try {
            return block()
        } finally {
            holdHostFunctions.invoke(0)
        }
    }

    /** Makes each device call one host function at a time, like a runtime with one thread for them; until [reset]. */
    fun oneHostThread() {
        oneHostThreadFunction.invoke(1)
    }

    /**
     * Sets whether an allocation outside a stream's order waits until the device has done all queued work, and blocks
     * other calls meanwhile; by default it does not.
     */
    fun allocationsWait(wait: Boolean) {
        allocationsWaitFunction.invoke(if (wait) 1 else 0)
    }

    /**
     * Runs a block while the owner of a stream captures it into a graph, which is never launched. Returns the number of
     * the graph's commands; -1 if a query of an event invalidated the capture.
     */
    fun captured(handle: Long, block: () -> Unit): Long {
        val stream = MemorySegment.ofAddress(handle)
        captureStreamFunction.invoke(stream, 1)
        val failure = runCatching(block)
        val captured = captureStreamFunction.invoke(stream, 0) as Long
        failure.getOrThrow()
        return captured
    }

    /** Returns an event that is recorded in a stream within [captured], for [org.arbalest.device.Device.adoptEvent]. */
    fun capturedEvent(handle: Long): Long =
        (capturedEventFunction.invoke(MemorySegment.ofAddress(handle)) as MemorySegment).address()

    /** Runs a block while another owner captures a stream of a device which its default stream waits for. */
    fun <T> capturedBlocking(device: Int, block: () -> T): T {
        captureBlockingFunction.invoke(device, 1)
        return try {
            block()
        } finally {
            captureBlockingFunction.invoke(device, 0)
        }
    }

    /** The number of copies that the devices have done since the process began. */
    val copiesDone: Long get() = copiesDoneFunction.invoke() as Long

    /**
     * Sets whether devices access pageable memory by the CPU's page tables, like a GH200; before a device is opened.
     */
    fun reachPageable(reach: Boolean) {
        reachPageableFunction.invoke(if (reach) 1 else 0)
    }

    /**
     * The number of times that the driver itself allocated device memory, which is slow. Allocations from a cache are
     * not counted.
     */
    val mapped: Long get() = mappedFunction.invoke() as Long

    /** The number of threads that wait in a free until a device is idle, and block all others. */
    val freeing: Int get() = freeingFunction.invoke() as Int

    /** Sets whether GPUs have registered memory at other addresses than the CPU; by default they do not. */
    fun shifted(are: Boolean) {
        shiftedFunction.invoke(if (are) 1 else 0)
    }

    /**
     * The number of actions that a real driver does not permit: use of memory that is not allocated, invalid handles.
     */
    val violations: Long get() = violationCount.invoke() as Long

    /** The message of the first violation, or an empty text. */
    val violation: String get() = (violationText.invoke() as MemorySegment).reinterpret(Long.MAX_VALUE).getString(0)

    /**
     * Defines a kernel, of which a module has the name. [function] is a C function `void f(void** arguments)`. It
     * receives pointers to its [parameters] parameters of 8 bytes each, and finds device memory by `double_at`.
     */
    fun kernel(name: String, function: MemorySegment, parameters: Int): Unit =
        withArguments {
            check(kernelFunction.invoke(text(name), function, parameters) == 1) {
                "the simulator cannot define the kernel $name"
            }
        }

    /** Returns the memory behind a device's address, for a function that simulates a kernel. */
    fun at(address: Long, bytes: Long): MemorySegment = (atFunction.invoke(address) as MemorySegment).reinterpret(bytes)

    /**
     * The calling thread's mode for captures of other threads: 0, the default, or the mode that the code under test has
     * left.
     */
    val captureMode: Int get() = captureModeFunction.invoke() as Int

    /**
     * The state of a thread that the code under test must restore: the number of its contexts, or its current device.
     */
    val threadState: Int get() = depthFunction.invoke() as Int

    /**
     * Loads the simulator before the tests of a spec. Fails a test in which there was a violation, or which leaves a
     * context on its thread's stack, or another device than the first current. Resets the simulator, and the thread's
     * state in it, after each test.
     */
    val extension: TestCaseExtension = watching(null)

    /**
     * Fails a test like [extension]; also a test that leaves a live object which the [backend] does not keep. A leak is
     * reported on the leaking test only: [live] does not count it any more, and its memory is free again. Registered
     * before the [org.arbalest.support.ResourceCountersExtension].
     *
     * A thread may release an object of a test while the next test runs, which does not fail that test. An equal leak
     * of the next test is then not detected.
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
            reset() // the test's remains may have broken a rule
            if (words.isEmpty()) return result
            val violated = AssertionError(words.joinToString("; "))
            result.errorOrNull?.addSuppressed(violated) // the violation may be the cause
            return if (result.isSuccess) TestResult.Failure(result.duration, violated) else result
        }
    }

    /** Records the live objects before a spec. Other specs of the process may have left some that were not counted. */
    private suspend fun rest(backend: GpuBackend, spec: Spec) {
        for (type in backend.present) { // their default streams are created at first use, and remain
            for (gpu in backend.gpus.indices) Devices.device(type, gpu.toLong()).defaultStream()
        }
        backend.makeLasting()
        countReleased(checkNotNull(Settling.leftAfter(QUIET) { backend.unkept() }))
        atRest = backend.unkept()
        atRestIn = spec
    }

    /** Returns the objects that the test has left; they are not counted from now on. */
    private suspend fun forgetLeft(backend: GpuBackend, quiet: Duration): Map<Live, Long> {
        val left = Settling.leftAfter(quiet) { backend.more().filterValues { it > 0 }.ifEmpty { null } }.orEmpty()
        for ((what, more) in left) forgotten.addAndGet(what.ordinal, more)
        if (hasForgotten()) countReleased(backend.more())
        return left
    }

    /**
     * Counts objects again that earlier tests have left and a thread has released by now: a later test may leave as
     * many, which count.
     */
    private fun countReleased(more: Map<Live, Long>) {
        for ((what, count) in more) forgotten.addAndGet(what.ordinal, count.coerceIn(-forgotten.get(what.ordinal), 0))
        forgetMemoryFunction.invoke(if (hasForgotten()) 1 else 0)
    }

    private fun hasForgotten(): Boolean = Live.entries.any { forgotten.get(it.ordinal) != 0L }

    /** Returns how many more objects are live than between tests; a negative number means fewer. */
    private fun GpuBackend.more(): Map<Live, Long> = unkept().mapValues { (what, now) -> now - atRest.getValue(what) }

    /** Returns the numbers of live objects that the backend does not keep, after it has released all that it can. */
    private fun GpuBackend.unkept(): Map<Live, Long> {
        try {
            drainFrees(limit = 5)
            trim()
        } catch (_: TimeoutException) {
            // a command that never ends delays the wait, and is among the live objects
        }
        return Live.entries.associateWith { live(it) - kept(it) }
    }

    /**
     * Makes the simulator act at the end of the process like a driver in a static destructor, after the end of the JVM.
     * It lets the work of [hold] continue, does queued work, host functions included, and joins the threads of streams
     * that are created from now on. It prints this on the standard output. If a thread hangs, the exit code is 99.
     */
    fun endWithProcess() {
        endFunction.invoke()
    }

    /** Holds the work that is queued in a [stream] from now on, until the process ends; after [endWithProcess]. */
    fun hold(stream: DeviceStream): Unit = check(holdFunction.invoke(MemorySegment.ofAddress(stream.handle())) == 0)

    fun function(name: String, result: MemoryLayout?, vararg parameters: MemoryLayout): Lazy<MethodHandle> = lazy {
        val type = if (result == null) FunctionDescriptor.ofVoid(*parameters)
        else FunctionDescriptor.of(result, *parameters)
        Linker.nativeLinker().downcallHandle(library.findOrThrow(name), type)
    }

    companion object {
        /** The memory of each device, unless a test sets another size: 1 GiB. */
        const val MEMORY: Long = 1L shl 30

        /** The time without a change after which a spec begins. */
        private val QUIET = 20.milliseconds

        private val CORE = listOf("gpu.c", "exit.c", "queue.c", "capture.c", "ipc.c", "trouble.c", "gpu.h", "exit.h",
            "queue.h", "capture.h", "ipc.h", "trouble.h").map { "gpu/$it" }.toTypedArray()
    }
}
