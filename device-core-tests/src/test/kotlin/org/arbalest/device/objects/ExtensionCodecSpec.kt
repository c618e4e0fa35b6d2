// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.objects

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.columns.Column
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Extension
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import java.lang.foreign.Arena

/** Codecs for an application's own extension types. */
class ExtensionCodecSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    data class Money(val cents: Long)

    data class Point(val x: Double, val label: String?)

    val money = ExtensionCodec.of("com.acme.money", Money::class.java, DataType.INT64,
        { column, row -> Money(column.getLong(row)) }, { column, it -> column.append(it.cents) })

    /** A codec whose storage has several parts, and which may fail between them. */
    val points = object : ExtensionCodec<Point> {
        override fun name() = "com.acme.point"
        override fun valueClass() = Point::class.java
        override fun storage(): DataType = DataType.struct(Field.of("x", DataType.FLOAT64),
            Field.of("labels", ListType(Field.of("item", DataType.UTF8))))
        override fun parameters() = "{\"crs\": 4326}"
        override fun fits(field: Field) = super.fits(field) &&
            String(field.extensionMetadata() ?: byteArrayOf()) == parameters()
        override fun fromStorage(storage: Column, row: Long) = Point(storage.column("x").getDouble(row),
            storage.column("labels").getList(row).let { if (it.length() == 0L) null else it.getString(0) })
        override fun toStorage(storage: ColumnBuilder, value: Point) {
            storage.child("x").append(value.x)
            storage.child("labels").appendList(if (value.label == null) 0 else 1)
            if (value.label != null) storage.child("labels").items().append(value.label)
            check(!(value.x < 0)) { "a negative x" }
            if (!value.x.isNaN()) storage.appendStruct()
            if (value.x == 2.0) storage.appendStruct()
        }
    }

    fun built(
        field: Field,
        rows: Int,
        fill: (ColumnBuilder) -> Unit,
    ): RecordBatch = BatchBuilder.of(Devices.cpu(), rows).use { batch ->
        batch.column(field).let(fill)
        batch.build()
    }

    fun throughC(array: RecordBatch): RecordBatch = Arena.ofConfined().use { arena ->
        val (out, schema) = arena.struct(StructKind.ARRAY) to arena.struct(StructKind.SCHEMA)
        array.use { CData.exportArray(it, out, CExport.DATA.schemaTo(schema)) }
        CData.importBatch(out, CImport.DATA.schema(schema))
    }

    fun values(column: Column): List<Any?> = (0 until column.length()).map { column.get(it) }

    fun registered(codec: ExtensionCodec<*>, use: () -> Unit) {
        ExtensionCodec.register(codec)
        try {
            use()
        } finally {
            ExtensionCodec.unregister(codec.name())
        }
    }

    fun prices() = built(money.field("price"), 3) {
        money.append(money.append(it, Money(1299)).appendNull(), Money(-1))
    }

    test("an unregistered codec reads and writes values, while get returns their storage [EXT-09]") {
        throughC(prices()).use { array ->
            val column = array.column("price")
            column.field().extension() shouldBe Extension.Other("com.acme.money", byteArrayOf(), null)
            money.get(column, 0) shouldBe Money(1299)
            shouldThrow<NoSuchElementException> { money.get(column, 1) }
            array.slice(2, 1).use { money.get(it.column(0), 0) shouldBe Money(-1) }
            values(column) shouldBe listOf(1299L, null, -1L)
            column.field().valueClass() shouldBe Long::class.javaObjectType
        }
        val parts = listOf(Point(1.0, "a"), Point(0.5, null))
        built(points.field("at"), 3) { column ->
            parts.forEach { points.append(column, it) }.also { column.appendNullWithParts() }
        }.let(::throughC).use { array ->
            List(2) { points.get(array.column(0), it.toLong()) } shouldBe parts
            array.column(0).isNull(2) shouldBe true
        }
    }

    test("get uses a registered codec wherever the column is, until the codec is unregistered [EXT-09]") {
        val field = money.field("price")
        val types = mapOf(
            field to Money(5), Field.of("l", ListType(field)) to listOf(Money(5)),
            Field.of("s", DataType.struct(field)) to mapOf("price" to Money(5)),
            Field.of("d", DictionaryType(DataType.INT8, field, false)) to Money(5), Field.of("r",
                RunEndEncodedType(Field.of("run_ends", DataType.INT32).withNullable(false), field)) to Money(5),
        )
        registered(money) {
            for ((type, value) in types) built(type, 1) { column ->
                when (type.type()) {
                    is ListType -> money.append(column.appendList(1).items(), Money(5))
                    is org.arbalest.device.types.NestedType.StructType ->
                        money.append(column.appendStruct().child(0), Money(5))
                    else -> money.append(column, Money(5))
                }
            }.let(::throughC).use { array ->
                values(array.column(0)) shouldBe listOf(value)
                if (value is Money) {
                    array.column(0).field().valueClass() shouldBe Money::class.java
                    money.get(array.column(0), 0) shouldBe value
                }
            }
            ExtensionCodec.registered(field) shouldBe money
            ExtensionCodec.registered(Field.of("x", DataType.INT64)) shouldBe null
            throughC(prices()).use { array ->
                values(array.column(0).storage()) shouldBe listOf(1299L, null, -1L)
                array.column(0).getLong(0) shouldBe 1299
                array.column(0).asLongs().get(2) shouldBe -1
            }
        }
        ExtensionCodec.registered(field) shouldBe null
        prices().use { values(it.column(0)) shouldBe listOf(1299L, null, -1L) }
    }

    test(
        "a codec rejects a field that it does not fit, with both types, and get returns the storage [EXT-09]",
    ) {
        registered(money) {
            built(Field.of("price", DataType.INT32).withExtension("com.acme.money", ""), 1) { column ->
                shouldThrow<IllegalArgumentException> { money.append(column, Money(1)) }.message shouldBe
                    "column \"price\" of type com.acme.money (int32) does not hold values of com.acme.money, which " +
                    "is stored as int64; append(long) takes values"
                column.append(7)
            }.use { array ->
                values(array.column(0)) shouldBe listOf(7L)
                array.column(0).field().valueClass() shouldBe Long::class.javaObjectType
                shouldThrow<IllegalArgumentException> { money.get(array.column(0), 0) }.message!!.let {
                    it shouldContain "column \"price\" of type com.acme.money (int32) cannot be read as values of " +
                        "${Money::class.java.name}: is not com.acme.money, which is stored as int64; getLong"
                }
            }
        }
        built(points.field("at").withExtension("com.acme.point", "other"), 0) { column ->
            shouldThrow<IllegalArgumentException> { points.append(column, Point(1.0, null)) }
        }.close()
        built(Field.of("n", DataType.INT64), 1) { it.append(1) }.use {
            shouldThrow<IllegalArgumentException> { money.get(it.column(0), 0) }.message shouldContain
                "of type int64 cannot be read as"
        }
    }

    test("a codec that throws, or appends no value or two, leaves no value and no part behind [EXT-09, OWN-15]") {
        BatchBuilder.of(Devices.cpu(), 2).use { batch ->
            val column = batch.column(points.field("at"))
            fun isAsBefore() = listOf(column.length(), column.child(0).length(), column.child(1).length(),
                column.child(1).items().length()) shouldBe listOf(1L, 1L, 1L, 1L)
            points.append(column, Point(1.0, "kept"))
            shouldThrow<IllegalStateException> { points.append(column, Point(-1.0, "half")) }.message shouldBe
                "a negative x"
            isAsBefore()
            shouldThrow<IllegalStateException> { points.append(column, Point(Double.NaN, "none")) }
                .message shouldContain "appended 0 values for one"
            isAsBefore()
            shouldThrow<IllegalStateException> { points.append(column, Point(2.0, "two")) }.message shouldContain
                "column \"at\", row 1: the codec of com.acme.point appended 2 values for one"
            isAsBefore()
            points.append(column, Point(3.0, null))
            batch.build().use { array ->
                List(2) { points.get(array.column(0), it.toLong()) } shouldBe
                    listOf(Point(1.0, "kept"), Point(3.0, null))
            }
        }
        BatchBuilder.of(Devices.cpu(), 1).use { batch ->
            val column = batch.column(Field.of("d", DictionaryType(DataType.INT8, points.field(""), false)))
            shouldThrow<IllegalStateException> { points.append(column, Point(-1.0, "half")) }
            points.append(column, Point(1.0, "a"))
            batch.build().use { points.get(it.column(0), 0) shouldBe Point(1.0, "a") }
        }
    }

    test(
        "an extension type has one codec at a time, and none if get already has a Java class for it [EXT-09]",
    ) {
        registered(money) {
            shouldThrow<IllegalStateException> { ExtensionCodec.register(money) }.message shouldContain
                "the extension type com.acme.money is read as "
        }
        registered(money) {}
        ExtensionCodec.unregister("com.acme.money")
        for (name in listOf("arrow.uuid", "arrow.bool8")) {
            shouldThrow<IllegalArgumentException> {
                ExtensionCodec.register(
                    ExtensionCodec.of(name, String::class.java, DataType.UTF8, { _, _ -> "" }, { _, _ -> }),
                )
            }.message shouldContain name
        }
        val json = ExtensionCodec.of("arrow.json", List::class.java, DataType.UTF8,
            { column, row -> column.getString(row).split(",") }, { column, it -> column.append(it.joinToString(",")) })
        registered(json) {
            built(Field.json("doc"), 1) { json.append(it, listOf("1", "2")) }.use { array ->
                values(array.column(0)) shouldBe listOf(listOf("1", "2"))
                array.column(0).getString(0) shouldBe "1,2"
            }
        }
    }
})
