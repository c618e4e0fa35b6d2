// SPDX-License-Identifier: Apache-2.0
package org.arbalest.docs.prose

import java.io.File

/** A construct that the project does not write, and what it writes instead. */
internal class Ban(val pattern: String, val instead: String, private val inLiterals: Boolean = true) {
    private val regex = Regex(pattern)

    fun findIn(text: Text): Sequence<MatchResult> =
        if (text.kind == Text.Kind.LITERAL && !inLiterals) emptySequence() else regex.findAll(text.words)
}

private const val NAME_IT = "name the person or thing: the caller, the consumer, the application, the value"

private const val WORD_START = """\b"""

/** Where a clause begins. */
private const val START = """(?:^|[.!?:;—(]\s+|,\s+)"""

/** The list of `PROSE.md`, rules 4 and 5 and its vocabulary, as patterns. */
internal val BANS: List<Ban> = listOf(
    Ban("""\b[Ww]hoever\b|\b[Ww]homever\b""", NAME_IT),
    Ban("""\b(?:[Ss]ome|[Nn]o|[Aa]ny|[Ee]very)body\b""", NAME_IT),
    Ban("""$START(?:[Ww]ho|[Ww]hat)\s+(?!else\b|about\b|(?:is|was|are|were|has|had|have)\b)[a-z]+\b(?![^.]*\?)""",
        NAME_IT, inLiterals = false),
    Ban("""\b[Ww]hat (?:is|was|are|were|has|had|have)\b(?![^.]*\?)""", "use a noun: the value, the rest, the result"),
    Ban("""\b(?:for|by|to|from|and|or|but|if|that|with|of) who\b""", NAME_IT),
    Ban("""\bof (?:ours|theirs|mine|yours|hers)\b""", "our, their, the library's, the application's"),
    Ban("""\bof (?:the |an? )?[A-Za-z]+['’]s(?=\s*(?:[,.;:)]|$))""", "native, Java's …, of the driver"),
    Ban("""\bthat there (?:is|are|was|were)\b""", "available, existing, or nothing"),
    Ban("""\bthere (?:is|are|was) none\b""", "no … exists; without a …"),
    Ban("""\bbut for\b""", "except"),
    Ban("""\bas it is\b(?! \w+ed\b)""", "unchanged"),
    Ban("""\b(?:is|are|was|were|be|been|being) (?:asked|shown)\b""", "is queried; displays"),
    Ban("""\b[Tt]old\b|\b[Tt]ells?\b(?! apart)""", "notify, report, return, say"),
    Ban("""\bat hand\b""", "available"),
    Ban("""\breckon\w*\b""", "compute, estimate"),
    Ban("""\bsuch as is\b|\bsuch as are\b""", "if available"),
    Ban("""\b[Gg](?:ives?|iving|iven|ave) (?:\w+ )?back\b""", "release, return"),
    Ban("""\b(?:by|in|takes?|its|their|a) turns?\b(?! (?:out|into))""", "the connection lock; alternately",
        inLiterals = false),
    Ban("""\blulls?\b""", "idle period"),
    Ban("""\bledgers?\b""", "resource counters"),
    Ban("""\bspent\b""", "consumed, closed"),
    Ban("""\blent\b""", "borrowed, valid until the block returns"),
    Ban("""\bshown part\b""", "slice, visible range"),
    Ban("""\bstand-?ins?\b""", "adapter, simulator"),
    Ban("""\bafterwards\b""", "then, later, after the call"),
    Ban("""\bat rest\b""", "idle"),
    Ban("""\brooms?\b""", "package; space", inLiterals = false),
    Ban("""\bholders?\b""", "reference, owner"),
    Ban("""\b[Ww]hatever\b""", "any, regardless of", inLiterals = false),
)

/** Matches where any ban does, so that most texts are read once. */
private val ANY: Regex = BANS.map { it.pattern }.partition { it.startsWith(WORD_START) }.let { (words, others) ->
    val one = words.joinToString("|", "$WORD_START(?:", ")") { it.removePrefix(WORD_START) }
    Regex((others + one).joinToString("|"))
}

/** The longest sentence, in words. */
internal const val MOST_WORDS: Int = 40

private val BETWEEN_WORDS = Regex("""\s+|—""")
private val END = Regex("""(?<=[.!?])["')\]]*\s+(?=["'(\[«]?[A-Z«0-9])|:\s*$""")

internal fun sentences(text: String): List<List<String>> =
    text.split(END).map { sentence ->
        sentence.split(BETWEEN_WORDS).filter { word -> word.any { it.isLetterOrDigit() || it == '«' } }
    }.filter { it.isNotEmpty() }

/** What is wrong in one file, a line each. */
internal fun faults(name: String, content: String): List<String> = texts(name, content).flatMap { text ->
    val banned = if (!ANY.containsMatchIn(text.words)) emptyList() else BANS.flatMap { ban ->
        ban.findIn(text).map { "$name:${text.line}: \"${it.value.trim()}\" — ${ban.instead}" }
    }
    val sentences = if (text.kind == Text.Kind.PROSE) sentences(text.words) else emptyList()
    banned + sentences.filter { it.size > MOST_WORDS }.map {
        val begin = it.take(6).joinToString(" ")
        "$name:${text.line}: a sentence of ${it.size} words — at most $MOST_WORDS: \"$begin …\""
    }
}

/** The number of words in the median sentence. */
internal fun medianSentence(name: String, content: String): Int {
    val lengths = texts(name, content).filter { it.kind == Text.Kind.PROSE }.flatMap { sentences(it.words) }
        .map { it.size }.sorted()
    return if (lengths.isEmpty()) 0 else lengths[lengths.size / 2]
}

/** Checks the files that are named, or all in the folders that are. */
internal fun main(args: Array<String>) {
    var count = 0
    val files = args.flatMap { File(it).walk().filter(File::isFile) }
        .filter { it.extension in setOf("md", "java", "kt") }
    for (file in files) {
        val found = faults(file.path, file.readText())
        count += found.size
        found.forEach(::println)
        if (args.size == 1) println("median sentence: ${medianSentence(file.path, file.readText())} words")
    }
    println("$count faults")
}
