// SPDX-License-Identifier: Apache-2.0
package org.arbalest.docs

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import kotlinx.coroutines.Job
import org.jetbrains.annotations.Nullable
import java.io.File
import java.nio.file.Path

/** The compiler and the standard library of one version of Kotlin, which Maven has downloaded. */
private class Kotlin(val version: String) {
    private val folder = File("target/kotlin/$version")
    val library = folder.resolve("kotlin-stdlib-$version.jar")
    private val compiler = listOf(folder.resolve("kotlin-compiler-embeddable-$version.jar"), library,
        folder.resolveSibling("kotlin-reflect-1.6.10.jar")) +
        listOf(Job::class, Nullable::class).map { jarOf(it.java) }

    /** Compiles a source to class files of a version. A warning is an error. */
    fun compile(source: String, target: Int, classPath: List<File>, into: File): Run = java(
        compiler, listOf("--sun-misc-unsafe-memory-access=allow", "-Xmx1g", "-XX:+UseSerialGC"),
        "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler", "-Werror", "-no-stdlib", "-no-reflect", "-jdk-home",
        System.getProperty("java.home"), "-jvm-target", "$target", "-cp",
        (classPath + library).joinToString(File.pathSeparator), "-d", "$into",
        File("src/test/resources/consumer/$source").path,
    )
}

private fun java(classPath: List<File>, options: List<String>, vararg main: String): Run {
    val java = Path.of(System.getProperty("java.home"), "bin", "java").toString()
    val flags = listOf("--enable-native-access=ALL-UNNAMED", "--illegal-native-access=deny", "-XX:TieredStopAtLevel=1")
    return run(java, *flags.toTypedArray(), *options.toTypedArray(), "-cp",
        classPath.joinToString(File.pathSeparator), *main)
}

/**
 * Tests consumers with an older Kotlin than ours, or with older class files. Their programs run on the JVM of this
 * build, and are compiled against its classes.
 */
class KotlinConsumersEngineSpec : FunSpec({
    val folder = tempdir()
    val (oldest, previous, ours) = System.getProperty("kotlin.versions").split(' ').map(::Kotlin)
    val library = listOf(classesOf("device-core"), classesOf("coroutines"), jarOf(Job::class.java))

    // Kotlin 2.2 only supports targets up to 24.
    for ((kotlin, target) in listOf(
        oldest to 17, oldest to 21, oldest to 24, previous to 21, previous to 25, ours to 21, ours to 25,
    )) {
        test("Kotlin ${kotlin.version} compiles a consumer for JVM $target, and the program runs [KOT-01]") {
            val classes = folder.resolve("${kotlin.version}-$target")
            val compiled = kotlin.compile("Consumer.kt", target, library, classes)
            withClue(compiled.output) { compiled.code shouldBe 0 }
            val run = java(library + kotlin.library + classes, listOf(), "consumer.ConsumerKt")
            withClue(run.output) {
                run.code shouldBe 0
                run.output shouldBe """
                    views: 82.0 [s0, null, s2, null] true
                    rows: [Trade(price=1.5, symbol=a, count=1), Trade(price=2.5, symbol=null, count=7)]
                    borrowed: [0, 10]
                    borrowed: [0, 10, 20]
                    flow: [2, 3]

                """.trimIndent()
            }
        }
    }

    for (kotlin in listOf(oldest, ours)) {
        test("Kotlin ${kotlin.version} rejects operators that keep the batches of a lending flow [OWN-16]") {
            val source = File("src/test/resources/consumer/Refused.kt").readLines()
            val calls = source.indices.filter { source[it].startsWith("    lent.") }.map { it + 1 }
            val compiled = kotlin.compile("Refused.kt", 21, library, folder.resolve("refused-${kotlin.version}"))
            val errors = Regex("""Refused\.kt:(\d+):\d+: error: (.*)""").findAll(compiled.output).toList()
            withClue(compiled.output) {
                errors.filter { "a lending flow closes each array after its emit" in it.groupValues[2] }
                    .map { it.groupValues[1].toInt() }.distinct() shouldBe calls
                calls.size shouldBeGreaterThan 40
            }
        }
    }

    test("Kotlin ${oldest.version} compiles a backend test with the testkit's contract [KOT-01]") {
        val tests = System.getProperty("java.class.path").split(File.pathSeparator).map(::File)
            .filter { "kotest" in it.name }
        val compiled = oldest.compile("BackendSpec.kt", 21,
            library + classesOf("leak-check") + classesOf("device-testkit") + tests, folder.resolve("testkit"))
        withClue(compiled.output) { compiled.code shouldBe 0 }
    }

    test("Kotlin ${oldest.version} reports a JVM target that it does not support") {
        val compiled = oldest.compile("Consumer.kt", 25, library, folder.resolve("25"))
        compiled.code shouldBe 1
        compiled.output shouldContain "unknown JVM target version: 25"
    }
})
