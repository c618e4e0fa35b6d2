// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArray
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.support.EveryType
import org.arbalest.support.ResourceCountersExtension
import java.io.ByteArrayOutputStream
import java.io.OutputStream
import java.lang.foreign.MemorySegment
import java.nio.channels.Channels
import java.nio.channels.FileChannel
import java.nio.file.StandardOpenOption.CREATE
import java.nio.file.StandardOpenOption.WRITE
import kotlin.io.path.deleteExisting
import kotlin.io.path.readBytes
import kotlin.io.path.writeBytes

/** Whole readers to files and streams, and whole files and streams as one batch. */
class WholeReadersSpec : FunSpec({
    extension(ResourceCountersExtension)

    val folder = tempdir().toPath()
    val defaults = IpcWriteOptions.defaults()
    val schema = EveryType.batch(0, 1).use { it.schema() }

    fun batches() = listOf(EveryType.batch(0, 5), EveryType.batch(3, 4))

    fun reader() = RecordBatchReader.of(schema, batches())

    for (format in Format.entries) {
        test("a reader is written as a $format to a path, a channel and an output alike") {
            val all = batches()
            val expected = format.write(defaults, schema, all)
            all.forEach(RecordBatch::close)
            val path = folder.resolve("$format")
            if (format == Format.FILE) ArrowWriter.writeFile(path, reader(), defaults)
            else ArrowWriter.writeStream(path, reader(), defaults)
            path.readBytes() shouldBe expected

            val output = object : ByteArrayOutputStream() {
                override fun close() = error("the output stays open")
            }
            if (format == Format.FILE) ArrowWriter.writeFile(output, reader(), defaults)
            else ArrowWriter.writeStream(output, reader(), defaults)
            output.toByteArray() shouldBe expected

            val bytes = ByteArrayOutputStream()
            val channel = Channels.newChannel(bytes)
            if (format == Format.FILE) ArrowWriter.writeFile(channel, reader(), defaults)
            else ArrowWriter.writeStream(channel, reader(), defaults)
            channel.isOpen shouldBe true
            bytes.toByteArray() shouldBe expected
        }

        test("all batches of a $format are read as one, which has no rows without a batch") {
            fun readAll(bytes: ByteArray): RecordBatch {
                val options = IpcReadOptions.defaults()
                val segment = MemorySegment.ofArray(bytes)
                return if (format == Format.FILE) ArrowFile.open(segment, {}, options).use(ArrowFile::readAll)
                else ArrowStream.open(segment, {}, options).use(ArrowStream::readAll)
            }
            val all = batches()
            for (count in 0..2) withClue(count) {
                readAll(format.write(defaults, schema, all.take(count))).use { read ->
                    read.schema() shouldBe schema
                    when (count) {
                        0 -> read.length() shouldBe 0
                        1 -> read.valueDifference(all[0]).shouldBeNull()
                        else -> DeviceArray.concat(all).use { read.valueDifference(it).shouldBeNull() }
                    }
                }
            }
            all.forEach(RecordBatch::close)
        }
    }

    test("a stream at a path is read with the default options") {
        val path = folder.resolve("stream")
        ArrowWriter.writeStream(path, reader(), defaults)
        ArrowStream.read(path).use { it.next()!!.use { batch -> batch.length() shouldBe 5 } }
    }

    test("a file is synced to the disk on request, which only files can be") {
        val synced = defaults.withSync(true)
        val path = folder.resolve("synced")
        path.writeBytes(byteArrayOf(1)) // is replaced
        ArrowWriter.writeFile(path, reader(), synced)
        ArrowFile.open(path).use { it.rowCount() shouldBe 9 }
        path.deleteExisting()
        FileChannel.open(path, CREATE, WRITE).use { ArrowWriter.writeFile(it, reader(), synced) }
        path.toFile().outputStream().use { ArrowWriter.writeStream(it, reader(), synced) }
        ArrowStream.read(path).use { it.next()!!.close() }
        shouldThrow<IllegalArgumentException> {
            ArrowWriter.writeFile(OutputStream.nullOutputStream(), reader(), synced)
        }.message!! shouldContain "withSync"
    }
})
