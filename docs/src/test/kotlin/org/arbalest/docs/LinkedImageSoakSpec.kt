// SPDX-License-Identifier: Apache-2.0
package org.arbalest.docs

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.collections.shouldContainAll
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import kotlinx.coroutines.Job
import org.arbalest.device.Availability.Ready
import org.arbalest.device.DeviceType.OPENCL
import org.arbalest.device.Devices
import org.arbalest.testkit.SkipWithout
import java.io.File
import java.io.PrintWriter
import java.io.StringWriter
import java.util.spi.ToolProvider
import kotlin.io.path.Path
import kotlin.io.path.exists

/**
 * Tests an application with its modules, linked to an image by `jlink`, which accepts no automatic modules. The same
 * application also runs on the module path.
 */
class LinkedImageSoakSpec : FunSpec({
    extension(SkipWithout {
        "this JDK has no jlink: use a full JDK".takeUnless {
            Path(System.getProperty("java.home"), "bin", "jlink").exists()
        }
    })

    val folder = tempdir()
    val modulePath by lazy {
        (PUBLISHED.map(::classesOf) + listOf(Unit::class, Job::class).map { jarOf(it.java) } +
            application(folder.resolve("app"))).joinToString(File.pathSeparator)
    }

    fun verify(run: Run) = withClue(run.output) {
        run.code shouldBe 0
        run.output shouldContain "module: module org.arbalest.device\n"
        run.output shouldNotContain "no backend for"
        run.output shouldNotContain "WARNING"
        run.output shouldContain
            "flow: 4.5 of [Trade(price=0.5, symbol=s0), Trade(price=1.5, symbol=null), Trade(price=2.5, symbol=s2)]\n"
        if (Devices.availability(OPENCL) is Ready) run.output shouldContain
            "OpenCL: 4.5\n" else run.output shouldNotContain "OpenCL: "
    }

    test("a linked image contains the Kotlin modules and the backends, and runs without flags [MOD-01]") {
        val image = folder.resolve("image")
        tool("jlink", "--module-path", modulePath, "--add-modules", (listOf(APPLICATION) + BACKENDS).joinToString(","),
            "--add-options=--enable-native-access=${(listOf("org.arbalest.device") + BACKENDS).joinToString(",")} " +
                "--illegal-native-access=deny",
            "--launcher", "trades=$APPLICATION/$APPLICATION.MainKt", "--output", "$image")
        val modules = run("$image/bin/java", "--list-modules").output.lines().map { it.substringBefore('@') }
        modules shouldContainAll BACKENDS + listOf("org.arbalest.device", "org.arbalest.coroutines")
        verify(run("$image/bin/trades"))
    }

    test("an application on the module path requires its direct modules, and finds the backends [MOD-01]") {
        verify(
            run(
                Path(System.getProperty("java.home"), "bin", "java").toString(), "--module-path", modulePath,
                "--illegal-native-access=deny",
                "--enable-native-access=${(listOf("org.arbalest.device") + BACKENDS).joinToString(",")}", "--module",
                "$APPLICATION/$APPLICATION.MainKt",
            ),
        )
    }
})

private const val APPLICATION = "org.arbalest.docs.image"
private val PUBLISHED = listOf("device-core", "coroutines", "device-opencl", "device-cuda", "device-rocm")
private val BACKENDS = listOf("opencl", "cuda", "rocm").map { "org.arbalest.device.$it" }

/** Compiles the classes of [APPLICATION] to a separate module. */
private fun application(folder: File): File {
    val compiled = File(jarOf(LinkedImageSoakSpec::class.java), APPLICATION.replace('.', '/'))
    compiled.copyRecursively(folder.resolve(APPLICATION.replace('.', '/')))
    val source = folder.resolveSibling("module-info.java")
    source.writeText(
        "module $APPLICATION { requires org.arbalest.coroutines; opens $APPLICATION to org.arbalest.coroutines; }",
    )
    val path = (listOf("device-core", "coroutines").map(::classesOf) + listOf(Unit::class, Job::class)
        .map { jarOf(it.java) }).joinToString(File.pathSeparator)
    tool("javac", "-d", "$folder", "--module-path", path, "$source")
    return folder
}

private fun tool(name: String, vararg arguments: String) {
    val words = StringWriter()
    val code = PrintWriter(words).use { ToolProvider.findFirst(name).orElseThrow().run(it, it, *arguments) }
    check(code == 0) { "$name failed with exit code $code:\n$words" }
}
