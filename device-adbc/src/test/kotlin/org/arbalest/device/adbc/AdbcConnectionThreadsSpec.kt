// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceArrayReader
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriver.Live
import org.arbalest.support.adbc.FaultyDriver.Threads
import org.arbalest.support.adbc.FaultyDriverExtension
import java.util.concurrent.CountDownLatch
import java.util.concurrent.CyclicBarrier
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit
import kotlin.random.Random

class AdbcConnectionThreadsSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    val c by lazy { Faulty.c }

    test("a connection, its statements and their results are one for the driver, whatever threads use them [ADB-06]") {
        c.threads(Threads.CONNECTION)
        Faulty.connected { connection ->
            Executors.newFixedThreadPool(8).use { pool ->
                val barrier = CyclicBarrier(8)
                List(8) { n ->
                    pool.start {
                        barrier.await()
                        repeat(30) { turn ->
                            when ((n + turn) % 5) {
                                0 -> connection.query("SELECT * FROM batches(5, 3)").rows().size shouldBe 15
                                1 -> connection.tableSchema("t").fields().size shouldBe 7
                                2 -> connection.ingest("x$n.$turn", reader(1, 2, 3)) shouldBe 3
                                3 -> connection.objects(AdbcObjects.to(AdbcObjects.Depth.CATALOGS).inCatalog("memory"))
                                    .size shouldBe 1
                                else -> connection.setOption("fake.user.$n", "$turn")
                            }
                        }
                    }
                }.forEach { it.get() }
            }
        }
    }

    test("several connections are in the driver at the same time [ADB-06]") {
        Faulty.driver.open(mapOf<String, Any>()).use { database ->
            val connections = List(4) { database.connect() }
            connections.indices.forEach { c.hold("StatementExecuteQuery", nth = it + 1L) }
            Executors.newFixedThreadPool(4).use { pool ->
                val queries = connections.map { connection ->
                    pool.start { connection.query("SELECT id FROM t").rows().size }
                }
                awaitHeld(4)
                c.letGo()
                queries.map { it.get() } shouldBe List(4) { 10 }
            }
            connections.forEach(AdbcConnection::close)
        }
    }

    test("8 threads connect to one database, which is in the driver once at a time [ADB-06]") {
        Faulty.driver.open(mapOf<String, Any>()).use { database ->
            Executors.newFixedThreadPool(8).use { pool ->
                val go = CyclicBarrier(8)
                List(8) { n ->
                    pool.start {
                        go.await()
                        repeat(50) {
                            database.connect(mapOf("fake.user.x" to n)).use {
                                it.getLongOption("fake.user.x") shouldBe n
                            }
                        }
                    }
                }.forEach { it.get() }
            }
        }
    }

    test("another call of a connection waits for the one that runs [ADB-06]") {
        Faulty.connected { connection ->
            c.hold("StatementExecuteQuery")
            Executors.newFixedThreadPool(2).use { pool ->
                try {
                    val first = pool.start { connection.query("SELECT id FROM t").rows().size }
                    awaitHeld()
                    val (second, waits) = pool.startWaiting { connection.tableSchema("t") }
                    waits shouldBe true
                    c.calls("ConnectionGetTableSchema") shouldBe 0
                    c.letGo()
                    first.get() shouldBe 10
                    second.get().fields().size shouldBe 7
                } finally {
                    c.letGo()
                }
            }
        }
    }

    for ((how, end) in mapOf<String, (AdbcStatement) -> Unit>(
        "another query" to { it.setSqlQuery("SELECT id FROM t") },
        "binding something else" to { it.bind(ids(1)) },
        "closing the statement" to { it.close() },
    )) {
        for (isExecuted in listOf(true, false))
            test("what is bound is closed behind the turn, by $how; executed: $isExecuted [ADB-11]") {
                Faulty.driver.open(mapOf<String, Any>()).use { database ->
                    val (a, b) = List(2) { database.connect() }
                    val statement = a.createStatement()
                    statement.setSqlQuery("SELECT ? AS x")
                    statement.prepare()
                    statement.bind(b.query("SELECT id FROM t"))
                    val open = if (isExecuted) statement.executeQuery() else null
                    val fromA = a.query("SELECT id FROM t")
                    val entered = CountDownLatch(1)
                    val gate = CountDownLatch(1)
                    val source = DeviceArrayReader.Source {
                        entered.countDown()
                        gate.await()
                        fromA.next()
                    }
                    Executors.newFixedThreadPool(2).use { pool ->
                        // has b's turn, and will want a's
                        val ingestion = pool.start { b.ingest("copy", DeviceArrayReader.of(fromA.schema(), source)) }
                        entered.await()
                        val (ending, _) = pool.startWaiting { end(statement) }
                        gate.countDown()
                        runCatching { ingestion.get(5, TimeUnit.SECONDS) }.getOrNull() shouldBe 10L
                        ending.get()
                    }
                    listOfNotNull(open, fromA, statement, a, b).forEach(AutoCloseable::close)
                }
            }
    }

    for (onThread in listOf(false, true)) test(
        "a source may close what is of the connection that it feeds: it is released behind the execution; by the " +
            "driver's thread: $onThread [ADB-11]",
    ) {
        c.bindOnThread(onThread)
        Faulty.connected { connection ->
            val other = connection.createStatement()
            val result = connection.query("SELECT id FROM t")
            var released = -1L
            val source = DeviceArrayReader.Source {
                other.close()
                result.close()
                released = c.calls("StatementRelease")
                null
            }
            Executors.newSingleThreadExecutor().use { pool ->
                val ingestion = pool.start { connection.ingest("copy", DeviceArrayReader.of(IDS, source)) }
                runCatching { ingestion.get(5, TimeUnit.SECONDS) }.getOrNull() shouldBe 0L
            }
            released shouldBe 0
            c.calls("StatementRelease") shouldBe 3
        }
    }

    test("handles and readers closed by 8 threads at once are released once [ADB-04]") {
        repeat(50) {
            val database = Faulty.driver.open(mapOf<String, Any>())
            val connections = List(2) { database.connect() }
            val statements = connections.flatMap { connection -> List(2) { connection.createStatement() } }
            val readers = statements.map { it.query("SELECT * FROM batches(3, 2)") }
            val all = (readers + statements + connections + database).shuffled(Random(it))
            Executors.newFixedThreadPool(8).use { pool ->
                val go = CyclicBarrier(8)
                List(8) { n ->
                    pool.start {
                        go.await()
                        for (i in all.indices) all[(i + n) % all.size].close()
                    }
                }.forEach { it.get() }
            }
            for (live in listOf(Live.STREAMS, Live.STATEMENTS, Live.CONNECTIONS, Live.DATABASES, Live.DRIVERS))
                c.live(live) shouldBe 0
        }
    }

    test(
        "closing does not wait: what is closed is released when the call that runs, and its result, are done [ADB-04]",
    ) {
        val database = Faulty.driver.open(mapOf<String, Any>())
        val connection = database.connect()
        val statement = connection.createStatement()
        statement.setSqlQuery("SELECT * FROM stuck()")
        Executors.newSingleThreadExecutor().use { pool ->
            val query = pool.start { statement.executeQuery() }
            awaitHeld()
            listOf(statement, connection, database).forEach(AutoCloseable::close)
            shouldThrow<IllegalStateException> { statement.cancel() }.message shouldBe "the statement was closed"
            c.calls("StatementRelease") shouldBe 0
            c.letGo()
            val reader = query.get()
            reader.rows()
        }
        c.calls("StatementRelease") shouldBe 1
        c.live(Live.DATABASES) shouldBe 0
    }

    test("a call that waits for its turn when its handle is closed is refused [ADB-04]") {
        Faulty.connected { connection ->
            val statement = connection.createStatement()
            c.hold("ConnectionGetTableSchema")
            Executors.newFixedThreadPool(2).use { pool ->
                val schema = pool.start { connection.tableSchema("t") }
                awaitHeld()
                val (query, _) = pool.startWaiting { statement.execute("SELECT 1") }
                statement.close()
                c.letGo()
                schema.get()
                query.error().message shouldBe "the statement was closed"
            }
            c.calls("StatementSetSqlQuery") shouldBe 0
            c.calls("StatementRelease") shouldBe 1
        }
    }

    for (onThread in listOf(false, true)) test(
        "two connections that ingest from each other at the same time: one is an error, and the other goes on; by " +
            "the driver's threads: $onThread [ADB-11]",
    ) {
        c.bindOnThread(onThread)
        Faulty.driver.open(mapOf<String, Any>()).use { database ->
            val connections = List(2) { database.connect() }
            val results = connections.map { it.query("SELECT id FROM batches(3, 2)") }
            val both = CyclicBarrier(2)
            Executors.newFixedThreadPool(2).use { pool ->
                val outcomes = connections.mapIndexed { n, connection ->
                    var isFirst = true
                    val late = DeviceArrayReader.of(results[1 - n].schema(), object : DeviceArrayReader.Source {
                        override fun next(): DeviceArray? {
                            if (isFirst) both.await()
                            isFirst = false
                            return results[1 - n].next()
                        }

                        override fun close() = results[1 - n].close()
                    })
                    pool.start { runCatching { connection.ingest("x$n", late) } }
                }.map { it.get() }
                outcomes.mapNotNull { it.getOrNull() } shouldBe listOf(6L)
                generateSequence(outcomes.firstNotNullOf { it.exceptionOrNull() }) { it.cause }.last()
                    .message shouldContain "both would wait for ever"
            }
            connections.forEach(AdbcConnection::close)
        }
    }

    test("batches that the driver pulls may come from readers of other threads' connections [ADB-11]") {
        Faulty.driver.open(mapOf<String, Any>()).use { database ->
            Executors.newFixedThreadPool(4).use { pool ->
                val rows = List(4) { n ->
                    pool.start {
                        database.connect().use { from ->
                            database.connect().use { to ->
                                val source: DeviceArrayReader = from.query("SELECT id FROM batches(20, 5)")
                                to.ingest("copy$n", source)
                            }
                        }
                    }
                }.map { it.get() }
                rows shouldBe List(4) { 100L }
            }
        }
    }
})
