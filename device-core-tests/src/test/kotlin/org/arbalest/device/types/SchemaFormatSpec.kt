// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.types

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.internal.abi.RawArrowSchema
import org.arbalest.device.support.CSchema
import org.arbalest.device.support.checksum
import org.arbalest.device.support.exported
import org.arbalest.device.support.imported
import org.arbalest.device.support.refused
import org.arbalest.device.support.roundTrip
import org.arbalest.device.types.NestedType.UnionMode
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.MemorySegment

/** The formats of the specification, with the type of each. */
internal val PLAIN_TYPES: Map<String, DataType> = mapOf(
    "n" to DataType.NULL,
    "b" to DataType.BOOL,
    "c" to DataType.INT8,
    "C" to DataType.UINT8,
    "s" to DataType.INT16,
    "S" to DataType.UINT16,
    "i" to DataType.INT32,
    "I" to DataType.UINT32,
    "l" to DataType.INT64,
    "L" to DataType.UINT64,
    "e" to DataType.FLOAT16,
    "f" to DataType.FLOAT32,
    "g" to DataType.FLOAT64,
    "z" to DataType.BINARY,
    "Z" to DataType.LARGE_BINARY,
    "vz" to DataType.BINARY_VIEW,
    "u" to DataType.UTF8,
    "U" to DataType.LARGE_UTF8,
    "vu" to DataType.UTF8_VIEW,
    "d:19,10" to DataType.decimal128(19, 10),
    "d:9,-2,32" to DataType.decimal32(9, -2),
    "d:18,0,64" to DataType.decimal64(18, 0),
    "d:76,3,256" to DataType.decimal256(76, 3),
    "w:42" to FlatType.FixedSizeBinaryType(42),
    "w:0" to FlatType.FixedSizeBinaryType(0),
    "tdD" to DataType.DATE32,
    "tdm" to DataType.DATE64,
    "tts" to FlatType.TimeType(ArrowTimeUnit.SECOND),
    "ttm" to FlatType.TimeType(ArrowTimeUnit.MILLISECOND),
    "ttu" to FlatType.TimeType(ArrowTimeUnit.MICROSECOND),
    "ttn" to FlatType.TimeType(ArrowTimeUnit.NANOSECOND),
    "tss:" to FlatType.TimestampType(ArrowTimeUnit.SECOND, null),
    "tsm:UTC" to FlatType.TimestampType(ArrowTimeUnit.MILLISECOND, "UTC"),
    "tsu:Europe/Zürich" to FlatType.TimestampType(ArrowTimeUnit.MICROSECOND, "Europe/Zürich"),
    "tsn:+05:30" to FlatType.TimestampType(ArrowTimeUnit.NANOSECOND, "+05:30"),
    "tDs" to FlatType.DurationType(ArrowTimeUnit.SECOND),
    "tDm" to FlatType.DurationType(ArrowTimeUnit.MILLISECOND),
    "tDu" to FlatType.DurationType(ArrowTimeUnit.MICROSECOND),
    "tDn" to FlatType.DurationType(ArrowTimeUnit.NANOSECOND),
    "tiM" to DataType.INTERVAL_YEAR_MONTH,
    "tiD" to DataType.INTERVAL_DAY_TIME,
    "tin" to DataType.INTERVAL_MONTH_DAY_NANO,
)

private val int = Field.of("x", DataType.INT32)
private val text = Field.of("y", DataType.UTF8)
private val x = CSchema("i").named("x")
private val y = CSchema("u").named("y")
private val key = x.flagged(0)

private val NESTED_TYPES: List<Pair<CSchema, DataType>> = listOf(
    CSchema("+l", x) to NestedType.ListType(int),
    CSchema("+L", x) to NestedType.LargeListType(int),
    CSchema("+vl", x) to NestedType.ListViewType(int),
    CSchema("+vL", x) to NestedType.LargeListViewType(int),
    CSchema("+w:3", x) to NestedType.FixedSizeListType(int, 3),
    CSchema("+w:0", x) to NestedType.FixedSizeListType(int, 0),
    CSchema("+s") to NestedType.StructType(listOf()),
    CSchema("+s", x, y, x) to NestedType.StructType(listOf(int, text, int)),
    CSchema("+m", CSchema("+s", key, y)) to
        NestedType.MapType(Field.of("", NestedType.StructType(listOf(int.withNullable(false), text))), false),
    CSchema("+ud:4,127", x, y) to NestedType.UnionType(UnionMode.DENSE, listOf(4, 127), listOf(int, text)),
    CSchema("+us:1,0", x, y) to NestedType.UnionType(UnionMode.SPARSE, listOf(1, 0), listOf(int, text)),
    CSchema("+ud:") to NestedType.UnionType(UnionMode.DENSE, listOf(), listOf()),
    CSchema("+us:") to NestedType.UnionType(UnionMode.SPARSE, listOf(), listOf()),
    CSchema("+r", key, y) to NestedType.RunEndEncodedType(int.withNullable(false), text),
)

class SchemaFormatSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    for ((format, type) in PLAIN_TYPES) {
        test("the format \"$format\" is read and written [SCH-20]") {
            roundTrip(CSchema(format)).type() shouldBe type
            exported(Field.of("", type)) { textAt(RawArrowSchema.format(it.address())) } shouldBe format
        }
    }

    for ((schema, type) in NESTED_TYPES) {
        test(
            "the nested format \"${schema.format}\" with ${schema.children.size} children is read and written [SCH-20]",
        ) {
            roundTrip(schema).type() shouldBe type
        }
    }

    test("a NULL format is an error [SCH-01]") {
        refused(CSchema(null as String?), "format is NULL")
    }

    for (format in listOf(
        "", "q", "ii", "nn", "v", "vx", "t", "td", "tdX", "tt", "ttX", "ttss", "tD", "tDX", "ti", "tiX", "+", "+x",
        "+ss", "é", "+v",
    )) {
        test("the unknown format \"$format\" is an error that quotes it [SCH-01]") {
            refused(CSchema(format), "format \"$format\"")
        }
    }

    test("an error names the path of the field that has it [SCH-01]") {
        refused(CSchema("+s", x, CSchema("+l", CSchema("q").named("item")).named("tags")), "$.tags.item: format \"q\"")
        refused(CSchema("+s", x, CSchema("+l", CSchema("q").named(null)).named(null)), "$.[1].[0]: format \"q\"")
        refused(CSchema("i", dictionary = CSchema("q")), "$.(dictionary): format \"q\"")
    }

    test("a wrong number of children is an error [SCH-01]") {
        refused(CSchema("i", x), "format \"i\"", "1 were given")
        refused(CSchema("+l"), "format \"+l\"", "0 were given")
        refused(CSchema("+l", x, y), "format \"+l\"", "2 were given")
        refused(CSchema("+w:2"), "format \"+w:2\"", "0 were given")
        refused(CSchema("+r", key), "format \"+r\"", "1 were given")
    }

    for (format in listOf("tss", "tsm", "tsu", "tsn", "tsx:", "ts", "ts:", "tssUTC")) {
        test("the timestamp format \"$format\" is an error [SCH-10]") {
            refused(CSchema(format), "format \"$format\"")
        }
    }

    test("the time zone is everything after the colon, and an empty one means no time zone [SCH-10]") {
        roundTrip(CSchema("tss:a:b::c,d")).type() shouldBe FlatType.TimestampType(ArrowTimeUnit.SECOND, "a:b::c,d")
        checksum(Field.of("", FlatType.TimestampType(ArrowTimeUnit.SECOND, ""))) shouldBe checksum(CSchema("tss:"))
    }

    for (format in listOf("d:", "d:10", "d:10,", "d:,2", "d:10,2,", "d:10,2,16", "d:10,2,127", "d:10,2,128,1", "d:39,2",
        "d:0,0", "d:-1,0", "d:+10,2",
        "d:10,+2", "d:10,٢", "d:10,2 ", "d:10,2,0128x", "d", "d:99999999999,0", "d:10,99999999999")) {
        test("the decimal format \"$format\" is an error [SCH-11]") {
            refused(CSchema(format), "format \"$format\"")
        }
    }

    test("a decimal without a width has 128 bits [SCH-11]") {
        imported(CSchema("d:38,-5,128")) shouldBe imported(CSchema("d:38,-5"))
    }

    for (format in listOf("w:", "w:-1", "w:x", "w:+1", "w:2147483648", "w")) {
        test("the width in \"$format\" is an error [SCH-12]") {
            refused(CSchema(format), "format \"$format\"")
        }
    }

    for (format in listOf("+w:", "+w:-1", "+w:x", "+w:2147483648", "+w")) {
        test("the list size in \"$format\" is an error [SCH-12]") {
            refused(CSchema(format, x), "format \"$format\"")
        }
    }

    test("a negative width is rejected in Java, too [SCH-12]") {
        shouldThrow<IllegalArgumentException> { FlatType.FixedSizeBinaryType(-1) }.message!! shouldContain "-1"
        shouldThrow<IllegalArgumentException> { NestedType.FixedSizeListType(int, -1) }.message!! shouldContain "-1"
    }

    test("Java rejects a NUL character in a string, because the string would end there in C [SCH-20]") {
        shouldThrow<IllegalArgumentException> { Field.of("a\u0000b", DataType.INT32) }.message!! shouldContain "NUL"
        shouldThrow<IllegalArgumentException> { FlatType.TimestampType(ArrowTimeUnit.SECOND, "a\u0000b") }
            .message!! shouldContain "NUL"
    }

    test(
        "an unpaired surrogate in a name or a time zone is rejected with its position [SCH-21]",
    ) {
        for (half in listOf("\uD83D", "\uDE00", "is it? \uDE00\uD83D", "ab\uD83D!", "\uD83D\uDE00\uDE00")) {
            val at = if (half.length == 3) 2 else half.indexOfFirst(Char::isSurrogate)
            val where = "\"$half\": character $at of the text, U+${half[at].code.toString(16).uppercase()}, is half " +
                "a surrogate pair"
            shouldThrow<IllegalArgumentException> { Field.of(half, DataType.INT32) }.message shouldBe
                "the name of a field $where"
            shouldThrow<IllegalArgumentException> { Field.of("a", DataType.INT32).withName(half) }.message shouldBe
                "the name of a field $where"
            shouldThrow<IllegalArgumentException> { FlatType.TimestampType(ArrowTimeUnit.SECOND, half) }
                .message shouldBe "a time zone $where"
        }
        Field.of("what? \uD83D\uDE00", DataType.INT32).name() shouldBe "what? \uD83D\uDE00"
    }
})

internal fun textAt(address: Long): String = MemorySegment.ofAddress(address).reinterpret(Long.MAX_VALUE).getString(0)
