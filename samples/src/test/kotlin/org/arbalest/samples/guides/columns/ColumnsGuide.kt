// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.columns

import org.arbalest.coroutines.*
import org.arbalest.device.*
import org.arbalest.device.columns.Column
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import java.lang.foreign.MemorySegment

// The Kotlin of docs/guides/columns.md, except the program that it begins with.

fun orders(ids: LongArray, prices: DoubleArray, known: BooleanArray): RecordBatch = Devices.cpu().batch {
    notNull.int64("id", ids)
    float64("price", prices, isNull = { row -> !known[row] })
}

data class Trade(val price: Double, val symbol: String?)

fun expensive(trades: List<Trade>): List<Trade> = Devices.cpu().batch(trades).use { batch ->
    batch.rows<Trade>().filter { it.price > 1.75 }
}

/** Prints what the guide has in its comments. */
fun nested() {
    lists()
    maps()
    structs()
    dictionaries()
    unions()
    runEnds()
}

private fun lists() {
    val tags = listOf(listOf("a", "b"), null, listOf())
    Devices.cpu().batch(rows = 3) { list("tags") { row -> tags[row] } }.use { batch ->
        println(batch["tags"].lists()[0].strings().toList()) // [a, b]
    }
}

private fun maps() {
    val rates = listOf(mapOf("EUR" to 1.5, "USD" to 2.5), null)
    Devices.cpu().batch(rows = 2) { map("rates") { row -> rates[row] } }.use { batch ->
        println(batch["rates"].maps()[0]["USD"]) // 2.5
    }
}

private fun structs() {
    val points = listOf(1.0 to 2.0, null)
    val batch = Devices.cpu().batch(rows = 2) {
        struct("at", isNull = { row -> points[row] == null }) {
            float64("x") { row -> points[row]?.first }
            float64("y") { row -> points[row]?.second }
        }
    }
    batch.use {
        val at = it["at"].structs()
        val x = it["at"]["x"].doubles()
        println(at.indices.map { row -> if (at.isNull(row)) null else x.getOrNull(row) }) // [1.0, null]
    }
}

private fun dictionaries() {
    val cities = listOf("Rome", "Oslo", "Rome")
    Devices.cpu().batch(rows = 3) { dictionary("city", cities) }.use { batch ->
        println(batch["city"].strings().toList()) // [Rome, Oslo, Rome]
        println(batch["city"].dictionary().length()) // 2
    }
}

fun rowsPerValue(city: Column): LongArray {
    val rows = LongArray(city.dictionary().length().toInt())
    city.indices().ints().forEachValid { _, index -> rows[index]++ }
    return rows // rows[i] belongs to the value city.dictionary()[i]
}

private fun unions() {
    val answers: List<Any?> = listOf(42L, "yes", null)
    val batch = Devices.cpu().batch(rows = 3) {
        denseUnion("answer", { row -> answers[row] }) {
            on<Long> { numbers -> int64("number") { numbers[it] } }
            on<String> { texts -> utf8("text") { texts[it] } }
        }
    }
    batch.use {
        println(it["answer"].unions().toList()) // [42, yes, null]
    }
}

private fun runEnds() {
    val states = listOf("on", "on", "off")
    val batch = Devices.cpu().batch(rows = 3) {
        runEndEncoded("state", { row -> states[row] }) { runs -> utf8 { runs[it] } }
    }
    batch.use {
        println(it["state"].strings().toList()) // [on, on, off]
        println(it["state"].runs().values().length()) // 2
    }
}

fun priceColumn(prices: DoubleArray): DeviceArray {
    val buffer = Devices.cpu().memory().allocate(8L * prices.size)
    return ArrayData.of(prices.size.toLong(), 0, listOf(null, buffer)).use { data -> // null: no validity bitmap
        buffer.segment().copyFrom(MemorySegment.ofArray(prices))
        DeviceArray.of(Field.of("price", DataType.FLOAT64), data) // the array owns the buffer now
    }
}
