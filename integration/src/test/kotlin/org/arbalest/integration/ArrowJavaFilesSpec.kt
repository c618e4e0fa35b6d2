// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.apache.arrow.c.ArrowArray
import org.apache.arrow.c.ArrowSchema
import org.apache.arrow.c.CDataDictionaryProvider
import org.apache.arrow.c.Data
import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.memory.RootAllocator
import org.apache.arrow.vector.VectorSchemaRoot
import org.apache.arrow.vector.dictionary.DictionaryProvider
import org.apache.arrow.vector.ipc.ArrowFileReader
import org.apache.arrow.vector.ipc.ArrowFileWriter
import org.apache.arrow.vector.ipc.JsonFileReader
import org.apache.arrow.vector.util.Validator
import org.arbalest.support.ResourceCountersExtension
import java.io.FileInputStream
import java.io.FileOutputStream
import java.nio.file.Path
import kotlin.io.path.name

/**
 * Tests that Arrow Java and this library read the same from the JSON files of Arrow's suite, through C structs and
 * Arrow files. Arrow Java compares by its own rules, which the suite uses.
 */
class ArrowJavaFilesSpec : FunSpec({
    extension(SuiteFiles.required)
    extension(ResourceCountersExtension)
    val file = tempdir().toPath().resolve("integration.arrow")

    for (path in SuiteFiles.all) {
        for (way in Way.entries) {
            val limit = Limit.of(path)
            val error = limit?.errors?.get(way)
            if (error == null) {
                test("${path.name}: $way") {
                    RootAllocator().use { way.run(path, file, it) }
                }
            } else {
                test("${path.name} fails, because $limit: $way") {
                    shouldThrow<Throwable> { RootAllocator().use { way.run(path, file, it) } }
                        .message shouldContain error
                }
            }
        }
    }
})

/** The ways from one library to the other. */
private enum class Way(private val text: String, val run: (Path, Path, BufferAllocator) -> Unit) {
    TO_C("C structs of Arrow Java are the same here", { path, _, allocator ->
        read(path, allocator) { root, reader, index ->
            ArrowSchema.allocateNew(allocator).use { schema ->
                ArrowArray.allocateNew(allocator).use { array ->
                    if (index < 0) {
                        Data.exportSchema(allocator, root.schema, reader, schema)
                    } else {
                        Data.exportVectorSchemaRoot(allocator, root, reader, array, schema)
                        CDataTester.importBatchAndCompare("$path", index, array.memoryAddress()).shouldBeNull()
                    }
                    CDataTester.importSchemaAndCompare("$path", schema.memoryAddress()).shouldBeNull()
                }
            }
        }
    }),
    FROM_C("C structs of this library are the same in Arrow Java", { path, _, allocator ->
        read(path, allocator) { root, _, index ->
            if (index >= 0) imported(path, index, allocator) { compare(root, it) }
        }
    }),
    TO_FILE("an Arrow file of Arrow Java is the same here", { path, file, allocator ->
        FileOutputStream("$file").use { out ->
            var writer: ArrowFileWriter? = null
            read(path, allocator) { root, reader, index ->
                val open = writer ?: ArrowFileWriter(root, reader, out.channel).also { writer = it }
                if (index < 0) open.start() else open.writeBatch()
            }
            writer!!.end()
        }
        IpcTester.validate("$path", "$file").shouldBeNull()
    }),
    FROM_FILE("an Arrow file of this library is the same in Arrow Java", { path, file, allocator ->
        IpcTester.jsonToArrow("$path", "$file").shouldBeNull()
        ArrowFileReader(FileInputStream("$file").channel, allocator).use { found ->
            var count = 0
            read(path, allocator) { root, _, index ->
                if (index >= 0) found.loadNextBatch() shouldBe true
                compare(root, found.vectorSchemaRoot)
                count = index + 1
            }
            found.recordBlocks.size shouldBe count
        }
    }),
    ;

    override fun toString(): String = text
}

/** A thing that Arrow Java cannot do, with a part of its error for each way that fails. */
private class Limit(private val reason: String, val errors: Map<Way, String>) {
    override fun toString(): String = reason

    companion object {
        private fun each(error: String) = Way.entries.associateWith { error }

        private fun decimals(bits: Int) = Limit(
            "Arrow Java has no vectors of decimal$bits",
            mapOf(
                Way.TO_C to "found 0.00",
                Way.FROM_C to "Different values in column",
                Way.TO_FILE to "found 0.00",
                Way.FROM_FILE to "Library only supports 128-bit and 256-bit decimal values",
            ),
        )

        private val all = mapOf(
            "generated_decimal32.json" to decimals(32),
            "generated_decimal64.json" to decimals(64),
            "generated_duplicate_fieldnames.json" to Limit(
                "Arrow Java joins fields of a struct that have the same name",
                each("fields and children are not the same size"),
            ),
            "generated_nested_dictionary.json" to Limit(
                "Arrow Java renames the items of lists in a dictionary, and compares ids, which C structs do not have",
                each("Different schemas") + listOf(Way.TO_C, Way.TO_FILE).associateWith { "found \"\$data\$\"" },
            ),
        )

        fun of(path: Path): Limit? = all[path.name]
    }
}

private fun compare(expected: VectorSchemaRoot, found: VectorSchemaRoot) {
    Validator.compareSchemas(expected.schema, found.schema)
    Validator.compareVectorSchemaRoot(expected, found)
}

/** Reads a JSON file by Arrow Java, and calls [block] for the schema, with -1, and for each batch, with its index. */
private fun read(path: Path, allocator: BufferAllocator, block: (VectorSchemaRoot, DictionaryProvider, Int) -> Unit) {
    JsonFileReader(path.toFile(), allocator).use { reader ->
        VectorSchemaRoot.create(reader.start(), allocator).use { root ->
            block(root, reader, -1)
            var index = 0
            while (reader.read(root)) block(root, reader, index++)
        }
    }
}

/** Exports a batch by this library, and imports it by Arrow Java. */
private fun imported(path: Path, index: Int, allocator: BufferAllocator, block: (VectorSchemaRoot) -> Unit) {
    CDataDictionaryProvider().use { dictionaries ->
        ArrowSchema.allocateNew(allocator).use { schema ->
            ArrowArray.allocateNew(allocator).use { array ->
                CDataTester.exportSchemaFromJson("$path", schema.memoryAddress()).shouldBeNull()
                CDataTester.exportBatchFromJson("$path", index, array.memoryAddress()).shouldBeNull()
                Data.importVectorSchemaRoot(allocator, array, schema, dictionaries).use(block)
            }
        }
    }
}
