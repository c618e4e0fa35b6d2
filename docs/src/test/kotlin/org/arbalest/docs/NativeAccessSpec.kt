// SPDX-License-Identifier: Apache-2.0
package org.arbalest.docs

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import org.arbalest.device.Devices
import org.arbalest.device.cuda.CudaProvider
import org.arbalest.device.opencl.OpenClProvider
import org.arbalest.device.rocm.RocmProvider
import org.arbalest.support.ChildJvm
import java.io.File
import java.nio.file.Files
import java.nio.file.Path
import java.util.jar.Attributes.Name
import java.util.jar.JarEntry
import java.util.jar.JarOutputStream
import java.util.jar.Manifest
import kotlin.io.path.div
import kotlin.io.path.isDirectory
import kotlin.io.path.outputStream
import kotlin.io.path.toPath
import kotlin.reflect.KClass

private const val DENY = "--illegal-native-access=deny"
private const val CORE = "org.arbalest.device"

/**
 * Tests the errors without `--enable-native-access`, or with too few modules in it, if the JVM denies native access:
 * DEV-20. Each case runs in a separate JVM.
 */
class NativeAccessSpec : FunSpec({
    val folder = Files.createTempDirectory("arbalest-native-access")
    val core = place(Devices::class)
    val backends = mapOf("opencl" to place(OpenClProvider::class), "cuda" to place(CudaProvider::class),
        "rocm" to place(RocmProvider::class))
    val program = listOf(place(NativeDoors::class), place(Unit::class))
    val jars = mutableMapOf<String, Path>()

    afterSpec { folder.toFile().deleteRecursively() }

    fun onClassPath(
        vararg options: String,
        extra: List<Path> = listOf(),
        arguments: List<String> = listOf(),
    ): ChildJvm =
        ChildJvm.java(options.toList() +
            listOf("-cp", path(program + listOf(core) + extra), NativeDoors::class.java.name) + arguments)

    /** Runs the program on the class path, with core and these backends as modules. */
    fun asModules(names: List<String>, vararg options: String, arguments: List<String> = listOf()): ChildJvm {
        val modules = (listOf("" to core) + names.map { ".$it" to backends.getValue(it) }).map { (name, place) ->
            jars.getOrPut(name) {
                if (place.isDirectory()) jar(folder / "device$name.jar", place, "Automatic-Module-Name" to CORE + name)
                else place
            }
        }
        val where = listOf("--module-path", path(modules), "--add-modules", CORE, "-cp", path(program))
        return ChildJvm.java(options.toList() + where + NativeDoors::class.java.name + arguments)
    }

    fun ChildJvm.allRefusedWith(why: String) = withClue(output) {
        val doors = output.lines().filter { ": java." in it || it.endsWith(": open") }
        doors.size shouldBe 2 * 17
        doors.filterNot { it.endsWith(": java.lang.IllegalCallerException: $why") }.shouldBeEmpty()
        output shouldContain "CPU: unavailable, because $why\n"
        output shouldNotContain "WARNING"
        output shouldNotContain "at org.arbalest"
        exitCode shouldBe 3
    }

    fun missing(who: String, modules: String) =
        "native access is not enabled for the module $who: start the JVM with --enable-native-access=$modules"

    test("on the class path, each call on any thread throws the same exception with ALL-UNNAMED [DEV-20]") {
        onClassPath(DENY, extra = backends.values.toList()).allRefusedWith(
            "native access is not enabled for the class path: start the JVM with --enable-native-access=ALL-UNNAMED; " +
                "an executable jar may say " +
                "Enable-Native-Access: ALL-UNNAMED in its manifest instead",
        )
    }

    test("on the module path, the exception names exactly the available modules [DEV-20]") {
        asModules(listOf(), DENY).allRefusedWith(missing(CORE, CORE))
        asModules(listOf("rocm", "cuda"), DENY, "--enable-native-access=ALL-UNNAMED")
            .allRefusedWith(missing(CORE, "$CORE,$CORE.cuda,$CORE.rocm"))
    }

    test("a backend that the flag omits is unavailable at each call, and the reason has the whole flag [DEV-20]") {
        val child = asModules(listOf("opencl", "cuda"), DENY, "--enable-native-access=$CORE",
            arguments = listOf("CUDA", "OPENCL"))
        withClue(child.output) {
            child.exitCode shouldBe 0
            for (kind in listOf("CUDA", "OPENCL")) {
                val why = missing("$CORE.${kind.lowercase()}", "$CORE,$CORE.cuda,$CORE.opencl")
                val refused = "$kind: org.arbalest.device.DeviceException: $kind:0 is unavailable, because $why"
                child.output.lines().filter { it.startsWith("$kind: ") } shouldBe listOf(refused, refused)
                child.output shouldContain "$kind is unavailable, because $why\n"
            }
        }
    }

    test("native calls work with the flag, and without it only with a warning if the JVM allows them [DEV-20]") {
        onClassPath(DENY, "--enable-native-access=ALL-UNNAMED").worked() shouldBe "works: 41\n"
        asModules(listOf("cuda"), DENY, "--enable-native-access=$CORE,$CORE.cuda").worked() shouldBe "works: 41\n"
        onClassPath("--illegal-native-access=warn").worked() shouldContain "WARNING"
    }

    test("an executable jar enables native access by its manifest") {
        fun app(name: String, vararg more: Pair<String, String>): Path = jar(
            folder / name, null, Name.MAIN_CLASS.toString() to NativeDoors::class.java.name,
            Name.CLASS_PATH.toString() to (program + listOf(core)).joinToString(" ") { it.toUri().toString() }, *more,
        )
        ChildJvm.java(listOf(DENY, "-jar", "${app("enabled.jar", "Enable-Native-Access" to "ALL-UNNAMED")}"))
            .worked() shouldBe "works: 41\n"
        ChildJvm.java(listOf(DENY, "-jar", "${app("plain.jar")}")).output shouldContain
            "java.lang.IllegalCallerException: native access is not enabled"
    }
})

private fun ChildJvm.worked(): String = withClue(output) {
    exitCode shouldBe 0
    output.also { it shouldContain "works: 41\n" }
}

/** Returns the folder or jar of a class. */
private fun place(type: KClass<*>): Path = type.java.protectionDomain.codeSource.location.toURI().toPath()

private fun path(places: List<Path>): String = places.joinToString(File.pathSeparator)

/** Makes a jar of a folder, or an empty one, with entries in its manifest. */
private fun jar(jar: Path, folder: Path?, vararg entries: Pair<String, String>): Path {
    val manifest = Manifest()
    manifest.mainAttributes[Name.MANIFEST_VERSION] = "1.0"
    for ((name, value) in entries) manifest.mainAttributes[Name(name)] = value
    JarOutputStream(jar.outputStream(), manifest).use { out ->
        val files = if (folder == null) listOf()
        else folder.toFile().walk().filter { it.isFile && it.name != "MANIFEST.MF" }.toList()
        for (file in files) {
            out.putNextEntry(JarEntry(file.relativeTo(folder!!.toFile()).invariantSeparatorsPath))
            file.inputStream().use { it.copyTo(out) }
        }
    }
    return jar
}
