// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContain
import io.kotest.matchers.shouldBe
import org.arbalest.device.columns.Column
import org.arbalest.device.support.EveryType
import org.arbalest.support.ResourceCountersExtension
import java.util.concurrent.CyclicBarrier
import java.util.concurrent.Executors
import java.util.concurrent.Future
import java.util.concurrent.TimeUnit.SECONDS

private const val THREADS = 4

/** One handle, or one column, that several threads use at a time. */
class DeviceArrayThreadsSpec : FunSpec({
    extension(ResourceCountersExtension)

    /** Runs [action] on some threads at once, [rounds] times, each time with what [prepare] makes. */
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

    /** Row [row] of every column, with what reading it looks up on the way, in an order of its own. */
    fun row(batch: DeviceArray, columns: List<Column>, row: Int, seed: Int): Map<String, Any?> =
        EveryType.fields.indices
            .map { (it * 7 + seed) % EveryType.fields.size }
            .associate { at -> columns[at].name() to columns[at].get(row.toLong()).let(EveryType::plain) }
            .plus("rows" to batch.length())
            .toSortedMap()

    test("several threads read one handle and its columns, with the same values as one alone [OWN-19]") {
        EveryType.batch(0, 40).use { batch ->
            fun columns() = EveryType.fields.indices.map(batch::column)
            val alone = columns().let { columns -> List(40) { row(batch, columns, it, 0) } }
            together(200, ::columns, { columns, thread ->
                for (row in 0 until 40) row(batch, columns, (row + thread) % 40, thread).toString() shouldBe
                    alone[(row + thread) % 40].toString()
            }, {})
        }
    }

    test(
        "a read after a close that happened before it throws, on any thread, from every column that was had " +
            "before [OWN-19]",
    ) {
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

    test(
        "retain, slice, child and copyTo get the array or throw while another thread closes, moves or retains [OWN-19]",
    ) {
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

/** Ends a test that hangs, though it does much work. */
private const val HANG_SECONDS = 60L
