// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.core.test.Enabled
import io.kotest.core.test.TestCase
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceException
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.internal.abi.RawArrowArrayStream
import org.arbalest.device.internal.abi.RawArrowDeviceArray
import org.arbalest.device.internal.abi.RawArrowDeviceArrayStream
import org.arbalest.device.internal.abi.RawArrowSchema
import org.arbalest.device.internal.memory.Slots
import org.arbalest.device.internal.schema.SchemaExport
import org.arbalest.device.internal.schema.SchemaImporter
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.support.Balanced
import org.arbalest.device.support.batch
import org.arbalest.device.support.garbage
import org.arbalest.device.support.release
import org.arbalest.device.support.shouldBeGarbage
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.StructType
import java.lang.foreign.Arena
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.atomic.AtomicLong

/** Exports that fail at each step: C's structs stay unwritten, and the array stays open. */
class ArrayExportSlotsSpec : FunSpec({
    extension(Balanced)

    /** Runs [action] while all slots are taken, and passes it a function that releases the slot of one schema. */
    fun withoutSlots(array: RecordBatch, action: (giveBack: () -> Unit) -> Unit) = Arena.ofConfined().use { arena ->
        val created = Slots::class.java.getDeclaredField("CREATED").apply { isAccessible = true }
            .get(null) as AtomicLong
        val given = arena.allocate(ArrowSchemaStruct.LAYOUT).also { CData.exportSchema(array.field(), it) }.address()
        val count = created.get()
        val arrays = mutableListOf<Long>()
        val schemas = mutableListOf<Long>()
        created.set(1L shl 24)
        try {
            do { // takes the idle exports too
                val out = arena.allocate(ArrowArrayStruct.LAYOUT)
                runCatching { array.retain().use { CData.exportArray(it, out, CExport.DATA) } }
                val exported = RawArrowArray.release(out.address()) != 0L
                if (exported) arrays += out.address()
            } while (exported)
            do {
                val out = arena.allocate(ArrowSchemaStruct.LAYOUT).address()
                runCatching { SchemaExport.exportSchema(array.field(), out) }
                val exported = RawArrowSchema.release(out) != 0L
                if (exported) schemas += out
            } while (exported)
            action { SchemaImporter.giveBack(given) }
        } finally {
            created.set(count)
        }
        arrays.forEach(ArrayRelease::release)
        schemas.forEach(SchemaImporter::giveBack)
        SchemaImporter.giveBack(given)
    }

    test("an export without a free slot writes nothing and leaves the handle open [OWN-09]") {
        batch(3).use { array ->
            withoutSlots(array) {
                Arena.ofConfined().use { arena ->
                    for (isDeviceArray in listOf(false, true)) for (withSchema in listOf(false, true))
                        withClue("device array: $isDeviceArray, with schema: $withSchema") {
                            val (out, schema) = arena.garbage(RawArrowDeviceArray.SIZE) to
                                arena.garbage(RawArrowSchema.SIZE)
                            val error = shouldThrow<DeviceException> {
                                when {
                                    isDeviceArray && withSchema ->
                                        CData.exportArray(array, out, CExport.DEVICE.schemaTo(schema))
                                    isDeviceArray -> CData.exportArray(array, out, CExport.DEVICE)
                                    withSchema -> CData.exportArray(array, out, CExport.DATA.schemaTo(schema))
                                    else -> CData.exportArray(array, out, CExport.DATA)
                                }
                            }
                            error.errno() shouldBe Errno.ENOMEM
                            out.shouldBeGarbage()
                            schema.shouldBeGarbage()
                            array.isOpen shouldBe true
                        }
                    val schema = arena.garbage(RawArrowSchema.SIZE)
                    shouldThrow<DeviceException> { CData.exportSchema(array.field(), schema) }
                        .errno() shouldBe Errno.ENOMEM
                    schema.shouldBeGarbage()
                }
            }
            array.column("id").length() shouldBe 3
        }
    }

    val onLinux = { _: TestCase ->
        if (Files.exists(STATUS)) Enabled.enabled else Enabled.disabled("cannot measure memory without /proc")
    }
    test("a schema export that finds no free slot leaks no memory [OWN-09]").config(enabledOrReasonIf = onLinux) {
        val field = Field.of("n".repeat(8 shl 20), DataType.INT8) // so large that malloc asks the system for it
        batch(3).use { array ->
            withoutSlots(array) {
                Arena.ofConfined().use { arena ->
                    val out = arena.allocate(ArrowSchemaStruct.LAYOUT)
                    fun failed() = shouldThrow<DeviceException> { CData.exportSchema(field, out) }
                        .errno() shouldBe Errno.ENOMEM
                    failed()
                    val before = mappedMiB()
                    repeat(256) { failed() } // 2 GiB, if each call leaks its schema
                    mappedMiB() - before shouldBeLessThan 1024 // threads that start meanwhile take some too
                }
            }
        }
    }

    test("an export that finds a slot only for the schema writes nothing and frees that slot [OWN-09]") {
        batch(3).use { array ->
            withoutSlots(array) { giveBack ->
                giveBack()
                Arena.ofConfined().use { arena ->
                    for (options in listOf(CExport.DATA, CExport.DEVICE)) repeat(2) {
                        val (out, schema) = arena.garbage(RawArrowDeviceArray.SIZE) to
                            arena.garbage(RawArrowSchema.SIZE)
                        val exports = ResourceCounters.now().exports()
                        shouldThrow<DeviceException> { CData.exportArray(array, out, options.schemaTo(schema)) }
                            .errno() shouldBe Errno.ENOMEM
                        out.shouldBeGarbage()
                        schema.shouldBeGarbage()
                        ResourceCounters.now().exports() shouldBe exports
                        array.isOpen shouldBe true
                        CData.exportSchema(array.field(), schema)
                        SchemaImporter.giveBack(schema.address())
                    }
                }
            }
        }
    }

    test("without a free slot, the export of a stream fails and its reader stays usable [OWN-09]") {
        batch(3).use { array ->
            withoutSlots(array) {
                Arena.ofConfined().use { arena ->
                    RecordBatchReader.of(array.schema(), listOf(array.retain())).use { reader ->
                        val (stream, deviceStream) = arena.garbage(RawArrowArrayStream.SIZE) to
                            arena.garbage(RawArrowDeviceArrayStream.SIZE)
                        shouldThrow<DeviceException> { CData.exportStream(reader, stream, CExport.DATA) }
                            .errno() shouldBe Errno.ENOMEM
                        stream.shouldBeGarbage()
                        shouldThrow<DeviceException> { CData.exportStream(reader, deviceStream, CExport.DEVICE) }
                            .errno() shouldBe Errno.ENOMEM
                        deviceStream.shouldBeGarbage()
                        reader.next()!!.use { it.length() shouldBe 3 }
                    }
                }
            }
        }
    }

    test("exporting a closed handle writes neither an ArrowArray nor an ArrowDeviceArray [OWN-09]") {
        val closed = batch(3).also { it.close() }
        Arena.ofConfined().use { arena ->
            val out = arena.garbage(RawArrowDeviceArray.SIZE)
            for (options in listOf(CExport.DATA, CExport.DEVICE)) {
                shouldThrow<IllegalStateException> { CData.exportArray(closed, out, options) }
                out.shouldBeGarbage()
            }
        }
    }

    test("exporting a schema with too many fields fails without writing it [OWN-09]") {
        val thousand = StructType(List(1024) { Field.of("$it", DataType.INT8) })
        val million = Field.of("", StructType(List(1024) { Field.of("$it", thousand) }))
        Arena.ofConfined().use { arena ->
            val out = arena.garbage(RawArrowSchema.SIZE)
            shouldThrow<IllegalArgumentException> { CData.exportSchema(million, out) }.message!! shouldContain
                "at most 1048576 can be exported"
            out.shouldBeGarbage()
        }
    }
})

private val STATUS = Path.of("/proc/self/status")

/** Returns the size of this process's address space, including memory that was never written. */
private fun mappedMiB(): Long = Files.readAllLines(STATUS).first { it.startsWith("VmSize:") }.filter(Char::isDigit)
    .toLong() / 1024
