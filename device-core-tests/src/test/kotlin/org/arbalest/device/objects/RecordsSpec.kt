// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.objects

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.Trips
import org.arbalest.device.Trips.Abbreviated
import org.arbalest.device.Trips.Anything
import org.arbalest.device.Trips.Boxes
import org.arbalest.device.Trips.Carrier
import org.arbalest.device.Trips.Flight
import org.arbalest.device.Trips.Grows
import org.arbalest.device.Trips.Guarded
import org.arbalest.device.Trips.Leg
import org.arbalest.device.Trips.Named
import org.arbalest.device.Trips.Nothing
import org.arbalest.device.Trips.Pair
import org.arbalest.device.Trips.Pairs
import org.arbalest.device.Trips.Picky
import org.arbalest.device.Trips.Primitives
import org.arbalest.device.Trips.Samples
import org.arbalest.device.Trips.Times
import org.arbalest.device.Trips.Tree
import org.arbalest.device.Trips.Trip
import org.arbalest.device.Trips.Values
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.support.struct
import org.arbalest.device.types.Interval
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import org.arbalest.support.fake.FakeCall
import org.arbalest.support.fake.FakeDevice
import org.arbalest.support.fake.FakeExtension
import java.lang.foreign.Arena
import java.math.BigDecimal
import java.math.BigInteger
import java.time.Duration
import java.time.Instant
import java.time.LocalDate
import java.time.LocalDateTime
import java.time.LocalTime
import java.time.Period
import java.time.ZonedDateTime
import java.util.IdentityHashMap

