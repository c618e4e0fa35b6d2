// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.gpu

import java.lang.foreign.ValueLayout.JAVA_INT

private val SIMULATED: String? = System.getProperty("arbalest.hip")

private fun isRocm5(release: String?) = release == "5" || release == "5.1"

/**
 * A simulated driver: `libamdhip64.so.7` in software. Each thread has a current device, host functions may not call
 * HIP, though nothing stops them, who asks for an event that somebody waits for waits as well, and destroying a stream
 * waits for what is in it.
 *
 * With the system property `arbalest.hip` set to `5` it is ROCm 5.2's: it lacks what came later, such as
 * `hipLaunchHostFunc`, and allocates nothing without saying so when a pool has no memory left; by the same SONAME, so
 * that it is found before a real one. Set to `5.1` it is of a release that is too old.
 */
object HipDouble : GpuDouble(
    when (SIMULATED) {
        "5.1" -> 50_120_531
        "5" -> 50_221_153
        else -> 70_152_802
    },
    when (SIMULATED) {
        "5.1" -> "5.1"
        "5" -> "5.2"
        else -> "7.1"
    },
    "hip_api.h",
    "libamdhip64.so.7",
    *listOfNotNull("gpu/hip.c", "gpu/hip5.h".takeIf { isRocm5(SIMULATED) }).toTypedArray(),
) {
    private val lastErrorFunction by function("double_last_error", JAVA_INT)

    private val synchronizingFunction by function("double_synchronizing", JAVA_INT)

    /** How many threads are in `hipEventSynchronize`. */
    val synchronizing: Int get() = synchronizingFunction.invoke() as Int

    /** Whether it is ROCm 5's. */
    val isRocm5: Boolean = isRocm5(SIMULATED)

    /** The calling thread's current device. */
    val currentDevice: Int get() = threadState

    /** What `hipGetLastError` would answer on the calling thread. */
    val lastError: Int get() = lastErrorFunction.invoke() as Int
}
