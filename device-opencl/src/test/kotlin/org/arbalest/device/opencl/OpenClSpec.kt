// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainOnly
import io.kotest.matchers.collections.shouldNotBeEmpty
import io.kotest.matchers.ints.shouldBeGreaterThanOrEqual
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import kotlinx.coroutines.CoroutineStart.UNDISPATCHED
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.runBlocking
import org.arbalest.coroutines.await
import org.arbalest.device.Availability
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.ArrowDeviceArrayStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.spi.Completion
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.CPeer
import org.arbalest.support.PeerNodes
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.SkipWithout
import org.arbalest.testkit.contract.Held
import org.arbalest.testkit.contract.eventually
import org.jocl.CL
import org.jocl.Pointer
import org.jocl.cl_context
import org.jocl.cl_context_properties
import org.jocl.cl_mem
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.lang.invoke.MethodHandles
import java.lang.invoke.MethodType
import java.util.concurrent.atomic.AtomicInteger

/** OpenCL's own behaviour: the devices found, the rejected arrays, and declared memory objects. */
class OpenClSpec : FunSpec({
    extension(CCompiler.needed)
    extension(SkipWithout.device(DeviceType.OPENCL))
    extension(ResourceCountersExtension)
    extension(UserEvent.opened)

    val device by lazy { OpenClBackend.device }

    lateinit var arena: Arena
    beforeTest { arena = Arena.ofConfined() }
    afterTest { arena.close() }

    val ids = Schema.of(listOf(Field.of("id", DataType.INT64)))

    /** Creates a native record batch on the OpenCL device, with one column of these buffers. */
    fun foreign(
        rows: Long,
        buffers: List<Long>,
        event: MemorySegment = MemorySegment.NULL,
        deviceId: Long = 0,
    ): MemorySegment {
        val array = arena.allocate(ArrowArrayStruct.LAYOUT)
        PeerNodes.array(array, length = rows, buffers = 1, children = 1)
        val child = MemorySegment.ofAddress(RawArrowArray.child(array.address(), 0)).reinterpret(RawArrowArray.SIZE)
        PeerNodes.array(child, length = rows, buffers = buffers.size.toLong())
        buffers.forEachIndexed { i, it -> PeerNodes.setForeignBuffer(child, i.toLong(), MemorySegment.ofAddress(it)) }
        return arena.allocate(ArrowDeviceArrayStruct.LAYOUT).also {
            PeerNodes.deviceArray(it, array, deviceId, 4, event)
        }
    }

    /** Allocates memory of the device that begins with the word [first] and is otherwise zero. */
    fun svm(bytes: Long, first: Long = 0): DeviceBuffer = Devices.cpu().allocate(bytes).use { source ->
        source.segment().fill(0).set(JAVA_LONG, 0, first)
        source.copyTo(device.memory())
    }

    fun memObject(content: LongArray, context: cl_context = Jocl.context(device)): cl_mem =
        CL.clCreateBuffer(context, CL.CL_MEM_READ_WRITE or CL.CL_MEM_COPY_HOST_PTR, 8L * content.size,
            Pointer.to(content), null)

    fun otherContext(): cl_context =
        CL.clCreateContext(cl_context_properties(), 1, arrayOf(Jocl.deviceId(device)), null, null, null)

    test("the status has one descriptive line for each device [DEV-13]") {
        val found = Devices.status().single { it.type() == DeviceType.OPENCL }
        found.descriptions().shouldNotBeEmpty()
        found.descriptions().forEach { it shouldContain "shared virtual memory" }
        (found.availability() as Availability.Ready).devices() shouldBe found.descriptions().size
    }

    test("the reason names a library that is missing, or the function that a library lacks [DEV-13]") {
        ClLibrary.missing(listOf("libNoSuchOpenCL.so.1", "NoOpenCL.dll")) shouldBe
            "no OpenCL library was found; looked for libNoSuchOpenCL.so.1, NoOpenCL.dll"
        ClLibrary.missing(listOf("libc.so.6")) shouldContain
            "libc.so.6 has no function clSVMAlloc; OpenCL 2.0 is needed"
        ClLibrary.missing().shouldBeNull()
    }

    test("an allocation above the device's limit fails before any OpenCL call, with both numbers [DEV-14]") {
        val largest = OpenClProvider.driver(device).device().largestAllocation()
        val error = shouldThrow<DeviceException> { device.allocate(largest + 1) }
        error.errno() shouldBe Errno.ENOMEM
        error.message shouldContain
            "asked for ${largest + 1} bytes, but the largest allocation is $largest (CL_DEVICE_MAX_MEM_ALLOC_SIZE)"
    }

    test(
        "a completion may release its event before onComplete returns, as the failure watcher has its own reference " +
            "[DEV-24]",
    ) {
        val driver = OpenClProvider.driver(device)
        val queue = driver.createQueue()
        val event = driver.record(queue)
        driver.synchronizeEvent(event)
        eventually("PoCL has released the event as well") { !driver.device().isPocl || driver.references(event) == 1 }
        val callback = CountingCallback(driver, arena)
        driver.onComplete(event, callback)
        eventually("OpenCL calls the callback") { callback.references.get() != 0 }
        // a later PoCL also has a reference during the callback
        if (driver.device().isPocl) callback.references.get() shouldBeGreaterThanOrEqual 2
        eventually("the watcher has called the completion and released the event") {
            !driver.device().isPocl || (callback.calls.get() == 1 && driver.references(event) == 1)
        }
        driver.destroyEvent(event)
        driver.destroyQueue(queue)
    }

    test("an OpenCL error names the call, the device, the code and its number, and the arguments [DEV-14]") {
        val driver = OpenClProvider.driver(device)
        val queue = driver.createQueue()
        val error = shouldThrow<DeviceException> { driver.copy(queue, 0, 0, 8) }
        error.message shouldBe
            "clEnqueueSVMMemcpy on OPENCL:0 failed: CL_INVALID_VALUE (-30), asked for 8 bytes from 0x0 to 0x0"
        error.errno() shouldBe Errno.EINVAL
        driver.destroyQueue(queue)
        ClErrors.describe(-1001) shouldBe "CL_PLATFORM_NOT_FOUND_KHR (-1001)"
        ClErrors.describe(-9999) shouldBe "unknown code (-9999)"
    }

    test("an import rejects an undeclared cl_mem, and releases the array [DEV-12]") {
        val memory = memObject(longArrayOf(1))
        val error = shouldThrow<DeviceException> {
            CData.importArray(foreign(1, listOf(0, memory.nativePointer)), CImport.DEVICE.schema(ids))
        }
        error.errno() shouldBe Errno.EINVAL
        error.message shouldContain "0x${memory.nativePointer.toString(16)} is a cl_mem"
        error.message shouldContain "OpenCl.importMemObjects"
        CPeer.counts().arrays shouldBe 0
        CL.clReleaseMemObject(memory)
    }

    test("an import keeps any shared virtual address, and reads nothing at an unreadable one [DEV-12]") {
        device.allocate(4096).use { svm ->
            for (address in listOf(svm.address(), svm.address() + 8, 0x10L, 0x7FFF_FFFF_F000L, -8L)) {
                CData.importBatch(foreign(0, listOf(0, address)), CImport.DEVICE.schema(ids)).use {
                    it.column("id").bufferAddress(1) shouldBe address
                }
            }
        }
    }

    test("shared virtual memory that begins like an OpenCL object is imported as memory [DEV-12]") {
        val dispatch = MemorySegment.ofAddress(OpenCl.context(device)).reinterpret(8).get(JAVA_LONG, 0)
        svm(4096, dispatch).use { svm ->
            CData.importArray(foreign(1, listOf(0, svm.address())), CImport.DEVICE.schema(ids)).close()
            val error = shouldThrow<DeviceException> {
                OpenCl.importMemObjects(foreign(1, listOf(0, svm.address())), ids, device.defaultStream())
            }
            error.message shouldContain "is declared as a cl_mem"
        }
    }

    test("declared cl_mem handles are copied after the array's event, and the struct is then released [DEV-12]") {
        val content = LongArray(5000) { it * 7L }
        val memory = memObject(content)
        val gate = UserEvent(device)
        val cell = arena.allocateFrom(JAVA_LONG, gate.event.nativePointer)
        device.createStream().use { stream ->
            OpenCl.importMemObjects(foreign(5000, listOf(0, memory.nativePointer), cell), ids, stream).use { array ->
                array.isReady shouldBe false
                CPeer.counts().arrays shouldBe 2
                gate.open()
                array.copyTo(Devices.cpu(), stream).use {
                    it.synchronize()
                    it.asRecordBatch().column("id").toLongArray() shouldBe content
                }
            }
            stream.synchronize()
        }
        eventually("the C peer has released all arrays") { CPeer.counts().arrays == 0L }
        CL.clReleaseMemObject(memory)
    }

    test("an import rejects an invalid declared cl_mem or one of another context, and releases the array [DEV-12]") {
        val context = otherContext()
        val foreignMemory = memObject(longArrayOf(1), context)
        svm(64).use { svm ->
            for ((address, words) in listOf(
                svm.address() to "is declared as a cl_mem", foreignMemory.nativePointer to "belongs to the context",
            )) {
                val error = shouldThrow<DeviceException> {
                    OpenCl.importMemObjects(foreign(1, listOf(0, address)), ids, device.defaultStream())
                }
                error.message shouldContain words
                CPeer.counts().arrays shouldBe 0
            }
            val elsewhere = foreign(1, listOf(0, svm.address()), deviceId = 3)
            shouldThrow<DeviceException> { OpenCl.importMemObjects(elsewhere, ids, device.defaultStream()) }
                .message shouldContain "OPENCL:3"
        }
        for (none in listOf(
            MemorySegment.NULL, arena.allocate(64), MemorySegment.ofArray(LongArray(16)), MemorySegment.ofAddress(12),
        )) {
            shouldThrow<IllegalArgumentException> { OpenCl.importMemObjects(none, ids, device.defaultStream()) }
        }
        val wrongSchema = Schema.of(Field.of("a", DataType.INT64), Field.of("b", DataType.UTF8))
        val memory = memObject(longArrayOf(1))
        shouldThrow<DeviceException> {
            OpenCl.importMemObjects(foreign(1, listOf(0, memory.nativePointer)), wrongSchema, device.defaultStream())
        }
        CPeer.counts().arrays shouldBe 0
        listOf(memory, foreignMemory).forEach { CL.clReleaseMemObject(it) }
        CL.clReleaseContext(context)
    }

    test("an import rejects an event of another context, and releases the array [DEV-06]") {
        val context = otherContext()
        val event = CL.clCreateUserEvent(context, null)
        device.allocate(8).use { svm ->
            val array = foreign(1, listOf(0, svm.address()), arena.allocateFrom(JAVA_LONG, event.nativePointer))
            val error = shouldThrow<DeviceException> { CData.importArray(array, CImport.DEVICE.schema(ids)) }
            error.message shouldContain "its sync_event belongs to the context 0x${context.nativePointer.toString(16)}"
            CPeer.counts().arrays shouldBe 0
        }
        CL.clReleaseEvent(event)
        CL.clReleaseContext(context)
    }

    test("at most two library threads wait for two thousand events, of which half are cancelled") {
        val gate = UserEvent(device)
        val done = AtomicInteger()
        device.createStream().use { stream ->
            gate.syncEvent().use(stream::waitFor)
            runBlocking(Dispatchers.Default) {
                val waits = List(2_000) {
                    val event = stream.record()
                    async(start = UNDISPATCHED) {
                        event.use { it.await() }
                        done.incrementAndGet()
                    }
                }
                Held.now().waits() shouldBe 2_000
                waits.filterIndexed { i, _ -> i % 2 == 0 }.forEach { it.cancel() }
                done.get() shouldBe 0
                gate.open()
                waits.filterIndexed { i, _ -> i % 2 == 1 }.awaitAll()
            }
            done.get() shouldBe 1_000
            libraryThreads().shouldContainOnly("arbalest-events", "arbalest-opencl-failures")
            stream.synchronize()
        }
    }
})

