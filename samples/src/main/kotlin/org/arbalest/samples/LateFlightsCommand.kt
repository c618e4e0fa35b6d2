// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import kotlinx.coroutines.runBlocking
import org.arbalest.device.adbc.DuckDbDriver
import picocli.CommandLine.Command
import picocli.CommandLine.Option
import java.util.concurrent.Callable

@Command(description = ["Keeps, orders and extends the rows of the latest flights, in Kotlin, on DuckDB's columns."])
internal class LateFlightsCommand : Callable<Int> {
    @Option(names = ["-h", "--help"], usageHelp = true, description = ["Prints this help."])
    private var help: Boolean = false

    @Option(names = ["--file"], paramLabel = "FILE",
        description = ["Parquet file with origin, delay and distance; default: 400,000 flights of 2001."])
    private var file: String? = null

    override fun call(): Int {
        val parquet = file?.let(SampleData::file) ?: SampleData.flights()
        DuckDbDriver.open().use { database ->
            database.connect().use { duckdb -> return if (runBlocking { lateFlights(duckdb, parquet) }) 0 else 1 }
        }
    }
}

/** The command line of [LateFlightsJava]. */
@Command(description = ["A short version of late in plain Java."])
internal class LateFlightsJavaCommand : Runnable {
    @Option(names = ["-h", "--help"], usageHelp = true, description = ["Prints this help."])
    private var help: Boolean = false

    @Option(names = ["--file"], paramLabel = "FILE",
        description = ["Parquet file with origin, delay and distance; default: 400,000 flights of 2001."])
    private var file: String? = null

    override fun run() = LateFlightsJava.run(file?.let(SampleData::file) ?: SampleData.flights())
}
