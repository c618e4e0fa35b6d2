// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.contract

import org.arbalest.device.ArrayData
import org.arbalest.device.Device
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.Devices
import org.arbalest.device.columns.Column
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.StructType
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.util.concurrent.atomic.AtomicInteger

/** The content of a column, by cuDF's parts. A part is null if it has no bytes. */
internal class Laid(
    val rows: Long,
    val nulls: Long,
    val valid: ByteArray?,
    val offsets: ByteArray?,
    val data: ByteArray?,
    val children: List<Laid> = emptyList(),
)

/**
 * A column of another library in a device's memory, with cuDF's layout (cpp/include/cudf/column/column_view.hpp): each
 * part is a block, padded to 64 bytes, and all blocks have one owner.
 */
internal class ForeignColumn(private val device: Device, private val laid: Laid) {
    private val blocks = HashMap<ByteArray, DeviceBuffer>().also { allocate(laid, it) }
    private val releases = AtomicInteger()

    /** How often the column was released. */
    val released: Int get() = releases.get()

    /** Returns the number of buffers that [wrap] makes, except the owner. */
    fun buffers(field: Field): Int = buffers(field, laid)

    private fun buffers(field: Field, laid: Laid): Int =
        parts(field, laid).size - (if (laid.valid == null) 1 else 0) +
            laid.children.withIndex().sumOf { (i, child) -> buffers(field.type().children()[i], child) }

    private fun allocate(laid: Laid, blocks: HashMap<ByteArray, DeviceBuffer>) {
        for (part in listOfNotNull(laid.valid, laid.offsets, laid.data)) {
            val padded = part + ByteArray(-part.size and 63) { 0x6E }
            Devices.cpu().allocate(padded.size.toLong()).use { here ->
                MemorySegment.copy(padded, 0, here.segment(), JAVA_BYTE, 0, padded.size)
                blocks[part] = here.copyTo(device.memory())
            }
        }
        laid.children.forEach { allocate(it, blocks) }
    }

    private fun release() {
        releases.incrementAndGet()
        blocks.values.forEach { it.close() }
    }

    /** Returns the addresses of the parts, depth first. An absent bitmap has the address 0. */
    fun addresses(field: Field): List<Long> = addresses(field, laid)

    private fun addresses(field: Field, laid: Laid): List<Long> =
        parts(field, laid).map { if (it == null) 0L else blocks.getValue(it).address() } +
            laid.children.flatMapIndexed { i, child -> addresses(field.type().children()[i], child) }

    /** Returns the parts in the columnar format's order, first the bitmap. */
    private fun parts(field: Field, laid: Laid): List<ByteArray?> = when (field.type()) {
        is StructType -> listOf(laid.valid)
        is ListType -> listOf(laid.valid, laid.offsets)
        DataType.UTF8 -> listOf(laid.valid, laid.offsets, laid.data)
        else -> listOf(laid.valid, laid.data)
    }

    /**
     * Returns an array in the column's memory, made of addresses. The last reference to it releases the column.
     *
     * @param impossible the number of the buffer that has an impossible size; −1 for none
     */
    fun wrap(field: Field, impossible: Int = -1): DeviceArray {
        val open = mutableListOf(DeviceBuffer.wrap(device, 0, 0, ::release))
        fun wrapped(block: DeviceBuffer?): DeviceBuffer {
            val size = if (open.size - 1 == impossible) -1 else block?.size() ?: 0
            return DeviceBuffer.wrap(device, block?.address() ?: 0, size, open[0]).also(open::add)
        }
        fun data(field: Field, laid: Laid): ArrayData = ArrayData.of(
            laid.rows, laid.nulls,
            parts(field, laid).mapIndexed { i, part ->
                if (i == 0 && part == null) null else wrapped(part?.let(blocks::getValue))
            },
            laid.children.mapIndexed { i, child -> data(field.type().children()[i], child) },
        )
        try {
            return DeviceArray.of(field, data(field, laid))
        } finally {
            open.forEach { it.close() } // the array keeps those that it took over
        }
    }
}

/** Returns the addresses of a column's buffers, and of those below it, depth first, for cuDF's constructors. */
internal fun addresses(column: Column): List<Long> {
    check(column.offset() == 0L) { "cuDF takes no offset" }
    val children = when (column.field().type()) {
        is ListType -> listOf(column.items())
        is StructType -> column.field().type().children().indices.map { column.column(it) }
        else -> emptyList()
    }
    return (0 until column.bufferCount()).map { column.bufferAddress(it) } + children.flatMap(::addresses)
}
