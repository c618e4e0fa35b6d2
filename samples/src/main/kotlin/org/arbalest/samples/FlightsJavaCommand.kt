// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import picocli.CommandLine.Command
import picocli.CommandLine.Option

/** [FlightsJava]. */
@Command(description = ["The essence of flights, in plain Java."])
internal class FlightsJavaCommand : Runnable {
    @Option(names = ["-h", "--help"], usageHelp = true, description = ["Says this."])
    private var help: Boolean = false

    @Option(names = ["--file"], paramLabel = "FILE",
        description = ["Parquet with origin, delay and distance; default: 400,000 flights of 2001."])
    private var file: String? = null

    override fun run() = FlightsJava.run(file?.let(SampleData::file) ?: SampleData.flights())
}
