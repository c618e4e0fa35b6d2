// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.objects

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Devices
import org.arbalest.device.Trips.Arrays
import org.arbalest.device.Trips.Carrier
import org.arbalest.device.Trips.Leg
import org.arbalest.device.Trips.NoComponents
import org.arbalest.device.Trips.OfPerhaps
import org.arbalest.device.Trips.Perhaps
import org.arbalest.device.Trips.Sets
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.support.ResourceCountersExtension
import java.util.Optional
import java.util.UUID

/** Record components that are sets, arrays of objects, and Optionals. */
class RecordsCollectionsSpec : FunSpec({
    extension(ResourceCountersExtension)

    val memory = Devices.cpu().memory()
    val leg = Leg("JFK", null, 2475)

    fun <T : Any> read(rows: List<T>, type: Class<T>): List<T> = Records.of(type).build(memory, rows).use { batch ->
        batch.slice(1, batch.length() - 1).use {
            Records.of(type).toList(it) shouldBe throughC(batch).use { all -> Records.of(type).toList(all) }.drop(1)
        }
        throughC(batch).use { Records.of(type).toList(it) }
    }

    test("a Set is built as a list, and read in the order of the list [OBJ-12]") {
        val sets = listOf(Sets(setOf("b", "a"), setOf(leg, null), setOf(setOf(1, null), setOf(), null)),
            Sets(null, setOf(), null), Sets(setOf(), null, setOf()))
        read(sets, Sets::class.java) shouldBe sets
        read(sets, Sets::class.java)[0].words.toList() shouldBe listOf("b", "a")
        Records.of(Sets::class.java).schema().field("sets").toString() shouldBe "sets: list<item: list<item: int32>>"
        shouldThrow<UnsupportedOperationException> {
            (read(sets, Sets::class.java)[0].words as MutableSet<String>).add("c")
        }
    }

    test("a repeated element of a Set is an error with the row, the path and the element [OBJ-12]") {
        BatchBuilder.of(memory, 2).use { builder ->
            val words = builder.column(Field.of("words", DataType.list(Field.of("item", DataType.UTF8))))
            words.items().append("a").append("b").append("c").append("b")
            words.appendList(1).appendList(3)
            for (name in listOf("legs", "sets")) builder.column(Records.of(Sets::class.java).schema().field(name)!!)
                .appendNulls(2)
            builder.build()
        }.use { batch ->
            val rows = Records.of(Sets::class.java).rows(batch)
            rows[0].words shouldBe setOf("a")
            shouldThrow<IllegalArgumentException> { rows[1] }.message shouldBe
                "row 1: words[2] is b, which occurs twice, and a Set has each element once; read it as a List"
        }
    }

    fun plain(arrays: Arrays): List<Any?> = listOf(
        arrays.words?.toList(), arrays.legs?.toList(), arrays.grid?.map { it?.toList() }, arrays.boxes?.toList(),
        arrays.blobs?.map { it?.toList() }, arrays.lists?.toList(),
        arrays.carriers?.toList(),
    )

    test("arrays of objects are lists, and so are arrays of arrays [OBJ-12]") {
        val arrays = listOf(
            Arrays(
                arrayOf("x", null, ""), arrayOf(leg, null), arrayOf(intArrayOf(1, 2), null, intArrayOf()),
                arrayOf(1, null), arrayOf(byteArrayOf(1), null),
                arrayOf(listOf("q", null), listOf()), arrayOf(Carrier.WN, null),
            ),
            Arrays(null, null, null, null, null, null, null),
            Arrays(arrayOf(), arrayOf(), arrayOf(), arrayOf(), arrayOf(), arrayOf(), arrayOf()),
        )
        Records.of(Arrays::class.java).build(memory, arrays).use { batch ->
            throughC(batch).use { Records.of(Arrays::class.java).toList(it).map(::plain) shouldBe arrays.map(::plain) }
            batch.slice(1, 2).use {
                Records.of(Arrays::class.java).toList(it).map(::plain) shouldBe arrays.drop(1).map(::plain)
            }
            batch.schema().field("grid").toString() shouldBe "grid: list<item: list<item: int32 not null>>"
            batch.schema().field("blobs").toString() shouldBe "blobs: list<item: binary>"
            Records.of(Arrays::class.java).rows(batch)[0].words.javaClass shouldBe Array<String>::class.java
        }
    }

    test("an Optional is a value that may be null, and a null is read as an empty Optional [OBJ-12]") {
        val id = UUID(1, 2)
        val rows = listOf(
            Perhaps(Optional.of("x"), Optional.of(leg), Optional.of(listOf(1, null)),
                listOf(Optional.of(5L), Optional.empty()), Optional.of(id), Optional.of(Carrier.AA)),
            Perhaps(Optional.empty(), Optional.empty(), Optional.empty(), listOf(), Optional.empty(), Optional.empty()),
            Perhaps(Optional.of(""), Optional.of(Leg(null, null, 1)), Optional.of(listOf()), listOf(Optional.empty()),
                Optional.of(id), Optional.of(Carrier.UA)),
        )
        read(rows, Perhaps::class.java) shouldBe rows
        read(rows.map { OfPerhaps(Optional.of(it)) } + OfPerhaps(Optional.empty()), OfPerhaps::class.java)
            .map { it.perhaps } shouldBe
            rows.map { Optional.of(it) } + Optional.empty()
        read(listOf(OfPerhaps(null)), OfPerhaps::class.java) shouldBe listOf(OfPerhaps(Optional.empty()))
        Records.of(Perhaps::class.java).schema().field("word").toString() shouldBe "word: utf8"
        Records.of(Perhaps::class.java).schema().field("longs").toString() shouldBe "longs: list<item: int64>"
        val encoded = Schema.of(Records.of(Perhaps::class.java).schema().fields()
            .map { if (it.name() == "word") it.withType(DataType.dictionary(DataType.INT8, DataType.UTF8)) else it })
        Records.of(Perhaps::class.java).build(memory, encoded, rows).use {
            Records.of(Perhaps::class.java).toList(it) shouldBe rows
        }
        BatchBuilder.of(memory, 1).use { batch -> // columns of type null in place of the standard ones
            for (name in listOf("word", "leg", "numbers", "longs", "id", "carrier"))
                batch.column(Field.of(name, DataType.NULL)).appendNull()
            batch.build()
        }.use { Records.of(Perhaps::class.java).rows(it)[0].word shouldBe Optional.empty() }
    }

    test("a class that cannot be a component is rejected with the classes to use instead [OBJ-10, OBJ-12]") {
        val message = shouldThrow<IllegalArgumentException> { Records.of(NoComponents::class.java).schema() }.message!!
        message shouldContain
            "list: Arrow has no type for java.util.ArrayList; use a List, a Set, a Collection or an array"
        message shouldContain "map: Arrow has no type for java.util.TreeMap; use a Map"
        message shouldContain "date: Arrow has no type for java.util.Date; use Instant, LocalDateTime"
        message shouldContain
            "number: Arrow has no type for java.util.OptionalInt; use Integer, Long or Double"
        message shouldContain
            "twice: Arrow has no type for java.util.Optional; use an Optional of a type that is not an Optional"
        message shouldContain "raw: Arrow has no type for java.util.Set; name the type of its elements, as in " +
            "Set<String>"
        message shouldContain "thread: Arrow has no type for java.lang.Thread; use a record, a data class"
    }
})
