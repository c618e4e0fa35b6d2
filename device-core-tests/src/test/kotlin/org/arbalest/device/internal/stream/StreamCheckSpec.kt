// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldStartWith
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.IntType
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.MapType
import org.arbalest.device.types.Schema
import org.arbalest.support.ResourceCountersExtension
import java.util.concurrent.atomic.AtomicInteger

/**
 * Tests that the arrays of a stream match its fields. C reads them by the names and the order of the stream's fields,
 * and does not look for nulls in fields that are not nullable.
 */
class StreamCheckSpec : FunSpec({
    extension(ResourceCountersExtension)

    fun field(name: String, type: DataType = DataType.INT32, nullable: Boolean = true): Field =
        Field.of(name, type).withNullable(nullable)

    /** Returns a batch without rows. */
    fun batch(vararg fields: Field): RecordBatch = BatchBuilder.of(Devices.cpu(), 0).use { batch ->
        fields.forEach { batch.column(it) }
        batch.build()
    }

    /** Returns a batch of two rows. */
    fun rows(vararg fields: Field): RecordBatch = BatchBuilder.of(Devices.cpu(), 2).use { batch ->
        for (f in fields) batch.column(f).append(1L).append(2L)
        batch.build()
    }

    /** Returns the error that both kinds of readers throw for an array. */
    fun refused(field: Field, array: DeviceArray): String {
        val pulled = DeviceArrayReader.of(field, DeviceType.CPU) { array.retain() }.use { reader ->
            repeat(2) { shouldThrow<DeviceException> { reader.next() }.errno() shouldBe Errno.EINVAL }
            shouldThrow<DeviceException> { reader.next() }.message!!
        }
        return pulled.removePrefix("a stream returned an array of another type: ")
    }

    fun refused(schema: Schema, batch: RecordBatch): String {
        val said = refused(schema.asField(), batch)
        shouldThrow<IllegalArgumentException> { RecordBatchReader.of(schema, listOf(batch.retain())) }.message shouldBe
            "batch 0: a stream returned an array of another type: $said"
        return said
    }

    fun taken(field: Field, array: DeviceArray) = DeviceArrayReader.of(field, DeviceType.CPU) { array.retain() }
        .use { it.next()!!.close() }

    test("columns of other names or in another order are rejected with the path and both fields [STR-12]") {
        val schema = Schema.of(field("hi"), field("lo"))
        rows(field("lo"), field("hi")).use {
            refused(schema, it) shouldBe """field 0 of the stream's is "hi: int32", of the array's "lo: int32""""
        }
        rows(field("hi"), field("b")).use {
            refused(schema, it) shouldBe """field 1 of the stream's is "lo: int32", of the array's "b: int32""""
        }
        val (ours, theirs) = DataType.struct(field("x"), field("y")) to DataType.struct(field("y"), field("x"))
        fun wrapped(struct: DataType): List<DataType> =
            listOf(struct, DataType.list(field("item", struct)),
                DictionaryType(IntType(8, true), field("", struct), false))
        val paths = listOf("", ".item", ".(dictionary)")
        wrapped(ours).zip(wrapped(theirs)).zip(paths) { (one, other), path ->
            batch(field("s", other)).use {
                refused(Schema.of(field("s", one)), it) shouldBe
                    """$.s$path: field 0 of the stream's is "x: int32", of the array's "y: int32""""
            }
        }
    }

    test("names of a union's children must match, and names of run-end children need not [STR-12]") {
        val (x, y) = field("x") to field("y")
        for (union in listOf<(Field, Field) -> DataType>(
            { one, other -> DataType.denseUnion(one, other) }, { one, other -> DataType.sparseUnion(one, other) },
        )) {
            batch(field("u", union(y, x))).use {
                refused(Schema.of(field("u", union(x, y))), it) shouldBe
                    """$.u: field 0 of the stream's is "x: int32", of the array's "y: int32""""
            }
        }
        fun runs(values: String) = field("r", DataType.runEndEncoded(DataType.INT32, field(values)))
        batch(runs("v")).use { taken(Schema.of(runs("values")).asField(), it) }
    }

    test("a nested field of another type is named by its path [STR-12]") {
        val schema = Schema.of(field("s", DataType.struct(field("x"))))
        batch(field("s", DataType.struct(field("x", DataType.INT64)))).use {
            refused(schema, it) shouldBe """$.s.x: the stream's is "x: int32", the array's "x: int64""""
        }
        batch(field("s", DataType.struct(field("x"), field("y")))).use {
            refused(schema, it) shouldBe
                """$.s: the stream's is "s: struct<x: int32>", the array's "s: struct<x: int32, y: int32>""""
        }
        val entries =
            field("entries", DataType.struct(field("key", nullable = false), field("value")), nullable = false)
        fun map(sorted: Boolean) = field("m", MapType(entries, sorted))
        batch(map(false)).use {
            refused(Schema.of(map(true)), it) shouldStartWith
                "$.m: the stream's field \"m: map<"
        }
        batch(map(true)).use { taken(Schema.of(map(false)).asField(), it) }
    }

    test("names of items and entries, and metadata, need not match [STR-12]") {
        fun map(entries: String, key: String, value: String): DataType =
            MapType(
                field(entries, DataType.struct(field(key, nullable = false), field(value)), nullable = false), false,
            )
        val named = field(
            "a", DataType.struct(field("l", DataType.list(field("item"))), field("m", map("entries", "key", "value"))),
        )
        val other = field(
            "a", DataType.struct(field("l", DataType.list(field("element"))), field("m", map("key_value", "k", "v"))),
        ).withMetadata(Metadata.of("of", "other"))
        batch(other).use { taken(Schema.of(named).asField(), it) }
        rows(field("x")).use { array -> array.retainChild(0).use { taken(field("y"), it) } }
    }

    test("a wrong field is found after matching fields that alternate [STR-12]") {
        val schema = Schema.of(field("x"))
        val good = List(2) { rows(field("x")) }
        val bad = rows(field("y"))
        val next = AtomicInteger()
        RecordBatchReader.of(schema, DeviceType.CPU) {
            next.getAndIncrement().let { if (it < 6) good[it % 2] else bad }.retain()
        }.use { reader ->
            repeat(6) { reader.next()!!.close() }
            shouldThrow<DeviceException> { reader.next() }
        }
        (good + bad).forEach(DeviceArray::close)
    }
})
