// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.support

/** The end of the message about data that 32-bit offsets cannot address. */
internal const val BEYOND_32_BITS: String =
    "are more than offsets of 32 bits reach; take fewer rows, or a large_ type, with offsets of 64 bits"

/** Parts of the messages about values, which `Validation.FULL` rejects and `BOUNDS` does not. */
private val VALUE_FAULTS = listOf(
    "not UTF-8", "inline bytes, but", "begins with 0x", "the field is not nullable", "more digits",
    "whole number of days", "of a day",
)

/** Returns whether a message of validation is about a value, and not about bounds. */
internal fun isAboutValue(message: String): Boolean = VALUE_FAULTS.any(message::contains)

/** Returns whether an error of validation is about a value. */
internal fun isAboutValue(fault: Throwable): Boolean = isAboutValue(fault.message.orEmpty())
