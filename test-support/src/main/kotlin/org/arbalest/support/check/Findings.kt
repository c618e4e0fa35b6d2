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

/* What the check finds, as its JSON has it; docs/hardware.md says what each means. */

enum class Verdict {
    @SerializedName("good")
    GOOD,

    @SerializedName("failed")
    FAILED,

    @SerializedName("not_run")
    NOT_RUN,
}

/** A test, or a thread, and what there is to say of it. */
data class Named(val name: String, val reason: String)

/** Where a thread stood when its step had taken too long: the innermost call first. */
data class Stood(val thread: String, val frames: List<String>)

data class Tests(val passed: Int, val failed: List<Named>, val notRun: List<Named>)

/** A time that was measured, beside another, and what it is held to; without a [threshold] it is for information. */
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
    val device: DeviceFacts? = null,
) {
    /** How many of its parts, tests and figures, came out in one way; what is said of the step itself is one more. */
    fun count(verdict: Verdict): Int = parts(verdict) +
        if (this.verdict == verdict && (reason != null || Verdict.entries.sumOf(::parts) == 0)) 1 else 0

    /** The same without the step itself. */
    fun parts(verdict: Verdict): Int = figures.count { it.verdict == verdict } + when (verdict) {
        Verdict.GOOD -> tests?.passed ?: 0
        Verdict.FAILED -> tests?.failed?.size ?: 0
        Verdict.NOT_RUN -> tests?.notRun?.size ?: 0
    }
}

/** The first GPU, and in [devices] a line for each device of any kind, or why there is none. */
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

/** Something is wrong. */
const val FAILED_CODE = 1

/** Nothing that was run is wrong, but not all was run. */
const val NOT_ALL_CODE = 3

private val gson: Gson = GsonBuilder().setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES)
    .disableHtmlEscaping().setPrettyPrinting().create()

/** Whoever reads the file finds what was written last, or what was before, never half of it. */
fun write(findings: Any, file: Path) {
    val folder = file.toAbsolutePath().parent
    val unfinished = Files.createTempFile(folder, ".unfinished", null)
    unfinished.writeText(gson.toJson(findings) + "\n")
    Files.move(unfinished, file, ATOMIC_MOVE, REPLACE_EXISTING)
}

inline fun <reified T> read(file: Path): T = gson().fromJson(file.readText(), T::class.java)

fun gson(): Gson = gson
