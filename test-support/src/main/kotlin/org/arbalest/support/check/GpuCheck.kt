// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import org.arbalest.support.gpu.GpuDouble
import picocli.CommandLine
import picocli.CommandLine.Command
import picocli.CommandLine.Option
import picocli.CommandLine.ParameterException
import java.lang.management.ManagementFactory
import java.nio.file.Path
import java.time.Instant
import java.util.concurrent.Callable
import kotlin.io.path.isDirectory
import kotlin.io.path.isWritable
import kotlin.time.DurationUnit
import kotlin.time.TimeSource

/**
 * Checks whether this machine's GPU and its driver do what Arbalest needs, and how fast: for the `main` of a backend's
 * [CheckedGpu.program].
 *
 * @return the exit code of the process: 0 if all checks pass, 1 if one fails, 2 for invalid arguments, 3 if none fails
 *     but not all were run
 */
// picocli's own codes: 1 for a failure, 2 for invalid arguments
fun gpuCheck(gpu: CheckedGpu, args: Array<String>): Int = CommandLine(GpuCheck(gpu)).execute(*args)

@Command(
    name = "run",
    description = [
        "Runs Arbalest's tests and copies on the first GPU, compares the copies, and checks times against " +
            "thresholds. Each step has its own process and time limit.",
        "Exits with 0 if all checks pass, 1 if one fails, 3 if none fails but not all were run.",
    ],
)
private class GpuCheck(private val gpu: CheckedGpu) : Callable<Int> {
    @CommandLine.Spec
    private lateinit var line: CommandLine.Model.CommandSpec

    @Option(names = ["-h", "--help"], usageHelp = true, description = ["Prints this help."])
    private var help = false

    @Option(
        names = ["--quick"],
        description = ["Measures briefly, with copies of up to 16 MiB: the figures mean little."],
    )
    private var quick = false

    @Option(names = ["--only"], paramLabel = "STEP",
        description = ["Runs only the steps whose names begin with this; may be repeated."])
    private var only = listOf<String>()

    @Option(names = ["--json"], paramLabel = "FILE",
        description = ["The file for the findings, with more details than the table; default: gpu-check.json."])
    private var json: Path = Path.of("gpu-check.json")

    @Option(names = ["--benchmarks"], description = ["Runs JMH's benchmarks instead of the checks."])
    private var benchmarks = false

    @Option(names = ["--minutes"], paramLabel = "N",
        description = ["The time limit of the check: \${DEFAULT-VALUE} minutes. Later steps are not run."])
    private var minutes = 8L

    @Option(
        names = ["--double"], arity = "0..1", fallbackValue = "", paramLabel = "TROUBLE",
        description = ["Runs on a simulated runtime, to test the check itself; with " + TROUBLES +
            " on one with that fault, or like that machine."],
    )
    private var double: String? = null

    @Option(names = ["--python"], paramLabel = "FILE",
        description = ["The program of Python whose libraries are checked; default: \${DEFAULT-VALUE}."])
    private var python = "python3"

    @Option(names = ["--step-seconds"], paramLabel = "N",
        description = ["The time limit of each step except the first, in seconds."])
    private var stepSeconds: Long? = null

    @Option(names = ["--step"], hidden = true)
    private var step: String? = null

    @Option(names = ["--result"], hidden = true)
    private var result: Path? = null

    @Option(names = ["--bundle"], hidden = true)
    private var bundle: Path? = null

    @Option(names = ["--sizes"], split = ",", hidden = true)
    private var sizes = listOf<Long>()

    private val start = TimeSource.Monotonic.markNow()
    private val driver: List<String>
        get() = if (double == null) listOf("-D${gpu.driverProperty}=driver") else listOf(FAST_START)

    override fun call(): Int {
        bundle?.let { return makeBundle(gpu, it) }
        if (benchmarks) return runBenchmarks(gpu, driver, quick)
        return step?.let { inProcess(it) } ?: all()
    }

    /** Runs a step in its own process. */
    private fun inProcess(name: String): Int {
        val used = double?.let { trouble -> gpu.double.also { it.befall(trouble) } }
        val wanted = steps(gpu, sizes).single { it.name == name }
        StepRun(gpu, wanted, used, quick, checkNotNull(stepSeconds)) { write(it, checkNotNull(result)) }.run()
        return 0
    }

