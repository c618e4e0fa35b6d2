// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.ArrayData
import org.arbalest.device.Device
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.ArrowDeviceArrayStruct
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.internal.abi.RawArrowDeviceArray
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.CPeer
import org.arbalest.support.PeerMoves
import org.arbalest.support.PeerNodes
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import org.arbalest.testkit.SkipWithout
import org.arbalest.testkit.contract.Held
import org.arbalest.testkit.contract.eventually
import org.jocl.CL
import org.jocl.Pointer
import org.jocl.Sizeof
import org.jocl.cl_mem
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.lang.foreign.ValueLayout.JAVA_LONG

/** The export and import of arrays that have `cl_mem` handles for buffers. */
class MemObjectExportSpec : FunSpec({
    extension(CCompiler.needed)
    extension(SkipWithout.device(DeviceType.OPENCL))
    extension(ResourceCountersExtension)
    extension(UserEvent.opened)

    val device by lazy { OpenClBackend.device }
    val cpu: Device = Devices.cpu()

    lateinit var arena: Arena
    beforeTest { arena = Arena.ofConfined() }
    afterTest { arena.close() }

    fun out(): MemorySegment = arena.allocate(ArrowDeviceArrayStruct.LAYOUT)

    fun release(struct: MemorySegment) = PeerMoves.release(struct, StructKind.DEVICE_ARRAY) shouldBe true

    fun isReleased(struct: MemorySegment) = RawArrowArray.release(struct.address()) == 0L

    fun handle(struct: MemorySegment, child: Long, buffer: Long): cl_mem =
        clMem(RawArrowArray.buffer(RawArrowArray.child(struct.address(), child), buffer))

    fun numbers(rows: Int, count: Int = 1): RecordBatch = BatchBuilder.of(cpu, rows).use { batch ->
        repeat(count) { column -> batch.int64("n$column", LongArray(rows) { it * 10L + column }) }
        batch.build()
    }

    /** Creates an array with one column of int64 in its own allocation, at the byte offset [skipped]. */
    fun column(values: LongArray, skipped: Long = 0): RecordBatch {
        val rows = values.size.toLong()
        val whole = device.allocate(skipped + 8 * rows)
        val buffer = whole.slice(skipped, 8 * rows)
        whole.close()
        cpu.allocate(8 * rows).use { here ->
            MemorySegment.copy(MemorySegment.ofArray(values), 0, here.segment(), 0, 8 * rows)
            device.defaultStream().copy(here, buffer)
            device.defaultStream().synchronize()
        }
        // a library thread releases the source shortly after the copy ends
        eventually("the copy has released its source") { Held.now().waits() == 0L }
        val data = ArrayData.of(rows, 0, listOf(null), listOf(ArrayData.of(rows, 0, listOf(null, buffer))))
        return RecordBatch.of(Schema.of(listOf(Field.of("n", DataType.INT64))), data)
    }

    test("a kernel that takes cl_mem writes the memory of the exported array [OCL-01]") {
        val array = column(LongArray(1000) { it.toLong() })
        val address = array.column("n").bufferAddress(1)
        val out = out()
        OpenCl.exportMemObjects(array, out, device.defaultStream())
        RawArrowDeviceArray.syncEvent(out.address()) shouldBe 0
        RawArrowDeviceArray.deviceType(out.address()) shouldBe DeviceType.OPENCL.code()
        val memory = handle(out, 0, 1)
        memory.nativePointer shouldNotBe address
        memory.info(CL.CL_MEM_SIZE) shouldBe 8000
        memory.info(MEM_HOST_PTR) shouldBe address
        addTo(device, memory, rows = 1000, add = 5)
        DeviceBuffer.wrap(device, address, 8000) {}.use { it.toLongs() shouldBe LongArray(1000) { i -> i + 5L } }
        release(out)
    }

    test("columns of one allocation are exported as its parts if aligned, else as copies [OCL-01]") {
        val alignment = OpenClProvider.driver(device).device().baseAlignment()
        val batch = numbers(rows = 40, count = 8).use { it.copyTo(device) } // 320 bytes each, at multiples of 64
        batch.synchronize()
        val first = batch.column("n0").bufferAddress(1)
        val addresses = List(8) { batch.column(it).bufferAddress(1) }
        val out = out()
        OpenCl.exportMemObjects(batch, out, device.defaultStream())
        val parts = List(8) { handle(out, it.toLong(), 1) }
        for ((i, part) in parts.withIndex()) {
            withClue("column $i") {
                part.info(CL.CL_MEM_SIZE) shouldBe 320
                val offset = addresses[i] - first
                val whole = part.info(MEM_ASSOCIATED_MEMOBJECT)
                (whole != 0L) shouldBe (offset % alignment == 0L)
                if (whole != 0L) part.info(MEM_OFFSET) shouldBe offset
                read(device, part, 40) shouldBe LongArray(40) { it * 10L + i }
            }
        }
        parts.count { it.info(MEM_ASSOCIATED_MEMOBJECT) != 0L } shouldBe 8 / (alignment / 64).toInt()
        release(out)
        eventually("the copies release the source") { Held.now().arrays() == 0L }
    }

    test("each kind of buffer, whole, sliced and empty, is unchanged after export and import [OCL-01]") {
        everyKind(30).use { batch ->
            for ((from, count) in listOf(0L to 30L, 3L to 20L, 8L to 16L, 29L to 1L, 30L to 0L)) {
                val expected = batch.slice(from, count).use { slice ->
                    List(slice.length().toInt()) { slice.asColumn().get(it.toLong()) }
                }
                batch.slice(from, count).use { it.copyTo(device) }.use { there ->
                    for (source in listOf(there.retain(), there.slice(0, count))) {
                        source.synchronize()
                        val out = out()
                        val schema = arena.allocate(ArrowSchemaStruct.LAYOUT)
                        OpenCl.exportMemObjects(source, out, schema, device.defaultStream())
                        PeerMoves.release(schema, StructKind.SCHEMA) shouldBe true
                        OpenCl.importMemObjects(out, batch.schema(), device.defaultStream()).use { again ->
                            again.copyTo(cpu).use { here ->
                                here.synchronize()
                                List(count.toInt()) { here.asColumn().get(it.toLong()) } shouldBe expected
                            }
                        }
                        isReleased(out) shouldBe true
                    }
                    device.defaultStream().synchronize()
                }
                eventually("every export is released") { Held.now().exports() == 0L }
            }
        }
    }

    test("the export of a slice has the slice's offset, and a handle to the whole buffer [OCL-01]") {
        column(LongArray(100) { it * 2L }).use { array ->
            val out = out()
            OpenCl.exportMemObjects(array.slice(3, 50), out, device.defaultStream())
            RawArrowArray.offset(out.address()) + RawArrowArray.offset(RawArrowArray.child(out.address(), 0)) shouldBe 3
            read(device, handle(out, 0, 1), 53)[3] shouldBe 6
            release(out)
        }
    }

    test("a misaligned buffer is copied after the array's event, and the consumer receives an event [OCL-01]") {
        val array = column(LongArray(50) { it + 1L }, skipped = 8)
        val gate = UserEvent(device)
        device.createStream().use { stream ->
            gate.syncEvent().use(stream::waitFor)
            val out = out()
            OpenCl.exportMemObjects(array, out, stream)
            RawArrowDeviceArray.syncEvent(out.address()) shouldNotBe 0
            val copy = handle(out, 0, 1)
            copy.info(MEM_ASSOCIATED_MEMOBJECT) shouldBe 0
            Held.now().waits() shouldBeGreaterThan 0
            gate.open()
            stream.synchronize()
            read(device, copy, 50) shouldBe LongArray(50) { it + 1L }
            release(out)
        }
        eventually("the copy releases the source") { Held.now().arrays() == 0L }
    }

    test("an array that is not ready is exported with an event; an early release frees it after that event [OCL-01]") {
        val gate = UserEvent(device)
        device.createStream().use { stream ->
            gate.syncEvent().use(stream::waitFor)
            val batch = numbers(64).use { it.copyTo(device, stream) }
            val out = out()
            OpenCl.exportMemObjects(batch, out, stream)
            val event = RawArrowDeviceArray.syncEvent(out.address())
            event shouldNotBe 0
            val kept = handle(out, 0, 1).also { CL.clRetainMemObject(it) }
            release(out)
            kept.info(MEM_REFERENCE_COUNT) shouldBe 2
            gate.open()
            eventually("the export releases the cl_mem") { kept.info(MEM_REFERENCE_COUNT) == 1L }
            CL.clReleaseMemObject(kept)
        }
    }

    test("the array's release releases each cl_mem once, and a retained array keeps the memory [OCL-01]") {
        val array = column(LongArray(10))
        val kept = array.retain()
        val out = out()
        OpenCl.exportMemObjects(array, out, device.defaultStream())
        shouldThrow<IllegalStateException> { array.length() ; array.retain() }
        val memory = handle(out, 0, 1).also { CL.clRetainMemObject(it) }
        release(out)
        memory.info(MEM_REFERENCE_COUNT) shouldBe 1
        CL.clReleaseMemObject(memory)
        kept.column("n").bufferAddress(1) shouldNotBe 0 // the retained handle keeps the memory alive
        Held.now().arrays() shouldBe 1
        kept.close()
    }

    test("a failed export leaves the handle open, and the native structs unchanged [OCL-01, OWN-09]") {
        val array = column(LongArray(10))
        val (out, schema) = out().fill(0x5a) to arena.allocate(ArrowSchemaStruct.LAYOUT).fill(0x5a)
        val before = ResourceCounters.now()
        shouldThrow<DeviceException> { OpenCl.exportMemObjects(array, out, schema, cpu.defaultStream()) }
            .errno() shouldBe Errno.EINVAL
        for (struct in listOf(out, schema)) struct.toArray(JAVA_BYTE).toSet() shouldBe setOf<Byte>(0x5a)
        for (none in listOf(
            MemorySegment.NULL, arena.allocate(64), MemorySegment.ofArray(LongArray(16)), MemorySegment.ofAddress(12),
        )) {
            shouldThrow<IllegalArgumentException> { OpenCl.exportMemObjects(array, none, device.defaultStream()) }
            shouldThrow<IllegalArgumentException> { OpenCl.exportMemObjects(array, out, none, device.defaultStream()) }
        }
        ResourceCounters.now() shouldBe before
        array.close()
        shouldThrow<IllegalStateException> { OpenCl.exportMemObjects(array, out, device.defaultStream()) }
        numbers(3).use { here ->
            shouldThrow<DeviceException> { OpenCl.exportMemObjects(here, out, device.defaultStream()) }
        }
        numbers(3).use { here ->
            shouldThrow<IllegalArgumentException> { OpenCl.exportMemObjects(here, out, cpu.defaultStream()) }
        }
    }

    test("a cl_mem over shared virtual memory is imported in place, and kept until its last slice closes [OCL-02]") {
        val array = column(LongArray(20) { it * 3L })
        val address = array.column("n").bufferAddress(1)
        val field = array.schema()
        val out = out()
        OpenCl.exportMemObjects(array, out, device.defaultStream())
        val again = OpenCl.importMemObjects(out, field, device.defaultStream())
        again.isReady shouldBe true
        again.asRecordBatch().column("n").bufferAddress(1) shouldBe address
        Held.now().exports() shouldBe 1
        val slice = again.slice(2, 3)
        again.close()
        Held.now().exports() shouldBe 1
        slice.close()
        Held.now().exports() shouldBe 0
    }

    test("the platform's address of a foreign cl_mem's part is used without a copy [OCL-02]") {
        val svm = CL.clSVMAlloc(Jocl.context(device), CL.CL_MEM_READ_WRITE, 4096, 0)
        val whole =
            CL.clCreateBuffer(Jocl.context(device), CL.CL_MEM_READ_WRITE or CL.CL_MEM_USE_HOST_PTR, 4096, svm, null)
        val region = org.jocl.cl_buffer_region(1024, 80)
        val part = CL.clCreateSubBuffer(whole, CL.CL_MEM_READ_WRITE, CL.CL_BUFFER_CREATE_TYPE_REGION, region, null)
        val array = arena.allocate(ArrowArrayStruct.LAYOUT)
        PeerNodes.array(array, length = 10, buffers = 1, children = 1)
        val child = MemorySegment.ofAddress(RawArrowArray.child(array.address(), 0)).reinterpret(RawArrowArray.SIZE)
        PeerNodes.array(child, length = 10, buffers = 2)
        PeerNodes.setForeignBuffer(child, 1, MemorySegment.ofAddress(part.nativePointer))
        val struct = out().also { PeerNodes.deviceArray(it, array, 0, 4, MemorySegment.NULL) }
        OpenCl.importMemObjects(struct, Schema.of(listOf(Field.of("n", DataType.INT64))), device.defaultStream()).use {
            it.asRecordBatch().column("n").bufferAddress(1) shouldBe svm.nativePointer + 1024
            CPeer.counts().arrays shouldBe 2
        }
        CPeer.counts().arrays shouldBe 0
        // The export uses a buffer at the allocation's start in place. It copies the inner buffer, as the start of that
        // buffer's allocation is unknown.
        DeviceBuffer.wrap(device, svm.nativePointer, 4096) {}.let { theirs ->
            val data = ArrayData.of(10, 0, listOf(null), listOf(ArrayData.of(10, 0, listOf(null, theirs.slice(0, 80))),
                ArrayData.of(10, 0, listOf(null, theirs.slice(1024, 80)))))
            theirs.close()
            val out = out()
            OpenCl.exportMemObjects(
                RecordBatch.of(Schema.of(Field.of("a", DataType.INT64), Field.of("b", DataType.INT64)), data),
                out,
                device.defaultStream(),
            )
            handle(out, 0, 1).info(MEM_HOST_PTR) shouldBe svm.nativePointer
            handle(out, 1, 1).info(MEM_HOST_PTR) shouldBe 0
            release(out)
        }
        device.defaultStream().synchronize()
        eventually("the copy releases the source") { Held.now().buffers() == 0L }
        listOf(part, whole).forEach { CL.clReleaseMemObject(it) }
        CL.clSVMFree(Jocl.context(device), svm)
    }

    test("an imported array without rows may have NULL buffers, and can be copied [OCL-02]") {
        val array = arena.allocate(ArrowArrayStruct.LAYOUT)
        PeerNodes.array(array, length = 0, buffers = 1, children = 1)
        val child = MemorySegment.ofAddress(RawArrowArray.child(array.address(), 0)).reinterpret(RawArrowArray.SIZE)
        PeerNodes.array(child, length = 0, buffers = 3)
        val struct = out().also { PeerNodes.deviceArray(it, array, 0, 4, MemorySegment.NULL) }
        OpenCl.importMemObjects(struct, Schema.of(listOf(Field.of("t", DataType.UTF8))), device.defaultStream())
            .use { empty ->
                empty.copyTo(cpu).use { it.synchronize(); it.length() shouldBe 0 }
            }
        CPeer.counts().arrays shouldBe 0
    }

    test("an import rejects an invalid event without querying it, and releases the array [OCL-03]") {
        val nonsense = listOf(0L, 0x10L, arena.allocate(64).address(), OpenCl.context(device) + 8)
        for (event in nonsense.drop(1)) {
            val svm = device.allocate(8)
            val array = arena.allocate(ArrowArrayStruct.LAYOUT)
            PeerNodes.array(array, length = 0, buffers = 1, children = 0)
            val cell = arena.allocateFrom(JAVA_LONG, event)
            val struct = out().also { PeerNodes.deviceArray(it, array, 0, 4, cell) }
            val error = shouldThrow<DeviceException> {
                CData.importArray(struct, CImport.DEVICE.schema(Schema.of(listOf<Field>())))
            }
            error.errno() shouldBe Errno.EINVAL
            error.message shouldContain "0x${event.toString(16)}, which is not an event of the platform of OPENCL:0"
            CPeer.counts().arrays shouldBe 0
            val again = arena.allocate(ArrowArrayStruct.LAYOUT).also {
                PeerNodes.array(it, length = 0, buffers = 1, children = 0)
            }
            val declared = out().also { PeerNodes.deviceArray(it, again, 0, 4, cell) }
            shouldThrow<DeviceException> {
                OpenCl.importMemObjects(declared, Schema.of(listOf<Field>()), device.defaultStream())
            }.message shouldContain "not an event"
            CPeer.counts().arrays shouldBe 0
            svm.close()
        }
    }
})

