// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import org.arbalest.testkit.contract.eventually
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit.MILLISECONDS
import java.util.concurrent.TimeUnit.MINUTES

class IdleCheckSpec : FunSpec({
    /** A connection whose check waits for [gate]. */
    class Slow(val gate: CountDownLatch) : PooledConnection {
        override fun isValid(): Boolean = gate.await(5, MINUTES)

        override fun reset(): PooledConnection.Condition = PooledConnection.Condition.GOOD

        override fun close(released: Runnable) = released.run()
    }

    test("a check that does not end in time is late, and its connection is closed when it ends [ADB-31]") {
        val closed = CopyOnWriteArrayList<PooledConnection>()
        val connection = Slow(CountDownLatch(1))
        IdleCheck.of(connection, MILLISECONDS.toNanos(1), FakeTime(), closed::add) shouldBe IdleCheck.Result.LATE
        closed.shouldBeEmpty()
        connection.gate.countDown()
        eventually("the check closes its connection") { closed.isNotEmpty() }
        closed shouldContainExactly listOf(connection)
    }

    test("the caller closes a connection that fails its check [ADB-31]") {
        val closed = CopyOnWriteArrayList<PooledConnection>()
        val connection = FakeConnection()
        IdleCheck.of(connection, MINUTES.toNanos(1), FakeTime(), closed::add) shouldBe IdleCheck.Result.VALID
        connection.isLost = true
        IdleCheck.of(connection, MINUTES.toNanos(1), FakeTime(), closed::add) shouldBe IdleCheck.Result.INVALID
        closed.shouldBeEmpty()
    }
})
