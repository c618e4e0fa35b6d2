// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.lang.foreign.ValueLayout.JAVA_LONG

/**
 * A native consumer: a C program with an `ArrowAsyncDeviceStreamHandler` for any producer.
 *
 * Its own threads extract the tasks, read and release the arrays, and request more. It checks its producer: a broken
 * rule is a violation in [CPeer.counts]. [close] joins the threads; a consumer that is not released in time is also a
 * violation. `at` is the number of the task, from 0, for the quirks. Any thread may use a consumer.
 */
class PeerConsumer(
    window: Long,
    quirks: Set<Quirk> = emptySet(),
    at: Long = 0,
    code: Int = 0,
    discardEvery: Long = 0,
    threads: Int = 1,
    private val timeoutMillis: Long = -1,
) : AutoCloseable {
    /** The handler, in the peer's memory; valid until [close]. */
    val handler: MemorySegment = withArguments {
        val options = longs(OPTIONS)
        longArrayOf(quirks.sumOf { it.bit }, window, at, code.toLong(), discardEvery, threads.toLong())
            .forEachIndexed { i, word ->
                options.setAtIndex(JAVA_LONG, i.toLong(), word)
            }
        (create.invoke(options) as MemorySegment).reinterpret(HANDLER_BYTES)
    }
    private var closed = false
    private var last: Consumed? = null

    /** A behaviour that other consumers do not have; sets of them are [LIKE_ARROW_CPP] and [LIKE_ARROW_GO]. */
    enum class Quirk(val bit: Long) {
        /** `request(1)` inside every on_next_task, not from its own thread. */
        REQUEST_INSIDE(0x1),

        /** The first request comes from its own thread, not inside on_schema. */
        REQUEST_LATER(0x2),

        /** Its thread requests before it extracts; otherwise after the release of the array. */
        REQUEST_BEFORE(0x4),

        /** Never requests by itself; see [request]. */
        NO_DEMAND(0x8),

        /** The window as a series of request(1). */
        REQUEST_BURSTS(0x10),

        /** `request(INT64_MAX)` twice in place of the window; none later. */
        REQUEST_MAX(0x20),

        /** request(0) in place of the request for task `at` (against the rules). */
        REQUEST_ZERO(0x40),

        /** request(-1) in place of the request for task `at` (against the rules). */
        REQUEST_NEGATIVE(0x80),

        /** Requests also after end, error and release, while it drains (Arrow C++). */
        LATE_REQUEST(0x100),

        /** `request(1)` right after every cancel. */
        REQUEST_CANCELLED(0x200),

        /** `on_schema` returns `code`, and leaves the schema. */
        REFUSE_SCHEMA(0x400),

        /** With REFUSE_SCHEMA: takes the schema anyway. */
        REFUSE_TAKING(0x800),

        /** `on_schema` returns 0 and leaves the schema (against the rules). */
        LEAVE_SCHEMA(0x1000),

        /** `on_next_task` for task `at` returns `code`, and leaves the task. */
        REFUSE_TASK(0x2000),

        /** `on_next_task(NULL)` returns `code`. */
        REFUSE_END(0x4000),

        /** Cancels inside on_schema, after its request. */
        CANCEL_SCHEMA(0x8000),

        /** Cancels inside on_next_task for task `at`. */
        CANCEL_INSIDE(0x10000),

        /** Cancels from its own thread when it takes task `at`. */
        CANCEL_OUTSIDE(0x20000),

        /** Every cancel comes twice. */
        CANCEL_TWICE(0x40000),

        /** Every cancel comes from two threads at once. */
        CANCEL_RACE(0x80000),

        /** Extracts inside on_next_task, and requests there too. */
        EXTRACT_INSIDE(0x100000),

        /** Takes the newest of the queued tasks first. */
        EXTRACT_NEWEST(0x200000),

        /** Extracts task `at` twice (against the rules), and expects a non-zero code. */
        EXTRACT_TWICE(0x400000),

        /** Extracts its tasks only after release. */
        EXTRACT_RELEASED(0x800000),

        /** Tasks queued at an error are not extracted (against the rules; Arrow C++). */
        DROP_ON_ERROR(0x1000000),

        /** Tasks queued at its own cancel are not extracted (against the rules; arrow-go). */
        DROP_ON_CANCEL(0x2000000),

        /** Its thread waits at the gate before it extracts task `at`. */
        GATE_EXTRACT(0x4000000),

        /** `on_next_task` for task `at` waits at the gate. */
        GATE_INSIDE(0x8000000),

        /** Its thread waits at the gate before its request for task `at`. */
        GATE_REQUEST(0x10000000),

        /** `on_schema` waits at the gate, after its request. */
        GATE_SCHEMA(0x20000000),

        /** `handler.release` is not set to NULL. */
        RELEASE_STAYS(0x40000000),

        /** Checks that without metadata bytes 24 to 47 of the producer are 0, otherwise bytes 32 to 47. */
        CHECK_TAIL(0x80000000),

        /** Reads additional_metadata at offset 32. */
        V_LAYOUT(0x100000000),

        /** Counts the errors of Arrow C++ and arrow-go, but not as violations. */
        TOLERANT(0x200000000),
    }

    /**
     * Waits until the handler is released and drained, 5 seconds by default. Returns false if the time was too short,
     * which is a violation.
     */
    fun join(timeoutMillis: Long = this.timeoutMillis): Boolean = join.invoke(handler, timeoutMillis) as Int == 0

    /** Returns the events so far, or those until [close]. */
    fun results(): Consumed = synchronized(this) {
        last ?: withArguments {
            val slots = longs(SLOTS)
            results.invoke(handler, slots)
            Consumed(slots.toArray(JAVA_LONG), bytes(0)?.decodeToString(), bytes(1), bytes(2), bytes(3))
        }
    }

    /** Calls `request` on this thread, in any state; only between on_schema and release. */
    fun request(n: Long) {
        request.invoke(handler, n)
    }

    /** Calls `cancel` on this thread, in any state; only between on_schema and release. */
    fun cancel() {
        cancel.invoke(handler)
    }

    /** Discards, with NULL, the tasks that the consumer had dropped. Returns their number. Call it before [close]. */
    fun extractDropped(): Long = dropped.invoke(handler) as Long

    /** Joins the consumer, unless no producer has called it. */
    override fun close() {
        synchronized(this) { if (closed) return else closed = true }
        val late = results().called && !join()
        synchronized(this) { last = results() }
        val code = close.invoke(handler, if (late) 0L else timeoutMillis) as Int
        check(code == 0 && !late) { "the C peer's consumer did not end in time: ${CPeer.counts().violation}" }
    }

    private fun Arguments.bytes(which: Int): ByteArray? {
        val length = bytesFunction.invoke(handler, which, MemorySegment.NULL, 0L) as Long
        if (length < 0) return null
        val block = block(length + 1)
        bytesFunction.invoke(handler, which, block, length)
        return block.asSlice(0, length).toArray(JAVA_BYTE)
    }

    companion object {
        private const val OPTIONS = 6
        private const val SLOTS = 32
        private const val HANDLER_BYTES = 48L
        private val create by PeerLibrary.function("peer_async_handler", PTR, PTR)
        private val join by PeerLibrary.function("peer_async_consumer_join", I32, PTR, I64)
        private val results by PeerLibrary.function("peer_async_consumer_results", null, PTR, PTR)
        private val bytesFunction by PeerLibrary.function("peer_async_consumer_bytes", I64, PTR, I32, PTR, I64)
        private val request by PeerLibrary.function("peer_async_request", null, PTR, I64)
        private val cancel by PeerLibrary.function("peer_async_cancel", null, PTR)
        private val dropped by PeerLibrary.function("peer_async_extract_dropped", I64, PTR)
        private val close by PeerLibrary.function("peer_async_consumer_close", I32, PTR, I64)

        /** The behaviour of Arrow C++ as a consumer. */
        val LIKE_ARROW_CPP: Set<Quirk> =
            setOf(Quirk.REQUEST_BEFORE, Quirk.LATE_REQUEST, Quirk.DROP_ON_ERROR, Quirk.RELEASE_STAYS)

        /** The behaviour of arrow-go as a consumer; add a cancel for the end of its context. */
        val LIKE_ARROW_GO: Set<Quirk> =
            setOf(Quirk.REQUEST_BEFORE, Quirk.LATE_REQUEST, Quirk.DROP_ON_CANCEL, Quirk.RELEASE_STAYS)
    }
}

