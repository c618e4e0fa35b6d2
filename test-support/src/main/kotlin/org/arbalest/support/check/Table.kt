// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import com.github.freva.asciitable.AsciiTable
import com.github.freva.asciitable.Column
import com.github.freva.asciitable.HorizontalAlign
import java.util.Locale

/** Returns a short text about the result of a step. */
fun StepResult.words(): String = listOfNotNull(
    verdict.words(),
    tests?.takeIf {
        it.passed + it.failed.size + it.notRun.size > 1
    }?.let { "${it.passed} of ${it.passed + it.failed.size + it.notRun.size} tests" },
    versions.takeIf { it.isNotEmpty() }?.map { (name, version) -> "$name $version" }?.joinToString(", "),
    count(Verdict.NOT_RUN).takeIf { it > 0 && verdict != Verdict.NOT_RUN }?.let { "$it not run" },
    reason,
).joinToString(", ")

/** Returns the report as a table, with a summary. */
fun Report.table(): String {
    val rows = steps.flatMap { it.rows() }
    val columns = listOf("check", "result", "details").mapIndexed { i, name ->
        Column().header(name).headerAlign(HorizontalAlign.LEFT).dataAlign(HorizontalAlign.LEFT).maxWidth(100)
            .with<List<String>> { it[i] }
    }
    val device = device?.let {
        "${it.name}, ${it.driver}${if (it.count == 1) "" else ", the first of ${it.count}"}\n"
    }.orEmpty()
    return device + AsciiTable.getTable(AsciiTable.BASIC_ASCII_NO_DATA_SEPARATORS, rows, columns) + "\n" + sum() + "\n"
}

private fun Report.sum(): String {
    val counts = "%d good, %d failed, %d not run; %.0f s".format(Locale.ROOT, summary.good, summary.failed,
        summary.notRun, seconds)
    val kind = if (onDouble) " On a simulated runtime: the figures do not apply to a GPU." else ""
    return when (exitCode) {
        0 -> "All checks passed: $counts.$kind"
        NOT_ALL_CODE -> "No check failed, but not all were run: $counts.$kind"
        else -> "FAILED: $counts.$kind"
    }
}

private fun StepResult.rows(): List<List<String>> {
    val failures = tests?.failed.orEmpty().map {
        listOf("  ${it.name}", "FAILED", it.reason.lines().take(3).joinToString(" "))
    }
    val left = tests?.notRun.orEmpty().map { listOf("  ${it.name}", "not run", it.reason) }
    val stood = stood.map { listOf("  thread ${it.thread}", "stood", it.frames.take(3).joinToString(" < ")) }
    return listOf(listOf(name, verdict.words(), words().removePrefix(verdict.words()).removePrefix(", "))) + failures +
        left + stood + figures.map { it.row() }
}

private fun Figure.row(): List<String> {
    val us = micros?.let { "%.1f us".format(Locale.ROOT, it) }
    val beside = reference?.let { "%s %.1f us".format(Locale.ROOT, it, referenceMicros) }
    val ratio = share?.let { "%.2f of it".format(Locale.ROOT, it) }
    val speed = gigabytesPerSecond?.let { "%.1f GB/s".format(Locale.ROOT, it) }
    return listOf("  $name", if (threshold == null && verdict == Verdict.GOOD) "" else verdict.words(),
        listOfNotNull(reason, us, beside, ratio, speed).joinToString(", "))
}

private fun Verdict.words(): String = when (this) {
    Verdict.GOOD -> "good"
    Verdict.FAILED -> "FAILED"
    Verdict.NOT_RUN -> "not run"
}
