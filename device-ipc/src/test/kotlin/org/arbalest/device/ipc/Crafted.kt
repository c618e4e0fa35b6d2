// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import com.google.flatbuffers.FlatBufferBuilder
import org.apache.arrow.flatbuf.Block
import org.apache.arrow.flatbuf.BodyCompression
import org.apache.arrow.flatbuf.Buffer
import org.apache.arrow.flatbuf.DictionaryBatch
import org.apache.arrow.flatbuf.DictionaryEncoding
import org.apache.arrow.flatbuf.Field
import org.apache.arrow.flatbuf.FieldNode
import org.apache.arrow.flatbuf.Footer
import org.apache.arrow.flatbuf.KeyValue
import org.apache.arrow.flatbuf.Message
import org.apache.arrow.flatbuf.MessageHeader
import org.apache.arrow.flatbuf.MetadataVersion
import org.apache.arrow.flatbuf.RecordBatch
import org.apache.arrow.flatbuf.Schema
import org.apache.arrow.flatbuf.Tensor
import org.apache.arrow.flatbuf.Type
import java.nio.ByteBuffer
import java.nio.ByteOrder
import org.apache.arrow.flatbuf.Int as IntTable

/** Files and streams made by hand, whose numbers may be wrong. */
internal object Crafted {
    /** Adds the table of a type. */
    class TypeOf(val number: Byte, val table: (FlatBufferBuilder) -> Int)

    class FieldOf(
        val name: String,
        val type: TypeOf,
        val children: List<FieldOf> = listOf(),
        val dictionary: Long? = null,
        val isNullable: Boolean = true,
    )

    /** A batch. The lists have pairs of lengths and null counts, and of positions and sizes. */
    class BatchOf(
        val rows: Long,
        val nodes: List<Pair<Long, Long>>,
        val buffers: List<Pair<Long, Long>>,
        val variadic: List<Long> = listOf(),
        val codec: Byte? = null,
        val method: Byte = 0,
    )

    /** The numbers of a block in a footer. */
    class BlockOf(val offset: Long, val header: Int, val body: Long)

    val int32 = TypeOf(Type.Int) { IntTable.createInt(it, 32, true) }
    val int64 = TypeOf(Type.Int) { IntTable.createInt(it, 64, true) }

    /** A type whose table has no fields, or one number. */
    fun type(number: Byte, value: Int? = null, bytes: Int = 4) = TypeOf(number) {
        it.startTable(1)
        if (value != null && bytes == 4) it.addInt(0, value, 0)
        if (value != null && bytes == 2) it.addShort(0, value.toShort(), 0)
        it.endTable()
    }

    private fun field(builder: FlatBufferBuilder, field: FieldOf): Int {
        val children = field.children.map { field(builder, it) }.toIntArray()
        val vector = Field.createChildrenVector(builder, children)
        val name = builder.createString(field.name)
        val type = field.type.table(builder)
        val dictionary = field.dictionary?.let {
            DictionaryEncoding.createDictionaryEncoding(builder, it, IntTable.createInt(builder, 32, true), false, 0)
        } ?: 0
        Field.startField(builder)
        Field.addName(builder, name)
        Field.addNullable(builder, field.isNullable)
        Field.addTypeType(builder, field.type.number)
        Field.addType(builder, type)
        Field.addDictionary(builder, dictionary)
        Field.addChildren(builder, vector)
        return Field.endField(builder)
    }

    private fun schema(builder: FlatBufferBuilder, fields: List<FieldOf>, endianness: Short): Int {
        val vector = Schema.createFieldsVector(builder, fields.map { field(builder, it) }.toIntArray())
        return Schema.createSchema(builder, endianness, vector, 0, 0)
    }

    private fun batch(builder: FlatBufferBuilder, batch: BatchOf): Int {
        RecordBatch.startNodesVector(builder, batch.nodes.size)
        for ((length, nulls) in batch.nodes.reversed()) FieldNode.createFieldNode(builder, length, nulls)
        val nodes = builder.endVector()
        RecordBatch.startBuffersVector(builder, batch.buffers.size)
        for ((position, size) in batch.buffers.reversed()) Buffer.createBuffer(builder, position, size)
        val buffers = builder.endVector()
        val variadic = RecordBatch.createVariadicBufferCountsVector(builder, batch.variadic.toLongArray())
        val codec = batch.codec?.let { BodyCompression.createBodyCompression(builder, it, batch.method) } ?: 0
        return RecordBatch.createRecordBatch(builder, batch.rows, nodes, buffers, codec, variadic)
    }

