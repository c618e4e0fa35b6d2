// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import org.arbalest.support.NativeLibrary
import org.arbalest.support.PeerLibrary
import java.io.File
import java.nio.file.FileSystems
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.attribute.PosixFilePermissions
import java.util.spi.ToolProvider
import kotlin.io.path.copyTo
import kotlin.io.path.createDirectories
import kotlin.io.path.createTempDirectory
import kotlin.io.path.div
import kotlin.io.path.extension
import kotlin.io.path.fileSize
import kotlin.io.path.isDirectory
import kotlin.io.path.isRegularFile
import kotlin.io.path.name
import kotlin.io.path.walk
import kotlin.io.path.writeText

private const val MOST_MIB = 63

/** The glibc that the check requires: that of RHEL 8, or newer. */
private val GLIBC = Glibc("2.28")

/** The libraries in which an old release has functions that are in libc today. */
private val SPLIT =
    listOf("-Wl,--no-as-needed", "-l:libpthread.so.0", "-l:libdl.so.2", "-l:librt.so.1", "-Wl,--as-needed")

/** The JDK modules that the check uses. */
private val MODULES = listOf("java.base", "java.logging", "java.management", "jdk.management", "jdk.unsupported")

/** Libraries that the check never uses: debugging of coroutines, property tests, annotations. */
private val UNNEEDED = listOf(
    "byte-buddy", "jna", "kotlinx-coroutines-debug", "kotest-property", "rgxgen", "kotlin-rgxgen", "apiguardian",
    "annotations", "error_prone_annotations",
)

/**
 * Unused native libraries of JCuda. The check uses only the driver's library; the others are a compiler, and a search
 * for the toolkit.
 */
private val UNUSED = listOf("libJNvPTXCompiler", "libJNvrtc", "libJCudaRuntime")

/**
 * Makes a folder with this program's class path, a runtime and compiled C. The folder runs the check on any Linux
 * x86-64 machine with glibc 2.28 or newer.
 */
fun makeBundle(gpu: CheckedGpu, to: Path): Int {
    val folder = to.toAbsolutePath()
    folder.toFile().deleteRecursively()
    val lib = (folder / "lib").createDirectories()
    System.getProperty("java.class.path").split(File.pathSeparator).map(Path::of)
        .filter { Files.exists(it) && UNNEEDED.none(it.name::startsWith) }
        .forEachIndexed { i, entry -> entry.copyInto(lib, i) }
    link(folder / "runtime")
    compile(listOf(PeerLibrary.library, gpu.double.library), (folder / "native").createDirectories())
    script(gpu, folder / "run")
    complain(folder)?.let {
        System.err.println("gpu-check: $it")
        return FAILED_CODE
    }
    println("$folder: %.1f MiB; copy it to a machine with a GPU, and start `run`".format(mib(folder)))
    return 0
}

private fun mib(folder: Path): Double = folder.walk().filter { it.isRegularFile() }.sumOf { it.fileSize() } / 1048576.0

/** Returns the fault of a bundle: its size, or a library that needs a newer glibc; null if it has none. */
fun complain(folder: Path): String? {
    if (mib(folder) > MOST_MIB) return "$folder has %.1f MiB; the limit is $MOST_MIB".format(mib(folder))
    val scratch = createTempDirectory("gpu-check")
    try {
        val packed = folder.walk().filter { it.name.startsWith("jcuda-natives") }.flatMap { unpacked(it, scratch) }
        for (library in folder.walk().filter {
            it.isRegularFile() && (it.extension == "so" || it.parent.name == "bin")
        } + packed) {
            val young = GLIBC.tooYoung(library)
            if (young.isNotEmpty()) return "$library needs a glibc newer than 2.28, for $young"
        }
        return null
    } finally {
        scratch.toFile().deleteRecursively()
    }
}

private fun unpacked(jar: Path, scratch: Path): List<Path> = FileSystems.newFileSystem(jar).use { files ->
    files.getPath("/").walk().filter { it.name.endsWith(".so") }.map {
        it.copyTo(scratch / it.name, overwrite = true)
    }.toList()
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
    val jlink = ToolProvider.findFirst("jlink").orElseThrow { IllegalStateException("this JDK has no jlink") }
    val code = jlink.run(
        System.out, System.err, "--add-modules", MODULES.joinToString(","), "--output", "$runtime", "--no-header-files",
        "--no-man-pages", "--strip-java-debug-attributes", "--compress", "zip-9",
    )
    check(code == 0) { "jlink failed with $code" }
    // In a JDK without jmods, jlink's own plugin strips nothing.
    run(listOf("strip", "--strip-unneeded") + runtime.walk().filter { it.name.endsWith(".so") }.map { "$it" })
}

/**
 * Compiles the C peer and the simulator into a folder, under their names, because the target machine may have no
 * compiler. Binds them to the functions that an old glibc has.
 */
fun compile(libraries: List<NativeLibrary>, folder: Path) {
    val libc = Path.of(run(listOf(System.getenv("CC") ?: "cc", "-print-file-name=libc.so.6")).trim())
    for (library in libraries) {
        val scratch = createTempDirectory("gpu-check")
        val header = scratch / "glibc.h"
        header.writeText(GLIBC.header(GLIBC.tooYoung(library.file).keys, libc))
        val built = scratch / library.file.name
        library.build(listOf("-include", "$header") + SPLIT, built)
        built.copyTo(folder / built.name)
        scratch.toFile().deleteRecursively()
    }
}

private fun run(command: List<String>): String {
    val process = ProcessBuilder(command).redirectErrorStream(true).start()
    val words = process.inputReader().readText()
    return words.also { check(process.waitFor() == 0) { "${command.first()} failed: $words" } }
}

private fun script(gpu: CheckedGpu, file: Path) {
    file.writeText(
        """
        #!/bin/sh
        # Checks whether this machine's ${gpu.maker} GPU and driver do what Arbalest needs, and how fast.
        # See ./run --help.
        here=${'$'}(cd "${'$'}(dirname "${'$'}0")" && pwd) || exit 1
        classes=${'$'}(printf '%s:' "${'$'}here"/lib/classes-*)
        exec "${'$'}here/runtime/bin/java" --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow \
          -Darbalest.native="${'$'}here/native" -Djava.util.logging.config.file=/dev/null \
          -cp "${'$'}{classes}${'$'}here/lib/*" ${gpu.program.java.name} "${'$'}@"
        """.trimIndent() + "\n",
    )
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"))
}
