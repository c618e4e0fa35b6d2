// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.gpu

import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG

private val SIMULATED: String? = System.getProperty("arbalest.hip")

private fun isRocm5(release: String?) = release == "5" || release == "5.1"

/**
 * A simulator of the driver: `libamdhip64.so.7` in software. Each thread has a current device. Host functions may not
 * call HIP, although nothing prevents it. A query of an event that another thread waits for also waits. Destroying a
 * stream waits for its work.
 *
 * If the system property `arbalest.hip` is `5`, it simulates ROCm 5.2: it lacks later functions, such as
 * `hipLaunchHostFunc`, and an allocation from a pool without memory fails silently. It has the same SONAME, so that it
 * is found before a real library. If the property is `5.1`, it simulates a release that is too old.
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

    private val servedFunction by function("double_served", JAVA_LONG, JAVA_LONG)

    /** Returns how many allocations a pool has served. */
    fun served(pool: Long): Long = servedFunction.invoke(pool) as Long

    /** The number of threads in `hipEventSynchronize`. */
    val synchronizing: Int get() = synchronizingFunction.invoke() as Int

    /** Whether it simulates ROCm 5. */
    val isRocm5: Boolean = isRocm5(SIMULATED)

    /** The calling thread's current device. */
    val currentDevice: Int get() = threadState

    /** The code that `hipGetLastError` would return on the calling thread. */
    val lastError: Int get() = lastErrorFunction.invoke() as Int
}
