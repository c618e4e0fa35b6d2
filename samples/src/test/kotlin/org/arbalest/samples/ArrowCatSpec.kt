// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import org.arbalest.coroutines.batch
import org.arbalest.coroutines.float64
import org.arbalest.coroutines.utf8
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.ipc.ArrowWriter
import org.arbalest.device.ipc.IpcCompression
import org.arbalest.device.ipc.IpcWriteOptions
import org.arbalest.device.types.Metadata
import org.arbalest.support.ResourceCountersExtension
import java.nio.file.Path
import kotlin.io.path.outputStream
import kotlin.io.path.readBytes
import kotlin.io.path.writeBytes
import kotlin.io.path.writeText

/** A batch of two rows: prices, and symbols that name the batch. */
internal fun quotes(number: Int): RecordBatch = Devices.cpu().batch(2) {
    float64("price") { number + it / 4.0 }
    utf8("symbol") { "s$number.$it" }
}.use { it.withMetadata(Metadata.of("source", "test")) }

/** Three batches. */
internal fun quotes(): RecordBatchReader = List(3) { quotes(it) }.let { RecordBatchReader.of(it.first().schema(), it) }

internal fun Path.writeFile(options: IpcWriteOptions = IpcWriteOptions.defaults()): Path =
    also { ArrowWriter.writeFile(it, quotes(), options) }

internal fun Path.writeStream(options: IpcWriteOptions = IpcWriteOptions.defaults()): Path =
    also { outputStream().use { out -> ArrowWriter.writeStream(out, quotes(), options) } }

class ArrowCatSpec : FunSpec({
    extension(ResourceCountersExtension)
    val folder = tempdir().toPath()

    fun cat(vararg args: String): Run = captured { runSamples("arrow-cat", *args) }

    test("a file's schema, metadata, numbers and first rows are printed") {
        val file = folder.resolve("quotes.arrow")
            .writeFile(IpcWriteOptions.defaults().withMetadata(Metadata.of("made by", "a spec")))
        val run = cat("$file", "--rows", "3")
        run.error shouldBe ""
        run.code shouldBe 0
        run.output.lines().first() shouldContain Regex("""quotes\.arrow: Arrow file, .*, 3 batches, 6 rows, .*: none""")
        run.output shouldContain Regex("""\| price +\| float64""")
        run.output shouldContain Regex("""\| schema +\| source +\| test""")
        run.output shouldContain Regex("""\| footer +\| made by +\| a spec""")
        run.output shouldContain "s1.0" // the third row, from the second batch
        run.output shouldNotContain "s1.1"
    }

    test("a stream is recognized, and only the chosen columns are printed") {
        val stream = folder.resolve("quotes.arrows").writeStream()
        val run = cat("$stream", "--columns", "symbol")
        run.error shouldBe ""
        run.output shouldContain Regex("""Arrow stream, .*, 3 batches, 6 rows""")
        run.output shouldContain "s2.1"
        run.output shouldNotContain "price"
        cat("$stream", "--columns", "symbol,prize").also { it.code shouldBe 1 }.error shouldContain "prize"
        cat("$stream", "--rows", "0").also { it.code shouldBe 0 }.output shouldNotContain "s0.0"
    }

    test("the compression of the batches is printed") {
        for ((codec, name) in mapOf(IpcCompression.LZ4_FRAME to "LZ4_FRAME", IpcCompression.ZSTD to "ZSTD")) {
            val options = IpcWriteOptions.defaults().withCompression(codec)
            for (path in listOf(folder.resolve("c.arrow").writeFile(options),
                folder.resolve("c.arrows").writeStream(options))) {
                cat("$path").also { it.error shouldBe "" }.output.lines().first() shouldContain "compression: $name"
            }
        }
    }

    test("a missing file, another format, a damaged file and wrong options are errors of one line") {
        val parquet = folder.resolve("a.parquet").apply { writeText("PAR1 and more") }
        val empty = folder.resolve("empty").apply { writeText("") }
        val whole = folder.resolve("whole.arrow").writeFile().readBytes()
        val cut = folder.resolve("cut.arrow").apply { writeBytes(whole.copyOf(whole.size - 20)) }
        for ((args, code, message) in listOf(
            Triple(listOf("missing.arrow"), 1, "there is no file missing.arrow"),
            Triple(listOf("$folder"), 1, "is a folder"),
            Triple(listOf("$parquet"), 1, "begins with the bytes 50 41 52 31"),
            Triple(listOf("$empty"), 1, "is empty"),
            Triple(listOf("$cut"), 1, "cut.arrow: at byte"),
            Triple(listOf("$cut", "--rows", "-1"), 2, "--rows must be at least 0"),
            Triple(listOf(), 2, "FILE"),
        )) {
            val run = cat(*args.toTypedArray())
            run.error shouldContain message
            run.error.trim().lines().size shouldBe 1
            run.output shouldBe ""
            run.code shouldBe code
        }
    }
})
