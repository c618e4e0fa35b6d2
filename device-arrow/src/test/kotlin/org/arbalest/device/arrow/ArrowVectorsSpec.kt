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
import org.apache.arrow.vector.complex.DenseUnionVector
import org.apache.arrow.vector.complex.StructVector
import org.apache.arrow.vector.complex.UnionVector
import org.apache.arrow.vector.dictionary.Dictionary
import org.apache.arrow.vector.dictionary.DictionaryEncoder
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider
import org.apache.arrow.vector.types.Types.MinorType
import org.apache.arrow.vector.types.UnionMode
import org.apache.arrow.vector.types.pojo.ArrowType
import org.apache.arrow.vector.types.pojo.DictionaryEncoding
import org.apache.arrow.vector.types.pojo.FieldType
import org.arbalest.device.DataType
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Field
import org.arbalest.device.NestedType
import org.arbalest.device.Schema
import org.arbalest.device.Validation
import org.arbalest.device.abi.DeviceType
import org.arbalest.device.abi.Errno
import org.arbalest.testkit.LedgerExtension
import org.arbalest.testkit.fake.FakeDevice
import org.arbalest.testkit.fake.FakeExtension
import java.util.concurrent.ArrayBlockingQueue
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit.MINUTES
import org.apache.arrow.vector.types.pojo.Field as ArrowField
import org.apache.arrow.vector.types.pojo.Schema as ArrowSchemaOf

