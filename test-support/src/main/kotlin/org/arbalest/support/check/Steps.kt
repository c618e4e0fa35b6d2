// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import org.arbalest.device.Availability
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.support.gpu.GpuDouble
import java.util.Locale

/**
 * A part of the check, which runs in its own process.
 *
 * @property name for display, and for `--only`
 * @property seconds its time limit on a GPU, in seconds
 * @property needs the type of the device that it requires
 * @property isInPython whether a Python program starts its process
 */
class Step(
    val name: String,
    val seconds: Long,
    val needs: DeviceType,
    val isInPython: Boolean = false,
    val run: (StepRun) -> Unit,
)

/** One run of a step, in its own process. */
class StepRun(
    val gpu: CheckedGpu,
    val step: Step,
    val double: GpuDouble?,
    val isQuick: Boolean,
    private val limit: Long,
    private val write: (StepResult) -> Unit,
) {
    private var result =
        StepResult(step.name, Verdict.FAILED, "the step ended before its first result", limitSeconds = limit)

    /** Writes a result for the waiting process, so that findings are not lost if this process hangs. */
    fun report(change: (StepResult) -> StepResult) {
        val changed = change(result).copy(reason = null)
        val parts = Verdict.entries.filter { changed.parts(it) > 0 }
        result = changed.copy(verdict = if (Verdict.FAILED in parts) Verdict.FAILED
        else if (Verdict.GOOD in parts) Verdict.GOOD else Verdict.NOT_RUN)
        write(result)
    }

    /**
     * Runs the step, and writes its findings, or the reason for their absence. Earlier findings remain if it fails.
     */
    fun run() {
        write(result)
        val missing = Devices.availability(step.needs) as? Availability.Missing
        if (missing != null) {
            // A check without a GPU must not pass.
            write(result.copy(verdict = if (step.name == DEVICE_STEP) Verdict.FAILED else Verdict.NOT_RUN,
                reason = "${step.needs}: ${missing.reason()}"))
        } else {
            try {
                step.run(this)
            } catch (e: Exception) {
                e.printStackTrace(System.out)
                write(result.copy(verdict = Verdict.FAILED, reason = "$e"))
            }
        }
    }
}

/** The step that identifies the GPU. It comes first, because all later steps depend on it. */
const val DEVICE_STEP = "device"

private const val MOST_BYTES = 4L shl 30

/** Returns the sizes of copies: up to 4 GiB, or an eighth of the GPU's memory or of main memory. */
fun sizes(gpuMemory: Long, mainMemory: Long, isQuick: Boolean): List<Long> {
    val largest = minOf(MOST_BYTES, gpuMemory / 8, mainMemory / 8) / 65536 * 65536
    val usual = if (isQuick) listOf(64L shl 10, 1L shl 20, 16L shl 20)
    else listOf(64L shl 10, 1L shl 20, 16L shl 20, 256L shl 20)
    return usual.filter { it < largest } + if (isQuick) listOf() else listOf(largest)
}

fun steps(gpu: CheckedGpu, sizes: List<Long>): List<Step> {
    val type = gpu.types[0]
    return listOf(Step(DEVICE_STEP, 60, type, run = ::device)) +
        gpu.specs.map { spec ->
            Step(spec.name, spec.seconds, spec.needs, spec.isInPython) { it.tests(spec.spec) }
        } +
        HostKind.entries.flatMap { kind ->
            sizes.map { bytes ->
                Step(
                    "copies, ${kind.name.lowercase()} memory, ${readable(bytes)}",
                    if (bytes > 1L shl 30) 120 else 45,
                    type,
                ) { run ->
                    CopyFigures(run.measuring(), kind, bytes).run()
                }
            }
        } +
        Step("events", 45, type) { EventFigures(it.measuring()).run() }
}

fun readable(bytes: Long): String = when {
    bytes % (1L shl 30) == 0L -> "${bytes shr 30} GiB"
    bytes % (1L shl 20) == 0L -> "${bytes shr 20} MiB"
    else -> "%.4g MiB".format(Locale.ROOT, bytes / 1048576.0).takeIf { bytes > 1L shl 20 } ?: "${bytes shr 10} KiB"
}

private fun StepRun.measuring(): Measuring = Measuring(gpu, gpu.raw(), double, isQuick) { figure ->
    report { it.copy(figures = it.figures + figure) }
}

private fun device(run: StepRun) {
    val ready = Devices.availability(run.step.needs) as Availability.Ready
    Devices.device(run.step.needs, 0)
    val raw = run.gpu.raw().also { it.enter() }
    run.report {
        it.copy(device = DeviceFacts(raw.deviceName, raw.driver, ready.devices(), raw.memory,
            Devices.describe().trim().lines()))
    }
    run.report { it.copy(tests = Tests(1, listOf(), listOf())) }
}
