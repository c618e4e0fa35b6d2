// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceStream
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.SkipWithout
import org.arbalest.testkit.contract.eventually
import org.jocl.CL
import org.jocl.Pointer
import org.jocl.Sizeof
import org.jocl.cl_command_queue
import org.jocl.cl_context
import org.jocl.cl_context_properties
import org.jocl.cl_event
import org.jocl.cl_queue_properties
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.util.concurrent.atomic.AtomicInteger

/** The exchange of OpenCL objects with JOCL, and a JOCL kernel that reads the library's columns. */
class JoclEngineSpec : FunSpec({
    extension(SkipWithout.device(DeviceType.OPENCL))
    extension(ResourceCountersExtension)
    extension(UserEvent.opened)

    val device by lazy { OpenClBackend.device }
    val cpu = Devices.cpu()

    fun otherContext(): cl_context =
        CL.clCreateContext(cl_context_properties(), 1, arrayOf(Jocl.deviceId(device)), null, null, null)

    fun queue(context: cl_context, properties: Long = 0): cl_command_queue {
        val list = cl_queue_properties().apply {
            if (properties != 0L) addProperty(CL.CL_QUEUE_PROPERTIES.toLong(), properties)
        }
        return CL.clCreateCommandQueueWithProperties(context, Jocl.deviceId(device), list, null)
    }

    /** Queues `out[i] = in[i] + add`, once for each row. */
    fun addTo(stream: DeviceStream, input: Pointer, output: Pointer, rows: Long, add: Long) {
        val source = "kernel void add(global const long *in, global long *out, long n) { size_t i = " +
            "get_global_id(0); out[i] = in[i] + n; }"
        val program = CL.clCreateProgramWithSource(Jocl.context(device), 1, arrayOf(source), null, null)
        CL.clBuildProgram(program, 0, null, null, null, null) shouldBe CL.CL_SUCCESS
        val kernel = CL.clCreateKernel(program, "add", null)
        CL.clSetKernelArgSVMPointer(kernel, 0, input) shouldBe CL.CL_SUCCESS
        CL.clSetKernelArgSVMPointer(kernel, 1, output) shouldBe CL.CL_SUCCESS
        CL.clSetKernelArg(kernel, 2, Sizeof.cl_long.toLong(), Pointer.to(longArrayOf(add)))
        CL.clEnqueueNDRangeKernel(Jocl.commandQueue(stream), kernel, 1, null, longArrayOf(rows), null, 0, null,
            null) shouldBe CL.CL_SUCCESS
        CL.clReleaseKernel(kernel)
        CL.clReleaseProgram(program)
    }

    test("a kernel reads a column after its array's event, and the result is an array with its own event") {
        val rows = 10_000
        device.createStream().use { loading ->
            device.createStream().use { computing ->
                val gate = UserEvent(device)
                gate.syncEvent().use(loading::waitFor)
                val numbers = BatchBuilder.of(cpu, rows).use {
                    it.int64("n", LongArray(rows) { i -> i.toLong() }).build()
                }.use { it.copyTo(device, loading) }
                val out = device.allocate(8L * rows)
                computing.waitFor(numbers)
                addTo(computing, Jocl.pointers(numbers.column("n"))[1]!!, Jocl.pointer(out), rows.toLong(), add = 7)
                computing.keepAlive(numbers)
                numbers.close()
                val data = ArrayData.of(rows.toLong(), 0, listOf(null),
                    listOf(ArrayData.of(rows.toLong(), 0, listOf(null, out))))
                val sums = RecordBatch.of(Schema.of(listOf(Field.of("sum", DataType.INT64))), data, computing)
                sums.isReady shouldBe false
                val back = sums.use { it.copyTo(cpu, computing) }
                gate.open()
                back.use {
                    it.synchronize()
                    it.column("sum").toLongArray() shouldBe LongArray(rows) { i -> i + 7L }
                }
            }
        }
    }

    test("a JOCL queue is wrapped as a stream, and JOCL still owns the queue") {
        val queue = queue(Jocl.context(device))
        Jocl.stream(device, queue).use { stream ->
            Jocl.commandQueue(stream).nativePointer shouldBe queue.nativePointer
            BatchBuilder.of(cpu, 1).use {
                it.int64("n", longArrayOf(41)).build()
            }.use { it.copyTo(device, stream) }.use { there ->
                there.copyTo(cpu, stream).use {
                    it.synchronize()
                    it.column("n").getLong(0) shouldBe 41
                }
            }
        }
        CL.clFinish(queue) shouldBe CL.CL_SUCCESS
        CL.clReleaseCommandQueue(queue) shouldBe CL.CL_SUCCESS
    }

    test("a queue of another context, or an out-of-order queue, is rejected as a stream, also by its handle [OCL-07]") {
        val context = otherContext()
        val foreign = queue(context)
        val wild = queue(Jocl.context(device), CL.CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        shouldThrow<DeviceException> { Jocl.stream(device, foreign) }.message shouldContain "belongs to the context 0x"
        shouldThrow<DeviceException> { Jocl.stream(device, wild) }.message shouldContain "out of order"
        shouldThrow<DeviceException> { device.wrapStream(foreign.nativePointer) }.message shouldContain
            "belongs to the context 0x"
        shouldThrow<DeviceException> { device.wrapStream(wild.nativePointer) }.message shouldContain "out of order"
        CL.clReleaseCommandQueue(foreign)
        CL.clReleaseCommandQueue(wild)
        CL.clReleaseContext(context)
    }

    test("an event passes to JOCL and from JOCL, and both sides release it") {
        device.createStream().use { stream ->
            val gate = UserEvent(device)
            gate.syncEvent().use { mine ->
                mine.isReady shouldBe false
                stream.waitFor(mine)
                stream.record().use { end ->
                    val theirs = Jocl.event(end)
                    theirs.nativePointer shouldBe end.handle()
                    val status = ByteBuffer.allocateDirect(4).order(ByteOrder.nativeOrder())
                    CL.clGetEventInfo(theirs, CL.CL_EVENT_COMMAND_EXECUTION_STATUS, 4, Pointer.to(status),
                        null) shouldBe CL.CL_SUCCESS
                    (status.getInt(0) > CL.CL_COMPLETE) shouldBe true
                    gate.open()
                    CL.clWaitForEvents(1, arrayOf(theirs)) shouldBe CL.CL_SUCCESS
                    end.isReady shouldBe true
                    mine.isReady shouldBe true
                }
            }
        }
    }

    test("an event of another context is rejected with both contexts named, and its owner keeps it [DEV-06]") {
        val context = otherContext()
        val event = CL.clCreateUserEvent(context, null)
        val error = shouldThrow<DeviceException> { Jocl.syncEvent(device, event) }
        error.errno() shouldBe Errno.EINVAL
        error.message shouldContain "belongs to the context 0x${context.nativePointer.toString(16)}"
        error.message shouldContain "0x${OpenCl.context(device).toString(16)}"
        CL.clSetUserEventStatus(event, CL.CL_COMPLETE) shouldBe CL.CL_SUCCESS
        CL.clReleaseEvent(event)
        CL.clReleaseContext(context)
    }

    test("JOCL memory is wrapped as a buffer, and freed once after its last use") {
        val pointer = CL.clSVMAlloc(Jocl.context(device), CL.CL_MEM_READ_WRITE, 64, 0)
        val freed = AtomicInteger()
        val buffer = Jocl.buffer(device, pointer, 64) {
            CL.clSVMFree(Jocl.context(device), pointer)
            freed.incrementAndGet()
        }
        buffer.address() shouldBe pointer.nativePointer
        Jocl.pointer(buffer).nativePointer shouldBe buffer.address()
        shouldThrow<IllegalArgumentException> { Jocl.buffer(device, pointer.withByteOffset(16), 48) {} }
        cpu.allocate(48).use { source -> source.segment().fill(3).let { device.defaultStream().copy(source, buffer) } }
        buffer.close()
        device.defaultStream().synchronize()
        eventually("JOCL's memory is freed") { freed.get() != 0 }
        shouldThrow<IllegalArgumentException> { Jocl.buffer(device, Pointer.to(IntArray(4)), 16) {} }
            .message shouldContain "no native pointer"
        shouldThrow<IllegalArgumentException> { Jocl.syncEvent(device, cl_event()) }.message shouldContain
            "cl_event has no native pointer"
    }

    test("a column's JOCL pointers are its buffers' addresses, and null for a missing buffer") {
        BatchBuilder.of(cpu, 3).use {
            it.int64("n", longArrayOf(1, 2, 3)).utf8("t", listOf("a", null, "c")).build()
        }.use { it.copyTo(device) }.use { batch ->
            Jocl.pointers(batch.column("n")).map { it?.nativePointer } shouldContainExactly
                listOf(null, batch.column("n").bufferAddress(1))
            Jocl.pointers(batch.column("t")).map { it?.nativePointer } shouldContainExactly List(3) {
                batch.column("t").bufferAddress(it)
            }
        }
    }

    test("a call for the raw handles of another kind of device is rejected") {
        for (call in listOf<() -> Any>(
            { OpenCl.context(cpu) }, { Jocl.context(cpu) }, { Jocl.commandQueue(cpu.defaultStream()) },
        )) {
            shouldThrow<IllegalArgumentException> { call() }.message shouldContain "CPU is not an OpenCL device"
        }
    }
})
