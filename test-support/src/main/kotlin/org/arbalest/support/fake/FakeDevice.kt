// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.fake

import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceStream
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.spi.HostTask
import org.arbalest.testkit.contract.Baseline
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.locks.ReentrantLock
import kotlin.concurrent.withLock
import kotlin.random.Random

/** A call of the fake device that a test can make fail. */
enum class FakeCall(val function: String) {
    ALLOCATE("fakeAlloc"), CREATE_QUEUE("fakeQueueCreate"), COPY("fakeMemcpyAsync"), RECORD("fakeEventRecord"),
    WAIT("fakeQueueWait"), CALLBACK("fakeEventCallback"), QUERY("fakeEventQuery"), RUN_ON_HOST("fakeLaunchHostFunction")
}

/** A call that stops before it has any effect, until the test opens it. */
class FakeStop constructor() {
    private val come = CountDownLatch(1)
    private val open = CountDownLatch(1)

    /** Waits until a thread has reached the call. */
    fun awaitThread(): Unit = check(come.await(5, SECONDS)) { "no thread has made the call within 5 seconds" }

    /** Lets the call continue. */
    fun open(): Unit = open.countDown()

    fun pass() {
        come.countDown()
        check(open.await(5, SECONDS)) { "the test has not opened the call within 5 seconds" }
    }
}

/** The numbers of objects that a fake device has created and that were not released. */
data class FakeCounts(val allocations: Int, val queues: Int, val events: Int, val maps: Int)

/** An event that a test completes: put before work by [DeviceStream.waitFor], it delays that work. */
class FakeUserEvent constructor(private val device: FakeDevice, val handle: Long, private val event: FakeEvent) {
    /** Completes the event: work that waits for it continues. */
    fun complete(): Unit = device.finish(event, null)

    /** Fails the event: work that waits for it fails. */
    fun fail(): Unit =
        device.finish(event, DeviceException(Errno.EIO, "a user event of ${device.name} failed: FAKE_ABORTED (7)"))
}

/**
 * A device in main memory, controlled by a test. It runs queued work immediately, or, if the test [holds][hold] it, one
 * command at a time on the test's request.
 *
 * It checks its users. A violation, with a sentence, is memory that is read before its writer has finished, that is
 * freed while queued work needs it, or that is freed twice or never.
 *
 * [FakeProvider] creates a device when it is opened. All functions are safe on any thread.
 */
