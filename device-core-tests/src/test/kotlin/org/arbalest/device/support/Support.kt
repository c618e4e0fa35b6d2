// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.support

import io.kotest.core.extensions.TestCaseExtension
import io.kotest.core.test.TestCase
import io.kotest.engine.test.TestResult
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.delay
import org.arbalest.device.Device
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.internal.calls.Calls
import org.arbalest.device.internal.memory.NativeHeap
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.support.StructKind
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.util.concurrent.CyclicBarrier
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.locks.LockSupport
import kotlin.random.Random
import kotlin.time.Duration
import kotlin.time.Duration.Companion.ZERO
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlin.time.TimeSource

/**
 * An extension that fails each test that leaves resources open. Resources that another thread is still releasing have
 * five seconds, or two if nothing changes. A leak is reported only for the test that caused it, because the next test
 * counts from there.
 */
internal object Balanced : TestCaseExtension {
    @Volatile
    private var beginning = ResourceCounters.now()
    private var lostWaits = 0L

    /** Returns the resources that are held now and were not held when the current test began. */
    fun held(): ResourceCounters = ResourceCounters.now().since(beginning)

    override suspend fun intercept(testCase: TestCase, execute: suspend (TestCase) -> TestResult): TestResult {
        // resources of the previous test may still be released
        await(LIMIT) { ResourceCounters.now().takeIf { it.waits() > lostWaits } }?.let { lostWaits = it.waits() }
        beginning = ResourceCounters.now()
        val result = execute(testCase)
        val left = await(if (result.isSuccess) AFTER_SUCCESS else AFTER_FAILURE) { held().takeUnless { it.isZero } }
        if (!result.isSuccess) lostWaits = ResourceCounters.now().waits()
        return if (left == null || !result.isSuccess) result
        else TestResult.Failure(ZERO, AssertionError("the test left $left"))
    }

    /** Waits until nothing is left, or nothing has changed for the time [quiet]. */
    private suspend fun await(quiet: Duration, left: () -> ResourceCounters?): ResourceCounters? {
        val start = TimeSource.Monotonic.markNow()
        var since = start
        var last = left() ?: return null
        while (since.elapsedNow() < quiet && start.elapsedNow() < LIMIT) {
            delay(1.milliseconds)
            val now = left() ?: return null
            if (now == last) continue
            last = now
            since = TimeSource.Monotonic.markNow()
        }
        return last
    }

    private val LIMIT = 5.seconds
    private val AFTER_SUCCESS = 2.seconds
    private val AFTER_FAILURE = 250.milliseconds
}

/** Runs [action] on threads that start together, and throws the first failure. */
internal fun together(threads: Int, action: (Int) -> Unit) {
    val start = CyclicBarrier(threads)
    val pool = Executors.newFixedThreadPool(threads)
    try {
        val results = List(threads) { i ->
            pool.submit {
                start.await()
                action(i)
            }
        }
        results.forEach { it.get(HANG_SECONDS, SECONDS) }
    } finally {
        pool.shutdownNow()
    }
}

/**
 * Runs both actions at the same time in each round, one a little earlier or later than the other. The thread that
 * arrives first spins, so that both begin at once. If the other thread has no processor, the first thread sleeps and
 * frees its own.
 */
internal fun duel(rounds: Int, one: (Int) -> Unit, other: (Int) -> Unit) {
    val arrived = AtomicInteger()
    together(2) { thread ->
        val random = Random(thread)
        try {
            for (round in 0 until rounds) {
                arrived.incrementAndGet()
                var spins = 0
                while (arrived.get() < 2 * (round + 1)) spinOrSleep(++spins)
                // from some nanoseconds to some tens of microseconds of delay
                repeat(1 shl random.nextInt(11)) { Thread.onSpinWait() }
                if (thread == 0) one(round) else other(round)
            }
        } finally {
            arrived.addAndGet(2 * rounds) // the other thread must not wait for a thread that failed
        }
    }
}

/** Waits a moment for another thread. After many spins it sleeps, so that the other thread can use the processor. */
internal fun spinOrSleep(spins: Int) = if (spins < SPINS) Thread.onSpinWait() else LockSupport.parkNanos(PAUSE_NANOS)

/** The spins before a sleep: some tens of microseconds. */
private const val SPINS = 2_000

/** The seconds after which a test counts as hung, even a test that does much work. */
internal const val HANG_SECONDS = 60L

internal const val PAUSE_NANOS = 20_000L

/** Returns a batch with a column `id` of the numbers from 0. */
internal fun batch(rows: Int, device: Device = Devices.cpu()): RecordBatch =
    BatchBuilder.of(device, rows).use { it.int64("id", LongArray(rows) { i -> i.toLong() }).build() }

/** Returns a batch of int64 columns `c0`, `c1`, … with [rows] rows. Each value is the number of its column. */
internal fun wide(columns: Int, rows: Int = 1): RecordBatch =
    BatchBuilder.of(Devices.cpu(), rows).use { batch ->
        for (i in 0 until columns) batch.int64("c$i", LongArray(rows) { i.toLong() })
        batch.build()
    }

internal fun Arena.struct(kind: StructKind): MemorySegment = allocate(kind.size, 8)

internal fun Arena.struct(): MemorySegment = allocate(ArrowArrayStruct.LAYOUT)

/** Returns memory for a struct, filled with garbage. */
internal fun Arena.garbage(bytes: Long): MemorySegment = allocate(bytes, 8).fill(0x5A)

/** Checks that nothing was written to memory that [garbage] returned. */
internal fun MemorySegment.shouldBeGarbage() = toArray(JAVA_BYTE).toSet() shouldBe setOf<Byte>(0x5A)

internal fun Arena.structs(count: Int): List<MemorySegment> = List(count) { struct() }

/** Returns a bitwise copy of a struct, as C copies a struct that it moves. */
internal fun Arena.copyOf(address: Long): MemorySegment =
    struct().copyFrom(NativeHeap.segment(address, RawArrowArray.SIZE))

/** Releases the array as C does, through the struct's function pointer. */
internal fun release(array: MemorySegment) {
    val function = RawArrowArray.release(array.address())
    if (function != 0L) Calls.release(function, array.address())
}

internal fun released(array: MemorySegment): Boolean = RawArrowArray.release(array.address()) == 0L
