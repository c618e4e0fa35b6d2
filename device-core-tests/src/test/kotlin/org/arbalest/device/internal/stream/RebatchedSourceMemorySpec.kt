// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.columns.Selection
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.support.batch
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import org.arbalest.support.fake.FakeCall
import org.arbalest.support.fake.FakeDevice
import java.lang.foreign.Arena
import java.lang.management.ManagementFactory

/** The memory of the rows that wait until an array is complete. */
class RebatchedSourceMemorySpec : FunSpec({
    extension(ResourceCountersExtension)

    val rows = 2000

    /** Returns a batch of 40 kB. The first id is [from]. */
    fun numbers(from: Long) = BatchBuilder.of(Devices.cpu(), rows).use { batch ->
        batch.int64("id", LongArray(rows) { from + it })
        batch.column(Field.of("price", DataType.FLOAT64)).appendAll(DoubleArray(rows))
        batch.column(Field.of("count", DataType.INT32)).appendAll(IntArray(rows))
        batch.build()
    }

    /** The rows of a stream of [batches], the bytes that were held at most, and the number of arrays. */
    class Held(batches: Int, make: (Long) -> RecordBatch, change: (RecordBatchReader) -> RecordBatchReader) {
        var bytes = 0L
        var arrays = 0L
        val ids = mutableListOf<Any?>()

        init {
            val before = ResourceCounters.now()
            fun look() = ResourceCounters.now().since(before).let {
                bytes = maxOf(bytes, it.bufferBytes())
                arrays = maxOf(arrays, it.arrays())
            }
            var next = 0
            val source = DeviceArrayReader.Source<RecordBatch> {
                look() // the batch before is closed, except for what waits
                if (next == batches) null else make(rows.toLong() * next++)
            }
            change(RecordBatchReader.of(make(0).use { it.schema() }, source)).use { reader ->
                reader.forEach {
                    look()
                    ids.addAll(it.column("id").toList())
                }
            }
        }
    }

    fun among(vararg chosen: Long): (RecordBatch) -> Selection =
        { Selection.where(it.length()) { row -> row in chosen } }

    test("rows that are few in each batch do not keep the batches until the result is complete [SEL-11]") {
        for (chosen in listOf(longArrayOf(700), longArrayOf(700, 701), longArrayOf(5, 1999))) {
            val held = Held(200, ::numbers) { it.filter(among(*chosen)).rebatch(64_000) }
            held.ids shouldBe List(200) { batch -> chosen.map { batch * rows + it } }.flatten()
            held.bytes shouldBeLessThan 100_000 // all batches have 8 MB
        }
    }

    test("the rest of a batch that was cut, and chosen columns, do not keep the batch while they wait [SEL-11]") {
        Held(20, ::numbers) { it.rebatch(2999) }.bytes shouldBeLessThan 300_000
        val rest = Held(50, { if (it == 0L) numbers(0) else numbers(it).use { all -> all.slice(0, 1) } }) {
            it.rebatch(1990)
        }
        rest.ids.size shouldBe 2049
        rest.bytes shouldBeLessThan 100_000
        val wide = Field.of("", DataType.struct(Field.of("id", DataType.INT64))).withNullable(false)
        Held(100, { from ->
            BatchBuilder.of(Devices.cpu(), rows).use { batch ->
                batch.int64("id", LongArray(rows) { from + it })
                for (i in 0 until 20) batch.int64("c$i", LongArray(rows))
                batch.build().use { all -> all.select("id").also { one -> one.field() shouldBe wide } }
            }
        }) { it.rebatch(1_000_000) }.bytes shouldBeLessThan 4L * 100 * rows * Long.SIZE_BYTES
    }

    test("rows of native arrays, whose sizes are unknown, do not keep them, also with long texts [SEL-11]") {
        fun native(from: Long): RecordBatch = Arena.ofConfined().use { arena ->
            val out = arena.struct(StructKind.ARRAY)
            val made = BatchBuilder.of(Devices.cpu(), 100).use { batch ->
                batch.int64("id", LongArray(100) { from + it })
                val text = batch.column(Field.of("text", DataType.UTF8))
                repeat(100) { text.append("a text of a row".repeat(40)) }
                batch.build()
            }
            val field = made.field()
            CData.exportArray(made, out, CExport.DATA)
            CData.importBatch(out, CImport.DATA.schema(field))
        }
        val held = Held(200, ::native) { it.filter(among(50)).rebatch(64_000) }
        held.ids shouldBe List(200) { 50L + rows * it }
        held.bytes shouldBeLessThan 500_000 // all batches have 12 MB
    }

    test("many small parts that wait are joined, so that their number stays small [SEL-11]") {
        val held = Held(1000, ::numbers) { it.filter(among(700)).rebatch(64_000) }
        held.ids shouldBe List(1000) { 700L + rows * it }
        held.arrays shouldBeLessThan 40
        Held(1000, ::numbers) { it.filter(among(5, 1999)).rebatch(64_000) }.arrays shouldBeLessThan 40
    }

    test("batches that wait with all their rows are not copied before they are joined [SEL-11]") {
        val before = ResourceCounters.now()
        val batches = mutableListOf(batch(1000), batch(1000))
        val found = mutableListOf<Long>()
        RecordBatchReader.of(batch(0).use { it.schema() }, {
            found += ResourceCounters.now().since(before).buffers()
            batches.removeFirstOrNull()
        }).rebatch(5000).use { it.next()!!.close() }
        found shouldBe listOf(2L, 2L, 2L)
    }

    test("rows that wait are kept as they are if there is no memory for a copy [SEL-11]") {
        val pinned = Devices.device(DeviceType.CUDA_HOST, 0)
        val fake = FakeDevice.of(DeviceType.CUDA_HOST, 0)
        val on = numbers(0).use { it.copyTo(pinned) }
        for (count in listOf(1, 40)) {
            var next = 0
            val source = DeviceArrayReader.Source<RecordBatch> {
                fake.failEvery(if (next < count) FakeCall.ALLOCATE else null)
                if (next == count) null else on.slice(50L * next++, 1)
            }
            RecordBatchReader.of(on.schema(), DeviceType.CUDA_HOST, source).rebatch(100).use { reader ->
                reader.next()!!.use { it.column("id").toList() shouldBe List(count) { row -> 50L * row } }
            }
        }
        on.close()
        val views = BatchBuilder.of(Devices.cpu(), 500).use { batch ->
            val column = batch.column(Field.of("id", DataType.UTF8_VIEW))
            repeat(500) { column.append("the text of row $it, which is longer than a view") }
            batch.build().use { it.copyTo(pinned) }
        }
        fake.failCall(FakeCall.ALLOCATE, 2)
        views.filter(Selection.where(500) { it == 7L || it == 400L }).use {
            it.column("id").toList() shouldBe
                listOf(7, 400).map { row -> "the text of row $row, which is longer than a view" }
        }
        fake.reset()
        views.close()
    }

    test("a waiting part is checked once, also if empty batches follow [SEL-11]") {
        val views = BatchBuilder.of(Devices.cpu(), 500).use { batch ->
            val column = batch.column(Field.of("id", DataType.UTF8_VIEW))
            repeat(500) { column.append("the text of row $it, which is longer than a view".repeat(2)) }
            batch.build()
        }
        val threads = ManagementFactory.getThreadMXBean() as com.sun.management.ThreadMXBean
        fun allocated(empty: Int): Long {
            val batches = mutableListOf(views.retain())
            repeat(empty) { batches += views.slice(0, 0) }
            return RecordBatchReader.of(views.schema(), batches).rebatch(1000).use { reader ->
                val before = threads.currentThreadAllocatedBytes
                reader.next()!!.close()
                threads.currentThreadAllocatedBytes - before
            }
        }
        allocated(100)
        allocated(100) shouldBeLessThan allocated(0) + 100 * 100
        views.close()
    }
})
