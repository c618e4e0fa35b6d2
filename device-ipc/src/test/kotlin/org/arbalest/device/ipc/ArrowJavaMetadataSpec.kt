// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import org.apache.arrow.memory.RootAllocator
import org.apache.arrow.vector.VectorSchemaRoot
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider
import org.apache.arrow.vector.extension.OpaqueType
import org.apache.arrow.vector.ipc.ArrowFileReader
import org.apache.arrow.vector.ipc.ReadChannel
import org.apache.arrow.vector.ipc.message.MessageChannelReader
import org.apache.arrow.vector.types.pojo.ArrowType
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.arrow.ArrowSchemas
import org.arbalest.device.arrow.ArrowVectors
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.Schema
import org.arbalest.support.ResourceCountersExtension
import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream
import java.lang.foreign.MemorySegment
import java.nio.channels.Channels

private val OF_FIELD = mapOf("unit" to "mm", "" to "an empty key", "empty" to "", "größe" to "日本 \uD83D\uDC1F")
private val OF_SCHEMA = mapOf("pandas" to "{\"index\": []}", "a\nb" to "c\td")
private val OF_FOOTER = mapOf("written by" to "a test", "" to "")
private val BYTES = Metadata.of(
    listOf("\uD83D\uDC1F" to "\u0000", "a" to "1", "a" to "2", "" to "")
        .map { (key, value) -> Metadata.Entry(key.toByteArray(Charsets.UTF_16), value.toByteArray()) },
)

