// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import kotlinx.coroutines.runBlocking
import org.arbalest.device.adbc.DuckDbDriver
import picocli.CommandLine.Command
import picocli.CommandLine.Model.CommandSpec
import picocli.CommandLine.Option
import picocli.CommandLine.ParameterException
import picocli.CommandLine.Spec
import java.nio.file.Path
import java.util.concurrent.Callable
import kotlin.io.path.exists

@Command(
    description = ["Sums up the flights of a Parquet file by airport, in Kotlin, on DuckDB's columns."],
)
class FlightsCommand : Callable<Int> {
    @Spec
    private lateinit var spec: CommandSpec

    @Option(names = ["-h", "--help"], usageHelp = true, description = ["Prints this help."])
    private var help: Boolean = false

    @Option(names = ["--file"], paramLabel = "FILE",
        description = ["Parquet file with origin, delay and distance; default: 400,000 flights of 2001."])
    private var file: String? = null

    @Option(names = ["--repeat"], paramLabel = "N", description = ["Times to read it; default: \${DEFAULT-VALUE}."])
    private var repeat: Int = 1

    @Option(names = ["--chart"], paramLabel = "FILE",
        description = ["Also draws the flights and delays of the ten busiest airports into this PNG file."])
    private var chart: Path? = null

    override fun call(): Int {
        if (chart?.toAbsolutePath()?.parent?.exists() == false)
            throw IllegalArgumentException("$chart: its folder does not exist")
        if (repeat < 1) throw ParameterException(spec.commandLine(), "--repeat must be at least 1, but is $repeat")
        val parquet = file?.let(SampleData::file) ?: SampleData.flights()
        DuckDbDriver.open().use { database ->
            database.connect().use { duckdb ->
                return if (runBlocking { flights(duckdb, parquet, repeat, chart) }) 0 else 1
            }
        }
    }
}
