// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldStartWith
import org.arbalest.device.ArrayData
import org.arbalest.device.Conversion
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.Validation
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.FixedSizeListType
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import kotlin.random.Random

/** Booleans of bits that become bytes of `arrow.bool8`, and the reverse. */
class ArrayConversionBooleansSpec : FunSpec({
    extension(ResourceCountersExtension)

    val cpu = Devices.cpu()
    val bits = Field.of("b", DataType.BOOL)
    val bytes = Field.bool8("b")

    fun build(field: Field, rows: Int, fill: (ColumnBuilder) -> Unit): DeviceArray =
        BatchBuilder.of(cpu, rows).use { batch -> batch.column(field).let(fill).let { batch.build() } }
            .use { it.retainChild(0) }

    fun random(field: Field, rows: Int, random: Random): DeviceArray = build(field, rows) { column ->
        repeat(rows) { if (random.nextInt(4) == 0) column.appendNull() else column.append(random.nextBoolean()) }
    }

    fun values(array: DeviceArray): List<Any?> = array.asColumn().let { c -> (0 until c.length()).map { c.get(it) } }

    /** The stored bytes of an array's values, from its first element on. */
    fun stored(array: DeviceArray): List<Int> = ArrayData.of(array).use { data ->
        val all = data.buffers()[1]!!.segment().toArray(JAVA_BYTE).map { it.toInt() and 0xff }
        all.drop(data.offset().toInt())
    }

    test("bits become bytes of 0 and 1, and bytes become bits, in every length and slice [REQ-22]") {
        val random = Random(45)
        for ((from, to) in listOf(bits to bytes, bytes to bits)) {
            random(from, 400, random).use { all ->
                for (start in listOf(0L, 1, 8, 63)) for (count in listOf(0L, 1, 7, 8, 64, 65, 300))
                    withClue("$from at $start, $count rows") {
                        all.slice(start, count).use { slice ->
                            slice.convertTo(to).use { result ->
                                result.field() shouldBe to
                                result.validate(Validation.FULL)
                                values(result) shouldBe values(slice)
                                result.convertTo(from).use { values(it) shouldBe values(slice) }
                            }
                        }
                    }
            }
        }
    }

    test("each byte except 0 is true, and true is written as 1 [REQ-22, EXT-04]") {
        val content = byteArrayOf(0, 1, -128, 2, 127, -1, 0, 64, 0, 3)
        val buffer = cpu.allocate(10).also { MemorySegment.copy(content, 0, it.segment(), JAVA_BYTE, 0, 10) }
        DeviceArray.of(bytes, ArrayData.of(10, 0, listOf(null, buffer))).use { array ->
            array.convertTo(bits).use { result ->
                values(result) shouldBe content.map { it.toInt() != 0 }
                stored(result) shouldBe listOf(0b10111110, 0b10)
                result.convertTo(bytes).use { stored(it) shouldBe listOf(0, 1, 1, 1, 1, 1, 0, 1, 0, 1) }
                Conversion.of(result)!!.copiedBytes() shouldBe 2
            }
        }
    }

    test("booleans in lists, structs, dictionaries and run-ends are converted, also sliced and filtered [REQ-22]") {
        fun nested(item: Field): List<Pair<Field, (ColumnBuilder, Int) -> Unit>> = listOf(
            Field.of("l", ListType(item)) to { column, row ->
                if (row % 5 == 3) column.appendNull()
                else column.appendList(row % 4).let { repeat(row % 4) { n -> column.items().append(n % 2 == 0) } }
            },
            Field.of("s", StructType(listOf(Field.of("n", DataType.INT32), item))) to { column, row ->
                if (row % 5 == 3) column.appendNullWithParts()
                else column.appendStruct().apply { child(0).append(row.toLong()) }.child(1).append(row % 3 == 0)
            },
            Field.of("f", FixedSizeListType(item, 3)) to { column, row ->
                if (row % 5 == 3) column.appendNull()
                else column.appendList(3).items().append(row % 2 == 0).appendNull().append(true)
            },
            Field.of("d", DictionaryType(DataType.INT8, item, false)) to { column, row ->
                if (row % 5 == 3) column.appendNull() else column.append(row % 2 == 0)
            },
            Field.of(
                "r",
                RunEndEncodedType(Field.of("run_ends", DataType.INT32).withNullable(false), item),
            ) to { column, row -> if (row % 5 == 3) column.appendNull() else column.append(row % 7 < 4) },
        )
        for ((from, to) in listOf(bits to bytes, bytes to bits)) {
            for ((source, target) in nested(from).zip(nested(to).map { it.first })) withClue(source.first.type()) {
                build(source.first, 40) { column -> repeat(40) { source.second(column, it) } }.use { all ->
                    for (part in listOf(all.slice(0, 40), all.slice(3, 21), all.take(7, 3, 39, 0, 7))) part.use {
                        val requested = listOf(target) +
                            if (target.name() in listOf("d", "r")) listOf(to) else listOf()
                        for (field in requested) it.convertTo(field).use { result ->
                            result.validate(Validation.FULL)
                            values(result) shouldBe values(it)
                        }
                    }
                }
            }
        }
    }

    test("a dictionary of int8 whose own field is arrow.bool8 becomes bits [REQ-22]") {
        val field = Field.of("d", DictionaryType(DataType.INT8, Field.of("", DataType.INT8), false))
        build(field, 3) { it.append(7).append(0).append(7) }.use { array ->
            val data = ArrayData.of(array)
            DeviceArray.of(field.withMetadata(bytes.metadata()), data).use { encoded ->
                encoded.convertTo(bits).use { values(it) shouldBe listOf(true, false, true) }
            }
        }
    }

    test("int8 is no boolean, and bool of another extension type gets no second one [REQ-02, REQ-22]") {
        build(Field.of("b", DataType.INT8), 1) { it.append(1) }.use { array ->
            shouldThrow<IllegalArgumentException> { array.convertTo(bits) }.message!! shouldStartWith
                "int8 cannot be converted to bool"
            shouldThrow<IllegalArgumentException> { array.convertTo(bytes) }.message!! shouldStartWith
                "int8 cannot be converted to arrow.bool8 (int8)"
        }
        build(bits, 1) { it.append(true) }.use { array ->
            shouldThrow<IllegalArgumentException> { array.convertTo(Field.of("b", DataType.INT8)) }
            shouldThrow<IllegalArgumentException> { array.convertTo(bits.withExtension("my.flag", "")) }
        }
        build(bits.withExtension("my.flag", ""), 1) { it.append(true) }.use { array ->
            shouldThrow<IllegalArgumentException> { array.convertTo(bytes) }.message shouldContain "my.flag"
            array.convertTo(bits).use { plain -> plain.convertTo(bytes).use { values(it) shouldBe listOf(true) } }
        }
    }

    test("null booleans are rejected for a field that is not nullable, with the row [REQ-03, REQ-22]") {
        build(bits, 3) { it.append(true).appendNull().append(false) }.use { array ->
            shouldThrow<DeviceException> { array.convertTo(bytes.withNullable(false)) }.message shouldContain
                "row 1: is null"
        }
    }

    test("on a device that the CPU cannot read, booleans keep their storage: ENOSYS says so [REQ-10, REQ-22]") {
        build(bits, 9) { c -> repeat(9) { c.append(it % 2 == 0) } }.use { array ->
            array.copyTo(Devices.device(DeviceType.EXT_DEV, 0)).use { there ->
                there.synchronize()
                val thrown = shouldThrow<DeviceException> { there.convertTo(bytes) }
                thrown.errno() shouldBe Errno.ENOSYS
                thrown.message shouldContain "copy the array to the CPU first, with copyTo"
                there.copyTo(cpu).use { back ->
                    back.synchronize()
                    back.convertTo(bytes).use { values(it) shouldBe values(array) }
                }
            }
        }
    }
})
