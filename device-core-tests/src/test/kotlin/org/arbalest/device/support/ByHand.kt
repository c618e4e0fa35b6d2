// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.support

import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.async.AsyncArrayStream
import org.arbalest.device.async.AsyncQuirk
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.ArrowAsyncHandlerStruct
import org.arbalest.device.c.ArrowAsyncTaskStruct
import org.arbalest.device.c.ArrowDeviceArrayStruct
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.internal.abi.RawArrowAsyncHandler
import org.arbalest.device.internal.abi.RawArrowAsyncProducer
import org.arbalest.device.internal.abi.RawArrowAsyncTask
import org.arbalest.device.internal.abi.RawArrowDeviceArray
import org.arbalest.device.internal.calls.Calls
import org.arbalest.device.internal.memory.NativeHeap
import org.arbalest.device.internal.schema.SchemaImporter
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.lang.invoke.MethodHandles
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit.SECONDS

private val VOID_1 = FunctionDescriptor.ofVoid(JAVA_LONG)
private val VOID_2 = FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG)
private val INT_2 = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG)
private val INT_3 = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG)
private val ON_ERROR = FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG)

private fun Arena.stub(target: Any, name: String, type: FunctionDescriptor): Long {
    val method = MethodHandles.lookup().findVirtual(target.javaClass, name, type.toMethodType())
    return Linker.nativeLinker().upcallStub(method.bindTo(target), type, this).address()
}

/**
 * Fills blocks with garbage without a zero byte and frees them, so that malloc returns such a block for the next
 * allocation of this size.
 */
internal fun soil(bytes: Long) {
    List(7) { NativeHeap.allocate(bytes) }.onEach { NativeHeap.fill(it, bytes, 0x5A) }.forEach(NativeHeap::free)
}

/** A C producer that the test drives call by call, on the test's thread. Its extract_data calls [onExtract]. */
internal class ProducerByHand(private val onExtract: (task: Int, out: Long) -> Int) : AutoCloseable {
    private val arena = Arena.ofShared()
    private val struct = arena.allocate(48, 8).address()
    private var handler = 0L

    /** The number of tasks in each request, in the order of the calls. */
    val requests = CopyOnWriteArrayList<Long>()

    /** The number of calls of cancel. */
    var cancels = 0
        private set

    /** For each call of extract_data, the task's number n, or −n − 1 if the output was NULL. */
    val extracts = CopyOnWriteArrayList<Int>()

    fun connect(vararg quirks: AsyncQuirk): AsyncArrayStream = CData.importAsyncStream(CImport.DEVICE.quirks(*quirks), {
        handler = it.address()
        RawArrowAsyncProducer.setDeviceType(struct, DeviceType.CPU.code())
        RawArrowAsyncProducer.setRequest(struct, arena.stub(this, "request", VOID_2))
        RawArrowAsyncProducer.setCancel(struct, arena.stub(this, "cancel", VOID_1))
        RawArrowAsyncHandler.setProducer(handler, struct)
    })

    fun schema(): Int {
        val schema = arena.allocate(ArrowSchemaStruct.LAYOUT)
        one().use { CData.exportSchema(it.schema().asField(), schema) }
        val code = Calls.get(RawArrowAsyncHandler.onSchema(handler), handler, schema.address())
        SchemaImporter.giveBack(schema.address())
        return code
    }

    fun task(number: Int): Int {
        val task = arena.allocate(ArrowAsyncTaskStruct.LAYOUT).address()
        RawArrowAsyncTask.setExtractData(task, extractStub)
        RawArrowAsyncTask.setPrivateData(task, number.toLong())
        return Calls.onNextTask(RawArrowAsyncHandler.onNextTask(handler), handler, task, 0)
    }

    fun end(): Int = Calls.onNextTask(RawArrowAsyncHandler.onNextTask(handler), handler, 0, 0)

    fun error(code: Int, message: String) {
        Calls.onError(RawArrowAsyncHandler.onError(handler), handler, code, arena.allocateFrom(message).address(), 0)
    }

    fun release() = Calls.release(RawArrowAsyncHandler.release(handler), handler)

    private val extractStub = arena.stub(this, "extract", INT_2)

