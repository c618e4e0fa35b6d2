// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContain
import io.kotest.matchers.shouldBe
import org.apache.arrow.flatbuf.Message
import org.apache.arrow.flatbuf.MessageHeader
import org.apache.arrow.flatbuf.RecordBatch
import org.apache.arrow.memory.RootAllocator
import org.arbalest.device.Devices
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.DecimalType
import org.arbalest.support.ResourceCountersExtension
import java.math.BigDecimal
import java.math.BigInteger
import java.nio.ByteBuffer
import java.nio.ByteOrder
import kotlin.random.Random
import kotlin.random.asJavaRandom

/** Buffers of compressed batches that did not shrink: readers may use their values in place. */
class StoredBuffersSpec : FunSpec({
    extension(ResourceCountersExtension)

    /** A batch whose random columns do not shrink, between others that do. */
    fun batch() = BatchBuilder.of(Devices.cpu()).use { builder ->
        val random = Random(1)
        builder.int64("a", LongArray(100) { random.nextLong() }).int64("b", LongArray(100))
            .float64("c", DoubleArray(100) { random.nextDouble() }).utf8("d", List(100) { "text $it" })
            .int8("e", ByteArray(99) { 0 } + random.nextBytes(1)).int64("f", LongArray(100) { random.nextLong() })
            .build()
    }

    /** Returns the positions in the stream of the buffers of all batches, and the first number in each. */
    fun buffers(bytes: ByteArray): List<Pair<Int, Long>> {
        val data = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
        val found = mutableListOf<Pair<Int, Long>>()
        var at = 0
        while (data.getInt(at + 4) != 0) {
            val size = data.getInt(at + 4)
            val message = Message.getRootAsMessage(data.slice(at + 8, size).order(ByteOrder.LITTLE_ENDIAN))
            at += 8 + size
            if (message.headerType() == MessageHeader.RecordBatch) {
                val batch = message.header(RecordBatch()) as RecordBatch
                for (i in 0 until batch.buffersLength()) {
                    val start = at + batch.buffers(i).offset().toInt()
                    if (batch.buffers(i).length() > 0) found += start to data.getLong(start)
                }
            }
            at += message.bodyLength().toInt()
        }
        return found
    }

    for (codec in listOf(IpcCompression.LZ4_FRAME, IpcCompression.ZSTD)) for (alignment in listOf(8, 64)) {
        test("a stored buffer's values are aligned at $alignment with $codec, behind their prefix [FIL-21]") {
            val options = IpcWriteOptions.defaults().withCompression(codec).withAlignment(alignment)
            batch().use { batch ->
                val bytes = Format.STREAM.write(options, batch, batch)
                val buffers = buffers(bytes)
                buffers.map { it.second } shouldContain -1L
                for ((position, first) in buffers) {
                    (position + if (first == -1L) 8 else 0) % alignment shouldBe 0
                }
                Format.STREAM.shouldRead(bytes, batch, batch)
                Format.FILE.shouldRead(Format.FILE.write(options, batch, batch), batch, batch)
                RootAllocator().use { ArrowJava.shouldRead(Format.STREAM, bytes, it, batch, batch) }
            }
        }
    }

    test("wide decimals are compressed even if they do not shrink: Polars cannot read them otherwise [FIL-21]") {
        val random = Random(2)
        for ((bits, digits) in listOf(128 to 38, 256 to 76)) BatchBuilder.of(Devices.cpu()).use { builder ->
            val column = builder.column(Field.of("d", DecimalType(bits, digits, 0)))
            repeat(99) { column.append(BigDecimal(BigInteger(bits - 5, random.asJavaRandom()))) }
            builder.build().use { batch ->
                for (codec in listOf(IpcCompression.LZ4_FRAME, IpcCompression.ZSTD)) {
                    val bytes = Format.STREAM.write(IpcWriteOptions.defaults().withCompression(codec), batch)
                    buffers(bytes).map { it.second } shouldBe listOf(99L * bits / 8)
                    Format.STREAM.shouldRead(bytes, batch)
                }
            }
        }
    }
})
