// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriver.Live
import org.arbalest.support.adbc.FaultyDriver.Threads
import org.arbalest.support.adbc.FaultyDriverExtension
import java.util.concurrent.CountDownLatch
import java.util.concurrent.CyclicBarrier
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.atomic.AtomicReference
import kotlin.random.Random

class AdbcConnectionThreadsSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    val c by lazy { Faulty.c }

    test("calls on a connection, its statements and its results never overlap in the driver, from 8 threads [ADB-06]") {
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

    test("calls on several connections run in the driver at the same time [ADB-06]") {
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

    test("8 threads connect to one database and close, and the driver runs one of these calls at a time [ADB-06]") {
        c.threads(Threads.CONNECTION)
        Faulty.driver.open(mapOf<String, Any>()).use { database ->
            Executors.newFixedThreadPool(8).use { pool ->
                val go = CyclicBarrier(8)
                List(8) { n ->
                    pool.start {
                        go.await()
                        repeat(50) {
                            database.connect(mapOf("fake.user.x" to n)).use {
                                it.getLongOption("fake.user.x") shouldBe n
                                c.live(Live.CONNECTIONS) shouldBeLessThanOrEqual 16 // servers limit their number
                            }
                        }
                    }
                }.forEach { it.get() }
            }
        }
    }

    test("a connection that is closed while another is opened is released after that [ADB-06]") {
        Faulty.driver.open(mapOf<String, Any>()).use { database ->
            val first = database.connect()
            c.hold("ConnectionInit")
            lettingGo(Executors.newSingleThreadExecutor()) { pool ->
                val second = pool.start { database.connect() }
                awaitHeld()
                first.close()
                c.calls("ConnectionRelease") shouldBe 0
                c.letGo()
                second.get(5, TimeUnit.SECONDS).close()
            }
            c.calls("ConnectionRelease") shouldBe 2
        }
    }

    test("a database that is closed while a connection is opened is released after that [ADB-04]") {
        val database = Faulty.driver.open(mapOf<String, Any>())
        val first = database.connect()
        c.hold("ConnectionInit")
        lettingGo(Executors.newSingleThreadExecutor()) { pool ->
            val second = pool.start { database.connect() }
            awaitHeld()
            listOf(database, first).forEach(AutoCloseable::close)
            c.calls("DatabaseRelease") shouldBe 0
            c.letGo()
            second.get(5, TimeUnit.SECONDS).close()
        }
        c.live(Live.CONNECTIONS) shouldBe 0
        c.live(Live.DATABASES) shouldBe 0
    }

    test("an interrupt ends the wait for a connection that another thread opens, and is kept [ADB-12]") {
        Faulty.driver.open(mapOf<String, Any>()).use { database ->
            c.hold("ConnectionInit")
            lettingGo(Executors.newFixedThreadPool(2)) { pool ->
                val first = pool.start { database.connect() }
                awaitHeld()
                val thread = AtomicReference<Thread>()
                val (second, waits) = pool.startWaiting {
                    thread.set(Thread.currentThread())
                    shouldThrow<AdbcException> { database.connect() } to Thread.interrupted()
                }
                waits shouldBe true
                thread.get().interrupt()
                val (failure, isInterrupted) = second.get(5, TimeUnit.SECONDS)
                failure.status() shouldBe AdbcStatus.CANCELLED
                failure.driverMessage() shouldBe "the thread was interrupted before the driver was called"
                isInterrupted shouldBe true
                c.letGo()
                first.get(5, TimeUnit.SECONDS).close()
            }
            c.calls("ConnectionNew") shouldBe 1
        }
    }

    test("a second call on a connection waits until the running call returns [ADB-06]") {
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

    test("an option of a connection is read between its calls, since a driver may run a query for it [ADB-06]") {
        c.queryForOptions()
        Faulty.connected { connection ->
            Executors.newSingleThreadExecutor().use { pool ->
                val isOver = AtomicBoolean()
                val reads = pool.start { buildSet { do add(connection.currentDbSchema()) while (!isOver.get()) } }
                try {
                    repeat(50) { connection.query("SELECT * FROM batches(5, 3)").rows().size shouldBe 15 }
                } finally {
                    isOver.set(true)
                }
                reads.get() shouldBe setOf("main")
            }
            c.overlaps shouldBe 0
        }
    }

    test("a read of an option waits for the running call, and a cancel of the reading thread ends the wait [ADB-06]") {
        Faulty.connected { connection ->
            lettingGo(Executors.newFixedThreadPool(3)) { pool ->
                val query = pool.start { connection.query("SELECT * FROM stuck()").rows().size }
                awaitHeld()
                val (first, waits) = pool.startWaiting { connection.currentCatalog() }
                waits shouldBe true
                val reading = AtomicReference<Thread>()
                val (second, alsoWaits) = pool.startWaiting {
                    reading.set(Thread.currentThread())
                    connection.currentCatalog()
                }
                alsoWaits shouldBe true
                connection.cancel(reading.get())
                (second.error() as AdbcException).status() shouldBe AdbcStatus.CANCELLED
                c.calls("ConnectionGetOption") shouldBe 0
                c.letGo()
                query.get() shouldBe 1
                first.get() shouldBe "memory"
            }
        }
    }

    test("a source cannot read options of the connection that it supplies, except those of a statement [ADB-11]") {
        Faulty.connected { connection ->
            connection.createStatement().use { statement ->
                statement.setOption("fake.user.x", "y")
                lateinit var failure: Throwable
                val source = DeviceArrayReader.Source<RecordBatch> {
                    failure = shouldThrow<IllegalStateException> { connection.currentCatalog() }
                    statement.getOption("fake.user.x") shouldBe "y"
                    null
                }
                connection.ingest("copy", RecordBatchReader.of(IDS, source)) shouldBe 0
                failure.message shouldContain "its connection executes with the batches that this thread produces"
            }
        }
    }

    for ((how, end) in mapOf<String, (AdbcStatement) -> Unit>(
        "another query" to { it.setSqlQuery("SELECT id FROM t") },
        "another binding" to { it.bind(ids(1)) },
        "closing the statement" to { it.close() },
    )) {
        for (isExecuted in listOf(true, false))
            test("$how closes the bound reader outside the connection lock; executed: $isExecuted [ADB-11]") {
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
                    val source = DeviceArrayReader.Source<RecordBatch> {
                        entered.countDown()
                        gate.await()
                        fromA.next()
                    }
                    Executors.newFixedThreadPool(2).use { pool ->
                        // holds the lock of b, and will wait for the lock of a
                        val ingestion = pool.start { b.ingest("copy", RecordBatchReader.of(fromA.schema(), source)) }
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
        "handles that a source closes are released after the execution that it feeds; by a driver thread: $onThread " +
            "[ADB-11]",
    ) {
        c.bindOnThread(onThread)
        Faulty.connected { connection ->
            val other = connection.createStatement()
            val result = connection.query("SELECT id FROM t")
            var released = -1L
            val source = DeviceArrayReader.Source<RecordBatch> {
                other.close()
                result.close()
                released = c.calls("StatementRelease")
                null
            }
            Executors.newSingleThreadExecutor().use { pool ->
                val ingestion = pool.start { connection.ingest("copy", RecordBatchReader.of(IDS, source)) }
                runCatching { ingestion.get(5, TimeUnit.SECONDS) }.getOrNull() shouldBe 0L
            }
            released shouldBe 0
            c.calls("StatementRelease") shouldBe 3
        }
    }

    test("handles and readers that 8 threads close at once are released once [ADB-04]") {
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

    test("close returns at once, and the handle is released after the running call and its result [ADB-04]") {
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

    test("a call that waits for the connection lock fails if its handle is closed meanwhile [ADB-04]") {
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
        "of two connections that ingest from each other, one fails and one continues; by driver threads: $onThread " +
            "[ADB-11]",
    ) {
        c.bindOnThread(onThread)
        Faulty.driver.open(mapOf<String, Any>()).use { database ->
            val connections = List(2) { database.connect() }
            val results = connections.map { it.query("SELECT id FROM batches(3, 2)") }
            val both = CyclicBarrier(2)
            Executors.newFixedThreadPool(2).use { pool ->
                val outcomes = connections.mapIndexed { n, connection ->
                    var isFirst = true
                    val schema = results[1 - n].schema()
                    val late = RecordBatchReader.of(schema, object : DeviceArrayReader.Source<RecordBatch> {
                        override fun next(): RecordBatch? {
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
                    .message shouldContain "both would wait forever"
            }
            connections.forEach(AdbcConnection::close)
        }
    }

    test("the driver pulls batches from readers of other connections, in 4 threads at once [ADB-11]") {
        Faulty.driver.open(mapOf<String, Any>()).use { database ->
            Executors.newFixedThreadPool(4).use { pool ->
                val rows = List(4) { n ->
                    pool.start {
                        database.connect().use { from ->
                            database.connect().use { to ->
                                val source: RecordBatchReader = from.query("SELECT id FROM batches(20, 5)")
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
