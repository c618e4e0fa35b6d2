// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import java.lang.foreign.MemorySegment

/**
 * Schemas and arrays that the C peer makes, well-formed or not, and its reading of those of anyone.
 *
 * What is made belongs to whoever releases the struct; strings and bytes are copied. Children and dictionaries are
 * blank structs at first, to be filled in place by the same functions: `RawArrowSchema.child` and the like find them.
 */
object PeerNodes {
    private val schemaInit by PeerLibrary.function("peer_schema_init", null, PTR, PTR, PTR, PTR, I64, I64, I64)
    private val schemaSetDictionary by PeerLibrary.function("peer_schema_set_dictionary", null, PTR)
    private val schemaNullChildren by PeerLibrary.function("peer_schema_null_children", null, PTR)
    private val arrayInit by PeerLibrary.function("peer_array_init", null, PTR, I64, I64, I64, I64, I64)
    private val setBuffers = Placement.entries.associateWith {
        PeerLibrary.function(it.function, I32, PTR, I64, PTR, I64)
    }
    private val setForeign by PeerLibrary.function("peer_array_set_buffer_foreign", I32, PTR, I64, PTR)
    private val arraySetDictionary by PeerLibrary.function("peer_array_set_dictionary", null, PTR)
    private val arrayNullChildren by PeerLibrary.function("peer_array_null_children", null, PTR)
    private val arrayNullBuffers by PeerLibrary.function("peer_array_null_buffers", null, PTR)
    private val wrap by PeerLibrary.function("peer_device_array_wrap", null, PTR, PTR, I64, I32, PTR, I32)
    private val consume by PeerLibrary.function("peer_consume_array", I64, PTR, PTR, PTR, I64)
    private val arrayHash by PeerLibrary.function("peer_array_checksum", I64, PTR, PTR)
    private val schemaHash by PeerLibrary.function("peer_schema_checksum", I64, PTR)

    /** How a buffer's bytes lie in memory. */
    enum class Placement(val function: String) {
        /** In memory of exactly their size. */
        PLAIN("peer_array_set_buffer"),

        /** At an odd address. */
        UNALIGNED("peer_array_set_buffer_unaligned"),

        /** With memory behind them that cannot be read: an overread ends the process. */
        GUARDED("peer_array_set_buffer_guarded"),
    }

    /** Fills [out] with a schema; a negative [children] is kept as it is, as a malformed one. */
    fun schema(
        out: MemorySegment,
        format: String?,
        name: String? = "",
        metadata: ByteArray? = null,
        flags: Long = 2,
        children: Long = 0,
    ) {
        withArguments {
            schemaInit.invoke(out, text(format), text(name), bytes(metadata), (metadata?.size ?: 0).toLong(),
                flags, children)
        }
    }

    /** Gives [schema] a blank dictionary. */
    fun setSchemaDictionary(schema: MemorySegment) {
        schemaSetDictionary.invoke(schema)
    }

    /** Makes `children` NULL and keeps `n_children`: malformed. */
    fun nullSchemaChildren(schema: MemorySegment) {
        schemaNullChildren.invoke(schema)
    }

    /** Fills [out] with an array whose buffers are NULL; negative counts are kept as they are, as malformed ones. */
    fun array(
        out: MemorySegment,
        length: Long,
        nullCount: Long = 0,
        offset: Long = 0,
        buffers: Long = 0,
        children: Long = 0,
    ) {
        arrayInit.invoke(out, length, nullCount, offset, buffers, children)
    }

    /** Copies [bytes] and makes them buffer [index]; null makes the buffer NULL. */
    fun setBuffer(array: MemorySegment, index: Long, bytes: ByteArray?, placement: Placement = Placement.PLAIN) {
        val code = withArguments {
            setBuffers.getValue(placement).value.invoke(array, index, bytes(bytes), (bytes?.size ?: 0).toLong()) as Int
        }
        require(code == 0) { "there is no buffer $index" }
    }

    /** Makes [address], such as a device's, buffer [index]; the peer never frees it. */
    fun setForeignBuffer(array: MemorySegment, index: Long, address: MemorySegment) {
        val code = setForeign.invoke(array, index, address) as Int
        require(code == 0) { "there is no buffer $index" }
    }

    /** Gives [array] a blank dictionary. */
    fun setArrayDictionary(array: MemorySegment) {
        arraySetDictionary.invoke(array)
    }

    /** Makes `children` NULL and keeps `n_children`: malformed. */
    fun nullArrayChildren(array: MemorySegment) {
        arrayNullChildren.invoke(array)
    }

    /** Makes `buffers` NULL and keeps `n_buffers`: malformed. */
    fun nullArrayBuffers(array: MemorySegment) {
        arrayNullBuffers.invoke(array)
    }

    /** Moves [moved] into the device array [out]; the event stays the caller's. */
    fun deviceArray(
        out: MemorySegment,
        moved: MemorySegment,
        deviceId: Long,
        deviceType: Int,
        syncEvent: MemorySegment = MemorySegment.NULL,
        dirtyReserved: Boolean = false,
    ) {
        wrap.invoke(out, moved, deviceId, deviceType, syncEvent, if (dirtyReserved) 1 else 0)
    }

    /**
     * The sum of an integer column, nulls skipped; null if there is no such column.
     *
     * @param path names joined by dots, below [array]
     */
    fun sum(array: MemorySegment, schema: MemorySegment, path: String): Long? = withArguments {
        (consume.invoke(array, schema, text(path), -1L) as Long).takeUnless { it == Long.MIN_VALUE }
    }

    /**
     * The sum of the integers of column [index], or of the array itself if that is −1; null if they are no integers.
     */
    fun sum(array: MemorySegment, schema: MemorySegment, index: Long = -1): Long? =
        (consume.invoke(array, schema, MemorySegment.NULL, index) as Long).takeUnless { it == Long.MIN_VALUE }

    /**
     * A hash of all logical values in order, whatever the offsets, the padding, the values beneath nulls, the layout of
     * strings and the encoding by dictionaries; 0, and a violation, where the peer meets what it cannot read.
     */
    fun checksum(array: MemorySegment, schema: MemorySegment): Long = arrayHash.invoke(array, schema) as Long

    /** A hash of format, name (NULL is as good as empty), flags, metadata, children and dictionary. */
    fun schemaChecksum(schema: MemorySegment): Long = schemaHash.invoke(schema) as Long
}
