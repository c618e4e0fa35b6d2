// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldStartWith
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.support.HandLaid
import org.arbalest.device.support.RawArray
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.NestedType
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.support.CCompiler
import org.arbalest.support.EveryType
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.fake.FakeExtension
import java.lang.foreign.Arena
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED
import kotlin.random.Random

/** Tests of content comparison: whether two arrays have the same values, and where they first differ. */
class ContentDifferenceSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)
    extension(FakeExtension)

    val cpu = Devices.cpu()

    fun build(field: Field, rows: Int = 1, fill: (ColumnBuilder) -> Unit): DeviceArray =
        BatchBuilder.of(cpu, rows).use { batch -> batch.column(field).let(fill).let { batch.build() } }

    fun difference(one: DeviceArray, other: DeviceArray): String? = one.use { other.use { one.difference(other) } }

    fun numbers(vararg values: Long?) = build(Field.of("n", DataType.INT64), values.size) { n ->
        values.forEach { if (it == null) n.appendNull() else n.append(it) }
    }

    fun doubles(vararg values: Double) =
        build(Field.of("d", DataType.FLOAT64), values.size) { d -> values.forEach(d::append) }

    test("a slice equals a batch built with the same rows, for every type that can be built") {
        EveryType.batch(0, 40).use { all ->
            for ((from, rows) in listOf(0 to 40, 8 to 20, 7 to 1, 13 to 0)) {
                all.slice(from.toLong(), rows.toLong()).use { slice ->
                    EveryType.batch(from, rows).use { slice.difference(it) shouldBe null }
                }
            }
        }
    }

    test("two arrays are equal if their values are, in any layout and for every Arrow type") {
        for (type in HandLaid.types) withClue(type) {
            HandLaid.imported(type, List(9) { it }, 3) { one ->
                HandLaid.imported(type, List(9) { it }, 8) { one.contentEquals(it) shouldBe true }
                val sameEverywhere = type is FlatType.NullType || type == FlatType.FixedSizeBinaryType(0) ||
                    (type is NestedType.FixedSizeListType && type.size() == 0)
                HandLaid.imported(type, List(8) { it } + 42, 1) { one.contentEquals(it) shouldBe sameEverywhere }
            }
        }
    }

    test("a difference is found in a column of any type, at its first row") {
        EveryType.batch(0, 8).use { one ->
            EveryType.batch(4, 8).use { other ->
                for ((i, field) in EveryType.fields.withIndex()) withClue(field) {
                    one.retainChild(i).use { a ->
                        other.retainChild(i).use { b ->
                            val difference = a.difference(b)
                            if (field.type() is FlatType.NullType) difference shouldBe
                                null else difference.shouldNotBeNull() shouldContain "[0]: "
                        }
                    }
                }
            }
        }
    }

    test("a difference names the column, the row and both values, this array's value first") {
        difference(numbers(1, 2, 3), numbers(1, 2, 4)) shouldBe "n[2]: 3, and 4"
        difference(numbers(1, null), numbers(1, 0)) shouldBe "n[1]: null, and 0"
        difference(numbers(1, 0), numbers(1, null)) shouldBe "n[1]: 0, and null"
        difference(numbers(1, 2), numbers(1, 2, 3)) shouldBe "the lengths differ: 2, and 3"
        difference(numbers(1), doubles(1.0)) shouldBe "the types differ: struct<n: int64>, and struct<d: float64>"
    }

    test("a difference has the path through lists and structs, and quotes text") {
        val trip = StructType(listOf(Field.of("end", DataType.UTF8)))
        fun trips(vararg ends: String?) = build(Field.of("trips", ListType(Field.of("item", trip))), 2) { trips ->
            trips.appendList(0)
            trips.appendList(ends.size)
            for (end in ends) trips.items().also {
                if (end == null) it.child("end").appendNull() else it.child("end").append(end)
            }.appendStruct()
        }
        difference(trips("JFK", "a\n"), trips("JFK", null)) shouldBe """trips[1].end[1]: "a\n", and null"""
        difference(trips("JFK"), trips("JFK", "LHR")) shouldBe "trips[1]: 1 elements, and 2"
        difference(trips("JFK", "LHR"), trips("JFK", "LHR")) shouldBe null
    }

    test("unions whose children have other names differ in type [READ-60]") {
        val (a, b) = Field.of("a", DataType.INT32) to Field.of("b", DataType.INT32)
        fun union(vararg fields: Field) = build(Field.of("u", DataType.denseUnion(*fields)), 0) {}
        difference(union(a, b), union(a, b)) shouldBe null
        difference(union(a, b), union(b, a)) shouldBe
            "the types of u differ: dense_union<a: int32, b: int32>, and dense_union<b: int32, a: int32>"
    }

    test("unions are equal only if the type ids of their rows are equal too [READ-60]") {
        val both = listOf(Field.of("a", DataType.INT32), Field.of("b", DataType.INT32),
            Field.of("s", StructType(List(2) { Field.of("x", DataType.INT8) })), Field.of("e", StructType(listOf())))
        for (mode in NestedType.UnionMode.entries) {
            fun union(vararg rows: Pair<Int, Long>) =
                build(Field.of("u", NestedType.UnionType(mode, listOf(0, 5, 7, 9), both)), rows.size) { u ->
                    for ((child, value) in rows) {
                        u.appendUnion(child)
                        when (child) {
                            2 -> u.child(2).also { s -> repeat(2) { s.child(it).append(value + it) } }.appendStruct()
                            3 -> u.child(3).appendStruct()
                            else -> u.child(child).append(value)
                        }
                    }
                }
            difference(union(0 to 1, 1 to 2), union(0 to 1, 1 to 2)) shouldBe null
            difference(union(0 to 1, 1 to 2), union(0 to 1, 0 to 2)) shouldBe "u[1]: 2 of type 5, and 2 of type 0"
            difference(union(1 to 1), union(1 to 2)) shouldBe "u[0]: 1, and 2"
            difference(union(2 to 1), union(2 to 1)) shouldBe null
            difference(union(2 to 1), union(2 to 3)) shouldBe "u[0].x[0]: 1, and 3"
            difference(union(3 to 1), union(3 to 1)) shouldBe null
        }
    }

    test("encoded values are compared by what they decode to, even in structs with a repeated field name [READ-60]") {
        val pair = StructType(List(2) { Field.of("x", DataType.INT8) })
        val types = listOf(DataType.dictionary(DataType.INT8, pair),
            DataType.runEndEncoded(DataType.INT32, Field.of("values", pair)))
        for (type in types) withClue(type) {
            HandLaid.imported(type, List(9) { it }, 3) { one ->
                HandLaid.imported(type, List(9) { it }, 8) { one.difference(it) shouldBe null }
                HandLaid.imported(type, List(8) { it } + 44, 1) {
                    one.difference(it).shouldNotBeNull() shouldStartWith "[8]"
                }
            }
        }
    }

    test("structs without fields are equal in a union, in a dictionary and in a list [READ-60]") {
        val none = Field.of("none", DataType.struct())
        fun union(size: Int) = build(Field.of("u", DataType.denseUnion(none, Field.of("n", DataType.INT8))),
            size) { u -> repeat(size) { u.child(0).appendStruct().also { u.appendUnion(0) } } }
        difference(union(2), union(2)) shouldBe null
        fun encoded() = build(Field.of("d", DictionaryType(DataType.INT8, none, false)), 2) { d ->
            d.appendStruct().appendNull()
        }
        difference(encoded(), encoded()) shouldBe null
        fun list(size: Int) = build(Field.of("l", ListType(none))) { l ->
            repeat(size) { l.items().appendStruct() }.also { l.appendList(size) }
        }
        difference(list(2), list(2)) shouldBe null
        difference(list(2), list(1)) shouldBe "l[0]: 2 elements, and 1"
    }

    test("the field names inside a map do not affect equality [READ-60]") {
        fun map(key: String, value: String, count: Long) =
            build(Field.of(
                "m", DataType.map(Field.of(key, DataType.INT32).withNullable(false), Field.of(value, DataType.INT64)),
            )) { m ->
                m.appendMap(1)
                m.keys().append(1)
                m.values().append(count)
            }
        difference(map("key", "value", 2), map("k", "v", 2)) shouldBe null
        difference(map("key", "value", 2), map("k", "v", 3)) shouldBe "m[0].value[0]: 2, and 3"
    }

    test("a difference shortens long values") {
        fun text(end: String) = build(Field.of("t", DataType.UTF8)) { it.append("x".repeat(1000) + end) }
        difference(text("a"), text("b")).shouldNotBeNull().length shouldBe "t[0]: ".length + 2 * 120 + ", and ".length
    }

    test("values below a null struct do not affect equality") {
        fun array(garbage: Long, validity: Int): DeviceArray {
            val bits = cpu.allocate(1).also { it.segment().set(JAVA_BYTE, 0, validity.toByte()) }
            val values = cpu.allocate(16)
            values.segment().set(JAVA_LONG_UNALIGNED, 0, 7)
            values.segment().set(JAVA_LONG_UNALIGNED, 8, garbage)
            val child = ArrayData.of(2, 0, listOf(null, values))
            val struct = StructType(listOf(Field.of("n", DataType.INT64)))
            return DeviceArray.of(Field.of("s", struct), ArrayData.of(2, -1, listOf(bits), listOf(child)))
        }
        difference(array(1, 0b01), array(2, 0b01)) shouldBe null
        difference(array(1, 0b11), array(2, 0b11)) shouldBe "n[1]: 1, and 2"
    }

    test("floats are compared like Java objects: NaN equals NaN, and zeros differ by sign") {
        difference(doubles(Double.NaN), doubles(java.lang.Double.longBitsToDouble(0x7ff8_0000_0000_0001L))) shouldBe
            null
        difference(doubles(0.0), doubles(-0.0)) shouldBe "d[0]: 0.0, and -0.0"
    }

    test("a struct's field names affect equality; nullability, metadata and a list's item name do not") {
        fun array(field: Field) = build(field) { it.append(1) }
        val plain = Field.of("n", DataType.INT32)
        difference(array(plain), array(plain.withNullable(false).withMetadata(Metadata.of(mapOf("k" to "v"))))) shouldBe
            null
        difference(array(plain), array(Field.of("m", DataType.INT32))).shouldNotBeNull() shouldStartWith
            "the types differ"
        fun list(item: String) = build(Field.of("l", ListType(Field.of(item, DataType.INT32)))) {
            it.appendList(1).let { _ -> it.items().append(1) }
        }
        difference(list("item"), list("element")) shouldBe null
    }

    test("comparing an array that the CPU cannot read, or a closed one, throws") {
        val device = Devices.device(DeviceType.EXT_DEV, 0)
        numbers(1).use { one ->
            one.copyTo(device).use { far ->
                far.synchronize()
                shouldThrow<DeviceException> { one.contentEquals(far) }.errno() shouldBe Errno.ENOSYS
                shouldThrow<DeviceException> { far.contentEquals(one) }.errno() shouldBe Errno.ENOSYS
            }
            val closed = numbers(1).also { it.close() }
            shouldThrow<IllegalStateException> { one.contentEquals(closed) }
            shouldThrow<IllegalStateException> { closed.contentEquals(one) }
        }
    }

    test("run ends that do not ascend give a result or a DeviceException, and nothing else [READ-07]") {
        val random = Random(7)
        var malformed = 0
        repeat(500) { round ->
            // the first round's run ends lead to another run at the second lookup
            val ends = if (round == 0) intArrayOf(8, 11, 7, 9, 18) else IntArray(5) { random.nextInt(-2, 21) }
            val values = RawArray(Field.of("values", DataType.INT8), 5, 3, 0,
                mutableListOf(RawArray.bytes(0b01010), RawArray.bytes(1, 2, 3, 4, 5)))
            val runEnds = RawArray(Field.of("run_ends", DataType.INT32).withNullable(false), 5, 0, 0,
                mutableListOf(null, RawArray.ints(*ends)))
            val runs = RawArray(Field.of("a", DataType.runEndEncoded(DataType.INT32, values.field)), 12, 0, 0,
                mutableListOf(), listOf(runEnds, values))
            Arena.ofConfined().use { arena ->
                CData.importArray(runs.laid(arena), CImport.DATA.schema(runs.field)).use { one ->
                    CData.importArray(runs.laid(arena), CImport.DATA.schema(runs.field)).use { other ->
                        withClue("round $round: ${ends.toList()}") {
                            val thrown = runCatching { one.contentEquals(other) }.exceptionOrNull() ?: return@withClue
                            (thrown as DeviceException).errno() shouldBe Errno.EINVAL
                            if ("is malformed" in thrown.message.orEmpty()) malformed++
                        }
                    }
                }
            }
        }
        malformed shouldBeGreaterThan 0
    }

    test("valueDifference accepts other layouts and encodings of the same values, also below lists and structs") {
        val words = listOf("a", null, "longer than a view holds", "a")
        fun text(type: DataType) = build(Field.of("t", type), words.size) { t ->
            words.forEach { if (it == null) t.appendNull() else t.append(it) }
        }
        val types = listOf(
            DataType.UTF8,
            DataType.LARGE_UTF8,
            DataType.UTF8_VIEW,
            DataType.dictionary(DataType.INT8, DataType.UTF8),
            DataType.runEndEncoded(DataType.INT16, Field.of("values", DataType.UTF8_VIEW)),
        )
        fun listed(type: DataType, list: (Field) -> DataType) =
            build(Field.of("t", list(Field.of("item", StructType(listOf(Field.of("x", type)))))), 2) { t ->
                for (part in words.chunked(2)) {
                    t.appendList(part.size)
                    for (word in part) {
                        t.items().appendStruct()
                        t.items().child("x").let { if (word == null) it.appendNull() else it.append(word) }
                    }
                }
            }
        for (one in types) for (other in types) withClue("$one, $other") {
            text(one).use { a ->
                text(other).use { b -> a.valueDifference(b) shouldBe null; a.contentEquals(b) shouldBe (one == other) }
            }
            listed(one) { ListType(it) }.use { a ->
                listed(other) { NestedType.LargeListViewType(it) }.use { b ->
                    a.valueDifference(b) shouldBe null
                    a.difference(b)!! shouldStartWith "the types of t differ"
                }
            }
        }
    }

    test("valueDifference finds different values in any layout, and treats other widths and binary as other types") {
        fun text(type: DataType, value: String?) = build(Field.of("t", type)) {
            if (value == null) it.appendNull() else it.append(value)
        }
        fun wrong(one: DeviceArray, other: DeviceArray) = one.use { other.use { one.valueDifference(other) } }
        val dictionary = DataType.dictionary(DataType.INT8, DataType.UTF8)
        wrong(text(DataType.UTF8, "a"), text(DataType.UTF8_VIEW, "b")) shouldBe "t[0]: \"a\", and \"b\""
        wrong(text(DataType.UTF8, "a"), text(dictionary, "b")) shouldBe "t[0]: \"a\", and \"b\""
        wrong(text(dictionary, null), text(DataType.LARGE_UTF8, "b")) shouldBe "t[0]: null, and \"b\""
        wrong(text(DataType.UTF8, "a"), build(Field.of("t", DataType.BINARY)) { it.append(byteArrayOf(97)) }) shouldBe
            "the types of t differ: utf8, and binary"
        wrong(numbers(1), build(Field.of("n", DataType.INT8)) { it.append(1) }) shouldBe
            "the types of n differ: int64, and int8"
    }
})
