// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.contract

import org.arbalest.device.ArrayData
import org.arbalest.device.Device
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceStream
import org.arbalest.device.Devices
import org.arbalest.device.MemoryManager
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType
import org.arbalest.device.types.Schema
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.util.concurrent.locks.LockSupport

/** A backend under the [contract][backendContract], and the functions that the tests need from it. */
public interface Backend {
    /** The device under test. */
    public val device: Device

    /**
     * Holds back all work that is queued in [stream] from now on, until the returned gate is opened or failed. Returns
     * null for a device that completes all work immediately.
     *
     * A gate can be an OpenCL user event before the work, or a function of a simulator.
     */
    public fun gate(stream: DeviceStream): Gate?

    /** Dismisses the violation that a test has just caused on purpose, for a device that detects violations. */
    public fun forgive() {}
}

/** A latch that holds work back. The test opens or fails each gate once. */
public interface Gate {
    /** Lets the work continue. */
    public fun open()

    /** Makes the work fail. Returns false if the runtime cannot do that; the work continues then. */
    public fun fail(): Boolean
}

/** Runs a block with a gate, which is open when this function returns. */
internal inline fun Backend.held(stream: DeviceStream, block: (Gate?) -> Unit) {
    val gate = gate(stream)
    var isOpen = false
    try {
        block(gate?.let { OnceGate(it) { isOpen = true } })
    } finally {
        if (!isOpen) gate?.open()
    }
}

internal class OnceGate(private val gate: Gate, private val opened: () -> Unit) : Gate {
    override fun open() {
        opened()
        gate.open()
    }

    override fun fail(): Boolean {
        opened()
        return gate.fail()
    }
}

/** Allocates CPU memory with a pattern of bytes. The caller closes it. */
internal fun bytes(size: Int, seed: Int = 1): DeviceBuffer = Devices.cpu().allocate(size.toLong()).also { buffer ->
    val segment = buffer.segment()
    for (i in 0 until size) segment.set(JAVA_BYTE, i.toLong(), (i * 31 + seed).toByte())
}

/** Returns the content of a buffer on any device. */
internal fun DeviceBuffer.content(): List<Byte> = copyTo(Devices.cpu().memory()).use {
    it.segment().toArray(JAVA_BYTE).toList()
}

/** Creates a batch in CPU memory with numbers, text, lists and nulls. */
internal fun batch(rows: Int, first: Int = 0): RecordBatch = BatchBuilder.of(Devices.cpu(), rows).use { batch ->
    batch.int64("id", LongArray(rows) { (first + it).toLong() })
    batch.utf8("name", List(rows) { if ((first + it) % 5 == 3) null else "row ${first + it}" })
    val lists = batch.column(LISTS)
    for (row in first until first + rows) {
        lists.appendList(row % 3)
        repeat(row % 3) { lists.items().append("tag $row.$it") }
    }
    batch.bool("odd", BooleanArray(rows) { (first + it) % 2 == 1 })
    batch.build()
}

/** Returns the rows of a batch that the CPU can read. */
internal fun DeviceArray.rows(): List<Any?> = (0 until length()).map { asColumn().get(it) }

/** Returns the rows of a batch on any device. */
internal fun DeviceArray.fetch(): List<Any?> = copyTo(Devices.cpu()).use {
    it.synchronize()
    it.rows()
}

/**
 * Creates a batch of numbers in CPU memory, whose copy needs no offsets: `a` is three times the row, `b` half of it.
 * The caller closes it.
 */
public fun numbers(rows: Int): RecordBatch = BatchBuilder.of(Devices.cpu(), rows).use { batch ->
    batch.int64("a", LongArray(rows) { it * 3L }).float64("b", DoubleArray(rows) { it / 2.0 }).build()
}

/**
 * Creates a batch of [count] columns with 10,000 numbers each. Each column has its own allocation in [memory]. The
 * caller closes the batch.
 */
public fun columns(count: Int, memory: MemoryManager = Devices.cpu().memory()): RecordBatch {
    val children = List(count) { column ->
        val values = memory.allocate(80_000)
        for (row in 0 until 10_000L) values.segment().setAtIndex(JAVA_LONG, row, row * 100 + column)
        ArrayData.of(10_000, 0, listOf(null, values))
    }
    return RecordBatch.of(Schema.of(*Array(count) { Field.of("c$it", DataType.INT64) }),
        ArrayData.of(10_000, 0, listOf(null), children))
}

/** Creates a batch in CPU memory with numbers `a` and texts `t`, such as `text 7` in row 7. The caller closes it. */
public fun texts(rows: Int): RecordBatch = BatchBuilder.of(Devices.cpu(), rows).use { batch ->
    batch.int64("a", LongArray(rows) { it.toLong() }).utf8("t", List(rows) { "text $it" }).build()
}

/** Allocates [size] bytes of CPU memory with a pattern that depends on the [seed]. The caller closes the buffer. */
public fun pageable(size: Long, seed: Int): DeviceBuffer = Devices.cpu().allocate(size).also { buffer ->
    for (at in 0 until size step PIECE) {
        val piece = PIECES[(at / PIECE + seed).toInt() and 0xff]
        MemorySegment.copy(piece, 0, buffer.segment(), JAVA_BYTE, at, minOf(PIECE, size - at).toInt())
    }
}

private const val PIECE = 4096L

/** The pieces of all patterns: [pattern] repeats itself after 256 bytes, except that each piece adds one. */
private val PIECES by lazy { List(256) { more -> ByteArray(PIECE.toInt()) { (it * 31 + more).toByte() } } }

/** Returns the byte at [i] of a buffer that [pageable] has filled with the same [seed]. */
public fun pattern(i: Long, seed: Int): Byte = (i * 31 + i / 4096 + seed).toByte()

/**
 * Blocks until a condition holds that another thread is about to meet. A test uses it in place of a fixed sleep.
 *
 * @throws IllegalStateException with [what], if the condition does not hold after five seconds
 */
public fun eventually(what: String, condition: () -> Boolean): Unit = eventually(what, 5, condition)

/** Blocks like the other [eventually], with a limit in [seconds] for work that takes more than five by design. */
public fun eventually(what: String, seconds: Long, condition: () -> Boolean) {
    val patience = System.nanoTime() + seconds * 1_000_000_000
    while (!condition()) {
        check(System.nanoTime() < patience) { "not so after $seconds seconds: $what" }
        LockSupport.parkNanos(50_000) // the other thread may need the core
    }
}

/**
 * Blocks until the current test has no wait in progress, and returns the counters. A test compares a later
 * [ResourceCounters.now] with them.
 */
public fun settled(): ResourceCounters {
    eventually("no wait is left") { Held.now().waits() == 0L }
    return ResourceCounters.now()
}

private val LISTS = Field.of("tags", NestedType.ListType(Field.of("item", DataType.UTF8)))
