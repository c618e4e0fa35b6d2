// SPDX-License-Identifier: Apache-2.0
package org.arbalest.adbc.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.adbc.AdbcConnection
import org.arbalest.device.adbc.AdbcException
import org.arbalest.device.adbc.AdbcStatus
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriverExtension
import java.util.concurrent.Executors

class TransactionsSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    /** Cancels a transaction while the driver holds one of its calls. Returns the outcome of the transaction. */
    suspend fun <T> cancelledWhileHeld(connection: AdbcConnection, block: suspend AdbcConnection.() -> T): Result<T> {
        val came = CompletableDeferred<Result<T>>()
        coroutineScope {
            val job = launch(Dispatchers.Default) {
                came.complete(runCatching { connection.transaction(block = block) })
            }
            awaitHeld()
            job.cancel()
            c.letGo()
            job.join()
        }
        return came.await()
    }

    test("a flow whose collector fails keeps the transaction, though a cancel aborts it [ADB-28]") {
        c.abortOnCancel()
        connected { connection ->
            connection.transaction {
                awaitExecute("DELETE FROM t WHERE id < 4")
                runCatching { queryFlow("SELECT * FROM batches(9, 2)").collect { error("enough") } }
                awaitExecute("DELETE FROM t WHERE id = 4")
            }
            c.calls("StatementCancel") shouldBe 0
            connection.count() shouldBe 5
        }
    }

    test("a block that returns although a statement has failed on PostgreSQL is rolled back, and throws [ADB-26]") {
        c.bindAsPostgreSql()
        connected { connection ->
            shouldThrow<AdbcException> {
                connection.transaction {
                    awaitExecute("DELETE FROM t WHERE id < 4")
                    runCatching { awaitExecute("INSERT INTO t (id) VALUES (9)") }
                }
            }.sqlState() shouldBe "25P02"
            connection.isAutoCommit shouldBe true
            connection.count() shouldBe 10
        }
    }

    test("a transaction commits when its block returns, and rolls back when it throws or is cancelled [ADB-26]") {
        connected { connection ->
            connection.transaction {
                awaitExecute("DELETE FROM t WHERE id = 1")
                isAutoCommit shouldBe false
                "answer"
            } shouldBe "answer"
            connection.isAutoCommit shouldBe true
            connection.count() shouldBe 9
            shouldThrow<IllegalArgumentException> {
                connection.transaction {
                    awaitExecute("DELETE FROM t WHERE id = 2")
                    throw IllegalArgumentException("no")
                }
            }.suppressed.size shouldBe 0
            connection.isAutoCommit shouldBe true
            connection.count() shouldBe 9
            val deleted = CompletableDeferred<Unit>()
            coroutineScope {
                val cancelled = launch {
                    connection.transaction {
                        awaitExecute("DELETE FROM t")
                        deleted.complete(Unit)
                        awaitCancellation()
                    }
                }
                deleted.await()
                cancelled.cancelAndJoin()
            }
            connection.isAutoCommit shouldBe true
            connection.count() shouldBe 9
        }
    }

    test("a failed commit is rolled back [ADB-26]") {
        connected { connection ->
            c.fail("ConnectionCommit", status = AdbcStatus.INTEGRITY.code())
            val error = shouldThrow<AdbcException> { connection.transaction { awaitExecute("DELETE FROM t") } }
            error.status() shouldBe AdbcStatus.INTEGRITY
            error.suppressed.size shouldBe 0
            connection.isAutoCommit shouldBe true
            connection.count() shouldBe 10
        }
    }

    test("a failed rollback commits nothing, leaves autocommit off, and says so in the error [ADB-26]") {
        opened { database ->
            database.connect().use { connection ->
                suspend fun isOpen(error: Throwable) {
                    val suppressed = error.suppressed.single().shouldBeInstanceOf<IllegalStateException>()
                    suppressed.message shouldContain "autocommit was not switched on"
                    suppressed.cause.shouldBeInstanceOf<AdbcException>().operation() shouldBe "AdbcConnectionRollback"
                    connection.isAutoCommit shouldBe false
                    database.connect().use { it.count() shouldBe 10 }
                    connection.rollback()
                    connection.count() shouldBe 10
                    connection.isAutoCommit = true
                }
                c.fail("ConnectionRollback", status = AdbcStatus.TIMEOUT.code())
                isOpen(
                    shouldThrow<IllegalArgumentException> {
                        connection.transaction {
                            awaitExecute("DELETE FROM t")
                            throw IllegalArgumentException("no")
                        }
                    },
                )
                c.fail("ConnectionCommit", status = AdbcStatus.IO.code())
                c.fail("ConnectionRollback", status = AdbcStatus.IO.code())
                val gone = shouldThrow<AdbcException> { connection.transaction { awaitExecute("DELETE FROM t") } }
                gone.operation() shouldBe "AdbcConnectionCommit"
                isOpen(gone)
            }
        }
    }

    test(
        "the block does not run if autocommit stays on, and is committed if autocommit cannot be restored " +
            "[ADB-26]",
    ) {
        connected { connection ->
            c.fail("ConnectionSetOption", status = AdbcStatus.IO.code())
            val off = shouldThrow<AdbcException> { connection.transaction { error("block ran") } }
            off.operation() shouldContain "AdbcConnectionSetOption"
            off.suppressed.size shouldBe 0
            connection.isAutoCommit shouldBe true
            c.fail("ConnectionSetOption", nth = 2, status = AdbcStatus.IO.code())
            shouldThrow<AdbcException> { connection.transaction { awaitExecute("DELETE FROM t WHERE id = 1") } }
                .operation() shouldContain "AdbcConnectionSetOption"
            connection.isAutoCommit = true
            connection.count() shouldBe 9
        }
    }

    test("the result of a block is closed if the transaction fails after the block [ADB-26]") {
        connected { connection ->
            for ((call, nth) in listOf("ConnectionSetOption" to 2L, "ConnectionCommit" to 1L)) {
                c.fail(call, nth = nth, status = AdbcStatus.IO.code())
                var made: RecordBatchReader? = null
                shouldThrow<AdbcException> {
                    connection.transaction { awaitQuery("SELECT id FROM t").also { made = it } }
                }.suppressed.size shouldBe 0
                shouldThrow<IllegalStateException> { made!!.next() }.message shouldBe "the reader was closed"
                connection.isAutoCommit = true
            }
            c.fail("ConnectionCommit", status = AdbcStatus.IO.code())
            shouldThrow<AdbcException> { connection.transaction { this } }
            connection.count() shouldBe 10 // the connection was not closed
        }
    }

    test("a transaction cancelled while it switches autocommit off restores it, and does not run the block [ADB-26]") {
        connected { connection ->
            c.hold("ConnectionSetOption")
            cancelledWhileHeld(connection) { error("block ran") }.exceptionOrNull()
                .shouldBeInstanceOf<CancellationException>()
            connection.isAutoCommit shouldBe true
        }
    }

    test("a transaction cancelled during its commit or the return to autocommit still returns its result [ADB-26]") {
        connected { connection ->
            c.hold("ConnectionCommit")
            val committed = cancelledWhileHeld(connection) {
                awaitExecute("DELETE FROM t WHERE id = 1")
                "answer"
            }
            committed.getOrThrow() shouldBe "answer"
            connection.isAutoCommit shouldBe true
            connection.count() shouldBe 9
            c.hold("ConnectionSetOption", nth = 2)
            val behind = cancelledWhileHeld(connection) { awaitExecute("DELETE FROM t WHERE id = 2") }
            behind.getOrThrow() shouldBe 1
            connection.isAutoCommit shouldBe true
            connection.count() shouldBe 8
            c.calls("ConnectionRollback") shouldBe 0
        }
    }

    test(
        "a transaction cancelled during its rollback throws the block's error, with later failures suppressed " +
            "[ADB-26]",
    ) {
        connected { connection ->
            c.hold("ConnectionRollback")
            c.fail("ConnectionSetOption", nth = 2, status = AdbcStatus.IO.code())
            val error = cancelledWhileHeld(connection) {
                awaitExecute("DELETE FROM t")
                throw IllegalArgumentException("no")
            }.exceptionOrNull().shouldBeInstanceOf<IllegalArgumentException>()
            error.suppressed.single().shouldBeInstanceOf<AdbcException>().operation() shouldContain
                "AdbcConnectionSetOption"
            connection.isAutoCommit = true
            connection.count() shouldBe 10
        }
    }

    test("transaction rejects a connection that is in a transaction, and leaves that one open [ADB-26]") {
        connected { connection ->
            connection.isAutoCommit = false
            connection.execute("DELETE FROM t WHERE id = 1")
            shouldThrow<IllegalStateException> { connection.transaction { error("block ran") } }.message shouldContain
                "in a transaction already"
            connection.isAutoCommit shouldBe false
            connection.count() shouldBe 9
            connection.rollback()
            connection.count() shouldBe 10
            connection.isAutoCommit = true
            shouldThrow<IllegalStateException> {
                connection.transaction {
                    awaitExecute("DELETE FROM t WHERE id = 1")
                    transaction { error("block ran") }
                }
            }.message shouldContain "in a transaction already"
            connection.isAutoCommit shouldBe true
            connection.count() shouldBe 10
        }
    }

    test("a driver that cannot report autocommit is assumed to have it on, and any other error is thrown [ADB-26]") {
        c.init(FaultyDriver.Init.OLD)
        connected { connection ->
            connection.transaction { awaitExecute("DELETE FROM t WHERE id = 1") } shouldBe 1
            connection.count() shouldBe 9
        }
        c.reset()
        connected { connection ->
            c.fail("ConnectionGetOption", status = AdbcStatus.IO.code())
            shouldThrow<AdbcException> { connection.transaction { error("block ran") } }
                .status() shouldBe AdbcStatus.IO
            c.calls("ConnectionSetOption") shouldBe 0
        }
    }

    test("a dispatcher that is shut down in the block prevents neither the commit nor the rollback [ADB-26]") {
        connected { connection ->
            fun single() = Executors.newSingleThreadExecutor().asCoroutineDispatcher()
            val first = single()
            connection.transaction(first) {
                awaitExecute("DELETE FROM t WHERE id = 1").also { first.close() }
            } shouldBe 1
            connection.isAutoCommit shouldBe true
            connection.count() shouldBe 9
            val second = single()
            shouldThrow<IllegalArgumentException> {
                connection.transaction(second) {
                    awaitExecute("DELETE FROM t")
                    second.close()
                    throw IllegalArgumentException("no")
                }
            }.suppressed.size shouldBe 0
            connection.isAutoCommit shouldBe true
            connection.count() shouldBe 9
            shouldThrow<IllegalStateException> { connection.transaction(second) { error("block ran") } }
                .message shouldContain "was shut down"
        }
    }
})
