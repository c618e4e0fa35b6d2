// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.support.garbage
import org.arbalest.device.support.shouldBeGarbage
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.support.CCompiler
import org.arbalest.support.EveryType
import org.arbalest.support.PeerNodes
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment

class HandleExportSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    fun int8(): DeviceArray = EveryType.batch(0, 1).use {
        it.retainChild(EveryType.fields.indexOfFirst { field -> field.name() == "int8" })
    }

    /** Imports an array of an unknown device. */
    fun elsewhere(): DeviceArray = Arena.ofConfined().use { arena ->
        val (array, device) = arena.struct(StructKind.ARRAY) to arena.struct(StructKind.DEVICE_ARRAY)
        PeerNodes.array(array, length = 0, buffers = 2)
        PeerNodes.deviceArray(device, array, 4, 2)
        CData.importArray(device, CImport.DEVICE.schema(Field.of("a", DataType.INT8)))
    }

    /** Passes two outputs full of garbage to [attempt], which must fail without writing to them. */
    fun fails(kind: StructKind, attempt: (MemorySegment, MemorySegment) -> Unit) = Arena.ofConfined().use { arena ->
        val out = arena.garbage(kind.size)
        val schema = arena.garbage(StructKind.SCHEMA.size)
        val exports = ResourceCounters.now().exports
        attempt(out, schema)
        out.shouldBeGarbage()
        schema.shouldBeGarbage()
        ResourceCounters.now().exports shouldBe exports
    }

    test("exporting another device's array as ArrowArray writes nothing and leaves the handle open [OWN-09]") {
        elsewhere().use { array ->
            fails(StructKind.ARRAY) { out, schema ->
                shouldThrow<DeviceException> { CData.exportArray(array, out, CExport.DATA.schemaTo(schema)) }.let {
                    it.errno() shouldBe Errno.ENOSYS
                    it.message shouldContain "CUDA:4"
                }
            }
            array.isOpen shouldBe true
        }
    }

    test("exporting a closed handle with its schema writes to neither output [OWN-09]") {
        val consumed = int8().also(DeviceArray::close)
        fails(StructKind.ARRAY) { out, schema ->
            shouldThrow<IllegalStateException> { CData.exportArray(consumed, out, CExport.DATA.schemaTo(schema)) }
        }
        fails(StructKind.DEVICE_ARRAY) { out, schema ->
            shouldThrow<IllegalStateException> { CData.exportArray(consumed, out, CExport.DEVICE.schemaTo(schema)) }
        }
    }

    test("exporting into structs that are in use fails and leaves the first export unchanged [OWN-09]") {
        val exports = listOf<(DeviceArray, MemorySegment, MemorySegment) -> Unit>(
            { array, out, schema -> CData.exportArray(array, out, CExport.DATA.schemaTo(schema)) },
            { array, out, schema -> CData.exportArray(array, out, CExport.DEVICE.schemaTo(schema)) },
            { array, out, schema -> CData.exportArray(array, out, CExport.DATA.schemaTo(schema)) },
            { array, out, schema ->
                CData.exportArray(array, out, CExport.DATA.schemaTo(schema).requested(array.field()))
            },
            { array, out, _ -> CData.exportArray(array, out, CExport.DEVICE) },
        )
        for (export in exports) {
            Arena.ofConfined().use { arena ->
                val (out, schema) = arena.struct(StructKind.DEVICE_ARRAY) to arena.struct(StructKind.SCHEMA)
                val array = EveryType.batch(0, 2)
                CData.exportArray(array, out, CExport.DEVICE.schemaTo(schema))
                shouldThrow<IllegalStateException> { export(array, out, schema) }
                CData.importArray(out, CImport.DEVICE.schema(schema)).use { EveryType.rows(it).size shouldBe 2 }
            }
        }
    }

    test("an output too small for the array leaves the schema unwritten and the handle open [OWN-09]") {
        int8().use { array ->
            Arena.ofConfined().use { arena ->
                val schema = arena.garbage(StructKind.SCHEMA.size)
                shouldThrow<IllegalArgumentException> {
                    CData.exportArray(array, arena.struct(StructKind.ARRAY), CExport.DEVICE.schemaTo(schema))
                }.message shouldBe
                    "ArrowDeviceArray has 128 bytes, the segment given has 80"
                schema.shouldBeGarbage()
                shouldThrow<IllegalArgumentException> {
                    CData.exportArray(array, MemorySegment.NULL, CExport.DATA.schemaTo(schema))
                }.message shouldBe "ArrowArray is NULL"
                schema.shouldBeGarbage()
            }
            array.asColumn().getLong(0) shouldBe 0
        }
    }

    test("an output too small for the schema leaves the array unwritten and the handle open [OWN-09]") {
        int8().use { array ->
            Arena.ofConfined().use { arena ->
                val out = arena.garbage(StructKind.ARRAY.size)
                shouldThrow<IllegalArgumentException> {
                    CData.exportArray(array, out, CExport.DATA.schemaTo(out.asSlice(0, 64)))
                }.message shouldBe
                    "ArrowSchema has 72 bytes, the segment given has 64"
                out.shouldBeGarbage()
            }
            array.asColumn().getLong(0) shouldBe 0
        }
    }

    test("heap memory, odd addresses and closed arenas are rejected, and the handle stays open") {
        int8().use { array ->
            shouldThrow<IllegalArgumentException> {
                CData.exportArray(array, MemorySegment.ofArray(LongArray(10)), CExport.DATA)
            }.message shouldContain "native memory"
            Arena.ofConfined().use { arena ->
                val odd = arena.allocate(96, 8).asSlice(4)
                shouldThrow<IllegalArgumentException> { CData.exportArray(array, odd, CExport.DATA) }
                    .message shouldContain "aligned to 8 bytes"
            }
            val gone = Arena.ofConfined().use { it.struct(StructKind.ARRAY) }
            shouldThrow<IllegalStateException> { CData.exportArray(array, gone, CExport.DATA) }
                .message shouldContain "closed"
            array.isOpen shouldBe true
        }
    }

    test("an allocation larger than memory fails with ENOMEM and holds no resource [OWN-09]") {
        val before = ResourceCounters.now()
        val failure = shouldThrow<DeviceException> { Devices.cpu().allocate(Long.MAX_VALUE / 2) }
        failure.errno() shouldBe Errno.ENOMEM
        failure.message shouldContain "${Long.MAX_VALUE / 2} bytes"
        ResourceCounters.now() shouldBe before
    }
})
