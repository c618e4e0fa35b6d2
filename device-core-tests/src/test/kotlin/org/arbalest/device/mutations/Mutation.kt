// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.mutations

import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.Path
import kotlin.io.path.extension
import kotlin.io.path.name
import kotlin.io.path.nameWithoutExtension
import kotlin.io.path.readLines
import kotlin.io.path.readText

/**
 * A way to break a rule: a change of core's sources, and the specs in which a test must then fail.
 *
 * A mutation is a block in a file of `src/mutations`. A line that begins with `#` is a comment:
 *
 *     == OWN-07 a second release of one struct counts again
 *     specs DeviceArrayOwnershipSpec
 *     in ArrayExport
 *     - if (state == RELEASED) return 0;
 *     + if (state == RELEASED) return 1;
 *
 * Only those tests of the specs run whose names contain the rule's id. A line `tests` selects other tests by a pattern,
 * in which `*` stands for any text. The code to change is compared word by word, without white space and comments, and
 * must occur exactly once. A mutation may have several changes, in several files. If two packages have a class of the
 * same name, the package is added: `in statistics.ObjectAppender`.
 *
 * @property group the group of rules: the name of the mutation's file
 */
internal class Mutation(
    val group: String,
    val rule: String,
    val what: String,
    val specs: List<String>,
    val tests: String,
    val changes: List<Change>,
) {
    /** A change of the source of a class of core from [before] to [after], both in lines. */
    class Change(val type: String, val before: List<String>, val after: List<String>) {
        /** Returns the [source] with the change. Fails if the code to change occurs never or more than once. */
        fun applyTo(source: String): String {
            val found = pattern().findAll(source).toList()
            check(found.size == 1) {
                "$type contains this code ${found.size} times, not once: ${before.joinToString(" ⏎ ") { it.trim() }}"
            }
            return source.replaceRange(found.single().range, after.joinToString("\n"))
        }

        /**
         * Returns the pattern of the code to change. Two words or numbers must be apart; everywhere else white space
         * and comments are optional. So formatting and comments do not affect a mutation.
         */
        private fun pattern(): Regex {
            val tokens = TOKEN.findAll(before.joinToString("\n").replace(COMMENT, "")).map { it.value }.toList()
            return tokens.withIndex().joinToString("") { (i, token) ->
                val gap = if (i == 0) "" else if (isWord(tokens[i - 1]) && isWord(token)) "$GAP+" else "$GAP*"
                gap + Regex.escape(token)
            }.toRegex()
        }

        private fun isWord(token: String) = token.first().let { it.isLetterOrDigit() || it == '_' }

        private companion object {
            val TOKEN = Regex("""\w+|[^\w\s]""")
            val COMMENT = Regex("""//.*|/\*[\s\S]*?\*/""")
            const val GAP = """(?:\s|//[^\n]*\n|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/)"""
        }
    }

    /** Returns the changed files by their names; fails if a file or the code to change is not found. */
    fun mutated(): Map<String, String> = changes.groupBy { it.type }.entries.associate { (type, changes) ->
        val original = Modules.source(type)
        original.name to changes.fold(original.readText()) { source, change -> change.applyTo(source) }
    }

    /** Returns whether [word] is the mutation's group, or part of its title. */
    fun matches(word: String) = word == group || word in toString()

    override fun toString() = "$rule $what"

    companion object {
        /** Reads all mutations of the module in whose folder the process runs. */
        fun all(): List<Mutation> =
            Files.list(Path("src/mutations")).use { files ->
                files.filter { it.extension == "mutations" }.sorted().toList()
            }.flatMap(::read)

        private fun read(file: Path): List<Mutation> {
            val blocks = mutableListOf<MutableList<String>>()
            for (line in file.readLines()) {
                when {
                    line.startsWith("#") || line.isBlank() -> continue
                    line.startsWith("== ") -> blocks += mutableListOf(line)
                    else -> checkNotNull(blocks.lastOrNull()) { "${file.name}: before the first ==: $line" } += line
                }
            }
            return blocks.map { parse(file, it) }
        }

        private fun parse(file: Path, block: List<String>): Mutation {
            val title = block.first().removePrefix("== ")
            fun fail(why: String): Nothing = error("${file.name}, $title: $why")
            fun named(word: String) = block.filter { it.startsWith("$word ") }.map { it.removePrefix("$word ").trim() }
            val rule = title.substringBefore(' ')
            val specs = named("specs").flatMap { it.split(",") }.map(String::trim)
            if (specs.isEmpty()) fail("no line `specs`")
            val changes =
                changes(block.drop(1).filterNot { it.startsWith("specs ") || it.startsWith("tests ") }, ::fail)
            if (changes.isEmpty()) fail("changes nothing")
            val tests = named("tests").singleOrNull() ?: "*$rule*"
            return Mutation(file.nameWithoutExtension, rule, title.substringAfter(' '), specs, tests, changes)
        }

        private fun changes(lines: List<String>, fail: (String) -> Nothing): List<Change> {
            val changes = mutableListOf<Change>()
            var type: String? = null
            var before = mutableListOf<String>()
            var after = mutableListOf<String>()
            fun finish() {
                if (before.isNotEmpty()) changes += Change(type ?: fail("no line `in`"), before, after)
                before = mutableListOf()
                after = mutableListOf()
            }
            for (line in lines) {
                when {
                    line.startsWith("in ") -> {
                        finish()
                        type = line.removePrefix("in ").trim()
                    }
                    line.startsWith("-") -> {
                        if (after.isNotEmpty()) finish()
                        before += line.drop(1)
                    }
                    line.startsWith("+") -> if (before.isEmpty()) fail("added code replaces nothing")
                    else after += line.drop(1)
                    else -> fail("neither specs, tests, in, - nor +: $line")
                }
            }
            finish()
            return changes
        }
    }
}
