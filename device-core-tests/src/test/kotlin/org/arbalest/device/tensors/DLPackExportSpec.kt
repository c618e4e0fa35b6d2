// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.tensors

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.maps.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.internal.abi.RawDLManagedTensorVersioned
import org.arbalest.device.support.CTensors
import org.arbalest.device.support.SeenTensor
import org.arbalest.device.support.see
import org.arbalest.device.support.struct
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Extension.FixedShapeTensor
import org.arbalest.device.types.Field
import org.arbalest.support.CCompiler
import org.arbalest.support.Leaving
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.contract.Held
import java.lang.foreign.MemoryLayout.PathElement.groupElement
import java.lang.foreign.MemorySegment
import java.lang.foreign.StructLayout
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.nio.ByteBuffer
import java.nio.ByteOrder
import kotlin.jvm.optionals.getOrNull

/** Columns exported as DLPack tensors to a consumer in C. */
class DLPackExportSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    fun column(
        field: Field,
        rows: Int,
        fill: (ColumnBuilder) -> Unit,
    ): DeviceArray = BatchBuilder.of(Devices.cpu(), rows).use { batch ->
        batch.column(field).let(fill)
        batch.build().use { it.retainChild(0) }
    }

    fun longs(vararg values: Long?): DeviceArray = column(Field.of("n", DataType.INT64), values.size) { c ->
        values.forEach { if (it == null) c.appendNull() else c.append(it) }
    }

    fun ByteArray.longs() = ByteBuffer.wrap(this).order(ByteOrder.nativeOrder()).asLongBuffer().let { b ->
        List(b.remaining()) { b.get(it) }
    }

    val needed = listOf(CCompiler.commandNeeded)

    test("the fields and sizes of the three structs are those of the C compiler [DLP-01]").config(extensions = needed) {
        fun offsets(layout: StructLayout): List<Pair<String, Long>> {
            val struct = layout.name().get()
            return layout.memberLayouts().mapNotNull { it.name().getOrNull() }
                .map { "$struct.$it" to layout.byteOffset(groupElement(it)) } + (struct to layout.byteSize())
        }
        val java = listOf(DLTensorStruct.LAYOUT, DLManagedTensorStruct.LAYOUT, DLManagedTensorVersionedStruct.LAYOUT)
            .flatMap(::offsets).toMap()
        java shouldContainExactly CTensors.layout.trim().lines().associate { line ->
            line.split(' ').let { (what, bytes) -> what to bytes.toLong() }
        }
    }

    for (form in DLPack.entries) {
        test(
            "$form: a slice is exported without a copy, and its memory is kept until the deleter is called [DLP-02]",
        ) {
            val array = longs(1, 2, 3, 4)
            val buffer = array.asColumn().bufferAddress(1)
            val tensor = array.use { form.exportTensor(it.slice(1, 3)) }
            form.see(tensor) shouldBe
                SeenTensor(Triple(DLTensorStruct.INT, 64, 1), listOf(3), listOf(1), buffer + 8, 0, 1 to 0)
            tensor.byteSize() shouldBe if (form == DLPack.VERSIONED) 80 else 64
            CTensors.read(form, tensor, 24).longs() shouldContainExactly listOf(2L, 3L, 4L)
            Held.now().run { listOf(arrays(), exports(), buffers()) } shouldBe listOf(1L, 1L, 1L)
            CTensors.delete(form, tensor)
            Held.now().isZero shouldBe true
        }

        test("$form: each type has its DLPack code [DLP-02]") {
            val types = mapOf(
                DataType.INT8 to Pair(DLTensorStruct.INT, 8), DataType.INT16 to Pair(DLTensorStruct.INT, 16),
                DataType.INT32 to Pair(DLTensorStruct.INT, 32), DataType.INT64 to Pair(DLTensorStruct.INT, 64),
                DataType.UINT8 to Pair(DLTensorStruct.UINT, 8), DataType.UINT16 to Pair(DLTensorStruct.UINT, 16),
                DataType.UINT32 to Pair(DLTensorStruct.UINT, 32), DataType.UINT64 to Pair(DLTensorStruct.UINT, 64),
                DataType.FLOAT16 to Pair(DLTensorStruct.FLOAT, 16),
                DataType.FLOAT32 to Pair(DLTensorStruct.FLOAT, 32), DataType.FLOAT64 to Pair(DLTensorStruct.FLOAT, 64),
            ).mapKeys { (type, _) -> Field.of("n", type) } + mapOf(Field.bool8("n") to Pair(DLTensorStruct.BOOL, 8))
            for ((field, code) in types) withClue(field) {
                val array = column(field, 2) { c ->
                    repeat(2) {
                        if (field.extension() != null) c.append(true)
                        else if (field.type().toString().startsWith("float")) c.append(1.0) else c.append(1)
                    }
                }
                val tensor = form.exportTensor(array)
                form.see(tensor).dtype shouldBe Triple(code.first, code.second, 1)
                form.delete(tensor)
            }
        }

        test("$form: a column without rows, or of lists without elements, has no data pointer [DLP-03]") {
            val none = form.exportTensor(longs())
            form.see(none).run { Triple(shape, data, byteOffset) } shouldBe Triple(listOf(0L), 0L, 0L)
            CTensors.delete(form, none)
            val array = column(Field.of("t", DataType.fixedSizeList(Field.of("item", DataType.INT64), 0)), 3) { c ->
                repeat(3) { c.appendList(0) }
            }
            val empty = form.exportTensor(array)
            form.see(empty).run { Triple(shape, strides, data) } shouldBe Triple(listOf(3L, 0L), listOf(0L, 1L), 0L)
            CTensors.delete(form, empty)
        }

        test("$form: fixed-size lists and tensors become dimensions, in their logical order [DLP-03]") {
            val inner = Field.of("item", DataType.fixedSizeList(Field.of("item", DataType.INT64), 2))
            val nested = column(Field.of("t", DataType.fixedSizeList(inner, 3)), 4) { c ->
                repeat(4) { row ->
                    c.appendList(3)
                    repeat(3) { i ->
                        c.items().appendList(2).items().append(row * 100L + i * 10).append(row * 100L + i * 10 + 1)
                    }
                }
            }
            val tensor = nested.use { form.exportTensor(it.slice(1, 2)) }
            form.see(tensor).run { shape to strides } shouldBe (listOf(2L, 3L, 2L) to listOf(6L, 2L, 1L))
            CTensors.read(form, tensor, 96).longs() shouldBe (1..2).flatMap { r ->
                (0..2).flatMap { i -> listOf(r * 100L + i * 10, r * 100L + i * 10 + 1) }
            }
            CTensors.delete(form, tensor)

            val items = Devices.cpu().allocate(64).also { buffer ->
                for (i in 0L..7L) buffer.segment().setAtIndex(JAVA_LONG, i, i)
            }
            val shifted =
                ArrayData(2, 0, 1, listOf(null), listOf(ArrayData(6, 0, 2, listOf(null, items), listOf(), null)), null)
            val within = form.exportTensor(
                DeviceArray.of(Field.of("t", DataType.fixedSizeList(Field.of("item", DataType.INT64), 2)), shifted),
            )
            // after the offset of the list and the offset of its child
            CTensors.read(form, within, 32).longs() shouldBe listOf(4L, 5L, 6L, 7L)
            CTensors.delete(form, within)

            val image = Field.of("t", DataType.fixedSizeList(Field.of("item", DataType.INT64), 24))
                .withExtension(FixedShapeTensor(listOf(2, 3, 4), listOf(), listOf(2, 0, 1)))
            val images = column(image, 2) { c ->
                repeat(2) { row -> c.appendTensor(2, 3, 4).items().appendAll(LongArray(24) { row * 100L + it }) }
            }
            val turned = form.exportTensor(images)
            form.see(turned).run { shape to strides } shouldBe (listOf(2L, 4L, 2L, 3L) to listOf(24L, 1L, 12L, 4L))
            CTensors.read(form, turned, 2 * 24 * 8).longs().take(24) shouldBe (0..3L).flatMap { z ->
                (0..1).flatMap { x -> (0..2).map { y -> x * 12 + y * 4 + z } }
            }
            CTensors.delete(form, turned)
        }

        test("$form: several threads that the JVM does not know can call deleters at once [DLP-07]") {
            val tensors = List(60) { form.exportTensor(longs(it.toLong())) }
            Held.now().exports() shouldBe 60
            CTensors.deleteOnThreads(form, tensors, 4)
            Held.now().isZero shouldBe true
        }

        test("$form: a second call of the deleter does nothing, even if another tensor has the same address [DLP-07]") {
            val first = form.exportTensor(longs(1))
            CTensors.delete(form, first)
            CTensors.delete(form, first)
            val second = form.exportTensor(longs(2))
            second.address() shouldBe first.address() // the block is recycled
            Held.now().exports() shouldBe 1
            CTensors.delete(form, second)
            Held.now().isZero shouldBe true
        }
    }

    test("an export has version 1.0 and is read-only; a copy belongs to the consumer, and the array stays [DLP-04]") {
        longs(5, 6).use { array ->
            val shared = DLPack.VERSIONED.exportTensor(array.retain())
            val copy = DLPack.VERSIONED.exportCopy(array, Devices.cpu().memory(), Devices.cpu().defaultStream())
            for ((tensor, flags) in listOf(
                shared to DLManagedTensorVersionedStruct.READ_ONLY, copy to DLManagedTensorVersionedStruct.IS_COPIED,
            )) {
                val at = tensor.address()
                listOf(RawDLManagedTensorVersioned.major(at), RawDLManagedTensorVersioned.minor(at)) shouldBe
                    listOf(1, 0)
                RawDLManagedTensorVersioned.flags(at) shouldBe flags
            }
            MemorySegment.ofAddress(DLPack.VERSIONED.see(copy).data).reinterpret(8).set(JAVA_LONG, 0, 99)
            CTensors.read(DLPack.VERSIONED, copy, 16).longs() shouldBe listOf(99L, 6L)
            CTensors.read(DLPack.VERSIONED, shared, 16).longs() shouldBe listOf(5L, 6L)
            array.asColumn().getLong(0) shouldBe 5
            listOf(shared, copy).forEach { CTensors.delete(DLPack.VERSIONED, it) }
        }
    }

    test(
        "nulls are rejected with the path and their number, but a slice without nulls is exported [DLP-05]",
    ) {
        fun refused(array: DeviceArray): String {
            for (form in DLPack.entries) {
                val error = shouldThrow<DeviceException> { form.exportTensor(array) }
                error.errno() shouldBe Errno.EINVAL
                array.isOpen shouldBe true
                shouldThrow<DeviceException> { form.exportTensor(array, Devices.cpu().defaultStream()) }
                    .message shouldBe error.message
                if (form == DLPack.UNVERSIONED) return error.message!!
            }
            error("DLPack has no forms")
        }
        longs(1, null, null, 4, 5).use { array ->
            refused(array) shouldBe "$.n: 2 of 5 values are null, but a tensor has no nulls"
            array.slice(2, 3).use { refused(it) shouldBe "$.n: 1 of 3 values are null, but a tensor has no nulls" }
            val tensor = DLPack.VERSIONED.exportTensor(array.slice(3, 2))
            CTensors.read(DLPack.VERSIONED, tensor, 16).longs() shouldBe listOf(4L, 5L)
            DLPack.VERSIONED.delete(tensor)
        }
        val lists = Field.of("t", DataType.fixedSizeList(Field.of("x", DataType.INT64), 2))
        column(lists, 3) { c ->
            c.appendList(2).items().append(1).append(2)
            c.appendList(2).items().append(3).appendNull()
            c.appendList(2).items().append(5).append(6)
        }.use { array ->
            refused(array) shouldBe "$.t.x: 1 of 6 values are null, but a tensor has no nulls"
            DLPack.VERSIONED.run { delete(exportTensor(array.slice(2, 1))) }
        }
        column(lists, 2) { c ->
            c.appendList(2).items().append(1).append(2)
            c.appendNull()
        }.use { refused(it) shouldBe "$.t: 1 of 2 values are null, but a tensor has no nulls" }
    }

    test("types without a tensor type are rejected, and the error for bool names alternatives [DLP-05]") {
        val refused = mapOf(
            DataType.BOOL to "$.x is of type bool, of a bit each, and a tensor's booleans are bytes: make the column " +
                "one of arrow.bool8, or of uint8",
            DataType.UTF8 to "$.x is of type utf8, and a tensor has",
            DataType.timestamp(ArrowTimeUnit.SECOND, null) to "$.x is of type timestamp[s], and",
            DataType.DATE32 to "of type date32",
            DataType.decimal128(9, 2) to "of type decimal128",
            DataType.dictionary(DataType.INT8, DataType.INT64) to "of type dictionary",
            DataType.struct(Field.of("a", DataType.INT8)) to "of type struct",
            DataType.list(Field.of("item", DataType.INT8)) to "of type list",
            DataType.fixedSizeList(Field.of("y", DataType.BOOL), 2) to "$.x.y is of type bool",
        )
        for ((type, why) in refused) withClue(type) {
            BatchBuilder.of(Devices.cpu(), 0).use { batch ->
                batch.column(Field.of("x", type))
                batch.build()
            }.use { batch ->
                batch.retainChild(0).use { array ->
                    shouldThrow<IllegalArgumentException> { DLPack.VERSIONED.exportTensor(array) }
                        .message shouldContain why
                    array.isOpen shouldBe true
                }
            }
        }
    }

    test("lists with more elements than memory can hold are rejected, even without rows [DLP-05]") {
        val most = Int.MAX_VALUE
        val type = (1..3).fold(DataType.INT8 as DataType) { inner, _ ->
            DataType.fixedSizeList(Field.of("item", inner), most)
        }
        fun data(depth: Int): ArrayData = ArrayData.of(0, 0, if (depth == 0) listOf(null, Devices.cpu().allocate(0))
        else listOf(null), if (depth == 0) listOf() else listOf(data(depth - 1)))
        DeviceArray.of(Field.of("x", type), data(3)).use { array ->
            shouldThrow<DeviceException> { DLPack.VERSIONED.exportTensor(array) }.message shouldContain
                "do not fit in memory"
        }
    }

    test("a consumed handle cannot be exported, and an export consumes its handle [DLP-02]") {
        val array = longs(1)
        val tensor = DLPack.VERSIONED.exportTensor(array)
        array.isOpen shouldBe false
        shouldThrow<IllegalStateException> { DLPack.VERSIONED.exportTensor(array) }.message shouldContain "retain()"
        DLPack.VERSIONED.delete(tensor)
    }
})

/** A separate process that exits with a tensor that C deletes in an `atexit` handler, on a thread of its own. */
internal object TensorAtExit {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val form = DLPack.valueOf(arguments[0])
        val array = BatchBuilder.of(Devices.cpu(), 1).use { it.int64("n", longArrayOf(1)).build() }
            .use { it.retainChild(0) }
        CTensors.deleteAtExit(form, form.exportTensor(array))
        println("leaving")
        Leaving.valueOf(arguments[1]).leave()
    }
}
