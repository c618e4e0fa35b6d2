// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.DeviceException
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.async.AsyncArrayStream
import org.arbalest.device.async.AsyncQuirk
import org.arbalest.device.async.AsyncTask
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowAsyncHandler
import org.arbalest.device.internal.abi.RawArrowAsyncProducer
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.support.AsyncCollector
import org.arbalest.device.support.connect
import org.arbalest.device.support.outcome
import org.arbalest.support.CCompiler
import org.arbalest.support.CPeer
import org.arbalest.support.ChildJvm
import org.arbalest.support.PeerProducer
import org.arbalest.support.PeerProducer.Quirk.*
import org.arbalest.support.Produced
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.contract.eventually
import java.lang.foreign.MemorySegment
import java.util.concurrent.CancellationException
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Flow
import java.util.concurrent.ForkJoinPool
import java.util.concurrent.ThreadLocalRandom
import kotlin.random.Random

/** Producers whose struct is freed before they report the end, as in Arrow C++, and producers that cannot be called. */
class ForeignProducerSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    fun awaitGate() = eventually("the producer is at the gate") { CPeer.waitingAtGate > 0L }

    /**
     * Runs [act] while the producer waits at the gate: its source has ended or failed, and its struct is freed, but it
     * has not reported that yet.
     */
    fun goneBefore(
        batches: Long,
        fails: Boolean,
        prepare: (AsyncArrayStream) -> Unit = {},
        act: (AsyncArrayStream) -> Unit,
        check: (Produced, AsyncArrayStream) -> Unit,
    ) {
        val quirks = setOfNotNull(GONE_EARLY, GATE_END, ERROR.takeIf { fails })
        PeerProducer(if (fails) -1 else batches, 10, quirks, at = batches, code = Errno.EIO, message = "disk gone")
            .use { producer ->
                val arrays = producer.connect(AsyncQuirk.PRODUCER_ENDS_EARLY)
                prepare(arrays)
                awaitGate()
                try {
                    act(arrays)
                    producer.results().let {
                        it.gone shouldBe true
                        it.goneCalls shouldBe 0
                    }
                } finally {
                    CPeer.openGate()
                }
                val released = arrays.released().outcome()
                producer.join() shouldBe true
                if (!fails) released.getOrThrow()
                producer.results().goneCalls shouldBe 0
                check(producer.results(), arrays)
            }
        CPeer.shutGate()
    }

    fun AsyncCollector.shouldEnd(fails: Boolean) {
        val outcome = done.outcome()
        if (fails) outcome.exceptionOrNull().shouldBeInstanceOf<DeviceException>().message shouldBe
            "disk gone" else outcome.getOrThrow()
    }

    for (fails in listOf(false, true)) {
        val how = if (fails) "fails" else "ends"

        test("a late request does not reach a freed producer that $how right after on_schema [ASY-29]") {
            val collector = AsyncCollector(7)
            goneBefore(0, fails, act = { it.subscribe(collector) }) { seen, _ -> seen.requestsInside shouldBe 1 }
            collector.shouldEnd(fails)
        }

        test("a reader receives the outcome of a freed producer that $how right after on_schema [ASY-29]") {
            lateinit var reader: RecordBatchReader
            goneBefore(0, fails, act = { reader = it.reader(4) }) { _, _ ->
                reader.use {
                    if (fails) shouldThrow<DeviceException> { it.next() }.message shouldBe
                        "disk gone" else it.next() shouldBe null
                }
            }
        }

        test(
            "closing a stream or its reader does not reach a freed producer that $how right after on_schema [ASY-29]",
        ) {
            for (close in listOf<(AsyncArrayStream) -> Unit>({ it.close() }, { it.reader(1).close() })) {
                goneBefore(0, fails, act = close) { seen, _ -> seen.cancels shouldBe 0 }
            }
        }

        test("more demand and a cancellation do not reach a freed producer that $how with unmet demand [ASY-29]") {
            val collector = AsyncCollector(7)
            goneBefore(0, fails, prepare = { it.subscribe(collector) }, act = {
                collector.subscription.request(3)
                collector.subscription.cancel()
            }) { seen, _ ->
                seen.cancels shouldBe 0
            }
            collector.done.isDone shouldBe false
        }

        test("demand after the last extraction does not reach a freed producer that $how after two tasks [ASY-29]") {
            val collector = AsyncCollector(0)
            goneBefore(2, fails, prepare = {
                it.subscribe(collector)
                collector.subscription.request(1)
            }, act = {
                collector.subscription.request(1) // extracts the queued task, the struct's last owner
                collector.subscription.request(5)
            }) { seen, _ -> seen.extracted shouldBe 2 }
            collector.ids.size shouldBe 2
            collector.shouldEnd(fails)
        }
    }

    test("the first demand is sent inside on_schema, also without a subscriber [ASY-29]") {
        PeerProducer(3, 1).use { producer ->
            val arrays = producer.connect()
            eventually("a task comes") { producer.results().sent > 0 }
            producer.results().let {
                it.requested shouldBe 1
                it.requestsInside shouldBe 1
            }
            val collector = AsyncCollector(5)
            arrays.subscribe(collector)
            collector.done.outcome().getOrThrow()
            collector.ids.size shouldBe 3
        }
    }

    test("demand is sent although the subscriber extracts nothing and no earlier demand is unmet [ASY-29]") {
        PeerProducer(20, 1).use { producer ->
            val held = java.util.concurrent.LinkedBlockingQueue<AsyncTask>()
            val arrays = producer.connect()
            val collector = AsyncCollector(0) { held += it }
            arrays.subscribe(collector)
            repeat(20) {
                collector.subscription.request(1)
                eventually("task $it comes") { held.size > it }
            }
            held.forEach { it.close() }
            collector.done.outcome().getOrThrow()
        }
    }

    test(
        "a cancel waits for a running callback only if the producer ends early; the subscriber ends at once [ASY-29]",
    ) {
        for (quirk in listOf(AsyncQuirk.PRODUCER_ENDS_EARLY, null)) {
            PeerProducer(-1, 1, setOf(GATE_TASK), at = 0).use { producer ->
                val arrays = producer.connect(*listOfNotNull(quirk).toTypedArray())
                val collector = AsyncCollector(3)
                arrays.subscribe(collector)
                awaitGate()
                try {
                    arrays.close()
                    collector.done.outcome().exceptionOrNull().shouldBeInstanceOf<CancellationException>()
                    producer.results().cancels shouldBe if (quirk == null) 1 else 0
                    arrays.released().toCompletableFuture().isDone shouldBe false
                } finally {
                    CPeer.openGate()
                }
                arrays.released().outcome().getOrThrow()
                producer.join() shouldBe true
                producer.results().cancels shouldBe 1
            }
            CPeer.shutGate()
        }
    }

    test("a cancel is sent at once while a task is queued, also if the producer ends early [ASY-29]") {
        PeerProducer(-1, 1).use { producer ->
            val arrays = producer.connect(AsyncQuirk.PRODUCER_ENDS_EARLY)
            eventually("a task comes") { producer.results().sent > 0 }
            arrays.close()
            arrays.released().outcome().getOrThrow() // without demand, no callback would come to wait for
            producer.join() shouldBe true
            producer.results().cancels shouldBe 1
        }
    }

    /**
     * Runs [act] while the subscriber blocks in onNext with the first of [tasks] tasks. The producer ends early, and
     * waits at the gate before its next task.
     */
    fun whileOnNextBlocks(tasks: Long, act: (PeerProducer, AsyncArrayStream) -> Unit) {
        PeerProducer(-1, 1, setOf(GATE_TASK), at = tasks).use { producer ->
            lateinit var handler: MemorySegment
            val arrays =
                CData.importAsyncStream(CImport.DEVICE.quirks(AsyncQuirk.PRODUCER_ENDS_EARLY), { handler = it })
            val (introduced, begin, inside, goOn) = List(4) { CountDownLatch(1) }
            val collector = AsyncCollector(2) { task ->
                inside.countDown()
                goOn.await()
                task.close()
            }
            val subscribing = Thread.ofPlatform().daemon().start {
                arrays.subscribe(object : Flow.Subscriber<AsyncTask> by collector {
                    override fun onSubscribe(subscription: Flow.Subscription) {
                        collector.onSubscribe(subscription)
                        introduced.countDown()
                        begin.await()
                    }
                })
            }
            introduced.await()
            producer.start(handler)
            awaitGate() // the tasks are queued for the subscribing thread, which signals
            begin.countDown()
            inside.await()
            try {
                act(producer, arrays)
            } finally {
                goOn.countDown()
                CPeer.openGate()
            }
            arrays.released().outcome().getOrThrow()
            producer.join() shouldBe true
            subscribing.join()
        }
        CPeer.shutGate()
    }

    test("a cancel does not wait for a subscriber that blocks in onNext, also if the producer ends early [ASY-29]") {
        whileOnNextBlocks(tasks = 2) { producer, arrays -> // the second task is queued
            arrays.close()
            producer.results().cancels shouldBe 1
        }
    }

    test("a task that arrives after a cancel does not wait for a subscriber that blocks in onNext [ASY-29]") {
        whileOnNextBlocks(tasks = 1) { producer, arrays -> // one more task is due
            arrays.close()
            producer.results().cancels shouldBe 0
            CPeer.openGate()
            eventually("the producer is cancelled, and its task discarded") {
                producer.results().run { cancels == 1L && discarded == 1L }
            }
        }
    }

    /**
     * Runs [check] with a producer that waits before task 1, and whose struct has NULL in place of [function]. With
     * [staysHeld] the producer waits until [check] is done.
     */
    fun unreachable(
        function: (Long, Long) -> Unit,
        take: (AsyncArrayStream) -> Unit,
        staysHeld: Boolean = false,
        check: (AsyncArrayStream) -> Unit,
    ) {
        PeerProducer(-1, 1, setOf(GATE_TASK), at = 1).use { producer ->
            lateinit var handler: MemorySegment
            val arrays = CData.importAsyncStream(CImport.DEVICE) { handler = it; producer.start(it) }
            take(arrays)
            awaitGate()
            function(RawArrowAsyncHandler.producer(handler.address()), 0)
            if (!staysHeld) CPeer.openGate()
            try {
                check(arrays)
            } finally {
                CPeer.openGate()
                producer.stop()
            }
            producer.join() shouldBe true
        }
        CPeer.shutGate()
    }

    test("a request that cannot be called is an error for the subscriber and for the release [ASY-30]") {
        val collector = AsyncCollector(1)
        unreachable(RawArrowAsyncProducer::setRequest, { it.subscribe(collector) }) { arrays ->
            collector.done.outcome().exceptionOrNull().shouldBeInstanceOf<DeviceException>().message shouldContain
                "could not be called"
            arrays.released().outcome().exceptionOrNull().shouldBeInstanceOf<DeviceException>().message shouldContain
                "could not be called"
        }
    }

    test("a request that cannot be called is an error for a blocked reader [ASY-30]") {
        lateinit var reader: RecordBatchReader
        unreachable(RawArrowAsyncProducer::setRequest, { reader = it.reader(1) }) {
            reader.use {
                val failed = ForkJoinPool.commonPool().submit<Throwable?> {
                    runCatching { while (true) it.next()!!.close() }.exceptionOrNull()
                }
                failed.get(5, java.util.concurrent.TimeUnit.SECONDS).shouldBeInstanceOf<DeviceException>()
                    .message shouldContain "could not be called"
            }
        }
    }

    test("a cancel that cannot be called is an error for the release, but not for the cancelling thread [ASY-30]") {
        val collector = AsyncCollector(0)
        unreachable(RawArrowAsyncProducer::setCancel, {
            it.subscribe(collector)
            collector.subscription.request(1)
        }, staysHeld = true) { arrays ->
            arrays.close() // before the producer could release by itself
            arrays.released().outcome().exceptionOrNull().shouldBeInstanceOf<DeviceException>().message shouldContain
                "could not be called"
            collector.done.outcome().isFailure shouldBe true
        }
    }

    test("a thousand streams of producers that are freed early leak nothing, however they end [ASY-29, ASY-28]") {
        EarlyEnds.run(1_000)
    }
})

