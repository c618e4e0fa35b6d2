// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import java.nio.file.Path

/**
 * The releases of glibc that a library can run with. A linker binds to the newest version of each function on the build
 * machine. A library that calls `pthread_create` and was linked on glibc 2.34 or newer needs that release, although it
 * also has the older version of the function, with the same effect.
 *
 * @property release the oldest release that the library must run with, such as 2.28
 */
class Glibc(private val release: String) {
    /** Returns the glibc functions that a library needs in a newer version: `pthread_create` to `2.34`. */
    fun tooYoung(library: Path): Map<String, String> =
        symbols(library).filter { it.isNeeded && it.isYounger() }.associate { it.name to it.version }

    /**
     * Returns a C header that binds functions to their newest version in the release, among the versions that a [libc]
     * still offers.
     *
     * @throws IllegalStateException if the release did not have a function; the message has its name
     */
    fun header(functions: Set<String>, libc: Path): String {
        val old = symbols(libc).filter { !it.isNeeded && !it.isYounger() }.groupBy { it.name }
        return functions.sorted().joinToString("") { function ->
            val version = checkNotNull(old[function]) { "glibc $release has no $function, but a library calls it" }
                .maxWith(compareBy(VERSIONS) { it.version }).version
            "__asm__(\".symver $function,$function@GLIBC_$version\");\n"
        }
    }

    private class Symbol(val name: String, val version: String, val isNeeded: Boolean)

    private fun Symbol.isYounger(): Boolean = VERSIONS.compare(version, release) > 0

    private fun symbols(library: Path): List<Symbol> {
        val process = ProcessBuilder("objdump", "-T", "$library").redirectErrorStream(true).start()
        val text = process.inputReader().readText()
        check(process.waitFor() == 0) { "objdump -T $library: $text" }
        return SYMBOL.findAll(text).map {
            Symbol(it.groupValues[3], it.groupValues[2], isNeeded = it.groupValues[1] == "*UND*")
        }.toList()
    }

    private companion object {
        /** Section, size, version, with or without parentheses, an optional visibility, name. */
        val SYMBOL =
            Regex("""(\S+)\t[0-9a-f]+\s+\(?GLIBC_([0-9.]+)\)?\s+(?:0x[0-9a-f]+ )?(\S+)$""", RegexOption.MULTILINE)

        val VERSIONS: Comparator<String> = Comparator { a, b ->
            val (left, right) = listOf(a, b).map { version -> version.split('.').map(String::toInt) }
            left.indices.map { compareValues(left[it], right.getOrElse(it) { 0 }) }.firstOrNull { it != 0 }
                ?: compareValues(left.size, right.size)
        }
    }
}
