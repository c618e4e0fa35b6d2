// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.adbc.AdbcConnection
import org.arbalest.device.adbc.AdbcException
import org.arbalest.device.adbc.AdbcIngest
import org.arbalest.device.adbc.AdbcPool
import org.arbalest.device.adbc.AdbcStatement
import org.arbalest.device.adbc.AdbcStatus
import org.arbalest.device.adbc.Faulty
import org.arbalest.device.adbc.rows
import org.arbalest.device.adbc.single
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriverExtension
import java.time.Duration
import java.time.Instant

/** The transaction that PostgreSQL's driver begins for bound times with a zone. The double is `foibles.c`. */
class DriverTransactionSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    val moment = Instant.parse("2024-10-04T05:06:07Z")

    /** Runs [block] with a connection; after that, another connection looks for rows that [block] has inserted. */
    fun inserted(block: (AdbcConnection) -> Unit): List<Any?> {
        Faulty.c.bindAsPostgreSql()
        return Faulty.driver.open(mapOf<String, Any>()).use { database ->
            database.connect().use { it.execute("CREATE TABLE x (id BIGINT, moment TIMESTAMPTZ)") }
            database.connect().use(block)
            database.connect().use { connection ->
                connection.query("SELECT id FROM x ORDER BY id").rows().map { it.single() }
            }
        }
    }

    fun AdbcConnection.isFresh() {
        isAutoCommit shouldBe true
        getOption("adbc.postgresql.transaction_status") shouldBe "idle"
        getOption("fake.zone") shouldBe "local"
    }

    fun batch(vararg ids: Long): RecordBatch = BatchBuilder.of(Devices.cpu(), ids.size).use { batch ->
        batch.int64("id", ids)
        batch.column(Field.of("at", DataType.timestamp(ArrowTimeUnit.MICROSECOND, "UTC")), ids.map { moment })
        batch.build()
    }

    val select = "SELECT id FROM t WHERE id < 8 AND \"at\" <= $1"
    val insert = "INSERT INTO x VALUES ($1, $2)"
    val insertTyped = "INSERT INTO x VALUES ($1, $2::TIMESTAMPTZ)"
    val selectNull = "SELECT id FROM x WHERE moment IS NOT DISTINCT FROM $1::TIMESTAMPTZ"
    val insertAndReturn = "$insert RETURNING id"

    for ((name, early) in mapOf<String, (RecordBatchReader) -> Unit>(
        "before its first batch" to {},
        "after its first batch" to { it.next()!!.close() },
        "at its end" to { it.forEach {} },
    )) test("a result that is closed $name ends the driver's transaction, so that later writes stay [ADB-36]") {
        inserted { connection ->
            connection.query(select, moment).use(early)
            connection.isFresh()
            connection.execute("INSERT INTO x VALUES (1, NULL)") shouldBe 1
        } shouldContainExactly listOf(1L)
    }

    test("all bound rows are executed and stored, also behind an early close [ADB-36]") {
        fun AdbcConnection.insert(bind: (AdbcStatement) -> Unit) = createStatement().use {
            it.setSqlQuery(insertAndReturn)
            bind(it)
            it.executeQuery().use { result -> result.next()?.close() }
            isFresh()
        }
        inserted { connection ->
            connection.insert { it.bindValues(1, moment) }
            connection.insert { it.bind(batch(2, 3, 4)) }
            val batches = listOf(batch(5, 6), batch(7))
            connection.insert { it.bind(RecordBatchReader.of(batches[0].schema(), batches)) }
        } shouldContainExactly List(7) { it + 1L }
    }

    test("all rows of several batches are executed one by one, with their own values [ADB-36]") {
        inserted { connection ->
            connection.createStatement().use { statement ->
                statement.setSqlQuery(insert)
                val batches = listOf(batch(1), batch(), batch(2, 3))
                statement.bind(RecordBatchReader.of(batches[0].schema(), batches))
                statement.executeUpdate() shouldBe 3
                statement.bind(batch(4, 5))
                statement.executeUpdate() shouldBe 2
            }
            connection.isFresh()
        } shouldContainExactly listOf(1L, 2L, 3L, 4L, 5L)
    }

    test("a failed execution rolls back what the driver began, and the connection goes on [ADB-36]") {
        inserted { connection ->
            connection.execute("CREATE UNIQUE INDEX i ON x (id)")
            connection.execute("INSERT INTO x VALUES (1, NULL)")
            val failed = listOf<() -> Any?>(
                { connection.execute(insert, 1, moment) },
                { connection.executeMany(insert, listOf(listOf(7, moment), listOf(1, moment))) },
                { connection.query("SELECT nothing FROM t WHERE \"at\" = $1", moment).close() },
            )
            for (call in failed) {
                shouldThrow<AdbcException> { call() }
                connection.isFresh()
            }
            connection.execute("INSERT INTO x VALUES (2, NULL)")
        } shouldContainExactly listOf(1L, 2L)
    }

    test("a failure of a later bound row rolls back what the driver began, at the execution [ADB-36]") {
        inserted { connection ->
            connection.execute("CREATE UNIQUE INDEX i ON x (id)")
            connection.createStatement().use { statement ->
                statement.setSqlQuery(insertAndReturn)
                statement.bind(batch(1, 1))
                shouldThrow<AdbcException> { statement.executeQuery() }
            }
            connection.isFresh()
            connection.execute("INSERT INTO x VALUES (2, NULL)")
        } shouldContainExactly listOf(2L)
    }

    test("a failure of the bound reader rolls back what the driver began [ADB-36]") {
        inserted { connection ->
            connection.createStatement().use { statement ->
                statement.setSqlQuery(insert)
                val batches = mutableListOf(batch(1, 2))
                val source = DeviceArrayReader.Source<RecordBatch> { batches.removeFirstOrNull() ?: error("no more") }
                statement.bind(RecordBatchReader.of(batches[0].schema(), source))
                shouldThrow<DeviceException> { statement.executeUpdate() }.cause?.message shouldBe "no more"
            }
            connection.isFresh()
        } shouldContainExactly listOf()
    }

    test("in the user's transaction, an early close restores the zone, and neither commits nor rolls back [ADB-36]") {
        inserted { connection ->
            connection.isAutoCommit = false
            connection.execute("INSERT INTO x VALUES (1, NULL)")
            connection.query(select, moment).use { it.next()!!.close() }
            connection.getOption("fake.zone") shouldBe "local"
            connection.commit()
            connection.execute("INSERT INTO x VALUES (2, NULL)")
            connection.query(select, moment).close()
            connection.rollback()
        } shouldContainExactly listOf(1L)
    }

    val refused = "BEGIN has begun a transaction, which PostgreSQL's driver commits after times with a zone; switch " +
        "autocommit off instead of BEGIN"

    val rejected = "the transaction has failed, so that the server would roll it back instead; call rollback()"

    /** Begins a transaction with autocommit off, and aborts it. */
    fun AdbcConnection.abort() {
        execute("CREATE UNIQUE INDEX i ON x (id)")
        isAutoCommit = false
        execute("INSERT INTO x VALUES (1, NULL)")
        shouldThrow<AdbcException> { execute("INSERT INTO x VALUES (1, NULL)") }
    }

    fun shouldBeRejected(block: () -> Unit) {
        val failure = shouldThrow<AdbcException>(block)
        failure.status() shouldBe AdbcStatus.INVALID_STATE
        failure.sqlState() shouldBe "25P02"
        failure.driverMessage() shouldBe rejected
    }

    test("a failed transaction is not committed in appearance, but refused, and its rollback works [ADB-19]") {
        inserted { connection ->
            connection.abort()
            shouldBeRejected { connection.commit() }
            shouldBeRejected { connection.isAutoCommit = true }
            connection.isAutoCommit shouldBe false
            connection.rollback()
            connection.execute("INSERT INTO x VALUES (2, NULL)")
            connection.query("SELECT 1").single() shouldBe 1
            connection.commit()
            connection.isAutoCommit = true
            connection.isFresh()
        } shouldContainExactly listOf(2L)
    }

    test("a time with a zone in a failed transaction is the error of the caller's own query [ADB-36]") {
        inserted { connection ->
            connection.abort()
            shouldThrow<AdbcException> { connection.query(select, moment) }.message!! shouldContain select
            connection.rollback()
        } shouldContainExactly listOf()
    }

    test("a transaction that fails after a query by COPY is refused, too [ADB-19]") {
        inserted { connection ->
            connection.abort()
            connection.rollback()
            connection.execute("INSERT INTO x VALUES (1, NULL)")
            connection.query("SELECT 1").single() shouldBe 1
            shouldThrow<AdbcException> { connection.execute("INSERT INTO x VALUES (1, NULL)") }
            shouldBeRejected { connection.commit() }
            connection.rollback()
        } shouldContainExactly listOf()
    }

    test("the pool uses a connection again whose transaction has failed [ADB-19]") {
        Faulty.c.bindAsPostgreSql()
        AdbcPool.of(Faulty.driver.open(mapOf<String, Any>()), 1, Duration.ofSeconds(5)).use { pool ->
            pool.acquire().use { lease ->
                lease.connection().execute("CREATE TABLE x (id BIGINT, moment TIMESTAMPTZ)")
                lease.connection().abort()
                shouldBeRejected { lease.connection().commit() }
            }
            pool.acquire().use { lease ->
                lease.connection().isAutoCommit shouldBe true
                lease.connection().execute("INSERT INTO x VALUES (2, NULL)") shouldBe 1
            }
            pool.statistics().created shouldBe 1
        }
    }

    test("a null in the place of a time with a zone is executed like one, and later writes stay [ADB-36]") {
        inserted { connection ->
            connection.execute(insertTyped, 1, null) shouldBe 1
            connection.isFresh()
            connection.query(selectNull, null).close()
            connection.isFresh()
            connection.execute("CREATE UNIQUE INDEX i ON x (id)")
            shouldThrow<AdbcException> { connection.execute(insertTyped, 1, null) }
            connection.isFresh()
            connection.execute("INSERT INTO x VALUES (2, NULL)")
            connection.isAutoCommit = false
            connection.execute(insertTyped, 3, null)
            connection.query(selectNull, null).close()
            connection.getOption("fake.zone") shouldBe "local"
            connection.rollback()
        } shouldContainExactly listOf(1L, 2L)
    }

    test("in a transaction of SQL's BEGIN, a null is refused only in the place of a time with a zone [ADB-36]") {
        inserted { connection ->
            connection.execute("BEGIN")
            connection.execute("INSERT INTO x VALUES ($1, $2::DATE)", 1, null) shouldBe 1
            shouldThrow<AdbcException> { connection.execute(insertTyped, 2, null) }.driverMessage() shouldBe refused
            connection.execute("ROLLBACK")
        } shouldContainExactly listOf()
    }

    test("a result that is still open has no effect on a later transaction of the user [ADB-36]") {
        inserted { connection ->
            connection.query(select, moment).use { result ->
                connection.isAutoCommit = false
                connection.execute("INSERT INTO x VALUES (1, NULL)")
                result.forEach {}
            }
            connection.isAutoCommit shouldBe false
            connection.commit()
            connection.execute("INSERT INTO x VALUES (2, NULL)")
            connection.rollback()
        } shouldContainExactly listOf(1L)
    }

    test("a failure after a query by COPY rolls back, too, though the driver calls its state active [ADB-36]") {
        inserted { connection ->
            connection.execute("CREATE UNIQUE INDEX i ON x (id)")
            connection.execute("INSERT INTO x VALUES (1, NULL)")
            connection.query("SELECT 1").single() shouldBe 1
            connection.getOption("adbc.postgresql.transaction_status") shouldBe "active"
            shouldThrow<AdbcException> { connection.execute(insert, 1, moment) }
            connection.isFresh()
            connection.execute("INSERT INTO x VALUES (2, NULL)")
        } shouldContainExactly listOf(1L, 2L)
    }

    test("a transaction begins after a query by COPY, so that its rollback holds [ADB-36]") {
        inserted { connection ->
            connection.query("SELECT 1").single() shouldBe 1
            connection.isAutoCommit = false
            connection.execute("INSERT INTO x VALUES (1, NULL)")
            connection.rollback()
        } shouldContainExactly listOf()
    }

    test("a failed reader in the user's transaction leaves the session's zone as it was [ADB-36]") {
        inserted { connection ->
            connection.isAutoCommit = false
            connection.createStatement().use { statement ->
                statement.setSqlQuery(insert)
                val batches = mutableListOf(batch(1, 2))
                val source = DeviceArrayReader.Source<RecordBatch> { batches.removeFirstOrNull() ?: error("no more") }
                statement.bind(RecordBatchReader.of(batches[0].schema(), source))
                shouldThrow<DeviceException> { statement.executeUpdate() }
            }
            connection.getOption("fake.zone") shouldBe "local"
            connection.rollback()
        } shouldContainExactly listOf()
    }

    test("times with a zone are refused in a transaction of SQL's BEGIN, which the driver would commit [ADB-36]") {
        inserted { connection ->
            connection.execute("BEGIN")
            connection.execute("INSERT INTO x VALUES (1, NULL)")
            shouldThrow<AdbcException> { connection.query(select, moment) }.driverMessage() shouldBe refused
            connection.createStatement().use { statement ->
                statement.setSqlQuery(insert)
                statement.bindValues(2, moment)
                repeat(2) { shouldThrow<AdbcException> { statement.executeUpdate() } } // it stays bound, and refused
            }
            connection.execute("ROLLBACK")
        } shouldContainExactly listOf()
    }

    test("a failed transaction of SQL's BEGIN stays so after times with a zone, until its ROLLBACK [ADB-36]") {
        inserted { connection ->
            connection.execute("CREATE UNIQUE INDEX i ON x (id)")
            connection.execute("BEGIN")
            connection.execute("INSERT INTO x VALUES (1, NULL)")
            shouldThrow<AdbcException> { connection.execute("INSERT INTO x VALUES (1, NULL)") }
            for (value in listOf(moment, null)) {
                val failure = shouldThrow<AdbcException> { connection.execute(insertTyped, 2, value) }
                failure.sqlState() shouldBe "25P02"
                failure.driverMessage() shouldBe "the transaction of SQL's BEGIN has failed; execute ROLLBACK"
                connection.getOption("adbc.postgresql.transaction_status") shouldBe "inerror"
            }
            shouldThrow<AdbcException> { connection.execute("INSERT INTO x VALUES (3, NULL)") }
            connection.execute("ROLLBACK")
            connection.isFresh()
        } shouldContainExactly listOf()
    }

    test("a failed reader ends the COPY of its ingestion, which PostgreSQL's driver leaves open [ADB-10]") {
        inserted { connection ->
            for (isAutoCommit in listOf(true, false)) {
                connection.isAutoCommit = isAutoCommit
                val batches = mutableListOf(batch(1, 2))
                val source = DeviceArrayReader.Source<RecordBatch> { batches.removeFirstOrNull() ?: error("no more") }
                shouldThrow<DeviceException> {
                    connection.ingest(AdbcIngest.into("x").with(AdbcIngest.Mode.APPEND),
                        RecordBatchReader.of(batches[0].schema(), source))
                }.cause?.message shouldBe "no more"
                connection.getOption("adbc.postgresql.transaction_status") shouldBe
                    if (isAutoCommit) "idle" else "inerror"
            }
            connection.rollback()
        } shouldContainExactly listOf()
    }

    test("a bound result that PostgreSQL's driver has in memory is not cancelled when it is closed early [ADB-28]") {
        for ((isPostgreSql, cancels) in listOf(true to 0L, false to 1L)) {
            Faulty.c.reset()
            Faulty.c.bindAsPostgreSql(isPostgreSql)
            Faulty.connected { it.query("SELECT id FROM t WHERE id < $1", 8).close() }
            Faulty.c.calls("StatementCancel") shouldBe cancels
        }
    }

    test("the pool rolls back a transaction that is open though autocommit is on [ADB-36]") {
        Faulty.c.bindAsPostgreSql()
        AdbcPool.of(Faulty.driver.open(mapOf<String, Any>()), 1, Duration.ofSeconds(5)).use { pool ->
            pool.acquire().use { lease ->
                val connection = lease.connection()
                connection.execute("CREATE TABLE x (id BIGINT, moment TIMESTAMPTZ)")
                connection.execute("BEGIN")
                connection.execute("INSERT INTO x VALUES (1, NULL)")
                connection.getOption("adbc.postgresql.transaction_status") shouldBe "intrans"
            }
            pool.acquire().use { lease ->
                lease.connection().isFresh()
                withClue("rows") { lease.connection().query("SELECT count(*) FROM x").single() shouldBe 0L }
            }
            pool.statistics().created shouldBe 1
        }
    }

    test("an ingestion that SQLite's driver cannot prepare leaves no transaction, so that later writes stay [ADB-36]") {
        Faulty.c.bindAsSqlite()
        val append = AdbcIngest.into("x").with(AdbcIngest.Mode.APPEND)
        fun row(vararg names: String) = BatchBuilder.of(Devices.cpu(), 1).use { batch ->
            for (name in names) batch.int64(name, longArrayOf(2))
            batch.build()
        }
        fun wrong() = row("id", "nr")
        Faulty.driver.open(mapOf<String, Any>()).use { database ->
            database.connect().use { connection ->
                connection.execute("CREATE TABLE x (id BIGINT)")
                shouldThrow<AdbcException> { connection.ingest(append, wrong()) }
                connection.execute("INSERT INTO x VALUES (1)") shouldBe 1
                connection.ingest(append, row("id")) shouldBe 1
                connection.execute("BEGIN")
                shouldThrow<AdbcException> { connection.ingest(append, wrong()) }
                shouldThrow<AdbcException> { connection.execute("BEGIN") } // SQL's own transaction is still open
                connection.execute("ROLLBACK")
                connection.isAutoCommit = false
                connection.execute("INSERT INTO x VALUES (3)") shouldBe 1
                shouldThrow<AdbcException> { connection.ingest(append, wrong()) }
                connection.query("SELECT count(*) FROM x WHERE id = 3").single() shouldBe 1L // not rolled back
                connection.rollback()
            }
            database.connect().use { connection ->
                connection.query("SELECT id FROM x ORDER BY id").rows().map { it.single() } shouldBe listOf(1L, 2L)
            }
        }
    }

    test("an ingestion is rejected while a statement of SQLite writes, so that nothing later is lost [ADB-36]") {
        Faulty.c.bindAsSqlite()
        val append = AdbcIngest.into("x").with(AdbcIngest.Mode.APPEND)
        fun row(id: Long) = BatchBuilder.of(Devices.cpu(), 1).use { it.int64("id", longArrayOf(id)).build() }
        Faulty.driver.open(mapOf<String, Any>()).use { database ->
            database.connect().use { connection ->
                connection.execute("CREATE TABLE x (id BIGINT)")
                val writing = connection.query("INSERT INTO x VALUES (1) RETURNING id")
                writing.next()!!.close()
                shouldThrow<AdbcException> { connection.ingest(append, row(2)) }.message shouldContain
                    "read the result to its end, or close it"
                writing.close()
                connection.execute("INSERT INTO x VALUES (3)") shouldBe 1
                connection.ingest(append, row(4)) shouldBe 1
            }
            database.connect().use { connection ->
                connection.query("SELECT id FROM x ORDER BY id").rows().map { it.single() } shouldBe listOf(1L, 3L, 4L)
            }
        }
    }
})
