// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.gpu

import org.arbalest.support.CCompiler
import java.lang.foreign.FunctionDescriptor
import java.nio.file.Files
import java.nio.file.Path

/**
 * The functions that a simulator's [header] declares, such as `hip_api.h`: the simulator would not compile if it
 * defined them differently. [disagreement] compares them with the runtime's own header, and with the calls from Java.
 */
class Prototypes(private val header: String) {
    private class Prototype(val result: String, val parameters: List<String>, val since: String)

    private val text = resource(header)
    private val prototypes: Map<String, Prototype> = PROTOTYPE.findAll(text).associate { match ->
        val (result, name, parameters, since) = match.destructured
        val types = if (parameters == "void") emptyList() else parameters.split(", ").map { it.replace(NAME, "") }
        name to Prototype(result, types, since)
    }

    /** The names of the functions. */
    val functions: Set<String> get() = prototypes.keys

    /** The first version of the runtime that has each function, such as `11.2`. */
    val since: Map<String, String> get() = prototypes.mapValues { it.value.since }

    /** Returns the functions that a runtime of a [version] such as `10.0` lacks. */
    fun absent(version: String): Set<String> = since.filterValues { order(it) > order(version) }.keys

    /**
     * Returns the C compiler's first error about the declarations, or null. An error means that [calls] have other
     * numbers or widths of arguments, or that the runtime's own header declares something else. [preamble] includes
     * that header, which may be in one of [folders].
     */
    fun disagreement(
        calls: Map<String, FunctionDescriptor>,
        preamble: String = "",
        folders: List<Path> = emptyList(),
    ): String? {
        for ((name, call) in calls) {
            val prototype = prototypes[name] ?: return "$name is called, and is not in $header"
            val wanted = prototype.parameters.size
            val given = call.argumentLayouts().size
            if (wanted != given) return "$name takes $wanted arguments, and is called with $given"
        }
        val widths = calls.flatMap { (name, call) ->
            val prototype = prototypes.getValue(name)
            val types = listOf("the result" to prototype.result) +
                prototype.parameters.mapIndexed { i, type -> "argument ${i + 1}" to type }
            val layouts = call.returnLayout().stream().toList() + call.argumentLayouts()
            types.zip(layouts) { (what, type), layout ->
                """_Static_assert(sizeof($type) == ${layout.byteSize()}, "$name: $what is no $type");"""
            }
        }
        return compile("$preamble\n#include \"$header\"\n${widths.joinToString("\n")}\n", folders)
    }

    /** Returns a source that declares a function with one parameter more than the header. */
    fun otherwise(name: String): String {
        val prototype = prototypes.getValue(name)
        return "#include \"$header\"\n${prototype.result} " +
            "$name(${(prototype.parameters + "void*").joinToString(", ")});\n"
    }

    /** Returns the C compiler's error about a [source], which may include the header; null if there is no error. */
    fun compile(source: String, folders: List<Path> = emptyList()): String? {
        val compiler = when (val answer = CCompiler.answer) {
            is CCompiler.Found -> answer.path
            is CCompiler.Missing -> error(answer.reason)
        }
        val folder = Files.createTempDirectory("arbalest-prototypes")
        try {
            for (name in listOf(header, "queue.h", "gpu.h")) Files.writeString(folder.resolve(name), resource(name))
            val file = Files.writeString(folder.resolve("calls.c"), source)
            val command = listOf("$compiler", "-std=gnu11", "-fsyntax-only", "-Wall", "-Werror") +
                folders.map { "-I$it" } + "$file"
            val process = ProcessBuilder(command).redirectErrorStream(true).start()
            val words = process.inputReader().readLines()
            return if (process.waitFor() == 0) null
            else words.firstOrNull { "error:" in it } ?: words.joinToString("\n")
        } finally {
            folder.toFile().deleteRecursively()
        }
    }

    private companion object {
        val PROTOTYPE = Regex("""^(\w[\w ]*\**) (\w+)\((.*)\); /\* (\d+\.\d+) \*/$""", RegexOption.MULTILINE)
        val NAME = Regex(""" \w+$""")

        fun order(version: String): Int =
            version.split('.').map { it.toInt() }.let { (major, minor) -> major * 100 + minor }

        fun resource(name: String): String =
            checkNotNull(Prototypes::class.java.getResource("/org/arbalest/support/c/gpu/$name")) {
                "no resource $name"
            }.readText()
    }
}
