// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.types

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.c.CData
import org.arbalest.device.support.exported
import org.arbalest.device.types.Extension.FixedShapeTensor
import org.arbalest.device.types.Extension.Opaque
import org.arbalest.device.types.Extension.Other
import org.arbalest.device.types.Extension.VariableShapeTensor
import org.arbalest.device.types.FlatType.TimestampType
import org.arbalest.device.types.NestedType.FixedSizeListType
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import kotlin.random.Random

/** A field's extension type: its name, its parameters, and whether the field's storage fits. */
class ExtensionParametersSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    fun field(type: DataType, name: String, parameters: String) = Field.of("x", type).withExtension(name, parameters)
    fun field(name: String, type: DataType, nullable: Boolean = true) = Field.of(name, type).withNullable(nullable)
    fun floats(size: Int) = FixedSizeListType(Field.of("item", DataType.FLOAT32), size)
    fun other(of: Field): Other = of.extension().shouldBeInstanceOf<Other>()

    test(
        "each canonical type comes back unchanged from C, with the parameters that Arrow writes [EXT-02, EXT-11]",
    ) {
        val made = mapOf(
            Field.uuid("x") to "", Field.bool8("x") to "", Field.json("x") to "", Field.parquetVariant("x") to "",
            Field.timestampWithOffset("x", ArrowTimeUnit.NANOSECOND) to "",
            Field.opaque("x", DataType.NULL, "varray", "a \"b\"\\\n\u0001 é") to
                """{"type_name": "varray", "vendor_name": "a \"b\"\\\u000a\u0001 é"}""",
            Field.fixedShapeTensor("x", DataType.FLOAT32, 2, 5) to """{"shape": [2, 5]}""",
            Field.variableShapeTensor("x", DataType.INT8, 3) to "",
            field("x", floats(6))
                .withExtension(FixedShapeTensor(listOf(1, 2, 3), listOf("C", "H", "W"), listOf(2, 0, 1)))
                to """{"shape": [1, 2, 3], "dim_names": ["C", "H", "W"], "permutation": [2, 0, 1]}""",
            Field.variableShapeTensor("x", DataType.INT8, 3)
                .withExtension(VariableShapeTensor(listOf("H", "W", "C"), listOf(0, 2, 1), listOf(400, null, 3)))
                to """{"dim_names": ["H", "W", "C"], "permutation": [0, 2, 1], "uniform_shape": [400, null, 3]}""",
        )
        for ((field, parameters) in made) withClue(field) {
            String(field.extensionMetadata()!!) shouldBe parameters
            val extension = field.extension()!!
            (extension is Other) shouldBe false
            extension.name() shouldBe field.extensionName()
            val again = exported(field) { CData.importSchema(it) }
            again shouldBe field
            again.extension() shouldBe extension
            again.storage().metadata() shouldBe Metadata.empty()
            again.storage().extension() shouldBe null
        }
    }

    test("a plain field has no extension type, and is its own storage [EXT-02]") {
        val plain = Field.of("x", DataType.INT8).withMetadata(Metadata.of("unit", "m"))
        plain.extension() shouldBe null
        (plain.storage() === plain) shouldBe true
        plain.withExtension(Extension.Bool8()).storage() shouldBe plain
    }

    test("a canonical type accepts only its own storage types [EXT-02]") {
        fun timestamps(first: DataType, second: DataType = DataType.INT16) =
            DataType.struct(field("timestamp", first), field("offset_minutes", second))
        val utc = TimestampType(ArrowTimeUnit.SECOND, "UTC")
        val runs = DataType.runEndEncoded(DataType.INT32, Field.of("values", DataType.INT16))
        fun variant(vararg fields: Field) = DataType.struct(*fields)
        val binary = field("metadata", DataType.BINARY_VIEW, false)
        val right = listOf(
            "arrow.uuid" to DataType.fixedSizeBinary(16), "arrow.bool8" to DataType.INT8,
            "arrow.json" to DataType.UTF8, "arrow.json" to DataType.LARGE_UTF8, "arrow.json" to DataType.UTF8_VIEW,
            "arrow.timestamp_with_offset" to timestamps(utc),
            "arrow.timestamp_with_offset" to timestamps(utc, DataType.dictionary(DataType.INT8, DataType.INT16)),
            "arrow.timestamp_with_offset" to timestamps(utc, runs),
            "arrow.parquet.variant" to variant(field("value", DataType.LARGE_BINARY), binary),
            "arrow.parquet.variant" to variant(binary, field("typed_value", DataType.INT64)),
            "arrow.parquet.variant" to variant(
                field("metadata", DataType.dictionary(DataType.INT8, DataType.BINARY), false),
                field("value", DataType.BINARY),
            ),
        )
        for ((name, type) in right) withClue("$name as $type") {
            (field(type, name, "").extension() is Other) shouldBe false
        }
        val wrong = listOf(
            "arrow.uuid" to DataType.fixedSizeBinary(15), "arrow.uuid" to DataType.UTF8,
            "arrow.uuid" to DataType.dictionary(DataType.INT8, DataType.fixedSizeBinary(16)),
            "arrow.bool8" to DataType.UINT8, "arrow.bool8" to DataType.BOOL, "arrow.json" to DataType.BINARY,
            "arrow.timestamp_with_offset" to timestamps(TimestampType(ArrowTimeUnit.SECOND, "Europe/Paris")),
            "arrow.timestamp_with_offset" to timestamps(TimestampType(ArrowTimeUnit.SECOND, null)),
            "arrow.timestamp_with_offset" to timestamps(utc, DataType.INT32),
            "arrow.timestamp_with_offset" to DataType.struct(field("timestamp", utc)),
            "arrow.timestamp_with_offset" to
                DataType.struct(field("offset_minutes", DataType.INT16), field("timestamp", utc)),
            "arrow.timestamp_with_offset" to DataType.struct(field("timestamp", utc), field("minutes", DataType.INT16)),
            "arrow.parquet.variant" to variant(binary),
            "arrow.parquet.variant" to variant(field("metadata", DataType.BINARY), field("value", DataType.BINARY)),
            "arrow.parquet.variant" to variant(binary, field("value", DataType.UTF8)),
            "arrow.parquet.variant" to variant(binary, field("value", DataType.BINARY), field("more", DataType.BINARY)),
            "arrow.parquet.variant" to DataType.BINARY,
        )
        for ((name, type) in wrong) withClue("$name as $type") {
            val said = other(field(type, name, ""))
            said.name() shouldBe name
            said.mismatch()!! shouldContain "$name is stored as "
            said.mismatch()!! shouldContain ", not as "
        }
        other(field(DataType.UTF8, "arrow.uuid", "")).mismatch() shouldBe
            "arrow.uuid is stored as fixed_size_binary[16], not as utf8"
        shouldThrow<IllegalArgumentException> {
            field("id", DataType.UTF8).withExtension(Extension.Uuid())
        }.message shouldBe
            "field \"id\": arrow.uuid is stored as fixed_size_binary[16], not as utf8"
    }

    test("the parameters of a tensor type must match the sizes of its storage [EXT-02]") {
        val variable = Field.variableShapeTensor("x", DataType.INT8, 2).type()
        field(floats(10), "arrow.fixed_shape_tensor", """{ "shape": [2, 5]}""").extension() shouldBe
            FixedShapeTensor(listOf(2, 5), listOf(), listOf())
        field(floats(1), "arrow.fixed_shape_tensor", """{"shape": []}""").extension() shouldBe
            FixedShapeTensor(listOf(), listOf(), listOf())
        field(floats(0), "arrow.fixed_shape_tensor", """{"shape": [2147483647, 2147483647, 0]}""").extension() shouldBe
            FixedShapeTensor(listOf(Int.MAX_VALUE, Int.MAX_VALUE, 0), listOf(), listOf())
        field(variable, "arrow.variable_shape_tensor", """{"uniform_shape": [null, 3]}""").extension() shouldBe
            VariableShapeTensor(listOf(), listOf(), listOf(null, 3))
        val wrong = mapOf(
            field(floats(11), "arrow.fixed_shape_tensor", """{"shape": [2, 5]}""") to
                "is stored as fixed_size_list[10], of its shape [2, 5], not as fixed_size_list<item: float32>[11]",
            field(floats(1), "arrow.fixed_shape_tensor", """{"shape": [65536, 65536]}""") to
                "a tensor of shape [65536, 65536] has more elements than 32 bits count",
            field(floats(1), "arrow.fixed_shape_tensor", """{"shape": [-1, -1]}""") to "is not negative, but -1",
            field(floats(6), "arrow.fixed_shape_tensor", """{"shape": [2, 3], "dim_names": ["a"]}""") to
                "dimNames [a] is of 1 dimensions, but the tensor has 2",
            field(floats(6), "arrow.fixed_shape_tensor", """{"shape": [2, 3], "permutation": [1, 1]}""") to
                "permutation has each of 0 to 1 once, but it is [1, 1]",
            field(floats(6), "arrow.fixed_shape_tensor", """{"dim_names": ["a"]}""") to "there is no \"shape\"",
            field(floats(1), "arrow.fixed_shape_tensor", """{"shape": null}""") to "there is no \"shape\"",
            field(floats(6), "arrow.fixed_shape_tensor", """{"shape": [2.0, 3]}""") to
                "\"shape\" has integers of 32 bits, not 2.0",
            field(floats(6), "arrow.fixed_shape_tensor", """{"shape": [4294967298, 3]}""") to
                "\"shape\" has integers of 32 bits, not 4294967298",
            field(floats(6), "arrow.fixed_shape_tensor", """{"shape": 6}""") to "\"shape\" is an array, not 6",
            field(floats(6), "arrow.fixed_shape_tensor", "") to "at character 0 '{' is expected",
            field(variable, "arrow.variable_shape_tensor", """{"dim_names": ["a", "b", "c"]}""") to
                "shape: fixed_size_list<int32>[3]",
            field(variable, "arrow.variable_shape_tensor", """{"dim_names": ["a"], "permutation": [1, 0]}""") to
                "dimNames [a] is of 1 dimensions, but the tensor has 2",
            field(DataType.INT8, "arrow.variable_shape_tensor", "") to
                "is stored as struct<data: list<…>, shape: fixed_size_list<int32>[…]>, not as int8",
        )
        for ((field, why) in wrong) withClue(field.metadata()) { other(field).mismatch()!! shouldContain why }
    }

    test("parameters must be valid JSON, in which unknown keys are ignored [EXT-11]") {
        fun opaque(json: String) = field(DataType.BINARY, "arrow.opaque", json).extension()
        val right = listOf(
            """{"type_name": "geometry", "vendor_name": "PostGIS"}""",
            " { \"vendor_name\" :\t\"PostGIS\" ,\r\n \"type_name\":\"geo\\u006detry\" } ",
            """{"type_name": "geometry", "vendor_name": "PostGIS", """ +
                """"more": [1, -2.5e+3, 0.1, true, false, null, {"type_name": 1}, [], {}], "": ""}""",
            """{"type_name": "geometry", "vendor_name": "PostGIS", """ +
                """"huge": 123456789012345678901234567890, "deep": ${"[".repeat(30)}${"]".repeat(30)}}""",
        )
        for (json in right) withClue(json) { opaque(json) shouldBe Opaque("geometry", "PostGIS") }
        opaque("""{"type_name": "\"\\\/\b\f\n\r\t\ud83e\udd80", "vendor_name": ""}""") shouldBe
            Opaque("\"\\/\b\u000c\n\r\t🦀", "")
        val names = """"type_name": "a", "vendor_name": "b""""
        val wrong = listOf(
            "", " ", "{", "[]", "{$names", "{$names,}", "{$names}x", "{$names}{}",
            "{type_name: \"a\", \"vendor_name\": \"b\"}", "{'type_name': 'a', 'vendor_name': 'b'}",
            "{\"type_name\": \"a\"}", "{\"type_name\": \"a\", \"vendor_name\": null}", "{$names, \"type_name\": \"c\"}",
            "{$names, \"x\": 01}", "{$names, \"x\": .5}", "{$names, \"x\": 1.}", "{$names, \"x\": 1e}",
            "{$names, \"x\": +1}", "{$names, \"x\": NaN}", "{$names, \"x\": nul}", "{$names, \"x\": \"\n\"}",
            "{$names, \"x\": \"\\x\"}", "{$names, \"x\": \"\\u12G4\"}", "{$names, \"x\": \"\\u00", "{$names, \"x\": \"",
            "{$names, \"x\": [1 2]}", "{$names, \"x\": [1,]}", "{$names, \"x\": [", "{$names, \"x\" 1}",
            "{$names, \"x\": ${"[".repeat(32)}${"]".repeat(32)}}", "{$names, \"x\": ${"[".repeat(100_000)}",
            "{\"type_name\": \"\\ud800\", \"vendor_name\": \"b\"}", "\uFEFF{$names}",
        )
        for (json in wrong) withClue(json.take(80)) {
            (opaque(json) as Other).mismatch()!! shouldContain "the parameters of arrow.opaque are wrong: "
        }
        val latin = Field.of("x", DataType.BINARY).withExtension("arrow.opaque", byteArrayOf(0xFF.toByte()))
        other(latin).mismatch() shouldBe "the parameters of arrow.opaque are wrong: its 1 bytes are not UTF-8"
        other(latin).metadata() shouldBe byteArrayOf(0xFF.toByte())
    }

    test("a field accepts and keeps any parameters, valid or not [EXT-11]") {
        val random = Random(16)
        val right = listOf(
            "arrow.opaque" to """{"type_name": "a\\u00e9\n", "vendor_name": "b", "more": [1, -2.5e+3, {"x": null}]}""",
            "arrow.fixed_shape_tensor" to """{"shape": [2, 3], "dim_names": ["a", "b"], "permutation": [1, 0]}""",
            "arrow.variable_shape_tensor" to """{"uniform_shape": [null, 3], "permutation": [1, 0]}""",
        )
        val types = listOf(floats(6), Field.variableShapeTensor("x", DataType.INT8, 2).type())
        var sound = 0
        repeat(20_000) {
            val (name, json) = right.random(random)
            val bytes = json.encodeToByteArray().toMutableList()
            repeat(random.nextInt(4)) {
                when (random.nextInt(3)) {
                    0 -> bytes[random.nextInt(bytes.size)] = "{}[]\",:\\0e-. u\u0000\u007F".random(random).code.toByte()
                    1 -> bytes.removeAt(random.nextInt(bytes.size))
                    else -> bytes.add(random.nextInt(bytes.size), random.nextInt(256).toByte())
                }
            }
            val field = Field.of("x", types.random(random)).withExtension(name, bytes.toByteArray())
            field.extension()!!.name() shouldBe name
            field.extensionMetadata()!!.toList() shouldBe bytes
            if (field.extension() !is Other) {
                sound++
                val again = field.storage().withExtension(field.extension()!!)
                again.extension() shouldBe field.extension()
            }
        }
        sound shouldBeGreaterThan 1000
    }

    test("an unknown type is an Other without a mismatch, and keeps its parameters, if any [EXT-02]") {
        val unheard = Field.of("x", DataType.INT8).withExtension("org.example.unheard", byteArrayOf(0, -1))
        other(unheard).let {
            it.name() shouldBe "org.example.unheard"
            it.metadata() shouldBe byteArrayOf(0, -1)
            it.mismatch() shouldBe null
        }
        Field.of("x", DataType.UTF8).withExtension(unheard.extension()!!).let { moved ->
            moved.extensionMetadata() shouldBe byteArrayOf(0, -1)
            moved.extension() shouldBe unheard.extension()
        }
        val bare = Field.of("x", DataType.INT8).withMetadata(Metadata.of("ARROW:extension:name", "mine"))
        other(bare).metadata() shouldBe null
        Field.of("x", DataType.INT8).withExtension(bare.extension()!!) shouldBe bare
        Field.uuid("id").toString() shouldBe "id: arrow.uuid (fixed_size_binary[16])"
    }

    test("wrong parameters are rejected when they are created [EXT-11]") {
        for (wrong in listOf(
            { FixedShapeTensor(listOf(2, -1), listOf(), listOf()) },
            { FixedShapeTensor(listOf(2), listOf("a", "b"), listOf()) },
            { FixedShapeTensor(listOf(2), listOf(), listOf(1)) },
            { FixedShapeTensor(listOf(2), listOf("\uD800"), listOf()) },
            { VariableShapeTensor(listOf("a"), listOf(1, 0), listOf()) },
            { VariableShapeTensor(listOf(), listOf(), listOf(-1)) },
            { Opaque("\uD800", "b") }, { Field.fixedShapeTensor("x", DataType.INT8, 1 shl 16, 1 shl 15) },
        )) shouldThrow<IllegalArgumentException> { wrong() }
    }
})