/** Returns the names of the library's waiting threads, without the release thread, which copies may start. */
private fun libraryThreads(): List<String> =
    Thread.getAllStackTraces().keys.map { it.name }.filter { it.startsWith("arbalest-") && it != "arbalest-releases" }

/** Returns the event's `CL_EVENT_REFERENCE_COUNT`. */
private fun OpenClDriver.references(event: Long): Int = Arena.ofConfined().use { arena ->
    val count = arena.allocate(JAVA_INT)
    check(Cl.getEventInfo(event, 0x11D2, 4, count.address()), "clGetEventInfo")
    count.get(JAVA_INT, 0)
}

/** A completion that records the event's reference count when OpenCL calls its callback. */
private class CountingCallback(private val driver: OpenClDriver, arena: Arena) : Completion {
    val references = AtomicInteger()
    val calls = AtomicInteger()
    private val stub = MethodHandles.lookup()
        .bind(this, "called", MethodType.methodType(Void.TYPE, Long::class.java, Int::class.java, Long::class.java))
        .let {
            Linker.nativeLinker()
                .upcallStub(it, FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_LONG), arena).address()
        }

    @Suppress("unused") // the stub calls it
    private fun called(event: Long, status: Int, userData: Long) =
        references.set(if (status == 0 && userData == 1L) driver.references(event) else -1)

    override fun complete() {
        calls.incrementAndGet()
    }

    override fun userData() = 1L

    override fun hostFunction() = 0L

    override fun eventCallback() = stub
}
