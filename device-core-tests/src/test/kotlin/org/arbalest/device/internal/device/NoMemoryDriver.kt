// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device

import org.arbalest.device.spi.SynchronousDriver

/** A device for specs of queues and events, in which nothing is ever put. */
internal abstract class NoMemoryDriver : SynchronousDriver {
    override fun isCpuAccessible() = false

    override fun allocate(bytes: Long, alignment: Long): Long = error("nothing is allocated")

    override fun free(address: Long, bytes: Long) = error("nothing is freed")

    override fun copy(queue: Long, to: Long, from: Long, bytes: Long) = error("nothing is copied")
}
