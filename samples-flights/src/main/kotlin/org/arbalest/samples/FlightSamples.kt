// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import picocli.CommandLine
import picocli.CommandLine.Command
import kotlin.system.exitProcess

/**
 * Runs `flights` or `flights-java` with its options. These two are a module of their own because most users run them
 * first: they need DuckDB, and neither a GPU nor Arrow files.
 */
fun main(args: Array<String>): Unit = exitProcess(runCommand(CommandLine(FlightSamples()).addFlights(), *args))

/** Adds the samples of this module. */
fun CommandLine.addFlights(): CommandLine =
    addSubcommand("flights", FlightsCommand()).addSubcommand("flights-java", FlightsJavaCommand())

@Command(name = "samples")
private class FlightSamples
