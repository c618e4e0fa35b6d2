// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.catalyst.util.MapData
import org.apache.spark.sql.types.CalendarIntervalType
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.types.TimeType
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.types.CalendarInterval
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType
import org.arbalest.device.types.Interval
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.FixedSizeListType
import org.arbalest.device.types.NestedType.LargeListType
import org.arbalest.device.types.NestedType.LargeListViewType
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.ListViewType
import org.arbalest.device.types.NestedType.MapType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.device.types.Schema
import org.arbalest.spark.internal.vector.ColumnBytes
import org.arbalest.spark.internal.vector.SparkTypes
import org.arbalest.spark.internal.vector.Vectors
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.math.BigDecimal
import java.time.LocalDate
import java.time.LocalTime
import java.time.Period
import org.arbalest.device.types.NestedType.StructType as ArrowStruct

/** Each Arrow layout, read through Spark's vectors. */
class VectorsSpec : FunSpec({
    extension(ResourceCountersExtension)

    for (case in CASES) {
        test(
            "${case.type} reads as ${case.sparkType}, with nulls, in slices and in successive arrays [SPK-01, SPK-02]",
        ) {
            val values = listOf(case.values, listOf(null), case.values, listOf(null, null)).flatten()
            val expected = listOf(case.expected, listOf(null), case.expected, listOf(null, null)).flatten()
            val schema = Schema.of(listOf(Field.of("x", case.type)))
            val type = SparkTypes.of(schema, true)
            type.fields()[0].dataType().catalogString() shouldBe case.sparkType
            val vectors = Vectors.of(schema.fields(), type, true)
            batch(schema, values).use { array ->
                vectors.rows(array, type) shouldBe expected
                array.slice(1, values.size - 2L).use {
                    vectors.rows(it, type) shouldBe expected.subList(1, values.size - 1)
                }
                array.slice(values.size - 2L, 2).use { vectors.rows(it, type) shouldBe listOf(null, null) }
                array.slice(values.size - 2L, 2).use {
                    vectors[0].show(it.column(0))
                    vectors[0].numNulls() shouldBe 2
                    vectors[0].hasNull() shouldBe true
                }
            }
            batch(schema, case.values.take(1)).use {
                vectors.rows(it, type) shouldBe case.expected.take(1)
                vectors[0].hasNull() shouldBe false
                shouldThrow<IndexOutOfBoundsException> { vectors[0].isNullAt(1) }
                shouldThrow<IndexOutOfBoundsException> { vectors[0].isNullAt(-1) }
            }
            vectors[0].close()
            shouldThrow<IndexOutOfBoundsException> { vectors[0].isNullAt(0) }
        }
    }

    test("a type without a Spark equivalent is rejected with its path [SPK-01]") {
        fun refused(type: DataType): String? = shouldThrow<IllegalArgumentException> {
            SparkTypes.of(Schema.of(listOf(Field.of("x", type))), false)
        }.message
        refused(DataType.decimal256(39, 0)) shouldContain
            "Spark has no type for x, which is decimal256(39, 0): Spark's decimals have no more than 38 digits"
        refused(DataType.decimal128(5, -2)) shouldContain "x, which is decimal128(5, -2): Spark's scale"
        refused(DataType.timestamp(ArrowTimeUnit.NANOSECOND, "UTC")) shouldContain "option nanoseconds=truncate"
        refused(DataType.list(Field.of("item", DataType.duration(ArrowTimeUnit.NANOSECOND)))) shouldContain
            "x[], which is duration[ns]"
        refused(ArrowStruct(listOf(Field.of("a", DataType.decimal256(76, 0))))) shouldContain
            "x.a, which is decimal256(76, 0)"
    }

    test("a value that the Spark type cannot hold is rejected instead of changed [SPK-03]") {
        val decimals = Schema.of(listOf(Field.of("x", DataType.decimal128(4, 2))))
        val beyond = Schema.of(listOf(Field.of("x", DataType.timestamp(ArrowTimeUnit.SECOND, ""))))
        val nanos = Schema.of(listOf(Field.of("x", FlatType.IntervalType(FlatType.IntervalUnit.MONTH_DAY_NANO))))
        fun read(schema: Schema, value: Any) {
            val type = SparkTypes.of(schema, false)
            batch(schema, listOf(value)).use { Vectors.of(schema.fields(), type, false).rows(it, type) }
        }
        shouldThrow<ArithmeticException> { read(beyond, Long.MAX_VALUE / 1000) }.message shouldContain
            "column \"x\", row 0: 9223372036854775 is beyond the range of TIMESTAMP"
        read(beyond, -(Long.MAX_VALUE / 1_000_000))
        val days = Schema.of(listOf(Field.of("x", DataType.DATE64)))
        shouldThrow<ArithmeticException> { read(days, 86_400_000L shl 31) }.message shouldContain
            "column \"x\", row 0: 185542587187200000 ms are 2147483648 days"
        shouldThrow<ArithmeticException> { read(nanos, Interval(1, 2, 1001)) }.message shouldContain
            "column \"x\", row 0: an interval has 1001 ns"
        read(nanos, Interval(1, 2, 1000))
        read(decimals, BigDecimal("12.34"))
    }

    test("reads of many rows ignore the bytes of null rows [SPK-02]") {
        fun vector(type: DataType, values: List<Any?>, spoil: (MemorySegment) -> Unit, check: (ColumnVector) -> Unit) {
            val schema = Schema.of(listOf(Field.of("x", type)))
            val vectors = Vectors.of(schema.fields(), SparkTypes.of(schema, false), false)
            batch(schema, values).use { array ->
                spoil(MemorySegment.ofAddress(array.column(0).bufferAddress(1)).reinterpret(16))
                vectors[0].show(array.column(0))
                check(vectors[0])
            }
        }
        vector(DataType.timestamp(ArrowTimeUnit.SECOND, ""), listOf(5L, null), {
            it.setAtIndex(JAVA_LONG, 1, Long.MIN_VALUE)
        }) { it.getLongs(0, 2).toList() shouldBe listOf(5_000_000L, 0) }
        val words = DictionaryType(FlatType.IntType(32, true), Field.of("values", DataType.INT32), false)
        vector(words, listOf(7L, null), { it.setAtIndex(JAVA_INT, 1, 1000) }) {
            it.getInts(0, 2).toList() shouldBe listOf(7, 0)
        }
    }

    test("the object of a null row is null regardless of its bytes [SPK-02]") {
        fun nullOf(type: DataType, value: Any, spoil: (MemorySegment) -> Unit, get: (ColumnVector, Int) -> Any?) {
            val schema = Schema.of(listOf(Field.of("x", type)))
            val vectors = Vectors.of(schema.fields(), SparkTypes.of(schema, false), false)
            batch(schema, listOf(value, null)).use { array ->
                spoil(MemorySegment.ofAddress(array.column(0).bufferAddress(1)).reinterpret(32))
                vectors[0].show(array.column(0))
                (get(vectors[0], 0) == null) shouldBe false
                get(vectors[0], 1) shouldBe null
            }
        }
        val item = Field.of("item", DataType.INT32)
        val far: (MemorySegment) -> Unit = { it.setAtIndex(JAVA_INT, 1, 1 shl 30) }
        val words = DictionaryType(FlatType.IntType(32, true), Field.of("values", DataType.UTF8), false)
        nullOf(DataType.UTF8, "a", {}) { x, row -> x.getUTF8String(row) }
        nullOf(DataType.UTF8_VIEW, "a", { it.set(JAVA_INT, 16, 1 shl 30) }) { x, row -> x.getUTF8String(row) }
        nullOf(DataType.BINARY, byteArrayOf(1), {}) { x, row -> x.getBinary(row) }
        nullOf(DataType.fixedSizeBinary(1), byteArrayOf(1), {}) { x, row -> x.getBinary(row) }
        nullOf(DataType.decimal128(3, 0), BigDecimal.ONE, { it.setAtIndex(JAVA_LONG, 3, Long.MAX_VALUE) }) { x, row ->
            x.getDecimal(row, 3, 0)
        }
        nullOf(FlatType.IntType(64, false), 1L, {}) { x, row -> x.getDecimal(row, 20, 0) }
        nullOf(ListViewType(item), listOf(1L), far) { x, row -> x.getArray(row) }
        nullOf(DataType.map(Field.of("key", DataType.INT32).withNullable(false), item.withName("value")),
            mapOf(1L to 1L), {}) { x, row -> x.getMap(row) }
        nullOf(FlatType.IntervalType(FlatType.IntervalUnit.MONTH_DAY_NANO), Interval(1, 1, 1000),
            { it.setAtIndex(JAVA_LONG, 3, 1) }) { x, row -> x.getInterval(row) }
        nullOf(FlatType.IntervalType(FlatType.IntervalUnit.DAY_TIME), Interval(0, 1, 1_000_000), {}) { x, row ->
            x.getInterval(row)
        }
        nullOf(words, "a", far) { x, row -> x.getUTF8String(row) }
        nullOf(DictionaryType(FlatType.IntType(32, true), Field.of("values", DataType.BINARY), false), byteArrayOf(1),
            far) { x, row -> x.getBinary(row) }
    }

    for (type in listOf(DataType.UTF8, DataType.LARGE_UTF8, DataType.UTF8_VIEW)) {
        test("an invalid offset of $type is rejected and not followed [SPK-02]") {
            val schema = Schema.of(listOf(Field.of("x", type)))
            val vectors = Vectors.of(schema.fields(), SparkTypes.of(schema, false), false)
            batch(schema, List(3) { "some fifteen bytes $it" }).use { array ->
                vectors[0].show(array.column(0))
                val buffer = MemorySegment.ofAddress(array.column(0).bufferAddress(1)).reinterpret(48)
                "${vectors[0].getUTF8String(1)}" shouldBe "some fifteen bytes 1"
                when (type) {
                    DataType.UTF8 -> buffer.setAtIndex(JAVA_INT, 1, 1 shl 30)
                    DataType.LARGE_UTF8 -> buffer.setAtIndex(JAVA_LONG, 1, 1L shl 40)
                    else -> buffer.set(JAVA_INT, 16 + 12, 1 shl 30)
                }
                shouldThrow<IndexOutOfBoundsException> { vectors[0].getUTF8String(1) }
                when (type) {
                    DataType.UTF8 -> buffer.setAtIndex(JAVA_INT, 1, -5)
                    DataType.LARGE_UTF8 -> buffer.setAtIndex(JAVA_LONG, 1, -5)
                    else -> buffer.set(JAVA_INT, 16 + 8, 7)
                }
                shouldThrow<IndexOutOfBoundsException> { vectors[0].getBinary(1) }
            }
        }
    }

    for (type in listOf(ListType(Field.of("item", DataType.UTF8)), ListViewType(Field.of("item", DataType.UTF8)))) {
        test("invalid offsets of a $type are rejected by the vector and by ColumnBytes [SPK-02]") {
            val schema = Schema.of(listOf(Field.of("x", type)))
            val vectors = Vectors.of(schema.fields(), SparkTypes.of(schema, false), false)
            batch(schema, List(3) { listOf("a", "b") }).use { array ->
                val column = array.column(0)
                vectors[0].show(column)
                vectors[0].getArray(2)!!.numElements() shouldBe 2
                val offsets = MemorySegment.ofAddress(column.bufferAddress(1)).reinterpret(12)
                for (wrong in listOf(-2, 7, 1 shl 30)) {
                    offsets.setAtIndex(JAVA_INT, 2, wrong)
                    shouldThrow<IndexOutOfBoundsException> { vectors[0].getArray(2) }
                    if (type is ListViewType) shouldThrow<DeviceException> { ColumnBytes.of(column) }
                        .message shouldContain "items from"
                }
                offsets.setAtIndex(JAVA_INT, 2, 4)
                offsets.setAtIndex(JAVA_INT, 0, 1 shl 30)
                shouldThrow<DeviceException> { ColumnBytes.of(column) }.message shouldContain "column \"x\": "
                if (type is ListViewType) {
                    offsets.setAtIndex(JAVA_INT, 0, 0)
                    MemorySegment.ofAddress(column.bufferAddress(2)).reinterpret(12).setAtIndex(JAVA_INT, 2, -1)
                    shouldThrow<IndexOutOfBoundsException> { vectors[0].getArray(2) }
                    shouldThrow<DeviceException> { ColumnBytes.of(column) }.message shouldBe
                        "column \"x\": -1 items from 4 on, of 6"
                }
                vectors[0].close()
            }
        }
    }

    test("a vector fills Java arrays in one call, within its bounds, and rejects getters of other types [SPK-02]") {
        val schema = Schema.of(listOf(Field.of("x", DataType.INT64)))
        val type = SparkTypes.of(schema, false)
        val vectors = Vectors.of(schema.fields(), type, false)
        batch(schema, listOf(1L, 2L, 3L, 4L)).use { array ->
            array.slice(1, 3).use {
                vectors[0].show(it.column(0))
                vectors[0].getLongs(0, 3).toList() shouldBe listOf(2L, 3L, 4L)
                shouldThrow<IndexOutOfBoundsException> { vectors[0].getLongs(1, 3) }
            }
        }
        shouldThrow<UnsupportedOperationException> { vectors[0].getUTF8String(0) }.message shouldContain
            "column \"x\" of Spark's type bigint has no values that are text"
    }
})

