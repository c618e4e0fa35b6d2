// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.support

/** The end of the message about data that 32-bit offsets cannot address. */
internal const val BEYOND_32_BITS: String =
    "are more than offsets of 32 bits reach; take fewer rows, or a large_ type, with offsets of 64 bits"
