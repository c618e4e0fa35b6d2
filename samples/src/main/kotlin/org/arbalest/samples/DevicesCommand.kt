// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import org.arbalest.device.Availability
import org.arbalest.device.DeviceStatus
import org.arbalest.device.DeviceType.CPU
import org.arbalest.device.Devices
import picocli.CommandLine.Command
import picocli.CommandLine.Option

@Command(description = ["Lists the available devices, and says why others are missing."])
internal class DevicesCommand : Runnable {
    @Option(names = ["-h", "--help"], usageHelp = true, description = ["Prints this help."])
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
    "device", "available", "description, or the reason why it is missing",
)
