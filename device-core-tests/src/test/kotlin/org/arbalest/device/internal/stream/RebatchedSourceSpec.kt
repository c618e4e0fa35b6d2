// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.Validation
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.support.batch
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.IntType
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.Schema
import org.arbalest.support.EveryType
import org.arbalest.support.ResourceCountersExtension
import java.util.concurrent.CountDownLatch
import kotlin.concurrent.thread
import kotlin.random.Random

class RebatchedSourceSpec : FunSpec({
    extension(ResourceCountersExtension)

    val schema = batch(0).use { it.schema() }

    fun reader(lengths: List<Int>) = RecordBatchReader.of(schema, lengths.map { batch(it) })

    fun ids(reader: RecordBatchReader): List<List<Any?>> = buildList {
        reader.use { it.forEach { batch -> add(batch.column("id").toList()) } }
    }

    test("batches of any lengths become batches of the requested length, with the rows in order [SEL-11]") {
        val random = Random(5)
        val lengths = listOf(listOf(), listOf(0, 0), listOf(10), listOf(3, 3, 3), listOf(1, 20, 1, 0, 7)) +
            List(20) { List(random.nextInt(9)) { random.nextInt(30) } }
        for (each in lengths) for (rows in listOf(1, 3, 7, 10, 1000)) withClue("$each, $rows") {
            val all = each.flatMap { (0L until it).toList() }
            ids(reader(each).rebatch(rows.toLong())) shouldBe all.chunked(rows)
        }
    }

    test("columns of every type are joined and cut [SEL-11]") {
        val parts = listOf(0 to 7, 7 to 1, 8 to 30, 38 to 5)
        val batches = parts.map { (from, count) -> EveryType.batch(from, count) }
        val expected = batches.flatMap(EveryType::rows)
        RecordBatchReader.of(batches[0].schema(), batches).rebatch(11).use { reader ->
            val found = mutableListOf<Any?>()
            reader.forEach { found.addAll(EveryType.rows(it)) }
            found shouldBe expected
        }
    }

    test("cutting a batch, and passing a batch of the requested length, copies nothing [SEL-11]") {
        reader(listOf(4, 8)).rebatch(4).use { reader ->
            val before = ResourceCounters.now()
            repeat(3) { reader.next()!!.use { ResourceCounters.now().since(before).buffers() shouldBeLessThan 1 } }
            reader.next() shouldBe null
        }
    }

    test("an error follows the rows that were pulled before it, and repeats [SEL-11]") {
        val batches = mutableListOf<RecordBatch?>(batch(3), batch(2))
        RecordBatchReader.of(schema) { batches.removeFirstOrNull() ?: error("the disk is gone") }.rebatch(4).use {
            it.next()!!.use { first -> first.length() shouldBe 4 }
            it.next()!!.use { last -> last.length() shouldBe 1 }
            repeat(2) { _ -> shouldThrow<DeviceException> { it.next() }.message shouldContain "the disk is gone" }
        }
    }

    test("an Error of the source follows the rows that were pulled before it, and repeats as an exception [SEL-11]") {
        val batches = mutableListOf<RecordBatch?>(batch(5), batch(3))
        val reader = RecordBatchReader.of(schema) { batches.removeFirstOrNull() ?: throw OutOfMemoryError("no room") }
        reader.rebatch(100).use {
            it.next()!!.use { all -> all.length() shouldBe 8 }
            shouldThrow<OutOfMemoryError> { it.next() }.message shouldBe "no room"
            shouldThrow<DeviceException> { it.next() }.errno() shouldBe Errno.ENOMEM
        }
    }

    test("closing in the middle releases the rows that were not pulled [SEL-11]") {
        reader(listOf(3, 9, 9)).rebatch(5).use { it.next()!!.close() }
        reader(listOf(3, 9, 9)).rebatch(5).close()
    }

    test("a batch has at least one row [SEL-11]") {
        reader(listOf()).use {
            shouldThrow<IllegalArgumentException> { it.rebatch(0) }.message shouldBe
                "a batch must have at least 1 row, but 0 were given"
        }
    }

    test("batches whose lengths exceed a long together are cut, and lose no row [SEL-11]") {
        val nulls = Schema.of(Field.of("n", DataType.NULL))
        fun of(length: Long) =
            RecordBatch.of(nulls, ArrayData.of(length, 0, listOf(null), listOf(ArrayData.of(length, length, listOf()))))
        val batches = mutableListOf(of(2), of(Long.MAX_VALUE))
        RecordBatchReader.of(nulls) { batches.removeFirstOrNull() }.rebatch(100).use {
            repeat(3) { _ -> it.next()!!.use { rows -> rows.length() shouldBe 100 } }
        }
    }

    test("batches with different dictionaries are joined [SEL-11]") {
        val type = DataType.dictionary(DataType.INT8, DataType.UTF8)
        fun of(vararg words: String?) = BatchBuilder.of(Devices.cpu(), words.size).use { builder ->
            val column = builder.column(Field.of("d", type))
            for (word in words) if (word == null) column.appendNull() else column.append(word)
            builder.build()
        }
        val batches = listOf(of("a", "b"), of("c", null, "a"), of(null), of("b", "z", "y"))
        RecordBatchReader.of(batches[0].schema(), batches).rebatch(4).use { reader ->
            val found = mutableListOf<List<Any?>>()
            reader.forEach {
                it.validate(Validation.FULL)
                found += it.column("d").toList()
            }
            found shouldBe listOf(listOf("a", "b", "c", null), listOf("a", null, "b", "z"), listOf("y"))
        }
    }

    test("batches that cannot be joined are named as those of rebatch, however small they are [SEL-11]") {
        val type = DictionaryType(IntType(8, true), Field.of("", DataType.UTF8), true)
        fun of(word: String) = BatchBuilder.of(Devices.cpu(), 1).use { builder ->
            builder.column(Field.of("d", type)).append(word)
            builder.build()
        }
        for (count in listOf(2, 17)) {
            val batches = List(count) { of("level $it") }
            RecordBatchReader.of(batches[0].schema(), batches).rebatch(count.toLong()).use { reader ->
                shouldThrow<DeviceException> { reader.next() }.message shouldContain
                    "rebatch cannot join the rows of $count batches: arrays[1]: "
            }
        }
    }

    test("closing a rebatched reader during a pull releases its rows [SEL-11]") {
        val (inside, go) = CountDownLatch(1) to CountDownLatch(1)
        val batches = mutableListOf(batch(3), batch(4))
        val reader = RecordBatchReader.of(batch(0).use { it.schema() }) {
            if (batches.isEmpty()) {
                inside.countDown()
                go.await()
                null
            } else batches.removeFirst()
        }.rebatch(100)
        var failure: Throwable? = null
        val pull = thread { failure = runCatching { reader.next()?.close() }.exceptionOrNull() }
        inside.await()
        reader.close()
        go.countDown()
        pull.join()
        (failure is IllegalStateException) shouldBe true
    }
})