    private fun all(): Int {
        requireWritable()
        val first = run(steps(gpu, listOf()).first())
        val device = first.device
        device?.devices?.forEach { println("  $it") }
        val memory = mainMemory()
        if (device != null) sizes = sizes(device.memoryBytes, memory, quick)
        val chosen = steps(gpu, sizes).drop(1).filter { step ->
            only.isEmpty() || only.any { step.name.startsWith(it, ignoreCase = true) }
        }
        if (chosen.isEmpty()) {
            throw ParameterException(line.commandLine(),
                "no step begins with $only; the steps are: ${steps(gpu, sizes).joinToString("; ") { it.name }}")
        }
        val results = listOf(first) + chosen.map { if (device == null) left(it, "no device is available") else run(it) }
        val host = HostFacts("${property("os.name")} ${property("os.version")} ${property("os.arch")}",
            Runtime.getRuntime().availableProcessors(), memory, property("java.runtime.version"))
        val report = Report(
            gpu.name, "${Instant.now()}", double != null, quick, only, host, device, sizes,
            results.map { it.copy(device = null) }, start.elapsedNow().toDouble(DurationUnit.SECONDS),
        )
        print(report.table())
        write(report, json)
        println("The findings as JSON: ${json.toAbsolutePath()}")
        return report.exitCode
    }

    /** Checks the file now, and not only after all steps have run. */
    private fun requireWritable() {
        val folder = json.toAbsolutePath().parent
        val why = if (json.isDirectory()) "it is a folder" else if (!folder.isDirectory()) "$folder is not a folder"
        else if (!folder.isWritable()) "$folder is not writable" else return
        throw ParameterException(line.commandLine(), "--json=$json: $why")
    }

    private fun run(step: Step): StepResult {
        val left = 60 * minutes - start.elapsedNow().inWholeSeconds
        if (left < LEAST_SECONDS) return left(step, "the limit of $minutes minutes was reached")
        val limit = minOf(stepSeconds?.takeIf { step.name != DEVICE_STEP } ?: step.seconds, left)
        val arguments = listOfNotNull("--quick".takeIf { quick }, double?.let { "--double=$it" },
            "--sizes=${sizes.joinToString(",")}".takeIf { sizes.isNotEmpty() })
        val result = StepProcess(gpu.program.java.name, childOptions() + driver, python.takeIf { step.isInPython })
            .run(step.name, limit, arguments)
        println("${step.name}: ${result.words()}, %.1f s".format(result.seconds))
        return result
    }

    private fun left(step: Step, why: String): StepResult =
        StepResult(step.name, Verdict.NOT_RUN, why, limitSeconds = step.seconds)

    private fun property(name: String): String = System.getProperty(name)
}

/** The time in seconds below which a step does not begin. */
private const val LEAST_SECONDS = 10

/** Returns the options of this JVM that the steps' JVMs also need. */
fun childOptions(): List<String> =
    listOf("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow") +
        listOf("arbalest.native", "arbalest.hip", "java.util.logging.config.file").mapNotNull { name ->
            System.getProperty(name)?.let { "-D$name=$it" }
        }

/** The option for a JVM that runs for seconds, and does not measure a GPU. */
internal const val FAST_START = "-XX:TieredStopAtLevel=1"

private fun mainMemory(): Long =
    (ManagementFactory.getOperatingSystemMXBean() as com.sun.management.OperatingSystemMXBean).totalMemorySize

/** Loads the simulator, with a fault such as `slow:20`; without a fault for an empty text. */
private fun GpuDouble.befall(trouble: String) {
    if (trouble in machines) {
        simulate(trouble)
        return load()
    }
    val number = trouble.substringAfter(':').toLongOrNull()
    require(trouble.isEmpty() || number != null) { "--double=$trouble: expected $TROUBLES" }
    if (trouble.startsWith("gpus:")) usualDevices = checkNotNull(number).toInt()
    load()
    when (trouble.substringBefore(':')) {
        "", "gpus" -> {}
        "slow" -> slow(checkNotNull(number))
        "spoil" -> spoil(checkNotNull(number))
        "stick" -> stick(checkNotNull(number))
        else -> throw IllegalArgumentException("--double=$trouble: expected $TROUBLES")
    }
}

private const val TROUBLES = "slow:K, spoil:N, stick:N, gpus:N, or CUDA's jetson or gh200"