/** Who holds what, dictionaries, bad input, threads. */
class ArrowVectorsSpec : FunSpec({
    extension(LedgerExtension)
    extension(FakeExtension)

    fun numbers(allocator: BufferAllocator, name: String = "numbers", rows: Int = 10) = BigIntVector(name, allocator).apply {
        allocateNew(rows)
        for (row in 0 until rows) if (row % 3 == 1) setNull(row) else set(row, 10L * row)
        valueCount = rows
    }

    fun texts(allocator: BufferAllocator, name: String = "texts", rows: Int = 10) = VarCharVector(name, allocator).apply {
        allocateNew()
        for (row in 0 until rows) setSafe(row, "text $row".toByteArray())
        valueCount = rows
    }

    fun root(allocator: BufferAllocator, rows: Int = 10) = VectorSchemaRoot.of(numbers(allocator, rows = rows), texts(allocator, rows = rows))

    test("ARJ-01 values are read as they were set, nulls as nulls, and the schema says what Arrow Java's says") {
        RootAllocator().use { allocator ->
            root(allocator).use { root ->
                ArrowVectors.toDeviceArray(root).use { batch ->
                    batch.schema().toString() shouldBe Schema.of(Field.of("numbers", DataType.INT64), Field.of("texts", DataType.UTF8)).toString()
                    batch.column("numbers").toList() shouldContainExactly List(10) { if (it % 3 == 1) null else 10L * it }
                    batch.column("texts").toList() shouldContainExactly List(10) { "text $it" }
                    batch.column("numbers").bufferAddress(1) shouldBe root.getVector("numbers").dataBuffer.memoryAddress()
                }
            }
        }
    }

    test("ARJ-01 offsets of rows that nobody set, and rows of a root without columns") {
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
                ArrowVectors.toDeviceArray(root).use { it.length() shouldBe 7 }
            }
        }
    }

    test("ARJ-02 vectors may be closed, their memory is counted until the last holder has left") {
        RootAllocator().use { allocator ->
            val batch = root(allocator).use { ArrowVectors.toDeviceArray(it) }
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

    test("ARJ-02 an allocator that is closed with an array out there says so") {
        val allocator = RootAllocator()
        val batch = root(allocator).use { ArrowVectors.toDeviceArray(it) }
        shouldThrow<IllegalStateException> { allocator.close() }.message shouldContain "leaked"
        batch.column("numbers").getLong(3) shouldBe 30
        batch.close() // Arrow Java refuses, where assertions are on: that is logged, and the array is gone
    }

    test("ARJ-02 vectors hold the array, as their allocator counts, until the last of them was closed") {
        RootAllocator().use { source ->
            RootAllocator().use { target ->
                val batch = root(source).use { ArrowVectors.toDeviceArray(it) }
                val root = batch.use { ArrowVectors.toVectorSchemaRoot(it, target) }
                source.allocatedMemory shouldBeGreaterThan 0
                target.allocatedMemory shouldBeGreaterThan 0
                root.getVector("numbers").dataBuffer.memoryAddress() shouldBe (root.getVector("numbers") as BigIntVector).dataBufferAddress
                root.getVector("numbers").close()
                source.allocatedMemory shouldBeGreaterThan 0
                (root.getVector("texts") as VarCharVector).getObject(4).toString() shouldBe "text 4"
                root.close()
                target.allocatedMemory shouldBe 0
                source.allocatedMemory shouldBe 0
            }
        }
    }

    test("ARJ-02 vectors of the same root that an array came from share its buffers, which are counted once") {
        RootAllocator().use { allocator ->
            allocator.newChildAllocator("theirs", 0, Long.MAX_VALUE).use { theirs ->
                val source = root(allocator, rows = 100)
                val held = allocator.allocatedMemory
                val batch = ArrowVectors.toDeviceArray(source)
                val slice = batch.slice(16, 50)
                val whole = batch.use { ArrowVectors.toVectorSchemaRoot(it, theirs) }
                val part = slice.use { ArrowVectors.toVectorSchemaRoot(it, allocator) }
                allocator.allocatedMemory shouldBe held
                theirs.allocatedMemory shouldBe 0
                whole.getVector("numbers").dataBuffer.memoryAddress() shouldBe source.getVector("numbers").dataBuffer.memoryAddress()
                part.getVector("numbers").dataBuffer.memoryAddress() shouldBe source.getVector("numbers").dataBuffer.memoryAddress() + 16 * 8
                source.close()
                List(50) { (part.getVector("texts") as VarCharVector).getObject(it).toString() } shouldContainExactly List(50) { "text ${it + 16}" }
                ArrowVectors.toDeviceArray(part).use { again ->
                    again.column("numbers").toList() shouldContainExactly List(50) { if ((it + 16) % 3 == 1) null else 10L * (it + 16) }
                }
                theirs.allocatedMemory shouldBe 0
                part.close()
                theirs.allocatedMemory shouldBeGreaterThan 0 // the last who shares owns, as Arrow Java has it
                (whole.getVector("texts") as VarCharVector).getObject(99).toString() shouldBe "text 99"
                whole.close()
            }
            allocator.allocatedMemory shouldBe 0
        }
    }

    test("ARJ-02 an array that is loaded into the very vectors that it is of") {
        RootAllocator().use { allocator ->
            root(allocator).use { root ->
                repeat(3) { ArrowVectors.toDeviceArray(root).use { ArrowVectors.loadInto(it, root) } }
                (root.getVector("texts") as VarCharVector).getObject(9).toString() shouldBe "text 9"
                (root.getVector("numbers") as BigIntVector).get(9) shouldBe 90
            }
            allocator.allocatedMemory shouldBe 0
        }
    }

    test("ARJ-03 a batch of ours, without bitmaps, and one from C with nulls") {
        RootAllocator().use { allocator ->
            Devices.cpu().batchBuilder(4).use { builder ->
                builder.column(Field.of("a", DataType.INT32).withNullable(false)).append(1).append(2).append(3).append(4)
                builder.build()
            }.use { batch ->
                ArrowVectors.toVectorSchemaRoot(batch, allocator).use { root ->
                    List(4) { (root.getVector("a") as IntVector).get(it) } shouldContainExactly listOf(1, 2, 3, 4)
                    root.getVector("a").nullCount shouldBe 0
                }
            }
        }
    }

    test("ARJ-04 an array on a device, or of a type that Arrow Java has not, is refused, and stays as it was") {
        RootAllocator().use { allocator ->
            Devices.cpu().batchBuilder(1).use { builder ->
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

    test("ARJ-04 an array on a device, or whose event is not done, is refused with what brings it over") {
        RootAllocator().use { allocator ->
            val cpu = Devices.cpu()
            VectorSchemaRoot.of(numbers(allocator)).use { root -> // for text a copy looks at the offsets, and waits
                val source = ArrowVectors.toDeviceArray(root)
                val device = Devices.device(DeviceType.EXT_DEV, 0)
                val there = source.use { it.copyTo(device) }
                shouldThrow<DeviceException> { ArrowVectors.toVectorSchemaRoot(there, allocator) }.message shouldContain "the array is on EXT_DEV:0, but vectors are in main memory: copyTo(Devices.cpu())"
                val fake = FakeDevice.of(DeviceType.EXT_DEV, 0)
                fake.hold()
                val here = there.use { it.copyTo(cpu) }
                shouldThrow<DeviceException> { ArrowVectors.loadInto(here, root) }.message shouldContain "synchronize() waits for it"
                (root.getVector("numbers") as BigIntVector).get(9) shouldBe 90 // as it was
                fake.release()
                here.use {
                    it.synchronize()
                    ArrowVectors.loadInto(it, root)
                }
                (root.getVector("numbers") as BigIntVector).get(9) shouldBe 90
            }
            allocator.allocatedMemory shouldBe 0
        }
    }

    context("ARJ-05 dictionaries") {
        fun encoded(allocator: BufferAllocator, provider: MapDictionaryProvider): VectorSchemaRoot {
            provider.put(Dictionary(texts(allocator, "words", 3), DictionaryEncoding(7, true, ArrowType.Int(8, true))))
            return texts(allocator, "t", 3).use { plain -> VectorSchemaRoot.of(DictionaryEncoder.encode(plain, provider.lookup(7)) as FieldVector) }
        }

        test("ARJ-05 go along, their values' field in the type, and back, under a number that is free") {
            RootAllocator().use { allocator ->
                MapDictionaryProvider().use { provider ->
                    encoded(allocator, provider).use { root ->
                        ArrowVectors.toDeviceArray(root, provider).use { batch ->
                            batch.validate(Validation.FULL)
                            (batch.schema().fields().single().type() as NestedType.DictionaryType).ordered() shouldBe true
                            batch.column("t").toList() shouldContainExactly List(3) { "text $it" }
                            MapDictionaryProvider().use { target ->
                                ArrowVectors.toVectorSchemaRoot(batch, allocator, target).use { back ->
                                    val encoding = back.schema.fields.single().dictionary
                                    encoding.isOrdered shouldBe true
                                    texts(allocator, "t", 3).use { plain ->
                                        DictionaryEncoder.decode(back.getVector(0), target.lookup(encoding.id)).use { (it as FieldVector) shouldEqual plain }
                                    }
                                    ArrowVectors.toDeviceArray(back, target).use { it.difference(batch).shouldBeNull() }
                                    ArrowVectors.loadInto(batch, back, target)
                                    ArrowVectors.toDeviceArray(back, target).use { it.difference(batch).shouldBeNull() }
                                }
                            }
                        }
                    }
                }
            }
        }

        test("ARJ-05 of other values under the same number: the type is theirs, and stays the same array after array") {
            RootAllocator().use { allocator ->
                MapDictionaryProvider().use { provider ->
                    encoded(allocator, provider).use { root ->
                        val types = List(2) { ArrowVectors.toDeviceArray(root, provider).use { it.field() } }
                        types[1] shouldBeSameInstanceAs types[0]
                        MapDictionaryProvider().use { others ->
                            others.put(Dictionary(numbers(allocator, "words", 3), DictionaryEncoding(7, true, ArrowType.Int(8, true))))
                            ArrowVectors.toDeviceArray(root, others).use { it.column("t").toList() shouldContainExactly listOf(0L, null, 20L) }
                        }
                        ArrowVectors.toDeviceArray(root, provider).use { it.column("t").toList() shouldContainExactly List(3) { row -> "text $row" } }
                        shouldThrow<DeviceException> { ArrowVectors.toDeviceArray(root) }.message shouldContain "\$.t.(dictionary): is dictionary 7"
                    }
                }
            }
        }

        test("ARJ-05 that are missing are an error with the path and the numbers, and nothing is held") {
            RootAllocator().use { allocator ->
                MapDictionaryProvider().use { provider ->
                    encoded(allocator, provider).use { root ->
                        val before = allocator.allocatedMemory
                        shouldThrow<DeviceException> { ArrowVectors.toDeviceArray(root) }.message shouldContain "\$.t.(dictionary): is dictionary 7"
                        shouldThrow<DeviceException> { ArrowVectors.toDeviceArray(root, MapDictionaryProvider()) }.message shouldContain "no dictionary 7"
                        ArrowVectors.toDeviceArray(root, provider).use { batch ->
                            shouldThrow<DeviceException> { ArrowVectors.toVectorSchemaRoot(batch, allocator) }.message shouldContain "\$.t: is encoded by a dictionary"
                        }
                        allocator.allocatedMemory shouldBe before
                    }
                }
            }
        }
    }

    context("ARJ-06 bad input") {
        test("ARJ-06 rows that differ, vectors that were closed") {
            RootAllocator().use { allocator ->
                VectorSchemaRoot(listOf(numbers(allocator), texts(allocator, rows = 9))).use { root ->
                    shouldThrow<DeviceException> { ArrowVectors.toDeviceArray(root) }.message shouldContain "\$.texts: the vector has 9 values, but the root 10 rows"
                }
                root(allocator).use { root ->
                    root.getVector("numbers").close()
                    shouldThrow<DeviceException> { ArrowVectors.toDeviceArray(root) }.message shouldContain "was it closed?"
                }
            }
        }

        test("ARJ-06 a count beyond the buffers") {
            RootAllocator().use { allocator ->
                numbers(allocator).use { vector ->
                    val holder = generateSequence<Class<*>>(vector.javaClass) { it.superclass }.first { type -> type.declaredFields.any { it.name == "valueCount" } } // 18.3 and 19 differ
                    holder.getDeclaredField("valueCount").apply { isAccessible = true }.setInt(vector, 1_000_000)
                    shouldThrow<DeviceException> { ArrowVectors.toDeviceArray(vector) }.message shouldContain "need"
                    vector.valueCount = 0
                }
            }
        }

        test("ARJ-06 unions with rows of no type, and of one that is not the schema's") {
            RootAllocator().use { allocator ->
                UnionVector.empty("u", allocator).use { union ->
                    union.allocateNew()
                    union.setType(0, MinorType.INT)
                    union.getIntVector().setSafe(0, 5)
                    union.valueCount = 2
                    shouldThrow<DeviceException> { ArrowVectors.toDeviceArray(VectorSchemaRoot.of(union)) }.message shouldContain "\$.u: row 1 has the type id 0"
                }
                DenseUnionVector.empty("u", allocator).use { union ->
                    union.registerNewTypeId(ArrowField.nullable("i", ArrowType.Int(32, true)))
                    union.allocateNew()
                    union.getIntVector(0)
                    union.setValueCount(3)
                    shouldThrow<DeviceException> { ArrowVectors.toDeviceArray(union) }.message shouldContain "row 0 has the type id -1"
                }
            }
        }

        test("ARJ-06 union type ids of one's own are the schema's") {
            RootAllocator().use { allocator ->
                val children = listOf(ArrowField.nullable("i", ArrowType.Int(32, true)), ArrowField.nullable("t", ArrowType.Utf8.INSTANCE))
                val union = ArrowField("u", FieldType.nullable(ArrowType.Union(UnionMode.Sparse, intArrayOf(5, 9))), children)
                VectorSchemaRoot.create(ArrowSchemaOf(listOf(union)), allocator).use { root ->
                    root.allocateNew()
                    val vector = root.getVector("u") as UnionVector
                    (vector.childrenFromFields[0] as IntVector).setSafe(0, 42)
                    (vector.childrenFromFields[1] as VarCharVector).setSafe(1, "x".toByteArray())
                    root.rowCount = 2
                    vector.typeBuffer.setByte(0, 5).also { vector.typeBuffer.setByte(1, 9) }
                    ArrowVectors.toDeviceArray(root).use { batch ->
                        batch.validate(Validation.FULL)
                        batch.column("u").toList() shouldContainExactly listOf(42L, "x")
                        ArrowVectors.toVectorSchemaRoot(batch, allocator).use { back ->
                            ArrowVectors.toDeviceArray(back).use { it.difference(batch).shouldBeNull() }
                        }
                    }
                }
            }
        }

        test("ARJ-06 a schema that is not the vectors' any more") {
            RootAllocator().use { allocator ->
                StructVector.empty("s", allocator).use { struct ->
                    val root = VectorSchemaRoot.of(struct)
                    struct.addOrGet("late", FieldType.nullable(ArrowType.Int(32, true)), IntVector::class.java)
                    shouldThrow<DeviceException> { ArrowVectors.toDeviceArray(root) }.message shouldContain "syncSchema"
                    root.syncSchema()
                    ArrowVectors.toDeviceArray(root).close()
                }
            }
        }

        test("ARJ-06 an array of another schema leaves the root as it was") {
            RootAllocator().use { allocator ->
                root(allocator).use { root ->
                    VectorSchemaRoot.of(numbers(allocator, "other"), texts(allocator)).use { others ->
                        ArrowVectors.toDeviceArray(others).use { batch ->
                            shouldThrow<DeviceException> { ArrowVectors.loadInto(batch, root) }.message shouldContain "\"other\" of the array, but \"numbers\""
                        }
                    }
                    root.rowCount shouldBe 10
                    (root.getVector("texts") as VarCharVector).getObject(9).toString() shouldBe "text 9"
                }
            }
        }

        test("ARJ-06 a limit that is reached in the middle: nothing is left, whichever buffer it was") {
            RootAllocator().use { source ->
                root(source).use { root ->
                    ArrowVectors.toDeviceArray(root).use { batch ->
                        val whole = RootAllocator().use { target -> ArrowVectors.toVectorSchemaRoot(batch, target).use { target.allocatedMemory } }
                        var refused = 0
                        for (limit in 1 until whole) {
                            RootAllocator(limit).use { target ->
                                val failure = shouldThrow<DeviceException> { ArrowVectors.toVectorSchemaRoot(batch, target) }
                                failure.errno() shouldBe Errno.ENOMEM
                                failure.message shouldContain "\$."
                                target.allocatedMemory shouldBe 0
                                VectorSchemaRoot.create(root.schema, target).use { into ->
                                    shouldThrow<DeviceException> { ArrowVectors.loadInto(batch, into) }
                                    into.rowCount shouldBe 0
                                    target.allocatedMemory shouldBe 0
                                }
                                refused++
                            }
                        }
                        refused.toLong() shouldBe whole - 1
                    }
                }
            }
        }

        test("ARJ-06 an allocator that was closed") {
            RootAllocator().use { source ->
                val closed = RootAllocator().apply { close() }
                root(source).use { root ->
                    ArrowVectors.toDeviceArray(root).use { batch ->
                        withClue("assertions are on") { shouldThrow<DeviceException> { ArrowVectors.toVectorSchemaRoot(batch, closed) }.message shouldContain "\$.numbers" }
                    }
                }
            }
        }
    }

    test("ARJ-02 8 threads, 100,000 roots through, released on other threads, out of order") {
        RootAllocator().use { allocator ->
            val queue = ArrayBlockingQueue<AutoCloseable>(64)
            val done = CountDownLatch(8)
            val threads = Executors.newFixedThreadPool(16)
            val source = root(allocator)
            val counts = source.use { root ->
                val producers = List(8) { thread ->
                    threads.submit<Int> {
                        val child = allocator.newChildAllocator("child $thread", 0, Long.MAX_VALUE)
                        val mine = synchronized(root) { ArrowVectors.toDeviceArray(root) }.use { ArrowVectors.toVectorSchemaRoot(it, child) }
                        var through = 0
                        repeat(12_500) {
                            val batch = ArrowVectors.toDeviceArray(mine)
                            if (it % 2 == 0) {
                                val back = batch.use { ArrowVectors.toVectorSchemaRoot(batch, allocator) }
                                if (back.rowCount == 10) through++
                                queue.put(back)
                            } else {
                                through++
                                queue.put(batch)
                            }
                        }
                        mine.close()
                        done.countDown()
                        done.await()
                        through
                    }
                }
                val closers = List(4) {
                    threads.submit {
                        val held = ArrayList<AutoCloseable>()
                        while (true) {
                            val next = queue.poll(1, MINUTES) ?: error("nothing came")
                            if (next === END) break
                            held += next
                            if (held.size == 16) held.reversed().forEach { it.close() }.also { held.clear() }
                        }
                        held.forEach { it.close() }
                    }
                }
                val through = producers.sumOf { it.get() }
                repeat(4) { queue.put(END) }
                closers.forEach { it.get() }
                through
            }
            threads.shutdown()
            counts shouldBe 100_000
            allocator.childAllocators.toList().forEach { it.close() }
            allocator.allocatedMemory shouldBe 0
        }
    }

    test("ARJ-08 arrow-c-data's structs are ours, by their addresses, in both directions") {
        RootAllocator().use { allocator ->
            root(allocator).use { root ->
                val batch = ArrowArray.allocateNew(allocator).use { array ->
                    ArrowSchema.allocateNew(allocator).use { schema ->
                        Data.exportVectorSchemaRoot(allocator, root, null, array, schema)
                        DeviceArray.importArray(array.memoryAddress(), schema.memoryAddress())
                    }
                }
                ArrowVectors.toDeviceArray(root).use { batch.difference(it).shouldBeNull() }
                ArrowArray.allocateNew(allocator).use { array ->
                    ArrowSchema.allocateNew(allocator).use { schema ->
                        batch.use { it.exportArray(array.memoryAddress(), schema.memoryAddress()) }
                        CDataDictionaryProvider().use { Data.importVectorSchemaRoot(allocator, array, schema, it) }.use { back ->
                            back.equals(root) shouldBe true
                        }
                    }
                }
            }
        }
    }
})

private val END = AutoCloseable { }
