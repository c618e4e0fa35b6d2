// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_LONG

/**
 * A native producer: a C program that drives any `ArrowAsyncDeviceStreamHandler`, on its own thread.
 *
 * It sends the batches of [PeerStreams], and checks its consumer: a broken rule is a violation in [CPeer.counts].
 * [close] joins it; a producer that does not end in time is a violation, too. `at` is the number of the batch, from 0,
 * for the quirks. Any thread may use a producer.
 */
class PeerProducer(
    batches: Long,
    rows: Long,
    quirks: Set<Quirk> = emptySet(),
    at: Long = 0,
    code: Int = 0,
    late: Long = 0,
    flavours: Set<PeerStreams.Flavour> = emptySet(),
    deviceId: Long = -1,
    deviceType: Int = 1,
    message: String? = null,
    errorMetadata: ByteArray? = null,
    streamMetadata: ByteArray? = null,
    taskMetadata: ByteArray? = null,
    private val timeoutMillis: Long = -1,
) : AutoCloseable {
    private val producer: MemorySegment = withArguments {
        val options = longs(OPTIONS)
        val words = longArrayOf(quirks.sumOf { it.bit }, batches, rows, at, code.toLong(), late,
            flavours.sumOf { it.bit }.toLong(), deviceId,
            deviceType.toLong(), text(message).address())
        words.forEachIndexed { i, word -> options.setAtIndex(JAVA_LONG, i.toLong(), word) }
        listOf(errorMetadata, streamMetadata, taskMetadata).forEachIndexed { i, data ->
            options.setAtIndex(JAVA_LONG, words.size + 2L * i, bytes(data).address())
            options.setAtIndex(JAVA_LONG, words.size + 2L * i + 1, (data?.size ?: 0).toLong())
        }
        create.invoke(options) as MemorySegment
    }
    private var started = false
    private var closed = false
    private var last: Produced? = null

    /** A behaviour that other producers do not have; sets of them are [LIKE_ARROW_CPP] and [LIKE_ARROW_GO]. */
    enum class Quirk(val bit: Long) {
        /** `on_error` with `code` in place of task `at`. */
        ERROR(0x1),

        /** `on_error` before on_schema. */
        ERROR_FIRST(0x2),

        /** The message of on_error is NULL. */
        MESSAGE_NULL(0x4),

        /** The format of column name is "?!". */
        BAD_SCHEMA(0x8),

        /** `additional_metadata` has a count of -1. */
        BAD_STREAM_METADATA(0x10),

        /** Every task has `{"index": "<number>"}`, unless bytes are given. */
        TASK_METADATA(0x20),

        /** The metadata of task `at` has a count of -1. */
        BAD_TASK_METADATA(0x40),

        /** The struct ArrowAsyncProducer has 48 bytes, as in the specification's text. */
        V_LAYOUT(0x80),

        /** `extract_data` of task `at` fails with `code`; then on_error. */
        EXTRACT_FAILS(0x100),

        /** With EXTRACT_FAILS: it returns 0, and `out` is released. */
        EXTRACT_ZERO(0x200),

        /** With EXTRACT_FAILS: `out` is garbage, its release too. */
        EXTRACT_GARBAGE(0x400),

        /** With EXTRACT_FAILS: no on_error, the stream goes on (against the rules). */
        EXTRACT_SILENT(0x800),

        /** Calls release without end or error after the last task (against the rules). */
        NO_END(0x1000),

        /** After cancel, up to `late` of the tasks that were requested before. */
        LATE(0x2000),

        /** After cancel, the NULL task. */
        END_AFTER_CANCEL(0x4000),

        /**
         * After cancel, on_error(EINVAL), or the NULL task if the source is at its end (against the rules; Arrow C++).
         */
        ERROR_AFTER_CANCEL(0x8000),

        /**
         * After a non-zero status, on_error(EINVAL), or the NULL task if the source is at its end (against the rules;
         * Arrow C++).
         */
        ERROR_AFTER_REFUSAL(0x10000),

        /** Continues as if the status had been 0 (against the rules). */
        IGNORE_REFUSAL(0x20000),

        /** The consumer must extract a refused task; the producer does not take it back. */
        REFUSED_STAYS(0x40000),

        /** Waits at the gate before on_schema. */
        GATE_SCHEMA(0x80000),

        /** Waits at the gate before task `at`. */
        GATE_TASK(0x100000),

        /** Waits at the gate before the NULL task or its absence, or before its own on_error. */
        GATE_END(0x200000),

        /** Waits at the gate before release. */
        GATE_RELEASE(0x400000),

        /** Waits at the gate in extract_data of task `at`, on the consumer's thread. */
        GATE_EXTRACT(0x800000),

        /** Waits at the gate in request number `at`, on the consumer's thread. */
        GATE_REQUEST(0x1000000),

        /** The struct is gone once the source has ended or failed and all tasks are extracted (Arrow C++). */
        GONE_EARLY(0x2000000),

        /** The struct is gone before release is called (arrow-go). */
        GONE_BEFORE_RELEASE(0x4000000),

        /** A request of N <= 0 is unlimited, not an error (Arrow C++). */
        WRAP_REQUESTS(0x8000000),

        /** The call peer_async_produce is the producer's thread, and returns after release (Arrow C++). */
        ON_CALLER(0x10000000),

        /** `extract_data(task, NULL)` would crash: counted (arrow-go). */
        NULL_CRASHES(0x20000000),

        /** Request blocks when 5 are unread; after the end it would crash (arrow-go). */
        REQUEST_QUEUE(0x40000000),

        /** The second cancel would crash (arrow-go). */
        CANCEL_ONCE(0x80000000),

        /** The end and errors need demand (arrow-go). */
        END_ON_DEMAND(0x100000000),

        /** Sends without demand from task `at` on (against the rules). */
        OVERSEND(0x200000000),

        /** Calls release twice (against the rules). */
        RELEASE_TWICE(0x400000000),

        /** One more task after the NULL task (against the rules). */
        TASK_AFTER_END(0x800000000),

        /** Calls on_schema twice (against the rules). */
        SCHEMA_TWICE(0x1000000000),

        /** The field producer of the handler is NULL (against the rules). */
        NO_PRODUCER(0x2000000000),

        /** Every callback on a new pthread. */
        MANY_THREADS(0x4000000000),

        /** Task `at` comes from two pthreads at once, as two tasks (against the rules). */
        CONCURRENT(0x8000000000),

        /** Late calls of the consumer are counted, not violations. */
        TOLERANT(0x10000000000),

        /** Calls after the NULL task or on_error has returned are violations too. */
        STRICT(0x20000000000),

        /** All bytes of a struct that is gone are 0xA5: a call through it crashes. */
        GONE_TRASHED(0x40000000000),

        /** All bytes of a struct that is gone are 0. */
        GONE_ZEROED(0x80000000000),
    }

    /**
     * Drives [handler], an `ArrowAsyncDeviceStreamHandler`; once. Returns immediately, or with [Quirk.ON_CALLER] after
     * the handler's release.
     */
    fun start(handler: MemorySegment) {
        synchronized(this) { started = true }
        produce.invoke(producer, handler)
    }

    /**
     * Waits until the producer has finished, 5 seconds by default. Returns false if the time was too short, which is a
     * violation with a text.
     */
    fun join(timeoutMillis: Long = this.timeoutMillis): Boolean = join.invoke(producer, timeoutMillis) as Int == 0

    /** Returns the events so far, or those until [close]. */
    fun results(): Produced = synchronized(this) {
        last ?: withArguments {
            val slots = longs(SLOTS)
            results.invoke(producer, slots)
            Produced(slots.toArray(JAVA_LONG))
        }
    }

    /** Ends the stream soon, with a release but no end and no error. */
    fun stop() {
        stop.invoke(producer)
    }

    /** Joins the producer, and stops it if the wait is too long. */
    override fun close() {
        synchronized(this) { if (closed) return else closed = true }
        val ended = !started || join()
        synchronized(this) { last = results() }
        val code = close.invoke(producer, if (ended) timeoutMillis else 0L) as Int
        check(code == 0 && ended) { "the C peer's producer did not end in time: ${CPeer.counts().violation}" }
    }

    companion object {
        private const val OPTIONS = 16
        private const val SLOTS = 32
        private val create by PeerLibrary.function("peer_async_producer", PTR, PTR)
        private val produce by PeerLibrary.function("peer_async_produce", null, PTR, PTR)
        private val join by PeerLibrary.function("peer_async_join", I32, PTR, I64)
        private val results by PeerLibrary.function("peer_async_results", null, PTR, PTR)
        private val stop by PeerLibrary.function("peer_async_stop", null, PTR)
        private val close by PeerLibrary.function("peer_async_close", I32, PTR, I64)

        /** The behaviour of Arrow C++ as a producer. */
        val LIKE_ARROW_CPP: Set<Quirk> = setOf(
            Quirk.ERROR_AFTER_CANCEL, Quirk.ERROR_AFTER_REFUSAL, Quirk.GONE_EARLY, Quirk.EXTRACT_ZERO,
            Quirk.WRAP_REQUESTS, Quirk.ON_CALLER,
        )

        /** The behaviour of arrow-go as a producer. */
        val LIKE_ARROW_GO: Set<Quirk> = setOf(
            Quirk.NULL_CRASHES, Quirk.REQUEST_QUEUE, Quirk.CANCEL_ONCE, Quirk.END_ON_DEMAND, Quirk.GONE_BEFORE_RELEASE,
        )
    }
}

