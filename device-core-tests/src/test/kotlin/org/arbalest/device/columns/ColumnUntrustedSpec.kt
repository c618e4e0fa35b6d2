// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.columns

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeSameInstanceAs
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.internal.abi.RawArrowArrayStream
import org.arbalest.device.internal.abi.RawArrowDeviceArray
import org.arbalest.device.internal.abi.RawArrowDeviceArrayStream
import org.arbalest.device.spi.ArrayBridge
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType
import org.arbalest.device.types.NestedType
import org.arbalest.device.types.NestedType.UnionMode
import org.arbalest.device.types.NestedType.UnionType
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.CPeer
import org.arbalest.support.PeerMoves
import org.arbalest.support.PeerNodes
import org.arbalest.support.PeerStreams
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import org.arbalest.support.fake.FakeDevice
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout
import java.nio.ByteBuffer
import java.nio.ByteOrder

/** Reads of arrays from a peer, which may be malformed. */
class ColumnUntrustedSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    fun ints(vararg values: Int): ByteArray =
        ByteBuffer.allocate(4 * values.size).order(ByteOrder.nativeOrder()).apply { values.forEach(::putInt) }.array()

    fun <T> imported(
        type: DataType,
        make: (MemorySegment) -> Unit,
        look: (DeviceArray) -> T,
    ): T = Arena.ofConfined().use { arena ->
        CData.importArray(arena.struct(StructKind.ARRAY).also(make), CImport.DATA.schema(Field.of("a", type))).use(look)
    }

    fun text(out: MemorySegment, offsets: ByteArray, data: ByteArray?) {
        PeerNodes.array(out, length = offsets.size / 4 - 1L, buffers = 3)
        PeerNodes.setBuffer(out, 1, offsets)
        PeerNodes.setBuffer(out, 2, data)
    }

    test("text with NULL data but offsets above 0 is an error, not a crash [ARR-08]") {
        imported(DataType.UTF8, { text(it, ints(0, 5), null) }) { array ->
            shouldThrow<DeviceException> { array.asColumn().getString(0) }.message!! shouldContain
                "the data is NULL, but the offsets say 5 bytes"
            Arena.ofConfined().use { arena ->
                shouldThrow<DeviceException> { array.asColumn().segment(arena) }.errno() shouldBe Errno.EINVAL
            }
        }
        imported(DataType.UTF8, { text(it, ints(0, 0), null) }) { it.asColumn().getString(0) shouldBe "" }
    }

    test("negative offsets, and offsets that decrease or exceed the end, are errors that name them [ARR-09]") {
        imported(DataType.UTF8, { text(it, ints(-4096, 5), ByteArray(5)) }) { array ->
            shouldThrow<DeviceException> { array.asColumn().getString(0) }.message!! shouldContain "offsets[0] = -4096"
            Arena.ofConfined().use { arena -> shouldThrow<DeviceException> { array.asColumn().segment(arena) } }
        }
        imported(DataType.UTF8, { text(it, ints(0, 4, 2), ByteArray(4)) }) { array ->
            shouldThrow<DeviceException> { array.asColumn().getString(0) }.message!! shouldContain
                "offsets[1] = 4 is beyond the 2"
            shouldThrow<DeviceException> { array.asColumn().getString(1) }.message!! shouldContain
                "offsets[2] = 2 is before offsets[1] = 4"
        }
    }

    test("the segment of a column is read-only, and keeps the array until its arena is closed [OWN-13]") {
        val arena = Arena.ofConfined()
        val segment = imported(DataType.INT32, {
            PeerNodes.array(it, length = 2, buffers = 2)
            PeerNodes.setBuffer(it, 1, ints(7, 8))
        }) { it.asColumn().segment(arena) }
        segment.isReadOnly shouldBe true
        segment.getAtIndex(ValueLayout.JAVA_INT, 1) shouldBe 8
        CPeer.counts().arrays shouldBe 1
        arena.close()
        CPeer.counts().arrays shouldBe 0
    }

    test("an array that the CPU can read is rejected until its event has completed [DEV-04]") {
        Arena.ofConfined().use { arena ->
            val array = arena.struct(StructKind.ARRAY)
            PeerNodes.array(array, length = 1, buffers = 2)
            PeerNodes.setBuffer(array, 1, ints(1))
            val device = arena.struct(StructKind.DEVICE_ARRAY)
            val pinned = Devices.device(DeviceType.CUDA_HOST, 0)
            val event = FakeDevice.of(DeviceType.CUDA_HOST, 0).userEvent()
            val cell = arena.allocateFrom(ValueLayout.JAVA_LONG, event.handle)
            PeerNodes.deviceArray(device, array, deviceId = 0, deviceType = 3, syncEvent = cell)
            CData.importArray(device, CImport.DEVICE.schema(Field.of("a", DataType.INT32))).use {
                it.device() shouldBeSameInstanceAs pinned
                val column = it.asColumn()
                shouldThrow<IllegalStateException> { column.getLong(0) }.message!! shouldContain
                    "has an event that has not completed"
                event.complete()
                column.getLong(0) shouldBe 1
                ArrayBridge.syncEventAddress(it) shouldBe 0
            }
            pinned.adoptEvent(event.handle).close()
        }
    }

    test("pinned memory with device_id −1 belongs to the backend, and is exported with the same id [DEV-16]") {
        for (type in listOf(DeviceType.CUDA_HOST, DeviceType.ROCM_HOST)) {
            Arena.ofConfined().use { arena ->
                val numbered = Devices.device(type, 0)
                val array = arena.struct(StructKind.ARRAY)
                PeerNodes.array(array, length = 2, buffers = 2)
                PeerNodes.setBuffer(array, 1, ints(1, 2))
                val out = arena.struct(StructKind.DEVICE_ARRAY)
                val event = FakeDevice.of(type, 0).userEvent()
                val cell = arena.allocateFrom(ValueLayout.JAVA_LONG, event.handle)
                PeerNodes.deviceArray(out, array, deviceId = -1, deviceType = type.code(), syncEvent = cell)
                val taken = CData.importArray(out, CImport.DEVICE.schema(Field.of("a", DataType.INT32)))
                taken.use {
                    it.device() shouldBeSameInstanceAs Devices.device(type, -1)
                    it.device().let { device ->
                        listOf(device.id(), device.isOpaque, device.isCpuAccessible, device.toString())
                    } shouldBe listOf(-1L, false, true, type.name())
                    shouldThrow<IllegalStateException> { it.asColumn().getLong(0) }
                    event.complete()
                    it.synchronize()
                    it.asColumn().getLong(1) shouldBe 2
                    it.viewOrCopyTo(Devices.cpu()).use { view -> view.asColumn().getLong(0) shouldBe 1 }
                    it.viewOrCopyTo(numbered).use { view -> view.device().id() shouldBe 0 }
                    val stream = it.device().defaultStream()
                    val copy = it.copyTo(it.device(), stream)
                    copy.synchronize()
                    for (handed in listOf(it.retain(), it.slice(1, 1), it.move(), copy)) {
                        handed.use { one -> CData.exportArray(one, out, CExport.DEVICE) }
                        RawArrowDeviceArray.deviceId(out.address()) shouldBe -1
                        RawArrowDeviceArray.deviceType(out.address()) shouldBe type.code()
                        PeerMoves.release(out, StructKind.DEVICE_ARRAY)
                    }
                }
                numbered.adoptEvent(event.handle).close()
            }
        }
        Devices.device(DeviceType.CPU, -1) shouldBeSameInstanceAs Devices.cpu()
        shouldThrow<DeviceException> { Devices.device(DeviceType.CUDA_MANAGED, -1) }.errno() shouldBe Errno.ENOSYS
    }

    test("viewOrCopyTo to the array's own device returns a handle, even without a backend [DEV-09]") {
        Arena.ofConfined().use { arena ->
            val (array, out) = arena.struct(StructKind.ARRAY) to arena.struct(StructKind.DEVICE_ARRAY)
            PeerNodes.array(array, length = 0, buffers = 2)
            PeerNodes.deviceArray(out, array, deviceId = 3, deviceType = 17)
            CData.importArray(out, CImport.DEVICE.schema(Field.of("a", DataType.INT32))).use {
                it.viewOrCopyTo(it.device()).use { same -> same.device() shouldBe it.device() }
            }
        }
    }

    test("a stream whose get_schema or get_next is NULL fails with a DeviceException, and is released [STR-01]") {
        for (isDevice in listOf(false, true)) {
            Arena.ofConfined().use { arena ->
                val stream = arena.struct(if (isDevice) StructKind.DEVICE_STREAM else StructKind.STREAM)
                fun make() = if (isDevice) PeerStreams.deviceStream(stream, batches = 1, rows = 1)
                else PeerStreams.stream(stream, batches = 1, rows = 1)
                fun open() = if (isDevice) CData.importStream(stream, CImport.DEVICE)
                else CData.importStream(stream, CImport.DATA)
                make()
                if (isDevice) RawArrowDeviceArrayStream.setGetSchema(stream.address(), 0)
                else RawArrowArrayStream.setGetSchema(stream.address(), 0)
                shouldThrow<DeviceException> { open() }.message shouldBe "the stream's get_schema is NULL"
                make()
                if (isDevice) RawArrowDeviceArrayStream.setGetNext(stream.address(), 0)
                else RawArrowArrayStream.setGetNext(stream.address(), 0)
                open().use { reader ->
                    shouldThrow<DeviceException> { reader.next() }.message shouldBe "the stream's get_next is NULL"
                }
                CPeer.counts().streams shouldBe 0
            }
        }
    }

    test("a null value of a dictionary reads as null, and a null row's index is ignored [ARR-16]") {
        val type = DataType.dictionary(DataType.INT32, DataType.UTF8)
        imported(type, { out ->
            PeerNodes.array(out, length = 3, nullCount = 1, buffers = 2)
            PeerNodes.setBuffer(out, 0, byteArrayOf(0b011))
            PeerNodes.setBuffer(out, 1, ints(0, 1, 99))
            PeerNodes.setArrayDictionary(out)
            val values = MemorySegment.ofAddress(RawArrowArray.dictionary(out.address()))
                .reinterpret(RawArrowArray.SIZE)
            text(values, ints(0, 1, 1), "v".encodeToByteArray())
            PeerNodes.setBuffer(values, 0, byteArrayOf(0b01))
            RawArrowArray.setNullCount(values.address(), 1)
        }) { array ->
            val column = array.asColumn()
            (0L..2L).map(column::get) shouldBe listOf("v", null, null)
            (0L..2L).map(column::isNull) shouldBe listOf(false, true, true)
            column.nullCount() shouldBe 2
        }
    }

    test(
        "large unsigned numbers are not negative, and unions and run-ends have their values' nulls [ARR-06, READ-09]",
    ) {
        imported(DataType.UINT64, {
            PeerNodes.array(it, length = 1, buffers = 2)
            PeerNodes.setBuffer(it, 1, ByteArray(8) { -1 })
        }) { array ->
            shouldThrow<ArithmeticException> { array.asColumn().getInt(0) }.message!! shouldContain
                "18446744073709551615 does not fit an int"
        }
        val union = UnionType(UnionMode.SPARSE, listOf(0), listOf(Field.of("x", DataType.INT8)))
        imported(union, {
            PeerNodes.array(it, length = 1, buffers = 1, children = 1)
            PeerNodes.setBuffer(it, 0, byteArrayOf(0))
            val child = MemorySegment.ofAddress(RawArrowArray.child(it.address(), 0)).reinterpret(RawArrowArray.SIZE)
            PeerNodes.array(child, length = 1, nullCount = 1, buffers = 2)
            PeerNodes.setBuffer(child, 0, byteArrayOf(0))
            PeerNodes.setBuffer(child, 1, byteArrayOf(0))
        }) { array ->
            val column = array.asColumn()
            listOf(column.isNull(0), column.get(0), column.nullCount()) shouldBe listOf(true, null, 1L)
        }
        val runs = NestedType.RunEndEncodedType(Field.of("run_ends", DataType.INT32).withNullable(false),
            Field.of("x", DataType.NULL))
        imported(runs, {
            PeerNodes.array(it, length = 3, nullCount = -1, children = 2)
            val ends = MemorySegment.ofAddress(RawArrowArray.child(it.address(), 0)).reinterpret(RawArrowArray.SIZE)
            PeerNodes.array(ends, length = 1, buffers = 2)
            PeerNodes.setBuffer(ends, 1, ints(3))
            PeerNodes.array(MemorySegment.ofAddress(RawArrowArray.child(it.address(), 1))
                .reinterpret(RawArrowArray.SIZE), length = 1)
        }) { array -> array.asColumn().nullCount() shouldBe 3 }
    }

    test("a value with more bytes than a Java array is rejected without an OutOfMemoryError [ARR-20]") {
        imported(FlatType.FixedSizeBinaryType(Int.MAX_VALUE), {
            PeerNodes.array(it, length = 1, buffers = 2)
            PeerNodes.setBuffer(it, 1, ints(1))
        }) { array ->
            for (read in listOf<(Column) -> Any?>({ it.getBytes(0) }, { it.get(0) })) {
                shouldThrow<DeviceException> { read(array.asColumn()) }.message shouldBe
                    "column \"a\", row 0: the 2147483647 bytes or elements of one value do not fit a Java array"
            }
        }
        imported(FlatType.FixedSizeBinaryType(0), {
            PeerNodes.array(it, length = 1, buffers = 2)
        }) { array -> array.asColumn().getBytes(0).size shouldBe 0 }
    }

    fun buffer(bytes: ByteArray): DeviceBuffer = Devices.cpu().allocate(bytes.size.toLong()).also {
        it.segment().copyFrom(MemorySegment.ofArray(bytes))
    }

    test("reads and copies reject offsets that exceed the known size of the library's own buffers [ARR-20]") {
        for (nested in listOf(false, true)) {
            val text = ArrayData.of(2, 0, listOf(null, buffer(ints(0, 1, 1 shl 30)), buffer(byteArrayOf(65, 66))))
            val field = Field.of("t", DataType.UTF8)
            val array = if (nested) {
                DeviceArray.of(Schema.of(field).asField(), ArrayData.of(2, 0, listOf(null), listOf(text)),
                    Devices.cpu().defaultStream())
            } else {
                DeviceArray.of(field, text, Devices.cpu().defaultStream())
            }
            array.use {
                val column = if (nested) it.asRecordBatch().column("t") else it.asColumn()
                column.getString(0) shouldBe "A"
                shouldThrow<DeviceException> { column.getString(1) }.message shouldBe
                    "column \"t\", row 1: offsets[2] = 1073741824 is beyond the 2 bytes of data"
                Arena.ofConfined().use { arena -> shouldThrow<DeviceException> { column.segment(arena) } }
                shouldThrow<DeviceException> { it.copyTo(Devices.cpu()) }.message shouldBe
                    (if (nested) "$.t: " else "") + "offsets[2] = 1073741824 is beyond the 2 bytes of data"
                it.slice(0, 1).use { slice -> slice.copyTo(Devices.cpu()) }.use { copy ->
                    (if (nested) copy.asRecordBatch().column("t") else copy.asColumn()).getString(0) shouldBe "A"
                }
            }
        }
    }

    test("reads and copies of a part reject an offset that exceeds the last offset of the array [ARR-20]") {
        val types = listOf(
            NestedType.StructType(listOf(Field.of("t", DataType.UTF8))),
            UnionType(UnionMode.SPARSE, listOf(0), listOf(Field.of("t", DataType.UTF8))),
        )
        for (type in types) {
            imported(type, { out ->
                PeerNodes.array(out, length = 3, buffers = 1, children = 1)
                if (type is UnionType) PeerNodes.setBuffer(out, 0, ByteArray(3))
                val child = MemorySegment.ofAddress(RawArrowArray.child(out.address(), 0))
                    .reinterpret(RawArrowArray.SIZE)
                text(child, ints(0, 1, Int.MAX_VALUE, 3), ByteArray(3) { 65 })
            }) { array ->
                array.retainChild(0).use { texts ->
                    shouldThrow<DeviceException> { texts.asColumn().getString(1) }.message shouldBe
                        "column \"t\", row 1: offsets[2] = 2147483647 is beyond the 3 bytes of data"
                }
                array.slice(0, 2).use { slice ->
                    shouldThrow<DeviceException> { slice.copyTo(Devices.cpu()) }.message shouldBe
                        "$.t: offsets[2] = 2147483647 is beyond the last, offsets[3] = 3"
                }
                array.slice(0, 1).use { slice -> slice.copyTo(Devices.cpu()).close() }
            }
        }
    }

    test("an import with an invalid address leaves the other struct unchanged [OWN-08]") {
        Arena.ofConfined().use { arena ->
            val array = arena.struct(StructKind.ARRAY)
            val schema = arena.struct(StructKind.SCHEMA)
            PeerStreams.batch(array, firstId = 0, rows = 1)
            PeerStreams.batchSchema(schema)
            shouldThrow<IllegalArgumentException> { CData.importArray(array, CImport.DATA.schema(MemorySegment.NULL)) }
            shouldThrow<IllegalArgumentException> { CData.importArray(MemorySegment.NULL, CImport.DATA.schema(schema)) }
            CPeer.counts().releaseCalls shouldBe 0
            CData.importArray(array, CImport.DATA.schema(schema)).close()
        }
    }
})
