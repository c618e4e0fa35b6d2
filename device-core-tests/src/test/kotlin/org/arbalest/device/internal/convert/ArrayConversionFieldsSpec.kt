// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldStartWith
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.Validation
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.support.LaidValues.read
import org.arbalest.device.support.RawArray
import org.arbalest.device.support.struct
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.ListViewType
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.Arena
import java.nio.ByteBuffer
import java.time.OffsetDateTime
import java.util.UUID

/** Conversions of extension types, of the null type, and of empty texts at arbitrary offsets. */
class ArrayConversionFieldsSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    fun build(field: Field, rows: Int, fill: (ColumnBuilder) -> Unit): DeviceArray =
        BatchBuilder.of(Devices.cpu(), rows).use { batch -> batch.column(field).let(fill).let { batch.build() } }
            .use { it.retainChild(0) }

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
        val thrown = shouldThrow<DeviceException> { array.convertTo(requested) }
        thrown.errno() shouldBe Errno.EINVAL
        thrown.message!! shouldStartWith message
    }

    /** Checks that the types cannot be converted, for any content of the array. */
    fun mismatch(array: DeviceArray, requested: Field, message: String) {
        shouldThrow<IllegalArgumentException> { array.convertTo(requested) }.message!! shouldStartWith message
    }

    test("nulls of the null type are rejected for a non-nullable field, unless a parent hides them [REQ-03]") {
        val nothing = Field.of("n", DataType.NULL)
        build(nothing, 2) { it.appendNull().appendNull() }.use { array ->
            refused(array, nothing.withNullable(false),
                "row 0: is null, but the requested field is not nullable")
            array.slice(1, 0).use { none -> none.convertTo(nothing.withNullable(false)).use { it.length() shouldBe 0 } }
        }
        val strict = DataType.struct(nothing.withNullable(false))
        imported(raw(
            DataType.struct(nothing),
            2,
            RawArray.bytes(0),
            nulls = 2,
            children = listOf(raw(DataType.NULL, 2, name = "n")),
        )) { array ->
            array.convertTo(Field.of("a", strict)).use { it.asColumn().column(0).length() shouldBe 2 }
        }
        imported(raw(
            DataType.struct(nothing),
            2,
            RawArray.bytes(0b10),
            nulls = 1,
            children = listOf(raw(DataType.NULL, 2, name = "n")),
        )) { array ->
            refused(array, Field.of("a", strict),
                "$.n: row 1: is null, but the requested field is not nullable")
        }
    }

    test("the offsets of empty texts may have any value, also without data [REQ-01]") {
        for ((type, others) in listOf(
            DataType.UTF8 to listOf(DataType.LARGE_UTF8, DataType.UTF8_VIEW),
            DataType.LARGE_BINARY to listOf(DataType.BINARY, DataType.BINARY_VIEW),
        )) {
            val offsets = if (type == DataType.UTF8) RawArray.ints(5, 5, 5) else RawArray.longs(5, 5, 5)
            val empty = raw(type, 2, null, offsets, null, name = "")
            imported(empty) { array ->
                array.validate(Validation.FULL)
                for (other in others + type) array.convertTo(Field.of("a", other)).use { result ->
                    List(2) { result.asColumn().getBytes(it.toLong()).size } shouldBe listOf(0, 0)
                }
                array.compact().use { it.asColumn().getBytes(1).size shouldBe 0 }
            }
            imported(
                raw(DataType.dictionary(DataType.INT8, type), 1, null, RawArray.bytes(1), dictionary = empty),
            ) { array ->
                for (other in others + type) array.convertTo(Field.of("a", other)).use {
                    it.asColumn().getBytes(0).size shouldBe 0
                }
            }
        }
    }

    test("each extension type of a nested or encoded field can be dropped by itself [REQ-07]") {
        val id = Field.uuid("id")
        val plain = id.storage()
        val one = UUID.fromString("f81d4fae-7dec-11d0-a765-00a0c91e6bf6")
        val encoded = DictionaryType(DataType.INT8, id.withName(""), false)
        build(Field.of("d", encoded), 2) { it.append(one).append(one) }.use { array ->
            array.convertTo(id).use { it.asColumn().getUuid(1) shouldBe one }
            array.convertTo(plain).use { it.asColumn().getBytes(0).size shouldBe 16 }
            array.convertTo(Field.of("d", DictionaryType(DataType.INT8, plain.withName(""), false))).use {
                it.asColumn().get(0) shouldBe it.asColumn().getBytes(0)
            }
            mismatch(
                array,
                Field.of("d", DataType.BINARY).withExtension("arrow.uuid", ""),
                "arrow.uuid (fixed_size_binary[16]) cannot be converted to arrow.uuid (binary): arrow.uuid is stored " +
                    "as fixed_size_binary[16], not as binary",
            )
        }
        val time = Field.timestampWithOffset("t", ArrowTimeUnit.SECOND)
        build(Field.of("l", ListType(time)), 1) { l ->
            l.appendList(1).items().append(OffsetDateTime.parse("2024-02-29T12:00:00+01:00"))
        }.use { array ->
            val instants = DataType.struct(Field.of("timestamp", DataType.timestamp(ArrowTimeUnit.SECOND, "UTC")))
            array.convertTo(Field.of("l", ListViewType(Field.of("t", instants)))).use {
                read(it.asColumn()) shouldBe listOf(listOf(mapOf("timestamp" to 1709204400L)))
            }
            val same = array.field().withType(ListViewType(time))
            array.convertTo(same).use { it.asColumn().getList(0).getOffsetDateTime(0).hour shouldBe 12 }
        }
    }

    test("an extension type is kept however its parameters are written, in each layout that it permits [REQ-07]") {
        fun tensor(json: String, item: DataType = DataType.UTF8) = Field.of("t",
            DataType.fixedSizeList(Field.of("item", item), 2)).withExtension("arrow.fixed_shape_tensor", json)
        build(tensor("{\"shape\": [2]}"), 1) { it.items().append("a").append("b"); it.appendTensor(2) }.use { array ->
            val asked = tensor("{ \"shape\":[ 2 ] }", DataType.UTF8_VIEW)
            array.convertTo(asked).use { it.field() shouldBe asked }
            mismatch(
                array,
                tensor("{\"shape\": [1, 2]}"),
                "arrow.fixed_shape_tensor (fixed_size_list<item: utf8>[2]) cannot be converted to " +
                    "arrow.fixed_shape_tensor (fixed_size_list<item: utf8>[2]): the parameters differ",
            )
        }
        val offsets = Field.timestampWithOffset("t", ArrowTimeUnit.SECOND)
        val parts = offsets.type().children()
        build(offsets, 1) { it.append(OffsetDateTime.parse("2024-02-29T12:00:00+01:00")) }.use { array ->
            mismatch(
                array,
                offsets.withType(DataType.struct(parts[1], parts[0])),
                "arrow.timestamp_with_offset (struct<timestamp: timestamp[s, tz=UTC] not null, offset_minutes: int16 " +
                    "not null>) cannot be converted to",
            )
            array.convertTo(Field.of("t", DataType.struct(parts[1], parts[0]))).use {
                read(it.asColumn()) shouldBe listOf(mapOf("offset_minutes" to 60L, "timestamp" to 1709204400L))
            }
        }
        val odd = Field.of("o", DataType.UTF8).withExtension("arrow.uuid", "") // not a valid storage, but kept
        build(odd, 1) { it.append("x") }.use { array ->
            array.convertTo(odd.withType(DataType.UTF8_VIEW)).use { it.field().extensionName() shouldBe "arrow.uuid" }
        }
    }
})
