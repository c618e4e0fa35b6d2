// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.fake

import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.test.TestResult
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.Devices
import org.arbalest.device.abi.DeviceType
import kotlin.time.Duration

/** What is said of a test that leaves something on a fake device, and what of the next one. */
class FakeExtensionSpec : FunSpec({
    val passed = TestResult.Success(Duration.ZERO)
    val device = Devices.device(DeviceType.EXT_DEV, 0)
    val fake = FakeDevice.of(DeviceType.EXT_DEV, 0)

    test("an event that a test leaves is named, and is not counted in the next one") {
        val leaking = FakeExtension.intercept(testCase) {
            fake.userEvent()
            passed
        }
        leaking.shouldBeInstanceOf<TestResult.Failure>().cause.message shouldContain "events=1"
        FakeExtension.intercept(testCase) {
            fake.counts() shouldBe FakeCounts(0, 0, 0, 0)
            passed
        } shouldBe passed
    }

    test("work that a failed test has left behind a user event goes on, so that nothing waits for it") {
        val failed = TestResult.Failure(Duration.ZERO, AssertionError("its own"))
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
})
