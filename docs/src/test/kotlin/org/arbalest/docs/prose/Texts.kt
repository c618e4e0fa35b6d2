// SPDX-License-Identifier: Apache-2.0
package org.arbalest.docs.prose

/** A piece of prose: a paragraph, a list item, a cell of a table, a comment or a string literal. */
internal class Text(val line: Int, val words: String, val kind: Kind) {
    enum class Kind {
        /** Has whole sentences. */
        PROSE,

        /** A title, one cell of a table, or the text of a tag: often no whole sentence. */
        FRAGMENT,

        /** A string literal, which may be no English at all. */
        LITERAL,
    }
}

/** Stands for code within a sentence: it counts as one word, and no pattern matches it. */
internal const val CODE: String = "\u00ab\u00bb"

/** The prose of a file, by its name's ending. */
internal fun texts(name: String, content: String): List<Text> = when (name.substringAfterLast('.')) {
    "md" -> markdown(content)
    "java", "kt", "c", "h", "cc" -> sources(content)
    else -> throw IllegalArgumentException("$name: only Markdown, Java, Kotlin, C and C++ are read")
}

private val FENCE = Regex("""^\s*(`{3,}|~{3,})""")
private val ITEM = Regex("""^\s*(?:[-*+]|\d+[.)])\s+""")
private val HTML_COMMENT = Regex("""<!--[\s\S]*?-->""")
private val CELLS = Regex("""(?<!\\)\|""")
private val SEPARATOR = Regex("""^\s*\|?[\s:|-]+\|?\s*$""")

private fun markdown(content: String): List<Text> = buildList {
    val paragraph = mutableListOf<String>()
    var start = 0
    var fence: String? = null
    fun flush() {
        if (paragraph.isNotEmpty()) add(Text(start, inline(paragraph.joinToString(" ")), Text.Kind.PROSE))
        paragraph.clear()
    }
    content.replace(HTML_COMMENT) { it.value.filter { char -> char == '\n' } }
        .lines().forEachIndexed { index, line ->
            val marker = FENCE.find(line)?.groupValues?.get(1)
            when {
                fence != null -> if (marker == fence) fence = null
                marker != null -> flush().also { fence = marker }
                line.isBlank() -> flush()
                line.startsWith("#") -> {
                    flush()
                    add(Text(index + 1, inline(line.trimStart('#')), Text.Kind.FRAGMENT))
                }
                line.trimStart().startsWith("|") -> {
                    flush()
                    if (!SEPARATOR.matches(line))
                        for (cell in line.trim().trim('|').split(CELLS))
                            add(Text(index + 1, inline(cell), Text.Kind.FRAGMENT))
                }
                else -> {
                    if (ITEM.containsMatchIn(line)) flush()
                    if (paragraph.isEmpty()) start = index + 1
                    paragraph += line.replace(ITEM, "").trimStart('>', ' ')
                }
            }
        }
    flush()
}

private val CODE_SPAN = Regex("""``?[^`]+``?""")
private val LINK = Regex("""!?\[([^\]]*)]\([^)]*\)""")
private val HTML = Regex("""<[^>]+>""")
private val EMPHASIS = Regex("""[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}""")

private fun inline(text: String): String =
    text.replace(CODE_SPAN, CODE).replace(LINK, "$1").replace(HTML, " ").replace(EMPHASIS, "").trim()

/** A string, a character, a comment, or a plus, which may join two strings. What is between two of them is code. */
private val TOKEN =
    Regex("""\"{3}[\s\S]*?\"{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|//[^\n]*|/\*[\s\S]*?\*/|\+""")

