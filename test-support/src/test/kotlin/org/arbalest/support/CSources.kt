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

/** The C files of some folders, and their dependencies. A unit is `x.c` with its header `x.h`, if both exist. */
internal class CSources(private val roots: List<Path>) {
    private inner class Source(val root: Path, val path: Path) {
        val name = path.relativeTo(root).invariantSeparatorsPathString
        val text = path.readText()

        /**
         * The included sources that exist, searched in this source's folder first. A `__has_include` counts as an
         * include.
         */
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

    /** The dependencies by includes, and by symbols that one unit uses and another one defines. */
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

    /** Compiles [source]. Returns the symbols of the object, and whether the object defines each of them. */
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

    /** Returns a cycle of units, with the first unit again at the end; null if no cycle exists. */
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

    /** Returns the pairs of folders in which a file of the first depends on a file of the second. */
    fun folders(symbols: Boolean): Set<Pair<String, String>> =
        (if (symbols) byAll else byIncludes).map { (from, to) -> folder(from) to folder(to) }
            .filter { (from, to) -> from != to }.toSet()

    /** Returns for each header the files of its root that include it, and the files that its comment names for this. */
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
        /** `GpuDouble` compiles a simulator with the version that it simulates. Each version has the same symbols. */
        private const val VERSION = "-DGPU_DRIVER_VERSION=0"

        private val COMPILER = (CCompiler.answer as? CCompiler.Found)?.path
        private val NM = (CCompiler.find("nm", System.getenv("PATH").orEmpty()) as? CCompiler.Found)?.path

        /** Skips tests that need symbols if the tools for them are missing. With `CI=true` it skips no test. */
        val withoutSymbols = SkipWithout {
            "no C compiler or no nm was found; install both".takeIf {
                (COMPILER == null || NM == null) && System.getenv("CI") != "true"
            }
        }

        private fun unit(name: String) = name.substringBeforeLast('.')

        private fun folder(name: String) = name.substringBeforeLast('/', "")
    }
}
