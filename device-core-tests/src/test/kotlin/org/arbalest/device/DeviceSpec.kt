// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeSameInstanceAs
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.ArrowDeviceArrayStruct
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.ext.PHANTOM
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.internal.abi.RawArrowDeviceArray
import org.arbalest.device.internal.abi.RawArrowSchema
import org.arbalest.device.spi.ArrayBridge
import org.arbalest.device.support.garbage
import org.arbalest.device.support.shouldBeGarbage
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.CPeer
import org.arbalest.support.PeerMoves
import org.arbalest.support.PeerNodes
import org.arbalest.support.PeerStreams
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind.DEVICE_ARRAY
import org.arbalest.support.StructKind.SCHEMA
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE

private val BATCH = Schema.of(Field.of("id", DataType.INT64), Field.of("name", DataType.UTF8))

class DeviceSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    lateinit var arena: Arena
    beforeTest { arena = Arena.ofConfined() }
    afterTest { arena.close() }

    /** Returns uninitialized memory for a struct; every byte is 0xA5. */
    fun dirty(size: Long = RawArrowDeviceArray.SIZE): MemorySegment = arena.allocate(size, 8).fill(0xA5.toByte())

    fun peerBatch(
        type: Int,
        id: Long,
        event: MemorySegment = MemorySegment.NULL,
        dirtyReserved: Boolean = false,
    ): MemorySegment {
        val array = arena.allocate(ArrowArrayStruct.LAYOUT)
        PeerStreams.batch(array, firstId = 0, rows = 10)
        return arena.allocate(ArrowDeviceArrayStruct.LAYOUT).also {
            PeerNodes.deviceArray(it, array, id, type, event, dirtyReserved)
        }
    }

    /** Returns a `struct<id: int64, name: utf8>` whose buffers have addresses that the CPU cannot access. */
    fun phantomBatch(type: Int, id: Long, event: MemorySegment, nullCount: Long = 1): MemorySegment {
        val array = arena.allocate(ArrowArrayStruct.LAYOUT)
        PeerNodes.array(array, length = 10, buffers = 1, children = 2)
        for ((i, buffers) in listOf(2L, 3L).withIndex()) {
            val child = MemorySegment.ofAddress(RawArrowArray.child(array.address(), i.toLong()))
            PeerNodes.array(child, length = 10, nullCount = nullCount, buffers = buffers)
            for (b in 0 until buffers) PeerNodes.setForeignBuffer(child, b, MemorySegment.ofAddress(PHANTOM + 4096 * b))
        }
        return arena.allocate(ArrowDeviceArrayStruct.LAYOUT).also { PeerNodes.deviceArray(it, array, id, type, event) }
    }

    fun batchOnCpu(): RecordBatch =
        BatchBuilder.of(Devices.cpu(), 3).use {
            it.int64("id", longArrayOf(1, 2, 3)).utf8("name", listOf("a", null, "c")).build()
        }

    test("an export from the CPU has device id -1 and no event [DEV-02]") {
        val out = dirty()
        CData.exportArray(batchOnCpu(), out, CExport.DEVICE)
        RawArrowDeviceArray.deviceType(out.address()) shouldBe 1
        RawArrowDeviceArray.deviceId(out.address()) shouldBe -1
        RawArrowDeviceArray.syncEvent(out.address()) shouldBe 0
        Devices.cpu().id() shouldBe -1
        PeerMoves.releaseOnThread(out, DEVICE_ARRAY) shouldBe true
    }

    for (id in listOf(-1L, 0L)) {
        test("an import with CPU device id $id is on the CPU, and is exported with id -1 [DEV-02]") {
            CData.importBatch(peerBatch(1, id), CImport.DEVICE.schema(BATCH)).use { array ->
                array.device() shouldBeSameInstanceAs Devices.cpu()
                array.column("id").toLongArray() shouldBe LongArray(10) { it.toLong() }
                val out = dirty()
                CData.exportArray(array.retain(), out, CExport.DEVICE)
                RawArrowDeviceArray.deviceId(out.address()) shouldBe -1
                PeerMoves.release(out, DEVICE_ARRAY)
            }
        }
    }

    test("the ids 0 and -1 find the same CPU device [DEV-02]") {
        Devices.device(DeviceType.CPU, 0) shouldBeSameInstanceAs Devices.cpu()
        Devices.device(DeviceType.CPU, -1) shouldBeSameInstanceAs Devices.cpu()
    }

    test("an import rejects a CPU array with an event, and releases it [DEV-04]") {
        val event = arena.allocate(8)
        val array = peerBatch(1, 0, event)
        val error = shouldThrow<DeviceException> { CData.importArray(array, CImport.DEVICE.schema(BATCH)) }
        error.errno() shouldBe Errno.EINVAL
        error.message!! shouldContain "sync_event"
        CPeer.counts().arrays shouldBe 0
    }

    test("an export writes zeros to the reserved bytes and the padding [DEV-07]") {
        val out = dirty()
        CData.exportArray(batchOnCpu(), out, CExport.DEVICE)
        out.asSlice(92, 4).toArray(JAVA_BYTE) shouldBe ByteArray(4)
        out.asSlice(104, 24).toArray(JAVA_BYTE) shouldBe ByteArray(24)
        PeerMoves.release(out, DEVICE_ARRAY)
    }

    test("an import accepts garbage in the reserved bytes, and an export does not repeat it [DEV-07]") {
        CData.importBatch(peerBatch(1, -1, dirtyReserved = true), CImport.DEVICE.schema(BATCH)).use { array ->
            array.column("name").getString(3) shouldBe "row-3"
            val out = dirty()
            CData.exportArray(array.retain(), out, CExport.DEVICE)
            out.asSlice(104, 24).toArray(JAVA_BYTE) shouldBe ByteArray(24)
            PeerMoves.release(out, DEVICE_ARRAY)
        }
    }

    // New codes of DLPack, the code 0, a negative code, the fake backend's type with ids that it does not have, and
    // types without a driver.
    for ((type, id) in listOf(17 to 0L, 18 to 5L, 0 to 0L, -7 to -1L, 12 to 99L, 12 to -1L, 9 to 0L, 14 to 2L)) {
        val name = DeviceType(type).name()

        test("an array on $name:$id is imported as opaque, with a readable structure [DEV-09]") {
            val event = arena.allocate(8)
            CData.importBatch(phantomBatch(type, id, event), CImport.DEVICE.schema(BATCH)).use { array ->
                array.device().isOpaque shouldBe true
                array.device().type().code() shouldBe type
                array.device().id() shouldBe id
                array.length() shouldBe 10
                array.schema() shouldBe BATCH
                ArrayBridge.syncEventAddress(array) shouldBe event.address()
                array.column("name").length() shouldBe 10
                array.column("name").nullCount() shouldBe 1
            }
            CPeer.counts().arrays shouldBe 0
        }

        test("an array on $name:$id is exported with its type, its id and its event [DEV-09]") {
            val event = arena.allocate(8)
            val array = CData.importArray(phantomBatch(type, id, event), CImport.DEVICE.schema(BATCH))
            val pieces =
                listOf(array.slice(2, 5), array.retainChild(0), array.retainChild(1).use { it.slice(3, 4) }, array)
            val lengths = listOf(5L, 10L, 4L, 10L)
            for ((piece, length) in pieces.zip(lengths)) {
                val out = dirty()
                CData.exportArray(piece, out, CExport.DEVICE)
                RawArrowArray.length(out.address()) shouldBe length
                RawArrowDeviceArray.deviceType(out.address()) shouldBe type
                RawArrowDeviceArray.deviceId(out.address()) shouldBe id
                RawArrowDeviceArray.syncEvent(out.address()) shouldBe event.address()
                CPeer.counts().releaseCalls shouldBe 0
                PeerMoves.releaseLater(out, DEVICE_ARRAY, delayMillis = 0)
                if (piece !== array) PeerMoves.joinAll()
            }
            PeerMoves.joinAll()
            CPeer.counts().releaseCalls shouldBe 3
        }
    }

    test("reading the buffers of an opaque array fails with an error that names the device [DEV-09]") {
        CData.importBatch(phantomBatch(17, 3, MemorySegment.NULL, nullCount = -1), CImport.DEVICE.schema(BATCH))
            .use { array ->
                val id = array.column("id")
                val attempts = listOf<() -> Unit>(
                    { id.getLong(0) }, { id.isNull(0) }, { id.get(0) }, { id.toLongArray() }, { id.toDoubleArray() },
                    { id.nullCount() }, { id.segment(arena) }, { array.column("name").getString(0) },
                    { array.column("name").getBytes(0) }, { array.asColumn().get(0) },
                )
                for (attempt in attempts) {
                    val error = shouldThrow<DeviceException> { attempt() }
                    error.errno() shouldBe Errno.ENOSYS
                    error.message!! shouldContain "DEVICE_TYPE_17:3"
                }
            }
    }

    test("an opaque device rejects allocations and builders [DEV-09]") {
        val device = CData.importArray(phantomBatch(18, 0, MemorySegment.NULL), CImport.DEVICE.schema(BATCH))
            .use { it.device() }
        shouldThrow<DeviceException> { device.allocate(1) }.message!! shouldContain "no backend serves DEVICE_TYPE_18:0"
        shouldThrow<DeviceException> { BatchBuilder.of(device, 1) }.message!! shouldContain "DEVICE_TYPE_18:0"
    }

    test("exporting an opaque array as an ArrowArray fails, and the caller keeps the array [DEV-09]") {
        CData.importArray(phantomBatch(17, 0, MemorySegment.NULL), CImport.DEVICE.schema(BATCH)).use { array ->
            val (out, schema) = arena.garbage(RawArrowArray.SIZE) to arena.garbage(RawArrowSchema.SIZE)
            shouldThrow<DeviceException> { CData.exportArray(array, out, CExport.DATA.schemaTo(schema)) }
                .message!! shouldContain "main memory, but this array is on DEVICE_TYPE_17:0"
            out.shouldBeGarbage()
            schema.shouldBeGarbage()
            array.isOpen shouldBe true
        }
    }

    test("an import rejects a malformed array on an opaque device, and releases it [DEV-09]") {
        val array = phantomBatch(17, 0, MemorySegment.NULL)
        RawArrowArray.setNChildren(array.address(), 1)
        shouldThrow<DeviceException> { CData.importArray(array, CImport.DEVICE.schema(BATCH)) }.message!! shouldContain
            "n_children = 1"
        CPeer.counts().arrays shouldBe 0
    }

    test("the schema of an opaque array is imported and exported like any other [DEV-01]") {
        val schema = arena.allocate(ArrowSchemaStruct.LAYOUT)
        PeerStreams.batchSchema(schema)
        CData.importArray(phantomBatch(17, 0, MemorySegment.NULL), CImport.DEVICE.schema(schema)).use { array ->
            val out = dirty()
            val schemaOut = dirty(RawArrowSchema.SIZE)
            CData.exportArray(array.retain(), out, CExport.DEVICE.schemaTo(schemaOut))
            val theirs = arena.allocate(ArrowSchemaStruct.LAYOUT).also { PeerStreams.batchSchema(it) }
            PeerNodes.schemaChecksum(schemaOut) shouldBe PeerNodes.schemaChecksum(theirs)
            PeerMoves.release(out, DEVICE_ARRAY)
            PeerMoves.release(schemaOut, SCHEMA)
            PeerMoves.release(theirs, SCHEMA)
        }
    }
})
