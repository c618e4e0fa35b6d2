// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.databases

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempfile
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Devices
import org.arbalest.device.adbc.AdbcConnection
import org.arbalest.device.adbc.AdbcDriver
import org.arbalest.device.adbc.AdbcException
import org.arbalest.device.adbc.AdbcIngest
import org.arbalest.device.adbc.AdbcStatus
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.types.Interval
import org.arbalest.interop.adbc.rows
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.DriverFolder
import java.math.BigDecimal
import java.math.BigInteger
import java.time.Duration
import java.time.Instant
import java.time.LocalDate
import java.time.LocalDateTime
import java.time.LocalTime
import java.time.OffsetDateTime
import java.time.ZonedDateTime
import java.util.UUID

private val LITERALS = mapOf(
    "INTEGER" to Literal("9223372036854775807", Long.MAX_VALUE),
    "REAL" to Literal("0.1", 0.1),
    "TEXT" to Literal("'é'", "é"),
    "BLOB" to Literal("x'01ff'", listOf<Byte>(1, -1)),
    "NULL" to Literal("NULL", null),
)

/** A value for each Java class of the page, and its text. */
private val VALUES = mapOf<String, Pair<Any, String>>(
    "Boolean" to (true to "1"),
    "Byte" to (1.toByte() to "1"),
    "Short" to (2.toShort() to "2"),
    "Integer" to (3 to "3"),
    "Long" to (Long.MAX_VALUE to "${Long.MAX_VALUE}"),
    "Float" to (1.5f to "1.5"),
    "Double" to (2.5 to "2.5"),
    "String" to ("é" to "é"),
    "Character" to ('a' to "a"),
    "enum" to (Mood.GLAD to "GLAD"),
    "byte[]" to (byteArrayOf(65) to "A"),
    "UUID" to (UUID.fromString("41414141-4141-4141-4141-414141414141") to "A".repeat(16)),
    "LocalDate" to (LocalDate.of(2024, 10, 4) to "2024-10-04"),
    "LocalDateTime" to (LocalDateTime.of(2024, 1, 2, 3, 4, 5, 6_000) to "2024-01-02T03:04:05.000006"),
    "Instant" to (Instant.parse("2024-01-02T03:04:05Z") to "2024-01-02T03:04:05.000000"),
    "OffsetDateTime" to (OffsetDateTime.parse("2024-01-02T04:04:05+01:00") to "2024-01-02T03:04:05.000000"),
    "ZonedDateTime" to
        (ZonedDateTime.parse("2024-01-02T04:04:05+01:00[Europe/Paris]") to "2024-01-02T03:04:05.000000"),
)

