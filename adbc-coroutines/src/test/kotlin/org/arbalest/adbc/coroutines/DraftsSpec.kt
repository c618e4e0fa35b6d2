// SPDX-License-Identifier: Apache-2.0
@file:OptIn(ExperimentalAdbc::class)

package org.arbalest.adbc.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.yield
import org.arbalest.coroutines.asFlow
import org.arbalest.device.DeviceException
import org.arbalest.device.adbc.AdbcConnection
import org.arbalest.device.adbc.AdbcDriver
import org.arbalest.device.adbc.AdbcVersion
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriver.Live
import org.arbalest.support.adbc.FaultyDriverExtension
import java.lang.Thread.State.TIMED_WAITING
import java.lang.Thread.State.WAITING
import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicReference

/** Tests of coroutines for the draft of ADBC 1.2.0 and the async execution. */
class DraftsSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    suspend fun connected(block: suspend (AdbcConnection) -> Unit) =
        AdbcDriver.load(c.file).request(AdbcVersion.V1_2_0).open(mapOf<String, Any>()).use { database ->
            database.connect().use { block(it) }
        }

    test("several results are a flow of readers, which it closes [ADB-33]") {
        connected { connection ->
            val rows = mutableListOf<Long>()
            connection.queryMultiFlow("SELECT * FROM batches(3, 2); SELECT * FROM t").collect { result ->
                var sum = 0L
                result.asFlow().collect { sum += it.length() }
                rows += sum
            }
            rows shouldBe listOf(6L, 10L)
            connection.queryMultiFlow("SELECT 1; SELECT 2").first().let { c.live(Live.STREAMS) shouldBe 0 }
            connection.createStatement().use { statement ->
                statement.setSqlQuery("SELECT 1")
                statement.awaitMulti().use { it.next()!!.close() }
            }
        }
    }

    test("an async execution is a flow of batches, and ends early, by an error or at its end [ADB-35]") {
        connected { connection ->
            var rows = 0L
            connection.queryAsyncFlow("SELECT * FROM batches(100, 7)").collect { rows += it.length() }
            rows shouldBe 700
            shouldThrow<DeviceException> { connection.queryAsyncFlow("SELECT * FROM fails(3, 2, 1)").collect { } }
        }
        connected { connection ->
            var batches = 0
            connection.queryAsyncFlow("SELECT * FROM batches(1000000, 7)", prefetch = 1).take(3).collect { batches++ }
            batches shouldBe 3
        }
    }

    test("the collector's thread is free while statements of drafts are made and closed [ADB-24]") {
        Executors.newSingleThreadExecutor().asCoroutineDispatcher().use { one ->
            connected { connection ->
                for (flow in listOf(connection.queryMultiFlow("SELECT 1"),
                    connection.queryAsyncFlow("SELECT * FROM batches(1, 1)"))) {
                    for (function in listOf("StatementNew", "StatementRelease")) {
                        c.hold(function)
                        val collected = async(one) { flow.collect { } }
                        awaitHeld()
                        val isFree = async(one) { c.letGo() }.ends()
                        c.letGo() // a blocked thread, so that only this test fails
                        collected.await()
                        isFree shouldBe true
                    }
                }
            }
        }
    }

    test("warnings are a flow, and its end removes the handler [ADB-34]") {
        connected { connection ->
            c.warn(2)
            val warnings = async { connection.warningFlow().take(2).toList() }
            while (c.calls("ConnectionSetWarningHandler") == 0L) yield()
            connection.awaitExecute("DELETE FROM t WHERE id = 0")
            warnings.await().map { it.message() } shouldBe listOf("warning 0", "warning 1")
            c.calls("ConnectionSetWarningHandler") shouldBe 2
        }
    }

    test("a flow of warnings that is cancelled before it has set its handler removes none, and ends at once [ADB-34]") {
        val set = "ConnectionSetWarningHandler"
        val thread = AtomicReference<Thread>()
        Executors.newSingleThreadExecutor { Thread(it).also(thread::set) }.asCoroutineDispatcher().use { one ->
            connected { connection ->
                val first = launch { connection.warningFlow().collect { } }
                while (c.calls(set) == 0L) yield()
                c.hold("StatementExecuteQuery")
                val query = async { connection.awaitExecute("DELETE FROM t WHERE id = 0") }
                awaitHeld()
                val second = launch { connection.warningFlow(one).collect { } }
                while (thread.get()?.state !in listOf(WAITING, TIMED_WAITING)) yield() // for the connection's lock
                second.cancel()
                second.ends() shouldBe true
                c.calls(set) shouldBe 1
                c.letGo()
                query.await()
                first.cancelAndJoin()
                c.calls(set) shouldBe 2
            }
        }
    }

    test("a flow of warnings whose connection was closed is cancelled without a failure [ADB-34]") {
        connected { connection ->
            val warnings = launch { connection.warningFlow().collect { } }
            while (c.calls("ConnectionSetWarningHandler") == 0L) yield()
            connection.close()
            warnings.cancelAndJoin()
        }
    }
})
