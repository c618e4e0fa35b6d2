// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.c

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.Validation
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_INT

/** The validation levels of all imports: each import checks an array at the level that its options have. */
class ImportLevelsSpec : FunSpec({
    extension(ResourceCountersExtension)

    /** Makes a batch whose only text has an offset beyond its data. */
    fun beyond(): RecordBatch {
        val batch = BatchBuilder.of(Devices.cpu(), 2).use { it.utf8("text", listOf("a", "b")).build() }
        val offsets = MemorySegment.ofAddress(batch.column(0).bufferAddress(1)).reinterpret(12)
        offsets.setAtIndex(JAVA_INT, 1, 1 shl 20)
        return batch
    }

    val imports = mapOf<String, (Arena, CImport) -> DeviceArray?>(
        "ArrowArray" to { arena, options ->
            val (array, schema) = ArrowArrayStruct.allocate(arena) to ArrowSchemaStruct.allocate(arena)
            beyond().use { CData.exportArray(it, array, CExport.DATA.schemaTo(schema)) }
            CData.importArray(array, options.schema(schema))
        },
        "ArrowArrayStream" to { arena, options ->
            val stream = ArrowArrayStreamStruct.allocate(arena)
            beyond().let { CData.exportStream(RecordBatchReader.of(it.schema(), listOf(it)), stream, CExport.DATA) }
            CData.importStream(stream, options).use { it.next() }
        },
    )
    for ((name, import) in imports) {
        test("$name is refused at BOUNDS and FULL if an offset leads out of the data [VAL-03]") {
            for (level in listOf(Validation.BOUNDS, Validation.FULL)) withClue(level) {
                Arena.ofConfined().use { arena ->
                    shouldThrow<DeviceException> { import(arena, CImport.DATA.validation(level)) }.message shouldContain
                        "offsets[1] = 1048576"
                }
            }
            Arena.ofConfined().use { arena -> import(arena, CImport.DATA.validation(Validation.STRUCTURAL))!!.close() }
        }
    }
})
