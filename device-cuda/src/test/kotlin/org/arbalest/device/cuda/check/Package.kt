// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda.check

import org.arbalest.device.Ledger
import org.arbalest.testkit.CPeer
import org.arbalest.testkit.gpu.CudaDouble
import java.io.File
import java.nio.file.FileSystems
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.attribute.PosixFilePermissions
import java.util.spi.ToolProvider
import kotlin.io.path.copyTo
import kotlin.io.path.createDirectories
import kotlin.io.path.div
import kotlin.io.path.fileSize
import kotlin.io.path.isDirectory
import kotlin.io.path.isRegularFile
import kotlin.io.path.name
import kotlin.io.path.walk
import kotlin.io.path.writeText
import kotlin.system.exitProcess

private const val MOST_MIB = 60

/** What the check uses of the JDK. */
private val MODULES = listOf("java.base", "java.logging", "java.management", "jdk.management", "jdk.unsupported")

/** What nothing in the check comes to: debugging of coroutines, property tests, annotations. */
private val UNNEEDED = listOf("byte-buddy", "jna", "kotlinx-coroutines-debug", "kotest-property", "rgxgen", "kotlin-rgxgen", "apiguardian", "annotations")

/** Of JCuda's natives the driver's alone: the rest is a compiler, and what finds the toolkit. */
private val UNUSED = listOf("libJNvPTXCompiler", "libJNvrtc", "libJCudaRuntime")

/** Makes a folder of this program's class path, a runtime and compiled C, which runs the check on any Linux x86-64 machine. */
internal fun main(args: Array<String>) {
    val folder = Path.of(args.single()).toAbsolutePath()
    folder.toFile().deleteRecursively()
    val lib = (folder / "lib").createDirectories()
    System.getProperty("java.class.path").split(File.pathSeparator).map(Path::of)
        .filter { Files.exists(it) && UNNEEDED.none(it.name::startsWith) }.forEachIndexed { i, entry -> entry.copyInto(lib, i) }
    link(folder / "runtime")
    compile((folder / "native").createDirectories())
    script(folder / "run")
    val mib = folder.walk().filter { it.isRegularFile() }.sumOf { it.fileSize() } / 1048576.0
    if (mib > MOST_MIB) fail("$folder has %.1f MiB, and $MOST_MIB are the most".format(mib))
    println("$folder: %.1f MiB; copy it to a machine with a GPU, and start `run`".format(mib))
}

private fun Path.copyInto(lib: Path, index: Int) {
    if (isDirectory()) {
        toFile().copyRecursively((lib / "classes-$index").toFile())
    } else {
        val copy = copyTo(lib / name, overwrite = true)
        if (name.startsWith("jcuda-natives")) FileSystems.newFileSystem(copy).use { jar ->
            jar.getPath("/lib").walk().filter { file -> UNUSED.any { it in file.name } }.toList().forEach(Files::delete)
        }
    }
}

private fun link(runtime: Path) {
    val jlink = ToolProvider.findFirst("jlink").orElse(null) ?: fail("this JDK has no jlink")
    val code = jlink.run(
        System.out, System.err, "--add-modules", MODULES.joinToString(","), "--output", "$runtime", "--no-header-files", "--no-man-pages",
        "--strip-java-debug-attributes", "--compress", "zip-9",
    )
    if (code != 0) fail("jlink failed with $code")
    // jlink's own plugin strips nothing where a JDK has no jmods.
    val libraries = runtime.walk().filter { it.name.endsWith(".so") }.map { "$it" }.toList()
    val strip = ProcessBuilder(listOf("strip", "--strip-unneeded") + libraries).inheritIO().start().waitFor()
    if (strip != 0) fail("strip failed with $strip")
}

/** The C peer and the double, by name: there may be no compiler where they are used. */
private fun compile(native: Path) {
    File("target", "native").deleteRecursively() // what is there may be of other sources
    CPeer.counts()
    CudaDouble.load()
    check(Ledger.now().isZero)
    Path.of("target", "native").walk().filter { it.name in listOf("peer", "cuda").map(System::mapLibraryName) }.groupBy { it.name }.forEach { (name, built) ->
        built.maxBy(Files::getLastModifiedTime).copyTo(native / name)
    }
}

private fun script(file: Path) {
    file.writeText(
        """
        #!/bin/sh
        # Says whether this machine's NVIDIA GPU and driver do what Arbalest needs, and how fast. See ./run --help.
        cd "${'$'}(dirname "${'$'}0")" || exit 1
        classes=${'$'}(printf '%s:' lib/classes-*)
        exec runtime/bin/java --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow -Darbalest.testkit.native=native \
          -Djava.util.logging.config.file=/dev/null -cp "${'$'}{classes}lib/*" org.arbalest.device.cuda.check.GpuCheckKt "${'$'}@"
        """.trimIndent() + "\n",
    )
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"))
}

private fun fail(why: String): Nothing {
    System.err.println("gpu-check: $why")
    exitProcess(1)
}
