// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import org.arbalest.support.cc.SmallCompiler
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.SymbolLookup
import java.nio.channels.FileChannel
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardCopyOption.ATOMIC_MOVE
import java.nio.file.StandardCopyOption.REPLACE_EXISTING
import java.nio.file.StandardOpenOption.CREATE
import java.nio.file.StandardOpenOption.WRITE
import java.security.MessageDigest
import java.util.Optional
import java.util.concurrent.ConcurrentHashMap

/**
 * A shared library made from C sources, loaded until the process ends.
 *
 * No code closes it, because native code may hold the address of a function in it.
 */
class NativeLibrary private constructor(
    /** The path of the library. */
    val file: Path,
    private val build: (compiler: Path?, flags: List<String>, file: Path) -> Unit,
) : SymbolLookup {
    private val symbols = SymbolLookup.libraryLookup(file, Arena.global())

    /**
     * Compiles the same sources again, with more [flags] for the compiler, into another [file], which is not loaded.
     *
     * @param compiler another compiler, such as one for another processor
     */
    fun build(flags: List<String>, file: Path, compiler: Path? = null): Unit = build.invoke(compiler, flags, file)

    override fun find(name: String): Optional<MemorySegment> = symbols.find(name)

    companion object {
        private const val SOURCES = "/org/arbalest/support/c/"
        private const val ABI_HEADER = "arbalest/arrow_abi.h"
        private val CPP_FLAGS = listOf("-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread")
        private val FLAGS = listOf("-std=gnu11") + CPP_FLAGS + "-O0" // halves the time of compilation
        private val loaded = ConcurrentHashMap<Path, NativeLibrary>()
        private val smallMissing: String? get() =
            if (System.getenv("CI") == "true") "CI uses no other" else SmallCompiler.missing
        private val prebuilt: Path? = System.getProperty("arbalest.native")?.let { Path.of(it).toAbsolutePath() }

        /**
         * The reason why no library can be made from C here. Null if there is a C compiler, or the [SmallCompiler]
         * replaces it, or the system property `arbalest.native` names a folder with libraries that were compiled
         * elsewhere.
         */
        val missing: String? get() = when (val answer = CCompiler.answer) {
            is CCompiler.Found -> null
            is CCompiler.Missing -> if (prebuilt != null) null else smallMissing?.let { "${answer.reason}; $it" }
        }

        /** Whether the [SmallCompiler] makes the libraries here. */
        val isBySmallCompiler: Boolean
            get() = prebuilt == null && CCompiler.answer is CCompiler.Missing && smallMissing == null

        /**
         * Compiles [sources] and loads them. The same content is compiled once, and loaded once per process.
         *
         * Sources are resources in `org/arbalest/support/c`, such as `peer/pool.c`. They include each other by that
         * path. A source that ends in `.h` is only put beside the others; core's `arbalest/arrow_abi.h` is always
         * available. The library has the name of the first source. Its folder is `target/native`, or a temporary folder
         * if `target` does not exist.
         *
         * Without a C compiler, the [SmallCompiler] compiles them. With `CI=true` in the environment it does not.
         *
         * @throws IllegalStateException if there is no C compiler, or if it rejects a source; the message has the
         *     compiler's output
         */
        fun compile(vararg sources: String): NativeLibrary = compile(sources, null, emptyList())

        /** Like [compile], with more [flags] for the compiler. */
        fun compile(flags: List<String>, vararg sources: String): NativeLibrary =
            compile(CCompiler.answer, FLAGS + flags, sources.associateWith { text(SOURCES + it) }, emptyList())

        /**
         * Compiles a library with the name [soname], like [compile]. A later load of a library of this
         * name, by any program code, gets this one.
         */
        fun compileAs(soname: String, flags: List<String>, vararg sources: String): NativeLibrary =
            compile(sources, soname, flags)

        /**
         * Compiles C++ and loads it, like [compile] with these differences. The compiler is [CCompiler.cpp].
         *
         * @param resources sources, and files that are put beside them, from anywhere on the class path, by their paths
         *     there
         * @param flags more flags for the compiler, such as the language's version; it runs in the folder of the
         *     sources
         * @param libraries the arguments after the sources in the command
         */
        fun compileCpp(resources: List<String>, flags: List<String>, libraries: List<String>): NativeLibrary {
            val texts = resources.associate { it.substringAfterLast('/') to text(it) }
            return compile(CCompiler.cpp, CPP_FLAGS + flags, texts, libraries)
        }

        private fun compile(sources: Array<out String>, soname: String?, flags: List<String>): NativeLibrary {
            val all = FLAGS + listOfNotNull(soname?.let { "-Wl,-soname,$it" }) + flags
            return compile(CCompiler.answer, all, sources.associateWith { text(SOURCES + it) }, emptyList())
        }

        private fun compile(
            answer: CCompiler,
            flags: List<String>,
            sources: Map<String, String>,
            libraries: List<String>,
        ): NativeLibrary {
            val name = sources.keys.first().substringAfterLast('/').substringBeforeLast('.')
            prebuilt?.let { folder ->
                return loaded.computeIfAbsent(folder.resolve(System.mapLibraryName(name))) { file ->
                    NativeLibrary(file) { _, _, _ -> error("$file was compiled elsewhere") }
                }
            }
            val texts = sources + (ABI_HEADER to text("/META-INF/include/$ABI_HEADER"))
            val compiler = when (answer) {
                is CCompiler.Found -> answer.path
                is CCompiler.Missing -> return bySmallCompiler(name, answer, flags, texts)
            }
            val folder = output.resolve("$name-${hash("$compiler $flags $libraries", texts)}").toAbsolutePath()
            return loaded.computeIfAbsent(folder.resolve(System.mapLibraryName(name))) { file ->
                made(file) { build(listOf("$compiler") + flags, texts, libraries, it) }
                NativeLibrary(file) { another, more, other ->
                    build(listOf("${another ?: compiler}") + flags + more, texts, libraries, other)
                }
            }
        }

        private fun bySmallCompiler(
            name: String,
            answer: CCompiler.Missing,
            flags: List<String>,
            texts: Map<String, String>,
        ): NativeLibrary {
            val missing = if (texts.keys.any { it.endsWith(".cpp") }) "it compiles no C++" else smallMissing
            if (missing != null) error("${answer.reason}; $missing")
            val folder = output.resolve("$name-${hash("${SmallCompiler.version} $flags", texts)}").toAbsolutePath()
            return loaded.computeIfAbsent(folder.resolve(System.mapLibraryName(name))) { file ->
                made(file) {
                    val unfinished = Files.createTempFile(file.parent, "unfinished", null)
                    SmallCompiler.compile(texts, flags, unfinished)
                    Files.move(unfinished, file, ATOMIC_MOVE, REPLACE_EXISTING)
                }
                NativeLibrary(file) { _, _, _ -> error("${answer.reason}; a library for other machines needs one") }
            }
        }

        private val output: Path by lazy {
            val target = Path.of("target")
            if (Files.isDirectory(target)) target.resolve("native") else Files.createTempDirectory("arbalest-native")
        }

        private fun text(resource: String): String =
            checkNotNull(NativeLibrary::class.java.getResource(resource)) { "no resource $resource" }.readText()

        private fun hash(command: String, texts: Map<String, String>): String {
            val digest = MessageDigest.getInstance("SHA-256")
            digest.update("$command $texts".encodeToByteArray())
            return digest.digest().toHexString().take(16)
        }

        private fun build(start: List<String>, texts: Map<String, String>, libraries: List<String>, file: Path) {
            val folder = Files.createTempDirectory(Files.createDirectories(file.parent), "unfinished")
            try {
                for ((name, text) in texts) {
                    val source = folder.resolve(name)
                    Files.createDirectories(source.parent)
                    Files.writeString(source, text)
                }
                val command = start + listOf("-I.", "-o", "${file.fileName}") +
                    texts.keys.filter { it.endsWith(".c") || it.endsWith(".cpp") } + libraries
                val process = ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start()
                val words = process.inputReader().readText()
                check(process.waitFor() == 0) { "${command.joinToString(" ")} failed:\n$words" }
                Files.move(folder.resolve(file.fileName), file, ATOMIC_MOVE, REPLACE_EXISTING)
            } finally {
                folder.toFile().deleteRecursively()
            }
        }
    }
}

/**
 * Makes a missing file, by one process at a time. The JVMs of a module's tests share `target`, and a library that is
 * loaded must not be replaced.
 *
 * Threads of one JVM must not request the same file at the same time.
 *
 * @param make called only if the file is missing
 */
internal fun made(file: Path, make: (Path) -> Unit): Path {
    Files.createDirectories(file.parent)
    FileChannel.open(file.resolveSibling("${file.fileName}.lock"), CREATE, WRITE).use { channel ->
        channel.lock().use { if (!Files.exists(file)) make(file) }
    }
    return file
}
