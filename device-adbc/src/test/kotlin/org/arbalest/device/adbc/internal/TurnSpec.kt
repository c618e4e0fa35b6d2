// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.adbc.Double
import org.arbalest.testkit.CCompiler
import org.arbalest.testkit.LedgerExtension
import org.arbalest.testkit.adbc.AdbcDoubleExtension

class TurnSpec : FunSpec({
    extension(CCompiler.needed)
    extension(LedgerExtension)
    extension(AdbcDoubleExtension())

    test("ADB-11 what closes while a driver's thread pulls what is bound, and no call runs, is released at once") {
        Double.connected { connection ->
            val statement = connection.createStatement()
            val callback = Turn.Feeding((statement as StatementImpl).handle.turn)
            callback.begin()
            try {
                statement.close()
            } finally {
                callback.end()
            }
            Double.c.calls("StatementRelease") shouldBe 1
        }
    }
})