/** Batches built from records, and records read from batches. */
class RecordsSpec : FunSpec({
    extension(FakeExtension)
    extension(ResourceCountersExtension)

    val memory = Devices.cpu().memory()
    val leg = Leg("JFK", "LAX", 2475)

    fun <T : Any> throughC(rows: List<T>, type: Class<T>): List<T> =
        Records.of(type).build(memory, rows).use { batch -> throughC(batch).use { Records.of(type).toList(it) } }

    val cases: Map<String, List<Record>> = mapOf(
        "primitives" to listOf(
            Primitives(true, -128, -32768, Int.MIN_VALUE, Long.MIN_VALUE, Float.MIN_VALUE, -0.0, 'ø'),
            Primitives(false, 127, 32767, Int.MAX_VALUE, Long.MAX_VALUE, Float.NaN, Double.NaN, 'A'),
        ),
        "boxes" to listOf(
            Boxes(true, 1, 2, 3, 4, 5.5f, 6.5, 'B'),
            Boxes(null, null, null, null, null, null, null, null),
        ),
        "values" to listOf(
            Values("Ærø", BigDecimal("12.000000000000000001"), BigInteger.TEN.pow(37), Carrier.WN),
            Values(null, null, null, null),
            Values("", BigDecimal("-1.500000000000000000"), BigInteger.ONE.negate(), Carrier.AA),
        ),
        "times" to listOf(
            Times(
                LocalDate.of(1969, 7, 20), LocalTime.of(20, 17, 40, 123_456_789),
                Instant.parse("1969-07-20T20:17:40.123456789Z"),
                LocalDateTime.of(1900, 1, 1, 0, 0, 0, 1),
                ZonedDateTime.of(2024, 2, 29, 12, 0, 0, 999_999_999, java.time.ZoneId.of("UTC")),
                Duration.ofNanos(-1), Period.ofMonths(14), Interval(1, -2, 3),
            ),
            Times(null, null, null, null, null, null, null, null),
        ),
        "nested records" to listOf(
            Trip(leg, listOf(leg, null, Leg(null, "SFO", 0)), listOf(1, null, 3), linkedMapOf("b" to 2L, "a" to null),
                listOf(listOf("x", null), null, listOf())),
            Trip(null, null, null, null, null),
            Trip(Leg(null, null, -1), listOf(), listOf(), mapOf(), listOf()),
            Trip(null, listOf(Leg("A", "B", 1)), listOf(9), mapOf("z" to 9L), listOf(listOf("q"), listOf("r", "s"))),
        ),
        "generic records" to listOf(
            Pairs(Pair("a", 1L), listOf(Pair(2, leg), Pair(null, null), null)),
            Pairs(Pair(null, null), listOf()),
            Pairs(null, null),
        ),
        "arrays" to listOf(
            Samples(
                byteArrayOf(0, -1), longArrayOf(1, Long.MIN_VALUE), intArrayOf(), shortArrayOf(5),
                doubleArrayOf(0.5, -0.0), floatArrayOf(1.5f),
                booleanArrayOf(true, false), charArrayOf('a', 'é'),
            ),
            Samples(null, null, null, null, null, null, null, null),
        ),
        "records without components" to listOf(Nothing(), Nothing()),
        "no records" to listOf(),
    )
    for ((name, records) in cases) {
        test("$name come back unchanged from C [OBJ-01]") {
            @Suppress("UNCHECKED_CAST")
            val type = (records.firstOrNull()?.javaClass ?: Flight::class.java) as Class<Record>
            throughC(records, type).map(::plain) shouldContainExactly records.map(::plain)
        }

        test("$name are read from a slice, too [OBJ-01]") {
            @Suppress("UNCHECKED_CAST")
            val type = (records.firstOrNull()?.javaClass ?: Flight::class.java) as Class<Record>
            val three = records + records + records
            Records.of(type).build(memory, three).use { batch ->
                val from = if (three.isEmpty()) 0 else 1
                batch.slice(from.toLong(), batch.length() - from).use { slice ->
                    Records.of(type).toList(slice).map(::plain) shouldContainExactly three.drop(from).map(::plain)
                }
            }
        }
    }

    test("a record of a private class is read, too [OBJ-01]") {
        Records.of(Picky::class.java).build(memory, listOf(Picky(3))).use {
            Records.of(Trips.hidden()).toList(it).toString() shouldBe "[Hidden[delay=3]]"
        }
    }

    test("a period is built as its number of months [OBJ-01]") {
        throughC(listOf(Times(null, null, null, null, null, null, Period.of(-1, 2, 0), null)), Times::class.java)
            .single().period shouldBe Period.ofMonths(-10)
    }

    test("a component of type Object has the value that get returns [OBJ-01]") {
        Records.of(TextOfValue::class.java).build(memory, listOf(TextOfValue("a"), TextOfValue(null))).use { batch ->
            Records.of(Anything::class.java).toList(batch) shouldBe listOf(Anything("a"), Anything(null))
        }
        shouldThrow<IllegalArgumentException> { Records.of(Anything::class.java).schema() }.message shouldContain
            "value: Arrow has no type for java.lang.Object"
    }

    test("each class of a component has a standard column type") {
        Records.of(Flight::class.java).schema().toString() shouldBe
            "carrier: utf8\ndelay: int32 not null\ndistance: float64"
        Records.of(Named::class.java).schema().toString() shouldBe "flight no: int32 not null\ncarrier: utf8"
        Records.of(Values::class.java).schema().toString() shouldBe
            "text: utf8\ndecimal: decimal128(38, 18)\ninteger: decimal128(38, 0)\ncarrier: dictionary<values=utf8, " +
            "indices=int8>"
        Records.of(Times::class.java).schema().toString() shouldBe
            "date: date32\ntime: time64[ns]\ninstant: timestamp[ns, tz=UTC]\nlocal: timestamp[ns]\nzoned: " +
            "timestamp[ns, tz=UTC]\nduration: duration[ns]\n" +
            "period: year_month_interval\ninterval: month_day_nano_interval"
        Records.of(Trip::class.java).schema().field("bags").toString() shouldBe
            "bags: map<entries: struct<key: utf8 not null, value: int64> not null>"
    }

    test("rows are read on access, as a new object each time, and by index [OBJ-06]") {
        Records.of(Flight::class.java).build(memory, List(5) { Flight("F$it", it, null) }).use { batch ->
            val rows = Records.of(Flight::class.java).rows(batch)
            rows.size shouldBe 5
            rows[3] shouldBe Flight("F3", 3, null)
            (rows[3] === rows[3]) shouldBe false
            rows.stream().parallel().mapToInt(Flight::delay).sum() shouldBe 10
            shouldThrow<IndexOutOfBoundsException> { rows[5] }
        }
    }

    test("rows are valid until the batch is closed, a list longer [OBJ-06]") {
        val batch = Records.of(Flight::class.java).build(memory, listOf(Flight("AA", 1, null)))
        val (rows, list) = batch.use {
            Records.of(Flight::class.java).rows(it) to Records.of(Flight::class.java).toList(it)
        }
        shouldThrow<IllegalStateException> { rows[0] }
        list shouldBe listOf(Flight("AA", 1, null))
    }

    test("a class that is not a record, or has type parameters, is rejected [OBJ-10]") {
        shouldThrow<IllegalArgumentException> { Records.of(String::class.java) }.message shouldContain
            "java.lang.String is not a record, as objects of rows must be"
        shouldThrow<IllegalArgumentException> { Records.of(Pair::class.java) }.message shouldContain
            "<A, B> has type parameters"
    }

    test("a class that contains itself has no schema [OBJ-10]") {
        shouldThrow<IllegalArgumentException> { Records.of(Tree::class.java).schema() }.message shouldContain
            "branches[]: Tree contains itself"
    }

    test("an array that is not a batch has no rows") {
        Records.of(Flight::class.java).build(memory, listOf(Flight("AA", 1, null))).use { batch ->
            batch.retainChild(1).use { delay ->
                shouldThrow<IllegalArgumentException> { Records.of(Flight::class.java).rows(delay.asRecordBatch()) }
                    .message shouldContain "this is an array of delay: int32"
            }
        }
    }

    test("an exception from the constructor of a record reaches the caller") {
        val flights = listOf(Flight("AA", 3, null), Flight("AA", -3, null))
        Records.of(Flight::class.java).build(memory, flights).use { batch ->
            val rows = Records.of(Picky::class.java).rows(batch)
            rows[0] shouldBe Picky(3)
            shouldThrow<IllegalArgumentException> { rows[1] }.message shouldBe "a delay of -3"
        }
    }

    test("an IndexOutOfBoundsException from a constructor does not end the rows, however they are read [OBJ-06]") {
        val flights = listOf(Flight("AAL", 1, null), Flight("A", 2, null), Flight("DAL", 3, null))
        Records.of(Flight::class.java).build(memory, flights).use { batch ->
            val rows = Records.of(Abbreviated::class.java).rows(batch)
            for (way in listOf<() -> Any?>(
                { rows[1] },
                { rows.iterator().apply { next() }.next() },
                { rows.stream().toList() },
                { rows.parallelStream().toList() },
                { rows.toList() },
                { Records.of(Abbreviated::class.java).toList(batch) },
            )) {
                val thrown = shouldThrow<IllegalStateException> { way() }
                generateSequence<Throwable>(thrown) { it.cause }
                    .last()::class shouldBe StringIndexOutOfBoundsException::class
                thrown.message!! shouldContain "row 1 cannot be made: "
            }
            rows[2] shouldBe Abbreviated("DA")
        }
    }

    test("a build releases everything if a record cannot be read or memory runs out [OBJ-07]") {
        val rows = List(100) { Guarded("text $it", if (it == 70) -1 else it) }
        val before = ResourceCounters.now()
        shouldThrow<IllegalStateException> { Records.of(Guarded::class.java).build(memory, rows) }.message shouldBe
            "the accessor rejects the delay -1"
        ResourceCounters.now() shouldBe before
        val pinned = Devices.device(DeviceType.CUDA_HOST, 0)
        for (failing in 1..3) {
            FakeDevice.of(DeviceType.CUDA_HOST, 0).failCall(FakeCall.ALLOCATE, failing)
            val empty = ResourceCounters.now()
            shouldThrow<DeviceException> { Records.of(Guarded::class.java).build(pinned.memory(), rows.take(70)) }
            ResourceCounters.now() shouldBe empty
        }
    }

    test("a class that nests without end is rejected [OBJ-10]") {
        shouldThrow<IllegalArgumentException> { Records.of(Grows::class.java).schema() }.message shouldContain
            ".next.next: nests deeper than the 64 levels that a schema has"
    }

    test("each value of a dictionary column is created once") {
        val carriers = List(100) { Values("x", null, null, Carrier.entries[it % 4]) }
        Records.of(Values::class.java).build(memory, carriers).use { batch ->
            Records.of(Values::class.java).toList(batch) shouldBe carriers
            Records.of(TextOfCarrier::class.java).toList(batch)
                .mapTo(java.util.Collections.newSetFromMap(IdentityHashMap())) { it.carrier }.size shouldBe 4
        }
    }
})

@JvmRecord
private data class TextOfValue(val value: String?)

@JvmRecord
private data class TextOfCarrier(val carrier: String)

/** Exports a batch to the C structs and imports it again. */
internal fun throughC(batch: RecordBatch): RecordBatch = Arena.ofConfined().use { arena ->
    val (out, schema) = arena.struct(StructKind.ARRAY) to arena.struct(StructKind.SCHEMA)
    batch.retain().use { CData.exportArray(it, out, CExport.DATA.schemaTo(schema)) }
    CData.importBatch(out, CImport.DATA.schema(schema))
}

/** Returns a record as an object that compares by content, also in arrays. */
private fun plain(value: Any?): Any? = when (value) {
    is Record -> value.javaClass.recordComponents.map { part ->
        plain(part.accessor.apply { isAccessible = true }.invoke(value))
    }
    is ByteArray -> value.toList()
    is LongArray -> value.toList()
    is IntArray -> value.toList()
    is ShortArray -> value.toList()
    is DoubleArray -> value.toList()
    is FloatArray -> value.toList()
    is BooleanArray -> value.toList()
    is CharArray -> value.toList()
    is List<*> -> value.map(::plain)
    is Map<*, *> -> value.entries.map { it.key to plain(it.value) }
    else -> value
}
