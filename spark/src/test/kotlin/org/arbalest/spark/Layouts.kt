// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

import org.arbalest.device.Devices
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType
import org.arbalest.device.types.NestedType
import org.arbalest.device.types.Schema
import java.util.concurrent.ConcurrentHashMap

/** A source of one batch whose columns have Spark's layouts. With the option `encoded`, some have other layouts. */
class Layouts : ColumnSource {
    override fun schema(options: Map<String, String>): Schema = if (options["encoded"] == "true") ENCODED else PLAIN

    override fun partitions(request: ScanRequest): List<ColumnPartition> {
        val names = request.schema().fields().map { it.name() }
        val all = schema(request.options()) == ENCODED
        return listOf(ColumnPartition { opened(if (all) ENCODED else PLAIN, names) })
    }

    companion object {
        private val ITEM = Field.of("item", DataType.INT32)

        private val PLAIN_FIELDS = listOf(
            Field.of("id", DataType.INT64).withNullable(false),
            Field.of("text", DataType.UTF8),
            Field.of("flag", DataType.BOOL),
            Field.of("ints", NestedType.ListType(ITEM)),
            Field.of(
                "pair", NestedType.StructType(listOf(Field.of("x", DataType.FLOAT64), Field.of("y", DataType.UTF8))),
            ),
        )

        val PLAIN: Schema = Schema.of(PLAIN_FIELDS)

        val ENCODED: Schema = Schema.of(
            PLAIN_FIELDS + Field.of("unsigned", FlatType.IntType(32, false)) + Field.of("large", DataType.LARGE_UTF8) +
                Field.of(
                    "word",
                    NestedType.DictionaryType(FlatType.IntType(8, true), Field.of("values", DataType.UTF8), false),
                ),
        )

        /** Addresses of the buffers in this executor. */
        val ADDRESSES: MutableSet<Long> = ConcurrentHashMap.newKeySet()

        private fun opened(schema: Schema, names: List<String>): RecordBatchReader {
            val order = schema.fields().reversed() // another order than Spark's
            val batch = BatchBuilder.of(Devices.cpu(), ROWS).use { builder ->
                for (field in order) builder.column(field, List(ROWS) { value(field.name(), it) })
                builder.build()
            }
            val slice = batch.use { it.slice(3, ROWS - 3L) }
            for (name in names) for (buffer in 1 until slice.column(name).bufferCount()) ADDRESSES += slice.column(name)
                .bufferAddress(buffer)
            return RecordBatchReader.of(slice.schema(), listOf(slice))
        }

        private fun value(name: String, row: Int): Any? = when (name) {
            "id" -> row.toLong()
            "flag" -> if (row % 4 == 1) null else row % 3 == 0
            "ints" -> if (row % 5 == 2) null else List(row % 3) { if (it == 1) null else it.toLong() }
            "pair" -> mapOf("x" to row / 4.0, "y" to if (row % 2 == 0) null else "y$row")
            "unsigned" -> 4_000_000_000 + row
            else -> if (row % 7 == 0) null else "$name ${row % 9}"
        }

        private const val ROWS = 100
    }
}
