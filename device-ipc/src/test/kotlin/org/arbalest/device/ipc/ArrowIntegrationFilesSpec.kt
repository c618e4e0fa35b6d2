// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.memory.RootAllocator
import org.apache.arrow.vector.ipc.JsonFileReader
import org.arbalest.device.RecordBatch
import org.arbalest.device.Validation
import org.arbalest.device.arrow.ArrowSchemas
import org.arbalest.device.arrow.ArrowVectors
import org.arbalest.device.types.Schema
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.SkipWithout
import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.listDirectoryEntries
import kotlin.io.path.name

/**
 * Tests the data of Arrow's own integration suite, which Arrow Java reads as JSON: written by this library, and read by
 * both; and written by Arrow Java, and read by this library.
 */
class ArrowIntegrationFilesSpec : FunSpec({
    val folder = Path.of("..", "..", "shared", "data", "integration")
    extension(SkipWithout { "no data of the integration suite in $folder".takeIf { !Files.isDirectory(folder) } })
    extension(ResourceCountersExtension)

    val files = if (Files.isDirectory(folder)) folder.listDirectoryEntries("*.json").sorted() else emptyList()

    for (file in files.filter { it.name in LIMITS }) {
        test("Arrow Java cannot read ${file.name} as JSON") {
            // Arrow Java does not release the batch in which it fails, so the allocator cannot be closed
            shouldThrow<RuntimeException> { withBatches(file, RootAllocator()) { _, _ -> } }
                .message shouldContain LIMITS.getValue(file.name)
        }
    }

    for (file in files.filter { it.name !in LIMITS }) {
        test("${file.name} is the same in this library and in Arrow Java, in both directions") {
            RootAllocator().use { allocator ->
                withBatches(file, allocator) { schema, batches ->
                    batches.forEach { it.validate(Validation.FULL) }
                    Format.some { format, codec ->
                        withClue("$format, $codec") {
                            val options = IpcWriteOptions.defaults().withCompression(codec)
                            val bytes = format.write(options, schema, batches)
                            var count = 0
                            format.read(bytes) { it.difference(batches[count++]).shouldBeNull() } shouldBe batches.size
                            ArrowJava.shouldRead(format, bytes, allocator, *batches.toTypedArray())
                            if (batches.isNotEmpty()) {
                                val theirs = ArrowJava.write(format, codec, batches[0], allocator)
                                format.shouldRead(theirs, batches[0])
                            }
                        }
                    }
                }
            }
        }
    }
})

/** The files that Arrow Java cannot read as JSON, each with a part of the error. */
private val LIMITS = mapOf(
    "generated_decimal32.json" to "Arrow Java has no vectors of decimal32",
    "generated_decimal64.json" to "Arrow Java has no vectors of decimal64",
    "generated_duplicate_fieldnames.json" to "fields and children are not the same size", // of a struct
)

/** Reads all batches of a JSON file, and closes them after [block]. */
private fun withBatches(file: Path, allocator: BufferAllocator, block: (Schema, List<RecordBatch>) -> Unit) {
    val batches = mutableListOf<RecordBatch>()
    try {
        val schema = JsonFileReader(file.toFile(), allocator).use { reader ->
            val schema = reader.start()
            while (true) reader.read()?.use { batches.add(ArrowVectors.toRecordBatch(it, reader)) } ?: break
            ArrowSchemas.toSchema(schema, reader)
        }
        block(schema, batches)
    } finally {
        batches.forEach(RecordBatch::close)
    }
}
