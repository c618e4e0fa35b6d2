// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.builders

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Devices
import org.arbalest.device.internal.schema.Layout
import org.arbalest.device.support.Balanced
import org.arbalest.device.support.batch
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.DecimalType
import org.arbalest.device.types.FlatType.FixedSizeBinaryType
import org.arbalest.device.types.NestedType.ListType
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.math.BigDecimal
import java.util.concurrent.CompletableFuture

/** Appends that throw before they are complete. */
class ColumnBuilderFailureSpec : FunSpec({
    extension(Balanced)

    /**
     * Appends a value with [good], calls [bad], which throws, and appends a value again. Returns the values of the
     * column, and the exception.
     */
    fun around(
        type: DataType,
        good: ColumnBuilder.() -> Unit,
        bad: ColumnBuilder.() -> Unit,
    ): Pair<List<Any?>, Throwable> =
        BatchBuilder.of(Devices.cpu(), 2).use { batch ->
            val column = batch.column(Field.of("a", type))
            column.good()
            val thrown = shouldThrow<Throwable> { column.bad() }
            withClue("$type: $thrown") { column.length() shouldBe 1 }
            column.good()
            batch.build().use { array -> array.column("a").let { read -> List(2) { read.get(it.toLong()) } } to thrown }
        }

    val bytes = byteArrayOf(7)

    test("a bulk append from unreadable memory, of a closed arena or another thread, appends nothing [OWN-15]") {
        val closed = Arena.ofConfined().use { it.allocate(80) }
        Arena.ofConfined().use { arena ->
            val elsewhere = CompletableFuture.supplyAsync { Arena.ofConfined().allocate(80) }.get()
            for (segment in listOf(closed, elsewhere)) {
                for (type in listOf(
                    DataType.INT8, DataType.FLOAT64, DataType.decimal128(38, 0), FixedSizeBinaryType(1),
                )) {
                    val good: ColumnBuilder.() -> Unit = {
                        if (type is FixedSizeBinaryType) append(bytes)
                        else if (type is DecimalType) append(BigDecimal(7))
                        else appendAll(arena.allocate(8).fill(0).asSlice(0, Layout.of(field()).width()))
                    }
                    val (rows, thrown) = around(type, good) { appendAll(segment) }
                    (thrown is IllegalStateException || thrown is WrongThreadException) shouldBe true
                    rows[0].let { (it as? ByteArray)?.toList() ?: it } shouldBe rows[1].let {
                        (it as? ByteArray)?.toList() ?: it
                    }
                }
            }
        }
    }

    test("a bulk append appends nothing if one value does not fit [OWN-15]") {
        val one: ColumnBuilder.() -> Unit = { append(1) }
        around(DataType.INT8, one) { appendAll(longArrayOf(5, 6, 300)) }.first shouldBe listOf(1L, 1L)
        around(DataType.INT8, one) { appendAll(intArrayOf(5, 6, 300)) }.first shouldBe listOf(1L, 1L)
        around(DataType.INT8, one) { appendAll(shortArrayOf(5, 300)) }.first shouldBe listOf(1L, 1L)
        around(DataType.UINT16, one) { appendAll(byteArrayOf(5, -1)) }.first shouldBe listOf(1L, 1L)
        around(DataType.decimal32(2, 0), one) { appendAll(longArrayOf(5, 99, 100)) }.first shouldBe
            listOf(BigDecimal(1), BigDecimal(1))
        around(DataType.FLOAT32, one) { appendAll(intArrayOf(5, 16777217)) }.first shouldBe listOf(1.0, 1.0)
        around(DataType.FLOAT16, one) { appendAll(longArrayOf(5, 65505)) }.first shouldBe listOf(1.0, 1.0)
        around(DataType.BOOL, { append(true) }) { appendAll(longArrayOf(1)) }.first shouldBe listOf(true, true)
        around(FixedSizeBinaryType(2), { append(byteArrayOf(1, 2)) }) { appendAll(MemorySegment.ofArray(ByteArray(3))) }
    }

    test("setNulls makes no row null if its predicate throws or selects a row that cannot be null [OWN-15]") {
        for (nullable in listOf(true, false)) {
            BatchBuilder.of(Devices.cpu(), 3).use { batch ->
                val column = batch.column(Field.of("a", DataType.INT32).withNullable(nullable))
                    .appendAll(intArrayOf(1, 2, 3))
                shouldThrow<RuntimeException> { column.setNulls { if (it == 2) error("no") else it == 1 && nullable } }
                if (!nullable) shouldThrow<IllegalArgumentException> { column.setNulls { it == 1 } }
                batch.build().use { it.column("a").nullCount() shouldBe 0 }
            }
        }
    }

    test("a batch does not have a column whose list of values throws or is invalid [OWN-15]") {
        BatchBuilder.of(Devices.cpu(), 2).use { batch ->
            val texts = object : AbstractList<String>() {
                override val size = 2
                override fun get(index: Int) = if (index == 0) "first" else error("no more")
            }
            shouldThrow<IllegalStateException> { batch.utf8("t", texts) }.message shouldBe "no more"
            shouldThrow<IllegalArgumentException> { batch.utf8("t", listOf("fine", "\uD800")) }
            batch.utf8("t", listOf("a", "b")).build().use { array ->
                array.schema().fields().size shouldBe 1
                array.column("t").getString(1) shouldBe "b"
            }
        }
    }

    test("a rejected list leaves the offsets unchanged [OWN-15]") {
        around(ListType(Field.of("item", DataType.INT8)), { appendList(1).items().append(1) }) { appendList(-1) }
            .first shouldBe listOf(listOf(1L), listOf(1L))
    }

    test("text with half a surrogate pair is rejected with the column and the row, and not replaced [OWN-15]") {
        val types = listOf(DataType.UTF8, DataType.LARGE_UTF8, DataType.dictionary(DataType.INT8, DataType.UTF8))
        for (type in types) {
            for (half in listOf("\uD83D", "\uDE00", "is it? \uDE00\uD83D", "ab\uD83D!")) {
                val (rows, thrown) = around(type, { append("what? \uD83D\uDE00") }) { append(half) }
                rows shouldBe List(2) { "what? \uD83D\uDE00" }
                (thrown is IllegalArgumentException) shouldBe true
                thrown.message shouldContain
                    "column \"a\", row 1: character ${half.indexOfFirst(Char::isSurrogate)} of the text, U+"
            }
        }
    }

    test("a batch that is built or closed rejects every append, even of a value without bytes [OWN-13]") {
        val field = Field.of("a", DataType.INT8)
        val appends = mapOf<DataType, List<ColumnBuilder.() -> Unit>>(
            DataType.NULL to listOf({ appendNull() }, { appendNulls(3) }),
            DataType.struct() to listOf({ appendStruct() }, { appendNull() }, { appendNulls(3) },
                { appendNullWithParts() }, { setNulls { true } }),
            DataType.fixedSizeList(field, 0) to
                listOf({ appendList(0) }, { appendNull() }, { appendLists(intArrayOf(0)) }),
            FixedSizeBinaryType(0) to listOf({ append(ByteArray(0)) }, { appendNull() }),
            DataType.UTF8 to listOf({ append("") }, { appendNull() }),
            DataType.UTF8_VIEW to listOf({ append("") }, { appendNull() }),
            DataType.BOOL to listOf({ append(true) }, { appendNull() }),
            DataType.INT64 to listOf({ append(1L) }, { appendNull() }),
            DataType.list(field) to listOf({ appendList(0) }, { appendNull() }),
            DataType.listView(field) to listOf({ appendList(0) }, { appendListView(0, 0) }, { appendNull() }),
        )
        val batchOfNull = BatchBuilder.of(Devices.cpu(), 1)
        val late = batchOfNull.column(Field.of("a", DataType.struct(Field.of("n", DataType.NULL))))
            .appendNullWithParts()
        batchOfNull.build().close()
        shouldThrow<IllegalStateException> { late.appendNullWithParts() }
        for ((type, each) in appends) {
            for (isBuilt in listOf(true, false)) {
                val batch = BatchBuilder.of(Devices.cpu(), 0)
                val column = batch.column(Field.of("a", type))
                if (isBuilt) batch.build().close() else batch.close()
                for (append in each) {
                    val why = if (isBuilt) "the batch was built" else "the batch was closed"
                    withClue(type) {
                        shouldThrow<IllegalStateException> { column.append() }.message shouldBe
                            "$why, and nothing can be appended to it any more"
                    }
                }
                batch.close()
            }
        }
    }
})
