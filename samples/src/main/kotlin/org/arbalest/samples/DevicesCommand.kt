// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import org.arbalest.device.Availability
import org.arbalest.device.DeviceStatus
import org.arbalest.device.DeviceType.CPU
import org.arbalest.device.Devices
import picocli.CommandLine.Command
import picocli.CommandLine.Option

@Command(description = ["What devices there are, and which are missing and why."])
internal class DevicesCommand : Runnable {
    @Option(names = ["-h", "--help"], usageHelp = true, description = ["Says this."])
    private var help: Boolean = false

    override fun run() = println(devicesTable(Devices.status()))
}

internal fun devicesTable(kinds: List<DeviceStatus>): String = table(
    kinds.flatMap { kind ->
        when (val answer = kind.availability()) {
            is Availability.Missing -> listOf(listOf("${kind.type()}", "no", answer.reason()))
            is Availability.Ready -> kind.descriptions().mapIndexed { id, it ->
                listOf(if (kind.type() == CPU) "CPU" else "${kind.type()}:$id", "yes", it)
            }
        }
    },
    "device", "there", "what it is, or why it is missing",
)
