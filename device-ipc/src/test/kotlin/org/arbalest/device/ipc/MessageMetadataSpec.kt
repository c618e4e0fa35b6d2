// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Devices
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Metadata
import org.arbalest.support.ResourceCountersExtension
import java.io.ByteArrayInputStream
import java.lang.foreign.MemorySegment

/** Custom metadata of messages other than batches: no other implementation writes it, but the format has it. */
class MessageMetadataSpec : FunSpec({
    extension(ResourceCountersExtension)

    val fields = listOf(Crafted.FieldOf("city", Crafted.int32, dictionary = 7))
    val schema = Crafted.schemaMessage(*fields.toTypedArray(), metadata = "kind" to "schema")
    val one = Crafted.BatchOf(1, listOf(1L to 0L), listOf(0L to 0L, 0L to 4L))
    val body = Crafted.numbers(0, 0)
    val batch = Crafted.batchMessage(one, 8)

    fun dictionary(value: String?, isDelta: Boolean = false) =
        Crafted.dictionaryMessage(7, one, 8, isDelta, value?.let { "kind" to it })

    fun kinds(metadata: List<DictionaryMetadata>) = metadata.map {
        it.id() shouldBe 7
        it.metadata().get("kind")
    }

    test("a stream has the metadata of its schema's message, and of the dictionaries before each batch [FIL-08]") {
        val bytes = Crafted.join(
            Crafted.framed(schema),
            Crafted.framed(dictionary("first"), body),
            Crafted.framed(dictionary(null), body),
            Crafted.framed(batch, body),
            Crafted.framed(batch, body),
            Crafted.framed(dictionary("third"), body),
            Crafted.framed(batch, body),
            Crafted.end,
        )
        val options = IpcReadOptions.defaults()
        val streams = listOf(
            ArrowStream.open(ByteArrayInputStream(bytes), options),
            ArrowStream.open(MemorySegment.ofArray(bytes), {}, options),
        )
        for (stream in streams) stream.use {
            it.schemaMessageMetadata() shouldBe Metadata.of("kind", "schema")
            it.schema().metadata() shouldBe Metadata.empty()
            it.dictionaryMessageMetadata() shouldBe emptyList()
            for (expected in listOf(listOf("first"), emptyList(), listOf("third"))) {
                it.next()!!.close()
                kinds(it.dictionaryMessageMetadata()) shouldBe expected
            }
            it.next().shouldBeNull()
            kinds(it.dictionaryMessageMetadata()) shouldBe listOf("third")
        }
    }

    for (isLegacy in listOf(false, true)) {
        val framing = if (isLegacy) ", in the framing before version 0.15" else ""

        test("a file has the metadata of the messages with its schema and its dictionaries$framing [FIL-08]") {
            val bytes = Crafted.file(
                fields,
                listOf(dictionary("first") to body, dictionary("second", isDelta = true) to body),
                listOf(batch to body),
                isLegacy = isLegacy,
                schema = schema,
            )
            for (options in listOf(IpcReadOptions.defaults(), IpcReadOptions.defaults().withColumns())) {
                val files = listOf(
                    ArrowFile.open(ByteChannel(bytes), options),
                    ArrowFile.open(MemorySegment.ofArray(bytes), {}, options),
                )
                for (file in files) file.use {
                    it.schemaMessageMetadata() shouldBe Metadata.of("kind", "schema")
                    kinds(it.dictionaryMessageMetadata()) shouldBe listOf("first", "second")
                }
            }
        }
    }

    val framed = Crafted.framed(schema)
    for ((name, first) in mapOf(
        "without a schema, as of Arrow JS" to ByteArray(0),
        "with a schema without its size, as of Polars" to schema,
        "with an end mark instead of a schema" to Crafted.end,
    )) test("a file $name has batches, but no metadata of the schema's message [FIL-08]") {
        val bytes = Crafted.file(fields, listOf(dictionary(null) to body), listOf(batch to body), first = first)
        val file = ArrowFile.open(MemorySegment.ofArray(bytes), {}, IpcReadOptions.defaults())
        file.use {
            it.batch(0).use { batch -> batch.length() shouldBe 1 }
            it.schemaMessageMetadata() shouldBe Metadata.empty()
        }
        shouldThrow<IllegalStateException> { file.schemaMessageMetadata() }.message shouldContain "closed"
        shouldThrow<IllegalStateException> { file.dictionaryMessageMetadata() }.message shouldContain "closed"
    }

    test("a malformed message of the schema is an error, if its metadata is read") {
        val broken = framed.copyOf().also { Crafted.numbers(Int.MAX_VALUE).copyInto(it, 8) }
        val bytes = Crafted.file(fields, listOf(dictionary(null) to body), listOf(batch to body), first = broken)
        ArrowFile.open(MemorySegment.ofArray(bytes), {}, IpcReadOptions.defaults()).use {
            shouldThrow<IpcException> { it.schemaMessageMetadata() }.message shouldContain "at byte 16"
        }
    }

    test("a writer writes metadata of a dictionary's messages, by its number [FIL-08]") {
        val words = Field.of("word", DataType.dictionary(DataType.INT8, DataType.UTF8))
        fun batch(vararg values: String) = BatchBuilder.of(Devices.cpu()).use { builder ->
            builder.column(words.withName("a")).let { column -> values.forEach(column::append) }
            builder.column(words.withName("b")).let { column -> values.forEach(column::append) }
            builder.build()
        }
        val metadata = Metadata.of("kind", "of b")
        val options = IpcWriteOptions.defaults().withDictionaryMetadata(1, metadata)
        batch("x", "y").use { first ->
            batch("x", "y", "z").use { second ->
                val file = Format.FILE.write(options, first, second)
                ArrowFile.open(MemorySegment.ofArray(file), {}, IpcReadOptions.defaults()).use {
                    it.dictionaryMessageMetadata() shouldBe
                        listOf(DictionaryMetadata(1, false, metadata), DictionaryMetadata(1, true, metadata))
                }
                val stream = Format.STREAM.write(options, first, second)
                ArrowStream.open(ByteArrayInputStream(stream), IpcReadOptions.defaults()).use {
                    repeat(2) { _ ->
                        it.next()!!.close()
                        it.dictionaryMessageMetadata() shouldBe listOf(DictionaryMetadata(1, false, metadata))
                    }
                }
                shouldThrow<IllegalArgumentException> {
                    Format.FILE.write(IpcWriteOptions.defaults().withDictionaryMetadata(2, metadata), first)
                }.message shouldContain "metadata of dictionary 2"
            }
        }
    }

    test("metadata of many messages is limited as that of one message is [FIL-06]") {
        val limit = IpcReadOptions.defaults().withMaxAllocation(10_000).withColumns()
        val large = Crafted.dictionaryMessage(7, one, 8, metadata = "kind" to "x".repeat(1000))
        val message = "bytes of metadata altogether, but at most 10000 may be allocated"

        val endless = Crafted.join(Crafted.framed(schema), *Array(20) { Crafted.framed(large, body) })
        ArrowStream.open(ByteArrayInputStream(endless), limit).use {
            shouldThrow<IpcException> { it.next() }.message shouldContain message
        }
        // messages without metadata, and those before another batch, do not count
        val fine = Crafted.join(
            Crafted.framed(schema),
            *Array(8) { Crafted.framed(large, body) },
            Crafted.framed(batch, body),
            *Array(1000) { Crafted.framed(dictionary(null), body) },
            *Array(8) { Crafted.framed(large, body) },
            Crafted.framed(batch, body),
        )
        ArrowStream.open(ByteArrayInputStream(fine), limit).use {
            repeat(2) { _ ->
                it.next()!!.close()
                it.dictionaryMessageMetadata().size shouldBe 8
            }
        }
        // all blocks of the footer may have the same message
        var first: Crafted.BlockOf? = null
        val messages = List(20) { large to body }
        val file = Crafted.file(fields, messages, schema = schema) { block -> first ?: block.also { first = it } }
        ArrowFile.open(MemorySegment.ofArray(file), {}, limit).use {
            shouldThrow<IpcException> { it.dictionaryMessageMetadata() }.message shouldContain message
        }
    }
})
