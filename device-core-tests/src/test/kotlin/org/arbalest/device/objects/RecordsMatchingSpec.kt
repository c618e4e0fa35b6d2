// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.objects

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.Trips.Boxes
import org.arbalest.device.Trips.Carrier
import org.arbalest.device.Trips.Flight
import org.arbalest.device.Trips.Leg
import org.arbalest.device.Trips.Named
import org.arbalest.device.Trips.Numbers
import org.arbalest.device.Trips.Primitives
import org.arbalest.device.Trips.Samples
import org.arbalest.device.Trips.Times
import org.arbalest.device.Trips.Tree
import org.arbalest.device.Trips.Trip
import org.arbalest.device.Trips.Values
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.support.struct
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.support.ResourceCountersExtension
import java.math.BigDecimal
import java.math.BigInteger
import java.time.Instant
import java.time.Period

/** The matching of records and columns, and the errors for everything that does not match. */
class RecordsMatchingSpec : FunSpec({
    extension(ResourceCountersExtension)

    val memory = Devices.cpu().memory()

    fun batch(
        vararg columns: Pair<Field, (ColumnBuilder) -> Unit>,
        rows: Int = 1,
    ): RecordBatch = BatchBuilder.of(memory, rows).use { builder ->
        for ((field, append) in columns) append(builder.column(field))
        builder.build()
    }

    fun column(name: String, type: DataType, append: (ColumnBuilder) -> Unit) = Field.of(name, type) to append

    fun column(name: String, type: DataType, vararg values: Any?) = column(name, type) { column ->
        for (value in values) {
            when (value) {
                null -> column.appendNull()
                is Number -> column.append(value.toLong())
                is BigDecimal -> column.append(value)
                is Boolean -> column.append(value)
                else -> column.append(value.toString())
            }
        }
    }

    fun of(type: Class<*>, batch: RecordBatch): List<*> = batch.use { Records.of(type).toList(it) }

    test("columns are matched by name, in any order, and those without a component are ignored [OBJ-02]") {
        val columns = arrayOf(
            column("note", DataType.UTF8, "x"), column("distance", DataType.FLOAT64, 7),
            column("delay", DataType.INT32, 3), column("carrier", DataType.UTF8, "AA"),
        )
        of(Flight::class.java, batch(*columns)) shouldBe listOf(Flight("AA", 3, 7.0))
    }

    test("a strict mapping rejects columns without a component [OBJ-02]") {
        batch(
            column("delay", DataType.INT32, 3),
            column("note", DataType.UTF8, "x"),
            column("carrier", DataType.UTF8, "AA"),
            column("distance", DataType.FLOAT64, 7),
        ).use {
            shouldThrow<IllegalArgumentException> { Records.of(Flight::class.java).strict().rows(it) }.message shouldBe
                "org.arbalest.device.Trips\$Flight and the columns do not match:\n  note: no component has this " +
                "column's name"
        }
    }

    test("a column with another spelling does not match, and the error suggests @ColumnName [OBJ-03]") {
        batch(
            column("Car_Rier", DataType.UTF8, "AA"),
            column("delay", DataType.INT32, 5),
            column("distance", DataType.FLOAT64, 7),
        ).use {
            shouldThrow<IllegalArgumentException> { Records.of(Flight::class.java).rows(it) }.message shouldBe
                "org.arbalest.device.Trips\$Flight and the columns do not match:\n  no column for carrier; there are " +
                "[Car_Rier, delay, distance]; @ColumnName gives a component its column's name"
        }
    }

    test("@ColumnName gives a component a column name that is not valid in Java [OBJ-02]") {
        val named = listOf(Named(7, "AA"))
        Records.of(Named::class.java).build(memory, named).use { batch ->
            batch.column("flight no").getInt(0) shouldBe 7
            Records.of(Named::class.java).toList(batch) shouldBe named
        }
    }

    test(
        "one error lists all mismatches, each with path, class, column type, and the classes that fit [OBJ-03]",
    ) {
        val legs = DataType.list(
            Field.of("item", DataType.struct(Field.of("from", DataType.UTF8), Field.of("miles", DataType.INT64))),
        )
        batch(
            column("legs", legs) { it.appendNull() }, column("gates", DataType.UTF8, null),
            column("first", DataType.INT8, null),
            column("bags", DataType.map(Field.of("key", DataType.BINARY), Field.of("value", DataType.FLOAT32))) {
                it.appendNull()
            },
            column("notes", DataType.NULL, null), column("notes", DataType.NULL, null),
        ).use {
            val numbers = "byte or short or int or long or float or double or BigInteger or BigDecimal"
            shouldThrow<IllegalArgumentException> { Records.of(Trip::class.java).rows(it) }.message shouldBe """
                org.arbalest.device.Trips${'$'}Trip and the columns do not match:
                  first: Leg cannot be read from int8; use $numbers
                  legs[].miles: int cannot be read from int64; use long or BigInteger or BigDecimal
                  legs[]: no column for to; there are [from, miles]
                  gates: List<Integer> cannot be read from utf8; use String
                  bags<key>: String cannot be read from binary; use byte[]
                  bags<value>: Long cannot be read from float32; use float or double
                  notes: 2 columns have this name, at [4, 5]
            """.trimIndent()
        }
    }

    val widened = mapOf(
        DataType.INT8 to "short, int, long, float, double", DataType.UINT8 to "short, int, long, float, double",
        DataType.UINT16 to "int, long, float, double", DataType.INT32 to "int, long, double",
        DataType.UINT32 to "long, double", DataType.INT64 to "long", DataType.UINT64 to "",
        DataType.FLOAT16 to "float, double",
        DataType.FLOAT32 to "float, double", DataType.FLOAT64 to "double",
    )
    for ((type, classes) in widened) {
        test("${Field.of("x", type)} is read only as primitives and boxes that lose nothing [OBJ-04]") {
            for ((part, name) in listOf(
                "int8" to "byte",
                "int16" to "short",
                "int32" to "int",
                "int64" to "long",
                "float32" to "float",
                "float64" to "double",
            )) {
                val fits = name in classes.split(", ") || (name == "byte" && type == DataType.INT8)
                val columns = Primitives::class.java.recordComponents.map {
                    when {
                        it.name == part -> column(part, type) { column ->
                            if (type.format() in "efg") column.append(7.0) else column.append(7)
                        }
                        it.name == "bool" -> column("bool", DataType.BOOL, true)
                        it.name == "letter" -> column("letter", DataType.UTF8, "x")
                        it.name.startsWith("f") -> column(it.name, DataType.FLOAT16, 1)
                        else -> column(it.name, DataType.INT8, 1)
                    }
                }
                for (record in listOf(Primitives::class.java, Boxes::class.java)) {
                    batch(*columns.toTypedArray()).use { batch ->
                        if (fits) {
                            val read = Records.of(record).toList(batch).single()
                            (record.getMethod(part).invoke(read) as Number).toDouble() shouldBe 7.0
                        } else {
                            shouldThrow<IllegalArgumentException> { Records.of(record).rows(batch) }
                                .message shouldContain "$part: "
                        }
                    }
                }
            }
        }
    }

    test("a BigDecimal reads every decimal and integer, a BigInteger those without a fraction [OBJ-04]") {
        fun values(type: DataType, value: Any) = of(
            Values::class.java,
            batch(column("text", DataType.NULL, null), column("decimal", type, value), column("integer", type, value),
                column("carrier", DataType.NULL, null)),
        ).single()
        values(DataType.decimal64(18, 0), BigDecimal("-17")) shouldBe
            Values(null, BigDecimal("-17"), BigInteger("-17"), null)
        values(DataType.UINT64, -1L) shouldBe
            Values(null, BigDecimal("18446744073709551615"), BigInteger("18446744073709551615"), null)
        shouldThrow<IllegalArgumentException> { values(DataType.decimal32(9, 2), BigDecimal("1.25")) }
            .message shouldContain "integer: BigInteger cannot be read from decimal32(9, 2); use BigDecimal"
    }

    test("a null for a primitive component is an error with the row and the component [OBJ-05]") {
        batch(
            column("carrier", DataType.UTF8, "AA", null),
            column("delay", DataType.INT32, 1, null),
            column("distance", DataType.FLOAT64, null, null),
            rows = 2,
        ).use { batch ->
            val rows = Records.of(Flight::class.java).rows(batch)
            rows[0] shouldBe Flight("AA", 1, null)
            shouldThrow<NoSuchElementException> { rows[1] }.message shouldBe "row 1: delay is null, which no int is"
            batch.slice(1, 1).use { slice ->
                shouldThrow<NoSuchElementException> { Records.of(Flight::class.java).toList(slice) }
                    .message shouldContain "row 0: delay"
            }
        }
    }

    test("a null in a nested component is an error with the path to it [OBJ-05]") {
        val legs = Schema.of(
            Field.of("first", DataType.NULL), Field.of("gates", DataType.NULL), Field.of("bags", DataType.NULL),
            Field.of("notes", DataType.NULL),
            Field.of("legs", DataType.list(Field.of("item", DataType.struct(Field.of("from", DataType.UTF8),
                Field.of("to", DataType.UTF8), Field.of("miles", DataType.INT32))))),
        )
        BatchBuilder.of(memory, 2).use { builder ->
            for (field in legs.fields().take(4)) builder.column(field).appendNull().appendNull()
            val column = builder.column(legs.fields()[4])
            column.appendList(0).appendList(3)
            repeat(3) {
                column.items().appendStruct()
                column.items().child(0).append("A")
                column.items().child(1).appendNull()
                if (it == 2) column.items().child(2).appendNull() else column.items().child(2).append(it.toLong())
            }
            builder.build()
        }.use { batch ->
            shouldThrow<NoSuchElementException> { Records.of(Trip::class.java).toList(batch) }.message shouldBe
                "row 1: legs[2].miles is null, which no int is"
        }
    }

    test("a null in an array of primitives is an error with its index [OBJ-05]") {
        val samples = Samples::class.java.recordComponents.map { part ->
            if (part.name != "longs") {
                column(part.name, DataType.NULL, null)
            } else {
                column("longs", DataType.list(Field.of("item", DataType.INT8))) {
                    it.appendList(2).items().append(1).appendNull()
                }
            }
        }
        batch(*samples.toTypedArray()).use {
            shouldThrow<NoSuchElementException> { Records.of(Samples::class.java).toList(it) }.message shouldBe
                "row 0: longs[1] is null, which no long is"
        }
    }

    test("a value that the column cannot hold is rejected with column and row, and nothing leaks [OBJ-07]") {
        fun refused(field: Field, value: Flight): String? {
            val schema = Schema.of(Field.of("carrier", DataType.UTF8), Field.of("delay", DataType.INT32),
                Field.of("distance", DataType.FLOAT64))
            val changed = Schema.of(schema.fields().map { if (it.name() == field.name()) field else it })
            return shouldThrow<IllegalArgumentException> {
                Records.of(Flight::class.java).build(memory, changed, listOf(Flight("AA", 1, null), value))
            }.message
        }
        refused(Field.of("delay", DataType.INT8), Flight("AA", 300, null)) shouldContain
            "does not hold the integer 300 (-128 to 127), in row 1"
        refused(Field.of("delay", DataType.UINT64), Flight("AA", -1, null)) shouldBe
            "column \"delay\", row 1: -1 cannot be stored exactly as uint64"
        refused(Field.of("carrier", DataType.UTF8).withNullable(false), Flight(null, 1, null)) shouldContain
            "column \"carrier\" is not nullable, but row 1 is null"
        refused(Field.of("distance", DataType.FLOAT32), Flight("AA", 1, 0.1)) shouldContain
            "distance: Double cannot be built as float32"
        @Suppress("UNCHECKED_CAST")
        val withNull = listOf(Flight("AA", 1, null), null) as List<Flight> // as Java code can pass it
        shouldThrow<IllegalArgumentException> { Records.of(Flight::class.java).build(memory, withNull) }
            .message shouldContain "row 1 of a batch is null"
    }

    test("times are built in other units if they are whole numbers of that unit [OBJ-07]") {
        fun built(instant: Instant?, unit: ArrowTimeUnit): Any? {
            val standard = Records.of(Times::class.java).schema()
            val schema = Schema.of(standard.fields().map {
                if (it.name() == "instant") Field.of("instant", DataType.timestamp(unit, "Europe/Oslo")) else it
            })
            return Records.of(Times::class.java)
                .build(memory, schema, listOf(Times(null, null, instant, null, null, null, null, null)))
                .use { Records.of(Times::class.java).toList(it).single().instant() }
        }
        for (instant in listOf(
            Instant.parse("1969-12-31T23:59:59.250Z"),
            Instant.parse("9999-12-31T00:00:00Z"),
            Instant.parse("0001-01-01T00:00:00.001Z"),
        )) {
            built(instant, ArrowTimeUnit.MILLISECOND) shouldBe instant
            built(instant, ArrowTimeUnit.MICROSECOND) shouldBe instant
        }
        val nanos = Instant.parse("2024-01-01T00:00:00.000000001Z")
        built(nanos, ArrowTimeUnit.NANOSECOND) shouldBe nanos
        shouldThrow<IllegalArgumentException> { built(nanos, ArrowTimeUnit.MICROSECOND) }.message shouldBe
            "column \"instant\" of type timestamp[us, tz=Europe/Oslo] does not hold 2024-01-01T00:00:00.000000001Z, " +
            "which is not a whole microsecond, in row 0; " +
            "timestamp[ns, tz=Europe/Oslo] does"
        shouldThrow<IllegalArgumentException> { built(Instant.parse("9999-12-31T00:00:00Z"), ArrowTimeUnit.NANOSECOND) }
            .message shouldContain "does not hold 9999-12-31T00:00:00Z (1677-09-21T00:12:43.145224192Z to " +
            "2262-04-11T23:47:16.854775807Z), in row 0; timestamp[us, tz=Europe/Oslo] does"
        for (instant in listOf(Instant.ofEpochSecond(0, Long.MAX_VALUE), Instant.ofEpochSecond(0, Long.MIN_VALUE)))
            built(instant, ArrowTimeUnit.NANOSECOND) shouldBe instant
        shouldThrow<IllegalArgumentException> {
            Records.of(Times::class.java)
                .build(memory, listOf(Times(null, null, null, null, null, null, Period.ofDays(3), null)))
        }.message shouldContain
            "column \"period\" of type year_month_interval does not hold the period P3D (months only), in row 0"
    }

    test("a given schema must have a component for each column and a column for each component [OBJ-07]") {
        val schema = Schema.of(Field.of("carrier", DataType.INT64), Field.of("delay", DataType.INT64),
            Field.of("note", DataType.UTF8))
        shouldThrow<IllegalArgumentException> {
            Records.of(Flight::class.java).build(memory, schema, listOf())
        }.message shouldBe """
            org.arbalest.device.Trips${'$'}Flight and the columns do not match:
              carrier: String cannot be built as int64
              note: Flight has no component for this column
              distance: there is no column for it
        """.trimIndent()
    }

    test("encoded columns are read as their values, and built from values [OBJ-08]") {
        val text = DataType.dictionary(DataType.INT8, DataType.UTF8_VIEW)
        val runs = DataType.runEndEncoded(DataType.INT32, Field.of("values", DataType.FLOAT64))
        val schema = Schema.of(
            Field.of("carrier", text),
            Field.of("delay", DataType.dictionary(DataType.UINT8, DataType.INT16)).withNullable(false),
            Field.of("distance", runs),
        )
        val flights = List(10) { Flight("c${it % 3}", it / 4, if (it > 7) null else it / 5 * 0.5) }
        Records.of(Flight::class.java).build(memory, schema, flights).use { batch ->
            batch.column("carrier").dictionary().length() shouldBe 3
            throughC(batch).use { Records.of(Flight::class.java).toList(it) shouldBe flights }
            batch.slice(5, 3).use { Records.of(Flight::class.java).toList(it) shouldBe flights.subList(5, 8) }
        }
    }

    test("structs and lists in dictionaries and run-end encoded columns are read [OBJ-08]") {
        val leg = DataType.struct(Field.of("from", DataType.UTF8), Field.of("to", DataType.UTF8),
            Field.of("miles", DataType.INT32))
        val gates = DataType.list(Field.of("item", DataType.INT32))
        BatchBuilder.of(memory, 4).use { builder ->
            for (name in listOf("legs", "bags", "notes")) builder.column(Field.of(name, DataType.NULL))
                .apply { repeat(4) { appendNull() } }
            val first = builder.column(Field.of("first", DataType.dictionary(DataType.INT8, leg)))
            for (miles in listOf(1L, 2L, 1L)) {
                first.dictionary().child(0).append("A")
                first.dictionary().child(1).appendNull()
                first.dictionary().child(2).append(miles)
                first.appendStruct()
            }
            first.appendNull()
            val runs =
                builder.column(Field.of("gates", DataType.runEndEncoded(DataType.INT16, Field.of("values", gates))))
            runs.values().items().append(7).append(8)
            runs.values().appendList(2).appendNull()
            runs.appendRun(3).appendRun(1)
            builder.build()
        }.use { batch ->
            val expected = listOf(1, 2, 1).map { Trip(Leg("A", null, it), null, listOf(7, 8), null, null) } +
                Trip(null, null, null, null, null)
            Records.of(Trip::class.java).toList(batch) shouldBe expected
            batch.slice(1, 2).use { Records.of(Trip::class.java).toList(it) shouldBe expected.subList(1, 3) }
        }
    }

    test(
        "an enum constant is read by its name, and another text is an error with all constants [OBJ-08]",
    ) {
        for (type in listOf(
            DataType.UTF8, DataType.LARGE_UTF8, DataType.UTF8_VIEW, DataType.dictionary(DataType.INT32, DataType.UTF8),
        )) {
            val others = listOf("text", "decimal", "integer").map { column(it, DataType.NULL, null, null) }
                .toTypedArray()
            batch(column("carrier", type, "WN", "BA"), *others, rows = 2).use { batch ->
                val rows = Records.of(Values::class.java).rows(batch)
                rows[0] shouldBe Values(null, null, null, Carrier.WN)
                shouldThrow<IllegalArgumentException> { rows[1] }.message shouldBe
                    "row 1: carrier is \"BA\", which is no Carrier: [AA, DL, WN, UA]"
            }
        }
    }

    test("a map with a repeated key is an error") {
        val bags = DataType.map(Field.of("key", DataType.UTF8), Field.of("value", DataType.INT64))
        batch(
            *listOf("first", "legs", "gates", "notes").map { column(it, DataType.NULL, null) }.toTypedArray(),
            column("bags", bags) { column ->
                column.appendMap(2)
                column.keys().append("a").append("a")
                column.values().append(1).append(2)
            },
        ).use {
            shouldThrow<IllegalArgumentException> {
                Records.of(Trip::class.java).toList(it)
            }.message shouldContain "row 0: bags[a] is a key that occurs twice"
        }
    }

    test("a class that is a part of itself is read as deep as the columns nest [OBJ-10]") {
        val leaf = DataType.struct(Field.of("value", DataType.INT32), Field.of("branches", DataType.NULL))
        BatchBuilder.of(memory, 1).use { builder ->
            builder.column(Field.of("value", DataType.INT32)).append(1)
            val branches = builder.column(Field.of("branches", DataType.list(Field.of("item", leaf)))).appendList(1)
            branches.items().appendStruct().child(0).append(2)
            branches.items().child(1).appendNull()
            builder.build()
        }.use { Records.of(Tree::class.java).toList(it) shouldBe listOf(Tree(1, listOf(Tree(2, null)))) }
    }

    test("a column of type null cannot be read as a primitive [OBJ-05]") {
        batch(
            column("carrier", DataType.UTF8, "AA"),
            column("delay", DataType.NULL, null),
            column("distance", DataType.NULL, null),
        ).use { batch ->
            shouldThrow<NoSuchElementException> { Records.of(Flight::class.java).toList(batch) }.message shouldBe
                "row 0: delay is null, which no int is"
        }
    }

    test(
        "arrays of primitives are built as any numbers that hold their elements, and rejected otherwise [OBJ-07]",
    ) {
        fun list(item: DataType) = DataType.list(Field.of("item", item))
        fun schema(ints: DataType, longs: DataType, doubles: DataType, shorts: DataType) =
            Schema.of(Field.of("ints", ints), Field.of("longs", longs), Field.of("doubles", doubles),
                Field.of("shorts", shorts))
        val numbers = Numbers(intArrayOf(1, 1, -3), longArrayOf(4, Long.MAX_VALUE), doubleArrayOf(0.5, 0.5),
            shortArrayOf(7, 7, 7))
        val runs = DataType.runEndEncoded(DataType.INT16, Field.of("values", DataType.INT16))
        val schema = schema(
            list(DataType.dictionary(DataType.INT8, DataType.INT32)),
            DataType.listView(Field.of("item", DataType.INT64)), DataType.largeList(Field.of("item", DataType.FLOAT64)),
            list(runs),
        )
        fun plain(of: Numbers) = listOf(of.ints.toList(), of.longs.toList(), of.doubles.toList(), of.shorts.toList())
        Records.of(Numbers::class.java).build(memory, schema, listOf(numbers, numbers)).use { batch ->
            Records.of(Numbers::class.java).toList(batch).map(::plain) shouldBe List(2) { plain(numbers) }
        }
        val others = schema(list(DataType.decimal32(9, 2)), list(DataType.decimal128(38, 0)),
            list(DataType.dictionary(DataType.INT8, DataType.FLOAT64)), list(DataType.UINT8))
        Records.of(Numbers::class.java).build(memory, others, listOf(numbers)).use { batch ->
            batch.column("ints").get(0) shouldBe listOf(1, 1, -3).map { BigDecimal(it).setScale(2) }
            batch.column("shorts").get(0) shouldBe listOf(7L, 7L, 7L)
        }
        for (item in listOf(
            DataType.UINT8,
            DataType.dictionary(DataType.INT8, DataType.UINT8),
            DataType.UINT64,
            DataType.dictionary(DataType.INT8, DataType.UINT64),
        )) {
            shouldThrow<IllegalArgumentException> {
                Records.of(Numbers::class.java)
                    .build(memory, schema(list(item), list(item), list(DataType.FLOAT64), list(item)), listOf(numbers))
            }
                .message!! shouldContain "-3"
        }
        shouldThrow<IllegalArgumentException> {
            Records.of(Numbers::class.java).build(
                memory,
                schema(list(DataType.INT32), list(DataType.FLOAT64), list(DataType.FLOAT64), list(DataType.INT16)),
                listOf(numbers),
            )
        }.message!! shouldContain "9223372036854775807"
    }
})
