// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.DataTypes
import org.apache.spark.sql.types.Metadata
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String
import org.arbalest.device.Devices
import org.arbalest.support.ChildJvm
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import kotlin.random.Random

/** Batches of rows that Spark passes one by one, in an object that it reuses. */
class InternalRowWriterSpec : FunSpec({
    val type = StructType().add("n", DataTypes.LongType).add("s", DataTypes.StringType).add("d", DataTypes.DoubleType)
        .add("i", DataTypes.IntegerType)
        .add("f", DataTypes.FloatType).add("h", DataTypes.ShortType).add("y", DataTypes.ByteType)
        .add("b", DataTypes.BooleanType)

    extension(ResourceCountersExtension)

    /** Returns a row with Spark's values, except for its text. */
    fun row(n: Int): List<Any?> {
        val values = listOf(n.toLong(), "$n", n / 2.0, -n, n / 4f, n.toShort(), n.toByte(), n % 2 == 0)
        return values.mapIndexed { i, value -> value.takeIf { n % (i + 3) != 0 } }
    }

    fun cells(n: Int): Array<Any?> = row(n).map { if (it is String) UTF8String.fromString(it) else it }.toTypedArray()

    /** Returns a row with the values that Arrow columns have. */
    fun value(n: Int): List<Any?> = row(n).map {
        if (it is Float) it.toDouble() else if (it is Number && it !is Double) it.toLong() else it
    }

    /** Returns rows in one reused object, as Spark's operators do. */
    fun unsafe(rows: Int): Sequence<InternalRow> {
        val projection = UnsafeProjection.create(type)
        return (0 until rows).asSequence().map { projection.apply(GenericInternalRow(cells(it))) }
    }

    fun batches(
        rows: Sequence<InternalRow>,
        mostRows: Int = Int.MAX_VALUE,
        mostBytes: Long = Long.MAX_VALUE,
    ): List<List<List<Any?>>> {
        val writer = InternalRowWriter(type, mostBytes, Devices.cpu().memory())
        val from = rows.iterator()
        return generateSequence { if (from.hasNext()) writer.next(from, mostRows) else null }.map { batch ->
            batch.use { b ->
                val columns = b.schema().fields().indices.map { b.column(it).toList() }
                List(b.length().toInt()) { row -> columns.map { it[row] } }
            }
        }.toList()
    }

    for (rows in listOf(1, 1023, 1024, 1025, 5000)) {
        test("$rows rows keep their nulls and their order, and each batch has at most the requested rows [SPK-09]") {
            batches(unsafe(rows)).single() shouldContainExactly List(rows) { value(it) }
            val parts = batches(unsafe(rows), 1500)
            parts.map { it.size } shouldBe List(rows / 1500) { 1500 } + listOf(rows % 1500).filter { it > 0 }
            parts.flatten() shouldContainExactly List(rows) { value(it) }
        }
    }

    for (last in listOf(1, 1023, 1024, 1025)) {
        test("a batch ends with the row that reaches its byte limit, the ${last}th [SPK-09]") {
            val sizes = unsafe(3000).map { (it as UnsafeRow).sizeInBytes.toLong() }.toList()
            val parts = batches(unsafe(3000), mostBytes = sizes.take(last).sum())
            parts.first().size shouldBe last
            parts.flatten() shouldContainExactly List(3000) { value(it) }
        }
    }

    test("rows of another class and off-heap rows, each in a reused object, mix with other rows [SPK-09]") {
        val row = arrayOfNulls<Any?>(type.size())
        val generic = GenericInternalRow(row)
        Arena.ofConfined().use { arena ->
            val memory = arena.allocate(256, 8)
            val there = UnsafeRow(type.size())
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

    test("a row that throws leaves nothing open, and the next batch contains none of the earlier rows [SPK-09]") {
        val writer = InternalRowWriter(type, Long.MAX_VALUE, Devices.cpu().memory())
        val broken = unsafe(100).mapIndexed { n, row -> if (n == 50) error("the join broke") else row }.iterator()
        runCatching { writer.next(broken, 100) }.exceptionOrNull()?.message shouldBe "the join broke"
        writer.next(unsafe(3).drop(1).iterator(), 100).use {
            it.column("n").toList() shouldBe listOf(1L, 2L)
            // the failed batch had gathered its text without flushing it
            it.column("s").toList() shouldBe listOf("1", "2")
        }
    }

    test("text of any size in two columns keeps its order, with split characters, on the heap and off it [SPK-09]") {
        val sizes = listOf(0, 1, 7, 8, 9, 63, 64, 65, 1000, 65_535, 65_536, 65_537, 200_000)
        val random = Random(1)
        fun text(n: Int): ByteArray? {
            if (n % 11 == 0) return null
            val size = if (random.nextInt(100) == 0) sizes.random(random) else sizes[random.nextInt(8)]
            // two such bytes form é
            if (n % 97 < 2) return byteArrayOf(if (n % 97 == 0) 0xC3.toByte() else 0xA9.toByte())
            return ByteArray(size) { 'a'.code.plus(random.nextInt(26)).toByte() }.also {
                if (random.nextInt(300) == 0 && size > 0) it[size - 1] = -1
            }
        }
        val texts = List(4000) { listOf(text(it), text(it + 5)) }
        val ofText = StructType().add("s", DataTypes.StringType).add("t", DataTypes.StringType)
        val projection = UnsafeProjection.create(ofText)
        Arena.ofConfined().use { arena ->
            val memory = arena.allocate(500_000, 8)
            val there = UnsafeRow(2)
            val rows = texts.asSequence().mapIndexed { n, row ->
                val unsafe = projection.apply(
                    GenericInternalRow(row.map { it?.let(UTF8String::fromBytes) }.toTypedArray<Any?>()),
                )
                if (n % 2 == 0) unsafe as InternalRow else there.also {
                    MemorySegment.copy(unsafe.bytes, 0, memory, JAVA_BYTE, 0, unsafe.sizeInBytes)
                    it.pointTo(null, memory.address(), unsafe.sizeInBytes)
                }
            }
            InternalRowWriter(ofText, Long.MAX_VALUE, Devices.cpu().memory()).next(rows.iterator(), Int.MAX_VALUE)
                .use { batch ->
                    for (column in 0..1)
                        (batch.column(column).toList() == texts.map { it[column]?.decodeToString() }) shouldBe true
                }
        }
    }

    test("a thousand text columns need little heap [SPK-09]") {
        val child = ChildJvm.run(ManyTexts::class, options = listOf("-Xmx48m"))
        withClue(child.output) { child.output shouldContain "last: text 999" }
    }
})

/** A program that makes a thousand text columns. */
internal object ManyTexts {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val type = StructType(Array(1000) { StructField("s$it", DataTypes.StringType, true, Metadata.empty()) })
        val row: InternalRow = GenericInternalRow(Array<Any?>(1000) { UTF8String.fromString("text $it") })
        InternalRowWriter(type, Long.MAX_VALUE, Devices.cpu().memory()).next(listOf(row).iterator(), 1).use {
            println("last: ${it.column(999).getString(0)}")
        }
    }
}
