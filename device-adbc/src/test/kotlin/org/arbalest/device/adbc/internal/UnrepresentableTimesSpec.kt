// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldStartWith
import org.arbalest.device.adbc.AdbcException
import org.arbalest.device.adbc.AdbcStatus
import org.arbalest.device.adbc.Faulty
import org.arbalest.device.adbc.rows
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriverExtension

/** The times that PostgreSQL's driver returns for `infinity` and for times that do not fit, computed as it does. */
class UnrepresentableTimesSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    val to2000 = 946_684_800_000_000L

    fun time(micros: Long) = "make_timestamp(${micros + to2000})"

    fun day(days: Int) = "(DATE '1970-01-01' + ${days + 10_957})"

    val refused = mapOf(
        time(Long.MAX_VALUE) to "infinity",
        time(Long.MIN_VALUE) to "-infinity",
        time(Long.MAX_VALUE - 1) to "a time after the year 294246",
        "[NULL, ${time(Long.MAX_VALUE)}]" to "infinity",
        "{'a': 1, 'b': ${time(Long.MAX_VALUE)}}" to "infinity",
        "[{'b': [${time(Long.MIN_VALUE)}]}]" to "-infinity",
    )

    test("infinity and times that do not fit are refused, with column and row [ADB-38]") {
        Faulty.c.bindAsPostgreSql()
        Faulty.connected { connection ->
            for ((sql, what) in refused) withClue(sql) {
                val place = if (sql.startsWith("[N")) "item 1" else if (sql.startsWith("[")) "item 0" else "row 0"
                val column = if (sql.contains("{")) "day.b" else "day"
                val failed = shouldThrow<AdbcException> {
                    connection.query("SELECT 1, $sql AS day").use { result -> result.forEach {} }
                }
                failed.status() shouldBe AdbcStatus.INVALID_DATA
                failed.driverMessage() shouldStartWith "column $column, $place of this batch: the value is $what,"
            }
        }
    }

    test("the first and the last times of PostgreSQL, and nulls, are returned [ADB-38]") {
        Faulty.c.bindAsPostgreSql()
        Faulty.connected { connection ->
            val micros = listOf(-210_866_803_200_000_000L, 9_223_371_331_200_000_000L - to2000, 0L)
            for (value in micros) {
                connection.query("SELECT epoch_us(make_timestamp($value)), make_timestamp($value), NULL::TIMESTAMP")
                    .use { it.next()!!.use { batch -> batch.column(0).getLong(0) } } shouldBe value
            }
            connection.query("SELECT ${day(-2_451_545)}").rows().size shouldBe 1
        }
    }

    test("another driver's times are returned as they come [ADB-38]") {
        Faulty.connected { it.query("SELECT ${time(Long.MIN_VALUE)}").rows().size shouldBe 1 }
    }
})
