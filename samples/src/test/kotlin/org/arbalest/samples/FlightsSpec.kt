// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import org.arbalest.device.adbc.DuckDbDriver
import org.arbalest.support.ResourceCountersExtension
import java.io.File
import java.nio.file.Path
import java.util.jar.JarEntry
import java.util.jar.JarOutputStream
import javax.imageio.ImageIO

class FlightsSpec : FunSpec({
    extension(ResourceCountersExtension)
    val folder = tempdir().toPath()

    /** Writes a Parquet file with the rows of a query. */
    fun parquet(name: String, sql: String): Path = folder.resolve(name).also { file ->
        DuckDbDriver.open().use { database ->
            database.connect().use { it.execute("COPY ($sql) TO '$file' (FORMAT parquet)") }
        }
    }

    test("the ten busiest airports of the included flights match DuckDB's answer") {
        val run = run("--repeat", "2")
        run.error shouldBe ""
        run.code shouldBe 0
        val lines = run.output.lines()
        lines.filter { Regex("400,000 flights in \\d+ batches: [\\d,]+ rows per second").matches(it) } shouldHaveSize 2
        lines.filter { Regex("\\| [A-Z]{3} .*").matches(it) }.apply { this shouldHaveSize 10 }
            .first().filterNot { it == ' ' } shouldBe "|ORD|22,146|9.07|772.41|"
        run.output shouldContain "229 airports: matches DuckDB's own answer"
    }

    test("rows with a null are ignored, and a file name may contain a quote") {
        val rows = "VALUES ('A', 1, 2), ('A', NULL, 2), (NULL, 1, 2), ('A', 3, 5)"
        val file = parquet("nulls.parquet", "SELECT * FROM ($rows) AS t(origin, delay, distance)")
        val quoted = folder.resolve("it's.parquet").also { file.toFile().copyTo(it.toFile()) }
        val run = run("--file", "$quoted")
        run.output shouldContain "2 flights in 1 batches"
        run.output shouldContain "1 airports: matches DuckDB's own answer"
    }

    test("a file without rows has no airports") {
        val run = run("--file", "${parquet("none.parquet", "SELECT 'A' AS origin, 1 AS delay, 2 AS distance LIMIT 0")}")
        run.error shouldBe ""
        run.output shouldContain "0 airports: matches DuckDB's own answer"
    }

    val broken = folder.resolve("broken.parquet").also { it.toFile().writeText("PAR1 no, it is not") }
    val cut = folder.resolve("cut.parquet").also {
        it.toFile().writeBytes(SampleData.flights().toFile().readBytes().dropLast(9).toByteArray())
    }
    for ((what, file) in mapOf(
        "missing" to folder.resolve("missing.parquet"), "broken" to broken, "cut" to cut, "a folder" to folder,
    )) {
        test("a file that is $what causes a one-line error and exit code 1") {
            val run = run("--file", "$file")
            run.code shouldBe 1
            run.output shouldBe ""
            run.error.trimEnd().lines() shouldHaveSize 1
            run.error shouldContain "flights: "
            run.error shouldContain file.fileName.toString()
        }
    }

    for ((name, sentence) in mapOf(
        "" to "the name of the file is empty", "a\u0000b" to "no file can have this name", "$folder" to "is a folder",
    )) {
        test("--file \"${name.replace("\u0000", "\\0").substringAfterLast('/')}\" is refused with the reason") {
            val run = run("--file", name)
            run.code shouldBe 1
            run.error.trimEnd().lines() shouldHaveSize 1
            run.error shouldContain sentence
        }
    }

    test("a file without the columns is rejected with the first missing column") {
        val run = run("--file", "${parquet("other.parquet", "SELECT 1 AS origin, 2 AS late")}")
        run.code shouldBe 1
        run.error shouldContain "\"delay\" not found"
    }

    test("a damaged page fails the stream with a one-line error and exit code 1") {
        val bytes = SampleData.flights().toFile().readBytes()
        for (at in bytes.size / 2 until bytes.size / 2 + 4096) bytes[at] = 0x55
        val run = run("--file", "${folder.resolve("damaged.parquet").also { it.toFile().writeBytes(bytes) }}")
        run.code shouldBe 1
        run.error.trimEnd().lines() shouldHaveSize 1
    }

    for (wrong in listOf(listOf("--repeat", "0"), listOf("--repeat", "often"), listOf("--fiel", "x"), listOf("x"))) {
        test("${wrong.joinToString(" ")} causes a one-line error and exit code 2") {
            val run = run(*wrong.toTypedArray())
            run.code shouldBe 2
            run.error.trimEnd().lines() shouldHaveSize 1
            run.error shouldContain "; see --help"
        }
    }

    test("--help prints the options") {
        val run = run("--help")
        run.code shouldBe 0
        run.output shouldContain "--repeat"
    }

    test("--chart draws the busiest airports and prints the table") {
        val file = folder.resolve("busiest.png")
        val run = run("--chart", "$file")
        run.error shouldBe ""
        run.output shouldContain "drawn: $file"
        val chart = ImageIO.read(file.toFile())
        (chart.width to chart.height) shouldBe (700 to 800)
        val colours = (0 until chart.width step 5).flatMap { x ->
            (0 until chart.height step 5).map { y -> chart.getRGB(x, y) }
        }.toSet()
        (colours.size > 3) shouldBe true
    }

    test("--chart with a missing folder causes a one-line error and exit code 1") {
        val run = run("--chart", "/nowhere/at/all.png")
        run.code shouldBe 1
        run.error.trimEnd() shouldBe "flights: /nowhere/at/all.png: its folder does not exist"
    }

    test("flights-java prints the same averages") {
        val run = captured { runSamples("flights-java") }
        run.output.lines().first() shouldContain "ORD   22,146 flights,   9.07 minutes late"
    }

    test("a separate process runs the sample from a jar and prints nothing on standard error") {
        val classes = File("target/classes").absoluteFile
        val jar = folder.resolve("samples.jar").toFile()
        JarOutputStream(jar.outputStream()).use { out ->
            classes.walk().filter(File::isFile).forEach {
                out.putNextEntry(JarEntry(it.relativeTo(classes).invariantSeparatorsPath))
                it.inputStream().use { content -> content.copyTo(out) }
            }
        }
        val run = process("$jar${File.pathSeparator}" + classPath.filter { it != classes }
            .joinToString(File.pathSeparator), "flights")
        run.error shouldBe ""
        run.code shouldBe 0
        run.output shouldContain "229 airports: matches DuckDB's own answer"
    }

    test("flights-java rejects a missing file with the reason") {
        captured { runSamples("flights-java", "--file", "nowhere.parquet") }.run {
            code shouldBe 1
            error.trimEnd() shouldBe "flights-java: there is no file nowhere.parquet"
        }
    }

    test("a missing folder for temporary files is reported with its name and the reason") {
        process(
            classPath.joinToString(File.pathSeparator), "flights", options = listOf("-Djava.io.tmpdir=/nowhere/at/all"),
        ).run {
            code shouldBe 1
            val said = error.trimEnd().lines().filterNot { it.startsWith("WARNING: ") } // from the JVM
            said shouldHaveSize 1
            said.single() shouldContain "NoSuchFileException: /nowhere/at/all"
        }
    }

    test("a separate process exits with 1 for a missing file and with 2 for wrong options") {
        process(classPath.joinToString(File.pathSeparator), "flights", "--file", "nowhere.parquet").run {
            code shouldBe 1
            error shouldContain "nowhere.parquet"
            error shouldNotContain "Exception"
        }
        process(classPath.joinToString(File.pathSeparator), "flights", "--repeat", "-1").code shouldBe 2
    }
})

private fun run(vararg args: String): Run = captured { runSamples("flights", *args) }
