// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import org.arbalest.device.DeviceException
import org.arbalest.device.Errno
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriverExtension
import org.arbalest.testkit.contract.eventually
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit

/** Tests of results that end early: by their close, or by another call of their connection. */
class AdbcStatementResultSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    val c by lazy { Faulty.c }

    for ((how, begin) in mapOf<String, (AdbcDatabase) -> AdbcConnection>(
        "setAutoCommit" to { database -> database.connect().also { it.isAutoCommit = false } },
        "an option" to { database -> database.connect().also { it.setOption("adbc.connection.autocommit", "false") } },
        "an option of connect" to { it.connect(mapOf("adbc.connection.autocommit" to false)) },
    )) test("closing a result early keeps the transaction, though a cancel aborts it; begun by $how [ADB-28]") {
        c.abortOnCancel()
        Faulty.driver.open(mapOf<String, Any>()).use { database ->
            begin(database).use { connection ->
                connection.createStatement().use { statement ->
                    connection.execute("DELETE FROM t WHERE id < 4") shouldBe 4
                    connection.query("SELECT * FROM batches(9, 2)").use { it.next()!!.close() }
                    connection.query("SELECT * FROM batches(9, 2)").close()
                    statement.query("SELECT * FROM batches(9, 2)").use {
                        statement.query("SELECT count(*) FROM t").single() shouldBe 6L
                    }
                    connection.commit()
                }
                c.calls("StatementCancel") shouldBe 0
                c.calls("stream.unfinished") shouldBe 3
                connection.isAutoCommit = true
                connection.query("SELECT * FROM batches(9, 2)").close()
                c.calls("StatementCancel") shouldBe 1
                connection.query("SELECT count(*) FROM t").single() shouldBe 6L
            }
        }
    }

    test("within a transaction, a release that waits is ended by one cancel [ADB-28]") {
        Faulty.connected { connection ->
            connection.isAutoCommit = false
            c.hold("stream.release")
            lettingGo(Executors.newSingleThreadExecutor()) { pool ->
                val close = pool.start { connection.query("SELECT * FROM batches(9, 2)").close() }
                eventually("the driver receives a cancel") { c.calls("StatementCancel") == 1L }
                close.isDone shouldBe false
                c.letGo()
                close.get(5, TimeUnit.SECONDS)
            }
            connection.query("SELECT * FROM batches(3, 2)").rows().size shouldBe 6
            c.calls("StatementCancel") shouldBe 1
        }
    }

    for ((call, use) in mapOf<String, (AdbcConnection) -> Any?>(
        "AdbcConnectionGetOption(adbc.connection.db_schema)" to { it.currentDbSchema() },
        "AdbcConnectionGetTableSchema(t)" to { it.tableSchema("t") },
        "AdbcConnectionGetTableTypes" to { it.tableTypes() },
        "AdbcStatementExecuteQuery (DELETE FROM t)" to { it.execute("DELETE FROM t") },
        "AdbcStatementExecuteQuery (SELECT 1)" to { connection ->
            connection.query("SELECT 1").single().also { connection.currentCatalog() }
        },
    )) test("an error of a result that another call ended names $call [ADB-05]") {
        c.oneCopy()
        c.queryForOptions()
        Faulty.connected { connection ->
            connection.query("SELECT * FROM batches(9, 2)").use { result ->
                result.next()!!.close()
                use(connection)
                shouldThrow<AdbcException> { result.next() }.let {
                    it.driverMessage() shouldBe "get_next: no COPY in progress"
                    it.message shouldContain "before, the connection called $call, which may have ended this result"
                }
            }
            connection.query("SELECT * FROM batches(3, 2)").rows().size shouldBe 6
        }
    }

    test("an error of a result names no call before the last pull, nor one that no driver treats as its end [ADB-05]") {
        Faulty.connected { connection ->
            connection.createStatement().use { statement ->
                connection.query("SELECT * FROM batches(9, 2)").use { result ->
                    connection.currentDbSchema()
                    result.next()!!.close()
                    statement.setSqlQuery("SELECT 1")
                    statement.setOption("fake.user.x", "y")
                    statement.progress() shouldBe 0.0
                    c.fail("get_next", status = Errno.EIO)
                    shouldThrow<AdbcException> { result.next() }.message shouldNotContain "before"
                }
            }
        }
    }

    test("an ended result names the change of its statement [ADB-05]") {
        Faulty.connected { connection ->
            connection.createStatement().use { statement ->
                for ((change, make) in mapOf<String, () -> Any>(
                    "AdbcStatementSetSqlQuery" to { statement.setSqlQuery("SELECT 1") },
                    "AdbcStatementBind" to { statement.bind(ids(1)) },
                    "AdbcStatementBindStream" to { statement.bind(reader(1)) },
                    "AdbcStatementPrepare" to { statement.prepare() },
                    "AdbcStatementExecuteSchema" to { statement.executeSchema() },
                    "AdbcStatementSetOption" to { statement.setIngest(AdbcIngest.into("x")) },
                )) {
                    statement.setSqlQuery("SELECT * FROM batches(9, 2)")
                    statement.executeQuery().use { result ->
                        make()
                        shouldThrow<DeviceException> { result.next() }.message shouldBe
                            "the result has ended, because $change changed its statement. " +
                            "Use a separate statement for each result"
                    }
                }
            }
        }
    }

    test("rows of a later result are never returned as rows of an earlier one, and both results then throw [ADB-05]") {
        c.oneCopy()
        Faulty.connected { connection ->
            connection.query("SELECT * FROM batches(9, 2)").use { first ->
                first.next()!!.close()
                connection.query("SELECT * FROM batches(5, 4)").use { second ->
                    second.next()!!.close()
                    for (result in listOf(first, second)) {
                        shouldThrow<AdbcException> { result.next() }.let {
                            it.status() shouldBe AdbcStatus.INVALID_STATE
                            it.message shouldContain "two results of one connection were read in turns"
                        }
                    }
                }
            }
            c.live(FaultyDriver.Live.ARRAYS) shouldBe 0
            connection.query("SELECT * FROM batches(3, 2)").rows().size shouldBe 6
        }
    }

    test("the rows that a failed pull of an earlier result may have taken are not missing silently [ADB-05]") {
        c.oneCopy()
        Faulty.connected { connection ->
            connection.query("SELECT * FROM batches(9, 2)").use { first ->
                connection.query("SELECT * FROM batches(5, 4)").use { second ->
                    c.fail("get_next", status = Errno.EIO)
                    shouldThrow<AdbcException> { first.next() }.status() shouldBe AdbcStatus.INTERNAL
                    shouldThrow<AdbcException> { second.next() }.status() shouldBe AdbcStatus.INVALID_STATE
                }
            }
        }
    }

    test("results that are read in turns continue if the driver permits it [ADB-05]") {
        Faulty.connected { connection ->
            val results = List(3) { connection.query("SELECT * FROM batches(5, 4)") }
            repeat(5) { for (result in results) result.next()!!.close() }
            for (result in results) result.rows().size shouldBe 0
        }
    }

    test("the result of a bound query continues after another execution [ADB-05]") {
        c.oneCopy()
        Faulty.connected { connection ->
            connection.createStatement().use { statement ->
                statement.setSqlQuery("SELECT ? AS id")
                statement.bind(ids(7))
                statement.executeQuery().use { first ->
                    connection.query("SELECT * FROM batches(5, 4)").use { second ->
                        first.rows().single().single() shouldBe 7L
                        second.rows().size shouldBe 20
                    }
                }
                statement.setSqlQuery("SELECT * FROM batches(9, 2)") // without the batch of the execution before
                statement.executeQuery().use { first ->
                    connection.query("SELECT * FROM batches(5, 4)").use {
                        shouldThrow<AdbcException> { first.next() }.status() shouldBe AdbcStatus.INVALID_STATE
                    }
                }
            }
        }
    }
})
