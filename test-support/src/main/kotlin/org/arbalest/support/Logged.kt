// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.locks.LockSupport
import java.util.logging.Handler
import java.util.logging.LogRecord
import java.util.logging.Logger

/**
 * Returns the records that a logger of `java.util.logging` gets during [action]; the console does not show them.
 *
 * @param atLeast the number of records to wait for after [action], for at most 5 seconds, if other threads log
 */
fun logged(logger: String, atLeast: Int = 0, action: () -> Unit): List<LogRecord> {
    val records = CopyOnWriteArrayList<LogRecord>()
    val handler = object : Handler() {
        override fun publish(record: LogRecord) {
            records += record
        }

        override fun flush() = Unit

        override fun close() = Unit
    }
    val target = Logger.getLogger(logger)
    target.addHandler(handler)
    target.useParentHandlers = false
    try {
        action()
        val end = System.nanoTime() + PATIENCE
        while (records.size < atLeast && System.nanoTime() < end) LockSupport.parkNanos(50_000)
    } finally {
        target.useParentHandlers = true
        target.removeHandler(handler)
    }
    return records
}

private const val PATIENCE = 5_000_000_000L
