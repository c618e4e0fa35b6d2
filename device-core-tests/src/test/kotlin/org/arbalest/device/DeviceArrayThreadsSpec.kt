// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContain
import io.kotest.matchers.shouldBe
import org.arbalest.device.columns.Column
import org.arbalest.support.EveryType
import org.arbalest.support.ResourceCountersExtension
import java.util.concurrent.CyclicBarrier
import java.util.concurrent.Executors
import java.util.concurrent.Future
import java.util.concurrent.TimeUnit.SECONDS

private const val THREADS = 4

/** Handles and columns that several threads use at the same time. */
class DeviceArrayThreadsSpec : FunSpec({
    extension(ResourceCountersExtension)

    /** Runs [action] on [THREADS] threads at once, [rounds] times, each time with a new value from [prepare]. */
    fun <T> together(rounds: Int, prepare: () -> T, action: (T, Int) -> Unit, check: (T) -> Unit) {
        Executors.newFixedThreadPool(THREADS).use { pool ->
            repeat(rounds) {
                val shared = prepare()
                val start = CyclicBarrier(THREADS)
                val results: List<Future<*>> = List(THREADS) { i ->
                    pool.submit {
                        start.await(5, SECONDS)
                        action(shared, i)
                    }
                }
                results.forEach { it.get(HANG_SECONDS, SECONDS) }
                check(shared)
            }
        }
    }

    /** Reads row [row] of every column, in an order that [seed] sets, and the length of [batch]. */
    fun row(batch: RecordBatch, columns: List<Column>, row: Int, seed: Int): Map<String, Any?> =
        EveryType.fields.indices
            .map { (it * 7 + seed) % EveryType.fields.size }
            .associate { at -> columns[at].name() to columns[at].get(row.toLong()).let(EveryType::plain) }
            .plus("rows" to batch.length())
            .toSortedMap()

    test("several threads read the same values from one handle and its columns as a single thread [OWN-19]") {
        EveryType.batch(0, 40).use { batch ->
            fun columns() = EveryType.fields.indices.map(batch::column)
            val alone = columns().let { columns -> List(40) { row(batch, columns, it, 0) } }
            together(200, ::columns, { columns, thread ->
                for (row in 0 until 40) row(batch, columns, (row + thread) % 40, thread).toString() shouldBe
                    alone[(row + thread) % 40].toString()
            }, {})
        }
    }

    test("a read after a close throws on any thread, also from columns obtained before the close [OWN-19]") {
        val batch = EveryType.batch(0, 8)
        val columns = EveryType.fields.indices.map(batch::column)
        val items = columns.first { it.name() == "list" }.getList(1)
        batch.close()
        together(1, { columns + items }, { all, _ ->
            for (column in all) {
                shouldThrow<IllegalStateException> { column.isNull(0) }
                shouldThrow<IllegalStateException> { column.get(0) }
                shouldThrow<IllegalStateException> { column.nullCount() }
            }
            shouldThrow<IllegalStateException> { batch.column(0) }
            shouldThrow<IllegalStateException> { batch.retainChild(0) }
        }, {})
    }

    test("retain, slice, retainChild and move succeed or throw while other threads use the same handle [OWN-19]") {
        val refused = mutableSetOf<Boolean>()
        together(2000, { EveryType.batch(0, 3) }, { batch, thread ->
            val mine = runCatching {
                when (thread) {
                    0 -> batch.retain()
                    1 -> batch.slice(1, 2)
                    2 -> batch.retainChild(5)
                    else -> batch.move()
                }
            }
            mine.exceptionOrNull()?.let { if (it !is IllegalStateException) throw it }
            mine.getOrNull()?.use { it.asColumn().isNull(0) }
            synchronized(refused) { refused += mine.isFailure }
        }, { it.isOpen shouldBe false })
        refused shouldContain false
    }
})

/** The seconds after which a hanging test fails; the limit is long because the test does much work. */
private const val HANG_SECONDS = 60L
