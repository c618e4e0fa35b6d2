// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.builders

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArray
import org.arbalest.device.Devices
import org.arbalest.device.internal.memory.NativeHeap
import org.arbalest.device.support.Balanced
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.IntType
import org.arbalest.device.types.NestedType.MapType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.NestedType.UnionMode
import org.arbalest.device.types.NestedType.UnionType
import java.util.AbstractMap.SimpleEntry

/**
 * Built lists of all kinds, maps, unions and run-ends: the contents of their buffers, and the appends that they refuse.
 */
class ColumnBuilderNestedSpec : FunSpec({
    extension(Balanced)

    val number = Field.of("n", DataType.INT32)
    val text = Field.of("s", DataType.UTF8)
    val required = number.withNullable(false)

    fun built(
        type: DataType,
        rows: Int,
        fill: ColumnBuilder.() -> Unit,
        look: (DeviceArray) -> Unit,
    ) = BatchBuilder.of(Devices.cpu(), rows).use { batch ->
        batch.column(Field.of("a", type)).fill()
        batch.build().use { array -> array.retainChild(0).use(look) }
    }

    fun DeviceArray.ints(buffer: Int, count: Int): List<Int> = asColumn().bufferAddress(buffer).let { at ->
        List(count) { NativeHeap.getInt(at + 4L * it) }
    }

    fun DeviceArray.bytes(buffer: Int, count: Int): List<Int> =
        NativeHeap.getBytes(asColumn().bufferAddress(buffer), count).map { it.toInt() }

    fun DeviceArray.values(): List<Any?> = asColumn().let { column -> (0 until column.length()).map { column.get(it) } }

    /**
     * Appends with [good], calls [bad], which is refused, and appends with [good] again. The column then has two rows
     * and is valid. Returns the message of the refusal.
     */
    fun refused(
        type: DataType,
        good: ColumnBuilder.() -> Unit,
        bad: ColumnBuilder.() -> Unit,
    ): String = BatchBuilder.of(Devices.cpu(), 2).use { batch ->
        val column = batch.column(Field.of("a", type))
        column.good()
        val thrown = shouldThrow<RuntimeException> { column.bad() }
        withClue("$type: $thrown") { column.length() shouldBe 1 }
        column.good()
        withClue("$type: $thrown") { batch.build().close() }
        thrown.message!!
    }

    test("a list-view stores the offset and the size of each list, in any order [BLD-02]") {
        built(DataType.listView(number), 5, {
            appendList(2).appendNull().appendList(0)
            items().appendAll(intArrayOf(5, 6, 7))
            appendListView(0, 1).appendList(1)
        }) { array ->
            array.ints(1, 5) shouldBe listOf(0, 2, 2, 0, 2)
            array.ints(2, 5) shouldBe listOf(2, 0, 0, 1, 1)
            array.bytes(0, 1) shouldBe listOf(0b11101)
            array.retainChild(0).use { it.values() shouldBe listOf(5L, 6L, 7L) }
        }
        for (type in listOf(DataType.listView(number), DataType.largeListView(number))) {
            refused(type, { appendList(1).items().append(1) }) { appendList(-1) } shouldContain
                "row 1: a list of size -1"
            refused(type, { appendList(1).items().append(1) }) { appendListView(-1, 3) } shouldContain
                "row 1: a list of size 3 at -1"
            refused(type, { appendList(1).items().append(1) }) { appendLists(intArrayOf(1, 1, -2)) } shouldContain
                "row 3: a list of size -2"
        }
        refused(DataType.listView(number), { appendList(0) }) {
            appendListView(Int.MAX_VALUE.toLong(), 1)
        } shouldContain "has 32-bit offsets, but elements at 2147483647"
        refused(DataType.largeListView(number), { appendList(0) }) { appendListView(Long.MAX_VALUE, 1) } shouldContain
            "has 64-bit offsets"
        BatchBuilder.of(Devices.cpu(), 1).use { batch ->
            val column = batch.column(Field.of("a", DataType.listView(number))).appendListView(1, 2)
            column.items().append(1)
            shouldThrow<IllegalStateException> { batch.build() }.message shouldBe
                "column \"a\": the lists have 3 elements, but 1 were appended"
            column.items().appendAll(intArrayOf(2, 3, 4))
            batch.build().close()
        }
    }

    test("each fixed-size list has its number of elements, and a null list creates them [BLD-03]") {
        val pair = Field.of(
            "pair", StructType(listOf(number, DataType.fixedSizeList(required, 2).let { Field.of("two", it) })),
        )
        built(DataType.fixedSizeList(pair, 2), 3, {
            appendList(2)
            repeat(2) {
                items().appendStruct().child("n").append(it.toLong())
                items().child("two").appendList(2).items().appendAll(intArrayOf(8, 9))
            }
            appendNull().appendList(2)
            repeat(2) {
                items().appendNull().child("n").appendNull()
                items().child("two").appendNull()
            }
        }) { array ->
            val first = listOf(mapOf("n" to 0L, "two" to listOf(8L, 9L)), mapOf("n" to 1L, "two" to listOf(8L, 9L)))
            array.values() shouldBe listOf(first, null, listOf(null, null))
            array.retainChild(0).use { it.length() shouldBe 6 }
        }
        val type = DataType.fixedSizeList(number, 3)
        refused(type, { appendList(3).items().appendAll(intArrayOf(1, 2, 3)) }) { appendList(2) } shouldBe
            "column \"a\", row 1: a list of 2 elements, but all lists have 3"
        refused(type, { appendNull() }) { appendList(4) } shouldContain "a list of 4 elements, but all lists have 3"
        BatchBuilder.of(Devices.cpu(), 2).use { batch ->
            val column = batch.column(Field.of("a", type)).appendList(3)
            shouldThrow<IllegalStateException> { column.appendNull() }.message shouldBe
                "column \"a\", row 1: cannot append a null of 3 elements: the lists before have 3, but 0 were appended"
            column.items().appendAll(intArrayOf(1, 2, 3))
            column.appendNull()
            batch.build().use { it.column("a").get(1) shouldBe null }
        }
    }

    test("a map stores keys and values, as many as its offsets require [BLD-04]") {
        val type = DataType.map(Field.of("key", DataType.UTF8), number)
        built(type, 3, {
            appendMap(2).appendNull().appendMap(1)
            for (key in listOf("x", "y", "z")) keys().append(key)
            values().append(1).appendNull().append(3)
        }) { array ->
            array.values() shouldBe
                listOf(listOf(SimpleEntry("x", 1L), SimpleEntry("y", null)), null, listOf(SimpleEntry("z", 3L)))
            array.field().type() shouldBe type
        }
        val good: ColumnBuilder.() -> Unit = { appendMap(1).keys().append("k").also { values().append(1) } }
        refused(type, good) { appendMap(-1) } shouldContain "row 1: a map of size -1"
        refused(type, good) { keys().appendNull() } shouldContain "\"a.entries.key\" is not nullable"
        refused(type, good) { appendMap(Int.MAX_VALUE) } shouldContain
            "has 32-bit offsets, but 2147483648 elements; use several batches"
        BatchBuilder.of(Devices.cpu(), 1).use { batch ->
            val column = batch.column(Field.of("a", type)).appendMap(2)
            column.keys().append("k")
            shouldThrow<IllegalStateException> { batch.build() }.message shouldBe
                "column \"a\": the maps have 2 keys, but 1 were appended"
            column.keys().append("l")
            shouldThrow<IllegalStateException> { batch.build() }.message shouldBe
                "column \"a\": the maps have 2 values, but 0 were appended"
        }
        BatchBuilder.of(Devices.cpu(), 0).use { batch ->
            val column = batch.column(Field.of("a",
                MapType(Field.of("entries", StructType(listOf(required, number))).withNullable(false), true)))
            column.keys(Field.of("k", DataType.UTF8))
            column.values(Field.of("v", DataType.BOOL))
            column.field().toString() shouldBe "a: map<entries: struct<k: utf8 not null, v: bool> not null>"
        }
    }

    test("a dense union stores a type id and an offset per row, and only used rows in its children [BLD-05]") {
        val type = UnionType(UnionMode.DENSE, listOf(7, 3), listOf(number, text))
        built(type, 5, {
            appendUnion(0).child("n").append(41)
            appendUnion("s").appendNull().appendUnions(byteArrayOf(3, 7))
            child("n").append(42)
            child(1).append("x").append("y")
        }) { array ->
            array.bytes(0, 5) shouldBe listOf(7, 3, 7, 3, 7)
            array.ints(1, 5) shouldBe listOf(0, 0, 1, 1, 2)
        }
    }

    test("a null of a dense union goes to the first nullable child, after the child's earlier elements [BLD-05]") {
        val type = UnionType(UnionMode.DENSE, listOf(7, 3), listOf(required, text))
        built(type, 2, {
            appendNull().appendUnion(0)
            child(0).append(5)
        }) { array ->
            array.bytes(0, 2) shouldBe listOf(3, 7)
            array.retainChild(1).use { it.values() shouldBe listOf(null) }
        }
        refused(type, { appendUnion(0).child(0).append(1) }) { appendUnion(2) } shouldBe
            "column \"a\", row 1: has no child 2; its children are [n, s], by type ids [7, 3]"
        refused(type, { appendUnion(0).child(0).append(1) }) { appendUnion("t") } shouldBe
            "column \"a\" has no field \"t\"; it has [n, s]"
        refused(type, { appendUnion(0).child(0).append(1) }) { appendUnions(byteArrayOf(3, 7, 4)) } shouldContain
            "has no type id 4"
        refused(type, { appendUnion(0).child(0).append(1) }) { appendUnions(byteArrayOf(-1)) } shouldContain
            "has no type id -1"
        refused(type, { appendUnion(0).child(0).append(1) }) { setNulls { true } } shouldContain
            "is a union, which has no nulls of its own"
        refused(DataType.denseUnion(required), { appendUnion(0).child(0).append(1) }) { appendNull() } shouldContain
            "no child may be null"
        BatchBuilder.of(Devices.cpu(), 2).use { batch ->
            val column = batch.column(Field.of("a", type)).appendUnion("s")
            shouldThrow<IllegalStateException> { column.appendNull() }.message shouldContain
                "child \"s\" comes next, but the child has 0 elements instead of 1"
            shouldThrow<IllegalStateException> { column.appendUnion(0).also { batch.build() } }.message shouldContain
                "1 elements are of child \"n\", but 0 were appended"
        }
    }

    test("a sparse union fills the rows of other children, unless the caller appends them [BLD-06]") {
        val two = Field.of("two", DataType.fixedSizeList(required, 2))
        val type = DataType.sparseUnion(required, text, two)
        built(type, 5, {
            appendUnion("n").child("n").append(4)
            appendUnion("s").child("s").append("x")
            appendNull()
            child("s").append("given").append("given, too")
            appendUnion("n").child("n").append(6)
            appendUnion("two").child("two").appendList(2).items().appendAll(intArrayOf(1, 2))
        }) { array ->
            array.bytes(0, 5) shouldBe listOf(0, 1, 1, 0, 2)
            array.retainChild(0).use { it.length() shouldBe 5 }
            array.retainChild(1).use { it.values() shouldBe listOf(null, "x", null, "given", "given, too") }
            array.retainChild(2).use { it.values() shouldBe listOf(null, null, null, null, listOf(1L, 2L)) }
        }
    }

    test("a sparse union names a missing element before it writes anything [BLD-06]") {
        val type = DataType.sparseUnion(number, text)
        BatchBuilder.of(Devices.cpu(), 3).use { batch ->
            val column = batch.column(Field.of("a", type)).appendUnion("n")
            shouldThrow<IllegalStateException> { column.appendUnion("s") }.message shouldBe
                "column \"a\", row 1: child \"n\" has only 0 of the elements before it"
            shouldThrow<IllegalStateException> { column.appendNull() }
            column.length() shouldBe 1
            column.child("s").length() shouldBe 1
            column.child("n").append(1)
            shouldThrow<IllegalStateException> { column.appendUnions(byteArrayOf(1, 0, 1)) }.message shouldContain
                "row 2: child \"s\" has only 1"
            column.child("n").length() shouldBe 1
            column.addChild(Field.of("late", DataType.BOOL)).length() shouldBe 1
            column.child("late").append(true).append(false)
            column.appendUnion("late").appendUnion("late")
            batch.build().use { it.field().type().children().single().type().format() shouldBe "+us:0,1,2" }
        }
    }

    test("a null of run-ends is a null of their values, or is rejected if these cannot be null [BLD-07]") {
        fun runs(values: DataType) = DataType.runEndEncoded(DataType.INT16, Field.of("r", values))
        for (type in listOf(runs(DataType.denseUnion(required, text)), runs(DataType.sparseUnion(required, text)))) {
            built(type, 3, {
                values().child(0).append(5)
                appendUnion(0).appendNulls(2)
            }) { it.values() shouldBe listOf(5L, null, null) }
        }
        built(runs(runs(DataType.INT8)), 2, { append(5).appendNull() }) { it.values() shouldBe listOf(5L, null) }
        val never = DataType.runEndEncoded(DataType.INT16, required)
        refused(runs(never), { append(1) }) { appendNull() } shouldContain "the values of the runs are not nullable"
        refused(runs(DataType.denseUnion(required)), { values().child(0).append(1); appendUnion(0) }) {
            appendNull()
        } shouldContain "the values of the runs are not nullable"
    }

    test("a null of a union goes to a nullable child, and not to run-ends without nullable values [BLD-05]") {
        val never = Field.of("r", DataType.runEndEncoded(DataType.INT16, required))
        for (type in listOf(DataType.denseUnion(never, text), DataType.sparseUnion(never, text))) {
            built(type, 2, {
                appendUnion(0).child(0).append(5)
                appendNull()
            }) { it.values() shouldBe listOf(5L, null) }
        }
        refused(DataType.denseUnion(never), { appendUnion(0).child(0).append(1) }) { appendNull() } shouldContain
            "no child may be null"
    }

    test("run-ends are appended as runs or single values, and equal values form one run, in each width [BLD-07]") {
        for (bits in listOf(16, 32, 64)) {
            built(DataType.runEndEncoded(IntType(bits, true), text), 9, {
                appendRun(3).values().append("x")
                append("x").append("y").append("y").appendNull().appendNull()
                appendRun(1).values().append("z")
            }) { array ->
                array.retainChild(0).use { it.values() shouldBe listOf(4L, 6L, 8L, 9L) }
                array.retainChild(1).use { it.values() shouldBe listOf("x", "y", null, "z") }
            }
        }
    }

    test("run-ends reject an empty run, a run beyond their width, and a run without a value [BLD-07]") {
        val type = DataType.runEndEncoded(DataType.INT16, number)
        for (count in listOf(0L, -5L)) refused(type, { append(1) }) { appendRun(count) } shouldBe
            "column \"a\", row 1: a run of $count rows; it has at least one"
        refused(type, { append(1) }) { appendRun(32767) } shouldBe
            "column \"a\", row 1: a run of 32767 rows ends beyond what int16 run ends count (32767)"
        refused(DataType.runEndEncoded(DataType.INT32, number), { append(1) }) { appendRun(1L shl 31) } shouldContain
            "int32 run ends count (2147483647)"
        refused(DataType.runEndEncoded(DataType.INT64, number), { append(1) }) {
            appendRun(Long.MAX_VALUE)
        } shouldContain "int64 run ends"
        refused(type, { append(1) }) { append("no") } shouldBe
            "column \"a\" of type int32 does not hold text; append(long) takes values"
        refused(type, { append(1) }) { appendAll(longArrayOf(1, 2, 2, 1L shl 40)) } shouldContain
            "the integer 1099511627776 (-2147483648 to 2147483647), in row 4"
        refused(type, { append(1) }) { setNulls { true } } shouldContain "run-end-encoded and has no nulls of its own"
        refused(DataType.runEndEncoded(DataType.INT16, required), { append(1) }) { appendNull() } shouldContain
            "the values of the runs are not nullable"
        BatchBuilder.of(Devices.cpu(), 32768).use { batch ->
            val column = batch.column(Field.of("a", type)).appendRun(32767)
            shouldThrow<IllegalStateException> { column.append(5) }.message shouldBe
                "column \"a\", row 32767: there are 1 runs, but 0 values were appended for them"
            column.values().append(4)
            shouldThrow<IllegalArgumentException> { column.append(5) }.message shouldContain
                "a run of 1 rows ends beyond what int16 run ends count (32767)"
            column.values().length() shouldBe 1
        }
    }

    test("the type of elements, values and dictionaries can change only before the first append") {
        BatchBuilder.of(Devices.cpu(), 1).use { batch ->
            for (type in listOf(DataType.list(number), DataType.listView(number), DataType.fixedSizeList(number, 1))) {
                val column = batch.column(Field.of("l", type))
                column.items(text).append("x")
                shouldThrow<IllegalStateException> { column.items(number) }.message shouldContain
                    "its type cannot change after elements were appended"
                column.appendList(1)
            }
            batch.column(Field.of("r", DataType.runEndEncoded(DataType.INT16, number)))
                .also { it.values(text) }.append("x")
            batch.column(Field.of("d", DataType.dictionary(DataType.INT16, DataType.INT8)))
                .also { it.dictionary(text) }.append("x")
            batch.build()
                .use { it.schema().fields().map { field -> field.toString().substringAfter(": ") } shouldBe listOf(
                    "list<s: utf8>", "list_view<s: utf8>", "fixed_size_list<s: utf8>[1]",
                    "run_end_encoded<run_ends: int16 not null, s: utf8>", "dictionary<values=utf8, indices=int16>",
                ) }
        }
    }

    test("the builder of a child is one object, which the caller can keep while it appends rows [BLD-01]") {
        val struct = DataType.struct(number, Field.of("tags", DataType.list(text)),
            Field.of("prices", DataType.map(text.withNullable(false), number)))
        built(struct, 50, {
            val n = child("n")
            val tags = child("tags")
            val (tag, prices) = tags.items() to child(2)
            val (key, price) = prices.keys() to prices.values()
            repeat(50) { row ->
                n.append(row.toLong())
                repeat(row % 3) { tag.append("t$it") }
                tags.appendList(row % 3)
                key.append("k$row")
                price.append(-row.toLong())
                prices.appendMap(1)
                appendStruct()
            }
            listOf(child("n") === n, child(1) === tags, tags.items() === tag, prices.keys() === key,
                prices.values() === price) shouldBe List(5) { true }
        }) { array ->
            array.asColumn().get(49) shouldBe
                mapOf("n" to 49L, "tags" to listOf("t0"), "prices" to listOf(SimpleEntry("k49", -49L)))
        }
    }

    test("an append to a replaced child builder is an error when the batch is built [BLD-21]") {
        val inner = Field.of("pair", DataType.struct(number))
        val replacing = listOf<Pair<DataType, (ColumnBuilder) -> Pair<ColumnBuilder, ColumnBuilder>>>(
            DataType.list(number) to { it.items() to it.items(text) },
            DataType.listView(number) to { it.items() to it.items(text) },
            DataType.fixedSizeList(number, 1) to { it.items() to it.items(text) },
            DataType.map(required, number) to { it.keys() to it.keys(text.withNullable(false)) },
            DataType.map(required, number) to { it.values() to it.values(text) },
            DataType.runEndEncoded(DataType.INT32, number) to { it.values() to it.values(text) },
            DataType.dictionary(DataType.INT8, DataType.INT32) to { it.dictionary() to it.dictionary(text) },
            DataType.list(inner) to { it.items().child("n") to it.items(text) },
        )
        for ((type, replace) in replacing) withClue(type) {
            BatchBuilder.of(Devices.cpu()).use { batch ->
                val (held, _) = replace(batch.column(Field.of("a", type)))
                held.append(1)
                shouldThrow<IllegalStateException> { batch.build() }.message!! shouldContain
                    "whose builder was replaced when its type was set; use the builder that this call returned"
            }
        }
    }
})
