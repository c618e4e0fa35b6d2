// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.cc

/** A token of C with the [place] of its line. */
internal class Token(
    val kind: Kind,
    val text: String,
    val place: String,
    /** Whether white space is before it. */
    val spaced: Boolean,
    /** Whether it is the first of its line. */
    val first: Boolean = false,
    /** The macros from whose expansion it came. */
    val hidden: Set<String> = emptySet(),
) {
    enum class Kind { NAME, NUMBER, TEXT, CHARACTER, SIGN, PRAGMA, END }

    fun with(place: String, spaced: Boolean, hidden: Set<String>): Token =
        Token(kind, text, place, spaced, false, this.hidden + hidden)

    /** Returns a token that replaces this one. */
    fun instead(kind: Kind, text: String): Token = Token(kind, text, place, spaced)

    override fun toString(): String = text
}

/** Stops the compilation; the message begins with the place in the source. */
internal fun wrong(place: String, why: String): Nothing = error("$place: $why")

private val PATTERN = Regex(
    """(?<space>[ \t\r\f]+|\\\n|//[^\n]*|/\*[\s\S]*?\*/)|(?<line>\n)""" +
        """|(?<name>[A-Za-z_]\w*)|(?<number>\.?\d(?:[eE][+-]|[\w.])*)""" +
        """|(?<text>"(?:[^"\\\n]|\\.)*")|(?<character>'(?:[^'\\\n]|\\.)+')""" +
        """|(?<sign>\.\.\.|<<=|>>=|->|\+\+|--|<<|>>|[<>=!+\-*/%&|^]=|&&|\|\||##|[-+*/%&|^~!<>=?:;,.()\[\]{}#])""",
)

internal fun tokens(file: String, source: String): List<Token> {
    val list = mutableListOf<Token>()
    var at = 0
    var line = 1
    var spaced = false
    var first = true
    while (at < source.length) {
        val match = PATTERN.matchAt(source, at) ?: wrong("$file:$line", "no token: ${source.substring(at).take(9)}")
        val groups = match.groups
        val kind = when {
            groups["name"] != null -> Token.Kind.NAME
            groups["number"] != null -> Token.Kind.NUMBER
            groups["text"] != null -> Token.Kind.TEXT
            groups["character"] != null -> Token.Kind.CHARACTER
            groups["sign"] != null -> Token.Kind.SIGN
            else -> null
        }
        if (kind != null) list += Token(kind, match.value, "$file:$line", spaced, first)
        spaced = kind == null
        first = if (groups["line"] != null) true else first && kind == null
        line += match.value.count { it == '\n' }
        at = match.range.last + 1
    }
    return list
}

/** Returns the bytes of a literal without its quotes. */
internal fun unescaped(token: Token): ByteArray {
    val text = token.text.substring(1, token.text.length - 1)
    val out = java.io.ByteArrayOutputStream()
    var at = 0
    while (at < text.length) {
        if (text[at] != '\\') {
            val point = text.codePointAt(at)
            out.writeBytes(Character.toString(point).encodeToByteArray())
            at += Character.charCount(point)
            continue
        }
        val digits = Regex("""x([0-9A-Fa-f]+)|([0-7]{1,3})""").matchAt(text, at + 1)
        if (digits != null) {
            val (hex, octal) = digits.destructured
            out.write(if (hex.isNotEmpty()) hex.toInt(16) else octal.toInt(8))
            at = digits.range.last + 1
        } else {
            val escape = text[at + 1]
            val known = "ntr\\\"'?abfv".indexOf(escape)
            if (known < 0) wrong(token.place, "unknown escape \\$escape")
            out.write("\n\t\r\\\"'?\u0007\b\u000c\u000b"[known].code)
            at += 2
        }
    }
    return out.toByteArray()
}
