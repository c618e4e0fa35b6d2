// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceType
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.c.ArrowDeviceArrayStreamStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.support.Balanced
import org.arbalest.device.support.batch
import org.arbalest.device.support.duel
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import java.lang.foreign.Arena
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletableFuture.runAsync
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicReference
import java.util.concurrent.locks.ReentrantLock

/** Tests of a close while another thread pulls or exports, and of the calls that the source receives. */
class DeviceArrayReaderImplCloseSpec : FunSpec({
    extension(Balanced)

    val schema = Schema.of(listOf(Field.of("id", DataType.INT64)))
    val threads = Executors.newCachedThreadPool { Thread(it).apply { isDaemon = true } }
    afterSpec { threads.shutdownNow() }

    /** A source of three arrays. After a cancel it returns no more, like the source of an async stream. */
    class Cancellable : DeviceArrayReader.Source<RecordBatch> {
        val cancels = AtomicInteger()
        val lateCancels = AtomicInteger()
        val closes = AtomicInteger()
        private var given = 0

        override fun next(): RecordBatch? = if (cancels.get() > 0 || given++ == 3) null else batch(1)

        override fun cancel() {
            cancels.incrementAndGet()
            lateCancels.addAndGet(closes.get())
        }

        override fun close() {
            closes.incrementAndGet()
        }
    }

    fun reader(source: DeviceArrayReader.Source<RecordBatch>) = RecordBatchReader.of(schema, DeviceType.CPU, source)

    test("an export during a close throws, or C receives the whole stream [STR-11]") {
        Arena.ofShared().use { arena ->
            val out = arena.allocate(ArrowDeviceArrayStreamStruct.LAYOUT)
            val sources = List(10_000) { Cancellable() }
            val readers = sources.map(::reader)
            var exports = 0
            duel(sources.size, { readers[it].close() }, { i ->
                if (runCatching { CData.exportStream(readers[i], out, CExport.DEVICE) }.isSuccess) {
                    exports++
                    var pulled = 0
                    CData.importStream(out, CImport.DEVICE).use { stream ->
                        while (stream.next()?.close() != null) pulled++
                    }
                    check(pulled == 3 && sources[i].cancels.get() == 0) {
                        "race $i: C received $pulled arrays, and the source ${sources[i].cancels} cancels"
                    }
                }
            })
            exports shouldBeGreaterThan 0
            sources.map { it.closes.get() }.distinct() shouldBe listOf(1)
        }
    }

    test("a source is not cancelled after it was closed [STR-11]") {
        val sources = List(10_000) { Cancellable() }
        val readers = sources.map(::reader)
        duel(sources.size, { readers[it].close() }, { runCatching { readers[it].next()?.close() } })
        sources.sumOf { it.lateCancels.get() } shouldBe 0
        sources.map { it.closes.get() }.distinct() shouldBe listOf(1)
    }

    test("a close between a pull's last check and its unlock still closes the source [STR-11]") {
        val source = Cancellable()
        val own = CompletableFuture<RecordBatchReader>()
        val lock = object : ReentrantLock() {
            private var first = true

            override fun unlock() {
                if (first) {
                    first = false
                    runAsync({ own.get().close() }, threads).get(5, SECONDS)
                    source.closes.get() shouldBe 0
                }
                super.unlock()
            }
        }
        val reader = RecordBatchReaderImpl(schema.asField(), DeviceType.CPU, source, lock).also(own::complete)
        reader.next()!!.close()
        source.closes.get() shouldBe 1
    }

    test("a close that finds the lock taken does not cancel a source that the pull has closed [STR-11]") {
        val pulling = CountDownLatch(1)
        val goOn = CountDownLatch(1)
        val heard = CopyOnWriteArrayList<String>()
        val source = object : DeviceArrayReader.Source<RecordBatch> {
            override fun next(): RecordBatch? {
                pulling.countDown()
                check(goOn.await(5, SECONDS))
                return null
            }

            override fun cancel() {
                heard += "cancel"
            }

            override fun close() {
                heard += "close"
            }
        }
        val puller = CompletableFuture<Thread>()
        val lock = object : ReentrantLock() {
            override fun tryLock(): Boolean {
                if (super.tryLock()) return true
                goOn.countDown()
                puller.get().join()
                return false
            }
        }
        val reader = RecordBatchReaderImpl(schema.asField(), DeviceType.CPU, source, lock)
        puller.complete(Thread.ofPlatform().start { reader.next() })
        pulling.await()
        reader.close()
        heard shouldBe listOf("close")
    }

    test("a source is not closed during its cancel [STR-11]") {
        val pulling = CountDownLatch(1)
        val pulled = CountDownLatch(1)
        val cancelling = CountDownLatch(1)
        val cancelled = CountDownLatch(1)
        val closes = AtomicInteger()
        val reader = reader(object : DeviceArrayReader.Source<RecordBatch> {
            override fun next(): RecordBatch? {
                pulling.countDown()
                check(pulled.await(5, SECONDS))
                return null
            }

            override fun cancel() {
                cancelling.countDown()
                check(cancelled.await(5, SECONDS))
            }

            override fun close() {
                closes.incrementAndGet()
            }
        })
        val result = AtomicReference<Result<RecordBatch?>>()
        val puller = Thread.ofPlatform().start { result.set(runCatching { reader.next() }) }
        pulling.await()
        val closer = runAsync({ reader.close() }, threads)
        cancelling.await()
        pulled.countDown()
        // the pull blocks before it closes the source
        while (puller.isAlive && puller.state != Thread.State.BLOCKED) Thread.onSpinWait()
        closes.get() shouldBe 0
        cancelled.countDown()
        closer.get(5, SECONDS)
        puller.join()
        closes.get() shouldBe 1
        // an error, and not the null of an end, because the stream may have more arrays
        result.get().exceptionOrNull().shouldBeInstanceOf<IllegalStateException>()
    }

    test("a pull during a close gets all three arrays or an error, never an early end [STR-11]") {
        val readers = List(10_000) { reader(Cancellable()) }
        duel(readers.size, { readers[it].close() }, { race ->
            var pulled = 0
            val whole = runCatching { while (readers[race].next()?.close() != null) pulled++ }.isSuccess
            check(!whole || pulled == 3) { "race $race: the stream ended after $pulled of 3 arrays" }
        })
    }
})