/** Streams of a peer that behaves like Arrow C++. A call through one of its freed structs crashes the process. */
internal object EarlyEnds {
    private const val THREADS = 4

    /** Runs [streams] streams in a child JVM, and prints the seed that repeats them. */
    fun run(streams: Int) {
        val seed = ThreadLocalRandom.current().nextLong()
        println("seed $seed")
        val child = ChildJvm.run(EarlyEnds::class, "$seed", "$streams", options = listOf("-Xcheck:jni"))
        withClue(child.output) {
            child.exitCode shouldBe 0
            child.output shouldContain "nothing is left of $streams streams"
        }
    }

    @JvmStatic
    fun main(args: Array<String>) {
        val seed = args[0].toLong()
        val streams = args[1].toInt()
        val done = CountDownLatch(THREADS)
        repeat(THREADS) { thread ->
            Thread.ofPlatform().daemon().start {
                val random = Random(seed + thread)
                repeat(streams / THREADS) { one(random) }
                done.countDown()
            }
        }
        check(done.await(240, java.util.concurrent.TimeUnit.SECONDS)) { "the streams did not end within 240 seconds" }
        eventually("all streams have released their resources") {
            ResourceCounters.now().isZero && CPeer.counts().run { tasks + arrays + handlers == 0L }
        }
        val counts = CPeer.counts()
        check(ResourceCounters.now().isZero) { ResourceCounters.now() }
        check(counts.tasks + counts.arrays + counts.schemas + counts.producers + counts.violations +
            counts.doubleReleases == 0L) { counts }
        println("nothing is left of $streams streams")
    }

