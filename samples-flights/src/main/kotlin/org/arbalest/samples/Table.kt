// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import com.github.freva.asciitable.AsciiTable
import com.github.freva.asciitable.Column
import com.github.freva.asciitable.HorizontalAlign
import java.util.Locale

/** Returns a small table with its numbers aligned to the right. */
fun table(rows: List<List<Any?>>, vararg headers: String): String {
    val columns = headers.mapIndexed { i, name ->
        val align = if (i == 0 || rows.any { it[i] is String }) HorizontalAlign.LEFT else HorizontalAlign.RIGHT
        Column().header(name).headerAlign(align).dataAlign(align).maxWidth(100)
            .with { row: List<Any?> -> row[i].formatted() }
    }
    return AsciiTable.builder().border(AsciiTable.BASIC_ASCII_NO_DATA_SEPARATORS).data(rows, columns).asString()
}

private fun Any?.formatted(): String = when (this) {
    is Double -> "%,.2f".format(Locale.ROOT, this)
    is Long -> "%,d".format(Locale.ROOT, this)
    else -> toString()
}
