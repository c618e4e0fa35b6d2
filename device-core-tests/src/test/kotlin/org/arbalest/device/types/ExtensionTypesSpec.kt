// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.types

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.Validation
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.columns.Column
import org.arbalest.device.support.struct
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.time.OffsetDateTime
import java.time.ZoneOffset
import java.util.UUID

/** Values of Arrow's canonical extension types, read and written as Java objects. */
class ExtensionTypesSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    fun built(
        field: Field,
        rows: Int,
        fill: (ColumnBuilder) -> Unit,
    ): RecordBatch = BatchBuilder.of(Devices.cpu(), rows).use { batch ->
        batch.column(field).let(fill)
        batch.build()
    }

    /** Exports an array to C with its schema, and imports it again. */
    fun throughC(array: RecordBatch): RecordBatch = Arena.ofConfined().use { arena ->
        val (out, schema) = arena.struct(StructKind.ARRAY) to arena.struct(StructKind.SCHEMA)
        array.use { CData.exportArray(it, out, CExport.DATA.schemaTo(schema)) }
        CData.importBatch(out, CImport.DATA.schema(schema).validation(Validation.FULL))
    }

    fun values(column: Column): List<Any?> = (0 until column.length()).map { column.get(it) }

    fun buffer(vararg values: Long, width: Int = 8): DeviceBuffer {
        val bytes = ByteBuffer.allocate(width * values.size).order(ByteOrder.nativeOrder())
        for (value in values) for (byte in 0 until width) bytes.put((value shr 8 * byte).toByte())
        return Devices.cpu().allocate(bytes.capacity().toLong()).also {
            it.segment().copyFrom(MemorySegment.ofArray(bytes.array()))
        }
    }

    val unheard = Field.of("x", DataType.INT64).withExtension("org.example.unheard", byteArrayOf(0, -1, 127))
    val deep = Field.of(
        "all", DataType.struct(Field.of("list", ListType(unheard)), Field.of("dictionary", DataType.INT8), unheard),
    )

    test(
        "an unknown extension type keeps its keys through C, slices, children, copies, joins and builders [EXT-01]",
    ) {
        fun keeps(array: RecordBatch) {
            array.column(0).field() shouldBe unheard
            array.column(1).field() shouldBe deep
            array.column(1).column(0).items().field() shouldBe unheard
            array.column(1).column(0).getList(0).field() shouldBe unheard
            array.column(2).dictionary().field().extensionMetadata() shouldBe byteArrayOf(0, -1, 127)
            array.column(2).field().extensionName() shouldBe "org.example.outer"
            array.column(2).indices().field().extension() shouldBe null
        }
        val dictionary = Field.of("d", DictionaryType(DataType.INT8, unheard, false))
            .withExtension("org.example.outer", "")
        fun batch(): RecordBatch = BatchBuilder.of(Devices.cpu(), 2).use { batch ->
            batch.column(unheard).append(1).append(2)
            val struct = batch.column(deep)
            repeat(2) { row ->
                struct.child(0).appendList(1).items().append(row.toLong())
                struct.child(1).append(row.toLong())
                struct.child(2).append(row.toLong())
                struct.appendStruct()
            }
            batch.column(dictionary).append(5).append(5)
            batch.build()
        }
        batch().use(::keeps)
        throughC(batch()).use { array ->
            keeps(array)
            array.slice(1, 1).use(::keeps)
            array.copyTo(Devices.cpu()).use(::keeps)
            DeviceArray.concat(listOf(array, array)).use(::keeps)
            array.retainChild(1).use { it.retainChild(2).use { child -> child.field() shouldBe unheard } }
            throughC(array.slice(1, 1)).use(::keeps)
            array.column(0).get(1) shouldBe 2L
        }
    }

    val ids = listOf(UUID.fromString("00112233-4455-6677-8899-aabbccddeeff"), null, UUID(0, 0), UUID(-1, -1),
        UUID.fromString("f81d4fae-7dec-11d0-a765-00a0c91e6bf6"))

    fun uuids(): RecordBatch = built(Field.uuid("id"), ids.size) { column ->
        for (id in ids) if (id == null) column.appendNull() else column.append(id)
    }

    test("a UUID is 16 bytes, the most significant first, and get returns it as a UUID [EXT-03]") {
        throughC(uuids()).use { array ->
            val column = array.column("id")
            column.field().valueClass() shouldBe UUID::class.java
            values(column) shouldBe ids
            column.getUuid(0) shouldBe ids[0]
            column.getBytes(0).toList() shouldBe List(16) { (0x11 * it).toByte() }
            shouldThrow<NoSuchElementException> { column.getUuid(1) }.message shouldContain "is null in row 1"
            array.slice(2, 3).use { values(it.column(0)) shouldBe ids.drop(2) }
            values(column.storage()).map { (it as ByteArray?)?.toList() } shouldBe ids.map { id ->
                id?.let {
                    ByteBuffer.allocate(16).putLong(it.mostSignificantBits).putLong(it.leastSignificantBits)
                        .array().toList()
                }
            }
        }
        built(Field.uuid("id"), 1) { it.append(ByteArray(16) { byte -> (0x11 * byte).toByte() }) }.use {
            it.column(0).getUuid(0) shouldBe ids[0]
        }
    }

    test("get returns UUIDs from dictionaries, runs, lists, unions and structs, too [EXT-03]") {
        val id = Field.uuid("id")
        val (a, b) = ids[0]!! to ids[4]!!
        built(Field.of("d", DictionaryType(DataType.INT8, id, false)), 4) {
            it.append(a).append(b).append(a).appendNull()
        }.let(::throughC).use { array ->
            array.column(0).dictionary().length() shouldBe 2
            array.column(0).field().valueClass() shouldBe UUID::class.java
            values(array.column(0)) shouldBe listOf(a, b, a, null)
            array.column(0).getUuid(2) shouldBe a
        }
        built(Field.of("r", RunEndEncodedType(Field.of("run_ends", DataType.INT32).withNullable(false), id)), 3) {
            it.append(a).append(a).append(b)
        }.let(::throughC).use { array ->
            array.column(0).runs().run { generateSequence { if (next()) end() else null }.toList() } shouldBe
                listOf(2L, 3L)
            values(array.column(0)) shouldBe listOf(a, a, b)
            array.column(0).getUuid(1) shouldBe a
        }
        built(Field.of("l", ListType(id)), 1) { it.appendList(2).items().append(a).appendNull() }.let(::throughC)
            .use { values(it.column(0)) shouldBe listOf(listOf(a, null)) }
        built(Field.of("u", DataType.denseUnion(id, Field.of("n", DataType.INT8))), 2) {
            it.appendUnion(1).appendUnion(0)
            it.child(0).append(b)
            it.child(1).append(7)
        }.let(::throughC).use { array ->
            values(array.column(0)) shouldBe listOf(7L, b)
            array.column(0).getUuid(1) shouldBe b
            shouldThrow<IllegalArgumentException> { array.column(0).getUuid(0) }.message shouldContain
                "of type int8 cannot be read as a UUID; getLong"
        }
        built(Field.of("s", DataType.struct(id)), 1) { it.appendStruct().child(0).append(a) }.let(::throughC)
            .use { values(it.column(0)) shouldBe listOf(mapOf("id" to a)) }
    }

    test("bool8 reads 0 as false and anything else as true, and writes true as 1 [EXT-04]") {
        val field = Field.bool8("b")
        DeviceArray.of(field, ArrayData.of(4, 0, listOf(null, buffer(0, 1, -128, 2, width = 1)))).use { array ->
            val column = array.asColumn()
            column.field().valueClass() shouldBe Boolean::class.javaObjectType
            values(column) shouldBe listOf(false, true, true, true)
            column.getBoolean(2) shouldBe true
            column.getLong(2) shouldBe -128
            values(column.storage()) shouldBe listOf(0L, 1L, -128L, 2L)
            shouldThrow<IllegalArgumentException> { column.storage().getBoolean(0) }.message shouldContain
                "of type int8 cannot be read as a boolean"
        }
        built(field, 6) {
            it.append(true).append(false).appendNull().appendAll(booleanArrayOf(true, false)).append(3)
        }.let(::throughC).use { array ->
            values(array.column(0)) shouldBe listOf(true, false, null, true, false, true)
            array.column(0).toLongArray(9).toList() shouldBe listOf<Long>(1, 0, 9, 1, 0, 3)
        }
        built(Field.of("d", DictionaryType(DataType.INT8, field, false)), 2) {
            it.append(true).append(false)
        }.use { array ->
            values(array.column(0)) shouldBe listOf(true, false)
            array.column(0).getBoolean(1) shouldBe false
        }
        shouldThrow<IllegalArgumentException> { built(Field.of("n", DataType.INT8), 1) { it.append(true) } }
            .message shouldContain "does not hold a boolean"
    }

    val times = listOf("2025-01-01T00:00:00.000000001-07:00", "1969-12-31T23:59:59.999999999+13:00",
        "2024-02-29T12:30:00-12:59", "1970-01-01T00:00:00Z").map(OffsetDateTime::parse)

    test("a timestamp with an offset is a struct of both, in every unit [EXT-05]") {
        for ((unit, nanos) in ArrowTimeUnit.entries.zip(listOf(1_000_000_000, 1_000_000, 1_000, 1))) withClue(unit) {
            val right = times.map { it.withNano(it.nano / nanos * nanos) }
            built(Field.timestampWithOffset("at", unit), 5) { column ->
                right.forEach { column.append(it) }.also { column.appendNullWithParts() }
            }.let(::throughC).use { array ->
                val column = array.column(0)
                right.indices.map { column.getOffsetDateTime(it.toLong()) } shouldBe right
                column.isNull(4) shouldBe true
                column.nullCount() shouldBe 1
                column.get(2) shouldBe mapOf("timestamp" to column.column(0).getLong(2), "offset_minutes" to -779L)
                column.column("timestamp").getInstant(0) shouldBe right[0].toInstant()
                array.slice(2, 3).use { it.column(0).getOffsetDateTime(0) shouldBe right[2] }
            }
        }
    }

    test("a null timestamp is a null value, and a null offset is zero; offsets may be encoded [EXT-05]") {
        val stored = ArrayData.of(4, 1, listOf(buffer(0b1011, width = 1), buffer(0, 60, 120, 180)))
        val minutes = ArrayData.of(4, 2, listOf(buffer(0b0101, width = 1), buffer(60, 1, 2, 3, width = 2)))
        val plain = DataType.struct(Field.of("timestamp", DataType.timestamp(ArrowTimeUnit.SECOND, "UTC")),
            Field.of("offset_minutes", DataType.INT16))
        DeviceArray.of(
            Field.of("at", plain).withExtension(Extension.TimestampWithOffset()),
            ArrayData.of(4, 1, listOf(buffer(0b0111, width = 1)), listOf(stored, minutes)),
        ).use { array ->
            fun reads(column: Column, from: Int) {
                val right = listOf("1970-01-01T01:00+01:00", "1970-01-01T00:01Z", null, null).drop(from)
                right.indices.map { row ->
                    if (column.isNull(row.toLong())) null else column.getOffsetDateTime(row.toLong()).toString()
                } shouldBe right
                column.nullCount() shouldBe 2
                column.get(2L - from) shouldBe null
                column.storage().get(2L - from) shouldBe mapOf("timestamp" to null, "offset_minutes" to 2L)
                column.storage().nullCount() shouldBe 1
            }
            reads(array.asColumn(), 0)
            array.slice(1, 3).use { reads(it.asColumn(), 1) }
        }
        for (offsets in listOf(
            DataType.dictionary(DataType.INT8, DataType.INT16),
            DataType.runEndEncoded(DataType.INT16, Field.of("values", DataType.INT16)),
        )) {
            val type = DataType.struct(Field.of("timestamp", DataType.timestamp(ArrowTimeUnit.NANOSECOND, "UTC")),
                Field.of("offset_minutes", offsets))
            built(Field.of("at", type).withExtension(Extension.TimestampWithOffset()), 4) { column ->
                times.forEach(column::append)
            }.let(::throughC).use { array ->
                times.indices.map { array.column(0).getOffsetDateTime(it.toLong()) } shouldBe times
            }
        }
    }

    test(
        "append rejects timestamps that the type cannot hold, and get those that java.time cannot hold [EXT-05]",
    ) {
        fun refused(unit: ArrowTimeUnit, value: String, why: String) {
            BatchBuilder.of(Devices.cpu(), 1).use { batch ->
                val column = batch.column(Field.timestampWithOffset("at", unit))
                column.append(OffsetDateTime.parse("1970-01-01T00:00:00Z"))
                shouldThrow<IllegalArgumentException> { column.append(OffsetDateTime.parse(value)) }
                    .message shouldContain why
                listOf(column.length(), column.child(0).length(), column.child(1).length()) shouldBe listOf(1L, 1L, 1L)
            }
        }
        refused(ArrowTimeUnit.MICROSECOND, "1970-01-01T00:00:00.000000001Z",
            "which is not a whole microsecond, in row 1")
        refused(ArrowTimeUnit.SECOND, "1970-01-01T00:00:00+13:01",
            "whose offset is not a whole number of minutes from -12:59 to +13:00, in row 1")
        refused(ArrowTimeUnit.SECOND, "1970-01-01T00:00:00-13:00", "1970-01-01T00:00-13:00, whose offset")
        refused(ArrowTimeUnit.SECOND, "1970-01-01T00:00:00+01:00:30", "whose offset is not a whole number of minutes")
        refused(ArrowTimeUnit.NANOSECOND, "2300-01-01T00:00:00Z",
            "(1677-09-21T00:12:43.145224192Z to 2262-04-11T23:47:16.854775807Z), in row 1; timestamp[us, tz=UTC] does")
        val least =
            OffsetDateTime.ofInstant(java.time.Instant.ofEpochSecond(-9_223_372_037, 145_224_192), ZoneOffset.UTC)
        built(Field.timestampWithOffset("at", ArrowTimeUnit.NANOSECOND), 1) { it.append(least) }.use { array ->
            array.column(0).column(0).getLong(0) shouldBe Long.MIN_VALUE
            array.column(0).getOffsetDateTime(0) shouldBe least
        }
        val data = ArrayData.of(3, 0, listOf(null), listOf(
            ArrayData.of(3, 0, listOf(null, buffer(0, Long.MAX_VALUE, 31_556_889_864_403_199L))),
            ArrayData.of(3, 0, listOf(null, buffer(1081, 0, 60, width = 2))),
        ))
        DeviceArray.of(Field.timestampWithOffset("at", ArrowTimeUnit.SECOND), data).use { array ->
            val column = array.asColumn()
            shouldThrow<ArithmeticException> { column.getOffsetDateTime(0) }.message shouldContain
                "row 0: 1081 minutes are not an offset of java.time (-1080 to 1080)"
            shouldThrow<ArithmeticException> { column.getOffsetDateTime(1) }.message shouldContain
                "9223372036854775807 is not a point in time"
            shouldThrow<ArithmeticException> { column.getOffsetDateTime(2) }.message shouldContain
                "31556889864403199 at 60 minutes is not a date and time"
            column.get(1) shouldBe mapOf("timestamp" to Long.MAX_VALUE, "offset_minutes" to 0L)
        }
    }

    test(
        "a field whose storage does not fit is read as storage, and typed getters reject it with both types [EXT-08]",
    ) {
        built(Field.of("id", DataType.UTF8).withExtension("arrow.uuid", ""), 1) { column ->
            shouldThrow<IllegalArgumentException> { column.append(ids[0]!!) }.message shouldBe
                "column \"id\" of type arrow.uuid (utf8) does not hold a UUID: arrow.uuid is stored as " +
                "fixed_size_binary[16], not as utf8; append(String) and append(MemorySegment) take values"
            column.append("text")
        }.let(::throughC).use { array ->
            val column = array.column(0)
            values(column) shouldBe listOf("text")
            column.field().valueClass() shouldBe String::class.java
            shouldThrow<IllegalArgumentException> { column.getUuid(0) }.message shouldBe
                "column \"id\" of type arrow.uuid (utf8) cannot be read as a UUID: arrow.uuid is stored as " +
                "fixed_size_binary[16], not as utf8; getString and getBytes read it"
        }
        built(Field.of("id", DataType.fixedSizeBinary(16)), 1) { column ->
            shouldThrow<IllegalArgumentException> { column.append(ids[0]!!) }.message shouldBe "column \"id\" of " +
                "type fixed_size_binary[16] does not hold a UUID; append(byte[]) and append(MemorySegment) take values"
            column.append(ByteArray(16))
        }.use { array ->
            shouldThrow<IllegalArgumentException> { array.column(0).getUuid(0) }.message shouldBe
                "column \"id\" of type fixed_size_binary[16] cannot be read as a UUID; getBytes reads it"
            shouldThrow<IllegalArgumentException> { array.column(0).getTensor(0) }.message shouldContain
                "cannot be read as a tensor; getBytes"
            shouldThrow<IllegalArgumentException> { array.column(0).getOffsetDateTime(0) }.message shouldContain
                "cannot be read as a point in time with an offset; getBytes"
        }
        uuids().use {
            shouldThrow<IllegalArgumentException> { it.column(0).getLong(0) }.message shouldContain
                "of type arrow.uuid (fixed_size_binary[16]) cannot be read as an integer; getUuid and getBytes read it"
        }
        built(Field.of("at", DataType.struct()), 1) { column ->
            shouldThrow<IllegalArgumentException> { column.append(times[0]) }.message shouldContain
                "does not hold a timestamp with an offset"
            shouldThrow<IllegalArgumentException> { column.appendTensor(1) }.message shouldContain
                "does not hold a tensor"
            column.appendStruct()
        }.close()
    }

    test("JSON is read as text, and opaque and variant types as their storage [EXT-12]") {
        for (type in listOf(DataType.UTF8, DataType.LARGE_UTF8, DataType.UTF8_VIEW)) {
            built(Field.of("doc", type).withExtension(Extension.Json()), 2) {
                it.append("{\"a\": [1, 2]}").appendNull()
            }.let(::throughC).use { array ->
                values(array.column(0)) shouldBe listOf("{\"a\": [1, 2]}", null)
                array.column(0).getString(0) shouldBe "{\"a\": [1, 2]}"
                array.column(0).field().valueClass() shouldBe String::class.java
            }
        }
        built(Field.opaque("g", DataType.BINARY, "geometry", "PostGIS"), 1) {
            it.append(byteArrayOf(1, 2))
        }.let(::throughC).use { array ->
            array.column(0).field().extension() shouldBe Extension.Opaque("geometry", "PostGIS")
            array.column(0).getBytes(0).toList() shouldBe listOf<Byte>(1, 2)
        }
        built(Field.opaque("g", DataType.NULL, "varray", "Oracle"), 1) { it.appendNull() }.let(::throughC)
            .use { values(it.column(0)) shouldBe listOf(null) }
        built(Field.parquetVariant("v"), 2) {
            it.child("metadata").append(byteArrayOf(1, 0, 0))
            it.child("value").append(byteArrayOf(12, 42))
            it.appendStruct().appendNullWithParts()
        }.let(::throughC).use { array ->
            val column = array.column(0)
            column.field().extension() shouldBe Extension.ParquetVariant()
            column.column("value").getBytes(0).toList() shouldBe listOf<Byte>(12, 42)
            column.isNull(1) shouldBe true
        }
    }

    test("difference compares the storage, with or without the extension type [EXT-10]") {
        val bytes = built(Field.of("id", DataType.fixedSizeBinary(16)), ids.size) { column ->
            for (id in ids) if (id == null) column.appendNull() else column.append(ByteBuffer.allocate(16)
                .putLong(id.mostSignificantBits).putLong(id.leastSignificantBits).array())
        }
        bytes.use { plain ->
            uuids().use { array ->
                array.difference(plain) shouldBe null
                plain.difference(array) shouldBe null
                array.toString(1).lines().slice(listOf(2, 4)) shouldBe
                    listOf("arrow.uuid", "00112233-4455-6677-8899-aabbccddeeff")
            }
        }
    }

    test(
        "appendNullWithParts appends nested parts, and rejects a struct that is half appended [EXT-05]",
    ) {
        val nested = Field.of("s", DataType.struct(
            Field.of("l", DataType.fixedSizeList(Field.of("item", DataType.INT8), 2)),
            Field.of("s", DataType.struct(Field.of("x", DataType.UTF8))),
        ))
        built(nested, 2) { column ->
            column.child(0).appendList(2).items().append(1).append(2)
            shouldThrow<IllegalStateException> { column.appendNullWithParts() }.message shouldContain
                "has 0 structs, but its field \"l\" has 1"
            column.child(1).appendStruct().child(0).append("a")
            column.appendStruct()
            column.appendNullWithParts()
        }.let(::throughC).use {
            values(it.column(0)) shouldBe listOf(mapOf("l" to listOf(1L, 2L), "s" to mapOf("x" to "a")), null)
        }
        BatchBuilder.of(Devices.cpu(), 1).use { batch ->
            shouldThrow<IllegalArgumentException> {
                batch.column(Field.timestampWithOffset("at", ArrowTimeUnit.SECOND).withNullable(false))
                    .appendNullWithParts()
            }.message shouldContain "not nullable"
            batch.column(Field.of("n", DataType.INT8)).appendNullWithParts().length() shouldBe 1
        }
    }
})
