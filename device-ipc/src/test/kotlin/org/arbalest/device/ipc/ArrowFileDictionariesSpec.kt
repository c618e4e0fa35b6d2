// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.apache.arrow.flatbuf.Type
import org.apache.arrow.memory.RootAllocator
import org.apache.arrow.vector.TinyIntVector
import org.apache.arrow.vector.VarCharVector
import org.apache.arrow.vector.VectorSchemaRoot
import org.apache.arrow.vector.complex.StructVector
import org.apache.arrow.vector.dictionary.Dictionary
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider
import org.apache.arrow.vector.ipc.ArrowFileWriter
import org.apache.arrow.vector.ipc.ArrowStreamWriter
import org.apache.arrow.vector.types.pojo.ArrowType
import org.apache.arrow.vector.types.pojo.DictionaryEncoding
import org.apache.arrow.vector.types.pojo.FieldType
import org.arbalest.device.ArrayData
import org.arbalest.device.Devices
import org.arbalest.support.EveryType
import org.arbalest.support.ResourceCountersExtension
import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream
import java.lang.foreign.MemorySegment
import java.nio.channels.Channels

private val INT8 = ArrowType.Int(8, true)

/** The order and the number of dictionary messages. */
class ArrowFileDictionariesSpec : FunSpec({
    extension(ResourceCountersExtension)

    /** Writes a dictionary of structs with a dictionary by Arrow Java, in the order of ids. */
    fun nested(outer: Long, inner: Long, isFile: Boolean): ByteArray = RootAllocator().use { allocator ->
        val (ofOuter, ofInner) = listOf(outer, inner).map { DictionaryEncoding(it, false, INT8) }
        val words = VarCharVector("words", allocator).apply {
            allocateNew()
            setSafe(0, "a".toByteArray())
            setSafe(1, "b".toByteArray())
            valueCount = 2
        }
        val structs = StructVector("structs", allocator, FieldType(true, ArrowType.Struct.INSTANCE, null), null).apply {
            val child = addOrGet("word", FieldType(true, INT8, ofInner), TinyIntVector::class.java)
            allocateNew()
            for (row in 0..1) {
                child.setSafe(row, 1 - row)
                setIndexDefined(row)
            }
            child.valueCount = 2
            valueCount = 2
        }
        val column = TinyIntVector("x", FieldType(true, INT8, ofOuter), allocator).apply {
            allocateNew(2)
            setSafe(0, 1)
            setSafe(1, 0)
            valueCount = 2
        }
        val provider = MapDictionaryProvider(Dictionary(words, ofInner), Dictionary(structs, ofOuter))
        val output = ByteArrayOutputStream()
        VectorSchemaRoot.of(column).use { root ->
            root.rowCount = 2
            val channel = Channels.newChannel(output)
            val writer = if (isFile) ArrowFileWriter(root, provider, channel) else
                ArrowStreamWriter(root, provider, channel)
            writer.use {
                it.start()
                it.writeBatch()
                it.end()
            }
        }
        words.close()
        structs.close()
        output.toByteArray()
    }

    for ((outer, inner) in listOf(2L to 1L, 1L to 2L)) {
        test("an outer dictionary with id $outer and its inner one with id $inner are read in any order [FIL-07]") {
            val expected = listOf(mapOf("word" to "a"), mapOf("word" to "b"))
            ArrowFile.open(MemorySegment.ofArray(nested(outer, inner, true)), {}, IpcReadOptions.defaults()).use {
                it.batch(0).use { batch -> batch.column(0).toList() shouldBe expected }
            }
            ArrowStream.open(ByteArrayInputStream(nested(outer, inner, false)), IpcReadOptions.defaults()).use {
                it.next()!!.use { batch -> batch.column(0).toList() shouldBe expected }
            }
        }
    }

    test("dictionaries that are nested 30 levels deep are read without delay [FIL-05]") {
        val depth = 30L
        val struct = Crafted.type(Type.Struct_)
        val fields = listOf((0 until depth).fold(Crafted.FieldOf("n", Crafted.int64)) { inner, id ->
            Crafted.FieldOf("x", struct, listOf(inner), dictionary = id)
        })
        val index = 0L to 4L
        val none = 0L to 0L
        val messages = (0 until depth).map { id ->
            val buffer = if (id == 0L) 0L to 8L else index
            Crafted.dictionaryMessage(id, Crafted.BatchOf(1, List(2) { 1L to 0L }, listOf(none, none, buffer)), 8) to
                Crafted.longs(0)
        }
        val batch = Crafted.batchMessage(Crafted.BatchOf(1, listOf(1L to 0L), listOf(none, index)), 8)
        val bytes = Crafted.file(fields, messages, listOf(batch to Crafted.longs(0)))
        ArrowFile.open(MemorySegment.ofArray(bytes), {}, IpcReadOptions.defaults()).use { it.batch(0).close() }
    }

    test("a file that replaces a dictionary is malformed [FIL-07]") {
        val fields = listOf(Crafted.FieldOf("n", Crafted.int64, dictionary = 5))
        val values = Crafted.dictionaryMessage(5, Crafted.BatchOf(1, listOf(1L to 0L), listOf(0L to 0L, 0L to 8L)), 8)
        val batch = Crafted.batchMessage(Crafted.BatchOf(1, listOf(1L to 0L), listOf(0L to 0L, 0L to 4L)), 8)
        fun file(count: Int) = Crafted.file(fields, List(count) { values to Crafted.longs(7) },
            listOf(batch to Crafted.longs(0)))
        ArrowFile.open(MemorySegment.ofArray(file(1)), {}, IpcReadOptions.defaults()).use {
            it.batch(0).use { read -> read.column(0).toList() shouldBe listOf(7L) }
        }
        ArrowFile.open(MemorySegment.ofArray(file(2)), {}, IpcReadOptions.defaults()).use {
            shouldThrow<IpcException> { it.batch(0) }.message shouldContain
                "dictionary 5 is replaced, which only a stream may do"
        }
    }

    test("every buffer is in the chosen memory, from a segment and from stored buffers of a compressed file [FIL-03]") {
        for (codec in IpcCompression.entries) {
            val output = ByteArrayOutputStream()
            EveryType.batch(0, 8).use { batch ->
                ArrowWriter.file(output, batch.schema(), IpcWriteOptions.defaults().withCompression(codec)).use {
                    it.write(batch)
                    it.finish()
                }
            }
            val memory = Devices.cpu().memory().metered()
            val options = IpcReadOptions.defaults().withMemory(memory).withColumns("int64", "utf8")
            ArrowFile.open(MemorySegment.ofArray(output.toByteArray()), {}, options).use { file ->
                file.batch(0).use { batch ->
                    val bytes = ArrayData.of(batch).use { data ->
                        data.children().flatMap { it.buffers() }.filterNotNull().sumOf { it.size() }
                    }
                    (memory.statistics().currentBytes() >= bytes) shouldBe true
                    // the copy of the segment, and the decompressed buffers
                    memory.statistics().currentCount() shouldBe if (codec == IpcCompression.NONE) 1 else 2
                }
            }
        }
    }
})
