// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.arrowcpp

import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.Schema

/** Batches whose values identify the batch. */
internal object Numbered {
    const val ROWS = 7

    private val types: Map<String, DataType> = mapOf(
        "id" to DataType.INT64,
        "text" to DataType.UTF8,
        "flag" to DataType.BOOL,
        "pair" to StructType(listOf(Field.of("x", DataType.FLOAT64), Field.of("word", DataType.UTF8))),
        "list" to ListType(Field.of("item", DataType.INT32)),
        "kind" to DataType.dictionary(DataType.INT16, DataType.UTF8),
    )

    val schema: Schema = Schema.of(types.map { (name, type) -> Field.of(name, type) })

    /** Returns the batch of a number; every fourth row is null, except its id. */
    fun batch(number: Int): RecordBatch = BatchBuilder.of(Devices.cpu(), ROWS).use { batch ->
        val columns = schema.fields().associate { it.name() to batch.column(it) }
        for (row in number * ROWS until (number + 1) * ROWS) {
            columns.getValue("id").append(row.toLong())
            columns.getValue("pair").child("x").append(row / 2.0)
            columns.getValue("pair").child("word").append("word $row")
            if (row % 4 == 3) {
                columns.values.drop(1).forEach { it.appendNull() }
            } else {
                columns.getValue("text").append("row ".repeat(row % 3) + row)
                columns.getValue("flag").append(row % 3 == 0)
                columns.getValue("pair").appendStruct()
                columns.getValue("list").let { list ->
                    list.appendList(row % 3)
                    repeat(row % 3) { list.items().append(row.toLong() + it) }
                }
                columns.getValue("kind").append("kind ${row % 5}")
            }
        }
        batch.build()
    }

    /** Returns the rows of an array as values that compare by content. */
    fun rows(array: RecordBatch): List<Any?> = (0 until array.length()).map { array.asColumn().get(it) }

    /** Returns the expected [rows] of the batch of a number. */
    fun rows(number: Int): List<Any?> = batch(number).use(::rows)
}
