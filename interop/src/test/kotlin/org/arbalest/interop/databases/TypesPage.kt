// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.databases

import io.kotest.assertions.withClue
import io.kotest.matchers.shouldBe
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.types.Field
import java.io.File

/**
 * The two tables of a database's guide. Each of their entries is code, and an entry of the second column is that of the
 * entry at the same place of the first one, or of all.
 */
internal class TypesPage(database: String) {
    private val lines = File("../docs/guides/$database.md").readLines()

    /** Arrow's type by SQL type. */
    val results: Map<String, String> = table("| SQL type | Arrow type |")

    /** The SQL type by Java class. */
    val parameters: Map<String, String> = table("| parameter | SQL type |")

    private fun table(head: String): Map<String, String> = buildMap {
        val first = lines.indexOfFirst { it.startsWith(head) }
        check(first >= 0) { "the page has no table $head" }
        for (row in lines.drop(first + 2).takeWhile { it.startsWith("|") }) {
            val (names, types) = row.split(Regex(" ?\\| ?")).drop(1)
                .map { cell -> CODE.findAll(cell).map { it.groupValues[1] }.toList() }
            check(types.size == 1 || types.size == names.size) { row }
            names.forEachIndexed { i, name -> put(name, types.getOrElse(i) { types.single() }) }
        }
    }

    private companion object {
        val CODE = Regex("`([^`]+)`")
    }
}

/** A value of an SQL type: an expression, and the value that the column returns. */
internal class Literal(val sql: String, val value: Any?)

/** Expects each SQL type of the page to arrive as the page says, with its value; [query] executes the expression. */
internal fun TypesPage.shouldBeResults(literals: Map<String, Literal>, query: (String) -> RecordBatchReader) {
    results.keys shouldBe literals.keys
    for ((type, literal) in literals) withClue(type) {
        query(literal.sql).use { reader ->
            describe(reader.schema().fields().single()) shouldBe results[type]
            reader.next()!!.use { batch ->
                val column = batch.column(0)
                (if (column.isNull(0)) null else plainValue(column[0])) shouldBe literal.value
            }
        }
    }
}

/** Returns the name of a type as the pages write it: with an extension type before its storage. */
private fun describe(field: Field): String =
    field.extension()?.let { "${it.name()} (${field.type()})" } ?: field.type().toString()

private fun plainValue(value: Any?): Any? = when (value) {
    is ByteArray -> value.toList()
    is List<*> -> value.map(::plainValue)
    is Map<*, *> -> value.mapValues { plainValue(it.value) }
    else -> value
}

/** An enum as a parameter, and the values of a type of PostgreSQL. */
internal enum class Mood { GLAD }
