// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeSameInstanceAs
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancel
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.collect
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.onEach
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.future.await
import kotlinx.coroutines.job
import kotlinx.coroutines.launch
import kotlinx.coroutines.supervisorScope
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.withTimeoutOrNull
import kotlinx.coroutines.yield
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.async.AsyncArrayStream
import org.arbalest.device.async.AsyncSchema
import org.arbalest.device.async.AsyncTask
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.types.Metadata
import org.arbalest.support.CCompiler
import org.arbalest.support.CPeer
import org.arbalest.support.Emulator
import org.arbalest.support.PeerProducer
import org.arbalest.support.ResourceCountersExtension
import java.io.IOException
import java.lang.foreign.MemorySegment
import kotlin.time.Duration.Companion.seconds

/** A flow that passes through the C structs and becomes a flow again. */
class AsyncFlowSpec : FunSpec({
    extension(ResourceCountersExtension)

    fun ids(count: Int): Flow<RecordBatch> = flow { repeat(count) { lend(it.toLong()) } }

    /** Returns the stream that this flow produces, and a deferred that completes when the production ends. */
    fun CoroutineScope.connect(flow: Flow<RecordBatch>): Pair<AsyncArrayStream, Deferred<Unit>> {
        lateinit var produced: Deferred<Unit>
        val arrays = CData.importAsyncStream(CImport.DEVICE) { handler: MemorySegment ->
            produced = async(Dispatchers.Default) { flow.produceTo(handler, IDS) }
        }
        return arrays to produced
    }

    suspend fun AsyncArrayStream.ids(prefetch: Int = 16): List<Long> = asFlow(prefetch).map { it.id }.toList()

    for (prefetch in listOf(1, 2, 5, 64)) {
        test("a stream passes 300 batches in order with a prefetch of $prefetch [ASY-06]") {
            withTimeout(5.seconds * Emulator.patience) {
                val (arrays, produced) = connect(ids(300))
                arrays.ids(prefetch) shouldContainExactly List(300) { it.toLong() }
                produced.await()
            }
        }
    }

    test(
        "produceTo accepts a handler's address for arrays and for tasks, and rejects an invalid address without a " +
            "collection [ASY-19]",
    ) {
        withTimeout(5.seconds) {
            for (produce in listOf<suspend (MemorySegment) -> Unit>(
                { ids(3).produceTo(it, IDS) },
                { ids(3).produceTo(it, AsyncSchema(IDS, DeviceType.CPU, Metadata.empty())) },
                {
                    ids(3).map { array -> AsyncTask.of(array.move(), Metadata.empty()) }
                        .produceTasksTo(it, AsyncSchema(IDS, DeviceType.CPU, Metadata.empty()))
                },
            )) {
                lateinit var produced: Deferred<Unit>
                CData.importAsyncStream(CImport.DEVICE) { handler: MemorySegment ->
                    produced = async(Dispatchers.Default) { produce(MemorySegment.ofAddress(handler.address())) }
                }.ids() shouldBe listOf(0L, 1L, 2L)
                produced.await()
            }
            for (none in listOf(0L, -8L, 4097L)) {
                shouldThrow<IllegalArgumentException> {
                    flow<RecordBatch> { error("collected") }.produceTo(MemorySegment.ofAddress(none), IDS)
                }.message shouldContain "ArrowAsyncDeviceStreamHandler "
            }
        }
    }

    test("an empty flow becomes an empty stream and an empty flow again [ASY-12]") {
        withTimeout(5.seconds) {
            val (arrays, produced) = connect(ids(0))
            arrays.ids() shouldBe emptyList()
            produced.await()
        }
    }

    test("a collector that stops early cancels the producer, and the producer returns [ASY-09]") {
        withTimeout(5.seconds) {
            var closed = false
            val (arrays, produced) = connect(
                flow {
                    try {
                        var at = 0L
                        while (true) lend(at++)
                    } finally {
                        closed = true
                    }
                },
            )
            arrays.asFlow(5).map { it.id }.take(3).toList() shouldContainExactly listOf(0L, 1L, 2L)
            produced.await()
            closed shouldBe true
        }
    }

    test("an exception of the collector is thrown to its caller and cancels the producer [ASY-28]") {
        withTimeout(5.seconds) {
            val (arrays, produced) = connect(ids(300))
            shouldThrow<IOException> { arrays.asFlow().collect { throw IOException("full") } }.message shouldBe "full"
            produced.await()
        }
    }

    test("cancelling the collector cancels the producer, and released() completes after that [ASY-28]") {
        withTimeout(5.seconds) {
            val got = CompletableDeferred<Unit>()
            val (arrays, produced) = connect(ids(300))
            val collector = launch {
                arrays.asFlow().collect {
                    got.complete(Unit)
                    awaitCancellation()
                }
            }
            got.await()
            collector.cancelAndJoin()
            arrays.released().await()
            produced.await()
        }
    }

    test("a cancelled collector cancels a flow that has not emitted its first array [ASY-28]") {
        withTimeout(5.seconds) {
            val idle = CompletableDeferred<Unit>()
            val (arrays, produced) = connect(
                flow {
                    idle.complete(Unit)
                    awaitCancellation()
                },
            )
            val collector = launch(start = CoroutineStart.UNDISPATCHED) { arrays.asFlow().collect() }
            idle.await()
            collector.cancelAndJoin()
            produced.await()
        }
    }

    test("an exception of the flow reaches the collector with code, message and cause, and is thrown by produceTo") {
        withTimeout(5.seconds) {
            supervisorScope {
                val why = IllegalStateException("no row 7", IOException("disk is gone"))
                val (arrays, produced) = connect(
                    flow {
                        lend(1)
                        throw why
                    },
                )
                val got = mutableListOf<Long>()
                val failed = shouldThrow<DeviceException> { arrays.asFlow().collect { got += it.id } }
                failed.errno() shouldBe Errno.EIO
                failed.message shouldContain "no row 7"
                failed.message shouldContain "disk is gone"
                got shouldContainExactly listOf(1L)
                shouldThrow<IllegalStateException> { produced.await() }.message shouldBe "no row 7"
            }
        }
    }

    test("a DeviceException of the flow passes its errno, message and metadata to the collector unchanged") {
        withTimeout(5.seconds) {
            supervisorScope {
                val why = DeviceException(71, "no such table", null,
                    Metadata.empty().with("k".toByteArray(), byteArrayOf(0, 1, 0)))
                val (arrays, produced) = connect(flow { throw why })
                val failed = shouldThrow<DeviceException> { arrays.asFlow().collect() }
                failed.errno() shouldBe 71
                failed.message shouldBe "no such table"
                failed.metadata() shouldBe why.metadata()
                shouldThrow<DeviceException> { produced.await() } shouldBeSameInstanceAs why
            }
        }
    }

    test("cancelling the producing scope throws ECANCELED in the collector") {
        withTimeout(5.seconds) {
            val (arrays, produced) = connect(
                flow {
                    lend(1)
                    awaitCancellation()
                },
            )
            val failed = shouldThrow<DeviceException> { arrays.asFlow().onEach { produced.cancel() }.collect() }
            failed.errno() shouldBe Errno.ECANCELED
            failed.message shouldContain "cancelled"
            produced.join()
        }
    }

    test("a timeout inside the flow throws ECANCELED on both sides, and neither side hangs") {
        withTimeout(5.seconds) {
            supervisorScope {
                val (arrays, produced) = connect(
                    flow {
                        lend(1)
                        withTimeout(1) { awaitCancellation() }
                    },
                )
                shouldThrow<DeviceException> { arrays.asFlow().collect() }.errno() shouldBe Errno.ECANCELED
                shouldThrow<DeviceException> { produced.await() }.errno() shouldBe Errno.ECANCELED
            }
        }
    }

    test("a timeout ends a collector that never suspends, even on one thread [ASY-28]") {
        val (arrays, produced) = connect(flow { while (true) lend(1) })
        withTimeoutOrNull(50) { arrays.asFlow(64).collect() } shouldBe null
        arrays.released().await()
        produced.await()
    }

    test("a stream rejects a second collection without waiting for the first") {
        withTimeout(5.seconds) {
            val (arrays, produced) = connect(ids(10))
            arrays.asFlow().collect {
                shouldThrow<IllegalStateException> { arrays.asFlow().collect() }.message shouldContain "one subscriber"
            }
            produced.await()
        }
    }

    test("a second collector that is cancelled does not wait for the first") {
        withTimeout(5.seconds) {
            val (arrays, produced) = connect(ids(300))
            val scope = CoroutineScope(Dispatchers.Default)
            arrays.asFlow().take(1).collect {
                val second = scope.launch(start = CoroutineStart.UNDISPATCHED) {
                    coroutineContext.job.cancel()
                    arrays.asFlow().collect()
                }
                second.join()
            }
            produced.await()
        }
    }

    test("a collector throws IllegalStateException when the stream is closed during the collection") {
        withTimeout(5.seconds) {
            val (arrays, produced) = connect(ids(300))
            shouldThrow<IllegalStateException> { arrays.asFlow().collect { arrays.close() } }.message shouldBe
                "the stream was closed"
            produced.await()
        }
    }

    test("tasks keep their metadata, also when another stream produces them without an extraction [ASY-27]") {
        withTimeout(5.seconds) {
            val schema = AsyncSchema(IDS, DeviceType.CPU, Metadata.of("source", "here"))
            val first = CData.importAsyncStream(CImport.DEVICE) { handler ->
                launch(Dispatchers.Default) {
                    flow {
                        repeat(100) { i ->
                            batchOf(i.toLong()).use { emit(AsyncTask.of(it, Metadata.of("number", "$i"))) }
                        }
                    }.produceTasksTo(handler, schema)
                }
            }
            val second = CData.importAsyncStream(CImport.DEVICE) { handler ->
                launch(Dispatchers.Default) { first.asTaskFlow(3).produceTasksTo(handler, schema) }
            }
            var at = 0
            second.asTaskFlow(2).collect { task ->
                task.metadata()["number"] shouldBe "$at"
                if (at % 2 == 0) task.extract().use { it.id shouldBe at.toLong() }
                at++
            }
            at shouldBe 100
            second.schema().toCompletableFuture().get().metadata()["source"] shouldBe "here"
        }
    }
})

