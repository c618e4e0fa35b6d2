// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.ipc.ArrowFile
import org.arbalest.device.ipc.ArrowStream
import org.arbalest.device.ipc.ArrowWriter
import org.arbalest.device.ipc.IpcWriteOptions
import org.arbalest.device.types.Metadata
import org.arbalest.support.ResourceCountersExtension
import java.nio.file.Path
import kotlin.io.path.exists
import kotlin.io.path.inputStream
import kotlin.io.path.listDirectoryEntries
import kotlin.io.path.readBytes
import kotlin.io.path.writeBytes
import kotlin.io.path.writeText

class ArrowConvertSpec : FunSpec({
    extension(ResourceCountersExtension)
    val folder = tempdir().toPath()
    val file = folder.resolve("quotes.arrow")
    val stream = folder.resolve("quotes.arrows")
    val footer = Metadata.of("made by", "a spec")

    beforeSpec {
        file.writeFile(IpcWriteOptions.defaults().withMetadata(footer))
        stream.writeStream()
    }

    fun convert(vararg args: Any): Run = captured { runSamples("arrow-convert", *args.map { "$it" }.toTypedArray()) }

    fun lengths(reader: RecordBatchReader): List<Long> = buildList { reader.use { it.forEach { add(it.length()) } } }

    fun Path.read(): RecordBatchReader = when (arrowKind(this)) {
        ArrowKind.FILE -> ArrowFile.read(this)
        ArrowKind.STREAM -> ArrowStream.read(inputStream())
    }

    fun equal(converted: Path) = converted.read().use { actual ->
        quotes().use { expected ->
            actual.schema() shouldBe expected.schema()
            while (true) {
                val wanted = expected.next() ?: break
                wanted.use { actual.next()!!.use { found -> found.valueDifference(wanted) shouldBe null } }
            }
            actual.next() shouldBe null
        }
    }

    for (codec in listOf("none", "lz4", "zstd")) {
        test("$codec: a file becomes a stream, and a stream becomes a file, with the same batches") {
            val there = folder.resolve("$codec.arrows")
            val run = convert(file, there, "--compression", codec)
            run.code shouldBe 0
            run.output shouldContain "$there: Arrow stream, 6 rows"
            run.error.trim() shouldBe
                "arrow-convert: a stream has no footer: the footer's metadata is left out"
            arrowKind(there) shouldBe ArrowKind.STREAM
            equal(there)
            val back = folder.resolve("$codec.arrow")
            convert(stream, back, "--compression", codec).also { it.error shouldBe "" }.code shouldBe 0
            arrowKind(back) shouldBe ArrowKind.FILE
            equal(back)
            ArrowFile.open(back).use { it.compression(0).name.lowercase() shouldContain codec }
        }
    }

    test("a file keeps the footer's metadata and the metadata of each message") {
        val annotated = folder.resolve("annotated.arrow")
        quotes().use { reader ->
            val options = IpcWriteOptions.defaults().withMetadata(footer)
            ArrowWriter.file(annotated, reader.schema(), options).use { writer ->
                reader.forEach { writer.write(it, Metadata.of("first", "${it.column(0).getDouble(0)}")) }
                writer.finish()
            }
        }
        val copy = folder.resolve("copy.arrow")
        convert(annotated, copy, "--compression", "zstd", "--level", "9").also { it.error shouldBe "" }.code shouldBe 0
        ArrowFile.open(copy).use {
            it.metadata() shouldBe footer
            it.metadata(1) shouldBe Metadata.of("first", "1.0")
        }
    }

    test("batches are joined and cut to a number of rows") {
        val other = folder.resolve("rebatched")
        convert(file, other, "--rows-per-batch", 4, "--to", "stream").code shouldBe 0
        arrowKind(other) shouldBe ArrowKind.STREAM
        lengths(other.read()) shouldBe listOf(4L, 2L)
        convert(file, other, "--rows-per-batch", 1, "--force").code shouldBe 0
        lengths(other.read()) shouldBe List(6) { 1L }
    }

    test("an existing output is replaced only with --force, and remains if the input is damaged") {
        val output = folder.resolve("existing.arrow").apply { writeText("mine") }
        convert(file, output).also { it.code shouldBe 1 }.error.trim() shouldBe
            "arrow-convert: $output exists; --force replaces it"
        val damaged = folder.resolve("damaged.arrows").apply {
            writeBytes(stream.readBytes().let { it.copyOf(it.size - 40) })
        }
        val before = folder.listDirectoryEntries().toSet()
        convert(damaged, output, "--force").also { it.code shouldBe 1 }.error shouldContain "damaged.arrows: at byte"
        output.readBytes() shouldBe "mine".toByteArray()
        folder.listDirectoryEntries().toSet() shouldBe before
        convert(file, output, "--force").code shouldBe 0
        equal(output)
    }

    test("the position of an input grows to its size, as the progress bar needs it") {
        for (path in listOf(file, stream)) openArrow(path).use { input ->
            val positions = generateSequence { input.next()?.use { input.position } }.toList()
            positions shouldBe positions.sorted().distinct()
            input.next() shouldBe null
            input.position shouldBe input.size
        }
    }

    test("wrong options and paths are errors, and make no file") {
        val output = folder.resolve("never.arrow")
        for ((args, code, message) in listOf(
            Triple(listOf(file, output, "--compression", "lz4", "--level", 3), 2, "--level needs --compression zstd"),
            Triple(listOf(file, output, "--rows-per-batch", 0), 2, "--rows-per-batch must be at least 1"),
            Triple(listOf(file, output, "--compression", "gzip"), 2, "gzip"),
            Triple(listOf("missing.arrow", output), 1, "there is no file missing.arrow"),
            Triple(listOf(file, folder, "--force"), 1, "is a folder"),
            Triple(listOf(file, folder.resolve("no/never.arrow")), 1, "its folder does not exist"),
        )) {
            val run = convert(*args.toTypedArray())
            run.error shouldContain message
            run.error.trim().lines().size shouldBe 1
            run.code shouldBe code
            output.exists() shouldBe false
        }
    }
})
