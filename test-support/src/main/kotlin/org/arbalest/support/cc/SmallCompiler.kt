// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.cc

import java.nio.file.Files
import java.nio.file.Path

/**
 * A compiler of C for machines without one: makes a shared library for Linux on x86-64.
 *
 * It compiles the C that this module's sources use: C11 with GNU's attributes, without `float`, arithmetic of `double`,
 * bit-fields, `goto`, variable-length arrays, nested initializers without braces, and calls of `va_arg`. It rejects all
 * other code with the place, but accepts some code that is no C: the machine's compiler checks the sources. Of the
 * headers of libc it knows `c/cc/prelude.h`. The generated code is slow.
 */
internal object SmallCompiler {
    /** The reason why it makes no library here; null if it does. */
    val missing: String? = when {
        System.getProperty("os.name") == "Linux" && System.getProperty("os.arch") == "amd64" -> null
        else -> "the small compiler makes libraries only for Linux on x86-64"
    }

    /** A number that changes with the compiler: a hash of its classes, or of the jar with them, and of its headers. */
    val version: Int by lazy {
        val place = Path.of(SmallCompiler::class.java.protectionDomain.codeSource.location.toURI())
        val classes = place.resolve(SmallCompiler::class.java.packageName.replace('.', '/'))
        val files = if (Files.isDirectory(place)) Files.list(classes).use { it.sorted().toList() } else listOf(place)
        val headers = SmallCompiler::class.java.getResource(Preprocessor.PRELUDE)!!.readText()
        files.fold(headers.hashCode()) { hash, file -> 31 * hash + Files.readAllBytes(file).contentHashCode() }
    }

    /**
     * Compiles the [sources] that end in `.c` to a library in [file].
     *
     * @param flags arguments like those of `cc`: `-D` and `-Wl,-soname` have an effect
     * @throws IllegalStateException if it rejects a source; the message begins with the place
     */
    fun compile(sources: Map<String, String>, flags: List<String>, file: Path) {
        val defines = flags.filter { it.startsWith("-D") }.associate {
            it.drop(2).substringBefore('=') to it.substringAfter('=', "1")
        }
        val soname = flags.firstNotNullOfOrNull { it.removePrefix(SONAME).takeIf { name -> name != it } }
        val code = Code()
        val symbols = Symbols()
        for (unit in sources.keys.filter { it.endsWith(".c") }) {
            Parser(Preprocessor(sources, defines).run(unit), code, symbols).unit()
        }
        Files.write(file, SharedObject(code, symbols, soname).bytes())
    }

    private const val SONAME = "-Wl,-soname,"
}
