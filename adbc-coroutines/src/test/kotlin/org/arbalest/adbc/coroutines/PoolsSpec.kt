// SPDX-License-Identifier: Apache-2.0
package org.arbalest.adbc.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import org.arbalest.device.adbc.AdbcDriver
import org.arbalest.device.adbc.AdbcException
import org.arbalest.device.adbc.AdbcPool
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriver.Live
import org.arbalest.support.adbc.FaultyDriverExtension
import org.arbalest.testkit.contract.eventually
import java.time.Duration
import java.util.concurrent.TimeoutException
import kotlin.concurrent.thread
import kotlin.coroutines.CoroutineContext

private suspend fun pooled(
    size: Int,
    limit: Duration = Duration.ofSeconds(5),
    block: suspend (AdbcPool) -> Unit,
) {
    AdbcPool.of(AdbcDriver.load(c.file).open(mapOf<String, Any>()), size, limit).use { block(it) }
    eventually("the pool's objects are closed") { c.live(Live.CONNECTIONS) == 0L && c.live(Live.DATABASES) == 0L }
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

    test("a failing return of the connection is suppressed in the failure of the block [ADB-31]") {
        val plain = FaultyDriver.plain // counts of its own: a release that fails leaves the driver's objects behind
        val pool = AdbcPool.of(AdbcDriver.load(plain.file).open(mapOf<String, Any>()), 1, Duration.ofSeconds(5))
        try {
            shouldThrow<IllegalStateException> {
                pool.useConnection {
                    it.isAutoCommit = false
                    plain.fail("ConnectionRollback", status = 10)
                    plain.fail("ConnectionRelease", status = 10)
                    error("of the block")
                }
            }.let {
                it.message shouldBe "of the block"
                (it.suppressed.single() as AdbcException).operation() shouldBe "AdbcConnectionRelease"
            }
            pool.useConnection { it.count() } shouldBe 10L
        } finally {
            runCatching { pool.close() } // the database has a connection that was not released
            plain.reset()
        }
    }

    test("a cancellation does not wait for the driver that opens a connection [ADB-31]") {
        pooled(1) { pool ->
            c.hold("ConnectionInit")
            val user = launch(Dispatchers.Default) { pool.useConnection { error("never runs") } }
            awaitHeld()
            user.cancelAndJoin()
            c.held shouldBe 1
            c.letGo()
            pool.useConnection { it.count() } shouldBe 10L
            c.calls("ConnectionInit") shouldBe 1
        }
    }

    test("an interrupt by other code than the cancellation ends the wait for a connection [ADB-31]") {
        val worker = CompletableDeferred<Thread>()
        val dispatcher = object : CoroutineDispatcher() {
            override fun dispatch(context: CoroutineContext, block: Runnable) {
                thread {
                    worker.complete(Thread.currentThread())
                    block.run()
                }
            }
        }
        pooled(1) { pool ->
            c.hold("ConnectionInit")
            val user = async(Dispatchers.Default) {
                runCatching { pool.useConnection(dispatcher) { it.count() } }.exceptionOrNull()
            }
            awaitHeld()
            worker.await().interrupt()
            user.await().shouldBeInstanceOf<InterruptedException>()
            c.letGo()
        }
    }

    test("a flow of results that leaves the block of its connection throws [ADB-40]") {
        pooled(1) { pool ->
            val flow = pool.useConnection { it.queryFlow("SELECT * FROM t") }
            pool.useConnection { shouldThrow<IllegalStateException> { flow.collect {} } }
        }
    }
})
