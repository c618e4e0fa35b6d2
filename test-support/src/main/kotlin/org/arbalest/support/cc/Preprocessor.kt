// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.cc

import org.arbalest.support.cc.Token.Kind.END
import org.arbalest.support.cc.Token.Kind.NAME
import org.arbalest.support.cc.Token.Kind.NUMBER
import org.arbalest.support.cc.Token.Kind.PRAGMA
import org.arbalest.support.cc.Token.Kind.TEXT
import java.util.ArrayDeque

/**
 * The preprocessor: inclusion, conditions and macros.
 *
 * A header in angle brackets adds nothing, because each unit begins with [PRELUDE]. Of pragmas it passes on the
 * visibility of symbols.
 */
internal class Preprocessor(private val sources: Map<String, String>, defines: Map<String, String>) {
    private class Macro(val parameters: List<String>?, val body: List<Token>)

    private val macros = HashMap<String, Macro>()
    private val out = mutableListOf<Token>()

    init {
        for ((name, value) in defines) macros[name] = Macro(null, tokens("-D$name", value))
    }

    /** Returns the expanded tokens of a unit, ended by one [END]. */
    fun run(file: String): List<Token> {
        process(PRELUDE, checkNotNull(Preprocessor::class.java.getResource(PRELUDE)) { "no $PRELUDE" }.readText())
        process(file, sources.getValue(file))
        return out + Token(END, "the end of the file", file, true)
    }

    private fun process(file: String, source: String) {
        val all = tokens(file, source)
        val pending = mutableListOf<Token>()
        val conditions = ArrayDeque<Condition>()
        var at = 0
        while (at < all.size) {
            val token = all[at]
            if (!token.first || token.text != "#") {
                if (conditions.all { it.holds }) pending += token
                at++
                continue
            }
            val line = all.subList(at + 1, all.size).takeWhile { !it.first }
            at += 1 + line.size
            val name = line.firstOrNull()?.text
            val rest = line.drop(1)
            if (name in CONDITIONALS || conditions.all { it.holds }) {
                out += expand(pending)
                pending.clear()
                directive(file, token.place, name, rest, conditions)
            }
        }
        out += expand(pending)
        if (conditions.isNotEmpty()) wrong(conditions.peek().place, "#endif is missing")
    }

    /** The branch of an `#if` that is processed now; [done] if one was taken. */
    private class Condition(val place: String, val outer: Boolean, var holds: Boolean, var done: Boolean)

    private fun directive(
        file: String,
        place: String,
        name: String?,
        rest: List<Token>,
        conditions: ArrayDeque<Condition>,
    ) {
        fun begin(condition: () -> Boolean) {
            val outer = conditions.all { it.holds }
            val holds = outer && condition()
            conditions.push(Condition(place, outer, holds, holds))
        }

        when (name) {
            "ifdef" -> begin { rest[0].text in macros }
            "ifndef" -> begin { rest[0].text !in macros }
            "if" -> begin { isTrue(file, rest) }
            "elif", "else" -> conditions.peek().run {
                holds = outer && !done && (name == "else" || isTrue(file, rest))
                done = done || holds
            }
            "endif" -> conditions.pop()
            "define" -> define(rest)
            "undef" -> macros.remove(rest[0].text)
            "include" -> if (rest[0].kind == TEXT) {
                val path = find(file, rest[0]) ?: wrong(place, "no file ${rest[0]}")
                process(path, sources.getValue(path))
            }
            "pragma" -> if (rest.getOrNull(1)?.text == "visibility") out += Token(PRAGMA, rest[2].text, place, true)
            null -> {}
            else -> wrong(place, "#$name ${rest.joinToString(" ")}")
        }
    }

    private fun find(file: String, name: Token): String? {
        val path = name.text.trim('"')
        return listOf(file.substringBeforeLast('/', "") + "/" + path, path).firstOrNull { it in sources }
    }

