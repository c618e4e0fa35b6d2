// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.adbc.AdbcConnection
import org.arbalest.device.adbc.Faulty
import org.arbalest.device.adbc.rows
import org.arbalest.device.adbc.single
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriverExtension

class PostgreSqlCopySpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    val option = "adbc.postgresql.use_copy"
    val without = listOf("EXPLAIN SELECT 1", "show tables", "SELECT 1 -- one")

    test("queries are within COPY, except behind a comment or a semicolon that the driver keeps [ADB-41]") {
        for (sql in listOf(
            "SELECT 1", "select 1;", "  \n(SELECT 1) UNION (SELECT 2)", "WITH t AS (SELECT 1) TABLE t", "VALUES (1)",
            "-- a comment\nSELECT 1", "/* a -- \n comment */SELECT 1", "SELECT 1 /* one */",
            "SELECT 1 -- one\n", "SELECT string_agg(x, ';') FROM t", "SELECT '--'\n FROM t", "SELECT 1;;",
        )) withClue(sql) { PostgreSqlCopy.canCopy(sql) shouldBe true }
        for (sql in without + listOf(
            "", "-- nothing", "/* plan */ -- of\n explain SELECT 1", "FETCH ALL FROM c", "CALL p()",
            "INSERT INTO t VALUES (1) RETURNING id", "SELECTED",
            "DELETE FROM t RETURNING id", "SELECT 1; ", "SELECT 1;\n", "SELECT 1; -- one", "SELECT 1; /* one */",
            "SELECT 1\n-- one", "TABLE t ; ", "MERGE INTO t USING s ON true WHEN MATCHED THEN DO NOTHING",
        )) withClue(sql) { PostgreSqlCopy.canCopy(sql) shouldBe false }
        PostgreSqlCopy.canCopy("SELECT 1" + " ;".repeat(20_000)) shouldBe false
        PostgreSqlCopy.canCopy("SELECT ';" + "/* */ ".repeat(20_000) + "'") shouldBe true
    }

    fun bothWays(block: (AdbcConnection) -> Unit) {
        Faulty.c.oneCopy()
        Faulty.connected(block = block)
        Faulty.connected { connection ->
            connection.setAutoCommit(false)
            block(connection)
            connection.rollback()
        }
    }

    test("a statement that PostgreSQL rejects within COPY is executed without it, also in a transaction [ADB-41]") {
        bothWays { connection ->
            for (sql in without) withClue(sql) { connection.query(sql).rows().isEmpty() shouldBe false }
            connection.query("SELECT 1").single() shouldBe 1L
        }
    }

    test("the choice is that of one execution, and its result is not confused with a later one [ADB-41]") {
        bothWays { connection ->
            connection.createStatement().use { statement ->
                statement.setSqlQuery("EXPLAIN SELECT 1")
                statement.executeQuery().use { plan ->
                    connection.query("SELECT * FROM batches(3, 2)").use { later ->
                        plan.rows().isEmpty() shouldBe false
                        later.rows().size shouldBe 6
                    }
                }
                statement.setSqlQuery("SELECT 7")
                statement.executeQuery().single() shouldBe 7L
                statement.getOption(option) shouldBe "true"
            }
        }
    }

    test("an application's own choice stays [ADB-41]") {
        bothWays { connection ->
            connection.createStatement().use { statement ->
                statement.setOption(option, "false")
                for (sql in listOf("SELECT 7", "SHOW TABLES", "SELECT 7")) {
                    statement.setSqlQuery(sql)
                    statement.executeQuery().close()
                    statement.getOption(option) shouldBe "false"
                }
            }
        }
    }

    test("a driver without the option is queried for it once per database, and only if it matters [ADB-41]") {
        Faulty.connected { connection ->
            connection.query("SELECT 1").close()
            connection.query("SELECT ? -- bound", 1).close()
            Faulty.c.calls("StatementGetOption") shouldBe 0
            repeat(3) { connection.query("SHOW TABLES").close() }
            Faulty.c.calls("StatementGetOption") shouldBe 1L
            Faulty.c.calls("StatementSetOption") shouldBe 0
        }
    }
})
