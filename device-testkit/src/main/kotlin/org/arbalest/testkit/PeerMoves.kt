// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit

import org.arbalest.device.abi.ArrowArrayStreamStruct
import org.arbalest.device.abi.ArrowArrayStruct
import org.arbalest.device.abi.ArrowDeviceArrayStreamStruct
import org.arbalest.device.abi.ArrowDeviceArrayStruct
import org.arbalest.device.abi.ArrowSchemaStruct
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout

/** A struct that has a release. */
public enum class StructKind(
    /** Its size in bytes. */
    public val size: Long,
) {
    /** `ArrowArray`. */
    ARRAY(ArrowArrayStruct.SIZE),

    /** `ArrowSchema`. */
    SCHEMA(ArrowSchemaStruct.SIZE),

    /** `ArrowArrayStream`. */
    STREAM(ArrowArrayStreamStruct.SIZE),

    /** `ArrowDeviceArray`. */
    DEVICE_ARRAY(ArrowDeviceArrayStruct.SIZE),

    /** `ArrowDeviceArrayStream`. */
    DEVICE_STREAM(ArrowDeviceArrayStreamStruct.SIZE),
}

/** What C programs do to structs, whose ever they are: releasing them, on any thread, moving them, taking them apart. */
public object PeerMoves {
    private val releaseFunction = PeerLibrary.function("peer_release", I32, PTR, I32)
    private val twice = PeerLibrary.function("peer_release_twice", I32, PTR, I32)
    private val moved = PeerLibrary.function("peer_release_moved", I32, PTR, I32)
    private val moveFunction = PeerLibrary.function("peer_move", null, PTR, PTR, I32)
    private val copyFunction = PeerLibrary.function("peer_copy", null, PTR, PTR, I32)
    private val child = PeerLibrary.function("peer_move_child", null, PTR, I64, PTR)
    private val dictionary = PeerLibrary.function("peer_move_dictionary", null, PTR, PTR)
    private val schemaChild = PeerLibrary.function("peer_move_schema_child", null, PTR, I64, PTR)
    private val schemaDictionary = PeerLibrary.function("peer_move_schema_dictionary", null, PTR, PTR)
    private val onThread = PeerLibrary.function("peer_release_on_thread", I32, PTR, I32)
    private val later = PeerLibrary.function("peer_release_later", null, PTR, I32, I64)
    private val join = PeerLibrary.function("peer_join_all", null)
    private val many = PeerLibrary.function("peer_release_many", I64, PTR, I64, I32, I32)
    private val exit = PeerLibrary.function("peer_exit_with_release", null, PTR, I32, I32)

    /** Where a struct is released while the process exits. */
    public enum class AtExit {
        /** On the thread that exits. */
        HERE,

        /** On a pthread woken then, which is waited for up to a second. */
        WAIT,

        /** On a pthread woken then, which is not waited for. */
        RACE,
    }

    /** Calls `release` on this thread; false if the struct was released before. */
    public fun release(struct: MemorySegment, kind: StructKind): Boolean = releaseFunction.invoke(struct, kind.ordinal) as Int == 1

    /** Calls the release function it finds twice on the same struct; true if `release` was NULL after the first call. */
    public fun releaseTwice(struct: MemorySegment, kind: StructKind): Boolean = twice.invoke(struct, kind.ordinal) as Int == 1

    /** Moves the struct to fresh memory and releases it there; true if `release` was NULL afterwards. */
    public fun releaseMoved(struct: MemorySegment, kind: StructKind): Boolean = moved.invoke(struct, kind.ordinal) as Int == 1

    /** [release] on a new pthread, which is joined. */
    public fun releaseOnThread(struct: MemorySegment, kind: StructKind): Boolean = onThread.invoke(struct, kind.ordinal) as Int == 1

    /** Moves the struct to the peer's memory, whence a pthread releases it after [delayMillis]; [joinAll] waits for it. */
    public fun releaseLater(struct: MemorySegment, kind: StructKind, delayMillis: Long) {
        require(delayMillis >= 0) { "$delayMillis ms" }
        later.invoke(struct, kind.ordinal, delayMillis)
    }

    /** Moves the struct to the peer's memory, whence a pthread releases it when the gate opens; [joinAll] waits for it. */
    public fun releaseAtGate(struct: MemorySegment, kind: StructKind) {
        later.invoke(struct, kind.ordinal, -1L)
    }

    /** Waits for all threads that release later or at the gate. */
    public fun joinAll() {
        join.invoke()
    }

    /** Releases all [structs] from [threads] pthreads at once, in random order; returns how many were not released before. */
    public fun releaseMany(structs: List<MemorySegment>, threads: Int, kind: StructKind): Long = withArguments {
        val pointers = longs(structs.size)
        structs.forEachIndexed { i, struct -> pointers.setAtIndex(ValueLayout.ADDRESS, i.toLong(), struct) }
        many.invoke(pointers, structs.size.toLong(), threads, kind.ordinal) as Long
    }

    /** Moves the struct to the peer's memory and releases it while the process exits. */
    public fun releaseAtExit(struct: MemorySegment, kind: StructKind, how: AtExit) {
        exit.invoke(struct, kind.ordinal, how.ordinal)
    }

    /** Copies the bytes and marks [from] as released. */
    public fun move(from: MemorySegment, to: MemorySegment, kind: StructKind) {
        moveFunction.invoke(from, to, kind.ordinal)
    }

    /** Copies the bytes and marks nothing: two owners, which is illegal. */
    public fun copy(from: MemorySegment, to: MemorySegment, kind: StructKind) {
        copyFunction.invoke(from, to, kind.ordinal)
    }

    /** Moves child [index] out of [array], which stays valid without it. */
    public fun moveChild(array: MemorySegment, index: Long, to: MemorySegment) {
        child.invoke(array, index, to)
    }

    /** Moves the dictionary out of [array], which stays valid without it. */
    public fun moveDictionary(array: MemorySegment, to: MemorySegment) {
        dictionary.invoke(array, to)
    }

    /** Moves child [index] out of [schema], which stays valid without it. */
    public fun moveSchemaChild(schema: MemorySegment, index: Long, to: MemorySegment) {
        schemaChild.invoke(schema, index, to)
    }

    /** Moves the dictionary out of [schema], which stays valid without it. */
    public fun moveSchemaDictionary(schema: MemorySegment, to: MemorySegment) {
        schemaDictionary.invoke(schema, to)
    }
}
