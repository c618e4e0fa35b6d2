// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Conversion
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.Validation
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowDeviceArray
import org.arbalest.device.internal.memory.NativeHeap
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.spi.ArrayBridge
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Metadata
import org.arbalest.support.CCompiler
import org.arbalest.support.EveryType
import org.arbalest.support.PeerNodes
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import org.arbalest.support.fake.FakeDevice
import org.arbalest.support.fake.FakeExtension
import org.arbalest.support.withNullRows
import org.arbalest.testkit.contract.eventually
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.util.concurrent.CyclicBarrier
import kotlin.concurrent.thread

/** Batches of columns that belong to several arrays: `withColumn` and `ofColumns`. */
class ArrayColumnsJoinSpec : FunSpec({
    extension(CCompiler.needed)
    extension(FakeExtension)
    extension(ResourceCountersExtension)

    val cpu = Devices.cpu()
    val device by lazy { Devices.device(DeviceType.EXT_DEV, 0) }
    val fake by lazy { device.let { FakeDevice.of(DeviceType.EXT_DEV, 0) } }

    fun batch(rows: Int = 4): RecordBatch = BatchBuilder.of(cpu, rows).use { batch ->
        batch.int64("id", LongArray(rows) { it.toLong() }).utf8("name", List(rows) { "n$it" }).build()
    }

    /** Returns an array of the texts "a0", "a1" and so on, with a null at each third. */
    fun texts(rows: Int): DeviceArray = BatchBuilder.of(cpu, rows).use { batch ->
        batch.utf8("text", List(rows) { if (it % 3 == 2) null else "a$it" }).build()
    }.use { it.retainChild(0) }

    fun text(row: Int) = if (row % 3 == 2) null else "a$row"

    fun throughC(array: DeviceArray): DeviceArray = Arena.ofConfined().use { arena ->
        val (out, schema) = arena.struct(StructKind.ARRAY) to arena.struct(StructKind.SCHEMA)
        array.retain().use { CData.exportArray(it, out, CExport.DATA.schemaTo(schema)) }
        CData.importArray(out, CImport.DATA.schema(schema).validation(Validation.FULL))
    }

    /** Returns the library's own array, or consumes it and returns one from C. */
    fun origin(array: DeviceArray, isImported: Boolean): DeviceArray = if (isImported) array.use(::throughC) else array

    fun refused(block: () -> Unit): String {
        val before = ResourceCounters.now()
        val thrown = shouldThrow<IllegalArgumentException> { block() }
        ResourceCounters.now() shouldBe before
        return thrown.message!!
    }

    test("withColumn appends a column, or replaces the one of its name in place, without a copy [SEL-23]") {
        batch().use { whole ->
            texts(4).use { column ->
                whole.withColumn("word", column).use {
                    it.schema().fields().map(Field::name) shouldBe listOf("id", "name", "word")
                    it.column("word").toList() shouldBe List(4, ::text)
                    it.column("word").bufferAddress(2) shouldBe column.asColumn().bufferAddress(2)
                    it.column("id").bufferAddress(1) shouldBe whole.column("id").bufferAddress(1)
                    Conversion.of(it) shouldBe null
                    it.validate(Validation.FULL)
                    throughC(it).use { again -> again.difference(it) shouldBe null }
                }
                whole.withColumn("id", column).use {
                    it.schema().fields().map(Field::name) shouldBe listOf("id", "name")
                    it.column("id").toList() shouldBe List(4, ::text)
                }
            }
        }
    }

    test("a new column keeps its field except the name, and the batch keeps its metadata [SEL-23]") {
        val unit = Metadata.of("unit", "m")
        batch().use { it.withMetadata(unit) }.use { whole ->
            whole.retainChild(0).use { column ->
                val made = BatchBuilder.of(cpu, 4).use { batch ->
                    val field = Field.of("h", DataType.INT32).withNullable(false).withMetadata(unit)
                    batch.column(field).let { h -> repeat(4) { h.append(it.toLong()) } }
                    batch.build()
                }.use { it.retainChild(0) }
                made.use {
                    whole.withColumn("height", made).use {
                        it.schema().metadata() shouldBe unit
                        it.schema().field("height") shouldBe made.field().withName("height")
                    }
                }
                whole.withColumn("again", column).use { it.column("again").getLong(3) shouldBe 3 }
            }
        }
    }

    test("a column of any slice joins a batch of any slice, with the right rows, also through C [SEL-23]") {
        for (isImported in listOf(false, true)) origin(batch(50), isImported).asRecordBatch().use { whole ->
            for (isOther in listOf(false, true)) origin(texts(50), isOther).use { column ->
                for ((from, at, count) in listOf(Triple(0, 0, 50), Triple(7, 0, 20), Triple(0, 7, 20), Triple(9, 30, 9),
                    Triple(30, 9, 9), Triple(50, 0, 0), Triple(0, 50, 0), Triple(3, 5, 0)))
                    withClue("$count rows of the batch from $from, of the column from $at") {
                        whole.slice(from.toLong(), count.toLong()).use { cut ->
                            column.slice(at.toLong(), count.toLong()).use { cut.withColumn("word", it) }
                        }.use {
                            it.length() shouldBe count.toLong()
                            it.validate(Validation.FULL)
                            it.column("id").toList() shouldBe List(count) { row -> from + row.toLong() }
                            it.column("word").toList() shouldBe List(count) { row -> text(at + row) }
                            it.column("word").nullCount() shouldBe
                                (0 until count).count { row -> text(at + row) == null }
                            throughC(it).use { again -> again.difference(it) shouldBe null }
                            it.slice(count / 2L, count / 4L).use { part ->
                                part.column("name").toList() shouldBe
                                    List(count / 4) { row -> "n${from + count / 2 + row}" }
                            }
                        }
                    }
            }
        }
    }

    test("rows that only the batch's bitmap makes null stay null, and at most that bitmap is copied [SEL-22]") {
        val own = intArrayOf(8, 9, 20, 21)
        for (isCounted in listOf(true, false)) batch(50).withNullRows(*own, isCounted = isCounted).use { whole ->
            texts(50).use { column ->
                for ((from, at, count) in listOf(Triple(0, 0, 50), Triple(7, 0, 20), Triple(8, 0, 20), Triple(0, 7, 25),
                    Triple(9, 30, 9), Triple(19, 9, 9), Triple(30, 2, 5), Triple(9, 0, 0)))
                    withClue("$count rows of the batch from $from, of the column from $at") {
                        whole.slice(from.toLong(), count.toLong()).use { cut ->
                            column.slice(at.toLong(), count.toLong()).use { cut.withColumn("word", it) }
                        }.use {
                            it.validate(Validation.FULL)
                            val all = it.asColumn()
                            (0 until it.length()).map(all::isNull) shouldBe
                                List(count) { row -> from + row in own }
                            all.column("id").toList() shouldBe List(count) { row -> from + row.toLong() }
                            all.column("word").toList() shouldBe List(count) { row -> text(at + row) }
                            throughC(it).use { again -> again.difference(it) shouldBe null }
                        }
                    }
            }
        }
    }

    test("ofColumns is the reverse of retainChild for columns of every type, built and imported [SEL-23]") {
        EveryType.batch(0, 40).use { built ->
            throughC(built).use { imported ->
                built.slice(5, 30).use { some ->
                    imported.slice(5, 30).use { others ->
                        val columns = EveryType.fields.indices.map {
                            (if (it % 2 == 0) some else others).retainChild(it)
                        }
                        val batch = RecordBatch.ofColumns(EveryType.fields.map(Field::name), columns)
                        columns.forEach { it.close() }
                        batch.use {
                            it.schema() shouldBe built.schema()
                            it.validate(Validation.FULL)
                            it.difference(some) shouldBe null
                            throughC(it).use { again -> again.difference(some) shouldBe null }
                            it.copyTo(cpu).use { again -> again.difference(some) shouldBe null }
                            it.compact().use { again -> again.difference(some) shouldBe null }
                            it.select("list", "utf8", "dictionary").use { less ->
                                some.select("list", "utf8", "dictionary").use { again ->
                                    less.difference(again) shouldBe null
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    test("text of a joined batch keeps the bounds that its own array knows [SEL-25]") {
        fun far(): DeviceArray = Arena.ofConfined().use { arena ->
            val out = arena.struct(StructKind.ARRAY)
            PeerNodes.array(out, length = 1, buffers = 3)
            PeerNodes.setBuffer(out, 1, byteArrayOf(0, 0, 0, 0, 3, 0, 0, 0))
            PeerNodes.setBuffer(out, 2, "abc".encodeToByteArray())
            CData.importArray(out, CImport.DATA.schema(Field.of("t", DataType.UTF8)))
        }
        texts(1).use { own ->
            far().use { other ->
                RecordBatch.ofColumns(listOf("own", "other"), listOf(own, other)).use { both ->
                    both.column("other").getString(0) shouldBe "abc"
                    both.validate(Validation.FULL)
                    // of the library's text the size is known: an offset beyond it is found
                    val offsets = both.column("own").bufferAddress(1)
                    val end = NativeHeap.getInt(offsets + 4)
                    NativeHeap.putInt(offsets + 4, 1 shl 20)
                    shouldThrow<DeviceException> { both.validate(Validation.FULL) }.message shouldContain "$.own"
                    NativeHeap.putInt(offsets + 4, end)
                }
                RecordBatch.ofColumns(listOf("a", "b"), listOf(other, other)).use { both ->
                    both.column("b").getString(0) shouldBe "abc"
                    // all structs are the producer's: nothing had to be copied
                    both.column(0).bufferAddress(2) shouldBe other.asColumn().bufferAddress(2)
                }
            }
        }
    }

    test("columns that do not fit are rejected with the numbers, and every handle stays open [SEL-23]") {
        batch().use { whole ->
            texts(3).use { short ->
                refused { whole.withColumn("word", short) } shouldBe "column \"word\" has 3 rows, but the batch " +
                    "has 4 rows; the columns of a batch have the same length"
                whole.retainChild(0).use { id ->
                    refused { RecordBatch.ofColumns(listOf("a", "b"), listOf(id, short)) } shouldBe
                        "column \"b\" has 3 rows, but column \"a\" has 4 rows; the columns of a batch have the " +
                        "same length"
                    refused { RecordBatch.ofColumns(listOf("a"), listOf(id, id)) } shouldBe
                        "each array needs a name, but there are 1 names for 2 arrays"
                    refused { RecordBatch.ofColumns(listOf(), listOf()) } shouldBe
                        "a batch needs at least one array, which defines the number of rows"
                }
                short.isOpen shouldBe true
            }
            texts(4).use { it.copyTo(device) }.use { there ->
                there.synchronize()
                eventually("the copy has released its source") { ResourceCounters.now().waits() == 0L }
                refused { whole.withColumn("word", there) } shouldBe "column \"word\" is on $device, but the other " +
                    "columns are on $cpu; copy it there with copyTo"
            }
            whole.isOpen shouldBe true
        }
    }

    test("a joined batch keeps each array after all handles are closed, and releases each once [SEL-24]") {
        val before = ResourceCounters.now()
        for (isImported in listOf(false, true)) {
            val whole = origin(batch(), isImported).asRecordBatch()
            val column = texts(4)
            val joined = whole.withColumn("word", column)
            val again = joined.withColumn("id", column)
            listOf(whole, column, joined).forEach { it.close() }
            again.use { it.column("name").toList() shouldBe List(4) { row -> "n$row" } }
            ResourceCounters.now() shouldBe before
        }
    }

    test("a closed array is refused, also while another thread closes it, and nothing is lost [SEL-24]") {
        val closed = texts(4).also { it.close() }
        batch().use { whole ->
            shouldThrow<IllegalStateException> { whole.withColumn("word", closed) }
            whole.retainChild(0).use { id ->
                shouldThrow<IllegalStateException> { RecordBatch.ofColumns(listOf("a", "b"), listOf(id, closed)) }
            }
        }
        repeat(100) {
            val (whole, column) = batch() to texts(4)
            val start = CyclicBarrier(3)
            val closing = listOf(whole, column).map {
                thread {
                    start.await()
                    it.close()
                }
            }
            start.await()
            val joined = runCatching { whole.withColumn("word", column) }
            closing.forEach { it.join() }
            joined.onSuccess { array -> array.use { it.column("word").toList() shouldBe List(4, ::text) } }
                .onFailure { if (it !is IllegalStateException) throw it }
        }
    }

    test("C releases a joined batch, and its children that it moved out, after all handles are closed [SEL-24]") {
        Arena.ofConfined().use { arena ->
            val (out, schema) = arena.struct(StructKind.ARRAY) to arena.struct(StructKind.SCHEMA)
            batch().use { whole ->
                texts(4).use { CData.exportArray(whole.withColumn("word", it), out, CExport.DATA.schemaTo(schema)) }
            }
            CData.importArray(out, CImport.DATA.schema(schema)).use { it.retainChild(2) }.use {
                it.asColumn().toList() shouldBe List(4, ::text)
            }
        }
    }

    test("a batch of arrays with one event has that event, and a batch of ready arrays has none [SEL-26]") {
        texts(4).use { it.copyTo(device) }.use { ready ->
            ready.synchronize()
            RecordBatch.ofColumns(listOf("a"), listOf(ready)).use { it.syncEvent() shouldBe null }
            device.createStream().use { stream ->
                fake.hold()
                val late = texts(4).use { it.copyTo(device, stream) }
                late.use {
                    RecordBatch.ofColumns(listOf("a", "b", "c"), listOf(ready, late, late)).use { both ->
                        both.isReady shouldBe false
                        fake.release()
                        both.synchronize()
                        late.isReady shouldBe true
                        both.copyTo(cpu).use { here ->
                            here.synchronize()
                            here.column("b").toList() shouldBe List(4, ::text)
                        }
                    }
                }
            }
        }
        eventually("the copies have released their sources") { ResourceCounters.now().waits() == 0L }
    }

    test("a batch of arrays with several events is ready after all of them, and its export has one event [SEL-26]") {
        fun numbers(rows: Int) = BatchBuilder.of(cpu, rows).use {
            it.int64("a", LongArray(rows) { row -> row.toLong() }).build()
        }
        device.createStream().use { one ->
            device.createStream().use { other ->
                fake.hold()
                val (first, second) = numbers(4).use { it.copyTo(device, one) to it.copyTo(device, other) }
                val batch = second.retainChild(0).use { first.withColumn("b", it) }
                listOf(first, second).forEach { it.close() }
                batch.use {
                    it.isReady shouldBe false
                    while (fake.step(one)) Unit
                    it.isReady shouldBe false
                    Arena.ofConfined().use { arena ->
                        val (out, schema) = arena.struct(StructKind.DEVICE_ARRAY) to arena.struct(StructKind.SCHEMA)
                        CData.exportArray(it.retain(), out, CExport.DEVICE.schemaTo(schema))
                        RawArrowDeviceArray.syncEvent(out.address()) shouldNotBe 0
                        CData.importArray(out, CImport.DEVICE.schema(schema)).close()
                    }
                    fake.release()
                    it.synchronize()
                    it.copyTo(cpu).use { here ->
                        here.synchronize()
                        here.column("b").toList() shouldBe listOf(0L, 1L, 2L, 3L)
                    }
                }
            }
        }
        eventually("the copies have released their sources") { ResourceCounters.now().waits() == 0L }
    }

    test("columns on a device without a backend join if they have one event, and otherwise are rejected [SEL-26]") {
        Arena.ofConfined().use { arena ->
            fun phantom(event: MemorySegment): DeviceArray {
                val out = arena.struct(StructKind.DEVICE_ARRAY)
                PeerNodes.array(out, length = 2, buffers = 2)
                PeerNodes.setForeignBuffer(out, 1, MemorySegment.ofAddress(1 shl 20))
                RawArrowDeviceArray.setDeviceType(out.address(), 18)
                RawArrowDeviceArray.setDeviceId(out.address(), 5)
                RawArrowDeviceArray.setSyncEvent(out.address(), event.address())
                return CData.importArray(out, CImport.DEVICE.schema(Field.of("n", DataType.INT64)))
            }
            val (one, other) = arena.allocate(8) to arena.allocate(8)
            phantom(one).use { first ->
                RecordBatch.ofColumns(listOf("a", "b"), listOf(first, first)).use {
                    ArrayBridge.syncEventAddress(it) shouldBe one.address()
                    it.select("b").use { less -> ArrayBridge.syncEventAddress(less) shouldBe one.address() }
                }
                phantom(other).use { second ->
                    val thrown = shouldThrow<DeviceException> {
                        RecordBatch.ofColumns(listOf("a", "b"), listOf(first, second))
                    }
                    thrown.errno() shouldBe Errno.ENOSYS
                    thrown.message shouldContain "so the event of a column's array cannot complete here"
                }
            }
        }
    }

    test("on a device a column joins a sliced batch with null rows unless their bitmap must be copied [SEL-23]") {
        batch(20).withNullRows(3).use { it.copyTo(device) }.use { whole ->
            whole.synchronize()
            texts(20).use { it.copyTo(device) }.use { column ->
                column.synchronize()
                whole.slice(2, 9).use { cut ->
                    column.slice(5, 9).use { cut.withColumn("word", it) }.use { it.length() shouldBe 9 }
                    column.slice(0, 9).use { front ->
                        val thrown = shouldThrow<DeviceException> { cut.withColumn("word", front) }
                        thrown.errno() shouldBe Errno.ENOSYS
                        thrown.message shouldContain "copyTo"
                    }
                }
            }
        }
        eventually("the copies have released their sources") { ResourceCounters.now().waits() == 0L }
    }
})
