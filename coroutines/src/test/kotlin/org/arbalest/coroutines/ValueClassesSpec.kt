// SPDX-License-Identifier: Apache-2.0
@file:OptIn(ExperimentalUnsignedTypes::class)

package org.arbalest.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Devices
import org.arbalest.device.objects.ColumnName
import org.arbalest.device.objects.ExtensionCodec
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.support.ResourceCountersExtension
import java.math.BigDecimal
import kotlin.time.Duration
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.nanoseconds

@JvmInline
internal value class UserId(val value: Long)

@JvmInline
internal value class Email(val text: String) {
    init {
        require('@' in text) { "$text is not an e-mail address" }
    }
}

@JvmInline
internal value class Port(val number: UShort)

@JvmInline
internal value class Owner(val id: UserId)

@JvmInline
internal value class Tags(val all: List<String>)

@JvmInline
internal value class Maybe(val text: String?)

@JvmInline
internal value class Of<T>(val value: T)

internal data class Row(val id: UInt, val user: UserId)

internal data class Unsigned(
    val u8: UByte, val u16: UShort, val u32: UInt, val u64: ULong, val no8: UByte?, val no16: UShort?, val no32: UInt?,
    val no64: ULong?,
    val all: List<ULong?>, val byName: Map<String, UInt>,
)

internal data class Ids(
    @ColumnName("user id") val user: UserId, val noUser: UserId?, val email: Email, val noEmail: Email?,
    internal val port: Port, private val noPort: Port?, val owner: Owner, val noOwner: Owner?, val tags: Tags,
    val noTags: Tags?, val maybe: Maybe, val users: List<UserId>, val emails: Map<UserId, Email?>,
    val owners: Set<Owner?>, val lasts: Duration, val lastsNot: Duration?, val name: String,
)

internal data class Defaulted(
    val id: UserId = UserId(7),
    val email: Email = Email("a@b"),
    val count: UInt = 1u,
    val port: Port? = Port(80u),
    val name: String,
)

@Suppress("ArrayInDataClass")
internal data class Arrays(
    val bytes: UByteArray,
    val shorts: UShortArray,
    val ints: UIntArray,
    val longs: ULongArray,
    val none: UIntArray?,
    val users: Array<UserId>,
)

internal data class Generic2<T>(val value: T)

internal data class OfGenerics(val ids: Generic2<UserId>, val counts: Generic2<UInt?>)

internal data class OfGeneric(val of: Of<String>)

internal data class OfMaybes(val all: List<Maybe>)

@JvmInline
internal value class Cents(val count: Long)

@JvmInline
internal value class Fee(val cents: Cents)

internal data class Bill(
    val due: Cents, val paid: Cents?, val all: List<Cents>, val fee: Fee, val rebate: Cents = Cents(5),
    val label: Label,
    val noLabel: Label?,
)

@JvmInline
internal value class Label(val text: String)

internal data class OfEmail(val email: Email)

internal data class OfUInt(val n: UInt)

internal data class OfULong(val n: ULong)

