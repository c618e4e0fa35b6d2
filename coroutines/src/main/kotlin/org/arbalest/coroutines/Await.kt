// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import kotlinx.coroutines.future.await
import org.arbalest.device.DeviceArray
import org.arbalest.device.SyncEvent

/**
 * Suspends until the work before this event is done; no thread waits. An event that has completed does not suspend.
 *
 * Cancelling the coroutine gives up the wait, not the work. The event can be closed meanwhile.
 *
 * @throws org.arbalest.device.DeviceException what the work failed with
 */
public suspend fun SyncEvent.await() {
    if (!isReady) onReady().await()
}

/**
 * Suspends until this array's buffers can be read; no thread waits. An array that is ready does not suspend.
 *
 *     val result = kernel(batch.copyTo(gpu)).use { it.copyTo(Devices.cpu()) }
 *     result.await()
 *     println(result["price"].doubles())
 *
 * Cancelling the coroutine gives up the wait, not the work; what is queued keeps the memory that it uses. The array
 * stays the caller's.
 *
 * @throws org.arbalest.device.DeviceException what writing the buffers failed with
 */
public suspend fun DeviceArray.await() {
    if (!isReady) onReady().await()
}
