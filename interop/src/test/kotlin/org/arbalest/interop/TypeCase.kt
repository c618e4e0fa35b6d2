// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop

import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.DecimalType
import org.arbalest.device.types.FlatType.DurationType
import org.arbalest.device.types.FlatType.FixedSizeBinaryType
import org.arbalest.device.types.FlatType.IntType
import org.arbalest.device.types.FlatType.TimeType
import org.arbalest.device.types.FlatType.TimestampType
import org.arbalest.device.types.Interval
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.FixedSizeListType
import org.arbalest.device.types.NestedType.LargeListType
import org.arbalest.device.types.NestedType.LargeListViewType
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.ListViewType
import org.arbalest.device.types.NestedType.MapType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.NestedType.UnionMode
import org.arbalest.device.types.NestedType.UnionType
import java.math.BigDecimal

/**
 * A type, and the values of a column of this type.
 *
 * @property sql the value of row `i` in DuckDB's SQL, if DuckDB has such a type
 * @property make returns the value of a row in the representation of [Laid]; every fifth row is null, except in a union
 */
internal class TypeCase(val name: String, val type: DataType, val sql: String?, private val make: (Int) -> Any?) {
    val field: Field = Field.of("v", type)

    fun value(row: Int): Any? = if (type !is UnionType && isNull(row)) null else make(row)

    override fun toString(): String = name

    companion object {
        /** The condition by which [sql] makes a row null. */
        const val SQL_IS_NULL = "i % 5 = 3"

        fun isNull(row: Int): Boolean = row % 5 == 3
    }
}

/** Every type of the format, by name. */
internal object Types {
    private val item = Field.of("item", DataType.INT64)
    private val word = Field.of("item", DataType.UTF8)
    private val pair = StructType(listOf(Field.of("x", DataType.INT64), Field.of("word", DataType.UTF8)))
    private val entries = Field.of(
        "entries",
        StructType(listOf(Field.of("key", DataType.UTF8).withNullable(false), Field.of("value", DataType.INT64))),
    ).withNullable(false)
    private val members = listOf(Field.of("number", DataType.INT64), Field.of("text", DataType.UTF8))

    private val long: (Int) -> Long = { it * 10_000_000_019L }
    private val text: (Int) -> String = { if (it % 2 == 0) "r$it" else "row number \u00b5$it" }
    private val bytes: (Int) -> List<Byte> = { row -> text(row).encodeToByteArray().toList() }
    private val longs: (Int) -> List<Long?> = { row ->
        if (row % 3 == 0) emptyList() else listOf(row.toLong(), null, row + 1L)
    }
    private val texts: (Int) -> List<String?> = { row ->
        if (row % 3 == 0) emptyList() else listOf(text(row), null, "")
    }
    private val pairs: (Int) -> Map<String, Any?> = { row ->
        mapOf("x" to long(row), "word" to if (row % 7 == 1) null else text(row))
    }
    private val color: (Int) -> String = { listOf("red", "green", "blue")[it % 3] }
    private const val LONG = "i * 10000000019"
    private const val TEXT = "CASE WHEN i % 2 = 0 THEN 'r' || i ELSE 'row number \u00b5' || i END"
    private const val LONGS = "CASE WHEN i % 3 = 0 THEN [] ELSE [i, NULL, i + 1] END"
    private const val PAIRS = "{'x': $LONG, 'word': CASE WHEN i % 7 = 1 THEN NULL ELSE $TEXT END}"
    private const val COLOR = "['red', 'green', 'blue'][1 + i % 3]"

    private fun case(name: String, type: DataType, sql: String? = null, make: (Int) -> Any?) =
        TypeCase(name, type, sql, make)

    private fun int(type: IntType, sql: String, make: (Int) -> Long) =
        case(if (type.signed()) "int${type.bits()}" else "uint${type.bits()}", type, sql, make)

    private fun decimal(bits: Int, precision: Int, scale: Int, sql: String?, make: (Int) -> String) =
        case("decimal$bits", DecimalType(bits, precision, scale), sql) { BigDecimal(make(it)).setScale(scale) }

    private fun dictionary(index: IntType, ordered: Boolean = false) = case(
        "dictionary, " + (if (index.signed()) "" else "u") + "int${index.bits()}" + (if (ordered) ", ordered" else ""),
        DictionaryType(index, Field.of("", DataType.UTF8), ordered), COLOR, color,
    )

