// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeSameInstanceAs
import io.kotest.matchers.types.shouldNotBeSameInstanceAs
import org.arbalest.device.DeviceException
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.c.CData
import org.arbalest.device.internal.abi.RawArrowSchema
import org.arbalest.device.internal.memory.NativeHeap
import org.arbalest.device.internal.memory.Stripes
import org.arbalest.device.support.Balanced
import org.arbalest.device.support.together
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.MapType
import org.arbalest.device.types.NestedType.StructType
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.lang.invoke.MethodHandles
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicReferenceArray

/** Tests of the cache of recent schemas, which recognises a schema by every byte of its content. */
class RecentSchemasSpec : FunSpec({
    extension(Balanced)

    fun cross(field: Field): Field = Arena.ofConfined().use { arena ->
        val schema = arena.allocate(ArrowSchemaStruct.LAYOUT)
        CData.exportSchema(field, schema)
        CData.importSchema(schema).also { RawArrowSchema.release(schema.address()) shouldBe 0 }
    }

    val kinds = Field.of("", DataType.UTF8)
    val entries = Field.of(
        "entries",
        DataType.struct(Field.of("key", DataType.UTF8).withNullable(false), Field.of("value", DataType.INT64)),
    ).withNullable(false)
    val fields = listOf(
        Field.of("id", DataType.INT64).withNullable(false),
        Field.of("the price of it", DataType.decimal128(10, 2)).withMetadata(Metadata.of("unit", "EUR")),
        Field.of("kind", DictionaryType(DataType.INT32, kinds, false)),
        Field.of("tags", DataType.list(Field.of("item", DataType.UTF8))),
        Field.of("at", DataType.timestamp(ArrowTimeUnit.MICROSECOND, "Europe/Berlin")),
        Field.of("map", MapType(entries, false)),
    )
    fun row(children: List<Field>) = Field.of("row", StructType(children)).withMetadata(Metadata.of("origin", "here"))
    fun with(index: Int, change: (Field) -> Field) =
        row(fields.mapIndexed { i, field -> if (i == index) change(field) else field })
    val base = row(fields)

    val others = mapOf(
        "a name" to with(0) { it.withName("iD") },
        "a longer name" to with(0) { it.withName("identifier") },
        "a shorter name" to with(1) { it.withName("the price") },
        "the end of a name" to with(1) { it.withName("the price of us") },
        "an empty name" to with(0) { it.withName("") },
        "the top's name" to base.withName("raw"),
        "the name of an item" to with(3) { it.withType(DataType.list(Field.of("iten", DataType.UTF8))) },
        "a format" to with(0) { it.withType(DataType.UINT64) },
        "the end of a format" to with(1) { it.withType(DataType.decimal128(10, 3)) },
        "a time zone" to with(4) { it.withType(DataType.timestamp(ArrowTimeUnit.MICROSECOND, "Europe/Merlin")) },
        "a missing time zone" to with(4) { it.withType(DataType.timestamp(ArrowTimeUnit.MICROSECOND, null)) },
        "a byte of a metadata value" to with(1) { it.withMetadata(Metadata.of("unit", "EUS")) },
        "a byte of a metadata key" to with(1) { it.withMetadata(Metadata.of("unis", "EUR")) },
        "where a key ends" to with(1) { it.withMetadata(Metadata.of("unitE", "UR")) },
        "a longer metadata value" to with(1) { it.withMetadata(Metadata.of("unit", "EUR, or what else there may be")) },
        "a repeated metadata pair" to with(1) { it.withMetadata(Metadata.of("unit", "EUR").with("unit", "EUR")) },
        "missing metadata" to with(1) { it.withMetadata(Metadata.empty()) },
        "added metadata" to with(0) { it.withMetadata(Metadata.of("unit", "EUR")) },
        "the top's metadata" to base.withMetadata(Metadata.of("origin", "hero")),
        "a flag that makes it nullable" to with(0) { it.withNullable(true) },
        "a flag that makes it not nullable" to with(1) { it.withNullable(false) },
        "an ordered dictionary" to with(2) { it.withType(DictionaryType(DataType.INT32, kinds, true)) },
        "the type of a dictionary" to with(2) {
            it.withType(DictionaryType(DataType.INT32, kinds.withType(DataType.LARGE_UTF8), false))
        },
        "the index of a dictionary" to with(2) { it.withType(DictionaryType(DataType.INT16, kinds, false)) },
        "the nullability of a dictionary" to with(2) {
            it.withType(DictionaryType(DataType.INT32, kinds.withNullable(false), false))
        },
        "a missing dictionary" to with(2) { it.withType(DataType.INT32) },
        "an added dictionary" to with(0) { it.withType(DictionaryType(DataType.INT64, kinds, false)) },
        "sorted keys" to with(5) { it.withType(MapType(entries, true)) },
        "one more child" to row(fields + Field.of("id", DataType.INT64)),
        "one child fewer" to row(fields.dropLast(1)),
        "missing children" to row(listOf()),
        "the order of the children" to row(fields.reversed()),
    )

    test("importing a schema again returns the same field [SCH-22]") {
        val seen = cross(base)
        seen shouldBe base
        repeat(3) { cross(base) shouldBeSameInstanceAs seen }
        cross(seen) shouldBeSameInstanceAs seen
    }

    for ((what, other) in others)
        test("a schema that differs in $what is another field, and both are recognised again [SCH-22]") {
            // evicts all fields, so that the next two are not the oldest
            repeat(RecentSchemas.MOST) { cross(Field.of("$it", DataType.INT8)) }
            val seen = cross(base)
            other shouldNotBe base
            val near = cross(other)
            near shouldBe other
            cross(base) shouldBeSameInstanceAs seen
            cross(other) shouldBeSameInstanceAs near
            seen shouldBe base
        }

    test("NULL and empty names are equal but cached separately, and so are NULL and empty metadata [SCH-22]") {
        Arena.ofConfined().use { arena ->
            val (none, empty) = listOf(null, "").map { name -> CData.importSchema(arena.laid(name, "i")) }
            none shouldBe empty
            none shouldNotBeSameInstanceAs empty
            CData.importSchema(arena.laid(null, "i")) shouldBeSameInstanceAs none
            CData.importSchema(arena.laid("", "i")) shouldBeSameInstanceAs empty
            val block = CData.importSchema(arena.laid("", "i", metadata = ByteArray(4)))
            block shouldBe empty
            block shouldNotBeSameInstanceAs empty
            CData.importSchema(arena.laid("", "i", metadata = ByteArray(4))) shouldBeSameInstanceAs block
        }
    }

    test("an unknown flag makes another schema [SCH-06, SCH-22]") {
        Arena.ofConfined().use { arena ->
            val seen = CData.importSchema(arena.laid("a", "i", flags = 2))
            CData.importSchema(arena.laid("a", "i", flags = 2 or 64)).flags() shouldBe 66
            CData.importSchema(arena.laid("a", "i", flags = 2)) shouldBeSameInstanceAs seen
        }
    }

    test("each imported schema is released once, whether it is recognised or not [SCH-19, SCH-22]") {
        Arena.ofConfined().use { arena ->
            for (name in listOf("a", "a", "b", "a", "b", "b")) {
                val schema = arena.laid(name, "+s", children = listOf(arena.laid("c", "u")))
                val before = HandLaid.released.get()
                CData.importSchema(schema).name() shouldBe name
                HandLaid.released.get() - before shouldBe 1
                RawArrowSchema.release(schema.address()) shouldBe 0
            }
        }
    }

    test("a producer that changes its strings later does not change fields imported before [SCH-22]") {
        Arena.ofConfined().use { arena ->
            val schema = arena.laid("name of a column", "i",
                metadata = byteArrayOf(1, 0, 0, 0, 1, 0, 0, 0, 'k'.code.toByte(), 1, 0, 0, 0, 'v'.code.toByte()))
            fun again(): Field {
                RawArrowSchema.setRelease(schema.address(), HandLaid.RELEASE)
                return CData.importSchema(schema)
            }
            val seen = again()
            val name = RawArrowSchema.name(schema.address())
            val format = RawArrowSchema.format(schema.address())
            val value = RawArrowSchema.metadata(schema.address()) + 13
            for ((at, byte, check) in listOf<Triple<Long, Char, (Field) -> Boolean>>(
                Triple(name, 'g') { it.name() == "game of a column" },
                Triple(name + 15, 'x') { it.name() == "name of a columx" },
                Triple(name + 4, '\u0000') { it.name() == "name" },
                Triple(format, 'l') { it.type() == DataType.INT64 },
                Triple(value, 'w') { it.metadata().get("k") == "w" },
            )) {
                val before = NativeHeap.getByte(at)
                NativeHeap.putByte(at, byte.code.toByte())
                check(again()) shouldBe true
                NativeHeap.putByte(at, before)
                again() shouldBeSameInstanceAs seen
            }
            seen.name() shouldBe "name of a column"
            seen.metadata().get("k") shouldBe "v"
        }
    }

    test("a malformed schema is rejected and released, even if all else equals a recent schema [SCH-19, SCH-22]") {
        Arena.ofConfined().use { arena ->
            fun schema() = arena.laid("s", "+s",
                children = listOf(arena.laid("a", "i", dictionary = arena.laid("", "u")), arena.laid("b", "u")))
            val seen = CData.importSchema(schema())
            fun child(schema: MemorySegment, index: Long = 0) = RawArrowSchema.child(schema.address(), index)
            for ((what, damage) in mapOf<String, (MemorySegment) -> Unit>(
                "format is NULL" to { RawArrowSchema.setFormat(it.address(), 0) },
                "format \"?\"" to { RawArrowSchema.setFormat(it.address(), arena.allocateFrom("?").address()) },
                "n_children = -1" to { RawArrowSchema.setNChildren(it.address(), -1) },
                "children is NULL" to { RawArrowSchema.setChildren(it.address(), 0) },
                "children[1] is NULL" to { RawArrowSchema.setChild(it.address(), 1, 0) },
                "children[0] is released" to { RawArrowSchema.setRelease(child(it), 0) },
                "the dictionary is released" to { RawArrowSchema.setRelease(RawArrowSchema.dictionary(child(it)), 0) },
                "metadata" to { RawArrowSchema.setMetadata(child(it, 1), arena.allocateFrom(JAVA_INT, -1).address()) },
            )) withClue(what) {
                val schema = schema().also(damage)
                val before = HandLaid.released.get()
                shouldThrow<DeviceException> { CData.importSchema(schema) }.message shouldContain what
                HandLaid.released.get() - before shouldBe 1
                CData.importSchema(schema()) shouldBeSameInstanceAs seen
            }
        }
    }

    test("an import does not read beyond a string that ends with its page [SCH-22]")
        .config(enabled = System.getProperty("os.name") == "Linux") {
            Fence().use { fence ->
                Arena.ofConfined().use { arena ->
                    val seen = CData.importSchema(arena.laid("0123456789abcdef", "i"))
                    for (length in 16 downTo 0) {
                        val name = "0123456789abcdef".take(length)
                        val schema = arena.laid(name, "i").also {
                            RawArrowSchema.setName(it.address(), fence.last(name.toByteArray() + 0))
                        }
                        val field = CData.importSchema(schema)
                        field.name() shouldBe name
                        if (length == 16) field shouldBeSameInstanceAs seen
                    }
                    val pairs = byteArrayOf(1, 0, 0, 0, 2, 0, 0, 0, 1, 1, 8, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8)
                    val long = CData.importSchema(arena.laid("m", "i", metadata = pairs))
                    for (block in listOf(ByteArray(4), pairs.copyOf(14).also { it[10] = 0 }, pairs)) {
                        val schema = arena.laid("m", "i").also {
                            RawArrowSchema.setMetadata(it.address(), fence.last(block))
                        }
                        (CData.importSchema(schema) === long) shouldBe (block === pairs)
                    }
                }
            }
        }

    test("the cache holds few fields, and no large field [SCH-22]") {
        val large = listOf(base.withName("n".repeat(40_000)),
            Field.of("wide", StructType(List(2_000) { Field.of("c", DataType.INT8) })))
        for (field in large) {
            val first = cross(field)
            first shouldBe field
            cross(field) shouldNotBeSameInstanceAs first
        }
        together(4) { repeat(500) { i -> cross(base.withName("$i")) } }
        val recent = RecentSchemas::class.java.getDeclaredField("RECENT").apply { isAccessible = true }
            .get(null) as AtomicReferenceArray<*>
        for (i in 0 until Stripes.COUNT) ((recent.get(i) as Array<*>?)?.size ?: 0) shouldBeLessThanOrEqual
            RecentSchemas.MOST
    }

    test("threads that import and export many schemas at once each get their own [SCH-22]") {
        val all = others.values.toList() + base
        together(8) { thread ->
            for (i in 0 until 3_000) {
                val wanted = all[(i * (thread + 1)) % if (i % 1_000 < 500) 5 else all.size]
                val got = cross(wanted)
                check(got == wanted) { "imported $got instead of $wanted" }
            }
        }
    }

    test("an export that reuses memory does not change a child that C still holds [OWN-06, OWN-13, SCH-22]") {
        Arena.ofConfined().use { arena ->
            val moved = List(3) { arena.allocate(ArrowSchemaStruct.LAYOUT) }
            for (kept in moved) {
                val schema = arena.allocate(ArrowSchemaStruct.LAYOUT)
                CData.exportSchema(base, schema)
                RawArrowSchema.move(RawArrowSchema.child(schema.address(), 1), kept.address())
                SchemaImporter.giveBack(schema.address())
                cross(base.withName("another"))
            }
            for (kept in moved) CData.importSchema(kept) shouldBe fields[1]
            cross(base) shouldBe base
        }
    }

    test("bytes that C writes into an exported schema are not in the next export [SCH-22]") {
        Arena.ofConfined().use { arena ->
            repeat(3) {
                val schema = arena.allocate(ArrowSchemaStruct.LAYOUT)
                CData.exportSchema(base, schema)
                val at = schema.address()
                // C has no right to write into the name
                NativeHeap.fill(RawArrowSchema.name(RawArrowSchema.child(at, 1)), 3, 'x'.code.toByte())
                RawArrowSchema.setFlags(RawArrowSchema.child(at, 0), 0x77)
                RawArrowSchema.setMetadata(RawArrowSchema.child(at, 1), 0)
                RawArrowSchema.setFormat(RawArrowSchema.child(at, 3),
                    RawArrowSchema.format(RawArrowSchema.child(at, 0)))
                SchemaImporter.giveBack(at)
                cross(base) shouldBe base
            }
        }
    }
})