    private fun isTrue(file: String, line: List<Token>): Boolean {
        val asked = mutableListOf<Token>()
        var at = 0
        while (at < line.size) {
            val token = line[at]
            val inside = line.getOrNull(at + 1)?.text == "("
            val answer = when (token.text) {
                "defined" -> line[if (inside) at + 2 else at + 1].text in macros
                "__has_include" -> find(file, line[at + 2]) != null
                else -> null
            }
            asked += if (answer == null) token else token.instead(NUMBER, if (answer) "1" else "0")
            at += if (answer == null) 1 else if (inside) 4 else 2
        }
        val place = line.first().place
        val numbers = expand(asked).map { if (it.kind == NAME) it.instead(NUMBER, "0") else it }
        return Parser(numbers + Token(END, "the end of the line", place, true), Code(), Symbols()).constant() != 0L
    }

    private fun define(rest: List<Token>) {
        val isFunction = rest.getOrNull(1)?.let { it.text == "(" && !it.spaced } ?: false
        val end = if (isFunction) rest.indexOfFirst { it.text == ")" } else 0
        val parameters = rest.subList(if (isFunction) 2 else 0, end).map { it.text }.filter { it != "," }
            .map { if (it == "...") "__VA_ARGS__" else it }
        macros[rest[0].text] = Macro(if (isFunction) parameters else null, rest.drop(end + 1))
    }

    private fun expand(list: List<Token>): List<Token> {
        val input = ArrayDeque(list)
        val done = mutableListOf<Token>()
        while (input.isNotEmpty()) {
            val token = input.pop()
            val macro = if (token.kind == NAME && token.text !in token.hidden) macros[token.text] else null
            when {
                token.text == "__FILE__" -> done += token.instead(TEXT, "\"${token.place.substringBefore(':')}\"")
                token.text == "__LINE__" -> done += token.instead(NUMBER, token.place.substringAfterLast(':'))
                macro == null || (macro.parameters != null && input.peek()?.text != "(") -> done += token
                else -> {
                    val arguments = if (macro.parameters == null) emptyMap() else arguments(token, macro, input)
                    substituted(macro, arguments).asReversed().forEach {
                        input.push(it.with(token.place, it.spaced, token.hidden + token.text))
                    }
                }
            }
        }
        return done
    }

    private fun arguments(name: Token, macro: Macro, input: ArrayDeque<Token>): Map<String, List<Token>> {
        val parameters = macro.parameters!!
        val found = mutableListOf(mutableListOf<Token>())
        var depth = 0
        do {
            val token = input.poll() ?: wrong(name.place, "${name.text}( has no end")
            if (token.text == "(") depth++
            if (token.text == ")") depth--
            when {
                depth == 0 || (depth == 1 && token.text == "(") -> {}
                depth == 1 && token.text == "," && parameters.getOrNull(found.size - 1) != "__VA_ARGS__" ->
                    found += mutableListOf<Token>()
                else -> found.last() += token
            }
        } while (depth > 0)
        return parameters.withIndex().associate { (i, name) -> name to found.getOrElse(i) { mutableListOf() } }
    }

    private fun substituted(macro: Macro, arguments: Map<String, List<Token>>): List<Token> {
        val result = mutableListOf<Token>()
        val body = macro.body
        var at = 0
        while (at < body.size) {
            val token = body[at]
            val next = body.getOrNull(at + 1)
            when {
                token.text == "#" && macro.parameters != null && next?.text in arguments -> {
                    result += quoted(token, arguments.getValue(next!!.text))
                    at++
                }
                token.text == "##" -> {
                    val right = arguments[next!!.text] ?: listOf(next)
                    paste(result, right)
                    at++
                }
                token.text in arguments ->
                    result += arguments.getValue(token.text).let { if (next?.text == "##") it else expand(it) }
                else -> result += token
            }
            at++
        }
        return result
    }

    private fun paste(result: MutableList<Token>, right: List<Token>) {
        if (right.isEmpty()) return
        if (result.isEmpty()) result += right
        else {
            val left = result.removeLast()
            result += tokens(left.place, left.text + right[0].text).map { left.instead(it.kind, it.text) }
            result += right.drop(1)
        }
    }

    private fun quoted(place: Token, argument: List<Token>): Token {
        val words = argument.joinToString("") { (if (it.spaced) " " else "") + it.text }.trim()
        return place.instead(TEXT, "\"" + words.replace("\\", "\\\\").replace("\"", "\\\"") + "\"")
    }

    companion object {
        const val PRELUDE = "/org/arbalest/support/c/cc/prelude.h"
        private val CONDITIONALS = setOf("if", "ifdef", "ifndef", "elif", "else", "endif")
    }
}
