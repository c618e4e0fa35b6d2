// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import org.arbalest.device.RecordBatchReader
import org.arbalest.device.ipc.IpcCompression
import org.arbalest.device.ipc.IpcReadOptions
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.Schema
import picocli.CommandLine.Command
import picocli.CommandLine.Model.CommandSpec
import picocli.CommandLine.Option
import picocli.CommandLine.ParameterException
import picocli.CommandLine.Parameters
import picocli.CommandLine.Spec
import java.nio.file.Path
import java.util.Locale
import kotlin.io.path.fileSize

@Command(description = ["Prints the schema, the metadata and the first rows of an Arrow file or stream (IPC)."])
internal class ArrowCatCommand : Runnable {
    @Spec
    private lateinit var spec: CommandSpec

    @Option(names = ["-h", "--help"], usageHelp = true, description = ["Prints this help."])
    private var help: Boolean = false

    @Parameters(paramLabel = "FILE", description = ["Arrow file or stream."])
    private lateinit var file: String

    @Option(names = ["--rows"], paramLabel = "N",
        description = ["The most rows to print; default: \${DEFAULT-VALUE}."])
    private var rows: Int = 10

    @Option(names = ["--columns"], paramLabel = "NAMES", split = ",",
        description = ["The columns to read, separated by commas; default: all."])
    private var columns: List<String>? = null

    override fun run() {
        if (rows < 0) throw ParameterException(spec.commandLine(), "--rows must be at least 0, but is $rows")
        val path = SampleData.file(file)
        val all = IpcReadOptions.defaults()
        val options = columns?.let { all.withColumns(*it.toTypedArray()) } ?: all
        openArrow(path, options).use { input ->
            val totals = naming(path) { totals(path) }
            println("$path: Arrow ${input.kind.name.lowercase()}, ${bytes(path.fileSize())}, ${totals.batches} " +
                "batches, ${totals.rows} rows, compression: ${totals.compression}")
            println(described(input.schema))
            val metadata = entries("schema", input.schema.metadata()) + entries("footer", input.footer)
            if (metadata.isNotEmpty()) println(table(metadata, "metadata of", "key", "value"))
            if (rows > 0) naming(path) { printRows(input) }
        }
    }

    private fun printRows(input: ArrowInput) {
        // Rows of several batches are joined; the batches after them are not read.
        RecordBatchReader.of(input.schema, input).rebatch(rows.toLong()).use { reader ->
            reader.next()?.use { println(it.toString(rows)) }
        }
    }
}

private class Totals(val batches: Long, val rows: Long, val compression: String)

/** Counts the rows without a column, so that no buffer is read. */
private fun totals(path: Path): Totals = openArrow(path, IpcReadOptions.defaults().withColumns()).use { input ->
    var batches = 0L
    var rows = 0L
    val codecs = mutableSetOf<IpcCompression>()
    while (true) {
        val batch = input.next() ?: break
        batch.use { rows += it.length() }
        codecs += input.compression
        batches++
    }
    Totals(batches, rows, (codecs - IpcCompression.NONE).joinToString().ifEmpty { "none" })
}

private fun described(schema: Schema): String = table(
    schema.fields().map { field ->
        listOf(field.name(), "${field.type()}", if (field.isNullable) "yes" else "no",
            field.metadata().entries().joinToString { "${it.key()} = ${it.value()}" })
    },
    "column", "type", "nullable", "metadata",
)

private fun entries(owner: String, metadata: Metadata) = metadata.entries().map { listOf(owner, it.key(), it.value()) }

/** Returns a size in a binary unit. */
internal fun bytes(size: Long): String {
    val units = listOf("KiB", "MiB", "GiB", "TiB")
    var scaled = size / 1024.0
    if (scaled < 1) return "$size bytes"
    var unit = 0
    while (scaled >= 1024 && unit < units.lastIndex) {
        scaled /= 1024
        unit++
    }
    return "%.1f %s".format(Locale.ROOT, scaled, units[unit])
}
