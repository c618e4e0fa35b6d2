// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.python

import org.arbalest.device.types.DataType
import org.arbalest.device.types.Interval
import org.arbalest.support.Program
import java.lang.ProcessBuilder.Redirect
import java.math.BigDecimal
import java.nio.file.Files
import java.nio.file.Path
import java.util.HexFormat
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit.MINUTES

/** A Python process that answers requests. It runs a script of the tests' resources with some packages. */
internal class PythonPeer private constructor(private val process: Process) : AutoCloseable {
    private val answers = process.inputReader(Charsets.UTF_8)
    private val requests = process.outputWriter(Charsets.UTF_8)

    /** Sends a request, and returns the words of its answer. Throws [PythonError] if Python raised an error. */
    fun call(vararg words: Any): List<String> {
        requests.write(words.joinToString("\t", postfix = "\n"))
        requests.flush()
        val line = CompletableFuture.supplyAsync(answers::readLine).get(1, MINUTES)
        val answer = checkNotNull(line) { "Python ended at ${words.asList()}" }.split('\t')
        if (answer[0] == "failed") throw PythonError(answer[1])
        return answer.drop(1)
    }

    override fun close() {
        requests.close() // the script ends
        try {
            check(process.waitFor(1, MINUTES) && process.exitValue() == 0) { "Python did not end without an error" }
        } finally {
            process.destroyForcibly()
        }
    }

    companion object {
        private val requirements = resource("requirements.txt")
        private val folder by lazy { runCatching(::install) }

        /** The reason why Python or one of its packages is missing; null if they are available. */
        val missing: String? get() = folder.exceptionOrNull()?.let { "no packages of Python: ${it.message}" }

        /** Starts a script. */
        fun start(script: String): PythonPeer {
            val builder = ProcessBuilder("python3", "${resource(script)}").redirectError(Redirect.INHERIT)
            builder.environment()["PYTHONPATH"] = "${folder.getOrThrow()}"
            builder.environment()["PYTHONIOENCODING"] = "utf-8"
            builder.environment()["RUST_BACKTRACE"] = "0" // Polars prints each panic
            return PythonPeer(builder.start())
        }

        /** Returns the lines of a file of the tests' resources, without comments. */
        fun lines(name: String): List<String> = Files.readAllLines(resource(name)).filterNot { it.startsWith("#") }

        private fun resource(name: String) =
            Path.of(PythonPeer::class.java.getResource("/org/arbalest/interop/python/$name")!!.toURI())

        /** Downloads the packages, or takes them from pip's cache. Pip checks their hashes. */
        private fun install(): Path {
            check(System.getProperty("os.name") == "Linux" && System.getProperty("os.arch") == "amd64") {
                "the hashes in requirements.txt are of packages for Linux on x86-64"
            }
            val parent = Files.createDirectories(Path.of("target", "python").toAbsolutePath())
            val hash = Integer.toHexString(Files.readString(requirements).hashCode())
            val folder = parent.resolve("packages-$hash")
            if (!Files.exists(folder)) {
                val fresh = Files.createTempDirectory(parent, "new")
                Program.run(parent, listOf("python3", "-m", "pip", "install", "--quiet", "--no-deps",
                    "--require-hashes", "--only-binary", ":all:", "--retries", "1", "--target", "$fresh", "-r",
                    "$requirements"))
                Files.move(fresh, folder)
            }
            return folder
        }
    }
}

/** An error that Python has raised. */
internal class PythonError(message: String) : Exception(message)

/** Texts of values, which are the same in Kotlin and in `serve.py`. */
internal object Texts {
    /** Returns the text of a value of a type, in the representation of [org.arbalest.interop.Batches.plain]. */
    fun of(value: Any?, type: DataType): String =
        if (value is Long && type == DataType.UINT64) value.toULong().toString() else of(value)

    private fun of(value: Any?): String = when (value) {
        null -> "None"
        true -> "True"
        false -> "False"
        is Long -> "$value"
        is Double -> HexFormat.of().toHexDigits(value.toRawBits())
        is BigDecimal -> value.toPlainString()
        is String -> "\"$value\""
        is Interval -> "interval ${value.months()} ${value.days()} ${value.nanoseconds()}"
        is Map<*, *> -> value.entries.joinToString(prefix = "{", postfix = "}") { (key, item) -> "$key: ${of(item)}" }
        is List<*> ->
            if (value.firstOrNull() is Byte)
                "bytes " + HexFormat.of().formatHex(value.map { it as Byte }.toByteArray())
            else value.joinToString(prefix = "[", postfix = "]", transform = { of(it) })
        else -> error("no text of $value, a ${value.javaClass}")
    }
}
