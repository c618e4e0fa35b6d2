// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Devices
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.support.Balanced
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.StructType

/**
 * Fillers: the elements under nulls, and those of a union's other children. A builder adds them only when all earlier
 * elements are there, and removes them if it rejects a value.
 */
class FillersSpec : FunSpec({
    extension(Balanced)

    val number = Field.of("n", DataType.INT32)
    val point = StructType(listOf(Field.of("x", DataType.INT32)))
    val struct = Field.of("s", point)

    /** Returns a column's rows after [fill]. */
    fun rows(
        type: DataType,
        rows: Int,
        fill: ColumnBuilder.() -> Unit,
    ): List<Any?> = BatchBuilder.of(Devices.cpu(), rows).use { batch ->
        batch.column(Field.of("a", type)).fill()
        batch.build().use { array ->
            array.column("a").let { column -> (0 until column.length()).map { column.get(it) } }
        }
    }

    fun ColumnBuilder.refuses(says: String, append: ColumnBuilder.() -> Unit) {
        val before = length()
        val thrown = shouldThrow<RuntimeException> { append() }
        thrown.message!! shouldContain says
        withClue(thrown) { length() shouldBe before }
    }

    fun x(value: Long?) = mapOf("x" to value)

    test("a null among lists of structs needs exactly the field values of the structs before it [BLD-03]") {
        rows(DataType.fixedSizeList(struct, 2), 3) {
            appendList(2)
            repeat(2) { items().appendStruct() }
            refuses("\"a.s\", row 2: its field \"x\" has 0 values, but 2 structs come before") { appendNull() }
            items().child("x").append(1).append(2).append(3)
            refuses("\"a.s\", row 2: its field \"x\" has 3 values, but 2 structs come before") { appendNull() }
            items().length() shouldBe 2
            items().appendStruct().appendStruct().child("x").append(4)
            appendList(2).appendNull()
        } shouldBe listOf(listOf(x(1), x(2)), listOf(x(3), x(4)), null)
    }

    test("a null in a dense union's struct needs the field values of the structs before it [BLD-05]") {
        rows(DataType.denseUnion(struct, number), 2) {
            appendUnion("s").child("s").appendStruct()
            refuses("its field \"x\" has 0 values, but 1 structs come before") { appendNull() }
            child("s").child("x").append(7)
            appendNull()
        } shouldBe listOf(x(7), null)
    }

    test("a sparse union fills a struct child only if the field values of earlier structs are there [BLD-06]") {
        for (bulk in listOf(false, true)) rows(DataType.sparseUnion(struct, number), 3) {
            appendUnion("s").child("s").appendStruct()
            refuses("its field \"x\" has 0 values, but 1 structs come before") {
                if (bulk) appendUnions(byteArrayOf(1)) else appendUnion("n")
            }
            child("s").child("x").append(7).append(8)
            refuses("its field \"x\" has 2 values, but 1 structs come before") {
                if (bulk) appendUnions(byteArrayOf(1)) else appendUnion("n")
            }
            child("s").appendStruct()
            appendUnion("s")
            if (bulk) appendUnions(byteArrayOf(1)) else appendUnion("n")
            child("n").length() shouldBe 2
            child("n").append(5)
        } shouldBe listOf(x(7), x(8), 5L)
    }

    val runs = Field.of("r", DataType.runEndEncoded(DataType.INT16, number))

    test("if one of several fillers cannot be added, none is [OWN-15]") {
        BatchBuilder.of(Devices.cpu(), 32767).use { batch ->
            val column = batch.column(Field.of("a", DataType.sparseUnion(number, runs)))
            for (row in 0 until 32766) column.child("n").append(row.toLong())
            column.child("r").appendRun(32766).values().append(1)
            column.appendUnions(ByteArray(32766))
            column.child("n").append(5)
            column.refuses("count (32767)") { appendUnions(ByteArray(2)) } // the first row would fit
            column.child("r").length() shouldBe 32766
            column.appendUnion("n")
            column.child("n").length() shouldBe 32767
            column.refuses("count (32767)") { appendUnion("n") }
            column.refuses("count (32767)") { appendNull() }
            column.child("n").length() shouldBe 32767
            batch.build().close()
        }
        BatchBuilder.of(Devices.cpu(), 16383).use { batch ->
            val column = batch.column(Field.of("a", DataType.fixedSizeList(runs, 2))).appendLists(IntArray(16383) { 2 })
            column.items().appendRun(32766).values().append(1)
            column.refuses("count (32767)") { appendNull() }
            column.items().length() shouldBe 32766
            batch.build().close()
        }
        rows(DataType.fixedSizeList(Field.of("r", DataType.runEndEncoded(DataType.INT16, struct)), 1), 1) {
            items().values().child("x").append(1)
            refuses("has 0 structs, but its field \"x\" has 1") { appendNull() }
            items().values().child("x").length() shouldBe 1
            items().appendStruct()
            appendList(1)
        } shouldBe listOf(listOf(x(1)))
        val sparse = Field.of("u", DataType.sparseUnion(number, Field.of("m", DataType.INT32)))
        rows(DataType.fixedSizeList(sparse, 1), 2) {
            appendList(1).items().appendUnion("n").child("n").append(1)
            items().child("n").append(2)
            refuses("child \"n\" comes next, but the child has 2 elements instead of 1") { appendNull() }
            appendList(1).items().appendUnion("n")
        } shouldBe listOf(listOf(1L), listOf(2L))
        rows(DataType.fixedSizeList(sparse, 2), 2) {
            appendList(2).items().child("n").append(1).append(2)
            items().appendUnion("n").appendUnion("m")
            refuses("child \"m\" has only 1 of the elements before it") { appendNull() }
            items().child("n").length() shouldBe 2
            items().child("m").append(3)
            appendNull()
        } shouldBe listOf(listOf(1L, 3L), null)
    }

    test("a child that cannot be filled for the existing rows is not added to a sparse union [OWN-15]") {
        BatchBuilder.of(Devices.cpu(), 40_000).use { batch ->
            val column = batch.column(Field.of("a", DataType.sparseUnion(number)))
            column.child("n").appendAll(IntArray(40_000))
            column.appendUnions(ByteArray(40_000))
            shouldThrow<IllegalArgumentException> { column.addChild(runs) }.message shouldContain "count (32767)"
            column.field().type() shouldBe DataType.sparseUnion(number)
            batch.build().close()
        }
    }

    test("a dictionary or run-ends remove the fillers of a rejected value, but not its given parts [OWN-15]") {
        val union = DataType.sparseUnion(number, Field.of("s", DataType.UTF8), runs)
        for (type in listOf<DataType>(
            DataType.dictionary(DataType.INT8, union), DataType.runEndEncoded(DataType.INT32, Field.of("u", union)),
        )) withClue(type) {
            rows(type, 2) {
                val parts = if (type.format() == "+r") values() else dictionary()
                repeat(2) { refuses("child \"n\"") { appendUnion("n") } }
                for (part in listOf("n", "s", "r")) parts.child(part).length() shouldBe 0
                parts.child("r").values().length() shouldBe 0
                parts.child("s").append("given")
                refuses("child \"n\"") { appendUnion("n") }
                parts.child("s").length() shouldBe 1
                parts.child("r").length() shouldBe 0
                parts.child("n").append(5)
                appendUnion("n")
                parts.child("n").append(6)
                appendUnion("n")
            } shouldBe listOf(5L, 6L)
        }
    }

    test("run-ends reject a null before they add its parts [OWN-15]") {
        rows(DataType.runEndEncoded(DataType.INT32, struct), 2) {
            values().child("x").append(1)
            refuses("\"x\" has 1") { appendNull() }
            values().child("x").length() shouldBe 1
            appendStruct().appendNull()
        } shouldBe listOf(x(1), null)
        BatchBuilder.of(Devices.cpu(), 32767).use { batch ->
            val column = batch.column(Field.of(
                "a", DataType.runEndEncoded(DataType.INT16, Field.of("two", DataType.fixedSizeList(number, 2))),
            )).appendRun(32767)
            column.values().items().append(1).append(2)
            column.values().appendList(2)
            column.refuses("count (32767)") { appendNull() }
            column.values().items().length() shouldBe 2
            batch.build().close()
        }
    }

    test("a value beyond a dictionary's index leaves only the parts that were given [OWN-15]") {
        BatchBuilder.of(Devices.cpu(), 129).use { batch ->
            val column = batch.column(Field.of("a", DataType.dictionary(DataType.INT8,
                DataType.fixedSizeList(DataType.denseUnion(number).let { Field.of("u", it) }, 1))))
            for (i in 0L until 128) {
                column.dictionary().items().appendUnion("n").child("n").append(i)
                column.appendList(1)
            }
            column.dictionary().items().appendUnion("n").child("n").append(500)
            column.refuses("beyond what int8 indices count (127)") { appendList(1) }
            column.dictionary().length() shouldBe 128
            column.dictionary().items().length() shouldBe 129
            column.growIndices().appendList(1)
            batch.build().use { it.column("a").get(128) shouldBe listOf(500L) }
        }
    }
})
