// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import jcuda.Pointer
import jcuda.driver.CUfunction
import jcuda.driver.CUmodule
import jcuda.driver.CUresult
import jcuda.driver.JCudaDriver
import org.arbalest.coroutines.get
import org.arbalest.device.Device
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.RecordBatch
import org.arbalest.device.cuda.Cuda
import org.arbalest.device.cuda.Jcuda
import org.arbalest.device.types.NestedType.DictionaryType

/**
 * Counts on a CUDA device. One stream queues the kernel for each batch and the copy of the counts to the CPU, after it
 * has waited for the copies of the batches.
 */
internal class CudaHistogram(private val device: Device) : Histogram {
    private val stream = device.createStream()
    private val module = CUmodule()
    private val kernel = CUfunction()
    private var counts: DeviceBuffer? = null

    init {
        try {
            Cuda.enter(device).use {
                checked(JCudaDriver.cuModuleLoadData(module, PTX), "cuModuleLoadData")
                checked(JCudaDriver.cuModuleGetFunction(kernel, module, "histogram"), "cuModuleGetFunction")
            }
        } catch (e: Throwable) {
            stream.close()
            throw e
        }
    }

    override fun add(batch: RecordBatch) {
        val counts = counts ?: zeroCounts(batch["origin"].dictionary().length(), stream).also { counts = it }
        stream.waitFor(batch)
        launch(batch, counts)
        stream.keepAlive(batch)
    }

    override fun synchronize() = stream.synchronize()

    override suspend fun counts(airports: List<String>): Counts = fetchCounts(airports, counts, stream)

    private fun launch(batch: RecordBatch, counts: DeviceBuffer) {
        if (batch.length() == 0L) return
        val origin = batch["origin"]
        val delay = batch["delay"]
        val width = (origin.field().type() as DictionaryType).index().bits() / 8L
        val parameters = Pointer.to(
            Pointer.to(Jcuda.pointers(origin)[1]!!.withByteOffset(width * origin.offset())),
            Pointer.to(longArrayOf(width)),
            Pointer.to(Jcuda.pointers(delay)[1]!!.withByteOffset(8 * delay.offset())),
            Pointer.to(longArrayOf(batch.length())),
            Pointer.to(Jcuda.pointer(counts)),
        )
        val blocks = Math.ceilDiv(batch.length(), THREADS.toLong()).toInt()
        Cuda.enter(device).use {
            val code = JCudaDriver.cuLaunchKernel(kernel, blocks, 1, 1, THREADS, 1, 1, 0, Jcuda.cuStream(stream),
                parameters, null)
            checked(code, "cuLaunchKernel")
        }
    }

    private fun checked(code: Int, call: String) = check(code == CUresult.CUDA_SUCCESS) {
        "$call failed: ${CUresult.stringFor(code)}"
    }

    override fun close() {
        stream.synchronize()
        Cuda.enter(device).use { checked(JCudaDriver.cuModuleUnload(module), "cuModuleUnload") }
        counts?.close()
        stream.close()
    }

    private companion object {
        const val THREADS = 256

        /** With the terminating zero byte that CUDA needs. */
        val PTX = checkNotNull(CudaHistogram::class.java.getResource("ptx/histogram.ptx")).readBytes() + 0
    }
}
