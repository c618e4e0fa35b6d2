// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.arrowcpp

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.runBlocking
import org.arbalest.coroutines.asFlow
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.async.AsyncProducer
import org.arbalest.device.async.AsyncQuirk.DROPS_TASKS
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.types.Metadata
import org.arbalest.interop.EngineException
import org.arbalest.support.ChildJvm
import java.io.IOException
import java.util.concurrent.CancellationException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit.SECONDS
import kotlin.random.Random

/** The number of streams of each direction in one JVM, which may run for a minute, also on a busy machine. */
private const val STREAMS = 500

/** The number of JVMs, which `-Darrow.cpp.soak=20` raises. */
private val jvms: Int = Integer.getInteger("arrow.cpp.soak", 1)

/**
 * Tests streams that end, fail, are cancelled or are closed at random points against Arrow C++, in a separate JVM that
 * checks its JNI calls.
 */
class ArrowCppAsyncSoakSpec : FunSpec({
    extension(ArrowCppBridge.needed)

    test("${jvms * STREAMS} streams each way end at random points without a crash or a leak [ASY-29]") {
        val options = listOf("-Xcheck:jni", "-Darrow.cpp=${System.getProperty("arrow.cpp").orEmpty()}")
        repeat(jvms) {
            val child = ChildJvm.run(ArrowCppAsyncSoak::class, "$STREAMS", "${Random.nextInt()}", options = options)
            withClue(child.output) {
                child.exitCode shouldBe 0
                child.output shouldContain "all is zero"
                // Loading the library of arrow-dataset causes warnings, which come before this line.
                child.output.substringAfter("seed ") shouldNotContain "WARNING in native method"
            }
        }
    }
})

internal class ArrowCppAsyncSoak(private val random: Random) {
    private val executor = Executors.newCachedThreadPool { Thread(it).apply { isDaemon = true } }

    /** Runs an action after a random delay. */
    private fun later(action: () -> Unit): CompletableFuture<Void> {
        val spins = random.nextInt(1 shl random.nextInt(16))
        return CompletableFuture.runAsync({ repeat(spins) { Thread.onSpinWait() }; action() }, executor)
    }

    /** Reads one stream that Arrow C++ produces. */
    private fun taken() {
        val batches = random.nextInt(6)
        // The number of steps of the script that run before the start.
        val before = if (random.nextBoolean()) batches + 1 else random.nextInt(batches + 2)
        val fails = random.nextInt(3) == 0
        CppProducer(Numbered.schema, Waiting.entries.random(random)).use { producer ->
            val script = (0 until batches).map { { producer.give(Numbered.batch(it)) } } + {
                if (fails) producer.fail("disk gone") else producer.end()
            }
            script.take(before).forEach { it() }
            val stream = producer.connect()
            val rest = later { script.drop(before).forEach { it() } }
            val prefetch = 1 + random.nextInt(4)
            val most = random.nextInt(8)
            try {
                when (random.nextInt(6)) {
                    0 -> stream.reader(prefetch).use { reader -> repeat(most) { reader.next()?.close() } }
                    1 -> {
                        val closed = later(stream::close)
                        runCatching {
                            stream.reader(prefetch).use { reader ->
                                generateSequence { reader.next() }.forEach(RecordBatch::close)
                            }
                        }
                            .exceptionOrNull()?.let(::expected)
                        closed.get(5, SECONDS)
                    }
                    2 -> {
                        val subscriber = Taker()
                        stream.subscribe(subscriber)
                        val requested = later { subscriber.subscription.request(1L + most) }
                        val cancelled = later { subscriber.subscription.cancel() }
                        requested.get(5, SECONDS)
                        cancelled.get(5, SECONDS)
                        stream.released().outcome()
                        subscriber.kept.forEach { if (most % 2 == 0) it.close() else it.extract().close() }
                    }
                    3 -> {
                        var left = most
                        val subscriber = Taker(onTask = { task ->
                            if (left % 2 == 0) task.close() else task.extract().close()
                            if (left-- == 0) subscription.cancel() else subscription.request(1)
                        })
                        stream.subscribe(subscriber)
                        subscriber.subscription.request(prefetch.toLong())
                    }
                    4 -> runBlocking {
                        stream.asFlow(prefetch).take(1 + most).collect { if (most % 2 == 0) it.retain().close() }
                    }
                    else -> later(stream::close).get(5, SECONDS)
                }
            } catch (e: Exception) {
                expected(e)
            }
            rest.get(5, SECONDS)
            stream.close()
            stream.released().outcome()
        }
    }

    private fun expected(e: Throwable) {
        val known = e is DeviceException && (e.message == "disk gone" || e.cause is CancellationException) ||
            e is IllegalStateException
        if (!known) throw e
    }

    /** Produces one stream that Arrow C++ consumes; Arrow C++ never cancels. */
    private fun given() {
        val batches = random.nextInt(8)
        val fails = random.nextBoolean()
        CppConsumer(1L + random.nextInt(6)).use { consumer ->
            var next = 0
            val type = DeviceType.CPU
            val reader = RecordBatchReader.of(Numbered.schema, type, object : DeviceArrayReader.Source<RecordBatch> {
                override fun next(): RecordBatch? =
                    if (next < batches) Numbered.batch(next++) else if (fails) throw IOException("disk gone") else null
            })
            val produced = CData.exportAsyncStream(AsyncProducer.of(reader, Metadata.empty()), consumer.handler,
                executor, CExport.DEVICE.quirks(DROPS_TASKS))
            var seen = 0
            val error = runCatching { generateSequence { consumer.next() }.forEach { it.close(); seen++ } }
                .exceptionOrNull()
            check((error != null) == fails && (error == null || error is EngineException)) {
                "the stream ended with the unexpected error $error"
            }
            check(fails || seen == batches) { "Arrow C++ received $seen of $batches batches" }
            check(produced.outcome().isFailure == fails)
        }
    }

    companion object {
        @JvmStatic
        fun main(arguments: Array<String>) {
            val seed = arguments[1].toInt()
            println("seed $seed, Arrow C++ ${ArrowCppBridge.version}")
            val soak = ArrowCppAsyncSoak(Random(seed))
            val before = ResourceCounters.now()
            val start = System.nanoTime()
            repeat(arguments[0].toInt()) {
                soak.taken()
                soak.given()
            }
            val patience = System.nanoTime() + 10_000_000_000
            while (!ResourceCounters.now().since(before).isZero && System.nanoTime() < patience) Thread.onSpinWait()
            check(ResourceCounters.now().since(before).isZero) {
                "not released within 10 s: ${ResourceCounters.now().since(before)}"
            }
            println("all is zero after ${(System.nanoTime() - start) / 1_000_000} ms")
        }
    }
}
