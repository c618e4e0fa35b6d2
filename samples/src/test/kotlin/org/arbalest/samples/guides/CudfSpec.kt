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
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.samples.guides.Cudf.BaseDeviceMemoryBuffer
import org.arbalest.samples.guides.Cudf.ColumnVector
import org.arbalest.samples.guides.Cudf.DeviceMemoryBuffer
import org.arbalest.samples.guides.Cudf.Rmm
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.fake.FakeDevice
import org.arbalest.support.fake.FakeExtension
import org.arbalest.testkit.contract.eventually
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.util.function.LongFunction

/** Device memory, as cuDF's columns and RMM own it. */
private class Memory(val buffer: DeviceBuffer) : DeviceMemoryBuffer {
    override fun getAddress() = buffer.address()
    override fun getLength() = buffer.size()
    override fun close() = buffer.close()
}

/** A column that frees its memory with its last reference, and fails if it is released more often. */
private class FakeColumn(
    private val rows: Long,
    private val nulls: Long,
    private val data: Memory?,
    private val valid: Memory? = null,
    private val offsets: Memory? = null,
) : ColumnVector {
    @Volatile var references = 1

    override fun getData(): BaseDeviceMemoryBuffer? = data
    override fun getValid(): BaseDeviceMemoryBuffer? = valid
    override fun getOffsets(): BaseDeviceMemoryBuffer? = offsets
    override fun getRowCount() = rows
    override fun getNullCount() = nulls
    override fun incRefCount() = apply { references++ }

    override fun close() {
        check(references > 0) { "the column was released too often" }
        if (--references == 0) listOfNotNull(data, valid, offsets).forEach { it.close() }
    }
}

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
                Triple(Field.bool8("paid"), FakeColumn(4, 1, memory(1, 0, 7, 1), bitmap(0b1011)),
                    listOf(true, false, null, true)),
                Triple(Field.of("n", DataType.INT16), FakeColumn(2, 0, memory(1, 0, 2, 1)), listOf(1L, 258L)),
                Triple(
                    Field.of("s", DataType.UTF8),
                    FakeColumn(3, 1, memory('a'.code, 'b'.code, 'c'.code), bitmap(0b101),
                        memory(0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0)),
                    listOf("a", null, "bc"),
                ),
                Triple(Field.of("s", DataType.UTF8), FakeColumn(0, 0, null), listOf()),
            )) {
                val array = CudfJava.wrap(column, field, cudf)
                column.close()
                column.references shouldBe 1
                values(array).map { if (it is Number) it.toLong() else it } shouldBe content
                array.retain().use { array.close() }
                eventually("the queued copy is done, and the column is released") { column.references == 0 }
            }
        }
    }

    test("a column is released after the work that cuDF has queued when the array is closed") {
        device.createStream().use { cudf ->
            val data = memory(1, 2, 3, 4)
            val column = FakeColumn(4, 0, data)
            val array = CudfJava.wrap(column, Field.of("n", DataType.INT8), cudf)
            column.close()
            array.synchronize()
            fake.hold()
            fake.launch(cudf, data.address, 4) { it.fill(0) } // this work also reads
            array.close()
            column.references shouldBe 1
            fake.release()
            eventually("the column is released") { column.references == 0 }
        }
    }

    test("a column that does not fit the field is released as often as it was counted") {
        device.createStream().use { cudf ->
            val column = FakeColumn(4, 0, memory(1, 2, 3))
            shouldThrow<RuntimeException> { CudfJava.wrap(column, Field.of("n", DataType.INT64), cudf) }
            eventually("the array's reference is released") { column.references == 1 }
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
                        array.copyTo(CudfJava.rmm(cudf), other).use { copy ->
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
