// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldStartWith
import org.arbalest.device.Conversion
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.Validation
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.support.BEYOND_32_BITS
import org.arbalest.device.support.LaidValues.read
import org.arbalest.device.support.RawArray
import org.arbalest.device.support.shouldBeGarbage
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.ListViewType
import org.arbalest.device.types.NestedType.MapType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.NestedType.UnionMode
import org.arbalest.device.types.NestedType.UnionType
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import org.arbalest.support.fake.FakeCall
import org.arbalest.support.fake.FakeDevice
import org.arbalest.support.fake.FakeExtension
import org.arbalest.testkit.contract.settled
import java.lang.foreign.Arena
import java.nio.ByteBuffer
import kotlin.concurrent.thread

/** Conversions: their errors, the buffers that they share or copy, and the cleanup after a failure. */
class ArrayConversionLimitsSpec : FunSpec({
    extension(CCompiler.needed)
    extension(FakeExtension)
    extension(ResourceCountersExtension)

    val cpu = Devices.cpu()
    val device by lazy { Devices.device(DeviceType.EXT_DEV, 0) }
    val fake by lazy { device.let { FakeDevice.of(DeviceType.EXT_DEV, 0) } }
    val pinned by lazy { Devices.device(DeviceType.CUDA_HOST, 0) }
    val pinnedFake by lazy { pinned.let { FakeDevice.of(DeviceType.CUDA_HOST, 0) } }

    fun build(field: Field, rows: Int, fill: (ColumnBuilder) -> Unit): DeviceArray =
        BatchBuilder.of(cpu, rows).use { batch -> batch.column(field).let(fill).let { batch.build() } }
            .use { it.retainChild(0) }

    fun texts(vararg values: String?, type: DataType = DataType.UTF8): DeviceArray =
        build(Field.of("t", type), values.size) { t ->
            values.forEach { if (it == null) t.appendNull() else t.append(it) }
        }

    fun item(type: DataType) = Field.of("item", type)

    fun raw(
        type: DataType,
        length: Int,
        vararg buffers: ByteBuffer?,
        nulls: Long = 0,
        children: List<RawArray> = listOf(),
        dictionary: RawArray? = null,
        name: String = "a",
    ) =
        RawArray(Field.of(name, type), length, nulls, 0, buffers.toMutableList(), children, dictionary)

    fun imported(array: RawArray, use: (DeviceArray) -> Unit): Unit = Arena.ofConfined().use { arena ->
        CData.importArray(array.laid(arena), CImport.DATA.schema(array.field)).use(use)
    }

    fun refused(array: DeviceArray, requested: Field, message: String) {
        val before = ResourceCounters.now()
        val thrown = shouldThrow<DeviceException> { array.convertTo(requested) }
        thrown.errno() shouldBe Errno.EINVAL
        thrown.message shouldBe message
        ResourceCounters.now() shouldBe before
    }

    /** Checks that the types cannot be converted, for any content of the array. */
    fun mismatch(array: DeviceArray, requested: Field, message: String) {
        val before = ResourceCounters.now()
        shouldThrow<IllegalArgumentException> { array.convertTo(requested) }.message shouldBe message
        ResourceCounters.now() shouldBe before
    }

    fun refused(array: RawArray, requested: DataType, message: String) = imported(array) {
        refused(it, array.field.withType(requested), message)
    }

    fun schema(vararg fields: Pair<String, DataType>) = Schema.of(fields.map { (name, type) -> Field.of(name, type) })

    fun batch(): RecordBatch = BatchBuilder.of(cpu, 3).use { batch ->
        batch.int64("n", longArrayOf(1, 2, 3))
            .utf8("word", listOf("a", "a word of more than twelve bytes", "c")).build()
    }

    test("an impossible conversion is rejected with the path and both types [REQ-02]") {
        texts("1").use { array ->
            mismatch(array, Field.of("t", DataType.INT32), "utf8 cannot be converted to int32")
            mismatch(array, Field.of("t", DataType.BINARY), "utf8 cannot be converted to binary")
            mismatch(array, Field.of("t", DataType.dictionary(DataType.INT8, DataType.UTF8)),
                "utf8 cannot be converted to dictionary<values=utf8, indices=int8>: values are not encoded")
            mismatch(array, Field.of("t", DataType.UTF8).withExtension("arrow.json", ""),
                "utf8 cannot be converted to arrow.json (utf8)")
        }
        batch().use { array ->
            mismatch(array, schema("n" to DataType.INT32).asField(), "$.n: int64 cannot be converted to int32")
            mismatch(array, schema("m" to DataType.INT64).asField(), "the struct has no field \"m\"; it has [n, word]")
        }
        val list = Field.of("l", ListType(item(StructType(listOf(Field.of("deep", DataType.UTF8))))))
        build(list, 1) { it.appendList(0) }.use { array ->
            mismatch(array, list.withType(ListType(item(StructType(listOf(Field.of("deep", DataType.BOOL)))))),
                "$.item.deep: utf8 cannot be converted to bool")
        }
        val map = MapType(Field.of(
            "entries",
            StructType(listOf(Field.of("key", DataType.UTF8).withNullable(false), Field.of("value", DataType.INT8))),
        ).withNullable(false), false)
        build(Field.of("m", map), 1) { it.appendMap(0) }.use { array ->
            mismatch(
                array,
                Field.of("m", MapType(map.entries(), true)),
                "map<entries: struct<key: utf8 not null, value: int8> not null> cannot be converted to map<entries: " +
                    "struct<key: utf8 not null, value: int8> not null>: the keys are not known to be sorted",
            )
        }
        val union = UnionType(UnionMode.DENSE, listOf(0), listOf(Field.of("x", DataType.INT8)))
        build(Field.of("u", union), 0) {}.use { array ->
            mismatch(array, Field.of("u", UnionType(UnionMode.SPARSE, listOf(0), union.fields())), "dense_union<x: " +
                "int8> cannot be converted to sparse_union<x: int8>: unions keep their mode and their type ids")
        }
        build(Field.of("d", DataType.dictionary(DataType.INT8, DataType.UTF8)), 1) { it.append("x") }.use { array ->
            mismatch(array, Field.of("d", DictionaryType(DataType.INT8, Field.of("", DataType.INT8), false)),
                "$.(dictionary): utf8 cannot be converted to int8")
            mismatch(
                array,
                Field.of("d", DictionaryType(DataType.INT8, Field.of("", DataType.UTF8), true)),
                "dictionary<values=utf8, indices=int8> cannot be converted to dictionary<values=utf8, indices=int8, " +
                    "ordered>: the dictionary is not known to be ordered",
            )
        }
    }

    test("nulls are rejected for a non-nullable field, with path and row, unless a parent hides them [REQ-03]") {
        texts("a", "b", null).use { array ->
            val strict = Field.of("t", DataType.UTF8).withNullable(false)
            refused(array, strict, "row 2: is null, but the requested field is not nullable")
            refused(array, strict.withType(DataType.UTF8_VIEW),
                "row 2: is null, but the requested field is not nullable")
            array.slice(0, 2).use { cut ->
                cut.convertTo(strict).use { it.field() shouldBe strict; it.validate(Validation.FULL) }
            }
            array.slice(1, 2).use { cut ->
                refused(cut, strict, "row 1: is null, but the requested field is not nullable")
            }
        }
        fun struct(inner: Boolean, outer: Boolean) =
            Field.of("s", StructType(listOf(Field.of("x", DataType.INT8).withNullable(inner)))).withNullable(outer)
        val byte = raw(DataType.INT8, 3, RawArray.bytes(0b101), RawArray.bytes(1, 2, 3), nulls = 1, name = "x")
        imported(
            raw(struct(true, true).type(), 3, RawArray.bytes(0b101), nulls = 1, children = listOf(byte), name = "s"),
        ) { array ->
            array.convertTo(struct(false, true)).use {
                it.validate(Validation.FULL)
                read(it.asColumn()) shouldBe listOf(mapOf("x" to 1L), null, mapOf("x" to 3L))
            }
            refused(array, struct(false, false), "row 1: is null, but the requested field is not nullable")
        }
        imported(raw(struct(true, true).type(), 3, null, children = listOf(byte), name = "s")) { array ->
            refused(array, struct(false, true), "$.x: row 1: is null, but the requested field is not nullable")
        }
        val words = raw(DataType.UTF8, 2, RawArray.bytes(0b01), RawArray.ints(0, 1, 1),
            ByteBuffer.wrap("a".encodeToByteArray()), nulls = 1, name = "")
        imported(
            raw(DataType.dictionary(DataType.INT8, DataType.UTF8), 2, null, RawArray.bytes(0, 1), dictionary = words),
        ) { array ->
            refused(array, Field.of("a", DataType.UTF8).withNullable(false),
                "row 1: is null, but the requested field is not nullable")
        }
    }

    test("values that do not fit are rejected with the numbers, before their memory is read [REQ-04]") {
        refused(raw(DataType.LARGE_UTF8, 1, null, RawArray.longs(0, 3_000_000_000), RawArray.bytes(1)), DataType.UTF8,
            "3000000000 bytes of data $BEYOND_32_BITS")
        refused(raw(DataType.LARGE_UTF8, 1, null, RawArray.longs(0, 3_000_000_000), RawArray.bytes(1)),
            DataType.UTF8_VIEW, "row 0: 3000000000 bytes are more than a view can have")
        val nulls = raw(DataType.NULL, Int.MAX_VALUE, name = "item")
        val wide = raw(DataType.largeListView(item(DataType.NULL)), 2, null, RawArray.longs(0, 0),
            RawArray.longs(Int.MAX_VALUE.toLong(), 1), children = listOf(nulls))
        refused(wide, ListType(item(DataType.NULL)), "2147483648 elements $BEYOND_32_BITS")
        val values = raw(DataType.INT8, 200, null, RawArray.blank(200), name = "")
        val encoded = raw(DataType.dictionary(DataType.INT16, DataType.INT8), 2, RawArray.bytes(0b11),
            RawArray.bytes(1, 0, -55, 0), nulls = 0, dictionary = values)
        refused(encoded, DataType.dictionary(DataType.INT8, DataType.INT8), "row 1: index 201 does not fit 8 bits")
        build(Field.of("r", DataType.runEndEncoded(DataType.INT32, Field.of("values", DataType.INT8))), 40_000) { r ->
            repeat(40_000) { r.append(1) }
        }.use { array ->
            refused(array, Field.of("r", DataType.runEndEncoded(DataType.INT16, Field.of("values", DataType.INT8))),
                "40000 elements are more than run ends of 16 bits reach")
        }
    }

    test("indices that change only their sign are shared if each has the same bytes, and else are checked [REQ-23]") {
        val types = listOf(DataType.UINT8 to DataType.INT8, DataType.INT8 to DataType.UINT8)
        for ((own, requested) in types) for (count in listOf(128, 129)) withClue("$own, $count values") {
            val values = raw(DataType.INT16, count, null, RawArray.blank(2 * count), name = "")
            // the index of the null would fit no signed type
            val encoded = raw(DataType.dictionary(own, DataType.INT16), 3, RawArray.bytes(0b101),
                RawArray.bytes(127, -1, 3), nulls = 1, dictionary = values)
            val field = Field.of("a", DataType.dictionary(requested, DataType.INT16))
            imported(encoded) { array ->
                array.convertTo(field).use {
                    it.field() shouldBe field
                    it.validate(Validation.FULL)
                    Conversion.of(it)!!.copiedBuffers() shouldBe if (count == 128) 0 else 1
                    it.asColumn().isNull(1) shouldBe true
                    List(2) { row -> it.asColumn().indices().getLong(2L * row) } shouldBe listOf(127L, 3L)
                }
            }
        }
        val values = raw(DataType.INT16, 129, null, RawArray.blank(258), name = "")
        val encoded = raw(DataType.dictionary(DataType.UINT8, DataType.INT16), 1, null, RawArray.bytes(-128),
            dictionary = values)
        refused(encoded, DataType.dictionary(DataType.INT8, DataType.INT16), "row 0: index 128 does not fit 8 bits")
    }

    test("a peer's offsets, views and indices are checked before use, and errors name path, row and numbers [REQ-05]") {
        val data = RawArray.bytes(65, 66, 67)
        refused(raw(DataType.UTF8, 2, null, RawArray.ints(0, 3, 2), data), DataType.LARGE_UTF8,
            "row 0: offsets[1] = 3 is beyond the 2 bytes of data")
        refused(raw(DataType.UTF8, 2, null, RawArray.ints(-1, 0, 2), data), DataType.UTF8_VIEW,
            "row 0: offsets[1] = 0 is before offsets[0] = -1, or one is negative")
        refused(raw(DataType.UTF8_VIEW, 1, null, RawArray.ints(20, 0, 1, 0), data, RawArray.longs(3)), DataType.UTF8,
            "row 0: views[0] is in data buffer 1, but there are 1")
        refused(raw(DataType.BINARY_VIEW, 1, null, RawArray.ints(20, 0, 0, 0), data, RawArray.longs(3)),
            DataType.BINARY, "row 0: views[0] has 20 bytes at 0, but data buffer 0 has 3")
        refused(raw(DataType.UTF8_VIEW, 1, null, RawArray.ints(-1, 0, 0, 0), data, RawArray.longs(3)), DataType.UTF8,
            "row 0: views[0] has -1 bytes")
        val words = raw(DataType.UTF8, 1, null, RawArray.ints(0, 3), data, name = "")
        refused(
            raw(DataType.dictionary(DataType.INT8, DataType.UTF8), 2, null, RawArray.bytes(0, 1), dictionary = words),
            DataType.UTF8,
            "row 1: index 1 is beyond the 1 values of the dictionary",
        )
        val bytes = raw(DataType.INT8, 3, null, data, name = "item")
        refused(
            raw(DataType.listView(item(DataType.INT8)), 1, null, RawArray.ints(2), RawArray.ints(2),
                children = listOf(bytes)),
            ListType(item(DataType.INT8)),
            "row 0: offsets[0] = 2 and sizes[0] = 2 lead beyond the 3 elements, or go back",
        )
        refused(
            raw(ListType(item(DataType.INT8)), 1, null, RawArray.ints(2, 5), children = listOf(bytes)),
            ListViewType(item(DataType.INT8)),
            "row 0: offsets[0] = 2 and offsets[1] = 5 lead beyond the 3 elements, or go back",
        )
        val ends = raw(DataType.INT32, 2, null, RawArray.ints(2, 1), name = "run_ends")
        val runs = DataType.runEndEncoded(DataType.INT32, Field.of("values", DataType.INT8))
        refused(raw(runs, 3, children = listOf(ends, bytes)), DataType.INT8, "run_ends[1] = 1 is not behind 2")
        val union = DataType.denseUnion(Field.of("x", DataType.UTF8))
        refused(raw(union, 1, RawArray.bytes(4), RawArray.ints(0), children = listOf(words)),
            DataType.denseUnion(Field.of("x", DataType.UTF8_VIEW)), "row 0: types[0] = 4 is not a type id of the union")
        refused(
            raw(union, 1, RawArray.bytes(0), RawArray.ints(1), children = listOf(words)),
            DataType.denseUnion(Field.of("x", DataType.UTF8_VIEW)),
            "row 0: offsets[0] = 1 is beyond the 1 elements of \"x\"",
        )
    }

    test("run ends that begin at 0 or below are rejected by each kind of conversion [REQ-05]") {
        val values = raw(DataType.INT8, 2, null, RawArray.bytes(1, 2), name = "values")
        for (first in listOf(0, -3)) {
            val ends = RawArray(Field.of("run_ends", DataType.INT32).withNullable(false), 2, 0, 0,
                mutableListOf(null, RawArray.ints(first, 5)))
            val runs = raw(DataType.runEndEncoded(DataType.INT32, values.field), 5, children = listOf(ends, values))
            refused(runs, DataType.INT8, "run_ends[0] = $first is not behind 0")
            for (bits in listOf(DataType.INT16, DataType.INT64)) {
                refused(runs, DataType.runEndEncoded(bits, values.field), "run_ends[0] = $first is not behind 0")
            }
            imported(runs) { array ->
                shouldThrow<DeviceException> { array.compact() }.message!! shouldContain
                    "run_ends[0] = $first is not behind 0"
            }
            imported(runs) { array ->
                array.slice(1, 3).use { part ->
                    part.convertTo(Field.of("a", DataType.INT8)).use { it.asColumn().get(2) shouldBe 2L }
                }
            }
        }
    }

    test("a union that a null struct or a null index hides needs no nulls of its own [REQ-03]") {
        val required = Field.of("a", DataType.INT32).withNullable(false)
        val other = Field.of("b", DataType.UTF8).withNullable(false)
        for (union in listOf(DataType.denseUnion(required, other), DataType.sparseUnion(required, other))) {
            val field = Field.of("u", union).withNullable(false)
            val struct = DataType.struct(field)
            fun value(column: ColumnBuilder, number: Long) {
                column.child("u").child(0).append(number)
                column.child("u").appendUnion(0)
                column.appendStruct()
            }
            val encoded = build(Field.of("a", DataType.dictionary(DataType.INT8, struct)), 3) {
                value(it.dictionary(), 7)
                it.appendIndex(0).appendNull().appendIndex(0)
            }
            encoded.use { array ->
                array.convertTo(Field.of("a", struct)).use { plain ->
                    plain.validate(Validation.FULL)
                    read(plain.asColumn()) shouldBe read(array.asColumn())
                    plain.slice(1, 2).use { part ->
                        part.compact().use { read(it.asColumn()) shouldBe read(part.asColumn()) }
                    }
                }
            }
            val none = build(Field.of("a", DataType.dictionary(DataType.INT8, struct)), 2) {
                it.appendNull().appendNull()
            }
            none.use { array ->
                array.convertTo(Field.of("a", struct)).use { plain ->
                    plain.validate(Validation.FULL)
                    List(2) { plain.asColumn().isNull(it.toLong()) } shouldBe listOf(true, true)
                }
            }
            // A union in a union, where only the inner one's child cannot hold nulls, and run-ends.
            val deep = listOf(
                DataType.denseUnion(Field.of("x", union)), DataType.sparseUnion(Field.of("x", union)),
                DataType.runEndEncoded(DataType.INT32, required),
            )
            for (type in deep) {
                val below = Field.of("u", type).withNullable(false)
                val row: (ColumnBuilder) -> Unit = {
                    if (type.format() == "+r") {
                        it.child("u").append(7)
                    } else {
                        it.child("u").child(0).child(0).append(7)
                        it.child("u").child(0).appendUnion(0)
                        it.child("u").appendUnion(0)
                    }
                    it.appendStruct()
                }
                val hidden = build(Field.of("a", DataType.dictionary(DataType.INT8, DataType.struct(below))), 2) {
                    row(it.dictionary())
                    it.appendIndex(0).appendNull()
                }
                hidden.use { array ->
                    array.convertTo(Field.of("a", DataType.struct(below))).use { plain ->
                        plain.validate(Validation.FULL)
                        read(plain.asColumn()) shouldBe read(array.asColumn())
                    }
                }
            }
            // A null that no parent hides is rejected, also if the outer of two unions may be null and the inner has no
            // null.
            val two = DataType.sparseUnion(Field.of("x", union))
            val exposed = build(Field.of("a", DictionaryType(DataType.INT8, Field.of("u", two), false)), 2) {
                it.dictionary().child(0).child(0).append(7)
                it.dictionary().child(0).appendUnion(0)
                it.dictionary().appendUnion(0)
                it.appendIndex(0).appendNull()
            }
            exposed.use { refused(it, Field.of("a", two), "row 1: is null, but no child of the union may be") }
            val bare = build(Field.of("a", DictionaryType(DataType.INT8, Field.of("u", union), false)), 2) {
                it.dictionary().child(0).append(7)
                it.dictionary().appendUnion(0)
                it.appendIndex(0).appendNull()
            }
            bare.use { refused(it, Field.of("a", union), "row 1: is null, but no child of the union may be") }
        }
    }

    test("text that was sliced and converted is still bounded by its last offset [REQ-05, READ-07]") {
        imported(raw(DataType.UTF8, 3, null, RawArray.ints(0, 1, 30_000_000, 3), RawArray.bytes(65, 66, 67))) { array ->
            array.slice(0, 2).use { it.convertTo(Field.of("b", DataType.UTF8)) }.use { cut ->
                cut.asColumn().getString(0) shouldBe "A"
                shouldThrow<DeviceException> { cut.asColumn().getString(1) }.message!! shouldContain
                    "offsets[2] = 30000000 is beyond the 3 bytes of data"
            }
        }
    }

    test("struct fields are selected by name without a copy; of repeated names, none can be left out [REQ-06]") {
        batch().use { array ->
            array.convertTo(schema("word" to DataType.UTF8, "n" to DataType.INT64).asField()).use { both ->
                both.schema().fields().map { it.name() } shouldBe listOf("word", "n")
                Conversion.of(both)!!.copiedBytes() shouldBe 0
                read(both.asColumn()) shouldBe read(array.asColumn())
            }
            array.slice(1, 2).use { cut ->
                cut.convertTo(schema("word" to DataType.UTF8_VIEW).asField()).use { words ->
                    read(words.column("word")) shouldBe listOf("a word of more than twelve bytes", "c")
                    words.column("word").bufferAddress(2) shouldBe array.column("word").bufferAddress(2)
                    Conversion.of(words) shouldBe Conversion(32, 1, 1)
                }
            }
        }
        val twins = StructType(listOf(Field.of("x", DataType.UTF8), Field.of("x", DataType.INT8)))
        build(Field.of("s", twins), 1) { s ->
            s.child(0).append("a")
            s.child(1).append(1)
            s.appendStruct()
        }.use { array ->
            array.convertTo(
                Field.of("s", StructType(listOf(Field.of("x", DataType.UTF8_VIEW), Field.of("x", DataType.INT8)))),
            ).use { it.asRecordBatch().column(1).getLong(0) shouldBe 1 }
            mismatch(array, Field.of("s", StructType(listOf(Field.of("x", DataType.INT8)))),
                "the struct has 2 fields \"x\", at [0, 1]; ask by the index, or choose by select(int...)")
        }
    }

    test("a converted array has the requested field, which may drop an extension type [REQ-07]") {
        val asked = Field.of("other", DataType.UTF8_VIEW).withMetadata(Metadata.of(mapOf("k" to "v")))
        texts("a").use { array -> array.convertTo(asked).use { it.field() shouldBe asked } }
        val json = Field.of("j", DataType.UTF8).withExtension("arrow.json", "")
        build(json, 1) { it.append("{}") }.use { array ->
            array.convertTo(json.withType(DataType.UTF8_VIEW)).use { it.field().extensionName() shouldBe "arrow.json" }
            array.convertTo(asked).use { it.field().extensionName() shouldBe null }
        }
    }

    test("a conversion shares unchanged buffers, and reports its copies [REQ-08]") {
        val long = "a text of more than twelve bytes"
        texts("a", null, long).use { array ->
            Conversion.of(array) shouldBe null
            val text = array.asColumn()
            array.convertTo(Field.of("t", DataType.LARGE_UTF8)).use {
                Conversion.of(it) shouldBe Conversion(32, 1, 2)
                it.asColumn().bufferAddress(0) shouldBe text.bufferAddress(0)
                it.asColumn().bufferAddress(2) shouldBe text.bufferAddress(2)
                it.retain().use { other -> Conversion.of(other) shouldBe Conversion(32, 1, 2) }
            }
            array.convertTo(Field.of("t", DataType.UTF8_VIEW)).use { views ->
                Conversion.of(views) shouldBe Conversion(48, 1, 2)
                views.asColumn().bufferAddress(2) shouldBe text.bufferAddress(2)
                views.convertTo(Field.of("t", DataType.UTF8)).use {
                    Conversion.of(it) shouldBe Conversion(16L + 1 + long.length, 2, 1)
                }
            }
            array.convertTo(array.field().withName("u")).use { Conversion.of(it) shouldBe Conversion(0, 0, 3) }
        }
        build(Field.of("l", ListType(item(DataType.INT64))), 3) { l ->
            repeat(3) { l.appendList(2).also { l.items().append(1); l.items().append(2) } }
        }.use { array ->
            array.convertTo(Field.of("l", ListViewType(item(DataType.INT64)))).use { views ->
                Conversion.of(views) shouldBe Conversion(12, 1, 2)
                views.asColumn().bufferAddress(1) shouldBe array.asColumn().bufferAddress(1)
                views.asColumn().items().bufferAddress(1) shouldBe array.asColumn().items().bufferAddress(1)
                views.convertTo(array.field()).use { Conversion.of(it) shouldBe Conversion(16, 1, 1) }
            }
        }
        build(Field.of("d", DataType.dictionary(DataType.INT8, DataType.UTF8)), 2) { d ->
            repeat(2) { d.append(long) }
        }.use { array ->
            array.convertTo(Field.of("d", DataType.UTF8_VIEW)).use {
                it.asColumn().bufferAddress(2) shouldBe array.asColumn().dictionary().bufferAddress(2)
            }
            array.convertTo(Field.of("d", DataType.dictionary(DataType.INT32, DataType.UTF8))).use {
                Conversion.of(it) shouldBe Conversion(8, 1, 2)
            }
        }
    }

    test("an export in a requested layout writes array and schema; a failed one leaves everything unchanged [REQ-09]") {
        Arena.ofConfined().use { arena ->
            val (out, schemaOut) = arena.struct(StructKind.ARRAY) to arena.struct(StructKind.SCHEMA)
            val asked = schema("word" to DataType.UTF8_VIEW)
            for (isDevice in listOf(false, true)) {
                val array = batch()
                val struct = if (isDevice) arena.struct(StructKind.DEVICE_ARRAY) else out
                fun export(field: Field) = if (isDevice)
                    CData.exportArray(array, struct, CExport.DEVICE.schemaTo(schemaOut).requested(field))
                else CData.exportArray(array, struct, CExport.DATA.schemaTo(schemaOut).requested(field))
                for (each in listOf(struct, schemaOut)) each.fill(0x5a)
                shouldThrow<IllegalArgumentException> { export(schema("n" to DataType.UTF8).asField()) }
                    .message shouldStartWith "$.n: int64 cannot"
                for (each in listOf(struct, schemaOut)) each.shouldBeGarbage()
                array.isOpen shouldBe true
                export(asked.asField())
                array.isOpen shouldBe false
                val back = if (isDevice) CData.importBatch(struct, CImport.DEVICE.schema(schemaOut))
                else CData.importBatch(struct, CImport.DATA.schema(schemaOut))
                back.use {
                    it.schema() shouldBe asked
                    it.column(0).getString(1) shouldBe "a word of more than twelve bytes"
                }
                shouldThrow<IllegalStateException> { export(asked.asField()) }
            }
        }
    }

    test("on a device, a conversion that reads buffers fails with ENOSYS, and any other succeeds there [REQ-10]") {
        batch().use { it.copyTo(device) }.use { there ->
            there.synchronize()
            fake.reset()
            there.convertTo(schema("word" to DataType.UTF8, "n" to DataType.INT64).asField()).use {
                it.copyTo(cpu)
            }.use {
                it.synchronize()
                read(it.column("word")) shouldBe listOf("a", "a word of more than twelve bytes", "c")
            }
            there.convertTo(Schema.of(Field.of("n", DataType.INT64).withNullable(false)).asField())
                .use { it.device() shouldBe device }
            fake.reset()
            for (make in listOf<() -> RecordBatch>({
                there.convertTo(schema("word" to DataType.UTF8_VIEW).asField())
            }, { there.slice(1, 1).use { it.compact() } })) {
                val thrown = shouldThrow<DeviceException> { make() }
                thrown.errno() shouldBe Errno.ENOSYS
                thrown.message!! shouldContain
                    "the CPU cannot read buffers on EXT_DEV:0; copy the array to the CPU first, with copyTo"
            }
            shouldThrow<DeviceException> { there.convertTo(schema("word" to DataType.UTF8_VIEW).asField()) }
                .message!! shouldStartWith "$.word: "
            fake.copies().shouldBeEmpty()
        }
    }

    test("a conversion of device memory that the CPU can read stays on the device [REQ-10]") {
        batch().use { it.copyTo(pinned) }.use { there ->
            there.convertTo(schema("word" to DataType.UTF8_VIEW).asField()).use {
                it.device() shouldBe pinned
                read(it.column("word")) shouldBe listOf("a", "a word of more than twelve bytes", "c")
            }
        }
    }

    test("a conversion leaks nothing when memory runs out or the array's event fails [REQ-11]") {
        batch().use { it.copyTo(pinned) }.use { there ->
            there.synchronize()
            val before = settled()
            pinnedFake.failCall(FakeCall.ALLOCATE)
            shouldThrow<DeviceException> { there.convertTo(schema("word" to DataType.UTF8_VIEW).asField()) }
                .message!! shouldContain "fakeAlloc"
            ResourceCounters.now() shouldBe before
        }
        val nobodyHas = 1L shl 56
        val runs = DataType.runEndEncoded(DataType.INT64, Field.of("values", DataType.INT64))
        val ends = raw(DataType.INT64, 1, null, RawArray.longs(nobodyHas), name = "run_ends")
        val huge = RawArray(Field.of("a", runs), 1, 0, 0, mutableListOf(),
            listOf(ends, raw(DataType.INT64, 1, null, RawArray.longs(1), name = "values")))
        Arena.ofConfined().use { arena ->
            val out = huge.laid(arena)
            RawArrowArray.setLength(out.address(), nobodyHas)
            CData.importArray(out, CImport.DATA.schema(huge.field)).use { array ->
                val before = settled()
                shouldThrow<DeviceException> { array.convertTo(Field.of("a", DataType.INT64)) }
                ResourceCounters.now() shouldBe before
            }
        }
        pinned.createStream().use { stream ->
            pinnedFake.hold()
            batch().use { it.copyTo(pinned, stream) }.use { late ->
                // The conversion reads no buffer, so no thread waits.
                late.convertTo(schema("n" to DataType.INT64).asField()).use { it.isReady shouldBe false }
                pinnedFake.failNextCommand()
                pinnedFake.release()
                shouldThrow<DeviceException> { late.convertTo(schema("word" to DataType.UTF8_VIEW).asField()) }
                    .message!! shouldContain "FAKE_LAUNCH_FAILED"
            }
        }
    }

    test("a handle may be closed while its conversion waits for the array's event [REQ-12]") {
        pinned.createStream().use { stream ->
            pinnedFake.hold()
            val late = batch().use { it.copyTo(pinned, stream) }
            var result: RecordBatch? = null
            val converting = thread { result = late.convertTo(schema("word" to DataType.UTF8_VIEW).asField()) }
            while (converting.isAlive && converting.state != Thread.State.WAITING &&
                converting.state != Thread.State.TIMED_WAITING) Thread.onSpinWait()
            converting.isAlive shouldBe true
            late.close()
            pinnedFake.release()
            converting.join()
            result!!.use { read(it.column("word")) shouldBe listOf("a", "a word of more than twelve bytes", "c") }
            shouldThrow<IllegalStateException> { late.convertTo(schema("word" to DataType.UTF8).asField()) }
            shouldThrow<IllegalStateException> { late.compact() }
        }
    }

    test("a stream's arrays are converted when pulled, and a rejected conversion leaves the reader open [REQ-13]") {
        fun reader() = RecordBatchReader.of(batch().use { it.schema() }, listOf(batch(), batch()))
        val asked = schema("word" to DataType.UTF8_VIEW)
        reader().use { reader ->
            shouldThrow<IllegalArgumentException> { reader.convertTo(schema("word" to DataType.INT8)) }.message shouldBe
                "$.word: utf8 cannot be converted to int8"
            reader.convertTo(asked).use { converted ->
                converted.schema() shouldBe asked
                var pulled = 0
                converted.forEach { array -> array.column("word").getString(0) shouldBe "a".also { pulled++ } }
                pulled shouldBe 2
            }
            shouldThrow<IllegalStateException> { reader.next() }
        }
        Arena.ofConfined().use { arena ->
            val stream = arena.struct(StructKind.STREAM)
            CData.exportStream(reader().convertTo(asked), stream, CExport.DATA)
            CData.importStream(stream, CImport.DATA).use { back ->
                back.schema() shouldBe asked
                back.next()!!.use { it.column(0).getString(1) shouldBe "a word of more than twelve bytes" }
            }
        }
        val strict = Schema.of(Field.of("word", DataType.UTF8).withNullable(false))
        val nulls = BatchBuilder.of(cpu, 1).use { batch ->
            batch.column(Field.of("word", DataType.UTF8)).appendNull()
            batch.build()
        }
        RecordBatchReader.of(nulls.schema(), listOf(nulls)).convertTo(strict).use { converted ->
            repeat(2) {
                shouldThrow<DeviceException> { converted.next() }.message shouldBe
                    "$.word: row 0: is null, but the requested field is not nullable"
            }
        }
    }

    test("compact keeps only the visible bytes and elements of a slice [REQ-20]") {
        val words = List(1000) { "word number $it, with some more".repeat(3) }
        for (type in listOf(DataType.UTF8, DataType.LARGE_UTF8, DataType.UTF8_VIEW)) {
            texts(*words.toTypedArray(), type = type).use { it.slice(500, 2) }.use { cut ->
                cut.compact().use { few ->
                    read(few.asColumn()) shouldBe words.subList(500, 502)
                    val bytes = words[500].length + words[501].length
                    Conversion.of(few)!!.copiedBytes() shouldBe bytes + when (type) {
                        DataType.UTF8 -> 12L
                        DataType.LARGE_UTF8 -> 24L
                        else -> 32L
                    }
                    Conversion.of(few)!!.sharedBuffers() shouldBe 0
                }
            }
        }
        val lists = Field.of("l", ListType(item(DataType.INT64)))
        build(lists, 100) { l ->
            repeat(100) { l.appendList(2); l.items().append(it.toLong()); l.items().append(-it.toLong()) }
        }.use { it.slice(50, 1) }.use { cut ->
            cut.compact().use {
                Conversion.of(it) shouldBe Conversion(24, 2, 0)
                it.asColumn().items().length() shouldBe 2
            }
        }
        build(Field.of("b", DataType.BOOL), 100) { b ->
            repeat(100) { b.append(it % 3 == 0) }
        }.use { it.slice(50, 9) }.use { cut ->
            cut.compact().use {
                Conversion.of(it) shouldBe Conversion(2, 1, 0)
                read(it.asColumn()) shouldBe (50..58).map { i -> i % 3 == 0 }
            }
        }
    }
})
