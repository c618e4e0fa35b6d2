// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.apache.arrow.memory.AllocationListener
import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.memory.RootAllocator
import org.apache.arrow.vector.BigIntVector
import org.apache.arrow.vector.FieldVector
import org.apache.arrow.vector.FixedSizeBinaryVector
import org.apache.arrow.vector.IntVector
import org.apache.arrow.vector.VarCharVector
import org.apache.arrow.vector.VectorSchemaRoot
import org.apache.arrow.vector.complex.DenseUnionVector
import org.apache.arrow.vector.complex.ListVector
import org.apache.arrow.vector.complex.ListViewVector
import org.apache.arrow.vector.complex.RunEndEncodedVector
import org.apache.arrow.vector.complex.StructVector
import org.apache.arrow.vector.complex.UnionVector
import org.apache.arrow.vector.dictionary.Dictionary
import org.apache.arrow.vector.dictionary.DictionaryEncoder
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider
import org.apache.arrow.vector.ipc.message.ArrowFieldNode
import org.apache.arrow.vector.types.Types.MinorType
import org.apache.arrow.vector.types.UnionMode
import org.apache.arrow.vector.types.pojo.ArrowType
import org.apache.arrow.vector.types.pojo.DictionaryEncoding
import org.apache.arrow.vector.types.pojo.FieldType
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.Validation
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType
import org.arbalest.device.types.NestedType
import org.arbalest.device.types.Schema
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.withNullRows
import java.io.IOException
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout
import org.apache.arrow.vector.types.pojo.Field as ArrowField
import org.apache.arrow.vector.types.pojo.Schema as ArrowSchemaOf

