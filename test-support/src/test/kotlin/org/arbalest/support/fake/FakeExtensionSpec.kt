// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.fake

import io.kotest.core.spec.style.FunSpec
import io.kotest.core.test.TestCase
import io.kotest.engine.test.TestResult
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import java.util.concurrent.CountDownLatch
import kotlin.concurrent.thread
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds

/** The failures of tests that leave resources on a fake device, and their effect on the next test. */
class FakeExtensionSpec : FunSpec({
    val passed = TestResult.Success(Duration.ZERO)
    val failed = TestResult.Failure(Duration.ZERO, AssertionError("its own"))
    val device = Devices.device(DeviceType.EXT_DEV, 0)
    val fake = FakeDevice.of(DeviceType.EXT_DEV, 0)

    suspend fun complaint(testCase: TestCase, body: () -> Unit): String {
        val result = FakeExtension.intercept(testCase, 100.milliseconds) {
            body()
            passed
        }
        return result.shouldBeInstanceOf<TestResult.Failure>().cause.message!!
    }

    test("an event that a test leaves is named, and is not counted in the next one") {
        complaint(testCase) { fake.userEvent() } shouldContain "events=1"
        FakeExtension.intercept(testCase) {
            fake.counts() shouldBe FakeCounts(0, 0, 0, 0)
            passed
        } shouldBe passed
    }

    test("work that a failed test has left behind a user event goes on, so that nothing waits for it") {
        val stream = device.createStream()
        FakeExtension.intercept(testCase) {
            val event = fake.userEvent()
            device.adoptEvent(event.handle).use(stream::waitFor)
            failed
        } shouldBe failed
        stream.synchronize()
        stream.close()
        FakeExtension.intercept(testCase) { passed } shouldBe passed
    }

    test("a queue that a test leaves is named, also beside a default stream") {
        device.defaultStream()
        var queue = 0L
        complaint(testCase) { queue = fake.createQueue() } shouldContain "queues=1"
        fake.destroyQueue(queue)
    }

    test("what a failed test's thread releases in the next test is not that test's fault, and hides no later leak") {
        val gate = CountDownLatch(1)
        lateinit var releasing: Thread
        FakeExtension.intercept(testCase) {
            val stream = device.createStream()
            stream.handle()
            releasing = thread {
                gate.await()
                stream.close()
            }
            failed
        } shouldBe failed
        var queue = 0L
        complaint(testCase) {
            gate.countDown()
            releasing.join()
            fake.counts() shouldBe FakeCounts(0, 0, 0, 0)
            queue = fake.createQueue()
        } shouldContain "queues=1"
        fake.destroyQueue(queue)
        FakeExtension.intercept(testCase) { passed } shouldBe passed
    }
})
