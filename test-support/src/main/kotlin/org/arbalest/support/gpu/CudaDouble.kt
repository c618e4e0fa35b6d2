// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.gpu

import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG

private val SIMULATED: String = System.getProperty("arbalest.cuda.simulated") ?: "13.0"

/** As `cuDriverGetVersion` has it. */
private val VERSION: Int = SIMULATED.split('.').map { it.toInt() }.let { (major, minor) -> major * 1000 + minor * 10 }

/**
 * A simulated driver: `libcuda.so.1` in software, as of CUDA 13.0: host functions may not call CUDA, and there is one
 * context for each device. With the system property `arbalest.cuda.simulated` set to `10.0`, for example, it lacks what
 * came later.
 */
object CudaDouble :
    GpuDouble(VERSION, SIMULATED, "cuda_api.h", "libcuda.so.1", "gpu/cuda.c", "gpu/vmm.c", "gpu/vmm.h") {
    private val lenientFunction by function("double_lenient", null, JAVA_INT)
    private val batchesFunction by function("double_batches", null, JAVA_INT)
    private val managedFunction by function("double_managed_with_cpu", null, JAVA_INT)
    private val hintedFunction by function("double_hinted", JAVA_LONG, JAVA_INT)
    private val advisedFunction by function("double_advised", JAVA_INT, JAVA_LONG)
    private val fabricFunction by function("double_fabric", null, JAVA_INT)
    private val retainedFunction by function("double_retained", JAVA_INT, JAVA_INT)

    override fun usual() {
        contextsInHostFunctions(false)
        batches(true)
        fabric(true)
    }

    /**
     * Whether host functions may ask for contexts and change them, though call nothing else; no, if a test does not say
     * so.
     */
    fun contextsInHostFunctions(allowed: Boolean) {
        lenientFunction.invoke(if (allowed) 1 else 0)
    }

    /** Whether the driver copies batches, as from CUDA 12.8; yes, if a test does not say otherwise. */
    fun batches(has: Boolean) {
        batchesFunction.invoke(if (has) 1 else 0)
    }

    /**
     * Whether devices have fabric handles: with an IMEX channel, if a test does not say otherwise.
     *
     * @param allowed whether the process may use them; where not, devices have them all the same
     */
    fun fabric(has: Boolean, allowed: Boolean = has) {
        fabricFunction.invoke(if (!has) 0 else if (allowed) 1 else 2)
    }

    /** How many contexts are on the calling thread's stack. */
    val contextDepth: Int get() = threadState

    /** How often a device's primary context is retained. */
    fun retained(device: Int): Int = retainedFunction.invoke(device) as Int

    /** Whether the CPU may touch managed memory while a GPU works; yes, if a test does not say so. */
    fun managedWithCpu(may: Boolean) {
        managedFunction.invoke(if (may) 1 else 0)
    }

    /**
     * The last that was said of managed memory: 0 for a prefetch, else the advice; the place (−1 is the host), the
     * address, the bytes.
     */
    val hinted: List<Long> get() = (0..3).map { hintedFunction.invoke(it) as Long }

    /** Whether somebody has said, since it was allocated, how the memory at an address will be used. */
    fun advised(address: Long): Boolean = advisedFunction.invoke(address) as Int != 0
}
