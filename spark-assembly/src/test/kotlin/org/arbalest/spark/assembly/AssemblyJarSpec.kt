// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.assembly

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainAll
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.shouldBe
import org.arbalest.support.ChildJvm
import java.nio.file.Path
import java.util.zip.ZipFile
import kotlin.io.path.readText

/** The content of the assembly jar. */
class AssemblyJarSpec : FunSpec({
    fun <T> jar(read: (ZipFile) -> T): T = ZipFile(ASSEMBLY.toFile()).use(read)

    fun text(entry: String) = jar { it.getInputStream(it.getEntry(entry)).readAllBytes().decodeToString() }

    val entries = jar { zip -> zip.entries().asSequence().filterNot { it.isDirectory }.map { it.name }.toList() }

    test("all classes of the jar are in packages of this project [SPK-28]") {
        entries.filter { it.endsWith(".class") && !it.startsWith("org/arbalest/") }.shouldBeEmpty()
        entries shouldContainAll listOf("spark/DataFrames", "device/RecordBatch", "device/adbc/Adbc",
            "device/cuda/CudaProvider", "spark/shaded/tomlj/Toml", "spark/shaded/antlr/runtime/Parser")
            .map { "org/arbalest/$it.class" }
    }

    test("the jar names the devices of all its modules, and Spark's source [SPK-28]") {
        text("META-INF/services/org.arbalest.device.spi.DeviceProvider").lines().filter(String::isNotBlank)
            .map { it.substringAfterLast('.') } shouldContainExactlyInAnyOrder
            listOf("CpuProvider", "CudaProvider", "RocmProvider", "OpenClProvider")
        text("META-INF/services/org.apache.spark.sql.sources.DataSourceRegister").trim() shouldBe
            "org.arbalest.spark.internal.source.ArbalestProvider"
    }

    test("the jar has each licence once, and those of the libraries in it") {
        for (name in listOf("LICENSE", "NOTICE")) text("META-INF/$name") shouldBe Path.of("..", name).readText()
        entries.filter { Regex("META-INF/(?!services/).*").matches(it) } shouldContainExactlyInAnyOrder
            listOf("MANIFEST.MF", "LICENSE", "NOTICE", "licenses/README.txt", "licenses/antlr4-runtime.txt",
                "include/arbalest/arrow_abi.h").map { "META-INF/$it" }
    }

    test("TOML is parsed by the version of ANTLR that made the parser, without a warning") {
        val run = ChildJvm.java(listOf("-cp", "$ASSEMBLY", "${Path.of("src/test/toml/Toml.java")}"))
        run.output.trim() shouldBe "DuckDB"
        run.exitCode shouldBe 0
    }
})
