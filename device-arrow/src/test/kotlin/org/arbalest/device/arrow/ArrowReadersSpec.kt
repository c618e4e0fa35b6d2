// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.apache.arrow.c.ArrowArrayStream
import org.apache.arrow.c.Data
import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.memory.RootAllocator
import org.apache.arrow.vector.FieldVector
import org.apache.arrow.vector.IntVector
import org.apache.arrow.vector.VarCharVector
import org.apache.arrow.vector.VectorSchemaRoot
import org.apache.arrow.vector.VectorUnloader
import org.apache.arrow.vector.complex.StructVector
import org.apache.arrow.vector.dictionary.Dictionary
import org.apache.arrow.vector.dictionary.DictionaryEncoder
import org.apache.arrow.vector.dictionary.DictionaryProvider
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider
import org.apache.arrow.vector.ipc.ArrowFileReader
import org.apache.arrow.vector.ipc.ArrowFileWriter
import org.apache.arrow.vector.ipc.ArrowReader
import org.apache.arrow.vector.ipc.ArrowStreamReader
import org.apache.arrow.vector.ipc.ArrowStreamWriter
import org.apache.arrow.vector.ipc.message.ArrowDictionaryBatch
import org.apache.arrow.vector.types.pojo.ArrowType
import org.apache.arrow.vector.types.pojo.DictionaryEncoding
import org.apache.arrow.vector.types.pojo.FieldType
import org.apache.arrow.vector.util.ByteArrayReadableSeekableByteChannel
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.Validation
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.support.ResourceCountersExtension
import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream
import java.io.IOException
import java.lang.foreign.MemorySegment
import java.nio.channels.Channels
import org.apache.arrow.vector.types.pojo.Field as ArrowField
import org.apache.arrow.vector.types.pojo.Schema as ArrowSchemaOf

