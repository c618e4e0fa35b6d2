// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import org.arbalest.device.ipc.IpcType.Shape

/**
 * A thing that Arrow Java cannot do. Tests expect its error, so that they fail when a newer Arrow Java can do it.
 *
 * @property message a part of its error
 * @property vectors a part of the error of device-arrow, which makes vectors
 */
internal enum class JavaLimit(val message: String, val vectors: String) {
    /** Arrow Java has no vectors of decimals of 32 and 64 bits. */
    NARROW_DECIMALS("128-bit and 256-bit decimal", "only of decimal128 and decimal256"),

    /** Arrow Java makes the vector of a union's items without the union's type ids, and then finds another type. */
    UNIONS_IN_FIXED_LISTS("Inner vector type mismatch", "Inner vector type mismatch"),

    /** Arrow Java reads as many dictionary batches of a file as there are dictionaries, and no deltas behind them. */
    DELTAS_IN_FILES("is beyond the 2 values of the dictionary", ""),
    ;

    companion object {
        fun of(type: IpcType, shape: Shape): JavaLimit? = when {
            type.isNarrowDecimal -> NARROW_DECIMALS
            type.isUnion && shape == Shape.FIXED_LISTS -> UNIONS_IN_FIXED_LISTS
            else -> null
        }

        /** The limits for types, each with one shape. */
        val types: List<Pair<IpcType, Shape>> = listOf(Shape.WHOLE, Shape.FIXED_LISTS).flatMap { shape ->
            IpcType.main.filter { of(it, shape) != null }.map { it to shape }
        }

        /** Returns the main types that Arrow Java can read and write in this shape. */
        fun without(shape: Shape): List<IpcType> = IpcType.main.filter { of(it, shape) == null }
    }
}