    /** Runs one stream of a few tasks, whose consumer acts at random. */
    private fun one(random: Random) {
        val batches = random.nextLong(6)
        val fails = random.nextBoolean()
        val quirks = PeerProducer.LIKE_ARROW_CPP - PeerProducer.Quirk.ON_CALLER +
            setOfNotNull(if (random.nextBoolean()) GONE_TRASHED else GONE_ZEROED, ERROR.takeIf { fails })
        PeerProducer(if (fails) -1 else batches, 2, quirks, at = batches, code = Errno.EIO).use { producer ->
            val arrays = producer.connect(AsyncQuirk.PRODUCER_ENDS_EARLY)
            repeat(random.nextInt(200)) { Thread.onSpinWait() }
            when (random.nextInt(4)) {
                0 -> arrays.close()
                1 -> pull(arrays, random)
                else -> collect(arrays, random)
            }
            producer.join()
        }
    }

    private fun pull(arrays: AsyncArrayStream, random: Random) {
        arrays.reader(random.nextInt(1, 4)).use { reader ->
            try {
                repeat(random.nextInt(8)) { reader.next()?.close() }
            } catch (_: DeviceException) {
                // The source failed, as it should.
            }
        }
    }

    private fun collect(arrays: AsyncArrayStream, random: Random) {
        val last = random.nextInt(8)
        val collector = AsyncCollector(random.nextLong(1, 4), ForkJoinPool.commonPool()) { task ->
            if (task.isOpen && last != 0) read(task) else task.close()
            if (ids.size == last) subscription.cancel()
        }
        arrays.subscribe(collector)
        repeat(random.nextInt(300)) { Thread.onSpinWait() }
        if (random.nextInt(3) == 0) arrays.close()
        if (random.nextInt(3) == 0) collector.subscription.cancel()
        arrays.released().outcome()
    }
}
