// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.support

import org.arbalest.device.ArrayData
import org.arbalest.device.Conversion
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.columns.Selection
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.IntType
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.NestedType.UnionType
import java.lang.foreign.MemorySegment
import kotlin.random.Random

/**
 * Checks of operations that change a batch: filters, taken rows, other columns, and other batch lengths. The values of
 * each result must be those that Kotlin's lists give for the values of the array.
 */
internal class NestedRows(private val random: Random, private val checks: Checks) {
    /** The checks of a result. */
    interface Checks {
        /** Checks that an array has the values. */
        fun same(what: String, array: DeviceArray, expected: List<Any?>)

        /** Checks that arrays that are derived from an array have its values. */
        fun derived(array: DeviceArray, expected: List<Any?>)
    }

    private val cpu = Devices.cpu()

    /** Checks one operation on the array, which is chosen at random. */
    fun run(array: DeviceArray, expected: List<Any?>) {
        when (random.nextInt(8)) {
            0, 1 -> filter(array, expected)
            2, 3 -> take(array, expected)
            4, 5, 6 -> batch(array, expected)
            else -> failures(array, expected)
        }
    }

    private fun filter(array: DeviceArray, expected: List<Any?>) {
        val flags = flags(expected.size)
        val chosen = expected.filterIndexed { i, _ -> flags[i] }
        val selection = selection(flags)
        require(selection.count() == chosen.size.toLong()) { "$selection selects ${chosen.size} rows" }
        val what = "filtered by $selection"
        array.filter(selection).use { result ->
            val isSlice = flags.lastIndexOf(true) - flags.indexOf(true) + 1 == chosen.size || chosen.isEmpty()
            result(what, array, result, isSlice, chosen)
        }
    }

    private fun take(array: DeviceArray, expected: List<Any?>) {
        val hasNulls = random.nextBoolean()
        val indices = indices(expected.size, hasNulls)
        if (null in indices && !canTakeNull(array.field())) {
            val e = failure("a null index", IllegalArgumentException::class.java) { taken(array, indices) }
            require("cannot take a null row: index ${indices.indexOf(null)} is null" in e.message!!) { "$e" }
            return
        }
        val rows = indices.map { if (it == null) ofNull(array.field()) else expected[it] }
        val isSlice = indices.zipWithNext().all { (one, next) -> one != null && next == one + 1 } && null !in indices
        taken(array, indices).use { result("rows $indices", array, it, isSlice, rows) }
    }

    private fun result(
        what: String,
        array: DeviceArray,
        result: DeviceArray,
        isSlice: Boolean,
        expected: List<Any?>,
    ) {
        require(result.field() == array.field()) { "$what: has the field ${result.field()}, not ${array.field()}" }
        if (isSlice) require(Conversion.of(result) == Conversion.of(array)) { "$what: is no slice" }
        checks.same(what, result, expected)
        when (random.nextInt(4)) {
            0 -> checks.derived(result, expected)
            1 -> run(result, expected)
            2 -> DeviceArray.concat(listOf(result, result)).use {
                checks.same("$what, joined", it, expected + expected)
            }
            else -> Unit
        }
    }

    /** Returns the rows at some indices, by one of the three methods. */
    private fun taken(array: DeviceArray, indices: List<Int?>): DeviceArray = when {
        null in indices || random.nextInt(3) == 0 -> column(indices).use { array.take(it.asColumn()) }
        random.nextBoolean() -> array.take(*IntArray(indices.size) { indices[it]!! })
        else -> array.take(*LongArray(indices.size) { indices[it]!!.toLong() })
    }

    /** Returns a column of indices of any integer type, which may be encoded and a slice. */
    private fun column(indices: List<Int?>): DeviceArray {
        val most = indices.maxOfOrNull { it ?: 0 } ?: 0
        val bits = listOf(8, 16, 32, 64).filter { most < 1L shl it - 1 }.random(random)
        val plain = IntType(bits, random.nextBoolean())
        val type: DataType = when (random.nextInt(6)) {
            0 -> DictionaryType(IntType(16, true), Field.of("", plain), false)
            1 -> RunEndEncodedType(Field.of("r", DataType.INT32).withNullable(false), Field.of("v", plain))
            else -> plain
        }
        val skipped = random.nextInt(3)
        return built(Field.of("at", type), List(skipped) { 1L } + indices.map { it?.toLong() }).use {
            it.slice(skipped.toLong(), indices.size.toLong())
        }
    }

