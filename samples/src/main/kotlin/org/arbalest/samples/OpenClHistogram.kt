// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import org.arbalest.coroutines.get
import org.arbalest.device.Device
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.RecordBatch
import org.arbalest.device.columns.Column
import org.arbalest.device.opencl.Jocl
import org.arbalest.device.types.NestedType.DictionaryType
import org.jocl.CL
import org.jocl.Pointer
import org.jocl.Sizeof
import org.jocl.cl_kernel

/**
 * Counts on an OpenCL device. One stream queues the kernel for each batch and the copy of the counts to the CPU, after
 * it has waited for the copies of the batches.
 */
internal class OpenClHistogram(private val device: Device) : Histogram {
    private val stream = device.createStream()
    private var kernel: cl_kernel? = null
    private var counts: DeviceBuffer? = null

    override fun add(batch: RecordBatch) {
        if (kernel == null) start(batch["origin"])
        stream.waitFor(batch)
        launch(batch, kernel!!, counts!!)
        stream.keepAlive(batch)
    }

    override fun synchronize() = stream.synchronize()

    override suspend fun counts(airports: List<String>): Counts = fetchCounts(airports, counts, stream)

    private fun start(origin: Column) {
        counts = zeroCounts(origin.dictionary().length(), stream)
        val index = when ((origin.field().type() as DictionaryType).index().bits()) {
            8 -> "uchar"
            16 -> "ushort"
            else -> "uint"
        }
        kernel = compile("-DINDEX=$index -DBINS=$BINS -DFIRST_BIN=$FIRST_BIN -DBIN_MINUTES=$BIN_MINUTES")
    }

    private fun compile(options: String): cl_kernel {
        val program = CL.clCreateProgramWithSource(Jocl.context(device), 1, arrayOf(SOURCE), null, null)
        val code = CL.clBuildProgram(program, 0, null, options, null, null)
        check(code == CL.CL_SUCCESS) { "the kernel does not compile: ${CL.stringFor_errorCode(code)}" }
        return CL.clCreateKernel(program, "histogram", null).also { CL.clReleaseProgram(program) }
    }

    private fun launch(batch: RecordBatch, kernel: cl_kernel, counts: DeviceBuffer) {
        if (batch.length() == 0L) return
        val origin = batch["origin"]
        val delay = batch["delay"]
        checked(CL.clSetKernelArgSVMPointer(kernel, 0, Jocl.pointers(origin)[1]))
        checked(CL.clSetKernelArg(kernel, 1, Sizeof.cl_long.toLong(), Pointer.to(longArrayOf(origin.offset()))))
        checked(CL.clSetKernelArgSVMPointer(kernel, 2, Jocl.pointers(delay)[1]))
        checked(CL.clSetKernelArg(kernel, 3, Sizeof.cl_long.toLong(), Pointer.to(longArrayOf(delay.offset()))))
        checked(CL.clSetKernelArgSVMPointer(kernel, 4, Jocl.pointer(counts)))
        val rows = longArrayOf(batch.length())
        checked(CL.clEnqueueNDRangeKernel(Jocl.commandQueue(stream), kernel, 1, null, rows, null, 0, null, null))
    }

    private fun checked(code: Int) = check(code == CL.CL_SUCCESS) {
        "OpenCL refused the kernel: ${CL.stringFor_errorCode(code)}"
    }

    override fun close() {
        stream.synchronize()
        kernel?.let { CL.clReleaseKernel(it) }
        counts?.close()
        stream.close()
    }

    private companion object {
        val SOURCE = """
            kernel void histogram(global const INDEX *origin, long origin_offset,
                global const long *delay, long delay_offset, global int *counts) {
              size_t row = get_global_id(0);
              long minutes = delay[delay_offset + row] - FIRST_BIN;
              long bin = minutes < 0 ? 0 : min(minutes / BIN_MINUTES, (long) BINS - 1);
              atomic_inc(&counts[origin[origin_offset + row] * BINS + bin]);
            }
        """.trimIndent()
    }
}
