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
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceException
import org.arbalest.device.abi.ArrowArrayStreamStruct
import org.arbalest.device.abi.ArrowArrayStruct
import org.arbalest.device.abi.ArrowDeviceArrayStreamStruct
import org.arbalest.device.abi.ArrowDeviceArrayStruct
import org.arbalest.device.abi.ArrowSchemaStruct
import org.arbalest.device.abi.Errno
import org.arbalest.device.internal.memory.Slots
import org.arbalest.device.internal.schema.SchemaExport
import org.arbalest.device.internal.schema.SchemaImporter
import org.arbalest.device.monitoring.Ledger
import org.arbalest.device.support.Balanced
import org.arbalest.device.support.batch
import org.arbalest.device.support.garbage
import org.arbalest.device.support.release
import org.arbalest.device.support.shouldBeGarbage
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.StructType
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.atomic.AtomicLong

/** Exports that fail, one place after another: C finds released structs, and whoever exported still has the array. */
class ArrayExportSlotsSpec : FunSpec({
    extension(Balanced)

    /** Runs [action] when all slots are taken; it gets what gives one back. */
    fun withoutSlots(array: DeviceArray, action: (giveBack: () -> Unit) -> Unit) = Arena.ofConfined().use { arena ->
        val created = Slots::class.java.getDeclaredField("CREATED").apply { isAccessible = true }.get(null) as AtomicLong
        val given = arena.allocate(ArrowSchemaStruct.LAYOUT).also { array.field().exportSchema(it) }.address()
        val count = created.get()
        val arrays = mutableListOf<Long>()
        val schemas = mutableListOf<Long>()
        created.set(1L shl 24)
        try {
            do { // idle exports are used up as well
                val out = arena.allocate(ArrowArrayStruct.LAYOUT)
                runCatching { array.retain().use { it.exportArray(out) } }
                val exported = ArrowArrayStruct.release(out.address()) != 0L
                if (exported) arrays += out.address()
            } while (exported)
            do {
                val out = arena.allocate(ArrowSchemaStruct.LAYOUT).address()
                runCatching { SchemaExport.exportSchema(array.field(), out) }
                val exported = ArrowSchemaStruct.release(out) != 0L
                if (exported) schemas += out
            } while (exported)
            action { SchemaImporter.giveBack(given) }
        } finally {
            created.set(count)
        }
        arrays.forEach(ArrayImport::giveBack)
        schemas.forEach(SchemaImporter::giveBack)
        SchemaImporter.giveBack(given)
    }

    test("without a slot an array alone, a schema alone and both fail; nothing is written, and the handle is not spent [OWN-09]") {
        batch(3).use { array ->
            withoutSlots(array) {
                Arena.ofConfined().use { arena ->
                    for (isDeviceArray in listOf(false, true)) for (withSchema in listOf(false, true)) withClue("$isDeviceArray, $withSchema") {
                        val (out, schema) = arena.garbage(ArrowDeviceArrayStruct.SIZE) to arena.garbage(ArrowSchemaStruct.SIZE)
                        val error = shouldThrow<DeviceException> {
                            when {
                                isDeviceArray && withSchema -> array.exportDeviceArray(out, schema)
                                isDeviceArray -> array.exportDeviceArray(out)
                                withSchema -> array.exportArray(out, schema)
                                else -> array.exportArray(out)
                            }
                        }
                        error.errno() shouldBe Errno.ENOMEM
                        out.shouldBeGarbage()
                        schema.shouldBeGarbage()
                        array.isOpen shouldBe true
                    }
                    val schema = arena.garbage(ArrowSchemaStruct.SIZE)
                    shouldThrow<DeviceException> { array.field().exportSchema(schema) }.errno() shouldBe Errno.ENOMEM
                    schema.shouldBeGarbage()
                }
            }
            array.column("id").length() shouldBe 3
        }
    }

    val tells = { _: TestCase -> if (Files.exists(STATUS)) Enabled.enabled else Enabled.disabled("nothing here tells how much memory is taken") }
    test("a schema for which there is no slot keeps no memory [OWN-09]").config(enabledOrReasonIf = tells) {
        val field = Field.of("n".repeat(8 shl 20), DataType.INT8) // so large that malloc asks the system for it
        batch(3).use { array ->
            withoutSlots(array) {
                Arena.ofConfined().use { arena ->
                    val out = arena.allocate(ArrowSchemaStruct.LAYOUT)
                    fun failed() = shouldThrow<DeviceException> { field.exportSchema(out) }.errno() shouldBe Errno.ENOMEM
                    failed()
                    val before = mappedMiB()
                    repeat(256) { failed() } // 2 GiB, if they are kept
                    mappedMiB() - before shouldBeLessThan 1024 // threads that begin meanwhile take some as well
                }
            }
        }
    }

    test("with a slot for the schema and none for the array neither is written, and the slot is there again [OWN-09]") {
        batch(3).use { array ->
            withoutSlots(array) { giveBack ->
                giveBack()
                Arena.ofConfined().use { arena ->
                    for (export in listOf<(MemorySegment, MemorySegment) -> Unit>(array::exportArray, array::exportDeviceArray)) repeat(2) {
                        val (out, schema) = arena.garbage(ArrowDeviceArrayStruct.SIZE) to arena.garbage(ArrowSchemaStruct.SIZE)
                        val exports = Ledger.now().exports()
                        shouldThrow<DeviceException> { export(out, schema) }.errno() shouldBe Errno.ENOMEM
                        out.shouldBeGarbage()
                        schema.shouldBeGarbage()
                        Ledger.now().exports() shouldBe exports
                        array.isOpen shouldBe true
                        array.field().exportSchema(schema)
                        SchemaImporter.giveBack(schema.address())
                    }
                }
            }
        }
    }

    test("without a slot a stream is not exported, and its reader goes on [OWN-09]") {
        batch(3).use { array ->
            withoutSlots(array) {
                Arena.ofConfined().use { arena ->
                    DeviceArrayReader.of(array.schema(), listOf(array.retain())).use { reader ->
                        val (stream, deviceStream) = arena.garbage(ArrowArrayStreamStruct.SIZE) to arena.garbage(ArrowDeviceArrayStreamStruct.SIZE)
                        shouldThrow<DeviceException> { reader.exportStream(stream) }.errno() shouldBe Errno.ENOMEM
                        stream.shouldBeGarbage()
                        shouldThrow<DeviceException> { reader.exportDeviceArrayStream(deviceStream) }.errno() shouldBe Errno.ENOMEM
                        deviceStream.shouldBeGarbage()
                        reader.next()!!.use { it.length() shouldBe 3 }
                    }
                }
            }
        }
    }

    test("a handle that was closed is exported to nothing, alone and with its schema [OWN-09]") {
        val closed = batch(3).also { it.close() }
        Arena.ofConfined().use { arena ->
            val out = arena.garbage(ArrowDeviceArrayStruct.SIZE)
            for (export in listOf<(MemorySegment) -> Unit>(closed::exportArray, closed::exportDeviceArray)) {
                shouldThrow<IllegalStateException> { export(out) }
                out.shouldBeGarbage()
            }
        }
    }

    test("a schema of more fields than can be exported is not written [OWN-09]") {
        val thousand = StructType(List(1024) { Field.of("$it", DataType.INT8) })
        val million = Field.of("", StructType(List(1024) { Field.of("$it", thousand) }))
        Arena.ofConfined().use { arena ->
            val out = arena.garbage(ArrowSchemaStruct.SIZE)
            shouldThrow<IllegalArgumentException> { million.exportSchema(out) }.message!! shouldContain "at most 1048576 can be exported"
            out.shouldBeGarbage()
        }
    }
})

private val STATUS = Path.of("/proc/self/status")

/** How much of this process's address space is taken; what is taken and never written counts. */
private fun mappedMiB(): Long = Files.readAllLines(STATUS).first { it.startsWith("VmSize:") }.filter(Char::isDigit).toLong() / 1024
