// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldStartWith
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.support.ResourceCountersExtension
import java.io.EOFException
import java.io.IOException
import java.lang.foreign.MemorySegment
import java.nio.channels.FileChannel
import java.nio.file.Path
import java.nio.file.StandardOpenOption
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit.SECONDS
import kotlin.io.path.writeBytes

/** Inputs that were opened by their path: their errors name it, and they may be pipes. Open ones are counted. */
class InputNameSpec : FunSpec({
    extension(ResourceCountersExtension)

    val folder = tempdir().toPath()
    val options = IpcReadOptions.defaults()
    val inMemory = options.withMemory(Devices.cpu().memory())

    fun batch(): RecordBatch = BatchBuilder.of(Devices.cpu()).use { it.int64("n", longArrayOf(1, 2, 3)).build() }

    fun bytes(format: Format): ByteArray = batch().use { format.write(IpcWriteOptions.defaults(), it, it) }

    fun open(path: Path, format: Format, options: IpcReadOptions): AutoCloseable =
        if (format == Format.FILE) ArrowFile.open(path, options) else ArrowStream.open(path, options)

    val columns = Crafted.schemaMessage(Crafted.FieldOf("n", Crafted.int64))
    val wrong = Crafted.batchMessage(Crafted.BatchOf(-1, listOf(-1L to 0L), listOf(0L to 0L, 0L to 0L)), 0)

    for (format in Format.entries) for (way in listOf(options, inMemory)) {
        val how = if (way == options) "mapped" else "read"
        val path = folder.resolve("$format.$how")

        test("the error of a malformed $format that is $how names its path, when it is opened and later [FIL-22]") {
            path.writeBytes(byteArrayOf(1, 2, 3, 4) + ByteArray(100))
            shouldThrow<IpcException> { open(path, format, way) }.let {
                it.file() shouldBe "$path"
                it.message!! shouldStartWith "$path: at byte ${it.position()}: "
            }
            path.writeBytes(
                if (format == Format.STREAM) Crafted.join(Crafted.framed(columns), Crafted.framed(wrong))
                else Crafted.file(listOf(Crafted.FieldOf("n", Crafted.int64)), batches = listOf(wrong to ByteArray(0))),
            )
            open(path, format, way).use { input ->
                shouldThrow<IpcException> { if (input is ArrowFile) input.batch(0) else (input as ArrowStream).next() }
                    .message!! shouldStartWith "$path: at byte "
                if (input is ArrowFile) shouldThrow<IpcException> { input.rowCount() }.file() shouldBe "$path"
            }
        }

        test("the error of a column that a $format that is $how does not have names its path [FIL-22]") {
            path.writeBytes(bytes(format))
            shouldThrow<IllegalArgumentException> { open(path, format, way.withColumns("missing")) }
                .message!! shouldStartWith "$path: the schema has no field \"missing\""
        }
    }

    test("the error of a file that became shorter names its path [FIL-22]") {
        val path = folder.resolve("shorter").apply { writeBytes(bytes(Format.FILE)) }
        ArrowFile.open(path, inMemory).use { file ->
            FileChannel.open(path, StandardOpenOption.WRITE).use { it.truncate(100) }
            shouldThrow<EOFException> { file.batch(1) }.message!! shouldStartWith "cannot read $path: the file ended"
        }
    }

    test("the error of a batch that does not exist names the file, the index and the number of batches [FIL-22]") {
        val path = folder.resolve("two").apply { writeBytes(bytes(Format.FILE)) }
        ArrowFile.open(path).use { file ->
            for (use in listOf(
                { file.batch(7) }, { file.rowCount(7) }, { file.metadata(7) }, { file.compression(7) },
            )) {
                shouldThrow<IndexOutOfBoundsException> { use() }.message shouldBe
                    "there is no batch 7 in the Arrow file $path: it has 2, counted from 0"
            }
        }
        ArrowFile.open(MemorySegment.ofArray(bytes(Format.FILE)), {}, options).use { file ->
            shouldThrow<IndexOutOfBoundsException> { file.batch(-1) }.message shouldBe
                "there is no batch -1 in the Arrow file: it has 2, counted from 0"
        }
    }

    test("an error of memory names the file that is read, and that which is written [FIL-22]") {
        val failing = Devices.cpu().memory().limited(8)
        val path = folder.resolve("memory").apply { writeBytes(bytes(Format.FILE)) }
        val stream = folder.resolve("memory stream").apply { writeBytes(bytes(Format.STREAM)) }
        fun message(action: () -> Unit): String = shouldThrow<DeviceException> { action() }
            .apply { errno() shouldBe Errno.ENOMEM }.message!!
        ArrowFile.open(path, options.withMemory(failing)).use { file ->
            message { file.batch(0) } shouldStartWith "cannot read $path: "
            message { file.readAll() } shouldStartWith "cannot read $path: "
        }
        ArrowStream.open(stream, options.withMemory(failing)).use { input ->
            message { input.next() } shouldStartWith "cannot read $stream: "
        }
    }

    test("an error with the name of its file keeps what it suppresses") {
        val error = IpcException(3, "fault").apply { addSuppressed(IOException("close")) }
        error.`in`(Path.of("a")).let {
            it.message shouldBe "a: at byte 3: fault"
            it.suppressed.map(Throwable::message) shouldBe listOf("close")
        }
    }

    val isUnix = !System.getProperty("os.name").startsWith("Windows")

    test("a pipe is read as a stream, and rejected as a file without a wait [FIL-22]").config(enabled = isUnix) {
        val pipe = folder.resolve("pipe")
        ProcessBuilder("mkfifo", "$pipe").inheritIO().start().waitFor() shouldBe 0
        for (way in listOf(options, inMemory)) withClue(way) {
            shouldThrow<IOException> { ArrowFile.open(pipe, way) }
                .message!! shouldContain "$pipe as an Arrow file: it is a pipe"
            val writing = CompletableFuture.runAsync { pipe.writeBytes(bytes(Format.STREAM)) }
            ArrowStream.open(pipe, way).use { stream ->
                repeat(2) { stream.next()!!.use { it.length() shouldBe 3 } }
                stream.next() shouldBe null
            }
            writing.get(5, SECONDS)
        }
        shouldThrow<IOException> { batch().use { ArrowWriter.file(pipe, it.schema(), IpcWriteOptions.defaults()) } }
            .message!! shouldContain "$pipe is not a regular file"
    }

    test("open files, streams and writers are counted until they are closed, or passed to a reader") {
        val before = ResourceCounters.now()
        fun files() = ResourceCounters.now().since(before).files()
        val path = folder.resolve("counted").apply { writeBytes(bytes(Format.FILE)) }
        val file = ArrowFile.open(path)
        files() shouldBe 1
        val reader = file.reader()
        repeat(2) { file.close() }
        files() shouldBe 0
        ResourceCounters.now().since(before).readers() shouldBe 1
        reader.close()
        val stream = ArrowStream.open(MemorySegment.ofArray(bytes(Format.STREAM)), {}, options)
        files() shouldBe 1
        repeat(2) { stream.close() }
        files() shouldBe 0
        val passed = ArrowStream.open(MemorySegment.ofArray(bytes(Format.STREAM)), {}, options)
        passed.reader().use {
            files() shouldBe 0
            passed.close()
        }
        files() shouldBe 0
        batch().use { batch ->
            val writer = ArrowWriter.file(path, batch.schema(), IpcWriteOptions.defaults())
            files() shouldBe 1
            writer.finish()
            files() shouldBe 1
            repeat(2) { writer.close() }
            files() shouldBe 0
            shouldThrow<IOException> {
                ArrowWriter.file(folder.resolve("missing/a"), batch.schema(), IpcWriteOptions.defaults())
            }
        }
        shouldThrow<IpcException> { ArrowFile.open(MemorySegment.ofArray(ByteArray(100)), {}, options) }
        files() shouldBe 0
    }
})