    private fun built(field: Field, values: List<Any?>): DeviceArray = BatchBuilder.of(cpu, values.size).use {
        ValueAppender(random).appendAll(it.column(field), field, values)
        it.build().use { batch -> batch.retainChild(0) }
    }

    private fun indices(length: Int, hasNulls: Boolean): List<Int?> {
        fun some(count: Int) = if (length == 0) listOf() else List(count) { random.nextInt(length) }
        val all = (0 until length).toList()
        val chosen = when (random.nextInt(6)) {
            0 -> some(random.nextInt(3))
            1 -> all.reversed()
            2 -> all.slice(range(length))
            3 -> some(1).flatMap { row -> List(random.nextInt(70)) { row } }
            4 -> all + all
            else -> some(random.nextInt(100))
        }
        return if (hasNulls) (chosen + listOf(null)).map { it.takeIf { random.nextInt(4) > 0 } } else chosen
    }

    private fun range(length: Int): IntRange =
        random.nextInt(length + 1).let { it until random.nextInt(it, length + 1) }

    private fun flags(length: Int): List<Boolean> {
        val range = range(length)
        val rest = random.nextInt(2, 20)
        return when (random.nextInt(8)) {
            0 -> List(length) { false }
            1 -> List(length) { true }
            2 -> List(length) { it in range }
            3 -> List(length) { it !in range }
            4 -> List(length) { random.nextInt(rest) == 0 }
            5 -> List(length) { random.nextInt(rest) > 0 }
            6 -> List(length) { it % 64 in listOf(0, 63) }
            else -> List(length) { random.nextBoolean() }
        }
    }

    /** Returns a selection of some rows, which is made in one of several ways. */
    private fun selection(flags: List<Boolean>): Selection {
        val length = flags.size
        return when (random.nextInt(7)) {
            0 -> bitmap(flags)
            1 -> built(Field.of("b", DataType.BOOL), flags.map { flag -> flag.takeIf { it || random.nextBoolean() } })
                .use {
                    val column = it.asColumn()
                    if (random.nextBoolean()) Selection.of(column.asBooleans()) else Selection.of(column)
                }
            2 -> built(Field.of("l", DataType.INT64), flags.map { if (it) 7L else listOf(null, 5L).random(random) })
                .use { Selection.where(it.asColumn().asLongs()) { value -> value == 7L } }
            3 -> selection(flags.map { !it }).not()
            4 -> selection(flags).and(selection(flags.map { it || random.nextBoolean() }))
            5 -> selection(flags).or(selection(flags.map { it && random.nextBoolean() }))
            else -> Selection.where(length.toLong()) { flags[it.toInt()] }
        }
    }

    private fun bitmap(flags: List<Boolean>): Selection {
        val first = random.nextInt(12)
        val bytes = random.nextBytes((first + flags.size) / 8 + 1)
        val bits = RawArray.bytes(*bytes)
        flags.forEachIndexed { i, flag -> bits.setBit(first + i, flag) }
        return Selection.ofBitmap(MemorySegment.ofArray(bits.array()), first.toLong(), flags.size.toLong())
    }

