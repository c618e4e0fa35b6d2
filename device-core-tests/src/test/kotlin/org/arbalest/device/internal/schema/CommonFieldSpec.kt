// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.Validation
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType
import org.arbalest.device.types.NestedType
import org.arbalest.support.ResourceCountersExtension

/** Tests of the field of joined arrays whose own fields differ, and of the fields that match an expected field. */
class CommonFieldSpec : FunSpec({
    extension(ResourceCountersExtension)

    val cpu = Devices.cpu()

    /** Returns a batch without rows. */
    fun batch(vararg fields: Field): RecordBatch = BatchBuilder.of(cpu, 0).use { batch ->
        fields.forEach { batch.column(it) }
        batch.build()
    }

    test("concat rejects other or reordered columns, but accepts other names of items and entries [ARR-21]") {
        val (x, y) = Field.of("x", DataType.INT32) to Field.of("y", DataType.INT32)
        fun refused(path: String, one: Array<Field>, other: Array<Field>) = batch(*one).use { first ->
            batch(*other).use { second ->
                val error = shouldThrow<IllegalArgumentException> { DeviceArray.concat(listOf(first, first, second)) }
                error.message shouldBe
                    """arrays[2] and arrays[0] differ: ${path}field 0 is "y: int32", of the first "x: int32""""
            }
        }
        refused("", arrayOf(x, y), arrayOf(y, x))
        refused("$.s: ", arrayOf(Field.of("s", DataType.struct(x, y))), arrayOf(Field.of("s", DataType.struct(y, x))))
        fun list(item: String, of: Field) = Field.of("l", DataType.list(Field.of(item, DataType.struct(of))))
        refused("$.l.item: ", arrayOf(list("item", x)), arrayOf(list("element", y)))
        for (union in listOf<(Field) -> DataType>({ DataType.denseUnion(it) }, { DataType.sparseUnion(it) }))
            refused("$.u: ", arrayOf(Field.of("u", union(x))), arrayOf(Field.of("u", union(y))))
        fun map(item: String, entries: String, key: String, value: String): Field {
            val pair = DataType.struct(Field.of(key, DataType.INT32).withNullable(false),
                Field.of(value, DataType.list(Field.of(item, DataType.INT32))))
            return Field.of("m", NestedType.MapType(Field.of(entries, pair).withNullable(false), false))
        }
        batch(map("item", "entries", "key", "value")).use { first ->
            batch(map("element", "key_value", "k", "v")).use { second ->
                DeviceArray.concat(listOf(first, second)).use { it.field() shouldBe first.field() }
            }
        }
    }

    test("concat names the path of a type that differs, or of keys sorted in one array only [ARR-21]") {
        fun refused(
            one: DataType,
            other: DataType,
        ): String? = batch(Field.of("s", DataType.struct(Field.of("a", one)))).use { first ->
            batch(Field.of("s", DataType.struct(Field.of("a", other)))).use { second ->
                shouldThrow<IllegalArgumentException> { DeviceArray.concat(listOf(first, second)) }.message
            }
        }
        val encoded = DataType.dictionary(DataType.INT8, DataType.UTF8)
        refused(DataType.INT32, DataType.INT64) shouldBe
            """arrays[1] and arrays[0] differ: $.s.a: one is "a: int64", the first "a: int32""""
        refused(encoded, DataType.INT8) shouldBe """arrays[1] and arrays[0] differ: $.s.a: one is "a: int8", """ +
            """the first "a: dictionary<values=utf8, indices=int8>""""
        refused(encoded, DataType.dictionary(DataType.INT8, DataType.BINARY)) shouldBe
            """arrays[1] and arrays[0] differ: $.s.a.(dictionary): one is "binary", the first "utf8""""
        refused(
            encoded, NestedType.DictionaryType(FlatType.IntType(8, true), Field.of("values", DataType.UTF8), true),
        ) shouldBe
            "arrays[1] and arrays[0] differ: $.s.a: they differ in whether keys are sorted, or the " +
            "dictionary is ordered"
    }

    test("a field that is nullable in one array is nullable in the joined array, at any depth [ARR-21]") {
        val (may, not) = Field.of("x", DataType.INT32) to Field.of("x", DataType.INT32).withNullable(false)
        fun rows(field: Field, fill: (ColumnBuilder) -> Unit) = BatchBuilder.of(cpu, 1).use { batch ->
            fill(batch.column(field))
            batch.build()
        }
        rows(not) { it.append(1L) }.use { first ->
            rows(may) { it.appendNull() }.use { second ->
                DeviceArray.concat(listOf(first, second)).use {
                    it.validate(Validation.FULL)
                    it.schema().fields() shouldBe listOf(may)
                }
                DeviceArray.concat(listOf(second, first)).use { it.schema().fields() shouldBe listOf(may) }
                DeviceArray.concat(listOf(first, first)).use { it.schema().fields() shouldBe listOf(not) }
            }
        }
        fun around(field: Field): List<DataType> = listOf(
            DataType.struct(field), DataType.list(field), NestedType.LargeListType(field),
            NestedType.ListViewType(field), NestedType.LargeListViewType(field),
            NestedType.FixedSizeListType(field, 2),
            NestedType.UnionType(NestedType.UnionMode.DENSE, listOf(3), listOf(field)),
            NestedType.UnionType(NestedType.UnionMode.SPARSE, listOf(3), listOf(field)),
            NestedType.DictionaryType(FlatType.IntType(8, true), field, false),
            NestedType.RunEndEncodedType(Field.of("run_ends", DataType.INT32).withNullable(false), field),
            NestedType.MapType(
                Field.of("entries", DataType.struct(Field.of("key", DataType.INT32).withNullable(false), field))
                    .withNullable(false),
                false,
            ),
        )
        for ((one, other) in around(not).zip(around(may))) {
            batch(Field.of("a", one)).use { first ->
                batch(Field.of("a", other)).use { second ->
                    DeviceArray.concat(listOf(first, second)).use {
                        it.field() shouldBe second.field()
                        it.validate(Validation.FULL)
                    }
                }
            }
        }
    }

    test(
        "a non-nullable expected field rejects nullable columns, but not batches, entries or dictionary values " +
            "[STR-12]",
    ) {
        val (may, not) = Field.of("x", DataType.INT32) to Field.of("x", DataType.INT32).withNullable(false)
        fun struct(field: Field) = Field.of("", DataType.struct(field)).withNullable(false)
        fun refused(expected: Field, given: Field) = shouldThrow<DeviceException> {
            CommonField.checkExpected(expected, given)
        }.message!!.substringAfter("the expected one: ")
        CommonField.checkExpected(struct(may), struct(not))
        CommonField.checkExpected(struct(may), struct(may).withNullable(true))
        refused(struct(not), struct(may)) shouldBe "$.x: the field is nullable, but the expected field is not"
        refused(struct(Field.of("s", DataType.struct(not))), struct(Field.of("s", DataType.struct(may)))) shouldBe
            "$.s.x: the field is nullable, but the expected field is not"
        refused(not, may) shouldBe "the field is nullable, but the expected field is " +
            "not" // of an array that is not a batch
        refused(struct(may), struct(Field.of("y", DataType.INT32))) shouldBe
            "field 0 is \"y: int32\", and \"x: int32\" is expected"

        fun map(entries: Boolean) = NestedType.MapType(Field.of("entries",
            DataType.struct(Field.of("key", DataType.INT32).withNullable(false), may)).withNullable(entries), false)
        CommonField.checkExpected(struct(Field.of("m", map(false))), struct(Field.of("m", map(true))))
        fun encoded(values: Field) = NestedType.DictionaryType(FlatType.IntType(8, true), values, false)
        CommonField.checkExpected(struct(Field.of("d", encoded(not))), struct(Field.of("d", encoded(may))))
    }

    test("concat accepts arrays whose own names differ") {
        batch(Field.of("x", DataType.INT32)).use { x ->
            batch(Field.of("y", DataType.INT32)).use { y ->
                x.retainChild(0).use { a ->
                    y.retainChild(0).use { b -> DeviceArray.concat(listOf(a, b)).use { it.field() shouldBe a.field() } }
                }
            }
        }
    }
})