class FakeDevice private constructor(
    val type: DeviceType,
    val id: Long,
    val isCpuAccessible: Boolean,
    number: Int,
) {
    val name: String = "$type:$id"
    private val lock = ReentrantLock()
    private val progress = lock.newCondition()
    private val memory = FakeMemory(FakeMemory.tag(number.toLong()))
    private val queues = LinkedHashMap<Long, FakeQueue>()
    private val events = HashMap<Long, FakeEvent>()
    private val maps = HashMap<Long, Int>()
    private val seen = ConcurrentLinkedQueue<String>()
    private val failures = ConcurrentHashMap<FakeCall, AtomicInteger>()
    private val untilFailure = AtomicInteger(Int.MAX_VALUE)
    private val refusals = AtomicInteger()
    private val questions = AtomicInteger()

    @Volatile
    private var failing: FakeCall? = null
    private val stops = ConcurrentHashMap<FakeCall, FakeStop>()

    /** The stops that a thread has reached, so that [letGo] opens them. */
    private val entered = ConcurrentLinkedQueue<FakeStop>()
    private val copied = mutableListOf<Long>()
    private val userEvents = ConcurrentLinkedQueue<FakeEvent>()

    /** The queue of the default stream, which remains. */
    @Volatile
    private var kept = 0L
    private val baseline =
        Baseline(4) {
            lock.withLock {
                listOf(memory.count, queues.keys.count { it != kept }, events.size, maps.values.sum()).map(Int::toLong)
            }
        }
    private var nextHandle = 0xFA4E_0000L
    private var nextCommand = 0L
    private var isHeld = false
    private var commandToFail: DeviceException? = null

    /** The generator that chooses which held commands a waiting thread runs; null if it runs none. */
    @Volatile
    private var interleaving: Random? = null

    /** Whether a thread captures a graph. Waits and queries are then rejected, regardless of the work's state. */
    private var isCapturing = false
    private var isCpuBusy = false

    /** Returns the violations so far. */
    fun violations(): List<String> = seen.toList()

    /**
     * Returns the objects that exist now and did not exist when the current test began, if its spec has a
     * [FakeExtension].
     */
    fun counts(): FakeCounts = baseline.now().map(Long::toInt).let { FakeCounts(it[0], it[1], it[2], it[3]) }

    /** Makes [counts] ignore the default stream, which is created if it does not exist. */
    fun keepDefaultStream() {
        kept = Devices.device(type, id).defaultStream().handle()
    }

    /** Makes [counts] begin at zero for the objects that exist now, such as the leak of an earlier test. */
    fun countFromHere(): Unit = baseline.begin()

    /**
     * Resets like [reset], completes the user events and opens the calls that a test has stopped, so that no work of
     * the next test waits for them.
     */
    fun letGo() {
        stops.values.forEach { it.open() }
        generateSequence { entered.poll() }.forEach { it.open() }
        reset()
        generateSequence { userEvents.poll() }.forEach { finish(it, null) }
        seen.clear()
    }

    /** Returns the number of bytes of each copy that was queued since the last [reset]. */
    fun copies(): List<Long> = lock.withLock { copied.toList() }

    /** Runs held commands, and forgets the copies, the violations and the planned failures. */
    fun reset() {
        failures.clear()
        stops.clear()
        failing = null
        refusals.set(0)
        questions.set(0)
        untilFailure.set(Int.MAX_VALUE)
        lock.withLock {
            commandToFail = null
            copied.clear()
        }
        release()
        seen.clear()
    }

    /** Runs no queued command from now on, until [release]. */
    fun hold(): Unit = lock.withLock { isHeld = true }

    /**
     * Holds commands like [hold], but a waiting thread runs them: one at a time, from any queue, in an order that
     * depends on the [seed] only.
     */
    fun interleave(seed: Int): Unit = lock.withLock {
        isHeld = true
        interleaving = Random(seed)
    }

    /** Runs the held commands, and later commands immediately. */
    fun release(): Unit = changing {
        isHeld = false
        interleaving = null
    }

    /** Runs the next command of a stream, unless it has to wait. Returns whether it ran. */
    fun step(stream: DeviceStream): Boolean {
        var done = false
        changing { done = queue(stream.handle()).step(it) }
        return done
    }

    /** Returns the number of a stream's commands that have not run. */
    fun pending(stream: DeviceStream): Int = lock.withLock { queue(stream.handle()).commands.size }

    /** Makes the [nth] call of a kind from now fail. */
    fun failCall(call: FakeCall, nth: Int = 1) {
        failures[call] = AtomicInteger(nth)
    }

    /** Makes the [nth] call of any kind except a query from now fail; [Int.MAX_VALUE] none. */
    fun failCallNumber(nth: Int): Unit = untilFailure.set(nth)

    /** Makes the next copy or kernel that runs fail, and with it the rest of its queue. */
    fun failNextCommand(): Unit =
        lock.withLock {
            commandToFail = DeviceException(Errno.EIO, "a command on $name failed: FAKE_LAUNCH_FAILED (719)")
        }

    /** Makes every call of a kind fail from now on; null ends that. */
    fun failEvery(call: FakeCall?) {
        failing = call
    }

    /** The number of calls that failed since [reset] on a test's request. */
    val refused: Int get() = refusals.get()

    /** The number of waits and queries that were rejected since [reset] because of a capture. */
    val asked: Int get() = questions.get()

    /** Stops the next call of a kind, before it has any effect. */
    fun stop(call: FakeCall): FakeStop = FakeStop().also { stops[call] = it }

    /**
     * Simulates a capture while the block runs: the state of work is then unknown. Waits are rejected with
     * [Errno.EAGAIN], and no event is reported as complete.
     */
    fun <T> capturing(block: () -> T): T {
        changing { isCapturing = true }
        try {
            return block()
        } finally {
            changing { isCapturing = false }
        }
    }

    /** Delays the functions that queues run on the CPU, like a busy CPU, while the block runs. */
    fun <T> withoutHostFunctions(block: () -> T): T {
        changing { isCpuBusy = true }
        try {
            return block()
        } finally {
            changing { isCpuBusy = false }
        }
    }

    /** Runs one command of any queue, core's own queues included. Returns false if all commands have to wait. */
    fun stepAny(random: Random): Boolean {
        var done = false
        changing { done = queues.values.shuffled(random).any { queue -> queue.step(it) } }
        return done
    }

    /** Returns an event for [org.arbalest.device.Device.adoptEvent]. */
    fun userEvent(): FakeUserEvent = lock.withLock {
        val handle = newEvent()
        val event = events.getValue(handle)
        userEvents += event
        FakeUserEvent(this, handle, event)
    }

    /** Queues a kernel of the test, which writes [bytes] bytes at a device [address]. */
    fun launch(stream: DeviceStream, address: Long, bytes: Long, kernel: (MemorySegment) -> Unit): Unit =
        changing {
            add(stream.handle(), FakeWork(nextCommand++, address, 0, bytes) { it.withMemory(address, bytes, kernel) })
        }

    fun mayFail(call: FakeCall, asked: String) {
        stops.remove(call)?.let { stop ->
            entered += stop
            stop.pass()
        }
        if (call != FakeCall.QUERY && untilFailure.get() != Int.MAX_VALUE && untilFailure.decrementAndGet() == 0)
            fail(call, asked)
        if (call == failing) fail(call, asked)
        val left = failures[call] ?: return
        if (left.decrementAndGet() == 0) fail(call, asked)
    }

    private fun fail(call: FakeCall, asked: String): Nothing {
        refusals.incrementAndGet()
        val code = if (call == FakeCall.ALLOCATE) Errno.ENOMEM to "FAKE_OUT_OF_MEMORY (2)"
        else Errno.EIO to "FAKE_DEVICE_LOST (46)"
        val what = if (asked.isEmpty()) "" else ", asked for $asked"
        throw DeviceException(code.first, "${call.function} on $name failed: ${code.second}$what")
    }

    fun allocate(bytes: Long, alignment: Long, isCpuAccessible: Boolean): Long =
        lock.withLock { memory.allocate(bytes, alignment, isCpuAccessible) }

    fun allocateForGood(bytes: Long, alignment: Long): Long = lock.withLock { memory.allocateForGood(bytes, alignment) }

    fun free(address: Long, bytes: Long): Unit = lock.withLock {
        for (queue in queues.values) {
            queue.commands.firstOrNull { it is FakeWork && (it.reads(address, bytes) || it.writes(address, bytes)) }
                ?.let { violation("$bytes bytes were freed while a queued command needs them") }
        }
        memory.free(address, bytes)?.let(::violation)
    }

    fun map(address: Long, bytes: Long): Long = lock.withLock {
        if (memory.segment(address, bytes) == null)
            throw DeviceException(Errno.EINVAL, "fakeMap on $name failed: FAKE_INVALID_VALUE (1)")
        maps.merge(address, 1, Int::plus)
        memory.untagged(address)
    }

    fun unmap(address: Long): Unit = lock.withLock {
        val count = maps[address]
        if (count == null) violation("memory that is not mapped was unmapped") else if (count == 1) maps -= address
        else maps[address] = count - 1
    }

    /**
     * Whether a new queue gets the handle of a destroyed queue that still works. This can happen in a runtime whose
     * destruction of a queue does not wait.
     */
    var reusesHandles: Boolean = false

    fun createQueue(): Long = lock.withLock {
        val again = if (reusesHandles) queues.entries.firstOrNull { it.value.isDestroyed } else null
        if (again != null) queues[nextHandle++] = again.value
        (again?.key ?: nextHandle++).also { queues[it] = FakeQueue() }
    }

    fun destroyQueue(queue: Long): Unit = lock.withLock {
        val gone = queues[queue] ?: return violation("an unknown queue was destroyed")
        if (gone.commands.isEmpty()) queues -= queue else gone.isDestroyed = true
    }

    fun synchronizeQueue(queue: Long) {
        val waited = lock.withLock { queue(queue) }
        await("fakeQueueSynchronize") { waited.commands.isEmpty() }
        waited.failure?.let { throw it }
    }

    fun enqueueCopy(queue: Long, to: Long, from: Long, bytes: Long): Unit = enqueue(queue, copy(to, from, bytes))

    private fun copy(to: Long, from: Long, bytes: Long): FakeWork = lock.withLock {
        copied += bytes
        FakeWork(nextCommand++, to, from, bytes) {
            it.withMemory(to, bytes) { out -> it.withMemory(from, bytes, out::copyFrom) }
        }
    }

    /**
     * Copies like a runtime that cannot access unpinned main memory: the caller waits for the queue and for the copy.
     * The runtime may read such memory first, into its own pinned memory.
     */
    fun copyPageable(queue: Long, to: Long, from: Long, bytes: Long) {
        val copy = if (isPageable(from, bytes)) {
            val read = MemorySegment.ofAddress(from).reinterpret(bytes).toArray(JAVA_BYTE)
            lock.withLock { copied += bytes }
            FakeWork(lock.withLock { nextCommand++ }, to, 0, bytes) {
                it.withMemory(to, bytes) { out -> out.copyFrom(MemorySegment.ofArray(read)) }
            }
        } else {
            copy(to, from, bytes)
        }
        val waited = lock.withLock { queue(queue) }
        enqueue(queue, copy)
        await(null) { copy !in waited.commands }
    }

    /** Returns whether main memory is not memory that this device has allocated. */
    fun isPageable(address: Long, bytes: Long): Boolean = lock.withLock {
        !memory.isTagged(address) && !memory.holds(address, bytes)
    }

    fun runOnHost(queue: Long, task: HostTask): Unit = enqueue(queue, FakeTask(task))

    fun record(queue: Long): Long {
        var handle = 0L
        changing {
            queue(queue)
            handle = newEvent()
            add(queue, FakeRecord(events.getValue(handle)))
        }
        return handle
    }

    fun enqueueWait(queue: Long, event: Long): Unit = changing { add(queue, FakeWait(event(event))) }

    fun destroyEvent(event: Long): Unit = lock.withLock {
        if (events.remove(event) == null) violation("an unknown event was destroyed")
    }

    fun isEvent(event: Long): Boolean = lock.withLock { event in events }

    fun isReady(event: Long): Boolean = lock.withLock {
        val asked = event(event)
        if (isCapturing) {
            questions.incrementAndGet()
            return false
        }
        asked.failure?.let { throw it }
        asked.isOver
    }

    fun synchronizeEvent(event: Long) {
        val waited = lock.withLock { event(event) }
        await("fakeEventSynchronize") { waited.isOver }
        waited.failure?.let { throw it }
    }

    /** Waits until a condition is true. Rejected during a capture, if a [function] of the driver waits. */
    private fun await(function: String?, isOver: () -> Boolean) {
        var hasWaited = false
        while (true) {
            lock.withLock {
                if (isCapturing && function != null) {
                    questions.incrementAndGet()
                    throw DeviceException(Errno.EAGAIN, "$function on $name failed: FAKE_CAPTURE_UNSUPPORTED (900)")
                }
                if (isOver()) return
                if (!hasWaited) blocks()
                hasWaited = true
                if (interleaving == null) progress.await()
            }
            interleaving?.let { if (!stepAny(it)) Thread.onSpinWait() }
        }
    }

    /**
     * Records a violation for a virtual thread: a native runtime blocks its carrier thread, and with it all other
     * virtual threads that would run there.
     */
    private fun blocks() {
        if (Thread.currentThread().isVirtual) violation("a virtual thread blocks in the driver, which pins its carrier")
    }

    fun onComplete(event: Long, listener: () -> Unit): Unit = changing { calls ->
        val waited = event(event)
        if (waited.isOver) calls += listener else waited.listeners += listener
    }

    fun finish(event: FakeEvent, failure: DeviceException?): Unit = changing { calls -> event.finish(failure, calls) }

    /** Changes the state, runs all commands that can run then, and calls listeners without the lock. */
    private fun changing(change: (MutableList<() -> Unit>) -> Unit) {
        val calls = mutableListOf<() -> Unit>()
        lock.withLock {
            change(calls)
            var goesOn = !isHeld
            while (goesOn) goesOn = queues.values.any { it.step(calls) }
            queues.values.removeIf { it.isDestroyed && it.commands.isEmpty() }
            progress.signalAll()
        }
        calls.forEach { it() }
    }

    private fun enqueue(queue: Long, command: FakeCommand): Unit = changing { add(queue, command) }

    private fun add(queue: Long, command: FakeCommand) {
        val target = queue(queue)
        if (target.isDestroyed) violation("work was queued in a destroyed queue")
        target.commands += command
    }

    private fun FakeQueue.step(calls: MutableList<() -> Unit>): Boolean {
        when (val command = commands.firstOrNull()) {
            null -> return false
            is FakeRecord -> command.event.finish(failure, calls)
            is FakeWait -> if (command.event.isOver) failure = failure ?: command.event.failure else return false
            is FakeWork -> if (failure == null) work(command)
            is FakeTask -> if (isCpuBusy) return false else if (failure == null) command.task.run()
        }
        commands.removeFirst()
        return true
    }

    private fun FakeQueue.work(command: FakeWork) {
        failure = commandToFail.also { commandToFail = null }
        if (failure != null) return
        for (other in queues.values) {
            if (other !== this && other.commands.any {
                    it is FakeWork && it.number < command.number && it.conflictsWith(command)
                }) {
                violation("memory was used before its writer was done: nothing waited for the writer's event")
            }
        }
        command.action(this@FakeDevice)
    }

    fun withMemory(address: Long, bytes: Long, action: (MemorySegment) -> Unit) {
        val segment = memory.segment(address, bytes)
        if (segment == null) violation(
            "a command accessed $bytes bytes at ${FakeMemory.hex(address)}, which are not allocated",
        ) else action(segment)
    }

    private fun newEvent(): Long = nextHandle++.also { events[it] = FakeEvent() }

    private fun queue(handle: Long): FakeQueue = queues[handle] ?: invalid("$handle is no queue of $name")

    private fun event(handle: Long): FakeEvent = events[handle] ?: invalid("$handle is no event of $name")

    private fun invalid(what: String): Nothing {
        violation(what)
        throw DeviceException(Errno.EINVAL, "$what: FAKE_INVALID_HANDLE (400)")
    }

    private fun violation(what: String) {
        seen += what
    }

    companion object {
        /** The greatest number of bytes of one allocation. */
        const val LARGEST_ALLOCATION: Long = 1L shl 30

        private val open = ConcurrentHashMap<Pair<DeviceType, Long>, FakeDevice>()

        fun create(type: DeviceType, id: Long, isCpuAccessible: Boolean): FakeDevice =
            open.computeIfAbsent(type to id) { FakeDevice(type, id, isCpuAccessible, open.size) }

        /** Returns a device that was opened by [org.arbalest.device.Devices.device]. */
        fun of(type: DeviceType, id: Long): FakeDevice =
            open[type to id] ?: error("$type:$id is not a fake device, or is not open; call Devices.device first")

        /** Returns all devices that were opened. */
        fun all(): Collection<FakeDevice> = open.values
    }
}
