// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.arrowcpp

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.ipc.ArrowFile
import org.arbalest.interop.Batches
import org.arbalest.interop.Had
import org.arbalest.interop.Types
import org.arbalest.support.ChildJvm
import org.arbalest.support.ResourceCountersExtension
import java.nio.file.Files
import kotlin.io.path.listDirectoryEntries

/**
 * Tests files that Arrow C++ writes from our streams, files that it reads for us, and its Arrow files, which this
 * library reads.
 */
class ArrowCppFilesSpec : FunSpec({
    extension(Had.needed { ArrowCpp.missing })
    extension(ResourceCountersExtension)

    val folder = Files.createTempDirectory("arbalest-files")
    val writing by lazy { ChildJvm.run(WriteFiles::class, "$folder") }
    afterSpec { folder.toFile().deleteRecursively() }

    test("Arrow C++ writes our streams to files and releases every batch") {
        writing.output.lines().filter { it.startsWith("left:") } shouldBe listOf("left: nothing")
        writing.exitCode shouldBe 0
    }

    for (type in Types.all) {
        test("this library reads from an Arrow file of $type the values that Arrow C++ wrote") {
            writing.exitCode shouldBe 0
            val files = folder.resolve("ARROW/${type.name}").listDirectoryEntries()
            files shouldHaveSize 1
            ArrowFile.read(files.single()).use { reader ->
                reader.schema() shouldBe Batches.schema(type)
                Batches.read(reader) shouldBe Batches.expected(type, 0 until 100)
            }
        }
    }

    test("known bug: Arrow C++ does not release the batches of a stream with a type that Parquet lacks") {
        Regex("refused PARQUET").findAll(writing.output).count() shouldBe DatasetFiles.Format.PARQUET.refuses.size
        writing.output shouldContain "Unhandled type for Arrow to Parquet schema conversion: string_view"
        writing.output shouldContain Regex("not released after rejected writes: .*exports=[1-9]")
    }

    for (format in DatasetFiles.Format.entries) {
        for (type in Types.all.filter { it.name !in format.refuses && it.name !in format.changes }) {
            test("Arrow C++ reads from a $format file of $type the values that it wrote [ARR-12]") {
                writing.exitCode shouldBe 0
                val read = DatasetFiles.read(format, folder.resolve("$format/${type.name}"), Batches.schema(type))
                    .use(Batches::read)
                read shouldBe Batches.expected(type, 0 until 100)
            }
        }
    }
})
