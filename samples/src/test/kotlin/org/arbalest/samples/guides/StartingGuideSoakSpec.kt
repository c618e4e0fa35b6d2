// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldNotBeEmpty
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import org.arbalest.device.RecordBatch
import org.arbalest.support.ChildJvm
import java.io.File
import java.nio.file.Files
import java.nio.file.Path
import java.util.jar.JarEntry
import java.util.jar.JarOutputStream

/** Runs the commands of the guide to starting: a training run with `-XX:AOTCacheOutput`, then runs with the cache. */
class StartingGuideSoakSpec : FunSpec({
    val folder = tempdir().toPath()
    val path by lazy { listOf(jar(folder, RecordBatch::class.java), jar(folder, FirstBatch::class.java)) }
    val cache = folder.resolve("first.aot")
    fun program(vararg options: String) = ChildJvm.java(
        options.toList() + "--enable-native-access=ALL-UNNAMED" +
            listOf("-cp", path.joinToString(File.pathSeparator), FirstBatch::class.java.name),
    )

    test("with the cache of the training run, a program prints the same and loads no class from its jar") {
        val page = File("../docs/guides/starting.md").readText()
        val first = program("-XX:AOTCacheOutput=$cache")
        withClue(first.output) { first.exitCode shouldBe 0 }
        first.output shouldContain "total: 7.75"
        val second = program("-XX:AOTCache=$cache", "-Xlog:class+load:stdout:none")
        withClue(second.output) { second.exitCode shouldBe 0 }
        second.output shouldContain "total: 7.75"
        val own = second.output.lines().filter { it.startsWith("org.arbalest.") }
        own.shouldNotBeEmpty()
        own.filterNot { "shared objects file" in it || "/0x" in it }.shouldBeEmpty() // some classes are generated
        for (option in listOf("-XX:AOTCacheOutput=first.aot", "-XX:AOTCache=first.aot")) page shouldContain option
    }

    test("a folder with files on the class path prevents the cache") {
        Files.createFile(Files.createDirectory(folder.resolve("conf")).resolve("file"))
        val other = folder.resolve("other.aot")
        val output = ChildJvm.java(
            listOf("-XX:AOTCacheOutput=$other", "--enable-native-access=ALL-UNNAMED", "-cp",
                (path + listOf(folder.resolve("conf"))).joinToString(File.pathSeparator), FirstBatch::class.java.name),
        ).output
        output shouldContain Regex("Cannot have non-empty directory in paths|directory is not empty") // of two phases
        Files.exists(other) shouldBe false
    }

    test("a recording from the start uses the cache only after a training run with the module of Flight Recorder") {
        val recorded = "-XX:StartFlightRecording:filename=${folder.resolve("x.jfr")}"
        fun shared(cache: Path) = program("-XX:AOTCache=$cache", recorded, "-Xlog:class+load:stdout:none").output
        val trained = folder.resolve("jfr.aot")
        program("--add-modules", "jdk.jfr", "-XX:AOTCacheOutput=$trained").exitCode shouldBe 0
        shared(cache) shouldNotContain "source: shared objects file"
        shared(trained) shouldContain "source: shared objects file"
    }
})

/** Makes a jar of the folder that contains a class; of the tests, only the program. */
private fun jar(folder: Path, type: Class<*>): Path {
    val place = Path.of(type.protectionDomain.codeSource.location.toURI())
    if (Files.isRegularFile(place)) return place
    val jar = folder.resolve("${type.simpleName}.jar")
    val isProgram = type == FirstBatch::class.java
    JarOutputStream(Files.newOutputStream(jar)).use { out ->
        Files.walk(place).filter { Files.isRegularFile(it) }.toList()
            .filter { !isProgram || it.fileName.toString().startsWith("FirstBatch.") }.forEach {
                out.putNextEntry(JarEntry(place.relativize(it).toString().replace(File.separatorChar, '/')))
                out.write(Files.readAllBytes(it))
                out.closeEntry()
            }
    }
    return jar
}