/** The events that a [PeerProducer] saw from its consumer. */
class Produced constructor(slots: LongArray) {
    /** Calls of request, of any kind. */
    val requests: Long = slots[0]

    /** The sum of the requests that counted, saturating. */
    val requested: Long = slots[1]

    /** Calls of cancel. */
    val cancels: Long = slots[2]

    /** Tasks sent. */
    val sent: Long = slots[3]

    /** Tasks extracted into an array, failures included. */
    val extracted: Long = slots[4]

    /** Tasks extracted with NULL. */
    val discarded: Long = slots[5]

    /** Tasks that are at present neither extracted nor discarded nor taken back. */
    val outstanding: Long = slots[6]

    /** The status that on_schema returned. */
    val schemaStatus: Int = slots[7].toInt()

    /** The first non-zero status of on_next_task. */
    val taskStatus: Int = slots[8].toInt()

    /** Calls of on_error. */
    val errors: Long = slots[9]

    /** NULL tasks sent. */
    val ended: Long = slots[10]

    /** Releases that returned. */
    val released: Long = slots[11]

    /** Requests after cancel, which by the rules have no effect. */
    val requestsCancelled: Long = slots[12]

    /** Requests after the NULL task or on_error has returned. */
    val requestsEnded: Long = slots[13]

    /** Requests after release returned. */
    val requestsReleased: Long = slots[14]

