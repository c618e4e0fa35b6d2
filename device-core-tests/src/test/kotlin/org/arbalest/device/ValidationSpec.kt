// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.async.AsyncProducer
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.support.RawArray
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.CPeer
import org.arbalest.support.PeerMoves
import org.arbalest.support.PeerNodes
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import org.arbalest.testkit.contract.eventually
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.util.concurrent.ForkJoinPool

/** The validation of imported data, at each level and by each kind of import. */
class ValidationSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    val schema = Schema.of(Field.of("t", DataType.UTF8))
    val said = "$.t: row 1: not UTF-8: a text of 1 bytes has 0xff at 0"

    fun buffer(bytes: ByteArray): DeviceBuffer = Devices.cpu().allocate(bytes.size.toLong()).also {
        it.segment().copyFrom(MemorySegment.ofArray(bytes))
    }

    /** Returns a batch whose second row is [last], by default not UTF-8. The structure of the batch is valid. */
    fun wrong(last: Byte = -1): RecordBatch {
        val text =
            ArrayData.of(2, 0, listOf(null, buffer(RawArray.ints(0, 1, 2).array()), buffer(byteArrayOf(65, last))))
        return RecordBatch.of(schema, ArrayData.of(2, 0, listOf(null), listOf(text)))
    }

    fun right() = wrong(66)

    /** Returns the ways to export a batch and import it again, at a level or without one. */
    fun ways(arena: Arena, level: Validation?): Map<String, (RecordBatch) -> DeviceArray> {
        val (array, device, type) = Triple(arena.struct(StructKind.ARRAY), arena.struct(StructKind.DEVICE_ARRAY),
            arena.struct(StructKind.SCHEMA))
        fun stream(batch: RecordBatch, isDevice: Boolean): DeviceArray {
            val out = arena.struct(if (isDevice) StructKind.DEVICE_STREAM else StructKind.STREAM)
            RecordBatchReader.of(schema, listOf(batch)).use {
                if (isDevice) CData.exportStream(it, out, CExport.DEVICE) else CData.exportStream(it, out, CExport.DATA)
            }
            val reader = when {
                level == null -> if (isDevice) CData.importStream(out, CImport.DEVICE)
                else CData.importStream(out, CImport.DATA)
                else -> if (isDevice) CData.importStream(out, CImport.DEVICE.validation(level))
                else CData.importStream(out, CImport.DATA.validation(level))
            }
            return reader.use { stream ->
                runCatching { checkNotNull(stream.next()) }.onFailure { first ->
                    shouldThrow<DeviceException> { stream.next() }.message shouldBe first.message // STR-09
                }.getOrThrow()
            }
        }
        fun async(batch: RecordBatch): DeviceArray {
            val start = { handler: MemorySegment ->
                CData.exportAsyncStream(AsyncProducer.of(RecordBatchReader.of(schema, listOf(batch)), Metadata.empty()),
                    handler, ForkJoinPool.commonPool(), CExport.DEVICE).run {}
            }
            val arrays = if (level == null) CData.importAsyncStream(CImport.DEVICE, start)
            else CData.importAsyncStream(CImport.DEVICE.validation(level), start)
            return arrays.use { it.reader(1).use { reader -> checkNotNull(reader.next()) } }
        }
        return mapOf(
            "an array and a field" to {
                CData.exportArray(it, array, CExport.DATA)
                if (level == null) CData.importArray(array, CImport.DATA.schema(schema.asField()))
                else CData.importArray(array, CImport.DATA.schema(schema.asField()).validation(level))
            },
            "an array and a Schema" to {
                CData.exportArray(it, array, CExport.DATA)
                if (level == null) CData.importArray(array, CImport.DATA.schema(schema))
                else CData.importArray(array, CImport.DATA.schema(schema).validation(level))
            },
            "an array and its C schema" to {
                CData.exportArray(it, array, CExport.DATA.schemaTo(type))
                if (level == null) CData.importArray(array, CImport.DATA.schema(type))
                else CData.importArray(array, CImport.DATA.schema(type).validation(level))
            },
            "a device array and a field" to {
                CData.exportArray(it, device, CExport.DEVICE)
                if (level == null) CData.importArray(device, CImport.DEVICE.schema(schema.asField()))
                else CData.importArray(device, CImport.DEVICE.schema(schema.asField()).validation(level))
            },
            "a device array and a Schema" to {
                CData.exportArray(it, device, CExport.DEVICE)
                if (level == null) CData.importArray(device, CImport.DEVICE.schema(schema))
                else CData.importArray(device, CImport.DEVICE.schema(schema).validation(level))
            },
            "a device array and its C schema" to {
                CData.exportArray(it, device, CExport.DEVICE.schemaTo(type))
                if (level == null) CData.importArray(device, CImport.DEVICE.schema(type))
                else CData.importArray(device, CImport.DEVICE.schema(type).validation(level))
            },
            "a stream" to { stream(it, false) },
            "a device stream" to { stream(it, true) },
            "an async stream" to ::async,
        )
    }

    for (level in listOf(null) + Validation.entries) {
        val so = if (level == Validation.FULL) "validated, and a refused array is released once" else "not validated"
        test("each kind of import with ${level ?: "no level"}: content is $so [ARR-17, ARR-18]") {
            Arena.ofConfined().use { arena ->
                for ((name, way) in ways(arena, level)) withClue(name) {
                    val before = ResourceCounters.now()
                    way(right()).use { it.asRecordBatch().column("t").getString(1) shouldBe "B" }
                    if (level == Validation.FULL) {
                        shouldThrow<DeviceException> { way(wrong()) }.let {
                            it.message shouldBe said
                            it.errno() shouldBe Errno.EINVAL
                        }
                    } else {
                        way(wrong()).use {
                            shouldThrow<DeviceException> { it.validate(Validation.FULL) }.message shouldBe said
                        }
                    }
                    eventually("all resources are released") { ResourceCounters.now().since(before).isZero }
                }
            }
        }
    }

    /** Fills [out] with a C array whose n_buffers is [buffers]. */
    fun malformed(out: MemorySegment, buffers: Long) {
        PeerNodes.array(out, length = 1, buffers = 2)
        PeerNodes.setBuffer(out, 1, ByteArray(4))
        RawArrowArray.setNBuffers(out.address(), buffers)
    }

    test(
        "Validation.NONE imports a malformed struct, which validate() rejects later; no level imports a released " +
            "struct [ARR-17, VAL-12]",
    ) {
        Arena.ofConfined().use { arena ->
            val (out, field) = arena.struct(StructKind.ARRAY) to Field.of("a", DataType.INT32)
            malformed(out, 3)
            shouldThrow<DeviceException> { CData.importArray(out, CImport.DATA.schema(field)) }.message!! shouldContain
                "n_buffers = 3"
            malformed(out, 3)
            CData.importArray(out, CImport.DATA.schema(field).validation(Validation.NONE)).use { array ->
                array.validate(Validation.NONE)
                for (level in Validation.entries - Validation.NONE)
                    shouldThrow<DeviceException> { array.validate(level) }.message!! shouldContain "n_buffers = 3"
                array.isOpen shouldBe true
            }
            CPeer.counts().arrays shouldBe 0
            for (level in Validation.entries) shouldThrow<DeviceException> {
                CData.importArray(out, CImport.DATA.schema(field).validation(level))
            }.message shouldBe "the array was released before it was imported"
        }
    }

    test(
        "Validation.NONE still checks the device event, and exports an empty child without its offset " +
            "[VAL-12, ARR-19]",
    ) {
        Arena.ofConfined().use { arena ->
            val (array, out) = arena.struct(StructKind.ARRAY) to arena.struct(StructKind.DEVICE_ARRAY)
            malformed(array, 2)
            PeerNodes.deviceArray(out, array, deviceId = 0, deviceType = 1, syncEvent = arena.allocate(8, 8))
            shouldThrow<DeviceException> {
                CData.importArray(out, CImport.DEVICE.schema(Field.of("a", DataType.INT32)).validation(Validation.NONE))
            }.message!! shouldContain "sync_event"
            val inner = RawArray(Field.of("x", DataType.INT8), 0, 0, 7, mutableListOf(null, null))
            val lists = RawArray(Field.of("a", ListType(inner.field)), 1, 0, 0,
                mutableListOf(null, RawArray.ints(0, 0)), listOf(inner))
            CData.importArray(lists.laid(arena), CImport.DATA.schema(lists.field).validation(Validation.NONE))
                .use { CData.exportArray(it, array, CExport.DATA) }
            RawArrowArray.offset(RawArrowArray.child(array.address(), 0)) shouldBe 0
            PeerMoves.release(array, StructKind.ARRAY)
        }
    }

    test("validate() rejects a closed handle at every level, and leaks nothing if it fails [VAL-12]") {
        val array = wrong()
        shouldThrow<DeviceException> { array.validate(Validation.FULL) }.message shouldBe said
        array.slice(0, 1).use { it.validate(Validation.FULL) }
        array.close()
        for (level in Validation.entries) shouldThrow<IllegalStateException> { array.validate(level) }
    }
})