/**
 * The events that a [PeerConsumer] saw from its producer.
 *
 * @property message the text of the first on_error, or null
 * @property errorMetadata its metadata; null if it is absent or malformed
 * @property streamMetadata `additional_metadata`; null likewise
 * @property lastMetadata the metadata of the last task; null likewise
 */
class Consumed constructor(
    slots: LongArray,
    val message: String?,
    val errorMetadata: ByteArray?,
    val streamMetadata: ByteArray?,
    val lastMetadata: ByteArray?,
) {
    /** Calls of on_schema. */
    val schemas: Long = slots[0]

    /** Calls of on_next_task with a task. */
    val tasks: Long = slots[1]

    /** Calls of on_next_task with NULL. */
    val ends: Long = slots[2]

    /** Calls of on_error. */
    val errors: Long = slots[3]

    /** Calls of release. */
    val releases: Long = slots[4]

    /** The code of the first on_error. */
    val code: Int = slots[5].toInt()

    /** Batches that were extracted and read. */
    val batches: Long = slots[6]

    /** Rows of these batches. */
    val rows: Long = slots[7]

    /** The [PeerNodes.checksum] of all batches as one array, if they were read in order; 0 otherwise. */
    val checksum: Long = slots[8]

    /** The sum of the rows' hashes, in any order. */
    val rowSum: Long = slots[9]

    /** Tasks extracted with NULL. */
    val discarded: Long = slots[10]

    /** The first non-zero code of extract_data. */
    val extractCode: Int = slots[11].toInt()

    /** Calls of extract_data that failed. */
    val extractFailures: Long = slots[12]

    /** Calls of extract_data that returned 0 and a released array. */
    val extractEmpty: Long = slots[13]

    /** The device type of the producer. */
    val deviceType: Int = slots[14].toInt()

    /** Arrays of another type. */
    val typeDiffers: Long = slots[15]

    /** Arrays whose `reserved` is not zero. */
    val reservedDirty: Long = slots[16]

    /** Tasks with metadata. */
    val taskMetadata: Long = slots[17]

    /** A hash over all task metadata, in order. */
    val metadataHash: Long = slots[18]

    /** The sum of the requests, saturating. */
    val requested: Long = slots[19]

    /** Calls of cancel. */
    val cancels: Long = slots[20]

    /** Tasks that came after the first cancel had returned. */
    val afterCancel: Long = slots[21]

    /** Tasks not extracted; see [PeerConsumer.extractDropped]. */
    val dropped: Long = slots[22]

    /** The number of callbacks on another thread than the callback before. */
    val threadsSeen: Long = slots[23]

    /** Calls of request. */
    val requests: Long = slots[24]

    /** `on_error` after cancel. */
    val errorsCancelled: Long = slots[25]

    /** Callbacks other than release after a non-zero status. */
    val afterRefusal: Long = slots[26]

    /** The [PeerNodes.schemaChecksum] of the schema. */
    val schemaHash: Long = slots[27]

    /** Whether the handler is released and drained. */
    val done: Boolean = slots[28] != 0L

    val called: Boolean get() = schemas + tasks + ends + errors + releases > 0

    override fun toString(): String =
        "$tasks tasks, $batches batches, $rows rows, $discarded discarded, $dropped dropped, $ends ends, " +
            "$errors errors" +
            (message?.let { " ($code \"$it\")" } ?: "") + ", $releases releases"
}
