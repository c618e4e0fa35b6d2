// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.types

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.internal.abi.RawArrowSchema
import org.arbalest.device.support.CSchema
import org.arbalest.device.support.block
import org.arbalest.device.support.checksum
import org.arbalest.device.support.exported
import org.arbalest.device.support.imported
import org.arbalest.device.support.refused
import org.arbalest.device.support.roundTrip
import org.arbalest.device.types.NestedType.UnionMode
import org.arbalest.support.CCompiler
import org.arbalest.support.PeerMoves
import org.arbalest.support.PeerNodes
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_LONG

private val x = CSchema("i").named("x")
private val y = CSchema("u").named("y")
private val key = CSchema("u").named("keys").flagged(0)

/** Returns lists in lists, [levels] levels in total. */
private fun nested(levels: Int): CSchema = (2..levels).fold(CSchema("i")) { inner, _ -> CSchema("+l", inner) }

/** Replaces the list of children with one from the test, which the peer does not read. */
private fun withChildren(count: Long, children: (MemorySegment) -> List<Long>) = { schema: MemorySegment ->
    val addresses = children(schema)
    val list = Arena.ofAuto().allocate(JAVA_LONG, maxOf(1L, addresses.size.toLong())).also { keptAlive += it }
    addresses.forEachIndexed { i, address -> list.setAtIndex(JAVA_LONG, i.toLong(), address) }
    RawArrowSchema.setChildren(schema.address(), list.address())
    RawArrowSchema.setNChildren(schema.address(), count)
}

private val keptAlive = mutableListOf<MemorySegment>()

class SchemaNestedSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    test("children may be NULL if n_children is 0 [SCH-08]") {
        val none = CSchema("+s", tamper = { RawArrowSchema.setChildren(it.address(), 0) })
        imported(none).type() shouldBe NestedType.StructType(listOf())
        exported(imported(none)) { RawArrowSchema.children(it.address()) } shouldBe 0
    }

    test("children that are NULL although n_children is not 0 are an error [SCH-08]") {
        refused(CSchema("+s", children = listOf(x), tamper = PeerNodes::nullSchemaChildren),
            "n_children = 1, but children is NULL")
    }

    test("a negative or excessive n_children is an error that names the number [SCH-08]") {
        for (count in listOf(-1L, Long.MIN_VALUE, (1L shl 20) + 1, Int.MAX_VALUE.toLong() + 1, Long.MAX_VALUE)) {
            refused(CSchema("+s", children = listOf(x), tamper = { RawArrowSchema.setNChildren(it.address(), count) }),
                "n_children = $count")
        }
    }

    test("a NULL entry of children is an error that names its index [SCH-08]") {
        val broken = CSchema("+s", children = listOf(x, y),
            tamper = withChildren(2) { listOf(RawArrowSchema.child(it.address(), 0), 0) })
        refused(CSchema("+l", broken.named("b")), "$.b: children[1] is NULL")
    }

    test("a child or a dictionary that was released before is an error, and is not released again [SCH-08]") {
        Arena.ofConfined().use { arena ->
            val moved = arena.allocate(ArrowSchemaStruct.LAYOUT)
            val childless = CSchema("+s", children = listOf(x, y), tamper = { PeerMoves.moveSchemaChild(it, 1, moved) })
            refused(childless, "children[1] is released")
            PeerMoves.release(moved, StructKind.SCHEMA) shouldBe true
            val valueless =
                CSchema("i", dictionary = CSchema("u"), tamper = { PeerMoves.moveSchemaDictionary(it, moved) })
            refused(CSchema("+s", valueless.named("d")), "$.d: the dictionary is released")
            PeerMoves.release(moved, StructKind.SCHEMA) shouldBe true
        }
    }

    test("one field more than an export can count is an error [SCH-08]") {
        // Each list repeats a single child, so 3072 pointers make more than two million fields.
        val wide = CSchema("+s", children = listOf(x), tamper = withChildren(1 shl 11) { schema ->
            List(1 shl 11) { RawArrowSchema.child(schema.address(), 0) }
        })
        val wider = CSchema("+s", children = listOf(wide), tamper = withChildren(1 shl 10) { schema ->
            List(1 shl 10) { RawArrowSchema.child(schema.address(), 0) }
        })
        refused(wider, "more than ${1 shl 20} fields")
    }

    for (index in listOf("c", "C", "s", "S", "i", "I", "l", "L")) {
        test("a dictionary's index may be any integer type, here \"$index\" [SCH-09]") {
            val field = roundTrip(CSchema(index, dictionary = CSchema("+s", x, y)))
            field.type().format() shouldBe index
            (field.type() as NestedType.DictionaryType).values().type().format() shouldBe "+s"
        }
    }

    test("an index that is not an integer is an error that quotes its format [SCH-09]") {
        for (index in listOf("u", "g", "b", "n", "tdD", "d:3,1")) {
            refused(CSchema("+s", CSchema(index, dictionary = y).named("d")),
                "$.d: the index of a dictionary is an integer", "\"$index\"")
        }
        refused(CSchema("+l", children = listOf(x), dictionary = y),
            "the index of a dictionary is an integer", "\"+l\"")
    }

    test("the values of a dictionary keep their name, flags and metadata, and may be encoded themselves [SCH-09]") {
        val values = CSchema("s", "inner", 8, block("k" to "v"), dictionary = CSchema("U", "words", 0))
        roundTrip(CSchema("c", "outer", 3, block("o" to "p"), dictionary = values))
    }

    for (format in listOf("+ud:1", "+ud:1,2,3", "+ud:", "+us:1,1", "+us:-1,2", "+us:128,2", "+us:1,x", "+us:1,,2",
        "+us:1,2,", "+us:,1,2",
        "+us:1, 2", "+ud", "+ux:1,2", "+ud:99999999999,1")) {
        test("the union \"$format\" of two children is an error [SCH-13]") {
            refused(CSchema(format, x, y), "format \"$format\"")
        }
    }

    test("wrong type ids are rejected in Java, too [SCH-13]") {
        val fields = listOf(Field.of("a", DataType.INT32), Field.of("b", DataType.UTF8))
        for (ids in listOf(listOf(0), listOf(0, 0), listOf(-1, 0), listOf(0, 128))) {
            shouldThrow<IllegalArgumentException> { NestedType.UnionType(UnionMode.SPARSE, ids, fields) }
                .message!! shouldContain "$ids"
        }
    }

    test("a map has one struct child with two fields, which may have any names [SCH-14]") {
        roundTrip(CSchema("+m", CSchema("+s", key, y.named("")).named("whatever"))).type() shouldBe NestedType.MapType(
            Field.of("whatever", NestedType.StructType(
                listOf(Field.of("keys", DataType.UTF8).withNullable(false), Field.of("", DataType.UTF8)),
            )),
            false,
        )
        for (entries in listOf(CSchema("+s", key), CSchema("+s", key, x, y), CSchema("i"), CSchema("+l", x))) {
            refused(CSchema("+m", entries), "format \"+m\"", "a map has one struct child with two fields")
        }
        refused(CSchema("+m"), "format \"+m\"")
    }

    test("map keys that a peer declares nullable, as older DuckDB and Velox do, are read as not nullable [SCH-14]") {
        val lax = CSchema(
            "+m", children = listOf(CSchema("+s", CSchema("u", "keys", 2 or 8, block("k" to "v")), y)), flags = 4,
        )
        val strict =
            CSchema("+m", children = listOf(CSchema("+s", CSchema("u", "keys", 8, block("k" to "v")), y)), flags = 4)
        imported(lax) shouldBe imported(strict)
        checksum(imported(lax)) shouldBe checksum(strict)
    }

    test("nullable map keys are rejected in Java [SCH-14]") {
        val fields = listOf(Field.of("k", DataType.UTF8), Field.of("v", DataType.UTF8))
        shouldThrow<IllegalArgumentException> {
            NestedType.MapType(Field.of("entries", NestedType.StructType(fields)), false)
        }.message!! shouldContain
            "not nullable"
    }

    for (ends in listOf("s", "i", "l")) {
        test("run ends may be of format \"$ends\" [SCH-15]") {
            roundTrip(CSchema("+r", CSchema(ends, "run_ends", 0), y.named("values"))).type().children().map {
                it.name()
            } shouldContainExactly
                listOf("run_ends", "values")
        }
    }

    test("run ends of another type are an error [SCH-15]") {
        for (ends in listOf("c", "C", "S", "I", "L", "g", "u")) {
            refused(CSchema("+r", CSchema(ends, "run_ends", 0), y), "format \"+r\"",
                "run ends are int16, int32 or int64")
        }
        refused(CSchema("+r", CSchema("i", flags = 0, dictionary = y), y), "run ends are int16, int32 or int64")
    }

    test("run ends that a peer declares nullable are read as not nullable, but Java rejects them [SCH-15]") {
        imported(CSchema("+r", x, y)) shouldBe imported(CSchema("+r", x.flagged(0), y))
        shouldThrow<IllegalArgumentException> {
            NestedType.RunEndEncodedType(Field.of("e", DataType.INT32), Field.of("v", DataType.UTF8))
        }
            .message!! shouldContain "not nullable"
    }

    test("a schema of 64 levels is imported and exported [SCH-18]") {
        roundTrip(nested(64))
    }

    test("65 levels are an error, in children and in dictionaries [SCH-18]") {
        refused(nested(65), "nests deeper than 64 levels")
        refused((2..65).fold(CSchema("u")) { values, _ -> CSchema("i", dictionary = values) },
            "nests deeper than 64 levels")
        refused(nested(500), "nests deeper than 64 levels")
    }

    test("65 levels are rejected in Java [SCH-18]") {
        val deep = (2..64).fold(Field.of("", DataType.INT32)) { inner, _ -> Field.of("", NestedType.ListType(inner)) }
        shouldThrow<IllegalArgumentException> { Field.of("top", NestedType.ListType(deep)) }
            .message!! shouldContain "65 levels"
    }

    test("a schema that is its own child, or its own dictionary, is an error [SCH-18]") {
        refused(CSchema("+s", children = listOf(x, y), tamper = withChildren(2) { listOf(it.address(), it.address()) }),
            "nests deeper than 64 levels")
        refused(CSchema("i", dictionary = y, tamper = { RawArrowSchema.setDictionary(it.address(), it.address()) }),
            "nests deeper than 64 levels")
    }

    test("fields that differ in any part are not equal [SCH-20]") {
        val base = CSchema("+s", x, y)
        val variants = listOf(
            base,
            CSchema("+s", y, x),
            CSchema("+s", x),
            CSchema("+s", x.named("z"), y),
            CSchema("+s", x.flagged(0), y),
            CSchema("+s", x.flagged(10), y),
            CSchema("+s", CSchema("I").named("x"), y),
            base.named("other"),
            CSchema("+s", metadata = block("k" to "v"), children = listOf(x, y)),
            CSchema("+s", CSchema("i", "x", dictionary = y), y),
        )
        val fields = variants.map { imported(it) }
        for ((i, field) in fields.withIndex()) {
            for ((j, other) in fields.withIndex()) if (i == j) field shouldBe
                imported(variants[j]) else field shouldNotBe other
        }
    }
})
