// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeSameInstanceAs
import org.apache.arrow.c.ArrowArray
import org.apache.arrow.c.ArrowSchema
import org.apache.arrow.c.CDataDictionaryProvider
import org.apache.arrow.c.Data
import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.memory.RootAllocator
import org.apache.arrow.vector.BigIntVector
import org.apache.arrow.vector.FieldVector
import org.apache.arrow.vector.IntVector
import org.apache.arrow.vector.VarCharVector
import org.apache.arrow.vector.VectorSchemaRoot
import org.apache.arrow.vector.dictionary.Dictionary
import org.apache.arrow.vector.dictionary.DictionaryEncoder
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider
import org.apache.arrow.vector.types.pojo.ArrowType
import org.apache.arrow.vector.types.pojo.DictionaryEncoding
import org.apache.arrow.vector.types.pojo.FieldType
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.Validation
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType
import org.arbalest.device.types.Schema
import org.arbalest.support.ChildJvm
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.fake.FakeDevice
import org.arbalest.support.fake.FakeExtension
import org.arbalest.testkit.contract.eventually
import java.lang.foreign.MemorySegment
import java.util.concurrent.ArrayBlockingQueue
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit.SECONDS
import kotlin.concurrent.thread
import org.apache.arrow.vector.types.pojo.Field as ArrowField
import org.apache.arrow.vector.types.pojo.Schema as ArrowSchemaOf

