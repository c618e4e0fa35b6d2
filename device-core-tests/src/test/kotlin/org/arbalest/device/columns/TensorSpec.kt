// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.columns

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.Validation
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Extension.FixedShapeTensor
import org.arbalest.device.types.Extension.VariableShapeTensor
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.nio.ByteBuffer
import java.nio.ByteOrder

/** Tensors as values of a column, all of one shape or each of its own shape. */
class TensorSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    fun built(
        field: Field,
        rows: Int,
        fill: (ColumnBuilder) -> Unit,
    ): RecordBatch = BatchBuilder.of(Devices.cpu(), rows).use { batch ->
        batch.column(field).let(fill)
        batch.build()
    }

    fun throughC(array: RecordBatch): RecordBatch = Arena.ofConfined().use { arena ->
        val (out, schema) = arena.struct(StructKind.ARRAY) to arena.struct(StructKind.SCHEMA)
        array.use { CData.exportArray(it, out, CExport.DATA.schemaTo(schema)) }
        CData.importBatch(out, CImport.DATA.schema(schema).validation(Validation.FULL))
    }

    fun ints(vararg values: Int): DeviceBuffer {
        val bytes = ByteBuffer.allocate(4 * values.size).order(ByteOrder.nativeOrder())
            .apply { values.forEach(::putInt) }
        return Devices.cpu().allocate(bytes.capacity().toLong()).also {
            it.segment().copyFrom(MemorySegment.ofArray(bytes.array()))
        }
    }

    test("fixed-shape tensors have elements in row-major order, and a logical shape from the permutation [EXT-06]") {
        val field = Field.of("image", DataType.fixedSizeList(Field.of("item", DataType.INT32), 24))
            .withExtension(FixedShapeTensor(listOf(2, 3, 4), listOf("x", "y", "z"), listOf(2, 0, 1)))
        built(field, 3) { column ->
            column.appendTensor(2, 3, 4).items().appendAll(IntArray(24) { it })
            column.appendNull().appendTensor(2, 3, 4).items().appendAll(IntArray(24) { 100 + it })
        }.let(::throughC).use { array ->
            for (skipped in 0..2L step 2) array.slice(skipped, 3 - skipped).use { slice ->
                val tensor = slice.column("image").getTensor(2 - skipped)
                tensor.shape() shouldBe listOf(2, 3, 4)
                tensor.logicalShape() shouldBe listOf(4, 2, 3)
                tensor.dimNames() shouldBe listOf("x", "y", "z")
                tensor.permutation() shouldBe listOf(2, 0, 1)
                tensor.values().asInts().toArray().toList() shouldBe List(24) { 100 + it }
                tensor.values().getInt(tensor.index(1, 2, 3)) shouldBe 123
                tensor.values().getInt(tensor.index(0, 1, 2)) shouldBe 106
                shouldThrow<IndexOutOfBoundsException> { tensor.index(0, 3, 0) }
                shouldThrow<IndexOutOfBoundsException> { tensor.index(0, -1, 0) }
                shouldThrow<IllegalArgumentException> { tensor.index(0, 1) }.message shouldBe
                    "a position of 2 dimensions in a tensor of shape [2, 3, 4]"
            }
            shouldThrow<NoSuchElementException> { array.column(0).getTensor(1) }
            array.column(0).get(0) shouldBe List(24) { it.toLong() }
            array.column(0).getList(0).length() shouldBe 24
        }
        built(Field.fixedShapeTensor("scalar", DataType.FLOAT64), 1) {
            it.appendTensor().items().append(0.5)
        }.use { array ->
            array.column(0).getTensor(0).run { shape() to values().getDouble(index()) } shouldBe (listOf<Int>() to 0.5)
        }
        BatchBuilder.of(Devices.cpu(), 1).use { batch ->
            shouldThrow<IllegalArgumentException> { batch.column(field).appendTensor(2, 4, 3) }.message shouldContain
                "a tensor of shape [2, 4, 3] (all have [2, 3, 4]), in row 0"
            shouldThrow<IllegalArgumentException> { batch.column(field.storage()).appendTensor(2, 3, 4) }
                .message shouldContain "does not hold a tensor"
        }
    }

    test("variable-shape tensors can be sliced, be null, and have no elements or no dimensions [EXT-07]") {
        val field = Field.variableShapeTensor("image", DataType.FLOAT32, 2)
            .withExtension(VariableShapeTensor(listOf("H", "W"), listOf(1, 0), listOf()))
        val shapes = listOf(listOf(2, 3), null, listOf(0, 5), listOf(1, 1), listOf(3, 2))
        built(field, shapes.size) { column ->
            for (shape in shapes) if (shape == null) column.appendNullWithParts()
            else column.appendTensor(*shape.toIntArray())
            column.child("data").items().appendAll(FloatArray(13) { it.toFloat() })
        }.let(::throughC).use { array ->
            for (from in shapes.indices) array.slice(from.toLong(), (shapes.size - from).toLong()).use { slice ->
                val column = slice.column(0)
                shapes.drop(from).forEachIndexed { row, shape ->
                    if (shape == null) column.isNull(row.toLong()) shouldBe true else {
                        val tensor = column.getTensor(row.toLong())
                        tensor.shape() shouldBe shape
                        tensor.logicalShape() shouldBe shape.reversed()
                        tensor.dimNames() shouldBe listOf("H", "W")
                        val before = shapes.take(from + row).sumOf { it?.reduce(Int::times) ?: 0 }
                        tensor.values().asFloats().toArray().toList() shouldBe
                            List(shape[0] * shape[1]) { (before + it).toFloat() }
                    }
                }
            }
            array.column(0).get(3) shouldBe mapOf("data" to listOf(6.0), "shape" to listOf(1L, 1L))
        }
        built(Field.variableShapeTensor("n", DataType.INT8, 0), 1) { it.appendTensor().child("data").items().append(7) }
            .use { it.column(0).getTensor(0).run { values().getInt(index()) } shouldBe 7 }
        val encoded =
            Field.of("d", DictionaryType(DataType.INT8, Field.variableShapeTensor("t", DataType.INT8, 1), false))
        built(encoded, 3) { column ->
            for (size in listOf(2, 1, 2)) {
                column.dictionary().child("data").items().appendAll(ByteArray(size) { 5 })
                column.appendTensor(size)
            }
        }.let(::throughC).use { array ->
            array.column(0).dictionary().length() shouldBe 2
            List(3) { array.column(0).getTensor(it.toLong()).shape() } shouldBe listOf(listOf(2), listOf(1), listOf(2))
        }
    }

    test("appendTensor appends nothing if the type does not allow the shape [EXT-07]") {
        val field = Field.variableShapeTensor("t", DataType.INT8, 2)
            .withExtension(VariableShapeTensor(listOf(), listOf(), listOf(null, 3)))
        BatchBuilder.of(Devices.cpu(), 1).use { batch ->
            val column = batch.column(field)
            val wrong = mapOf(
                intArrayOf(1, 2) to "a tensor of shape [1, 2] (all have [null, 3]), in row 0",
                intArrayOf(-1, 3) to "a tensor of shape [-1, 3]",
                intArrayOf(3) to "a tensor of shape [3] (2 dimensions)",
                intArrayOf(1, 3, 1) to "a tensor of shape [1, 3, 1] (2 dimensions)",
                intArrayOf(Int.MAX_VALUE, 3) to "has more elements than 32 bits count",
            )
            for ((shape, why) in wrong) withClue(shape.toList()) {
                shouldThrow<IllegalArgumentException> { column.appendTensor(*shape) }.message shouldContain why
                listOf(column.length(), column.child(0).length(), column.child(1).length(),
                    column.child(1).items().length()) shouldBe listOf(0L, 0L, 0L, 0L)
            }
            column.appendTensor(1, 3).child("data").items().appendAll(byteArrayOf(1, 2, 3))
            batch.build().use { it.column(0).getTensor(0).shape() shouldBe listOf(1, 3) }
        }
    }

    test("a tensor whose data and shape do not match fails with EINVAL, and its neighbours are read [EXT-07]") {
        val field = Field.variableShapeTensor("t", DataType.INT32, 2)
            .withExtension(VariableShapeTensor(listOf(), listOf(), listOf(null, 2)))
        val nullable = DataType.struct(*field.type().children().map { it.withNullable(true) }.toTypedArray())
        fun tensors(
            vararg shape: Int,
            nullData: Boolean = false,
            nullShape: Boolean = false,
            nullSize: Boolean = false,
        ): DeviceArray {
            fun validity(isNull: Boolean) = if (isNull) ints(0b01) else null
            val items = ArrayData.of(6, 0, listOf(null, ints(1, 2, 3, 4, 5, 6)))
            val data = ArrayData.of(2, if (nullData) 1 else 0, listOf(validity(nullData), ints(0, 2, 6)), listOf(items))
            val sizes = ArrayData.of(4, if (nullSize) 1 else 0,
                listOf(if (nullSize) ints(0b0111) else null, ints(1, 2, *shape)))
            return DeviceArray.of(Field.of("t", nullable).withMetadata(field.metadata()), ArrayData.of(
                2,
                0,
                listOf(null),
                listOf(data, ArrayData.of(2, if (nullShape) 1 else 0, listOf(validity(nullShape)), listOf(sizes))),
            ))
        }
        tensors(2, 2).use {
            it.asColumn().getTensor(1).values().toLongArray().toList() shouldBe listOf<Long>(3, 4, 5, 6)
        }
        val wrong = mapOf(
            tensors(3, 2) to "a tensor of shape [3, 2] has 4 elements",
            tensors(2, 3) to "shape[1] = 3, but all tensors have 2", tensors(-2, 2) to "shape[0] = -2",
            tensors(Int.MAX_VALUE, 2) to "a tensor of shape [2147483647, 2] has 4 elements",
            tensors(0, 2) to "a tensor of shape [0, 2] has 4 elements",
            tensors(2, 2, nullData = true) to "the tensor has no data",
            tensors(2, 2, nullShape = true) to "the tensor has no shape",
            tensors(2, 2, nullSize = true) to "shape[1] is null",
        )
        for ((array, why) in wrong) array.use {
            val error = shouldThrow<DeviceException> { it.asColumn().getTensor(1) }
            error.errno() shouldBe Errno.EINVAL
            error.message shouldBe "column \"t\", row 1: $why"
            it.asColumn().getTensor(0).shape() shouldBe listOf(1, 2)
            it.asColumn().get(1) // returns the storage, without an error
        }
    }
})
