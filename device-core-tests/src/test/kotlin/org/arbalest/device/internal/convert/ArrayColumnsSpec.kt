// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Conversion
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.Validation
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.support.struct
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.EveryType
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import org.arbalest.support.fake.FakeExtension
import org.arbalest.support.withNullRows
import org.arbalest.testkit.contract.eventually
import java.lang.foreign.Arena
import java.util.concurrent.CyclicBarrier
import kotlin.concurrent.thread
import kotlin.random.Random

/** Batches with some columns of another batch, by names, paths and positions, and with other names and metadata. */
class ArrayColumnsSpec : FunSpec({
    extension(CCompiler.needed)
    extension(FakeExtension)
    extension(ResourceCountersExtension)

    fun int(name: String) = Field.of(name, DataType.INT64)
    val place = Field.of("place", DataType.struct(int("x"), int("y"), Field.of("inner", DataType.struct(int("z")))))

    /** Returns a batch of `id`, `name`, and the struct `place`, which is null in row 1 and hides values there. */
    fun batch(rows: Int = 4): RecordBatch = BatchBuilder.of(Devices.cpu(), rows).use { batch ->
        batch.int64("id", LongArray(rows) { it.toLong() }).utf8("name", List(rows) { "n$it" })
        val struct = batch.column(place)
        for (row in 0 until rows) {
            struct.child("x").append(10L * row)
            struct.child("y").append(100L * row)
            struct.child("inner").child("z").append(1000L * row)
            struct.child("inner").appendStruct()
            if (row == 1) struct.appendNull() else struct.appendStruct()
        }
        batch.build()
    }

    fun rows(array: RecordBatch): List<Any?> = array.asColumn().toList()

    fun names(array: RecordBatch): List<String> = array.schema().fields().map { it.name() }

    fun refused(block: () -> Unit): String {
        val before = ResourceCounters.now()
        val thrown = shouldThrow<IllegalArgumentException> { block() }
        ResourceCounters.now() shouldBe before
        return thrown.message!!
    }

    /** Exports the array to C, which passes it back. */
    fun throughC(array: RecordBatch): RecordBatch = Arena.ofConfined().use { arena ->
        val (out, schema) = arena.struct(StructKind.ARRAY) to arena.struct(StructKind.SCHEMA)
        array.retain().use { CData.exportArray(it, out, CExport.DATA.schemaTo(schema)) }
        CData.importBatch(out, CImport.DATA.schema(schema).validation(Validation.FULL))
    }

    test("select returns the columns in the given order, by names and by positions, without a copy [SEL-20]") {
        batch().use { whole ->
            for (some in listOf(whole.select("name", "id"), whole.select(1, 0))) some.use {
                names(it) shouldBe listOf("name", "id")
                it.column("name").toList() shouldBe listOf("n0", "n1", "n2", "n3")
                it.column("id").bufferAddress(1) shouldBe whole.column("id").bufferAddress(1)
                it.column(0).bufferAddress(2) shouldBe whole.column("name").bufferAddress(2)
                Conversion.of(it) shouldBe null
                it.validate(Validation.FULL)
            }
            whole.select("id", "id").use { it.schema() shouldBe whole.schema().select("id", "id") }
            for (none in listOf(whole.select(*arrayOf<String>()), whole.select(*intArrayOf()))) none.use {
                it.length() shouldBe 4
                names(it) shouldBe listOf()
            }
        }
    }

    test("drop returns the other columns in their order, and rename changes one name in its place [SEL-20]") {
        batch().use { whole ->
            whole.drop("place", "id").use { names(it) shouldBe listOf("name") }
            whole.drop().use { it.difference(whole) shouldBe null }
            whole.drop("id", "name", "place").use { it.length() shouldBe 4 }
            whole.rename("name", "word").use {
                names(it) shouldBe listOf("id", "word", "place")
                it.column("word").bufferAddress(1) shouldBe whole.column("name").bufferAddress(1)
            }
            whole.rename("id", "id").use { it.difference(whole) shouldBe null }
        }
    }

    test("select gives each column a name of its own, without a copy [SEL-20]") {
        batch().use { whole ->
            whole.select(listOf("name", "id", "id"), listOf("word", "id", "key")).use {
                names(it) shouldBe listOf("word", "id", "key")
                it.column("key").bufferAddress(1) shouldBe whole.column("id").bufferAddress(1)
                it.column("word").toList() shouldBe whole.column("name").toList()
                it.validate(Validation.FULL)
                throughC(it).use { other -> other.schema() shouldBe it.schema() }
            }
            whole.select(listOf(), listOf()).use { it.length() shouldBe 4 }
            refused { whole.select(listOf("id"), listOf()) } shouldBe
                "each column needs a name, but there are 0 names for 1 columns"
            refused { whole.select(listOf("place.x"), listOf("x")) } shouldBe
                "the batch has no field \"place.x\"; it has [id, name, place]"
        }
    }

    test("withMetadata changes the metadata of the schema only, and select, drop and rename keep it [SEL-22]") {
        val metadata = Metadata.of("source", "here")
        batch().use { whole -> whole.withMetadata(metadata) }.use { marked ->
            marked.schema().metadata() shouldBe metadata
            val others = listOf(marked.select("id"), marked.select(0), marked.drop("name"), marked.rename("id", "key"))
            for (other in others) other.use { it.schema().metadata() shouldBe metadata }
            throughC(marked).use { it.schema() shouldBe marked.schema() }
            marked.withMetadata(Metadata.empty()).use { it.schema().metadata().isEmpty shouldBe true }
        }
    }

    test("a path selects a field of a struct, and several paths into one struct make one struct [SEL-21]") {
        batch().use { whole ->
            whole.select("place.y").use {
                it.schema() shouldBe Schema.of(place.withType(DataType.struct(int("y"))))
                rows(it) shouldBe listOf(0L, null, 200L, 300L).map { y -> mapOf("place" to y?.let { mapOf("y" to y) }) }
                it.validate(Validation.FULL)
            }
            whole.select("place.inner.z", "id", "place.x").use {
                val inner = Field.of("inner", DataType.struct(int("z")))
                it.schema() shouldBe
                    Schema.of(place.withType(DataType.struct(inner, int("x"))), whole.schema().fields()[0])
                it.column("place").get(3) shouldBe mapOf("inner" to mapOf("z" to 3000L), "x" to 30L)
                it.column("place").get(1) shouldBe null
                throughC(it).use { again -> again.difference(it) shouldBe null }
            }
            whole.select("place.x", "place.x").use {
                it.column("place").column(1).getLong(2) shouldBe 20
            }
        }
    }

    test("a column whose name has a dot is found before a field of a struct, at each level [SEL-21]") {
        val dotted = DataType.struct(int("c"), int("b.c"))
        val fields = listOf(int("a.b"), Field.of("a", DataType.struct(int("b"), int("only"))), Field.of("a.x", dotted),
            int("."), Field.of("d.e", DataType.INT32), Field.of("d", DataType.struct(Field.of("e", dotted))))
        fun selected(vararg paths: String) = Schema.of(fields).select(*paths).fields().map { it.toString() }
        selected("a.b") shouldBe listOf("a.b: int64")
        selected("a.only") shouldBe listOf("a: struct<only: int64>")
        selected("a.x.c") shouldBe listOf("a.x: struct<c: int64>")
        selected("a.x.b.c") shouldBe listOf("a.x: struct<b.c: int64>")
        selected(".") shouldBe listOf(".: int64")
        selected("d.e.c") shouldBe listOf("d: struct<e: struct<c: int64>>") // the column d.e is not a struct
    }

    test("a struct of an extension type becomes its storage if only some fields are selected [SEL-21]") {
        val time = Field.timestampWithOffset("t", ArrowTimeUnit.SECOND)
        val schema = Schema.of(time, int("id"))
        schema.select("t").fields() shouldBe listOf(time)
        schema.select("t.offset_minutes").fields() shouldBe
            listOf(Field.of("t", DataType.struct(time.type().children()[1])))
    }

    test("a path without a field, or with several, is rejected with the candidates [SEL-21]") {
        batch().use { whole ->
            refused { whole.select("id", "no") } shouldBe "the batch has no field \"no\"; it has [id, name, place]"
            refused { whole.select("place.no") } shouldBe
                "the batch has no field \"place.no\"; \"place\" has [x, y, inner]"
            refused { whole.select("place.inner.no") } shouldBe
                "the batch has no field \"place.inner.no\"; \"place.inner\" has [z]"
            refused { whole.select("name.x") } shouldBe
                "the batch has no field \"name.x\": \"name\" is of type utf8, but only structs have fields to select"
            refused { whole.select("place.x", "place") } shouldBe
                "\"place.x\" is selected, and \"place\", which has it already: select either the struct or its fields"
            refused { whole.select("place.inner", "place.inner.z") } shouldContain "\"place.inner.z\" is selected"
            refused { whole.drop("place.x") } shouldBe "the batch has no field \"place.x\"; it has [id, name, place]"
            refused { whole.rename("no", "b") } shouldBe "the batch has no field \"no\"; it has [id, name, place]"
            refused { whole.rename("id", "place") } shouldBe "cannot rename \"id\": the batch already has a column " +
                "\"place\", at 2; drop or rename that column first"
            refused { whole.rename("id", "a\u0000") } shouldContain "NUL"
            shouldThrow<IndexOutOfBoundsException> { whole.select(0, 3) }.message shouldBe
                "there is no field 3 in the batch: its 3 fields are [id, name, place]"
            shouldThrow<IndexOutOfBoundsException> { whole.select(-1) }
            shouldThrow<IndexOutOfBoundsException> { whole.retainChild(99) }.message shouldBe
                "there is no field 99 in the batch: its 3 fields are [id, name, place]"
            @Suppress("UNCHECKED_CAST")
            val none = arrayOfNulls<String>(1) as Array<String>
            shouldThrow<NullPointerException> { whole.select(*none) }.message shouldBe "path"
            whole.select(0, 0).use { twice ->
                for (use in listOf<(RecordBatch) -> Unit>({ it.select("id") }, { it.drop("id") },
                    { it.rename("id", "x") }, { it.withColumn("id", it) })) {
                    refused { use(twice) } shouldBe
                        "the batch has 2 fields \"id\", at [0, 1]; ask by the index, or choose by select(int...)"
                }
            }
            whole.retainChild(0).use { column ->
                refused { column.asRecordBatch() } shouldBe
                    "a record batch is an array of structs, but this is an array of id: int64"
            }
        }
    }

    test("a batch of a thousand columns finds each by its name, and rejects a name that two have [SEL-21]") {
        BatchBuilder.of(Devices.cpu(), 1).use { batch ->
            for (i in 0..999) batch.int64(if (i == 999) "c7" else "c$i", longArrayOf(i.toLong()))
            batch.build()
        }.use { wide ->
            wide.select(*Array(990) { "c${998 - it}" }).use { some ->
                (0 until 990).map { some.column(it).getLong(0) } shouldBe List(990) { 998L - it }
            }
            refused { wide.select("c7") } shouldBe
                "the batch has 2 fields \"c7\", at [7, 999]; ask by the index, or choose by select(int...)"
            refused { wide.select("d") } shouldContain "the batch has no field \"d\"; it has [c0, c1, "
        }
    }

    test("the selected columns of a slice of a slice are those rows, at each level, also through C [SEL-22]") {
        batch(40).use { whole ->
            val expected = rows(whole)
            for ((from, count) in listOf(0L to 40L, 3L to 30L, 8L to 20L, 39L to 1L, 40L to 0L)) {
                whole.slice(from, count).use { cut -> cut.slice(count / 3, count - count / 3) }.use { cut ->
                    val first = (from + count / 3).toInt()
                    cut.select("place.y", "id").use { some ->
                        val kept = expected.subList(first, (from + count).toInt()).map { row ->
                            val place = (row as Map<*, *>)["place"] as Map<*, *>?
                            mapOf("place" to place?.let { mapOf("y" to it["y"]) }, "id" to row["id"])
                        }
                        rows(some) shouldBe kept
                        some.validate(Validation.FULL)
                        throughC(some).use { rows(it) shouldBe kept }
                        some.slice(0, some.length() / 2).use { rows(it) shouldBe kept.take(kept.size / 2) }
                        some.select("id").use { it.column(0).toList() shouldBe kept.map { row -> row["id"] } }
                        some.compact().use { rows(it) shouldBe kept }
                        DeviceArray.concat(listOf(some, some)).use { rows(it) shouldBe kept + kept }
                    }
                }
            }
        }
    }

    test("rows that only the batch's bitmap makes null stay null, and their values stay stored [SEL-22]") {
        for (isCounted in listOf(true, false)) batch(20).withNullRows(2, 9, 10, isCounted = isCounted).use { whole ->
            for ((from, count) in listOf(0L to 20L, 1L to 12L, 9L to 2L)) whole.slice(from, count).use { cut ->
                cut.select("id", "place.x").use { some ->
                    val own = listOf(2L, 9L, 10L)
                    val ids = (from until from + count).toList()
                    (0 until count).map { some.asColumn().isNull(it) } shouldBe ids.map { it in own }
                    some.asColumn().column("id").toList() shouldBe ids
                    shouldThrow<DeviceException> { some.column("id") }.errno() shouldBe Errno.EINVAL
                    some.pushDownNulls().use {
                        it.column("id").toList() shouldBe ids.map { id -> id.takeIf { id !in own } }
                    }
                    throughC(some).use { it.difference(some) shouldBe null }
                }
                cut.rename("id", "key").use { it.asColumn().nullCount() shouldBe cut.asColumn().nullCount() }
            }
        }
    }

    test("columns of every type, built or imported, are the same in a selection [SEL-20]") {
        EveryType.batch(0, 40).use { built ->
            throughC(built).use { imported ->
                for ((name, whole) in mapOf("built" to built, "imported" to imported)) {
                    val order = EveryType.fields.indices.shuffled(Random(1))
                    whole.slice(3, 30).use { cut ->
                        cut.select(*order.toIntArray()).use { some ->
                            some.validate(Validation.FULL)
                            throughC(some).use { it.difference(some) shouldBe null }
                            order.forEachIndexed { to, from ->
                                withClue("$name, ${EveryType.fields[from]}") {
                                    cut.select(from).use { one ->
                                        one.retainChild(0).use { column ->
                                            cut.retainChild(from).use { column.difference(it) shouldBe null }
                                        }
                                        one.copyTo(Devices.cpu()).use { it.difference(one) shouldBe null }
                                        one.compact().use { it.difference(one) shouldBe null }
                                    }
                                    some.retainChild(to).use { column ->
                                        cut.retainChild(from).use { column.difference(it) shouldBe null }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    test("a selection keeps the array after its handle is closed, and releases it once, in any order [SEL-24]") {
        val before = ResourceCounters.now()
        val orders = listOf(listOf(0, 1, 2), listOf(2, 1, 0), listOf(1, 2, 0))
        for (isImported in listOf(false, true)) for (order in orders) {
            val whole = batch().let { if (isImported) it.use(::throughC) else it }
            val some = whole.select("place.x", "name")
            val less = some.select("name")
            val open = mutableListOf(whole, some, less)
            for (next in order) {
                open[next].close()
                for (array in open.filter { it.isOpen }) rows(array).size shouldBe 4
            }
            ResourceCounters.now() shouldBe before
        }
    }

    test("an exported selection is consumed, and C releases it after all handles are closed [SEL-24]") {
        Arena.ofConfined().use { arena ->
            val (out, schema) = arena.struct(StructKind.ARRAY) to arena.struct(StructKind.SCHEMA)
            batch().use { whole -> CData.exportArray(whole.select("name"), out, CExport.DATA.schemaTo(schema)) }
            RawArrowArray.nChildren(out.address()) shouldBe 1
            CData.importBatch(out, CImport.DATA.schema(schema)).use {
                it.column(0).toList() shouldBe listOf("n0", "n1", "n2", "n3")
            }
        }
    }

    test("a closed batch, and one that another thread closes meanwhile, is selected or refused [SEL-24]") {
        val closed = batch().also { it.close() }
        for (use in listOf<() -> Unit>({ closed.select("id") }, { closed.select(0) }, { closed.drop("id") },
            { closed.rename("id", "x") }, { closed.withMetadata(Metadata.empty()) })) {
            shouldThrow<IllegalStateException> { use() }
        }
        var selected = 0
        repeat(100) {
            val whole = batch()
            val start = CyclicBarrier(2)
            val closing = thread {
                start.await()
                whole.close()
            }
            start.await()
            val some = runCatching { whole.select("place.x", "id") }
            closing.join()
            some.onSuccess { array ->
                selected++
                array.use { it.column("id").toList() shouldBe listOf(0L, 1L, 2L, 3L) }
            }.onFailure { if (it !is IllegalStateException) throw it }
        }
        selected shouldBeGreaterThan 0
    }

    test("two threads close a selection and its batch, and the array is released once [SEL-24]") {
        repeat(100) {
            val whole = batch()
            val some = whole.select("place.x", "id")
            val start = CyclicBarrier(2)
            val closing = thread {
                start.await()
                whole.close()
            }
            start.await()
            some.close()
            closing.join()
        }
    }

    test("columns on a device that the CPU cannot read are selected without waiting or reading [SEL-20]") {
        val device = Devices.device(DeviceType.EXT_DEV, 0)
        batch(9).withNullRows(4).use { it.copyTo(device) }.use { there ->
            there.slice(2, 6).use { cut ->
                cut.select("place.y", "name").use { some ->
                    some.device() shouldBe device
                    some.copyTo(Devices.cpu()).use { here ->
                        here.synchronize()
                        (0 until 6L).map { here.asColumn().isNull(it) } shouldBe List(6) { it == 2 }
                        here.asColumn().column("name").toList() shouldBe List(6) { "n${it + 2}" }
                    }
                    some.rename("name", "word").use { it.drop("place").close() }
                }
            }
        }
        eventually("the copies have released their sources") { ResourceCounters.now().waits() == 0L }
    }
})
