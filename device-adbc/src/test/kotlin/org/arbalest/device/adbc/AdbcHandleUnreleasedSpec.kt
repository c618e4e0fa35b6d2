// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.testkit.contract.eventually
import java.util.concurrent.Callable
import java.util.concurrent.Executors

/** Tests of releases that fail in the driver. They leave driver objects behind, so no test counts these objects. */
class AdbcHandleUnreleasedSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    afterTest { FaultyDriver.plain.reset() }

    fun load() = AdbcDriver.load(FaultyDriver.plain.file)

    test("a driver table without a release function is accepted [ADB-02]") {
        FaultyDriver.plain.missing("release")
        Faulty.connected(load()) { it.query("SELECT 42").single() shouldBe 42L }
        FaultyDriver.plain.calls("driver.release") shouldBe 0
    }

    for ((step, consequences) in mapOf(
        // while a child is left in the driver, the release of its parent fails too
        "StatementRelease" to listOf("AdbcStatementRelease", "AdbcConnectionRelease", "AdbcDatabaseRelease"),
        "ConnectionRelease" to listOf("AdbcConnectionRelease", "AdbcDatabaseRelease"),
        "DatabaseRelease" to listOf("AdbcDatabaseRelease"),
    )) {
        test("close throws a failing $step once, and the handles above are released anyway [ADB-04]") {
            val database = load().open(mapOf<String, Any>())
            val connection = database.connect()
            val statement = connection.createStatement()
            FaultyDriver.plain.fail(step, status = AdbcStatus.IO.code())
            val handles = listOf(statement, connection, database)
            val errors = handles.mapNotNull { handle -> runCatching(handle::close).exceptionOrNull() }
                .map { it as AdbcException }
            errors.map { it.operation() } shouldContainExactly consequences
            errors.first().status() shouldBe AdbcStatus.IO
            handles.forEach(AutoCloseable::close)
            FaultyDriver.plain.calls("driver.release") shouldBe 2 // one for the probe, one for the database
        }
    }

    test("close throws the first of several failing releases, with the next as suppressed [ADB-04]") {
        val c = FaultyDriver.plain
        val database = load().open(mapOf<String, Any>())
        val connection = database.connect()
        database.close()
        for (function in listOf("ConnectionRelease", "DatabaseRelease", "driver.release")) c.fail(function, status = 10)
        val failures = generateSequence<Throwable>(shouldThrow<AdbcException> { connection.close() }) { failure ->
            failure.suppressed.singleOrNull()
        }
        failures.map { (it as AdbcException).operation() }.toList() shouldContainExactly
            listOf("AdbcConnectionRelease", "AdbcDatabaseRelease", "AdbcDriver.release")
    }

    test("a release that fails after an error is suppressed in that error [ADB-04]") {
        FaultyDriver.plain.fail("ConnectionInit", status = AdbcStatus.IO.code())
        FaultyDriver.plain.fail("ConnectionRelease", status = AdbcStatus.INTERNAL.code())
        val database = load().open(mapOf<String, Any>())
        val error = shouldThrow<AdbcException> { database.connect() }
        error.operation() shouldBe "AdbcConnectionInit"
        (error.suppressed.single() as AdbcException).operation() shouldBe "AdbcConnectionRelease"
        database.close()
    }

    test("a call whose handle is closed meanwhile returns its answer, even if the later release fails [ADB-04]") {
        val c = FaultyDriver.plain
        val calls = mapOf<String, (AdbcStatement) -> Any>("StatementGetOption" to { it.getOption("fake.user.x") },
            "StatementExecuteQuery" to { it.execute("DELETE FROM t WHERE id = 0") })
        // not closed: its statements are left in the driver
        val connection = load().open(mapOf<String, Any>()).connect()
        val answers = calls.map { (function, call) ->
            val statement = connection.createStatement()
            statement.setOption("fake.user.x", "y")
            c.fail("StatementRelease", status = AdbcStatus.IO.code())
            c.hold(function)
            Executors.newSingleThreadExecutor().use { pool ->
                val running = pool.submit(Callable { call(statement) })
                eventually("the driver holds the call") { c.held > 0 }
                statement.close()
                c.letGo()
                running.get()
            }
        }
        answers shouldBe listOf("y", 1L)
        c.calls("StatementRelease") shouldBe 2
    }
})
