// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device

import org.arbalest.device.spi.SynchronousDriver

/** A device without memory, for specs of queues and events. */
internal abstract class NoMemoryDriver : SynchronousDriver {
    override fun isCpuAccessible() = false

    override fun allocate(bytes: Long, alignment: Long): Long = error("cannot allocate: the device has no memory")

    override fun free(address: Long, bytes: Long) = error("cannot free: the device has no memory")

    override fun copy(queue: Long, to: Long, from: Long, bytes: Long) = error("cannot copy: the device has no memory")
}
