// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeIn
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriver.Live
import org.arbalest.support.adbc.FaultyDriverExtension
import org.arbalest.testkit.contract.eventually
import java.util.concurrent.CountDownLatch
import java.util.concurrent.CyclicBarrier
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicReference
import kotlin.random.Random

class AdbcStatementCancelSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    val c by lazy { Faulty.c }

    test("cancel reaches a stuck query, and the statement's options are readable meanwhile [ADB-12]") {
        Faulty.connected { connection ->
            connection.createStatement().use { statement ->
                statement.setOption("fake.user.x", "y")
                Executors.newSingleThreadExecutor().use { pool ->
                    val query = pool.start { statement.query("SELECT * FROM stuck()") }
                    awaitHeld()
                    statement.getOption("fake.user.x") shouldBe "y"
                    statement.cancel()
                    val error = query.error()
                    error.shouldBeInstanceOf<AdbcException>().status() shouldBe AdbcStatus.CANCELLED
                }
                statement.query("SELECT 1").single() shouldBe 1L
                shouldThrow<AdbcException> { statement.cancel() }.status() shouldBe AdbcStatus.INVALID_STATE
            }
        }
    }

    test("cancel reaches a pull of a result, and its reader throws CANCELLED [ADB-12]") {
        Faulty.connected { connection ->
            connection.createStatement().use { statement ->
                val reader = statement.query("SELECT * FROM waits(3, 2, 1)")
                reader.next()!!.close()
                Executors.newSingleThreadExecutor().use { pool ->
                    val pull = pool.start { reader.next() }
                    awaitHeld()
                    statement.cancel()
                    pull.error().shouldBeInstanceOf<AdbcException>().status() shouldBe AdbcStatus.CANCELLED
                }
                reader.close()
            }
        }
    }

    test("closing a reader during a pull cancels that pull, even after all handles are closed [ADB-12]") {
        val reader = Faulty.connected { it.query("SELECT * FROM waits(3, 2, 1)") }
        reader.next()!!.close()
        Executors.newSingleThreadExecutor().use { pool ->
            val pull = pool.start { reader.next() }
            awaitHeld()
            reader.close()
            pull.error().message shouldBe "the reader was closed"
        }
        c.live(Live.DATABASES) shouldBe 0
    }

    test("closing a reader whose pull waits for another call ends that pull and cancels the query [ADB-12]") {
        Faulty.connected { connection ->
            val reader = connection.query("SELECT * FROM batches(3, 2)")
            reader.next()!!.close()
            c.hold("ConnectionGetTableSchema")
            Executors.newFixedThreadPool(2).use { pool ->
                try {
                    val schema = pool.start { connection.tableSchema("t") }
                    awaitHeld()
                    val pulls = c.calls("get_next")
                    val (pull, _) = pool.startWaiting { reader.next() }
                    reader.close()
                    c.hold("get_next")
                    c.letGo()
                    schema.get()
                    eventually("the pull waits or ends") { pull.isDone || c.held > 0 }
                    c.calls("get_next") shouldBe pulls
                    pull.error().message shouldBe "the reader was closed"
                } finally {
                    c.letGo()
                }
            }
            c.calls("StatementCancel") shouldBe 1
            c.live(Live.STREAMS) shouldBe 0
            c.reset() // clears the hold, which no pull reached
        }
    }

    test("cancel ends an execution whose bound source waits, by cancelling that source, with each driver [ADB-12]") {
        val executions = mapOf<String, (AdbcStatement) -> Unit>(
            "ingest" to { it.executeUpdate() },
            "update" to { it.executeUpdate() },
            "query" to { it.executeQuery().close() },
        )
        for ((driver, onThread) in listOf(Faulty.driver to false, Faulty.driver to true, Faulty.old to false)) {
            c.bindOnThread(onThread)
            for ((kind, execute) in executions) {
                Faulty.connected(driver) { connection ->
                    val statement = connection.createStatement()
                    if (kind == "ingest") statement.setIngest(AdbcIngest.into("x"))
                    else statement.setSqlQuery("SELECT id FROM t WHERE id = ?").also { statement.prepare() }
                    val source = WaitingSource()
                    statement.bind(RecordBatchReader.of(IDS, source))
                    Executors.newSingleThreadExecutor().use { pool ->
                        try {
                            val execution = pool.start { execute(statement) }
                            source.entered.await()
                            runCatching { statement.cancel() }.exceptionOrNull()?.let {
                                (it as AdbcException).status() shouldBe AdbcStatus.NOT_IMPLEMENTED
                            }
                            source.gate.count shouldBe 0
                            execution.error().shouldBeInstanceOf<AdbcException>().status() shouldBe AdbcStatus.CANCELLED
                        } finally {
                            source.gate.countDown()
                        }
                    }
                    if (kind == "ingest") shouldThrow<AdbcException> { connection.query("SELECT * FROM x") }
                        .status() shouldBe AdbcStatus.NOT_FOUND
                    statement.query("SELECT 1").single() shouldBe 1L
                    statement.close()
                }
            }
        }
    }

    test("cancel ends a call that waits for the connection lock, and no other call [ADB-12]") {
        Faulty.connected { connection ->
            val other = connection.createStatement()
            val statement = connection.createStatement()
            statement.setSqlQuery("SELECT id FROM t")
            val open = connection.query("SELECT id FROM t")
            lettingGo(Executors.newFixedThreadPool(3)) { pool ->
                val stuck = pool.start { other.query("SELECT * FROM stuck()").use { it.rows() } }
                awaitHeld()
                val (execution, _) = pool.startWaiting { statement.executeQuery() }
                statement.cancel()
                execution.error().shouldBeInstanceOf<AdbcException>().status() shouldBe AdbcStatus.CANCELLED
                val (metadata, _) = pool.startWaiting { connection.tableTypes() }
                connection.cancel()
                metadata.error().shouldBeInstanceOf<AdbcException>().status() shouldBe AdbcStatus.CANCELLED
                shouldThrow<AdbcException> { statement.cancel() }.status() shouldBe AdbcStatus.INVALID_STATE
                shouldThrow<AdbcException> { connection.cancel() }.status() shouldBe AdbcStatus.INVALID_STATE
                val (pull, _) = pool.startWaiting { open.next() }
                val (closing, _) = pool.startWaiting { open.close() }
                pull.error().message shouldBe "the reader was closed"
                c.calls("StatementCancel") + c.calls("ConnectionCancel") shouldBe 0
                stuck.isDone shouldBe false
                other.cancel()
                stuck.error().shouldBeInstanceOf<AdbcException>().status() shouldBe AdbcStatus.CANCELLED
                closing.get()
            }
            statement.executeQuery().use { it.rows().size } shouldBe 10
            listOf(other, statement).forEach(AutoCloseable::close)
        }
    }

    test("an interrupt does not end a wait for the connection lock, and is kept [ADB-12]") {
        Faulty.connected { connection ->
            c.hold("ConnectionGetTableSchema")
            Executors.newFixedThreadPool(2).use { pool ->
                val schema = pool.start { connection.tableSchema("t") }
                awaitHeld()
                val thread = AtomicReference<Thread>()
                val (types, _) = pool.startWaiting {
                    thread.set(Thread.currentThread())
                    connection.tableTypes() to Thread.interrupted()
                }
                thread.get().interrupt()
                c.letGo()
                schema.get()
                types.get().second shouldBe true
            }
        }
    }

    test("cancel ends an ingestion whose bound result waits for the lock of another connection [ADB-12]") {
        Faulty.driver.open(mapOf<String, Any>()).use { database ->
            val (from, to) = List(2) { database.connect() }
            val source = from.query("SELECT id FROM t")
            c.hold("ConnectionGetTableSchema")
            Executors.newFixedThreadPool(2).use { pool ->
                val busy = pool.start { from.tableSchema("t") }
                awaitHeld()
                to.createStatement().use { statement ->
                    statement.setIngest(AdbcIngest.into("copy"))
                    statement.bind(source)
                    val (ingestion, _) = pool.startWaiting { statement.executeUpdate() }
                    statement.cancel()
                    val outcome = runCatching { ingestion.get(5, TimeUnit.SECONDS) }.exceptionOrNull()
                    c.letGo()
                    outcome?.cause.shouldBeInstanceOf<AdbcException>().status() shouldBe AdbcStatus.CANCELLED
                    busy.get()
                }
            }
            listOf(from, to).forEach(AdbcConnection::close)
        }
    }

    test("a callback that closes a handle does not wait for a cancel in the driver [ADB-12]") {
        Faulty.connected { connection ->
            val other = connection.createStatement()
            val entered = CountDownLatch(1)
            val gate = CountDownLatch(1)
            val closed = CountDownLatch(1)
            val source = DeviceArrayReader.Source<RecordBatch> {
                entered.countDown()
                gate.await()
                other.close()
                closed.countDown()
                null
            }
            connection.createStatement().use { statement ->
                statement.setIngest(AdbcIngest.into("copy"))
                statement.bind(RecordBatchReader.of(IDS, source))
                lettingGo(Executors.newFixedThreadPool(2)) { pool ->
                    val ingestion = pool.start { runCatching { statement.executeUpdate() } }
                    entered.await()
                    c.hold("StatementCancel")
                    val cancel = pool.start { runCatching { statement.cancel() } }
                    awaitHeld()
                    gate.countDown()
                    closed.await(5, TimeUnit.SECONDS) shouldBe true
                    c.letGo()
                    cancel.get()
                    ingestion.get()
                }
            }
        }
    }

    test("cancel does not affect bound data that is not executed [ADB-12]") {
        Faulty.connected { connection ->
            connection.createStatement().use { statement ->
                statement.setIngest(AdbcIngest.into("x"))
                statement.bind(reader(1, 2))
                shouldThrow<AdbcException> { statement.cancel() }.status() shouldBe AdbcStatus.INVALID_STATE
                statement.executeUpdate() shouldBe 2
            }
        }
    }

    test("closing a reader that copies a result ahead cancels the pull of its copying thread [ADB-12]") {
        val cpu = Devices.cpu()
        Faulty.connected { connection ->
            val copied = connection.query("SELECT * FROM waits(3, 2, 1)").copyTo(cpu.memory(), cpu.defaultStream(), 2)
            copied.next()!!.close()
            awaitHeld()
            copied.close()
            eventually("the result is released") { c.live(Live.STREAMS) == 0L }
            c.calls("StatementCancel") shouldBe 1
        }
    }

    test("a reader that copies a result ahead throws the driver's error after the copied batches [ADB-08]") {
        val cpu = Devices.cpu()
        Faulty.connected { connection ->
            c.fail("get_next", 3, Errno.EIO)
            connection.query("SELECT * FROM batches(5, 2)").copyTo(cpu.memory(), cpu.defaultStream(), 4).use { copied ->
                repeat(2) { copied.next()!!.use { it.length() shouldBe 2 } }
                shouldThrow<AdbcException> { copied.next() }.status() shouldBe AdbcStatus.INTERNAL
            }
        }
    }

    test("closing a reader during a pull takes effect after the pull if the driver cannot cancel [ADB-12]") {
        c.missing("StatementCancel")
        val reader = Faulty.connected { it.query("SELECT * FROM waits(3, 2, 1)") }
        reader.next()!!.close()
        Executors.newSingleThreadExecutor().use { pool ->
            val pull = pool.start { reader.next() }
            awaitHeld()
            reader.close()
            c.live(Live.STREAMS) shouldBe 1
            c.letGo()
            pull.error().message shouldBe "the reader was closed"
        }
        c.live(Live.STREAMS) shouldBe 0
    }

    test("connection.cancel() cancels a running metadata call [ADB-12]") {
        Faulty.connected { connection ->
            Executors.newSingleThreadExecutor().use { pool ->
                c.hold("ConnectionGetObjects")
                val objects = pool.start { connection.objects(AdbcObjects.all()) }
                awaitHeld()
                connection.cancel()
                objects.error().shouldBeInstanceOf<AdbcException>().status() shouldBe AdbcStatus.CANCELLED
            }
            shouldThrow<AdbcException> { connection.cancel() }.status() shouldBe AdbcStatus.INVALID_STATE
        }
    }

    test("cancel during any pull of a result throws CANCELLED, 500 times [ADB-12]") {
        val random = Random(20)
        Faulty.connected { connection ->
            Executors.newSingleThreadExecutor().use { pool ->
                repeat(500) {
                    connection.createStatement().use { statement ->
                        c.hold("get_next", nth = random.nextLong(1, 10)) // the last pull returns the end
                        try {
                            val query = pool.start {
                                statement.query("SELECT * FROM batches(8, 2)").use { reader -> reader.forEach {} }
                            }
                            awaitHeld()
                            statement.cancel()
                            query.error().shouldBeInstanceOf<AdbcException>().status() shouldBe AdbcStatus.CANCELLED
                        } finally {
                            c.letGo()
                        }
                    }
                }
            }
        }
    }

    test("cancel at a random time gives a result or CANCELLED, and a result if it is rejected, 1,000 times [ADB-12]") {
        val random = Random(20)
        Faulty.connected { connection ->
            Executors.newFixedThreadPool(2).use { pool ->
                repeat(1_000) {
                    connection.createStatement().use { statement ->
                        val go = CyclicBarrier(2)
                        val spin = random.nextInt(30_000)
                        val canceller = pool.start {
                            go.await()
                            repeat(spin) { Thread.onSpinWait() }
                            runCatching { statement.cancel() }.exceptionOrNull()
                        }
                        go.await()
                        val outcome = runCatching {
                            statement.query("SELECT * FROM batches(8, 2)").use { reader -> reader.forEach {} }
                        }.exceptionOrNull()
                        (outcome as AdbcException?)?.status() shouldBeIn listOf(null, AdbcStatus.CANCELLED)
                        val answer = canceller.get() as AdbcException?
                        answer?.status() shouldBeIn listOf(null, AdbcStatus.INVALID_STATE)
                        if (answer != null) outcome shouldBe null
                    }
                }
            }
        }
    }

    test("cancel and close at the same time never reach the driver with a released statement, 500 times [ADB-12]") {
        Faulty.connected { connection ->
            Executors.newFixedThreadPool(2).use { pool ->
                repeat(500) {
                    val statement = connection.createStatement()
                    val go = CyclicBarrier(2)
                    val canceller = pool.start {
                        go.await()
                        runCatching { statement.cancel() }.exceptionOrNull()
                    }
                    go.await()
                    statement.close()
                    when (val error = canceller.get()) {
                        null -> {}
                        is AdbcException -> error.status() shouldBe AdbcStatus.INVALID_STATE
                        else -> error.message shouldBe "the statement was closed"
                    }
                }
            }
        }
    }

    test(
        "closing an unfinished result cancels it once before its release, with its statement open or closed [ADB-28]",
    ) {
        Faulty.connected { connection ->
            connection.createStatement().use { statement ->
                for (query in listOf({
                    connection.query("SELECT * FROM batches(9, 2)")
                }, { statement.query("SELECT * FROM batches(9, 2)") })) {
                    for (pulls in 0..1) {
                        c.reset()
                        val reader = query()
                        repeat(pulls) { reader.next()!!.close() }
                        c.hold("stream.release")
                        Executors.newSingleThreadExecutor().use { pool ->
                            val close = pool.start { reader.close() }
                            awaitHeld()
                            val before = c.calls("StatementCancel")
                            c.letGo()
                            close.get()
                            before shouldBe 1
                        }
                        c.calls("StatementCancel") shouldBe 1
                        c.calls("stream.unfinished") shouldBe 1
                    }
                }
                statement.query("SELECT 1").single() shouldBe 1L
            }
        }
    }

    for (isAutoCommit in listOf(true, false)) test(
        "closing a result while its statement executes again does not cancel the new execution, 500 times; with " +
            "autocommit: $isAutoCommit [ADB-28]",
    ) {
        Faulty.connected { connection ->
            connection.isAutoCommit = isAutoCommit
            connection.createStatement().use { statement ->
                Executors.newSingleThreadExecutor().use { pool ->
                    repeat(500) {
                        val first = statement.query("SELECT * FROM batches(5, 2)")
                        val go = CyclicBarrier(2)
                        val close = pool.start {
                            go.await()
                            first.close()
                        }
                        go.await()
                        statement.query("SELECT id FROM batches(3, 2)").rows().size shouldBe 6
                        close.get()
                    }
                }
            }
            c.calls("StatementCancel") shouldBe if (isAutoCommit) 500 else 0
        }
    }
})