private const val MEM_HOST_PTR = 0x1103
private const val MEM_REFERENCE_COUNT = 0x1105
private const val MEM_ASSOCIATED_MEMOBJECT = 0x1107
private const val MEM_OFFSET = 0x1108

internal fun clMem(handle: Long): cl_mem = cl_mem().also {
    val field = org.jocl.NativePointerObject::class.java.getDeclaredField("nativePointer")
    field.isAccessible = true
    field.setLong(it, handle)
}

internal fun cl_mem.info(what: Int): Long {
    val value = LongArray(1)
    CL.clGetMemObjectInfo(this, what, if (what == MEM_REFERENCE_COUNT) 4 else 8, Pointer.to(value), null) shouldBe
        CL.CL_SUCCESS
    return value[0]
}

internal fun read(device: Device, memory: cl_mem, count: Int): LongArray = LongArray(count).also {
    CL.clEnqueueReadBuffer(Jocl.commandQueue(device.defaultStream()), memory, true, 0, 8L * count, Pointer.to(it), 0,
        null, null) shouldBe CL.CL_SUCCESS
}

private fun DeviceBuffer.toLongs(): LongArray = copyTo(Devices.cpu().memory()).use { it.segment().toArray(JAVA_LONG) }

/** Runs a kernel that adds to each number of a `cl_mem`, and waits for it. */
private fun addTo(device: Device, memory: cl_mem, rows: Long, add: Long) {
    val source = "kernel void add(global long *n, long add) { n[get_global_id(0)] += add; }"
    val program = CL.clCreateProgramWithSource(Jocl.context(device), 1, arrayOf(source), null, null)
    CL.clBuildProgram(program, 0, null, null, null, null) shouldBe CL.CL_SUCCESS
    val kernel = CL.clCreateKernel(program, "add", null)
    CL.clSetKernelArg(kernel, 0, Sizeof.cl_mem.toLong(), Pointer.to(memory)) shouldBe CL.CL_SUCCESS
    CL.clSetKernelArg(kernel, 1, Sizeof.cl_long.toLong(), Pointer.to(longArrayOf(add)))
    val queue = Jocl.commandQueue(device.defaultStream())
    CL.clEnqueueNDRangeKernel(queue, kernel, 1, null, longArrayOf(rows), null, 0, null, null) shouldBe CL.CL_SUCCESS
    CL.clFinish(queue)
    CL.clReleaseKernel(kernel)
    CL.clReleaseProgram(program)
}

