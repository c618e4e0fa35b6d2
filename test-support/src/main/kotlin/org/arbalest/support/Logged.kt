// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import java.util.concurrent.CopyOnWriteArrayList
import java.util.logging.Handler
import java.util.logging.LogRecord
import java.util.logging.Logger

/** Returns the records that a logger of `java.util.logging` gets during [action]; the console does not show them. */
fun logged(logger: String, action: () -> Unit): List<LogRecord> {
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
    } finally {
        target.useParentHandlers = true
        target.removeHandler(handler)
    }
    return records
}