private fun sources(content: String): List<Text> = buildList {
    val starts = lineStarts(content)
    var comment: Pair<Int, String>? = null
    var literal: Pair<Int, String>? = null
    var joined = false
    fun flushComment() {
        comment?.let { (at, text) -> if (!text.isCode()) add(Text(at, inline(text), Text.Kind.PROSE)) }
        comment = null
    }
    fun flushLiteral() {
        literal?.let { (at, text) -> if (' ' in text.trim()) add(Text(at, text.trim(), Text.Kind.LITERAL)) }
        literal = null
        joined = false
    }
    var end = 0
    for (match in TOKEN.findAll(content)) {
        val token = match.value
        if ((end until match.range.first).any { !content[it].isWhitespace() }) {
            flushComment()
            flushLiteral()
        }
        end = match.range.last + 1
        val line = lineOf(starts, match.range.first)
        if (token.startsWith("//")) {
            val text = token.removePrefix("//").trim()
            comment = (comment?.first ?: line) to listOfNotNull(comment?.second, text).joinToString(" ")
            continue
        }
        flushComment()
        when {
            token.startsWith('"') -> {
                val text = token.trim('"').replace(VALUE, " $CODE ")
                val before = literal?.takeIf { joined }
                if (before == null) flushLiteral()
                literal = if (before == null) line to text else before.first to before.second + text
                joined = false
            }
            token == "+" -> joined = literal != null
            else -> {
                flushLiteral()
                if (token.startsWith("/*")) addAll(block(line, token))
            }
        }
    }
    flushComment()
    flushLiteral()
}

/** A value in a Kotlin string, or an escape. */
private val VALUE = Regex("""\$\{[^}]*}|\$\w+|\\[nt]""")

/** Whether a comment is rather code that was switched off, a licence, or a directive. */
private fun String.isCode() = startsWith("SPDX") || startsWith("@formatter") ||
    ((endsWith(";") || endsWith("{")) && '(' in this)

private val TAG = Regex("""^@(param|return|returns|throws|exception|property|see|since|sample|receiver)\b\s*""")
private val PRE = Regex("""<pre>[\s\S]*?</pre>|```[\s\S]*?```|\{@snippet[\s\S]*?\n\s*\*?\s*}""")

private fun block(line: Int, comment: String): List<Text> = buildList {
    val plain = comment.removeSurrounding("/**", "*/").removeSurrounding("/*", "*/")
        .replace(PRE) { it.value.filter { char -> char == '\n' } }
    val paragraph = mutableListOf<String>()
    var start = line
    var kind = Text.Kind.PROSE
    fun flush() {
        if (paragraph.isNotEmpty()) add(Text(start, doc(paragraph.joinToString(" ")), kind))
        paragraph.clear()
        kind = Text.Kind.PROSE
    }
    plain.lines().forEachIndexed { index, raw ->
        val text = raw.trim().removePrefix("*").trim()
        val tag = TAG.find(text)
        val begins = text.startsWith("<p>") || text.startsWith("<li>") || ITEM.containsMatchIn(text)
        if (text.isEmpty() || tag != null || begins) flush()
        if (text.isEmpty() || text.startsWith("@see") || text.startsWith("SPDX")) return@forEachIndexed
        if (paragraph.isEmpty()) start = line + index
        if (tag != null) {
            kind = Text.Kind.FRAGMENT
            val named = tag.groupValues[1] in setOf("param", "throws", "exception", "property")
            paragraph += text.removeRange(tag.range).let { if (named) it.substringAfter(' ', "") else it }
        } else paragraph += text.replace(ITEM, "")
    }
    flush()
}

private val LABELLED_LINK = Regex("""\{@link(?:plain)?\s+\S+\s+([^}]+)}""")
private val INLINE_TAG = Regex("""\{@\w+[^}]*}""")
private val KDOC_LINK = Regex("""\[[\w.]+]\[[^\]]+]|\[[\w.]+](?!\()""")

private fun doc(text: String): String =
    inline(text.replace(LABELLED_LINK, "$1").replace(INLINE_TAG, CODE).replace(KDOC_LINK, CODE).replace(HTML, " "))

private fun lineStarts(content: String): IntArray =
    (listOf(0) + content.indices.filter { content[it] == '\n' }.map { it + 1 }).toIntArray()

private fun lineOf(starts: IntArray, position: Int): Int =
    starts.binarySearch(position).let { if (it >= 0) it + 1 else -it - 1 }