/**
 * Creates a batch in main memory with buffers of each kind: bitmaps, values, offsets, text, views and their data, type
 * ids, sizes, run ends, dictionaries.
 */
internal fun everyKind(rows: Int): RecordBatch = BatchBuilder.of(Devices.cpu(), rows).use { batch ->
    val item = Field.of("item", DataType.UTF8)
    val long = batch.column(Field.of("long", DataType.INT64))
    val bool = batch.column(Field.of("bool", DataType.BOOL))
    val text = batch.column(Field.of("text", DataType.UTF8))
    val view = batch.column(Field.of("view", DataType.UTF8_VIEW))
    val list = batch.column(Field.of("list", DataType.list(item)))
    val views = batch.column(Field.of("views", DataType.listView(item)))
    val struct = batch.column(Field.of("struct", DataType.struct(Field.of("x", DataType.INT32))))
    val word = batch.column(Field.of("word", DataType.dictionary(DataType.INT8, DataType.UTF8)))
    val union = batch.column(
        Field.of("union", DataType.denseUnion(Field.of("n", DataType.INT16), Field.of("t", DataType.UTF8))),
    )
    val runs = batch.column(Field.of("runs", DataType.runEndEncoded(DataType.INT32, Field.of("values", DataType.UTF8))))
    val nothing = batch.column(Field.of("nothing", DataType.NULL))
    for (row in 0 until rows) {
        val isNull = row % 4 == 3
        if (isNull) long.appendNull() else long.append(row * 7L)
        bool.append(row % 3 == 0)
        if (isNull) text.appendNull() else text.append("text $row")
        if (isNull) view.appendNull()
        else view.append(if (row % 2 == 0) "v$row" else "a text that is too long for a view, $row")
        for (lists in listOf(list, views)) {
            lists.appendList(row % 3)
            repeat(row % 3) { lists.items().append("item $row.$it") }
        }
        struct.child(0).append(row.toLong())
        struct.appendStruct()
        word.append("word ${row % 5}")
        union.appendUnion(row % 2)
        if (row % 2 == 0) union.child(0).append(row.toLong()) else union.child(1).append("u$row")
        runs.append("run ${row / 4}")
        nothing.appendNull()
    }
    batch.build()
}
