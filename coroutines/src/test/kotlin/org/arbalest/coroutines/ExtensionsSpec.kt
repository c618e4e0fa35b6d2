// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.Validation
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.objects.ExtensionCodec
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Extension
import org.arbalest.device.types.Metadata
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import java.lang.foreign.Arena
import java.time.OffsetDateTime
import java.util.UUID

private data class Money(val cents: Long)

/** Columns of extension types in the DSL, and their views. */
class ExtensionsSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)
    val cpu = Devices.cpu()

    fun there(array: RecordBatch): RecordBatch = Arena.ofConfined().use { arena ->
        val (out, schema) = arena.allocate(StructKind.ARRAY.size, 8) to arena.allocate(StructKind.SCHEMA.size, 8)
        array.use { CData.exportArray(it, out, CExport.DATA.schemaTo(schema)) }
        CData.importBatch(out, CImport.DATA.schema(schema).validation(Validation.FULL))
    }

    test("UUIDs, 8-bit booleans and JSON keep other metadata, and may be `notNull` [EXT-03, EXT-04, EXT-12]") {
        val ids = listOf(UUID(1, 2), null)
        there(
            cpu.batch(2) {
                withMetadata(Metadata.of("unit", "none")).uuid("id") { ids[it] }
                bool8("flag", booleanArrayOf(true, false), isNull = { it == 1 })
                bool8("other") { it == 1 }
                notNull.json("doc") { "[$it]" }
                list("ids", { row -> List(row) { ids[0] } }) { all -> uuid { all[it] } }
            },
        ).use { batch ->
            batch["id"].uuids().toList() shouldBe ids
            batch["id"].field().metadata()["unit"] shouldBe "none"
            batch["id"][0] shouldBe ids[0]
            batch["flag"][0] shouldBe true
            batch["flag"].isNull(1) shouldBe true
            batch["other"].getBoolean(1) shouldBe true
            batch["doc"].strings().toList() shouldBe listOf("[0]", "[1]")
            batch["doc"].field().isNullable shouldBe false
            batch["doc"].field().extension() shouldBe Extension.Json()
            batch["ids"][1] shouldBe listOf(ids[0])
        }
    }

    test("each timestamp has its own offset, and is rounded down to the unit [EXT-05]") {
        val times = listOf("2025-01-01T00:00:00.123456789-07:00", "1969-12-31T23:59:59.999999999+01:00")
            .map(OffsetDateTime::parse)
        there(cpu.batch(3) { timestampWithOffset("at", ArrowTimeUnit.MILLISECOND) { row -> times.getOrNull(row) } })
            .use { batch ->
                batch["at"].offsetDateTimes().toList().map { it?.toString() } shouldBe
                    listOf("2025-01-01T00:00:00.123-07:00", "1969-12-31T23:59:59.999+01:00", null)
                batch["at"].offsetDateTimes().nullCount shouldBe 1
            }
    }

    test("tensors take their elements from one column [EXT-06, EXT-07]") {
        there(
            cpu.batch(3) {
                fixedShapeTensor("fixed", listOf(2, 2), dimNames = listOf("y", "x"), isNull = { it == 1 }) {
                    float32(values = FloatArray(12) { it.toFloat() })
                }
                variableShapeTensor("variable", 2, { row -> if (row == 1) null else intArrayOf(row, 3) },
                    uniformShape = listOf(null, 3)) { int8(values = ByteArray(6) { it.toByte() }) }
            },
        ).use { batch ->
            val fixed = batch["fixed"].tensors()
            fixed.isNull(1) shouldBe true
            fixed[2].values().floats().toList() shouldBe listOf(8f, 9f, 10f, 11f)
            fixed[2].dimNames() shouldBe listOf("y", "x")
            val variable = batch["variable"].tensors()
            variable.map { it?.shape() } shouldBe listOf(listOf(0, 3), null, listOf(2, 3))
            variable[2].values().integers().toList() shouldBe List(6) { it.toLong() }
        }
        cpu.batch(1) {
            fixedShapeTensor("fixed", listOf(1 shl 16, 1 shl 16, 0)) { int8(values = ByteArray(0)) }
            variableShapeTensor("variable", 3, { intArrayOf(1 shl 16, 1 shl 16, 0) }) { int8(values = ByteArray(0)) }
        }.use { batch ->
            for (name in listOf("fixed", "variable")) batch[name].tensors()[0].run {
                shape() to values().length()
            } shouldBe (listOf(1 shl 16, 1 shl 16, 0) to 0L)
        }
        for (shape in listOf(listOf(1 shl 16, 1 shl 16), listOf(-1), listOf(-2, -3))) {
            shouldThrow<IllegalArgumentException> {
                cpu.batch(1) { fixedShapeTensor("t", shape) { int8(values = ByteArray(0)) } }
            }
            shouldThrow<IllegalArgumentException> {
                cpu.batch(1) {
                    variableShapeTensor("t", shape.size, { shape.toIntArray() }) { int8(values = ByteArray(0)) }
                }
            }
        }
        shouldThrow<IllegalStateException> {
            cpu.batch(1) {
                fixedShapeTensor("t", listOf(2)) { int8(values = ByteArray(2)); int8(values = ByteArray(2)) }
            }
        }
    }

    val money = extensionCodec("com.acme.money", DataType.INT64, { row -> Money(getLong(row)) }, { append(it.cents) })

    test("a custom type is written and read by its codec, and by `get` once the codec is registered [EXT-09]") {
        money.valueClass() shouldBe Money::class.java
        there(cpu.batch(3) {
            withMetadata(Metadata.of("a", "b")).extension("price", money) { row ->
                if (row == 1) null else Money(100L * row)
            }
        }).use { batch ->
            batch["price"].values(money).toList() shouldBe listOf(Money(0), null, Money(200))
            batch["price"].values(money).isNull(1) shouldBe true
            batch["price"].longs()[2] shouldBe 200
            batch["price"][2] shouldBe 200L
            batch["price"].field().metadata()["a"] shouldBe "b"
            ExtensionCodec.register(money)
            try {
                batch["price"][2] shouldBe Money(200)
            } finally {
                ExtensionCodec.unregister(money.name())
            }
        }
        cpu.batch(1) { int64("price") { 1 } }.use { batch ->
            shouldThrow<IllegalArgumentException> { batch["price"].values(money)[0] }.message shouldContain
                "is not com.acme.money, which is stored as int64"
        }
        val plain = extensionCodec("com.acme.count", DataType.INT32, { row -> getInt(row) }, { append(it.toLong()) })
        plain.valueClass() shouldBe Int::class.javaObjectType
        cpu.batch(1) { extension("n", plain) { 7 } }.use { it["n"].values(plain)[0] shouldBe 7 }
    }
})
