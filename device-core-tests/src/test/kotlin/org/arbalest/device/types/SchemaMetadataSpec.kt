// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.types

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.c.CData
import org.arbalest.device.internal.abi.RawArrowSchema
import org.arbalest.device.support.CSchema
import org.arbalest.device.support.block
import org.arbalest.device.support.checksum
import org.arbalest.device.support.childOf
import org.arbalest.device.support.exported
import org.arbalest.device.support.imported
import org.arbalest.device.support.refused
import org.arbalest.device.support.roundTrip
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout
import java.nio.ByteBuffer
import java.nio.ByteOrder

private fun metadata(bytes: ByteArray?, format: String = "i") = CSchema(format, metadata = bytes)

private fun ints(vararg values: Int): ByteArray =
    ByteBuffer.allocate(4 * values.size).order(ByteOrder.nativeOrder()).also { values.forEach(it::putInt) }.array()

class SchemaMetadataSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    test("a NULL name is read as an empty name, and written as \"\" [SCH-02]") {
        val field = roundTrip(CSchema("+s", CSchema("i").named(null)).named(null))
        field.name() shouldBe ""
        exported(field) { struct ->
            textAt(RawArrowSchema.name(struct.address())) shouldBe ""
            textAt(RawArrowSchema.name(childOf(struct, 0).address())) shouldBe ""
        }
    }

    test("a name may be any text [SCH-02]") {
        val name = "été 日本 \uD83D\uDE80 \n \"quoted\" a.b"
        roundTrip(CSchema("i").named(name)).name() shouldBe name
    }

    test("a name that is not UTF-8 is read with replacement characters [SCH-02]") {
        val bytes = byteArrayOf('a'.code.toByte(), 0xFF.toByte(), 0xC3.toByte(), 0)
        Arena.ofConfined().use { arena ->
            val latin = arena.allocateFrom(ValueLayout.JAVA_BYTE, *bytes)
            imported(CSchema("i", tamper = { RawArrowSchema.setName(it.address(), latin.address()) })).name() shouldBe
                "a\uFFFD\uFFFD"
        }
    }

    test("absent metadata is exported as NULL, also for every child [SCH-03]") {
        exported(Field.of("", NestedType.ListType(Field.of("item", DataType.INT32)))) { struct ->
            RawArrowSchema.metadata(struct.address()) shouldBe 0
            RawArrowSchema.metadata(childOf(struct, 0).address()) shouldBe 0
        }
    }

    test("a block of zero pairs is read as no metadata, and written as NULL [SCH-03]") {
        val field = imported(metadata(ints(0)))
        field.metadata() shouldBe Metadata.empty()
        exported(field) { RawArrowSchema.metadata(it.address()) } shouldBe 0
    }

    test("metadata keeps its order, zero bytes, empty values and repeated keys [SCH-04]") {
        val binary = byteArrayOf(0, 1, 0, -1, 0xC3.toByte())
        val pairs = listOf("key".toByteArray() to binary, byteArrayOf(0) to byteArrayOf(),
            "key".toByteArray() to "later".toByteArray())
        val field = roundTrip(metadata(block(pairs)))
        field.metadata().entries().map { it.keyBytes().toList() to it.valueBytes().toList() } shouldContainExactly
            pairs.map { it.first.toList() to it.second.toList() }
        field.metadata().getBytes("key") shouldBe binary
    }

    test("metadata may begin at any address [SCH-04]") {
        Arena.ofConfined().use { arena ->
            for (shift in 1L..7L) {
                val bytes = block("k" to "v", "three" to "seven..")
                val memory = arena.allocate(bytes.size + 8L, 8)
                MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, shift, bytes.size)
                val field = imported(
                    CSchema("i", tamper = { RawArrowSchema.setMetadata(it.address(), memory.address() + shift) }),
                )
                field.metadata() shouldBe Metadata.of("k", "v").with("three", "seven..")
            }
        }
    }

    test("metadata created in Java has the same bytes as the C peer's own [SCH-04]") {
        val field = Field.of("f", DataType.INT32)
            .withMetadata(Metadata.of("k", "v").with(byteArrayOf(0), byteArrayOf(-1, 0)))
        checksum(field) shouldBe
            checksum(metadata(
                block(listOf("k".toByteArray() to "v".toByteArray(), byteArrayOf(0) to byteArrayOf(-1, 0))),
            ).named("f"))
    }

    test("a negative or excessive number of pairs is an error that names the number [SCH-05]") {
        refused(metadata(ints(-1)), "metadata", "-1 pairs")
        refused(metadata(ints(Int.MAX_VALUE)), "${Int.MAX_VALUE} pairs")
        refused(metadata(ints(65537)), "65537 pairs")
    }

    test("a negative or excessive length is an error that names the pair [SCH-05]") {
        refused(metadata(ints(1, -1)), "the key of pair 0", "-1 bytes")
        refused(metadata(ints(1, 0, -2)), "the value of pair 0", "-2 bytes")
        refused(metadata(ints(2, 0, 0, 4, 0, Int.MIN_VALUE)), "the value of pair 1", "${Int.MIN_VALUE} bytes")
        refused(metadata(ints(1, Int.MAX_VALUE)), "the key of pair 0", "${Int.MAX_VALUE} bytes")
    }

    test("an error in the metadata of a child names its path [SCH-05]") {
        refused(CSchema("+s", metadata(ints(-1)).named("a")), "$.a: metadata")
        refused(CSchema("i", dictionary = metadata(ints(-1), "u")), "$.(dictionary): metadata")
    }

    test("unknown flag bits survive a round trip, at every level [SCH-06]") {
        val unknown = (1L shl 62) or (1L shl 40) or 8L or Long.MIN_VALUE
        val schema = CSchema("+s", CSchema("i", flags = unknown, dictionary = CSchema("u", flags = unknown or 2L)))
            .flagged(unknown or 2L)
        val field = roundTrip(schema)
        field.flags() shouldBe (unknown or 2L)
        roundTrip(CSchema("i").flagged(unknown)).withName("other").flags() shouldBe unknown
        field shouldNotBe imported(CSchema("+s", CSchema("i", dictionary = CSchema("u"))))
    }

    test("the flag NULLABLE is 2 [SCH-07]") {
        roundTrip(CSchema("i").flagged(2)).isNullable shouldBe true
        roundTrip(CSchema("i").flagged(0)).isNullable shouldBe false
        Field.of("x", DataType.INT32).flags() shouldBe 2
        Field.of("x", DataType.INT32).withNullable(false).flags() shouldBe 0
    }

    test("the flag DICTIONARY_ORDERED is 1 [SCH-07]") {
        val ordered = roundTrip(CSchema("i", flags = 1, dictionary = CSchema("u")))
        ordered.type() shouldBe NestedType.DictionaryType(DataType.INT32, Field.of("", DataType.UTF8), true)
        roundTrip(CSchema("i", flags = 0, dictionary = CSchema("u"))) shouldNotBe ordered
    }

    test("the flag MAP_KEYS_SORTED is 4 [SCH-07]") {
        val entries = CSchema("+s", CSchema("u").flagged(0), CSchema("i"))
        (roundTrip(CSchema("+m", entries).flagged(4)).type() as NestedType.MapType).keysSorted() shouldBe true
        (roundTrip(CSchema("+m", entries).flagged(0)).type() as NestedType.MapType).keysSorted() shouldBe false
    }

    test("an unknown extension type is read as its storage type, with both keys [SCH-16]") {
        val parameters = byteArrayOf(1, 0, 2)
        val keys = listOf("ARROW:extension:name" to "org.example.unheard".toByteArray(),
            "ARROW:extension:metadata" to parameters, "other" to byteArrayOf())
        val field = roundTrip(CSchema("w:16", metadata = block(keys.map { it.first.toByteArray() to it.second })))
        field.type() shouldBe FlatType.FixedSizeBinaryType(16)
        field.extensionName() shouldBe "org.example.unheard"
        field.extensionMetadata() shouldBe parameters
    }

    test(
        "an unpaired surrogate in a key or a value of metadata is rejected with the key [SCH-21]",
    ) {
        val half = "b\uD83D"
        for (make in listOf<(String, String) -> Metadata>(
            { k, v -> Metadata.of(k, v) }, { k, v -> Metadata.of(mapOf(k to v)) }, Metadata.empty()::with,
        )) {
            shouldThrow<IllegalArgumentException> { make("key", half) }.message shouldBe
                "the value of \"key\" in metadata: character 1 of the text, U+D83D, is half a surrogate pair"
            shouldThrow<IllegalArgumentException> { make(half, "value") }.message shouldBe
                "the key \"$half\" of metadata: character 1 of the text, U+D83D, is half a surrogate pair"
            make("what? \uD83D\uDE00", "this? \uD83D\uDE00").get("what? \uD83D\uDE00") shouldBe "this? \uD83D\uDE00"
        }
        Metadata.of("b?", "is another key").get(half) shouldBe null
    }

    test("the parameters of an extension type may be absent, and a plain field has neither key [SCH-16]") {
        val field = roundTrip(CSchema("u", metadata = block("ARROW:extension:name" to "arrow.json")))
        field.extensionName() shouldBe "arrow.json"
        field.extensionMetadata() shouldBe null
        roundTrip(CSchema("u")).extensionName() shouldBe null
    }

    test("a record batch's schema is a struct that has the batch's metadata [SCH-17]") {
        Arena.ofConfined().use { arena ->
            val struct = arena.allocate(ArrowSchemaStruct.LAYOUT)
            CSchema("+s", flags = 0, metadata = block("batch" to "yes"), children = listOf(CSchema("i").named("a")))
                .write(struct)
            val schema = Schema.ofStruct(CData.importSchema(struct))
            schema shouldBe Schema.of(listOf(Field.of("a", DataType.INT32)), Metadata.of("batch", "yes"))
            schema.metadata().get("batch") shouldBe "yes"
            checksum(schema.asField()) shouldBe
                checksum(CSchema("+s", flags = 0, metadata = block("batch" to "yes"),
                    children = listOf(CSchema("i").named("a"))))
        }
    }
})
