// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl

import org.arbalest.device.DeviceType
import org.arbalest.device.Devices

/**
 * A program that compares the signal handlers before and after OpenCL is loaded. It runs in its own process, as kernels
 * that JOCL builds install LLVM's handlers again.
 */
internal object SignalHandlersMain {
    @JvmStatic
    fun main(args: Array<String>) {
        val signals = listOf(4, 5, 7, 11)
        val before = signals.map(SignalHandlers::handlerOf)
        Devices.device(DeviceType.OPENCL, 0).createStream().use { it.synchronize() }
        val after = signals.map(SignalHandlers::handlerOf)
        println(if (after == before) "the same" else "before $before, after $after")
    }
}
