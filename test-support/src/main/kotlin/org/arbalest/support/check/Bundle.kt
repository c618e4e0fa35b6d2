// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import org.arbalest.support.CCompiler
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

private const val AARCH64 = "aarch64"
private const val MIB = 1048576.0
private const val MOST_MIB = 63

/** The same files give the same archive. */
private val TAR = listOf("tar", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=2025-01-01Z")

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
 * A Linux machine for which a bundle is made.
 *
 * @property processor as `uname -m` prints it
 * @property compiler its C compiler, if it is not this machine's
 */
private class Target(val processor: String, val compiler: Path? = null)

/** This machine; on x86-64 with a compiler for aarch64, also that processor. */
private fun targets(): List<Target> {
    val own = if (System.getProperty("os.arch") == "aarch64") AARCH64 else "x86_64"
    val cross = CCompiler.find("$AARCH64-linux-gnu-gcc", System.getenv("PATH").orEmpty()) as? CCompiler.Found
    return listOf(Target(own)) + listOfNotNull(cross?.takeIf { own != AARCH64 }?.let { Target(AARCH64, it.path) })
}

/**
 * Makes a folder with this program's class path, a runtime and compiled C, and archives of it beside it. The folder
 * runs the check on any Linux machine with this machine's processor and glibc 2.28 or newer.
 *
 * An archive for another processor has no runtime, since jlink makes one only of a JDK for that processor.
 */
fun makeBundle(gpu: CheckedGpu, to: Path): Int {
    val own = to.toAbsolutePath()
    val scratch = createTempDirectory("gpu-check")
    try {
        for (target in targets()) {
            val folder = if (target.compiler == null) own else scratch / own.name
            fill(folder, gpu, target)
            complain(folder)?.let {
                System.err.println("gpu-check: $it")
                return FAILED_CODE
            }
            val archive = own.resolveSibling("${own.name}-linux-${target.processor}.tar.gz")
            run(TAR + listOf("-czf", "$archive", "-C", "${folder.parent}", folder.name))
            println("$archive: %.1f MiB; copy it to a machine with a GPU, unpack it, and start `${own.name}/run`"
                .format(archive.fileSize() / MIB))
        }
        return 0
    } finally {
        scratch.toFile().deleteRecursively()
    }
}

private fun fill(folder: Path, gpu: CheckedGpu, target: Target) {
    folder.toFile().deleteRecursively()
    val lib = (folder / "lib").createDirectories()
    val unneeded = if (target.processor == AARCH64) UNNEEDED + "jcuda-natives" else UNNEEDED // it has none for aarch64
    System.getProperty("java.class.path").split(File.pathSeparator).map(Path::of)
        .filter { Files.exists(it) && unneeded.none(it.name::startsWith) }
        .forEachIndexed { i, entry -> entry.copyInto(lib, i) }
    if (target.compiler == null) link(folder / "runtime")
    compile(listOf(PeerLibrary.library, gpu.double.library), (folder / "native").createDirectories(), target.compiler)
    script(gpu, target, folder / "run")
}

private fun mib(folder: Path): Double = folder.walk().filter { it.isRegularFile() }.sumOf { it.fileSize() } / MIB

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
        tool("jar", "--create", "--file", "${lib / "classes-$index.jar"}", "-C", "$this", ".")
    } else {
        val copy = copyTo(lib / name, overwrite = true)
        if (name.startsWith("jcuda-natives")) FileSystems.newFileSystem(copy).use { jar ->
            jar.getPath("/lib").walk().filter { file -> UNUSED.any { it in file.name } }.toList().forEach(Files::delete)
        }
    }
}

private fun link(runtime: Path) {
    tool("jlink", "--add-modules", MODULES.joinToString(","), "--output", "$runtime", "--no-header-files",
        "--no-man-pages", "--strip-java-debug-attributes", "--compress", "zip-9")
    // In a JDK without jmods, jlink's own plugin strips nothing.
    run(listOf("strip", "--strip-unneeded") + runtime.walk().filter { it.name.endsWith(".so") }.map { "$it" })
}

/**
 * Compiles the C peer and the simulator into a folder, under their names, because the target machine may have no
 * compiler. Binds them to the functions that an old glibc has.
 *
 * @param compiler the compiler, if it is not this machine's
 */
fun compile(libraries: List<NativeLibrary>, folder: Path, compiler: Path? = null) {
    val command = "${compiler ?: System.getenv("CC") ?: "cc"}"
    val libc = Path.of(run(listOf(command, "-print-file-name=libc.so.6")).trim())
    for (library in libraries) {
        val scratch = createTempDirectory("gpu-check")
        val header = scratch / "glibc.h"
        val built = scratch / library.file.name
        library.build(SPLIT, built, compiler)
        header.writeText(GLIBC.header(GLIBC.tooYoung(built).keys, libc))
        library.build(listOf("-include", "$header") + SPLIT, built, compiler)
        built.copyTo(folder / built.name)
        scratch.toFile().deleteRecursively()
    }
}

private fun tool(name: String, vararg arguments: String) {
    val tool = ToolProvider.findFirst(name).orElseThrow { IllegalStateException("this JDK has no $name") }
    val code = tool.run(System.out, System.err, *arguments)
    check(code == 0) { "$name failed with $code" }
}

private fun run(command: List<String>): String {
    val process = ProcessBuilder(command).redirectErrorStream(true).start()
    val words = process.inputReader().readText()
    return words.also { check(process.waitFor() == 0) { "${command.first()} failed: $words" } }
}

private fun script(gpu: CheckedGpu, target: Target, file: Path) {
    val (java, missing) = if (target.compiler == null) {
        "\$here/runtime/bin/java" to "its Java does not start here; it needs glibc 2.28 or newer"
    } else {
        "\${JAVA_HOME:+\$JAVA_HOME/bin/}java" to
            "it needs Java 25 or newer; install one, and set JAVA_HOME to its folder"
    }
    file.writeText(
        """
        #!/bin/sh
        # Checks whether this machine's ${gpu.maker} GPU and driver do what Arbalest needs, and how fast.
        # See ./run --help.
        fail() { echo "gpu-check: ${'$'}1" >&2; exit $FAILED_CODE; }
        release() { echo "${'$'}{2%%[!0-9]*}"; } # of "openjdk 25.0.1 2025-10-21"
        here=${'$'}(cd "${'$'}(dirname "${'$'}0")" && pwd) || exit 1
        machine=${'$'}(uname -m)
        [ "${'$'}machine" = ${target.processor} ] ||
          fail "this archive is for ${target.processor}, this machine is ${'$'}machine: take the one for ${'$'}machine"
        java=$java
        [ "${'$'}(release ${'$'}("${'$'}java" --version 2>/dev/null))" -ge 25 ] 2>/dev/null || {
          "${'$'}java" --version >&2
          fail "$missing"
        }
        exec "${'$'}java" --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow \
          -Darbalest.native="${'$'}here/native" -Djava.util.logging.config.file=/dev/null \
          -cp "${'$'}here/lib/*" ${gpu.program.java.name} "${'$'}@"
        """.trimIndent() + "\n",
    )
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"))
}