    /** Cancels after the NULL task or on_error has returned. */
    val cancelsEnded: Long = slots[15]

    /** Cancels after release returned. */
    val cancelsReleased: Long = slots[16]

    /** Calls on a struct that is gone. */
    val goneCalls: Long = slots[17]

    /** Calls that would crash the real library that this peer imitates. */
    val crashes: Long = slots[18]

    /** Calls of `extract_data(task, NULL)`, with [PeerProducer.Quirk.NULL_CRASHES]. */
    val nullExtracts: Long = slots[19]

    /** `extract_data` calls inside a callback of this producer, on its thread. */
    val extractedInside: Long = slots[20]

    /** Calls of `extract_data` on other threads. */
    val extractedOutside: Long = slots[21]

    /** Requests inside on_schema or on_next_task, on its thread. */
    val requestsInside: Long = slots[22]

    /** Requests with n <= 0. */
    val badRequests: Long = slots[23]

    /** Second calls of extract_data for one task. */
    val secondExtracts: Long = slots[24]

    /** Refused tasks that the producer released itself. */
    val takenBack: Long = slots[25]

    /** Requests that found the queue full. */
    val blockedRequests: Long = slots[26]

    /** Whether the producer has finished. */
    val done: Boolean = slots[27] != 0L

    /** The code of the last on_error. */
    val errorCode: Int = slots[28].toInt()

    /** Whether its struct is gone; it always is after release. */
    val gone: Boolean = slots[29] != 0L

    /** Whether on_schema returned 0 and left the schema. */
    val schemaKept: Boolean = slots[30] != 0L

    override fun toString(): String =
        "$requested requested, $sent sent, $extracted extracted, $discarded discarded, $outstanding outstanding, " +
            "$cancels cancels, " +
            "$errors errors, $ended ends, $released releases"
}
