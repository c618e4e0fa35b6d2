// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriver.Live
import org.arbalest.support.adbc.FaultyDriverExtension
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit.SECONDS

/** Tests of work that is deferred while a call of the connection runs. */
class AdbcHandleDeferredSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    val c by lazy { Faulty.c }

    test("50,000 statements closed during a call are released after it, without a stack overflow [ADB-04]") {
        Faulty.connected { connection ->
            val statements = List(50_000) { connection.createStatement() }
            c.hold("ConnectionGetTableSchema")
            lettingGo(Executors.newSingleThreadExecutor()) { pool ->
                val schema = pool.start { connection.tableSchema("t").fields().size }
                awaitHeld()
                statements.forEach(AutoCloseable::close)
                c.live(Live.STATEMENTS) shouldBe 50_000
                c.letGo()
                schema.get(5, SECONDS) shouldBe 7
            }
            c.live(Live.STATEMENTS) shouldBe 0
        }
    }

    test("10,000 results closed during a call are released after it [ADB-04]") {
        Faulty.connected { connection ->
            val results = List(10_000) { connection.query("SELECT * FROM batches(1, 10)") }
            c.hold("ConnectionGetTableSchema")
            lettingGo(Executors.newSingleThreadExecutor()) { pool ->
                val schema = pool.start { connection.tableSchema("t").fields().size }
                awaitHeld()
                results.forEach(AutoCloseable::close)
                c.letGo()
                schema.get(5, SECONDS) shouldBe 7
            }
            c.live(Live.STREAMS) + c.live(Live.STATEMENTS) shouldBe 0
        }
    }

    test("an error of a source closed after a call does not fail that call, and the rest is released [ADB-04]") {
        val database = Faulty.driver.open(mapOf<String, Any>())
        val connection = database.connect()
        val others = List(3) { connection.createStatement() }
        others.forEach {
            it.setSqlQuery("SELECT id FROM t WHERE id = ?")
            it.bind(RecordBatchReader.of(IDS, object : DeviceArrayReader.Source<RecordBatch> {
                override fun next(): RecordBatch? = null

                override fun close() = throw AssertionError("the user's source")
            }))
        }
        c.hold("StatementNew")
        lettingGo(Executors.newSingleThreadExecutor()) { pool ->
            val made = pool.start { connection.createStatement() }
            awaitHeld()
            others.forEach(AutoCloseable::close)
            c.letGo()
            made.get(5, SECONDS).close()
        }
        connection.close()
        database.close()
        for (live in Live.entries) c.live(live) shouldBe 0
    }

    test("a slow source closed after a call does not block the calls, releases and sources of other threads [ADB-04]") {
        class Closing(val gate: CountDownLatch) : DeviceArrayReader.Source<RecordBatch> {
            val entered = CountDownLatch(1)

            override fun next(): RecordBatch? = null

            override fun close() {
                entered.countDown()
                gate.await()
            }
        }
        Faulty.connected { connection ->
            val (slow, quick) = List(2) { Closing(CountDownLatch(1 - it)) }
            val (first, second) = listOf(slow, quick).map { source ->
                connection.createStatement().also {
                    it.setSqlQuery("SELECT id FROM t WHERE id = ?")
                    it.bind(RecordBatchReader.of(IDS, source))
                }
            }
            lettingGo(Executors.newFixedThreadPool(2)) { pool ->
                try {
                    val calls = listOf(first to slow, second to quick).map { (statement, source) ->
                        c.hold("ConnectionGetTableSchema")
                        val schema = pool.start { connection.tableSchema("t") }
                        awaitHeld()
                        statement.close()
                        c.letGo()
                        source.entered.await(5, SECONDS) shouldBe true
                        schema
                    }
                    calls.last().get(5, SECONDS)
                    connection.tableTypes()
                    c.live(Live.STATEMENTS) shouldBe 0
                    calls.first().isDone shouldBe false
                } finally {
                    slow.gate.countDown()
                }
            }
        }
    }

    test("30,000 sources that each close the next statement, on two connections, cause no stack overflow [ADB-04]") {
        Faulty.driver.open(mapOf<String, Any>()).use { database ->
            val connections = List(2) { database.connect() }
            val statements = List(30_000) { connections[it % 2].createStatement() }
            var closed = 0
            statements.forEachIndexed { n, statement ->
                statement.setSqlQuery("SELECT id FROM t WHERE id = ?")
                statement.bind(RecordBatchReader.of(IDS, object : DeviceArrayReader.Source<RecordBatch> {
                    override fun next(): RecordBatch? = null

                    override fun close() {
                        closed++
                        statements.getOrNull(n + 1)?.close()
                    }
                }))
            }
            statements.first().close()
            closed shouldBe 30_000
            c.live(Live.STATEMENTS) shouldBe 0
            connections.forEach(AutoCloseable::close)
        }
    }

    test("closing an idle handle and cancelling a waiting call do not wait for a cancel in the driver [ADB-12]") {
        Faulty.connected { connection ->
            val (running, waiting, idle) = List(3) { connection.createStatement() }
            val open = connection.query("SELECT id FROM t")
            waiting.setSqlQuery("SELECT id FROM t")
            lettingGo(Executors.newFixedThreadPool(3)) { pool ->
                val stuck = pool.start { running.query("SELECT * FROM stuck()").use { it.rows() } }
                awaitHeld()
                val (execution, _) = pool.startWaiting { waiting.executeQuery() }
                c.hold("StatementCancel")
                val cancel = pool.start { running.cancel() }
                awaitHeld(2)
                Executors.newSingleThreadExecutor().use { other ->
                    try {
                        other.start {
                            idle.close()
                            open.close()
                            waiting.cancel()
                        }.get(5, SECONDS)
                        execution.error().shouldBeInstanceOf<AdbcException>().status() shouldBe AdbcStatus.CANCELLED
                    } finally {
                        c.letGo()
                    }
                }
                cancel.get(5, SECONDS)
                stuck.error().shouldBeInstanceOf<AdbcException>().status() shouldBe AdbcStatus.CANCELLED
            }
            listOf(running, waiting).forEach(AutoCloseable::close)
            c.live(Live.STATEMENTS) shouldBe 0
        }
    }

    test(
        "cancel stops the bound source first, and calls and releases wait until the driver's cancel returns [ADB-12]",
    ) {
        Faulty.connected { connection ->
            val (statement, idle) = List(2) { connection.createStatement() }
            statement.setIngest(AdbcIngest.into("x"))
            val source = WaitingSource()
            statement.bind(RecordBatchReader.of(IDS, source))
            lettingGo(Executors.newFixedThreadPool(3)) { pool ->
                val execution = pool.start { statement.executeUpdate() }
                source.entered.await()
                c.fail("StatementCancel", status = AdbcStatus.INVALID_STATE.code()) // the execution has ended by then
                c.hold("StatementCancel")
                val cancel = pool.start { statement.cancel() }
                awaitHeld()
                execution.error().shouldBeInstanceOf<AdbcException>().status() shouldBe AdbcStatus.CANCELLED
                val (types, waits) = pool.startWaiting { connection.tableTypes() }
                waits shouldBe true
                idle.close()
                c.calls("ConnectionGetTableTypes") + c.calls("StatementRelease") shouldBe 0
                c.letGo()
                cancel.get(5, SECONDS)
                types.get(5, SECONDS)
            }
            statement.close()
            c.live(Live.STATEMENTS) shouldBe 0
        }
    }

    test("a handle that a nested callback closes is released after the outermost execution [ADB-11]") {
        Faulty.driver.open(mapOf<String, Any>()).use { database ->
            val (outer, inner) = List(2) { database.connect() }
            val idle = outer.createStatement()
            var released = -1L
            val nested = RecordBatchReader.of(IDS) {
                val before = c.calls("StatementRelease")
                idle.close()
                released = c.calls("StatementRelease") - before
                shouldThrow<IllegalStateException> { outer.tableTypes() }
                null
            }
            var isFirst = true
            val source = RecordBatchReader.of(IDS) {
                if (isFirst) inner.ingest("y", nested)
                isFirst = false
                null
            }
            outer.ingest("x", source) shouldBe 0
            released shouldBe 0
            listOf(outer, inner).forEach(AutoCloseable::close)
            c.live(Live.STATEMENTS) shouldBe 0
        }
    }

    test(
        "connection.cancel() does not end a call that waits to make a statement, roll back or set an option [ADB-12]",
    ) {
        Faulty.connected { connection ->
            connection.setAutoCommit(false)
            val statement = connection.createStatement()
            lettingGo(Executors.newFixedThreadPool(5)) { pool ->
                val stuck = pool.start { statement.query("SELECT * FROM stuck()").use { it.rows() } }
                awaitHeld()
                val others = listOf<() -> Any?>(
                    // read to its end: a rollback closes the open results of DuckDB
                    { connection.query("SELECT * FROM batches(1, 1)").use { it.rows() } },
                    { connection.rollback() },
                    { connection.setOption("fake.user.x", "y") },
                ).map { pool.startWaiting(it).first }
                val (types, _) = pool.startWaiting { connection.tableTypes() }
                connection.cancel()
                types.error().shouldBeInstanceOf<AdbcException>().status() shouldBe AdbcStatus.CANCELLED
                c.letGo()
                (others + stuck).forEach { it.get(5, SECONDS) }
            }
            statement.close()
            connection.setAutoCommit(true)
        }
    }

    test(
        "connection.cancel() ends no running commit, rollback, option or new statement; cancel(thread) ends a commit " +
            "[ADB-12]",
    ) {
        Faulty.connected { connection ->
            connection.setAutoCommit(false)
            val calls = mapOf<String, () -> Any?>(
                "ConnectionCommit" to { connection.commit() },
                "ConnectionRollback" to { connection.rollback() },
                "StatementNew" to { connection.createStatement().close() },
                "ConnectionSetOption" to { connection.setOption("fake.user.x", "y") },
            )
            for ((function, call) in calls) {
                lettingGo(Executors.newSingleThreadExecutor()) { pool ->
                    c.hold(function)
                    val running = pool.start(call)
                    awaitHeld()
                    shouldThrow<AdbcException> { connection.cancel() }.status() shouldBe AdbcStatus.INVALID_STATE
                    c.calls("ConnectionCancel") shouldBe 0
                    c.letGo()
                    running.get(5, SECONDS)
                }
            }
            lettingGo(Executors.newSingleThreadExecutor()) { pool ->
                var thread: Thread? = null
                c.hold("ConnectionCommit")
                val commit = pool.start {
                    thread = Thread.currentThread()
                    connection.commit()
                }
                awaitHeld()
                connection.cancel(thread!!)
                commit.error().shouldBeInstanceOf<AdbcException>().status() shouldBe AdbcStatus.CANCELLED
            }
            connection.setAutoCommit(true)
        }
    }

    test("closing an idle handle does not wait while the driver cancels a pull [ADB-12]") {
        Faulty.connected { connection ->
            val idle = connection.createStatement()
            val reader = connection.query("SELECT * FROM waits(3, 2, 1)")
            reader.next()!!.close()
            lettingGo(Executors.newFixedThreadPool(2)) { pool ->
                val pull = pool.start { reader.next() }
                awaitHeld()
                c.hold("StatementCancel")
                val close = pool.start { reader.close() }
                awaitHeld(2)
                Executors.newSingleThreadExecutor().use { other ->
                    try {
                        other.start { idle.close() }.get(5, SECONDS)
                    } finally {
                        c.letGo()
                    }
                }
                close.get(5, SECONDS)
                pull.error().message shouldBe "the reader was closed"
            }
            c.live(Live.STATEMENTS) shouldBe 0
        }
    }

    test("cancel(thread) ends only that thread's call, whether the call runs or waits [ADB-12]") {
        Faulty.connected { connection ->
            lettingGo(Executors.newFixedThreadPool(3)) { pool ->
                c.hold("ConnectionGetObjects")
                val threads = arrayOfNulls<Thread>(3)
                fun <T> call(n: Int, call: () -> T): () -> T = {
                    threads[n] = Thread.currentThread()
                    call()
                }
                val objects = pool.start(call(0) { connection.objects(AdbcObjects.all()) })
                awaitHeld()
                val (types, _) = pool.startWaiting(call(1) { connection.tableTypes() })
                val (query, _) = pool.startWaiting(call(2) { connection.query("SELECT 1").use { it.rows() } })
                connection.cancel(threads[1]!!)
                types.error().shouldBeInstanceOf<AdbcException>().status() shouldBe AdbcStatus.CANCELLED
                c.calls("ConnectionCancel") shouldBe 0
                shouldThrow<AdbcException> { connection.cancel(Thread.currentThread()) }.status() shouldBe
                    AdbcStatus.INVALID_STATE
                connection.cancel(threads[0]!!)
                objects.error().shouldBeInstanceOf<AdbcException>().status() shouldBe AdbcStatus.CANCELLED
                query.get(5, SECONDS)
            }
        }
    }
})
