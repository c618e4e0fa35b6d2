// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContain
import io.kotest.matchers.comparables.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import jdk.jfr.consumer.RecordedEvent
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriverExtension
import org.arbalest.support.recordedBy
import org.arbalest.testkit.contract.eventually
import java.lang.management.ManagementFactory
import java.time.Duration
import java.util.concurrent.Executors
import java.util.concurrent.TimeoutException
import javax.management.Attribute
import javax.management.ObjectName

/** The numbers of a pool: its statistics, its MXBean and its events. */
class AdbcPoolMetricsSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    val server = ManagementFactory.getPlatformMBeanServer()

    fun pool(size: Int, limit: Duration = Duration.ofSeconds(5)): AdbcPool =
        AdbcPool.of(Faulty.driver.open(mapOf<String, Any>()),
            AdbcPoolOptions.of(size, limit).aliveBypassWindow(Duration.ZERO))

    fun attributes(name: ObjectName): Map<String, Any?> {
        val names = server.getMBeanInfo(name).attributes.map { it.name }
        return server.getAttributes(name, names.toTypedArray()).filterIsInstance<Attribute>()
            .associate { it.name to it.value }
    }

    test("a pool counts its connections, its failed checks and its time limits [ADB-32]") {
        pool(2, Duration.ofMillis(5)).use { pool ->
            pool.statistics() shouldBe AdbcPool.Statistics(2, 0, 0, 0, 0, 0, 0, 0, Duration.ZERO, 0, 0, 0, 0, 0)
            val first = pool.acquire()
            pool.acquire().use {
                shouldThrow<TimeoutException> { pool.acquire() }
                with(pool.statistics()) {
                    listOf(borrowed(), idle(), waiting()) shouldBe listOf(2, 0, 0)
                    timeouts() shouldBe 1L
                    waitTime() shouldBeGreaterThan Duration.ofMillis(4)
                }
            }
            Faulty.c.fail("StatementExecuteQuery", status = 10)
            pool.acquire().use { pool.statistics().borrowed() shouldBe 2 }
            first.close()
            with(pool.statistics()) {
                listOf(borrowed(), idle()) shouldBe listOf(0, 2)
                listOf(created(), closed(), validationFailures()) shouldBe listOf(3L, 1L, 1L)
            }
            pool.close()
            pool.statistics().closed() shouldBe 3L
        }
    }

    test("a thread that waits is counted while it waits [ADB-32]") {
        Executors.newSingleThreadExecutor().use { threads ->
            pool(1).use { pool ->
                val lease = pool.acquire()
                val other = threads.start { pool.acquire().close() }
                eventually("the thread waits") { pool.statistics().waiting() == 1 }
                lease.close()
                other.get()
                pool.statistics().waiting() shouldBe 0
            }
        }
    }

    test("the bean has the statistics, and closing the pool removes it [ADB-32]") {
        pool(3).use { pool ->
            val name = ObjectName(pool.registerMXBean("a,b*"))
            name.getKeyProperty("name") shouldBe ObjectName.quote("a,b*")
            name.getKeyProperty("type") shouldBe "AdbcPool"
            pool.acquire().use {
                attributes(name) - "WaitMillis" shouldBe mapOf(
                    "Size" to 3, "Borrowed" to 1, "Idle" to 0, "Waiting" to 0, "Created" to 1L, "Closed" to 0L,
                    "ValidationFailures" to 0L, "Timeouts" to 0L, "ConnectFailures" to 0L, "BypassedChecks" to 0L,
                    "Expired" to 0L, "IdleTimeouts" to 0L, "Leaks" to 0L,
                )
            }
            server.getMBeanInfo(name).descriptor.getFieldValue("mxbean") shouldBe "true"
            shouldThrow<IllegalStateException> { pool.registerMXBean("a,b*") }.message shouldBe
                "$name is registered already; use another name for each pool"
            pool.close()
            server.isRegistered(name) shouldBe false
            shouldThrow<IllegalStateException> { pool.registerMXBean("other") }.message shouldBe "the pool is closed"
        }
    }

    test("a recording has the waits for a connection with their outcome, and the numbers of each pool [ADB-32]") {
        lateinit var name: String
        val events = recorded {
            pool(1, Duration.ofMillis(1)).use { pool ->
                name = pool.toString()
                pool.acquire().use { shouldThrow<TimeoutException> { pool.acquire() } }
            }
        }
        val waits = events.filter { it.eventType.name == "org.arbalest.AdbcPoolWait" }
        waits.map { it.getBoolean("acquired") } shouldBe listOf(true, false) // the first waits for the opening
        val wait = waits.last()
        wait.getString("pool") shouldBe name
        wait.duration shouldBeGreaterThan Duration.ofNanos(900_000)
        name shouldBe "pool of 1 connections by ${Faulty.driver.name()}"
    }

    test("the periodic event of a recording has the numbers of an open pool only [ADB-32]") {
        val events = pool(7).use { pool ->
            pool.acquire().use { recorded(isPeriodic = true) {} }
        }
        events.filter { it.eventType.name == "org.arbalest.AdbcPool" }.map {
            listOf(it.getString("pool"), it.getInt("borrowed"), it.getLong("created"))
        } shouldContain listOf("pool of 7 connections by ${Faulty.driver.name()}", 1, 1L)
        recorded(isPeriodic = true) {}.none {
            it.eventType.name == "org.arbalest.AdbcPool" && "7" in it.getString("pool")
        } shouldBe true
    }
})

/** Records the pools' events during [action]; the periodic one at the recording's begin. */
private fun recorded(isPeriodic: Boolean = false, action: () -> Unit): List<RecordedEvent> = recordedBy(
    { recording ->
        recording.enable("org.arbalest.AdbcPoolWait").withThreshold(Duration.ZERO)
        if (isPeriodic) recording.enable("org.arbalest.AdbcPool").with("period", "beginChunk")
    },
    action,
)
