// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.types

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.types.FlatType.DecimalType

class DataTypeSpec : FunSpec({
    val item = Field.of("item", DataType.INT32)
    val item8 = Field.of("item", DataType.UTF8)

    val withParameters = listOf(
        DataType.fixedSizeBinary(3), DataType.time(ArrowTimeUnit.MICROSECOND),
        DataType.timestamp(ArrowTimeUnit.SECOND, null), DataType.timestamp(ArrowTimeUnit.SECOND, "UTC"),
        DataType.duration(ArrowTimeUnit.NANOSECOND), DataType.list(item), DataType.largeList(item),
        DataType.listView(item), DataType.largeListView(item), DataType.fixedSizeList(item, 4),
        DataType.struct(item, item8), DataType.denseUnion(item, item8), DataType.sparseUnion(item, item8),
    )

    test("a constant or a method of DataType creates every type") {
        val constants = DataType::class.java.fields.map { it.get(null).javaClass }
        val made = withParameters + DataType.decimal128(5, 2) + DataType.map(item8, item) +
            DataType.runEndEncoded(DataType.INT16, item) +
            DataType.dictionary(DataType.INT8, DataType.UTF8)
        val records = listOf(FlatType::class.java, NestedType::class.java).flatMap { it.classes.toList() }
            .filter { it.isRecord }
        records.size shouldBe 27
        (records - (constants + made.map { it.javaClass }).toSet()).shouldBeEmpty()
        (records.filter { it.recordComponents.isEmpty() } - constants.toSet()).shouldBeEmpty()
    }

    test("each constant of DataType is the type of its name") {
        val formats = DataType::class.java.fields.associate { it.name to (it.get(null) as DataType).format() }
        formats shouldBe mapOf(
            "NULL" to "n", "BOOL" to "b", "INT8" to "c", "INT16" to "s", "INT32" to "i", "INT64" to "l", "UINT8" to "C",
            "UINT16" to "S", "UINT32" to "I", "UINT64" to "L", "FLOAT16" to "e", "FLOAT32" to "f", "FLOAT64" to "g",
            "UTF8" to "u", "LARGE_UTF8" to "U", "UTF8_VIEW" to "vu", "BINARY" to "z", "LARGE_BINARY" to "Z",
            "BINARY_VIEW" to "vz", "DATE32" to "tdD", "DATE64" to "tdm", "INTERVAL_YEAR_MONTH" to "tiM",
            "INTERVAL_DAY_TIME" to "tiD",
            "INTERVAL_MONTH_DAY_NANO" to "tin",
        )
    }

    test("a decimal has the width of its factory method, which rejects a precision that is too large") {
        listOf(DataType.decimal32(9, 2), DataType.decimal64(18, 2), DataType.decimal128(38, -2),
            DataType.decimal256(76, 0)) shouldBe
            listOf(DecimalType(32, 9, 2), DecimalType(64, 18, 2), DecimalType(128, 38, -2), DecimalType(256, 76, 0))
        shouldThrow<IllegalArgumentException> { DataType.decimal64(128, 2) }.message shouldBe
            "precision of a decimal64 is 1 to 18, not 128"
    }

    test("the format of a type contains its parameters") {
        withParameters.map { it.format() } shouldBe
            listOf("w:3", "ttu", "tss:", "tss:UTC", "tDn", "+l", "+L", "+vl", "+vL", "+w:4", "+s", "+ud:0,1", "+us:0,1")
        DataType.map(Field.of("key", DataType.UTF8), item).children().single().type().children().map { "$it" } shouldBe
            listOf("key: utf8 not null", "item: int32")
        DataType.runEndEncoded(DataType.INT16, item).children().map { "$it" } shouldBe
            listOf("run_ends: int16 not null", "item: int32")
        shouldThrow<IllegalArgumentException> { DataType.runEndEncoded(DataType.UINT16, item) }.message shouldContain
            "int16, int32 or int64"
        Field.of("d", DataType.dictionary(DataType.INT8, DataType.UTF8)).toString() shouldBe
            "d: dictionary<values=utf8, indices=int8>"
    }

    test(
        "DataType has no default methods, so two threads that initialize it and a type cannot deadlock",
    ) {
        DataType::class.java.declaredMethods.filter { it.isDefault }.shouldBeEmpty()
    }
})
