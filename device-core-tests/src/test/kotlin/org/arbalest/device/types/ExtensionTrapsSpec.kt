// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.types

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.columns.Column
import org.arbalest.device.objects.ExtensionCodec
import org.arbalest.device.support.struct
import org.arbalest.device.types.Extension.FixedShapeTensor
import org.arbalest.device.types.Extension.VariableShapeTensor
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.FixedSizeListType
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.MemorySegment
import java.lang.management.ManagementFactory
import java.nio.ByteBuffer
import java.nio.ByteOrder

/** Failures with extension types: parameters from a peer, codecs that throw, closed handles. */
class ExtensionTrapsSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    data class Money(val cents: Long)

    val money = ExtensionCodec.of("com.acme.money", Money::class.java, DataType.INT64,
        { column, row -> Money(column.getLong(row)) }, { column, it -> column.append(it.cents) })

    /** Returns a codec of Money that throws for negative amounts. */
    fun strict(fits: (Field) -> Boolean) = object : ExtensionCodec<Money> by money {
        override fun fromStorage(storage: Column, row: Long): Money = money.fromStorage(storage, row).also {
            checkNotNull(it.cents.takeIf { cents -> cents >= 0 }) { "no such price" }
        }
        override fun fits(field: Field) = fits(field)
    }

    fun built(
        field: Field,
        rows: Int,
        fill: (ColumnBuilder) -> Unit,
    ): RecordBatch = BatchBuilder.of(Devices.cpu(), rows).use { batch ->
        batch.column(field).let(fill)
        batch.build()
    }

    fun registered(codec: ExtensionCodec<*>, use: () -> Unit) {
        ExtensionCodec.register(codec)
        try {
            use()
        } finally {
            ExtensionCodec.unregister(codec.name())
        }
    }

    /** Returns the number of bytes that this thread allocates on the heap. */
    fun allocated(work: () -> Unit): Long {
        val threads = ManagementFactory.getThreadMXBean() as com.sun.management.ThreadMXBean
        val before = threads.currentThreadAllocatedBytes
        work()
        return threads.currentThreadAllocatedBytes - before
    }

    fun buffer(vararg values: Long, width: Int = 8): DeviceBuffer {
        val bytes = ByteBuffer.allocate(width * values.size).order(ByteOrder.nativeOrder())
        for (value in values) for (byte in 0 until width) bytes.put((value shr 8 * byte).toByte())
        return Devices.cpu().allocate(bytes.capacity().toLong()).also {
            it.segment().copyFrom(MemorySegment.ofArray(bytes.array()))
        }
    }

    fun prices(vararg cents: Long) = built(money.field("price"), cents.size) { column -> cents.forEach(column::append) }

    test("reading parameters of very many dimensions takes memory in proportion to them [EXT-11]") {
        val many = 20_000
        val ones = List(many) { 1 }
        val storage = FixedSizeListType(Field.of("item", DataType.INT8), 1)
        val shapes = DataType.struct(Field.of("data", ListType(Field.of("item", DataType.INT8))),
            Field.of("shape", FixedSizeListType(Field.of("item", DataType.INT32), many)))
        val bytes = allocated {
            Field.of("x", storage).withExtension(
                "arrow.fixed_shape_tensor", """{"shape": $ones, "permutation": ${ones.indices.toList()}}""",
            ).extension().shouldBeInstanceOf<FixedShapeTensor>()
            Field.of("x", shapes).withExtension("arrow.variable_shape_tensor", """{"uniform_shape": $ones}""")
                .extension().shouldBeInstanceOf<VariableShapeTensor>()
        }
        bytes shouldBeLessThan 100_000_000
    }

    test("storage() throws if the column's array is closed, like the column itself [EXT-10]") {
        val column = prices(5).use { it.column(0) }
        shouldThrow<IllegalStateException> { column.getLong(0) }
        shouldThrow<IllegalStateException> { column.storage() }
    }

    test("a codec reads encoded columns without garbage, except the values themselves [EXT-09]") {
        val field = money.field("price")
        for (type in listOf(
            DictionaryType(DataType.INT8, field, false),
            RunEndEncodedType(Field.of("run_ends", DataType.INT32).withNullable(false), field),
        )) {
            built(Field.of("d", type), 10_000) { column ->
                repeat(10_000) { money.append(column, Money(it / 100L)) }
            }.use { array ->
                val column = array.column(0)
                var sum = 0L
                fun read() = repeat(10_000) { sum += money.get(column, it.toLong()).cents }
                read()
                withClue(type) { allocated(::read) shouldBeLessThan 10_000 * 64L }
                sum shouldBe 2 * 100 * (0..99L).sum()
            }
        }
    }

    test("a registered codec reads lists without creating new storage columns for each of them [EXT-09]") {
        registered(money) {
            built(Field.of("l", ListType(money.field("item"))), 10_000) { list ->
                repeat(10_000) { list.appendList(1).items().append(it.toLong()) }
            }.use { array ->
                val column = array.column(0)
                fun read() = repeat(10_000) { check(column.getList(it.toLong()).get(0) == Money(it.toLong())) }
                read()
                allocated(::read) shouldBeLessThan 10_000 * 400L
                array.slice(5, 10).use { slice ->
                    slice.column(0).getList(9).storage().run { length() to getLong(0) } shouldBe (1L to 14L)
                }
            }
        }
    }

    test("get throws the exception of a codec, while toString and difference still work [EXT-09]") {
        registered(strict { true }) {
            prices(5, -1).use { array ->
                val column = array.column(0)
                column.get(0) shouldBe Money(5)
                shouldThrow<IllegalStateException> { column.get(1) }.message shouldBe "no such price"
                array.toString(2).lines().takeLast(2).map { it.trim() } shouldBe listOf("Money(cents=5)", "?")
                prices(5, -2).use { other -> array.difference(other) shouldBe "price[1]: -1, and -2" }
                prices(6, -1).use { other ->
                    array.difference(other) shouldBe "price[0]: Money(cents=5), and Money(cents=6)"
                }
            }
            built(Field.of("l", ListType(money.field("item"))), 1) { list ->
                list.appendList(2).items().append(-1).append(5)
            }.use { array ->
                array.toString(1).lines().last() shouldBe "[?, Money(cents=5)]"
            }
        }
        val blind = ExtensionCodec.of("com.acme.money", List::class.java, DataType.INT64,
            { _, _ -> listOf<Any>() }, { _, _ -> })
        registered(blind) {
            prices(1).use { one -> prices(2).use { one.difference(it) shouldBe "price[0]: 1, and 2" } }
        }
    }

    test("a codec whose fits() throws does not prevent reading the storage [EXT-09]") {
        registered(strict { error("parameters of the future") }) {
            prices(5).use { array ->
                val column = array.column(0)
                column.getLong(0) shouldBe 5
                column.isNull(0) shouldBe false
                shouldThrow<IllegalStateException> { column.get(0) }.message shouldBe "parameters of the future"
                array.toString(1).lines().last().trim() shouldBe "?"
            }
        }
    }

    test("a struct with a null timestamp has the same content with and without the extension type [EXT-10]") {
        val type = DataType.struct(Field.of("timestamp", DataType.timestamp(ArrowTimeUnit.SECOND, "UTC")),
            Field.of("offset_minutes", DataType.INT16))
        val plain = Field.of("at", type)
        val times = plain.withExtension(Extension.TimestampWithOffset())
        fun data(offset: Long) = ArrayData.of(2, 0, listOf(null), listOf(
            ArrayData.of(2, 1, listOf(buffer(0b01, width = 1), buffer(0, 60))),
            ArrayData.of(2, 0, listOf(null, buffer(60, offset, width = 2))),
        ))
        fun encoded(offset: Long) = ArrayData(2, 0, 0, listOf(null, buffer(0, 1, width = 1)), listOf(), data(offset))
        fun dictionary(of: Field) = Field.of("d", DictionaryType(DataType.INT8, of, false))
        val pairs = listOf<(Field, Long) -> DeviceArray>({ field, offset -> DeviceArray.of(field, data(offset)) },
            { field, offset -> DeviceArray.of(dictionary(field), encoded(offset)) })
        for (array in pairs) array(times, 7).use { one ->
            one.asColumn().isNull(1) shouldBe true
            array(plain, 7).use { other ->
                one.difference(other) shouldBe null
                other.difference(one) shouldBe null
            }
            array(times, 8).use { other -> one.difference(other).shouldNotBeNull() shouldContain "7, and 8" }
        }
    }
})
