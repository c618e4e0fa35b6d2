// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.Validation
import org.arbalest.device.types.Metadata
import org.arbalest.support.EveryType
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.fake.FakeExtension
import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream
import java.lang.foreign.MemorySegment
import java.nio.channels.Pipe
import java.nio.file.Files

/** The options of readers and writers. */
class IpcOptionsSpec : FunSpec({
    extension(FakeExtension)
    extension(ResourceCountersExtension)

    fun <T> batch(block: (RecordBatch) -> T): T = EveryType.batch(0, 8).use(block)

    fun stream(options: IpcWriteOptions = IpcWriteOptions.defaults(), isFinished: Boolean = true): ByteArray =
        ByteArrayOutputStream().also { output ->
            batch { batch ->
                ArrowWriter.stream(output, batch.schema(), options).use { writer ->
                    writer.write(batch)
                    if (isFinished) writer.finish()
                }
            }
        }.toByteArray()

    val strict = IpcReadOptions.defaults().withEndMarkRequired(true)

    fun open(bytes: ByteArray, options: IpcReadOptions): List<ArrowStream> = listOf(
        ArrowStream.open(ByteArrayInputStream(bytes), options),
        ArrowStream.open(MemorySegment.ofArray(bytes), {}, options),
    )

    test("a stream may end without a mark, unless the mark is required [FIL-05]") {
        val bytes = stream(isFinished = false)
        for (stream in open(bytes, IpcReadOptions.defaults())) stream.use {
            it.next()!!.close()
            it.next().shouldBeNull()
        }
        for (stream in open(bytes, strict)) stream.use {
            it.next()!!.close()
            val error = shouldThrow<IpcException> { it.next() }
            error.message shouldContain "at byte ${bytes.size}: the stream ends without an end mark"
            error.position() shouldBe bytes.size
        }
        for (stream in open(stream(), strict)) stream.use {
            it.next()!!.close()
            it.next().shouldBeNull()
        }
    }

    test("the compression of each batch can be queried") {
        for (codec in IpcCompression.entries) {
            for (stream in open(stream(IpcWriteOptions.defaults().withCompression(codec)), strict)) stream.use {
                it.compression() shouldBe IpcCompression.NONE
                it.next()!!.close()
                it.compression() shouldBe codec
            }
        }
    }

    test("a batch with more rows than the limit is written as several, each with its metadata") {
        val output = ByteArrayOutputStream()
        batch { batch ->
            val options = IpcWriteOptions.defaults().withMaxBatchRows(3)
            ArrowWriter.file(output, batch.schema(), options).use { writer ->
                writer.write(batch, Metadata.of("day", "1"))
                writer.finish()
            }
            ArrowFile.open(MemorySegment.ofArray(output.toByteArray()), {}, IpcReadOptions.defaults()).use { file ->
                (0 until file.batchCount()).map { file.rowCount(it) } shouldBe listOf(3L, 3L, 2L)
                (0 until 3).map { file.metadata(it).get("day") } shouldBe listOf("1", "1", "1")
                val parts = List(3) { file.batch(it) }
                DeviceArray.concat(parts).use { it.difference(batch).shouldBeNull() }
                parts.forEach { it.close() }
            }
        }
    }

    test("options with the same values are equal, and each value counts") {
        val memory = Devices.cpu().memory()
        val read = { IpcReadOptions.defaults().withColumns("a", "b").withMemory(memory).withMaxAllocation(10) }
        read() shouldBe read()
        read().hashCode() shouldBe read().hashCode()
        read().toString() shouldContain "columns=[a, b], validation=BOUNDS"
        listOf(
            read().withColumns("a"),
            read().withValidation(Validation.NONE),
            read().withMemory(memory.limited(100)),
            read().withMaxAllocation(11),
            read().withEndMarkRequired(true),
        ).forEach { it shouldNotBe read() }
        val write = { IpcWriteOptions.defaults().withCompression(IpcCompression.ZSTD, 5).withAlignment(8) }
        write() shouldBe write()
        write().hashCode() shouldBe write().hashCode()
        write().toString() shouldContain "compression=ZSTD, compressionLevel=5, alignment=8"
        listOf(
            write().withCompression(IpcCompression.NONE),
            write().withCompression(IpcCompression.ZSTD, 6),
            write().withAlignment(64),
            write().withMaxBatchRows(1),
            write().withMetadata(Metadata.of("a", "1")),
            write().withDictionaryDeltas(true),
        ).forEach { it shouldNotBe write() }
    }

    test("impossible options are rejected") {
        val device = Devices.device(DeviceType.EXT_DEV, 0)
        val read = IpcReadOptions.defaults()
        val write = IpcWriteOptions.defaults()
        val faults = mapOf<() -> Any, String>(
            { read.withMemory(device.memory()) } to "the CPU cannot write the memory of EXT_DEV:0",
            { read.withColumns("a", "b", "a") } to "a column is chosen twice: [a, b, a]",
            { read.withMaxAllocation(-1) } to "the largest allocation is negative: -1",
            { write.withAlignment(16) } to "the alignment is 8 or 64 bytes, not 16",
            { write.withMaxBatchRows(0) } to "a batch has at least 1 row, not 0",
            { write.withCompression(IpcCompression.LZ4_FRAME, 3) } to "only ZSTD has levels, and LZ4_FRAME got level 3",
            { write.withCompression(IpcCompression.ZSTD, 23) } to "ZSTD has levels from 1 to 22, not 23",
        )
        for ((call, message) in faults) shouldThrow<IllegalArgumentException> { call() }.message shouldContain message
    }

    test("a channel in non-blocking mode is rejected, and stays with the caller [FIL-13]") {
        val pipe = Pipe.open()
        batch { batch ->
            pipe.source().configureBlocking(false)
            pipe.sink().configureBlocking(false)
            val calls = listOf<() -> Any>(
                { ArrowStream.open(pipe.source(), strict) },
                { ArrowWriter.stream(pipe.sink(), batch.schema(), IpcWriteOptions.defaults()) },
                { ArrowWriter.file(pipe.sink(), batch.schema(), IpcWriteOptions.defaults()) },
            )
            for (call in calls) {
                shouldThrow<IllegalArgumentException> { call() }.message shouldContain "the channel is in non-blocking"
            }
        }
        pipe.source().isOpen shouldBe true
        pipe.source().close()
        pipe.sink().close()
    }

    test("a message over the limit is malformed, and a limited memory is exhausted [FIL-06]") {
        val output = ByteArrayOutputStream()
        batch { batch ->
            batch.select("int64").use { column ->
                DeviceArray.concat(List(200) { column }).use { long ->
                    ArrowWriter.writeStream(output, RecordBatchReader.of(long.schema(), listOf(long.retain())),
                        IpcWriteOptions.defaults())
                }
            }
        }
        val bytes = output.toByteArray() // a body of 13,000 bytes
        ArrowStream.open(ByteArrayInputStream(bytes), IpcReadOptions.defaults().withMaxAllocation(12_000)).use {
            shouldThrow<IpcException> { it.next() }.message shouldContain "needs more than 12000 bytes"
        }
        val memory = Devices.cpu().memory().limited(1000)
        ArrowStream.open(ByteArrayInputStream(bytes), IpcReadOptions.defaults().withMemory(memory)).use {
            shouldThrow<DeviceException> { it.next() }.errno() shouldBe Errno.ENOMEM
        }
        memory.statistics().currentBytes() shouldBe 0
    }

    test("a reader that fails in the middle leaves no file [FIL-10]") {
        batch { batch ->
            val folder = Files.createTempDirectory("ipc")
            var count = 0
            val reader = RecordBatchReader.of(batch.schema()) {
                if (count++ == 2) error("the third batch") else batch.retain()
            }
            shouldThrow<DeviceException> { ArrowWriter.writeFile(folder.resolve("a.arrow"), reader) }
            folder.toFile().list()!!.toList() shouldBe emptyList()
            folder.toFile().delete()
        }
    }
})
