// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.memory.RootAllocator
import org.apache.arrow.vector.TinyIntVector
import org.apache.arrow.vector.VarCharVector
import org.apache.arrow.vector.VectorSchemaRoot
import org.apache.arrow.vector.dictionary.Dictionary
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider
import org.apache.arrow.vector.types.pojo.ArrowType
import org.apache.arrow.vector.types.pojo.DictionaryEncoding
import org.apache.arrow.vector.types.pojo.FieldType
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.support.ResourceCountersExtension

/** Tests dictionaries that change between batches, are nested, or belong to several fields, with Arrow Java. */
class ArrowJavaDictionariesSpec : FunSpec({
    extension(ResourceCountersExtension)

    for ((name, case) in Cases.all) {
        test("Arrow Java reads a stream with dictionaries: $name [FIL-07]") {
            withBatches(case) { allocator, batches ->
                for (codec in IpcCompression.entries) withClue(codec) {
                    val bytes = Format.STREAM.write(IpcWriteOptions.defaults().withCompression(codec), *batches)
                    Format.STREAM.shouldRead(bytes, *batches)
                    ArrowJava.shouldRead(Format.STREAM, bytes, allocator, *batches)
                }
            }
        }

        test("Arrow Java reads a file's first batch with dictionaries, and this library all: $name [FIL-07]") {
            withBatches(case) { allocator, batches ->
                val bytes = Format.FILE.write(IpcWriteOptions.defaults(), *batches)
                Format.FILE.shouldRead(bytes, *batches)
                val first = Format.FILE.write(IpcWriteOptions.defaults(), batches[0], batches[0])
                ArrowJava.shouldRead(Format.FILE, first, allocator, batches[0], batches[0])
                ArrowJava.reader(Format.FILE, bytes, allocator).use { it.loadNextBatch() shouldBe true }
            }
        }
    }

    test("Arrow Java cannot read a delta in a file: ${JavaLimit.DELTAS_IN_FILES} [FIL-07]") {
        withBatches(Cases.all.getValue("added values")) { allocator, batches ->
            val bytes = Format.FILE.write(IpcWriteOptions.defaults(), *batches)
            shouldThrow<Exception> { ArrowJava.shouldRead(Format.FILE, bytes, allocator, *batches) }
                .message shouldContain JavaLimit.DELTAS_IN_FILES.message
        }
    }

    test("dictionaries that Arrow Java shares between fields, and replaces in a stream, have its values [FIL-07]") {
        RootAllocator().use { allocator ->
            Format.each { format, codec ->
                withClue("$format, $codec") {
                    val (bytes, expected) = shared(format, codec, allocator)
                    val found = mutableListOf<List<Any?>>()
                    val batches = mutableListOf<RecordBatch>()
                    format.read(bytes) {
                        found.addAll(listOf(it.column("x").toList(), it.column("y").toList()))
                        batches.add(it.retain())
                    }
                    try {
                        found shouldBe expected
                        val again = format.write(IpcWriteOptions.defaults(), *batches.toTypedArray())
                        ArrowJava.shouldRead(format, again, allocator, *batches.toTypedArray())
                    } finally {
                        batches.forEach(RecordBatch::close)
                    }
                }
            }
        }
    }
})

private fun withBatches(case: () -> List<RecordBatch>, block: (BufferAllocator, Array<RecordBatch>) -> Unit) {
    RootAllocator().use { allocator ->
        val batches = case()
        try {
            block(allocator, batches.toTypedArray())
        } finally {
            batches.forEach(RecordBatch::close)
        }
    }
}

