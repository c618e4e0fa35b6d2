// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import org.arbalest.coroutines.batch
import org.arbalest.coroutines.int64
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.adbc.AdbcIngest.Mode
import org.arbalest.device.async.AsyncProducer
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.objects.Records
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.Schema
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.withNullRows
import java.nio.file.Path
import java.time.Duration
import java.util.concurrent.Callable
import java.util.concurrent.CountDownLatch
import java.util.concurrent.ExecutionException
import java.util.concurrent.Executors
import java.util.concurrent.Future
import java.util.concurrent.atomic.AtomicLong
import kotlin.concurrent.thread

private const val FAILS_LATE = "SELECT CASE WHEN range = 999999 THEN error('row ' || range) ELSE range END AS id " +
    "FROM range(1000000)"

/** A query so long that DuckDB cannot compute it ahead, and that still runs when a test cancels it. */
private const val LONG = "SELECT sum(a.range * b.range)::BIGINT AS s FROM range(10000000) a, range(100000) b"

/** Tests with DuckDB, a real driver that implements a large part of ADBC 1.1.0. */
class DuckDbSpec : FunSpec({
    extension(ResourceCountersExtension)

    test("a library is loaded by its entry point, as the newest version that it supports [ADB-01]") {
        DuckDb.driver.version() shouldBe AdbcVersion.V1_1_0
        DuckDb.driver.name() shouldBe "libduckdb.so"
        "${DuckDb.driver}" shouldBe "ADBC driver libduckdb.so of 1.1.0"
    }

    test("a file that is not a driver is rejected with the reason [ADB-02]") {
        shouldThrow<IllegalArgumentException> { AdbcDriver.load(Path.of("no-such-file.so")) }.message.let {
            it shouldContain "no ADBC driver at"
            it shouldContain "there is no such file"
        }
        shouldThrow<IllegalArgumentException> { AdbcDriver.load(Path.of("pom.xml")) }.message shouldContain
            "cannot be loaded: "
        shouldThrow<IllegalArgumentException> { AdbcDriver.load(DuckDb.library, "nothing_init") }.message shouldBe
            "libduckdb.so is not an ADBC driver: it has no function nothing_init"
    }

    test("a transaction that SQL begins is rolled back at the end of a pool's lease [ADB-31]") {
        val database = DuckDb.open()
        AdbcPool.of(database, 1, Duration.ofSeconds(5)).use { pool ->
            pool.acquire().use { it.connection().execute("CREATE TABLE x (id BIGINT)") }
            pool.acquire().use { lease ->
                lease.connection().execute("BEGIN TRANSACTION")
                lease.connection().execute("INSERT INTO x VALUES (1)")
            }
            pool.acquire().use { it.connection().execute("INSERT INTO x VALUES (2)") }
            pool.statistics().created() shouldBe 1
            database.connect().use { it.query("SELECT id FROM x").single() shouldBe 2L }
        }
    }

    test("options are set before a database is opened, and a rejected one leaves nothing behind [ADB-03]") {
        DuckDb.driver.open(mapOf("path" to ":memory:", "threads" to "1")).use { database ->
            database.connect().use { it.query("SELECT current_setting('threads')").single() shouldBe 1L }
            database.getOption("path") shouldBe ":memory:"
        }
        shouldThrow<AdbcException> { DuckDb.driver.open(mapOf("path" to "/no/such/folder/x.db")) }.operation() shouldBe
            "AdbcDatabaseInit"
        shouldThrow<IllegalArgumentException> { DuckDb.driver.open(mapOf("path" to 'x')) }.message shouldBe
            "the option path is a java.lang.Character, but must be a String, Boolean, Long, Integer, Double or byte[]"
        shouldThrow<IllegalArgumentException> { DuckDb.driver.open(mapOf("path" to "a\u0000b")) }.message shouldBe
            "value has a NUL character at 1, where C would end it"
    }

    test("an option unknown to the driver throws with its key [ADB-03]") {
        DuckDb.connected { connection ->
            shouldThrow<AdbcException> { connection.setOption("no.such.option", "secret") }.message.let {
                it shouldContain "AdbcConnectionSetOption(no.such.option) of libduckdb.so failed: NOT_IMPLEMENTED (2)"
            }
            shouldThrow<AdbcException> { connection.getOption("no.such.option") }.status() shouldBe AdbcStatus.NOT_FOUND
            connection.getOption("adbc.connection.catalog") shouldBe "memory"
        }
    }

    test("a result outlives its statement, connection and database [ADB-04]") {
        val reader = DuckDb.connected { it.query("SELECT range AS id FROM range(10)") }
        val batch = reader.use { it.next()!! }
        batch.use { Records.of(Id::class.java).rows(it).map(Id::id) shouldBe (0L until 10).toList() }
    }

    test("a handle works after its parents are closed, and throws after its own close [ADB-04]") {
        val database = DuckDb.open()
        val connection = database.connect()
        val statement = connection.createStatement()
        database.close()
        connection.close()
        statement.query("SELECT 42").single() shouldBe 42
        statement.close()
        listOf(statement, connection, database).forEach(AutoCloseable::close)
        shouldThrow<IllegalStateException> { statement.execute("SELECT 1") }.message shouldBe "the statement was closed"
        shouldThrow<IllegalStateException> { statement.cancel() }.message shouldBe "the statement was closed"
        shouldThrow<IllegalStateException> { connection.createStatement() }.message shouldBe "the connection was closed"
        shouldThrow<IllegalStateException> { database.connect() }.message shouldBe "the database was closed"
        "$database" shouldBe "database of libduckdb.so (closed)"
    }

    test("executing a statement again ends its earlier result, and the reader throws [ADB-05]") {
        DuckDb.connected { connection ->
            connection.createStatement().use { statement ->
                val first = statement.query("SELECT range AS id FROM range(100000)")
                first.next()!!.close()
                statement.query("SELECT 7").single() shouldBe 7
                val error = shouldThrow<DeviceException> { first.next() }
                error.errno() shouldBe Errno.ECANCELED
                error.message shouldContain "because AdbcStatementSetSqlQuery changed its statement"
                first.close()
            }
        }
    }

    test("8 threads pull results of several connections at the same time [ADB-06]") {
        DuckDb.open().use { database ->
            val rows = AtomicLong()
            val threads = List(8) {
                thread {
                    database.connect().use { connection ->
                        repeat(5) {
                            connection.query("SELECT range AS id FROM range(20000)").use { reader ->
                                reader.forEach { batch -> rows.addAndGet(batch.length()) }
                            }
                        }
                    }
                }
            }
            threads.forEach(Thread::join)
            rows.get() shouldBe 8 * 5 * 20_000L
        }
    }

    test("8 threads share one connection, which runs their calls one after another [ADB-06]") {
        DuckDb.connected { connection ->
            val results = Executors.newFixedThreadPool(8).use { pool ->
                List(8) { n -> pool.submit<Any?> { List(20) { connection.query("SELECT $n").single() } } }
                    .map(Future<*>::get)
            }
            results shouldBe List(8) { n -> List(20) { n } }
        }
    }

    test("an error has the function, driver, status, message and the beginning of the SQL [ADB-07]") {
        DuckDb.connected { connection ->
            val sql = "SELECT nothing,\n   ${"x".repeat(300)} FROM nowhere"
            val error = shouldThrow<AdbcException> { connection.query(sql) }
            error.operation() shouldBe "AdbcStatementSetSqlQuery"
            error.message shouldContain
                "AdbcStatementSetSqlQuery of libduckdb.so failed: ${error.status()} (${error.statusCode()}): "
            error.message shouldContain "; the SQL: SELECT nothing, xxxx"
            error.message shouldContain "xxx…"
            error.message shouldNotContain "x".repeat(200)
            error.driverMessage() shouldContain "nowhere"
            error.details().shouldBeEmpty()
            error.vendorCode().isEmpty shouldBe true
        }
    }

    test("a query that fails midway throws the driver's error from its reader, on each pull [ADB-08]") {
        DuckDb.connected { connection ->
            connection.query(FAILS_LATE).use { reader ->
                val error = shouldThrow<AdbcException> { reader.forEach {} }
                error.operation() shouldBe "get_next of the result"
                error.driverMessage() shouldContain "row 999999"
                error.message shouldContain "; the SQL: SELECT CASE"
                shouldThrow<DeviceException> { reader.next() }.cause shouldBe error
            }
        }
    }

    test("parameters are bound, and a prepared statement executes again with others [ADB-09]") {
        DuckDb.connected { connection ->
            connection.createStatement().use { statement ->
                statement.setSqlQuery("SELECT $1::BIGINT + $2::BIGINT AS sum")
                statement.prepare()
                statement.parameterSchema().fields().size shouldBe 2
                statement.executeSchema().fields().single().type() shouldBe DataType.INT64
                for (n in 1L..3L) {
                    statement.bind(
                        Devices.cpu().batch(1) {
                            int64("a", longArrayOf(n))
                            int64("b", longArrayOf(10))
                        },
                    )
                    statement.executeQuery().single() shouldBe n + 10
                }
                statement.bind(ids(1))
                shouldThrow<AdbcException> { statement.executeQuery() }.driverMessage() shouldContain
                    "Values were not provided for the following parameters: 2"
            }
        }
    }

    test("batches are ingested in each mode [ADB-10]") {
        DuckDb.connected { connection ->
            fun sum() = connection.query("SELECT sum(id)::BIGINT FROM ids").single()
            connection.ingest("ids", reader(1, 2, 39)) shouldBe 3
            sum() shouldBe 42L
            shouldThrow<AdbcException> { connection.ingest("ids", reader(1)) }.status() shouldBe
                AdbcStatus.ALREADY_EXISTS
            connection.ingest(AdbcIngest.into("ids").with(Mode.APPEND), ids(58))
            sum() shouldBe 100L
            connection.ingest(AdbcIngest.into("ids").with(Mode.REPLACE), reader(7))
            sum() shouldBe 7L
            connection.ingest(AdbcIngest.into("ids").with(Mode.CREATE_APPEND), reader(1, 2))
            sum() shouldBe 10L
            connection.execute("CREATE SCHEMA raw")
            connection.ingest(AdbcIngest.into("ids").inCatalog("memory").inSchema("raw"), reader(5)) shouldBe 1
            connection.query("SELECT id FROM memory.raw.ids").single() shouldBe 5L
            connection.ingest(AdbcIngest.into("t").temporary(), ids(6)) shouldBe 1
            connection.query("SELECT id FROM temp.t").single() shouldBe 6L
        }
    }

    test("a statement's next target does not keep the place of the previous target [ADB-10]") {
        DuckDb.open().use { database ->
            database.connect().use { connection ->
                connection.execute("CREATE SCHEMA raw")
                connection.createStatement().use { statement ->
                    for (target in listOf(
                        AdbcIngest.into("a").temporary(), AdbcIngest.into("b"), AdbcIngest.into("c").inSchema("raw"),
                    )) {
                        statement.setIngest(target)
                        statement.bind(ids(1))
                        statement.executeUpdate() shouldBe 1
                    }
                    shouldThrow<IllegalStateException> { statement.setIngest(AdbcIngest.into("d")) }
                        .message shouldContain "use a separate statement for each target"
                }
                database.connect().use { other ->
                    shouldThrow<AdbcException> { other.query("SELECT id FROM a") }
                    for (table in listOf("b", "raw.c")) other.query("SELECT id FROM $table").single() shouldBe 1L
                }
            }
        }
    }

    test("cancel ends an ingestion that waits for its source, though DuckDB treats that as the end [ADB-12]") {
        DuckDb.connected { connection ->
            connection.createStatement().use { statement ->
                val source = WaitingSource()
                statement.setIngest(AdbcIngest.into("ids"))
                statement.bind(RecordBatchReader.of(IDS, source))
                Executors.newSingleThreadExecutor().use { pool ->
                    try {
                        val ingestion = pool.submit(Callable { statement.executeUpdate() })
                        source.entered.await()
                        statement.cancel()
                        (shouldThrow<ExecutionException> { ingestion.get() }.cause as AdbcException).status() shouldBe
                            AdbcStatus.CANCELLED
                    } finally {
                        source.gate.countDown()
                    }
                }
            }
        }
    }

    test("a failing bound reader throws its own error, though DuckDB treats the failure as the end [ADB-10]") {
        DuckDb.connected { connection ->
            shouldThrow<DeviceException> { connection.ingest("ids", failing()) }.message shouldContain "the tape tore"
            val consumed = reader(1).also(RecordBatchReader::close)
            shouldThrow<IllegalStateException> { connection.ingest("more", consumed) }.message shouldBe
                "the reader was closed"
        }
    }

    test("a batch or reader that cannot be bound is closed [ADB-10]") {
        DuckDb.connected { connection ->
            connection.createStatement().use { statement ->
                ids(1).use { it.retainChild(0) }.use { noBatch ->
                    shouldThrow<IllegalArgumentException> { statement.bind(noBatch.asRecordBatch()) }
                }
            }
            val late = connection.createStatement().also(AdbcStatement::close)
            val batch = ids(1)
            shouldThrow<IllegalStateException> { late.bind(batch) }
            batch.isOpen shouldBe false
            shouldThrow<IllegalStateException> { late.bind(reader(1, 2)) }
        }
    }

    test("a bound result of the same connection is rejected, since that connection is busy [ADB-11]") {
        DuckDb.open().use { database ->
            database.connect().use { connection ->
                val error = shouldThrow<DeviceException> {
                    connection.ingest("copy", connection.query("SELECT range AS id FROM range(10)"))
                }
                error.message shouldContain "a result of the connection that is executing"
                database.connect().use { other ->
                    connection.ingest("copy2", other.query("SELECT range AS id FROM range(10)")) shouldBe 10
                }
            }
        }
    }

    test("another thread can cancel a query [ADB-12]") {
        DuckDb.connected { connection ->
            connection.createStatement().use { statement ->
                val started = CountDownLatch(1)
                val query = Executors.newSingleThreadExecutor().use { pool ->
                    val query = pool.submit<Any?> {
                        started.countDown()
                        statement.query(LONG).single()
                    }
                    started.await()
                    // a cancel before the query throws INVALID_STATE
                    while (!query.isDone) runCatching { statement.cancel() }
                    query
                }
                val error = shouldThrow<java.util.concurrent.ExecutionException> { query.get() }.cause
                (error is AdbcException) shouldBe true
            }
            connection.query("SELECT 1").single() shouldBe 1
        }
    }

    test("a result that is not read to its end is released [ADB-13]") {
        DuckDb.connected { connection ->
            connection.query("SELECT range AS id FROM range(1000000)").use { it.next()!!.close() }
        }
    }

    test("closing the result of a long query cancels it, since DuckDB's release would wait for its end [ADB-28]") {
        DuckDb.connected { connection ->
            connection.query(LONG).close()
            connection.query("SELECT 1").single() shouldBe 1
        }
    }

    test("closing the result of a long query in a transaction returns, and the transaction goes on [ADB-28]") {
        DuckDb.connected { connection ->
            connection.execute("CREATE TABLE t (id BIGINT)")
            connection.isAutoCommit = false
            connection.execute("INSERT INTO t VALUES (1)")
            connection.query(LONG).close()
            connection.execute("INSERT INTO t VALUES (2)")
            connection.commit()
            connection.isAutoCommit = true
            connection.query("SELECT count(*) FROM t").single() shouldBe 2
        }
    }

    test("closing a result does not affect earlier and later results of the connection [ADB-28]") {
        DuckDb.connected { connection ->
            val first = connection.query("SELECT range AS id FROM range(100000)")
            val second = connection.query("SELECT range AS id FROM range(100000)")
            val third = connection.query(LONG)
            third.close()
            first.next()!!.close()
            first.close()
            second.rows().size shouldBe 100_000
        }
    }

    test("null rows of batches and slices are stored as nulls, also through streams and async streams [REQ-21]") {
        fun nullRow(isCounted: Boolean = true) = ids(1, 42, 3).withNullRows(1, isCounted = isCounted)
        val schema = nullRow().use { it.schema() }
        fun stream() = RecordBatchReader.of(schema, listOf(nullRow(), nullRow(isCounted = false)))
        val stored = listOf(1L, null, 3L)
        DuckDb.connected { connection ->
            fun stored(table: String) = connection.query("SELECT id FROM $table").rows().map { it.single() }
            connection.ingest("a", nullRow()) shouldBe 3
            stored("a") shouldBe stored
            connection.ingest("b", nullRow().use { it.slice(1, 2) }) shouldBe 2
            stored("b") shouldBe listOf(null, 3L)
            connection.ingest("c", nullRow().use { it.slice(2, 1) }) shouldBe 1
            stored("c") shouldBe listOf(3L)
            connection.ingest("d", stream()) shouldBe 6
            stored("d") shouldBe stored + stored
            val async = CData.importAsyncStream(CImport.DEVICE) { handler ->
                CData.exportAsyncStream(AsyncProducer.of(stream(), Metadata.empty()), handler,
                    { task -> thread { task.run() } }, CExport.DEVICE)
            }
            connection.ingest("e", async.reader(1)) shouldBe 6
            stored("e") shouldBe stored + stored
        }
    }

    test("a bound null row is a null parameter [REQ-21]") {
        DuckDb.connected { connection ->
            connection.createStatement().use { statement ->
                statement.setSqlQuery("SELECT ? AS v")
                statement.bind(ids(42).withNullRows(0))
                statement.executeQuery().single() shouldBe null
                val bound = ids(42).withNullRows(0)
                statement.bind(RecordBatchReader.of(bound.schema(), listOf(bound)))
                statement.executeQuery().single() shouldBe null
            }
        }
    }

    test("batches and streams with a null row are rejected if its column is not nullable [REQ-21]") {
        val strict = Field.of("id", DataType.INT64).withNullable(false)
        fun nullRow() = ids(1, 42, 3).use { it.convertTo(Schema.of(strict).asField()) }.withNullRows(1)
        DuckDb.connected { connection ->
            connection.execute("CREATE TABLE t (id BIGINT)")
            val into = AdbcIngest.into("t").with(Mode.APPEND)
            val bound = nullRow()
            for (refused in listOf({
                connection.ingest(into, nullRow())
            }, { connection.ingest(into, RecordBatchReader.of(bound.schema(), listOf(bound))) })) {
                val thrown = shouldThrow<DeviceException> { refused() }
                thrown.errno() shouldBe Errno.EINVAL
                thrown.message shouldContain
                    "$.id: row 1 of the batch is null in the batch's own bitmap, but this column is not nullable"
            }
            connection.query("SELECT id FROM t").rows().shouldBeEmpty()
        }
    }

    test("a function that DuckDB lacks throws NOT_IMPLEMENTED [ADB-14]") {
        DuckDb.connected { connection ->
            connection.createStatement().use { statement ->
                shouldThrow<AdbcException> { statement.setSubstraitPlan(byteArrayOf(1)) }.message shouldContain
                    "AdbcStatementSetSubstraitPlan of libduckdb.so failed: NOT_IMPLEMENTED (2): the driver has no " +
                    "such function"
                statement.setSqlQuery("SELECT 1")
                shouldThrow<AdbcException> { statement.executePartitions() }.status() shouldBe
                    AdbcStatus.NOT_IMPLEMENTED
            }
        }
    }
})

@JvmRecord
data class Id(val id: Long)
