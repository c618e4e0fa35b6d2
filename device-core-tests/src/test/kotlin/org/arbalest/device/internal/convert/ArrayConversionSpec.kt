// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import org.arbalest.device.Conversion
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Validation
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.support.HandLaid
import org.arbalest.device.support.LaidValues
import org.arbalest.device.support.LaidValues.read
import org.arbalest.device.support.LaidValues.spoil
import org.arbalest.device.support.OtherLayouts
import org.arbalest.device.support.SoundArrays
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.FixedSizeListType
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.ListViewType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.NestedType.UnionMode
import org.arbalest.device.types.NestedType.UnionType
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.Arena
import kotlin.random.Random

/**
 * Arrays of every type, converted to each other layout that they can have, and compacted. They keep their values and
 * are valid.
 */
class ArrayConversionSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    fun field(name: String, type: DataType) = Field.of(name, type)
    fun runs(values: DataType) =
        RunEndEncodedType(field("run_ends", DataType.INT32).withNullable(false), field("values", values))
    fun dictionary(values: DataType) = DictionaryType(DataType.INT16, field("", values), false)
    fun list(item: DataType) = ListType(field("item", item))
    fun map(value: DataType) = DataType.map(field("key", DataType.UTF8_VIEW), field("value", value))
    fun union(mode: UnionMode, a: DataType, b: DataType, c: DataType) =
        UnionType(mode, listOf(7, 1, 0), listOf(field("a", a), field("b", b), field("c", c)))

    val union = union(UnionMode.SPARSE, dictionary(DataType.UTF8), list(DataType.UTF8), map(DataType.INT8))
    val dense = union(UnionMode.DENSE, runs(DataType.UTF8), dictionary(DataType.UTF8_VIEW), union)
    val deeper = listOf(
        DataType.INT32, DataType.BOOL, DataType.UTF8_VIEW, list(DataType.INT32),
        ListViewType(field("item", DataType.UTF8)), FixedSizeListType(field("item", DataType.BINARY_VIEW), 2),
        map(DataType.INT32), union, dense, runs(DataType.INT64), dictionary(DataType.LARGE_UTF8),
        DataType.decimal128(9, 0), DataType.NULL,
        StructType(
            listOf(field("r", runs(DataType.DATE32)), field("d", dictionary(DataType.INT64)), field("u", dense)),
        ),
    ).flatMap { type ->
        listOf(dictionary(type), runs(type), list(type), ListViewType(field("item", type)), map(type),
            StructType(listOf(field("x", type))), FixedSizeListType(field("item", type), 3))
    } +
        dictionary(dictionary(dictionary(DataType.UTF8))) + runs(runs(runs(DataType.UTF8))) + dictionary(runs(dense)) +
        dense + union(UnionMode.SPARSE, dense, union, runs(union))

    val types = (HandLaid.types + deeper).distinct()
    val rows = List(13) { it }
    val cuts = listOf(0 to 13, 1 to 12, 3 to 7, 8 to 5, 12 to 1, 5 to 0)

    fun imported(
        type: DataType,
        of: List<Int>,
        skipped: Int,
        isSpoiled: Boolean,
    ): DeviceArray = Arena.ofConfined().use { arena ->
        val out = HandLaid.laid(arena, type, of, skipped)
        if (isSpoiled) spoil(out.address(), type)
        CData.importArray(out, CImport.DATA.schema(field("column", type)))
    }

    fun isSound(array: DeviceArray) = runCatching { array.validate(Validation.FULL) }.isSuccess

    /** Checks the type, the values and the validity of a conversion's result. */
    fun check(source: DeviceArray, requested: DataType, values: List<Any?>, make: (DeviceArray) -> DeviceArray) {
        val wasSound = isSound(source)
        make(source).use { result ->
            result.field().type() shouldBe requested
            read(result.asColumn()) shouldBe values
            (0 until result.length()).map(result.asColumn()::isNull) shouldBe values.map { it == null }
            result.validate(if (wasSound) Validation.FULL else Validation.STRUCTURAL)
            for ((from, count) in listOf(1L to 3L, result.length() / 2 to 2L)) {
                if (from + count <= result.length()) result.slice(from, count).use {
                    read(it.asColumn()) shouldBe values.subList(from.toInt(), (from + count).toInt())
                }
            }
        }
    }

    val byKind = types.groupBy { it.javaClass.simpleName.removeSuffix("Type") }
    for ((kind, ofKind) in byKind) {
        test(
            "${ofKind.size} types of $kind convert to each other layout, whole and sliced, with garbage under nulls " +
                "[REQ-01]",
        ) {
            for (type in ofKind) for (requested in OtherLayouts.of(type) + type)
                for ((skipped, isSpoiled) in listOf(3 to true)) {
                    withClue("$type to $requested, offset $skipped") {
                        imported(type, rows, skipped, isSpoiled).use { array ->
                            for ((from, count) in cuts) array.slice(from.toLong(), count.toLong()).use { cut ->
                                check(
                                    cut, requested, rows.subList(from, from + count).map { LaidValues.of(type, it) },
                                ) {
                                    it.convertTo(field("other", requested))
                                }
                            }
                        }
                    }
                }
        }

        test("$kind without rows, or of nulls only, converts to each other layout [REQ-01]") {
            for (type in ofKind) for (requested in OtherLayouts.of(type) + type) withClue("$type to $requested") {
                for (skipped in listOf(0, 5)) imported(type, listOf(), skipped, true).use {
                    check(it, requested, listOf()) { array -> array.convertTo(field("other", requested)) }
                }
                val nulls = (0..400).filter { LaidValues.of(type, it) == null }.take(9)
                if (nulls.size == 9) imported(type, nulls, 2, true).use {
                    check(it, requested, nulls.map { null }) { array -> array.convertTo(field("other", requested)) }
                }
            }
        }

        test("$kind converts to the same C structs as an array built by hand in the other layout [REQ-01]") {
            for (type in ofKind) for (requested in OtherLayouts.of(type).filter { OtherLayouts.areLaidAlike(type, it) })
                withClue("$type to $requested") {
                    imported(type, rows, 3, false).use { array ->
                        HandLaid.exported(array.convertTo(field("", requested))) shouldBe
                            HandLaid.expected(requested, rows)
                        HandLaid.exported(array.slice(2, 9).use { it.convertTo(field("", requested)) }) shouldBe
                            HandLaid.expected(requested, rows.subList(2, 11))
                    }
                }
        }

        test("$kind keeps its values when compacted, also sliced at several levels [REQ-20]") {
            for (type in ofKind) for (skipped in listOf(0, 3)) withClue("$type, offset $skipped") {
                imported(type, rows, skipped, true).use { array ->
                    for ((from, count) in cuts) array.slice(from.toLong(), count.toLong()).use { cut ->
                        check(cut, type, rows.subList(from, from + count).map { LaidValues.of(type, it) },
                            DeviceArray::compact)
                        cut.compact().use { once ->
                            check(once, type, rows.subList(from, from + count).map { LaidValues.of(type, it) },
                                DeviceArray::compact)
                        }
                    }
                }
                imported(StructType(listOf(field("first", DataType.INT8), field("column", type))), rows, skipped, true)
                    .use { array ->
                        array.slice(2, 10).use { cut ->
                            cut.retainChild(1).use { child ->
                                child.slice(1, 7).use {
                                    check(it, type, rows.subList(3, 10).map { row -> LaidValues.of(type, row + 1) },
                                        DeviceArray::compact)
                                }
                            }
                        }
                    }
            }
        }
    }

    test("compacting an array that is already compact copies nothing [REQ-20]") {
        for (type in types) for ((from, count) in cuts) withClue("$type, $from..") {
            imported(type, rows, 3, false).use { array ->
                array.slice(from.toLong(), count.toLong()).use { it.compact() }.use { once ->
                    once.compact().use { again -> Conversion.of(again)!!.copiedBytes() shouldBe 0 }
                }
            }
        }
    }

    test("a batch with a column of every type converts with its columns reordered, and outlives its source [REQ-01]") {
        val batch = StructType(types.mapIndexed { i, type -> field("$i", type) })
        val requested = StructType(types.mapIndexed { i, type ->
            field("$i", OtherLayouts.of(type).ifEmpty { listOf(type) }.last())
        }.reversed())
        val converted = imported(batch, rows, 3, true).use { array ->
            array.slice(1, 11).use { it.convertTo(field("", requested)) }
        }
        converted.use { result ->
            read(result.asColumn()) shouldBe rows.subList(1, 12).map { LaidValues.of(batch, it) }
        }
    }

    test("random arrays keep their values in random layouts, and the results are valid [REQ-01]") {
        var converted = 0
        for (seed in 0 until 200) withClue(seed) {
            val random = Random(seed)
            val raw = SoundArrays(random).array()
            val requested = (OtherLayouts.of(raw.type) + raw.type).random(random)
            Arena.ofConfined().use { arena ->
                CData.importArray(raw.laid(arena), CImport.DATA.schema(raw.field)).use { array ->
                    val from = random.nextLong(array.length() + 1)
                    array.slice(from, random.nextLong(array.length() - from + 1)).use { cut ->
                        val values = read(cut.asColumn())
                        for (make in listOf<(DeviceArray) -> DeviceArray>(
                            { it.convertTo(raw.field.withType(requested)) }, DeviceArray::compact,
                        )) {
                            val result = try {
                                make(cut)
                            } catch (e: DeviceException) {
                                if (OtherLayouts.mayRefuse(e)) continue else throw e
                            }
                            result.use {
                                (read(it.asColumn()) == values) shouldBe true // to Kotest, NaNs differ
                                it.validate(Validation.FULL)
                                converted++
                            }
                        }
                    }
                }
            }
        }
        converted shouldBeGreaterThan 250
    }
})
