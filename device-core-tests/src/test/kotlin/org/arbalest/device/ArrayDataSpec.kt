// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.support.RawArray
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.EveryType
import org.arbalest.support.PeerNodes
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import org.arbalest.support.fake.FakeExtension
import org.arbalest.testkit.contract.Held
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.lang.foreign.ValueLayout.JAVA_INT
import java.nio.ByteBuffer

/** Arrays that are taken apart into [ArrayData] and rebuilt from it. */
class ArrayDataSpec : FunSpec({
    extension(CCompiler.needed)
    extension(FakeExtension)
    extension(ResourceCountersExtension)

    fun ArrayData.all(): List<DeviceBuffer> = buffers().filterNotNull() + children().flatMap { it.all() } +
        (dictionary()?.all() ?: emptyList())

    /** Returns the array after an export and an import, so that the size of its text is unknown. */
    fun DeviceArray.imported(): DeviceArray = Arena.ofConfined().use { arena ->
        val out = arena.struct(StructKind.DEVICE_ARRAY)
        val field = field()
        CData.exportArray(this@imported, out, CExport.DEVICE)
        CData.importArray(out, CImport.DEVICE.schema(field))
    }

    /** Rebuilds the array from its [ArrayData], and closes the original. */
    fun DeviceArray.again(): DeviceArray = use { source ->
        ArrayData.of(source).use { DeviceArray.of(source.field(), it) }
    }

    for ((from, count) in listOf(0L to 30L, 3L to 21L, 8L to 8L, 29L to 1L, 30L to 0L)) {
        test("an array of rows $from to ${from + count} of every type can be rebuilt from its ArrayData [DEV-35]") {
            EveryType.batch(5, 30).use { batch ->
                val expected = batch.slice(from, count).use { EveryType.rows(it) to EveryType.checksum(it.retain()) }
                for (source in listOf(batch.slice(from, count), batch.slice(from, count).imported())) {
                    source.again().use { again ->
                        EveryType.rows(again) to EveryType.checksum(again.retain()) shouldBe expected
                        again.validate(Validation.FULL)
                    }
                }
            }
        }
    }

    test("an ArrayData buffer is the array's own memory, sized for the slice, and keeps it alive [DEV-35]") {
        val ids = BatchBuilder.of(Devices.cpu(), 10).use {
            it.int64("id", LongArray(10) { i -> i * 3L }).utf8("name", List(10) { i -> "n".repeat(i) }).build()
        }
        val address = ids.column("id").bufferAddress(1)
        val data = ids.slice(2, 5).use { ArrayData.of(it) }
        ids.close()
        val (id, name) = data.children()
        id.buffers()[0].shouldBeNull()
        id.buffers()[1]!!.address() shouldBe address
        // the text buffer has a capacity of 64 bytes
        data.all().map { it.size() } shouldContainExactly listOf(8L * 7, 4L * 8, 64L)
        listOf(id.offset(), id.length(), name.offset(), name.length()) shouldContainExactly listOf(2L, 5L, 2L, 5L)
        val last = data.all().last()
        data.all().dropLast(1).forEach { it.close() }
        Held.now().arrays() shouldBe 1
        last.segment().get(JAVA_BYTE, 44) shouldBe 'n'.code.toByte()
        last.close()
        Held.now().arrays() shouldBe 0
    }

    test("the text size of an imported array is read from its offsets, also on a device [DEV-35]") {
        val device = Devices.device(DeviceType.EXT_DEV, 0)
        EveryType.batch(0, 25).use { batch ->
            val expected = EveryType.rows(batch)
            batch.copyTo(device).use { it.synchronize(); it.retain().imported() }.again().use { there ->
                there.copyTo(Devices.cpu()).use { here ->
                    here.synchronize()
                    EveryType.rows(here) shouldBe expected
                }
            }
        }
    }

    test("an imported array without its empty buffers can be rebuilt from its ArrayData [DEV-35]") {
        val absent: Array<ByteBuffer?> = arrayOf(null, null, null)
        fun raw(type: DataType, length: Int, vararg buffers: ByteBuffer?, children: List<RawArray> = emptyList()) =
            RawArray(Field.of("a", type), length, 0, 0, buffers.toMutableList(), children)
        val number = raw(DataType.INT8, 0, *absent.copyOf(2))
        val arrays = listOf(
            raw(DataType.UTF8, 2, null, RawArray.ints(0, 0, 0), null),
            raw(DataType.LARGE_BINARY, 1, null, RawArray.longs(0, 0), null),
            raw(DataType.UTF8_VIEW, 1, null, RawArray.blank(16), null, RawArray.longs(0)),
            raw(DataType.UTF8, 0, *absent), raw(DataType.UTF8_VIEW, 0, *absent), number,
            raw(DataType.list(number.field), 0, *absent.copyOf(2), children = listOf(number)),
            raw(DataType.denseUnion(number.field), 0, *absent.copyOf(2), children = listOf(number)),
            raw(DataType.sparseUnion(number.field), 0, null, children = listOf(number)),
        )
        for (array in arrays) withClue(array.field) {
            Arena.ofConfined().use { arena ->
                CData.importArray(array.laid(arena), CImport.DATA.schema(array.field)).again().use { again ->
                    EveryType.rows(again) shouldBe List(array.length) {
                        if (array.type == DataType.LARGE_BINARY) emptyList<Byte>() else ""
                    }
                    again.validate(Validation.FULL)
                }
            }
        }
    }

    test("a negative last offset is an error with the path, and nothing stays allocated [DEV-35]") {
        Arena.ofConfined().use { arena ->
            val offsets = arena.allocateFrom(JAVA_INT, 0, 4, -7)
            val array = arena.struct(StructKind.ARRAY)
            PeerNodes.array(array, length = 2, buffers = 1, children = 1)
            val child = MemorySegment.ofAddress(RawArrowArray.child(array.address(), 0))
                .reinterpret(RawArrowArray.SIZE)
            PeerNodes.array(child, length = 2, buffers = 3)
            PeerNodes.setForeignBuffer(child, 1, offsets)
            PeerNodes.setForeignBuffer(child, 2, arena.allocate(8))
            CData.importArray(array, CImport.DATA.schema(Schema.of(Field.of("t", DataType.UTF8)))).use { text ->
                val before = ResourceCounters.now()
                shouldThrow<DeviceException> { ArrayData.of(text) }.message shouldContain
                    "$.t: offsets[2] = -7 is negative"
                ResourceCounters.now() shouldBe before
            }
        }
    }

    test("ArrayData.close() closes all nested buffers once, except those that moved into an array [DEV-35]") {
        val batch = EveryType.batch(5, 30)
        val expected = EveryType.rows(batch)
        val before = ResourceCounters.now()
        val data = ArrayData.of(batch)
        shouldThrow<DeviceException> { data.use { DeviceArray.of(Field.of("x", DataType.INT64), it) } }
        ResourceCounters.now() shouldBe before
        data.close()
        ResourceCounters.now() shouldBe before
        for (buffer in data.all()) shouldThrow<IllegalStateException> { buffer.address() }
        val again = ArrayData.of(batch)
        val array = again.use { DeviceArray.of(batch.field(), it) }
        again.close()
        batch.close()
        array.use { EveryType.rows(it) shouldBe expected }
    }

    test("ArrayData.of() rejects a closed array [DEV-35]") {
        val batch = EveryType.batch(0, 3)
        batch.close()
        shouldThrow<IllegalStateException> { ArrayData.of(batch) }
    }
})
