// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.adbc.Faulty
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriverExtension

class ConnectionLockSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    test("a statement closed while a driver thread pulls bound data, and no call runs, is released at once [ADB-11]") {
        Faulty.connected { connection ->
            val statement = connection.createStatement()
            val callback = ConnectionLock.Feeding((statement as StatementImpl).handle.lock)
            callback.begin()
            try {
                statement.close()
            } finally {
                callback.end()
            }
            Faulty.c.calls("StatementRelease") shouldBe 1
        }
    }
})
