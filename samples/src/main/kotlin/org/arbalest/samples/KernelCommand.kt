// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import kotlinx.coroutines.runBlocking
import org.arbalest.device.Device
import org.arbalest.device.DeviceType
import org.arbalest.device.adbc.DuckDbDriver
import picocli.CommandLine.Command
import picocli.CommandLine.Option
import java.util.concurrent.Callable

@Command(description = ["Counts the delays in a Parquet file by airport, with an OpenCL kernel (kernel) or a CUDA " +
    "kernel (kernel-cuda)."])
internal class KernelCommand(
    private val type: DeviceType,
    private val histogram: (Device) -> Histogram,
) : Callable<Int> {
    @Option(names = ["-h", "--help"], usageHelp = true, description = ["Prints this help."])
    private var help: Boolean = false

    @Option(names = ["--file"], paramLabel = "FILE",
        description = ["Parquet file with origin, delay and distance; default: 400,000 flights of 2001."])
    private var file: String? = null

    override fun call(): Int {
        val parquet = file?.let(SampleData::file) ?: SampleData.flights()
        DuckDbDriver.open().use { database ->
            database.connect().use { duckdb ->
                return if (runBlocking { histograms(duckdb, parquet, type, histogram) }) 0 else 1
            }
        }
    }
}
