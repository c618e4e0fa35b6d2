// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.RecordBatchReader
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriver.Live
import org.arbalest.support.adbc.FaultyDriverExtension
import org.arbalest.testkit.contract.eventually
import java.util.concurrent.ExecutorService
import java.util.concurrent.Executors
import java.util.concurrent.Future
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicReference

/** Tests of `cancel(thread)`, which ends the calls of one thread on any handle of the connection. */
class AdbcConnectionCallerSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    val c by lazy { Faulty.c }

    class Call(val result: Future<*>, private val thread: AtomicReference<Thread>) {
        val by: Thread get() = thread.get()
    }

    fun ExecutorService.call(waits: Boolean = false, action: () -> Any?): Call {
        val thread = AtomicReference<Thread>()
        val call = {
            thread.set(Thread.currentThread())
            action()
        }
        return Call(if (waits) startWaiting(call).first else start(call), thread)
    }

    fun Call.isCancelled() = result.error().shouldBeInstanceOf<AdbcException>().status() shouldBe AdbcStatus.CANCELLED

    test("cancel(thread) reaches that thread's executions and pulls through StatementCancel [ADB-12]") {
        Faulty.connected { connection ->
            val reader = connection.query("SELECT * FROM waits(3, 2, 1)")
            reader.next()!!.close()
            val calls = listOf(
                { connection.query("SELECT * FROM stuck()") },
                { connection.execute("SELECT * FROM stuck()") },
                { reader.next() },
                { connection.query("SELECT * FROM waits(3, 2, 1)").use { it.rows() } },
            )
            for (action in calls) {
                lettingGo(Executors.newSingleThreadExecutor()) { pool ->
                    val call = pool.call(action = action)
                    awaitHeld()
                    shouldThrow<AdbcException> { connection.cancel(Thread.currentThread()) }.status() shouldBe
                        AdbcStatus.INVALID_STATE
                    shouldThrow<AdbcException> { connection.cancel() }.status() shouldBe AdbcStatus.INVALID_STATE
                    connection.cancel(call.by)
                    call.isCancelled()
                }
            }
            reader.close()
            c.calls("ConnectionCancel") shouldBe 0
        }
    }

    test("cancel(thread) ends that thread's wait for the connection lock, on any handle, and no other wait [ADB-12]") {
        Faulty.connected { connection ->
            val open = connection.query("SELECT id FROM t")
            val statement = connection.createStatement()
            statement.setSqlQuery("SELECT id FROM t")
            c.hold("ConnectionGetTableSchema")
            lettingGo(Executors.newFixedThreadPool(5)) { pool ->
                val busy = pool.call { connection.tableSchema("t") }
                awaitHeld()
                val waiting = listOf({ statement.executeQuery() }, { open.next() }, { connection.commit() })
                    .map { pool.call(waits = true, it) }
                val other = pool.call(waits = true) { connection.tableTypes() }
                for (call in waiting) {
                    connection.cancel(call.by)
                    call.isCancelled()
                }
                c.calls("StatementCancel") + c.calls("ConnectionCancel") shouldBe 0
                c.letGo()
                listOf(busy, other).forEach { it.result.get(5, SECONDS) }
            }
            listOf(open, statement).forEach(AutoCloseable::close)
        }
    }

    test(
        "cancel(thread) cancels the source that feeds the thread's execution, even if the driver cannot cancel " +
            "[ADB-12]",
    ) {
        for (driver in listOf(Faulty.driver, Faulty.old)) {
            Faulty.connected(driver) { connection ->
                val source = WaitingSource()
                Executors.newSingleThreadExecutor().use { pool ->
                    try {
                        val call = pool.call { connection.ingest("x", RecordBatchReader.of(IDS, source)) }
                        source.entered.await()
                        runCatching { connection.cancel(call.by) }.exceptionOrNull()?.let {
                            (it as AdbcException).status() shouldBe AdbcStatus.NOT_IMPLEMENTED
                        }
                        source.gate.count shouldBe 0
                        call.isCancelled()
                    } finally {
                        source.gate.countDown()
                    }
                }
            }
        }
    }

    test(
        "cancel(thread) ends neither a release nor the deferred releases that the thread runs after its call [ADB-12]",
    ) {
        Faulty.connected { connection ->
            /** Holds the next call of [function]. Returns a function that waits until the driver holds that call. */
            fun held(function: String): () -> Unit {
                val before = c.calls(function)
                c.hold(function)
                return {
                    eventually("$function is called") { c.calls(function) > before }
                    awaitHeld()
                }
            }

            fun Call.isNone() {
                shouldThrow<AdbcException> { connection.cancel(by) }.status() shouldBe AdbcStatus.INVALID_STATE
                c.letGo()
                result.get(5, SECONDS)
            }
            val open = connection.query("SELECT id FROM t")
            connection.query("SELECT 1").rows() // so that closing the first result does not cancel it
            val statement = connection.createStatement()
            lettingGo(Executors.newSingleThreadExecutor()) { pool ->
                val inRelease = held("StatementRelease")
                val close = pool.call { statement.close() }
                inRelease()
                close.isNone()
                c.hold("ConnectionGetTableSchema")
                val schema = pool.call { connection.tableSchema("t") }
                awaitHeld()
                open.close()
                val behind = held("stream.release")
                c.letGo()
                behind()
                schema.isNone()
            }
            c.calls("StatementCancel") + c.calls("ConnectionCancel") shouldBe 0
            c.live(Live.STATEMENTS) shouldBe 0
        }
    }
})
