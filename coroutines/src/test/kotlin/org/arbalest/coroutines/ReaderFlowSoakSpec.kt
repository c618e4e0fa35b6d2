// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeLessThan
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.cancel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.collect
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.launch
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.support.CCompiler
import org.arbalest.support.CPeer
import org.arbalest.support.PeerConsumer
import org.arbalest.support.PeerConsumer.Quirk.*
import org.arbalest.support.PeerProducer
import org.arbalest.support.ResourceCountersExtension
import java.nio.file.Files
import java.nio.file.Path
import kotlin.random.Random

private const val RUNS = 500
private const val BATCHES = 8
private const val WINDOW = 6
private const val MOST_KIB = 1024
private const val MOST_ROUNDS = 60

/** Streams that are cancelled many times at random points: nothing leaks, and memory does not grow. */
class ReaderFlowSoakSpec : FunSpec({
    extension(ResourceCountersExtension)

    test("memory stays constant over cancelled runs of a reader") {
        soak { cancelledRun(it, readerOf(BATCHES)) }
    }

    test("memory stays constant over cancelled runs of a flow that became a reader and a flow again") {
        soak {
            cancelledRun(it, flow { repeat(BATCHES) { lend(it.toLong()) } }
                .asReader(IDS, context = coroutineContext + Dispatchers.Default))
        }
    }
})

/** Soak tests with a native producer. */
class ReaderFlowPeerSoakSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    test("memory stays constant over cancelled runs of the C peer's stream") {
        soak(::noViolations) { cancelledRun(it, peerReader(BATCHES.toLong(), rows = 100)) }
    }
})

/** Async streams, at least 6,000 of each kind. */
class AsyncFlowSoakSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    test("memory stays constant over cancelled async streams of the C peer [ASY-28]") {
        soak(::noViolations) { random ->
            PeerProducer(BATCHES.toLong(), 100, timeoutMillis = 30_000).use { producer ->
                CData.importAsyncStream(CImport.DEVICE) { producer.start(it) }.use { stream ->
                    cancelledRun(random, stream.asFlow(1 + random.nextInt(BATCHES)))
                }
            }
        }
    }

    test("memory stays constant over async streams that the C peer cancels [ASY-28]") {
        soak(::noViolations) { random ->
            val how = setOf(listOf(CANCEL_SCHEMA, CANCEL_INSIDE, CANCEL_OUTSIDE).random(random))
            PeerConsumer(1L + random.nextInt(BATCHES), how, at = random.nextLong(2L * BATCHES)).use { consumer ->
                flow { repeat(BATCHES) { lend(it.toLong()) } }.produceTo(consumer.handler, IDS)
            }
        }
    }

    test("memory stays constant over async streams between two JVM ends when either end is cancelled [ASY-28]") {
        soak(::noViolations) { random ->
            lateinit var producing: Job
            val stream = CData.importAsyncStream(CImport.DEVICE) { handler ->
                producing = launch(Dispatchers.Default, CoroutineStart.UNDISPATCHED) {
                    flow { repeat(BATCHES) { lend(it.toLong()) } }.produceTo(handler, IDS)
                }
            }
            stream.use {
                if (random.nextBoolean()) {
                    cancelledRun(random, stream.asFlow(3))
                } else {
                    val spins = random.nextInt(20_000)
                    launch(Dispatchers.Default) {
                        repeat(spins) { Thread.onSpinWait() }
                        producing.cancel()
                    }
                    runCatching { stream.asFlow(3).collect() }
                }
            }
            producing.join()
        }
    }
})

private fun noViolations() {
    val counts = CPeer.counts()
    counts.violation shouldBe ""
    counts.doubleReleases + counts.violations shouldBe 0
    CPeer.reset() // the peer keeps released structs until the reset, to notice a second release
}

/**
 * Repeats rounds of [RUNS] runs until memory is constant: the lowest value of six rounds is not above the lowest of the
 * six rounds before, except for a margin. The heap size varies, and the compilers need time, but a leak grows forever.
 */
private suspend fun soak(afterRound: () -> Unit = {}, run: suspend CoroutineScope.(Random) -> Unit) {
    val random = Random(1)
    val resident = mutableListOf<Long>()
    fun atRest() = resident.size >= 2 * WINDOW &&
        resident.takeLast(WINDOW).min() - resident.dropLast(WINDOW).takeLast(WINDOW).min() < MOST_KIB
    while (!atRest()) {
        withClue("resident KiB after each round of $RUNS runs: $resident") {
            resident.size shouldBeLessThan MOST_ROUNDS
        }
        repeat(RUNS) { coroutineScope { run(random) } }
        afterRound()
        resident += residentKiB() ?: return
    }
}

private suspend fun CoroutineScope.cancelledRun(random: Random, reader: RecordBatchReader) {
    cancelledRun(random, reader.asFlow())
    reader.close() // the collection may have been cancelled before it began, and then only this closes the reader
}

/** Cancels a collection in one of its emits, or from outside at a random time. */
private suspend fun CoroutineScope.cancelledRun(random: Random, flow: Flow<RecordBatch>) {
    val step = random.nextInt(2 * BATCHES)
    val spins = random.nextInt(20_000)
    var seen = 0
    val job = launch(Dispatchers.Default) {
        flow.collect { if (seen++ == step) coroutineContext.cancel() }
    }
    if (step >= BATCHES) {
        repeat(spins) { Thread.onSpinWait() }
        job.cancel()
    }
    job.join()
}

/** Returns this process's resident memory, or null where the operating system does not report it. */
private fun residentKiB(): Long? {
    System.gc()
    val status = Path.of("/proc/self/status").takeIf(Files::exists) ?: return null
    return Files.readAllLines(status).first { it.startsWith("VmRSS:") }.filter(Char::isDigit).toLong()
}
