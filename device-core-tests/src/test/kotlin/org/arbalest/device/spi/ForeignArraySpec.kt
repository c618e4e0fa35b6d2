// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeSameInstanceAs
import org.arbalest.device.Device
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Validation
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.fake.FakeExtension
import org.arbalest.testkit.contract.Held
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger
import kotlin.concurrent.thread

/** Arrays in memory that belongs to another owner. */
class ForeignArraySpec : FunSpec({
    extension(ResourceCountersExtension)
    extension(FakeExtension)

    val cpu: Device = Devices.cpu()
    val int64 = Field.of("a", DataType.INT64)

    fun Arena.longs(vararg values: Long) = allocateFrom(ValueLayout.JAVA_LONG, *values)
    fun Arena.ints(vararg values: Int) = allocateFrom(ValueLayout.JAVA_INT, *values)
    fun Arena.bytes(text: String): MemorySegment =
        allocate(text.length.toLong(), 1).copyFrom(MemorySegment.ofArray(text.toByteArray()))
    fun ForeignArray.buffer(segment: MemorySegment): ForeignArray = buffer(segment.address(), segment.byteSize())
    fun never(): Runnable = Runnable { error("the owner of a rejected array was notified") }

    /** Describes a batch with a column of text and a column of lists. */
    fun Arena.described(data: ForeignArray): ForeignArray = data.clear().array(3, 0, 0).buffer(0, 0)
        .array(3, 1, 0).buffer(allocate(8).apply { fill(0b101) }).buffer(ints(0, 1, 1, 3)).buffer(bytes("xyz"))
        .array(3, 0, 0).buffer(0, 0).buffer(ints(0, 0, 2, 3)).array(3, 0, 0).buffer(0, 0).buffer(longs(7, 8, 9))

    val schema = Schema.of(Field.of("t", DataType.UTF8), Field.of("l", DataType.list(Field.of("item", DataType.INT64))))

    test("the array reads the described memory, whole and as a slice, and its description can be reused [ARJ-09]") {
        Arena.ofShared().use { arena ->
            val data = ForeignArray()
            val freed = AtomicInteger()
            repeat(3) {
                ArrayBridge.wrap(schema.asField(), arena.described(data), cpu, freed::incrementAndGet).use { array ->
                    val batch = array.asRecordBatch()
                    data.clear()
                    batch.validate(Validation.FULL)
                    batch.column("t").toList() shouldContainExactly listOf("x", null, "yz")
                    batch.column("l").toList() shouldContainExactly
                        listOf(emptyList<Long>(), listOf(7L, 8L), listOf(9L))
                    batch.slice(1, 2).use {
                        it.column("l").toList() shouldContainExactly listOf(listOf(7L, 8L), listOf(9L))
                    }
                    ArrayBridge.offset(batch) shouldBe 0
                    ArrayBridge.struct(batch).childCount() shouldBe 2
                    batch.slice(1, 2).use { ArrayBridge.offset(it) shouldBe 1 }
                }
            }
            freed.get() shouldBe 3
        }
    }

    test(
        "the owner is notified once, after the last handle, slice, export and queued copy, on any thread [ARJ-09]",
    ) {
        Arena.ofShared().use { arena ->
            val freed = AtomicInteger()
            val origin = Any()
            val batch =
                ArrayBridge.wrap(schema.asField(), arena.described(ForeignArray()), cpu, origin, freed::incrementAndGet)
            ArrayBridge.origin(batch) shouldBeSameInstanceAs origin
            val slice = batch.slice(1, 1)
            ArrayBridge.origin(slice) shouldBeSameInstanceAs origin
            val (array, type) = ArrowArrayStruct.allocate(arena) to ArrowSchemaStruct.allocate(arena)
            CData.exportArray(batch, array, CExport.DATA.schemaTo(type))
            slice.close()
            slice.close()
            freed.get() shouldBe 0
            val back = CData.importBatch(array, CImport.DATA.schema(type))
            back.column("t").getString(2) shouldBe "yz"
            freed.get() shouldBe 0
            thread { back.close() }.join()
            freed.get() shouldBe 1
            BatchBuilder.of(cpu, 1).use { it.int64("a", longArrayOf(1)).build() }.use {
                ArrayBridge.origin(it).shouldBeNull()
            }
            ArrayBridge.wrap(schema.asField(), arena.described(ForeignArray()), cpu, freed::incrementAndGet).use {
                ArrayBridge.origin(it).shouldBeNull()
            }
        }
    }

    test("eight threads that close their handles at once notify the owner once [ARJ-09]") {
        Arena.ofShared().use { arena ->
            val data = ForeignArray()
            repeat(200) {
                val freed = AtomicInteger()
                val handles = ArrayBridge.wrap(schema.asField(), arena.described(data), cpu, freed::incrementAndGet)
                    .use { first -> List(8) { first.retain() } }
                freed.get() shouldBe 0
                val start = CountDownLatch(1)
                handles.map { handle -> thread { start.await().also { handle.close() } } }.also { start.countDown() }
                    .forEach { it.join() }
                freed.get() shouldBe 1
            }
        }
    }

    test("memory on a device is not read [ARJ-09]") {
        val device = Devices.device(DeviceType.EXT_DEV, 0)
        val freed = AtomicInteger()
        device.allocate(24).use { there ->
            val data = ForeignArray().array(3, 0, 0).buffer(0, 0).buffer(there.address(), 24)
            ArrayBridge.wrap(int64, data, device, freed::incrementAndGet).use { it.device() shouldBe device }
        }
        freed.get() shouldBe 1
        // offsets that the CPU cannot read
        val text = ForeignArray().array(2, 0, 0).buffer(0, 0).buffer(8, 12).buffer(8, 5)
        ArrayBridge.wrap(Field.of("t", DataType.UTF8), text, device, freed::incrementAndGet).close()
        freed.get() shouldBe 2
    }

    test("a description that does not fit is rejected with path and numbers, and the owner is not notified [ARJ-09]") {
        Arena.ofConfined().use { arena ->
            fun refused(field: Field, data: ForeignArray): String =
                shouldThrow<DeviceException> { ArrayBridge.wrap(field, data, cpu, never()) }.message!!
            fun one(length: Long, nulls: Long, offset: Long) = ForeignArray().array(length, nulls, offset)
            val longs = arena.longs(1, 2, 3)
            refused(int64, one(4, 0, 0).buffer(0, 0).buffer(longs)) shouldContain
                "the values need 32 bytes, but buffers[1] has 24"
            refused(int64, one(2, 0, 2).buffer(0, 0).buffer(longs)) shouldContain
                "the values need 32 bytes, but buffers[1] has 24"
            refused(int64, one(3, 1, 0).buffer(0, 0).buffer(longs)) shouldContain "null_count = 1"
            refused(int64, one(3, 4, 0).buffer(longs).buffer(longs)) shouldContain "null_count = 4"
            refused(int64, one(-1, 0, 0).buffer(0, 0).buffer(longs)) shouldContain "0 + -1"
            refused(int64, one(3, 0, -1).buffer(0, 0).buffer(longs)) shouldContain "-1 + 3"
            refused(int64, one(3, 0, 0).buffer(longs)) shouldContain
                "there are 1 buffers, but an array of type int64 has 2"
            refused(int64, one(3, 0, 0).buffer(0, 0).buffer(0, 24)) shouldContain "there is no buffer for the values"
            refused(int64, ForeignArray()) shouldContain "there are 0 arrays, but the field has 1"
            refused(int64, one(3, 0, 0).buffer(0, 0).buffer(longs).array(0, 0, 0)) shouldContain
                "there are 2 arrays, but the field has 1"
            refused(schema.asField(), one(3, 0, 0).buffer(0, 0)) shouldContain "there are 1 arrays, but the field has 4"
            refused(Field.of("t", DataType.UTF8), one(2, 0, 0).buffer(0, 0).buffer(arena.ints(0, 1, 9))
                .buffer(arena.bytes("xyz"))) shouldContain "offsets[2] = 9 is beyond the 3 bytes of data"
            val list = Field.of("l", DataType.list(Field.of("item", DataType.INT64)))
            refused(list, one(2, 0, 0).buffer(0, 0).buffer(arena.ints(0, 1, 4)).array(3, 0, 0).buffer(0, 0)
                .buffer(longs)) shouldContain "offsets[2] = 4 is beyond the 3 elements"
            val inner = Schema.of(Field.of("s", DataType.struct(Field.of("x", DataType.INT32))))
            refused(inner.asField(), one(2, 0, 0).buffer(0, 0).array(2, 0, 0).buffer(0, 0).array(2, 0, 0).buffer(0, 0)
                .buffer(longs.address(), 7)) shouldContain
                "$.s.x: the values need 8 bytes, but buffers[1] has 7"
            refused(inner.asField(), one(2, 0, 0).buffer(0, 0).array(2, 0, 0).buffer(0, 0).array(1, 0, 0).buffer(0, 0)
                .buffer(longs)) shouldContain "$.s.x: length = 1, but its parent needs 2"
            refused(Field.of("v", DataType.UTF8_VIEW), one(1, 0, 0).buffer(0, 0).buffer(arena.allocate(16))
                .buffer(0, 20)) shouldContain "variadic buffer 0 is NULL, but its size is 20"
            val many = Schema.of(List(300_000) { int64 })
            refused(many.asField(), one(3, 0, 0).buffer(0, 0).array(3, 0, 0).buffer(0, 0).buffer(longs)) shouldContain
                "there are 2 arrays, but the field has 300001"
            val encoded = Field.of("d", DataType.dictionary(DataType.INT8, DataType.UTF8))
            refused(encoded, one(1, 0, 0).buffer(0, 0).buffer(longs)) shouldContain
                "there are 1 arrays, but the field has 2"
        }
    }

    test("arrays without elements need no offsets, and views may have an empty data buffer at NULL [ARJ-09]") {
        Arena.ofConfined().use { arena ->
            val freed = AtomicInteger()
            val empty = ForeignArray().array(0, 0, 0).buffer(0, 0).buffer(arena.allocate(64)).buffer(arena.allocate(64))
            ArrayBridge.wrap(Field.of("t", DataType.UTF8), empty, cpu, freed::incrementAndGet)
                .use { it.validate(Validation.FULL) }
            val views = ForeignArray().array(1, 0, 0).buffer(0, 0)
                .buffer(arena.ints(2, 'h'.code or ('i'.code shl 8), 0, 0)).buffer(0, 0)
            ArrayBridge.wrap(Field.of("v", DataType.UTF8_VIEW), views, cpu, freed::incrementAndGet).use {
                it.validate(Validation.FULL)
                it.asColumn().getString(0) shouldBe "hi"
            }
            freed.get() shouldBe 2
        }
    }

    test("an exception from the owner's callback is reported, and the array is released anyway [ARJ-09]") {
        Arena.ofConfined().use { arena ->
            val data = ForeignArray().array(1, 0, 0).buffer(0, 0).buffer(arena.longs(1))
            ArrayBridge.wrap(int64, data, cpu) { error("not today") }.close()
            Held.now().isZero shouldBe true
        }
    }

    test("a description grows as needed, and a read beyond its end is an error") {
        val data = ForeignArray()
        shouldThrow<IllegalStateException> { data.buffer(1, 1) }.message shouldContain "without an array"
        repeat(100) { data.array(it.toLong(), 0, 0).buffer(2, 3) }
        data.arrays() shouldBe 100
        data.buffers() shouldBe 100
        data.words() shouldBe 600
        data.word(99 * 6) shouldBe 99
        data.word(599) shouldBe 3
        shouldThrow<IndexOutOfBoundsException> { data.word(600) }
        data.clear().words() shouldBe 0
        shouldThrow<IllegalStateException> { data.buffer(1, 1) }
    }
})
