// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.builders

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Devices
import org.arbalest.device.Validation
import org.arbalest.device.columns.Column
import org.arbalest.device.objects.ExtensionCodec
import org.arbalest.device.support.struct
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Interval
import org.arbalest.support.EveryType
import org.arbalest.support.ResourceCountersExtension
import java.math.BigDecimal
import java.math.BigInteger
import java.time.Duration
import java.time.Instant
import java.time.LocalDate
import java.time.LocalDateTime
import java.time.LocalTime
import java.time.OffsetDateTime
import java.time.Period
import java.time.ZonedDateTime
import java.util.UUID

/** Columns that are appended as lists of objects. */
class BatchBuilderObjectsSpec : FunSpec({
    extension(ResourceCountersExtension)

    fun built(fill: BatchBuilder.() -> Unit, look: (Column) -> Unit) = BatchBuilder.of(Devices.cpu()).use { builder ->
        builder.fill()
        builder.build().use {
            it.validate(Validation.FULL)
            look(it.column(0))
        }
    }

    fun refused(field: Field, values: List<Any?>): String = BatchBuilder.of(Devices.cpu()).use { builder ->
        builder.int32("before", IntArray(2))
        val message = shouldThrow<IllegalArgumentException> { builder.column(field, values) }.message!!
        builder.build().use { it.schema().fields().map(Field::name) shouldBe listOf("before") }
        message
    }

    fun refused(type: DataType, vararg values: Any?) = refused(Field.of("x", type), values.toList())

    test("the values that get() returns build the same column again, for every type except unions [BLD-01]") {
        EveryType.batch(0, 24).use { batch ->
            for (field in batch.schema().fields()) withClue(field) {
                val values = batch.column(field.name()).toList()
                when {
                    "union" in field.name() -> refused(field, values) shouldContain "append its rows by column(field)"
                    else -> BatchBuilder.of(Devices.cpu()).use { builder ->
                        builder.column(field, values)
                        builder.build().use { again ->
                            again.validate(Validation.FULL)
                            batch.retainChild(batch.schema().indexOf(field.name())).use { one ->
                                again.retainChild(0).use { other -> one.difference(other) shouldBe null }
                            }
                        }
                    }
                }
            }
        }
    }

    val day = LocalDate.of(1600, 2, 29)
    val time = LocalTime.of(23, 59, 59, 123_456_789)
    val moment = LocalDateTime.of(1969, 7, 20, 20, 17, 40, 123_456_789)
    val id = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff")

    test("each typed method accepts a list with nulls, and keeps every digit [BLD-15]") {
        fun <T> list(value: T) = listOf(value, null)
        fun check(type: String, fill: BatchBuilder.() -> Unit, read: (Column) -> Any?, right: Any) = withClue(type) {
            built(fill) { column ->
                column.field().toString() shouldBe "v: $type"
                read(column) shouldBe right
                column.isNull(1) shouldBe true
                column.length() shouldBe 2
            }
        }
        check("bool", { bool("v", list(true)) }, { it.getBoolean(0) }, true)
        check("int8", { int8("v", list(Byte.MIN_VALUE)) }, { it.getLong(0) }, -128L)
        check("int16", { int16("v", list(Short.MIN_VALUE)) }, { it.getLong(0) }, -32768L)
        check("int32", { int32("v", list(Int.MIN_VALUE)) }, { it.getLong(0) }, Int.MIN_VALUE.toLong())
        check("int64", { int64("v", list(Long.MIN_VALUE)) }, { it.getLong(0) }, Long.MIN_VALUE)
        check("float32", { float32("v", list(0.1f)) }, { it.getDouble(0) }, 0.1f.toDouble())
        check("float64", { float64("v", list(0.1)) }, { it.getDouble(0) }, 0.1)
        check("decimal128(10, 2)", { decimal128("v", 10, 2, list(BigDecimal("-12345678.90"))) }, { it.getDecimal(0) },
            BigDecimal("-12345678.90"))
        check("utf8", { utf8("v", list("größer")) }, { it.getString(0) }, "größer")
        check("binary", { binary("v", list(byteArrayOf(1, 2))) }, { it.getBytes(0).toList() }, listOf<Byte>(1, 2))
        check("date32", { date32("v", list(day)) }, { it.getLocalDate(0) }, day)
        check("time64[ns]", { time64("v", list(time)) }, { it.getLocalTime(0) }, time)
        check("timestamp[ns, tz=UTC]", { timestamp("v", list(moment.toInstant(java.time.ZoneOffset.UTC))) },
            { it.getInstant(0) }, moment.toInstant(java.time.ZoneOffset.UTC))
        check("timestamp[ns]", { localTimestamp("v", list(moment)) }, { it.getLocalDateTime(0) }, moment)
        check("duration[ns]", { duration("v", list(Duration.ofSeconds(-1, 1))) }, { it.getDuration(0) },
            Duration.ofSeconds(-1, 1))
        built({ uuid("v", list(id)) }) { column ->
            column.field().extension() shouldBe Field.uuid("v").extension()
            column.getUuid(0) shouldBe id
            column.isNull(1) shouldBe true
        }
        built({ int8("v", byteArrayOf(1, -1)) }) { it.toLongArray().toList() shouldBe listOf(1L, -1L) }
        built({ int16("v", shortArrayOf(1, -1)) }) { it.toLongArray().toList() shouldBe listOf(1L, -1L) }
    }

    test("a typed method rejects a value out of range, and names a type that holds it [OWN-15]") {
        BatchBuilder.of(Devices.cpu()).use { builder ->
            builder.int32("before", IntArray(2))
            val late = Instant.parse("2300-01-01T00:00:00Z")
            shouldThrow<IllegalArgumentException> { builder.timestamp("at", listOf(null, late)) }.message shouldBe
                "column \"at\" of type timestamp[ns, tz=UTC] does not hold " +
                "2300-01-01T00:00:00Z (1677-09-21T00:12:43.145224192Z to 2262-04-11T23:47:16.854775807Z), in row 1; " +
                "timestamp[us, tz=UTC] does"
            shouldThrow<IllegalArgumentException> { builder.decimal128("price", 4, 2, listOf(BigDecimal("1.234"))) }
                .message shouldContain "column \"price\" of type decimal128(4, 2)"
            builder.build().use { it.schema().fields().map(Field::name) shouldBe listOf("before") }
        }
    }

    test("a list of objects becomes a column of the given type and unit [BLD-15]") {
        val instant = Instant.parse("2024-02-29T12:00:00.000001Z")
        val zoned = ZonedDateTime.parse("2024-02-29T13:00:00.000001+01:00[Europe/Paris]")
        built(
            { column("at", DataType.timestamp(ArrowTimeUnit.MICROSECOND, "UTC"), listOf(instant, zoned, 7, 8L, null)) },
        ) { column ->
            column.toList() shouldBe listOf(1_709_208_000_000_001, 1_709_208_000_000_001, 7L, 8L, null)
        }
        built(
            { column("n", DataType.UINT64, listOf(1, BigInteger.TWO.pow(64) - BigInteger.ONE, BigDecimal("3.00"))) },
        ) { column ->
            column.toList().map { (it as BigDecimal).toBigInteger() } shouldBe
                listOf(BigInteger.ONE, BigInteger.TWO.pow(64) - BigInteger.ONE, 3.toBigInteger())
        }
        built({ column("n", DataType.dictionary(DataType.INT8, DataType.DATE32), listOf(day, null, day)) }) {
            it.getLocalDate(2) shouldBe day
        }
        built({
            column(
                "unit", DataType.dictionary(DataType.INT8, DataType.UTF8), listOf(ArrowTimeUnit.SECOND, "MINUTE", null),
            )
        }) {
            it.toList() shouldBe listOf("SECOND", "MINUTE", null)
        }
        built({ column("every", DataType.INTERVAL_MONTH_DAY_NANO, listOf(Interval(1, 2, 3), null)) }) {
            it.getInterval(0) shouldBe Interval(1, 2, 3)
        }
        built({ column("every", DataType.INTERVAL_YEAR_MONTH, listOf(Period.ofMonths(14))) }) {
            it.getPeriod(0).toTotalMonths() shouldBe 14
        }
        val offset = OffsetDateTime.parse("2024-02-29T12:00:00.5+05:30")
        built({ column(Field.timestampWithOffset("at", ArrowTimeUnit.MILLISECOND), listOf(offset, null)) }) {
            it.getOffsetDateTime(0) shouldBe offset
            it.isNull(1) shouldBe true
        }
    }

    test(
        "lists accept collections and arrays, maps accept maps and entries, structs accept maps, all with nulls " +
            "[BLD-01]",
    ) {
        val lists = DataType.list(Field.of("item", DataType.INT32))
        built({
            column(
                "l",
                lists,
                listOf(listOf(1, null), intArrayOf(2, 3), setOf(4), arrayOf<Any?>(null), longArrayOf(5), null,
                    emptyList<Int>()),
            )
        }) {
            it.toList() shouldBe
                listOf(listOf(1L, null), listOf(2L, 3L), listOf(4L), listOf(null), listOf(5L), null, emptyList<Any>())
        }
        val pairs = DataType.fixedSizeList(Field.of("item", DataType.FLOAT32), 2)
        built({ column("l", pairs, listOf(floatArrayOf(1f, 2f), null, listOf(0.5, 0.25f))) }) {
            it.toList() shouldBe listOf(listOf(1.0, 2.0), null, listOf(0.5, 0.25))
        }
        val map = DataType.map(Field.of("key", DataType.UTF8).withNullable(false), Field.of("value", lists))
        built({
            column(
                "m",
                map,
                listOf(mapOf("a" to listOf(1), "b" to null), null, mapOf("c" to intArrayOf(2)).entries.toList()),
            )
        }) {
            it.getMap(0) shouldBe mapOf("a" to listOf(1L), "b" to null)
            it.isNull(1) shouldBe true
            it.getMap(2) shouldBe mapOf("c" to listOf(2L))
        }
        val struct = DataType.struct(Field.of("day", DataType.DATE32),
            Field.of("tags", DataType.list(Field.of("item", DataType.UTF8))))
        built({ column("s", struct, listOf(mapOf("day" to day, "tags" to listOf("x")), null, mapOf("day" to null))) }) {
            it.column("day").getLocalDate(0) shouldBe day
            it.toList().drop(1) shouldBe listOf(null, mapOf("day" to null, "tags" to null))
        }
        built({ column("s", struct, listOf(sortedMapOf("tags" to listOf("y")), java.util.TreeMap<Int, Int>())) }) {
            it.toList() shouldBe
                listOf(mapOf("day" to null, "tags" to listOf("y")), mapOf("day" to null, "tags" to null))
        }
    }

    test("an array inside a list is converted like its elements, exactly or not at all [BLD-16]") {
        fun lists(item: DataType) = DataType.list(Field.of("item", item))
        fun taken(item: DataType, array: Any): Any? {
            var elements: Any? = null
            built({ column("l", lists(item), listOf(array)) }) { elements = it.get(0) }
            return elements
        }
        refused(lists(DataType.UINT64), longArrayOf(0, -1)) shouldBe
            "column \"x.item\", row 1: -1 cannot be stored exactly as uint64"
        refused(lists(DataType.FLOAT32), doubleArrayOf(0.1)) shouldContain
            "column \"x.item\", row 0: Double 0.1 is not a value of float32"
        refused(lists(DataType.FLOAT16), floatArrayOf(0.1f)) shouldContain "row 0: Float 0.1 is not a value of float16"
        refused(lists(DataType.FLOAT16), doubleArrayOf(2049.0)) shouldContain
            "row 0: Double 2049.0 is not a value of float16"
        refused(lists(DataType.UINT8), byteArrayOf(-1)) shouldContain "does not hold the integer -1 (0 to 255)"
        refused(lists(DataType.INT16), intArrayOf(7, 40_000)) shouldContain "does not hold the integer 40000"
        refused(lists(DataType.DATE64), longArrayOf(1)) shouldContain "(whole days, of 86400000 milliseconds)"
        refused(lists(DataType.INT32), doubleArrayOf(1.0)) shouldContain "row 0: Double 1.0 is not a value of int32"
        refused(lists(DataType.dictionary(DataType.INT8, DataType.UINT64)), longArrayOf(-1)) shouldContain
            "-1 cannot be stored exactly as "
        taken(DataType.UINT64, longArrayOf(1, Long.MAX_VALUE)) shouldBe
            listOf(BigDecimal.ONE, BigDecimal(Long.MAX_VALUE))
        taken(DataType.FLOAT32, doubleArrayOf(0.5, Double.POSITIVE_INFINITY)) shouldBe
            listOf(0.5, Double.POSITIVE_INFINITY)
        taken(DataType.FLOAT64, floatArrayOf(0.1f)) shouldBe listOf(0.1f.toDouble())
        taken(DataType.FLOAT16, floatArrayOf(0.5f)) shouldBe listOf(0.5)
        taken(DataType.BOOL, booleanArrayOf(true, false)) shouldBe listOf(true, false)
        taken(DataType.INT64, shortArrayOf(-1)) shouldBe listOf(-1L)
        taken(DataType.duration(ArrowTimeUnit.SECOND), longArrayOf(-5)) shouldBe listOf(-5L)
        taken(DataType.UTF8, charArrayOf('a')) shouldBe listOf("a")
    }

    test("a column accepts objects of a registered codec, and values of its storage type [EXT-01]") {
        data class Money(val cents: Long)
        val codec = ExtensionCodec.of("com.acme.money", Money::class.java, DataType.INT64,
            { column, row -> Money(column.getLong(row)) }, { column, value -> column.append(value.cents) })
        ExtensionCodec.register(codec)
        try {
            built({ column(codec.field("price"), listOf(Money(5), null, 7L)) }) {
                it.toList() shouldBe listOf(Money(5), null, Money(7))
            }
        } finally {
            ExtensionCodec.unregister("com.acme.money")
        }
    }

    test("an object of a wrong type is rejected with the row and the accepted classes, and never rounded [BLD-16]") {
        refused(DataType.INT8, 1, "2") shouldBe
            "column \"x\", row 1: String 2 is not a value of int8; use one of Byte, Short, Integer, Long, BigInteger"
        refused(DataType.INT8, 300) shouldBe
            "column \"x\" of type int8 does not hold the integer 300 (-128 to 127), in row 0"
        refused(DataType.UINT64, 0, -1L) shouldBe "column \"x\", row 1: -1 cannot be stored exactly as uint64"
        refused(DataType.INT64, 0.5) shouldContain "row 0: Double 0.5 is not a value of int64"
        refused(DataType.INT64, BigDecimal("0.5")) shouldContain "row 0: BigDecimal 0.5 is not a value of int64"
        refused(DataType.FLOAT32, 0.1) shouldContain "row 0: Double 0.1 is not a value of float32"
        refused(DataType.FLOAT16, 2049f) shouldContain "row 0: Float 2049.0 is not a value of float16"
        refused(DataType.UTF8, 'a', 5) shouldContain "row 1: Integer 5 is not a value of utf8; use one of Character, " +
            "String"
        refused(DataType.DATE32, Instant.EPOCH) shouldContain
            "row 0: Instant 1970-01-01T00:00:00Z is not a value of date32; use one of LocalDate"
        refused(DataType.timestamp(ArrowTimeUnit.SECOND, null), Instant.EPOCH) shouldContain
            "is not a value of timestamp[s]; use one of LocalDateTime"
        refused(DataType.timestamp(ArrowTimeUnit.SECOND, "UTC"), Instant.ofEpochMilli(1)) shouldContain
            "which is not a whole second, in row 0; timestamp[ms, tz=UTC] does"
        val lists = DataType.list(Field.of("item", DataType.INT32))
        refused(lists, listOf(1), listOf(2, "3")) shouldContain
            "column \"x.item\", row 2: String 3 is not a value of int32"
        refused(lists, mapOf(1 to 2)) shouldContain " is not a value of list<item: int32>; use a Collection or an array"
        refused(DataType.fixedSizeList(Field.of("item", DataType.INT32), 2), listOf(1)) shouldContain "column \"x\""
        val struct = DataType.struct(Field.of("a", DataType.INT32))
        refused(struct, mapOf("b" to 1)) shouldContain "which has no field \"b\"; it has [a]"
        refused(struct, sortedMapOf(1 to 2)) shouldContain "which has no field \"1\"; it has [a]"
        refused(struct, java.util.Hashtable(mapOf(ArrowTimeUnit.SECOND to 2))) shouldContain
            "which has no field \"SECOND\"; it has [a]"
        refused(struct, mapOf(null to 1)) shouldContain "which has no field \"null\"; it has [a]"
        refused(struct, listOf(1)) shouldContain "; use a Map with the names of its fields as keys"
        refused(DataType.struct(Field.of("a", DataType.INT32), Field.of("a", DataType.INT32)),
            mapOf("a" to 1)) shouldContain "two of whose fields are \"a\""
        val map = DataType.map(Field.of("key", DataType.UTF8).withNullable(false), Field.of("value", DataType.INT32))
        refused(map, listOf(1)) shouldContain "whose elements are not all entries of a Map"
        refused(map, mapOf(null to 1)) shouldContain "is not nullable, but row 0 is null"
        refused(DataType.NULL, 1) shouldContain "Integer 1 is not a value of null"
        refused(Field.of("x", DataType.INT32).withNullable(false), listOf(null)) shouldContain
            "is not nullable, but row 0 is null"
    }
})
