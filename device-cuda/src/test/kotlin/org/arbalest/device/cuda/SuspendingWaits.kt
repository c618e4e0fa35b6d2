// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.runBlocking
import org.arbalest.coroutines.await
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceStream

/** The coroutines' side of [CudaEvents]. */
internal class SuspendingWaits(private val stream: DeviceStream, private val from: DeviceBuffer, private val to: DeviceBuffer) {
    fun suspending(count: Int): Unit = runBlocking(Dispatchers.Default) {
        repeat(count) {
            stream.copy(from, to)
            stream.record().use { it.await() }
        }
    }
}
