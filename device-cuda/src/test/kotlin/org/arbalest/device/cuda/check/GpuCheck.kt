// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda.check

import com.github.freva.asciitable.AsciiTable
import com.github.freva.asciitable.Column
import com.github.freva.asciitable.HorizontalAlign
import org.arbalest.device.Devices
import org.arbalest.device.abi.DeviceType
import org.arbalest.device.cuda.CudaContractSpec
import org.arbalest.device.cuda.CudaCopy
import org.arbalest.device.cuda.CudaEvents
import org.arbalest.device.cuda.CudaHostContractSpec
import org.arbalest.device.cuda.CudaKernelSpec
import org.arbalest.device.cuda.CudaManagedContractSpec
import org.arbalest.device.spi.Availability
import org.arbalest.testkit.gpu.CudaDouble
import org.junit.platform.engine.discovery.DiscoverySelectors.selectClass
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder
import org.junit.platform.launcher.core.LauncherFactory
import org.junit.platform.launcher.listeners.SummaryGeneratingListener
import org.openjdk.jmh.results.RunResult
import org.openjdk.jmh.runner.Runner
import org.openjdk.jmh.runner.RunnerException
import org.openjdk.jmh.runner.options.OptionsBuilder
import org.openjdk.jmh.runner.options.TimeValue
import org.openjdk.jmh.runner.options.VerboseMode
import picocli.CommandLine
import picocli.CommandLine.Command
import picocli.CommandLine.Option
import java.io.PrintWriter
import java.util.Locale
import java.util.concurrent.Callable
import kotlin.system.exitProcess

/** Says whether this machine's GPU and its driver do what Arbalest needs, and how fast. */
internal fun main(args: Array<String>): Unit = exitProcess(CommandLine(GpuCheck()).execute(*args))

@Command(
    name = "run",
    description = ["Runs Arbalest's contract tests, a kernel and benchmarks on the first GPU of NVIDIA's. Ends with 0 if all is well."],
)
private class GpuCheck : Callable<Int> {
    @Option(names = ["-h", "--help"], usageHelp = true, description = ["Says this."])
    private var help = false

    @Option(names = ["--quick"], description = ["Measures for a moment only: the figures mean nothing."])
    private var quick = false

    @Option(names = ["--no-benchmarks"], description = ["Tests only."])
    private var noBenchmarks = false

    @Option(names = ["--double"], description = ["Runs on a driver in software, to see that the check itself works."])
    private var double = false

    private val rows = mutableListOf<List<String>>()
    private var failed = false

    override fun call(): Int {
        if (double) CudaDouble.load() else System.setProperty("arbalest.cuda", "driver")
        System.setProperty("arbalest.check.bytes", "$bytes")
        println(Devices.describe())
        val missing = Devices.availability(DeviceType.CUDA) as? Availability.Missing
        if (missing != null) {
            println("CUDA cannot be used here, because ${missing.reason()}.")
            return 1
        }
        test("contract, GPU memory", CudaContractSpec::class.java)
        test("contract, pinned memory", CudaHostContractSpec::class.java)
        when (val managed = Devices.availability(DeviceType.CUDA_MANAGED)) {
            is Availability.Ready -> test("contract, managed memory", CudaManagedContractSpec::class.java)
            is Availability.Missing -> rows += listOf("contract, managed memory", "skipped", managed.reason())
        }
        test("sample: flights counted by a kernel", CudaKernelSpec::class.java)
        if (!noBenchmarks) {
            copies()
            events()
        }
        val columns = listOf("check", "result", "details").mapIndexed { i, name ->
            Column().header(name).headerAlign(HorizontalAlign.LEFT).dataAlign(HorizontalAlign.LEFT).maxWidth(90).with<List<String>> { it[i] }
        }
        println(AsciiTable.getTable(rows, columns))
        println(if (failed) "FAILED" else "All is well.")
        return if (failed) 1 else 0
    }

    private fun test(name: String, spec: Class<*>) {
        val listener = SummaryGeneratingListener()
        val request = LauncherDiscoveryRequestBuilder.request().selectors(selectClass(spec)).build()
        LauncherFactory.create().execute(request, listener)
        val summary = listener.summary
        val good = summary.testsFoundCount > 0 && summary.testsSucceededCount == summary.testsFoundCount
        if (!good) {
            failed = true
            summary.printFailuresTo(PrintWriter(System.out, true), 10)
        }
        val counts = "${summary.testsSucceededCount} of ${summary.testsFoundCount} tests" +
            if (summary.testsSkippedCount > 0) ", ${summary.testsSkippedCount} skipped" else ""
        rows += listOf(name, if (good) "good" else "FAILED", counts)
        println("$name: $counts")
    }

    private fun copies() {
        val times = measure(CudaCopy::class.java) ?: return
        for (memory in listOf("pinned", "pageable")) {
            for (columns in listOf("1", "100")) {
                for ((mine, raw, what) in listOf(Triple("toDevice", "rawToDevice", "to the GPU"), Triple("toHost", "rawToHost", "from the GPU"))) {
                    val ours = times.getValue("$mine $columns $memory")
                    val theirs = times.getValue("$raw $columns $memory")
                    rows += listOf(
                        "$memory memory $what, $columns column${if (columns == "1") "" else "s"}",
                        "%.2f of raw".format(Locale.ROOT, theirs / ours),
                        "%.2f ms, cuMemcpyAsync %.2f ms, %.1f GB/s".format(Locale.ROOT, ours, theirs, bytes / ours / 1e6),
                    )
                }
            }
        }
    }

    private fun events() {
        val times = measure(CudaEvents::class.java) ?: return
        fun row(name: String, benchmark: String, details: String) {
            rows += listOf(name, "%.2f us".format(Locale.ROOT, times.getValue(benchmark)), details)
        }
        row("export, import, wait, release", "exportImport", "10 columns, known to be ready")
        row("record, stream wait, destroy", "recordWait", "an event")
        row("1 MiB and a suspended wait", "suspending", "by a coroutine")
        row("1 MiB and a blocked wait", "blocking", "by cuEventSynchronize")
    }

    /** Milliseconds or microseconds, by the benchmark's name and parameters; null if it failed. */
    private fun measure(benchmarks: Class<*>): Map<String, Double>? {
        val options = OptionsBuilder().include("\\b${benchmarks.simpleName}\\.").shouldFailOnError(true).verbosity(VerboseMode.SILENT)
        options.jvmArgsAppend("--enable-native-access=ALL-UNNAMED", "-Darbalest.check.bytes=$bytes")
        if (double) options.forks(0)
        if (quick) options.warmupIterations(0).measurementIterations(1).measurementTime(TimeValue.milliseconds(50)).forks(0)
        println("measuring: ${benchmarks.simpleName}")
        return try {
            Runner(options.build()).run().associate { result -> result.key() to result.primaryResult.score }
        } catch (e: RunnerException) {
            failed = true
            e.printStackTrace()
            rows += listOf(benchmarks.simpleName, "FAILED", "${e.cause?.suppressed?.firstOrNull() ?: e}")
            null
        }
    }

    private fun RunResult.key(): String {
        val parameters = listOf("columns", "memory").mapNotNull { params.getParam(it) }
        return (listOf(params.benchmark.substringAfterLast('.')) + parameters).joinToString(" ")
    }

    /** For each copy; a driver in software has not much memory. */
    private val bytes: Long get() = if (double) 8L shl 20 else 256L shl 20
}
