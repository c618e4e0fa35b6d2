// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import io.kotest.assertions.throwables.shouldThrow
import org.arbalest.testkit.contract.eventually
import java.util.concurrent.Callable
import java.util.concurrent.ExecutionException
import java.util.concurrent.ExecutorService
import java.util.concurrent.Future
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicReference

/** Waits until the driver holds [count] calls. */
internal fun awaitHeld(count: Long = 1) {
    eventually("the driver holds $count calls") { Faulty.c.held >= count }
}

internal fun <T> ExecutorService.start(call: () -> T): Future<T> = submit(Callable { call() })

/** Starts [call], and waits until it blocks or ends. Returns its future, and whether it blocks. */
internal fun <T> ExecutorService.startWaiting(call: () -> T): Pair<Future<T>, Boolean> {
    val thread = AtomicReference<Thread>()
    val future = start {
        thread.set(Thread.currentThread())
        call()
    }
    eventually("the call waits or ends") { thread.get()?.state == Thread.State.WAITING || future.isDone }
    return future to !future.isDone
}

/**
 * Runs [test] with [pool], then lets the calls go that the driver holds, also if the test fails.
 * Closing the pool would wait for these calls for ever.
 */
internal fun lettingGo(pool: ExecutorService, test: (ExecutorService) -> Unit): Unit = pool.use {
    try {
        test(pool)
    } finally {
        Faulty.c.letGo()
    }
}

/** Returns the exception of a failed call. Waits at most five seconds, so that a failing test does not hang. */
internal fun <T> Future<T>.error(): Throwable = shouldThrow<ExecutionException> { get(5, SECONDS) }.cause!!
