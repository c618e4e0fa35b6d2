// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.support

import io.kotest.property.Arb
import io.kotest.property.Shrinker
import io.kotest.property.arbitrary.arbitrary
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.Validation
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.columns.Column
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.NestedType.UnionType
import org.arbalest.device.types.Schema
import org.arbalest.support.StructKind
import java.lang.foreign.Arena
import kotlin.random.Random
import kotlin.time.Duration.Companion.seconds
import kotlin.time.TimeSource

/** An array, and the seed of the operations on it. */
internal class NestedCase(val seed: Long, val raw: RawArray) {
    /** Creates the case of a seed. */
    constructor(seed: Long) : this(seed,
        Random(seed).let { SoundArrays(it).array(levels = 4, most = if (it.nextInt(8) == 0) 150 else 12) })

    fun smaller(): List<NestedCase> = SoundShrinker.smaller(raw).map { NestedCase(seed, it) }

    override fun toString() =
        "-D$CASE=$seed, ${raw.field}, ${raw.length} rows from ${raw.offset} on: ${RawValues.of(raw)}"

    companion object {
        /** The property that selects a single case. */
        const val CASE = "arbalest.nested.case"

        /** Returns cases of random seeds, or the case of one seed. A case that fails is shrunk. */
        fun any(seed: Long? = null): Arb<NestedCase> = arbitrary(Shrinker(NestedCase::smaller)) {
            NestedCase(seed ?: it.random.nextLong())
        }
    }
}

/**
 * A check of all operations on one array. Each result must have the values that the array's bytes have. A difference
 * throws an [AssertionError] that names the operation.
 *
 * @param rowChecks the number of operations of [NestedRows], which are chosen at random
 */
