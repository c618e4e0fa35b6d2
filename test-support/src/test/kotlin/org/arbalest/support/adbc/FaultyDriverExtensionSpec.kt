// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.adbc

import io.kotest.core.spec.style.FunSpec
import io.kotest.core.test.TestCase
import io.kotest.engine.test.TestResult
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.support.adbc.FaultyDriver.Live
import java.util.concurrent.CountDownLatch
import kotlin.concurrent.thread
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds

/** Tests of the extension's reports about a test that leaves objects in the driver, and about the next test. */
class FaultyDriverExtensionSpec : FunSpec({
    extension(FaultyDriver.needed)

    val passed = TestResult.Success(Duration.ZERO)
    val failed = TestResult.Failure(Duration.ZERO, AssertionError("its own"))
    val driver by lazy { FaultyDriver.full }
    val extension = FaultyDriverExtension()

    suspend fun complaint(testCase: TestCase, body: () -> Unit): String {
        val result = extension.intercept(testCase, 100.milliseconds) {
            body()
            passed
        }
        return result.shouldBeInstanceOf<TestResult.Failure>().cause.message!!
    }

    test("a release by a failed test's thread in the next test neither fails that test nor hides its leak") {
        val gate = CountDownLatch(1)
        lateinit var releasing: Thread
        extension.intercept(testCase) {
            val calls = AdbcCalls(driver).open()
            releasing = thread {
                gate.await()
                calls.close()
            }
            failed
        } shouldBe failed
        lateinit var left: AdbcCalls
        complaint(testCase) {
            gate.countDown()
            releasing.join()
            driver.live(Live.STATEMENTS) shouldBe 0
            left = AdbcCalls(driver).open()
        } shouldContain "the driver has 1 more statements than before"
        left.close()
        extension.intercept(testCase) { passed } shouldBe passed
    }

    test("a planned fault that does not occur fails its test") {
        complaint(testCase) {
            driver.fail("StatementPrepare", nth = 2, status = Status.INTERNAL)
            driver.hold("")
        } shouldBe "planned faults have not occurred: StatementPrepare, any function"
    }

    test("a call that outlives its test is named, and the driver frees the call's memory only after its end") {
        val gate = CountDownLatch(1)
        val entered = CountDownLatch(1)
        lateinit var running: Thread
        complaint(testCase) {
            val calls = AdbcCalls(driver).open()
            val values = calls.stream()
            val source = RecordBatchReader.of(Schema.of(Field.of("id", DataType.INT64))) {
                entered.countDown()
                gate.await()
                null
            }
            CData.exportStream(source, values, CExport.DATA)
            calls.ok("StatementSetSqlQuery", calls.statement, "SELECT $1::BIGINT")
            calls.ok("StatementBindStream", calls.statement, values)
            running = thread {
                calls.call("StatementExecuteQuery", calls.statement, null, null)
                calls.close()
            }
            entered.await()
        } shouldContain FaultyDriver.STUCK
        extension.intercept(testCase) { passed } shouldBe passed
        driver.reset(Duration.ZERO) shouldBe false
        gate.countDown()
        running.join()
        driver.reset(Duration.ZERO) shouldBe true
    }
})
