package org.arbalest.coroutines

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeLessThan
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.cancel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.launch
import org.arbalest.device.DeviceArrayReader
import org.arbalest.testkit.CCompiler
import org.arbalest.testkit.LedgerExtension
import java.nio.file.Files
import java.nio.file.Path
import kotlin.random.Random

private const val RUNS = 1_000
private const val BATCHES = 8
private const val MOST_GROWTH_KIB = 16L * 1024

/** Streams that are cancelled at a random point, over and over: nothing is left, and memory does not grow. */
class SoakSpec : FunSpec({
    extension(LedgerExtension)

    test("1,000 runs of a stream of ours") {
        soak { readerOf(BATCHES) }
    }

    test("1,000 runs of a flow made a stream, made a flow") {
        soak {
            flow { repeat(BATCHES) { lend(it.toLong()) } }.asReader(IDS, context = coroutineContext + Dispatchers.Default)
        }
    }
})

/** The same with C on the other side. */
class PeerSoakSpec : FunSpec({
    extension(CCompiler.needed)
    extension(LedgerExtension)

    test("1,000 runs of the C peer's stream") {
        soak { peerReader(BATCHES.toLong(), rows = 100) }
    }
})

/** Runs once to warm up, and once to compare. */
private suspend fun soak(reader: CoroutineScope.() -> DeviceArrayReader) {
    val random = Random(1)
    repeat(RUNS) { coroutineScope { cancelledRun(random, reader()) } }
    val before = residentKiB()
    repeat(RUNS) { coroutineScope { cancelledRun(random, reader()) } }
    val after = residentKiB()
    if (before != null && after != null) (after - before) shouldBeLessThan MOST_GROWTH_KIB
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
