// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import picocli.CommandLine.Command
import picocli.CommandLine.Option

/** The command line of [FlightsJava]. */
@Command(description = ["A short version of flights in plain Java."])
class FlightsJavaCommand : Runnable {
    @Option(names = ["-h", "--help"], usageHelp = true, description = ["Prints this help."])
    private var help: Boolean = false

    @Option(names = ["--file"], paramLabel = "FILE",
        description = ["Parquet file with origin, delay and distance; default: 400,000 flights of 2001."])
    private var file: String? = null

    override fun run() = FlightsJava.run(file?.let(SampleData::file) ?: SampleData.flights())
}
