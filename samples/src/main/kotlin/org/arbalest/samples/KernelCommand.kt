// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import kotlinx.coroutines.runBlocking
import org.arbalest.device.Device
import org.arbalest.device.DeviceType
import org.arbalest.device.adbc.DuckDbDriver
import picocli.CommandLine.Command
import picocli.CommandLine.Option
import java.util.concurrent.Callable

@Command(description = ["Counts the delays of a Parquet file's flights by airport, in a kernel on DuckDB's columns; " +
    "on a GPU with kernel-cuda."])
internal class KernelCommand(
    private val type: DeviceType,
    private val histogram: (Device) -> Histogram,
) : Callable<Int> {
    @Option(names = ["-h", "--help"], usageHelp = true, description = ["Says this."])
    private var help: Boolean = false

    @Option(names = ["--file"], paramLabel = "FILE",
        description = ["Parquet with origin, delay and distance; default: 400,000 flights of 2001."])
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
