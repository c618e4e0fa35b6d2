// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.adbc.AdbcConnection
import org.arbalest.device.adbc.AdbcException
import org.arbalest.device.adbc.AdbcStatus
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

    test("queries are within COPY, except what the server or the driver cannot have there [ADB-41]") {
        for (sql in listOf(
            "SELECT 1", "select 1;", "  \n(SELECT 1) UNION (SELECT 2)", "WITH t AS (SELECT 1) TABLE t", "VALUES (1)",
            "-- a comment\nSELECT 1", "/* a -- \n comment */SELECT 1", "SELECT 1 /* one */", "SELECT 1 -- one\r",
            "SELECT 1 -- one\n", "SELECT string_agg(x, ';') FROM t", "SELECT '--'\n FROM t", "SELECT 1;;",
            "SELECT * FROM logs WHERE msg LIKE '--%'", "SELECT $$--$$", "SELECT \"a--\" FROM t", "SELECT 1 /* -- */",
            "SELECT 1 /* a /* b */ -- c */", "/* /* */ EXPLAIN */ SELECT 1", "SELECT E'\\';--'", "SELECT a$--\nFROM t",
            "WITH t AS (SELECT '\\d+\\\\ ') TABLE t", "SELECT '\\'",
            "SELECT * FROM t FOR UPDATE", "WITH t AS (SELECT 'DELETE', \"update\", deleted, ${"$$"}MERGE$$) TABLE t",
        )) withClue(sql) { PostgreSqlCopy.canCopy(sql) shouldBe true }
        for (sql in without + listOf(
            "", "-- nothing", "/* plan */ -- of\n explain SELECT 1", "FETCH ALL FROM c", "CALL p()", "'SELECT'",
            "INSERT INTO t VALUES (1) RETURNING id", "SELECTED", "/* /* */ select */ EXPLAIN SELECT 1",
            "DELETE FROM t RETURNING id", "SELECT 1; ", "SELECT 1;\n", "SELECT 1; -- one", "SELECT 1; /* one */",
            "SELECT 1\n-- one", "TABLE t ; ", "MERGE INTO t USING s ON true WHEN MATCHED THEN DO NOTHING",
            "SELECT 1; /* a /* b */ c */", "SELECT 1 --;", "SELECT 1; SELECT 2", "SELECT '\\' -- '", "SELECT a$--$$",
            "WITH t AS (INSERT INTO s VALUES (1) RETURNING id) TABLE t", "with t as (update s set a = 1) select 1",
            "WITH t AS (SELECT 1) DELETE FROM s RETURNING id", "(WITH t AS (merge INTO s USING u ON true) TABLE t)",
            "WITH t AS (SELECT E'a'\n'\\''), u AS (DELETE FROM s RETURNING id) SELECT ' '",
            "WITH t AS (SELECT '\\') TABLE t",
            "SELECT 1 AS a INTO t", "WITH t AS (SELECT 1) SELECT * INTO s FROM t",
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

    test("a result by COPY is one also when its statement has another choice for the next [ADB-05]") {
        Faulty.c.oneCopy()
        Faulty.connected { connection ->
            connection.createStatement().use { statement ->
                statement.setSqlQuery("SELECT * FROM batches(3, 2)")
                statement.executeQuery().use { result ->
                    statement.setOption(option, "false")
                    connection.query("SELECT * FROM batches(5, 2)").use {
                        shouldThrow<AdbcException> { result.forEach {} }.status() shouldBe AdbcStatus.INVALID_STATE
                    }
                }
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

    test("an application's own choice stays also after a choice of the library [ADB-41]") {
        bothWays { connection ->
            connection.createStatement().use { statement ->
                fun executed(sql: String): String {
                    statement.setSqlQuery(sql)
                    statement.executeQuery().close()
                    return statement.getOption(option)
                }
                executed("EXPLAIN SELECT 1") shouldBe "false"
                statement.setOption(option, "false")
                executed("SELECT 7") shouldBe "false"
                statement.setOption(option, "true")
                executed("EXPLAIN SELECT 1") shouldBe "false"
                executed("SELECT 7") shouldBe "true"
            }
        }
    }

    test("another driver is queried for the option once per connection, and only if it matters [ADB-41]") {
        Faulty.connected { connection ->
            connection.query("SELECT 1").close()
            Faulty.c.calls("StatementGetOption") shouldBe 0
            repeat(3) { connection.query("SHOW TABLES").close() }
            Faulty.c.calls("StatementGetOption") shouldBe 1L
            connection.query("SELECT ? -- bound", 1).close()
            Faulty.c.calls("StatementGetOption") shouldBe 1L
            Faulty.c.calls("StatementSetOption") shouldBe 0
        }
    }

    test("a driver that answers an unknown option with another status is another one, and is queried again [ADB-41]") {
        Faulty.connected { connection ->
            repeat(2) { Faulty.c.fail("StatementGetOption", nth = 1L + it, status = 9) }
            repeat(4) { connection.query("SHOW TABLES").rows().isEmpty() shouldBe false }
            Faulty.c.calls("StatementGetOption") shouldBe 3
        }
    }
})
