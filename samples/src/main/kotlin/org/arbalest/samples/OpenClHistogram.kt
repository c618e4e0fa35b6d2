package org.arbalest.samples

import org.arbalest.coroutines.await
import org.arbalest.coroutines.get
import org.arbalest.coroutines.strings
import org.arbalest.device.ArrayData
import org.arbalest.device.DataType.DictionaryType
import org.arbalest.device.DataType.FixedSizeListType
import org.arbalest.device.DataTypes
import org.arbalest.device.Device
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.Devices
import org.arbalest.device.Field
import org.arbalest.device.Schema
import org.arbalest.device.opencl.Jocl
import org.jocl.CL
import org.jocl.Pointer
import org.jocl.Sizeof
import org.jocl.cl_kernel

/** Counts on an OpenCL device. Everything is queued in one stream: the copy of a batch, the kernel on it, the copy back of the counts. */
internal class OpenClHistogram(private val device: Device) : AutoCloseable {
    private val stream = device.createStream()
    private var airports = listOf<String>()
    private var kernel: cl_kernel? = null
    private var counts: DeviceBuffer? = null

    /** Queues a batch, which may be closed at once: the copy keeps it, and the kernel keeps the copy. */
    fun add(batch: DeviceArray) {
        if (kernel == null) start(batch)
        batch.copyTo(device, stream).use { there ->
            launch(there, kernel!!, counts!!)
            stream.keepAlive(there)
        }
    }

    /** The counts, which nobody can add to any more. */
    suspend fun counts(): Counts {
        val airports = airports.size.toLong()
        val field = Field.of("delays", FixedSizeListType(Field.of("count", DataTypes.INT32), BINS))
        val numbers = ArrayData.of(airports * BINS, 0, listOf(null, counts ?: return Counts(listOf(), listOf())))
        val lists = ArrayData.of(airports, 0, listOf(null), listOf(numbers))
        val result = DeviceArray.of(Schema.of(listOf(field)), ArrayData.of(airports, 0, listOf(null), listOf(lists)), stream)
        return result.use { it.copyTo(Devices.cpu(), stream) }.use { here ->
            here.await()
            Counts(this.airports, here["delays"].items().toLongArray().map { it.toInt() })
        }
    }

    private fun start(batch: DeviceArray) {
        val origin = batch["origin"]
        airports = origin.dictionary().strings().map { it!! }
        val size = 4L * BINS * airports.size
        counts = device.allocate(size).also { zeroed ->
            Devices.cpu().allocate(size).use { zeroes ->
                zeroes.segment().fill(0)
                stream.copy(zeroes, zeroed)
            }
        }
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

    private fun launch(batch: DeviceArray, kernel: cl_kernel, counts: DeviceBuffer) {
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

    private fun checked(code: Int) = check(code == CL.CL_SUCCESS) { "OpenCL refused the kernel: ${CL.stringFor_errorCode(code)}" }

    override fun close() {
        stream.synchronize()
        kernel?.let { CL.clReleaseKernel(it) }
        counts?.close()
        stream.close()
    }

    private companion object {
        val SOURCE = """
            kernel void histogram(global const INDEX *origin, long origin_offset, global const long *delay, long delay_offset, global int *counts) {
              size_t row = get_global_id(0);
              long minutes = delay[delay_offset + row] - FIRST_BIN;
              long bin = minutes < 0 ? 0 : min(minutes / BIN_MINUTES, (long) BINS - 1);
              atomic_inc(&counts[origin[origin_offset + row] * BINS + bin]);
            }
        """.trimIndent()
    }
}
