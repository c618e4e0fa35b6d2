// SPDX-License-Identifier: Apache-2.0
package org.arbalest.docs.prose

import java.io.File

/**
 * A construct that the project does not write, what it writes instead, and a text with the construct in it.
 *
 * @param pattern matches the construct, in letters of any case
 */
internal class Ban(
    val pattern: String,
    val instead: String,
    val example: String,
    private val inLiterals: Boolean = true,
) {
    private val regex = Regex(pattern, RegexOption.IGNORE_CASE)

    fun findIn(text: Text): Sequence<MatchResult> =
        if (text.kind == Text.Kind.LITERAL && !inLiterals) emptySequence() else regex.findAll(text.words)
}

private const val NAME_IT = "name the person or thing: the caller, the consumer, the application, the value"

private const val WORD_START = """\b"""

/** Where a sentence begins. */
private const val SENTENCE = """(?:^|[.!?:;—(]\s+)"""

/** Where a clause begins. */
private const val CLAUSE = """(?:^|[.!?:;—(]\s+|,\s+)"""

private const val BE_OR_HAVE = """(?:is|was|are|were|has|had|have)"""

private const val NO_QUESTION = """\b(?![^.]*\?)"""

/** The list of `PROSE.md`, rules 4 and 5 and its vocabulary, as patterns. */
internal val BANS: List<Ban> = listOf(
    Ban("""\bwhoever\b|\bwhomever\b""", NAME_IT, "Whoever forgets it is warned."),
    Ban("""\b(?:some|no|any|every)body\b""", NAME_IT, "It is somebody's memory."),
    Ban("""$CLAUSE(?:who|what)\s+(?!else\b|about\b|$BE_OR_HAVE\b)[a-z]+$NO_QUESTION""",
        NAME_IT, "All columns. What follows is dropped", inLiterals = false),
    Ban("""${SENTENCE}who $BE_OR_HAVE$NO_QUESTION""", NAME_IT, "Who has a handle releases it.", inLiterals = false),
    Ban("""\bwhat $BE_OR_HAVE$NO_QUESTION""", "use a noun: the value, the rest, the result", "It counts what is left."),
    Ban("""\b(?:for|by|to|from|and|or|but|if|that|with|of) who\b""", NAME_IT, "a page for who wants it"),
    Ban("""\bof (?:ours|theirs|mine|yours|hers)\b""", "our, their, the library's, the application's",
        "a thread of ours"),
    Ban("""\bof (?:the |an? )?[a-z]+['’]s(?=\s*(?:[,.;:)]|$))""", "native, Java's …, of the driver",
        "a thread of the driver's, which waits"),
    Ban("""\bof C['’]s\b""", "native, of the C library", "a thread of C's that waits"),
    Ban("""\bthat there (?:is|are|was|were)\b""", "available, existing, or nothing", "the columns that there are"),
    Ban("""\bthere (?:is|are|was) none\b""", "no … exists; without a …", "There is none."),
    Ban("""\bbut for\b""", "except", "But for Spark, it builds everything."),
    Ban("""\bas it is\b(?! \w+ed\b)""", "unchanged", "the array is passed as it is"),
    Ban("""\b(?:is|are|was|were|be|been|being) (?:asked|shown)\b""", "is queried; displays", "the driver is asked"),
    Ban("""\btold\b|\btells?\b(?! apart)""", "notify, report, return, say", "the caller is told"),
    Ban("""\bat hand\b""", "available", "with no device at hand"),
    Ban("""\breckon\w*\b""", "compute, estimate", "The size is reckoned."),
    Ban("""\bsuch as is\b|\bsuch as are\b""", "if available", "the statistics, such as are"),
    Ban("""\b(?:gives?|giving|given|gave) (?:\w+ ){0,4}back\b""", "release, return", "it gives the old memory back"),
    Ban("""\b(?:by|in|takes?|its|their|a) turns?\b(?! (?:out|into))""", "the connection lock; alternately",
        "the threads take turns", inLiterals = false),
    Ban("""\blulls?\b""", "idle period", "Lulls are used."),
    Ban("""\bledgers?\b""", "resource counters", "the ledger of a session"),
    Ban("""\bspent\b""", "consumed, closed", "a spent handle"),
    Ban("""\blent\b""", "borrowed, valid until the block returns", "a lent batch"),
    Ban("""\bshown part\b""", "slice, visible range", "the shown part of a column"),
    Ban("""\bstand-?ins?\b""", "adapter, simulator", "a stand-in for the driver"),
    Ban("""\bafterwards\b""", "then, later, after the call", "Afterwards it is closed."),
    Ban("""\bat rest\b""", "idle", "a queue at rest"),
    Ban("""\brooms?\b""", "package; space", "it has room for a batch", inLiterals = false),
    Ban("""\bholders?\b""", "reference, owner", "the last holder releases it"),
    Ban("""\bwhatever\b""", "any, regardless of", "whatever the driver says", inLiterals = false),
)

/** Matches where any ban does, so that most texts are read once. */
private val ANY: Regex = BANS.map { it.pattern }.partition { it.startsWith(WORD_START) }.let { (words, others) ->
    val one = words.joinToString("|", "$WORD_START(?:", ")") { it.removePrefix(WORD_START) }
    Regex((others + one).joinToString("|"), RegexOption.IGNORE_CASE)
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
    // comments in C begin many sentences with a function's name, in lower case
    val hasSentences = text.kind != Text.Kind.LITERAL && name.substringAfterLast('.') in setOf("md", "java", "kt")
    val sentences = if (hasSentences) sentences(text.words) else emptyList()
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

/** The endings of the names of files that are read. */
internal val EXTENSIONS: Set<String> = setOf("md", "java", "kt", "c", "h", "cc")

/** Checks the files that are named, or all in the folders that are. */
internal fun main(args: Array<String>) {
    var count = 0
    val files = args.flatMap { File(it).walk().filter(File::isFile) }
        .filter { it.extension in EXTENSIONS }
    for (file in files) {
        val found = faults(file.path, file.readText())
        count += found.size
        found.forEach(::println)
        if (args.size == 1) println("median sentence: ${medianSentence(file.path, file.readText())} words")
    }
    println("$count faults")
}