/** Lays out a schema whose producer counts the calls of its release. */
private fun Arena.laid(
    name: String?,
    format: String,
    flags: Long = 2,
    metadata: ByteArray? = null,
    children: List<MemorySegment> = listOf(),
    dictionary: MemorySegment? = null,
): MemorySegment {
    val schema = allocate(ArrowSchemaStruct.LAYOUT)
    val at = schema.address()
    RawArrowSchema.setFormat(at, allocateFrom(format).address())
    RawArrowSchema.setName(at, name?.let { allocateFrom(it).address() } ?: 0)
    RawArrowSchema.setMetadata(at, metadata?.let { allocateFrom(JAVA_BYTE, *it).address() } ?: 0)
    RawArrowSchema.setFlags(at, flags)
    RawArrowSchema.setNChildren(at, children.size.toLong())
    RawArrowSchema.setChildren(at, if (children.isEmpty()) 0
    else allocateFrom(JAVA_LONG, *children.map { it.address() }.toLongArray()).address())
    RawArrowSchema.setDictionary(at, dictionary?.address() ?: 0)
    RawArrowSchema.setRelease(at, HandLaid.RELEASE)
    return schema
}

private object HandLaid {
    val released = AtomicInteger()

    val RELEASE: Long = FunctionDescriptor.ofVoid(JAVA_LONG).let { type ->
        val method = MethodHandles.lookup().findStatic(HandLaid::class.java, "release", type.toMethodType())
        Linker.nativeLinker().upcallStub(method, type, Arena.global()).address()
    }

    @JvmStatic
    fun release(schema: Long) {
        released.incrementAndGet()
        RawArrowSchema.setRelease(schema, 0)
    }
}

/** A page of memory that ends where no memory is readable. */
private class Fence : AutoCloseable {
    private val page = 65536L // the largest page size
    private val start = call("mmap", 0, 2 * page, 1 or 2, 2 or 0x20, -1, 0) // READ | WRITE, PRIVATE | ANONYMOUS

    init {
        check(start > 0 && call("mprotect", start + page, page, 0, 0, 0, 0) == 0L)
    }

    /** Writes the bytes at the end of the page, and returns their address. */
    fun last(bytes: ByteArray): Long = (start + page - bytes.size).also { NativeHeap.putBytes(it, bytes) }

    override fun close() {
        call("munmap", start, 2 * page, 0, 0, 0, 0)
    }

    private fun call(name: String, a: Long, b: Long, c: Long, d: Long, e: Long, f: Long): Long =
        CALL.invokeWithArguments(
            Linker.nativeLinker().defaultLookup().findOrThrow(name), a, b, c, d, e, f,
        ) as Long

    private companion object {
        private val CALL = Linker.nativeLinker().downcallHandle(
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
        )
    }
}
