// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.string.shouldContain
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.DataTypes
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.arbalest.device.Devices
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType
import org.arbalest.device.types.Schema
import org.arbalest.spark.internal.vector.SparkTypes
import org.arbalest.spark.internal.vector.Vectors
import org.arbalest.support.ChildJvm
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.MemorySegment

class BatchWriterSpec : FunSpec({
    extension(ResourceCountersExtension)

    fun copied(type: StructType, vector: ColumnVector, rows: Int): List<Any?> =
        BatchWriter(type, Devices.cpu().memory()).copy(ColumnarBatch(arrayOf(vector), rows))
            .use { it.column(0).toList() }

    for (rows in listOf(0, 1, 8191, 8192, 8193, 20_000)) {
        val values = List(rows) { if (it % 8192 in 1..3) null else it.toLong() }

        fun test(
            type: DataType,
            put: OnHeapColumnVector.(Int, Long) -> Unit,
            read: (Long) -> Number,
        ) = test("BatchWriter copies $rows values of type ${type.sql()} of Spark's vectors, with nulls [SPK-09]") {
            val vector = OnHeapColumnVector(20_000, type)
            values.forEachIndexed { row, value -> if (value == null) vector.putNull(row) else vector.put(row, value) }
            copied(StructType().add("n", type), vector, rows) shouldContainExactly values.map { it?.let(read) }
            vector.close()
        }
        test(DataTypes.IntegerType, { row, value -> putInt(row, value.toInt()) }) { it }
        test(DataTypes.LongType, { row, value -> putLong(row, value) }) { it }
        test(DataTypes.FloatType, { row, value -> putFloat(row, value / 4f) }) { it / 4.0 }
        test(DataTypes.DoubleType, { row, value -> putDouble(row, value / 4.0) }) { it / 4.0 }
        test(DataTypes.DateType, { row, value -> putInt(row, value.toInt()) }) { it }

        test("BatchWriter copies $rows numbers of a source in another layout [SPK-09]") {
            val schema = Schema.of(Field.of("n", FlatType.IntType(32, false)))
            val type = SparkTypes.of(schema, false)
            val vectors = Vectors.of(schema.fields(), type, false)
            BatchBuilder.of(Devices.cpu(), rows).use { it.column(schema.fields()[0], values).build() }.use { array ->
                vectors[0].show(array.column(0))
                copied(type, vectors[0], rows) shouldContainExactly values
            }
        }
    }

    test("a source's batch of 10 million rows is copied with a heap of 64 MB [SPK-09]") {
        val child = ChildJvm.run(LargeBatch::class, options = listOf("-Xmx64m"))
        withClue(child.output) { child.output shouldContain "last: ${LargeBatch.ROWS - 1}" }
    }
})

/** A program that copies a column whose layout differs from Spark's, and whose values do not fit in the heap. */
internal object LargeBatch {
    const val ROWS = 10_000_000
    private const val MANY = 100_000

    @JvmStatic
    fun main(arguments: Array<String>) {
        val schema = Schema.of(Field.of("n", FlatType.IntType(32, false)))
        val type = SparkTypes.of(schema, false)
        val vectors = Vectors.of(schema.fields(), type, false)
        val batch = BatchBuilder.of(Devices.cpu(), ROWS).use { builder ->
            val column = builder.column(schema.fields()[0])
            for (first in 0 until ROWS step MANY) column.appendAll(MemorySegment.ofArray(IntArray(MANY) { first + it }))
            builder.build()
        }
        batch.use { array ->
            vectors[0].show(array.column(0))
            BatchWriter(type, Devices.cpu().memory()).copy(ColumnarBatch(arrayOf(vectors[0]), ROWS)).use {
                println("last: ${it.column(0).getLong(ROWS - 1L)}")
            }
        }
    }
}