    val all: List<TypeCase> = listOf(
        case("null", DataType.NULL) { null },
        case("bool", DataType.BOOL, "i % 3 = 0") { it % 3 == 0 },
        int(DataType.INT8, "i - 50") { it - 50L },
        int(DataType.INT16, "i * 7 - 900") { it * 7 - 900L },
        int(DataType.INT32, "i * 100003") { it * 100003L },
        int(DataType.INT64, LONG, long),
        int(DataType.UINT8, "i + 100") { it + 100L },
        int(DataType.UINT16, "i * 600") { it * 600L },
        int(DataType.UINT32, "i * 40000000") { it * 40_000_000L },
        int(DataType.UINT64, "i::UHUGEINT * 184467440737095516") { it * 184_467_440_737_095_516L },
        case("float16", DataType.FLOAT16) { it / 2.0 },
        case("float32", DataType.FLOAT32, "(i / 8.0)::FLOAT") { it / 8.0 },
        case("float64", DataType.FLOAT64, "i::DOUBLE / 7.0::DOUBLE") { it / 7.0 },
        decimal(32, 9, 2, "(i * 1.25)::DECIMAL(9,2)") { "${it * 1.25}" },
        decimal(64, 18, 3, "(i * 12345678.125)::DECIMAL(18,3)") { "${it * 12345678125L}e-3" },
        decimal(128, 38, 10, "(i * 98765432.1)::DECIMAL(38,10)") { "${it * 987654321L}e-1" },
        decimal(256, 76, 2, null) { "-${it}99999999999999999999999999999999999999999.25" },
        case("utf8", DataType.UTF8, TEXT, text),
        case("large utf8", DataType.LARGE_UTF8, TEXT, text),
        case("utf8 view", DataType.UTF8_VIEW, TEXT, text),
        case("binary", DataType.BINARY, "encode($TEXT)", bytes),
        case("large binary", DataType.LARGE_BINARY, "encode($TEXT)", bytes),
        case("binary view", DataType.BINARY_VIEW, "encode($TEXT)", bytes),
        case("fixed-size binary", FixedSizeBinaryType(3), "encode('a' || (i % 90 + 10))") { row ->
            "a${row % 90 + 10}".encodeToByteArray().toList()
        },
        case("date32", DataType.DATE32, "DATE '1969-12-01' + i::INTEGER") { it - 31L },
        case("date64", DataType.DATE64, "DATE '1969-12-01' + i::INTEGER") { (it - 31L) * 86_400_000 },
        case("time32, s", TimeType(ArrowTimeUnit.SECOND), "TIME '00:00:01' + INTERVAL 1 SECOND * i") { it + 1L },
        case("time32, ms", TimeType(ArrowTimeUnit.MILLISECOND), "TIME '00:00:00.001' + INTERVAL 1 SECOND * i") {
            it * 1000 + 1L
        },
        case("time64, us", TimeType(ArrowTimeUnit.MICROSECOND), "TIME '00:00:00.000001' + INTERVAL 1 SECOND * i") {
            it * 1_000_000 + 1L
        },
        case("time64, ns", TimeType(ArrowTimeUnit.NANOSECOND)) { it * 1_000_000_000L + 1 },
        case(
            "timestamp, s",
            TimestampType(ArrowTimeUnit.SECOND, null),
            "(TIMESTAMP '1970-01-01' + INTERVAL 1 HOUR * (i - 20))::TIMESTAMP_S",
        ) {
            (it - 20) * 3600L
        },
        case(
            "timestamp, ms", TimestampType(ArrowTimeUnit.MILLISECOND, null),
            "(TIMESTAMP '1970-01-01' + INTERVAL 1 HOUR * (i - 20))::TIMESTAMP_MS",
        ) {
            (it - 20) * 3_600_000L
        },
        case(
            "timestamp, us",
            TimestampType(ArrowTimeUnit.MICROSECOND, null),
            "TIMESTAMP '1970-01-01' + INTERVAL 1 HOUR * (i - 20)",
        ) {
            (it - 20) * 3_600_000_000L
        },
        case(
            "timestamp, ns", TimestampType(ArrowTimeUnit.NANOSECOND, null),
            "(TIMESTAMP '1970-01-01' + INTERVAL 1 HOUR * (i - 20))::TIMESTAMP_NS",
        ) {
            (it - 20) * 3_600_000_000_000L
        },
        case(
            "timestamp, us, UTC",
            TimestampType(ArrowTimeUnit.MICROSECOND, "UTC"),
            "make_timestamptz((i - 20) * 3600000000)",
        ) {
            (it - 20) * 3_600_000_000L
        },
        case("duration, s", DurationType(ArrowTimeUnit.SECOND), "INTERVAL 1 SECOND * i") { it.toLong() },
        case("duration, ms", DurationType(ArrowTimeUnit.MILLISECOND), "INTERVAL 1 SECOND * i") { it * 1000L },
        case("duration, us", DurationType(ArrowTimeUnit.MICROSECOND), "INTERVAL 1 SECOND * i") { it * 1_000_000L },
        case("duration, ns", DurationType(ArrowTimeUnit.NANOSECOND), "INTERVAL 1 SECOND * i") { it * 1_000_000_000L },
        case("interval, months", DataType.INTERVAL_YEAR_MONTH, "INTERVAL 1 MONTH * i") { Interval(it, 0, 0) },
        case("interval, days and ms", DataType.INTERVAL_DAY_TIME) { Interval(0, it, it * 1_000_000L) },
        case(
            "interval, months, days and ns", DataType.INTERVAL_MONTH_DAY_NANO,
            "INTERVAL 1 MONTH + INTERVAL 1 DAY * i + INTERVAL 1 SECOND * i",
        ) {
            Interval(1, it, it * 1_000_000_000L)
        },
        case("list", ListType(item), LONGS, longs), case("large list", LargeListType(item), LONGS, longs),
        case("list view", ListViewType(item), LONGS, longs),
        case("large list view", LargeListViewType(item), LONGS, longs),
        case(
            "list of lists of text", ListType(Field.of("item", ListType(word))),
            "[CASE WHEN i % 3 = 0 THEN [] ELSE [$TEXT, NULL, ''] END, NULL, []]",
        ) {
            listOf(texts(it), null, emptyList<String>())
        },
        case("fixed-size list", FixedSizeListType(item, 3), "[i, NULL, i + 1]::BIGINT[3]") { row ->
            listOf(row.toLong(), null, row + 1L)
        },
        case("struct", pair, PAIRS, pairs),
        case("struct of list", StructType(listOf(Field.of("l", ListType(item)))), "{'l': $LONGS}") {
            mapOf("l" to longs(it))
        },
        case(
            "list of structs", ListType(Field.of("item", pair)), "CASE WHEN i % 3 = 0 THEN [] ELSE [$PAIRS, NULL] END",
        ) {
            if (it % 3 == 0) emptyList<Any>() else listOf(pairs(it), null)
        },
        case(
            "map", MapType(entries, false), "CASE WHEN i % 3 = 0 THEN map {} ELSE map {'k' || i: i, 'l': NULL} END",
        ) { row ->
            if (row % 3 == 0) emptyList<Any>()
            else listOf(mapOf("key" to "k$row", "value" to row.toLong()), mapOf("key" to "l", "value" to null))
        },
        case("sparse union", UnionType(UnionMode.SPARSE, listOf(0, 1), members)) {
            if (it % 2 == 0) Variant(0, long(it)) else Variant(1, text(it))
        },
        case("sparse union, ids 5 and 3", UnionType(UnionMode.SPARSE, listOf(5, 3), members)) {
            if (it % 2 == 0) Variant(5, long(it)) else Variant(3, text(it))
        },
        case("dense union", UnionType(UnionMode.DENSE, listOf(0, 1), members)) {
            if (it % 2 == 0) Variant(0, long(it)) else Variant(1, if (it % 3 == 0) null else text(it))
        },
        case("run-ends, int16", runs(DataType.INT16), TEXT_RUNS) { text(it / 4) },
        case("run-ends, int32", runs(DataType.INT32), TEXT_RUNS) { text(it / 4) },
        case("run-ends, int64", runs(DataType.INT64), TEXT_RUNS) { text(it / 4) },
        dictionary(DataType.INT8), dictionary(DataType.INT16), dictionary(DataType.INT32), dictionary(DataType.INT64),
        dictionary(DataType.UINT8), dictionary(DataType.UINT16), dictionary(DataType.UINT32),
        dictionary(DataType.UINT64),
        dictionary(DataType.INT8, ordered = true),
        case("dictionary of int64", DictionaryType(DataType.INT32, item.withName(""), false),
            "(i % 3) * 10000000019") { long(it % 3) },
        case(
            "list of dictionary", ListType(Field.of("item", DataType.dictionary(DataType.INT8, DataType.UTF8))),
            "[$COLOR, NULL]",
        ) {
            listOf(color(it), null)
        },
    )

    private fun runs(ends: IntType) =
        RunEndEncodedType(Field.of("run_ends", ends).withNullable(false), Field.of("values", DataType.UTF8))
}

private const val TEXT_RUNS = "CASE WHEN i // 4 % 2 = 0 THEN 'r' || (i // 4) ELSE 'row number \u00b5' || (i // 4) END"
