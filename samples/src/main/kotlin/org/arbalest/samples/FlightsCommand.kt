package org.arbalest.samples

import kotlinx.coroutines.runBlocking
import org.arbalest.device.Ledger
import org.arbalest.samples.adbc.AdbcException
import org.arbalest.samples.adbc.DuckDbDriver
import picocli.CommandLine
import picocli.CommandLine.Command
import picocli.CommandLine.Model.CommandSpec
import picocli.CommandLine.Option
import picocli.CommandLine.ParameterException
import picocli.CommandLine.Spec
import java.util.concurrent.Callable

/**
 * Runs the command, and answers its exit code: 0; 1 if the file cannot be read, the results differ, or anything was left
 * unreleased; 2 for wrong options. What went wrong is one line on standard error.
 */
internal fun runFlights(args: Array<String>): Int {
    val command = CommandLine(FlightsCommand())
    command.setExecutionExceptionHandler { e, _, _ -> 1.also { command.complain(e.reason) } }
    command.setParameterExceptionHandler { e: ParameterException, _ -> 2.also { command.complain("${e.reason}; see --help") } }
    val code = command.execute(*args)
    val left = Ledger.now()
    if (left.isZero) return code
    command.complain("not everything was released: $left")
    return 1
}

@Command(
    name = "flights",
    description = ["Sums up the flights of a Parquet file by airport, in Kotlin, on DuckDB's columns."],
)
private class FlightsCommand : Callable<Int> {
    @Spec
    private lateinit var spec: CommandSpec

    @Option(names = ["-h", "--help"], usageHelp = true, description = ["Says this."])
    private var help: Boolean = false

    @Option(names = ["--file"], paramLabel = "FILE", description = ["Parquet with origin, delay and distance; default: 400,000 flights of 2001."])
    private var file: String? = null

    @Option(names = ["--repeat"], paramLabel = "N", description = ["How often to read it; default: \${DEFAULT-VALUE}."])
    private var repeat: Int = 1

    override fun call(): Int {
        if (repeat < 1) throw ParameterException(spec.commandLine(), "--repeat is at least 1, not $repeat")
        val parquet = file?.let(SampleData::file) ?: SampleData.flights()
        DuckDbDriver.load().open(mapOf("path" to ":memory:")).use { database ->
            database.connect().createStatement().use { statement ->
                return if (runBlocking { flights(statement, parquet, repeat) }) 0 else 1
            }
        }
    }
}

internal fun CommandLine.complain(what: String) = err.println("$commandName: $what")

/** The first line of what is said, which of DuckDB's errors is the sentence. */
private val Exception.reason: String
    get() = ((this as? AdbcException)?.driverMessage()?.ifEmpty { null } ?: message ?: toString()).lineSequence().first()
