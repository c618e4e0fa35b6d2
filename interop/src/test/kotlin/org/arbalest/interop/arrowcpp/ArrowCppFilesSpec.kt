// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.arrowcpp

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.interop.Batches
import org.arbalest.interop.Had
import org.arbalest.interop.Types
import org.arbalest.support.ChildJvm
import org.arbalest.support.ResourceCountersExtension
import java.nio.file.Files

/** Files that Arrow C++ writes of our streams, and that it reads for us. */
class ArrowCppFilesSpec : FunSpec({
    extension(Had.needed { ArrowCpp.missing })
    extension(ResourceCountersExtension)

    val folder = Files.createTempDirectory("arbalest-files")
    val writing by lazy { ChildJvm.run(WriteFiles::class, "$folder") }
    afterSpec { folder.toFile().deleteRecursively() }

    test("Arrow C++ writes files of our streams, and nothing is left") {
        writing.output.lines().filter { it.startsWith("left:") } shouldBe listOf("left: nothing")
        writing.exitCode shouldBe 0
    }

    test(
        "its bug: Arrow C++ keeps batches of a stream that it does not write, since the file's format has no such type",
    ) {
        Regex("refused PARQUET").findAll(writing.output).count() shouldBe DatasetFiles.Format.PARQUET.refuses.size
        writing.output shouldContain "Unhandled type for Arrow to Parquet schema conversion: string_view"
        writing.output shouldContain Regex("left by what was refused: .*exports=[1-9]")
    }

    for (format in DatasetFiles.Format.entries) {
        for (type in Types.all.filter { it.name !in format.refuses && it.name !in format.changes }) {
            test("what Arrow C++ reads of a file ($format) of $type is what was written [ARR-12]") {
                writing.exitCode shouldBe 0
                val read = DatasetFiles.read(format, folder.resolve("$format/${type.name}"), Batches.schema(type))
                    .use(Batches::read)
                read shouldBe Batches.expected(type, 0 until 100)
            }
        }
    }
})
