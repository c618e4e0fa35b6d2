// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.ints.shouldBeLessThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.*
import kotlinx.coroutines.launch
import kotlinx.coroutines.withTimeout
import org.arbalest.coroutines.merge
import org.arbalest.device.RecordBatch
import org.arbalest.support.ResourceCountersExtension
import java.io.IOException
import java.util.concurrent.atomic.AtomicInteger
import kotlin.random.Random
import kotlin.time.Duration.Companion.seconds

/** The operators of a lending flow that pass its elements on. All operators of kotlinx.coroutines are imported here. */
class LendingFlowPassingSpec : FunSpec({
    extension(ResourceCountersExtension)

    /** An operator on the batches 0 to 5, and the ids that it passes on. Its type proves that the result owns them. */
    class Case(
        val name: String,
        vararg val ids: Int,
        val operator: LendingFlow<RecordBatch>.() -> LendingFlow<RecordBatch>,
    )

    fun LendingFlow<RecordBatch>.failing() = onEach { if (it.id == 1L) throw IOException("the disk is gone") }

    val cases = listOf(
        Case("filter", 0, 2, 4) { filter { it.id % 2 == 0L } },
        Case("filterNot", 1, 3, 5) { filterNot { it.id % 2 == 0L } },
        Case("onEach", 0, 1, 2, 3, 4, 5) { onEach { it.isOpen shouldBe true } },
        Case("take", 0, 1) { take(2) },
        Case("takeWhile", 0, 1, 2) { takeWhile { it.id < 3 } },
        Case("drop", 4, 5) { drop(4) },
        Case("dropWhile", 5) { dropWhile { it.id < 5 } },
        Case("onStart", 9, 0, 1, 2, 3, 4, 5) { onStart { emit(batchOf(9)) } },
        Case("onEmpty", 9) { drop(6).onEmpty { emit(batchOf(9)) } },
        Case("onCompletion", 0, 1, 2, 3, 4, 5, 9) { onCompletion { emit(batchOf(9)) } },
        Case("catch", 0, 9) { failing().catch { emit(batchOf(9)) } },
        Case("retry", 0) { failing().retry(3) { false }.catch { } },
        Case("retryWhen", 0, 9) {
            failing().retryWhen { _, _ ->
                emit(batchOf(9))
                false
            }.catch { }
        },
        Case("distinctUntilChangedBy", 0, 4) { distinctUntilChangedBy { it.id / 4 } },
        Case("cancellable", 0, 1, 2, 3, 4, 5) { cancellable() },
        Case("merge", 0, 1, 2, 3, 4, 5) { merge(this) },
    )

    test("operators that pass elements on lend each, and close it after its emit [OWN-16]") {
        for (case in cases) withClue(case.name) {
            val closes = AtomicInteger()
            val seen = mutableListOf<RecordBatch>()
            val ids = mutableListOf<Int>()
            case.operator(readerOf(6) { closes.incrementAndGet() }.asFlow()).collect {
                seen.forEach { earlier -> earlier.isOpen shouldBe false }
                seen += it
                ids += it.id.toInt()
            }
            ids shouldContainExactly case.ids.toList()
            seen.last().isOpen shouldBe false
            closes.get() shouldBe 1
        }
    }

    test("operators that pass elements on keep the source for a discard [OWN-24]") {
        for (case in cases) withClue(case.name) {
            val closes = AtomicInteger()
            case.operator(readerOf(6) { closes.incrementAndGet() }.asFlow()).asReader(IDS).close()
            closes.get() shouldBe 1
        }
        for (changed in listOf<LendingFlow<RecordBatch>.() -> Flow<Any>>(
            { map { it.id } }, { mapNotNull { it.id } }, { transform { emit(it.id) } }, { mapParallel(2) { it.id } },
        )) {
            val closes = AtomicInteger()
            val flow = readerOf(6) { closes.incrementAndGet() }.asFlow().changed()
            flow.discard()
            closes.get() shouldBe 1
            shouldThrow<IllegalStateException> { flow.collect() }
        }
    }

    test("an operator that fails before it collects closes the source [OWN-24]") {
        val closes = AtomicInteger()
        fun flow() = readerOf(6) { closes.incrementAndGet() }.asFlow().onStart { throw IOException("not yet") }
        shouldThrow<IOException> { flow().collect { } }
        shouldThrow<IOException> { flow().map { it.id }.toList() }
        shouldThrow<IOException> { flow().buffer().rebatch(2).collect { } }
        closes.get() shouldBe 3
    }

    test("a retry of a reader's flow ends, and names the failure before") {
        val closes = AtomicInteger()
        var calls = 0
        val failing = readerOf(6) { closes.incrementAndGet() }.asFlow().onEach {
            calls++
            throw IOException("the disk is gone")
        }
        val failure = shouldThrow<IllegalStateException> { withTimeout(5.seconds) { failing.retry().collect { } } }
        failure.message shouldContain "collected only once"
        val others = listOfNotNull(failure, failure.cause).flatMap { it.suppressed.toList() }
        others.mapNotNull { it.message }.toString() shouldContain "the disk is gone"
        calls shouldBe 1
        closes.get() shouldBe 1
        shouldThrow<IllegalArgumentException> { failing.retry(0) }
    }

    test("merge lends the elements of all flows, and closes all sources however it ends [OWN-16]") {
        val closes = AtomicInteger()
        fun flows() = List(3) { readerOf(50) { closes.incrementAndGet() }.asFlow() }
        val ids = mutableListOf<Long>()
        merge(*flows().toTypedArray()).collect { ids += it.id }
        ids shouldContainExactlyInAnyOrder (0L until 50).flatMap { listOf(it, it, it) }
        closes.get() shouldBe 3

        flows().merge().take(2).map { it.id }.toList().size shouldBe 2
        closes.get() shouldBe 6

        val failing = lendingFlow {
            emit(batchOf(1))
            throw IOException("the disk is gone")
        }
        shouldThrow<IOException> { merge(failing, *flows().toTypedArray()).collect { } }
        closes.get() shouldBe 9

        coroutineScope {
            val collecting = CompletableDeferred<Unit>()
            val job = launch {
                merge(*flows().toTypedArray()).collect {
                    collecting.complete(Unit)
                    awaitCancellation()
                }
            }
            collecting.await()
            job.cancelAndJoin()
        }
        closes.get() shouldBe 12
        merge(*flows().toTypedArray()).discard()
        closes.get() shouldBe 15
        shouldThrow<IllegalArgumentException> { merge<RecordBatch>() }
    }

    test("batches that mapParallel returns pass to rebatch, filterRows and selectColumns [SEL-11, OWN-16]") {
        fun results() = readerOf(9).asFlow().mapParallel(3) { it.retain() }
        val lengths = mutableListOf<Long>()
        results().rebatch(4).selectColumns("id").filterRows { it["id"].longs().where { id -> id >= 0 } }
            .collect { lengths += it.length() }
        lengths shouldContainExactly listOf(4, 4, 1)
        results().selectColumns("id").map { it.id }.toList() shouldContainExactly List(9) { it.toLong() }
        results().filterRows { it["id"].longs().where { id -> id > 6 } }.map { it.id }.toList() shouldContainExactly
            listOf(7, 8)
    }

    test("no batch of mapParallel is lost before rebatch when the collection ends at any moment [OWN-16]") {
        val random = Random(3)
        var whole = 0
        repeat(300) {
            coroutineScope {
                val job = launch(Dispatchers.Default) {
                    val batches = readerOf(20).asFlow().mapParallel(3) { it.retain() }.rebatch(2)
                    batches.take(1 + random.nextInt(12)).collect { }
                    whole++
                }
                repeat(random.nextInt(20_000)) { Thread.onSpinWait() }
                withTimeout(5.seconds) { job.cancelAndJoin() }
            }
        }
        whole shouldBeLessThan 300
    }
})
