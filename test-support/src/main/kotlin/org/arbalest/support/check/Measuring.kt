// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import org.arbalest.device.Device
import org.arbalest.device.Devices
import org.arbalest.support.gpu.GpuDouble

/**
 * The GPU and the tools of a measuring process.
 *
 * @property double the simulator; null on a driver
 * @property report receives each figure immediately after its measurement
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

    /** Measures, and reports the result, or the failure. */
    fun figure(name: String, bytes: Long, measure: () -> Figure) {
        report(
            try {
                measure()
            } catch (e: Exception) {
                Figure(name, bytes, Verdict.FAILED, if (e is SpoiltException) e.message else "$e")
            },
        )
    }

    /** Returns the figure of a time beside a reference time. */
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
