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

/** Runs the sample of a name; without one, or with `--list`, says which there are. */
fun main(args: Array<String>): Unit = exitProcess(runSamples(*args))

/** Runs a sample by its name and options, and answers its exit code; see [runCommand]. */
internal fun runSamples(vararg args: String): Int = runCommand(samples(), *args)

private fun samples() = CommandLine(Samples())
    .addSubcommand("flights", FlightsCommand())
    .addSubcommand("flights-java", FlightsJavaCommand())
    .addSubcommand("ticker", TickerCommand())
    .addSubcommand("kernel", KernelCommand(DeviceType.OPENCL, ::OpenClHistogram))
    .addSubcommand("kernel-cuda", KernelCommand(DeviceType.CUDA, ::CudaHistogram))
    .addSubcommand("devices", DevicesCommand())

@Command(name = "samples", description = ["What Arbalest is for, to run and to read."],
    synopsisSubcommandLabel = "SAMPLE [its options]")
private class Samples : Callable<Int> {
    @Spec
    private lateinit var spec: CommandSpec

    @Option(names = ["-h", "--help"], usageHelp = true,
        description = ["Says this. SAMPLE --help tells a sample's options."])
    private var help: Boolean = false

    @Option(names = ["-l", "--list"], description = ["Lists the samples, as without arguments."])
    private var list: Boolean = false

    override fun call(): Int {
        val rows = spec.subcommands().map { (name, sample) ->
            listOf(name, sample.commandSpec.usageMessage().description().joinToString(" "))
        }
        println(table(rows, "sample", "what it does"))
        return 0
    }
}