    /** Checks a batch of columns that are slices of the array, one of them from other rows. */
    private fun batch(array: DeviceArray, expected: List<Any?>) {
        var (from, count) = range(expected.size).let { it.first to it.count() }
        val (other, last) = List(2) { random.nextInt(expected.size - count + 1) }
        val columns = listOf(from, other, last).map { expected.subList(it, it + count) }
        val slices = listOf(from, other, last).map { array.slice(it.toLong(), count.toLong()) }
        val names = mutableListOf("a", "b", "c").shuffled(random).toMutableList()
        val values = names.zip(columns).toMap().toMutableMap()
        var batch = RecordBatch.ofColumns(names, slices)
        slices.forEach(DeviceArray::close)
        var nulls = BooleanArray(count)
        fun rows() = List(count) { row -> if (nulls[row]) null else names.associateWith { values.getValue(it)[row] } }
        fun becomes(what: String, next: (RecordBatch) -> RecordBatch) {
            batch = batch.use(next)
            checks.same(what, batch, rows())
        }
        try {
            checks.same("a batch of columns", batch, rows())
            repeat(random.nextInt(1, 5)) {
                when (random.nextInt(if (names.isEmpty()) 2 else 7)) {
                    0 -> {
                        val name = if (random.nextBoolean()) "d$it" else names.randomOrNull(random) ?: "e$it"
                        val start = random.nextInt(expected.size - count + 1)
                        values[name] = expected.subList(start, start + count)
                        if (name !in names) names += name
                        becomes("with column $name from $start on") { whole ->
                            array.slice(start.toLong(), count.toLong()).use { whole.withColumn(name, it) }
                        }
                    }
                    1 -> if (!nulls.contains(true)) {
                        nulls.indices.forEach { row -> nulls[row] = random.nextInt(4) == 0 }
                        becomes("with null rows") { withNulls(it, nulls) ?: it.retain().also { nulls.fill(false) } }
                    }
                    2 -> {
                        val kept = names.filter { random.nextBoolean() }.shuffled(random)
                        val indices = kept.map(names::indexOf).toIntArray()
                        names.clear()
                        names += kept
                        becomes("with columns $kept") {
                            if (random.nextBoolean()) it.select(*indices) else it.select(*kept.toTypedArray())
                        }
                    }
                    3 -> {
                        val dropped = names.filter { random.nextInt(3) == 0 }
                        names -= dropped.toSet()
                        becomes("without $dropped") { it.drop(*dropped.toTypedArray()) }
                    }
                    4 -> {
                        val at = random.nextInt(names.size)
                        val old = names[at]
                        names[at] = "n$it"
                        values["n$it"] = values.getValue(old)
                        becomes("with n$it instead of $old") { whole -> whole.rename(old, "n$it") }
                    }
                    else -> {
                        val range = range(count)
                        values.replaceAll { _, all -> all.slice(range) }
                        nulls = nulls.sliceArray(range)
                        count = range.count()
                        becomes("a slice of a batch") { it.slice(range.first.toLong(), count.toLong()) }
                    }
                }
            }
            later(batch, rows())
        } finally {
            batch.close()
        }
    }

    /** Checks further operations on a batch. */
    private fun later(batch: RecordBatch, rows: List<Any?>) = when (random.nextInt(5)) {
        0 -> checks.derived(batch, rows)
        1 -> filter(batch, rows)
        2 -> take(batch, rows)
        else -> streamed(batch, rows)
    }

    /** Returns the batch with null rows of its own, or null if text has no data buffer, which makes it unreadable. */
    private fun withNulls(batch: RecordBatch, nulls: BooleanArray): RecordBatch? {
        val all = ArrayData.of(batch)
        all.buffers().forEach { it?.close() }
        val skipped = all.offset().toInt()
        val bits = cpu.allocate((skipped + nulls.size + 7) / 8L)
        val bitmap = bits.segment().fill(-1).asByteBuffer()
        nulls.forEachIndexed { i, isNull -> bitmap.setBit(skipped + i, !isNull) }
        val count = if (random.nextBoolean()) -1L else nulls.count { it }.toLong()
        val data = ArrayData(batch.length(), count, all.offset(), listOf(bits), all.children(), null)
        return try {
            DeviceArray.of(batch.field().withNullable(true), data).asRecordBatch()
        } catch (e: DeviceException) {
            data.close()
            if ("is beyond the 0 bytes of data" in e.message!!) null else throw e
        }
    }

