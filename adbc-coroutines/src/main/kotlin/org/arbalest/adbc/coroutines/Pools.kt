// SPDX-License-Identifier: Apache-2.0
package org.arbalest.adbc.coroutines

import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Dispatchers
import org.arbalest.device.adbc.AdbcConnection
import org.arbalest.device.adbc.AdbcPool

/**
 * Runs [block] with a connection of the pool, and returns the connection to the pool:
 *
 *     pool.useConnection { connection -> connection.awaitExecute("DELETE FROM flights WHERE delay > ?", 600) }
 *
 * The block runs in the caller's context. The calls of the pool itself, which may wait for a connection, block a thread
 * of [dispatcher]. After the block, the connection, its statements and its results throw [IllegalStateException], so
 * collect a flow of its results within the block.
 *
 * **Cancellation.** A cancellation ends the wait for a connection, also while the pool connects. The connection is
 * returned in every case; if that fails after the block has failed, the exception is suppressed in the block's.
 *
 * @throws java.util.concurrent.TimeoutException if no connection becomes free, or is opened, within the pool's time
 *   limit
 */
public suspend fun <T> AdbcPool.useConnection(
    dispatcher: CoroutineDispatcher = Dispatchers.IO.limitedParallelism(1),
    block: suspend (AdbcConnection) -> T,
): T = calling(dispatcher, AdbcPool.Lease::close) { call -> interruptibly(call) { acquire() } }
    .useOn(dispatcher) { block(it.connection()) }
