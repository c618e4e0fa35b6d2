// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.support

import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.support.PeerNodes
import org.arbalest.support.StructKind
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.nio.ByteBuffer
import java.nio.ByteOrder

/** A native array as its bytes, which a test writes by hand or changes before the import. */
internal class RawArray(
    val field: Field,
    var length: Int,
    var nullCount: Long,
    var offset: Int,
    val buffers: MutableList<ByteBuffer?>,
    val children: List<RawArray> = emptyList(),
    val dictionary: RawArray? = null,
) {
    val type: DataType get() = this.field.type()
    val end: Int get() = offset + length

    /**
     * Fills [out], a zeroed struct, with an array. [place] stores the bytes of each buffer and returns their address.
     * The caller owns that memory.
     */
    fun lay(out: MemorySegment, place: (ByteArray) -> Long) {
        PeerNodes.array(out, length.toLong(), nullCount, offset.toLong(), buffers.size.toLong(), children.size.toLong())
        buffers.forEachIndexed { i, bytes ->
            if (bytes != null)
                PeerNodes.setForeignBuffer(out, i.toLong(), MemorySegment.ofAddress(place(bytes.array())))
        }
        children.forEachIndexed { i, child -> child.lay(at(RawArrowArray.child(out.address(), i.toLong())), place) }
        if (dictionary == null) return
        PeerNodes.setArrayDictionary(out)
        dictionary.lay(at(RawArrowArray.dictionary(out.address())), place)
    }

    /** Returns a struct of the array, with its bytes, in an arena. */
    fun laid(arena: Arena): MemorySegment = arena.struct(StructKind.ARRAY).also { out ->
        lay(out) { bytes ->
            arena.allocate(bytes.size.toLong().coerceAtLeast(1), 1).also { it.asByteBuffer().put(bytes) }.address()
        }
    }

    private fun at(struct: Long): MemorySegment = MemorySegment.ofAddress(struct).reinterpret(RawArrowArray.SIZE)

    companion object {
        /** Returns a buffer of zeros. */
        fun blank(size: Int): ByteBuffer = ByteBuffer.allocate(size).order(ByteOrder.nativeOrder())

        fun bytes(vararg values: Byte): ByteBuffer = ByteBuffer.wrap(values).order(ByteOrder.nativeOrder())

        fun ints(vararg values: Int): ByteBuffer = blank(4 * values.size).also { buffer ->
            values.forEachIndexed { i, value -> buffer.putInt(4 * i, value) }
        }

        fun longs(vararg values: Long): ByteBuffer = blank(8 * values.size).also { buffer ->
            values.forEachIndexed { i, value -> buffer.putLong(8 * i, value) }
        }
    }
}

/** Returns the integer of 1, 2, 4 or 8 bytes at an index. */
internal fun ByteBuffer.integer(width: Int, index: Int): Long = when (width) {
    1 -> get(index).toLong()
    2 -> getShort(2 * index).toLong()
    4 -> getInt(4 * index).toLong()
    else -> getLong(8 * index)
}

internal fun ByteBuffer.setInteger(width: Int, index: Int, value: Long) {
    when (width) {
        1 -> put(index, value.toByte())
        2 -> putShort(2 * index, value.toShort())
        4 -> putInt(4 * index, value.toInt())
        else -> putLong(8 * index, value)
    }
}

internal fun ByteBuffer.bit(index: Int): Boolean = get(index / 8).toInt() shr index % 8 and 1 != 0

internal fun ByteBuffer.setBit(index: Int, value: Boolean) {
    val others = get(index / 8).toInt() and (1 shl index % 8).inv()
    put(index / 8, (others or ((if (value) 1 else 0) shl index % 8)).toByte())
}
