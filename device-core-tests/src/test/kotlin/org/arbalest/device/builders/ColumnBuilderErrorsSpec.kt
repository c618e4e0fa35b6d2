// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.builders

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldEndWith
import org.arbalest.device.Devices
import org.arbalest.device.support.Balanced
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Interval
import java.lang.foreign.MemorySegment
import java.math.BigDecimal
import java.time.Instant
import java.time.LocalDate
import java.time.OffsetDateTime
import java.util.UUID

/** The error messages of builders, which name the column, its type and the methods to call. */
class ColumnBuilderErrorsSpec : FunSpec({
    extension(Balanced)

    fun builders(rows: Int = 1, use: BatchBuilder.() -> Unit) = BatchBuilder.of(Devices.cpu(), rows).use(use)

    fun BatchBuilder.column(type: DataType) = column(Field.of("x", type))

    fun refused(call: () -> Any?): String = shouldThrow<IllegalArgumentException> { call() }.message!!

    val item = Field.of("item", DataType.INT8)

    test("an append of an unsupported value names the type, and the methods that append to it [BLD-16]") {
        builders {
            refused { column(DataType.INT8).append("1") } shouldBe
                "column \"x\" of type int8 does not hold text; append(long) takes values"
            refused { column(DataType.INTERVAL_DAY_TIME).append(1) } shouldBe
                "column \"x\" of type day_time_interval does not hold an integer; append(Interval) and " +
                "append(Period) take values"
            refused { column(DataType.struct(item)).appendList(1) } shouldBe
                "column \"x\" of type struct<item: int8> does not hold a list; appendStruct() appends to it, and " +
                "child(…) has its fields"
            refused {
                column(Field.of("id", DataType.UTF8).withExtension("arrow.uuid", "")).append(UUID(0, 0))
            } shouldBe
                "column \"id\" of type arrow.uuid (utf8) does not hold a UUID: arrow.uuid is stored as " +
                "fixed_size_binary[16], not as utf8; " +
                "append(String) and append(MemorySegment) take values"
            refused { column(DataType.dictionary(DataType.INT8, DataType.list(item))).items() } shouldBe
                "column \"x\" of type dictionary<values=list<item: int8>, indices=int8> does not hold a list itself: " +
                "it is a dictionary, whose values are appended one by one, and their parts to dictionary()"
            refused { column(DataType.INT8).append(300) } shouldBe
                "column \"x\" of type int8 does not hold the integer 300 (-128 to 127), in row 0"
        }
    }

    test("the errors of every type name the methods that append to it [BLD-16]") {
        val says = mapOf(
            DataType.NULL to "appendNull() alone", DataType.BOOL to "append(boolean)",
            DataType.UINT64 to "append(long)", DataType.FLOAT16 to "append(double)",
            DataType.decimal64(3, 1) to "append(BigDecimal)", DataType.DATE64 to "append(LocalDate)",
            DataType.time(ArrowTimeUnit.SECOND) to "append(LocalTime)",
            DataType.timestamp(ArrowTimeUnit.SECOND, "UTC") to "append(Instant), append(ZonedDateTime)",
            DataType.timestamp(ArrowTimeUnit.SECOND, null) to "append(LocalDateTime)",
            DataType.duration(ArrowTimeUnit.SECOND) to "append(Duration)",
            DataType.INTERVAL_YEAR_MONTH to "append(Period), append(Interval) and append(long)",
            DataType.LARGE_UTF8 to "append(String)", DataType.BINARY_VIEW to "append(byte[])",
            DataType.listView(item) to "appendList(size) appends to it, and items()",
            DataType.map(Field.of("key", DataType.INT8), item) to
                "appendMap(size) appends to it, and keys() and values()",
            DataType.denseUnion(item) to "appendUnion(child) appends to it, and child(…)",
        )
        builders {
            for ((type, what) in says) refused { column(type).viewBufferSize(0) }.let {
                if (type != DataType.BINARY_VIEW) it shouldContain "does not hold views; $what"
            }
        }
        val extended = mapOf(
            Field.uuid("x") to "append(UUID)", Field.bool8("x") to "append(boolean)",
            Field.timestampWithOffset("x", ArrowTimeUnit.SECOND) to "append(OffsetDateTime)",
        )
        builders {
            for ((field, what) in extended) refused { column(field).appendMap(1) } shouldContain
                "does not hold a map; $what"
        }
    }

    test("the errors of nested builders name the path of the column [BLD-16]") {
        val line = DataType.struct(Field.of("qty", DataType.INT8), Field.of("sku", DataType.UTF8).withNullable(false))
        val order = DataType.struct(Field.of("lines", DataType.list(Field.of("item", line))))
        builders {
            val lines = column(Field.of("orders", DataType.list(Field.of("item", order)))).items().child("lines")
            refused { lines.items().child("qty").append(300) } shouldContain
                "column \"orders.item.lines.item.qty\" of type int8 does not hold the integer 300"
            refused { lines.items().child("sku").appendNull() } shouldBe
                "column \"orders.item.lines.item.sku\" is not nullable, but row 0 is null"
            refused { lines.appendList(-1) } shouldBe "column \"orders.item.lines\", row 0: a list of size -1"
            refused { lines.appendList(Int.MAX_VALUE).appendList(1) } shouldContain
                "column \"orders.item.lines\", row 1: has 32-bit offsets"
            refused { lines.items().child("no") } shouldContain "column \"orders.item.lines.item\""
        }
        builders {
            val map = column(DataType.map(Field.of("key", DataType.UTF8), Field.of("value", DataType.INT8)))
            refused { map.keys().appendNull() } shouldBe "column \"x.entries.key\" is not nullable, but row 0 is null"
            refused { map.values().append("") } shouldContain "column \"x.entries.value\" of type int8"
            val union = column(DataType.sparseUnion(item))
            refused { union.child(0).append("") } shouldContain "column \"x.item\" of type int8"
            val lists = DataType.list(item)
            refused { column(DataType.dictionary(DataType.INT8, lists)).dictionary().items().append("") } shouldContain
                "column \"x.(dictionary).item\" of type int8"
            refused {
                column(DataType.runEndEncoded(DataType.INT16, Field.of("v", lists))).values().items().append("")
            } shouldContain "column \"x.v.item\" of type int8"
            refused { column(DataType.dictionary(DataType.INT8, DataType.INT8)).append("") } shouldContain
                "column \"x\" of type int8"
            refused { column(DataType.list(item)).items(Field.of("other", DataType.UTF8)).append(1) } shouldContain
                "column \"x.other\" of type utf8"
            refused { column(DataType.struct()).addChild(item).append("") } shouldContain "column \"x.item\""
        }
        builders {
            column(DataType.struct(Field.of("l", lists(item)))).appendStruct().child("l").appendList(2)
            shouldThrow<IllegalStateException> { build() }.message shouldBe
                "column \"x.l\": the lists have 2 elements, but 0 were appended"
        }
    }

    test("the error for missing fields of a null struct names the method that appends them [BLD-17]") {
        val why = "; append values for null structs too, or use appendNullWithParts()"
        for (type in listOf(
            Field.of("x", DataType.struct(item)), Field.timestampWithOffset("x", ArrowTimeUnit.SECOND),
        )) {
            builders {
                val column = column(type).appendNull()
                shouldThrow<IllegalStateException> { build() }.message shouldEndWith "has 0$why"
                shouldThrow<IllegalStateException> { column.appendNullWithParts() }.message shouldEndWith why
            }
        }
        builders {
            column(DataType.struct(item)).appendStruct()
            shouldThrow<IllegalStateException> { build() }.message shouldBe
                "column \"x\" has 1 structs, but its field \"item\" has 0"
        }
    }

    test("an append of a null value names appendNull(), and appends nothing [BLD-17]") {
        val values = listOf<Pair<DataType, ColumnBuilder.() -> Any?>>(
            DataType.UTF8 to { append(none<String>()) }, DataType.UTF8_VIEW to { append(none<String>()) },
            DataType.BINARY to { append(none<ByteArray>()) },
            DataType.fixedSizeBinary(2) to { append(none<ByteArray>()) },
            DataType.decimal64(3, 1) to { append(none<BigDecimal>()) },
            DataType.dictionary(DataType.INT8, DataType.UTF8) to { append(none<String>()) },
            DataType.INTERVAL_DAY_TIME to { append(none<Interval>()) },
            DataType.UTF8 to { append(none<MemorySegment>()) },
            DataType.BINARY_VIEW to { append(none<MemorySegment>()) },
            DataType.fixedSizeBinary(2) to { append(none<MemorySegment>()) },
            DataType.dictionary(DataType.INT8, DataType.UTF8) to { append(none<MemorySegment>()) },
            DataType.DATE32 to { append(none<LocalDate>()) },
            DataType.timestamp(ArrowTimeUnit.SECOND, "UTC") to { append(none<Instant>()) },
        )
        builders {
            for ((type, append) in values) withClue(type) {
                val column = column(type)
                shouldThrow<NullPointerException> { column.append() }.message shouldBe
                    "value is null, which appendNull() appends"
                column.length() shouldBe 0
            }
            shouldThrow<NullPointerException> { column(Field.uuid("x")).append(none<UUID>()) }.message shouldContain
                "appendNull()"
            val times = column(Field.timestampWithOffset("x", ArrowTimeUnit.SECOND))
            shouldThrow<NullPointerException> { times.append(none<OffsetDateTime>()) }.message shouldContain
                "appendNull()"
        }
    }
})

/** Returns a null, as a Java caller can pass it. */
@Suppress("UNCHECKED_CAST")
private fun <T> none(): T = null as T

private fun lists(item: Field) = DataType.list(item)
