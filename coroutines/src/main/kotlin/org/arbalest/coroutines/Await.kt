// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import kotlinx.coroutines.future.await
import org.arbalest.device.DeviceArray
import org.arbalest.device.SyncEvent

/**
 * Suspends until the work before this event is complete, without blocking a thread. Returns immediately if the event is
 * complete.
 *
 * Cancelling the coroutine ends the wait; the work continues. The event may be closed during the wait.
 *
 * @throws org.arbalest.device.DeviceException if the work failed; the exception describes the failure
 */
public suspend fun SyncEvent.await() {
    if (!isReady) onReady().await()
}

/**
 * Suspends until this array's buffers can be read, without blocking a thread. Returns immediately if the array is
 * ready.
 *
 *     val result = kernel(batch.copyTo(gpu)).use { it.copyTo(Devices.cpu()) }
 *     result.await()
 *     println(result["price"].doubles())
 *
 * Cancelling the coroutine ends the wait; the work continues, and queued work keeps the memory that it uses. The caller
 * keeps the array and closes it.
 *
 * @throws org.arbalest.device.DeviceException if writing the buffers failed; the exception describes the failure
 */
public suspend fun DeviceArray.await() {
    if (!isReady) onReady().await()
}
