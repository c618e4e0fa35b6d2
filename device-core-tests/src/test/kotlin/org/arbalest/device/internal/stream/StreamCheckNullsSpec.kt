// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.shouldBe
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.Validation
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.IntType
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.Schema
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.fake.FakeDevice
import org.arbalest.support.fake.FakeExtension
import java.lang.foreign.ValueLayout
import kotlin.concurrent.thread

/**
 * Tests of streams with columns that are not nullable, whose arrays have nullable columns. Such an array may have nulls
 * only in places that no consumer sees.
 */
class StreamCheckNullsSpec : FunSpec({
    extension(FakeExtension)
    extension(ResourceCountersExtension)

    val cpu = Devices.cpu()
    val device by lazy { Devices.device(DeviceType.EXT_DEV, 0) }
    val fake by lazy { device.let { FakeDevice.of(DeviceType.EXT_DEV, 0) } }

    fun may(name: String, type: DataType = DataType.INT32) = Field.of(name, type)
    fun not(name: String, type: DataType = DataType.INT32) = may(name, type).withNullable(false)

    fun bits(bits: Int): DeviceBuffer = cpu.allocate(1).also { it.segment().fill(bits.toByte()) }

    /** Returns integers. A bitmap of −1 stands for no bitmap. */
    fun ints(count: Long, valid: Int, nulls: Long): ArrayData =
        ArrayData.of(count, nulls, listOf(if (valid < 0) null else bits(valid), cpu.allocate(4 * count)))

    fun check(field: Field, array: DeviceArray): DeviceArray? =
        DeviceArrayReader.of(field, array.device().type()) { array.retain() }.use { it.next() }

    fun taken(field: Field, array: DeviceArray) = check(field, array)!!.close()

    fun refused(field: Field, array: DeviceArray): String {
        DeviceArrayReader.of(field, array.device().type()) { array.retain() }.use { reader ->
            repeat(2) { shouldThrow<DeviceException> { reader.next() } }
        }
        return shouldThrow<DeviceException> { check(field, array) }.message!!
            .removePrefix("a stream returned an array of another type: ")
    }

    test("a nullable column in a stream that forbids nulls must have no nulls, in each batch [STR-12]") {
        val given = Schema.of(may("zz"))
        fun batch(nulls: Boolean) = RecordBatch.of(given,
            ArrayData.of(2, 0, listOf(null), listOf(if (nulls) ints(2, 1, 1) else ints(2, -1, 0))))
        val all = ArrayDeque(listOf(batch(false), batch(false), batch(true)))
        val schema = Schema.of(not("zz"))
        RecordBatchReader.of(schema, DeviceType.CPU) { all.removeFirst() }.use { reader ->
            repeat(2) { reader.next()!!.close() }
            shouldThrow<DeviceException> { reader.next() }.message shouldBe
                "a stream returned an array of another type: $.zz: row 1: null, but the field is not nullable"
        }
        batch(true).use {
            taken(given.asField(), it)
            shouldThrow<DeviceException> { RecordBatchReader.of(schema, listOf(it)) }.message shouldBe
                "batch 0: a stream returned an array of another type: $.zz: row 1: null, but the field is not nullable"
        }
    }

    test("nulls without a null count are counted, and a slice is checked for its own rows only [STR-12]") {
        for ((valid, row) in listOf(-1 to null, 7 to null, 5 to 1, 3 to 2))
            DeviceArray.of(may("a"), ints(3, valid, -1)).use {
                if (row == null) taken(not("a"), it) else refused(not("a"), it) shouldBe
                    "row $row: null, but the field is not nullable"
            }
        DeviceArray.of(may("a"), ints(3, 5, 1)).use { array ->
            array.slice(2, 1).use { taken(not("a"), it) }
            array.slice(1, 2).use { refused(not("a"), it) shouldBe "row 0: null, but the field is not nullable" }
            array.slice(1, 0).use { taken(not("a"), it) }
        }
    }

    test("nulls below a null struct or list, or in a sparse union's other rows, are hidden [STR-12]") {
        fun struct(x: Field) = may("s", DataType.struct(x))
        for ((outer, isHidden) in listOf(5 to true, 4 to true, 7 to false, -1 to false)) withClue("$outer") {
            val nulls = 3L - (if (outer < 0) 3 else Integer.bitCount(outer))
            DeviceArray.of(
                struct(may("x")),
                ArrayData.of(3, nulls, listOf(if (outer < 0) null else bits(outer)), listOf(ints(3, 5, 1))),
            ).use { array ->
                if (isHidden) taken(struct(not("x")), array) else refused(struct(not("x")), array) shouldBe
                    "$.x: row 1: null, but the field is not nullable"
                array.slice(1, 1).use { if (isHidden) taken(struct(not("x")), it) else refused(struct(not("x")), it) }
            }
        }
        fun lists(item: Field) = may("l", DataType.fixedSizeList(item, 2))
        DeviceArray.of(lists(may("item")), ArrayData.of(2, 1, listOf(bits(2)), listOf(ints(4, 12, 2))))
            .use { taken(lists(not("item")), it) }
        DeviceArray.of(lists(may("item")), ArrayData.of(2, 1, listOf(bits(1)), listOf(ints(4, 12, 2)))).use {
            refused(lists(not("item")), it) shouldBe "$.item: row 0: null, but the field is not nullable"
        }
        fun union(a: Field, b: Field) = may("u", DataType.sparseUnion(a, b))
        fun types(first: Int) = cpu.allocate(2).also { it.segment().set(ValueLayout.JAVA_BYTE, 0, first.toByte()) }
        for (first in listOf(0, 1)) {
            val data = ArrayData.of(2, 0, listOf(types(first)), listOf(ints(2, 3, 0), ints(2, 2, 1)))
            DeviceArray.of(union(may("a"), may("b")), data).use {
                if (first == 0) taken(union(may("a"), not("b")), it)
                else refused(union(may("a"), not("b")), it) shouldBe
                    "$.b: row 0: null, but the field is not nullable"
            }
        }
    }

    test("a dictionary's values may be null regardless of its field, but fields in them may not [STR-12, VAL-02]") {
        fun encoded(values: Field) = may("d", DictionaryType(IntType(8, true), values, false))
        fun of(field: Field, values: ArrayData) =
            DeviceArray.of(field, ArrayData(1, 0, 0, listOf(null, cpu.allocate(1)), listOf(), values))
        of(encoded(may("")), ints(2, 1, 1)).use { taken(encoded(not("")), it) }
        val looked = DeviceArray.of(encoded(may("")),
            ArrayData(1, -1, 0, listOf(bits(1), cpu.allocate(1)), listOf(), ints(2, 1, 1)))
        looked.use { taken(encoded(not("")).withNullable(false), it) }
        fun struct(x: Field) = encoded(may("", DataType.struct(x)))
        of(struct(may("x")), ArrayData.of(2, 0, listOf(null), listOf(ints(2, 1, 1)))).use {
            refused(struct(not("x")), it) shouldBe "$.(dictionary).x: row 1: null, but the field is not nullable"
        }
    }

    test("on a device only the necessary bitmaps are copied, and none for a null count of 0 [STR-12]") {
        fun batch(x: Field, y: Field) = Schema.of(may("s", DataType.struct(x)), y)
        val given = batch(may("x"), may("y")).asField()
        fun array(outer: Int): DeviceArray {
            val struct = ArrayData.of(3, 3L - Integer.bitCount(outer), listOf(bits(outer)), listOf(ints(3, 5, 1)))
            return DeviceArray.of(given, ArrayData.of(3, 0, listOf(null), listOf(struct, ints(3, 7, 0))))
                .use { it.copyTo(device) }
        }
        fun copies(there: DeviceArray, stream: Schema, look: (Field, DeviceArray) -> Unit): List<Long> {
            there.synchronize()
            fake.reset()
            look(stream.asField(), there)
            return fake.copies()
        }
        array(5).use { there ->
            copies(there, batch(may("x"), not("y")), ::taken).shouldBeEmpty()
            // the bitmap with the nulls, and the bitmap of its parent
            copies(there, batch(not("x"), not("y")), ::taken) shouldBe listOf(1L, 1L)
            there.validate(Validation.FULL)
        }
        array(3).use { there ->
            copies(there, batch(not("x"), may("y"))) { field, array ->
                refused(field, array) shouldBe "$.s.x: row 1: null, but the field is not nullable"
            }
        }
    }

    test("a check for nulls waits for the array's event, and other checks do not wait [STR-12]") {
        val pinned = Devices.device(DeviceType.CUDA_HOST, 0)
        val held = FakeDevice.of(DeviceType.CUDA_HOST, 0)
        pinned.createStream().use { stream ->
            held.hold()
            DeviceArray.of(may("a"), ints(3, 5, 1)).use { it.copyTo(pinned, stream) }.use { late ->
                taken(may("b"), late) // no data has to be read
                var said: String? = null
                val looking = thread { said = refused(not("a"), late) }
                while (looking.isAlive && looking.state != Thread.State.WAITING &&
                    looking.state != Thread.State.TIMED_WAITING) Thread.onSpinWait()
                looking.isAlive shouldBe true
                held.release()
                looking.join()
                said shouldBe "row 1: null, but the field is not nullable"
            }
        }
    }
})