/** Tests ownership, dictionaries, invalid input and threads. */
class ArrowVectorsSpec : FunSpec({
    extension(ResourceCountersExtension)
    extension(FakeExtension)

    test("an array has the values, nulls and schema of its root [ARJ-01]") {
        RootAllocator().use { allocator ->
            root(allocator).use { root ->
                ArrowVectors.toRecordBatch(root).use { batch ->
                    batch.schema().toString() shouldBe
                        Schema.of(Field.of("numbers", DataType.INT64), Field.of("texts", DataType.UTF8)).toString()
                    batch.column("numbers").toList() shouldContainExactly List(10) {
                        if (it % 3 == 1) null else 10L * it
                    }
                    batch.column("texts").toList() shouldContainExactly List(10) { "text $it" }
                    batch.column("numbers").bufferAddress(1) shouldBe
                        root.getVector("numbers").dataBuffer.memoryAddress()
                }
            }
        }
    }

    test("unset rows of a text vector are null, and a root without columns keeps its row count [ARJ-01]") {
        RootAllocator().use { allocator ->
            VarCharVector("v", allocator).use { vector ->
                vector.allocateNew()
                vector.setSafe(2, "two".toByteArray())
                vector.valueCount = 9
                ArrowVectors.toDeviceArray(vector).use {
                    it.validate(Validation.FULL)
                    it.asColumn().toList() shouldContainExactly List(9) { row -> if (row == 2) "two" else null }
                }
            }
            VectorSchemaRoot(ArrowSchemaOf(emptyList()), emptyList(), 7).use { root ->
                ArrowVectors.toRecordBatch(root).use { it.length() shouldBe 7 }
            }
        }
    }

    test("vectors may be closed, and their memory is counted until the last array is closed [ARJ-02]") {
        RootAllocator().use { allocator ->
            val batch = root(allocator).use { ArrowVectors.toRecordBatch(it) }
            val held = allocator.allocatedMemory
            held shouldBeGreaterThan 0
            val part = batch.slice(2, 3)
            batch.close()
            allocator.allocatedMemory shouldBe held
            part.column("texts").toList() shouldContainExactly listOf("text 2", "text 3", "text 4")
            part.close()
            allocator.allocatedMemory shouldBe 0
        }
    }

    test("an allocator that is closed before its array reports a leak [ARJ-02]") {
        val allocator = RootAllocator()
        val batch = root(allocator).use { ArrowVectors.toRecordBatch(it) }
        shouldThrow<IllegalStateException> { allocator.close() }.message shouldContain "leaked"
        batch.column("numbers").getLong(3) shouldBe 30
        // With assertions, Arrow Java rejects the release. The library logs that and closes the array.
        thread { batch.close() }.join()
    }

    test("arrays released on another thread after their allocators leave no memory, without assertions [ARJ-02]") {
        val child = ChildJvm.run(LateRelease::class, options = listOf("-da",
            "--add-opens=java.base/java.nio=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"))
        withClue(child.output) {
            child.exitCode shouldBe 0
            child.output shouldContain "all is well"
        }
    }

    test("vectors keep the array, and their allocator counts it, until the last vector is closed [ARJ-02]") {
        RootAllocator().use { source ->
            RootAllocator().use { target ->
                val batch = root(source).use { ArrowVectors.toRecordBatch(it) }
                val address = batch.column("numbers").bufferAddress(1)
                val root = batch.use { ArrowVectors.toVectorSchemaRoot(it, target) }
                source.allocatedMemory shouldBeGreaterThan 0
                target.allocatedMemory shouldBeGreaterThan 0
                root.getVector("numbers").dataBuffer.memoryAddress() shouldBe address
                root.getVector("numbers").close()
                source.allocatedMemory shouldBeGreaterThan 0
                (root.getVector("texts") as VarCharVector).getObject(4).toString() shouldBe "text 4"
                root.close()
                target.allocatedMemory shouldBe 0
                source.allocatedMemory shouldBe 0
            }
        }
    }

    test("vectors of the array's own allocator share its buffers, which are counted once [ARJ-02]") {
        RootAllocator().use { allocator ->
            val source = root(allocator, rows = 100)
            val held = allocator.allocatedMemory
            val batch = ArrowVectors.toRecordBatch(source)
            val slice = batch.slice(16, 50)
            val whole = batch.use { ArrowVectors.toVectorSchemaRoot(it, allocator) }
            val part = slice.use { ArrowVectors.toVectorSchemaRoot(it, allocator) }
            allocator.allocatedMemory shouldBe held
            whole.getVector("numbers").dataBuffer.memoryAddress() shouldBe
                source.getVector("numbers").dataBuffer.memoryAddress()
            part.getVector("numbers").dataBuffer.memoryAddress() shouldBe
                source.getVector("numbers").dataBuffer.memoryAddress() + 16 * 8
            source.close()
            List(50) { (part.getVector("texts") as VarCharVector).getObject(it).toString() } shouldContainExactly
                List(50) { "text ${it + 16}" }
            ArrowVectors.toRecordBatch(part).use { again ->
                again.column("numbers").toList() shouldContainExactly List(50) {
                    if ((it + 16) % 3 == 1) null else 10L * (it + 16)
                }
            }
            part.close()
            (whole.getVector("texts") as VarCharVector).getObject(99).toString() shouldBe "text 99"
            allocator.allocatedMemory shouldBe held
            whole.close()
            allocator.allocatedMemory shouldBe 0
        }
    }

    test("another allocator of the same root counts the vectors that it shares, within its limit [ARJ-02]") {
        RootAllocator().use { allocator ->
            val batch = root(allocator, rows = 100).use { ArrowVectors.toRecordBatch(it) }
            val held = allocator.allocatedMemory
            allocator.newChildAllocator("small", 0, 100).use { small ->
                shouldThrow<DeviceException> { ArrowVectors.toVectorSchemaRoot(batch, small) }
                    .errno() shouldBe Errno.ENOMEM
                small.allocatedMemory shouldBe 0
            }
            val theirs = allocator.newChildAllocator("theirs", 0, Long.MAX_VALUE)
            val address = batch.column("numbers").bufferAddress(1)
            val root = batch.use { ArrowVectors.toVectorSchemaRoot(it, theirs) }
            root.getVector("numbers").dataBuffer.memoryAddress() shouldBe address
            theirs.allocatedMemory shouldBeGreaterThan 800
            allocator.allocatedMemory shouldBe held + theirs.allocatedMemory
            root.close()
            theirs.allocatedMemory shouldBe 0
            theirs.close()
            allocator.allocatedMemory shouldBe 0
        }
    }

    test("an array can be loaded into the vectors that it was made from [ARJ-02]") {
        RootAllocator().use { allocator ->
            root(allocator).use { root ->
                repeat(3) { ArrowVectors.toRecordBatch(root).use { ArrowVectors.loadInto(it, root) } }
                (root.getVector("texts") as VarCharVector).getObject(9).toString() shouldBe "text 9"
                (root.getVector("numbers") as BigIntVector).get(9) shouldBe 90
            }
            allocator.allocatedMemory shouldBe 0
        }
    }

    test("a batch without bitmaps becomes vectors without nulls [ARJ-03]") {
        RootAllocator().use { allocator ->
            BatchBuilder.of(Devices.cpu(), 4).use { builder ->
                builder.column(Field.of("a", DataType.INT32).withNullable(false)).append(1).append(2)
                    .append(3).append(4)
                builder.build()
            }.use { batch ->
                ArrowVectors.toVectorSchemaRoot(batch, allocator).use { root ->
                    List(4) { (root.getVector("a") as IntVector).get(it) } shouldContainExactly listOf(1, 2, 3, 4)
                    root.getVector("a").nullCount shouldBe 0
                }
            }
        }
    }

    test("maps with nullable entries become Arrow Java maps, in roots, in vectors and in readers [ARJ-03]") {
        val map = DataType.map(Field.of("key", DataType.UTF8), Field.of("value", DataType.INT64)) as NestedType.MapType
        val flagged = NestedType.MapType(map.entries().withNullable(true), false)
        val values = listOf(mapOf("a" to 1L, "b" to null), null, mapOf("c" to 3L))
        fun schema(type: DataType) =
            Schema.of(Field.of("m", type), Field.of("l", DataType.list(Field.of("item", type))))
        RootAllocator().use { allocator ->
            BatchBuilder.of(Devices.cpu(), 3).use { builder ->
                builder.column(schema(map).fields()[0], values)
                    .column(schema(map).fields()[1], values.map { listOf(it) }).build()
            }.use { it.convertTo(schema(flagged).asField()) }.use { batch ->
                fun check(root: VectorSchemaRoot) {
                    root.schema.fields[0].children.single().isNullable shouldBe false
                    ArrowVectors.toRecordBatch(root).use { it.difference(batch) shouldBe null }
                }
                ArrowVectors.toVectorSchemaRoot(batch, allocator).use { check(it) }
                batch.retainChild(0).use { ArrowVectors.toVector(it, allocator) }.use {
                    "$it" shouldBe
                        "[[{\"key\":\"a\",\"value\":1},{\"key\":\"b\"}], null, [{\"key\":\"c\",\"value\":3}]]"
                }
                ArrowReaders.toArrowReader(RecordBatchReader.of(batch.schema(), listOf(batch.retain())), allocator)
                    .use { reader ->
                        reader.loadNextBatch() shouldBe true
                        check(reader.vectorSchemaRoot)
                    }
            }
        }
    }

    test("an array of a type without Arrow Java vectors is rejected and stays open [ARJ-04]") {
        RootAllocator().use { allocator ->
            BatchBuilder.of(Devices.cpu(), 1).use { builder ->
                builder.column(Field.of("d", DataType.decimal32(5, 2))).append(1)
                builder.build()
            }.use { batch ->
                val failure = shouldThrow<DeviceException> { ArrowVectors.toVectorSchemaRoot(batch, allocator) }
                failure.errno() shouldBe Errno.EINVAL
                failure.message shouldContain "\$.d: Arrow Java has no vectors of decimal32"
                batch.length() shouldBe 1
            }
        }
    }

    test("an array on a device or with a pending event is rejected with the call that helps [ARJ-04]") {
        RootAllocator().use { allocator ->
            val cpu = Devices.cpu()
            // Numbers only, since a copy of text waits for its offsets.
            VectorSchemaRoot.of(numbers(allocator)).use { root ->
                val source = ArrowVectors.toRecordBatch(root)
                val device = Devices.device(DeviceType.EXT_DEV, 0)
                val there = source.use { it.copyTo(device) }
                shouldThrow<DeviceException> { ArrowVectors.toVectorSchemaRoot(there, allocator) }.message shouldContain
                    "the array is on EXT_DEV:0, but vectors are in main memory: copy it with copyTo(Devices.cpu())"
                val fake = FakeDevice.of(DeviceType.EXT_DEV, 0)
                fake.hold()
                val here = there.use { it.copyTo(cpu) }
                shouldThrow<IllegalStateException> { ArrowVectors.loadInto(here, root) }.message shouldContain
                    "wait with synchronize()"
                (root.getVector("numbers") as BigIntVector).get(9) shouldBe 90 // unchanged
                fake.release()
                here.use {
                    it.synchronize()
                    ArrowVectors.loadInto(it, root)
                }
                (root.getVector("numbers") as BigIntVector).get(9) shouldBe 90
            }
            // The copies release their sources on another thread.
            eventually("the copies have released their sources") { allocator.allocatedMemory == 0L }
        }
    }

    context("dictionaries [ARJ-05]") {
        fun encoded(allocator: BufferAllocator, provider: MapDictionaryProvider): VectorSchemaRoot {
            provider.put(Dictionary(texts(allocator, "words", 3), DictionaryEncoding(7, true, ArrowType.Int(8, true))))
            return texts(allocator, "t", 3).use { plain ->
                VectorSchemaRoot.of(DictionaryEncoder.encode(plain, provider.lookup(7)) as FieldVector)
            }
        }

        test("dictionaries are converted with their values' field, and back under a free number [ARJ-05]") {
            RootAllocator().use { allocator ->
                MapDictionaryProvider().use { provider ->
                    encoded(allocator, provider).use { root ->
                        ArrowVectors.toRecordBatch(root, provider).use { batch ->
                            batch.validate(Validation.FULL)
                            (batch.schema().fields().single().type() as NestedType.DictionaryType)
                                .ordered() shouldBe true
                            batch.column("t").toList() shouldContainExactly List(3) { "text $it" }
                            MapDictionaryProvider().use { target ->
                                ArrowVectors.toVectorSchemaRoot(batch, allocator, target).use { back ->
                                    val encoding = back.schema.fields.single().dictionary
                                    encoding.isOrdered shouldBe true
                                    texts(allocator, "t", 3).use { plain ->
                                        DictionaryEncoder.decode(back.getVector(0), target.lookup(encoding.id)).use {
                                            (it as FieldVector) shouldEqual plain
                                        }
                                    }
                                    ArrowVectors.toRecordBatch(back, target).use { it.difference(batch).shouldBeNull() }
                                    ArrowVectors.loadInto(batch, back, target)
                                    ArrowVectors.toRecordBatch(back, target).use { it.difference(batch).shouldBeNull() }
                                }
                            }
                        }
                    }
                }
            }
        }

        test("a field has the dictionary type of the provider's values, and is reused for the next array [ARJ-05]") {
            RootAllocator().use { allocator ->
                MapDictionaryProvider().use { provider ->
                    encoded(allocator, provider).use { root ->
                        val types = List(2) { ArrowVectors.toRecordBatch(root, provider).use { it.field() } }
                        types[1] shouldBeSameInstanceAs types[0]
                        MapDictionaryProvider().use { others ->
                            others.put(Dictionary(numbers(allocator, "words", 3),
                                DictionaryEncoding(7, true, ArrowType.Int(8, true))))
                            ArrowVectors.toRecordBatch(root, others).use {
                                it.column("t").toList() shouldContainExactly listOf(0L, null, 20L)
                            }
                        }
                        ArrowVectors.toRecordBatch(root, provider).use {
                            it.column("t").toList() shouldContainExactly List(3) { row -> "text $row" }
                        }
                        shouldThrow<DeviceException> { ArrowVectors.toRecordBatch(root) }.message shouldContain
                            "\$.t.(dictionary): is dictionary 7"
                    }
                }
            }
        }

        test("a missing dictionary is an error with the path and the number, and nothing stays allocated [ARJ-05]") {
            RootAllocator().use { allocator ->
                MapDictionaryProvider().use { provider ->
                    encoded(allocator, provider).use { root ->
                        val before = allocator.allocatedMemory
                        shouldThrow<DeviceException> { ArrowVectors.toRecordBatch(root) }.message shouldContain
                            "\$.t.(dictionary): is dictionary 7"
                        shouldThrow<DeviceException> { ArrowVectors.toRecordBatch(root, MapDictionaryProvider()) }
                            .message shouldContain "no dictionary 7"
                        ArrowVectors.toRecordBatch(root, provider).use { batch ->
                            shouldThrow<DeviceException> { ArrowVectors.toVectorSchemaRoot(batch, allocator) }
                                .message shouldContain "\$.t: is encoded by a dictionary"
                        }
                        allocator.allocatedMemory shouldBe before
                    }
                }
            }
        }
    }

    context("two columns with the same dictionary number [ARJ-05]") {
        /** Adds a dictionary of [words] with the number [id]. */
        fun MapDictionaryProvider.words(allocator: BufferAllocator, id: Long, vararg words: String) {
            val vector = VarCharVector("words", allocator)
            vector.allocateNew()
            words.forEachIndexed { row, word -> vector.setSafe(row, word.toByteArray()) }
            vector.valueCount = words.size
            put(Dictionary(vector, DictionaryEncoding(id, false, ArrowType.Int(32, true))))
        }

        /** Returns two columns of the indices 0 and 1, which use the dictionaries [a] and [b]. */
        fun indices(allocator: BufferAllocator, a: Long, b: Long) = VectorSchemaRoot.create(
            ArrowSchemaOf(
                listOf("a" to a, "b" to b).map { (name, id) ->
                    ArrowField(name, FieldType(true, ArrowType.Int(32, true),
                        DictionaryEncoding(id, false, ArrowType.Int(32, true))), null)
                },
            ),
            allocator,
        ).apply {
            for (vector in fieldVectors) repeat(2) { (vector as IntVector).setSafe(it, it) }
            rowCount = 2
        }

        /** Loads an array whose columns have separate dictionaries into a root whose columns share one. */
        fun loaded(a: List<String>, b: List<String>): List<List<Any?>> = RootAllocator().use { allocator ->
            MapDictionaryProvider().use { two ->
                two.words(allocator, 1, *a.toTypedArray())
                two.words(allocator, 2, *b.toTypedArray())
                indices(allocator, 1, 2).use { ArrowVectors.toRecordBatch(it, two) }.use { batch ->
                    MapDictionaryProvider().use { one ->
                        one.words(allocator, 7)
                        indices(allocator, 7, 7).use { root ->
                            ArrowVectors.loadInto(batch, root, one)
                            ArrowVectors.toRecordBatch(root, one).use { again ->
                                ArrowVectors.loadInto(again, root, one) // with the same buffers
                                listOf("a", "b").map { again.column(it).toList() }
                            }
                        }
                    }
                }
            }
        }

        test("a second dictionary with other values is an error [ARJ-05]") {
            val failure = shouldThrow<DeviceException> { loaded(listOf("x", "y"), listOf("p", "q")) }
            failure.message shouldContain "\$.b.(dictionary): dictionary 7 has 2 values already"
        }

        test("a second dictionary with equal values is shared [ARJ-05]") {
            loaded(listOf("x", "y"), listOf("x", "y")) shouldContainExactly List(2) { listOf("x", "y") }
        }
    }

    test("8 threads convert 100,000 roots, and other threads release them in another order [ARJ-02]") {
        RootAllocator().use { allocator ->
            val queue = ArrayBlockingQueue<AutoCloseable>(64)
            val done = CountDownLatch(8)
            val threads = Executors.newFixedThreadPool(16)
            val source = root(allocator)
            val counts = source.use { root ->
                val producers = List(8) { thread ->
                    threads.submit<Int> {
                        val child = allocator.newChildAllocator("child $thread", 0, Long.MAX_VALUE)
                        val mine = synchronized(root) { ArrowVectors.toRecordBatch(root) }.use {
                            ArrowVectors.toVectorSchemaRoot(it, child)
                        }
                        var through = 0
                        try {
                            repeat(12_500) { turn ->
                                val batch = ArrowVectors.toRecordBatch(mine)
                                // Vectors of the child share the buffers, and vectors of the other allocator wrap them.
                                val back =
                                    ArrowVectors.toVectorSchemaRoot(batch, if (turn % 4 < 2) child else allocator)
                                if (back.rowCount == 10) through++
                                val (now, later) = if (turn % 2 == 0) batch to back else back to batch
                                now.close()
                                check(queue.offer(later, HANG_SECONDS, SECONDS)) { "the closing threads hang" }
                            }
                            mine.close()
                        } finally {
                            done.countDown()
                        }
                        check(done.await(HANG_SECONDS, SECONDS)) { "a producing thread hangs" }
                        through
                    }
                }
                val closers = List(4) {
                    threads.submit {
                        val held = ArrayList<AutoCloseable>()
                        while (true) {
                            val next = queue.poll(HANG_SECONDS, SECONDS) ?: error("the producing threads hang")
                            if (next === END) break
                            held += next
                            if (held.size == 16) held.reversed().forEach { it.close() }.also { held.clear() }
                        }
                        held.forEach { it.close() }
                    }
                }
                val through = producers.sumOf { it.get(HANG_SECONDS, SECONDS) }
                repeat(4) { queue.put(END) }
                closers.forEach { it.get(HANG_SECONDS, SECONDS) }
                through
            }
            threads.shutdown()
            counts shouldBe 100_000
            allocator.childAllocators.toList().forEach { it.close() }
            allocator.allocatedMemory shouldBe 0
        }
    }

    test("arrow-c-data and the library exchange arrays by address, in both directions [ARJ-08]") {
        RootAllocator().use { allocator ->
            root(allocator).use { root ->
                val batch = ArrowArray.allocateNew(allocator).use { array ->
                    ArrowSchema.allocateNew(allocator).use { schema ->
                        Data.exportVectorSchemaRoot(allocator, root, null, array, schema)
                        CData.importArray(MemorySegment.ofAddress(array.memoryAddress()),
                            CImport.DATA.schema(MemorySegment.ofAddress(schema.memoryAddress())))
                    }
                }
                ArrowVectors.toRecordBatch(root).use { batch.difference(it).shouldBeNull() }
                ArrowArray.allocateNew(allocator).use { array ->
                    ArrowSchema.allocateNew(allocator).use { schema ->
                        batch.use {
                            CData.exportArray(it, MemorySegment.ofAddress(array.memoryAddress()),
                                CExport.DATA.schemaTo(MemorySegment.ofAddress(schema.memoryAddress())))
                        }
                        CDataDictionaryProvider().use {
                            Data.importVectorSchemaRoot(allocator, array, schema, it)
                        }.use { back ->
                            back.equals(root) shouldBe true
                        }
                    }
                }
            }
        }
    }
})

/** A program that prints "all is well" if late releases leave no memory allocated. */
internal object LateRelease {
    @JvmStatic
    fun main(args: Array<String>) {
        val source = RootAllocator()
        val batch = root(source).use { ArrowVectors.toRecordBatch(it) }
        val target = RootAllocator()
        val back = ArrowVectors.toVectorSchemaRoot(batch, target)
        for (allocator in listOf(source, target))
            check(runCatching { allocator.close() }.exceptionOrNull()?.message.orEmpty().contains("leaked"))
        thread { batch.close() }.join()
        check(source.allocatedMemory > 0) { "the source must stay allocated while the vectors are open" }
        thread { back.close() }.join()
        check(source.allocatedMemory == 0L && target.allocatedMemory == 0L) { "still allocated: $source and $target" }
        check(ResourceCounters.now().isZero) { "not released: ${ResourceCounters.now()}" }
        println("all is well")
    }
}

private val END = AutoCloseable { }

/** Limits a test that hangs. It is long, since the test does much work. */
private const val HANG_SECONDS = 60L