/** Tests the import and the export of IPC through Arrow Java's readers and writers. */
class ArrowReadersSpec : FunSpec({
    extension(ResourceCountersExtension)

    val schema = Schema.of(Field.of("id", DataType.INT32), Field.of("name", DataType.UTF8),
        Field.of("tags", DataType.list(Field.of("item", DataType.INT32))))

    /** Returns [count] of our batches, with [rows] rows each. */
    fun batches(count: Int, rows: Int = 100) = List(count) { batch ->
        BatchBuilder.of(Devices.cpu(), rows).use { builder ->
            val id = builder.column(schema.fields()[0])
            val name = builder.column(schema.fields()[1])
            val tags = builder.column(schema.fields()[2])
            for (row in 0 until rows) {
                if (row % 7 == 3) id.appendNull() else id.append(1000L * batch + row)
                name.append("name $batch $row")
                tags.appendList(row % 3)
                repeat(row % 3) { tags.items().append(it.toLong()) }
            }
            builder.build()
        }
    }

    fun written(reader: ArrowReader): ByteArray {
        val bytes = ByteArrayOutputStream()
        ArrowStreamWriter(reader.vectorSchemaRoot, reader, bytes).use { writer ->
            writer.start()
            while (reader.loadNextBatch()) writer.writeBatch()
            writer.end()
        }
        return bytes.toByteArray()
    }

    fun all(reader: RecordBatchReader): List<RecordBatch> = reader.use { generateSequence { it.next() }.toList() }

    test("our batches pass through an IPC stream and come back equal [ARJ-07]") {
        RootAllocator().use { allocator ->
            val ours = batches(3)
            val bytes = ArrowReaders.toArrowReader(RecordBatchReader.of(schema, ours.map { it.retain() }), allocator)
                .use { written(it) }
            val back = all(ArrowReaders.toRecordBatchReader(ArrowStreamReader(ByteArrayInputStream(bytes), allocator)))
            back.size shouldBe 3
            for ((mine, its) in ours.zip(back)) {
                its.validate(Validation.FULL)
                its.difference(mine).shouldBeNull()
            }
            (ours + back).forEach { it.close() }
        }
    }

    test("slices, empty batches and a stream without batches pass through IPC [ARJ-07]") {
        RootAllocator().use { allocator ->
            val ours = batches(1).single().use { whole ->
                listOf(0L to 9L, 3L to 50L, 13L to 0L, 8L to 92L).map { (from, count) -> whole.slice(from, count) }
            }
            for (parts in listOf(ours, emptyList())) {
                val bytes = ArrowReaders.toArrowReader(RecordBatchReader.of(schema, parts.map { it.retain() }),
                    allocator).use { written(it) }
                val back =
                    all(ArrowReaders.toRecordBatchReader(ArrowStreamReader(ByteArrayInputStream(bytes), allocator)))
                back.zip(parts).forEach { (its, mine) -> its.difference(mine).shouldBeNull() }
                back.size shouldBe parts.size
                back.forEach { it.close() }
            }
            ours.forEach { it.close() }
        }
    }

    fun texts(allocator: BufferAllocator, name: String, values: List<String>) = VarCharVector(name, allocator).apply {
        allocateNew()
        values.forEachIndexed { row, value -> setSafe(row, value.toByteArray()) }
        valueCount = values.size
    }

    /** Returns a file or a stream of two batches, whose dictionary grows between them. */
    fun encoded(
        allocator: BufferAllocator,
        write: (VectorSchemaRoot, DictionaryProvider, ByteArrayOutputStream, (Int) -> Unit) -> Unit,
    ): ByteArray {
        val bytes = ByteArrayOutputStream()
        MapDictionaryProvider().use { provider ->
            val vector = texts(allocator, "words", listOf("a", "b"))
            provider.put(Dictionary(vector, DictionaryEncoding(3, false, null)))
            val plain = texts(allocator, "t", listOf("b", "a", "b"))
            val root = plain.use {
                VectorSchemaRoot.of(DictionaryEncoder.encode(it, provider.lookup(3)) as FieldVector)
            }
            root.use {
                write(root, provider, bytes) { batch ->
                    if (batch == 0) return@write
                    vector.setSafe(2, "c".toByteArray())
                    vector.valueCount = 3
                    (root.getVector("t") as IntVector).set(0, 2)
                }
            }
        }
        return bytes.toByteArray()
    }

    test("each batch keeps its own dictionary when a stream replaces the dictionary [ARJ-07]") {
        RootAllocator().use { allocator ->
            val bytes = encoded(allocator) { root, provider, out, change ->
                ArrowStreamWriter(root, provider, out).use { writer ->
                    writer.start()
                    repeat(2) {
                        change(it)
                        writer.writeBatch()
                    }
                }
            }
            val (first, second) =
                all(ArrowReaders.toRecordBatchReader(ArrowStreamReader(ByteArrayInputStream(bytes), allocator)))
            first.column("t").toList() shouldContainExactly listOf("b", "a", "b")
            second.column("t").toList() shouldContainExactly listOf("c", "a", "b")
            val again = ArrowReaders.toReplacingArrowReader(
                RecordBatchReader.of(first.schema(), listOf(first.retain(), second.retain())), allocator,
            ).use { written(it) }
            val back = all(ArrowReaders.toRecordBatchReader(ArrowStreamReader(ByteArrayInputStream(again), allocator)))
            back.map { it.column("t").toList() } shouldContainExactly
                listOf(first.column("t").toList(), second.column("t").toList())
            (back + first + second).forEach { it.close() }
        }
    }

    /** Returns a batch of one column with one row for each value of its dictionary. */
    fun encodedBatch(
        allocator: BufferAllocator,
        vararg values: String,
    ): RecordBatch = MapDictionaryProvider().use { provider ->
        provider.put(Dictionary(texts(allocator, "words", values.toList()), DictionaryEncoding(3, false, null)))
        texts(allocator, "t", values.toList()).use {
            VectorSchemaRoot.of(DictionaryEncoder.encode(it, provider.lookup(3)) as FieldVector)
        }.use { ArrowVectors.toRecordBatch(it, provider) }
    }

    fun reader(allocator: BufferAllocator, vararg batches: RecordBatch) =
        ArrowReaders.toArrowReader(RecordBatchReader.of(batches[0].schema(), batches.toList()), allocator)

    test("dictionaries are available before the first batch, since Flight sends them first [ARJ-07]") {
        RootAllocator().use { allocator ->
            reader(allocator, encodedBatch(allocator, "a", "b"), encodedBatch(allocator, "a", "b")).use { reader ->
                reader.vectorSchemaRoot.rowCount shouldBe 0
                val id = reader.vectorSchemaRoot.schema.fields.single().dictionary.id
                val words = reader.lookup(id).vector as VarCharVector
                List(words.valueCount) { words.getObject(it).toString() } shouldContainExactly listOf("a", "b")
                repeat(2) {
                    reader.loadNextBatch() shouldBe true
                    List(2) { row ->
                        (reader.vectorSchemaRoot.getVector(0) as IntVector).get(row)
                    } shouldContainExactly listOf(0, 1)
                }
                reader.loadNextBatch() shouldBe false
            }
            // The reader closes the batch that the test does not load.
            reader(allocator, encodedBatch(allocator, "a")).use { it.vectorSchemaRoot.rowCount shouldBe 0 }
            reader(allocator, encodedBatch(allocator, "a")).close()
        }
    }

    test("a changed dictionary is an error, since a file stores only the first dictionary [ARJ-07]") {
        RootAllocator().use { allocator ->
            fun file(vararg batches: RecordBatch): ByteArray {
                val bytes = ByteArrayOutputStream()
                reader(allocator, *batches).use { reader ->
                    ArrowFileWriter(reader.vectorSchemaRoot, reader, Channels.newChannel(bytes)).use { writer ->
                        while (reader.loadNextBatch()) writer.writeBatch()
                        writer.end()
                    }
                }
                return bytes.toByteArray()
            }
            shouldThrow<DeviceException> { file(encodedBatch(allocator, "a", "b"), encodedBatch(allocator, "c", "d")) }
                .message shouldContain "\$.t.(dictionary): dictionary 0 has 2 values already"
            val same = file(encodedBatch(allocator, "a", "b"), encodedBatch(allocator, "a", "b"))
            val back = all(ArrowReaders.toRecordBatchReader(
                ArrowFileReader(ByteArrayReadableSeekableByteChannel(same), allocator),
            ))
            back.map { it.column("t").toList() } shouldContainExactly List(2) { listOf("a", "b") }
            back.forEach { it.close() }
        }
    }

    test("a reader whose first batch cannot be loaded throws the error at each call [ARJ-07]") {
        RootAllocator().use { source ->
            RootAllocator(100).use { small ->
                val batches = List(3) { encodedBatch(source, "a".repeat(1000), "b") }
                ArrowReaders.toArrowReader(RecordBatchReader.of(batches[0].schema(), batches), small).use { reader ->
                    shouldThrow<DeviceException> { reader.vectorSchemaRoot }.message shouldContain "\$.t.(dictionary)"
                    small.limit = Long.MAX_VALUE
                    shouldThrow<DeviceException> { reader.vectorSchemaRoot }.message shouldContain "\$.t.(dictionary)"
                    repeat(2) {
                        shouldThrow<DeviceException> { reader.loadNextBatch() }.message shouldContain
                            "\$.t.(dictionary)"
                    }
                }
            }
        }
    }

    test("a reader that is closed without its source loads no more batches [ARJ-07]") {
        RootAllocator().use { allocator ->
            val source = RecordBatchReader.of(encodedBatch(allocator, "a").use { it.schema() },
                List(3) { encodedBatch(allocator, "a") })
            val reader = ArrowReaders.toArrowReader(source, allocator)
            reader.loadNextBatch() shouldBe true
            reader.close(false)
            shouldThrow<IllegalStateException> { reader.loadNextBatch() }.message shouldContain "closed"
            source.use { it.next()!!.close() }
        }
    }

    /** Writes batches by IPC, reads them back, and expects equal batches. */
    fun throughIpc(parts: List<RecordBatch>, allocator: BufferAllocator) {
        val bytes = ArrowReaders.toReplacingArrowReader(
            RecordBatchReader.of(parts[0].schema(), parts.map { it.retain() }), allocator,
        ).use { written(it) }
        val back = all(ArrowReaders.toRecordBatchReader(ArrowStreamReader(ByteArrayInputStream(bytes), allocator)))
        try {
            back.size shouldBe parts.size
            for ((its, mine) in back.zip(parts)) {
                its.validate(Validation.FULL)
                its.difference(mine).shouldBeNull()
            }
        } finally {
            back.forEach { it.close() }
        }
    }

    /** Returns a batch of a dense union of [child] and of 30 numbers. */
    fun denseUnion(child: ArrayData, field: Field, ids: List<Int>, offsets: List<Int>): RecordBatch {
        val union = Field.of("u", DataType.denseUnion(field, Field.of("n", DataType.INT32)))
        fun ints(values: List<Int>) = Devices.cpu().allocate(4L * values.size).apply {
            segment().copyFrom(MemorySegment.ofArray(values.toIntArray()))
        }
        val bytes = Devices.cpu().allocate(ids.size.toLong()).apply {
            segment().copyFrom(MemorySegment.ofArray(ByteArray(ids.size) { ids[it].toByte() }))
        }
        val rows = ids.size.toLong()
        val data = ArrayData.of(rows, 0, listOf(bytes, ints(offsets)),
            listOf(child, ArrayData.of(30, 0, listOf(null, ints(List(30) { it })))))
        return RecordBatch.of(Schema.of(union), ArrayData.of(rows, 0, listOf(null), listOf(data)))
    }

    for (kind in VectorKind.all + VectorKind.nested) {
        test("batches and slices of $kind pass through IPC and come back equal [ARJ-07]") {
            RootAllocator().use { allocator ->
                kind.filled(allocator, 43).use { ArrowVectors.toRecordBatch(VectorSchemaRoot.of(it)) }.use { whole ->
                    val parts = listOf(0L to 43L, 5L to 20L, 9L to 0L, 8L to 35L)
                        .map { (from, count) -> whole.slice(from, count) }
                    throughIpc(parts, allocator)
                    parts.forEach { it.close() }
                }
            }
        }

        test("dense unions of $kind with unused slots pass through IPC, also if they are nested [ARJ-07]") {
            RootAllocator().use { allocator ->
                kind.filled(allocator, 30).use { ArrowVectors.toDeviceArray(it) }.use { child ->
                    val inner = denseUnion(ArrayData.of(child), child.field(), ids = List(20) { it % 2 },
                        offsets = List(20) { if (it % 2 == 0) 9 + it else 3 * (it / 2) })
                    inner.use { throughIpc(listOf(it), allocator) }
                }
                kind.filled(allocator, 30).use { ArrowVectors.toDeviceArray(it) }.use { child ->
                    val inner = denseUnion(ArrayData.of(child), child.field(), ids = List(10) { if (it < 5) 1 else 0 },
                        offsets = List(10) { it })
                    inner.use {
                        denseUnion(ArrayData.of(it).children()[0], it.schema().fields()[0], ids = List(5) { 0 },
                            offsets = List(5) { 5 + it })
                    }.use { throughIpc(listOf(it), allocator) }
                }
            }
        }
    }

    /**
     * A reader whose dictionary grows by one word with each batch, in place if the vector has space. Each batch has the
     * last two words.
     */
    class Growing(
        allocator: BufferAllocator,
        private val words: (BufferAllocator, List<String>) -> VarCharVector,
    ) : ArrowReader(allocator) {
        private var batches = 0

        override fun readSchema() = ArrowSchemaOf(
            listOf(ArrowField("t", FieldType(true, ArrowType.Utf8.INSTANCE, DictionaryEncoding(3, false, null)), null)),
        )

        override fun bytesRead() = 0L

        override fun loadNextBatch(): Boolean {
            prepareLoadNextBatch()
            if (batches == 4) return false
            val more = VectorSchemaRoot.of(
                words(allocator, if (batches == 0) listOf("word 0", "word 1") else listOf("word ${batches + 1}")),
            )
            loadDictionary(more.use { ArrowDictionaryBatch(3, VectorUnloader(it).recordBatch, batches > 0) })
            val indices = vectorSchemaRoot.getVector(0) as IntVector
            indices.allocateNew(2)
            repeat(2) { indices.set(it, batches + it) }
            vectorSchemaRoot.rowCount = 2
            batches++
            return true
        }

        override fun closeReadSource() = Unit
    }

    test("a dictionary that grows in place by deltas leaves earlier arrays unchanged [ARJ-07]") {
        RootAllocator().use { allocator ->
            val back = all(
                ArrowReaders.toRecordBatchReader(Growing(allocator) { whose, values -> texts(whose, "words", values) }),
            )
            back.forEachIndexed { batch, array ->
                array.validate(Validation.FULL)
                array.column("t").toList() shouldContainExactly listOf("word $batch", "word ${batch + 1}")
            }
            back.size shouldBe 4
            back.forEach { it.close() }
        }
    }

    test("our batches pass through an IPC file and come back equal [ARJ-07]") {
        RootAllocator().use { allocator ->
            val ours = batches(2)
            val bytes = ByteArrayOutputStream()
            ArrowReaders.toArrowReader(RecordBatchReader.of(schema, ours.map { it.retain() }), allocator)
                .use { reader ->
                    ArrowFileWriter(reader.vectorSchemaRoot, reader, Channels.newChannel(bytes)).use { writer ->
                        while (reader.loadNextBatch()) writer.writeBatch()
                        writer.end()
                    }
                }
            val back = all(ArrowReaders.toRecordBatchReader(
                ArrowFileReader(ByteArrayReadableSeekableByteChannel(bytes.toByteArray()), allocator),
            ))
            back.zip(ours).forEach { (its, mine) -> its.difference(mine).shouldBeNull() }
            back.size shouldBe 2
            (ours + back).forEach { it.close() }
        }
    }

    test("a batch outlives a reader that is closed before its end [ARJ-07]") {
        RootAllocator().use { allocator ->
            val bytes = ArrowReaders.toArrowReader(RecordBatchReader.of(schema, batches(3)), allocator)
                .use { written(it) }
            val reader = ArrowReaders.toRecordBatchReader(ArrowStreamReader(ByteArrayInputStream(bytes), allocator))
            val first = reader.next()!!
            reader.next()!!.close()
            reader.close()
            first.column("name").getString(99) shouldBe "name 0 99"
            first.close()
            ArrowReaders.toArrowReader(RecordBatchReader.of(schema, batches(3)), allocator).use {
                it.loadNextBatch() shouldBe true
            }
        }
    }

    test("truncated streams, empty streams and streams without a struct schema are errors [ARJ-07]") {
        RootAllocator().use { allocator ->
            val bytes = ArrowReaders.toArrowReader(RecordBatchReader.of(schema, batches(2)), allocator)
                .use { written(it) }
            ArrowReaders.toRecordBatchReader(
                ArrowStreamReader(ByteArrayInputStream(bytes.copyOf(bytes.size / 2)), allocator),
            ).use { reader ->
                shouldThrow<DeviceException> { generateSequence { reader.next() }.forEach { it.close() } }
            }
            var closed = 0
            val empty = object : ByteArrayInputStream(ByteArray(0)) {
                override fun close() {
                    closed++
                }
            }
            shouldThrow<IOException> { ArrowReaders.toRecordBatchReader(ArrowStreamReader(empty, allocator)) }
            closed shouldBe 1
            val column = object : DeviceArrayReader.Source<DeviceArray> {
                override fun next() = null

                override fun close() {
                    closed++
                }
            }
            ArrowArrayStream.allocateNew(allocator).use { stream ->
                val out = MemorySegment.ofAddress(stream.memoryAddress())
                CData.exportStream(
                    DeviceArrayReader.of(Field.of("v", DataType.INT32), DeviceType.CPU, column), out, CExport.DATA,
                )
                val failure = shouldThrow<DeviceException> { CData.importStream(out, CImport.DATA) }
                failure.errno() shouldBe Errno.EINVAL
                failure.message shouldContain "struct"
            }
            closed shouldBe 2
        }
    }

    /** A reader of two batches of one column; [change] runs before the second. */
    class Changing(
        allocator: BufferAllocator,
        private val field: ArrowField,
        private val change: (Changing) -> Unit,
    ) : ArrowReader(allocator) {
        private var batches = 0
        var isClosed = false

        override fun readSchema() = ArrowSchemaOf(listOf(field))

        override fun bytesRead() = 0L

        override fun loadNextBatch(): Boolean {
            prepareLoadNextBatch()
            val vector = vectorSchemaRoot.getVector(0)
            vector.allocateNew()
            if (batches++ == 1) change(this)
            vectorSchemaRoot.rowCount = 2
            return true
        }

        override fun closeReadSource() {
            isClosed = true
        }
    }

    test("a schema that changes within an ArrowReader is an error with the path, and ends the stream [ARJ-06]") {
        RootAllocator().use { allocator ->
            val struct = ArrowField("s", FieldType.nullable(ArrowType.Struct.INSTANCE),
                listOf(ArrowField.nullable("a", ArrowType.Int(32, true))))
            val reader = Changing(allocator, struct) {
                (it.vectorSchemaRoot.getVector(0) as StructVector)
                    .addOrGet("late", FieldType.nullable(ArrowType.Utf8.INSTANCE), VarCharVector::class.java)
            }
            ArrowReaders.toRecordBatchReader(reader).use { batches ->
                batches.next()!!.use { it.length() shouldBe 2 }
                shouldThrow<DeviceException> { batches.next() }.message shouldContain
                    "\$.s: the vector has 2 children, but its field in the schema 1"
                shouldThrow<RuntimeException> { batches.next() }
            }
            reader.isClosed shouldBe true
        }
    }

    test("a schema that changes within our stream is an error of the ArrowReader, which closes its batches [ARJ-06]") {
        RootAllocator().use { allocator ->
            var pulls = 0
            val changing = RecordBatchReader.of(schema, DeviceType.CPU) {
                if (pulls++ == 0) batches(1).single()
                else BatchBuilder.of(Devices.cpu(), 1).use { it.int64("other", longArrayOf(1)).build() }
            }
            ArrowReaders.toArrowReader(changing, allocator).use { reader ->
                reader.loadNextBatch() shouldBe true
                // The reader throws the same error again, and does not pull the next batch.
                repeat(2) { shouldThrow<RuntimeException> { reader.loadNextBatch() }.message shouldContain "other" }
                pulls shouldBe 2
            }
            allocator.allocatedMemory shouldBe 0
        }
    }

    test("arrow-c-data and the library exchange streams by address, in both directions [ARJ-08]") {
        RootAllocator().use { allocator ->
            val ours = batches(3)
            ArrowArrayStream.allocateNew(allocator).use { stream ->
                RecordBatchReader.of(schema, ours.map { it.retain() }).use {
                    CData.exportStream(it, MemorySegment.ofAddress(stream.memoryAddress()), CExport.DATA)
                }
                ArrowArrayStream.allocateNew(allocator).use { again ->
                    Data.exportArrayStream(allocator, Data.importArrayStream(allocator, stream), again)
                    val back = all(CData.importStream(MemorySegment.ofAddress(again.memoryAddress()), CImport.DATA))
                    back.zip(ours).forEach { (its, mine) -> its.difference(mine).shouldBeNull() }
                    back.size shouldBe 3
                    back.forEach { it.close() }
                }
            }
            ours.forEach { it.close() }
        }
    }
})
