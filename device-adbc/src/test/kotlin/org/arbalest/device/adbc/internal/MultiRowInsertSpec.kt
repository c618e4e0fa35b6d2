// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import org.arbalest.device.adbc.AdbcConnection
import org.arbalest.device.adbc.AdbcException
import org.arbalest.device.adbc.Faulty
import org.arbalest.device.adbc.rows
import org.arbalest.device.adbc.single
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriverExtension

/** Inserts of many rows by PostgreSQL's driver, which executes once per bound row. The double is `foibles.c`. */
class MultiRowInsertSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    val insert = "INSERT INTO x VALUES ($1, $2)"

    test("an INSERT of one row of parameters becomes one of several, which keeps the rest of its text [ADB-29]") {
        for ((sql, two) in mapOf(
            insert to "INSERT INTO x VALUES ($1, $2), ($3, $4)",
            "insert into s.\"a b\" (\"ü\", ö)\n values($2,$1::numeric(5, 2) , null ) ; " to
                "insert into s.\"a b\" (\"ü\", ö)\n values($2,$1::numeric(5, 2) , null ), " +
                "($4,$3::numeric(5, 2) , null ) ",
            "INSERT INTO x VALUES ($1, $2) ON CONFLICT (id) DO NOTHING;" to
                "INSERT INTO x VALUES ($1, $2), ($3, $4) ON CONFLICT (id) DO NOTHING",
        )) withClue(sql) { MultiRowInsert.of(sql, 2)!!.sql(2) shouldBe two }
        MultiRowInsert.of("INSERT INTO x VALUES ($1)", 1)!!.let {
            it.mostRows() shouldBe 200
            it.sql(1) shouldBe "INSERT INTO x VALUES ($1)"
        }
    }

    test("a statement for which one with several rows may do something else is left alone [ADB-29]") {
        for (sql in listOf(
            "UPDATE x SET a = $1 WHERE b = $2", "INSERT INTO x SELECT $1, $2",
            "INSERT INTO x VALUES ($1, $2), ($1, 2)",
            "INSERT INTO x VALUES ($1, nextval('s'))", "INSERT INTO x VALUES ($1, (SELECT max(id) FROM x))",
            "$insert RETURNING id", "$insert ON CONFLICT (id) DO UPDATE SET a = 1", "$insert -- now",
            "$insert; $insert",
            "WITH y AS (SELECT 1) $insert", "INSERT INTO x VALUES ($1, '$2')", "INSERT INTO x VALUES ($1, $2 + 1)",
            "INSERT INTO x VALUES ($1, $2, DEFAULT)", "INSERT INTO x VALUES ($1::my$1, $2)",
        )) withClue(sql) { MultiRowInsert.of(sql, 2).shouldBeNull() }
        MultiRowInsert.of("INSERT INTO x VALUES (${List(101) { "$${it + 1}" }.joinToString()})", 101).shouldBeNull()
    }

    fun <T> connected(block: (AdbcConnection) -> T): T = Faulty.connected { connection ->
        Faulty.c.bindAsPostgreSql()
        connection.execute("CREATE TABLE x (id BIGINT UNIQUE, name VARCHAR)")
        block(connection)
    }

    fun AdbcConnection.stored(): List<Any?> =
        query("SELECT id, name FROM x ORDER BY id").rows()

    val many = List(457) { listOf(it.toLong(), if (it % 3 == 0) null else "name $it") }

    test("all rows of a transaction are stored with their own values, and counted [ADB-29]") {
        connected { connection ->
            connection.isAutoCommit = false
            connection.executeMany(insert, many) shouldBe 457
            connection.executeMany("INSERT INTO x (name, id) VALUES ($2, $1)", listOf(listOf(457L, "a"))) shouldBe 1
            connection.commit()
            connection.stored() shouldContainExactly many + listOf(listOf(457L, "a"))
        }
    }

    test("in a transaction, the statement that fails has many rows; without one, the rows before it stay [ADB-29]") {
        val failing = many + listOf(listOf(0L, "again"))
        connected { connection ->
            connection.isAutoCommit = false
            val error = shouldThrow<AdbcException> { connection.executeMany(insert, failing) }
            error.message!! shouldContain "INSERT INTO x VALUES ($1, $2), ($3, $4), "
            connection.rollback()
            connection.query("SELECT count(*) FROM x").single() shouldBe 0L
            connection.isAutoCommit = true
            shouldThrow<AdbcException> { connection.executeMany(insert, failing) }
                .message!! shouldNotContain "($3"
            connection.query("SELECT count(*) FROM x").single() shouldBe 457L
        }
    }

    test("values without a column are refused with parameter and row, before anything is stored [ADB-29]") {
        connected { connection ->
            connection.isAutoCommit = false
            shouldThrow<IllegalArgumentException> { connection.executeMany(insert, many + listOf(listOf("1", "a"))) }
                .message shouldBe "parameter 1 of row 0 is the class Long, but parameter 1 of row 457 is the class " +
                "String; convert all to one class"
            connection.rollback()
            connection.stored() shouldBe listOf()
        }
    }

    test("a value of the last row that has no column is found before any row is stored, with its row [ADB-29]") {
        connected { connection ->
            connection.isAutoCommit = false
            val failing = List(100) { listOf(it.toLong(), "a") } + listOf(listOf(100L, "\uD800"))
            shouldThrow<IllegalArgumentException> { connection.executeMany(insert, failing) }
                .message!! shouldContain "row 100"
            connection.commit()
            connection.stored() shouldBe listOf()
        }
    }
})
