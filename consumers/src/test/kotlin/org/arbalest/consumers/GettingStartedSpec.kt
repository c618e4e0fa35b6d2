// SPDX-License-Identifier: Apache-2.0
package org.arbalest.consumers

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContain
import io.kotest.matchers.collections.shouldContainAll
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import org.w3c.dom.Element
import java.io.File
import java.util.concurrent.TimeUnit.MINUTES

private const val SERVICES =
    """<transformer implementation="org.apache.maven.plugins.shade.resource.ServicesResourceTransformer" />"""

private val BACKENDS = listOf("opencl", "cuda", "rocm")

/**
 * Tests that the Maven projects of docs/guides/getting-started.md build and run against the staged artifacts, and that
 * a jar made of several jars finds the backends by the guide's configuration of the shade plugin.
 */
class GettingStartedSpec : FunSpec({
    val page = ROOT.resolve("docs/guides/getting-started.md").readText()
    val (javaPom, kotlinPom, shade) = blocks(page, "xml")
    val java = blocks(page, "java").single()
    val kotlin = blocks(ROOT.resolve("README.md").readText(), "kotlin").single()

    fun oneJar(name: String, plugin: String) = Consumer(name) {
        val dependencies = BACKENDS.joinToString("") { backend ->
            "<dependency><groupId>org.arbalest</groupId><artifactId>arbalest-device-$backend</artifactId>" +
                "<version>$VERSION</version></dependency>"
        }
        val main = plugin.replace("<mainClass>FirstBatch<", "<mainClass>app.Backends<")
        it.write("pom.xml", managed(javaPom.into("<dependencies>", dependencies).into("<plugins>", main)))
        it.write("src/main/java/app/Backends.java", DESCRIBE)
    }

    val programs = mapOf(
        "guide-java" to Consumer("guide-java", listOf("compile", "exec:exec")) {
            it.write("pom.xml", managed(javaPom))
            it.write("src/main/java/FirstBatch.java", java)
        },
        "guide-kotlin" to Consumer("guide-kotlin", listOf("compile", "exec:exec")) {
            it.write("pom.xml", managed(kotlinPom))
            it.write("src/main/kotlin/DuckDbSum.kt", kotlin)
        },
    )
    val jars = mapOf("one-jar" to shade, "one-jar-without-services" to shade.replace(SERVICES, ""))
        .mapValues { (name, plugin) -> oneJar(name, plugin) }
    val builds = Builds(programs + jars)

    fun printedByJar(name: String): String {
        builds.printedBy(name)
        return run(jars.getValue(name).directory.resolve("target/first-batch-1.jar"))
    }

    test("the guide names the versions of this build, and the release for the compiler plugin of old Mavens") {
        val versions = Consumer.plugins + mapOf(
            "kotlin-maven-plugin" to System.getProperty("consumers.kotlin"),
            "maven-shade-plugin" to version(parsed(ROOT.resolve("spark-assembly/pom.xml")), "maven-shade-plugin"),
            "duckdb_jdbc" to System.getProperty("consumers.duckdb"),
            "arbalest-device-core" to VERSION,
            "arbalest-adbc-coroutines" to VERSION,
        )
        val named = listOf(javaPom, kotlinPom, shade).flatMap { xml ->
            val names = Regex("<artifactId>(.*)</artifactId>\\s*<version>(.*)</version>").findAll(xml)
            names.map { it.groupValues[1] to it.groupValues[2] }.filter { (name, _) -> name !in OWN }
        }
        named shouldHaveSize 8
        named.filter { (name, version) -> versions.getValue(name) != version } shouldBe emptyList()
        javaPom shouldContain Regex("<artifactId>maven-compiler-plugin<(.|\n)*?<release>25</release>")
    }

    test("the guide's Maven project builds and runs the first program") {
        val output = Regex("## The output\\s+```\n(.*?)```", RegexOption.DOT_MATCHES_ALL).find(page)!!.groupValues[1]
        builds.printedBy("guide-java") shouldContain output
    }

    test("the guide's Maven project for Kotlin builds and runs the README's query") {
        builds.printedBy("guide-kotlin").lines() shouldContain "249750.0"
    }

    test("a jar that the guide's shade plugin makes has access to native code, and finds all backends") {
        val printed = printedByJar("one-jar")
        printed.lines().map { it.substringBefore(':') } shouldContainAll BACKENDS.map { it.uppercase() }
        printed shouldNotContain "no backend"
    }

    test("a jar without merged service files loses backends, and prints the message in docs/errors.md [DEV-13]") {
        val reason = printedByJar("one-jar-without-services").lines().single { it.startsWith("CUDA: ") }
        reason shouldContain "META-INF/services"
        ROOT.resolve("docs/errors.md").readText() shouldContain "| `$reason` |"
    }
})

/** The projects' own artifact ids. */
private val OWN = setOf("first-batch", "duckdb")

private const val DESCRIBE = """
package app;

import org.arbalest.device.Devices;

public final class Backends {
  public static void main(String[] args) {
    System.out.print(Devices.describe());
  }
}
"""

private fun blocks(page: String, language: String): List<String> =
    Regex("```$language\n(.*?)```", RegexOption.DOT_MATCHES_ALL).findAll(page).map { it.groupValues[1] }.toList()

private fun String.into(element: String, content: String): String = replaceFirst(element, element + content)

private fun File.write(path: String, content: String) {
    resolve(path).apply { parentFile.mkdirs() }.writeText(content)
}

/** Adds the versions of the plugins that Maven would choose itself, so that they are those of this build. */
private fun managed(pom: String): String {
    val plugins = listOf("resources", "compiler", "surefire", "jar").map { "maven-$it-plugin" }.filter { it !in pom }
    return pom.into(
        "<build>",
        plugins.joinToString("", "<pluginManagement><plugins>", "</plugins></pluginManagement>") {
            "<plugin><artifactId>$it</artifactId><version>${Consumer.plugins.getValue(it)}</version></plugin>"
        },
    )
}

private fun version(pom: org.w3c.dom.Document, plugin: String): String {
    val all = pom.getElementsByTagName("plugin")
    return (0 until all.length).map { all.item(it) as Element }
        .first { it.children("artifactId").single().textContent == plugin }.children("version").single().textContent
}

/** Runs an executable jar, whose manifest permits native access, and returns its output. */
private fun run(jar: File): String {
    val java = File(System.getProperty("java.home"), "bin/java").path
    val command = listOf(java, "--illegal-native-access=deny", "-jar", jar.path)
    val process = ProcessBuilder(command).redirectErrorStream(true).start()
    val printed = process.inputStream.readAllBytes().decodeToString()
    check(process.waitFor(1, MINUTES) && process.exitValue() == 0) { printed }
    return printed
}
