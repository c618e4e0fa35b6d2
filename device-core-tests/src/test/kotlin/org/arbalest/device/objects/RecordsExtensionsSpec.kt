// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.objects

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Devices
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.support.struct
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.device.types.Schema
import org.arbalest.support.ResourceCountersExtension
import java.time.OffsetDateTime
import java.util.UUID

@JvmRecord
private data class Visit(val id: UUID?, val at: OffsetDateTime?, val first: Boolean, val paid: Boolean?)

@JvmRecord
private data class Visits(
    val last: Visit?,
    val ids: List<UUID?>?,
    val times: Map<UUID, OffsetDateTime?>?,
    val flags: BooleanArray?,
)

@JvmRecord
private data class Id(val id: ByteArray?)

@JvmRecord
private data class At(val at: Parts?)

@JvmRecord
private data class Parts(val timestamp: java.time.Instant, val offset_minutes: Short)

@JvmRecord
private data class Money(val cents: Long)

@JvmRecord
private data class Place(val x: Double, val label: String)

@JvmRecord
private data class Order(val price: Money?, val place: Place?)

@JvmRecord
private data class Stored(val price: Long?)

@JvmRecord
private data class Shifted(val plain: Long, val box: Long?)

/** Records whose components are values of extension types. */
class RecordsExtensionsSpec : FunSpec({
    extension(ResourceCountersExtension)

    val memory = Devices.cpu().memory()
    val (one, two) = UUID(1, 2) to UUID.fromString("f81d4fae-7dec-11d0-a765-00a0c91e6bf6")
    val now = OffsetDateTime.parse("2024-02-29T23:59:59.123456789+05:30")
    val visits = listOf(Visit(one, now, true, false), Visit(null, null, false, null),
        Visit(two, OffsetDateTime.parse("1900-01-01T00:00:00-12:59"), false, true))

    val money = ExtensionCodec.of("com.acme.money", Money::class.java, DataType.INT64,
        { column, row -> Money(column.getLong(row)) }, { column, it -> column.append(it.cents) })
    val places = ExtensionCodec.of(
        "com.acme.place", Place::class.java,
        DataType.struct(Field.of("x", DataType.FLOAT64), Field.of("label", DataType.UTF8)),
        { column, row -> Place(column.column("x").getDouble(row), column.column("label").getString(row)) },
        { column, it -> column.apply { child("x").append(it.x); child("label").append(it.label) }.appendStruct() },
    )
    val shifted = ExtensionCodec.of("com.acme.shifted", Long::class.javaObjectType, DataType.INT64,
        { column, row -> column.getLong(row) + 100 }, { column, it -> column.append(it - 100) })

    fun registered(vararg codecs: ExtensionCodec<*>, use: () -> Unit) {
        codecs.forEach { ExtensionCodec.register(it) }
        try {
            use()
        } finally {
            codecs.forEach { ExtensionCodec.unregister(it.name()) }
        }
    }

    fun <T : Any> again(type: Class<T>, rows: List<T>, schema: Schema = Records.of(type).schema()): List<T> =
        Records.of(type).build(memory, schema, rows).use { batch ->
            throughC(batch).use { Records.of(type).toList(it) }
        }

    /** Returns the standard schema of a record class, with some columns replaced. */
    fun with(type: Class<*>, vararg others: Field): Schema =
        Schema.of(Records.of(type).schema().fields().map { own -> others.find { it.name() == own.name() } ?: own })

    test(
        "UUIDs and timestamps with an offset are built as Arrow's types, and come back unchanged from C [OBJ-01]",
    ) {
        val schema = Records.of(Visit::class.java).schema()
        schema.field("id") shouldBe Field.uuid("id")
        schema.field("at") shouldBe Field.timestampWithOffset("at", ArrowTimeUnit.NANOSECOND)
        again(Visit::class.java, visits) shouldBe visits
        Records.of(Visit::class.java).build(memory, visits).use { batch ->
            batch.validate(org.arbalest.device.Validation.FULL)
            batch.column("id").getUuid(0) shouldBe one
            batch.slice(2, 1).use { Records.of(Visit::class.java).toList(it) shouldBe visits.subList(2, 3) }
        }
    }

    test("UUIDs and timestamps with an offset may be in records, lists and maps, and under nulls [OBJ-01]") {
        val rows = listOf(
            Visits(visits[0], listOf(one, null), mapOf(one to now, two to null), booleanArrayOf(true, false)),
            Visits(null, null, null, null),
            Visits(visits[1], listOf(), mapOf(), booleanArrayOf()),
        )
        fun plain(all: List<Visits>) = all.map { listOf(it.last, it.ids, it.times, it.flags?.toList()) }
        plain(again(Visits::class.java, rows)) shouldBe plain(rows)
        val strict = with(Visit::class.java, Field.uuid("id").withNullable(false),
            Field.timestampWithOffset("at", ArrowTimeUnit.NANOSECOND).withNullable(false))
        val schema = with(Visits::class.java, Field.of("last", DataType.struct(*strict.fields().toTypedArray())))
        plain(again(Visits::class.java, rows.take(2), schema)) shouldBe plain(rows.take(2))
    }

    test(
        "only its extension type is read as a UUID or an OffsetDateTime; byte[] and records read the storage [OBJ-04]",
    ) {
        Records.of(Visit::class.java).build(memory, visits).use { batch ->
            Records.of(Id::class.java).toList(batch)[0].id?.toList() shouldBe List(16) {
                if (it == 7) 1.toByte() else if (it == 15) 2.toByte() else 0
            }
            Records.of(At::class.java).rows(batch)[0].at shouldBe Parts(now.toInstant(), 330)
            val plain = batch.schema().fields().map { it.storage() }
            batch.convertTo(Schema.of(plain).asField()).use {
                val struct = "struct<timestamp: timestamp[ns, tz=UTC] not null, offset_minutes: int16 not null>"
                shouldThrow<IllegalArgumentException> { Records.of(Visit::class.java).rows(it) }.message shouldBe """
                    org.arbalest.device.objects.Visit and the columns do not match:
                      id: UUID cannot be read from fixed_size_binary[16]; use byte[]
                      at: OffsetDateTime cannot be read from $struct; use a record
                """.trimIndent()
            }
        }
        BatchBuilder.of(memory, 1).use { it.column(Field.uuid("price")).append(one); it.build() }.use {
            shouldThrow<IllegalArgumentException> { Records.of(Stored::class.java).rows(it) }.message shouldContain
                "price: Long cannot be read from arrow.uuid (fixed_size_binary[16]); use UUID or byte[]"
        }
        val bytes = with(Visit::class.java, Field.of("id", DataType.fixedSizeBinary(16)))
        shouldThrow<IllegalArgumentException> { Records.of(Visit::class.java).build(memory, bytes, visits) }
            .message shouldContain "id: UUID cannot be built as fixed_size_binary[16]"
    }

    test("a boolean can be built and read as arrow.bool8, as a primitive, a box or an array [OBJ-01]") {
        again(
            Visit::class.java,
            visits,
            with(Visit::class.java, Field.bool8("first").withNullable(false), Field.bool8("paid")),
        ) shouldBe visits
        val flags = with(Visits::class.java, Field.of("flags", DataType.list(Field.bool8("item"))))
        again(Visits::class.java, listOf(Visits(null, null, null, booleanArrayOf(true, false))), flags)[0]
            .flags?.toList() shouldBe listOf(true, false)
    }

    test("extension types are read and built in dictionaries and run-end encoded columns [OBJ-08]") {
        fun encoded(field: Field) = listOf(
            field.storage().withType(DictionaryType(DataType.INT8, field.withName(""), false)),
            field.storage().withType(
                RunEndEncodedType(Field.of("run_ends", DataType.INT32).withNullable(false), field.withName("values")),
            ),
        )
        for (id in encoded(Field.uuid("id")))
            for (at in encoded(Field.timestampWithOffset("at", ArrowTimeUnit.NANOSECOND)))
                for (paid in encoded(Field.bool8("paid"))) {
                    val schema = Schema.of(id, at, Field.of("first", DataType.BOOL), paid)
                    val rows = visits + visits + visits
                    again(Visit::class.java, rows, schema) shouldBe rows
                    Records.of(Visit::class.java).build(memory, schema, rows).use { batch ->
                        batch.slice(4, 2).use { Records.of(Visit::class.java).toList(it) shouldBe rows.subList(4, 6) }
                    }
                }
    }

    test("values of registered codecs are components, built and read as their extension types [OBJ-11]") {
        val orders = listOf(Order(Money(1299), Place(1.5, "a")), Order(null, null), Order(Money(-1), Place(0.0, "")))
        registered(money, places) {
            val schema = Records.of(Order::class.java).schema()
            schema.field("price") shouldBe money.field("price")
            schema.field("place") shouldBe places.field("place")
            again(Order::class.java, orders) shouldBe orders
            val dictionary =
                with(Order::class.java, Field.of("price", DictionaryType(DataType.INT8, money.field(""), false)))
            again(Order::class.java, orders, dictionary) shouldBe orders
            Records.of(Order::class.java).build(memory, orders).use { batch ->
                Records.of(Stored::class.java).toList(batch) shouldBe listOf(Stored(1299), Stored(null), Stored(-1))
                shouldThrow<IllegalArgumentException> { Records.of(Visit::class.java).rows(batch) }
                    .message shouldContain "no column for id"
            }
            BatchBuilder.of(memory, 1).use { builder ->
                money.append(builder.column(money.field("id")), Money(1))
                builder.build()
            }.use {
                shouldThrow<IllegalArgumentException> { Records.of(Id::class.java).rows(it) }.message shouldContain
                    "id: byte[] cannot be read from com.acme.money (int64); use Money or long or BigInteger or " +
                    "BigDecimal"
            }
        }
    }

    test("a registered codec is used for primitive components, too [OBJ-11]") {
        val schema = Schema.of(shifted.field("plain").withNullable(false), shifted.field("box"))
        val rows = listOf(Shifted(7, 8), Shifted(0, null))
        registered(shifted) {
            Records.of(Shifted::class.java).build(memory, schema, rows).use { batch ->
                batch.column("plain").getLong(0) shouldBe -93
                batch.column("box").getLong(0) shouldBe -92
                Records.of(Shifted::class.java).toList(batch) shouldBe rows
            }
        }
    }

    test("a codec applies while it is registered, also to classes that were matched before [OBJ-11]") {
        val schema = Schema.of(money.field("price"), Field.of("place", DataType.NULL))
        val batch = BatchBuilder.of(memory, 1).use { builder ->
            money.append(builder.column(schema.field("price")!!), Money(5))
            builder.column(schema.field("place")!!).appendNull()
            builder.build()
        }
        batch.use {
            fun refused() = shouldThrow<IllegalArgumentException> { Records.of(Order::class.java).rows(batch) }
                .message shouldContain "price: Money cannot be read from com.acme.money (int64)"
            Records.of(Order::class.java).schema().field("price")!!.type() shouldBe
                DataType.struct(Field.of("cents", DataType.INT64).withNullable(false))
            refused()
            registered(money) {
                Records.of(Order::class.java).toList(batch) shouldBe listOf(Order(Money(5), null))
                Records.of(Order::class.java).schema().field("price") shouldBe money.field("price")
            }
            refused()
            Records.of(Order::class.java).schema().field("price")!!.extension() shouldBe null
        }
        val cents = ExtensionCodec.of("com.acme.cents", Money::class.java, DataType.INT32,
            { column, row -> Money(column.getLong(row)) }, { column, it -> column.append(it.cents) })
        registered(money, cents) {
            shouldThrow<IllegalArgumentException> { Records.of(Order::class.java).schema() }.message shouldContain
                "price: several extension types are read as Money, com.acme.cents and com.acme.money; build it " +
                "with a schema"
        }
    }
})