/** Tests that invalid input is rejected with a clear message, and that nothing stays allocated. */
class ArrowVectorsBadInputSpec : FunSpec({
    extension(ResourceCountersExtension)

    test("a row count that differs and a closed vector are errors [ARJ-06]") {
        RootAllocator().use { allocator ->
            VectorSchemaRoot(listOf(numbers(allocator), texts(allocator, rows = 9))).use { root ->
                shouldThrow<DeviceException> { ArrowVectors.toRecordBatch(root) }.message shouldContain
                    "\$.texts: the vector has 9 values, but the root 10 rows"
            }
            root(allocator).use { root ->
                root.getVector("numbers").close()
                shouldThrow<DeviceException> { ArrowVectors.toRecordBatch(root) }.message shouldContain "was it closed?"
            }
        }
    }

    test("decimals of 32 and 64 bits are an error, since Arrow Java stores their values in 128 bits [ARJ-06]") {
        RootAllocator().use { allocator ->
            for (bits in listOf(32, 64)) {
                ArrowField("d", FieldType.nullable(ArrowType.Decimal(9, 2, bits)), null).createVector(allocator).use {
                    shouldThrow<DeviceException> { ArrowVectors.toDeviceArray(it as FieldVector) }.message shouldContain
                        "Arrow Java has no vectors of decimal$bits"
                }
            }
        }
    }

    test("a value count beyond the buffers is an error [ARJ-06]") {
        RootAllocator().use { allocator ->
            numbers(allocator).use { vector ->
                // Different classes declare this field in Arrow Java 18.3 and 19.
                val holder = generateSequence<Class<*>>(vector.javaClass) { it.superclass }.first { type ->
                    type.declaredFields.any { it.name == "valueCount" }
                }
                holder.getDeclaredField("valueCount").apply { isAccessible = true }.setInt(vector, 1_000_000)
                shouldThrow<DeviceException> { ArrowVectors.toDeviceArray(vector) }.message shouldContain "need"
                vector.valueCount = 0
            }
        }
    }

    test("a union row without a valid type id is an error [ARJ-06]") {
        RootAllocator().use { allocator ->
            UnionVector.empty("u", allocator).use { union ->
                union.allocateNew()
                union.setType(0, MinorType.INT)
                union.getIntVector().setSafe(0, 5)
                union.valueCount = 2
                shouldThrow<DeviceException> { ArrowVectors.toRecordBatch(VectorSchemaRoot.of(union)) }
                    .message shouldContain "\$.u: row 1 has the type id 0"
            }
            DenseUnionVector.empty("u", allocator).use { union ->
                union.registerNewTypeId(ArrowField.nullable("i", ArrowType.Int(32, true)))
                union.allocateNew()
                union.getIntVector(0)
                union.setValueCount(3)
                shouldThrow<DeviceException> { ArrowVectors.toDeviceArray(union) }.message shouldContain
                    "row 0 has the type id -1"
            }
        }
    }

    test("a union keeps the type ids of its schema [ARJ-06]") {
        RootAllocator().use { allocator ->
            val children = listOf(ArrowField.nullable("i", ArrowType.Int(32, true)),
                ArrowField.nullable("t", ArrowType.Utf8.INSTANCE))
            val union =
                ArrowField("u", FieldType.nullable(ArrowType.Union(UnionMode.Sparse, intArrayOf(5, 9))), children)
            VectorSchemaRoot.create(ArrowSchemaOf(listOf(union)), allocator).use { root ->
                root.allocateNew()
                val vector = root.getVector("u") as UnionVector
                (vector.childrenFromFields[0] as IntVector).setSafe(0, 42)
                (vector.childrenFromFields[1] as VarCharVector).setSafe(1, "x".toByteArray())
                root.rowCount = 2
                vector.typeBuffer.setByte(0, 5).also { vector.typeBuffer.setByte(1, 9) }
                ArrowVectors.toRecordBatch(root).use { batch ->
                    batch.validate(Validation.FULL)
                    batch.column("u").toList() shouldContainExactly listOf(42L, "x")
                    ArrowVectors.toVectorSchemaRoot(batch, allocator).use { back ->
                        ArrowVectors.toRecordBatch(back).use { it.difference(batch).shouldBeNull() }
                    }
                }
            }
        }
    }

    test("a vector that no longer matches its root's schema is an error until syncSchema() [ARJ-06]") {
        RootAllocator().use { allocator ->
            StructVector.empty("s", allocator).use { struct ->
                val root = VectorSchemaRoot.of(struct)
                struct.addOrGet("late", FieldType.nullable(ArrowType.Int(32, true)), IntVector::class.java)
                shouldThrow<DeviceException> { ArrowVectors.toRecordBatch(root) }.message shouldContain "syncSchema"
                root.syncSchema()
                ArrowVectors.toRecordBatch(root).close()
            }
        }
    }

    test("loading an array of another schema is an error and leaves the root unchanged [ARJ-06]") {
        RootAllocator().use { allocator ->
            root(allocator).use { root ->
                VectorSchemaRoot.of(numbers(allocator, "other"), texts(allocator)).use { others ->
                    ArrowVectors.toRecordBatch(others).use { batch ->
                        shouldThrow<DeviceException> { ArrowVectors.loadInto(batch, root) }.message shouldContain
                            "\"other\" of the array, but \"numbers\""
                    }
                }
                root.rowCount shouldBe 10
                (root.getVector("texts") as VarCharVector).getObject(9).toString() shouldBe "text 9"
            }
        }
    }

    test("a memory limit at any buffer is an error, and nothing stays allocated [ARJ-06]") {
        RootAllocator().use { source ->
            root(source).use { root ->
                ArrowVectors.toRecordBatch(root).use { batch ->
                    val whole = RootAllocator().use { target ->
                        ArrowVectors.toVectorSchemaRoot(batch, target).use { target.allocatedMemory }
                    }
                    var refused = 0
                    for (limit in 1 until whole) {
                        RootAllocator(limit).use { target ->
                            val failure = shouldThrow<DeviceException> {
                                ArrowVectors.toVectorSchemaRoot(batch, target)
                            }
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

    test("a conversion with a closed allocator is an error [ARJ-06]") {
        RootAllocator().use { source ->
            val closed = RootAllocator().apply { close() }
            root(source).use { root ->
                ArrowVectors.toRecordBatch(root).use { batch ->
                    withClue("the check of a closed allocator needs assertions (-ea)") {
                        shouldThrow<DeviceException> { ArrowVectors.toVectorSchemaRoot(batch, closed) }
                            .message shouldContain "\$.numbers"
                    }
                }
            }
        }
    }

    test("a type id that the union's field does not have is an error [ARJ-06]") {
        RootAllocator().use { allocator ->
            UnionVector.empty("u", allocator).use { union ->
                union.allocateNew()
                union.setType(0, MinorType.INT)
                union.getIntVector().setSafe(0, 5)
                union.valueCount = 1
                val field = union.field
                union.typeBuffer.setByte(0, 99)
                shouldThrow<DeviceException> { ArrowVectors.toDeviceArray(union) }.message shouldContain
                    "row 0 has the type id 99, which ${ArrowSchemas.toField(field).type()} does not have"
                union.typeBuffer.setByte(0, MinorType.INT.ordinal)
            }
        }
    }

    test("a closed child and a child that is too short are errors [ARJ-06]") {
        RootAllocator().use { allocator ->
            for (spoil in listOf<(IntVector) -> Unit>({ it.close() }, { it.valueCount = 3 })) {
                VectorKind.all.single { it.name == "Struct" }.filled(allocator, 10).use { struct ->
                    spoil((struct as StructVector).getChild("a") as IntVector)
                    shouldThrow<DeviceException> { ArrowVectors.toRecordBatch(VectorSchemaRoot.of(struct)) }
                        .message shouldContain "\$.v.a: length = "
                    shouldThrow<DeviceException> { ArrowVectors.toDeviceArray(struct) }.message shouldContain
                        "\$.a: length = "
                }
            }
        }
    }

    test("a buffer that was released too early is an error, and the retained buffers are released [ARJ-06]") {
        RootAllocator().use { allocator ->
            val (numbers, texts) = listOf(numbers(allocator), texts(allocator))
            val root = VectorSchemaRoot.of(numbers, texts) // Arrow Java cannot close it after the release below
            val held = numbers.dataBuffer.refCnt()
            texts.dataBuffer.referenceManager.release() shouldBe true
            val failure = shouldThrow<DeviceException> { ArrowVectors.toRecordBatch(root) }
            failure.errno() shouldBe Errno.EINVAL
            failure.message shouldContain "\$.texts"
            numbers.dataBuffer.refCnt() shouldBe held
            for (buffer in listOf(texts.validityBuffer, texts.offsetBuffer)) buffer.referenceManager.release()
            numbers.close()
        }
    }

    test("loading an array of another nested type is an error with the path, and leaves the root unchanged [ARJ-06]") {
        fun root(allocator: BufferAllocator, type: ArrowType, inner: String = "n"): VectorSchemaRoot {
            val leaf = ArrowField.nullable(inner, type)
            val list = ArrowField("l", FieldType.nullable(ArrowType.List.INSTANCE),
                listOf(ArrowField("\$data\$", FieldType.nullable(ArrowType.Struct.INSTANCE), listOf(leaf))))
            return VectorSchemaRoot.create(ArrowSchemaOf(listOf(list)), allocator).apply {
                allocateNew()
                (getVector("l") as ListVector).let {
                    it.startNewValue(0)
                    it.endValue(0, 1)
                    (it.dataVector as StructVector).setIndexDefined(0)
                    it.dataVector.valueCount = 1
                }
                rowCount = 1
            }
        }
        RootAllocator().use { allocator ->
            val int32 = ArrowType.Int(32, true)
            root(allocator, int32).use { ArrowVectors.toRecordBatch(it) }.use { batch ->
                root(allocator, ArrowType.Int(64, true)).use { other ->
                    val failure = shouldThrow<DeviceException> { ArrowVectors.loadInto(batch, other) }
                    failure.message shouldContain "\$.l.\$data\$.n: the array is of int32, but the vector of int64"
                    other.rowCount shouldBe 1
                    (other.getVector("l") as ListVector).getObject(0).size shouldBe 1
                }
                root(allocator, int32, "m").use { other ->
                    shouldThrow<DeviceException> { ArrowVectors.loadInto(batch, other) }.message shouldContain
                        "field 0 is \"n\" of the array, but \"m\" of the vector"
                }
            }
        }
    }

    test("a memory limit during the conversion of any type is an error, and nothing stays allocated [ARJ-06]") {
        RootAllocator().use { source ->
            for (kind in VectorKind.all) {
                withClue(kind) {
                    kind.filled(source, 43).use { vector ->
                        ArrowVectors.toRecordBatch(VectorSchemaRoot.of(vector)).use { it.slice(3, 37) }.use { batch ->
                            val most = RootAllocator().use { target ->
                                ArrowVectors.toVectorSchemaRoot(batch, target).use { target.peakMemoryAllocation }
                            }
                            for (limit in setOf(1L, most / 4, most / 2, most - most / 4, most - 1).filter {
                                it in 1..<most
                            }) {
                                RootAllocator(limit).use { target ->
                                    shouldThrow<DeviceException> { ArrowVectors.toVectorSchemaRoot(batch, target) }
                                        .errno() shouldBe Errno.ENOMEM
                                    target.allocatedMemory shouldBe 0
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    test("a memory limit during or after the load of a dictionary leaves nothing allocated [ARJ-06]") {
        RootAllocator().use { source ->
            MapDictionaryProvider().use { provider ->
                provider.put(
                    Dictionary(texts(source, "words", 100), DictionaryEncoding(7, true, ArrowType.Int(8, true))),
                )
                texts(source, "t", 3).use { plain ->
                    VectorSchemaRoot.of(
                        DictionaryEncoder.encode(plain, provider.lookup(7)) as FieldVector, numbers(source, rows = 3),
                    )
                }.use { root ->
                    ArrowVectors.toRecordBatch(root, provider).use { batch ->
                        val most = RootAllocator().use { target ->
                            MapDictionaryProvider().use {
                                ArrowVectors.toVectorSchemaRoot(batch, target, it).use { target.peakMemoryAllocation }
                            }
                        }
                        for (limit in 1 until most) {
                            RootAllocator(limit).use { target ->
                                MapDictionaryProvider().use { dictionaries ->
                                    shouldThrow<DeviceException> {
                                        ArrowVectors.toVectorSchemaRoot(batch, target, dictionaries)
                                    }.errno() shouldBe Errno.ENOMEM
                                    target.allocatedMemory shouldBe 0
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    test("a memory limit in a filled root, with any type and no bitmaps, clears the root for the next load [ARJ-06]") {
        RootAllocator().use { source ->
            for (kind in VectorKind.all) {
                withClue(kind) {
                    val whole = kind.filled(source, 1024) { false }.use {
                        ArrowVectors.toRecordBatch(VectorSchemaRoot.of(it))
                    }
                    whole.use {
                        RecordBatch.of(it.schema(), ArrayData.of(it).withoutBitmaps(it.field().type()))
                    }.use { batch ->
                        val schema = ArrowSchemas.toArrowSchema(batch.schema())

                        /**
                         * Loads the batch into a filled root that may allocate [more] bytes. Returns the error, and how
                         * many bytes were allocated at most.
                         */
                        fun loaded(more: Long): Pair<Throwable?, Long> = RootAllocator().use { target ->
                            VectorSchemaRoot.create(schema, target).use { into ->
                                into.allocateNew()
                                val held = target.allocatedMemory
                                target.limit = minOf(held + more, Long.MAX_VALUE)
                                val failure = runCatching { ArrowVectors.loadInto(batch, into) }.exceptionOrNull()
                                val most = target.peakMemoryAllocation - held
                                if (failure != null) target.allocatedMemory shouldBe 0
                                target.limit = Long.MAX_VALUE
                                repeat(2) { ArrowVectors.loadInto(batch, into) }
                                ArrowVectors.toRecordBatch(into).use { it.difference(batch).shouldBeNull() }
                                failure to most
                            }
                        }
                        val most = loaded(1L shl 40).second
                        for (more in (0L until most step maxOf(1L, most / 12)) + listOf(most - 1, most - 64, most - 128)
                            .filter { it >= 0 && it < most }) {
                            withClue("$more of $most bytes") {
                                val failure = loaded(more).first as DeviceException
                                failure.errno() shouldBe Errno.ENOMEM
                                failure.message shouldContain "\$.v"
                                failure.suppressedExceptions.size shouldBe 0
                            }
                        }
                    }
                }
            }
        }
    }

    test("a failed load whose releases fail releases the other buffers, and the next load succeeds [ARJ-06]") {
        var refuses = false
        val listener = object : AllocationListener {
            override fun onRelease(size: Long) {
                if (refuses) error("not today")
            }
        }
        RootAllocator().use { source ->
            texts(source).use { ArrowVectors.toRecordBatch(VectorSchemaRoot.of(it)) }.use { batch ->
                RootAllocator(listener, Long.MAX_VALUE).use { target ->
                    VectorSchemaRoot.create(ArrowSchemas.toArrowSchema(batch.schema()), target).use { into ->
                        ArrowVectors.loadInto(batch, into)
                        val whole = target.allocatedMemory
                        into.clear()
                        var refused = 0
                        for (limit in 1L until whole) {
                            target.limit = limit
                            refuses = true
                            val failure = shouldThrow<DeviceException> { ArrowVectors.loadInto(batch, into) }
                            refuses = false
                            failure.errno() shouldBe Errno.ENOMEM
                            refused += generateSequence<Throwable>(failure) { it.cause }
                                .sumOf { it.suppressedExceptions.size }
                            target.allocatedMemory shouldBe 0
                            target.limit = Long.MAX_VALUE
                            ArrowVectors.loadInto(batch, into)
                            ArrowVectors.toRecordBatch(into).use { it.difference(batch).shouldBeNull() }
                            into.clear()
                        }
                        refused shouldBeGreaterThan 0
                    }
                }
            }
        }
    }

    test("a wrapped buffer that the listener rejects is released once, while a dictionary keeps the array [ARJ-06]") {
        var isFree = false
        val field = Field.of("d", DataType.dictionary(DataType.INT8, DataType.INT64))
        val schema = Schema.of(field, Field.of("n", DataType.INT64))
        fun longs(vararg values: Long) = Devices.cpu().allocate(8L * values.size).also {
            it.segment().copyFrom(MemorySegment.ofArray(values))
        }
        fun batch(): RecordBatch {
            val words = longs(3, 1, 4)
            val values = ArrayData(3, 0, 0, listOf(
                null, DeviceBuffer.wrap(Devices.cpu(), words.address(), 24) { words.close().also { isFree = true } },
            ), listOf(), null)
            val indices = Devices.cpu().allocate(2).also { it.segment().fill(2) }
            val columns = listOf(ArrayData(2, 0, 0, listOf(null, indices), listOf(), values),
                ArrayData.of(2, 0, listOf(null, longs(5, 6))))
            return RecordBatch.of(schema, ArrayData.of(2, 0, listOf(null), columns))
        }
        var allocations = 0
        var last = Int.MAX_VALUE
        val listener = object : AllocationListener {
            override fun onAllocation(size: Long) {
                if (++allocations == last) error("not today")
            }
        }
        RootAllocator(listener, Long.MAX_VALUE).use { target ->
            VectorSchemaRoot.create(
                MapDictionaryProvider().use { ArrowSchemas.toArrowSchema(schema, it, target) }, target,
            ).use { into ->
                val words = BigIntVector("words", target)
                MapDictionaryProvider(Dictionary(words, into.schema.fields[0].dictionary)).use { provider ->
                    batch().use { ArrowVectors.loadInto(it, into, provider) }
                    last = allocations // the values of column n, which are wrapped last
                    allocations = 0
                    into.clear()
                    words.clear()
                    isFree shouldBe true
                    isFree = false
                    shouldThrow<DeviceException> { batch().use { ArrowVectors.loadInto(it, into, provider) } }
                        .message shouldContain "\$.n: not today"
                    isFree shouldBe false
                    words.get(1) shouldBe 1
                }
                isFree shouldBe true
            }
        }
    }

    test("each buffer of an array is released, even if the listener rejects the release [ARJ-06, ARJ-02]") {
        var refuses = false
        val listener = object : AllocationListener {
            override fun onRelease(size: Long) {
                if (refuses) error("not today")
            }
        }
        RootAllocator(listener, Long.MAX_VALUE).use { source ->
            val array = root(source).use { ArrowVectors.toRecordBatch(it) }
            refuses = true
            array.close() // reports the errors instead of throwing them, since any thread may release an array
            refuses = false
            source.allocatedMemory shouldBe 0
        }
    }

    test("a vector that does not match the root's schema is not loaded [ARJ-06]") {
        RootAllocator().use { allocator ->
            fun refused(batch: RecordBatch, root: VectorSchemaRoot) = root.use {
                shouldThrow<DeviceException> { ArrowVectors.loadInto(batch, it) }.message!!
            }
            fun schema(type: ArrowType) = ArrowSchemaOf(listOf(ArrowField.nullable("v", type)))
            val int32 = ArrowType.Int(32, true)
            VectorSchemaRoot.create(schema(int32), allocator).use { ArrowVectors.toRecordBatch(it) }.use { batch ->
                refused(batch, VectorSchemaRoot(schema(int32), listOf(BigIntVector("v", allocator)), 0)) shouldContain
                    "\$.v: is a BigIntVector, but of int32 in the schema"
            }
            val binary = ArrowType.FixedSizeBinary(5)
            VectorSchemaRoot.create(schema(binary), allocator).use { ArrowVectors.toRecordBatch(it) }.use { batch ->
                refused(
                    batch, VectorSchemaRoot(schema(binary), listOf(FixedSizeBinaryVector("v", allocator, 7)), 0),
                ) shouldContain "\$.v: is a FixedSizeBinaryVector, but of"
            }
            val list = ListVector.empty("v", allocator)
            list.allocateNew()
            list.valueCount = 2
            val root = VectorSchemaRoot.of(list)
            ArrowVectors.toRecordBatch(root).use { batch ->
                list.addOrGetVector<IntVector>(FieldType.nullable(int32))
                refused(batch, root) shouldContain "is a IntVector, but of null in the schema"
            }
        }
    }

    test("text from C without its data buffer is an error [ARJ-06]") {
        RootAllocator().use { allocator ->
            Arena.ofConfined().use { arena ->
                val (array, type) = ArrowArrayStruct.allocate(arena) to ArrowSchemaStruct.allocate(arena)
                texts(allocator).use { ArrowVectors.toDeviceArray(it) }.use {
                    CData.exportArray(it, array, CExport.DATA.schemaTo(type))
                }
                val list = ArrowArrayStruct.buffers(array).reinterpret(24)
                list.set(ValueLayout.JAVA_LONG, 16, 0L)
                CData.importArray(array, CImport.DATA.schema(type)).use {
                    shouldThrow<DeviceException> { ArrowVectors.toVector(it, allocator) }.message shouldContain
                        "a buffer of 60 bytes is missing"
                }
            }
        }
    }

    test("an offset beyond the data at the end of a slice is an error [ARJ-06]") {
        RootAllocator().use { allocator ->
            for (offsets in listOf(intArrayOf(0, 1 shl 30, 3), intArrayOf(0, -1, 3))) {
                val text = Devices.cpu().allocate(3).also {
                    it.segment().copyFrom(MemorySegment.ofArray("abc".toByteArray()))
                }
                val starts = Devices.cpu().allocate(12).also { it.segment().copyFrom(MemorySegment.ofArray(offsets)) }
                DeviceArray.of(Field.of("t", DataType.UTF8), ArrayData.of(2, 0, listOf(null, starts, text))).use {
                    it.slice(0, 1)
                }.use { slice ->
                    val failure = shouldThrow<DeviceException> { ArrowVectors.toVector(slice, allocator) }
                    failure.message shouldContain "offsets[1] = ${offsets[1]}, but there are 3 bytes of data"
                }
            }
        }
    }

    test("the error of a single vector is a DeviceException [ARJ-06]") {
        RootAllocator(1).use { allocator ->
            val failure = VarCharVector("t", allocator).use {
                runCatching { ArrowVectors.toDeviceArray(it).close() }.exceptionOrNull()
            }
            // Arrow Java 18.3 allocates no offsets here.
            (failure as DeviceException?)?.errno() shouldBe if (isArrow18) null else Errno.ENOMEM
        }
        RootAllocator().use { allocator ->
            val texts = texts(allocator)
            texts.dataBuffer.referenceManager.release()
            shouldThrow<DeviceException> { ArrowVectors.toDeviceArray(texts) }.errno() shouldBe Errno.EINVAL
            for (buffer in listOf(texts.validityBuffer, texts.offsetBuffer)) buffer.referenceManager.release()
        }
    }

    test("a checked exception of a Kotlin listener is the cause of the DeviceException [ARJ-06]") {
        val refuses = object : AllocationListener {
            override fun onPreAllocation(size: Long): Unit = throw IOException("not today")
        }
        RootAllocator().use { source ->
            texts(source).use { ArrowVectors.toDeviceArray(it) }.use { array ->
                RootAllocator(refuses, Long.MAX_VALUE).use { target ->
                    val failure = shouldThrow<DeviceException> { ArrowVectors.toVector(array, target) }
                    failure.message shouldContain "not today"
                    generateSequence<Throwable>(failure) { it.cause }.any { it is IOException } shouldBe true
                }
            }
        }
    }

    test("runs that end too early, negative union offsets and reordered fields are errors [ARJ-06]") {
        RootAllocator().use { allocator ->
            VectorKind.all.single { it.name == "run ends of 32 bits" }.filled(allocator, 10).use { vector ->
                vector.valueCount = 20
                shouldThrow<DeviceException> { ArrowVectors.toDeviceArray(vector) }.message shouldContain
                    "the runs end at 10, but the vector has 20 values"
            }
            VectorKind.all.single { it.name == "dense union" }.filled(allocator, 10).use { vector ->
                (vector as DenseUnionVector).offsetBuffer.setInt(4L * 7, -3)
                shouldThrow<DeviceException> { ArrowVectors.toDeviceArray(vector) }.message shouldContain
                    "row 7 has the offset -3"
            }
            val int32 = ArrowType.Int(32, true)
            fun struct(vararg names: String) = ArrowField("s", FieldType.nullable(ArrowType.Struct.INSTANCE),
                names.map { ArrowField.nullable(it, int32) })
            VectorSchemaRoot(
                ArrowSchemaOf(listOf(struct("a", "b"))), listOf(struct("b", "a").createVector(allocator)), 0,
            ).use { root ->
                shouldThrow<DeviceException> { ArrowVectors.toRecordBatch(root) }.message shouldContain
                    "\$.s: field 0 of the vector is \"b\", but in the schema \"a\""
            }
        }
    }

    test("offsets and counts beyond the buffers are errors, also where Arrow Java checks no bounds [ARJ-06]") {
        RootAllocator().use { allocator ->
            val views = ArrowField("l", FieldType.nullable(ArrowType.ListView.INSTANCE),
                listOf(ArrowField.nullable("item", ArrowType.Int(32, true))))
            val dense =
                ArrowField("u", FieldType.notNullable(ArrowType.Union(UnionMode.Dense, intArrayOf(0))), listOf(views))
            (dense.createVector(allocator) as DenseUnionVector).use { union ->
                union.allocateNew()
                (union.getVectorByType(0) as ListViewVector).run {
                    startNewValue(0)
                    endValue(0, 0)
                }
                union.setTypeId(0, 0)
                union.setOffset(0, 500_000_000)
                union.valueCount = 1
                shouldThrow<DeviceException> { ArrowVectors.toDeviceArray(union) }.message shouldContain
                    "but buffers["
            }
            VectorKind.all.single { it.name == "run ends of 32 bits" }.filled(allocator, 5).use { vector ->
                val ends = (vector as RunEndEncodedVector).runEndsVector
                allocator.buffer(64).use { some ->
                    ends.loadFieldBuffers(ArrowFieldNode(500_000_000, 1), listOf(some, some))
                }
                shouldThrow<DeviceException> { ArrowVectors.toDeviceArray(vector) }.message shouldContain
                    "but buffers["
                ends.clear()
            }
        }
    }

    test("a row of a union without children is an error [ARJ-06]") {
        RootAllocator().use { allocator ->
            val none =
                ArrowField("u", FieldType.notNullable(ArrowType.Union(UnionMode.Sparse, intArrayOf())), emptyList())
            (none.createVector(allocator) as UnionVector).use { union ->
                union.allocateNew()
                union.valueCount = 1
                VectorSchemaRoot(listOf(none), listOf(union), 1).use {
                    shouldThrow<DeviceException> { ArrowVectors.toRecordBatch(it) }.message shouldContain
                        "row 0 has the type id 0"
                }
            }
        }
    }

    test("an array with more rows than a vector can have is an error [ARJ-06]") {
        RootAllocator().use { allocator ->
            val rows = Int.MAX_VALUE + 1L
            val nulls = Field.of("n", DataType.NULL)
            RecordBatch.of(
                Schema.of(nulls),
                ArrayData.of(rows, 0, listOf(null), listOf(ArrayData.of(rows, rows, listOf()))),
            ).use { batch ->
                for (refused in listOf({
                    ArrowVectors.toVectorSchemaRoot(batch, allocator).close()
                }, { ArrowVectors.toVector(batch, allocator).close() })) {
                    shouldThrow<DeviceException> { refused() }.message shouldContain
                        "there are $rows elements, of which a vector has ${Int.MAX_VALUE} at most"
                }
                VectorSchemaRoot.create(ArrowSchemas.toArrowSchema(batch.schema()), allocator).use { root ->
                    shouldThrow<DeviceException> { ArrowVectors.loadInto(batch, root) }.message shouldContain
                        "2147483648 elements"
                    root.rowCount shouldBe 0
                }
            }
        }
    }

    test("null rows of a batch are rejected until pushDownNulls() moves them into the columns [REQ-21]") {
        fun nullRow() = BatchBuilder.of(Devices.cpu(), 3).use {
            it.column(Field.of("v", DataType.INT64), listOf(1L, 42L, 3L)).build()
        }.withNullRows(1)
        RootAllocator().use { allocator ->
            nullRow().use { batch ->
                val refused = "there are 1 null rows, but only the columns of a root have nulls: pushDownNulls() " +
                    "moves the nulls into the columns"
                shouldThrow<DeviceException> { ArrowVectors.toVectorSchemaRoot(batch, allocator) }
                    .message shouldBe refused
                VectorSchemaRoot.create(ArrowSchemas.toArrowSchema(batch.schema()), allocator).use { root ->
                    shouldThrow<DeviceException> { ArrowVectors.loadInto(batch, root) }.message shouldBe refused
                }
                ArrowReaders.toArrowReader(RecordBatchReader.of(batch.schema(), listOf(nullRow())), allocator)
                    .use { reader ->
                        shouldThrow<DeviceException> { reader.loadNextBatch() }.message shouldBe refused
                    }
                batch.pushDownNulls().use { ArrowVectors.toVectorSchemaRoot(it, allocator) }.use { root ->
                    List(3) { root.getVector("v").getObject(it) } shouldBe listOf(1L, null, 3L)
                }
                ArrowReaders.toArrowReader(
                    RecordBatchReader.of(batch.schema(), listOf(nullRow())).pushDownNulls(), allocator,
                ).use { reader ->
                    reader.loadNextBatch() shouldBe true
                    List(3) { reader.vectorSchemaRoot.getVector("v").getObject(it) } shouldBe listOf(1L, null, 3L)
                }
            }
        }
    }

    test("a null entry of a map is an error with the path and the row, if the slice contains it [ARJ-06]") {
        val map = DataType.map(Field.of("key", DataType.UTF8), Field.of("value", DataType.INT64)) as NestedType.MapType
        val bits = Devices.cpu().allocate(1).also { it.segment().fill(0b101) }
        BatchBuilder.of(Devices.cpu(), 3).use {
            it.column(Field.of("m", map), listOf(mapOf("a" to 1L, "b" to 2L), null, mapOf("c" to 3L))).build()
        }.use { batch ->
            val maps = ArrayData.of(batch).children()[0]
            val entries = maps.children()[0]
            val spoilt =
                ArrayData.of(3, 1, maps.buffers(), listOf(ArrayData.of(3, 1, listOf(bits), entries.children())))
            RecordBatch.of(Schema.of(Field.of("m", NestedType.MapType(map.entries().withNullable(true), false))),
                ArrayData.of(3, 0, listOf(null), listOf(spoilt)))
        }.use { batch ->
            RootAllocator().use { allocator ->
                for (refused in listOf({
                    ArrowVectors.toVectorSchemaRoot(batch, allocator).close()
                }, { reading(batch, allocator).use { it.loadNextBatch() } })) {
                    shouldThrow<DeviceException> { refused() }.message shouldBe
                        "$.m: row 0: entry 1 is null, which an entry of a map must not be"
                }
                batch.slice(1, 2).use { ArrowVectors.toVectorSchemaRoot(it, allocator) }.use {
                    "${it.getVector("m")}" shouldBe "[null, [{\"key\":\"c\",\"value\":3}]]"
                }
            }
        }
    }

    test("a schema without Arrow Java vectors is an error with the path before a batch is pulled [ARJ-06]") {
        val twice = DataType.struct(Field.of("x", DataType.INT32), Field.of("x", DataType.INT32))
        RootAllocator().use { allocator ->
            ArrowReaders.toArrowReader(RecordBatchReader.of(
                Schema.of(Field.of("s", DataType.list(Field.of("item", twice)))),
            ) { error("pulled") }, allocator).use { reader ->
                shouldThrow<DeviceException> { reader.vectorSchemaRoot }.message shouldBe
                    "$.s.item: Arrow Java has a struct's or union's fields by name, of which 2 here have 1"
            }
        }
    }

    test("a batch with null rows and an array that is no batch cannot become a root [ARJ-06]") {
        RootAllocator().use { allocator ->
            val bits = Devices.cpu().allocate(1).also { it.segment().fill(1) }
            RecordBatch.of(
                Schema.of(Field.of("n", DataType.NULL)),
                ArrayData.of(3, 2, listOf(bits), listOf(ArrayData.of(3, 3, listOf()))),
            ).use { batch ->
                shouldThrow<DeviceException> { ArrowVectors.toVectorSchemaRoot(batch, allocator) }.message shouldContain
                    "there are 2 null rows"
                ArrowVectors.toVector(batch, allocator).use { it.nullCount shouldBe 2 }
            }
            numbers(allocator).use { ArrowVectors.toDeviceArray(it) }.use { column ->
                shouldThrow<IllegalArgumentException> {
                    ArrowVectors.toVectorSchemaRoot(column.asRecordBatch(), allocator)
                }.message shouldContain "a record batch is an array of structs, but this is an array of "
            }
        }
    }
})

private fun reading(batch: RecordBatch, allocator: BufferAllocator) =
    ArrowReaders.toArrowReader(RecordBatchReader.of(batch.schema(), listOf(batch.retain())), allocator)

/** Returns the same data without bitmaps and nulls, so that the loader must create the bitmaps. */
private fun ArrayData.withoutBitmaps(type: DataType): ArrayData {
    val hasBitmap = type !is NestedType.UnionType && type !is NestedType.RunEndEncodedType && type !is FlatType.NullType
    if (hasBitmap) buffers()[0]?.close()
    val kept = if (hasBitmap) listOf(null) + buffers().drop(1) else buffers()
    return ArrayData.of(length(), if (hasBitmap) 0 else nullCount(), kept,
        children().mapIndexed { i, child -> child.withoutBitmaps(type.children()[i].type()) })
}
