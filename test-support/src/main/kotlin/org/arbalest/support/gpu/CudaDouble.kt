// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.gpu

import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG

private val SIMULATED: String = System.getProperty("arbalest.cuda.simulated") ?: "13.0"

/** The version in the form of `cuDriverGetVersion`. */
private val VERSION: Int = SIMULATED.split('.').map { it.toInt() }.let { (major, minor) -> major * 1000 + minor * 10 }

/**
 * A simulator of the driver: `libcuda.so.1` in software, as of CUDA 13.0. Host functions may not call CUDA. If the
 * system property `arbalest.cuda.simulated` is `10.0`, for example, the simulator lacks all later functions.
 */
object CudaDouble :
    GpuDouble(VERSION, SIMULATED, "cuda_api.h", "libcuda.so.1", "gpu/cuda.c", "gpu/vmm.c", "gpu/vmm.h") {
    private val lenientFunction by function("double_lenient", null, JAVA_INT)
    private val batchesFunction by function("double_batches", null, JAVA_INT)
    private val mostPiecesFunction by function("double_most_pieces", JAVA_LONG)
    private val gridFunction by function("double_grid", JAVA_INT, JAVA_INT)
    private val overlappingFunction by function("double_overlapping", JAVA_LONG)
    private val greenFunction by function("double_green", null, JAVA_LONG)
    private val greenContextFunction by function("double_green_context", JAVA_LONG, JAVA_INT)
    private val managedFunction by function("double_managed_with_cpu", null, JAVA_INT)
    private val hintedFunction by function("double_hinted", JAVA_LONG, JAVA_INT)
    private val advisedFunction by function("double_advised", JAVA_INT, JAVA_LONG)
    private val fabricFunction by function("double_fabric", null, JAVA_INT)
    private val servedFunction by function("double_served", JAVA_LONG, JAVA_LONG)
    private val retainedFunction by function("double_retained", JAVA_INT, JAVA_INT)
    private val machineFunction by function("double_machine", null, JAVA_INT)
    private val versionFunction by function("double_driver_version", null, JAVA_INT)
    private val countImportsFunction by function("double_count_imports", null, JAVA_INT)
    private val poolAccessFunction by function("double_pool_access", JAVA_LONG, JAVA_LONG)
    private var machine = Machine.PCIE

    /** The version that the driver reports from the next [reset] on, as `cuDriverGetVersion` does; 0 for its own. */
    var reported: Int = 0

    /** The machine with the GPUs. The CPU and the GPU reach the same memory on all but the first. */
    private enum class Machine { PCIE, JETSON, GH200 }

    override fun usual() {
        machineFunction.invoke(machine.ordinal)
        if (machine == Machine.GH200) reachPageable(true)
        managedWithCpu(machine != Machine.JETSON)
        shifted(machine == Machine.JETSON)
        contextsInHostFunctions(false)
        batches(true)
        fabric(machine != Machine.JETSON)
        reports(reported)
        countsImports(false)
    }

    override val machines: List<String> get() = Machine.entries.drop(1).map { it.name.lowercase() }

    override fun simulate(machine: String) {
        this.machine = Machine.valueOf(machine.uppercase())
        if (this.machine == Machine.JETSON) usualDevices = 1
    }

    /** Sets whether host functions may query and change contexts, but call nothing else; by default they may not. */
    fun contextsInHostFunctions(allowed: Boolean) {
        lenientFunction.invoke(if (allowed) 1 else 0)
    }

    /** Sets whether the driver copies batches, as from CUDA 12.8 on; by default it does. */
    fun batches(has: Boolean) {
        batchesFunction.invoke(if (has) 1 else 0)
    }

    /** Returns the largest number of copies in one call of the driver since the last call of this function. */
    fun mostPieces(): Long = mostPiecesFunction.invoke() as Long

    /** Returns the dimensions of the last launch: three of the grid, three of a block. */
    fun grid(): List<Int> = List(6) { gridFunction.invoke(it) as Int }

    /** Returns the number of batches since the last call that prefer to overlap with kernels. */
    fun overlapping(): Long = overlappingFunction.invoke() as Long

    /** Makes a stream the only one of a green context; 0 for none. */
    fun green(stream: Long) {
        greenFunction.invoke(stream)
    }

    /** Returns a context with some of a device's processors, such as PyTorch's `GreenContext` makes current. */
    fun greenContext(device: Int): Long = greenContextFunction.invoke(device) as Long

    /**
     * Sets whether devices have fabric handles; by default they have, with an IMEX channel.
     *
     * @param allowed whether the process may use them; devices have them even if it may not
     */
    fun fabric(has: Boolean, allowed: Boolean = has) {
        fabricFunction.invoke(if (!has) 0 else if (allowed) 1 else 2)
    }

    /** Makes the driver report another version, with the same functions; 0 for its own. */
    fun reports(version: Int) {
        versionFunction.invoke(version)
    }

    /** Sets whether each import of a pool's allocation needs its own free; by default the first free unmaps it. */
    fun countsImports(counts: Boolean) {
        countImportsFunction.invoke(if (counts) 1 else 0)
    }

    /** Returns the devices with access to a pool's memory, as bits. */
    fun poolAccess(pool: Long): Long = poolAccessFunction.invoke(pool) as Long

    /** Returns how many allocations a pool has served. */
    fun served(pool: Long): Long = servedFunction.invoke(pool) as Long

    /** The number of contexts on the calling thread's stack. */
    val contextDepth: Int get() = threadState

    /** Returns how often a device's primary context is retained. */
    fun retained(device: Int): Int = retainedFunction.invoke(device) as Int

    /** Sets whether the CPU may access managed memory while a GPU works; by default it may. */
    fun managedWithCpu(may: Boolean) {
        managedFunction.invoke(if (may) 1 else 0)
    }

    /**
     * The last hint about managed memory: 0 for a prefetch, otherwise the advice; the place (−1 is the host), the
     * address, the bytes.
     */
    val hinted: List<Long> get() = (0..3).map { hintedFunction.invoke(it) as Long }

    /** Returns whether the future use of the memory at an address was advised since its allocation. */
    fun advised(address: Long): Boolean = advisedFunction.invoke(address) as Int != 0
}