/** Value classes as properties of data classes. */
class ValueClassesSpec : FunSpec({
    extension(ResourceCountersExtension)
    val cpu = Devices.cpu()

    test("a value class maps to the column of its value, and an unsigned integer maps to its own type [OBJ-13]") {
        val rows = listOf(Row(UInt.MAX_VALUE, UserId(Long.MIN_VALUE)), Row(0u, UserId(1)))
        schemaOf<Row>().toString() shouldBe "id: uint32 not null\nuser: int64 not null"
        cpu.batch(rows).throughC().use { batch ->
            batch["id"].ulongs().toList() shouldBe listOf(UInt.MAX_VALUE.toULong(), 0uL)
            batch["user"].longs().toList() shouldBe listOf(Long.MIN_VALUE, 1L)
            batch.rows<Row>()[0] shouldBe rows[0]
            batch.toList<Row>() shouldBe rows
        }
    }

    test("unsigned integers of each width may be null, and may be elements of lists and maps [OBJ-13]") {
        val rows = listOf(
            Unsigned(255u, 65_535u, UInt.MAX_VALUE, ULong.MAX_VALUE, 200u, 60_000u, 4_000_000_000u, 1uL shl 63,
                listOf(ULong.MAX_VALUE, null), mapOf("a" to UInt.MAX_VALUE)),
            Unsigned(0u, 0u, 0u, 0u, null, null, null, null, listOf(), mapOf()),
        )
        schemaOf<Unsigned>().fields().take(8).map { it.toString() } shouldBe listOf(
            "u8: uint8 not null", "u16: uint16 not null", "u32: uint32 not null", "u64: uint64 not null", "no8: uint8",
            "no16: uint16", "no32: uint32", "no64: uint64",
        )
        schemaOf<Unsigned>()["all"].toString() shouldBe "all: list<item: uint64> not null"
        cpu.batch(rows).throughC().use { it.toList<Unsigned>() shouldBe rows }
    }

    test("value classes may be nullable, nested, or elements, and keep @ColumnName and durations [OBJ-13]") {
        val (user, email, owner) = Triple(UserId(5), Email("a@b"), Owner(UserId(6)))
        val rows = listOf(
            Ids(
                user, user, email, email, Port(65_535u), Port(1u), owner, owner, Tags(listOf("x")), Tags(listOf()),
                Maybe("m"), listOf(user), mapOf(user to email), setOf(owner, null), 1.hours, 1.nanoseconds, "n",
            ),
            Ids(user, null, email, null, Port(0u), null, owner, null, Tags(listOf()), null, Maybe(null), listOf(),
                mapOf(user to null), setOf(), -1.hours, null, ""),
        )
        schemaOf<Ids>().toString() shouldBe """
            user id: int64 not null
            noUser: int64
            email: utf8 not null
            noEmail: utf8
            port: uint16 not null
            noPort: uint16
            owner: int64 not null
            noOwner: int64
            tags: list<item: utf8 not null> not null
            noTags: list<item: utf8 not null>
            maybe: utf8
            users: list<item: int64 not null> not null
            emails: map<entries: struct<key: int64 not null, value: utf8> not null> not null
            owners: list<item: int64> not null
            lasts: duration[ns] not null
            lastsNot: duration[ns]
            name: utf8 not null
        """.trimIndent()
        cpu.batch(rows).throughC().use { it.toList<Ids>() shouldBe rows }
    }

    test("a value class property takes its default value, and its check never sees a placeholder [OBJ-09, OBJ-13]") {
        cpu.batch { utf8("name", listOf("x")) }.use { it.toList<Defaulted>() shouldBe listOf(Defaulted(name = "x")) }
        cpu.batch {
            utf8("name", listOf("x"))
            utf8("email", listOf("c@d"))
            uint16("port", listOf(8080u))
        }.use {
            it.toList<Defaulted>() shouldBe listOf(Defaulted(email = Email("c@d"), port = Port(8080u), name = "x"))
        }
    }

    test("arrays of unsigned integers and of value classes map to lists [OBJ-12, OBJ-13]") {
        val row = Arrays(ubyteArrayOf(255u), ushortArrayOf(65_535u), uintArrayOf(UInt.MAX_VALUE, 0u),
            ulongArrayOf(ULong.MAX_VALUE), null, arrayOf(UserId(1)))
        schemaOf<Arrays>()["ints"].toString() shouldBe "ints: list<item: uint32 not null> not null"
        schemaOf<Arrays>()["none"].toString() shouldBe "none: list<item: uint32 not null>"
        cpu.batch(listOf(row)).throughC().use { batch ->
            val back = batch.toList<Arrays>().single()
            back.bytes.toList() shouldBe row.bytes.toList()
            back.shorts.toList() shouldBe row.shorts.toList()
            back.ints.toList() shouldBe row.ints.toList()
            back.longs.toList() shouldBe row.longs.toList()
            back.none shouldBe null
            back.users.toList() shouldBe row.users.toList()
        }
    }

    test("a type argument may be a value class [OBJ-13]") {
        val rows = listOf(OfGenerics(Generic2(UserId(1)), Generic2(UInt.MAX_VALUE)),
            OfGenerics(Generic2(UserId(2)), Generic2(null)))
        cpu.batch(rows).use { it.toList<OfGenerics>() shouldBe rows }
    }

    test("the check of a value class runs on each value, and a null is rejected [OBJ-13]") {
        cpu.batch { utf8("email", listOf("alice", null)) }.use { batch ->
            shouldThrow<IllegalArgumentException> { batch.rows<OfEmail>()[0] }.message shouldBe
                "alice is not an e-mail address"
            shouldThrow<NoSuchElementException> { batch.rows<OfEmail>()[1] }.message shouldContain
                "row 1: email is null"
        }
        cpu.batch { uint32("n", listOf(null)) }.use { batch ->
            shouldThrow<NoSuchElementException> { batch.rows<OfUInt>()[0] }.message shouldBe
                "row 0: n is null, which this UInt cannot be"
        }
    }

    test(
        "unsigned integers are read from unsigned columns of at most their width, and written if the values fit " +
            "[OBJ-13]",
    ) {
        cpu.batch { uint8("n", listOf(200u)) }.use { it.toList<OfUInt>() shouldBe listOf(OfUInt(200u)) }
        cpu.batch { uint64("n", listOf(1u)) }.use { batch ->
            shouldThrow<IllegalArgumentException> { batch.rows<OfUInt>() }.message shouldContain
                "n: UInt cannot be read from uint64"
            batch.toList<OfULong>() shouldBe listOf(OfULong(1u))
        }
        cpu.batch { int32("n", listOf(1)) }.use { batch ->
            shouldThrow<IllegalArgumentException> { batch.rows<OfUInt>() }.message shouldContain
                "n: UInt cannot be read from int32"
        }
        val (most, least) = listOf(OfULong(ULong.MAX_VALUE)) to listOf(OfULong(1u))
        fun of(type: DataType) = Schema.of(Field.of("n", type))
        cpu.batch(most, of(DataType.decimal128(20, 0))).use {
            it["n"].getDecimal(0) shouldBe BigDecimal("18446744073709551615")
        }
        cpu.batch(least, of(DataType.INT8)).use { it["n"].getLong(0) shouldBe 1 }
        shouldThrow<IllegalArgumentException> { cpu.batch(most, of(DataType.INT64)) }.message shouldContain
            "18446744073709551615"
        shouldThrow<IllegalArgumentException> { cpu.batch(listOf(OfUInt(300u)), of(DataType.UINT8)) }
            .message shouldContain "300"
        val encoded = of(DataType.dictionary(DataType.INT8, DataType.UINT64))
        cpu.batch(most + least + most, encoded).use { it.toList<OfULong>() shouldBe most + least + most }
    }

    test("a registered codec applies to its value class everywhere, boxed or not [OBJ-13, EXT-09]") {
        val cents = extensionCodec("com.acme.cents", DataType.UTF8, { row -> Cents(getString(row).toLong()) },
            { append("${it.count}") })
        val label = extensionCodec("com.acme.label", DataType.INT64, { row -> Label("${getLong(row)}") },
            { append(it.text.toLong()) })
        val rows = listOf(
            Bill(Cents(1), Cents(2), listOf(Cents(3)), Fee(Cents(4)), Cents(6), Label("7"), Label("8")),
            Bill(Cents(-1), null, listOf(), Fee(Cents(0)), label = Label("9"), noLabel = null),
        )
        fun types() = schemaOf<Bill>().fields().map { it.type().toString() }
        val before = types()
        before shouldBe listOf("int64", "int64", "list<item: int64 not null>", "int64", "int64", "utf8", "utf8")
        ExtensionCodec.register(cents)
        ExtensionCodec.register(label)
        try {
            val schema = schemaOf<Bill>()
            schema.fields().map { it.extension()?.name() } shouldBe listOf("com.acme.cents", "com.acme.cents", null,
                "com.acme.cents", "com.acme.cents", "com.acme.label", "com.acme.label")
            schema.fields().map { it.isNullable } shouldBe listOf(false, true, false, false, false, false, true)
            cpu.batch(rows).throughC().use { batch ->
                List(2) { batch["due"].getString(it.toLong()) } shouldBe listOf("1", "-1")
                batch["label"].longs().toList() shouldBe listOf(7L, 9L)
                batch.toList<Bill>() shouldBe rows
            }
        } finally {
            ExtensionCodec.unregister(cents.name())
            ExtensionCodec.unregister(label.name())
        }
        types() shouldBe before
        cpu.batch(rows).use { it.toList<Bill>() shouldBe rows }
    }

    test("a value class with type parameters is rejected, and so is a nullable one in a list [OBJ-10, OBJ-13]") {
        shouldThrow<IllegalArgumentException> { schemaOf<OfGeneric>() }.message shouldContain
            "Of is a value class with type parameters"
        shouldThrow<IllegalArgumentException> { schemaOf<OfMaybes>() }.message shouldContain
            "Maybe is a value class of a nullable type"
    }
})
