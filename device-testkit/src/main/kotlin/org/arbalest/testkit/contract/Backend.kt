// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.contract

import org.arbalest.device.ArrayData
import org.arbalest.device.Device
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceStream
import org.arbalest.device.Devices
import org.arbalest.device.MemoryManager
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType
import org.arbalest.device.types.Schema
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.util.concurrent.locks.LockSupport

/** A backend that is to keep the [contract][backendContract], and the means that the tests have. */
public interface Backend {
    /** The device under test. */
    public val device: Device

    /**
     * Holds back what is queued in [stream] from now on, until it is opened; null for a device that does everything at
     * once. An OpenCL user event in front of the work does that, or a gate in a test double.
     */
    public fun gate(stream: DeviceStream): Gate?

    /** Forgives what a test has just done wrong on purpose, where the device watches. */
    public fun forgive() {}
}

/** A latch: holds work back. Each is opened or failed once. */
public interface Gate {
    /** Lets the work go on. */
    public fun open()

    /** Lets the work fail, if the runtime can do that: whether it could. */
    public fun fail(): Boolean
}

/** Runs a block behind a gate, which is open when this returns. */
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

/** Main memory with some bytes in it; to be closed. */
internal fun bytes(size: Int, seed: Int = 1): DeviceBuffer = Devices.cpu().allocate(size.toLong()).also { buffer ->
    val segment = buffer.segment()
    for (i in 0 until size) segment.set(JAVA_BYTE, i.toLong(), (i * 31 + seed).toByte())
}

/** What is in a buffer, wherever it is. */
internal fun DeviceBuffer.content(): List<Byte> = copyTo(Devices.cpu().memory()).use {
    it.segment().toArray(JAVA_BYTE).toList()
}

/** A batch in main memory with numbers, text, lists and nulls. */
internal fun batch(rows: Int, first: Int = 0): DeviceArray = BatchBuilder.of(Devices.cpu(), rows).use { batch ->
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

/** The rows of a batch that the CPU can read. */
internal fun DeviceArray.rows(): List<Any?> = (0 until length()).map { asColumn().get(it) }

/** The rows of a batch, wherever it is. */
internal fun DeviceArray.fetch(): List<Any?> = copyTo(Devices.cpu()).use {
    it.synchronize()
    it.rows()
}

/** A batch in main memory of numbers only, whose copy needs no offsets: `a` is three times the row, `b` half of it. */
public fun numbers(rows: Int): DeviceArray = BatchBuilder.of(Devices.cpu(), rows).use { batch ->
    batch.int64("a", LongArray(rows) { it * 3L }).float64("b", DoubleArray(rows) { it / 2.0 }).build()
}

/** A batch of some columns of 10,000 numbers each, every one in [memory] of its own. */
public fun columns(count: Int, memory: MemoryManager = Devices.cpu().memory()): DeviceArray {
    val children = List(count) { column ->
        val values = memory.allocate(80_000)
        for (row in 0 until 10_000L) values.segment().setAtIndex(JAVA_LONG, row, row * 100 + column)
        ArrayData.of(10_000, 0, listOf(null, values))
    }
    return DeviceArray.of(Schema.of(*Array(count) { Field.of("c$it", DataType.INT64) }).asField(),
        ArrayData.of(10_000, 0, listOf(null), children))
}

/** A batch in main memory with numbers, `a`, and texts, `t`: `text 7` in row 7. */
public fun texts(rows: Int): DeviceArray = BatchBuilder.of(Devices.cpu(), rows).use { batch ->
    batch.int64("a", LongArray(rows) { it.toLong() }).utf8("t", List(rows) { "text $it" }).build()
}

/** Main memory with a pattern that depends on the [seed]; to be closed. */
public fun pageable(size: Long, seed: Int): DeviceBuffer = Devices.cpu().allocate(size).also { buffer ->
    val segment = buffer.segment()
    for (i in 0 until size) segment.set(JAVA_BYTE, i, pattern(i, seed))
}

/** The byte at [i] of a buffer that [pageable] has filled with the same [seed]. */
public fun pattern(i: Long, seed: Int): Byte = (i * 31 + i / 4096 + seed).toByte()

/**
 * Waits for what another thread is about to do; not for time to pass.
 *
 * @throws IllegalStateException with [what], if it is not so after five seconds
 */
public fun eventually(what: String, condition: () -> Boolean): Unit = eventually(what, 5, condition)

/** Like the other [eventually], with a limit in [seconds] for work that takes more than five by its design. */
public fun eventually(what: String, seconds: Long, condition: () -> Boolean) {
    val patience = System.nanoTime() + seconds * 1_000_000_000
    while (!condition()) {
        check(System.nanoTime() < patience) { "not so after $seconds seconds: $what" }
        LockSupport.parkNanos(50_000) // whoever is to make it so may need the core
    }
}

/**
 * What is held when nothing is under way any more that is released by itself: what to compare a later
 * [ResourceCounters.now] with.
 */
public fun settled(): ResourceCounters {
    eventually("no wait is left") { Held.now().waits() == 0L }
    return ResourceCounters.now()
}

private val LISTS = Field.of("tags", NestedType.ListType(Field.of("item", DataType.UTF8)))