/** Async flows with a native producer that delays its release. */
class AsyncFlowPeerSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    /**
     * Runs [collect] with a producer that waits at the gate, and checks that [collect] returns before the producer's
     * release.
     */
    suspend fun whileHeldBack(collect: suspend (AsyncArrayStream) -> Unit) {
        PeerProducer(10, 1, setOf(PeerProducer.Quirk.GATE_RELEASE), timeoutMillis = 5_000).use { producer ->
            CData.importAsyncStream(CImport.DEVICE) { producer.start(it) }.use { stream ->
                try {
                    withTimeout(5.seconds) { collect(stream) }
                    stream.released().toCompletableFuture().isDone shouldBe false
                } finally {
                    CPeer.openGate()
                }
                stream.released().await()
            }
        }
    }

    test("a collector that stops early does not wait for the release [ASY-28]") {
        whileHeldBack { stream -> stream.asFlow().take(2).collect() }
    }

    test("a collector that throws does not wait for the release [ASY-28]") {
        whileHeldBack { stream -> shouldThrow<IOException> { stream.asFlow().collect { throw IOException("full") } } }
    }

    test("a collector that is cancelled does not wait for the release [ASY-28]") {
        whileHeldBack { stream ->
            coroutineScope { launch { stream.asFlow().collect { coroutineContext.cancel() } } }
        }
    }

    test("a collector waits at the end of the stream for the release, until it is cancelled [ASY-28]") {
        whileHeldBack { stream ->
            coroutineScope {
                val ids = mutableListOf<Long>()
                val collector = launch { stream.asFlow().collect { ids += it.id } }
                while (CPeer.waitingAtGate == 0L) yield()
                while (ids.size < 10) yield()
                collector.isActive shouldBe true
                collector.cancelAndJoin()
            }
        }
    }
})
