// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.DataTypes
import org.apache.spark.unsafe.types.UTF8String
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE

/** Rows that Spark lends one by one, in an object that it uses again. */
class RowBlockSpec : FunSpec({
    val types = arrayOf<DataType>(DataTypes.LongType, DataTypes.StringType)

    fun generic(number: Long?, text: String?): InternalRow = GenericInternalRow(arrayOf<Any?>(number, text?.let(UTF8String::fromString)))

    fun InternalRow.values() = (if (isNullAt(0)) null else getLong(0)) to (if (isNullAt(1)) null else "${getUTF8String(1)}")

    fun blocks(rows: Sequence<InternalRow>, most: Int = Int.MAX_VALUE): List<List<Pair<Long?, String?>>> {
        val block = RowBlock()
        val from = rows.iterator()
        return generateSequence { block.fill(from, most).takeIf { it > 0 } }.map { count -> block.rows().take(count).map { it.values() } }.toList()
    }

    /** By one object, as Spark's operators do it. */
    fun lent(values: List<Pair<Long?, String?>>): Sequence<InternalRow> {
        val projection = UnsafeProjection.create(types)
        return values.asSequence().map { (number, text) -> projection.apply(generic(number, text)) }
    }

    test("SPK-09 rows of one object, of any size, with nulls") {
        val sizes = listOf(0, 1, 7, 8, 80, 128, 129, 4000, 5000, 100_000, 2_000_000)
        val values = List(300) { n -> (if (n % 3 == 0) null else n.toLong()) to (if (n % 7 == 0) null else "$n".padEnd(sizes[n % sizes.size], 'x')) }
        blocks(lent(values)).flatten() shouldContainExactly values
    }

    test("SPK-09 a block has no more rows than are asked for, and begins where the last ended") {
        val values = List(100) { it.toLong() to "$it" }
        blocks(lent(values)).map { it.size } shouldBe listOf(64, 36)
        blocks(lent(values), 9).map { it.size } shouldBe List(11) { 9 } + 1
        blocks(lent(values), 9).flatten() shouldContainExactly values
    }

    test("SPK-09 of rows that are large a block has few, so that they are not all held") {
        val values = List(20) { it.toLong() to "$it".padEnd(300_000, 'x') }
        blocks(lent(values)).map { it.size } shouldBe List(5) { 4 } // of a megabyte, and what is behind it
        blocks(lent(values)).flatten() shouldContainExactly values
    }

    test("SPK-09 rows whose memory is off the heap, as sorted ones may be") {
        val values = List(100) { it.toLong() to "$it".padEnd(it * 3, 'x') }
        Arena.ofConfined().use { arena ->
            val memory = arena.allocate(1024, 8)
            val there = UnsafeRow(types.size)
            val rows = lent(values).map { row ->
                memory.fill(-1)
                val bytes = (row as UnsafeRow).bytes
                MemorySegment.copy(bytes, 0, memory, JAVA_BYTE, 0, bytes.size)
                there.pointTo(null, memory.address(), bytes.size)
                there
            }
            blocks(rows).flatten() shouldContainExactly values
        }
    }

    test("SPK-09 copies that have memory of their own are let go") {
        val block = RowBlock()
        block.fill(lent(List(3) { it.toLong() to "$it".padEnd(2_000_000, 'x') }).iterator(), 64) shouldBe 1
        block.rows()[0].values().second!!.length shouldBe 2_000_000
        block.clear()
        block.rows().toSet() shouldBe setOf(InternalRow.empty())
    }

    test("SPK-09 rows of another class, between others") {
        val values = List(200) { it.toLong() to "$it" }
        val cells = arrayOfNulls<Any?>(2) // used again, too
        val other = GenericInternalRow(cells)
        val mixed = lent(values).mapIndexed { n, row ->
            if (n % 3 != 0) return@mapIndexed row
            cells[0] = values[n].first
            cells[1] = UTF8String.fromString(values[n].second)
            other
        }
        blocks(mixed).flatten() shouldContainExactly values
    }
})
