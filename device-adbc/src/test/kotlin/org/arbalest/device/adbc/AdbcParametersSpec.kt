// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriverExtension
import java.math.BigDecimal
import java.time.Instant
import java.time.LocalDate
import java.time.LocalDateTime
import java.time.LocalTime
import java.time.OffsetDateTime
import java.time.ZoneOffset
import java.util.UUID

class AdbcParametersSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    test("DuckDB receives each class as its own SQL type [ADB-29]") {
        val moment = Instant.parse("2024-10-04T05:06:07.000008Z")
        val id = UUID.randomUUID()
        val values = listOf<Pair<Any, String>>(
            true to "BOOLEAN", 1.toByte() to "TINYINT", 1.toShort() to "SMALLINT", 1 to "INTEGER", 1L to "BIGINT",
            1.5f to "FLOAT", 1.5 to "DOUBLE", BigDecimal("1.25") to "DECIMAL(3,2)", "é" to "VARCHAR",
            byteArrayOf(1, 0) to "BLOB", LocalDate.of(2024, 10, 4) to "DATE", LocalTime.of(5, 6, 7) to "TIME",
            LocalDateTime.of(2024, 10, 4, 5, 6) to "TIMESTAMP", moment to "TIMESTAMP WITH TIME ZONE",
            OffsetDateTime.ofInstant(moment, ZoneOffset.ofHours(2)) to "TIMESTAMP WITH TIME ZONE", id to "UUID",
        )
        DuckDb.connected { connection ->
            for ((value, type) in values) connection.query("SELECT typeof(?)", value).single() shouldBe type
            connection.query("SELECT $1 = TIMESTAMPTZ '2024-10-04 05:06:07.000008Z', $2 = '$id'::UUID, $3, hex($4)",
                moment, id, "é", byteArrayOf(1, 0)).rows() shouldBe listOf(listOf(true, true, "é", "0100"))
            connection.query("SELECT ? IS NULL", null).single() shouldBe true
        }
    }

    test("a list by value is compared with each of its elements [ADB-29]") {
        DuckDb.connected { connection ->
            val sql = "SELECT i FROM range(5) t(i) WHERE i = ANY(?) ORDER BY i"
            for (list in listOf(listOf(1L, 3L), longArrayOf(3, 1), setOf(1, 3), arrayOf(1L, 3L)))
                connection.query(sql, list).rows() shouldBe listOf(listOf(1L), listOf(3L))
            connection.query(sql, LongArray(0)).rows() shouldBe listOf()
            connection.query("SELECT typeof(?)", listOf("a", null)).single() shouldBe "VARCHAR[]"
            val time = LocalTime.of(1, 2, 3, 4)
            connection.query("SELECT ?::VARCHAR", time).single() shouldBe "01:02:03.000000004"
        }
    }

    for ((name, connected) in mapOf<String, ((AdbcConnection) -> Unit) -> Unit>(
        "DuckDB, which executes one row at a time" to { DuckDb.connected(it) },
        "a driver that executes all rows of a batch" to { Faulty.connected(block = it) },
    )) {
        test("rows of values are executed, and counted: $name [ADB-29]") {
            connected { connection ->
                connection.execute("CREATE TABLE x (id BIGINT, name TEXT)")
                connection.executeMany("INSERT INTO x VALUES (?, ?)",
                    listOf(listOf(1, "a"), listOf(2L, null), listOf(3, "c"))) shouldBe 3
                connection.execute("INSERT INTO x VALUES (?, ?)", 4, null) shouldBe 1
                connection.query("SELECT * FROM x WHERE id > ? ORDER BY id", 1).rows() shouldBe
                    listOf(listOf(2L, null), listOf(3L, "c"), listOf(4L, null))
                val ids = listOf(1, 99, 4).map { listOf(it) }
                connection.executeMany("DELETE FROM x WHERE id = ?", ids) shouldBe 2
                connection.executeMany("not SQL", listOf()) shouldBe 0
                connection.executeMany("DELETE FROM x", listOf(listOf())) shouldBe 2
            }
        }
    }

    test("a batch of rows is one execution, unless the driver accepts only one row [ADB-29]") {
        Faulty.connected { connection ->
            connection.executeMany("DELETE FROM t WHERE id = ?", (0..9).map { listOf(it) }) shouldBe 10
            Faulty.c.calls("StatementExecuteQuery") shouldBe 1
            Faulty.c.calls("StatementNew") shouldBe 1
        }
    }

    test("a prepared statement executes with other values, and checks their number [ADB-29]") {
        Faulty.connected { connection ->
            connection.createStatement().use { statement ->
                statement.setSqlQuery("SELECT id FROM t WHERE id = ?")
                statement.prepare()
                for (id in 1..3) {
                    statement.bindValues(id)
                    statement.executeQuery().single() shouldBe id.toLong()
                }
                Faulty.c.calls("StatementGetParameterSchema") shouldBe 1
                shouldThrow<IllegalArgumentException> { statement.bindValues(1, 2) }.message shouldBe
                    "the prepared query has 1 parameters, but 2 values were passed"
                shouldThrow<IllegalArgumentException> { statement.bindValues() }.message shouldBe
                    "no values were passed for the parameters"
                statement.setSqlQuery("SELECT id FROM t WHERE id = ? + ?")
                statement.bindValues(1, 2)
                statement.executeQuery().single() shouldBe 3L
                statement.prepare()
                statement.bindValues(2, 2)
                statement.executeQuery().single() shouldBe 4L
                Faulty.c.calls("StatementGetParameterSchema") shouldBe 2
            }
        }
    }

    test("values are bound without a description of the parameters, if the driver has none [ADB-29]") {
        for ((driver, member) in listOf(Faulty.driver to "StatementGetParameterSchema", Faulty.old to "")) {
            Faulty.c.missing(member)
            Faulty.connected(driver) { connection ->
                connection.createStatement().use { statement ->
                    statement.setSqlQuery("SELECT id FROM t WHERE id = ?")
                    statement.prepare()
                    statement.bindValues(7)
                    statement.executeQuery().single() shouldBe 7L
                }
            }
        }
    }

    test("failures at each step leave nothing behind [ADB-29]") {
        Faulty.connected { connection ->
            for (function in listOf("StatementNew", "StatementSetSqlQuery", "StatementBind", "StatementExecuteQuery")) {
                for (call in listOf<() -> Unit>(
                    { connection.query("SELECT ?", 1).close() },
                    { connection.execute("SELECT ?", 1) },
                    { connection.executeMany("SELECT ?", listOf(listOf(1), listOf(2))) },
                )) {
                    Faulty.c.fail(function, status = 9)
                    shouldThrow<AdbcException> { call() }.message shouldContain function
                }
            }
            connection.createStatement().use { statement ->
                statement.setSqlQuery("SELECT ?")
                statement.prepare()
                Faulty.c.fail("StatementGetParameterSchema", status = 10)
                shouldThrow<AdbcException> { statement.bindValues(1) }.status() shouldBe AdbcStatus.IO
            }
            shouldThrow<IllegalArgumentException> { connection.query("SELECT ?", Any()) }
            Faulty.c.live(FaultyDriver.Live.STATEMENTS) shouldBe 0
        }
    }

    test("rows before a failed row stay with autocommit, and a rollback undoes them [ADB-29]") {
        DuckDb.connected { connection ->
            connection.execute("CREATE TABLE x (id BIGINT PRIMARY KEY)")
            val rows = listOf(listOf(1), listOf(1))
            shouldThrow<AdbcException> { connection.executeMany("INSERT INTO x VALUES (?)", rows) }
                .message shouldContain "Duplicate key"
            connection.query("SELECT id FROM x").single() shouldBe 1L
            connection.execute("DELETE FROM x")
            connection.setAutoCommit(false)
            shouldThrow<AdbcException> { connection.executeMany("INSERT INTO x VALUES (?)", rows) }
            connection.rollback()
            connection.query("SELECT count(*) FROM x").single() shouldBe 0L
        }
    }
})
