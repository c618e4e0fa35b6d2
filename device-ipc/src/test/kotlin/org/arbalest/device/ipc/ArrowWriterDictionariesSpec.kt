// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.apache.arrow.flatbuf.DictionaryBatch
import org.apache.arrow.flatbuf.Message
import org.apache.arrow.flatbuf.MessageHeader
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.IntType
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.Schema
import org.arbalest.support.ResourceCountersExtension
import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout
import java.nio.ByteBuffer
import java.nio.ByteOrder
import kotlin.math.abs
import kotlin.random.Random

/** Dictionaries that change between the batches of a file or stream. */
class ArrowWriterDictionariesSpec : FunSpec({
    extension(ResourceCountersExtension)

    val text = DataType.dictionary(DataType.INT8, DataType.UTF8)

    /** Makes a batch of one column, whose dictionary has the values in the order of their first use. */
    fun batch(values: List<String?>, type: DataType = text): RecordBatch =
        BatchBuilder.of(Devices.cpu(), values.size).use { builder ->
            val column = builder.column(Field.of("word", type))
            for (value in values) if (value == null) column.appendNull() else column.append(value)
            builder.build()
        }

    fun words(from: Int, to: Int): List<String> = (from until to).map { "w$it" }

    /** Makes a batch of a dictionary of structs with a dictionary. */
    fun nested(values: List<String>): RecordBatch = BatchBuilder.of(Devices.cpu(), values.size).use { builder ->
        val pair = DataType.struct(Field.of("inner", text))
        val column = builder.column(Field.of("word", DataType.dictionary(DataType.INT16, pair)))
        for (value in values) {
            column.dictionary().child("inner").append(value)
            column.appendStruct()
        }
        builder.build()
    }

    fun write(isFile: Boolean, batches: List<RecordBatch>, options: IpcWriteOptions = IpcWriteOptions.defaults()) =
        ByteArrayOutputStream().also { output ->
            val schema = batches[0].schema()
            val writer = if (isFile) ArrowWriter.file(output, schema, options) else
                ArrowWriter.stream(output, schema, options)
            writer.use {
                batches.forEach(it::write)
                it.finish()
            }
        }.toByteArray()

    fun reader(isFile: Boolean, bytes: ByteArray): RecordBatchReader = if (!isFile) {
        ArrowStream.read(ByteArrayInputStream(bytes))
    } else {
        ArrowFile.open(MemorySegment.ofArray(bytes), {}, IpcReadOptions.defaults()).use { it.reader() }
    }

    fun shouldRead(isFile: Boolean, bytes: ByteArray, batches: List<RecordBatch>) {
        reader(isFile, bytes).use { reader ->
            for ((i, expected) in batches.withIndex()) withClue("batch $i, file: $isFile") {
                reader.next()!!.use { it.difference(expected).shouldBeNull() }
            }
            reader.next().shouldBeNull()
        }
    }

    /** Returns the numbers of values in the dictionary messages of a stream, negative for a delta. */
    fun dictionaries(bytes: ByteArray): List<Long> = buildList {
        val all = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
        var at = 0
        while (all.getInt(at + 4) != 0) {
            val size = all.getInt(at + 4)
            val header = all.slice(at + 8, size).order(ByteOrder.LITTLE_ENDIAN)
            val message = Message.getRootAsMessage(header)
            (message.header(DictionaryBatch()) as DictionaryBatch?)
                ?.takeIf { message.headerType() == MessageHeader.DictionaryBatch }
                ?.let { add(if (it.isDelta) -it.data().length() else it.data().length()) }
            at += 8 + size + message.bodyLength().toInt()
        }
    }

    fun <T> using(batches: List<RecordBatch>, block: (List<RecordBatch>) -> T): T = try {
        block(batches)
    } finally {
        batches.forEach { it.close() }
    }

    test("an inner dictionary that grows with each batch is read, in files and streams [FIL-07]") {
        using((1..20).map { nested(words(0, it)) }) { batches ->
            for (isFile in listOf(true, false)) shouldRead(isFile, write(isFile, batches), batches)
        }
    }

    test("a stream has deltas only on request [FIL-07]") {
        using(listOf(2, 4, 4, 3, 0, 5).map { batch(words(0, it)) }) { batches ->
            val whole = write(false, batches)
            dictionaries(whole) shouldBe listOf(2L, 4L, 5L)
            val deltas = write(false, batches, IpcWriteOptions.defaults().withDictionaryDeltas(true))
            dictionaries(deltas) shouldBe listOf(2L, -2L, -1L)
            shouldRead(false, whole, batches)
            shouldRead(false, deltas, batches)
        }
    }

    test("a dictionary that occurs again, or a part of it, is not added to a file again [FIL-07]") {
        val sequence = listOf(words(0, 60), words(60, 120), words(0, 60), words(60, 119), words(60, 120), listOf())
        using(sequence.map(::batch)) { batches ->
            shouldRead(true, write(true, batches), batches) // int8 indices, so 120 values fit once
        }
    }

    test("a file gets each different value once, and batches in any order of the values are read [FIL-07]") {
        val random = Random(3)
        for (type in listOf(text, DataType.dictionary(IntType(8, false), DataType.UTF8_VIEW),
            DataType.dictionary(DataType.INT64, DataType.LARGE_UTF8))) {
            val batches = List(29) { batch(words(0, 5).shuffled(random) + null + "w3", type) } +
                List(10) { batch(words(0, 60 + it).shuffled(random), type) }
            using(batches) {
                val bytes = write(true, batches)
                shouldRead(true, bytes, batches)
                // the dictionaries of a file are in its stream part, behind the magic number
                dictionaries(bytes.copyOfRange(8, bytes.size)).sumOf(::abs) shouldBe 69
            }
        }
    }

    test("a large dictionary is appended unless its values must be united, and stays right [FIL-07]") {
        val random = Random(3)
        val sequence = listOf(words(0, 100), words(5, 7), words(6, 8), words(5, 7), words(8, 9)) +
            List(30) { words(0, 100).shuffled(random).take(1 + random.nextInt(6)) } + listOf(words(90, 110), listOf())
        for (type in listOf(text, DataType.dictionary(DataType.INT32, DataType.UTF8))) {
            using(sequence.map { batch(it, type) }) { batches ->
                val bytes = write(true, batches)
                shouldRead(true, bytes, batches)
                val written = dictionaries(bytes.copyOfRange(8, bytes.size)).sumOf(::abs)
                if (type == text) written shouldBe 110 else (written in 111..250) shouldBe true
            }
        }
    }

    test("another part of the same memory is another dictionary, and the same part is not [FIL-07]") {
        fun column(type: DataType, append: (ColumnBuilder) -> Unit): RecordBatch =
            BatchBuilder.of(Devices.cpu()).use { builder ->
                append(builder.column(Field.of("word", type)))
                builder.build()
            }

        val batches = column(DataType.UTF8) { words(0, 6).forEach(it::append) }.use { values ->
            column(DataType.INT8) { listOf(2L, 0L, 1L).forEach(it::append) }.use { indices ->
                listOf(0L, 0L, 3L, 0L).map { from ->
                    val whole = ArrayData.of(values).children()[0]
                    val part = ArrayData(3, 0, from, whole.buffers(), listOf(), null)
                    val index = ArrayData.of(indices).children()[0]
                    val encoded = ArrayData(3, 0, 0, index.buffers(), listOf(), part)
                    RecordBatch.of(Schema.of(Field.of("word", text)),
                        ArrayData(3, 0, 0, listOf(null), listOf(encoded), null))
                }
            }
        }
        using(batches) {
            val stream = write(false, batches)
            dictionaries(stream) shouldBe listOf(3L, 3L, 3L)
            shouldRead(false, stream, batches)
            shouldRead(true, write(true, batches), batches)
        }
    }

    test("a file rejects values beyond the range of the indices, with the way out [FIL-07]") {
        using(listOf(batch(words(0, 100)), batch(words(100, 200)))) { batches ->
            shouldThrow<DeviceException> { write(true, batches) }.message shouldContain
                "200 values exceed the range of int8 indices; write a stream, or convert the column"
            shouldRead(false, write(false, batches), batches)
        }
    }

    test("a file does not mix ordered dictionaries [FIL-07]") {
        val ordered = DictionaryType(DataType.INT8, Field.of("", DataType.UTF8), true)
        using(listOf(batch(listOf("low", "high"), ordered), batch(listOf("high", "low"), ordered))) { batches ->
            shouldThrow<DeviceException> { write(true, batches) }.message shouldContain "its dictionary is ordered"
            shouldRead(false, write(false, batches), batches)
        }
        using(listOf(batch(listOf("low"), ordered), batch(listOf("low", "high"), ordered))) { batches ->
            shouldRead(true, write(true, batches), batches)
        }
        val subset = listOf(batch(listOf("low", "middle", "high"), ordered), batch(listOf("middle", "high"), ordered))
        using(subset) { batches -> shouldRead(true, write(true, batches), batches) }
        using(listOf(batch(listOf("low"), ordered), batch(listOf("low")))) { batches ->
            shouldThrow<IllegalArgumentException> { write(true, batches) }.message shouldContain "instead of"
        }
    }

    test("filtered batches of one dictionary are written with it, also if it is ordered [FIL-07, SEL-03]") {
        for (isOrdered in listOf(false, true)) {
            val type = DictionaryType(DataType.INT16, Field.of("", DataType.UTF8), isOrdered)
            val chosen = listOf(longArrayOf(3, 500, 900), longArrayOf(7, 800, 400), longArrayOf(1, 0, 2))
            val batches = batch(words(0, 1000), type).use { all -> chosen.map { all.take(*it) } }
            using(batches) {
                val bytes = write(true, batches)
                shouldRead(true, bytes, batches)
                dictionaries(bytes.copyOfRange(8, bytes.size)) shouldBe listOf(1000L)
                val stream = write(false, batches)
                shouldRead(false, stream, batches)
                dictionaries(stream) shouldBe listOf(1000L)
            }
        }
    }

    test("a writer of a file keeps copies of dictionaries, and only the last batch [FIL-07]") {
        val before = ResourceCounters.now().bufferBytes()
        val first = batch(words(0, 2))
        ArrowWriter.file(ByteArrayOutputStream(), first.schema(), IpcWriteOptions.defaults()).use { writer ->
            first.use(writer::write)
            for (i in 1..10) BatchBuilder.of(Devices.cpu(), 20_000).use { builder ->
                val column = builder.column(Field.of("word", text))
                repeat(20_000) { column.append("v$i.${it % 2}") }
                builder.build()
            }.use(writer::write)
            // one batch of 20,000 indices, and eleven small dictionaries
            (ResourceCounters.now().bufferBytes() - before < 60_000) shouldBe true
        }
    }

    test("nulls, and bits beside a slice, do not appear in the output [FIL-11]") {
        BatchBuilder.of(Devices.cpu(), 8).use { builder ->
            val column = builder.column(Field.of("bit", DataType.BOOL))
            repeat(8) { column.append(true) }
            builder.build()
        }.use { batch ->
            batch.slice(1, 1).use { row ->
                ArrowFile.open(MemorySegment.ofArray(write(true, listOf(row))), {}, IpcReadOptions.defaults()).use {
                    it.batch(0).use { read ->
                        ArrayData.of(read).use { data ->
                            data.children()[0].buffers()[1]!!.segment().get(ValueLayout.JAVA_BYTE, 0)
                        } shouldBe 1.toByte()
                    }
                }
            }
        }
    }
})