    @Suppress("unused")
    fun request(self: Long, n: Long) {
        requests += n
    }

    @Suppress("unused")
    fun cancel(self: Long) {
        cancels++
    }

    @Suppress("unused")
    fun extract(task: Long, out: Long): Int {
        val number = RawArrowAsyncTask.privateData(task).toInt()
        extracts += if (out == 0L) -number - 1 else number
        return if (out == 0L) 0 else onExtract(number, out)
    }

    override fun close() = arena.close()

    companion object {
        fun one(): RecordBatch = BatchBuilder.of(Devices.cpu(), 1).use { it.int64("id", longArrayOf(1)).build() }

        /** An extract_data that exports an array of one row. */
        val GIVES: (Int, Long) -> Int = { _, out ->
            one().use {
                CData.exportArray(it, MemorySegment.ofAddress(out).reinterpret(RawArrowDeviceArray.SIZE),
                    CExport.DEVICE)
            }
            0
        }
    }
}

/** A C consumer that the test drives. It records the calls that it receives, and its callbacks return 0. */
internal class ConsumerByHand : AutoCloseable {
    private val arena = Arena.ofShared()
    private val struct = arena.allocate(ArrowAsyncHandlerStruct.LAYOUT)

    /** The received calls: `on_schema`, `task`, `end`, `on_error <code> <message>`, `release`. */
    val calls = CopyOnWriteArrayList<String>()

    /** Copies of the tasks' structs. */
    val tasks = CopyOnWriteArrayList<MemorySegment>()

    private val released = CountDownLatch(1)

    /** The action that runs inside each callback. */
    @Volatile var inside: (String) -> Unit = {}

    /** The handler's struct, which is not released yet. */
    val handler: MemorySegment = struct.also {
        val at = it.address()
        RawArrowAsyncHandler.setOnSchema(at, arena.stub(this, "onSchema", INT_2))
        RawArrowAsyncHandler.setOnNextTask(at, arena.stub(this, "onNextTask", INT_3))
        RawArrowAsyncHandler.setOnError(at, arena.stub(this, "onError", ON_ERROR))
        RawArrowAsyncHandler.setRelease(at, arena.stub(this, "release", VOID_1))
    }

    fun request(n: Long) = Calls.request(RawArrowAsyncProducer.request(producer()), producer(), n)

    fun cancel() = Calls.release(RawArrowAsyncProducer.cancel(producer()), producer())

    private fun producer() = RawArrowAsyncHandler.producer(struct.address())

    /** Calls `extract_data` of a task, with NULL if [out] is null. */
    fun extract(task: Int, out: MemorySegment?): Int {
        val copy = tasks[task].address()
        return Calls.get(RawArrowAsyncTask.extractData(copy), copy, out?.address() ?: 0)
    }

    /** Returns memory for an array, filled with garbage. */
    fun dirty(): MemorySegment = arena.allocate(ArrowDeviceArrayStruct.LAYOUT).fill(0x5A)

    fun isReleased(array: MemorySegment): Boolean = RawArrowArray.release(array.address()) == 0L

    fun awaitRelease() = check(released.await(5, SECONDS)) { "the handler is not released; it received $calls" }

    private fun received(what: String): Int {
        calls += what
        inside(what)
        return 0
    }

    @Suppress("unused")
    fun onSchema(self: Long, schema: Long): Int {
        SchemaImporter.giveBack(schema)
        return received("on_schema")
    }

    @Suppress("unused")
    fun onNextTask(self: Long, task: Long, metadata: Long): Int {
        if (task != 0L) tasks += arena.allocate(ArrowAsyncTaskStruct.LAYOUT)
            .copyFrom(NativeHeap.segment(task, RawArrowAsyncTask.SIZE))
        return received(if (task == 0L) "end" else "task")
    }

    @Suppress("unused")
    fun onError(self: Long, code: Int, message: Long, metadata: Long) {
        received("on_error $code ${NativeHeap.getString(message)}")
    }

    @Suppress("unused")
    fun release(self: Long) {
        RawArrowAsyncHandler.setRelease(struct.address(), 0)
        received("release")
        released.countDown()
    }

    override fun close() = arena.close()
}