/** Writes two batches of two fields with one dictionary, and returns them with the values of each column. */
private fun shared(format: Format, codec: IpcCompression, allocator: BufferAllocator): Pair<ByteArray, List<Any>> {
    val words = VarCharVector("words", allocator)
    val encoding = DictionaryEncoding(7, false, ArrowType.Int(8, true))
    val indices = FieldType(true, ArrowType.Int(8, true), encoding)
    val (x, y) = listOf("x", "y").map { TinyIntVector(it, indices, allocator) }
    fun fill(vararg values: String) {
        words.reset()
        values.forEachIndexed { i, value -> words.setSafe(i, value.toByteArray()) }
        words.valueCount = values.size
    }
    return words.use {
        VectorSchemaRoot.of(x, y).use { root ->
            val bytes = ArrowJava.write(format, codec, root, MapDictionaryProvider(Dictionary(words, encoding))) {
                fill("a", "b")
                for (row in 0..2) x.setSafe(row, row % 2)
                y.setSafe(0, 1)
                y.setNull(1)
                y.setSafe(2, 1)
                root.rowCount = 3
                it.writeBatch()
                // a file has each dictionary once
                if (format == Format.STREAM) fill("c", "d", "e")
                it.writeBatch()
            }
            val (a, b) = if (format == Format.STREAM) "c" to "d" else "a" to "b"
            bytes to listOf(listOf("a", "b", "a"), listOf("b", null, "b"), listOf(a, b, a), listOf(b, null, b))
        }
    }
}

/** Batches whose dictionaries change. */
private object Cases {
    private val words = DataType.dictionary(DataType.INT8, DataType.UTF8)
    private val pair = StructType(listOf(Field.of("word", words), Field.of("n", DataType.INT32)))

    private fun column(type: DataType, rows: Int, fill: (ColumnBuilder) -> Unit): RecordBatch =
        BatchBuilder.of(Devices.cpu(), rows).use { batch ->
            fill(batch.column(Field.of("v", type)))
            batch.build()
        }

    private fun texts(type: DataType, values: List<String?>) = column(type, values.size) { column ->
        for (value in values) if (value == null) column.appendNull() else column.append(value)
    }

    private fun numbers(values: List<Int?>) =
        column(DataType.dictionary(DataType.INT32, DataType.INT64), values.size) { column ->
            for (value in values) if (value == null) column.appendNull() else column.append(value.toLong())
        }

    private fun lists(values: List<String>) =
        column(DataType.list(Field.of("item", words)), 1) { column ->
            column.appendList(values.size)
            values.forEach { column.items().append(it) }
        }

    private fun pairs(values: List<String>) = column(DataType.dictionary(DataType.INT16, pair), values.size) { column ->
        values.forEachIndexed { i, value ->
            column.dictionary().child(0).append(value)
            column.dictionary().child(1).append(i.toLong())
            column.appendStruct()
        }
    }

    private fun encodedLists(values: List<String>) =
        column(DataType.dictionary(DataType.INT16, DataType.list(Field.of("item", words))), 2) { column ->
            repeat(2) { skipped ->
                column.dictionary().appendList(values.size - skipped)
                values.drop(skipped).forEach { column.dictionary().items().append(it) }
                column.appendIndex(skipped.toLong())
            }
        }

    private fun <T> each(vararg values: List<T>, make: (List<T>) -> RecordBatch): () -> List<RecordBatch> =
        { values.map(make) }

    private const val LONG = "a text that has more than the 12 bytes of a view"
    private val growing = arrayOf(listOf("a", "b"), listOf("a", "b", "c"), listOf("a", "b", "c", LONG))
    private val changing = arrayOf(listOf("a", "b"), listOf(LONG, "d", "e"), listOf("a", "b"))

    val all: Map<String, () -> List<RecordBatch>> = mapOf(
        "the same values" to each(listOf("a", "b", null, "a"), listOf("a", "b")) { texts(words, it) },
        "added values" to each(*growing) { texts(words, it) },
        "other values" to each(*changing) { texts(words, it) },
        "added numbers, then others" to each(listOf(1, 2, null), listOf(1, 2, 3), listOf(9, 8), make = ::numbers),
        "added views, then others" to each(*growing, listOf("z", LONG)) {
            texts(DataType.dictionary(DataType.INT16, DataType.UTF8_VIEW), it)
        },
        "added values in a list, then others" to each(*growing, listOf("z"), make = ::lists),
        "added values of an inner dictionary" to each(*growing, make = ::pairs),
        "other values of an inner dictionary" to each(*changing, make = ::pairs),
        "changed values in a dictionary of lists" to each(*growing, *changing, make = ::encodedLists),
    )
}
