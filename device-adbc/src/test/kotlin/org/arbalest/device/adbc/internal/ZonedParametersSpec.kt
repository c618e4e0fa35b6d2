// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.adbc.Faulty
import org.arbalest.device.adbc.rows
import org.arbalest.device.adbc.single
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriverExtension
import java.time.Instant

class ZonedParametersSpec : FunSpec({
    val zoned = DataType.timestamp(ArrowTimeUnit.MICROSECOND, "UTC")
    val parameters = Schema.of(Field.of("1", zoned), Field.of("2", DataType.INT32), Field.of("3", zoned))
    val one = "($1 AT TIME ZONE 'UTC')"

    val changed = mapOf(
        "SELECT $1" to "SELECT $one",
        "SELECT $1,$2,$3,$4,$0" to "SELECT $one,$2,($3 AT TIME ZONE 'UTC'),$4,$0",
        "$1" to one,
        "x=$1 OR y=$1::date" to "x=$one OR y=$one::date",
        "SELECT $11, $1" to "SELECT $11, $one",
        "SELECT '$1 it''s $1', $1" to "SELECT '$1 it''s $1', $one",
        "SELECT \"$1\"\"$1\", $1" to "SELECT \"$1\"\"$1\", $one",
        "SELECT a$1, é$1, _$1, $1" to "SELECT a$1, é$1, _$1, $one",
        "SELECT $$ $1 ' $$, $1" to "SELECT $$ $1 ' $$, $one",
        "SELECT \$tag$ $1 $$ $1 \$tag$, $1" to "SELECT \$tag$ $1 $$ $1 \$tag$, $one",
        "SELECT 1 -- $1 '\n, $1" to "SELECT 1 -- $1 '\n, $one",
        "SELECT $1 -- $1" to "SELECT $one -- $1",
        "SELECT 1 /* $1 /* $1 ' */ $1 */ / $1" to "SELECT 1 /* $1 /* $1 ' */ $1 */ / $one",
        "SELECT 3 - $1 $" to "SELECT 3 - $one $",
        "SELECT $99999999999, $1" to "SELECT $99999999999, $one",
        "SELECT 1" to "SELECT 1",
    )

    test("parameters with a zone become times of UTC, outside of literals, names and comments [ADB-36]") {
        for ((sql, expected) in changed) withClue(sql) { ZonedParameters.`in`(sql, parameters) shouldBe expected }
    }

    test("a query whose literals depend on the server, or that has no end, stays as it is [ADB-36]") {
        for (sql in listOf("SELECT E'\\'$1', $1", "SELECT '\\', $1", "SELECT 'a", "SELECT \"a $1", "SELECT $$ $1",
            "SELECT /* $1", "SELECT /* /* */ $1", "SELECT U&'\\0441', $1")) {
            withClue(sql) { ZonedParameters.`in`(sql, parameters) shouldBe null }
        }
    }
})

/** The same queries, executed by the double of PostgreSQL's driver. */
class ZonedParametersDriverSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    val moment = Instant.parse("2024-10-04T05:06:07.000008Z")

    test("a moment reaches PostgreSQL as itself, without a transaction of the driver [ADB-36]") {
        Faulty.c.bindAsPostgreSql()
        Faulty.connected { connection ->
            connection.query("SELECT typeof($1), $1 = TIMESTAMPTZ '2024-10-04 05:06:07.000008Z'", moment).rows() shouldBe
                listOf(listOf("TIMESTAMP WITH TIME ZONE", true))
            connection.query("SELECT $1", moment).use {
                connection.getOption("adbc.postgresql.transaction_status") shouldBe "idle"
            }
            connection.query("SELECT '\\' || $1", moment).use {
                connection.getOption("adbc.postgresql.transaction_status") shouldBe "intrans"
            }
        }
    }

    test("a statement that is bound again with other types has its own query again [ADB-36]") {
        Faulty.c.bindAsPostgreSql()
        Faulty.connected { connection ->
            connection.createStatement().use { statement ->
                statement.setSqlQuery("SELECT typeof($1)")
                for ((value, type) in listOf(moment to "TIMESTAMP WITH TIME ZONE", 1L to "BIGINT", moment to
                    "TIMESTAMP WITH TIME ZONE")) {
                    statement.bindValues(value)
                    statement.executeQuery().single() shouldBe type
                }
            }
        }
    }
})
