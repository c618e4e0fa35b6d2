// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.DelicateCoroutinesApi
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.columns.Selection
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.support.ResourceCountersExtension
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration.Companion.seconds

/** A batch of numbers that follow each other. */
private fun batchOf(ids: LongRange): RecordBatch = Devices.cpu().batch(ids.count()) {
    int64("id", LongArray(rows) { ids.first + it })
    struct("place") {
        utf8("city") { "c${ids.first + it}" }
        int32("zone") { it }
    }
}

private fun flowOf(vararg ids: LongRange): LendingFlow<RecordBatch> = lendingFlow {
    for (range in ids) emit(batchOf(range))
}

private val RecordBatch.ids: List<Any?> get() = this["id"].values()

/** Collects the ids of each array. */
private suspend fun LendingFlow<RecordBatch>.ids(): List<List<Any?>> = map { it.ids }.toList()

/** Selects the even ids. */
private fun even(batch: RecordBatch): Selection = batch["id"].longs().where { it % 2 == 0L }

@OptIn(DelicateCoroutinesApi::class) // ATOMIC
class LendingFlowOperatorsSpec : FunSpec({
    extension(ResourceCountersExtension)

    val operators = mapOf<String, LendingFlow<RecordBatch>.() -> LendingFlow<RecordBatch>>(
        "filterRows" to { filterRows(::even) },
        "selectColumns" to { selectColumns("id") },
        "rebatch" to { rebatch(3) },
    )

    test("filterRows emits the selected rows of each array, without empty arrays [SEL-31]") {
        flowOf(0L..4, 5L..5, 6L..6, 7L..9).filterRows(::even).ids() shouldContainExactly
            listOf(listOf<Any?>(0L, 2L, 4L), listOf(6L), listOf(8L))
        readerOf(5).asFlow().filterRows { batch -> Selection.where(batch["id"].asLongs()) { it > 2 } }.ids() shouldBe
            listOf(listOf(3L), listOf(4L))
    }

    test("the reader's filter takes a Kotlin lambda, and selects the same rows [SEL-10]") {
        val ids = mutableListOf<Any?>()
        readerOf(5).filter { batch -> Selection.where(batch["id"].asLongs()) { it > 2 } }.rebatch(10)
            .use { reader -> reader.forEach { ids.addAll(it.ids) } }
        ids shouldBe listOf(3L, 4L)
    }

    test("filterRows rejects a selection of another length with the numbers [SEL-31, SEL-05]") {
        for (rows in listOf(0L, 5)) {
            shouldThrow<IllegalArgumentException> {
                flowOf(0L..2).filterRows { Selection.where(rows) { false } }.collect {}
            }.message shouldContain "3"
        }
    }

    test("selectColumns emits the columns and fields at the paths [SEL-31]") {
        flowOf(0L..1, 2L..2).selectColumns("place.city", "id").collect { batch ->
            batch.schema().names shouldBe listOf("place", "id")
            batch["place"]["city"].values() shouldBe batch.ids.map { "c$it" }
        }
        shouldThrow<IllegalArgumentException> { flowOf(0L..1).selectColumns("price").collect {} }
            .message shouldContain "price"
    }

    test("rebatch cuts and joins arrays to one length, and keeps the order of the rows [SEL-31]") {
        val lengths = listOf(0, 1, 2, 7, 3, 0, 6, 1)
        var at = 0L
        val ranges = lengths.map { length -> at until (at + length).also { at = it } }
        for (rows in listOf(1L, 2, 3, 5, 20, 100, Long.MAX_VALUE)) {
            val expected = (0L until at).chunked(rows.coerceAtMost(100).toInt())
            flowOf(*ranges.toTypedArray()).rebatch(rows).ids() shouldBe expected
        }
        flowOf().rebatch(2).ids() shouldBe listOf()
        shouldThrow<IllegalArgumentException> { flowOf().rebatch(0) }.message shouldBe
            "a batch must have at least 1 row, but 0 were given"
    }

    test("rebatch does not keep the batches of which few rows wait [SEL-31, SEL-11]") {
        val before = ResourceCounters.now()
        var held = 0L
        val flow = lendingFlow {
            repeat(100) {
                emit(batchOf(1000L * it..<1000L * (it + 1)))
                held = maxOf(held, ResourceCounters.now().since(before).bufferBytes())
            }
        }
        flow.filterRows { it["id"].longs().where { id -> id % 1000 == 700L } }.rebatch(500).ids() shouldBe
            listOf(List(100) { 1000L * it + 700 })
        held shouldBeLessThan 60_000 // one batch has 20 kB
    }

    test("rebatch emits the rows before an error, and then throws the error [SEL-31, SEL-11]") {
        var at = 0L
        val ids = mutableListOf<List<Any?>>()
        val reader = readerOf { if (at < 5) batchOf(at++) else error("no more tape") }
        shouldThrow<DeviceException> { reader.asFlow().rebatch(3).collect { ids += it.ids } }.message shouldContain
            "no more tape"
        ids shouldBe listOf(listOf(0L, 1L, 2L), listOf(3L, 4L))
    }

    test("rebatch emits the rows before an Error of the source, and then throws it [SEL-31]") {
        val lengths = mutableListOf<Long>()
        val failing = lendingFlow {
            emit(batchOf(1))
            emit(batchOf(2))
            throw OutOfMemoryError("no room")
        }
        shouldThrow<OutOfMemoryError> { failing.rebatch(5).collect { lengths += it.length() } }
            .message shouldBe "no room"
        lengths shouldBe listOf(2L)
    }

    test("if the collector rejects the rows before an error, the error is suppressed in its exception [SEL-31]") {
        var at = 0L
        val reader = readerOf { if (at < 2) batchOf(at++) else error("no more tape") }
        val thrown = shouldThrow<IllegalStateException> { reader.asFlow().rebatch(3).collect { error("enough") } }
        thrown.message shouldBe "enough"
        thrown.suppressed.single().message shouldContain "no more tape"
    }

    test("arrays are open during their emit, are closed after it, and can be kept by retain [SEL-32]") {
        for (operator in operators.values) {
            val seen = mutableListOf<RecordBatch>()
            val kept = mutableListOf<RecordBatch>()
            flowOf(0L..4, 6L..9).operator().collect {
                seen += it
                it.isOpen shouldBe true
                kept += it.retain()
            }
            seen.none { it.isOpen } shouldBe true
            kept.forEach { array -> array.use { it.ids.isEmpty() shouldBe false } }
        }
    }

    for ((name, operator) in operators) {
        test("$name releases all arrays and closes the source if the collector throws or ends early [SEL-32]") {
            for (batches in 1..5) {
                val closed = AtomicInteger()
                var left = batches
                shouldThrow<IllegalStateException> {
                    readerOf(20) { closed.incrementAndGet() }.asFlow().operator().collect {
                        check(--left > 0) { "enough" }
                    }
                }.message shouldBe "enough"
                closed.get() shouldBe 1
            }
            val closed = AtomicInteger()
            readerOf(20) { closed.incrementAndGet() }.asFlow().operator().map { it.retain() }.first()
                .use { it.id shouldBe 0 }
            closed.get() shouldBe 1
        }

        test("$name releases all arrays if the source fails [SEL-32]") {
            for (batches in 0..4) {
                var at = 0L
                val reader = readerOf { if (at < batches) batchOf(at++) else error("no more tape") }
                shouldThrow<DeviceException> { reader.asFlow().operator().collect {} }
            }
        }

        test(
            "$name releases all arrays if the collection is cancelled while the source or the collector waits [SEL-32]",
        ) {
            for (batches in 0..4) {
                withTimeout(5.seconds) {
                    coroutineScope {
                        val waits = CompletableDeferred<Unit>()
                        val source = lendingFlow {
                            repeat(batches) { emit(batchOf(it.toLong())) }
                            waits.complete(Unit)
                            awaitCancellation()
                        }
                        val collection = launch { source.operator().collect {} }
                        waits.await()
                        collection.cancelAndJoin()
                    }
                }
            }
            withTimeout(5.seconds) {
                coroutineScope {
                    val waits = CompletableDeferred<Unit>()
                    val collection = launch {
                        flowOf(0L..7, 8L..9).operator().collect {
                            waits.complete(Unit)
                            awaitCancellation()
                        }
                    }
                    waits.await()
                    collection.cancelAndJoin()
                }
            }
        }

        test("$name loses nothing behind and before a buffer in collections that end at different moments [SEL-32]") {
            withTimeout(60.seconds) {
                repeat(100) { n ->
                    coroutineScope {
                        val flow = readerOf(20).asFlow().buffer(n % 3).operator().buffer(n % 4)
                        val collection = async(Dispatchers.Default, CoroutineStart.ATOMIC) {
                            flow.collect { repeat(n % 3) { yield() } }
                        }
                        repeat(n % 50) { yield() }
                        if (n % 4 != 0) collection.cancelAndJoin() else collection.await()
                    }
                }
            }
        }
    }

    test("filterRows releases the array when the selection throws, also in the middle of a condition [SEL-32]") {
        shouldThrow<IllegalStateException> {
            flowOf(0L..4, 5L..9).filterRows { batch ->
                batch["id"].longs().where { if (it < 7) it % 2 == 0L else error("no more") }
            }.collect {}
        }.message shouldBe "no more"
    }

    test("operators follow each other, and the block may suspend [SEL-31]") {
        flowOf(0L..4, 5L..9, 10L..10).selectColumns("id")
            .filterRows {
                yield()
                even(it)
            }
            .rebatch(4).ids() shouldBe listOf(listOf(0L, 2L, 4L, 6L), listOf(8L, 10L))
    }
})
