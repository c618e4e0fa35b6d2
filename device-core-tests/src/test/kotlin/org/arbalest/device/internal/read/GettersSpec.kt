// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldNotBeEmpty
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldStartWith
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.Devices
import org.arbalest.device.columns.Column
import org.arbalest.device.objects.ExtensionCodec
import org.arbalest.device.support.HandLaid
import org.arbalest.device.support.HandLaid.imported
import org.arbalest.device.support.LaidValues
import org.arbalest.device.support.struct
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.TimestampType
import org.arbalest.device.types.Interval
import org.arbalest.device.types.NestedType
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.NestedType.UnionType
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.MemorySegment
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.time.Duration
import java.time.Instant
import java.time.LocalDate
import java.time.LocalDateTime
import java.time.Period
import java.time.ZoneId
import java.time.temporal.ChronoUnit
import java.time.temporal.UnsupportedTemporalTypeException
import java.util.AbstractMap.SimpleEntry

/** Tests of which getter reads which type, and of the errors of the other getters. */
class GettersSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    val getters = mapOf<String, (Column, Long) -> Any?>(
        "getBoolean" to { c, row -> c.getBoolean(row) }, "getLong" to { c, row -> c.getLong(row) },
        "getInt" to { c, row -> c.getInt(row) }, "getDouble" to { c, row -> c.getDouble(row) },
        "getDecimal" to { c, row -> c.getDecimal(row) }, "getString" to { c, row -> c.getString(row) },
        "getBytes" to { c, row -> c.getBytes(row) }, "getLocalDate" to { c, row -> c.getLocalDate(row) },
        "getLocalTime" to { c, row -> c.getLocalTime(row) },
        "getInstant" to { c, row -> c.getInstant(row) }, "getLocalDateTime" to { c, row -> c.getLocalDateTime(row) },
        "getZonedDateTime" to { c, row -> c.getZonedDateTime(row) }, "getDuration" to { c, row -> c.getDuration(row) },
        "getPeriod" to { c, row -> c.getPeriod(row) }, "getInterval" to { c, row -> c.getInterval(row) },
        "getList" to { c, row -> c.getList(row) }, "getMap" to { c, row -> c.getMap(row) },
        "getTypeId" to { c, row -> c.getTypeId(row) }, "getChildRow" to { c, row -> c.getChildRow(row) },
    )

    test("a getter that cannot read a type names the getters that can [READ-02]") {
        val zones = setOf("Europe/Zürich")
        for (type in HandLaid.types.filter {
            it !is UnionType && it != DataType.NULL && (it !is TimestampType || it.timezone() !in zones)
        }) withClue(type) {
            imported(type, listOf(2, 4, 5), 1) { array ->
                val column = array.asColumn()
                val field = array.field()
                val accepted = mutableSetOf<String>()
                val refusals = getters.mapNotNull { (name, read) ->
                    try {
                        read(column, 0)
                        accepted += name
                        null
                    } catch (e: IllegalArgumentException) {
                        name to e.message!!
                    }
                }
                refusals.shouldNotBeEmpty()
                val getter = Regex("get\\p{Upper}\\w*")
                for ((name, message) in refusals) withClue(name) {
                    message shouldStartWith "column \"\" of type $field cannot be read as "
                    val better = getter.findAll(message.substringAfter("; ")).map { it.value }.toList()
                    if (better.isEmpty() && field.valueType() !is StructType) error("no getter is named: $message")
                    val named = better.filter { it != "get" }.flatMap {
                        if (it == "getLong") listOf(it, "getInt") else listOf(it)
                    }.toSet()
                    if (field.valueType() !is UnionType) accepted shouldBe named
                }
            }
        }
    }

    fun reason(refusal: Throwable?) = refusal.shouldBeInstanceOf<IllegalArgumentException>().message!!
        .substringAfter("cannot be read as").substringBefore(";")

    test("a getter that cannot read a type rejects null rows too; one that can reports the null [READ-02]") {
        val more = getters + mapOf<String, (Column, Long) -> Any?>(
            "getUuid" to { c, row -> c.getUuid(row) }, "getOffsetDateTime" to { c, row -> c.getOffsetDateTime(row) },
            "getTensor" to { c, row -> c.getTensor(row) },
            "get by a codec" to { c, row ->
                ExtensionCodec.of("com.acme.none", String::class.java, DataType.INT8, { _, _ -> "" }, { _, _ -> })
                    .get(c, row)
            },
        )
        for (type in HandLaid.types.filter { it != DataType.NULL }) withClue(type) {
            imported(type, listOf(2, 3, 4, 5, 6, 7), 1) { array ->
                val column = array.asColumn()
                val row = (0L..5L).first(column::isNull)
                val like = if (type is UnionType) (0L..5L).first {
                    !column.isNull(it) && column.getTypeId(it) == column.getTypeId(row)
                } else 0
                for ((name, read) in more) withClue(name) {
                    val value = runCatching { read(column, like) }.exceptionOrNull()
                    val none = runCatching { read(column, row) }.exceptionOrNull()
                    val refused = value is IllegalArgumentException && "java.time has no zone" !in value.message!!
                    val ofRun = name == "get by a codec" &&
                        (type is UnionType || type is RunEndEncodedType || type is DictionaryType)
                    when {
                        // the error may come from the child
                        refused && type is UnionType && !ofRun -> reason(none) shouldBe reason(value)
                        refused && !ofRun -> none!!.message shouldBe value.message
                        type is UnionType && name in listOf("getTypeId", "getChildRow") -> none shouldBe null
                        else -> none.shouldBeInstanceOf<NoSuchElementException>().message shouldContain
                            " is null in row $row; check isNull first"
                    }
                }
            }
        }
        imported(DataType.NULL, listOf(1), 0) { array ->
            shouldThrow<NoSuchElementException> { array.asColumn().getLong(0) }
            shouldThrow<IllegalArgumentException> { array.asColumn().toLongArray() }.message shouldContain
                "cannot be read as an integer; only isNull and get read it"
        }
    }

    test("a column without children, items, runs or a dictionary says so [READ-02]") {
        imported(DataType.INT32, listOf(1), 0) { array ->
            val column = array.asColumn()
            shouldThrow<IllegalArgumentException> { column.column(0) }.message shouldContain
                "is neither a struct nor a union, and has no columns"
            shouldThrow<IllegalArgumentException> { column.items() }.message shouldContain
                "is not a list and has no items"
            shouldThrow<IllegalArgumentException> { column.runs() }.message shouldContain
                "is not run-end-encoded and has no runs"
            shouldThrow<IllegalArgumentException> { column.dictionary() }.message shouldContain
                "is not dictionary-encoded"
        }
        imported(DataType.struct(Field.of("x", DataType.INT32)), listOf(1), 0) { array ->
            shouldThrow<IllegalArgumentException> { array.asColumn().items() }.message shouldContain
                "is not a list and has no items"
        }
    }

    fun buffer(vararg values: Long, width: Int = 8): DeviceBuffer {
        val bytes = ByteBuffer.allocate(width * values.size).order(ByteOrder.nativeOrder())
        for (value in values) for (byte in 0 until width) bytes.put((value shr 8 * byte).toByte())
        return Devices.cpu().allocate(bytes.capacity().toLong()).also {
            it.segment().copyFrom(MemorySegment.ofArray(bytes.array()))
        }
    }

    fun flat(type: DataType, width: Int, vararg values: Long): DeviceArray =
        DeviceArray.of(Field.of("t", type),
            ArrayData.of(values.size.toLong(), 0, listOf(null, buffer(*values, width = width))))

    test("dates and times are read as java.time values [READ-01]") {
        flat(DataType.DATE32, 4, -1, 19_000).use {
            it.asColumn().run { listOf(getLocalDate(0), getLocalDate(1)) } shouldBe
                listOf(LocalDate.of(1969, 12, 31), LocalDate.ofEpochDay(19_000))
        }
        flat(DataType.DATE64, 8, -1, 86_400_000).use {
            it.asColumn().run { listOf(getLocalDate(0), getLocalDate(1)) } shouldBe
                listOf(LocalDate.of(1969, 12, 31), LocalDate.of(1970, 1, 2))
        }
        val moment = LocalDateTime.of(1969, 7, 20, 20, 17, 40, 123_456_789)
        for ((unit, perSecond) in ArrowTimeUnit.entries.zip(listOf(1L, 1_000L, 1_000_000L, 1_000_000_000L))) {
            val nanos = moment.nano / (1_000_000_000L / perSecond) * (1_000_000_000L / perSecond)
            val right = moment.withNano(nanos.toInt())
            val instant = right.toInstant(java.time.ZoneOffset.UTC)
            val stored = instant.epochSecond * perSecond + instant.nano / (1_000_000_000L / perSecond)
            flat(DataType.timestamp(unit, null), 8, stored).use { array ->
                array.asColumn().getLocalDateTime(0) shouldBe right
                array.asColumn().getInstant(0) shouldBe instant
                array.asColumn().getLong(0) shouldBe stored
            }
            for (zone in listOf("America/New_York", "+05:30", "UTC", "Z"))
                flat(DataType.timestamp(unit, zone), 8, stored).use { array ->
                    array.asColumn().getZonedDateTime(0) shouldBe instant.atZone(ZoneId.of(zone))
                    array.asColumn().getLocalDateTime(0) shouldBe right
                }
            val ofDay = right.toLocalTime().toNanoOfDay() / (1_000_000_000L / perSecond)
            flat(DataType.time(unit), if (perSecond <= 1000) 4 else 8, ofDay).use {
                it.asColumn().getLocalTime(0) shouldBe right.toLocalTime()
            }
            flat(DataType.duration(unit), 8, -1).use {
                it.asColumn().getDuration(0) shouldBe Duration.ofNanos(-1_000_000_000L / perSecond)
            }
        }
    }

    test("a value outside java.time's range is rejected with row and number, and an unknown zone by name [READ-01]") {
        flat(DataType.timestamp(ArrowTimeUnit.SECOND, null), 8, 0, Long.MAX_VALUE).use { array ->
            val column = array.asColumn()
            for (read in listOf<(Column) -> Any?>({ it.getInstant(1) }, { it.getLocalDateTime(1) }))
                shouldThrow<ArithmeticException> { read(column) }.message shouldContain
                    "column \"t\" of type timestamp[s], row 1: 9223372036854775807 is no"
            shouldThrow<IllegalArgumentException> { column.getZonedDateTime(0) }.message shouldBe
                "column \"t\" of type timestamp[s] cannot be read as a date and time in a zone; getLocalDateTime, " +
                "getInstant and getLong read it"
        }
        flat(DataType.time(ArrowTimeUnit.SECOND), 4, 0, 86_400).use { array ->
            shouldThrow<ArithmeticException> { array.asColumn().getLocalTime(1) }.message shouldContain
                "row 1: 86400 is not a time of day of java.time"
        }
        flat(DataType.timestamp(ArrowTimeUnit.SECOND, "Mars/Olympus"), 8, 7).use { array ->
            shouldThrow<IllegalArgumentException> { array.asColumn().getZonedDateTime(0) }.message shouldContain
                "java.time has no zone \"Mars/Olympus\"; getInstant reads it"
            array.asColumn().getInstant(0) shouldBe Instant.ofEpochSecond(7)
        }
    }

    test("an interval keeps its parts and their signs, and can be added to dates and times [READ-01]") {
        flat(DataType.INTERVAL_YEAR_MONTH, 4, -14, 3).use { array ->
            val column = array.asColumn()
            listOf(column.get(0), column.getPeriod(1), column.getInterval(0)) shouldBe
                listOf(Period.ofMonths(-14), Period.ofMonths(3), Interval(-14, 0, 0))
        }
        val dayTime = ArrayData.of(2, 0, listOf(null, buffer(-1, 86_400_001, 2, -5, width = 4)))
        DeviceArray.of(Field.of("t", DataType.INTERVAL_DAY_TIME), dayTime).use { array ->
            listOf(0L, 1L).map(array.asColumn()::get) shouldBe
                listOf(Interval(0, -1, 86_400_001_000_000), Interval(0, 2, -5_000_000))
            shouldThrow<IllegalArgumentException> { array.asColumn().getPeriod(0) }.message shouldContain
                "cannot be read as a period; getInterval reads it"
        }
        val all = ArrayData.of(1, 0, listOf(null, buffer(1, -2, 3, -1, width = 4)))
        DeviceArray.of(Field.of("t", DataType.INTERVAL_MONTH_DAY_NANO), all).use { array ->
            val interval = array.asColumn().getInterval(0)
            interval shouldBe Interval(1, -2, 3L - (1L shl 32))
            interval.period() shouldBe Period.of(0, 1, -2)
            interval.duration() shouldBe Duration.ofNanos(3L - (1L shl 32))
        }
        val start = LocalDateTime.of(2024, 1, 31, 12, 0)
        start.plus(Interval(1, 1, 5)) shouldBe LocalDateTime.of(2024, 3, 1, 12, 0, 0, 5)
        start.minus(Interval(1, 1, 0)) shouldBe LocalDateTime.of(2023, 12, 30, 12, 0)
        LocalDate.of(2024, 1, 31).plus(Interval(1, 0, 0)) shouldBe LocalDate.of(2024, 2, 29)
        shouldThrow<UnsupportedTemporalTypeException> { LocalDate.of(2024, 1, 31).plus(Interval(0, 0, 1)) }
        shouldThrow<UnsupportedTemporalTypeException> { Interval(0, 0, 1).get(ChronoUnit.HOURS) }
        listOf(Interval(1, 2, 3_000_000_000), Interval(0, 0, 0), Interval(-2, 1, 0)).map { it.toString() } shouldBe
            listOf("1 month 2 days PT3S", "PT0S", "-2 months 1 day")
    }

    test("a map with a repeated key is readable as a list of entries, not as a Map [READ-08]") {
        val key = Field.of("key", DataType.INT8).withNullable(false)
        val entries = ArrayData.of(3, 0, listOf(null), listOf(
            ArrayData.of(3, 0, listOf(null, buffer(1, 2, 1, width = 1))),
            ArrayData.of(3, 0, listOf(null, buffer(4, 5, 6, width = 1))),
        ))
        val maps = ArrayData.of(2, 0, listOf(null, buffer(0, 2, 3, width = 4)), listOf(entries))
        DeviceArray.of(Field.of("m", DataType.map(key, Field.of("value", DataType.INT8))), maps).use { array ->
            val column = array.asColumn()
            column.getMap(0) shouldBe mapOf(1L to 4L, 2L to 5L)
            column.getMap(0).keys.toList() shouldBe listOf(1L, 2L)
            column.getMap(1) shouldBe mapOf(1L to 6L)
        }
        val twice = ArrayData.of(3, 0, listOf(null), listOf(
            ArrayData.of(3, 0, listOf(null, buffer(1, 2, 1, width = 1))),
            ArrayData.of(3, 0, listOf(null, buffer(4, 5, 6, width = 1))),
        ))
        val type = DataType.map(key, Field.of("value", DataType.INT8))
        DeviceArray.of(Field.of("m", type), ArrayData.of(1, 0, listOf(null, buffer(0, 3, width = 4)), listOf(twice)))
            .use { array ->
                val column = array.asColumn()
                column.get(0) shouldBe listOf(SimpleEntry(1L, 4L), SimpleEntry(2L, 5L), SimpleEntry(1L, 6L))
                column.getList(0).length() shouldBe 3
                shouldThrow<IllegalArgumentException> { column.getMap(0) }.message shouldContain
                    ", row 0 has the key 1 twice; getList and get return all entries"
            }
    }

    test("toList returns an unmodifiable copy of the values that get returns [READ-68]") {
        for (type in HandLaid.types) withClue(type) {
            imported(type, listOf(2, 3, 4, 5, 6, 7), 2) { array ->
                for (from in 0..3L) array.slice(from, 6 - from).use { slice ->
                    val column = slice.asColumn()
                    val all = column.toList()
                    all.map(LaidValues::plain) shouldBe LaidValues.read(column)
                    shouldThrow<UnsupportedOperationException> { (all as MutableList<Any?>).add(1) }
                    slice.close()
                    shouldThrow<IllegalStateException> { column.toList() }
                    all.size shouldBe column.length()
                }
            }
        }
    }

    test("the cursor and the getters find the same runs, in any order, whole and sliced [READ-03]") {
        for (bits in listOf(16, 32, 64)) {
            val type = RunEndEncodedType(Field.of("run_ends", org.arbalest.device.types.FlatType.IntType(bits, true))
                .withNullable(false), Field.of("v", DataType.INT8))
            val ends =
                ArrayData(4, 0, 2, listOf(null, buffer(-1, 99, 2, 3, 7, 10, width = bits / 8)), emptyList(), null)
            val values = ArrayData(4, 1, 1, listOf(buffer(0b11011, width = 1), buffer(0, 10, 20, 30, 40, width = 1)),
                emptyList(), null)
            DeviceArray.of(Field.of("r", type), ArrayData.of(10, 0, emptyList(), listOf(ends, values))).use { array ->
                val all = listOf(10L, 10L, null, 30L, 30L, 30L, 30L, 40L, 40L, 40L)
                for (from in 0..10) for (to in from..10) array.slice(from.toLong(), (to - from).toLong()).use { slice ->
                    val column = slice.asColumn()
                    val right = all.subList(from, to)
                    LaidValues.read(column) shouldBe right
                    right.indices.shuffled(kotlin.random.Random(from)).forEach {
                        column.get(it.toLong()) shouldBe right[it]
                    }
                    column.nullCount() shouldBe right.count { it == null }.toLong()
                    val runs = column.runs()
                    val seen = buildList {
                        var before = 0L
                        while (runs.next()) {
                            runs.start() shouldBe before
                            before = runs.end()
                            repeat(runs.length().toInt()) { add(runs.values().get(runs.value())) }
                        }
                    }
                    seen shouldBe right
                    runs.next() shouldBe false
                }
                shouldThrow<IllegalStateException> { array.asColumn().runs().value() }
            }
        }
    }

    test("a union's children are columns: sparse ones with its rows, dense ones with their own elements [READ-06]") {
        for (type in HandLaid.types.filterIsInstance<UnionType>()) imported(type, List(13) { it }, 3) { array ->
            array.slice(2, 9).use { cut ->
                val column = cut.asColumn()
                for (row in 0 until 9L) {
                    val child = ((row + 2) % 3).toInt()
                    column.getTypeId(row) shouldBe type.typeIds()[child]
                    column.column(child).get(column.getChildRow(row)) shouldBe column.get(row)
                    if (type.mode() == NestedType.UnionMode.SPARSE) column.getChildRow(row) shouldBe row
                }
                column.column("words").field().type() shouldBe DataType.UTF8_VIEW
                shouldThrow<IndexOutOfBoundsException> { column.column(3) }
            }
        }
    }
})
