// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout

/**
 * Streams that the C peer makes, and the peer as a consumer of any stream.
 *
 * Its batches are `struct<id: int64, name: utf8 nullable>`: id = batch × rows + row, name = `row-<id>`, null if id % 7
 * is 6.
 */
object PeerStreams {
    private const val TEXT_BYTES = 4096L

    private val plain by PeerLibrary.function("peer_stream", null, PTR, I64, I64, I32, I64, I32)
    private val device by PeerLibrary.function("peer_device_stream", null, PTR, I64, I64, I32, I64, I32, I64, I32)
    private val batchFunction by PeerLibrary.function("peer_batch", null, PTR, I64, I64, I32)
    private val batchSchemaFunction by PeerLibrary.function("peer_batch_schema", null, PTR)
    private val calls by PeerLibrary.function("peer_stream_calls", I64, I32)
    private val drainPlain by PeerLibrary.function("peer_drain_stream_with", I32, PTR, I32, I64, I64, PTR, PTR, I64)
    private val drainDevice by PeerLibrary.function("peer_drain_device_stream_with", I32, PTR, I32, I64, I64,
        PTR, PTR, I64)

    /** The differences of a stream or a batch from a regular one; `at` and `code` are the arguments of [stream]. */
    enum class Flavour(val bit: Int) {
        /** `get_next` number `at` (from 0) fails with `code`, and so do all later calls. */
        FAIL(0x1),

        /** With [FAIL]: later calls continue as if the failure had not happened. */
        FAIL_ONCE(0x2),

        /** `get_last_error` gives NULL. */
        TEXT_NULL(0x4),

        /** The error text is overwritten with `#` at the next call. */
        TEXT_VOLATILE(0x8),

        /** A failing call fills `out` with garbage, its release too. */
        FAIL_GARBAGE(0x10),

        /** `get_schema` fails with `code`. */
        FAIL_SCHEMA(0x20),

        /** The second `get_schema` fails with `code`. */
        SCHEMA_ONCE(0x40),

        /** At the end only `release` is written, the rest of `out` is garbage. */
        END_GARBAGE(0x80),

        /** Batch `at` has n_children 1. */
        BAD_CHILDREN(0x100),

        /** Batch `at`: column name has n_buffers 2. */
        BAD_BUFFERS(0x200),

        /** Batch `at`: the last offset of column name is 1000 too high; only full validation detects it. */
        BAD_OFFSETS(0x400),

        /** `get_next` number `at` waits at the gate. */
        GATE(0x800),

        /** Offsets: 2 in the struct, 1 in id, 3 in name; the values stay the same. */
        SLICED(0x1000),

        /** Device stream: chunk `at` has device_type + 1. */
        OTHER_DEVICE(0x2000),

        /** Device stream: reserved is garbage in every chunk. */
        DIRTY_RESERVED(0x4000),

        /** Every buffer is at an odd address. */
        UNALIGNED(0x8000),
    }

    /** The ways in which the peer consumes a stream. */
    enum class Manner(val bit: Int) {
        /** `get_schema` after every chunk and at the end, compared with the first. */
        SCHEMA_OFTEN(0x1),

        /** Chunks are read and released after the stream's release. */
        KEEP(0x2),

        /** Two threads pull without a lock, and do not query the error text. */
        RACE(0x4),

        /** Two threads pull under a lock. */
        TAKE_TURNS(0x8),

        /** The caller keeps the stream; otherwise the peer releases it. */
        NO_RELEASE(0x10),
    }

    /** The functions of a stream, for [calls]. */
    enum class StreamCall {
        /** `get_schema`. */
        GET_SCHEMA,

        /** `get_next`. */
        GET_NEXT,

        /** `get_last_error`. */
        GET_LAST_ERROR,

        /** `release`. */
        RELEASE,
    }

    /** Fills [out] with a stream of [batches] batches of [rows] rows. */
    fun stream(
        out: MemorySegment,
        batches: Long,
        rows: Long,
        flavours: Set<Flavour> = emptySet(),
        at: Long = 0,
        code: Int = 0,
    ) {
        plain.invoke(out, batches, rows, flavours.sumOf { it.bit }, at, code)
    }