private class Case(val type: DataType, val sparkType: String, val values: List<Any>, val expected: List<Any?>)

private fun batch(schema: Schema, values: List<Any?>): RecordBatch =
    BatchBuilder.of(Devices.cpu(), values.size).use { it.column(schema.fields()[0], values).build() }

private fun Array<out org.arbalest.spark.internal.vector.ArrowVector>.rows(
    array: RecordBatch,
    type: StructType,
): List<Any?> {
    this[0].show(array.column(0))
    val batch = ColumnarBatch(arrayOf(*this), array.length().toInt())
    val of = type.fields()[0].dataType()
    return List(array.length().toInt()) { row ->
        when {
            this[0].isNullAt(row) -> null
            // ColumnarBatchRow cannot read times and intervals, but generated code can
            of is TimeType -> this[0].getLong(row)
            of is CalendarIntervalType -> this[0].getInterval(row)
            else -> plain(batch.getRow(row).get(0, of), of)
        }
    }
}

/** Converts Spark's internal values to objects that can be compared. */
private fun plain(value: Any?, type: org.apache.spark.sql.types.DataType): Any? = when (value) {
    null -> null
    is org.apache.spark.unsafe.types.UTF8String -> "$value"
    is org.apache.spark.sql.types.Decimal -> value.toJavaBigDecimal()
    is ByteArray -> value.toList()
    is ArrayData -> plain(value, (type as org.apache.spark.sql.types.ArrayType).elementType())
    is MapData -> (type as org.apache.spark.sql.types.MapType).let {
        plain(value.keyArray(), it.keyType()).zip(plain(value.valueArray(), it.valueType()))
    }
    is org.apache.spark.sql.catalyst.InternalRow -> (type as StructType).fields().mapIndexed { i, field ->
        plain(if (value.isNullAt(i)) null else value.get(i, field.dataType()), field.dataType())
    }
    else -> value
}

