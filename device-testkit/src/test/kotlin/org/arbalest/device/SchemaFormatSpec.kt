package org.arbalest.device

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DataType.DateUnit
import org.arbalest.device.DataType.IntervalUnit
import org.arbalest.device.DataType.UnionMode
import org.arbalest.device.abi.ArrowSchemaStruct
import org.arbalest.testkit.CCompiler
import org.arbalest.testkit.LedgerExtension
import java.lang.foreign.MemorySegment

/** Every format of the specification, and the type that it is. */
internal val PLAIN_TYPES: Map<String, DataType> = mapOf(
    "n" to DataType.NullType(),
    "b" to DataType.BoolType(),
    "c" to DataType.IntType(8, true),
    "C" to DataType.IntType(8, false),
    "s" to DataType.IntType(16, true),
    "S" to DataType.IntType(16, false),
    "i" to DataType.IntType(32, true),
    "I" to DataType.IntType(32, false),
    "l" to DataType.IntType(64, true),
    "L" to DataType.IntType(64, false),
    "e" to DataType.FloatType(16),
    "f" to DataType.FloatType(32),
    "g" to DataType.FloatType(64),
    "z" to DataType.BinaryType(),
    "Z" to DataType.LargeBinaryType(),
    "vz" to DataType.BinaryViewType(),
    "u" to DataType.Utf8Type(),
    "U" to DataType.LargeUtf8Type(),
    "vu" to DataType.Utf8ViewType(),
    "d:19,10" to DataType.DecimalType(128, 19, 10),
    "d:9,-2,32" to DataType.DecimalType(32, 9, -2),
    "d:18,0,64" to DataType.DecimalType(64, 18, 0),
    "d:76,3,256" to DataType.DecimalType(256, 76, 3),
    "w:42" to DataType.FixedSizeBinaryType(42),
    "w:0" to DataType.FixedSizeBinaryType(0),
    "tdD" to DataType.DateType(DateUnit.DAY),
    "tdm" to DataType.DateType(DateUnit.MILLISECOND),
    "tts" to DataType.TimeType(TimeUnit.SECOND),
    "ttm" to DataType.TimeType(TimeUnit.MILLISECOND),
    "ttu" to DataType.TimeType(TimeUnit.MICROSECOND),
    "ttn" to DataType.TimeType(TimeUnit.NANOSECOND),
    "tss:" to DataType.TimestampType(TimeUnit.SECOND, null),
    "tsm:UTC" to DataType.TimestampType(TimeUnit.MILLISECOND, "UTC"),
    "tsu:Europe/Zürich" to DataType.TimestampType(TimeUnit.MICROSECOND, "Europe/Zürich"),
    "tsn:+05:30" to DataType.TimestampType(TimeUnit.NANOSECOND, "+05:30"),
    "tDs" to DataType.DurationType(TimeUnit.SECOND),
    "tDm" to DataType.DurationType(TimeUnit.MILLISECOND),
    "tDu" to DataType.DurationType(TimeUnit.MICROSECOND),
    "tDn" to DataType.DurationType(TimeUnit.NANOSECOND),
    "tiM" to DataType.IntervalType(IntervalUnit.YEAR_MONTH),
    "tiD" to DataType.IntervalType(IntervalUnit.DAY_TIME),
    "tin" to DataType.IntervalType(IntervalUnit.MONTH_DAY_NANO),
)

private val int = Field.of("x", DataTypes.INT32)
private val text = Field.of("y", DataTypes.UTF8)
private val x = CSchema("i").named("x")
private val y = CSchema("u").named("y")
private val key = x.flagged(0)

private val NESTED_TYPES: List<Pair<CSchema, DataType>> = listOf(
    CSchema("+l", x) to DataType.ListType(int),
    CSchema("+L", x) to DataType.LargeListType(int),
    CSchema("+vl", x) to DataType.ListViewType(int),
    CSchema("+vL", x) to DataType.LargeListViewType(int),
    CSchema("+w:3", x) to DataType.FixedSizeListType(int, 3),
    CSchema("+w:0", x) to DataType.FixedSizeListType(int, 0),
    CSchema("+s") to DataType.StructType(listOf()),
    CSchema("+s", x, y, x) to DataType.StructType(listOf(int, text, int)),
    CSchema("+m", CSchema("+s", key, y)) to
        DataType.MapType(Field.of("", DataType.StructType(listOf(int.withNullable(false), text))), false),
    CSchema("+ud:4,127", x, y) to DataType.UnionType(UnionMode.DENSE, listOf(4, 127), listOf(int, text)),
    CSchema("+us:1,0", x, y) to DataType.UnionType(UnionMode.SPARSE, listOf(1, 0), listOf(int, text)),
    CSchema("+ud:") to DataType.UnionType(UnionMode.DENSE, listOf(), listOf()),
    CSchema("+us:") to DataType.UnionType(UnionMode.SPARSE, listOf(), listOf()),
    CSchema("+r", key, y) to DataType.RunEndEncodedType(int.withNullable(false), text),
)

