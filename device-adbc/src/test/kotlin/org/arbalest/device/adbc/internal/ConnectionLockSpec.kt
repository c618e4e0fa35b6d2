// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.adbc.Faulty
import org.arbalest.device.adbc.start
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriverExtension
import java.util.concurrent.Executors

class ConnectionLockSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    test("a statement closed while a driver thread pulls bound data, and no call runs, is released at once [ADB-11]") {
        Faulty.connected { connection ->
            val statement = connection.createStatement()
            val callback = Feeders.Feeding((statement as StatementImpl).handle.lock.feeders)
            callback.begin()
            try {
                statement.close()
            } finally {
                callback.end()
            }
            Faulty.c.calls("StatementRelease") shouldBe 1
        }
    }

    test("closed connections are released before the next is opened, although the database stays busy [ADB-06]") {
        val c = Faulty.c
        Faulty.driver.open(mapOf<String, Any>()).use { database ->
            val closed = List(3) { database.connect() }
            val handle = (database as DatabaseImpl).handle
            synchronized(handle.lock.calls) { handle.lock.tryTake(handle, false) } // as a connect that runs
            try {
                Executors.newSingleThreadExecutor().use { pool -> pool.start { closed.forEach { it.close() } }.get() }
                c.calls("ConnectionRelease") shouldBe 0
                database.connect().use { c.calls("ConnectionRelease") shouldBe 3 }
            } finally {
                handle.lock.leave()
            }
        }
    }
})