/** Tests Apache's driver of SQLite, and the tables of its page. */
internal class SqliteSpec : FunSpec({
    val folder = DriverFolder("sqlite")
    val driver by lazy { AdbcDriver.load(folder.library) }
    extension(folder.needed())
    extension(ResourceCountersExtension)

    fun connected(block: (AdbcConnection) -> Unit): Unit = driver.open(mapOf("uri" to ":memory:"))
        .use { database -> database.connect().use(block) }

    test("each storage class of the page arrives as its type") {
        val page = TypesPage("sqlite")
        connected { connection -> page.shouldBeResults(LITERALS) { connection.query("SELECT $it AS v") } }
    }

    test("each Java class of the page is stored as its class") {
        val page = TypesPage("sqlite")
        page.parameters.keys shouldBe VALUES.keys
        connected { connection ->
            for ((name, sample) in VALUES) withClue(name) {
                connection.query("SELECT upper(typeof(?1)), CAST(?1 AS TEXT)", sample.first).rows().single() shouldBe
                    listOf(page.parameters[name], sample.second)
            }
        }
    }

    test("the driver rejects other classes") {
        val none = listOf<Any>(
            BigDecimal.ONE, BigInteger.ONE, LocalTime.NOON, Duration.ZERO, Interval(0, 0, 0), listOf(1L),
        )
        connected { connection ->
            for (value in none) withClue(value) {
                shouldThrow<AdbcException> { connection.query("SELECT ?", value).close() }.message shouldContain
                    "unsupported type"
            }
        }
    }

    test("the driver cancels nothing") {
        connected { connection ->
            connection.createStatement().use { statement ->
                statement.setSqlQuery("SELECT 1")
                statement.executeQuery().use {
                    shouldThrow<AdbcException> { statement.cancel() }.status() shouldBe AdbcStatus.NOT_IMPLEMENTED
                }
            }
        }
    }

    test("results of one connection are read in turns") {
        connected { connection ->
            val numbers =
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i FROM n"
            connection.query(numbers).use { first ->
                first.next()!!.close()
                connection.query(numbers).rows().size shouldBe 5000
                var rows = 1024L
                while (true) rows += first.next()?.use { it.length() } ?: break
                rows shouldBe 5000
            }
        }
    }

    test("a failed ingestion leaves no transaction in which later writes would be lost") {
        val file = tempfile(suffix = ".db")
        val append = AdbcIngest.into("t").with(AdbcIngest.Mode.APPEND)
        fun batch(name: String, vararg ids: Long) =
            BatchBuilder.of(Devices.cpu()).use { batch -> batch.int64(name, ids).build() }
        driver.open(mapOf("uri" to "file:$file")).use { database ->
            database.connect().use { connection ->
                connection.execute("CREATE TABLE t (id INTEGER UNIQUE)")
                for (wrong in listOf("none" to longArrayOf(1), "id" to longArrayOf(2, 3, 2))) {
                    shouldThrow<AdbcException> { connection.ingest(append, batch(wrong.first, *wrong.second)) }
                    connection.execute("INSERT INTO t VALUES (${wrong.second[0]})") shouldBe 1
                    connection.execute("BEGIN")
                    connection.execute("INSERT INTO t VALUES (${wrong.second[0] + 10})")
                    shouldThrow<AdbcException> { connection.ingest(append, batch(wrong.first, *wrong.second)) }
                    connection.execute("COMMIT")
                }
                connection.ingest(append, batch("id", 20)) shouldBe 1
                val numbers =
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) SELECT i FROM n"
                connection.query(numbers).use { open -> // a failure does not end it
                    var rows = open.next()!!.use { it.length() }
                    rows shouldBe 1024
                    shouldThrow<AdbcException> { connection.ingest(append, batch("none", 1)) }
                    while (true) rows += open.next()?.use { it.length() } ?: break
                    rows shouldBe 3000
                }
            }
            database.connect().use { connection ->
                connection.query("SELECT id FROM t ORDER BY id").rows() shouldBe
                    listOf(1L, 2L, 11L, 12L, 20L).map { listOf(it) }
            }
        }
    }

    test("an ingestion is rejected while an INSERT … RETURNING has rows left, and nothing is lost") {
        val file = tempfile(suffix = ".db")
        val append = AdbcIngest.into("t").with(AdbcIngest.Mode.APPEND)
        fun batch(id: Long) = BatchBuilder.of(Devices.cpu()).use { it.int64("id", longArrayOf(id)).build() }
        val insert = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) " +
            "INSERT INTO t SELECT i FROM n RETURNING id"
        driver.open(mapOf("uri" to "file:$file")).use { database ->
            database.connect().use { connection ->
                connection.execute("CREATE TABLE t (id INTEGER)")
                connection.query(insert).use { writing ->
                    writing.next()!!.close()
                    shouldThrow<AdbcException> { connection.ingest(append, batch(-1)) }.message shouldContain
                        "read the result to its end, or close it"
                    while (true) writing.next()?.close() ?: break
                }
                connection.execute("INSERT INTO t VALUES (4000)") shouldBe 1
                connection.ingest(append, batch(5000)) shouldBe 1
            }
            database.connect().use { connection ->
                connection.query("SELECT count(*), max(id), min(id) FROM t").rows() shouldBe
                    listOf(listOf(3002L, 5000L, 1L))
            }
        }
    }
})
