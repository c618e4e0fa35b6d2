package org.arbalest.testkit

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeSameInstanceAs
import org.arbalest.device.DataType
import org.arbalest.device.DataType.DictionaryType
import org.arbalest.device.DataType.UnionMode
import org.arbalest.device.DataType.UnionType
import org.arbalest.device.DataTypes
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Field
import org.arbalest.device.abi.ArrowArrayStruct
import org.arbalest.device.abi.DeviceType
import org.arbalest.device.abi.Errno
import org.arbalest.testkit.fake.FakeDevice
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout
import java.nio.ByteBuffer
import java.nio.ByteOrder

/** Reading what a peer wrote, without trusting it. */
class UntrustedReadSpec : FunSpec({
    extension(CCompiler.needed)
    extension(LedgerExtension)

    fun ints(vararg values: Int): ByteArray =
        ByteBuffer.allocate(4 * values.size).order(ByteOrder.nativeOrder()).apply { values.forEach(::putInt) }.array()

    fun <T> imported(type: DataType, make: (MemorySegment) -> Unit, look: (DeviceArray) -> T): T = Arena.ofConfined().use { arena ->
        DeviceArray.importArray(arena.struct(StructKind.ARRAY).also(make), Field.of("a", type)).use(look)
    }

    fun text(out: MemorySegment, offsets: ByteArray, data: ByteArray?) {
        PeerNodes.array(out, length = offsets.size / 4 - 1L, buffers = 3)
        PeerNodes.setBuffer(out, 1, offsets)
        PeerNodes.setBuffer(out, 2, data)
    }

    test("ARR-08 text whose data is NULL although its offsets speak of some is an error, not a crash") {
        imported(DataTypes.UTF8, { text(it, ints(0, 5), null) }) { array ->
            shouldThrow<DeviceException> { array.asColumn().getString(0) }.message!! shouldContain "the data is NULL, but the offsets say 5 bytes"
            Arena.ofConfined().use { arena -> shouldThrow<DeviceException> { array.asColumn().segment(arena) }.errno() shouldBe Errno.EINVAL }
        }
        imported(DataTypes.UTF8, { text(it, ints(0, 0), null) }) { it.asColumn().getString(0) shouldBe "" }
    }

    test("ARR-09 offsets that are negative, or go back, or beyond the end, are errors that name them") {
        imported(DataTypes.UTF8, { text(it, ints(-4096, 5), ByteArray(5)) }) { array ->
            shouldThrow<DeviceException> { array.asColumn().getString(0) }.message!! shouldContain "offsets[0] = -4096"
            Arena.ofConfined().use { arena -> shouldThrow<DeviceException> { array.asColumn().segment(arena) } }
        }
        imported(DataTypes.UTF8, { text(it, ints(0, 4, 2), ByteArray(4)) }) { array ->
            shouldThrow<DeviceException> { array.asColumn().getString(0) }.message!! shouldContain "offsets[1] = 4 is beyond the 2"
            shouldThrow<DeviceException> { array.asColumn().getString(1) }.message!! shouldContain "offsets[2] = 2 is before offsets[1] = 4"
        }
    }

    test("OWN-13 the segment of a column is read-only, and holds the array until the arena is closed") {
        val arena = Arena.ofConfined()
        val segment = imported(DataTypes.INT32, {
            PeerNodes.array(it, length = 2, buffers = 2)
            PeerNodes.setBuffer(it, 1, ints(7, 8))
        }) { it.asColumn().segment(arena) }
        segment.isReadOnly shouldBe true
        segment.getAtIndex(ValueLayout.JAVA_INT, 1) shouldBe 8
        CPeer.counts().arrays shouldBe 1
        arena.close()
        CPeer.counts().arrays shouldBe 0
    }

    test("DEV-04 an array with a pending event is not read, although the CPU could; when it has completed, it is") {
        Arena.ofConfined().use { arena ->
            val array = arena.struct(StructKind.ARRAY)
            PeerNodes.array(array, length = 1, buffers = 2)
            PeerNodes.setBuffer(array, 1, ints(1))
            val device = arena.struct(StructKind.DEVICE_ARRAY)
            val pinned = Devices.device(DeviceType.CUDA_HOST, 0)
            val event = FakeDevice.of(DeviceType.CUDA_HOST, 0).userEvent()
            val cell = arena.allocateFrom(ValueLayout.JAVA_LONG, event.handle)
            PeerNodes.deviceArray(device, array, deviceId = 0, deviceType = 3, syncEvent = cell)
            DeviceArray.importDeviceArray(device, Field.of("a", DataTypes.INT32)).use {
                it.device() shouldBeSameInstanceAs pinned
                val column = it.asColumn()
                shouldThrow<DeviceException> { column.getLong(0) }.message!! shouldContain "has an event that must be waited for first"
                event.complete()
                column.getLong(0) shouldBe 1
                it.syncEventAddress() shouldBe 0
            }
            pinned.adoptEvent(event.handle).close()
        }
    }

    test("ARR-16 a value of a dictionary that is null is null, and what stands beneath a null index is not looked at") {
        val type = DictionaryType(DataTypes.INT32, Field.of("", DataTypes.UTF8), false)
        imported(type, { out ->
            PeerNodes.array(out, length = 3, nullCount = 1, buffers = 2)
            PeerNodes.setBuffer(out, 0, byteArrayOf(0b011))
            PeerNodes.setBuffer(out, 1, ints(0, 1, 99))
            PeerNodes.setArrayDictionary(out)
            val values = MemorySegment.ofAddress(ArrowArrayStruct.dictionary(out.address())).reinterpret(ArrowArrayStruct.SIZE)
            text(values, ints(0, 1, 1), "v".encodeToByteArray())
            PeerNodes.setBuffer(values, 0, byteArrayOf(0b01))
            ArrowArrayStruct.setNullCount(values.address(), 1)
        }) { array ->
            val column = array.asColumn()
            (0L..2L).map(column::get) shouldBe listOf("v", null, null)
            (0L..2L).map(column::isNull) shouldBe listOf(false, true, true)
            column.nullCount() shouldBe 2
        }
    }

    test("an unsigned number that no int holds is not read as a negative one, and nulls beneath unions are not denied") {
        imported(DataTypes.UINT64, {
            PeerNodes.array(it, length = 1, buffers = 2)
            PeerNodes.setBuffer(it, 1, ByteArray(8) { -1 })
        }) { array ->
            shouldThrow<ArithmeticException> { array.asColumn().getInt(0) }.message!! shouldContain "18446744073709551615 does not fit an int"
        }
        val union = UnionType(UnionMode.SPARSE, listOf(0), listOf(Field.of("x", DataTypes.INT8)))
        imported(union, {
            PeerNodes.array(it, length = 1, buffers = 1, children = 1)
            PeerNodes.setBuffer(it, 0, byteArrayOf(0))
            val child = MemorySegment.ofAddress(ArrowArrayStruct.child(it.address(), 0)).reinterpret(ArrowArrayStruct.SIZE)
            PeerNodes.array(child, length = 1, nullCount = 1, buffers = 2)
            PeerNodes.setBuffer(child, 0, byteArrayOf(0))
            PeerNodes.setBuffer(child, 1, byteArrayOf(0))
        }) { array -> shouldThrow<UnsupportedOperationException> { array.asColumn().isNull(0) } }
    }

    test("OWN-08 an array or a schema in a bad segment leaves both structs alone") {
        Arena.ofConfined().use { arena ->
            val array = arena.struct(StructKind.ARRAY)
            val schema = arena.struct(StructKind.SCHEMA)
            PeerStreams.batch(array, firstId = 0, rows = 1)
            PeerStreams.batchSchema(schema)
            shouldThrow<IllegalArgumentException> { DeviceArray.importArray(array, MemorySegment.NULL) }
            shouldThrow<IllegalArgumentException> { DeviceArray.importArray(MemorySegment.NULL, schema) }
            CPeer.counts().releaseCalls shouldBe 0
            DeviceArray.importArray(array, schema).close()
        }
    }
})
