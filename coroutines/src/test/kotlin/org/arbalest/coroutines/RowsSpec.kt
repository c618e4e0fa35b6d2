// SPDX-License-Identifier: Apache-2.0
@file:OptIn(ExperimentalTime::class, ExperimentalUuidApi::class) // experimental in Kotlin 2.2, stable in 2.4

package org.arbalest.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Devices
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.objects.ColumnName
import org.arbalest.device.objects.Records
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.Schema
import org.arbalest.support.ResourceCountersExtension
import java.math.BigDecimal
import java.time.Instant
import java.time.LocalDate
import java.time.OffsetDateTime
import java.util.UUID
import kotlin.time.ExperimentalTime
import kotlin.uuid.ExperimentalUuidApi
import kotlin.uuid.Uuid
import kotlin.time.Instant as KotlinInstant

internal enum class Carrier { AA, DL }

internal data class Flight(val carrier: String, val delay: Int, val distance: Double?)

internal data class Leg(val from: String, val to: String?, val miles: Int = -1)

internal data class Trip(
    val legs: List<Leg>,
    val gates: List<Int?>,
    val notes: List<String>?,
    val bags: Map<String, Long?>,
    val carrier: Carrier?,
    val first: Leg?,
    val place: Pair<Double, Double?>,
    val on: LocalDate,
    val at: Instant,
    val price: BigDecimal,
)

internal data class Defaults(
    val carrier: String = "AA",
    val delay: Int = carrier.length,
    val distance: Double?,
    val at: List<Int> = listOf(1),
)

internal data class Odd(
    @ColumnName("flight no") val number: Short,
    internal val inside: Long,
    private val secret: String,
) {
    constructor(number: Short) : this(number, 0, "")

    val twice = 2 * number

    override fun toString() = "$number $inside $secret $twice"
}

internal data class Generic<T>(val value: T, val values: List<T>)

internal data class Generics(val words: Generic<String>, val numbers: Generic<Int?>?)

internal data class Visit(val id: UUID, val ids: List<UUID?>, val at: OffsetDateTime?, val since: OffsetDateTime)

@Suppress("ArrayInDataClass")
internal data class Own(
    val id: Uuid, val at: KotlinInstant?, val ids: List<Uuid?>, val times: Map<Uuid, KotlinInstant>,
    val words: Set<String>, val texts: Array<String?>,
)

internal data class OfUuid(val id: Uuid)

internal class NotData(val delay: Int)

internal data class Person(val firstName: String)

@JvmRecord
internal data class AsRecord(@ColumnName("flight no") val number: Int, val carrier: String = "AA")

@Suppress("LongParameterList")
internal data class Wide(
    val a0: Int = 0, val a1: Long = 1, val a2: Int = 2, val a3: Int = 3, val a4: Int = 4, val a5: Int = 5,
    val a6: Int = 6, val a7: Int = 7, val a8: Int = 8, val a9: Int = 9, val b0: Int = 10, val b1: Double = 11.0,
    val b2: Int = 12, val b3: Int = 13, val b4: Int = 14, val b5: Int = 15, val b6: Int = 16, val b7: Int = 17,
    val b8: Int = 18, val b9: Int = 19, val c0: Int = 20, val c1: String = "21", val c2: Int = 22, val c3: Int = 23,
    val c4: Int = 24, val c5: Int = 25, val c6: Int = 26, val c7: Int = 27, val c8: Int = 28, val c9: Int = 29,
    val d0: Int = 30, val d1: Int = 31, val d2: Int = 32, val d3: Int = 33, val d4: Int = 34,
)

