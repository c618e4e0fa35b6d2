// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.statistics

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.objects.ExtensionCodec
import org.arbalest.device.support.RawArray
import org.arbalest.device.support.RawArray.Companion.bytes
import org.arbalest.device.support.RawArray.Companion.ints
import org.arbalest.device.support.RawArray.Companion.longs
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Extension
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.MapType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.math.BigDecimal
import java.util.OptionalLong
import java.util.UUID

/** Failures with statistics: extension types, nulls in the wrong place, values that change, long runs. */
class StatisticsTrapsSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    data class Money(val cents: Long)

    val money = ExtensionCodec.of("com.acme.money", Money::class.java, DataType.INT64,
        { column, row -> Money(column.getLong(row)) }, { column, it -> column.append(it.cents) })
    val max = "ARROW:max_value:exact"

    fun crossed(statistics: Statistics): Statistics = statistics.toArray().use(Statistics::of)

    /** Returns statistics of columns of these fields, with one largest value each. */
    fun largest(
        vararg fields: Field,
        append: (ColumnBuilder, Int) -> Unit,
    ): RecordBatch = BatchBuilder.of(Devices.cpu(), fields.size).use { batch ->
        val columns = batch.column(Field.of("column", DataType.INT32))
        val maps = batch.column(Field.of("statistics",
            DataType.map(Field.of("key", DataType.UTF8), Field.of("items", DataType.denseUnion(*fields)))))
        for (i in fields.indices) {
            columns.append(i.toLong())
            maps.keys().append(max)
            append(maps.values().child(i), i)
            maps.values().appendUnion(i)
            maps.appendMap(1)
        }
        batch.build()
    }

    fun buffer(vararg values: Long): DeviceBuffer = Devices.cpu().allocate(8L * values.size).also {
        it.segment().copyFrom(MemorySegment.ofArray(values))
    }

    test(
        "values of extension types are read as Java values and written again, also encoded ones [STAT-01, STAT-02]",
    ) {
        val id = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff")
        ExtensionCodec.register(money)
        try {
            val fields = arrayOf(Field.uuid("id"), Field.bool8("b"), money.field("price"),
                Field.of("d", DictionaryType(DataType.INT8, money.field(""), false)))
            largest(*fields) { column, i ->
                when (i) {
                    0 -> column.append(id)
                    1 -> column.append(true)
                    else -> money.append(column, Money(5))
                }
            }.use { array ->
                val read = Statistics.of(array)
                List(4) { read.column(it).max() } shouldBe listOf(id, true, Money(5), Money(5))
                val again = crossed(read)
                again shouldBe read
                again.column(0).field(max)?.extension() shouldBe Extension.Uuid()
                again.column(2).field(max)?.extensionName() shouldBe "com.acme.money"
            }
        } finally {
            ExtensionCodec.unregister(money.name())
        }
    }

    test("a null entry is an error, regardless of the bytes under it [STAT-04]") {
        val keys = RawArray(Field.of("key", DataType.UTF8).withNullable(false), 1, 0, 0,
            mutableListOf(null, ints(0, max.length), bytes(*max.encodeToByteArray())))
        val numbers = RawArray(Field.of("n", DataType.INT64), 1, 0, 0, mutableListOf(null, longs(7)))
        val union = RawArray(Field.of("items", DataType.denseUnion(numbers.field)), 1, 0, 0,
            mutableListOf(bytes(0), ints(0)), listOf(numbers))
        val entries = RawArray(Field.of("entries", StructType(listOf(keys.field, union.field))), 1, 1, 0,
            mutableListOf(bytes(0)), listOf(keys, union))
        val maps = RawArray(Field.of("statistics", MapType(entries.field, false)), 1, 0, 0,
            mutableListOf(null, ints(0, 1)), listOf(entries))
        val columns = RawArray(Field.of("column", DataType.INT32), 1, 0, 0, mutableListOf(null, ints(0)))
        val whole = RawArray(Field.of("", StructType(listOf(columns.field, maps.field))), 1, 0, 0, mutableListOf(null),
            listOf(columns, maps))
        Arena.ofConfined().use { arena ->
            CData.importBatch(whole.laid(arena), CImport.DATA.schema(whole.field)).use { array ->
                val error = shouldThrow<DeviceException> { Statistics.of(array) }
                error.errno() shouldBe Errno.EINVAL
                error.message!! shouldContain "$.statistics.entries: row 0: entry 0 is null"
            }
        }
    }

    test("nested values are copied, and compared by their content [STAT-05]") {
        val type = DataType.list(Field.of("item", DataType.BINARY))
        val given = mutableListOf<ByteArray?>(byteArrayOf(1, 2), null)
        val built = Statistics.builder().put("ACME:sample", given, type).build()
        given[0]!![0] = 9
        given += byteArrayOf(3)
        fun sample(of: Statistics) = (of.whole().get("ACME:sample") as List<*>).map { (it as ByteArray?)?.toList() }
        sample(built) shouldBe listOf(listOf<Byte>(1, 2), null)
        ((built.whole().get("ACME:sample") as List<*>)[0] as ByteArray)[0] = 9
        sample(built) shouldBe listOf(listOf<Byte>(1, 2), null)
        crossed(built) shouldBe built
        crossed(built).hashCode() shouldBe built.hashCode()
        (Statistics.builder().put("ACME:sample", given, type).build() == built) shouldBe false
        "$built" shouldBe "the whole: ACME:sample=[[1, 2], null]"
    }

    test(
        "a decimal gets the scale of its type when it is set, and one with more digits is rejected [STAT-02]",
    ) {
        val type = DataType.decimal128(9, 2)
        val built = Statistics.builder().max(BigDecimal("-1.5"), type).min(BigDecimal("-2E+1"), type).build()
        built.whole().max() shouldBe BigDecimal("-1.50")
        crossed(built) shouldBe built
        shouldThrow<IllegalArgumentException> { Statistics.builder().max(BigDecimal("0.001"), type) }
            .message!! shouldContain "\"$max\": 0.001, a BigDecimal, is no decimal128(9, 2)"
    }

    test("each run is examined once, regardless of its length, within the slice [STAT-06]") {
        val type = RunEndEncodedType(Field.of("run_ends", DataType.INT64).withNullable(false),
            Field.of("values", DataType.INT64))
        val long = 1L shl 40
        val ends = ArrayData.of(5, 0, listOf(null, buffer(2, 2 + long, 5 + long, 5 + 2 * long, 6 + 2 * long)))
        val values = ArrayData.of(5, 1, listOf(buffer(0b11011), buffer(9, 5, 99, 7, -1)))
        DeviceArray.of(Field.of("a", type), ArrayData.of(6 + 2 * long, 0, listOf(), listOf(ends, values)))
            .use { array ->
                array.slice(1, array.length() - 2).use { slice ->
                    val read = Statistics.compute(slice).column(0)
                    read.min() shouldBe 5L
                    read.max() shouldBe 9L
                    read.nullCount() shouldBe OptionalLong.of(3)
                }
                array.slice(2, 4 + long).use { Statistics.compute(it).column(0).max() shouldBe 7L }
                array.slice(long + 2, 3).use { Statistics.compute(it).column(0).max() shouldBe null }
            }
    }
})