class SchemaFormatSpec : FunSpec({
    extension(CCompiler.needed)
    extension(LedgerExtension)

    for ((format, type) in PLAIN_TYPES) {
        test("SCH-20 the format \"$format\" is read and written") {
            roundTrip(CSchema(format)).type() shouldBe type
            exported(Field.of("", type)) { textAt(ArrowSchemaStruct.format(it.address())) } shouldBe format
        }
    }

    for ((schema, type) in NESTED_TYPES) {
        test("SCH-20 the nested format \"${schema.format}\" with ${schema.children.size} children is read and written") {
            roundTrip(schema).type() shouldBe type
        }
    }

    test("SCH-01 a format that is NULL is an error") {
        refused(CSchema(null as String?), "$: format is NULL")
    }

    for (format in listOf("", "q", "ii", "nn", "v", "vx", "t", "td", "tdX", "tt", "ttX", "ttss", "tD", "tDX", "ti", "tiX", "+", "+x", "+ss", "é", "+v")) {
        test("SCH-01 the unknown format \"$format\" is an error that quotes it") {
            refused(CSchema(format), "format \"$format\"")
        }
    }

    test("SCH-01 an error names the path of the field that has it") {
        refused(CSchema("+s", x, CSchema("+l", CSchema("q").named("item")).named("tags")), "$.tags.item: format \"q\"")
        refused(CSchema("+s", x, CSchema("+l", CSchema("q").named(null)).named(null)), "$.[1].[0]: format \"q\"")
        refused(CSchema("i", dictionary = CSchema("q")), "$.(dictionary): format \"q\"")
    }

    test("SCH-01 children of a type that has none are an error") {
        refused(CSchema("i", x), "format \"i\"", "1 were given")
        refused(CSchema("+l"), "format \"+l\"", "0 were given")
        refused(CSchema("+l", x, y), "format \"+l\"", "2 were given")
        refused(CSchema("+w:2"), "format \"+w:2\"", "0 were given")
        refused(CSchema("+r", key), "format \"+r\"", "1 were given")
    }

    for (format in listOf("tss", "tsm", "tsu", "tsn", "tsx:", "ts", "ts:", "tssUTC")) {
        test("SCH-10 the timestamp \"$format\" without a unit or without its colon is an error") {
            refused(CSchema(format), "format \"$format\"")
        }
    }

    test("SCH-10 the time zone is everything after the colon, and none is the empty one") {
        roundTrip(CSchema("tss:a:b::c,d")).type() shouldBe DataType.TimestampType(TimeUnit.SECOND, "a:b::c,d")
        checksum(Field.of("", DataType.TimestampType(TimeUnit.SECOND, ""))) shouldBe checksum(CSchema("tss:"))
    }

    for (format in listOf("d:", "d:10", "d:10,", "d:,2", "d:10,2,", "d:10,2,16", "d:10,2,127", "d:10,2,128,1", "d:39,2", "d:0,0", "d:-1,0", "d:+10,2",
        "d:10,+2", "d:10,٢", "d:10,2 ", "d:10,2,0128x", "d", "d:99999999999,0", "d:10,99999999999")) {
        test("SCH-11 the decimal \"$format\" is an error") {
            refused(CSchema(format), "format \"$format\"")
        }
    }

    test("SCH-11 the width of a decimal is 128 bits, written or not") {
        imported(CSchema("d:38,-5,128")) shouldBe imported(CSchema("d:38,-5"))
    }

    for (format in listOf("w:", "w:-1", "w:x", "w:+1", "w:2147483648", "w")) {
        test("SCH-12 the width in \"$format\" is an error") {
            refused(CSchema(format), "format \"$format\"")
        }
    }

    for (format in listOf("+w:", "+w:-1", "+w:x", "+w:2147483648", "+w")) {
        test("SCH-12 the list size in \"$format\" is an error") {
            refused(CSchema(format, x), "format \"$format\"")
        }
    }

    test("SCH-12 a negative width is refused in Java too") {
        shouldThrow<IllegalArgumentException> { DataType.FixedSizeBinaryType(-1) }.message!! shouldContain "-1"
        shouldThrow<IllegalArgumentException> { DataType.FixedSizeListType(int, -1) }.message!! shouldContain "-1"
    }

    test("SCH-20 what C could not read back is refused in Java: a NUL character ends a string there") {
        shouldThrow<IllegalArgumentException> { Field.of("a\u0000b", DataTypes.INT32) }.message!! shouldContain "NUL"
        shouldThrow<IllegalArgumentException> { DataType.TimestampType(TimeUnit.SECOND, "a\u0000b") }.message!! shouldContain "NUL"
    }

    test("SCH-21 half a surrogate pair is refused in names and time zones, which say where, instead of becoming a question mark") {
        for (half in listOf("\uD83D", "\uDE00", "is it? \uDE00\uD83D", "ab\uD83D!", "\uD83D\uDE00\uDE00")) {
            val at = if (half.length == 3) 2 else half.indexOfFirst(Char::isSurrogate)
            val where = "\"$half\": character $at of the text, U+${half[at].code.toString(16).uppercase()}, is half a surrogate pair"
            shouldThrow<IllegalArgumentException> { Field.of(half, DataTypes.INT32) }.message shouldBe "the name of a field $where"
            shouldThrow<IllegalArgumentException> { Field.of("a", DataTypes.INT32).withName(half) }.message shouldBe "the name of a field $where"
            shouldThrow<IllegalArgumentException> { DataType.TimestampType(TimeUnit.SECOND, half) }.message shouldBe "a time zone $where"
        }
        Field.of("what? \uD83D\uDE00", DataTypes.INT32).name() shouldBe "what? \uD83D\uDE00"
    }
})

internal fun textAt(address: Long): String = MemorySegment.ofAddress(address).reinterpret(Long.MAX_VALUE).getString(0)
