// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldEndWith
import org.apache.spark.sql.connector.expressions.Expression
import org.apache.spark.sql.connector.expressions.Expressions
import org.apache.spark.sql.connector.expressions.Expressions.column
import org.apache.spark.sql.connector.expressions.LiteralValue
import org.apache.spark.sql.connector.expressions.NullOrdering
import org.apache.spark.sql.connector.expressions.SortDirection
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc
import org.apache.spark.sql.connector.expressions.aggregate.Count
import org.apache.spark.sql.connector.expressions.aggregate.CountStar
import org.apache.spark.sql.connector.expressions.aggregate.Max
import org.apache.spark.sql.connector.expressions.aggregate.Min
import org.apache.spark.sql.connector.expressions.aggregate.Sum
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.types.DataTypes
import org.apache.spark.sql.types.Decimal
import org.apache.spark.unsafe.types.UTF8String
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType
import org.arbalest.device.types.NestedType
import org.arbalest.device.types.Schema

class ConditionsSpec : FunSpec({
    val schema = Schema.of(
        Field.of("i", DataType.INT32), Field.of("j", DataType.INT32), Field.of("l", DataType.INT64),
        Field.of("u", DataType.UINT64), Field.of("o", DataType.BOOL), Field.of("d", DataType.decimal128(9, 2)),
        Field.of("day", FlatType.DateType(FlatType.DateUnit.DAY)),
        Field.of("n", FlatType.TimestampType(ArrowTimeUnit.MICROSECOND, null)),
        Field.of("z", DataType.timestamp(ArrowTimeUnit.MICROSECOND, "Europe/Berlin")),
        Field.of("ms", FlatType.TimestampType(ArrowTimeUnit.MILLISECOND, null)),
        Field.of("f", DataType.FLOAT64), Field.of("t", DataType.UTF8),
        Field.of("st", NestedType.StructType(listOf(Field.of("i", DataType.INT32)))),
        Field.of("twice", DataType.INT32), Field.of("twice", DataType.INT32),
        Field.of("a\" OR 1=1 --", DataType.INT32), Field.of("h", DataType.decimal128(38, 0)),
        Field.of("js", DataType.UTF8),
    )

    fun int(value: Int) = LiteralValue(value, DataTypes.IntegerType)
    fun ref(name: String) = column("`" + name.replace("`", "``") + "`")
    fun predicate(name: String, vararg parts: Expression) = Predicate(name, parts.toList().toTypedArray())
    val duckDbTypes = mapOf("i" to "INTEGER", "j" to "INTEGER", "l" to "BIGINT", "u" to "UBIGINT", "o" to "BOOLEAN",
        "d" to "DECIMAL(9,2)", "day" to "DATE", "n" to "TIMESTAMP", "z" to "TIMESTAMP WITH TIME ZONE", "f" to "DOUBLE",
        "ms" to "TIMESTAMP_MS", "t" to "VARCHAR", "st" to "STRUCT(i INTEGER)", "twice" to "INTEGER",
        "a\" OR 1=1 --" to "INTEGER", "h" to "HUGEINT", "js" to "JSON")
    val postgresTypes = mapOf("i" to "integer", "j" to "oid", "l" to "money", "o" to "boolean", "day" to "date",
        "d" to "numeric", "z" to "timestamp with time zone", "t" to "character varying", "js" to "character")

    fun columns(dialect: Dialect, quote: String = "\"") =
        QueryColumns(dialect, schema, if (dialect == Dialect.POSTGRESQL) postgresTypes else duckDbTypes, quote)

    fun sql(predicate: Predicate, dialect: Dialect = Dialect.DUCKDB, quote: String = "\"") =
        Conditions(columns(dialect, quote)).sql(predicate)

    fun sql(name: String, vararg parts: Expression) = sql(predicate(name, *parts))

    test("comparisons and IN have literals of their column's type [SPK-25]") {
        for (operator in listOf("=", "<>", "<", "<=", ">", ">="))
            sql(operator, ref("i"), int(-7)) shouldBe "(\"i\" $operator -7)"
        sql("<", int(3), ref("i")) shouldBe "(3 < \"i\")"
        sql("=", ref("i"), ref("j")) shouldBe "(\"i\" = \"j\")"
        sql("<=>", int(3), ref("i")) shouldBe "(\"i\" IS NOT NULL AND (3 = \"i\"))"
        sql("IN", ref("i"), int(1), LiteralValue(null, DataTypes.IntegerType)) shouldBe "(\"i\" IN (1, NULL))"
        sql("=", ref("o"), LiteralValue(true, DataTypes.BooleanType)) shouldBe "(\"o\" = TRUE)"
        sql("=", ref("d"), LiteralValue(Decimal.apply(java.math.BigDecimal("1E+3").setScale(2)),
            DataTypes.createDecimalType(9, 2))) shouldBe "(\"d\" = CAST('1000.00' AS DECIMAL(9, 2)))"
        sql("<", ref("u"), LiteralValue(Decimal.apply(java.math.BigDecimal("18446744073709551615")),
            DataTypes.createDecimalType(20, 0))) shouldBe "(\"u\" < 18446744073709551615)"
        sql("<", ref("h"), LiteralValue(Decimal.apply(java.math.BigDecimal("-5")), DataTypes.createDecimalType(38, 0)))
            .shouldBe("(\"h\" < -5)")
        sql("=", ref("day"), LiteralValue(-1, DataTypes.DateType)) shouldBe "(\"day\" = DATE '1969-12-31')"
        sql(">", ref("n"), LiteralValue(-1L, DataTypes.TimestampNTZType)) shouldBe
            "(\"n\" > TIMESTAMP '1969-12-31 23:59:59.999999')"
        sql(">", ref("z"), LiteralValue(0L, DataTypes.TimestampType)) shouldBe
            "(\"z\" > TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00.000000+00')"
    }

    test("AND, OR and NOT are pushed only with all their parts [SPK-25]") {
        val known = predicate("=", ref("i"), int(1))
        val unknown = predicate("=", ref("f"), LiteralValue(1.0, DataTypes.DoubleType))
        sql("NOT", predicate("OR", known, predicate("IS_NULL", ref("t")))) shouldBe
            "(NOT ((\"i\" = 1) OR (\"t\" IS NULL)))"
        sql("AND", known, predicate("IS_NOT_NULL", ref("f"))) shouldBe "((\"i\" = 1) AND (\"f\" IS NOT NULL))"
        sql("AND", known, unknown) shouldBe null
        sql("OR", unknown, known) shouldBe null
        sql("NOT", unknown) shouldBe null
    }

    test("Spark decides conditions on other types, values and columns [SPK-25]") {
        sql("=", ref("ms"), LiteralValue(0L, DataTypes.TimestampNTZType)) shouldBe null
        sql("=", ref("i"), LiteralValue(1L, DataTypes.LongType)) shouldBe null // not the column's type
        sql("=", ref("i"), ref("l")) shouldBe null
        sql("=", ref("i"), LiteralValue(null, DataTypes.IntegerType)) shouldBe null
        sql("<=>", ref("i"), ref("j")) shouldBe null
        sql("=", int(1), int(1)) shouldBe null
        sql("=", ref("twice"), int(1)) shouldBe null
        sql("=", ref("missing"), int(1)) shouldBe null
        sql("=", column("st.i"), int(1)) shouldBe null
        sql("IS_NULL", ref("st")) shouldBe null
        sql("IN", ref("i")) shouldBe null
        sql("IN", ref("i"), ref("j")) shouldBe null
        sql("IN", ref("i"), *Array(1001) { int(it) }) shouldBe null
        sql("LIKE", ref("t"), int(1)) shouldBe null
        sql("=", ref("day"), LiteralValue(2932897, DataTypes.DateType)) shouldBe null // the year 10000
        sql("=", ref("day"), LiteralValue(-719529, DataTypes.DateType)) shouldBe null // the year -1
        sql("=", ref("n"), LiteralValue(Long.MIN_VALUE, DataTypes.TimestampNTZType)) shouldBe null
    }

    test("names of columns cannot end their quotation [SPK-25]") {
        val attack = predicate("=", ref("a\" OR 1=1 --"), int(1))
        sql(attack) shouldBe "(\"a\"\" OR 1=1 --\" = 1)"
        sql(attack, quote = "`") shouldBe "(`a\" OR 1=1 --` = 1)"
    }

    test("text is equal by its bytes, whatever its collation, and cannot end its apostrophes [SPK-25]") {
        fun text(value: String) = LiteralValue(UTF8String.fromString(value), DataTypes.StringType)
        sql("=", ref("t"), text("a' OR 'a")) shouldBe
            "(\"t\" = 'a'' OR ''a' AND \"t\" COLLATE \"C\" = 'a'' OR ''a' COLLATE \"C\")"
        sql(predicate("<>", text("x"), ref("t")), Dialect.POSTGRESQL) shouldBe
            "(NOT ('x' = \"t\" AND 'x' COLLATE \"C\" = \"t\" COLLATE \"C\"))"
        sql("IN", ref("t"), text("x"), LiteralValue(null, DataTypes.StringType)) shouldBe
            "(\"t\" IN ('x', NULL) AND \"t\" COLLATE \"C\" IN ('x' COLLATE \"C\", NULL))"
        for (left in listOf("a\\b", "a\u0000b")) sql("=", ref("t"), text(left)) shouldBe null
        sql("=", ref("t"), LiteralValue(UTF8String.fromBytes(byteArrayOf(-1)), DataTypes.StringType)) shouldBe null
        for (operator in listOf("<", "<=", ">", ">=")) sql(operator, ref("t"), text("x")) shouldBe null
        sql("=", ref("t"), ref("t")) shouldBe null
        sql("=", ref("js"), text("x")) shouldBe null
    }

    test("each database decides only its own types, and an unknown one decides nothing [SPK-25]") {
        val decimal = LiteralValue(Decimal.apply(java.math.BigDecimal("0.01")), DataTypes.createDecimalType(9, 2))
        val conditions = listOf(
            predicate("=", ref("i"), int(1)), predicate("=", ref("j"), int(1)),
            predicate("=", ref("l"), LiteralValue(1L, DataTypes.LongType)),
            predicate("=", ref("day"), LiteralValue(0, DataTypes.DateType)), predicate("=", ref("d"), decimal),
            predicate("IS_NULL", ref("l")), predicate("IS_NULL", ref("d")), predicate("IS_NULL", ref("f")),
        )
        fun pushed(dialect: Dialect) = conditions.map { sql(it, dialect) != null }
        pushed(Dialect.DUCKDB) shouldBe List(8) { true }
        pushed(Dialect.POSTGRESQL) shouldBe listOf(true, false, false, true, false, true, true, false)
        pushed(Dialect.OTHER) shouldBe List(8) { false }
        Dialect.of("DuckDB", "ADBC DuckDB Driver") shouldBe Dialect.DUCKDB
        Dialect.of("PostgreSQL", "ADBC PostgreSQL Driver") shouldBe Dialect.POSTGRESQL
        for ((vendor, driver) in listOf("Redshift" to "ADBC PostgreSQL Driver", "SQLite" to "ADBC SQLite Driver",
            "DuckDB" to "ADBC Flight SQL Driver", null to null)) Dialect.of(vendor, driver) shouldBe Dialect.OTHER
    }

    test("text is searched by its bytes, without patterns [SPK-25]") {
        fun text(value: String) = LiteralValue(UTF8String.fromString(value), DataTypes.StringType)
        fun searches(dialect: Dialect, part: Expression) = listOf("STARTS_WITH", "ENDS_WITH", "CONTAINS")
            .map { sql(predicate(it, ref("t"), part), dialect) }
        searches(Dialect.DUCKDB, text("50%'_")) shouldBe listOf("(prefix(\"t\" COLLATE \"C\", '50%''_'))",
            "(suffix(\"t\" COLLATE \"C\", '50%''_'))", "(contains(\"t\" COLLATE \"C\", '50%''_'))")
        searches(Dialect.POSTGRESQL, text("a")) shouldBe listOf("(starts_with(\"t\" COLLATE \"C\", 'a'))",
            "(right(\"t\" COLLATE \"C\", char_length('a')) = 'a')", "(strpos(\"t\" COLLATE \"C\", 'a') > 0)")
        for (part in listOf(text("a\\b"), text("a\u0000"), ref("t"), LiteralValue(null, DataTypes.StringType)))
            searches(Dialect.DUCKDB, part) shouldBe listOf(null, null, null)
        searches(Dialect.OTHER, text("a")) shouldBe listOf(null, null, null)
        sql("STARTS_WITH", text("a"), ref("t")) shouldBe null
        sql("STARTS_WITH", ref("js"), text("a")) shouldBe null
        sql("NOT", predicate("CONTAINS", ref("t"), text(""))) shouldBe "(NOT (contains(\"t\" COLLATE \"C\", '')))"
    }

    test("orders and aggregates are pushed only where the driver returns the compared values [SPK-25, SPK-26]") {
        fun sort(of: Expression) = Expressions.sort(of, SortDirection.DESCENDING, NullOrdering.NULLS_LAST)
        fun ranks(column: String, dialect: Dialect) = Aggregates(columns(dialect)).ranks(ref(column))
        columns(Dialect.POSTGRESQL).order(listOf(sort(ref("i")))) shouldBe "\"i\" DESC NULLS LAST"
        ranks("i", Dialect.POSTGRESQL) shouldBe true
        ranks("day", Dialect.DUCKDB) shouldBe true
        for (column in listOf("day", "z", "l", "t", "missing")) ranks(column, Dialect.POSTGRESQL) shouldBe false
        for (column in listOf("t", "o", "f")) ranks(column, Dialect.DUCKDB) shouldBe false
        fun types(dialect: Dialect, vararg functions: AggregateFunc) =
            Aggregates(columns(dialect)).schema(listOf(), functions.toList())?.fields()?.map { it.type() }
        types(Dialect.POSTGRESQL, CountStar(), Count(ref("t"), false), Max(ref("i")), Sum(ref("i"), false)) shouldBe
            listOf(DataType.INT64, DataType.INT64, DataType.INT32, DataType.INT64)
        types(Dialect.DUCKDB, Min(ref("u")), Min(ref("d"))) shouldBe
            listOf(DataType.UINT64, DataType.decimal128(9, 2))
        for (function in listOf(Max(ref("day")), Max(ref("l")), Sum(ref("l"), false), Count(ref("i"), true)))
            types(Dialect.POSTGRESQL, function) shouldBe null
        for (function in listOf(Sum(ref("u"), false), Sum(ref("i"), true), Sum(ref("d"), false), Max(ref("t"))))
            types(Dialect.DUCKDB, function) shouldBe null
        types(Dialect.DUCKDB, Sum(ref("l"), false), Count(ref("l"), false)) shouldBe null // AVG does not overflow
        types(Dialect.DUCKDB, Sum(ref("l"), false), Count(ref("i"), false)) shouldBe
            listOf(DataType.INT64, DataType.INT64)
        types(Dialect.DUCKDB, Sum(ref("l"), false), Count(ref("st"), false)) shouldBe null
        types(Dialect.OTHER, CountStar()) shouldBe null
    }

    test("groups are pushed where equality is Spark's, and are complete where no sum may overflow [SPK-26]") {
        fun groups(dialect: Dialect, vararg names: String) = Aggregates(columns(dialect))
            .schema(names.map { ref(it) }, listOf(CountStar()))?.fields()?.map { "${it.name()} ${it.type()}" }
        groups(Dialect.DUCKDB, "d", "t", "o") shouldBe
            listOf("g0 decimal128(9, 2)", "g1 utf8", "g2 bool", "a0 int64")
        for (column in listOf("f", "js", "st", "ms", "twice", "missing")) groups(Dialect.DUCKDB, column) shouldBe null
        for (column in listOf("d", "js", "l", "j")) groups(Dialect.POSTGRESQL, column) shouldBe null
        groups(Dialect.OTHER, "i") shouldBe null
        fun areComplete(dialect: Dialect, group: String, vararg functions: AggregateFunc) =
            Aggregates(columns(dialect)).areComplete(listOf(ref(group)), functions.toList())
        areComplete(Dialect.DUCKDB, "day", CountStar(), Sum(ref("i"), false), Max(ref("l"))) shouldBe true
        areComplete(Dialect.POSTGRESQL, "t", CountStar(), Sum(ref("i"), false)) shouldBe true
        areComplete(Dialect.DUCKDB, "t", Sum(ref("l"), false)) shouldBe false
        areComplete(Dialect.POSTGRESQL, "day", CountStar()) shouldBe false // two values may arrive as one
        areComplete(Dialect.DUCKDB, "f", CountStar()) shouldBe false
    }

    test("the results of a group are ordered by their positions, and sums beyond a bigint have rows [SPK-26]") {
        fun sort(of: Expression) = Expressions.sort(of, SortDirection.ASCENDING, NullOrdering.NULLS_FIRST)
        val aggregates = Aggregates(columns(Dialect.DUCKDB))
        val groups = listOf(ref("t"), ref("i"))
        val functions = listOf(CountStar(), Sum(ref("j"), false))
        val end = aggregates.order(groups, functions, listOf(sort(Sum(ref("j"), false)), sort(ref("i"))))
        end shouldBe "4 ASC NULLS FIRST, 2 ASC NULLS FIRST"
        aggregates.select(groups, functions, "FROM x", " LIMIT 1") shouldBe "SELECT \"t\" COLLATE \"C\" AS g0, " +
            "\"i\" AS g1, COUNT(*) AS a0, CAST(SUM(\"j\") AS BIGINT) AS a1 FROM x GROUP BY 1, 2 LIMIT 1"
        shouldThrow<IllegalArgumentException> { aggregates.order(groups, functions, listOf(sort(Max(ref("i"))))) }
            .message shouldBe "AdbcSource has not accepted MAX(i)"
        aggregates.select(listOf(), listOf(Sum(ref("l"), false)), "FROM x", "") shouldEndWith
            " AS parts(part) WHERE part = 0 OR a0 > 9223372036854775807"
    }
})
