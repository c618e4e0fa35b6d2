// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.arrowcpp

import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
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

/** How an Arrow C++ generator reacts to a call for which it has no batch and no end yet. */
internal enum class Waiting {
    /** The generator returns a future. The thread that supplies the batch completes it and makes the callbacks. */
    PENDING,

    /** The generator blocks the calling thread. */
    BLOCKING,
}

/**
 * `ExportAsyncRecordBatchReader` over a generator that the test supplies with batches. Everything supplied before
 * [start] is ready at the generator's calls, so that the starting thread makes all callbacks.
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

    /** Supplies the next batch, and passes it to Arrow C++. */
    fun give(batch: RecordBatch) = Arena.ofConfined().use { arena ->
        val struct = arena.allocate(ArrowDeviceArrayStruct.LAYOUT)
        batch.use { CData.exportArray(it, struct, CExport.DEVICE) }
        ArrowCppBridge.check(ArrowCppBridge.producerGive(address, struct))
    }

    /** Makes the generator fail after the supplied batches. */
    fun fail(message: String) = Arena.ofConfined().use { arena ->
        ArrowCppBridge.producerFail(address, arena.allocateFrom(message))
        Unit
    }

    /** Ends the generator after the supplied batches. */
    fun end() {
        ArrowCppBridge.producerEnd(address)
    }

    /** Drives a handler on a new thread, since Arrow C++ blocks the thread while there is no demand. */
    fun start(handler: MemorySegment) {
        starter = Thread.ofPlatform().start { ArrowCppBridge.producerStart(address, handler) }
    }

    /** Drives our handler on a new thread. */
    fun connect(vararg quirks: AsyncQuirk): AsyncArrayStream =
        CData.importAsyncStream(CImport.DEVICE.quirks(*quirks), ::start)

    /** Waits until Arrow C++ calls the generator and no batch or end is ready. */
    fun awaitAsked() {
        while (ArrowCppBridge.producerIsWaiting(address) as Int == 0) Thread.onSpinWait()
    }

    /** Waits for the end of the stream, and returns the error that Arrow C++ reports, or null. */
    fun outcome(): String? {
        checkNotNull(starter).join()
        return if (ArrowCppBridge.producerOutcome(address) as Int == 0) null else ArrowCppBridge.failure().message
    }

    /** Ends the generator if the test did not, and waits for the end of the stream. */
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

    /** The schema; the first access waits for it. */
    val schema: Schema by lazy {
        Arena.ofConfined().use { arena ->
            val struct = arena.allocate(ArrowSchemaStruct.LAYOUT)
            ArrowCppBridge.check(ArrowCppBridge.consumerSchema(address, struct))
            Schema.ofStruct(CData.importSchema(struct))
        }
    }

    /** Waits for the next batch, and returns it, or null at the end. */
    fun next(): RecordBatch? = Arena.ofConfined().use { arena ->
        val struct = arena.allocate(ArrowDeviceArrayStruct.LAYOUT)
        ArrowCppBridge.check(ArrowCppBridge.consumerNext(address, struct))
        if (RawArrowArray.release(struct.address()) == 0L) null
        else CData.importBatch(struct, CImport.DEVICE.schema(schema))
    }

    /** Frees the consumer. If the stream is not drained, Arrow C++ waits for the next task or the end. */
    override fun close() {
        ArrowCppBridge.consumerFree(address)
    }
}

/**
 * Returns the stream of [reader] after it passed through Arrow C++: `ImportDeviceRecordBatchReader`, then
 * `ExportDeviceRecordBatchReader`.
 */
internal fun throughArrowCpp(reader: RecordBatchReader): RecordBatchReader = Arena.ofConfined().use { arena ->
    val (given, taken) = List(2) { arena.allocate(ArrowDeviceArrayStreamStruct.LAYOUT) }
    CData.exportStream(reader, given, CExport.DEVICE)
    ArrowCppBridge.check(ArrowCppBridge.streamThrough(given, taken))
    CData.importStream(taken, CImport.DEVICE)
}
