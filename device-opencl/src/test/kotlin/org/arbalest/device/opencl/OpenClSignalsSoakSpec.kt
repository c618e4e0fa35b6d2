// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceType
import org.arbalest.support.ChildJvm
import org.arbalest.testkit.SkipWithout

/** The signal handlers of a process that uses OpenCL. The test runs in its own process, as handlers are per process. */
class OpenClSignalsSoakSpec : FunSpec({
    extension(SkipWithout.device(DeviceType.OPENCL))

    test("the JVM has its signal handlers again after a platform that replaces them is loaded") {
        val child = ChildJvm.run(SignalHandlersMain::class)
        child.output.trim() shouldBe "the same"
        child.exitCode shouldBe 0
    }
})
