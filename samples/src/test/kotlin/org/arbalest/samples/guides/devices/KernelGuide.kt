// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.devices

import org.arbalest.coroutines.await
import org.arbalest.device.*
import org.arbalest.device.opencl.Jocl
import org.jocl.CL
import org.jocl.Pointer
import org.jocl.cl_kernel

// The kernel of docs/guides/devices.md: an input column to an output array, on an OpenCL device, by JOCL.

const val SCALE = """
    kernel void scale(global const long *from, global long *to, long factor) {
        size_t i = get_global_id(0); // starts at the array's offset
        to[i] = from[i] * factor;
    }
"""

fun compile(device: Device, source: String, name: String): cl_kernel {
    val program = CL.clCreateProgramWithSource(Jocl.context(device), 1, arrayOf(source), null, null)
    try {
        checked(CL.clBuildProgram(program, 0, null, null, null, null))
        val code = IntArray(1)
        return CL.clCreateKernel(program, name, code).also { checked(code[0]) }
    } finally {
        CL.clReleaseProgram(program)
    }
}

fun scaled(batch: RecordBatch, kernel: cl_kernel, factor: Long, stream: DeviceStream): DeviceArray =
    batch.retainChild(0).use { column ->
        ArrayData.of(column).use { input ->
            stream.device().allocate(8 * (input.offset() + input.length())).use { output ->
                stream.waitFor(batch)
                launch(kernel, input, output, factor, stream)
                stream.keepAlive(batch)
                stream.keepAlive(output)
                val buffers = listOf(input.buffers()[0], output)
                val data = ArrayData(input.length(), input.nullCount(), input.offset(), buffers, listOf(), null)
                DeviceArray.of(column.field(), data, stream)
            }
        }
    }

fun launch(kernel: cl_kernel, input: ArrayData, output: DeviceBuffer, factor: Long, stream: DeviceStream) {
    if (input.length() == 0L) return
    checked(CL.clSetKernelArgSVMPointer(kernel, 0, Jocl.pointer(input.buffers()[1]!!)))
    checked(CL.clSetKernelArgSVMPointer(kernel, 1, Jocl.pointer(output)))
    checked(CL.clSetKernelArg(kernel, 2, 8, Pointer.to(longArrayOf(factor))))
    val first = longArrayOf(input.offset())
    val rows = longArrayOf(input.length())
    checked(CL.clEnqueueNDRangeKernel(Jocl.commandQueue(stream), kernel, 1, first, rows, null, 0, null, null))
}

fun checked(code: Int): Unit = check(code == CL.CL_SUCCESS) { "OpenCL failed: ${CL.stringFor_errorCode(code)}" }

suspend fun doubled(batch: RecordBatch, gpu: Device): List<Any?> = gpu.createStream().use { stream ->
    val kernel = compile(gpu, SCALE, "scale")
    try {
        batch.copyTo(gpu, stream).use { scaled(it, kernel, 2, stream) }.use { result ->
            result.copyTo(Devices.cpu(), stream).use { back ->
                back.await() // the kernel and both copies are done
                back.asColumn().toList()
            }
        }
    } finally {
        CL.clReleaseKernel(kernel)
    }
}
