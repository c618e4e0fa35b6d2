// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.internal.abi.RawArrowArrayStream
import org.arbalest.device.internal.abi.RawArrowDeviceArray
import org.arbalest.device.internal.abi.RawArrowDeviceArrayStream
import org.arbalest.device.internal.abi.RawArrowSchema
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout

/** A struct that has a release function. */
enum class StructKind(
    /** Its size in bytes. */
    val size: Long,
) {
    /** `ArrowArray`. */
    ARRAY(RawArrowArray.SIZE),

    /** `ArrowSchema`. */
    SCHEMA(RawArrowSchema.SIZE),

    /** `ArrowArrayStream`. */
    STREAM(RawArrowArrayStream.SIZE),

    /** `ArrowDeviceArray`. */
    DEVICE_ARRAY(RawArrowDeviceArray.SIZE),

    /** `ArrowDeviceArrayStream`. */
    DEVICE_STREAM(RawArrowDeviceArrayStream.SIZE),
}

/** The actions of C programs on structs of any owner: release, on any thread, moves, and taking structs apart. */
object PeerMoves {
    private val releaseFunction by PeerLibrary.function("peer_release", I32, PTR, I32)
    private val twice by PeerLibrary.function("peer_release_twice", I32, PTR, I32)
    private val moved by PeerLibrary.function("peer_release_moved", I32, PTR, I32)
    private val moveFunction by PeerLibrary.function("peer_move", null, PTR, PTR, I32)
    private val copyFunction by PeerLibrary.function("peer_copy", null, PTR, PTR, I32)
    private val child by PeerLibrary.function("peer_move_child", null, PTR, I64, PTR)
    private val dictionary by PeerLibrary.function("peer_move_dictionary", null, PTR, PTR)
    private val schemaChild by PeerLibrary.function("peer_move_schema_child", null, PTR, I64, PTR)
    private val schemaDictionary by PeerLibrary.function("peer_move_schema_dictionary", null, PTR, PTR)
    private val onThread by PeerLibrary.function("peer_release_on_thread", I32, PTR, I32)
    private val later by PeerLibrary.function("peer_release_later", null, PTR, I32, I64)
    private val join by PeerLibrary.function("peer_join_all", null)
    private val many by PeerLibrary.function("peer_release_many", I64, PTR, I64, I32, I32)
    private val exit by PeerLibrary.function("peer_exit_with_release", null, PTR, I32, I32)

    /** The thread that releases a struct while the process exits. */
    enum class AtExit {
        /** The exiting thread. */
        HERE,

        /** A pthread that the exit wakes; the exit waits for it up to a second. */
        WAIT,

        /** A pthread that the exit wakes; the exit does not wait. */
        RACE,
    }

    /** Calls `release` on this thread; false if the struct was released before. */
    fun release(struct: MemorySegment, kind: StructKind): Boolean =
        releaseFunction.invoke(struct, kind.ordinal) as Int == 1

    /** Calls the struct's release function twice. Returns true if `release` was NULL after the first call. */
    fun releaseTwice(struct: MemorySegment, kind: StructKind): Boolean = twice.invoke(struct, kind.ordinal) as Int == 1

    /** Moves the struct to new memory and releases it there. Returns true if `release` is then NULL. */
    fun releaseMoved(struct: MemorySegment, kind: StructKind): Boolean = moved.invoke(struct, kind.ordinal) as Int == 1

    /** Calls [release] on a new pthread, and joins it. */
    fun releaseOnThread(struct: MemorySegment, kind: StructKind): Boolean =
        onThread.invoke(struct, kind.ordinal) as Int == 1

    /**
     * Moves the struct to the peer's memory. A pthread releases it there after [delayMillis]; [joinAll] waits for it.
     */
    fun releaseLater(struct: MemorySegment, kind: StructKind, delayMillis: Long) {
        require(delayMillis >= 0) { "$delayMillis ms" }
        later.invoke(struct, kind.ordinal, delayMillis)
    }

    /**
     * Moves the struct to the peer's memory. A pthread releases it there when the gate opens; [joinAll] waits for it.
     */
    fun releaseAtGate(struct: MemorySegment, kind: StructKind) {
        later.invoke(struct, kind.ordinal, -1L)
    }

    /** Waits for all threads that release later or at the gate. */
    fun joinAll() {
        join.invoke()
    }

    /**
     * Releases all [structs] from [threads] pthreads at the same time, in random order. Returns the number of structs
     * that were not released before.
     */
    fun releaseMany(structs: List<MemorySegment>, threads: Int, kind: StructKind): Long = withArguments {
        val pointers = longs(structs.size)
        structs.forEachIndexed { i, struct -> pointers.setAtIndex(ValueLayout.ADDRESS, i.toLong(), struct) }
        many.invoke(pointers, structs.size.toLong(), threads, kind.ordinal) as Long
    }

    /** Moves the struct to the peer's memory and releases it while the process exits. */
    fun releaseAtExit(struct: MemorySegment, kind: StructKind, how: AtExit) {
        exit.invoke(struct, kind.ordinal, how.ordinal)
    }

    /** Copies the bytes, and marks [from] as released. */
    fun move(from: MemorySegment, to: MemorySegment, kind: StructKind) {
        moveFunction.invoke(from, to, kind.ordinal)
    }

    /** Copies the bytes, and marks neither struct as released: the result has two owners, which is illegal. */
    fun copy(from: MemorySegment, to: MemorySegment, kind: StructKind) {
        copyFunction.invoke(from, to, kind.ordinal)
    }

    /** Moves child [index] out of [array], which stays valid without it. */
    fun moveChild(array: MemorySegment, index: Long, to: MemorySegment) {
        child.invoke(array, index, to)
    }

    /** Moves the dictionary out of [array], which stays valid without it. */
    fun moveDictionary(array: MemorySegment, to: MemorySegment) {
        dictionary.invoke(array, to)
    }

    /** Moves child [index] out of [schema], which stays valid without it. */
    fun moveSchemaChild(schema: MemorySegment, index: Long, to: MemorySegment) {
        schemaChild.invoke(schema, index, to)
    }

    /** Moves the dictionary out of [schema], which stays valid without it. */
    fun moveSchemaDictionary(schema: MemorySegment, to: MemorySegment) {
        schemaDictionary.invoke(schema, to)
    }
}