    /** @param metadata a key with a value */
    private fun message(
        type: Byte,
        bodyLength: Long,
        version: Short,
        metadata: Pair<String, String>? = null,
        header: (FlatBufferBuilder) -> Int,
    ): ByteArray {
        val builder = FlatBufferBuilder(1024)
        val pairs = metadata?.let { (key, value) ->
            val pair = KeyValue.createKeyValue(builder, builder.createString(key), builder.createString(value))
            Message.createCustomMetadataVector(builder, intArrayOf(pair))
        } ?: 0
        builder.finish(Message.createMessage(builder, version, type, header(builder), bodyLength, pairs))
        return builder.sizedByteArray()
    }

    fun schemaMessage(
        vararg fields: FieldOf,
        version: Short = MetadataVersion.V5,
        endianness: Short = 0,
        metadata: Pair<String, String>? = null,
    ): ByteArray = message(MessageHeader.Schema, 0, version, metadata) { schema(it, fields.toList(), endianness) }

    fun batchMessage(batch: BatchOf, bodyLength: Long, version: Short = MetadataVersion.V5): ByteArray =
        message(MessageHeader.RecordBatch, bodyLength, version) { batch(it, batch) }

    fun dictionaryMessage(
        id: Long,
        batch: BatchOf,
        bodyLength: Long,
        isDelta: Boolean = false,
        metadata: Pair<String, String>? = null,
    ): ByteArray = message(MessageHeader.DictionaryBatch, bodyLength, MetadataVersion.V5, metadata) {
        DictionaryBatch.createDictionaryBatch(it, id, batch(it, batch), isDelta)
    }

    fun tensorMessage(): ByteArray = message(MessageHeader.Tensor, 0, MetadataVersion.V5) {
        Tensor.startTensor(it)
        it.endTable()
    }

    /** Puts the sizes in front of a message, and the body behind it. */
    fun framed(message: ByteArray, body: ByteArray = byteArrayOf(), isLegacy: Boolean = false): ByteArray {
        val prefix = if (isLegacy) 4 else 8
        val size = (prefix + message.size + 7) / 8 * 8 - prefix
        val bytes = little(prefix + size + body.size)
        if (!isLegacy) bytes.putInt(-1)
        bytes.putInt(size).put(message).position(prefix + size).put(body)
        return bytes.array()
    }

    private fun little(size: Int) = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN)

    val end: ByteArray = numbers(-1, 0)

    fun numbers(vararg numbers: Int): ByteArray =
        little(4 * numbers.size).also { numbers.forEach(it::putInt) }.array()

    fun longs(vararg numbers: Long): ByteArray =
        little(8 * numbers.size).also { numbers.forEach(it::putLong) }.array()

    fun join(vararg parts: ByteArray): ByteArray = parts.fold(byteArrayOf()) { all, part -> all + part }

    /**
     * Makes a file that begins with [first]. The blocks are those of the messages, with their real numbers, unless
     * [blocks] changes them.
     */
    fun file(
        fields: List<FieldOf>,
        dictionaries: List<Pair<ByteArray, ByteArray>> = listOf(),
        batches: List<Pair<ByteArray, ByteArray>> = listOf(),
        isLegacy: Boolean = false,
        schema: ByteArray = schemaMessage(*fields.toTypedArray()),
        first: ByteArray = framed(schema),
        version: Short = MetadataVersion.V5,
        blocks: (BlockOf) -> BlockOf = { it },
    ): ByteArray {
        var bytes = "ARROW1".toByteArray() + ByteArray(2) + first
        fun place(messages: List<Pair<ByteArray, ByteArray>>) = messages.map { (message, body) ->
            val framed = framed(message, body, isLegacy)
            BlockOf(bytes.size.toLong(), framed.size - body.size, body.size.toLong()).also { bytes += framed }
        }
        val places = place(dictionaries) to place(batches)
        val footer = footer(fields, version, places.first.map(blocks), places.second.map(blocks))
        return join(bytes, end, footer, numbers(footer.size), "ARROW1".toByteArray())
    }

    private fun footer(
        fields: List<FieldOf>,
        version: Short,
        dictionaries: List<BlockOf>,
        batches: List<BlockOf>,
    ): ByteArray {
        val builder = FlatBufferBuilder(1024)
        fun vector(start: (FlatBufferBuilder, Int) -> Unit, blocks: List<BlockOf>): Int {
            start(builder, blocks.size)
            for (block in blocks.reversed()) Block.createBlock(builder, block.offset, block.header, block.body)
            return builder.endVector()
        }
        val first = vector(Footer::startDictionariesVector, dictionaries)
        val second = vector(Footer::startRecordBatchesVector, batches)
        val schema = schema(builder, fields, 0)
        builder.finish(Footer.createFooter(builder, version, schema, first, second, 0))
        return builder.sizedByteArray()
    }
}
