// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArray
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.support.EveryType
import org.arbalest.support.ResourceCountersExtension
import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream
import java.nio.ByteBuffer
import java.nio.channels.SeekableByteChannel

/** A channel of bytes that records which bytes were read. */
private class Recorded(private val bytes: ByteArray) : SeekableByteChannel {
    val isRead = BooleanArray(bytes.size)
    private var at = 0L
    var isClosed = false

    override fun read(target: ByteBuffer): Int {
        if (at >= bytes.size) return -1
        val count = minOf(target.remaining(), bytes.size - at.toInt())
        target.put(bytes, at.toInt(), count)
        isRead.fill(true, at.toInt(), at.toInt() + count)
        at += count
        return count
    }

    override fun position(): Long = at
    override fun position(newPosition: Long): SeekableByteChannel = apply { at = newPosition }
    override fun size(): Long = bytes.size.toLong()
    override fun isOpen(): Boolean = !isClosed
    override fun close() {
        isClosed = true
    }

    override fun write(source: ByteBuffer): Int = error("read only")
    override fun truncate(size: Long): SeekableByteChannel = error("read only")
}

/** A choice of columns. */
class ArrowFileProjectionSpec : FunSpec({
    extension(ResourceCountersExtension)

    /** A batch of 3,000 rows. */
    fun rows(): RecordBatch = EveryType.batch(0, 40).use { DeviceArray.concat(List(75) { _ -> it }) }

    /** A file with two batches. */
    fun file(compression: IpcCompression = IpcCompression.NONE): ByteArray = ByteArrayOutputStream().also { output ->
        rows().use { batch ->
            ArrowWriter.file(output, batch.schema(), IpcWriteOptions.defaults().withCompression(compression)).use {
                it.write(batch)
                it.write(batch)
                it.finish()
            }
        }
    }.toByteArray()

    fun stream(): ByteArray = ByteArrayOutputStream().also { output ->
        rows().use { batch ->
            val batches = RecordBatchReader.of(batch.schema(), List(2) { _ -> batch.retain() })
            ArrowWriter.writeStream(output, batches, IpcWriteOptions.defaults())
        }
    }.toByteArray()

    val chosen = arrayOf("dictionary", "int64", "utf8_view")

    for (compression in IpcCompression.entries) {
        test("only the buffers of the chosen columns are read, with compression $compression [FIL-04]") {
            val bytes = file(compression)
            val whole = Recorded(bytes)
            ArrowFile.open(whole, IpcReadOptions.defaults()).use { it.batch(1).close() }
            whole.isClosed shouldBe true
            val part = Recorded(bytes)
            ArrowFile.open(part, IpcReadOptions.defaults().withColumns(*chosen)).use { file ->
                file.schema().fields().map { it.name() } shouldBe chosen.toList()
                rows().use { all ->
                    all.select(*chosen).use { expected ->
                        file.batch(1).use { it.difference(expected).shouldBeNull() }
                    }
                }
            }
            // three columns of fifty, the metadata, and small gaps
            (part.isRead.count { it } < whole.isRead.count { it } / 3) shouldBe true
        }
    }

    test("a reader's select reads the same few bytes, and keeps the order [FIL-04]") {
        val bytes = file()
        val channels = List(2) { Recorded(bytes) }
        ArrowFile.open(channels[0], IpcReadOptions.defaults()).use { file ->
            file.reader().select(*chosen).use { reader ->
                reader.forEach { batch -> batch.schema().fields().map { it.name() } shouldBe chosen.toList() }
            }
        }
        ArrowFile.open(channels[1], IpcReadOptions.defaults().withColumns(*chosen)).use { file ->
            file.reader().use { reader -> reader.forEach { } }
        }
        channels[0].isRead.toList() shouldBe channels[1].isRead.toList()
    }

    test("a stream skips the buffers of other columns [FIL-04]") {
        rows().use { all ->
            all.select(*chosen).use { expected ->
                ArrowStream.open(ByteArrayInputStream(stream()), IpcReadOptions.defaults().withColumns(*chosen)).use {
                    repeat(2) { _ -> it.next()!!.use { batch -> batch.difference(expected).shouldBeNull() } }
                    it.next().shouldBeNull()
                }
            }
        }
    }

    test("a column that is not chosen may be malformed [FIL-04]") {
        val bytes = file(IpcCompression.LZ4_FRAME)
        // each compressed buffer in the last column becomes invalid
        val options = IpcReadOptions.defaults()
        val whole = Recorded(bytes)
        ArrowFile.open(whole, options.withColumns("uuid")).use { it.batch(0).close() }
        val other = Recorded(bytes)
        ArrowFile.open(other, options.withColumns("bool")).use { it.batch(0).close() }
        val onlyUuid = whole.isRead.indices.filter { whole.isRead[it] && !other.isRead[it] }
        val broken = bytes.clone().also { all -> onlyUuid.forEach { all[it] = 0x55 } }
        ArrowFile.open(Recorded(broken), options.withColumns("bool")).use { it.batch(0).close() }
        ArrowFile.open(Recorded(broken), options.withColumns("uuid")).use {
            shouldThrow<IpcException> { it.batch(0) }.position() shouldBe onlyUuid.first().toLong()
        }
    }

    test("an unknown column is an error that lists the columns [FIL-04]") {
        val channel = Recorded(file())
        shouldThrow<IllegalArgumentException> {
            ArrowFile.open(channel, IpcReadOptions.defaults().withColumns("prize"))
        }.message shouldContain "the schema has no field \"prize\"; it has [nothing, bool,"
        channel.isClosed shouldBe false
    }

    test("rows and metadata are counted without a body [FIL-14]") {
        val channel = Recorded(file())
        ArrowFile.open(channel, IpcReadOptions.defaults()).use {
            it.rowCount() shouldBe 6000
            it.rowCount(1) shouldBe 3000
            it.metadata(1).isEmpty shouldBe true
        }
        (channel.isRead.count { it } < channel.isRead.size / 10) shouldBe true
    }

    test("a message from a channel is one allocation in the chosen memory [FIL-03]") {
        val columns = arrayOf("int64", "utf8", "list", "struct")
        for (compression in IpcCompression.entries) {
            val memory = Devices.cpu().memory().metered()
            val options = IpcReadOptions.defaults().withColumns(*columns).withMemory(memory)
            ArrowFile.open(Recorded(file(compression)), options).use { file ->
                file.batch(0).use {
                    memory.statistics().currentCount() shouldBe 1
                }
            }
        }
    }
})
