package org.arbalest.testkit

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldStartWith
import org.arbalest.device.ArrayData
import org.arbalest.device.DataType
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Field
import org.arbalest.device.FlatType.IntType
import org.arbalest.device.Metadata
import org.arbalest.device.NestedType.DictionaryType
import org.arbalest.device.NestedType.MapType
import org.arbalest.device.Schema
import org.arbalest.device.abi.DeviceType
import org.arbalest.device.abi.Errno
import java.util.concurrent.atomic.AtomicInteger

/** C reads the arrays of a stream by the stream's fields: by their names and order, and without looking for nulls where there are none. */
class StreamFieldsSpec : FunSpec({
    extension(LedgerExtension)

    fun field(name: String, type: DataType = DataType.INT32, nullable: Boolean = true): Field = Field.of(name, type).withNullable(nullable)

    /** Of no rows. */
    fun batch(vararg fields: Field): DeviceArray = Devices.cpu().batchBuilder(0).use { batch -> fields.forEach { batch.column(it) }; batch.build() }

    /** Of two rows, all of them nulls or none. */
    fun rows(vararg fields: Field, nulls: Boolean = false): DeviceArray = Devices.cpu().batchBuilder(2).use { batch ->
        for (f in fields) batch.column(f).run { if (nulls) appendNull().appendNull() else append(1L).append(2L) }
        batch.build()
    }

    /** What both kinds of readers say of an array. */
    fun refused(field: Field, array: DeviceArray): String {
        val pulled = DeviceArrayReader.of(field, DeviceType.CPU) { array.retain() }.use { reader ->
            repeat(2) { shouldThrow<DeviceException> { reader.next() }.errno() shouldBe Errno.EINVAL }
            shouldThrow<DeviceException> { reader.next() }.message!!
        }
        return pulled.removePrefix("a stream gave an array of another type: ")
    }

    fun refused(schema: Schema, batch: DeviceArray): String {
        val said = refused(schema.asField(), batch)
        shouldThrow<DeviceException> { DeviceArrayReader.of(schema, listOf(batch)) }.message shouldBe "batch 0: a stream gave an array of another type: $said"
        batch.isOpen shouldBe true
        return said
    }

    fun taken(field: Field, array: DeviceArray) = DeviceArrayReader.of(field, DeviceType.CPU) { array.retain() }.use { it.next()!!.close() }

    test("STR-12 columns of other names, or in another order, are refused with the path and both") {
        val schema = Schema.of(field("hi"), field("lo"))
        rows(field("lo"), field("hi")).use { refused(schema, it) shouldBe """$: field 0 of the stream's is "hi: int32", of the array's "lo: int32"""" }
        rows(field("hi"), field("b")).use { refused(schema, it) shouldBe """$: field 1 of the stream's is "lo: int32", of the array's "b: int32"""" }
        val (ours, theirs) = DataType.struct(field("x"), field("y")) to DataType.struct(field("y"), field("x"))
        fun wrapped(struct: DataType): List<DataType> =
            listOf(struct, DataType.list(field("item", struct)), DictionaryType(IntType(8, true), field("", struct), false))
        val paths = listOf("", ".item", ".(dictionary)")
        wrapped(ours).zip(wrapped(theirs)).zip(paths) { (one, other), path ->
            batch(field("s", other)).use { refused(Schema.of(field("s", one)), it) shouldBe """$.s$path: field 0 of the stream's is "x: int32", of the array's "y: int32"""" }
        }
    }

    test("STR-12 another type below is named by its path") {
        val schema = Schema.of(field("s", DataType.struct(field("x"))))
        batch(field("s", DataType.struct(field("x", DataType.INT64)))).use { refused(schema, it) shouldBe """$.s.x: the stream's is "x: int32", the array's "x: int64"""" }
        batch(field("s", DataType.struct(field("x"), field("y")))).use {
            refused(schema, it) shouldBe """$.s: the stream's is "s: struct<x: int32>", the array's "s: struct<x: int32, y: int32>""""
        }
        val entries = field("entries", DataType.struct(field("key", nullable = false), field("value")), nullable = false)
        fun map(sorted: Boolean) = field("m", MapType(entries, sorted))
        batch(map(false)).use { refused(Schema.of(map(true)), it) shouldStartWith "$.m: the stream's is " }
        batch(map(true)).use { taken(Schema.of(map(false)).asField(), it) }
    }

    test("STR-12 what items and entries are called, and metadata, is no matter") {
        fun map(entries: String, key: String, value: String): DataType =
            MapType(field(entries, DataType.struct(field(key, nullable = false), field(value)), nullable = false), false)
        val named = field("a", DataType.struct(field("l", DataType.list(field("item"))), field("m", map("entries", "key", "value"))))
        val other = field("a", DataType.struct(field("l", DataType.list(field("element"))), field("m", map("key_value", "k", "v")))).withMetadata(Metadata.of("of", "other"))
        batch(other).use { taken(Schema.of(named).asField(), it) }
        rows(field("x")).use { array -> array.child(0).use { taken(field("y"), it) } }
    }

    test("STR-12 a nullable column under one that is not has to have no nulls, batch by batch") {
        val schema = Schema.of(field("zz", nullable = false))
        rows(field("zz")).use { without ->
            rows(field("zz"), nulls = true).use { with ->
                val all = ArrayDeque(listOf(without, without, with).map { it.retain() })
                DeviceArrayReader.of(schema, DeviceType.CPU) { all.removeFirst() }.use { reader ->
                    repeat(2) { reader.next()!!.close() }
                    shouldThrow<DeviceException> { reader.next() }.message shouldBe
                        """a stream gave an array of another type: $.zz: the stream's is not nullable, "zz: int32 not null", but the array's is, "zz: int32", with 2 nulls"""
                }
                refused(schema, with)
                taken(Schema.of(field("zz")).asField(), with)
            }
        }
        rows(field("zz", nullable = false)).use { taken(Schema.of(field("zz")).asField(), it) }
    }

    test("STR-12 a nullable column of the same field has to have no nulls in each batch") {
        val given = Schema.of(field("zz")).asField()
        fun batch(nulls: Boolean): DeviceArray {
            val validity = if (nulls) Devices.cpu().allocate(1).also { it.segment().fill(1) } else null
            val column = ArrayData.of(2, if (nulls) 1 else 0, listOf(validity, Devices.cpu().allocate(8)))
            return DeviceArray.of(given, ArrayData.of(2, 0, listOf(null), listOf(column)))
        }
        val all = ArrayDeque(listOf(batch(false), batch(true)))
        DeviceArrayReader.of(Schema.of(field("zz", nullable = false)), DeviceType.CPU) { all.removeFirst() }.use { reader ->
            reader.next()!!.close()
            shouldThrow<DeviceException> { reader.next() }.message shouldContain "with 1 nulls"
        }
    }

    test("STR-12 a null count that nobody knows counts as nulls, unless there is no bitmap") {
        fun unknown(bitmap: Boolean): DeviceArray {
            val validity = if (bitmap) Devices.cpu().allocate(1).also { it.segment().fill(3) } else null
            return DeviceArray.of(field("a"), ArrayData.of(2, -1, listOf(validity, Devices.cpu().allocate(8))))
        }
        unknown(true).use {
            refused(field("a", nullable = false), it) shouldBe
                """$: the stream's is not nullable, "a: int32 not null", but the array's is, "a: int32", with nobody knows how many nulls"""
        }
        unknown(false).use { taken(field("a", nullable = false), it) }
    }

    test("STR-12 a field that fits is looked at once, and fields that take turns still are") {
        val schema = Schema.of(field("x"))
        val good = List(2) { rows(field("x")) }
        val bad = rows(field("y"))
        val next = AtomicInteger()
        DeviceArrayReader.of(schema, DeviceType.CPU) { next.getAndIncrement().let { if (it < 6) good[it % 2] else bad }.retain() }.use { reader ->
            repeat(6) { reader.next()!!.close() }
            shouldThrow<DeviceException> { reader.next() }
        }
        (good + bad).forEach(DeviceArray::close)
    }
})
