package org.arbalest.coroutines

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeLessThan
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.cancel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.launch
import org.arbalest.device.DeviceArrayReader
import org.arbalest.testkit.CCompiler
import org.arbalest.testkit.CPeer
import org.arbalest.testkit.LedgerExtension
import java.nio.file.Files
import java.nio.file.Path
import kotlin.random.Random

private const val RUNS = 500
private const val BATCHES = 8
private const val WINDOW = 6
private const val MOST_KIB = 1024
private const val MOST_ROUNDS = 60

/** Streams that are cancelled at a random point, over and over: nothing is left, and memory does not grow. */
class SoakSpec : FunSpec({
    extension(LedgerExtension)

    test("memory comes to rest over cancelled runs of a stream of ours") {
        soak { readerOf(BATCHES) }
    }

    test("memory comes to rest over cancelled runs of a flow made a stream, made a flow") {
        soak {
            flow { repeat(BATCHES) { lend(it.toLong()) } }.asReader(IDS, context = coroutineContext + Dispatchers.Default)
        }
    }
})

/** The same with C on the other side. */
class PeerSoakSpec : FunSpec({
    extension(CCompiler.needed)
    extension(LedgerExtension)

    test("memory comes to rest over cancelled runs of the C peer's stream") {
        soak(
            afterRound = {
                val counts = CPeer.counts()
                counts.doubleReleases + counts.violations shouldBe 0
                CPeer.reset() // it keeps what was released until then, to notice a second release
            },
        ) { peerReader(BATCHES.toLong(), rows = 100) }
    }
})

/**
 * Rounds of [RUNS] runs, until memory has come to rest: the lowest of six rounds is as low as that of the six before.
 * The heap breathes, and the compilers take their time; but what leaks grows forever.
 */
private suspend fun soak(afterRound: () -> Unit = {}, reader: CoroutineScope.() -> DeviceArrayReader) {
    val random = Random(1)
    val resident = mutableListOf<Long>()
    fun atRest() = resident.size >= 2 * WINDOW &&
        resident.takeLast(WINDOW).min() - resident.dropLast(WINDOW).takeLast(WINDOW).min() < MOST_KIB
    while (!atRest()) {
        withClue("resident KiB after each round of $RUNS runs: $resident") { resident.size shouldBeLessThan MOST_ROUNDS }
        repeat(RUNS) { coroutineScope { cancelledRun(random, reader()) } }
        afterRound()
        resident += residentKiB() ?: return
    }
}

/** Cancels a collection in one of its emits, or from outside whenever that is. */
private suspend fun CoroutineScope.cancelledRun(random: Random, reader: DeviceArrayReader) {
    val step = random.nextInt(2 * BATCHES)
    val spins = random.nextInt(20_000)
    var seen = 0
    val job = launch(Dispatchers.Default) {
        reader.asFlow().collect { if (seen++ == step) coroutineContext.cancel() }
    }
    if (step >= BATCHES) {
        repeat(spins) { Thread.onSpinWait() }
        job.cancel()
    }
    job.join()
    reader.close() // cancelled before it began: the flow was never collected
}

/** This process's resident memory, where the system tells. */
private fun residentKiB(): Long? {
    System.gc()
    val status = Path.of("/proc/self/status").takeIf(Files::exists) ?: return null
    return Files.readAllLines(status).first { it.startsWith("VmRSS:") }.filter(Char::isDigit).toLong()
}