    /** Fills [out] with such a device stream. */
    fun deviceStream(
        out: MemorySegment,
        batches: Long,
        rows: Long,
        flavours: Set<Flavour> = emptySet(),
        at: Long = 0,
        code: Int = 0,
        deviceId: Long = -1,
        deviceType: Int = 1,
    ) {
        device.invoke(out, batches, rows, flavours.sumOf { it.bit }, at, code, deviceId, deviceType)
    }

    /** Fills [out] with one such batch; [Flavour.SLICED], [Flavour.UNALIGNED] and the `BAD_` ones apply. */
    fun batch(out: MemorySegment, firstId: Long, rows: Long, flavours: Set<Flavour> = emptySet()) {
        batchFunction.invoke(out, firstId, rows, flavours.sumOf { it.bit })
    }

    /** Fills [out] with the schema of such batches. */
    fun batchSchema(out: MemorySegment) {
        batchSchemaFunction.invoke(out)
    }

    /** Returns the number of calls of a function of the peer's streams since the reset. */
    fun calls(which: StreamCall): Long = calls.invoke(which.ordinal) as Long

    /**
     * Consumes an `ArrowArrayStream`, and releases it.
     *
     * @param stopAfter the number of chunks to take, −1 for all
     * @param extra the number of further pulls after an error or the end
     */
    fun drain(
        stream: MemorySegment,
        manners: Set<Manner> = emptySet(),
        stopAfter: Long = -1,
        extra: Long = 0,
    ): Drained =
        withArguments {
            val slots = longs(Drained.SLOTS)
            val text = block(TEXT_BYTES)
            drainPlain.invoke(stream, manners.sumOf { it.bit }, stopAfter, extra, slots, text, TEXT_BYTES)
            Drained(slots.toArray(ValueLayout.JAVA_LONG), text.getString(0))
        }

    /** Consumes an `ArrowDeviceArrayStream`; see [drain]. Chunks on a device that the CPU cannot read are not read. */
    fun drainDevice(
        stream: MemorySegment,
        manners: Set<Manner> = emptySet(),
        stopAfter: Long = -1,
        extra: Long = 0,
    ): Drained = withArguments {
        val slots = longs(Drained.SLOTS)
        val text = block(TEXT_BYTES)
        drainDevice.invoke(stream, manners.sumOf { it.bit }, stopAfter, extra, slots, text, TEXT_BYTES)
        Drained(slots.toArray(ValueLayout.JAVA_LONG), text.getString(0))
    }
}

/** The results of a stream that the C peer consumed. */
class Drained constructor(slots: LongArray, text: String) {
    /** The errno of the first failing call, or 0. */
    val code: Int = slots[0].toInt()

    /** Chunks that were taken. */
    val batches: Long = slots[1]

    /** Rows of these chunks. */
    val rows: Long = slots[2]

    /** The [PeerNodes.checksum] of all chunks as one array; 0 with two threads, or with chunks that cannot be read. */
    val checksum: Long = slots[3]

    /** The sum of the rows' hashes, in any order; 0 with chunks that cannot be read. */
    val rowSum: Long = slots[4]

    /** Calls of `get_schema`. */
    val schemaCalls: Long = slots[5]

    /** Later schemas that failed or differ from the first. */
    val schemaDiffers: Long = slots[6]

    /** Extra pulls that gave the same code again, or after the end, the end. */
    val extraSame: Long = slots[7]

    /** Extra pulls that gave another result. */
    val extraOther: Long = slots[8]

    /** The text of `get_last_error`; null if that was NULL or was not queried. */
    val error: String? = if (slots[9] == 0L) null else text

    /** Device chunks whose type is not the stream's. */
    val typeDiffers: Long = slots[10]

    /** Device chunks whose `reserved` is not zero. */
    val reservedDirty: Long = slots[11]

    /** Device chunks on CPU whose id is not −1. */
    val cpuIdOdd: Long = slots[12]

    /** Device chunks with a `sync_event`, which the peer does not wait for. */
    val events: Long = slots[13]

    /** Whether the end was reached. */
    val ended: Boolean = slots[14] != 0L

    override fun toString(): String =
        "code $code, $batches batches, $rows rows, " + (if (ended) "ended" else "not ended") +
            (error?.let { ", error \"$it\"" } ?: "")

    companion object {
        const val SLOTS = 16
    }
}
