// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop

import java.lang.foreign.MemorySegment

/**
 * An engine that imports and exports streams of batches by the address of an `ArrowArrayStream`. Each engine is one
 * object.
 */
internal interface Engine {
    val name: String

    /** The reason why the engine is not available here, or null. */
    val missing: String?

    /** The types that the engine rejects, by the names of [Types], each with a part of the error message. */
    val refuses: Map<String, String>

    /**
     * The types that the engine returns as another type, by the names of [Types]. Each function converts a value to the
     * value that comes back.
     */
    val changes: Map<String, (Any) -> Any?> get() = emptyMap()

    /**
     * The types that the engine misreads, because of a bug of the engine, in arrays that have an offset or an unknown
     * null count (a `null_count` of −1).
     */
    val misreads: Set<String> get() = emptySet()

    /**
     * Pulls a stream with the columns `i`, `v` and `w` to its end, and keeps its batches. The engine owns the stream.
     */
    fun take(stream: MemorySegment, type: TypeCase): Kept
}

/** The batches that an engine keeps. */
internal interface Kept : AutoCloseable {
    /** Returns how many rows the engine finds in which `v` differs from `w` or from the expected value. */
    fun differences(): Long

    /** Writes a stream of the batches to [out]. */
    fun give(out: MemorySegment)
}
