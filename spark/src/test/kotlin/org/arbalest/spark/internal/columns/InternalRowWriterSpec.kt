// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.DataTypes
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String
import org.arbalest.device.Devices
import org.arbalest.testkit.LedgerExtension
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE

/** Batches of rows that Spark lends one by one, in an object that it uses again. */
class InternalRowWriterSpec : FunSpec({
    val type = StructType().add("n", DataTypes.LongType).add("s", DataTypes.StringType).add("d", DataTypes.DoubleType)

    extension(LedgerExtension)

    fun value(n: Int): List<Any?> = listOf(n.toLong().takeIf { n % 3 != 0 }, "$n".takeIf { n % 7 != 0 }, (n / 2.0).takeIf { n % 5 != 0 })

    fun cells(n: Int): Array<Any?> = value(n).let { arrayOf(it[0], (it[1] as String?)?.let(UTF8String::fromString), it[2]) }

    /** Of one object, as Spark's operators lend them. */
    fun unsafe(rows: Int): Sequence<InternalRow> {
        val projection = UnsafeProjection.create(type)
        return (0 until rows).asSequence().map { projection.apply(GenericInternalRow(cells(it))) }
    }

    fun batches(rows: Sequence<InternalRow>, mostRows: Int = Int.MAX_VALUE, mostBytes: Long = Long.MAX_VALUE): List<List<List<Any?>>> {
        val writer = InternalRowWriter(type, mostBytes, Devices.cpu().memory())
        val from = rows.iterator()
        return generateSequence { if (from.hasNext()) writer.next(from, mostRows) else null }.map { batch ->
            batch.use { b ->
                val columns = listOf("n", "s", "d").map { b.column(it).toList() }
                List(b.length().toInt()) { row -> columns.map { it[row] } }
            }
        }.toList()
    }

    for (rows in listOf(1, 1023, 1024, 1025, 5000)) {
        test("SPK-09 $rows rows with nulls, in their order, and not more in a batch than are asked for") {
            batches(unsafe(rows)).single() shouldContainExactly List(rows) { value(it) }
            val parts = batches(unsafe(rows), 1500)
            parts.map { it.size } shouldBe List(rows / 1500) { 1500 } + listOf(rows % 1500).filter { it > 0 }
            parts.flatten() shouldContainExactly List(rows) { value(it) }
        }
    }

    for (last in listOf(1, 1023, 1024, 1025)) {
        test("SPK-09 a batch ends with the row with which it has its bytes, the ${last}th") {
            val sizes = unsafe(3000).map { (it as UnsafeRow).sizeInBytes.toLong() }.toList()
            val parts = batches(unsafe(3000), mostBytes = sizes.take(last).sum())
            parts.first().size shouldBe last
            parts.flatten() shouldContainExactly List(3000) { value(it) }
        }
    }

    test("SPK-09 rows of another class, of one object too, and of memory off the heap, between others") {
        val row = arrayOfNulls<Any?>(3)
        val generic = GenericInternalRow(row)
        Arena.ofConfined().use { arena ->
            val memory = arena.allocate(256, 8)
            val there = UnsafeRow(3)
            val mixed = unsafe(3000).mapIndexed { n, unsafe ->
                when (n % 3) {
                    0 -> unsafe
                    1 -> generic.also { cells(n).copyInto(row) }
                    else -> there.also {
                        val bytes = (unsafe as UnsafeRow).bytes
                        MemorySegment.copy(bytes, 0, memory.fill(-1), JAVA_BYTE, 0, bytes.size)
                        it.pointTo(null, memory.address(), bytes.size)
                    }
                }
            }
            batches(mixed).single() shouldContainExactly List(3000) { value(it) }
        }
    }

    test("SPK-09 a row that cannot be had half way leaves nothing, and nothing of it comes into the next batch") {
        val writer = InternalRowWriter(type, Long.MAX_VALUE, Devices.cpu().memory())
        val broken = unsafe(100).mapIndexed { n, row -> if (n == 50) error("the join broke") else row }.iterator()
        runCatching { writer.next(broken, 100) }.exceptionOrNull()?.message shouldBe "the join broke"
        writer.next(unsafe(3).drop(1).iterator(), 100).use { it.column("n").toList() shouldBe listOf(1L, 2L) }
    }
})
