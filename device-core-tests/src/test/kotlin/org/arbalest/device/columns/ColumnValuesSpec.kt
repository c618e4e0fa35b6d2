// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.columns

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.maps.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldEndWith
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType
import org.arbalest.support.CCompiler
import org.arbalest.support.EveryType
import org.arbalest.support.PeerMoves
import org.arbalest.support.PeerNodes
import org.arbalest.support.PeerNodes.Placement
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import org.arbalest.support.fake.FakeDevice
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout
import java.math.BigDecimal
import java.time.Period
import kotlin.random.Random

/** The typed views of columns, such as `asLongs()`. */
class ColumnValuesSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    /** The calls of one view: its creation, the value of a row, the value or a default for a null, and all rows. */
    class View(
        val of: (Column) -> ColumnView,
        val get: (ColumnView, Long) -> Any,
        val orDefault: (ColumnView, Long) -> Any,
        val all: (ColumnView) -> List<Any>,
        val allOr: (ColumnView) -> List<Any>,
    )

    @Suppress("UNCHECKED_CAST")
    fun <V : ColumnView> view(
        of: (Column) -> V,
        get: (V, Long) -> Any,
        orDefault: (V, Long) -> Any,
        all: (V) -> List<Any>,
        allOr: (V) -> List<Any>,
    ) =
        View(of, get as (ColumnView, Long) -> Any, orDefault as (ColumnView, Long) -> Any,
            all as (ColumnView) -> List<Any>, allOr as (ColumnView) -> List<Any>)

    val views = mapOf(
        "asLongs" to view(Column::asLongs, { v, row -> v[row] }, { v, row -> v.getOrDefault(row, 77) },
            { it.toArray().toList() }, { it.toArray(77).toList() }),
        "asInts" to view(Column::asInts, { v, row -> v[row] }, { v, row -> v.getOrDefault(row, 77) },
            { it.toArray().toList() }, { it.toArray(77).toList() }),
        "asShorts" to view(Column::asShorts, { v, row -> v[row] }, { v, row -> v.getOrDefault(row, 77) },
            { it.toArray().toList() }, { it.toArray(77).toList() }),
        "asBytes" to view(Column::asBytes, { v, row -> v[row] }, { v, row -> v.getOrDefault(row, 77) },
            { it.toArray().toList() }, { it.toArray(77).toList() }),
        "asDoubles" to view(Column::asDoubles, { v, row -> v[row] }, { v, row -> v.getOrDefault(row, 77.0) },
            { it.toArray().toList() }, { it.toArray(77.0).toList() }),
        "asFloats" to view(Column::asFloats, { v, row -> v[row] }, { v, row -> v.getOrDefault(row, 77f) },
            { it.toArray().toList() }, { it.toArray(77f).toList() }),
        "asHalfFloats" to view(Column::asHalfFloats, { v, row -> v[row] }, { v, row -> v.getOrDefault(row, 77f) },
            { it.toArray().toList() }, { it.toArray(77f).toList() }),
        "asBooleans" to view(Column::asBooleans, { v, row -> v[row] }, { v, row -> v.getOrDefault(row, true) },
            { it.toArray().toList() }, { it.toArray(true).toList() }),
        "asByteStrings" to view(Column::asByteStrings, { v, row -> v.getBytes(row).toList() },
            { v, row -> v.byteLengthOrDefault(row, 77) }, { listOf() }, { listOf() }),
    )

    val columns = mapOf(
        "int64" to "asLongs", "uint64" to "asLongs", "date64" to "asLongs", "time64" to "asLongs",
        "timestamp" to "asLongs", "duration" to "asLongs", "decimal64" to "asLongs", "int32" to "asInts",
        "uint32" to "asInts", "date32" to "asInts", "time32" to "asInts", "decimal32" to "asInts",
        "int16" to "asShorts", "uint16" to "asShorts", "int8" to "asBytes", "uint8" to "asBytes",
        "float64" to "asDoubles", "float32" to "asFloats", "float16" to "asHalfFloats", "bool" to "asBooleans",
        "utf8" to "asByteStrings", "large_utf8" to "asByteStrings", "binary" to "asByteStrings",
        "large_binary" to "asByteStrings", "utf8_view" to "asByteStrings", "binary_view" to "asByteStrings",
        "fixed_binary" to "asByteStrings", "uuid" to "asByteStrings", "months" to "asInts",
    )

    /** Returns the value that a view has for a value of `Column.get`. */
    fun stored(value: Any?, type: DataType): Any = when (value) {
        is BigDecimal -> if (type is FlatType.DecimalType) value.unscaledValue().toLong() else value.toLong()
        is String -> value.encodeToByteArray().toList()
        is ByteArray -> value.toList()
        is Period -> value.toTotalMonths()
        else -> value!!
    }

    fun same(read: Any, value: Any?, type: DataType) {
        val expected = stored(value, type)
        when (read) {
            is Float, is Double -> (read as Number).toDouble() shouldBe expected
            is Number -> read.toLong() shouldBe expected
            else -> read shouldBe expected
        }
    }

    val random = Random(51)

    test("the view of each type's width reads the same values as Column, also in slices [READ-51]") {
        EveryType.batch(0, 120).use { whole ->
            for ((name, method) in columns) {
                val view = views.getValue(method)
                for ((from, count) in listOf(
                    0 to 120, 1 to 119, 7 to 64, 55 to 65, 64 to 56, 0 to 3, 3 to 1, 120 to 0,
                ) + List(20) { random.nextInt(60) to random.nextInt(60) }) {
                    whole.slice(from.toLong(), count.toLong()).use { slice ->
                        val column = slice.column(name)
                        val values = view.of(column)
                        withClue("$name, $count rows from $from on") {
                            values.length() shouldBe count
                            values.nullCount() shouldBe column.nullCount()
                            val rows = 0L until count
                            rows.map(values::isNull) shouldBe rows.map(column::isNull)
                            for (row in rows) if (!column.isNull(row))
                                same(view.get(values, row), column.storage().get(row), column.field().type())
                            if (method == "asByteStrings") return@withClue
                            val allOr = rows.map { view.orDefault(values, it) }
                            view.allOr(values) shouldBe allOr
                            for (row in rows) if (column.isNull(row)) allOr[row.toInt()].toString()
                                .removeSuffix(".0") shouldBe (if (name == "bool") "true" else "77")
                        }
                    }
                }
            }
        }
    }

    test("every other view is rejected, and the error names the right one [READ-51]") {
        EveryType.batch(0, 2).use { batch ->
            for (field in EveryType.fields) for ((method, view) in views) {
                if (columns[field.name()] == method) continue
                val message = shouldThrow<IllegalArgumentException> { view.of(batch.column(field.name())) }.message!!
                message shouldContain "column \"${field.name()}\" of type "
                message shouldContain "cannot be read by $method(): "
                message shouldContain
                    (columns[field.name()]?.let { "$it() has its values" } ?: "no typed view has its values")
            }
        }
    }

    test("the error for an encoded column names the view of the values, and how to reach it [READ-51]") {
        EveryType.batch(0, 2).use { batch ->
            fun refusal(name: String) = shouldThrow<IllegalArgumentException> {
                batch.column(name).asByteStrings()
            }.message!!
            refusal("dictionary") shouldEndWith
                "; dictionary().asByteStrings() has those of the dictionary, and indices() which of them each row has"
            refusal("dictionary_of_numbers") shouldContain "; dictionary().asLongs() has those"
            refusal("dictionary_of_structs") shouldEndWith "the column's getters read them"
            refusal("runs") shouldEndWith "; runs().values().asByteStrings() has those of the runs"
            refusal("short_runs") shouldEndWith "the column's getters read them"
        }
    }

    test("each getter and each view throws for a null, with the column and the row [READ-50]") {
        EveryType.batch(0, 8).use { batch ->
            val getters = mapOf<String, (Column) -> Any?>(
                "bool" to { it.getBoolean(3) }, "int64" to { it.getLong(3) }, "int32" to { it.getInt(3) },
                "float64" to { it.getDouble(3) }, "decimal128" to { it.getDecimal(3) }, "utf8" to { it.getString(3) },
                "binary" to { it.getBytes(3) }, "list" to { it.getList(3) }, "dictionary" to { it.getString(3) },
                "uint8" to { it.getDecimal(3) }, "float32" to { it.getDouble(3) }, "timestamp" to { it.getLong(3) },
                "int16" to { it.toLongArray() }, "float16" to { it.toDoubleArray() },
            )
            for ((name, getter) in getters) {
                shouldThrow<NoSuchElementException> { getter(batch.column(name)) }.message!!.let {
                    it shouldContain "column \"$name\" of type "
                    it shouldContain " is null in row 3; check isNull first"
                }
            }
            batch.column("int16").toLongArray(-1).toList() shouldContainExactly listOf<Long>(0, 1, 2, -1, 4, 5, 6, -1)
            batch.column("float16").toDoubleArray(-1.0).toList() shouldContainExactly
                listOf(0.0, 0.5, 1.0, -1.0, 2.0, 2.5, 3.0, -1.0)
            batch.slice(4, 3).use {
                it.column("uint32").toLongArray().toList() shouldContainExactly listOf<Long>(4, 5, 6)
            }
            for ((name, method) in columns) {
                val view = views.getValue(method)
                val values = view.of(batch.column(name))
                shouldThrow<NoSuchElementException> { view.get(values, 3) }.message!! shouldContain
                    "column \"$name\" of type "
                if (method != "asByteStrings") shouldThrow<NoSuchElementException> { view.all(values) }
                    .message!! shouldContain "is null in row 3"
            }
            val text = batch.column("utf8").asByteStrings()
            val asked = listOf<() -> Any>(
                { text.byteLength(3) }, { text.byteAt(3, 0) }, { text.contentEquals(3, byteArrayOf()) },
                { text.startsWith(3, byteArrayOf()) }, { text.hash(3) }, { text.compare(3, byteArrayOf()) },
                { text.contentEquals(0, text, 3) }, { text.compare(3, text, 0) }, { text.getString(3) },
                { text.start(3) },
            )
            for (ask in asked) shouldThrow<NoSuchElementException> { ask() }
        }
    }

    test("a getter throws for a null value of a dictionary [READ-50]") {
        Arena.ofConfined().use { arena ->
            val out = arena.struct(StructKind.ARRAY)
            PeerNodes.array(out, length = 2, buffers = 2)
            PeerNodes.setBuffer(out, 1, byteArrayOf(1, 0))
            PeerNodes.setArrayDictionary(out)
            val values = MemorySegment.ofAddress(RawArrowArray.dictionary(out.address())).reinterpret(80)
            PeerNodes.array(values, length = 2, nullCount = 1, buffers = 2)
            PeerNodes.setBuffer(values, 0, byteArrayOf(0b10))
            PeerNodes.setBuffer(values, 1, byteArrayOf(7, 8))
            CData.importArray(
                out, CImport.DATA.schema(Field.of("a", DataType.dictionary(DataType.INT8, DataType.INT8))),
            ).use {
                it.asColumn().getLong(0) shouldBe 8
                shouldThrow<NoSuchElementException> { it.asColumn().getLong(1) }.message!! shouldContain
                    "is null in row 1"
            }
        }
    }

    fun bits(vararg set: Int, size: Int) = ByteArray((size + 7) / 8).also { bytes ->
        set.forEach { bytes[it / 8] = (bytes[it / 8].toInt() or (1 shl it % 8)).toByte() }
    }

    /** Imports an array whose buffers lie at odd addresses, or end at a guard page, as [placement] says. */
    fun <T> imported(
        type: DataType,
        length: Int,
        offset: Int,
        placement: Placement,
        vararg buffers: ByteArray?,
        look: (Column) -> T,
    ): T =
        Arena.ofConfined().use { arena ->
            val out = arena.struct(StructKind.ARRAY)
            PeerNodes.array(out, length.toLong(), nullCount = -1, offset.toLong(), buffers.size.toLong())
            buffers.forEachIndexed { i, bytes -> PeerNodes.setBuffer(out, i.toLong(), bytes, placement) }
            CData.importArray(out, CImport.DATA.schema(Field.of("a", type))).use { look(it.asColumn()) }
        }

    test("a view reads bits in words of 64 rows, and never beyond the last bit [READ-52, ARR-10, ARR-14]") {
        for (placement in listOf(Placement.GUARDED, Placement.UNALIGNED)) {
            for (length in listOf(1, 7, 63, 64, 65, 128, 200)) for (offset in listOf(0, 1, 7, 8, 13, 63, 64))
                for (density in listOf(0.0, 0.1, 0.9, 1.0)) {
                    val end = offset + length
                    val valid = (0 until end).filter { random.nextDouble() < density }.toIntArray()
                    val yes = (0 until end).filter { random.nextBoolean() }.toIntArray()
                    val rows = (0 until length).filter { it + offset in valid }.map(Int::toLong)
                    imported(
                        DataType.BOOL, length, offset, placement, bits(*valid, size = end), bits(*yes, size = end),
                    ) { column ->
                        val values = column.asBooleans()
                        withClue("$length rows from $offset on, $density of them valid, $placement") {
                            for (row in 0L until length) {
                                fun word(which: List<Long>) = which.filter { it in row until row + 64 }
                                    .fold(0L) { bits, it -> bits or (1L shl (it - row).toInt()) }
                                values.validBits(row) shouldBe word(rows)
                                values.trueBits(row) shouldBe word(rows.filter { it.toInt() + offset in yes })
                                values.nextValid(row) shouldBe (rows.firstOrNull { it >= row } ?: -1)
                                values.nextTrue(row) shouldBe
                                    (rows.firstOrNull { it >= row && it.toInt() + offset in yes } ?: -1)
                            }
                            listOf(values.nextValid(length.toLong()), values.nextTrue(length.toLong())) shouldBe
                                listOf(-1, -1)
                            buildList { values.forEachValid { add(it) } } shouldBe rows
                            values.cardinality() shouldBe rows.count { it.toInt() + offset in yes }
                            values.nullCount() shouldBe length - rows.size
                        }
                    }
                }
        }
    }

    test("without a bitmap every row is valid [READ-52]") {
        for (length in listOf(0, 1, 63, 64, 65)) {
            imported(DataType.INT8, length, 3, Placement.GUARDED, null, ByteArray(length + 3)) { column ->
                val values = column.asBytes()
                for (row in 0L until length) values.validBits(row) shouldBe
                    (if (length - row >= 64) -1L else (1L shl (length - row).toInt()) - 1)
                buildList { values.forEachValid { add(it) } } shouldBe List(length) { it.toLong() }
                values.nextValid(0) shouldBe if (length == 0) -1 else 0
                values.toArray().size shouldBe length
            }
        }
    }

    test("an empty array has an empty view, even if its buffers are NULL [READ-51, ARR-08]") {
        for (type in EveryType.fields.filter { it.name() in columns }.map { it.type() }) {
            val buffers = if (views.getValue(columns.getValue(EveryType.fields.first { it.type() == type }.name())) ===
                views["asByteStrings"] && type !is FlatType.FixedSizeBinaryType) 3 else 2
            for (offset in listOf(0, 9)) {
                imported(type, 0, offset, Placement.PLAIN, *arrayOfNulls(buffers)) { column ->
                    val view = views.getValue(columns.getValue(EveryType.fields.first { it.type() == type }.name()))
                    val values = view.of(column)
                    values.length() shouldBe 0
                    values.nullCount() shouldBe 0
                    values.nextValid(0) shouldBe -1
                    view.all(values) shouldBe listOf<Any>()
                    shouldThrow<IndexOutOfBoundsException> { view.get(values, 0) }
                    shouldThrow<IndexOutOfBoundsException> { values.validBits(0) }
                    shouldThrow<IndexOutOfBoundsException> { values.nextValid(1) }
                }
            }
        }
    }

    test("a view rejects rows out of range, at any distance [READ-51]") {
        imported(DataType.INT64, 4, 1, Placement.GUARDED, bits(1, 2, 3, 4, size = 5), ByteArray(40)) { column ->
            val values = column.asLongs()
            for (row in listOf(-1L, 4L, 1L shl 61, Long.MAX_VALUE, Long.MIN_VALUE)) {
                for (ask in listOf<() -> Any>(
                    { values[row] },
                    { values.isNull(row) },
                    { values.getOrDefault(row, 0) },
                    { values.validBits(row) },
                    { column.getLong(row) },
                )) {
                    shouldThrow<IndexOutOfBoundsException> { ask() }.message!! shouldEndWith
                        "of type int64 has 4 rows, counted from 0, and no row $row"
                }
            }
            for (row in listOf(-1L, 5L, Long.MAX_VALUE))
                shouldThrow<IndexOutOfBoundsException> { values.nextValid(row) }
        }
    }

    test("the error for a missing row, byte, column or buffer has the column's name and the numbers [READ-51]") {
        BatchBuilder.of(Devices.cpu(), 2).use {
            it.bool("yes", booleanArrayOf(true, false)).utf8("word", listOf("ab", "")).build()
        }.use { batch ->
            fun refused(message: String, ask: () -> Any?) {
                shouldThrow<IndexOutOfBoundsException> { ask() }.message shouldBe message
            }
            val (yes, word) = batch.column("yes") to batch.column("word")
            for (ask in listOf<() -> Any?>(
                { yes.get(2) }, { yes.isNull(2) }, { yes.getBoolean(2) }, { yes.asBooleans()[2] },
            )) {
                refused("column \"yes\" of type bool has 2 rows, counted from 0, and no row 2", ask)
            }
            refused("column \"yes\" of type bool has 2 rows, counted from 0, and no row 3") {
                yes.asBooleans().nextTrue(3)
            }
            refused("column \"word\" of type utf8, row 0: has 2 bytes, counted from 0, and no byte 2") {
                word.asByteStrings().byteAt(0, 2)
            }
            refused("column \"word\" of type utf8 has 3 buffers, counted from 0, and no buffer 3") {
                word.bufferAddress(3)
            }
            refused("the batch has 2 columns, counted from 0, and no column -1") { batch.asColumn().column(-1) }
            refused("the batch has 2 rows, counted from 0, and no row 9") { batch.asColumn().get(9) }
        }
    }

    test("a view throws after its handle was closed, moved or exported [READ-53, OWN-19]") {
        val consume = listOf<(RecordBatch) -> Unit>(
            { it.close() }, { it.move().close() },
            { array ->
                Arena.ofConfined().use { arena ->
                    arena.struct(StructKind.ARRAY).let {
                        CData.exportArray(array, it, CExport.DATA)
                        PeerMoves.release(it, StructKind.ARRAY)
                    }
                }
            },
        )
        for (how in consume) {
            val batch = EveryType.batch(0, 70)
            val made = columns.map { (name, method) -> views.getValue(method).let { it to it.of(batch.column(name)) } }
            how(batch)
            for ((view, values) in made) {
                val asked = listOf<() -> Any?>(
                    { view.get(values, 0) }, { view.orDefault(values, 0) }, { values.isNull(0) },
                    { values.validBits(0) }, { values.nextValid(0) },
                    { values.forEachValid {} }, { values.nullCount() },
                )
                for (ask in asked) shouldThrow<IllegalStateException> { ask() }
                if (view !== views["asByteStrings"]) shouldThrow<IllegalStateException> { view.allOr(values) }
                values.length() shouldBe 70
            }
            shouldThrow<IllegalStateException> { batch.column(0) }
        }
    }

    test("forEachValid visits no row of a column without nulls after its handle was closed [READ-53]") {
        val batch = BatchBuilder.of(Devices.cpu(), 3).int64("id", longArrayOf(1, 2, 3)).build()
        val ids = batch.column("id").asLongs()
        batch.close()
        shouldThrow<IllegalStateException> { ids.forEachValid { throw AssertionError("row $it") } }
    }

    test("a column has no view if the CPU cannot read it, or cannot read it yet [READ-54, DEV-04, DEV-09]") {
        Arena.ofConfined().use { arena ->
            fun device(type: Int, cell: MemorySegment) = arena.struct(StructKind.DEVICE_ARRAY).also { out ->
                val array = arena.struct(StructKind.ARRAY)
                PeerNodes.array(array, length = 1, buffers = 2)
                PeerNodes.setBuffer(array, 1, ByteArray(8) { 1 })
                PeerNodes.deviceArray(out, array, deviceId = 0, deviceType = type, syncEvent = cell)
            }
            CData.importArray(device(17, MemorySegment.NULL), CImport.DEVICE.schema(Field.of("a", DataType.INT64)))
                .use { array ->
                    shouldThrow<DeviceException> { array.asColumn().asLongs() }.let {
                        it.errno() shouldBe Errno.ENOSYS
                        it.message!! shouldContain "whose memory the CPU cannot read"
                    }
                    shouldThrow<IllegalArgumentException> { array.asColumn().asInts() }
                }
            val pinned = Devices.device(DeviceType.CUDA_HOST, 0)
            val event = FakeDevice.of(DeviceType.CUDA_HOST, 0).userEvent()
            val cell = arena.allocateFrom(ValueLayout.JAVA_LONG, event.handle)
            CData.importArray(
                device(DeviceType.CUDA_HOST.code(), cell), CImport.DEVICE.schema(Field.of("a", DataType.INT64)),
            ).use { array ->
                val column = array.asColumn()
                shouldThrow<IllegalStateException> { column.asLongs() }.message!! shouldContain
                    "has an event that has not completed"
                event.complete()
                column.asLongs()[0] shouldBe 0x0101010101010101
            }
            pinned.adoptEvent(event.handle).close()
        }
    }

    test("text in a dictionary can be counted by its indices, without a String for each row") {
        EveryType.batch(0, 40).use { batch ->
            val word = batch.column("dictionary")
            val index = word.indices().asShorts()
            val counts = IntArray(word.dictionary().length().toInt())
            for (row in 0 until index.length()) if (!index.isNull(row)) counts[index[row].toInt()]++
            val rows = (0L until 40).mapNotNull { word.get(it) }.groupingBy { it as String }.eachCount()
            counts.withIndex().associate { (i, count) ->
                word.dictionary().getString(i.toLong()) to count
            } shouldContainExactly rows
        }
    }
})
