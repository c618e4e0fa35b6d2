// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.databases

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.types.Interval
import org.arbalest.interop.Had
import org.arbalest.interop.adbc.rows
import org.arbalest.interop.duckdb.DuckDb
import org.arbalest.support.ResourceCountersExtension
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

private const val ID = "00112233-4455-6677-8899-aabbccddeeff"

private val LITERALS = mapOf(
    "BOOLEAN" to Literal("true", true),
    "TINYINT" to Literal("(-1)::TINYINT", -1L),
    "SMALLINT" to Literal("(-1)::SMALLINT", -1L),
    "INTEGER" to Literal("1", 1L),
    "BIGINT" to Literal("9223372036854775807", Long.MAX_VALUE),
    "UTINYINT" to Literal("255::UTINYINT", 255L),
    "USMALLINT" to Literal("65535::USMALLINT", 65535L),
    "UINTEGER" to Literal("4294967295::UINTEGER", 4294967295L),
    "UBIGINT" to Literal("18446744073709551615::UBIGINT", BigDecimal("18446744073709551615")),
    "HUGEINT" to Literal("1::HUGEINT", BigDecimal.ONE),
    "UHUGEINT" to Literal("1::UHUGEINT", BigDecimal.ONE),
    "FLOAT" to Literal("1.5::FLOAT", 1.5),
    "DOUBLE" to Literal("0.1::DOUBLE", 0.1),
    "DECIMAL(4, 2)" to Literal("12.50", BigDecimal("12.50")),
    "VARCHAR" to Literal("'é'", "é"),
    "BLOB" to Literal("'\\x01\\xff'::BLOB", listOf<Byte>(1, -1)),
    "BIT" to Literal("'101'::BIT", listOf<Byte>(5, -3)),
    "UUID" to Literal("'$ID'::UUID", ID),
    "DATE" to Literal("DATE '1900-01-01'", LocalDate.of(1900, 1, 1).toEpochDay()),
    "TIME" to Literal("TIME '01:02:03.000004'", 3_723_000_004),
    "TIMETZ" to Literal("TIMETZ '01:02:03+00'", 3_723_000_000),
    "TIME_NS" to Literal("'01:02:03.000000004'::TIME_NS", 3_723_000_000_004),
    "TIMESTAMP" to Literal("TIMESTAMP '1969-12-31 23:59:59.999999'", -1L),
    "TIMESTAMP_S" to Literal("'1970-01-01 00:00:01'::TIMESTAMP_S", 1L),
    "TIMESTAMP_MS" to Literal("'1970-01-01 00:00:01'::TIMESTAMP_MS", 1000L),
    "TIMESTAMP_NS" to Literal("'1970-01-01 00:00:01'::TIMESTAMP_NS", 1_000_000_000L),
    "TIMESTAMPTZ" to Literal("TIMESTAMPTZ '1970-01-01 01:00:00+01'", 0L),
    "INTERVAL" to Literal("INTERVAL '1 month 2 days 3 microseconds'", Interval(1, 2, 3000)),
    "INTEGER[]" to Literal("[1, NULL]", listOf(1L, null)),
    "INTEGER[2]" to Literal("[1, 2]::INTEGER[2]", listOf(1L, 2L)),
    "STRUCT(a INTEGER)" to Literal("{'a': 1}", mapOf("a" to 1L)),
    "UNION(a INTEGER)" to Literal("union_value(a := 1)", 1L),
    "MAP(VARCHAR, INTEGER)" to Literal("MAP {'k': 1}", listOf(java.util.Map.entry("k", 1L))),
    "BIGNUM" to Literal("1::BIGNUM", listOf<Byte>(-128, 0, 1, 1)),
    "ENUM" to Literal("'GLAD'::ENUM ('GLAD')", "GLAD"),
    "JSON" to Literal("'{\"a\":1}'::JSON", "{\"a\":1}"),
)

/** A value and its text for each Java class of the page. */
private val VALUES = mapOf<String, Pair<Any, String>>(
    "Boolean" to (true to "true"),
    "Byte" to (1.toByte() to "1"),
    "Short" to (2.toShort() to "2"),
    "Integer" to (3 to "3"),
    "Long" to (4L to "4"),
    "Float" to (1.5f to "1.5"),
    "Double" to (2.5 to "2.5"),
    "BigDecimal" to (BigDecimal("-1.25") to "-1.25"),
    "BigInteger" to (BigInteger.valueOf(7) to "7"),
    "String" to ("é" to "é"),
    "Character" to ('a' to "a"),
    "enum" to (Mood.GLAD to "GLAD"),
    "byte[]" to (byteArrayOf(65) to "A"),
    "UUID" to (UUID.fromString(ID) to ID),
    "LocalDate" to (LocalDate.of(1900, 1, 1) to "1900-01-01"),
    "LocalTime" to (LocalTime.of(1, 2, 3, 4_000) to "01:02:03.000004"),
    "LocalDateTime" to (LocalDateTime.of(1900, 1, 2, 3, 4) to "1900-01-02 03:04:00"),
    "Instant" to (Instant.parse("1900-01-01T00:00:00.000001Z") to "1900-01-01 00:00:00.000001+00"),
    "OffsetDateTime" to (OffsetDateTime.parse("2024-01-01T01:00:00+01:00") to "2024-01-01 00:00:00+00"),
    "ZonedDateTime" to (ZonedDateTime.parse("2024-01-01T01:00:00+01:00[Europe/Paris]") to "2024-01-01 00:00:00+00"),
    "Duration" to (Duration.ofMillis(1) to "00:00:00.001"),
    "Interval" to (Interval(1, 2, 3000) to "1 month 2 days 00:00:00.000003"),
    "List<Long>" to (listOf(1L, 2L) to "[1, 2]"),
    "String[]" to (arrayOf("a", "b") to "[a, b]"),
)

/** Returns the digits of a decimal, as DuckDB's type has them. */
private fun digits(value: Any): String = when (value) {
    is BigDecimal -> "(${value.precision()},${value.scale()})"
    is BigInteger -> digits(BigDecimal(value))
    else -> ""
}

/** Tests the tables of DuckDB's page. */
internal class DuckDbTypesSpec : FunSpec({
    extension(Had.needed { DuckDb.jdbc.missing })
    extension(ResourceCountersExtension)

    test("each SQL type of the page arrives as its type") {
        val page = TypesPage("duckdb")
        DuckDb.jdbc.connected { connection ->
            connection.execute("SET TimeZone = 'UTC'")
            page.shouldBeResults(LITERALS) { connection.query("SELECT $it AS v") }
        }
    }

    test("each Java class of the page becomes its SQL type") {
        val page = TypesPage("duckdb")
        page.parameters.keys shouldBe VALUES.keys
        DuckDb.jdbc.connected { connection ->
            connection.execute("SET TimeZone = 'UTC'")
            for ((name, sample) in VALUES) withClue(name) {
                val (value, text) = sample
                val type = page.parameters[name]!!.replace("(p, s)", digits(value))
                connection.query("SELECT typeof(?), ?::VARCHAR", value, value).rows().single() shouldBe
                    listOf(type, text)
            }
        }
    }
})