/** Tests custom metadata and extension types, with Arrow Java on the other side. */
class ArrowJavaMetadataSpec : FunSpec({
    extension(ResourceCountersExtension)

    fun schema(ofField: Metadata, ofSchema: Metadata): Schema {
        val inner = Field.of("inner", DataType.INT32).withMetadata(ofField)
        return Schema.of(
            listOf(inner.withName("number"), Field.of("list", DataType.list(inner)).withMetadata(ofField)),
            ofSchema,
        )
    }

    fun batch(schema: Schema): RecordBatch = BatchBuilder.of(Devices.cpu(), 1).use { batch ->
        batch.metadata(schema.metadata())
        schema.fields().forEach { batch.column(it).appendNull() }
        batch.build()
    }

    fun map(metadata: Metadata): Map<String, String> = metadata.entries().associate { it.key() to it.value() }

    test("Arrow Java reads the metadata of the schema, of fields and of the footer [FIL-08]") {
        val schema = schema(Metadata.of(OF_FIELD), Metadata.of(OF_SCHEMA))
        RootAllocator().use { allocator ->
            batch(schema).use { batch ->
                for (format in Format.entries) {
                    val bytes = format.write(IpcWriteOptions.defaults().withMetadata(Metadata.of(OF_FOOTER)), batch)
                    ArrowJava.reader(format, bytes, allocator).use { reader ->
                        val read = reader.vectorSchemaRoot.schema
                        read.customMetadata shouldBe OF_SCHEMA
                        read.fields.map { it.metadata } shouldBe listOf(OF_FIELD, OF_FIELD)
                        read.fields[1].children.single().metadata shouldBe OF_FIELD
                        if (reader is ArrowFileReader) reader.metaData shouldBe OF_FOOTER
                    }
                }
            }
        }
    }

    test("the metadata that Arrow Java writes of the schema, of fields and of the footer is read [FIL-08]") {
        val schema = schema(Metadata.of(OF_FIELD), Metadata.of(OF_SCHEMA))
        RootAllocator().use { allocator ->
            VectorSchemaRoot.create(ArrowSchemas.toArrowSchema(schema), allocator).use { root ->
                root.allocateNew()
                root.rowCount = 0
                for (format in Format.entries) {
                    val bytes =
                        ArrowJava.write(format, IpcCompression.NONE, root, MapDictionaryProvider(), OF_FOOTER)
                    format.read(bytes) {
                        // Arrow Java keeps no order of keys
                        map(it.schema().metadata()) shouldBe OF_SCHEMA
                        it.schema().fields().map { field -> map(field.metadata()) } shouldBe listOf(OF_FIELD, OF_FIELD)
                        map(it.schema().fields()[1].type().children().single().metadata()) shouldBe OF_FIELD
                    } shouldBe 1
                    if (format == Format.FILE) ArrowFile.open(
                        MemorySegment.ofArray(bytes), {}, IpcReadOptions.defaults(),
                    ).use { map(it.metadata()) shouldBe OF_FOOTER }
                }
            }
        }
    }

    test("metadata of any bytes and repeated keys is kept to the byte in all four places [FIL-08]") {
        batch(schema(BYTES, BYTES)).use { batch ->
            for (format in Format.entries) {
                val out = ByteArrayOutputStream()
                val options = IpcWriteOptions.defaults().withMetadata(BYTES)
                val writer = if (format == Format.FILE) ArrowWriter.file(out, batch.schema(), options)
                else ArrowWriter.stream(out, batch.schema(), options)
                writer.use {
                    it.write(batch, BYTES)
                    it.write(batch)
                    it.finish()
                }
                val bytes = MemorySegment.ofArray(out.toByteArray())
                if (format == Format.FILE) ArrowFile.open(bytes, {}, IpcReadOptions.defaults()).use { file ->
                    file.schema() shouldBe batch.schema()
                    file.schema().metadata() shouldBe BYTES
                    file.metadata() shouldBe BYTES
                    file.metadata(0) shouldBe BYTES
                    file.metadata(1) shouldBe Metadata.empty()
                } else ArrowStream.open(bytes, {}, IpcReadOptions.defaults()).use { stream ->
                    stream.schema() shouldBe batch.schema()
                    stream.next()!!.close()
                    stream.metadata() shouldBe BYTES
                    stream.next()!!.close()
                    stream.metadata() shouldBe Metadata.empty()
                }
            }
        }
    }

    test("Arrow Java reads the metadata of a message [FIL-08]") {
        batch(schema(Metadata.empty(), Metadata.empty())).use { batch ->
            val out = ByteArrayOutputStream()
            ArrowWriter.stream(out, batch.schema(), IpcWriteOptions.defaults()).use {
                it.write(batch, Metadata.of(OF_FIELD))
                it.finish()
            }
            RootAllocator().use { allocator ->
                val channel = ReadChannel(Channels.newChannel(ByteArrayInputStream(out.toByteArray())))
                MessageChannelReader(channel, allocator).use { reader ->
                    reader.readNext().message.customMetadataLength() shouldBe 0
                    val message = reader.readNext()
                    message.bodyBuffer.close()
                    val read = List(message.message.customMetadataLength()) { message.message.customMetadata(it) }
                    read.associate { it.key() to it.value() } shouldBe OF_FIELD
                    reader.readNext().shouldBeNull()
                }
            }
        }
    }

    test("an extension type is the registered type of Arrow Java, in both directions [FIL-08]") {
        OpaqueType.ensureRegistered()
        val colour = "{\"type_name\":\"colour\",\"vendor_name\":\"a vendor\"}"
        val field = Field.of("v", DataType.UTF8).withExtension("arrow.opaque", colour)
        val encoded = Field.of("w", DataType.dictionary(DataType.INT8, DataType.UTF8)).withExtension("x.unknown", "{}")
        RootAllocator().use { allocator ->
            BatchBuilder.of(Devices.cpu(), 2).use { batch ->
                batch.column(field).append("red").appendNull()
                batch.column(encoded).append("a").append("b")
                batch.build()
            }.use { batch ->
                for (format in Format.entries) {
                    val bytes = format.write(IpcWriteOptions.defaults(), batch)
                    ArrowJava.reader(format, bytes, allocator).use { reader ->
                        val type = reader.vectorSchemaRoot.schema.findField("v").type
                        type.shouldBeInstanceOf<OpaqueType>().typeName() shouldBe "colour"
                        reader.vectorSchemaRoot.schema.findField("w").metadata shouldBe mapOf(
                            ArrowType.ExtensionType.EXTENSION_METADATA_KEY_NAME to "x.unknown",
                            ArrowType.ExtensionType.EXTENSION_METADATA_KEY_METADATA to "{}",
                        )
                        reader.loadNextBatch() shouldBe true
                        ArrowVectors.toRecordBatch(reader.vectorSchemaRoot, reader).use {
                            it.valueDifference(batch).shouldBeNull()
                        }
                    }
                    format.read(ArrowJava.write(format, IpcCompression.ZSTD, batch, allocator)) {
                        it.schema() shouldBe batch.schema()
                        it.difference(batch).shouldBeNull()
                    } shouldBe 1
                }
            }
        }
    }
})
