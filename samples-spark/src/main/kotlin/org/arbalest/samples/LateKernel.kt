// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.columns.Column
import org.arbalest.device.opencl.Jocl
import org.arbalest.spark.ColumnTask
import org.jocl.CL
import org.jocl.Pointer
import org.jocl.Sizeof
import org.jocl.cl_kernel
import java.lang.foreign.ValueLayout.JAVA_INT

/** Counts on a task's OpenCL device. Copies and kernels are queued in its stream, while Spark makes the next batch. */
internal class LateKernel(private val task: ColumnTask) : AutoCloseable {
    private val stream = task.stream()
    private val counts = task.memory().allocate(BYTES)
    private val kernel = try {
        zero()
        compile()
    } catch (e: Throwable) {
        counts.close()
        throw e
    }

    /** Pulls and closes all columns, and returns the counts. */
    fun count(columns: RecordBatchReader): IntArray {
        task.onDevice(columns).use { batches -> batches.forEach(::launch) }
        return Devices.cpu().allocate(counts.size()).use { here ->
            stream.copy(counts, here)
            stream.synchronize()
            here.segment().asSlice(0, BYTES).toArray(JAVA_INT)
        }
    }

    private fun zero() = Devices.cpu().allocate(counts.size()).use { zeroes ->
        zeroes.segment().fill(0)
        stream.copy(zeroes, counts)
    }

    private fun launch(batch: RecordBatch) {
        if (batch.length() == 0L) return
        stream.waitFor(batch)
        arguments(0, batch.column("airport"))
        arguments(2, batch.column("delay"))
        checked(CL.clSetKernelArgSVMPointer(kernel, 4, Jocl.pointer(counts)))
        checked(CL.clEnqueueNDRangeKernel(Jocl.commandQueue(stream), kernel, 1, null, longArrayOf(batch.length()), null,
            0, null, null))
        stream.keepAlive(batch)
    }

    private fun arguments(first: Int, column: Column) {
        checked(CL.clSetKernelArgSVMPointer(kernel, first, Jocl.pointers(column)[1]))
        checked(CL.clSetKernelArg(kernel, first + 1, Sizeof.cl_long.toLong(), Pointer.to(longArrayOf(column.offset()))))
    }

    private fun compile(): cl_kernel {
        val program = CL.clCreateProgramWithSource(Jocl.context(task.device()), 1, arrayOf(SOURCE), null, null)
        try {
            checked(CL.clBuildProgram(program, 0, null, "-DLATE_MINUTES=$LATE_MINUTES", null, null))
            return CL.clCreateKernel(program, "late", null)
        } finally {
            CL.clReleaseProgram(program)
        }
    }

    private fun checked(code: Int) = check(code == CL.CL_SUCCESS) {
        "OpenCL refused the kernel: ${CL.stringFor_errorCode(code)}"
    }

    override fun close() {
        stream.synchronize()
        CL.clReleaseKernel(kernel)
        counts.close()
    }

    private companion object {
        const val BYTES = 2L * AIRPORTS * Int.SIZE_BYTES

        val SOURCE = """
            kernel void late(global const int *airport, long airport_offset,
                global const long *delay, long delay_offset, global int *counts) {
              size_t row = get_global_id(0);
              global int *count = counts + 2 * airport[airport_offset + row];
              atomic_inc(count);
              if (delay[delay_offset + row] > LATE_MINUTES) atomic_inc(count + 1);
            }
        """.trimIndent()
    }
}
