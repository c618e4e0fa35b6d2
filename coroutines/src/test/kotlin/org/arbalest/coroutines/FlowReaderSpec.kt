// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelChildren
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.emitAll
import kotlinx.coroutines.flow.emptyFlow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.onCompletion
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.flow.transform
import kotlinx.coroutines.job
import kotlinx.coroutines.launch
import kotlinx.coroutines.runInterruptible
import kotlinx.coroutines.withTimeout
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.support.CCompiler
import org.arbalest.support.PeerStreams
import org.arbalest.support.ResourceCountersExtension
import java.io.IOException
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration.Companion.seconds

class FlowReaderSpec : FunSpec({
    extension(ResourceCountersExtension)

    fun counting(count: Int): Flow<RecordBatch> = flow { repeat(count) { lend(it.toLong()) } }

    test("asReader returns the emitted batches in order and takes ownership of them") {
        val emitted = mutableListOf<RecordBatch>()
        val reader = flow { repeat(3) { batchOf(it.toLong()).also(emitted::add).use { batch -> emit(batch) } } }
            .asReader(IDS)
        reader.use {
            generateSequence { reader.next() }.map { array -> array.use { it.id } }.toList() shouldContainExactly
                listOf(0, 1, 2)
            reader.next() shouldBe null
        }
        emitted.any { it.isOpen } shouldBe false
    }

    test("a lending flow passes from a reader through an operator into another reader") {
        val reader = readerOf(3).asFlow().transform { batch -> lend(batch.id * 10) }.asReader(IDS)
        reader.asFlow().map { it.id }.toList() shouldContainExactly listOf(0, 10, 20)
        readerOf(3).asFlow().asReader(IDS).asFlow().map { it.id }.toList() shouldContainExactly listOf(0, 1, 2)
    }

    test("a batch with other column names fails the stream [STR-12]") {
        val swapped = flow {
            BatchBuilder.of(Devices.cpu(), 1).use { it.int64("other", longArrayOf(1)).build() }.use { emit(it) }
        }
        swapped.asReader(IDS).use { reader ->
            val error = shouldThrow<DeviceException> { reader.next() }
            error.errno() shouldBe Errno.EINVAL
            error.message shouldContain "of another type: field 0 of the stream's is \"id: int64"
        }
    }

    test("the flow starts at the first pull, and stays at most one array ahead of the pulls") {
        val started = AtomicInteger()
        val reader = flow {
            repeat(10) {
                started.incrementAndGet()
                lend(it.toLong())
            }
        }.asReader(IDS)
        started.get() shouldBe 0
        reader.use {
            for (pull in 1..3) {
                reader.next()?.close()
                (started.get() <= pull + 1) shouldBe true
            }
        }
    }

    test("closing a reader early cancels the flow and closes the arrays that were not pulled") {
        val ended = CompletableDeferred<Throwable?>()
        val parent = Job()
        val reader = counting(10).onCompletion { ended.complete(it) }
            .asReader(IDS, context = Dispatchers.Default + parent)
        reader.next()?.close()
        reader.close()
        (ended.await() is CancellationException) shouldBe true
        parent.complete()
        parent.join()
    }

    test("a scope completes although its reader is never pulled") {
        coroutineScope { counting(1).asReader(IDS, context = coroutineContext + Dispatchers.Default) }.close()
    }

    test("the pull throws an error of the flow, and the scope is not cancelled") {
        coroutineScope {
            val reader = flow<RecordBatch> {
                lend(1)
                throw IOException("the disk is gone")
            }.asReader(IDS, context = coroutineContext + Dispatchers.Default)
            runInterruptible(Dispatchers.IO) {
                reader.use {
                    reader.next()?.close()
                    repeat(2) {
                        val error = shouldThrow<DeviceException> { reader.next() }
                        error.errno() shouldBe Errno.EIO
                        error.message shouldContain "the disk is gone"
                    }
                }
            }
        }
    }

    test("cancelling the scope ends the stream with ECANCELED, before or after the first pull") {
        for (pulls in 0..1) {
            val scope = Job()
            counting(5).asReader(IDS, context = Dispatchers.Default + scope).use { reader ->
                repeat(pulls) { reader.next()?.close() }
                scope.cancel()
                if (pulls > 0) scope.join()
                val error = generateSequence { runCatching { reader.next().also { it?.close() } } }
                    .firstNotNullOf { it.exceptionOrNull() }
                (error as DeviceException).errno() shouldBe Errno.ECANCELED
            }
        }
    }

    test("cancelling the collector interrupts a waiting pull and cancels the flow") {
        val waiting = CompletableDeferred<Unit>()
        val ended = CompletableDeferred<Throwable?>()
        coroutineScope {
            val reader = flow<RecordBatch> {
                waiting.complete(Unit)
                awaitCancellation()
            }.onCompletion { ended.complete(it) }.asReader(IDS)
            val collecting = launch(Dispatchers.Default) { reader.asFlow().collect {} }
            waiting.await()
            collecting.cancel()
            ended.await()
            collecting.join()
        }
    }

    test("closing the reader on another thread ends a waiting pull and cancels the flow") {
        val waiting = CompletableDeferred<Unit>()
        val ended = CompletableDeferred<Throwable?>()
        val reader = flow<RecordBatch> {
            waiting.complete(Unit)
            awaitCancellation()
        }.onCompletion { ended.complete(it) }.asReader(IDS)
        withTimeout(5.seconds) {
            val pull = async(Dispatchers.IO) { runCatching { runInterruptible { reader.next() } } }
            waiting.await()
            reader.close()
            (pull.await().exceptionOrNull() as IllegalStateException).message shouldBe "the reader was closed"
        }
        (ended.await() is CancellationException) shouldBe true
        shouldThrow<IllegalStateException> { reader.next() }.message shouldContain "closed"
    }

    test("pulls that wait for other pulls do not exhaust the threads") {
        val pipelines = 70 // Dispatchers.IO has 64 threads
        val started = AtomicInteger()
        val all = CompletableDeferred<Unit>()
        val rows = AtomicInteger()
        withTimeout(5.seconds) {
            repeat(pipelines) {
                launch(Dispatchers.Default) {
                    flow {
                        if (started.incrementAndGet() == pipelines) all.complete(Unit)
                        all.await()
                        emitAll(readerOf(3).asFlow())
                    }.asReader(IDS).asFlow().collect { rows.incrementAndGet() }
                }
            }
        }
        rows.get() shouldBe 3 * pipelines
    }

    test("an array that does not match the schema is rejected and closed") {
        flowOf(batchOf(1)).asReader(batchOf(1).use { it.column("id").field() }).use { reader ->
            shouldThrow<DeviceException> { reader.next() }.errno() shouldBe Errno.EINVAL
        }
    }

    test("an empty flow is an empty stream") {
        emptyFlow<RecordBatch>().asReader(IDS).use { it.next() shouldBe null }
    }
})

class FlowReaderPeerSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    test("a native consumer drains a flow") {
        val drained = flow { repeat(5) { lend(it.toLong()) } }.asReader(IDS).asStruct { PeerStreams.drain(it) }
        drained.ended shouldBe true
        drained.rows shouldBe 5
    }

    test("a native consumer receives the flow's error as errno and text") {
        val drained = flow<RecordBatch> {
            lend(1)
            throw DeviceException(61, "no more tape")
        }.asReader(IDS).asStruct { PeerStreams.drain(it, extra = 2) }
        drained.code shouldBe 61
        drained.error shouldBe "no more tape"
        drained.extraSame shouldBe 2
    }

    test("an early release by the native consumer cancels the flow, and the scope completes") {
        coroutineScope {
            val ended = CompletableDeferred<Unit>()
            val reader = flow {
                while (true) lend(1)
            }.onCompletion { ended.complete(Unit) }.asReader(IDS, context = coroutineContext + Dispatchers.Default)
            val drained = runInterruptible(Dispatchers.IO) { reader.asStruct { PeerStreams.drain(it, stopAfter = 2) } }
            drained.batches shouldBe 2
            ended.await()
            coroutineContext.job.cancelChildren()
        }
    }
})
