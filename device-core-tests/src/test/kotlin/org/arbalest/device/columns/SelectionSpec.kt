// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.columns

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.support.batch
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.MemorySegment
import kotlin.random.Random

class SelectionSpec : FunSpec({
    extension(ResourceCountersExtension)

    val random = Random(41)

    fun rows(selection: Selection) = (0 until selection.length()).filter(selection::isSelected)

    fun column(type: DataType, values: List<Any?>): RecordBatch =
        BatchBuilder.of(Devices.cpu(), values.size).use { builder ->
            val column = builder.column(Field.of("c", type))
            for (value in values) when (value) {
                null -> column.appendNull()
                is Boolean -> column.append(value)
                is Double -> column.append(value)
                else -> column.append((value as Number).toLong())
            }
            builder.build()
        }

    for (length in listOf(0, 1, 63, 64, 65, 200)) {
        test("selections of $length rows by bitmap, by booleans and by condition are the same [SEL-07]") {
            val chosen = BooleanArray(length) { random.nextBoolean() }
            val expected = chosen.indices.filter { chosen[it] }.map { it.toLong() }
            val selection = Selection.where(length.toLong()) { chosen[it.toInt()] }
            rows(selection) shouldBe expected
            selection.count() shouldBe expected.size
            selection.length() shouldBe length
            rows(selection.not()) shouldBe (0L until length) - expected.toSet()
            selection.and(selection.not()).count() shouldBe 0
            selection.or(selection.not()).count() shouldBe length
            for (offset in 0..9) withClue(offset) {
                val bits = ByteArray((offset + length + 7) / 8) { 0x55 }
                for (i in 0 until length) {
                    val at = offset + i
                    val bit = 1 shl (at % 8)
                    bits[at / 8] = (bits[at / 8].toInt() and bit.inv() or if (chosen[i]) bit else 0).toByte()
                }
                val made = Selection.ofBitmap(MemorySegment.ofArray(bits), offset.toLong(), length.toLong())
                made shouldBe selection
                made.hashCode() shouldBe selection.hashCode()
            }
            for (row in 0 until length) {
                selection.selectedBits(row.toLong()) shouldBe
                    (0 until 64).sumOf { if (row + it < length && chosen[row + it]) 1L shl it else 0L }
            }
        }
    }

    test("a null is not selected, by booleans and by a condition on any view [SEL-07]") {
        for (size in listOf(3, 100)) {
            val values = List(size) { if (it % 5 == 1) null else it }
            val expected = values.indices.filter { values[it] != null && it % 2 == 0 }.map { it.toLong() }
            column(DataType.BOOL, values.map { it?.let { n -> n % 2 == 0 } }).use {
                rows(Selection.of(it.column(0))) shouldBe expected
                rows(Selection.of(it.column(0).asBooleans())) shouldBe expected
                it.slice(1, size - 1L).use { cut ->
                    rows(Selection.of(cut.column(0))) shouldBe expected.filter { row -> row > 0 }.map { row -> row - 1 }
                }
            }
            column(DataType.INT64, values).use {
                rows(Selection.where(it.column(0).asLongs()) { n -> n % 2 == 0L }) shouldBe expected
            }
            column(DataType.INT32, values).use {
                rows(Selection.where(it.column(0).asInts()) { n -> n % 2 == 0 }) shouldBe expected
            }
            column(DataType.FLOAT64, values.map { it?.toDouble() }).use {
                rows(Selection.where(it.column(0).asDoubles()) { n -> n % 2 == 0.0 }) shouldBe expected
            }
            column(DataType.FLOAT32, values.map { it?.toDouble() }).use {
                rows(Selection.where(it.column(0).asFloats()) { n -> n % 2 == 0.0 }) shouldBe expected
            }
        }
        batch(70).use {
            rows(Selection.where(it.column("id").asLongs()) { n -> n > 64 }) shouldBe (65L..69L).toList()
        }
    }

    test("encoded booleans select as booleans do [SEL-07]") {
        val runs = DataType.runEndEncoded(DataType.INT32, Field.of("values", DataType.BOOL))
        column(runs, listOf(true, true, null, false, true)).use {
            rows(Selection.of(it.column(0))) shouldBe listOf(0L, 1, 4)
        }
    }

    test("wrong uses of a selection are rejected with the numbers [SEL-05]") {
        val three = Selection.where(3) { it > 0 }
        shouldThrow<IllegalArgumentException> { three.and(Selection.where(4) { true }) }.message shouldBe
            "a selection of 3 rows cannot be combined with one of 4 rows: both must be of the same batch"
        shouldThrow<IndexOutOfBoundsException> { three.isSelected(3) }
        shouldThrow<IndexOutOfBoundsException> { three.selectedBits(-1) }
        shouldThrow<IllegalArgumentException> { Selection.where(-1) { true } }.message shouldBe
            "a selection cannot have -1 rows"
        shouldThrow<IllegalArgumentException> { Selection.where(Long.MAX_VALUE) { true } }.message shouldBe
            "a selection of 9223372036854775807 rows does not fit a Java array: slice first"
        shouldThrow<IndexOutOfBoundsException> { Selection.ofBitmap(MemorySegment.ofArray(ByteArray(1)), 5, 4) }
            .message shouldBe "4 bits from bit 5 on are beyond the 1 bytes of the bitmap"
        shouldThrow<IndexOutOfBoundsException> { Selection.ofBitmap(MemorySegment.ofArray(ByteArray(1)), -1, 4) }
        batch(0).use { shouldThrow<IllegalArgumentException> { Selection.of(it.column("id")) } }
        batch(2).use { batch ->
            column(DataType.FLOAT64, listOf(1.0)).use { other ->
                shouldThrow<IllegalArgumentException> { batch.take(other.column(0)) }.message shouldBe
                    "column \"c\" of type float64 has no indices of rows: they are integers"
            }
        }
        three.toString() shouldBe "2 of 3 rows"
        three shouldNotBe Selection.where(3) { it > 1 }
        three shouldNotBe Selection.where(4) { it in 1..2 }
    }

    test("a condition that throws leaves no resources, and the batch stays usable [SEL-08]") {
        batch(200).use { batch ->
            shouldThrow<ArithmeticException> {
                batch.filter(Selection.where(batch.column("id").asLongs()) { 1 / (it - 100) > 0 })
            }
            batch.filter(Selection.where(batch.column("id").asLongs()) { it % 100 == 1L }).use {
                it.column("id").toList() shouldBe listOf(1L, 101L)
            }
        }
    }

    test("a selection outlives the array that it was made from [SEL-08]") {
        val some = batch(10).use { Selection.where(it.column("id").asLongs()) { id -> id > 7 } }
        rows(some) shouldBe listOf(8L, 9L)
        batch(10).use { closed ->
            closed.close()
            shouldThrow<IllegalStateException> { closed.filter(Selection.where(10) { it % 2 == 0L }) }
            shouldThrow<IllegalStateException> { closed.take(1, 0) }
        }
    }

    test("indices of any width and encoding take rows [SEL-02]") {
        batch(20).use { batch ->
            for (type in listOf(DataType.INT8, DataType.UINT8, DataType.INT16, DataType.INT32, DataType.UINT32,
                DataType.INT64, DataType.UINT64, DataType.dictionary(DataType.INT8, DataType.INT32))) withClue(type) {
                column(type, listOf(3, null, 0, 19)).use { at ->
                    batch.take(at.column(0)).use { it.column("id").toList() shouldBe listOf(3L, null, 0L, 19L) }
                }
            }
        }
    }

    test("bits beyond a bitmap are rejected before memory is allocated [SEL-05]") {
        shouldThrow<IndexOutOfBoundsException> {
            Selection.ofBitmap(MemorySegment.ofArray(byteArrayOf(1)), 0, 1L shl 36)
        }
        shouldThrow<IllegalArgumentException> { Selection.ofBitmap(MemorySegment.ofArray(byteArrayOf(1)), 0, -1) }
        shouldThrow<IndexOutOfBoundsException> { Selection.ofBitmap(MemorySegment.ofArray(byteArrayOf(1)), -1, 1) }
        shouldThrow<IndexOutOfBoundsException> { Selection.ofBitmap(MemorySegment.ofArray(byteArrayOf(1)), 8, 1) }
    }
})
