// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceArray
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.Validation
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.support.PartValues
import org.arbalest.device.support.RawArray
import org.arbalest.device.support.RawValues
import org.arbalest.device.support.SoundArrays
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import java.lang.foreign.Arena
import kotlin.random.Random

/** Random nested types and structs from C, with garbage wherever the format allows it, as columns that are selected. */
class ArrayColumnsNestedSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    fun imported(raw: RawArray, use: (DeviceArray) -> Unit): Unit = Arena.ofConfined().use { arena ->
        CData.importArray(raw.laid(arena), CImport.DATA.schema(raw.field)).use(use)
    }

    fun throughC(array: RecordBatch): RecordBatch = Arena.ofConfined().use { arena ->
        val (out, schema) = arena.struct(StructKind.ARRAY) to arena.struct(StructKind.SCHEMA)
        array.retain().use { CData.exportArray(it, out, CExport.DATA.schemaTo(schema)) }
        CData.importBatch(out, CImport.DATA.schema(schema).validation(Validation.FULL))
    }

    /** Returns the paths of all fields below a struct. */
    fun paths(type: DataType): List<String> = type.children().flatMap { field ->
        listOf(field.name()) + if (field.type() is StructType) paths(field.type()).map { "${field.name()}.$it" }
        else listOf()
    }

    /** Returns some paths, of which none leads to a field below another one. */
    fun some(paths: List<String>, random: Random): List<String> =
        paths.shuffled(random).fold(listOf()) { chosen, path ->
            val isApart = chosen.none { it.startsWith("$path.") || path.startsWith("$it.") || it == path }
            if (isApart && random.nextInt(3) > 0) chosen + path else chosen
        }

    /** Returns the value of a row in the selected type, from its value in the whole type. */
    fun projected(value: Any?, type: DataType): Any? = if (value !is Map<*, *> || type !is StructType) value
    else type.fields().associate { it.name() to projected(value[it.name()], it.type()) }

    test("random paths into random structs keep their values, in slices, and through C [SEL-21, SEL-22]") {
        var selected = 0
        for (seed in 0 until 3000) withClue("seed $seed") {
            val random = Random(seed)
            val raw = SoundArrays(random).array(levels = 4)
            if (raw.type !is StructType) return@withClue
            val paths = some(paths(raw.type), random)
            val values = RawValues.of(raw)
            imported(raw) { array ->
                val from = random.nextInt(raw.length + 1)
                val count = random.nextInt(raw.length - from + 1)
                array.asRecordBatch().slice(from.toLong(), count.toLong()).use { cut ->
                    cut.select(*paths.toTypedArray()).use { less ->
                        less.validate(Validation.FULL)
                        val expected = values.subList(from, from + count).map { projected(it, less.field().type()) }
                        (PartValues.read(less.asColumn()) == expected) shouldBe true // to Kotest, NaNs differ
                        throughC(less).use { (PartValues.read(it.asColumn()) == expected) shouldBe true }
                        less.compact().use { (PartValues.read(it.asColumn()) == expected) shouldBe true }
                        val half = count / 2L
                        less.slice(half, count - half).use { part ->
                            (PartValues.read(part.asColumn()) == expected.drop(half.toInt())) shouldBe true
                        }
                        selected++
                    }
                }
            }
        }
        selected shouldBeGreaterThan 100
    }

    test("random slices of random native columns join a batch of the library, and keep their values [SEL-23]") {
        var joined = 0
        for (seed in 0 until 600) withClue("seed $seed") {
            val random = Random(seed)
            val raw = SoundArrays(random).array(levels = 3)
            val values = RawValues.of(raw)
            imported(raw) { array ->
                val from = random.nextInt(raw.length + 1)
                val count = random.nextInt(raw.length - from + 1)
                val before = random.nextInt(12)
                val whole = BatchBuilder.of(Devices.cpu(), before + count).use { batch ->
                    batch.utf8("text", List(before + count) { "t$it" }).build()
                }
                whole.use { all -> all.slice(before.toLong(), count.toLong()) }.use { batch ->
                    array.slice(from.toLong(), count.toLong()).use { batch.withColumn("a", it) }
                }.use { both ->
                    both.validate(Validation.FULL)
                    val expected = values.subList(from, from + count)
                    val texts = List(count) { "t${before + it}" }
                    (PartValues.read(both.column("a")) == expected) shouldBe true
                    both.column("text").toList() shouldBe texts
                    throughC(both).use { again ->
                        (PartValues.read(again.column("a")) == expected) shouldBe true
                        again.column("text").toList() shouldBe texts
                    }
                    both.compact().use { (PartValues.read(it.column("a")) == expected) shouldBe true }
                    both.copyTo(Devices.cpu()).use { (PartValues.read(it.column("a")) == expected) shouldBe true }
                    joined++
                }
            }
        }
        joined shouldBe 600
    }

    test("a random column replaces one of a random struct from C, whose null rows stay null [SEL-22, SEL-23]") {
        var replaced = 0
        for (seed in 0 until 3000) withClue("seed $seed") {
            val random = Random(seed)
            val raw = SoundArrays(random).array(levels = 3)
            if (raw.type !is StructType || raw.children.isEmpty()) return@withClue
            val values = RawValues.of(raw)
            imported(raw) { array ->
                val from = random.nextInt(raw.length + 1)
                val count = random.nextInt(raw.length - from + 1)
                val numbers = BatchBuilder.of(Devices.cpu(), 20 + count).use { batch ->
                    batch.int64("n", LongArray(20 + count) { it.toLong() }).build()
                }.use { it.retainChild(0) }
                val at = random.nextInt(20)
                numbers.use { all -> all.slice(at.toLong(), count.toLong()) }.use { column ->
                    array.asRecordBatch().slice(from.toLong(), count.toLong()).use { it.withColumn("f0", column) }
                }.use { both ->
                    both.validate(Validation.FULL)
                    val expected = values.subList(from, from + count).mapIndexed { row, value ->
                        (value as Map<*, *>?)?.plus("f0" to (at + row).toLong())
                    }
                    (PartValues.read(both.asColumn()) == expected) shouldBe true
                    throughC(both).use { (PartValues.read(it.asColumn()) == expected) shouldBe true }
                    replaced++
                }
            }
        }
        replaced shouldBeGreaterThan 100
    }
})
