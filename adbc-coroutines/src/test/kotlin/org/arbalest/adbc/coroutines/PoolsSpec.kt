// SPDX-License-Identifier: Apache-2.0
package org.arbalest.adbc.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import org.arbalest.device.adbc.AdbcDriver
import org.arbalest.device.adbc.AdbcPool
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriver.Live
import org.arbalest.support.adbc.FaultyDriverExtension
import java.time.Duration
import java.util.concurrent.TimeoutException

private suspend fun pooled(
    size: Int,
    limit: Duration = Duration.ofSeconds(5),
    block: suspend (AdbcPool) -> Unit,
) {
    AdbcPool.of(AdbcDriver.load(c.file).open(mapOf<String, Any>()), size, limit).use { block(it) }
    c.live(Live.CONNECTIONS) shouldBe 0
    c.live(Live.DATABASES) shouldBe 0
}

class PoolsSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    test("coroutines share the connections of a pool, which a failing block returns too [ADB-31]") {
        pooled(2) { pool ->
            List(8) { async { pool.useConnection { it.count() } } }.awaitAll() shouldBe List(8) { 10L }
            repeat(3) { shouldThrow<IllegalStateException> { pool.useConnection { error("of the block") } } }
            (c.calls("ConnectionNew") <= 2) shouldBe true
        }
    }

    test("a cancellation returns the connection, and ends the wait for one [ADB-31]") {
        pooled(1) { pool ->
            val used = CompletableDeferred<Unit>()
            val user = launch(Dispatchers.Default) {
                pool.useConnection {
                    used.complete(Unit)
                    awaitCancellation()
                }
            }
            used.await()
            val waiting = launch(Dispatchers.Default) { pool.useConnection { error("never runs") } }
            waiting.cancelAndJoin()
            user.cancelAndJoin()
            pool.useConnection { it.count() } shouldBe 10L
        }
        pooled(1, Duration.ofMillis(20)) { pool ->
            pool.useConnection { shouldThrow<TimeoutException> { pool.useConnection { it.count() } } }
        }
    }
})
