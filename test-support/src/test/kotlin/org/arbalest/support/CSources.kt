// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import org.arbalest.testkit.SkipWithout
import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.extension
import kotlin.io.path.invariantSeparatorsPathString
import kotlin.io.path.readText
import kotlin.io.path.relativeTo
import kotlin.io.path.walk

/** C files of some folders, and which of them know which. A unit is `x.c` with `x.h`, if there are both. */
internal class CSources(private val roots: List<Path>) {
    private inner class Source(val root: Path, val path: Path) {
        val name = path.relativeTo(root).invariantSeparatorsPathString
        val text = path.readText()

        /** The sources that are there, by their own folder first; it may be that it only asks whether they are. */
        val includes: List<Source> by lazy {
            INCLUDE.findAll(text).mapNotNull { match ->
                val candidates = listOf(path.resolveSibling(match.groupValues[1])) + roots.map {
                    it.resolve(match.groupValues[1])
                }
                candidates.firstNotNullOfOrNull { candidate -> sources.find { it.path == candidate } }
            }.toList()
        }
    }

    private val sources = roots.flatMap { root ->
        root.walk().filter { it.extension in listOf("c", "h") }.sorted().map { Source(root, it) }
    }

    private val byIncludes = sources.flatMap { source -> source.includes.map { unit(source.name) to unit(it.name) } }
        .filter { (from, to) -> from != to }.toSet()

    /** By what one calls or reads that another defines, includes or not, and by includes. */
    private val byAll: Set<Pair<String, String>> by lazy {
        val folder = Files.createTempDirectory("arbalest-objects")
        try {
            val objects = sources.filter { it.name.endsWith(".c") }.mapIndexed { i, source ->
                unit(source.name) to symbols(source, folder.resolve("$i.o"))
            }
            val definers = objects.flatMap { (unit, symbols) -> symbols.filterValues { it }.keys.map { it to unit } }
                .groupBy({ it.first }, { it.second })
            byIncludes + objects.flatMap { (unit, symbols) ->
                symbols.filterValues { !it }.keys.flatMap { definers[it].orEmpty() }.map { unit to it }
            }.filter { (from, to) -> from != to }
        } finally {
            folder.toFile().deleteRecursively()
        }
    }

    /** The names that an object is about, and whether it defines them. */
    private fun symbols(source: Source, out: Path): Map<String, Boolean> {
        val folders = roots + listOf(Path.of("../device-core/src/main/c/include"))
        run(listOf("$COMPILER", "-std=gnu11", VERSION, "-c", "-o", "$out") + folders.map { "-I$it" } + "${source.path}")
        return run(listOf("$NM", "-P", "$out")).lines().map { it.split(' ') }.filter {
            it.size > 1 && (it[1] == "U" || it[1] in DEFINED)
        }
            .associate { it[0] to (it[1] != "U") }
    }

    private fun run(command: List<String>): String {
        val process = ProcessBuilder(command).redirectErrorStream(true).start()
        val words = process.inputReader().readText()
        check(process.waitFor() == 0) { "${command.joinToString(" ")} failed:\n$words" }
        return words
    }

    /** A circle of units, the first one once more at the end; null if there is none. */
    fun circle(symbols: Boolean): List<String>? {
        val edges = (if (symbols) byAll else byIncludes).groupBy({ it.first }, { it.second })
        val done = mutableSetOf<String>()
        fun search(way: List<String>): List<String>? {
            val here = way.last()
            val start = way.indexOf(here)
            if (start < way.size - 1) return way.drop(start)
            if (!done.add(here)) return null
            return edges[here].orEmpty().sorted().firstNotNullOfOrNull { search(way + it) }
        }
        return edges.keys.sorted().firstNotNullOfOrNull { search(listOf(it)) }
    }

    /** The pairs of folders of which a file in the first knows one in the second. */
    fun folders(symbols: Boolean): Set<Pair<String, String>> =
        (if (symbols) byAll else byIncludes).map { (from, to) -> folder(from) to folder(to) }
            .filter { (from, to) -> from != to }.toSet()

    /** By header, who in its own root includes it, and whom its comment at the top names for it. */
    fun headers(): Map<String, Pair<Set<String>, Set<String>>> = sources.filter {
        it.name.endsWith(".h")
    }.associate { header ->
        val by = sources.filter { it.root == header.root && header in it.includes }.map {
            if (folder(it.name) == folder(header.name)) "${it.path.fileName}" else it.name
        }
        val comment = header.text.substringAfter("Included by:", "").substringBefore("*/")
        header.name to Pair(by.toSet(), FILE.findAll(comment).map { it.value }.toSet())
    }

    companion object {
        private val INCLUDE = Regex("""(?:#include |__has_include\()"([^"]+)"""")
        private val FILE = Regex("""[\w/]+\.[ch]\b""")
        private val DEFINED = listOf("T", "D", "B", "C", "R", "V", "W")
        /** GpuDouble compiles the simulators with the version that they simulate; the symbols are the same for each. */
        private const val VERSION = "-DGPU_DRIVER_VERSION=0"

        private val COMPILER = (CCompiler.answer as? CCompiler.Found)?.path
        private val NM = (CCompiler.find("nm", System.getenv("PATH").orEmpty()) as? CCompiler.Found)?.path

        /** Where there are no symbols to be had; not where all must be there. */
        val withoutSymbols = SkipWithout {
            "there is no C compiler, or no nm".takeIf {
                (COMPILER == null || NM == null) && System.getenv("CI") != "true"
            }
        }

        private fun unit(name: String) = name.substringBeforeLast('.')

        private fun folder(name: String) = name.substringBeforeLast('/', "")
    }
}
