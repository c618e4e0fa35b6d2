package org.arbalest.interop.arrowcpp

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.interop.Batches
import org.arbalest.interop.Had
import org.arbalest.interop.Types
import org.arbalest.testkit.ChildJvm
import org.arbalest.testkit.LedgerExtension
import java.nio.file.Files

/** Files that Arrow C++ writes of our streams, and that it reads for us. */
class ArrowCppFilesSpec : FunSpec({
    extension(Had.needed { Arrow.missing })
    extension(LedgerExtension)

    val folder = Files.createTempDirectory("arbalest-files")
    val writing by lazy { ChildJvm.run(WriteFiles::class, "$folder") }
    afterSpec { folder.toFile().deleteRecursively() }

    test("Arrow C++ writes files of our streams, and nothing is left") {
        println(writing.output)
        writing.output shouldContain "left: true"
        writing.exitCode shouldBe 0
    }

    for (format in DatasetFiles.Format.entries) {
        for (type in Types.all) {
            test("ARR-12 what Arrow C++ reads of a file ($format) of $type is what was written") {
                if ("refused $format/${type.name}:" in writing.output) return@test
                val read = DatasetFiles.read(format, folder.resolve("$format/${type.name}"), Batches.schema(type)).use { Batches.read(it, type) }
                read shouldBe Batches.expected(type, 0 until 100)
            }
        }
    }
})
