// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.arrowcpp

import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.async.AsyncArrayStream
import org.arbalest.device.async.AsyncQuirk
import org.arbalest.device.c.ArrowDeviceArrayStreamStruct
import org.arbalest.device.c.ArrowDeviceArrayStruct
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.types.Schema
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment

/** How an Arrow C++ generator answers when it was not told yet what comes. */
internal enum class Waiting {
    /** With a future; what is told later completes it, and makes the callbacks, on the telling thread. */
    PENDING,

    /** Not at all: the asking thread waits. */
    BLOCKING,
}

/**
 * `ExportAsyncRecordBatchReader` over a generator that gives what it is told to give. What is told before the [start]
 * is ready when it is asked for, so that all callbacks are made by the starting thread.
 */
internal class CppProducer(schema: Schema, waiting: Waiting = Waiting.PENDING) : AutoCloseable {
    private val address: MemorySegment = Arena.ofConfined().use { arena ->
        val struct = arena.allocate(ArrowSchemaStruct.LAYOUT)
        CData.exportSchema(schema.asField(), struct)
        ArrowCppBridge.producer(struct, waiting.ordinal) as MemorySegment
    }
    private var starter: Thread? = null

    init {
        if (address == MemorySegment.NULL) throw ArrowCppBridge.failure()
    }

    /** The next batch, which passes to Arrow C++. */
    fun give(batch: DeviceArray) = Arena.ofConfined().use { arena ->
        val struct = arena.allocate(ArrowDeviceArrayStruct.LAYOUT)
        batch.use { CData.exportArray(it, struct, CExport.DEVICE) }
        ArrowCppBridge.check(ArrowCppBridge.producerGive(address, struct))
    }

    /** Then the generator fails. */
    fun fail(message: String) = Arena.ofConfined().use { arena ->
        ArrowCppBridge.producerFail(address, arena.allocateFrom(message))
        Unit
    }

    /** Then the generator is at its end. */
    fun end() {
        ArrowCppBridge.producerEnd(address)
    }

    /** Drives a handler, on a thread of its own: Arrow C++ blocks it while there is no demand. */
    fun start(handler: MemorySegment) {
        starter = Thread.ofPlatform().start { ArrowCppBridge.producerStart(address, handler) }
    }

    /** Drives a handler of ours, on a thread of its own. */
    fun connect(vararg quirks: AsyncQuirk): AsyncArrayStream =
        CData.importAsyncStream(CImport.DEVICE.quirks(*quirks), ::start)

    /** Waits until the generator is asked for what it was not told yet. */
    fun awaitAsked() {
        while (ArrowCppBridge.producerIsWaiting(address) as Int == 0) Thread.onSpinWait()
    }

    /** What Arrow C++ says the stream ended with; waits for that. Null is well. */
    fun outcome(): String? {
        checkNotNull(starter).join()
        return if (ArrowCppBridge.producerOutcome(address) as Int == 0) null else ArrowCppBridge.failure().message
    }

    /** Ends the generator, if nobody did, and waits for the stream's end. */
    override fun close() {
        end()
        if (starter != null) outcome()
        ArrowCppBridge.producerFree(address)
    }
}

/** The handler and the generator of `CreateAsyncDeviceStreamHandler`. */
internal class CppConsumer(queueSize: Long) : AutoCloseable {
    private val address = ArrowCppBridge.consumer(queueSize) as MemorySegment

    init {
        if (address == MemorySegment.NULL) throw ArrowCppBridge.failure()
    }

    val handler: MemorySegment = (ArrowCppBridge.consumerHandler(address) as MemorySegment).reinterpret(56)

    /** Waits for the schema. */
    val schema: Schema by lazy {
        Arena.ofConfined().use { arena ->
            val struct = arena.allocate(ArrowSchemaStruct.LAYOUT)
            ArrowCppBridge.check(ArrowCppBridge.consumerSchema(address, struct))
            Schema.ofStruct(CData.importSchema(struct))
        }
    }

    /** Waits for the next batch; null is the end. */
    fun next(): DeviceArray? = Arena.ofConfined().use { arena ->
        val struct = arena.allocate(ArrowDeviceArrayStruct.LAYOUT)
        ArrowCppBridge.check(ArrowCppBridge.consumerNext(address, struct))
        if (RawArrowArray.release(struct.address()) == 0L) null
        else CData.importArray(struct, CImport.DEVICE.schema(schema))
    }

    /** What is not drained Arrow C++ waits for: the next task, or the end. */
    override fun close() {
        ArrowCppBridge.consumerFree(address)
    }
}

/**
 * What [reader] gives, after Arrow C++ has had it: `ImportDeviceRecordBatchReader`, then
 * `ExportDeviceRecordBatchReader`.
 */
internal fun throughArrowCpp(reader: DeviceArrayReader): DeviceArrayReader = Arena.ofConfined().use { arena ->
    val (given, taken) = List(2) { arena.allocate(ArrowDeviceArrayStreamStruct.LAYOUT) }
    CData.exportStream(reader, given, CExport.DEVICE)
    ArrowCppBridge.check(ArrowCppBridge.streamThrough(given, taken))
    CData.importStream(taken, CImport.DEVICE)
}
