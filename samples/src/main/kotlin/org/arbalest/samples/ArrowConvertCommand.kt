// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import me.tongfei.progressbar.ProgressBar
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.ipc.ArrowWriter
import org.arbalest.device.ipc.IpcCompression
import org.arbalest.device.ipc.IpcWriteOptions
import picocli.CommandLine.Command
import picocli.CommandLine.Model.CommandSpec
import picocli.CommandLine.Option
import picocli.CommandLine.ParameterException
import picocli.CommandLine.Parameters
import picocli.CommandLine.Spec
import java.nio.file.Path
import kotlin.io.path.Path
import kotlin.io.path.exists
import kotlin.io.path.extension
import kotlin.io.path.fileSize
import kotlin.io.path.isDirectory

/** The names of the codecs in the options. */
internal enum class Codec(val compression: IpcCompression) {
    NONE(IpcCompression.NONE),
    LZ4(IpcCompression.LZ4_FRAME),
    ZSTD(IpcCompression.ZSTD),
}

/** The size of an input from which on its conversion has a progress bar. */
private const val LARGE = 64L shl 20

@Command(description = ["Converts an Arrow file or stream (IPC) to the other one, or to another compression."])
internal class ArrowConvertCommand : Runnable {
    @Spec
    private lateinit var spec: CommandSpec

    @Option(names = ["-h", "--help"], usageHelp = true, description = ["Prints this help."])
    private var help: Boolean = false

    @Parameters(index = "0", paramLabel = "IN", description = ["Arrow file or stream."])
    private lateinit var from: String

    @Parameters(index = "1", paramLabel = "OUT", description = ["The file to create."])
    private lateinit var to: String

    @Option(names = ["--to"], paramLabel = "KIND",
        description = ["file or stream; default: stream if OUT ends with .arrows, otherwise file."])
    private var kind: ArrowKind? = null

    @Option(names = ["--compression"], paramLabel = "CODEC",
        description = ["none, lz4 or zstd; default: none."])
    private var codec: Codec = Codec.NONE

    @Option(names = ["--level"], paramLabel = "N", description = ["The level of zstd; default: that of the codec."])
    private var level: Int = 0

    @Option(names = ["--rows-per-batch"], paramLabel = "N",
        description = ["Joins and cuts batches to N rows; default: as in IN."])
    private var rowsPerBatch: Long? = null

    @Option(names = ["--force"], description = ["Replaces OUT if it exists."])
    private var force: Boolean = false

    override fun run() {
        if (level != 0 && codec != Codec.ZSTD) throw wrong("--level needs --compression zstd")
        rowsPerBatch?.let { if (it < 1) throw wrong("--rows-per-batch must be at least 1, but is $it") }
        val source = SampleData.file(from)
        val target = Path(to)
        require(!target.isDirectory()) { "$target is a folder, not a file" }
        require(force || !target.exists()) { "$target exists; --force replaces it" }
        require(target.toAbsolutePath().parent.exists()) { "$target: its folder does not exist" }
        val form = kind ?: if (target.extension == "arrows") ArrowKind.STREAM else ArrowKind.FILE
        val rows = openArrow(source).use { input ->
            val options = IpcWriteOptions.defaults().withCompression(codec.compression, level)
                .withMetadata(input.footer)
            if (form == ArrowKind.STREAM && !input.footer.isEmpty)
                spec.commandLine().complain("a stream has no footer: the footer's metadata is left out")
            val writer = when (form) {
                ArrowKind.FILE -> ArrowWriter.file(target, input.schema, options)
                ArrowKind.STREAM -> ArrowWriter.stream(target, input.schema, options)
            }
            writer.use {
                naming(source) { bar(source, input) { converted(input, writer, it) } }.also { writer.finish() }
            }
        }
        println("$target: Arrow ${form.name.lowercase()}, $rows rows, ${bytes(source.fileSize())} as " +
            bytes(target.fileSize()))
    }

    private fun wrong(message: String) = ParameterException(spec.commandLine(), message)

    private fun bar(source: Path, input: ArrowInput, block: (ProgressBar?) -> Long): Long =
        if (source.fileSize() <= LARGE) block(null)
        else progress("converting", input.size, if (input.kind == ArrowKind.FILE) "batches" else "bytes", block)

    private fun converted(input: ArrowInput, writer: ArrowWriter, bar: ProgressBar?): Long {
        val rebatch = rowsPerBatch
        var rows = 0L
        if (rebatch == null) while (true) {
            val batch = input.next() ?: return rows
            batch.use {
                writer.write(it, input.metadata)
                rows += it.length()
            }
            bar?.stepTo(input.position)
        }
        RecordBatchReader.of(input.schema, input).rebatch(rebatch).use { reader ->
            reader.forEach { batch ->
                writer.write(batch)
                rows += batch.length()
                bar?.stepTo(input.position)
            }
        }
        return rows
    }
}
