// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceType
import org.arbalest.support.ChildJvm
import org.arbalest.testkit.SkipWithout

/** Signal handlers belong to a whole process: this one has its own. */
class OpenClSignalsSoakSpec : FunSpec({
    extension(SkipWithout.device(DeviceType.OPENCL))

    test("the JVM keeps its signal handlers, whatever a platform puts in their place when it is loaded") {
        val child = ChildJvm.run(SignalHandlersMain::class)
        child.output.trim() shouldBe "the same"
        child.exitCode shouldBe 0
    }
})
