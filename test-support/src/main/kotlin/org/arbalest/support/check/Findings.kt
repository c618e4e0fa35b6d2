// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import com.google.gson.FieldNamingPolicy
import com.google.gson.Gson
import com.google.gson.GsonBuilder
import com.google.gson.annotations.SerializedName
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardCopyOption.ATOMIC_MOVE
import java.nio.file.StandardCopyOption.REPLACE_EXISTING
import kotlin.io.path.readText
import kotlin.io.path.writeText

/* The findings of the check, in the form of its JSON file; docs/hardware.md documents each of them. */

enum class Verdict {
    @SerializedName("good")
    GOOD,

    @SerializedName("failed")
    FAILED,

    @SerializedName("not_run")
    NOT_RUN,
}

/** A test, or a thread, with a reason. */
data class Named(val name: String, val reason: String)

/** The stack of a thread when its step exceeded its time limit: the innermost call first. */
data class Stood(val thread: String, val frames: List<String>)

data class Tests(val passed: Int, val failed: List<Named>, val notRun: List<Named>)

/**
 * A measured time beside a reference time, with its threshold; without a [threshold] the time is for information only.
 */
data class Figure(
    val name: String,
    val bytes: Long,
    val verdict: Verdict,
    val reason: String? = null,
    val micros: Double? = null,
    val reference: String? = null,
    val referenceMicros: Double? = null,
    val share: Double? = null,
    val threshold: Threshold? = null,
    val gigabytesPerSecond: Double? = null,
    val samples: Int = 0,
    val others: Map<String, Double> = mapOf(),
)

data class StepResult(
    val name: String,
    val verdict: Verdict,
    val reason: String? = null,
    val seconds: Double = 0.0,
    val limitSeconds: Long = 0,
    val tests: Tests? = null,
    val figures: List<Figure> = listOf(),
    val stood: List<Stood> = listOf(),
    val versions: Map<String, String> = mapOf(),
    val device: DeviceFacts? = null,
) {
    /**
     * Returns how many parts of the step, tests and figures, have a verdict. A verdict about the step itself counts as
     * one more.
     */
    fun count(verdict: Verdict): Int = parts(verdict) +
        if (this.verdict == verdict && (reason != null || Verdict.entries.sumOf(::parts) == 0)) 1 else 0

    /** Returns the same number without the step itself. */
    fun parts(verdict: Verdict): Int = figures.count { it.verdict == verdict } + when (verdict) {
        Verdict.GOOD -> tests?.passed ?: 0
        Verdict.FAILED -> tests?.failed?.size ?: 0
        Verdict.NOT_RUN -> tests?.notRun?.size ?: 0
    }
}

/** The first GPU. [devices] has a line for each device of any type, or the reason why it is missing. */
data class DeviceFacts(
    val name: String,
    val driver: String,
    val count: Int,
    val memoryBytes: Long,
    val devices: List<String>,
)

data class HostFacts(val system: String, val processors: Int, val memoryBytes: Long, val java: String)

data class Summary(val good: Int, val failed: Int, val notRun: Int)

data class Report(
    val check: String,
    val date: String,
    val onDouble: Boolean,
    val isQuick: Boolean,
    val only: List<String>,
    val host: HostFacts,
    val device: DeviceFacts?,
    val sizes: List<Long>,
    val steps: List<StepResult>,
    val seconds: Double,
    val summary: Summary = Summary(steps.sumOf { it.count(Verdict.GOOD) }, steps.sumOf { it.count(Verdict.FAILED) },
        steps.sumOf { it.count(Verdict.NOT_RUN) }),
    val exitCode: Int = if (summary.failed > 0) FAILED_CODE else if (summary.notRun > 0) NOT_ALL_CODE else 0,
    val format: Int = 1,
)

/** The exit code for a failed check. */
const val FAILED_CODE = 1

/** The exit code if no check failed, but not all were run. */
const val NOT_ALL_CODE = 3

private val gson: Gson = GsonBuilder().setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES)
    .disableHtmlEscaping().setPrettyPrinting().create()

/** Writes a file atomically: a reader finds the new content, or the old one, never a part. */
fun write(findings: Any, file: Path) {
    val folder = file.toAbsolutePath().parent
    val unfinished = Files.createTempFile(folder, ".unfinished", null)
    unfinished.writeText(gson.toJson(findings) + "\n")
    Files.move(unfinished, file, ATOMIC_MOVE, REPLACE_EXISTING)
}

inline fun <reified T> read(file: Path): T = gson().fromJson(file.readText(), T::class.java)

fun gson(): Gson = gson
