// SPDX-License-Identifier: Apache-2.0
package org.arbalest.adbc.coroutines

import io.kotest.assertions.nondeterministic.eventually
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContain
import io.kotest.matchers.comparables.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import org.arbalest.coroutines.asFlow
import org.arbalest.coroutines.asReader
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.adbc.AdbcDriver
import org.arbalest.device.adbc.AdbcException
import org.arbalest.device.adbc.AdbcObjects
import org.arbalest.device.adbc.AdbcObjects.Depth
import org.arbalest.device.adbc.AdbcStatus
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriver.Live
import org.arbalest.support.adbc.FaultyDriverExtension
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import kotlin.time.Duration.Companion.seconds

/** Returns the number of threads that wait for a connection lock. */
private fun inCall(): Int = Thread.getAllStackTraces().values.count { stack ->
    stack.any { it.className.endsWith("internal.ConnectionLock") && it.methodName == "await" }
}

class QueriesCancellationSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    test("cancelling a coroutine cancels its stuck query, and the connection stays usable [ADB-24]") {
        connected { connection ->
            coroutineScope {
                val query = launch(Dispatchers.Default) { connection.awaitQuery("SELECT * FROM stuck()").close() }
                awaitHeld()
                query.cancel()
                val ends = query.ends()
                c.letGo()
                ends shouldBe true
            }
            c.calls("StatementCancel") shouldBeGreaterThan 0
            c.live(Live.STATEMENTS) shouldBe 0
            connection.count() shouldBe 10
        }
    }

    test("a cancellation before the driver executes prevents the execution [ADB-24]") {
        connected { connection ->
            c.hold("StatementNew") // it cannot be cancelled, so the coroutine does not wait for it
            Executors.newSingleThreadExecutor().use { thread ->
                coroutineScope {
                    val query = launch(Dispatchers.Default) {
                        connection.awaitQuery("SELECT id FROM t", thread.asCoroutineDispatcher()).close()
                    }
                    try {
                        awaitHeld()
                        query.cancel()
                        query.ends() shouldBe true
                    } finally {
                        c.letGo()
                    }
                }
            } // closing the executor waits until the late statement is released
            c.calls("StatementExecuteQuery") shouldBe 0
            c.live(Live.STATEMENTS) shouldBe 0
        }
    }

    test("a cancel without effect is repeated, and a failing cancel is suppressed in the cancellation [ADB-24]") {
        connected { connection ->
            suspend fun cancelled(status: AdbcStatus): Throwable? {
                c.fail("StatementCancel", status = status.code())
                val ended = CompletableDeferred<Throwable?>()
                coroutineScope {
                    val query = launch(Dispatchers.Default) {
                        ended.complete(runCatching { connection.awaitQuery("SELECT * FROM stuck()").close() }
                            .exceptionOrNull())
                    }
                    awaitHeld()
                    query.cancel()
                    val ends = query.ends()
                    c.letGo()
                    ends shouldBe true
                }
                return ended.await().shouldBeInstanceOf<CancellationException>()
            }
            cancelled(AdbcStatus.INVALID_STATE)?.suppressed?.size shouldBe 0
            c.calls("StatementCancel") shouldBeGreaterThan 1
            cancelled(AdbcStatus.IO)?.suppressed?.single().shouldBeInstanceOf<AdbcException>().operation() shouldBe
                "AdbcStatementCancel"
        }
    }

    test("the result of a query that completes despite its cancellation is closed [ADB-24]") {
        c.missing("StatementCancel")
        connected { connection ->
            c.hold("StatementExecuteQuery")
            coroutineScope {
                val query = launch(Dispatchers.Default) { connection.awaitQuery("SELECT * FROM t") }
                awaitHeld()
                query.cancel()
                c.letGo()
                query.join()
            }
            // The coroutine ends early, because this driver cannot cancel.
            eventually(5.seconds) { c.live(Live.STREAMS) shouldBe 0 }
        }
    }

    test(
        "awaitCall makes any call, cancels it through its own handle, and closes a result that arrives anyway " +
            "[ADB-24]",
    ) {
        AdbcDriver.load(c.file).awaitOpen().use { database ->
            database.awaitConnect().use { connection ->
                connection.awaitCall { objects(AdbcObjects.to(Depth.TABLES)) }.flatMap { it.dbSchemas() }
                    .flatMap { it.tables() }.map { it.name() } shouldContain "t"
                connection.awaitCall { createStatement() }.use { statement ->
                    statement.setSqlQuery("SELECT id FROM t WHERE id = ?")
                    statement.awaitCall { prepare() }
                    statement.awaitCall { parameterSchema() }.fields().size shouldBe 1
                }
                suspend fun cancelled(held: String, call: suspend () -> Any) = coroutineScope {
                    val calls = c.calls("ConnectionCancel")
                    c.hold(held)
                    val running = launch(Dispatchers.Default) { call() }
                    awaitHeld()
                    running.cancel()
                    eventually(5.seconds) { c.calls("ConnectionCancel") shouldBeGreaterThan calls }
                    c.letGo()
                    running.ends() shouldBe true
                }
                cancelled("ConnectionGetTableTypes") { connection.awaitCall { tableTypes() } }
                cancelled("ConnectionReadPartition") { connection.awaitPartition(byteArrayOf(1)) }
                cancelled("StatementNew") { connection.awaitCall { createStatement() } }
                c.live(Live.STATEMENTS) shouldBe 0
                c.live(Live.STREAMS) shouldBe 0
                connection.createStatement().use { statement ->
                    statement.setSqlQuery("SELECT id FROM t")
                    c.hold("StatementPrepare")
                    coroutineScope {
                        val running = launch(Dispatchers.Default) { statement.awaitCall { prepare() } }
                        awaitHeld()
                        running.cancel()
                        eventually(5.seconds) { c.calls("StatementCancel") shouldBeGreaterThan 0 }
                        c.letGo()
                        running.ends() shouldBe true
                    }
                }
            }
        }
    }

    test("cancelling a query that waits for the connection lock ends that query at once, and no other call [ADB-24]") {
        connected { connection ->
            connection.createStatement().use { two ->
                two.setSqlQuery("SELECT id FROM t")
                val calls = listOf<suspend () -> Unit>(
                    { two.awaitQuery().close() },
                    { connection.awaitQuery("SELECT id FROM t").close() },
                    { connection.awaitExecute("DELETE FROM t") },
                    { connection.awaitIngest("x", reader(1)) },
                    { connection.awaitIngest("x", ids(1)) },
                )
                for (call in calls) {
                    c.hold("StatementExecuteQuery")
                    coroutineScope {
                        val one = async(Dispatchers.Default) {
                            connection.awaitQuery("SELECT id FROM t").use {
                                it.next()!!.use { batch -> batch.length() }
                            }
                        }
                        awaitHeld()
                        val other = async(Dispatchers.Default) { connection.awaitQuery("SELECT id FROM t").close() }
                        val waiting = launch(Dispatchers.Default) { call() }
                        eventually(5.seconds) { inCall() shouldBe 2 }
                        val before = c.calls("StatementCancel") // closing a result cancels too
                        waiting.cancel()
                        val ends = waiting.ends()
                        val cancels = c.calls("StatementCancel") - before
                        c.letGo()
                        ends shouldBe true
                        cancels shouldBe 0
                        c.calls("ConnectionCancel") shouldBe 0
                        one.await() shouldBe 10
                        other.await()
                    }
                    // the cancelled call still waits in its thread, but no coroutine waits for it
                    eventually(5.seconds) { inCall() shouldBe 0 }
                }
                connection.count() shouldBe 10
            }
        }
    }

    test("the driver's cancel does not run on the caller's thread [ADB-24]") {
        connected { connection ->
            Executors.newSingleThreadExecutor().asCoroutineDispatcher().use { one ->
                c.hold("StatementCancel")
                coroutineScope {
                    val query = launch(one) { connection.awaitQuery("SELECT * FROM stuck()").close() }
                    awaitHeld()
                    query.cancel()
                    awaitHeld(2)
                    val isFree = launch(one) {}.ends()
                    c.letGo()
                    query.join()
                    isFree shouldBe true
                }
            }
        }
    }

    test("cancelling an ingestion whose source waits cancels that source [ADB-24]") {
        connected { connection ->
            val entered = CompletableDeferred<Unit>()
            val gate = CountDownLatch(1)
            val source = object : DeviceArrayReader.Source<RecordBatch> {
                override fun next(): RecordBatch? {
                    entered.complete(Unit)
                    gate.await()
                    return null
                }

                override fun cancel() = gate.countDown()
            }
            coroutineScope {
                val ingestion = launch(Dispatchers.Default) {
                    connection.awaitIngest("x", RecordBatchReader.of(IDS, source))
                }
                entered.await()
                ingestion.cancel()
                val ends = ingestion.ends()
                gate.countDown()
                ends shouldBe true
            }
            val collected = CompletableDeferred<Unit>()
            val idle = flow<RecordBatch> {
                collected.complete(Unit)
                awaitCancellation()
            }
            coroutineScope {
                val batches = idle.asReader(IDS)
                val ingestion = launch(Dispatchers.Default) { connection.awaitIngest("y", batches) }
                collected.await()
                ingestion.cancel()
                val ends = ingestion.ends()
                batches.close()
                ends shouldBe true
            }
            connection.count() shouldBe 10
        }
    }

    test("cancelling a collector during a pull cancels the driver's call [ADB-25]") {
        connected { connection ->
            coroutineScope {
                val collection = launch(Dispatchers.Default) {
                    connection.query("SELECT * FROM waits(3, 2, 1)").asFlow().collect {}
                }
                awaitHeld()
                collection.cancel()
                val ends = collection.ends()
                c.letGo()
                ends shouldBe true
            }
            c.calls("StatementCancel") shouldBeGreaterThan 0
            c.live(Live.STREAMS) shouldBe 0
        }
    }

    test("64 calls that wait in the driver do not block another call [ADB-24]") {
        opened { database ->
            coroutineScope {
                val stuck = List(64) {
                    launch(Dispatchers.Default) {
                        database.connect().use { it.awaitQuery("SELECT * FROM stuck()").close() }
                    }
                }
                awaitHeld(64) // as many as Dispatchers.IO has threads
                val other = launch(Dispatchers.Default) {
                    database.connect().use { connection ->
                        connection.transaction { awaitExecute("DELETE FROM t WHERE id = 0") }
                        connection.queryFlow("SELECT id FROM t").collect { it.length() shouldBe 9 }
                        connection.awaitIngest("x", connection.awaitQuery("SELECT id FROM t WHERE id > 7")
                            .use { query -> reader(*query.next()!!.use { it.ids() }.toLongArray()) })
                        connection.createStatement().use {
                            it.setSqlQuery("SELECT id FROM t")
                            it.awaitQuery().close()
                            it.setSqlQuery("DELETE FROM t")
                            it.awaitUpdate() shouldBe 9
                        }
                    }
                }
                val ends = other.ends()
                c.letGo()
                stuck.forEach { it.join() }
                ends shouldBe true
            }
        }
    }

    test("70 queries are ingested at once, more than Dispatchers.IO has threads [ADB-24]") {
        opened { database ->
            val schema = database.connect().use { connection ->
                connection.query("SELECT * FROM batches(3, 2)").use { it.schema() }
            }
            coroutineScope {
                val all = List(70) { i ->
                    launch(Dispatchers.Default) {
                        database.connect().use { from ->
                            database.connect().use { to ->
                                to.awaitIngest("x$i", from.queryFlow("SELECT * FROM batches(3, 2)")
                                    .asReader(schema)) shouldBe 6
                            }
                        }
                    }
                }
                val end = all.all { it.ends() }
                all.forEach { it.cancel() }
                end shouldBe true
            }
        }
    }

    test("a cancelled awaitConnect does not wait until another coroutine has connected [ADB-24]") {
        opened { database ->
            c.hold("ConnectionInit")
            Executors.newSingleThreadExecutor().asCoroutineDispatcher().use { here ->
                coroutineScope {
                    val first = async(Dispatchers.Default) { database.awaitConnect() }
                    awaitHeld()
                    val second = launch(Dispatchers.Default) { database.awaitConnect(dispatcher = here).close() }
                    eventually(5.seconds) { inCall() shouldBe 1 }
                    second.cancel()
                    val ends = second.ends()
                    val calls = c.calls("ConnectionNew")
                    c.letGo()
                    first.await().close()
                    ends shouldBe true
                    calls shouldBe 1
                }
                withContext(here) { Thread.currentThread().isInterrupted } shouldBe false
            }
        }
    }

    test("awaitConnect and awaitPartition return their results, and leave nothing behind when cancelled [ADB-24]") {
        opened { database ->
            val part = database.awaitConnect().use { connection ->
                connection.createStatement().use {
                    it.setSqlQuery("SELECT id FROM t")
                    it.executePartitions().partitions().first()
                }
            }
            database.awaitConnect(mapOf("adbc.connection.autocommit" to "false")).use { connection ->
                connection.isAutoCommit shouldBe false
                connection.awaitPartition(part).use { reader -> reader.next()!!.close() }
                c.hold("ConnectionReadPartition")
                coroutineScope {
                    val read = launch(Dispatchers.Default) { connection.awaitPartition(part).close() }
                    awaitHeld()
                    read.cancel()
                    val ends = read.ends()
                    c.letGo()
                    ends shouldBe true
                }
                c.calls("ConnectionCancel") shouldBeGreaterThan 0
            }
            c.hold("ConnectionInit")
            coroutineScope {
                val connect = launch(Dispatchers.Default) { database.awaitConnect() }
                awaitHeld()
                connect.cancel()
                c.letGo()
                connect.join()
            }
            c.live(Live.CONNECTIONS) shouldBe 0
        }
    }

    test("cancelling one call of a connection does not affect the other calls that share it [ADB-24]") {
        connected { connection ->
            c.hold("ConnectionGetObjects")
            coroutineScope {
                val objects = launch(Dispatchers.Default) { connection.awaitCall { objects(AdbcObjects.all()) } }
                awaitHeld()
                val others = listOf<suspend () -> Any?>(
                    { connection.awaitQuery("SELECT 1").close() },
                    { connection.awaitCall { tableTypes() } },
                    { connection.awaitCall { setOption("fake.user.x", "y") } },
                ).map { async(Dispatchers.Default) { it() } }
                eventually(5.seconds) { inCall() shouldBe 3 }
                others[1].cancel()
                others[1].ends() shouldBe true
                objects.isActive shouldBe true
                c.calls("ConnectionCancel") shouldBe 0
                objects.cancel()
                objects.ends() shouldBe true
                others[0].await()
                others[2].await()
            }
        }
    }

    test("cancelling awaitCall cancels the statements and results of its block, and no other call's [ADB-24]") {
        connected { connection ->
            suspend fun cancelled(call: suspend () -> Any?) = coroutineScope {
                val running = launch(Dispatchers.Default) { call() }
                awaitHeld()
                val other = async(Dispatchers.Default) {
                    connection.awaitQuery("SELECT 1").use { it.next()!!.use { batch -> batch.length() } }
                }
                eventually(5.seconds) { inCall() shouldBe 1 }
                running.cancel()
                val ends = running.ends()
                c.letGo()
                ends shouldBe true
                other.await() shouldBe 1
            }
            cancelled { connection.awaitCall { query("SELECT * FROM stuck()") } }
            cancelled { connection.awaitCall { execute("SELECT * FROM stuck()") } }
            cancelled {
                connection.awaitCall { query("SELECT * FROM waits(3, 2, 1)").use { reader -> reader.forEach {} } }
            }
            cancelled { connection.awaitCall { createStatement().use { it.query("SELECT * FROM stuck()") } } }
            c.calls("ConnectionCancel") shouldBe 0
            c.live(Live.STATEMENTS) + c.live(Live.STREAMS) shouldBe 0
            val entered = CompletableDeferred<Unit>()
            val gate = CountDownLatch(1)
            val source = object : DeviceArrayReader.Source<RecordBatch> {
                override fun next(): RecordBatch? {
                    entered.complete(Unit)
                    gate.await()
                    return null
                }

                override fun cancel() = gate.countDown()
            }
            coroutineScope {
                val ingestion = launch(Dispatchers.Default) {
                    connection.awaitCall { ingest("x", RecordBatchReader.of(IDS, source)) }
                }
                entered.await()
                ingestion.cancel()
                val ends = ingestion.ends()
                gate.countDown()
                ends shouldBe true
            }
        }
    }
})
