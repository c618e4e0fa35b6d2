// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop

import java.lang.foreign.MemorySegment

/**
 * An engine that takes streams of batches in and gives them out, by the address of an `ArrowArrayStream`; one object
 * for each.
 */
internal interface Engine {
    val name: String

    /** Why it cannot be had here, or null. */
    val missing: String?

    /** The types that it does not take, by the names of [Types], each with a part of what it says then. */
    val refuses: Map<String, String>

    /** The types that come back as others, by the names of [Types]: what a value of theirs is then. */
    val changes: Map<String, (Any) -> Any?> get() = emptyMap()

    /**
     * The types that it misreads, which is its bug, in arrays that have an offset, or whose nulls nobody has counted (a
     * `null_count` of −1).
     */
    val misreads: Set<String> get() = emptySet()

    /**
     * Pulls a stream, whose columns are `i`, `v` and `w`, to its end, and keeps what it gave. The stream is the
     * engine's.
     */
    fun take(stream: MemorySegment, type: TypeCase): Kept
}

/** Batches that an engine has. */
internal interface Kept : AutoCloseable {
    /** The rows for which the engine finds that `v` is not `w`, or not what it ought to be. */
    fun differences(): Long

    /** Writes a stream of them. */
    fun give(out: MemorySegment)
}
