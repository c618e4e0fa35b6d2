// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import java.nio.file.Path

/**
 * Which releases of glibc a library runs with. A linker binds to the youngest version of each function that the build
 * machine has: what calls `pthread_create` and was linked on glibc 2.34 or newer needs that, though the older version
 * of the function is there as well and does the same.
 *
 * @property release the oldest release that the library is to run with, such as 2.28
 */
class Glibc(private val release: String) {
    /** Functions of glibc that a library needs in a version that came later: `pthread_create` to `2.34`. */
    fun tooYoung(library: Path): Map<String, String> =
        symbols(library).filter { it.isNeeded && it.isYounger() }.associate { it.name to it.version }

    /**
     * A C header that binds functions to the newest of their versions that the release has, from those that a [libc]
     * still offers.
     *
     * @throws IllegalStateException names a function that was not there then
     */
    fun header(functions: Set<String>, libc: Path): String {
        val old = symbols(libc).filter { !it.isNeeded && !it.isYounger() }.groupBy { it.name }
        return functions.sorted().joinToString("") { function ->
            val version = checkNotNull(old[function]) { "glibc $release has no $function, and something calls it" }
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
        /** Section, size, version, in parentheses or not, perhaps a visibility, name. */
        val SYMBOL =
            Regex("""(\S+)\t[0-9a-f]+\s+\(?GLIBC_([0-9.]+)\)?\s+(?:0x[0-9a-f]+ )?(\S+)$""", RegexOption.MULTILINE)

        val VERSIONS: Comparator<String> = Comparator { a, b ->
            val (left, right) = listOf(a, b).map { version -> version.split('.').map(String::toInt) }
            left.indices.map { compareValues(left[it], right.getOrElse(it) { 0 }) }.firstOrNull { it != 0 }
                ?: compareValues(left.size, right.size)
        }
    }
}
