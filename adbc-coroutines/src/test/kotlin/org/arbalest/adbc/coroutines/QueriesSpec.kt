// SPDX-License-Identifier: Apache-2.0
package org.arbalest.adbc.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import org.arbalest.coroutines.asFlow
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.adbc.AdbcException
import org.arbalest.device.adbc.AdbcIngest
import org.arbalest.device.adbc.AdbcStatus
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriver.Live
import org.arbalest.support.adbc.FaultyDriverExtension
import org.arbalest.support.withNullRows
import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicReference

class QueriesSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    test("null rows of a batch are stored as nulls [REQ-21]") {
        connected { connection ->
            fun nullRow() = ids(1, 42, 3).withNullRows(1)
            connection.awaitIngest("x", nullRow()) shouldBe 3
            connection.awaitIngest(AdbcIngest.into("x").with(AdbcIngest.Mode.APPEND),
                nullRow().let { RecordBatchReader.of(it.schema(), listOf(it)) }) shouldBe 3
            connection.awaitQuery("SELECT count(*) AS id FROM x WHERE id IS NULL").use { reader ->
                reader.next()!!.use { it.ids() shouldBe listOf(2L) }
            }
        }
    }

    test("queries, statements and ingestions suspend, and run on the given dispatcher [ADB-24]") {
        connected { connection ->
            connection.awaitQuery("SELECT id FROM t WHERE id < 3").use { reader ->
                reader.next()!!.use { it.ids() shouldBe listOf(0L, 1L, 2L) }
            }
            connection.awaitExecute("DELETE FROM t WHERE id < 3") shouldBe 3
            connection.awaitIngest("x", reader(1, 2)) shouldBe 2
            connection.awaitIngest(AdbcIngest.into("x").with(AdbcIngest.Mode.APPEND), reader(3)) shouldBe 1
            connection.createStatement().use { statement ->
                statement.setSqlQuery("SELECT id FROM x WHERE id > ?")
                statement.bind(ids(1))
                statement.awaitQuery().use { reader -> reader.next()!!.use { it.ids() shouldBe listOf(2L, 3L) } }
                statement.setSqlQuery("DELETE FROM x")
                statement.awaitUpdate() shouldBe 3
            }
            Executors.newSingleThreadExecutor { Thread(it, "pulls here") }.asCoroutineDispatcher().use { dispatcher ->
                val thread = AtomicReference<String>()
                val source = RecordBatchReader.of(IDS) {
                    thread.set(Thread.currentThread().name)
                    null
                }
                connection.awaitIngest("y", source, dispatcher) shouldBe 0
                thread.get() shouldContain "pulls here"
            }
        }
    }

    test("awaitIngest closes its batch on success and on failure [ADB-24]") {
        connected { connection ->
            connection.awaitIngest("x", ids(1, 2)) shouldBe 2
            connection.awaitIngest(AdbcIngest.into("x").with(AdbcIngest.Mode.APPEND), ids(3)) shouldBe 1
            connection.count("x") shouldBe 3
            val batch = ids(1)
            shouldThrow<AdbcException> { connection.awaitIngest("x", batch) }.status() shouldBe
                AdbcStatus.ALREADY_EXISTS
            batch.isOpen shouldBe false
        }
    }

    test("the caller's thread is free while a query runs [ADB-24]") {
        connected { connection ->
            Executors.newSingleThreadExecutor().asCoroutineDispatcher().use { one ->
                val query = async(one) { connection.awaitQuery("SELECT * FROM stuck()").close() }
                awaitHeld()
                async(one) { c.letGo() }.await() // on the same thread, which the query does not block
                query.await()
            }
        }
    }

    test("queries, ingestions and flows throw the driver's error [ADB-24]") {
        connected { connection ->
            shouldThrow<AdbcException> { connection.awaitQuery("SELECT * FROM nowhere") }.status() shouldBe
                AdbcStatus.NOT_FOUND
            val reader = reader(1, 2)
            shouldThrow<AdbcException> { connection.awaitIngest("t", reader) }.status() shouldBe
                AdbcStatus.ALREADY_EXISTS
            shouldThrow<IllegalStateException> { reader.next() }
            shouldThrow<AdbcException> { connection.queryFlow("SELECT * FROM fails(3, 2, 1)").collect {} }
                .status() shouldBe AdbcStatus.INVALID_DATA
            val gone = Executors.newSingleThreadExecutor().asCoroutineDispatcher().also { it.close() }
            shouldThrow<IllegalStateException> { connection.awaitExecute("SELECT 1", gone) }.message shouldContain
                "was shut down"
        }
    }

    test("queryFlow is a cold flow of borrowed batches [ADB-25]") {
        connected { connection ->
            val flow = connection.queryFlow("SELECT * FROM batches(4, 2)")
            c.calls("StatementExecuteQuery") shouldBe 0
            repeat(2) {
                flow.map { it.ids() }.toList() shouldBe
                    listOf(listOf(0L, 1L), listOf(2L, 3L), listOf(4L, 5L), listOf(6L, 7L))
            }
            var borrowed: RecordBatch? = null
            flow.take(1).collect { borrowed = it }
            borrowed!!.isOpen shouldBe false
            flow.buffer(2).map { it.length() }.toList() shouldBe listOf(2L, 2L, 2L, 2L)
            c.live(Live.STREAMS) shouldBe 0
        }
    }

    test("a collector cancelled during a pull or during its own work leaves nothing behind [ADB-25]") {
        connected { connection ->
            val pulling = launch(Dispatchers.Default) {
                connection.queryFlow("SELECT * FROM waits(3, 2, 1)").collect {}
            }
            awaitHeld()
            pulling.cancelAndJoin()
            c.calls("StatementCancel") shouldBeGreaterThan 0
            c.live(Live.STREAMS) shouldBe 0
            val emitted = CompletableDeferred<Unit>()
            val working = launch(Dispatchers.Default) {
                connection.queryFlow("SELECT * FROM batches(3, 2)").collect {
                    emitted.complete(Unit)
                    awaitCancellation()
                }
            }
            emitted.await()
            working.cancelAndJoin()
            c.live(Live.STREAMS) shouldBe 0
            connection.query("SELECT id FROM t").asFlow().map { it.length() }.toList() shouldBe listOf(10L)
        }
    }

    test("awaitConnect connects by a URI, and closes a connection that arrives after a cancellation [ADB-24]") {
        val driver = mapOf("driver" to "${c.file}")
        awaitConnect("faulty", driver).use { it.count() shouldBe 10 }
        c.hold("ConnectionInit")
        val connect = launch(Dispatchers.Default) { awaitConnect("faulty", driver) }
        awaitHeld()
        connect.cancel()
        c.letGo()
        connect.join()
        c.live(Live.DATABASES) shouldBe 0
    }
})