    /** Checks the rows of several batches in a stream that is filtered and has other lengths. */
    private fun streamed(batch: RecordBatch, rows: List<Any?>) {
        val cuts = (List(random.nextInt(5)) { random.nextInt(rows.size + 1) } + listOf(0, rows.size)).sorted()
        val flags = flags(rows.size)
        val size = listOf(1, 2, 3, 7, 64, 1000).random(random)
        fun reader() = RecordBatchReader.of(
            batch.schema(), cuts.zipWithNext { from, to -> batch.slice(from.toLong(), to.toLong() - from) },
        )
        var row = 0
        fun select(part: RecordBatch): Selection =
            selection(flags.subList(row, row + part.length().toInt())).also { row += part.length().toInt() }
        reader().filter(::select).rebatch(size.toLong()).use {
            pulled("filtered and rebatched by $size", it, rows.filterIndexed { i, _ -> flags[i] }.chunked(size))
        }
        reader().rebatch(size.toLong()).use { pulled("rebatched by $size", it, rows.chunked(size)) }
        row = 0
        val stop = random.nextInt(cuts.size)
        var calls = 0
        reader().filter { if (calls++ == stop) error("stop") else select(it) }.rebatch(size.toLong()).use {
            try {
                while (true) (it.next() ?: break).close()
            } catch (e: DeviceException) {
                require("stop" in e.message!!) { "$e" }
            }
        }
        reader().rebatch(size.toLong()).use { it.next()?.close() }
    }

    private fun pulled(what: String, reader: RecordBatchReader, batches: List<List<Any?>>) {
        for (rows in batches) requireNotNull(reader.next()) { "$what: ends too early" }
            .use { checks.same(what, it, rows) }
        require(reader.next() == null) { "$what: has more than ${batches.size} batches" }
    }

    /** Checks that an operation that fails in the middle throws its error. [NestedCheck] then checks the resources. */
    private fun failures(array: DeviceArray, expected: List<Any?>) {
        val length = array.length()
        failure("a predicate", IllegalStateException::class.java) {
            array.filter(Selection.where(length + 1) { if (it == length) error("stop") else true })
        }
        failure("a longer selection", IllegalArgumentException::class.java) {
            array.filter(Selection.where(length + 1) { true })
        }
        val beyond = listOf(length, -1L, Long.MIN_VALUE, Int.MAX_VALUE.toLong()).random(random)
        val at = expected.indices.map { it.toLong() } + beyond
        failure("an index", IndexOutOfBoundsException::class.java) { array.take(*at.toLongArray()) }
        failure("an index of a column", IndexOutOfBoundsException::class.java) {
            column(expected.indices + expected.size).use { array.take(it.asColumn()) }
        }
        failure("a longer column", IllegalArgumentException::class.java) {
            built(Field.of("l", DataType.INT64), List(expected.size + 1) { 1L }).use {
                RecordBatch.ofColumns(listOf("a", "b"), listOf(array, it))
            }
        }
        RecordBatch.ofColumns(listOf("a"), listOf(array)).use { batch ->
            failure("a longer column", IllegalArgumentException::class.java) {
                built(Field.of("l", DataType.INT64), List(expected.size + 1) { 1L }).use { batch.withColumn("b", it) }
            }
            failure("a missing column", IllegalArgumentException::class.java) { batch.select("a", "b") }
        }
        checks.same("after failures", array, expected)
    }

    private fun <E : Exception> failure(what: String, kind: Class<E>, action: () -> DeviceArray): E {
        try {
            action().close()
        } catch (e: RuntimeException) {
            if (kind.isInstance(e)) return kind.cast(e)
            throw AssertionError("$what: throws $e, not ${kind.simpleName}", e)
        }
        throw AssertionError("$what: throws nothing")
    }

    private fun require(condition: Boolean, message: () -> String) {
        if (!condition) throw AssertionError(message())
    }

    /** Returns whether null indices of an array of this field are null rows. */
    private fun canTakeNull(field: Field): Boolean =
        if (isBatch(field)) field.type().children().all(::canBeNull) else canBeNull(field)

    private fun isBatch(field: Field) = field.type() is StructType && !field.isNullable

    private fun canBeNull(field: Field): Boolean = field.isNullable && when (val type = field.type()) {
        is UnionType -> type.children().any(::canBeNull)
        is RunEndEncodedType -> canBeNull(type.values())
        else -> true
    }

    /** Returns the value of a null index. */
    private fun ofNull(field: Field): Any? =
        if (isBatch(field)) field.type().children().associate { it.name() to nullOf(it) } else nullOf(field)

    private fun nullOf(field: Field): Any? = when (val type = field.type()) {
        is UnionType -> type.children().indexOfFirst(::canBeNull).let { Tagged(it, nullOf(type.children()[it])) }
        is RunEndEncodedType -> nullOf(type.values())
        else -> null
    }
}
