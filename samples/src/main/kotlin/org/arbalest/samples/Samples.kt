// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import org.arbalest.device.DeviceType
import picocli.CommandLine
import picocli.CommandLine.Command
import picocli.CommandLine.Model.CommandSpec
import picocli.CommandLine.Option
import picocli.CommandLine.Spec
import java.util.concurrent.Callable
import kotlin.system.exitProcess

/** Runs the named sample. Without a name, or with `--list`, prints the samples. */
fun main(args: Array<String>): Unit = exitProcess(runSamples(*args))

/** Runs the named sample with its options and returns its exit code, see [runCommand]. */
internal fun runSamples(vararg args: String): Int = runCommand(samples(), *args)

private fun samples() = CommandLine(Samples())
    .addFlights()
    .addSubcommand("late", LateFlightsCommand())
    .addSubcommand("late-java", LateFlightsJavaCommand())
    .addSubcommand("ticker", TickerCommand())
    .addSubcommand("kernel", KernelCommand(DeviceType.OPENCL, ::OpenClHistogram))
    .addSubcommand("kernel-cuda", KernelCommand(DeviceType.CUDA, ::CudaHistogram))
    .addSubcommand("devices", DevicesCommand())
    .addSubcommand("arrow-cat", ArrowCatCommand())
    .addSubcommand("arrow-convert", ArrowConvertCommand())
    .setCaseInsensitiveEnumValuesAllowed(true)

@Command(name = "samples", description = ["Runs a sample program of Arbalest."],
    synopsisSubcommandLabel = "SAMPLE [its options]")
private class Samples : Callable<Int> {
    @Spec
    private lateinit var spec: CommandSpec

    @Option(names = ["-h", "--help"], usageHelp = true,
        description = ["Prints this help. SAMPLE --help prints a sample's options."])
    private var help: Boolean = false

    @Option(names = ["-l", "--list"], description = ["Lists the samples, as without arguments."])
    private var list: Boolean = false

    override fun call(): Int {
        val rows = spec.subcommands().map { (name, sample) ->
            listOf(name, sample.commandSpec.usageMessage().description().joinToString(" "))
        }
        println(table(rows, "sample", "description"))
        return 0
    }
}
