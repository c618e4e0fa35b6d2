// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.coroutines.*
import org.arbalest.device.Device
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.MemoryManager
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.samples.guides.Cudf.ColumnVector
import org.arbalest.samples.guides.Cudf.DType
import org.arbalest.samples.guides.Cudf.DeviceMemoryBuffer
import org.arbalest.samples.guides.Cudf.Rmm
import org.arbalest.samples.guides.Cudf.Table
import org.arbalest.samples.guides.CudfJava.RmmAllocator
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.fake.FakeDevice
import org.arbalest.support.fake.FakeExtension
import org.arbalest.testkit.contract.eventually
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.util.Optional
import java.util.function.LongFunction

/** Device memory, as cuDF's columns and RMM own it: freed with the last reference to it or to a slice. */
private class Memory(
    private val buffer: DeviceBuffer,
    private val address: Long = buffer.address(),
    private val length: Long = buffer.size(),
    private val owner: Memory? = null,
) : DeviceMemoryBuffer {
    private var references = 1

    override fun getAddress() = address
    override fun getLength() = length

    override fun slice(offset: Long, length: Long): DeviceMemoryBuffer {
        check(offset >= 0 && offset + length <= this.length)
        references++
        return Memory(buffer, address + offset, length, this)
    }

    override fun close() {
        check(references > 0) { "memory was closed too often" }
        if (--references > 0) return
        if (owner == null) buffer.close() else owner.close()
    }
}

private fun fakeColumn(rows: Long, nulls: Long, data: Memory?, valid: Memory? = null, offsets: Memory? = null) =
    ColumnVector(DType.INT64, rows, Optional.of(nulls), data, valid, offsets)

/** Serves one block again as soon as it is closed, like RMM: only later work in the stream of the close may use it. */
private class StreamOrderedPool(device: Device) : AutoCloseable {
    val block = 4096L
    private val memory = device.allocate(block)

    @Volatile var inUse = 0

    init {
        Rmm.resource = LongFunction { bytes ->
            check(bytes <= block && inUse++ == 0) { "the pool has one block of $block bytes" }
            object : DeviceMemoryBuffer {
                override fun getAddress() = memory.address()
                override fun getLength() = bytes
                override fun slice(offset: Long, length: Long) = error("not used")
                override fun close() {
                    inUse--
                }
            }
        }
    }

    override fun close() = memory.close()
}

