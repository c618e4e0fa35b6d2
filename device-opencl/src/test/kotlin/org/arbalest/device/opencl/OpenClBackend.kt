// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl

import io.kotest.core.extensions.TestCaseExtension
import io.kotest.core.test.TestCase
import io.kotest.engine.test.TestResult
import org.arbalest.device.Device
import org.arbalest.device.DeviceStream
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.SyncEvent
import org.arbalest.testkit.contract.Backend
import org.arbalest.testkit.contract.Gate
import org.jocl.CL
import org.jocl.cl_event
import java.util.concurrent.ConcurrentHashMap

/** A backend of the first OpenCL device. */
internal object OpenClBackend : Backend {
    override val device: Device by lazy { Devices.device(DeviceType.OPENCL, 0) }

    override fun gate(stream: DeviceStream): Gate = UserEvent(device).also { gate ->
        gate.syncEvent().use(stream::waitFor)
    }
}

/** An event that a test completes or fails. Only the first call has an effect. */
internal class UserEvent(private val device: Device) : Gate {
    val event: cl_event = CL.clCreateUserEvent(Jocl.context(device), null).also { shut += this }

    fun syncEvent(): SyncEvent = Jocl.syncEvent(device, event)

    override fun open() = finish(CL.CL_COMPLETE)

    override fun fail(): Boolean = true.also { finish(CL.CL_OUT_OF_RESOURCES) }

    private fun finish(status: Int) {
        if (!shut.remove(this)) return
        CL.clSetUserEventStatus(event, status)
        CL.clReleaseEvent(event)
    }

    companion object {
        private val shut: MutableSet<UserEvent> = ConcurrentHashMap.newKeySet()

        /** An extension that opens the gates a failed test has left shut, as later tests would wait for them. */
        val opened: TestCaseExtension = object : TestCaseExtension {
            override suspend fun intercept(testCase: TestCase, execute: suspend (TestCase) -> TestResult): TestResult =
                execute(testCase).also { shut.toList().forEach(UserEvent::open) }
        }
    }
}