private fun plain(array: ArrayData, type: org.apache.spark.sql.types.DataType): List<Any?> =
    List(array.numElements()) { if (array.isNullAt(it)) null else plain(array.get(it, type), type) }

private fun case(type: DataType, sparkType: String, vararg values: Pair<Any, Any?>) =
    Case(type, sparkType, values.map { it.first }, values.map { it.second })

private val ITEM = Field.of("item", DataType.INT32)
private val LISTS = arrayOf<Pair<Any, Any?>>(listOf(1L, null, 3L) to listOf(1, null, 3),
    listOf<Long>() to listOf<Int>(), listOf(-7L) to listOf(-7))
private val WORDS = arrayOf<Pair<Any, Any?>>("short" to "short", "" to "",
    "längere Wörter als zwölf Bytes" to "längere Wörter als zwölf Bytes", "short" to "short")
private val BYTES = arrayOf<Pair<Any, Any?>>(byteArrayOf(1, -2) to listOf<Byte>(1, -2), byteArrayOf() to listOf<Byte>(),
    ByteArray(20) { it.toByte() } to List(20) { it.toByte() })
private val DAY = LocalDate.of(1969, 12, 30)

private val CASES = listOf(
    case(DataType.BOOL, "boolean", true to true, false to false, true to true),
    case(DataType.INT8, "tinyint", -128L to (-128).toByte(), 5L to 5.toByte()),
    case(DataType.INT16, "smallint", -32768L to (-32768).toShort()),
    case(DataType.INT32, "int", Int.MIN_VALUE.toLong() to Int.MIN_VALUE, 7L to 7),
    case(DataType.INT64, "bigint", Long.MIN_VALUE to Long.MIN_VALUE, 7L to 7L),
    case(DataType.UINT8, "smallint", 255L to 255.toShort()),
    case(DataType.UINT16, "int", 65535L to 65535),
    case(DataType.UINT32, "bigint", 4294967295L to 4294967295L),
    case(DataType.UINT64, "decimal(20,0)", BigDecimal("18446744073709551615") to BigDecimal("18446744073709551615"),
        BigDecimal.ONE to BigDecimal.ONE),
    case(DataType.FLOAT16, "float", 0.5 to 0.5f, -65504.0 to -65504f),
    case(DataType.FLOAT32, "float", 0.1f to 0.1f),
    case(DataType.FLOAT64, "double", 0.1 to 0.1, Double.MAX_VALUE to Double.MAX_VALUE),
    case(DataType.decimal32(9, 2), "decimal(9,2)", BigDecimal("-1234567.89") to BigDecimal("-1234567.89")),
    case(DataType.decimal64(18, 0), "decimal(18,0)",
        BigDecimal("-999999999999999999") to BigDecimal("-999999999999999999")),
    case(DataType.decimal128(10, 3), "decimal(10,3)", BigDecimal("-1.500") to BigDecimal("-1.500"),
        BigDecimal("0.001") to BigDecimal("0.001")),
    case(
        DataType.decimal128(38, 10),
        "decimal(38,10)",
        BigDecimal("-1234567890123456789012345678.0123456789") to
            BigDecimal("-1234567890123456789012345678.0123456789"),
        BigDecimal("5.0000000000") to BigDecimal("5.0000000000"),
    ),
    case(DataType.decimal256(38, 0), "decimal(38,0)", BigDecimal("-99999999999999999999999999999999999999") to
        BigDecimal("-99999999999999999999999999999999999999"), BigDecimal("-1") to BigDecimal("-1")),
    case(DataType.UTF8, "string", *WORDS),
    case(DataType.LARGE_UTF8, "string", *WORDS),
    case(DataType.UTF8_VIEW, "string", *WORDS),
    case(DataType.BINARY, "binary", *BYTES),
    case(DataType.LARGE_BINARY, "binary", *BYTES),
    case(DataType.BINARY_VIEW, "binary", *BYTES),
    case(DataType.fixedSizeBinary(3), "binary", byteArrayOf(1, 2, 3) to listOf<Byte>(1, 2, 3)),
    case(FlatType.DateType(FlatType.DateUnit.DAY), "date", DAY to -2),
    case(FlatType.DateType(FlatType.DateUnit.MILLISECOND), "date", DAY to -2),
    case(FlatType.TimeType(ArrowTimeUnit.SECOND), "time(0)", LocalTime.of(1, 2, 3) to 3_723_000_000_000L),
    case(FlatType.TimeType(ArrowTimeUnit.MILLISECOND), "time(3)", LocalTime.ofNanoOfDay(5_000_000) to 5_000_000L),
    case(FlatType.TimeType(ArrowTimeUnit.MICROSECOND), "time(6)", LocalTime.ofNanoOfDay(5_001_000) to 5_001_000L),
    case(FlatType.TimeType(ArrowTimeUnit.NANOSECOND), "time(6)", LocalTime.ofNanoOfDay(5_001_999) to 5_001_000L),
    case(DataType.timestamp(ArrowTimeUnit.SECOND, "UTC"), "timestamp", -1L to -1_000_000L),
    case(DataType.timestamp(ArrowTimeUnit.MILLISECOND, "Europe/Berlin"), "timestamp", -1L to -1000L),
    case(DataType.timestamp(ArrowTimeUnit.MICROSECOND, "UTC"), "timestamp", -1L to -1L),
    case(DataType.timestamp(ArrowTimeUnit.NANOSECOND, "UTC"), "timestamp", -1L to -1L, 1999L to 1L),
    case(DataType.timestamp(ArrowTimeUnit.MICROSECOND, ""), "timestamp_ntz", 17L to 17L),
    case(DataType.duration(ArrowTimeUnit.SECOND), "interval day to second", -3L to -3_000_000L),
    case(DataType.duration(ArrowTimeUnit.MICROSECOND), "interval day to second", -3L to -3L),
    case(DataType.duration(ArrowTimeUnit.NANOSECOND), "interval day to second", -3L to -1L),
    case(FlatType.IntervalType(FlatType.IntervalUnit.YEAR_MONTH), "interval year to month",
        Period.ofMonths(-14) to -14),
    case(FlatType.IntervalType(FlatType.IntervalUnit.DAY_TIME), "interval",
        Interval(0, -2, 3_000_000) to CalendarInterval(0, -2, 3000)),
    case(FlatType.IntervalType(FlatType.IntervalUnit.MONTH_DAY_NANO), "interval",
        Interval(1, -2, 3999) to CalendarInterval(1, -2, 3)),
    case(ListType(ITEM), "array<int>", *LISTS),
    case(LargeListType(ITEM), "array<int>", *LISTS),
    case(ListViewType(ITEM), "array<int>", *LISTS),
    case(LargeListViewType(ITEM), "array<int>", *LISTS),
    case(FixedSizeListType(ITEM, 2), "array<int>", listOf(1L, null) to listOf(1, null), listOf(2L, 3L) to listOf(2, 3)),
    case(ListType(Field.of("item", ListType(Field.of("item", DataType.UTF8)))), "array<array<string>>",
        listOf(listOf("a", null), listOf()) to listOf(listOf("a", null), listOf<String>())),
    case(
        ArrowStruct(listOf(Field.of("a", DataType.INT32), Field.of("b", DataType.UTF8))),
        "struct<a:int,b:string>",
        mapOf("a" to 1L, "b" to "x") to listOf(1, "x"),
        mapOf("a" to null, "b" to null) to listOf(null, null),
    ),
    case(DataType.map(Field.of("key", DataType.UTF8).withNullable(false), ITEM.withName("value")), "map<string,int>",
        mapOf("k" to 1L, "l" to null) to listOf("k" to 1, "l" to null), mapOf<String, Long>() to listOf<Any>()),
    case(ListType(Field.of("item", ArrowStruct(listOf(Field.of("a", DataType.INT64))))), "array<struct<a:bigint>>",
        listOf(mapOf("a" to 5L), null) to listOf(listOf(5L), null)),
    *listOf(8, 16, 32, 64).map { bits ->
        case(DictionaryType(FlatType.IntType(bits, true), Field.of("", DataType.UTF8), false), "string", *WORDS)
    }.toTypedArray(),
    case(DictionaryType(FlatType.IntType(8, false), Field.of("", DataType.INT64), false), "bigint", 5L to 5L,
        6L to 6L, 5L to 5L),
    case(RunEndEncodedType(Field.of("run_ends", DataType.INT32).withNullable(false), Field.of("values", DataType.UTF8)),
        "string", "a" to "a", "a" to "a", "b" to "b", "b" to "b"),
    case(RunEndEncodedType(Field.of("run_ends", DataType.INT16).withNullable(false),
        Field.of("values", DataType.FLOAT64)), "double", 1.5 to 1.5, 1.5 to 1.5, 2.5 to 2.5),
)