/** Data classes as rows of batches. */
class RowsSpec : FunSpec({
    extension(ResourceCountersExtension)

    val cpu = Devices.cpu()

    val leg = Leg("JFK", null, 2475)
    val trips = listOf(
        Trip(
            listOf(leg, Leg("LAX", "SFO")), listOf(1, null), listOf("x"), mapOf("b" to 2L, "a" to null), Carrier.DL,
            leg, 1.5 to null, LocalDate.of(1969, 7, 20), Instant.parse("1969-07-20T20:17:40Z"),
            BigDecimal("1.50"),
        ),
        Trip(listOf(), listOf(), null, mapOf(), null, null, 0.0 to -0.0, LocalDate.EPOCH, Instant.EPOCH,
            BigDecimal("0.25")),
    )

    test("data classes pass through the C structs unchanged [OBJ-01]") {
        cpu.batch(trips).throughC().use { it.toList<Trip>() shouldBe trips }
        cpu.batch(listOf<Trip>()).throughC().use { it.toList<Trip>() shouldBe listOf() }
    }

    test("properties may have extension types, nullable or not [OBJ-01, OBJ-09]") {
        val (id, at) = UUID(1, 2) to OffsetDateTime.parse("2024-02-29T12:00:00+05:30")
        val visits = listOf(Visit(id, listOf(id, null), at, at), Visit(id, listOf(), null, at))
        schemaOf<Visit>()["id"] shouldBe Field.uuid("id").withNullable(false)
        schemaOf<Visit>()["at"] shouldBe Field.timestampWithOffset("at", ArrowTimeUnit.NANOSECOND)
        cpu.batch(visits).throughC().use { it.toList<Visit>() shouldBe visits }
        val nullable =
            Schema.of(schemaOf<Visit>().fields().map { if (it.name() == "since") it.withNullable(true) else it })
        BatchBuilder.of(cpu.memory(), 1).use { batch ->
            batch.column(nullable["id"]).append(id)
            batch.column(nullable["ids"]).appendList(0)
            for (name in listOf("at", "since")) batch.column(nullable[name]).appendNullWithParts()
            batch.build()
        }.use { batch ->
            shouldThrow<NoSuchElementException> {
                batch.toList<Visit>()
            }.message shouldBe "row 0: since is null, which this OffsetDateTime cannot be"
        }
    }

    test(
        "kotlin.time.Instant and kotlin.uuid.Uuid map as their Java equivalents, and sets and arrays map to lists " +
            "[OBJ-12]",
    ) {
        val (id, at) = Uuid.parse("550e8400-e29b-41d4-a716-446655440000") to
            KotlinInstant.parse("2024-02-29T12:00:00.000000001Z")
        val own = listOf(Own(id, at, listOf(id, null), mapOf(id to at), setOf("b", "a"), arrayOf("x", null)),
            Own(id, null, listOf(), mapOf(), setOf(), arrayOf()))
        cpu.batch(own).throughC().use { batch ->
            batch["id"].uuids()[0] shouldBe UUID.fromString("550e8400-e29b-41d4-a716-446655440000")
            batch["at"].instants()[0] shouldBe Instant.parse("2024-02-29T12:00:00.000000001Z")
            val none = arrayOf<String?>()
            batch.toList<Own>().map { it.copy(texts = none) } shouldBe own.map { it.copy(texts = none) }
            batch.toList<Own>().map { it.texts.toList() } shouldBe own.map { it.texts.toList() }
        }
        schemaOf<Own>().toString() shouldBe "id: arrow.uuid (fixed_size_binary[16]) not null\nat: timestamp[ns, " +
            "tz=UTC]\nids: list<item: arrow.uuid (fixed_size_binary[16])> not null\n" +
            "times: map<entries: struct<key: arrow.uuid (fixed_size_binary[16]) not null, value: timestamp[ns, " +
            "tz=UTC] not null> not null> not null\n" +
            "words: list<item: utf8 not null> not null\ntexts: list<item: utf8> not null"
        shouldThrow<IllegalArgumentException> { cpu.batch(1) { int8("id") { 1 } }.use { it.rows<OfUuid>() } }
            .message shouldContain "id: UUID cannot be read from int8"
        cpu.batch(1) { uuid("id") { null } }.use { batch ->
            shouldThrow<NoSuchElementException> { batch.rows<OfUuid>()[0] }.message shouldBe
                "row 0: id is null, which this Uuid cannot be"
        }
    }

    test("a column or an element is nullable if its Kotlin type is nullable [OBJ-09]") {
        schemaOf<Flight>().toString() shouldBe "carrier: utf8 not null\ndelay: int32 not null\ndistance: float64"
        val schema = schemaOf<Trip>()
        schema["legs"].toString() shouldBe
            "legs: list<item: struct<from: utf8 not null, to: utf8, miles: int32 not null> not null> not null"
        schema["gates"].toString() shouldBe "gates: list<item: int32> not null"
        schema["notes"].toString() shouldBe "notes: list<item: utf8 not null>"
        schema["bags"].toString() shouldBe
            "bags: map<entries: struct<key: utf8 not null, value: int64> not null> not null"
        schema["place"].toString() shouldBe "place: struct<first: float64 not null, second: float64> not null"
    }

    test("a null for a property that is not nullable is rejected with the row and the path [OBJ-09]") {
        cpu.batch(2) {
            utf8("carrier", listOf("AA", null))
            int32("delay", intArrayOf(1, 2))
            float64("distance", doubleArrayOf(0.0, 0.0), { it == 0 })
        }.use { batch ->
            val rows = batch.rows<Flight>()
            rows[0] shouldBe Flight("AA", 1, null)
            shouldThrow<NoSuchElementException> { rows[1] }.message shouldBe
                "row 1: carrier is null, which this String cannot be"
        }
    }

    test("a null for an element that is not nullable is rejected with the row and the path [OBJ-09]") {
        val nullable = ListType(Field.of("item", DataType.UTF8))
        val schema =
            Schema.of(schemaOf<Trip>().fields().map { if (it.name() == "notes") it.withType(nullable) else it })
        @Suppress("UNCHECKED_CAST")
        val notes = listOf("x", null) as List<String> // Java code can put a null there
        cpu.batch(listOf(trips[0].copy(notes = notes)), schema).use { batch ->
            shouldThrow<NoSuchElementException> { batch.toList<Trip>() }.message shouldBe
                "row 0: notes[1] is null, which this String cannot be"
        }
        shouldThrow<IllegalArgumentException> { cpu.batch(listOf(trips[0].copy(notes = notes))) }.message shouldContain
            "not nullable"
    }

    test("a property without a column takes its default value [OBJ-09]") {
        cpu.batch(2) { float64("distance") { if (it == 0) null else 7.0 } }.use {
            it.toList<Defaults>() shouldBe listOf(Defaults(distance = null), Defaults(distance = 7.0))
        }
        cpu.batch(1) {
            float64("distance") { 7.0 }
            utf8("carrier") { "Delta" }
        }.use { it.toList<Defaults>() shouldBe listOf(Defaults("Delta", 5, 7.0)) }
        cpu.batch(1) { utf8("carrier") { "Delta" } }.use { batch ->
            shouldThrow<IllegalArgumentException> { batch.rows<Defaults>() }.message shouldBe
                "org.arbalest.coroutines.Defaults and the columns do not match:\n  no column for distance; there " +
                "are [carrier]"
        }
    }

    test("the error for a property without a column suggests @ColumnName [OBJ-03]") {
        cpu.batch { utf8("first_name", listOf("Ada")) }.use { batch ->
            shouldThrow<IllegalArgumentException> { batch.rows<Person>() }.message shouldContain
                "no column for firstName; there are [first_name]; @ColumnName gives a component its column's name"
        }
    }

    test("each of many properties without a column takes its default value [OBJ-09]") {
        cpu.batch(1) {
            int32("a0") { -1 }
            utf8("c1") { "x" }
            int32("d1") { -2 }
            int32("d4") { -3 }
        }.use { it.toList<Wide>() shouldBe listOf(Wide(a0 = -1, c1 = "x", d1 = -2, d4 = -3)) }
        cpu.batch(listOf(Wide())).use { it.toList<Wide>() shouldBe listOf(Wide()) }
    }

    test(
        "data classes may have @ColumnName, internal and private properties, other constructors and computed " +
            "properties [OBJ-09]",
    ) {
        val odd = listOf(Odd(7, 8, "9"))
        schemaOf<Odd>().names shouldBe listOf("flight no", "inside", "secret")
        cpu.batch(odd).use { it.toList<Odd>().toString() shouldBe "[7 8 9 14]" }
    }

    test("type parameters of a property's class are resolved, nullable or not [OBJ-09]") {
        schemaOf<Generics>()["words"].toString() shouldBe
            "words: struct<value: utf8 not null, values: list<item: utf8 not null> not null> not null"
        schemaOf<Generics>()["numbers"].toString() shouldBe
            "numbers: struct<value: int32, values: list<item: int32> not null>"
        val generics = listOf(Generics(Generic("a", listOf("b")), Generic(null, listOf(1, null))),
            Generics(Generic("", listOf()), null))
        cpu.batch(generics).use { it.toList<Generics>() shouldBe generics }
    }

    test("a data class that is a Java record maps like any other data class [OBJ-09]") {
        val records = listOf(AsRecord(1, "UA"))
        schemaOf<AsRecord>().toString() shouldBe "flight no: int32 not null\ncarrier: utf8 not null"
        cpu.batch(records).use { it.toList<AsRecord>() shouldBe records }
        cpu.batch(1) { int32("flight no") { 2 } }.use { it.toList<AsRecord>() shouldBe listOf(AsRecord(2)) }
    }

    test("a caller's schema may use other columns for a data class [OBJ-09]") {
        val schema = Schema.of(
            Field.of("distance", DataType.FLOAT64),
            Field.of("carrier", DataType.dictionary(DataType.INT8, DataType.UTF8)), Field.of("delay", DataType.INT64),
        )
        val flights = listOf(Flight("AA", 1, null), Flight("AA", 2, 0.5))
        cpu.batch(flights, schema).use { batch ->
            batch.schema().names shouldBe listOf("distance", "carrier", "delay")
            batch["delay"].longs().toList() shouldBe listOf(1L, 2L)
            shouldThrow<IllegalArgumentException> { batch.rows<Flight>() }.message shouldContain
                "delay: int cannot be read from int64"
        }
        val seconds = Schema.of(schemaOf<Trip>().fields().map {
            if (it.name() == "at") it.withType(DataType.timestamp(ArrowTimeUnit.SECOND, "UTC")) else it
        })
        val scaled = trips.map { it.copy(price = it.price.setScale(18)) }
        cpu.batch(trips, seconds).use { it.toList<Trip>() shouldBe scaled }
    }

    test("a class that is not a data class is rejected with the reason [OBJ-10]") {
        shouldThrow<IllegalArgumentException> { schemaOf<NotData>() }.message shouldContain
            "NotData is not a record or a data class, as objects of rows must be"
        shouldThrow<IllegalArgumentException> { schemaOf<Generic<String>>() }.message shouldContain
            "<T> has type parameters"
    }

    test("a strict mapping rejects columns without a property [OBJ-02]") {
        cpu.batch(1) { int32("d9") { 1 } }.use { batch ->
            shouldThrow<IllegalArgumentException> { Records.of(Wide::class.java).strict().rows(batch) }
                .message shouldContain "d9: no component has this column's name"
        }
    }
})