/** Runs the programs for cuDF against columns that count like cuDF's, on a simulated device. */
class CudfSpec : FunSpec({
    extension(ResourceCountersExtension)
    extension(FakeExtension)

    val device: Device by lazy { Devices.device(DeviceType.EXT_DEV, 0) }
    val fake by lazy { device.let { FakeDevice.of(DeviceType.EXT_DEV, 0) } }

    fun memory(vararg bytes: Int): Memory = Devices.cpu().allocate(bytes.size.toLong()).use { here ->
        val content = ByteArray(bytes.size) { bytes[it].toByte() }
        MemorySegment.copy(content, 0, here.segment(), JAVA_BYTE, 0, content.size)
        Memory(here.copyTo(device.memory()))
    }

    /** A bitmap is padded to 64 bytes. */
    fun bitmap(bits: Int) = memory(bits, *IntArray(63))

    fun values(array: DeviceArray): List<Any?> = array.copyTo(Devices.cpu()).use { copy ->
        copy.synchronize()
        copy.asColumn().let { column -> (0 until column.length()).map { column.get(it) } }
    }

    test("an array keeps a cuDF column until the last reference to it is closed") {
        device.createStream().use { cudf ->
            for ((field, column, content) in listOf(
                Triple(Field.bool8("paid"), fakeColumn(4, 1, memory(1, 0, 7, 1), bitmap(0b1011)),
                    listOf(true, false, null, true)),
                Triple(Field.of("n", DataType.INT16), fakeColumn(2, 0, memory(1, 0, 2, 1)), listOf(1L, 258L)),
                Triple(
                    Field.of("s", DataType.UTF8),
                    fakeColumn(3, 1, memory('a'.code, 'b'.code, 'c'.code), bitmap(0b101),
                        memory(0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0)),
                    listOf("a", null, "bc"),
                ),
                Triple(Field.of("s", DataType.UTF8), fakeColumn(0, 0, null), listOf()),
            )) {
                val array = CudfJava.wrap(column, field, cudf)
                column.close()
                column.references() shouldBe 1
                values(array).map { if (it is Number) it.toLong() else it } shouldBe content
                array.retain().use { array.close() }
                eventually("the queued copy is done, and the column is released") { column.references() == 0 }
            }
        }
    }

    test("a column is released after the work that cuDF has queued when the array is closed") {
        device.createStream().use { cudf ->
            val data = memory(1, 2, 3, 4)
            val column = fakeColumn(4, 0, data)
            val array = CudfJava.wrap(column, Field.of("n", DataType.INT8), cudf)
            column.close()
            array.synchronize()
            fake.hold()
            fake.launch(cudf, data.address, 4) { it.fill(0) } // this work also reads
            array.close()
            column.references() shouldBe 1
            fake.release()
            eventually("the column is released") { column.references() == 0 }
        }
    }

    test("text with 64-bit offsets, which cuDF reports as 32-bit ones, is refused as utf8 and read as large_utf8") {
        device.createStream().use { cudf ->
            val text = memory(*"abcde".map { it.code }.toIntArray())
            val offsets = memory(*IntArray(24).also { it[8] = 5; it[16] = 5 }) // as 32-bit ones: "", "abcde"
            val reported = object : DeviceMemoryBuffer by offsets {
                override fun getLength() = 12L
            }
            val column = object : ColumnVector(DType.STRING, 2, Optional.of(0), text, null, offsets) {
                override fun getOffsets() = reported
            }
            shouldThrow<IllegalArgumentException> { CudfJava.wrap(column, Field.of("s", DataType.UTF8), cudf) }
                .message shouldContain "24 bytes of offsets for 2 rows"
            CudfJava.wrap(column, Field.of("s", DataType.LARGE_UTF8), cudf)
                .use { values(it) shouldBe listOf("abcde", "") }
            eventually("the arrays' references are released") { column.references() == 1 }
            column.close()
        }
    }

    test("a table is a record batch while the batch is open, and a field too many releases all") {
        device.createStream().use { cudf ->
            val columns = listOf(
                fakeColumn(3, 1, memory(*IntArray(24).also { it[0] = 1; it[16] = 3 }), bitmap(0b101)),
                fakeColumn(3, 0, memory(7, 8, 9)),
            )
            val schema = Schema.of(Field.of("n", DataType.INT64), Field.of("b", DataType.INT8))
            val table = Table(*columns.toTypedArray())
            columns.forEach { it.close() }
            shouldThrow<IllegalArgumentException> {
                CudfJava.wrap(table, Schema.of(Field.of("n", DataType.INT64)), cudf)
            }.message shouldContain "2 columns for"
            shouldThrow<RuntimeException> {
                CudfJava.wrap(table, Schema.of(Field.of("n", DataType.INT64), Field.of("b", DataType.INT64)), cudf)
            }
            eventually("only the table has references") { columns.all { it.references() == 1 } }
            val batch = CudfJava.wrap(table, schema, cudf)
            table.close()
            batch.copyTo(Devices.cpu()).use { copy ->
                copy.synchronize()
                copy["n"].let { n -> (0L until 3).map { n.get(it) } } shouldBe listOf(1L, null, 3L)
                copy["b"].let { b -> (0L until 3).map { (b.get(it) as Number).toInt() } } shouldBe listOf(7, 8, 9)
            }
            batch.close()
            eventually("the columns are released") { columns.all { it.references() == 0 } }
        }
    }

    test("a record batch becomes a table in RMM's memory, which is one block and lives as long as a column of it") {
        var blocks = 0
        Rmm.resource = LongFunction { bytes -> Memory(device.allocate(bytes)).also { blocks++ } }
        val (n, s, d) = listOf(DataType.INT64, DataType.UTF8, DataType.INT16)
        val schema = Schema.of(Field.of("n", n), Field.of("s", s), Field.of("d", d))
        device.createStream().use { cudf ->
            Devices.cpu().batch {
                int64("n", listOf(1L, null, 3L))
                utf8("s", listOf("a", "", "bcd"))
                int16("d", shortArrayOf(4, 5, 6))
            }.use { batch ->
                val types = listOf(DType.INT64, DType.STRING, DType.INT16)
                shouldThrow<IllegalArgumentException> { CudfJava.table(batch, types.drop(1), RmmAllocator(), cudf) }
                    .message shouldContain "2 types for 3 columns"
                blocks = 0
                val table = CudfJava.table(batch, types, RmmAllocator(), cudf)
                blocks shouldBe 1
                (0 until 3).map { table.getColumn(it).type } shouldBe types
                (0 until 3).map { table.getColumn(it).getNullCount() } shouldBe listOf(1L, 0L, 0L)
                CudfJava.wrap(table, schema, cudf).use { back ->
                    table.close()
                    back.copyTo(Devices.cpu()).use {
                        it.synchronize()
                        it.contentEquals(batch) shouldBe true
                    }
                }
                batch.slice(1, 2).use { slice ->
                    shouldThrow<IllegalArgumentException> { CudfJava.table(slice, types, RmmAllocator(), cudf) }
                        .message shouldContain "compact()"
                }
            }
        }
    }

    test("a column that does not fit the field is released as often as it was counted") {
        device.createStream().use { cudf ->
            val column = fakeColumn(4, 0, memory(1, 2, 3))
            shouldThrow<RuntimeException> { CudfJava.wrap(column, Field.of("n", DataType.INT64), cudf) }
            eventually("the array's reference is released") { column.references() == 1 }
            column.close()
        }
    }

    test("a compact slice has the addresses that cuDF takes, and a slice with an offset is rejected") {
        Devices.cpu().batch { utf8("s", listOf("a", null, "bc", "d")) }.use { it.retainChild(0) }.use { all ->
            all.slice(1, 3).use { slice ->
                shouldThrow<IllegalArgumentException> { CudfJava.addresses(slice) }.message shouldContain "compact()"
                slice.copyTo(device).use { there ->
                    shouldThrow<IllegalArgumentException> { CudfJava.addresses(there) }.message shouldContain "offset"
                }
                slice.compact().use { it.copyTo(device) }.use { there ->
                    there.synchronize()
                    val found = CudfJava.addresses(there)
                    val column = there.asColumn()
                    found shouldBe CudfJava.Addresses(
                        3, 1, column.bufferAddress(0), column.bufferAddress(1), column.bufferAddress(2),
                    )
                    (found.valid() != 0L && found.offsets() != 0L) shouldBe true
                }
            }
        }
    }

    test("text with 64-bit offsets is not given to cuDF, which takes only 32-bit ones") {
        Devices.cpu().batch { largeUtf8("s", listOf("abcde", "")) }.use { batch ->
            batch.retainChild(0).use { text ->
                shouldThrow<IllegalArgumentException> { CudfJava.addresses(text) }.message shouldContain "32 bits"
            }
        }
    }

    test("a column of bits is rejected, since cuDF would read them as bytes") {
        Devices.cpu().batch { bool("b", listOf(true, null)) }.use { it.retainChild(0) }.use { bits ->
            shouldThrow<IllegalArgumentException> { CudfJava.addresses(bits) }.message shouldBe "cuDF takes no bits"
        }
    }

    test("a copied slice that begins at a multiple of 8 rows has the addresses that cuDF takes") {
        val values = List(20) { if (it % 3 == 0) null else it.toLong() }
        Devices.cpu().batch { int64("n", values) }.use { it.retainChild(0) }
            .use { all ->
                all.slice(8, 9).use { it.copyTo(device) }.use { there ->
                    there.synchronize()
                    CudfJava.addresses(there).run { rows() to nulls() } shouldBe (9L to 3L)
                }
            }
    }

    test("arrays are copied to memory of RMM in the order of cuDF's stream, and RMM gets each block back") {
        device.createStream().use { cudf ->
            StreamOrderedPool(device).use { pool ->
                fake.hold()
                Rmm.alloc(pool.block).use { used -> fake.launch(cudf, used.address, used.length) { it.fill(0x77) } }
                Devices.cpu().batch { int64("n", longArrayOf(1, 2, 3)) }.use { it.retainChild(0) }.use { array ->
                    device.createStream().use { other ->
                        array.copyTo(MemoryManager.of(cudf, RmmAllocator()), other).use { copy ->
                            pool.inUse shouldBe 1
                            while (fake.step(other)) Unit
                            fake.release() // cuDF's stream continues
                            values(copy) shouldBe listOf(1L, 2L, 3L)
                        }
                    }
                }
                eventually("the block is free") { pool.inUse == 0 }
            }
        }
    }
})
