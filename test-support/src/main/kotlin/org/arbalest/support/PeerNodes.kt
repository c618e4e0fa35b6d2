// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import java.lang.foreign.MemorySegment

/**
 * Schemas and arrays that the C peer makes, well-formed or not, and its reading of any producer's.
 *
 * The owner of a struct releases it. Strings and bytes are copied. Children and dictionaries begin as blank structs,
 * which the same functions fill in place: `RawArrowSchema.child` and similar functions find them.
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

    /** The ways in which a buffer's bytes are placed in memory. */
    enum class Placement(val function: String) {
        /** In memory of exactly the bytes' size. */
        PLAIN("peer_array_set_buffer"),

        /** At an odd address. */
        UNALIGNED("peer_array_set_buffer_unaligned"),

        /** Followed by memory that cannot be read: a read beyond the end crashes the process. */
        GUARDED("peer_array_set_buffer_guarded"),
    }

    /** Fills [out] with a schema. A negative [children] stays in the struct, which is then malformed. */
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

    /** Sets `children` to NULL and keeps `n_children`: malformed. */
    fun nullSchemaChildren(schema: MemorySegment) {
        schemaNullChildren.invoke(schema)
    }

    /**
     * Fills [out] with an array whose buffers are NULL. Negative counts stay in the struct, which is then malformed.
     */
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

    /** Copies [bytes] into buffer [index]; null sets the buffer to NULL. */
    fun setBuffer(array: MemorySegment, index: Long, bytes: ByteArray?, placement: Placement = Placement.PLAIN) {
        val code = withArguments {
            setBuffers.getValue(placement).value.invoke(array, index, bytes(bytes), (bytes?.size ?: 0).toLong()) as Int
        }
        require(code == 0) { "there is no buffer $index" }
    }

    /** Sets buffer [index] to [address], such as a device address; the peer never frees it. */
    fun setForeignBuffer(array: MemorySegment, index: Long, address: MemorySegment) {
        val code = setForeign.invoke(array, index, address) as Int
        require(code == 0) { "there is no buffer $index" }
    }

    /** Gives [array] a blank dictionary. */
    fun setArrayDictionary(array: MemorySegment) {
        arraySetDictionary.invoke(array)
    }

    /** Sets `children` to NULL and keeps `n_children`: malformed. */
    fun nullArrayChildren(array: MemorySegment) {
        arrayNullChildren.invoke(array)
    }

    /** Sets `buffers` to NULL and keeps `n_buffers`: malformed. */
    fun nullArrayBuffers(array: MemorySegment) {
        arrayNullBuffers.invoke(array)
    }

    /** Moves [moved] into the device array [out]. The caller keeps the event. */
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
     * Returns the sum of an integer column, without its nulls; null if there is no such column.
     *
     * @param path names joined by dots, below [array]
     */
    fun sum(array: MemorySegment, schema: MemorySegment, path: String): Long? = withArguments {
        (consume.invoke(array, schema, text(path), -1L) as Long).takeUnless { it == Long.MIN_VALUE }
    }

    /**
     * Returns the sum of the integers of column [index], or of the array itself if the index is −1; null if the values
     * are not integers.
     */
    fun sum(array: MemorySegment, schema: MemorySegment, index: Long = -1): Long? =
        (consume.invoke(array, schema, MemorySegment.NULL, index) as Long).takeUnless { it == Long.MIN_VALUE }

    /**
     * Returns a hash of all logical values in order. It is independent of offsets, padding, values beneath nulls, the
     * layout of strings, and encoding by dictionaries. It is 0, with a violation, if the peer cannot read the array.
     */
    fun checksum(array: MemorySegment, schema: MemorySegment): Long = arrayHash.invoke(array, schema) as Long

    /** Returns a hash of format, name (NULL equals empty), flags, metadata, children and dictionary. */
    fun schemaChecksum(schema: MemorySegment): Long = schemaHash.invoke(schema) as Long
}
