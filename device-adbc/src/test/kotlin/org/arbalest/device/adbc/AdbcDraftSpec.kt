// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceException
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriver.Init
import org.arbalest.support.adbc.FaultyDriver.Live
import org.arbalest.support.adbc.FaultyDriverExtension
import org.arbalest.testkit.contract.eventually
import java.util.OptionalInt
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit.SECONDS

/** Tests of the draft of ADBC 1.2.0: negotiation, several results, warnings, vendor codes, requests, options. */
class AdbcDraftSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    val c by lazy { FaultyDriver.full }

    fun <T> connected(block: (AdbcConnection) -> T): T = Faulty.connected(Faulty.draft, block)

    /** Runs [block] with the results of [sql]. */
    fun <T> results(connection: AdbcConnection, sql: String, block: (AdbcMultiResultSet) -> T): T =
        connection.createStatement().use { statement ->
            statement.setSqlQuery(sql)
            statement.executeMulti().use(block)
        }

    fun AdbcMultiResultSet.single(): Any? = next()?.single()

    test("1.2.0 is requested on demand, and then 1.1.0 and 1.0.0 of a driver that is older [ADB-33]") {
        Faulty.driver.version() shouldBe AdbcVersion.V1_1_0
        val draft = Faulty.driver.request(AdbcVersion.V1_2_0)
        draft.version() shouldBe AdbcVersion.V1_2_0
        c.version shouldBe 1_002_000
        draft.open(mapOf<String, Any>()).use { c.version shouldBe 1_002_000 }
        c.init(Init.NO_DRAFT)
        val before = c.calls("init")
        Faulty.driver.request(AdbcVersion.V1_2_0).version() shouldBe AdbcVersion.V1_1_0
        c.calls("init") shouldBe before + 2
        Faulty.old.request(AdbcVersion.V1_2_0).version() shouldBe AdbcVersion.V1_0_0
        Faulty.connected(Faulty.old.request(AdbcVersion.V1_2_0)) { it.query("SELECT 42").single() shouldBe 42L }
        DuckDb.driver.request(AdbcVersion.V1_2_0).version() shouldBe AdbcVersion.V1_1_0
    }

    test("functions of the draft throw with both versions if they were not requested [ADB-33]") {
        Faulty.connected { connection ->
            connection.createStatement().use { statement ->
                statement.setSqlQuery("SELECT 1")
                for (call in listOf({ statement.executeMulti() }, { statement.executeSchemaMulti() },
                    { statement.requestSchema(Schema.of()) }, { connection.setWarningHandler {} })) {
                    val failure = shouldThrow<AdbcException> { call() }
                    failure.status() shouldBe AdbcStatus.NOT_IMPLEMENTED
                    failure.message shouldContain "it is a driver of ADBC 1.1.0, and this function is from 1.2.0"
                }
            }
        }
        shouldThrow<AdbcException> { Faulty.driver.options(AdbcOption.Level.DATABASE) }.status() shouldBe
            AdbcStatus.NOT_IMPLEMENTED
    }

    test("several results come one after another, with their affected rows, and then null [ADB-33]") {
        connected { connection ->
            results(connection, "SELECT 1; DELETE FROM t WHERE id < 3; SELECT * FROM batches(2, 3)") { results ->
                results.single() shouldBe 1
                results.affectedRows() shouldBe -1
                results.next()!!.use { it.next() }
                results.affectedRows() shouldBe 3
                results.next()!!.use { reader ->
                    generateSequence { reader.next() }.sumOf { batch -> batch.use { it.length() } } shouldBe 6
                }
                results.next() shouldBe null
                results.next() shouldBe null
            }
            c.live(Live.MULTI_RESULT_SETS) shouldBe 0
        }
    }

    test("the next result ends the previous reader, and so does a change of the statement [ADB-33]") {
        connected { connection ->
            connection.createStatement().use { statement ->
                statement.setSqlQuery("SELECT * FROM batches(2, 3); SELECT 2; SELECT 3")
                val results = statement.executeMulti()
                val first = results.next()!!
                first.next()!!.close()
                val second = results.next()!!
                shouldThrow<DeviceException> { first.next() }.message shouldContain
                    "AdbcMultiResultSetNext changed its statement"
                statement.setSqlQuery("SELECT 4")
                shouldThrow<DeviceException> { second.next() }.message shouldContain
                    "AdbcStatementSetSqlQuery changed its statement"
                shouldThrow<IllegalStateException> { results.next() }.message shouldBe "the results have ended, " +
                    "because AdbcStatementSetSqlQuery changed their statement. Use a separate statement"
                statement.executeQuery().single() shouldBe 4
                first.close()
                second.close()
                results.close()
                shouldThrow<IllegalStateException> { results.next() }
            }
            c.calls("MultiResultSetRelease") shouldBe 1
        }
    }

    test("results outlive their statement and connection, in any order of closing [ADB-33]") {
        val (results, reader) = connected { connection ->
            connection.createStatement().use { statement ->
                statement.setSqlQuery("SELECT 1; SELECT 2")
                val results = statement.executeMulti()
                results.single() shouldBe 1
                results to results.next()!!
            }
        }
        c.live(Live.STATEMENTS) shouldBe 1
        results.close()
        results.close()
        reader.close()
        c.live(Live.STATEMENTS) shouldBe 0
        c.live(Live.DATABASES) shouldBe 0
    }

    test("closing one of several results early does not cancel the later ones [ADB-33]") {
        connected { connection ->
            results(connection, "SELECT * FROM batches(9, 3); SELECT 2") { results ->
                results.next()!!.use { it.next()!!.close() }
                c.calls("StatementCancel") shouldBe 0
                results.single() shouldBe 2
            }
        }
    }

    test("a cancel of the statement reaches the pull of one of several results [ADB-33]") {
        connected { connection ->
            connection.createStatement().use { statement ->
                statement.setSqlQuery("SELECT 1; SELECT * FROM waits(3, 2, 1)")
                statement.executeMulti().use { results ->
                    results.single() shouldBe 1
                    results.next()!!.use { reader ->
                        reader.next()!!.close()
                        Executors.newSingleThreadExecutor().use { threads ->
                            val pull = threads.start { shouldThrow<AdbcException> { reader.next() }.status() }
                            eventually("the driver waits") { c.held > 0 }
                            statement.cancel()
                            pull.get() shouldBe AdbcStatus.CANCELLED
                        }
                    }
                }
            }
        }
    }

    test("bound rows reach the first of several results, and the reader is closed with the set [ADB-33]") {
        var isClosed = false
        connected { connection ->
            connection.createStatement().use { statement ->
                statement.setSqlQuery("SELECT ?; SELECT 2")
                val rows = reader(42)
                statement.bind(RecordBatchReader.of(IDS, object : DeviceArrayReader.Source<RecordBatch> {
                    override fun next() = rows.next()

                    override fun close() {
                        rows.close()
                        isClosed = true
                    }
                }))
                statement.executeMulti().use { results ->
                    results.single() shouldBe 42L
                    results.single() shouldBe 2
                }
                isClosed shouldBe true
            }
        }
    }

    test("a bound reader's failure is thrown, even if the driver takes it for the end, and leaves no result [ADB-33]") {
        c.endBindingsThatFail()
        connected { connection ->
            connection.createStatement().use { statement ->
                statement.setSqlQuery("SELECT ?; SELECT 2")
                statement.bind(failing())
                statement.executeMulti().use { results ->
                    shouldThrow<DeviceException> { results.next() }.message shouldContain "the tape tore"
                    c.live(Live.STREAMS) shouldBe 0
                }
                statement.query("SELECT 1").single() shouldBe 1L
            }
        }
    }

    test("a cancel of the statement ends the next result's wait for bound rows [ADB-33]") {
        connected { connection ->
            connection.createStatement().use { statement ->
                val source = WaitingSource()
                statement.setSqlQuery("SELECT ?; SELECT 2")
                statement.bind(RecordBatchReader.of(IDS, source))
                Executors.newSingleThreadExecutor().use { threads ->
                    statement.executeMulti().use { results ->
                        val next = threads.start { results.next() }
                        source.entered.await(5, SECONDS) shouldBe true
                        statement.cancel()
                        try {
                            next.error().shouldBeInstanceOf<AdbcException>().status() shouldBe AdbcStatus.CANCELLED
                        } finally {
                            source.gate.countDown()
                        }
                    }
                }
            }
        }
    }

    test("results come as partitions, and end with null [ADB-33]") {
        connected { connection ->
            results(connection, "SELECT * FROM t; SELECT 2 AS n") { results ->
                val parts = results.nextPartitions()!!
                parts.partitions().sumOf { part ->
                    connection.readPartition(part).use { reader ->
                        generateSequence { reader.next() }.sumOf { batch -> batch.use { it.length() } }
                    }
                } shouldBe 10
                results.nextPartitions()!!.schema()!!.fields().map(Field::name) shouldBe listOf("n")
                results.nextPartitions() shouldBe null
            }
        }
    }

    test("the schemas of all results come without an execution [ADB-33]") {
        connected { connection ->
            connection.createStatement().use { statement ->
                statement.setSqlQuery("SELECT 1 AS a; SELECT id, name FROM t")
                statement.executeSchemaMulti().map { schema -> schema.fields().map(Field::name) } shouldBe
                    listOf(listOf("a"), listOf("id", "name"))
                statement.executeMulti().use { it.single() shouldBe 1 }
            }
        }
    }

    test("a failure of the execution, of a result and of its schema is an error that leaves nothing [ADB-33]") {
        connected { connection ->
            connection.createStatement().use { statement ->
                statement.setSqlQuery("SELECT 1; SELECT * FROM nowhere")
                c.fail("StatementExecuteMulti", status = 10)
                shouldThrow<AdbcException> { statement.executeMulti() }.operation() shouldBe "AdbcStatementExecuteMulti"
                statement.executeMulti().use { results ->
                    results.single() shouldBe 1
                    shouldThrow<AdbcException> { results.next() }.let {
                        it.operation() shouldBe "AdbcMultiResultSetNext"
                        it.status() shouldBe AdbcStatus.NOT_FOUND
                    }
                    results.next() shouldBe null
                }
                c.fail("get_schema", status = 5)
                statement.executeMulti().use { shouldThrow<AdbcException> { it.next() } }
            }
        }
    }

    test("warnings reach the handler in order, and are released; the driver's memory is not kept [ADB-34]") {
        val received = CopyOnWriteArrayList<AdbcWarning>()
        connected { connection ->
            connection.setWarningHandler(received::add)
            for (count in listOf(3, -2)) { // on the calling thread, and each on a thread of the driver
                received.clear()
                c.warn(count)
                connection.execute("DELETE FROM t WHERE id = 0")
                eventually("the warnings have arrived") { received.size == Math.abs(count) }
                received shouldContainExactly
                    List(Math.abs(count)) { AdbcWarning("warning $it", "01000", OptionalInt.empty()) }
            }
            c.live(Live.ERRORS) shouldBe 0
            c.errors(FaultyDriver.Style.VENDOR_CODE)
            received.clear()
            connection.execute("DELETE FROM t WHERE id = 0")
            eventually("the warnings have arrived") { received.size == 2 }
            received.first().vendorCode() shouldBe OptionalInt.of(4711)
        }
    }

    test("a driver that passes NULL as a warning does no harm [ADB-34]") {
        val received = CopyOnWriteArrayList<AdbcWarning>()
        connected { connection ->
            connection.setWarningHandler(received::add)
            c.warnOfNothing()
            c.warn(1)
            connection.execute("DELETE FROM t WHERE id = 0")
            eventually("the other warning has arrived") { received.map { it.message() } == listOf("warning 0") }
        }
    }

    test("a handler may call its connection; it is replaced and removed, and its failure fails no call [ADB-34]") {
        connected { connection ->
            val answers = CopyOnWriteArrayList<Any?>()
            connection.setWarningHandler { answers += connection.query("SELECT 42").single() }
            c.warn(1)
            connection.createStatement().use { statement ->
                statement.setSqlQuery("DELETE FROM t WHERE id = 0")
                statement.executeUpdate()
                c.warn(0)
            }
            eventually("the handler has queried") { answers.isNotEmpty() }
            c.warn(2)
            val both = CountDownLatch(2)
            connection.setWarningHandler {
                both.countDown()
                throw AssertionError("the handler fails")
            }
            connection.execute("DELETE FROM t WHERE id = 0")
            both.await(5, SECONDS) shouldBe true
            connection.setWarningHandler(null)
            connection.execute("DELETE FROM t WHERE id = 0")
            c.fail("ConnectionSetWarningHandler", status = 10)
            shouldThrow<AdbcException> { connection.setWarningHandler {} }.status() shouldBe AdbcStatus.IO
        }
    }

    test("an error with details has its vendor code too [ADB-33]") {
        connected { connection ->
            val failure = shouldThrow<AdbcException> { connection.query("SELECT * FROM nowhere") }
            failure.vendorCode() shouldBe OptionalInt.of(4711)
            failure.details().size shouldBe 2
        }
        Faulty.connected { connection ->
            shouldThrow<AdbcException> { connection.query("SELECT * FROM nowhere") }.vendorCode() shouldBe
                OptionalInt.empty()
        }
    }

    test("a requested schema applies to the next execution, and is released on every path [ADB-33]") {
        connected { connection ->
            connection.createStatement().use { statement ->
                statement.setSqlQuery("SELECT id, name FROM t")
                statement.requestSchema(Schema.of(Field.of("id", DataType.UTF8), Field.of("name", DataType.UTF8)))
                statement.executeQuery().use { it.schema().fields().first().type() shouldBe DataType.UTF8 }
                statement.setSqlQuery("SELECT id FROM t")
                statement.executeQuery().use { it.schema().fields().first().type() shouldBe DataType.INT64 }
                c.fail("StatementRequestSchema", status = 2)
                shouldThrow<AdbcException> { statement.requestSchema(Schema.of()) }.status() shouldBe
                    AdbcStatus.NOT_IMPLEMENTED
            }
        }
    }

    test("the options of a driver are listed by level, with types, values and defaults [ADB-33]") {
        val options = Faulty.draft.options(AdbcOption.Level.STATEMENT).associateBy { it.name() }
        options.keys shouldBe setOf("adbc.statement.exec.incremental", "fake.user.x")
        options.getValue("adbc.statement.exec.incremental") shouldBe AdbcOption(
            "adbc.statement.exec.incremental", setOf(AdbcOption.Level.STATEMENT), setOf(AdbcOption.Type.STRING),
            listOf(AdbcOption.Value("true", "some partitions"), AdbcOption.Value("false", null)), "false", false, true,
            true, null,
        )
        with(options.getValue("fake.user.x")) {
            levels() shouldBe AdbcOption.Level.entries.toSet()
            types() shouldBe AdbcOption.Type.entries.toSet()
            values().shouldBeEmpty()
        }
        Faulty.draft.options(AdbcOption.Level.DATABASE).first { it.name() == "uri" }.let {
            it.isRequired shouldBe true
            it.canSetAfter() shouldBe false
            it.documentation() shouldBe "the address of the server"
        }
        c.fail("DatabaseInit", status = 10)
        shouldThrow<AdbcException> { Faulty.draft.options(AdbcOption.Level.DATABASE) }.let {
            it.operation() shouldBe "AdbcDriverGetOptionsList"
            it.status() shouldBe AdbcStatus.IO
        }
    }
})
