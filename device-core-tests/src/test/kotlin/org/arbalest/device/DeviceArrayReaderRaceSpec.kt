// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.c.ArrowArrayStreamStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.internal.abi.RawArrowArrayStream
import org.arbalest.device.internal.calls.Calls
import org.arbalest.device.support.Balanced
import org.arbalest.device.support.batch
import org.arbalest.device.support.duel
import org.arbalest.device.support.release
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import java.lang.foreign.Arena
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletableFuture.supplyAsync
import java.util.concurrent.CountDownLatch
import java.util.concurrent.ExecutionException
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicInteger

class DeviceArrayReaderRaceSpec : FunSpec({
    extension(Balanced)

    val schema = Schema.of(listOf(Field.of("id", DataType.INT64)))
    val threads = Executors.newCachedThreadPool { Thread(it).apply { isDaemon = true } }
    afterSpec { threads.shutdownNow() }

    /** A source that blocks in pull number [stopIn], counted from 0, until [gate] opens. */
    class Gated(val stopIn: Int, val answer: () -> RecordBatch? = { batch(1) }) :
        DeviceArrayReader.Source<RecordBatch> {
        val entered = CountDownLatch(1)
        val gate = CountDownLatch(1)
        val pulls = AtomicInteger()
        val closes = AtomicInteger()
        private val inside = AtomicInteger()

        override fun next(): RecordBatch? {
            check(inside.incrementAndGet() == 1) { "two threads are in the source's next() at the same time" }
            try {
                if (pulls.getAndIncrement() == stopIn) {
                    entered.countDown()
                    check(gate.await(5, SECONDS)) { "the test did not open the gate within 5 seconds" }
                }
                return answer()
            } finally {
                inside.decrementAndGet()
            }
        }

        override fun close() {
            check(inside.get() == 0) { "the reader closed the source during next()" }
            closes.incrementAndGet()
        }
    }

    fun reader(source: DeviceArrayReader.Source<RecordBatch>) = RecordBatchReader.of(schema, DeviceType.CPU, source)

    fun pull(reader: RecordBatchReader): CompletableFuture<RecordBatch?> = supplyAsync({ reader.next() }, threads)

    fun CompletableFuture<*>.failure() = shouldThrow<ExecutionException> { get(5, SECONDS) }.cause!!

    test("close() during a pull returns at once; the returning pull closes the source and its array") {
        val source = Gated(0)
        val reader = reader(source)
        val pulled = pull(reader)
        source.entered.await()
        reader.close()
        reader.close()
        source.closes.get() shouldBe 0
        source.gate.countDown()
        pulled.failure().message shouldContain "closed"
        source.closes.get() shouldBe 1
        reader.close()
        source.closes.get() shouldBe 1
    }

    test("a pull that fails after the reader was closed still closes the source once") {
        val source = Gated(0) { error("too late") }
        val reader = reader(source)
        val pulled = pull(reader)
        source.entered.await()
        reader.close()
        source.gate.countDown()
        pulled.failure()
        source.closes.get() shouldBe 1
    }

    test("a second thread's pull waits until the first thread's pull returns [STR-07]") {
        val source = Gated(0)
        val reader = reader(source)
        val first = pull(reader)
        source.entered.await()
        val second = pull(reader)
        source.pulls.get() shouldBe 1
        source.gate.countDown()
        first.get(5, SECONDS)!!.close()
        second.get(5, SECONDS)!!.close()
        source.pulls.get() shouldBe 2
        reader.close()
        source.closes.get() shouldBe 1
    }

    test("a waiting pull fails without calling the source if the reader is closed meanwhile [STR-07]") {
        val source = Gated(0)
        val reader = reader(source)
        val first = pull(reader)
        source.entered.await()
        val second = pull(reader)
        reader.close()
        source.gate.countDown()
        first.failure().message shouldContain "closed"
        second.failure().message shouldContain "closed"
        source.pulls.get() shouldBe 1
        source.closes.get() shouldBe 1
    }

    test("a source that closes its own reader in next() is closed when next() returns") {
        val closes = AtomicInteger()
        val own = CompletableFuture<RecordBatchReader>()
        val source = object : DeviceArrayReader.Source<RecordBatch> {
            override fun next(): RecordBatch {
                own.get().close()
                closes.get() shouldBe 0
                return batch(1)
            }

            override fun close() {
                closes.incrementAndGet()
                own.get().close()
            }
        }
        val reader = reader(source).also(own::complete)
        shouldThrow<IllegalStateException> { reader.next() }.message shouldContain "closed"
        closes.get() shouldBe 1
    }

    test("each pull of a failed source repeats the error, and only close() closes the source [STR-09]") {
        val source = Gated(-1) { throw java.io.IOException("disk on fire") }
        val reader = reader(source)
        repeat(3) { shouldThrow<DeviceException> { reader.next() }.message shouldContain "disk on fire" }
        source.pulls.get() shouldBe 1
        source.closes.get() shouldBe 0
        reader.close()
        source.closes.get() shouldBe 1
    }

    test("an Error that a source throws ends the stream like an exception [STR-09]") {
        for (error in listOf(StackOverflowError("deep"), AssertionError("wrong"), OutOfMemoryError("full"))) {
            val source = Gated(-1) { throw error }
            val reader = reader(source)
            shouldThrow<Error> { reader.next() } shouldBe error
            repeat(2) { shouldThrow<DeviceException> { reader.next() }.message shouldContain error.message!! }
            source.pulls.get() shouldBe 1
            reader.close()
        }
    }

    test("an exception of the source's close() reaches the first caller of the reader's close() only") {
        val source = object : DeviceArrayReader.Source<RecordBatch> {
            override fun next() = null

            override fun close() = error("cannot close")
        }
        val reader = reader(source)
        shouldThrow<IllegalStateException> { reader.close() }.message shouldBe "cannot close"
        reader.close()
    }

    test("the reader does not pull the source again after the end of the stream") {
        val source = Gated(-1) { null }
        val reader = reader(source)
        repeat(3) { reader.next() shouldBe null }
        source.pulls.get() shouldBe 1
        reader.close()
    }

    test("a concurrent pull and close leak no array, and close the source once") {
        val sources = List(4_000) { Gated(-1) }
        val readers = sources.map(::reader)
        duel(sources.size, { readers[it].close() }, { runCatching { while (true) readers[it].next()!!.close() } })
        sources.map { it.closes.get() }.distinct() shouldBe listOf(1)
    }

    test("a concurrent export and close leave C a live stream or none, and close the source once [OWN-09]") {
        Arena.ofShared().use { arena ->
            val out = arena.allocate(ArrowArrayStreamStruct.LAYOUT)
            val sources = List(20_000) { Gated(-1) }
            val readers = sources.map(::reader)
            var exports = 0
            duel(
                sources.size,
                { readers[it].close() },
                {
                    val exported = runCatching { CData.exportStream(readers[it], out, CExport.DATA) }.isSuccess
                    val release = RawArrowArrayStream.release(out.address())
                    check((release != 0L) == exported)
                    if (exported) exports++
                    if (release != 0L) Calls.release(release, out.address())
                },
            )
            exports shouldBeGreaterThan 0
            sources.map { it.closes.get() }.distinct() shouldBe listOf(1)
        }
    }
})
