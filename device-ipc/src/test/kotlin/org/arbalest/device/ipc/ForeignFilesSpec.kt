// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Validation
import org.arbalest.device.types.Metadata
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.SkipWithout
import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.listDirectoryEntries
import kotlin.io.path.name
import kotlin.io.path.readBytes

/** Tests small files of other implementations. Other specs make the same bytes by hand. */
class ForeignFilesSpec : FunSpec({
    val folder = Path.of("..", "..", "shared", "data", "files")
    extension(SkipWithout { "no files of other implementations in $folder".takeIf { !Files.isDirectory(folder) } })
    extension(ResourceCountersExtension)

    val files = if (Files.isDirectory(folder)) folder.listDirectoryEntries("*.arrow*").sorted() else emptyList()

    for (path in files.filter { "no_rows" in it.name }) test("${path.name} of Arrow C++ is read [FIL-16]") {
        val inputs = if (path.name.endsWith("s")) Inputs.streams else Inputs.files
        for (input in inputs) withClue(input) { input.read(path.readBytes()) shouldBe 0 }
    }

    for (path in files.filter { "pyarrow" in it.name }) {
        test("${path.name} is read, and full validation names the level that reads it [FIL-17]") {
            for (input in Inputs.files) withClue(input) {
                input.read(path.readBytes()) {} shouldBeGreaterThan 0
                shouldThrow<IpcException> {
                    input.read(path.readBytes(), IpcReadOptions.defaults().withValidation(Validation.FULL)) {}
                }.message!! shouldContain "withValidation(Validation.BOUNDS)"
            }
        }
    }

    for (name in listOf("arrow_js_no_schema_message.arrow", "polars_unframed_schema.arrow")) {
        test("$name is read, and its schema's message has no metadata [FIL-08]") {
            val bytes = folder.resolve(name).readBytes()
            for (input in Inputs.files) withClue(input) { input.read(bytes) shouldBeGreaterThan 0 }
            ArrowFile.open(folder.resolve(name)).use { it.schemaMessageMetadata() shouldBe Metadata.empty() }
        }
    }

    test("a batch with fewer rows than its column is rejected [FIL-15]") {
        val bytes = folder.resolve("length_36_of_100_rows.arrow").readBytes()
        for (input in Inputs.files) withClue(input) {
            shouldThrow<IpcException> { input.read(bytes) }.message!!
                .shouldContain("the batch has 36 rows, but its column \"a\" has 100")
        }
    }
})