internal class NestedCheck(
    private val case: NestedCase,
    private val parts: (Column) -> List<Any?> = PartValues::read,
    private val rowChecks: Int = 4,
) {
    private val random = Random(case.seed)
    private val field = case.raw.field
    private val values = RawValues.of(case.raw)
    private val cpu = Devices.cpu()
    private val device = Devices.device(DeviceType.EXT_DEV, 0)

    /** The successful operations, of those that not every array supports. */
    val done = mutableSetOf<String>()

    fun run() {
        val before = ResourceCounters.now()
        Arena.ofConfined().use { arena ->
            CData.importArray(case.raw.laid(arena), CImport.DATA.schema(field).validation(Validation.FULL))
                .use(::operations)
        }
        val left = left(before)
        if (!left.isZero) throw AssertionError("the case left resources: $left")
    }

    /** Waits for the resources that another thread still releases after a device's work, and returns the rest. */
    private fun left(before: ResourceCounters): ResourceCounters {
        val start = TimeSource.Monotonic.markNow()
        var spins = 0
        var left = ResourceCounters.now().since(before)
        while (!left.isZero && start.elapsedNow() < 5.seconds) {
            spinOrSleep(++spins)
            left = ResourceCounters.now().since(before)
        }
        return left
    }

    private fun operations(source: DeviceArray) {
        same("imported", source, values)
        val (from, count) = range(source.length())
        val expected = values.subList(from.toInt(), (from + count).toInt())
        source.slice(from, count).use { cut ->
            same("a slice", cut, expected)
            children(cut, from)
            derived(cut, expected)
            joined(source, cut, expected)
            struct(source, cut, expected)
            built(expected)?.use { array ->
                done += "built"
                same("built", array, expected, cut)
                derived(array, expected)
                DeviceArray.concat(listOf(array, source)).use {
                    same("built, then joined with the imported array", it, expected + values)
                }
            }
            nulled(expected)
            streamed(cut, expected)
            if (random.nextInt(8) == 0) onDevice(cut, expected)
            objects(cut, expected)
            rows(source, cut, expected)
        }
    }

    private fun range(length: Long): Pair<Long, Long> = random.nextLong(length + 1).let {
        it to random.nextLong(length - it + 1)
    }

    /** Checks each operation that derives another array from one. */
    private fun derived(array: DeviceArray, expected: List<Any?>) {
        array.validate(Validation.FULL)
        array.toString(3)
        val (from, count) = range(array.length())
        array.slice(from, count).use {
            same("a slice again", it, expected.subList(from.toInt(), (from + count).toInt()))
        }
        array.copyTo(cpu).use { same("copied", it, expected, array) }
        array.compact().use {
            same("compact", it, expected, array)
            it.slice(from, count).use { cut ->
                same("a slice of the compact array", cut, expected.subList(from.toInt(), (from + count).toInt()))
            }
        }
        made(array.field(), ArrayData.of(array))?.use { same("from its buffers", it, expected, array) }
        converted(array, expected)
        exported(array, expected)
    }

    /** Checks changes of the columns and rows of whole arrays and slices. */
    private fun rows(source: DeviceArray, cut: DeviceArray, expected: List<Any?>) {
        val rows = NestedRows(Random(case.seed + 1), object : NestedRows.Checks {
            override fun same(what: String, array: DeviceArray, expected: List<Any?>) =
                this@NestedCheck.same(what, array, expected)

            override fun derived(array: DeviceArray, expected: List<Any?>) = this@NestedCheck.derived(array, expected)
        })
        repeat(rowChecks) { if (it % 2 == 0) rows.run(cut, expected) else rows.run(source, values) }
    }

    /** Checks the fields of a struct, which have values under its nulls, too. */
    private fun children(cut: DeviceArray, from: Long) {
        val type = field.type()
        if (type !is StructType) return
        case.raw.children.forEachIndexed { i, child ->
            val first = child.offset + case.raw.offset + from.toInt()
            cut.retainChild(i).use {
                same("child $i", it, (first until first + cut.length().toInt()).map { at -> RawValues.at(child, at) })
            }
        }
    }

    private fun joined(source: DeviceArray, cut: DeviceArray, expected: List<Any?>) {
        val (from, count) = range(source.length())
        source.slice(from, count).use { other ->
            DeviceArray.concat(listOf(other, cut, source)).use {
                same("joined", it, values.subList(from.toInt(), (from + count).toInt()) + expected + values)
            }
        }
        DeviceArray.concat(listOf(cut)).use { same("joined alone", it, expected, cut) }
    }

    /** Checks a struct of slices that begin at different elements. */
    private fun struct(source: DeviceArray, cut: DeviceArray, expected: List<Any?>) {
        val from = random.nextLong(source.length() - cut.length() + 1)
        val others = values.subList(from.toInt(), from.toInt() + expected.size)
        val type = StructType(listOf(field.withName("one"), field.withName("other")))
        val data = source.slice(from, cut.length()).use { other ->
            ArrayData.of(cut.length(), 0, listOf(null), listOf(ArrayData.of(cut), ArrayData.of(other)))
        }
        made(Field.of("a", type), data)?.use { whole ->
            val (first, count) = range(whole.length())
            whole.slice(first, count).use { part ->
                val pairs = (first.toInt() until (first + count).toInt()).map {
                    mapOf("one" to expected[it], "other" to others[it])
                }
                same("a struct of slices", part, pairs)
                part.compact().use { same("a struct of slices, compact", it, pairs, part) }
                part.copyTo(cpu).use { same("a struct of slices, copied", it, pairs, part) }
                DeviceArray.concat(listOf(part, part)).use { same("a struct of slices, twice", it, pairs + pairs) }
                part.retainChild(1).use {
                    same("a struct's child that is a slice", it, pairs.map { pair -> pair["other"] })
                }
            }
        }
    }

    /**
     * Returns the array, or null if text or binary data is missing. Data may be missing if all rows are empty, but the
     * library rejects offsets that do not begin at 0 then, because they are beyond the data.
     */
    private fun made(field: Field, data: ArrayData): DeviceArray? = try {
        DeviceArray.of(field, data)
    } catch (e: DeviceException) {
        data.close()
        if ("is beyond the 0 bytes of data" in e.message!!) null else throw e
    }

    /** Converts the array to another layout, and back if that is possible. */
    private fun converted(array: DeviceArray, expected: List<Any?>) {
        val field = array.field()
        val requested = OtherLayouts.of(field.type()).randomOrNull(random) ?: return
        val other = attempt { array.convertTo(field.withType(requested)) } ?: return
        other.use {
            done += "converted"
            alike("as $requested", other, expected)
            if (!OtherLayouts.isReordered(field.type(), requested))
                compare("as $requested, by values", listOf(array.valueDifference(other)), listOf(null))
            val again = (OtherLayouts.of(requested) + requested).filter { it != requested || random.nextInt(4) == 0 }
            val next = (if (field.type() in again) field.type() else again.randomOrNull(random)) ?: return
            attempt { other.convertTo(field.withType(next)) }?.use { back ->
                done += "converted back"
                if (next == field.type()) equal("back from $requested", array, back)
                alike("as $requested, then as $next", back, expected)
            }
        }
    }

    private fun attempt(convert: () -> DeviceArray): DeviceArray? = try {
        convert()
    } catch (e: DeviceException) {
        if (OtherLayouts.mayRefuse(e)) null else throw e
    }

    private fun exported(array: DeviceArray, expected: List<Any?>) = Arena.ofConfined().use { arena ->
        val (out, schema) = arena.struct(StructKind.ARRAY) to arena.struct(StructKind.SCHEMA)
        array.retain().use { CData.exportArray(it, out, CExport.DATA.schemaTo(schema)) }
        CData.importArray(out, CImport.DATA.schema(schema).validation(Validation.FULL)).use {
            same("exported", it, expected, array)
        }
        val device = arena.struct(StructKind.DEVICE_ARRAY)
        array.retain().use { CData.exportArray(it, device, CExport.DEVICE.schemaTo(schema)) }
        CData.importArray(device, CImport.DEVICE.schema(schema).validation(Validation.FULL)).use {
            same("exported as a device array", it, expected)
        }
    }

    /**
     * Returns null if the values have nulls that the field does not allow. The values of a dictionary may be null
     * although its field is not nullable.
     */
    private fun built(
        expected: List<Any?>,
        then: (ColumnBuilder) -> Unit = {},
    ): DeviceArray? = BatchBuilder.of(cpu, expected.size).use { batch ->
        val column = batch.column(field)
        try {
            ValueAppender(random).appendAll(column, field, expected)
        } catch (e: IllegalArgumentException) {
            if ("not nullable" in e.message!!) return null else throw e
        }
        then(column)
        batch.build().use { it.retainChild(0) }
    }

    private fun nulled(expected: List<Any?>) {
        val type = field.type()
        if (!field.isNullable || type is UnionType || type is RunEndEncodedType) return
        val nulls = expected.map { random.nextInt(3) == 0 }
        built(expected) { column -> column.setNulls { nulls[it] } }?.use {
            same("built, and some made null", it, expected.mapIndexed { i, value -> value.takeUnless { nulls[i] } })
        }
    }

    /** Checks the array as the column of two batches in a stream. */
    private fun streamed(cut: DeviceArray, expected: List<Any?>) {
        val schema = Schema.of(field)
        val batch = made(schema.asField(), ArrayData.of(cut.length(), 0, listOf(null), listOf(ArrayData.of(cut))))
            ?.asRecordBatch() ?: return
        val first = random.nextLong(cut.length() + 1)
        val batches = batch.use { listOf(it.slice(0, first), it.slice(first, it.length() - first)) }
        Arena.ofConfined().use { arena ->
            val stream = arena.struct(StructKind.STREAM)
            RecordBatchReader.of(schema, batches).use { CData.exportStream(it, stream, CExport.DATA) }
            CData.importStream(stream, CImport.DATA.validation(Validation.FULL)).use { reader ->
                val parts = listOf(expected.take(first.toInt()), expected.drop(first.toInt()))
                for (rows in parts) reader.next()!!.use { next ->
                    next.retainChild(0).use { same("streamed", it, rows) }
                }
            }
        }
    }

    /** Checks operations on a device whose memory the CPU cannot read. */
    private fun onDevice(cut: DeviceArray, expected: List<Any?>) {
        cut.copyTo(device).use { there ->
            there.validate(Validation.FULL)
            val (from, count) = range(there.length())
            there.slice(from, count).use { part ->
                part.copyTo(cpu).use {
                    back("copied back from a device", it, expected.subList(from.toInt(), (from + count).toInt()))
                }
                DeviceArray.concat(listOf(part, cut)).use { whole ->
                    whole.copyTo(cpu).use {
                        val rows = expected.subList(from.toInt(), (from + count).toInt()) + expected
                        back("joined on a device", it, rows)
                    }
                }
            }
        }
    }

    private fun back(what: String, array: DeviceArray, expected: List<Any?>) {
        array.synchronize()
        same(what, array, expected)
    }

    /**
     * Checks a column built from the objects that `get` returns. Unions are excluded, because their objects do not name
     * the child.
     */
    private fun objects(cut: DeviceArray, expected: List<Any?>) {
        if (hasUnion(field.type())) return
        val objects = cut.asColumn().toList()
        BatchBuilder.of(cpu, expected.size).use { batch ->
            try {
                batch.column(field, objects)
            } catch (e: IllegalArgumentException) {
                if ("not nullable" in e.message!!) return else throw e
            }
            done += "of objects"
            batch.build().use { it.retainChild(0) }.use { same("of objects", it, expected, cut) }
        }
    }

    private fun hasUnion(type: DataType): Boolean = type is UnionType || type.children().any { hasUnion(it.type()) } ||
        type is DictionaryType && hasUnion(type.values().type())

    private fun same(what: String, array: DeviceArray, expected: List<Any?>, other: DeviceArray? = null) {
        array.validate(Validation.FULL)
        alike(what, array, expected)
        compare(what, parts(array.asColumn()), expected)
        if (other != null) equal(what, other, array)
    }

    /** Compares the values of `get`, which do not say which child of a union has a value. */
    private fun alike(what: String, array: DeviceArray, expected: List<Any?>) {
        val column = array.asColumn()
        compare("$what, by get", column.toList().map(LaidValues::plain), expected.map(RawValues::untagged))
        val nulls = expected.map(RawValues::isNull)
        compare("$what, nulls", (0 until column.length()).map(column::isNull), nulls)
        compare("$what, null count", listOf(column.nullCount()), listOf(nulls.count { it }.toLong()))
    }

    private fun equal(what: String, one: DeviceArray, other: DeviceArray) =
        compare("$what, by difference", listOf(one.difference(other)), listOf(null))

    private fun compare(what: String, found: List<Any?>, expected: List<Any?>) {
        if (found == expected) return
        val row = (0 until minOf(found.size, expected.size)).firstOrNull { found[it] != expected[it] }
        throw AssertionError("$what: " + if (row == null) "${found.size} rows, not ${expected.size}"
        else "row $row of ${found.size}: ${found[row]}, not ${expected[row]}")
    }
}
