// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import org.arbalest.support.withNullRows
import java.lang.foreign.Arena
import java.util.concurrent.atomic.AtomicInteger

/** Readers with only some columns of another reader's batches. */
class DeviceArrayReaderImplSelectSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    val place = Field.of("place", DataType.struct(Field.of("x", DataType.INT64), Field.of("y", DataType.INT64)))
    val schema = Schema.of(Field.of("id", DataType.INT64), Field.of("name", DataType.UTF8), place)
        .withMetadata(Metadata.of("source", "here"))

    fun batch(first: Long, rows: Int = 3): RecordBatch = BatchBuilder.of(Devices.cpu(), rows).use { batch ->
        val (id, name, places) = schema.fields().map(batch::column)
        for (row in first until first + rows) {
            id.append(row)
            name.append("n$row")
            places.child("x").append(10 * row)
            places.child("y").append(100 * row)
            places.appendStruct()
        }
        batch.build()
    }

    /** A source of arrays whose type only its caller knows; it makes the selected columns. */
    class Unknown(private val batches: MutableList<RecordBatch>) : DeviceArrayReader.Source<DeviceArray> {
        var selected = listOf<Int>()

        override fun next(): DeviceArray? = batches.removeFirstOrNull()?.let { whole ->
            if (selected.isEmpty()) whole else whole.use { it.select(*selected.toIntArray()) }
        }

        override fun select(vararg columns: Int): Boolean {
            selected = columns.toList()
            return true
        }

        override fun close() = batches.forEach { it.close() }
    }

    test("a stream of structs becomes one of batches, also behind copies, and its source selects columns [STR-18]") {
        val changes = listOf<DeviceArrayReader<DeviceArray>.() -> DeviceArrayReader<DeviceArray>>({ this },
            { rebatch(2) }, { copyTo(Devices.cpu().memory(), Devices.cpu().defaultStream(), 0) },
            { rebatch(2).copyTo(Devices.cpu().memory(), Devices.cpu().defaultStream(), 1) })
        for (change in changes) {
            val source = Unknown(mutableListOf(batch(0), batch(3)))
            val arrays = DeviceArrayReader.of(schema.asField(), DeviceType.CPU, source).change()
            arrays.asRecordBatchReader().select("name").use { reader ->
                source.selected shouldBe listOf(1)
                val names = mutableListOf<String?>()
                reader.forEach { for (row in 0 until it.length()) names += it.column("name").getString(row) }
                names shouldBe List(6) { "n$it" }
            }
            shouldThrow<IllegalStateException> { arrays.next() }.message shouldContain "asRecordBatchReader"
        }
    }

    test("a stream of other arrays does not become one of batches, and stays open [STR-18]") {
        DeviceArrayReader.of(Field.of("n", DataType.INT64), DeviceType.CPU) { null }.use { numbers ->
            shouldThrow<IllegalArgumentException> { numbers.asRecordBatchReader() }.message shouldBe
                "a stream of record batches has arrays of structs, but this one has arrays of n: int64"
            numbers.next() shouldBe null
        }
    }

    fun reader(closes: AtomicInteger = AtomicInteger(), batches: Int = 3): RecordBatchReader {
        var next = 0L
        return RecordBatchReader.of(schema, object : DeviceArrayReader.Source<RecordBatch> {
            override fun next() = if (next == batches.toLong()) null else batch(3 * next++)

            override fun close() {
                closes.incrementAndGet()
            }
        })
    }

    test("a reader's select returns the columns of each batch, by paths and by positions, and closes it [SEL-27]") {
        val closes = AtomicInteger()
        for (selected in listOf(reader(closes).select("place.y", "name"), reader(closes).select("place.y", "name")
            .select(1, 0).select("name", "place").select(1, 0))) selected.use { reader ->
            reader.schema() shouldBe schema.select("place.y", "name")
            reader.deviceType() shouldBe DeviceType.CPU
            for (first in listOf(0L, 3L, 6L)) reader.next()!!.use { batch ->
                batch.schema() shouldBe reader.schema()
                batch.column("name").toList() shouldBe List(3) { "n${first + it}" }
                batch.column("place").get(1) shouldBe mapOf("y" to 100 * (first + 1))
            }
            reader.next() shouldBe null
        }
        closes.get() shouldBe 2
    }

    test("a selected reader can be exported to C, and a pulled batch outlives it [SEL-27]") {
        Arena.ofConfined().use { arena ->
            val stream = arena.struct(StructKind.STREAM)
            CData.exportStream(reader().select("name"), stream, CExport.DATA)
            val batch = CData.importStream(stream, CImport.DATA).select(0).use { it.next()!! }
            batch.use { it.column(0).toList() shouldBe listOf("n0", "n1", "n2") }
        }
    }

    test("null rows of a batch stay null in a selected reader [SEL-22, SEL-27]") {
        val null1 = batch(0).withNullRows(1)
        RecordBatchReader.of(null1.schema(), listOf(null1)).select("id").use { reader ->
            reader.next()!!.use { batch ->
                (0L..2L).map { batch.asColumn().isNull(it) } shouldBe listOf(false, true, false)
                batch.asColumn().column(0).getLong(1) shouldBe 1
            }
        }
    }

    test("a select that is rejected leaves the reader open and to its caller [SEL-27]") {
        val closes = AtomicInteger()
        reader(closes).use { reader ->
            shouldThrow<IllegalArgumentException> { reader.select("no") }.message shouldBe
                "the stream has no field \"no\"; it has [id, name, place]"
            shouldThrow<IndexOutOfBoundsException> { reader.select(3) }
            reader.next()!!.use { it.length() shouldBe 3 }
            closes.get() shouldBe 0
        }
        closes.get() shouldBe 1
        val closed = reader().also { it.close() }
        shouldThrow<IllegalStateException> { closed.select("id") }.message shouldBe "the reader was closed"
    }

    test("a stream of arrays that are not structs has no columns to select: it is no stream of batches [SEL-27]") {
        Arena.ofConfined().use { arena ->
            val stream = arena.struct(StructKind.STREAM)
            val reader = DeviceArrayReader.of(Field.of("n", DataType.INT64), DeviceType.CPU) { null }
            CData.exportStream(reader, stream, CExport.DATA)
            val error = shouldThrow<DeviceException> { CData.importStream(stream, CImport.DATA) }
            error.errno() shouldBe Errno.EINVAL
            error.message shouldContain "has arrays of structs, but this one has arrays of n: int64"
        }
    }

    test("an error of the source reaches the selected reader, and closing it closes the source once [SEL-27]") {
        val closes = AtomicInteger()
        RecordBatchReader.of(schema, object : DeviceArrayReader.Source<RecordBatch> {
            override fun next(): RecordBatch = error("no more")

            override fun close() {
                closes.incrementAndGet()
            }
        }).select("id").use { reader ->
            repeat(2) { shouldThrow<DeviceException> { reader.next() }.message shouldContain "no more" }
        }
        closes.get() shouldBe 1
    }

    /** A source that makes only the requested columns. */
    class Columns(
        private val rows: Int = 3,
        private val accepts: Boolean = true,
    ) : DeviceArrayReader.Source<RecordBatch> {
        val requests = mutableListOf<List<Int>>()
        val closes = AtomicInteger()
        var onSelect = {}
        private var selected = schema.fields().indices.toList()
        private var next = 0L

        override fun select(vararg columns: Int): Boolean {
            requests += columns.toList()
            onSelect()
            if (accepts) selected = columns.map(selected::get)
            return accepts
        }

        override fun next() =
            if (next == 3L) null else batch(rows * next++, rows).use { it.select(*selected.toIntArray()) }

        override fun close() {
            closes.incrementAndGet()
        }

        fun reader(): RecordBatchReader = RecordBatchReader.of(schema, this)
    }

    fun RecordBatchReader.values(): List<List<Any?>> = use { reader ->
        generateSequence { reader.next() }.map { batch ->
            batch.use { List(it.schema().fields().size) { column -> it.column(column).toList() } }
        }.toList().let { batches -> List(batches.first().size) { column -> batches.flatMap { it[column] } } }
    }

    test("a source that can make fewer columns gets the request, also by several selections [SEL-12]") {
        val source = Columns()
        val reader = source.reader().select("name", "id").select(1)
        reader.schema() shouldBe schema.select("id")
        reader.values() shouldBe listOf((0L..8L).toList())
        source.requests shouldBe listOf(listOf(1, 0), listOf(1))
        source.closes.get() shouldBe 1
    }

    test("fields of structs and repeated columns are selected from the columns that the source made [SEL-12]") {
        val source = Columns()
        val reader = source.reader().select("place.y", "name", "name")
        reader.schema() shouldBe schema.select("place.y", "name", "name")
        val names = List(9) { "n$it" }
        reader.values() shouldBe listOf(List(9) { mapOf("y" to 100L * it) }, names, names)
        source.requests shouldBe listOf(listOf(2, 1))
        source.closes.get() shouldBe 1
        val part = Columns()
        part.reader().select("place.y").values() shouldBe listOf(List(9) { mapOf("y" to 100L * it) })
        part.requests shouldBe listOf(listOf(2))
    }

    test("a source that makes all columns rejects one request, and the reader selects [SEL-12]") {
        val source = Columns(accepts = false)
        source.reader().select("id").values() shouldBe listOf((0L..8L).toList())
        source.requests shouldBe listOf(listOf(0))
        source.closes.get() shouldBe 1
    }

    test("copies and rebatch ask for the columns before they copy [SEL-12]") {
        for (ahead in listOf(0, 2)) {
            val source = Columns(rows = 2)
            val reader = source.reader().copyTo(Devices.cpu().memory(), Devices.cpu().defaultStream(), ahead).rebatch(5)
            reader.select(1).values() shouldBe listOf(List(6) { "n$it" })
            source.requests shouldBe listOf(listOf(1))
            source.closes.get() shouldBe 1
        }
    }

    test("closing a reader that was exported after a failed select does not close the source [SEL-12]") {
        Arena.ofConfined().use { arena ->
            val source = Columns()
            val stream = arena.struct(StructKind.STREAM)
            val reader = source.reader()
            source.onSelect = { error("not now") }
            shouldThrow<IllegalStateException> { reader.select("id") }
            CData.exportStream(reader, stream, CExport.DATA)
            reader.close()
            source.closes.get() shouldBe 0
            CData.importStream(stream, CImport.DATA).use { it.next()!!.close() }
            source.closes.get() shouldBe 1
        }
    }

    test("a source gets no request for no columns [SEL-12]") {
        val source = Columns()
        source.reader().select(*intArrayOf()).use { reader ->
            reader.next()!!.use { (it.length() to it.schema().fields()) shouldBe (3L to listOf()) }
        }
        source.requests shouldBe listOf()
    }

    test("a source gets no request after the first pull [SEL-12]") {
        val source = Columns()
        val reader = source.reader()
        reader.next()!!.use { it.schema().fields() shouldBe schema.fields() }
        reader.select("id").values() shouldBe listOf((3L..8L).toList())
        source.requests shouldBe listOf()
    }

    test("a request that fails leaves the reader open, and a reader that is closed meanwhile has no result [SEL-12]") {
        val source = Columns()
        source.reader().use { reader ->
            source.onSelect = { error("not now") }
            shouldThrow<IllegalStateException> { reader.select("id") }.message shouldBe "not now"
            source.onSelect = {}
            reader.select("id").values() shouldBe listOf((0L..8L).toList())
            shouldThrow<IllegalStateException> { reader.next() }.message shouldBe
                "the reader was consumed by select: use the reader that it returned"
        }
        source.closes.get() shouldBe 1
        val closed = Columns()
        val reader = closed.reader()
        closed.onSelect = reader::close
        shouldThrow<IllegalStateException> { reader.select("place.x") }.message shouldBe "the reader was closed"
        closed.closes.get() shouldBe 1
    }
})
