// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import org.arbalest.device.adbc.AdbcConnection
import org.arbalest.device.adbc.Faulty
import org.arbalest.device.adbc.awaitHeld
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriverExtension
import org.arbalest.testkit.contract.eventually
import java.time.Duration
import java.util.concurrent.CopyOnWriteArrayList

class IdleCheckSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    test("a check that does not end in time is late, and its connection is closed when it ends [ADB-31]") {
        val closed = CopyOnWriteArrayList<AdbcConnection>()
        Faulty.connected { connection ->
            Faulty.c.hold("StatementExecuteQuery")
            IdleCheck.of(connection, Duration.ofMillis(1), closed::add) shouldBe IdleCheck.Result.LATE
            closed.shouldBeEmpty()
            awaitHeld() // otherwise the driver may hold the call after letGo
            Faulty.c.letGo()
            eventually("the check closes its connection") { closed.isNotEmpty() }
            closed shouldContainExactly listOf(connection)
        }
    }

    test("the caller closes a connection that fails its check [ADB-31]") {
        val closed = CopyOnWriteArrayList<AdbcConnection>()
        Faulty.connected { connection ->
            IdleCheck.of(connection, Duration.ofMinutes(1), closed::add) shouldBe IdleCheck.Result.VALID
            Faulty.c.fail("StatementExecuteQuery", status = 10)
            IdleCheck.of(connection, Duration.ofMinutes(1), closed::add) shouldBe IdleCheck.Result.INVALID
        }
        closed.shouldBeEmpty()
    }
})
