// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.statistics

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.Validation
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.support.RawArray
import org.arbalest.device.support.RawArray.Companion.bytes
import org.arbalest.device.support.RawArray.Companion.ints
import org.arbalest.device.support.RawArray.Companion.longs
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Interval
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.NestedType.UnionMode
import org.arbalest.device.types.NestedType.UnionType
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.EveryType
import org.arbalest.support.PeerMoves
import org.arbalest.support.PeerNodes
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.math.BigDecimal
import java.nio.ByteBuffer
import java.time.Period
import java.util.OptionalDouble
import java.util.OptionalLong

private const val ROW_COUNT = "ARROW:row_count:exact"
private const val NULL_COUNT = "ARROW:null_count:exact"
private const val DISTINCT_COUNT = "ARROW:distinct_count:exact"
private const val MAX = "ARROW:max_value:exact"
private const val MIN = "ARROW:min_value:exact"
private const val ABOUT_MAX = "ARROW:max_value:approximate"
private const val ABOUT_MIN = "ARROW:min_value:approximate"

/** Arrow's statistics schema: https://arrow.apache.org/docs/format/StatisticsSchema.html. */
class StatisticsSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    fun field(name: String, type: DataType, nullable: Boolean = false) = Field.of(name, type).withNullable(nullable)

    fun raw(
        field: Field,
        length: Int,
        vararg buffers: ByteBuffer?,
        nulls: Long = 0,
        children: List<RawArray> = listOf(),
        dictionary: RawArray? = null,
    ) =
        RawArray(field, length, nulls, 0, buffers.toMutableList(), children, dictionary)

    fun text(vararg values: String): RawArray {
        val offsets = values.runningFold(0) { at, value -> at + value.length }.toIntArray()
        return raw(field("", DataType.UTF8, true), values.size, null, ints(*offsets),
            bytes(*values.joinToString("").encodeToByteArray()))
    }

    fun doubles(vararg values: Double) = longs(*values.map(Double::toRawBits).toLongArray())

    /**
     * Returns the specification's "complex record batch": col1: struct<a: int32, b: list<item: int64>, c: float64>,
     * col2: utf8.
     */
    fun example(index: Int = 4, typeId: Byte = 1): RawArray {
        val numbers = raw(field("i", DataType.INT64, true), 12, null, longs(3, 0, 0, 3, 5, 0, 1, 99, 20, 1, 1, 2))
        val floats = raw(field("f", DataType.FLOAT64, true), 2, null, doubles(3.0, -3.0))
        val union = raw(
            field("items", DataType.denseUnion(numbers.field, floats.field)), 14,
            bytes(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, typeId, 0, 0), ints(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 10, 11),
            children = listOf(numbers, floats),
        )
        val keys = raw(
            field("key", DataType.dictionary(DataType.INT32, DataType.UTF8)), 14, null,
            ints(0, 1, 1, 2, 3, index, 1, 5, 6, 1, 3, 4, 1, 2),
            dictionary = text(ROW_COUNT, NULL_COUNT, DISTINCT_COUNT, ABOUT_MAX, ABOUT_MIN, MAX, MIN),
        )
        val entries =
            raw(field("entries", StructType(listOf(keys.field, union.field))), 14, null, children = listOf(keys, union))
        val maps = raw(field("statistics", DataType.map(keys.field, union.field)), 7, null,
            ints(0, 1, 2, 6, 7, 9, 12, 14), children = listOf(entries))
        val columns = raw(field("column", DataType.INT32, true), 7, bytes(0x7e), ints(-77, 0, 1, 2, 3, 4, 5), nulls = 1)
        return raw(field("", StructType(listOf(columns.field, maps.field))), 7, null, children = listOf(columns, maps))
    }

    /** Returns the same statistics from the builder. */
    fun built(): Statistics = Statistics.builder().rowCount(3)
        .column(0).nullCount(0)
        .column(1).nullCount(0).distinctCount(3).approximateMax(5).approximateMin(0)
        .column(2).nullCount(1)
        .column(3).max(99).min(20)
        .column(4).nullCount(1).approximateMax(3.0).approximateMin(-3.0)
        .column(5).nullCount(1).distinctCount(2)
        .build()

    fun <T> throughC(array: RecordBatch, look: (RecordBatch) -> T): T = Arena.ofConfined().use { arena ->
        val out = arena.struct(StructKind.ARRAY)
        val schema = arena.struct(StructKind.SCHEMA)
        CData.exportArray(array, out, CExport.DATA.schemaTo(schema))
        CData.importBatch(out, CImport.DATA.schema(schema).validation(Validation.FULL)).use(look)
    }

    fun crossed(statistics: Statistics): Statistics = throughC(statistics.toArray(), Statistics::of)

    fun append(column: ColumnBuilder, value: Any?) {
        when (value) {
            null -> column.appendNull()
            is Long -> column.append(value)
            is Double -> column.append(value)
            else -> column.append(value as String)
        }
    }

    val counts = DataType.denseUnion(Field.of("i", DataType.INT64), Field.of("f", DataType.FLOAT64),
        Field.of("t", DataType.UTF8))

    /**
     * Returns an array that is close to the statistics schema. Each row has a column number and entries: a key, the
     * index of a union field, a value.
     */
    fun made(
        vararg rows: Pair<Any?, List<Triple<String, Int, Any?>>?>,
        column: DataType = DataType.INT64, key: DataType = DataType.UTF8, union: DataType = counts,
        reversed: Boolean = false,
    ): RecordBatch = BatchBuilder.of(Devices.cpu(), rows.size).use { batch ->
        fun columns() = batch.column(Field.of("column", column))
        fun maps() = batch.column(Field.of("statistics", DataType.map(Field.of("k", key), Field.of("v", union))))
        val (columns, maps) = if (reversed) maps().let { columns() to it } else columns() to maps()
        for ((target, entries) in rows) {
            append(columns, target)
            for ((name, child, value) in entries.orEmpty()) {
                maps.keys().append(name)
                maps.values().appendUnion(child)
                append(maps.values().child(child), value)
            }
            if (entries == null) maps.appendNull() else maps.appendMap(entries.size)
        }
        batch.build()
    }

    test(
        "the specification's example, laid out by hand, is read: exact, approximate, whole and per column [STAT-01]",
    ) {
        Arena.ofConfined().use { arena ->
            val example = example()
            CData.importBatch(example.laid(arena), CImport.DATA.schema(example.field).validation(Validation.FULL))
                .use { array ->
                    val read = Statistics.of(array)
                    read.whole().rowCount() shouldBe OptionalLong.of(3)
                    read.whole().keys() shouldContainExactly setOf(ROW_COUNT)
                    read.columns() shouldContainExactly setOf(0, 1, 2, 3, 4, 5)
                    read.column(1).run {
                        nullCount() shouldBe OptionalLong.of(0)
                        distinctCount() shouldBe OptionalLong.of(3)
                        approximateDistinctCount() shouldBe OptionalDouble.of(3.0)
                        rowCount() shouldBe OptionalLong.empty()
                        max() shouldBe null
                        approximateMax() shouldBe 5L
                        approximateMin() shouldBe 0L
                        field(ABOUT_MAX)?.type() shouldBe DataType.INT64
                    }
                    read.column(3).max() shouldBe 99L
                    read.column(3).approximateMin() shouldBe 20L
                    read.column(4).approximateMin() shouldBe -3.0
                    read.column(6).keys().shouldBeEmpty()
                    read shouldBe built()
                }
        }
    }

    test("C reads built statistics as the specification's example, and they pass full validation [STAT-02]") {
        Arena.ofConfined().use { arena ->
            fun checksum(write: (array: MemorySegment, schema: MemorySegment) -> Unit): Long {
                val out = arena.struct(StructKind.ARRAY)
                val schema = arena.struct(StructKind.SCHEMA)
                write(out, schema)
                return PeerNodes.checksum(out, schema).also {
                    PeerMoves.release(out, StructKind.ARRAY)
                    PeerMoves.release(schema, StructKind.SCHEMA)
                }
            }
            val ours = checksum { out, schema ->
                CData.exportArray(built().toArray(), out, CExport.DATA.schemaTo(schema))
            }
            val theirs = checksum { out, schema ->
                val example = example()
                PeerMoves.move(example.laid(arena), out, StructKind.ARRAY)
                CData.exportSchema(example.field, schema)
            }
            ours shouldBe theirs
        }
        built().toArray().use { array ->
            array.field().type().children().map { "$it" } shouldContainExactly listOf(
                "column: int32",
                "statistics: map<entries: struct<key: dictionary<values=utf8, indices=int32> not null, " +
                    "items: dense_union<int64: int64, float64: float64> not null> not null> not null",
            )
        }
        crossed(built()) shouldBe built()
    }

    test("statistics may be empty, or describe an array that is not a batch [STAT-02]") {
        val nothing = Statistics.builder().build()
        crossed(nothing) shouldBe nothing
        val array = Statistics.builder().column(0).rowCount(5).nullCount(1).build()
        throughC(array.toArray()) { it.length() shouldBe 1 }
        crossed(array).column(0).rowCount() shouldBe OptionalLong.of(5)
        crossed(array).whole().keys().shouldBeEmpty()
    }

    test("every statistic of the specification has a typed method [STAT-01]") {
        val all = Statistics.builder().rowCount(1).nullCount(2).distinctCount(3).maxByteWidth(4).averageByteWidth(5.5)
            .min(6).max(7).build()
        val about = Statistics.builder().approximateRowCount(1.5).approximateNullCount(2.5)
            .approximateDistinctCount(3.5).approximateMaxByteWidth(4.5)
            .approximateAverageByteWidth(5.5).approximateMin("a").approximateMax("b").build()
        for (read in listOf(all, crossed(all))) read.whole().run {
            rowCount() shouldBe OptionalLong.of(1)
            nullCount() shouldBe OptionalLong.of(2)
            distinctCount() shouldBe OptionalLong.of(3)
            maxByteWidth() shouldBe OptionalLong.of(4)
            averageByteWidth() shouldBe OptionalDouble.of(5.5)
            approximateAverageByteWidth() shouldBe OptionalDouble.of(5.5)
            approximateMaxByteWidth() shouldBe OptionalDouble.of(4.0)
            min() shouldBe 6L
            max() shouldBe 7L
        }
        for (read in listOf(about, crossed(about))) read.whole().run {
            listOf(rowCount(), nullCount(), distinctCount(), maxByteWidth()).toSet() shouldBe
                setOf(OptionalLong.empty())
            averageByteWidth() shouldBe OptionalDouble.empty()
            approximateRowCount() shouldBe OptionalDouble.of(1.5)
            approximateNullCount() shouldBe OptionalDouble.of(2.5)
            approximateDistinctCount() shouldBe OptionalDouble.of(3.5)
            approximateMaxByteWidth() shouldBe OptionalDouble.of(4.5)
            min() shouldBe null
            approximateMin() shouldBe "a"
            approximateMax() shouldBe "b"
        }
        "${Statistics.builder().column(3).nullCount(0).max(5).build()}" shouldBe "column 3: $NULL_COUNT=0, $MAX=5"
    }

    test("all widths, encodings, type ids, union modes, field orders and slices are read [STAT-03]") {
        val rows = arrayOf<Pair<Any?, List<Triple<String, Int, Any?>>?>>(
            null to listOf(Triple(ROW_COUNT, 0, 9L)),
            3L to
                listOf(Triple(NULL_COUNT, 0, 4L), Triple("ARROW:null_count:approximate", 1, 4.0), Triple(MAX, 2, "z")),
            0L to listOf(),
            1L to listOf(Triple(MAX, 1, 0.5)),
        )
        val right = Statistics.builder().rowCount(9).column(3).nullCount(4).approximateNullCount(4.0).max("z").column(1)
            .max(0.5).build()
        val parts = counts.children()
        val keys = listOf(DataType.UTF8, DataType.LARGE_UTF8, DataType.UTF8_VIEW,
            DataType.runEndEncoded(DataType.INT16, Field.of("", DataType.UTF8))) +
            listOf(DataType.INT8, DataType.UINT8, DataType.UINT16, DataType.INT64, DataType.UINT64).map {
                DataType.dictionary(it, DataType.LARGE_UTF8)
            }
        val unions = UnionMode.entries.flatMap {
            listOf(UnionType(it, listOf(127, 0, 5), parts), UnionType(it, listOf(0, 1, 2), parts))
        }
        for (key in keys) for (union in unions) for (column in listOf(DataType.INT8, DataType.UINT32, DataType.INT64))
            withClue("$key $union $column") {
                made(*rows, column = column, key = key, union = union, reversed = column == DataType.INT8)
                    .use { array ->
                        val read = throughC(array.retain(), Statistics::of)
                        read.columns() shouldContainExactly setOf(0, 1, 3)
                        (0..3).map { read.column(it).keys() } shouldBe (0..3).map { right.column(it).keys() }
                        listOf(read.whole().rowCount(), read.column(3).nullCount()) shouldBe
                            listOf(OptionalLong.of(9), OptionalLong.of(4))
                        listOf(read.column(3).max(), read.column(1).max()) shouldBe listOf("z", 0.5)
                        array.slice(1, 2).use { Statistics.of(it).columns() shouldContainExactly setOf(0, 3) }
                    }
            }
    }

    test("a count may have any integer type, and an approximate count may be an integer [STAT-03]") {
        val union = DataType.denseUnion(Field.of("u", DataType.UINT64), Field.of("s", DataType.INT16))
        made(null to listOf(
            Triple(ROW_COUNT, 0, 7L), Triple(NULL_COUNT, 1, 2L), Triple("ARROW:distinct_count:approximate", 1, 3L),
        ), union = union).use { array ->
            val read = Statistics.of(array).whole()
            read.rowCount() shouldBe OptionalLong.of(7)
            read.nullCount() shouldBe OptionalLong.of(2)
            read.approximateDistinctCount() shouldBe OptionalDouble.of(3.0)
        }
    }

    test("rows of the same column are merged [STAT-03]") {
        made(2L to listOf(Triple(MAX, 0, 7L)), 2L to listOf(Triple(MIN, 0, 6L))).use { array ->
            Statistics.of(array).column(2).run { listOf(min(), max()) shouldBe listOf(6L, 7L) }
        }
    }

    fun refused(array: RecordBatch, expected: String) = withClue(expected) {
        val failure = array.use { shouldThrow<DeviceException> { Statistics.of(it) } }
        failure.errno() shouldBe Errno.EINVAL
        failure.message!! shouldContain expected
    }

    test("an array with another schema is an error with the path and the types [STAT-04]") {
        fun batch(vararg fields: Field) = BatchBuilder.of(Devices.cpu(), 0).use { batch ->
            fields.forEach(batch::column).let { batch.build() }
        }
        val column = Field.of("column", DataType.INT32)
        fun statistics(type: DataType) = Field.of("statistics", type)
        fun map(key: DataType, value: DataType) = statistics(DataType.map(Field.of("k", key), Field.of("v", value)))
        batch(column).use { it.retainChild(0) }.use { numbers ->
            shouldThrow<IllegalArgumentException> { Statistics.of(numbers.asRecordBatch()) }.message shouldBe
                "a record batch is an array of structs, but this is an array of column: int32"
        }
        refused(batch(column), "statistics have no field \"statistics\"; these have [column]")
        refused(batch(column, column), "statistics have two fields \"column\"")
        refused(batch(Field.of("column", DataType.UTF8), map(DataType.UTF8, counts)), "$.column: is utf8, not int32")
        refused(batch(column, statistics(DataType.INT64)), "$.statistics: is int64, not a map")
        refused(batch(column, map(DataType.BINARY, counts)),
            "$.statistics.entries.k: is binary, not a dictionary of utf8")
        refused(batch(column, map(DataType.UTF8, DataType.INT64)), "$.statistics.entries.v: is int64, not a union")
    }

    test("an invalid statistic is an error with the path and the row [STAT-04]") {
        val none = listOf<Triple<String, Int, Any?>>()
        refused(made(0L to none, -1L to none), "$.column: row 1: is -1, which is not a column")
        refused(made(0L to none, 1L shl 31 to none), "$.column: row 1: is 2147483648, which is not a column")
        refused(made(0L to none, 1L to null), "$.statistics: row 1: is null")
        refused(made(0L to none, 1L to listOf(Triple(NULL_COUNT, 2, "2"))),
            "$.statistics.entries: row 1: \"$NULL_COUNT\" is utf8, not int64")
        refused(made(0L to listOf(Triple(NULL_COUNT, 1, 2.0))),
            "$.statistics.entries: row 0: \"$NULL_COUNT\" is float64, not int64")
        refused(made(0L to listOf(Triple(NULL_COUNT, 0, -1L))),
            "$.statistics.entries: row 0: \"$NULL_COUNT\" is -1, which is not a count")
        refused(made(0L to listOf(Triple("ARROW:row_count:approximate", 1, Double.NaN))), "is NaN, which is not a size")
        refused(made(0L to listOf(Triple("ARROW:average_byte_width:exact", 2, "3"))), "is utf8, not float64")
        refused(made(0L to listOf(Triple(MAX, 0, null))), "$.statistics.entries: row 0: \"$MAX\" is null")
        refused(made(0L to listOf(Triple(MAX, 0, 1L), Triple(MAX, 0, 1L))),
            "row 0: \"$MAX\" of column 0 occurs twice")
        refused(made(null to listOf(Triple(MAX, 0, 1L)), null to listOf(Triple(MAX, 0, 1L))),
            "row 1: \"$MAX\" of the whole occurs twice")
        val unsigned = DataType.denseUnion(Field.of("u", DataType.UINT64))
        refused(made(0L to listOf(Triple(NULL_COUNT, 0, Long.MIN_VALUE)), union = unsigned),
            "is 9223372036854775808, which is not a count")
    }

    test("a key index or a type id that is out of range is an error, not a crash [STAT-04]") {
        fun laid(array: RawArray, expected: String) = Arena.ofConfined().use { arena ->
            refused(CData.importBatch(array.laid(arena), CImport.DATA.schema(array.field)), expected)
        }
        laid(example(index = 7), "row 3: index 7 is beyond the 7 values of the dictionary")
        laid(example(index = -1), "index -1 is beyond")
        laid(example(typeId = 2), "types[11] = 2 is not a type id of the union")
        laid(example().also { it.children[1].buffers[1] = ints(0, 1, 2, 6, 7, 9, 12, 99) }, "99")
    }

    test("a statistic outside the specification is kept and written again, with any type [STAT-05]") {
        val pair = StructType(listOf(Field.of("x", DataType.INT64), Field.of("word", DataType.UTF8)))
        val map = DataType.map(Field.of("key", DataType.UTF8), Field.of("value", DataType.BOOL))
        val statistics = Statistics.builder().column(2)
            .put("MY_PRODUCT:histogram", listOf(1.0, null, 2.5), DataType.list(Field.of("item", DataType.FLOAT64)))
            .put("MY_PRODUCT:sizes", listOf(1L, 2L), DataType.fixedSizeList(Field.of("item", DataType.INT8), 2))
            .put("MY_PRODUCT:pairs", listOf(mapOf("x" to 1L, "word" to "w"), null),
                DataType.listView(Field.of("item", pair)))
            .put("MY_PRODUCT:flags", listOf(java.util.Map.entry("a", true)), map)
            .put("MY_PRODUCT:digest", byteArrayOf(1, -1)).put("MY_PRODUCT:sorted", true).put("MY_PRODUCT:name", "π")
            .put("MY_PRODUCT:term", Period.ofMonths(14), DataType.INTERVAL_YEAR_MONTH)
            .put("MY_PRODUCT:gap", Interval(1, 2, 3), DataType.INTERVAL_MONTH_DAY_NANO)
            .put("MY_PRODUCT:key", BigDecimal("18446744073709551615"), DataType.UINT64)
            .put("MY_PRODUCT:price", BigDecimal("1.50"), DataType.decimal64(9, 2))
            .put("MY_PRODUCT:word", "w", DataType.dictionary(DataType.INT8, DataType.UTF8))
            .put("MY_PRODUCT:run", mapOf("x" to 7L, "word" to "seven"),
                DataType.runEndEncoded(DataType.INT16, Field.of("", pair)))
            .build()
        crossed(statistics) shouldBe statistics
        val read = crossed(crossed(statistics)).column(2)
        read.keys() shouldContainExactly statistics.column(2).keys()
        read.get("MY_PRODUCT:histogram") shouldBe listOf(1.0, null, 2.5)
        read.get("MY_PRODUCT:pairs") shouldBe listOf(mapOf("x" to 1L, "word" to "w"), null)
        (read.get("MY_PRODUCT:digest") as ByteArray).toList() shouldBe listOf<Byte>(1, -1)
        read.field("MY_PRODUCT:sizes")?.type() shouldBe DataType.fixedSizeList(Field.of("item", DataType.INT8), 2)
        made(null to listOf(Triple("ARROW:of_the_future:exact", 2, "?"))).use {
            Statistics.of(it).whole().get("ARROW:of_the_future:exact") shouldBe "?"
        }
    }

    test("a null struct with fields that are not nullable is written, also in a struct and in a list [STAT-05]") {
        val pair =
            DataType.struct(field("a", DataType.INT32), field("b", DataType.struct(field("c", DataType.UTF8)), true))
        val values = listOf(null, mapOf("a" to 1L, "b" to mapOf("c" to "x")), mapOf("a" to 2L, "b" to null), null)
        val statistics = Statistics.builder()
            .put("MY_PRODUCT:list", values, DataType.list(field("item", pair, true)))
            .put("MY_PRODUCT:fixed", values, DataType.fixedSizeList(field("item", pair, true), 4))
            .put("MY_PRODUCT:struct", mapOf("a" to 2L, "b" to null), pair)
            .put("MY_PRODUCT:word", mapOf("a" to 2L, "b" to null), DataType.dictionary(DataType.INT8, pair))
            .build()
        crossed(statistics) shouldBe statistics
        crossed(statistics).whole().get("MY_PRODUCT:list") shouldBe values
    }

    test("bytes are copied into the builder and out of the statistics [STAT-05]") {
        val given = byteArrayOf(1, 2)
        val statistics = Statistics.builder().min(given).build()
        given[0] = 9
        (statistics.whole().min() as ByteArray)[1] = 9
        (statistics.whole().min() as ByteArray).toList() shouldBe listOf<Byte>(1, 2)
    }

    test("the builder rejects values that do not fit their type, and reserved names [STAT-05]") {
        fun refusal(give: () -> Unit) = shouldThrow<IllegalArgumentException>(give).message!!
        val builder = Statistics.builder()
        refusal { builder.nullCount(-1) } shouldBe "\"$NULL_COUNT\" is -1, which is not a count"
        refusal { builder.approximateRowCount(Double.NaN) } shouldContain "is NaN, which is not a size"
        refusal { builder.max("five", DataType.INT32) } shouldBe "\"$MAX\": five, a String, is no int32"
        refusal { builder.max(BigDecimal.ONE) } shouldContain "give its type, too"
        refusal { builder.put("ARROW:sum:exact", 1) } shouldContain
            "are reserved for the specification, which does not have this one"
        refusal { builder.put(NULL_COUNT, "none") } shouldBe "\"$NULL_COUNT\" is utf8, not int64"
        shouldThrow<IndexOutOfBoundsException> { builder.column(-1) }
        refusal { Statistics.builder().max(300, DataType.INT8).build().toArray() } shouldContain "300"
        builder.build() shouldBe Statistics.builder().build()
    }

    test(
        "each key of the specification is a constant with its name, and is written [STAT-08]",
    ) {
        val names = listOf("average_byte_width", "distinct_count", "max_byte_width", "max_value", "min_value",
            "null_count", "row_count")
        val keys = names.flatMap { name ->
            listOf("exact", "approximate").map { "${name}_$it".uppercase() to "ARROW:$name:$it" }
        }.toMap()
        StatisticKeys::class.java.fields.associate { it.name to it.get(null) } shouldBe keys
        val all = Statistics.builder().rowCount(1).nullCount(2).distinctCount(3).maxByteWidth(4).averageByteWidth(5.0)
            .min(6).max(7)
            .approximateRowCount(1.0).approximateNullCount(2.0).approximateDistinctCount(3.0)
            .approximateMaxByteWidth(4.0).approximateAverageByteWidth(5.0)
            .approximateMin(6).approximateMax(7).build()
        all.whole().keys() shouldBe keys.values.toSet()
        listOf(all.whole().get(StatisticKeys.MIN_VALUE_EXACT),
            all.whole().get(StatisticKeys.DISTINCT_COUNT_APPROXIMATE)) shouldBe listOf(6L, 3.0)
        all.whole().field(StatisticKeys.MAX_VALUE_EXACT)!!.type() shouldBe DataType.INT64
    }

    test("compute counts rows and nulls, and finds the smallest and the largest value [STAT-06]") {
        BatchBuilder.of(Devices.cpu(), 5).use { batch ->
            batch.int32("vendor_id", intArrayOf(5, 1, 5, 1, 5))
            batch.column(Field.of("passenger_count", DataType.INT64)).also { column ->
                listOf(1L, 1L, 2L, 0L, null).forEach { append(column, it) }
            }
            batch.build()
        }.use { array ->
            Statistics.compute(array) shouldBe Statistics.builder().rowCount(5)
                .column(0).nullCount(0).min(1, DataType.INT32).max(5, DataType.INT32)
                .column(1).nullCount(1).min(0).max(2).build()
            array.slice(4, 1).use { slice ->
                Statistics.compute(slice) shouldBe Statistics.builder().rowCount(1).column(0).nullCount(0)
                    .min(5, DataType.INT32).max(5, DataType.INT32)
                    .column(1).nullCount(1).build()
            }
            array.retainChild(1).use {
                Statistics.compute(it) shouldBe Statistics.builder().column(0).rowCount(5).nullCount(1).min(0)
                    .max(2).build()
            }
        }
    }

    fun computed(type: DataType, rows: Int = 3, fill: (ColumnBuilder) -> Unit): Statistics.Target =
        BatchBuilder.of(Devices.cpu(), rows).use { batch ->
            batch.column(Field.of("a", type)).let(fill).let { batch.build() }
        }.use { Statistics.compute(it).column(0) }

    fun extremes(type: DataType, vararg values: Any?) =
        computed(type, values.size) { column -> values.forEach { append(column, it) } }.run { min() to max() }

    test(
        "extremes follow the order of the type: unsigned, zeros, code points, bytes, encoded values [STAT-06]",
    ) {
        extremes(DataType.UINT64, -1L, 1L, 2L) shouldBe (BigDecimal.ONE to BigDecimal("18446744073709551615"))
        extremes(DataType.UINT8, 200L, 1L) shouldBe (1L to 200L)
        extremes(DataType.INT64, Long.MAX_VALUE, null) shouldBe (Long.MAX_VALUE to Long.MAX_VALUE)
        extremes(DataType.INT64, Long.MIN_VALUE, null) shouldBe (Long.MIN_VALUE to Long.MIN_VALUE)
        extremes(DataType.DATE32, -5L, 7L) shouldBe (-5L to 7L)
        extremes(DataType.FLOAT32, 0.0, -0.0, null) shouldBe (-0.0 to 0.0)
        extremes(DataType.FLOAT64, 1.0, Double.NEGATIVE_INFINITY) shouldBe (Double.NEGATIVE_INFINITY to 1.0)
        val words = arrayOf("～", "\uD83D\uDE00", null, "é")
        val texts = listOf(DataType.UTF8, DataType.LARGE_UTF8, DataType.UTF8_VIEW,
            DataType.dictionary(DataType.INT8, DataType.UTF8))
        for (type in texts + DataType.runEndEncoded(DataType.INT32, Field.of("", DataType.UTF8)))
            extremes(type, *words) shouldBe ("é" to "\uD83D\uDE00")
        computed(DataType.BINARY, 2) { it.append(byteArrayOf(-128)).append(byteArrayOf(127, 1)) }.run {
            (max() as ByteArray).toList() shouldBe listOf<Byte>(-128)
        }
        computed(DataType.decimal128(9, 2)) { it.append(BigDecimal("-1.5")).append(BigDecimal.TEN).appendNull() }.run {
            (min() as BigDecimal).compareTo(BigDecimal("-1.5")) shouldBe 0
            (max() as BigDecimal).compareTo(BigDecimal.TEN) shouldBe 0
        }
        computed(DataType.BOOL, 2) { it.append(true).append(false) }.run { min() to max() } shouldBe (false to true)
    }

    test("compute gives no extremes without values, with NaN, or for types without an order [STAT-06]") {
        extremes(DataType.FLOAT64, 1.0, Double.NaN) shouldBe (null to null)
        extremes(DataType.INT64, null, null) shouldBe (null to null)
        extremes(DataType.UTF8) shouldBe (null to null)
        computed(DataType.INTERVAL_YEAR_MONTH, 1) { it.append(3) }.keys() shouldContainExactly setOf(NULL_COUNT)
        computed(DataType.list(Field.of("item", DataType.INT8)), 1) { list ->
            list.items().append(1).also { list.appendList(1) }
        }.keys() shouldContainExactly setOf(NULL_COUNT)
        BatchBuilder.of(Devices.cpu(), 1).use { batch ->
            batch.column(Field.of("id", DataType.fixedSizeBinary(16)).withExtension("arrow.uuid", ""))
                .append(ByteArray(16))
            batch.build()
        }.use { Statistics.compute(it).column(0).keys() shouldContainExactly setOf(NULL_COUNT) }
    }

    test(
        "compute covers the fields of a struct without nulls, but no list items, numbered as in the example [STAT-06]",
    ) {
        fun example(hasNull: Boolean) = BatchBuilder.of(Devices.cpu(), 3).use { batch ->
            val col1 = batch.column(
                Field.of(
                    "col1",
                    DataType.struct(
                        Field.of("a", DataType.INT32),
                        Field.of("b", DataType.list(Field.of("item", DataType.INT64))),
                        Field.of("c", DataType.FLOAT64),
                    ),
                ),
            )
            col1.child("a").appendAll(intArrayOf(1, 2, 3))
            col1.child("b").also { it.items().appendAll(longArrayOf(20, 30, 40, 99)) }.appendList(3).appendNull()
                .appendList(1)
            col1.child("c").append(2.9).append(-2.9).appendNull()
            col1.appendStruct().appendStruct()
            if (hasNull) col1.appendNull() else col1.appendStruct()
            batch.utf8("col2", listOf("x", null, "z"))
            batch.build()
        }
        example(hasNull = false).use { array ->
            Statistics.compute(array) shouldBe Statistics.builder().rowCount(3).column(0).nullCount(0)
                .column(1).nullCount(0).min(1, DataType.INT32).max(3, DataType.INT32)
                .column(2).nullCount(1).column(4).nullCount(1).min(-2.9).max(2.9).column(5).nullCount(1).min("x")
                .max("z").build()
        }
        example(hasNull = true).use {
            Statistics.compute(it).run {
                columns() shouldContainExactly setOf(0, 5)
                column(0).nullCount() shouldBe OptionalLong.of(1)
            }
        }
    }

    test("a slice of any type has the statistics of a column built from its rows, also through C [STAT-06]") {
        EveryType.batch(0, 40).use { all ->
            for ((from, rows) in listOf(0 to 40, 8 to 20, 7 to 1, 13 to 0)) {
                val sliced = all.slice(from.toLong(), rows.toLong()).use(Statistics::compute)
                EveryType.batch(from, rows).use { sliced shouldBe Statistics.compute(it) }
                crossed(sliced) shouldBe sliced
            }
        }
    }

    test("columnIndex finds a column by its path, and numbers each column before its children [STAT-07]") {
        val inner = DataType.struct(Field.of("a", DataType.INT32),
            Field.of("b", DataType.list(Field.of("item", DataType.INT64))), Field.of("c", DataType.FLOAT64))
        val map = DataType.map(Field.of("key", DataType.UTF8), Field.of("value", DataType.INT8))
        val schema = Schema.of(
            Field.of("col1", inner), Field.of("col2", DataType.dictionary(DataType.INT8, inner)), Field.of("col3", map),
            Field.of("col4", DataType.NULL),
        )
        Statistics.columnIndex(schema, "col1") shouldBe 0
        Statistics.columnIndex(schema, "col1", "a") shouldBe 1
        Statistics.columnIndex(schema, "col1", "b", "item") shouldBe 3
        Statistics.columnIndex(schema, "col1", "c") shouldBe 4
        Statistics.columnIndex(schema, "col2") shouldBe 5
        Statistics.columnIndex(schema, "col3", "entries", "value") shouldBe 9
        Statistics.columnIndex(schema, "col4") shouldBe 10
        shouldThrow<IllegalArgumentException> { Statistics.columnIndex(schema, "col1", "d") }.message!! shouldContain
            "\"col1\" has no field \"d\"; it has [a, b, c]"
        shouldThrow<IllegalArgumentException> { Statistics.columnIndex(schema) }
    }
})
