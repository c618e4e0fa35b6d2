// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import org.arbalest.support.python.Python
import java.io.File
import java.io.IOException
import java.nio.file.Path
import java.util.concurrent.TimeUnit.SECONDS
import kotlin.io.path.ExperimentalPathApi
import kotlin.io.path.createTempDirectory
import kotlin.io.path.deleteRecursively
import kotlin.io.path.div
import kotlin.io.path.exists
import kotlin.io.path.readText
import kotlin.io.path.writeText
import kotlin.time.Duration.Companion.seconds
import kotlin.time.DurationUnit
import kotlin.time.TimeSource

private const val MOST_LINES = 60
private const val MOST_FRAMES = 12
private val PATIENCE = 5.seconds

/**
 * Runs a step in a separate JVM. A JVM that hangs is killed and reported, with the stacks of its threads, which this
 * process requests from it. A JVM that ends without a result is also reported. The starting process never touches the
 * GPU, so that the step has it alone.
 *
 * @param python the program of Python in whose process the JVM runs; null for a process of its own
 */
class StepProcess(private val main: String, private val options: List<String>, private val python: String? = null) {
    @OptIn(ExperimentalPathApi::class)
    fun run(name: String, limit: Long, arguments: List<String>): StepResult {
        val missing = python?.let(::missing)
        if (missing != null) return StepResult(name, Verdict.NOT_RUN, missing, limitSeconds = limit)
        val folder = createTempDirectory("gpu-check")
        try {
            return run(name, limit, arguments, folder)
        } finally {
            folder.deleteRecursively()
        }
    }

    private fun run(name: String, limit: Long, arguments: List<String>, folder: Path): StepResult {
        val (file, log) = folder / "result.json" to folder / "log"
        val own = options + listOf("-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=${folder / "hs_err"}")
        val home = Path.of(System.getProperty("java.home"))
        val classes = System.getProperty("java.class.path")
        val java = if (python == null) listOf("${home / "bin" / "java"}") + own + listOf("-cp", classes)
        else listOf(python, "${launcher(folder)}", "${home / "lib" / "server" / "libjvm.so"}") + own +
            listOf("-Djava.class.path=$classes", "--")
        val command = java + main + listOf("--step=$name", "--result=$file", "--step-seconds=$limit") + arguments
        val builder = ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile())
        builder.environment().remove("JAVA_TOOL_OPTIONS") // otherwise the log mentions them
        val start = TimeSource.Monotonic.markNow()
        val process = builder.start()
        val orphan = Thread { process.end() }
        Runtime.getRuntime().addShutdownHook(orphan)
        val ended = process.waitFor(limit, SECONDS)
        val stood = if (ended) listOf() else stood(process, log)
        if (!ended) process.end()
        Runtime.getRuntime().removeShutdownHook(orphan)
        val found = if (file.exists()) read<StepResult>(file)
        else StepResult(name, Verdict.FAILED, limitSeconds = limit)
        val reason = when {
            !ended -> "the step took longer than $limit s" + (stood.firstOrNull()?.let {
                "; thread ${it.thread} was in ${it.ours ?: it.frames.firstOrNull()}"
            } ?: "; the process did not print its threads")
            process.exitValue() != 0 -> "the step's process ended with ${process.exitValue()}" +
                (log.lastLine()?.let { ": $it" } ?: "")
            else -> found.reason
        }
        val spoilt = !ended || process.exitValue() != 0
        val result = found.copy(
            verdict = if (spoilt) Verdict.FAILED else found.verdict, reason = reason, stood = stood,
            seconds = start.elapsedNow().toDouble(DurationUnit.SECONDS),
        )
        if (result.verdict == Verdict.FAILED) log.readText().lines().takeLast(MOST_LINES).forEach { println("  | $it") }
        return result
    }

    /** Returns the reason why a program of Python cannot run a JVM, or null. */
    private fun missing(python: String): String? {
        val probe = listOf(python, "-c", "import ctypes, sys; sys.exit(sys.version_info < (3, 8))")
        return try {
            val process = ProcessBuilder(probe).redirectErrorStream(true).start()
            val words = process.inputReader().readText()
            if (process.waitFor() == 0) null
            else "$python is older than 3.8, or has no ctypes. ${words.trim().lines().last()}".trim()
        } catch (e: IOException) {
            "no Python: ${e.message}"
        }
    }

    /** Writes the program that runs a JVM in Python's process. */
    private fun launcher(folder: Path): Path = (folder / "launch.py").also {
        it.writeText(checkNotNull(Python::class.java.getResource("launch.py")) { "no resource launch.py" }.readText())
    }

    /** Kills the process and its children. A process that does not die is left behind. */
    private fun Process.end() {
        descendants().forEach(ProcessHandle::destroyForcibly)
        destroyForcibly().waitFor(PATIENCE.inWholeSeconds, SECONDS)
    }

    /** Sends SIGQUIT: a JVM then prints its threads' stacks and continues. */
    private fun stood(process: Process, log: Path): List<Stood> {
        if (File.separatorChar != '/') return listOf()
        ProcessBuilder("sh", "-c", "kill -QUIT ${process.pid()}").redirectErrorStream(true).start().waitFor()
        val start = TimeSource.Monotonic.markNow()
        while (DUMP_END !in log.readText() && start.elapsedNow() < PATIENCE) Thread.sleep(20)
        return stood(log.readText())
    }

    private fun Path.lastLine(): String? = readText().lines().lastOrNull { it.isNotBlank() && !it.startsWith('\t') }
}

private const val DUMP_END = "JNI global refs"

/** `(java.base@25/` before the name of a file. */
private val MODULE = Regex("""\([\w.]+@[^/)]*/""")
private const val OURS = "org.arbalest."

/** The first frame in Arbalest's code. */
private val Stood.ours: String? get() = frames.firstOrNull { it.startsWith(OURS) }

/** Returns the threads with a frame in Arbalest's code, `main` first, from a JVM's output at SIGQUIT. */
fun stood(log: String): List<Stood> = log.substringAfterLast("Full thread dump", "").substringBefore(DUMP_END)
    .split("\n\n").mapNotNull { thread ->
        val lines = thread.trim().lines()
        val frames = lines.map(String::trim).filter { it.startsWith("at ") }.map {
            it.removePrefix("at ").replace(MODULE, "(")
        }
        if (lines.first().startsWith('"') && frames.any { it.startsWith(OURS) })
            Stood(lines.first().substring(1).substringBefore('"'), frames.around()) else null
    }.sortedBy { it.thread != "main" }

/** Returns the innermost frames, and more if the first of Arbalest's frames is further out. */
private fun List<String>.around(): List<String> = take(maxOf(MOST_FRAMES, indexOfFirst { it.startsWith(OURS) } + 1))
