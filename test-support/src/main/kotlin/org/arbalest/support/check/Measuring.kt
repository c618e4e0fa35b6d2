// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import org.arbalest.device.Device
import org.arbalest.device.Devices
import org.arbalest.support.gpu.GpuDouble

/**
 * What measures in a process: the GPU and the means.
 *
 * @property double null on a driver
 * @property report takes each figure as soon as it is there
 */
class Measuring(
    val gpu: CheckedGpu,
    val raw: RawGpu,
    val double: GpuDouble?,
    val isQuick: Boolean,
    private val report: (Figure) -> Unit,
) {
    val device: Device = Devices.device(gpu.types[0], 0)

    val rounds: Rounds get() = if (isQuick) Rounds(1, 7, 20, 100_000_000) else Rounds(2, 3, 2000, 1_200_000_000)

    /** Measures, and says what came of it, a failure too. */
    fun figure(name: String, bytes: Long, measure: () -> Figure) {
        report(
            try {
                measure()
            } catch (e: Exception) {
                Figure(name, bytes, Verdict.FAILED, if (e is SpoiltException) e.message else "$e")
            },
        )
    }

    /** What is said of a time beside another. */
    fun judged(
        name: String,
        bytes: Long,
        ours: LongArray,
        reference: String,
        referenceMicros: Double,
        threshold: Threshold,
    ): Figure {
        val held = if (double == null) threshold else threshold.loosened()
        val micros = ours.medianMicros()
        val complaint = held.complaint(micros, referenceMicros)
        return Figure(
            name, bytes, if (complaint == null) Verdict.GOOD else Verdict.FAILED, complaint, micros, reference,
            referenceMicros, referenceMicros / micros, held,
            samples = ours.size,
        )
    }
}
