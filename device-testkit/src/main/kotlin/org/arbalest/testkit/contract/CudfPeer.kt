// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.contract

import io.kotest.matchers.shouldBe
import org.arbalest.device.Device
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.ArrowDeviceArrayStruct
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.IntType
import org.arbalest.device.types.NestedType.DictionaryType
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.ADDRESS
import java.nio.ByteBuffer
import java.nio.ByteOrder

/**
 * A consumer like libcudf, which owns an exported array. Closing it releases the array without a wait; see
 * [cudfContract].
 */
internal class CudfPeer(array: DeviceArray, options: CExport) : AutoCloseable {
    private val arena = Arena.ofShared()
    private val struct = ArrowDeviceArrayStruct.allocate(arena)

    /** The type of the array. */
    val field: Field

    init {
        val schema = ArrowSchemaStruct.allocate(arena)
        try {
            CData.exportArray(array, struct, options.schemaTo(schema))
        } catch (e: Throwable) {
            arena.close()
            throw e
        }
        field = try {
            CData.importSchema(schema).also(::requireSigned)
        } catch (e: Throwable) {
            close()
            throw e
        }
    }

    private fun requireSigned(field: Field) {
        val type = field.type()
        check(type !is DictionaryType || type.index().signed()) {
            "dictionary '${field.name()}' has indices of ${(type as DictionaryType).index()}, cuDF takes signed ones"
        }
        type.children().forEach(::requireSigned)
    }

    /** The null count of each array, depth first. */
    val nullCounts: List<Long> get() = counts(struct)

    private fun counts(array: MemorySegment): List<Long> {
        val size = ArrowArrayStruct.LAYOUT.byteSize()
        val children = ArrowArrayStruct.nChildren(array)
        val list = ArrowArrayStruct.children(array).reinterpret(children * ADDRESS.byteSize())
        return listOf(ArrowArrayStruct.nullCount(array)) +
            (0 until children).flatMap { counts(list.getAtIndex(ADDRESS, it).reinterpret(size)) }
    }

    private val first: MemorySegment
        get() = ArrowArrayStruct.children(struct).reinterpret(8).get(ADDRESS, 0)
            .reinterpret(ArrowArrayStruct.LAYOUT.byteSize())

    private fun buffer(device: Device, array: MemorySegment, index: Long, bytes: Long): DeviceBuffer {
        val buffers = ArrowArrayStruct.buffers(array).reinterpret(ADDRESS.byteSize() * ArrowArrayStruct.nBuffers(array))
        return DeviceBuffer.wrap(device, buffers.getAtIndex(ADDRESS, index).address(), bytes) {}
    }

    /** The values of the first column. */
    fun read(device: Device): DeviceBuffer = buffer(device, first, 1, 8 * ArrowArrayStruct.length(first))

    /** The texts of the first column, a dictionary. It has a null. */
    fun readEnums(device: Device, index: IntType): List<String?> {
        fun bytes(array: MemorySegment, at: Long, bytes: Long): ByteBuffer =
            ByteBuffer.wrap(buffer(device, array, at, bytes).use { it.content() }.toByteArray())
                .order(ByteOrder.nativeOrder())
        val rows = ArrowArrayStruct.length(first).toInt()
        val width = index.bits() / Byte.SIZE_BITS
        val valid = bytes(first, 0, (rows + 7L) / 8)
        val indices = bytes(first, 1, width.toLong() * rows)
        val dictionary = ArrowArrayStruct.dictionary(first).reinterpret(ArrowArrayStruct.LAYOUT.byteSize())
        val offsets = bytes(dictionary, 1, 4 * (ArrowArrayStruct.length(dictionary) + 1)).asIntBuffer()
        val texts = bytes(dictionary, 2, offsets[offsets.limit() - 1].toLong()).array()
        return List(rows) { row ->
            if (valid[row / 8].toInt() shr row % 8 and 1 == 0) return@List null
            val at = when (width) {
                1 -> indices[row].toInt()
                2 -> indices.getShort(2 * row).toInt()
                4 -> indices.getInt(4 * row)
                else -> indices.getLong(8 * row).toInt()
            }
            String(texts, offsets[at], offsets[at + 1] - offsets[at])
        }
    }

    override fun close() {
        NativeThread.release(struct) shouldBe true
        arena.close()
    }
}
