// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.flatbuf

import com.google.flatbuffers.FlatBufferBuilder
import org.apache.arrow.flatbuf.Binary
import org.apache.arrow.flatbuf.BinaryView
import org.apache.arrow.flatbuf.Block
import org.apache.arrow.flatbuf.BodyCompression
import org.apache.arrow.flatbuf.Bool
import org.apache.arrow.flatbuf.Buffer
import org.apache.arrow.flatbuf.Date
import org.apache.arrow.flatbuf.Decimal
import org.apache.arrow.flatbuf.DictionaryBatch
import org.apache.arrow.flatbuf.DictionaryEncoding
import org.apache.arrow.flatbuf.Duration
import org.apache.arrow.flatbuf.Field
import org.apache.arrow.flatbuf.FieldNode
import org.apache.arrow.flatbuf.FixedSizeBinary
import org.apache.arrow.flatbuf.FixedSizeList
import org.apache.arrow.flatbuf.FloatingPoint
import org.apache.arrow.flatbuf.Footer
import org.apache.arrow.flatbuf.Int
import org.apache.arrow.flatbuf.Interval
import org.apache.arrow.flatbuf.KeyValue
import org.apache.arrow.flatbuf.LargeBinary
import org.apache.arrow.flatbuf.LargeList
import org.apache.arrow.flatbuf.LargeListView
import org.apache.arrow.flatbuf.LargeUtf8
import org.apache.arrow.flatbuf.List
import org.apache.arrow.flatbuf.ListView
import org.apache.arrow.flatbuf.Map
import org.apache.arrow.flatbuf.Message
import org.apache.arrow.flatbuf.MessageHeader
import org.apache.arrow.flatbuf.Null
import org.apache.arrow.flatbuf.RecordBatch
import org.apache.arrow.flatbuf.RunEndEncoded
import org.apache.arrow.flatbuf.Schema
import org.apache.arrow.flatbuf.Struct_
import org.apache.arrow.flatbuf.Time
import org.apache.arrow.flatbuf.Timestamp
import org.apache.arrow.flatbuf.Type
import org.apache.arrow.flatbuf.Union
import org.apache.arrow.flatbuf.Utf8
import org.apache.arrow.flatbuf.Utf8View

/** Valid messages. Each ends with the string "end", its zero and padding: a builder puts its first value at the end. */
internal object Messages {
    private const val VERSION: Short = 4

    /** Create the tables of the union Type, from type 1 on. */
    private val everyType = listOf<(FlatBufferBuilder) -> kotlin.Int>(
        { empty(it, Null::startNull, Null::endNull) },
        { Int.createInt(it, 64, true) },
        { FloatingPoint.createFloatingPoint(it, 2) },
        { empty(it, Binary::startBinary, Binary::endBinary) },
        { utf8(it) },
        { empty(it, Bool::startBool, Bool::endBool) },
        { Decimal.createDecimal(it, 38, 10, 256) },
        { Date.createDate(it, 0) },
        { Time.createTime(it, 3, 64) },
        { Timestamp.createTimestamp(it, 2, it.createString("Europe/Paris")) },
        { Interval.createInterval(it, 2) },
        { empty(it, List::startList, List::endList) },
        { empty(it, Struct_::startStruct_, Struct_::endStruct_) },
        { Union.createUnion(it, 1, Union.createTypeIdsVector(it, intArrayOf(5, 9))) },
        { FixedSizeBinary.createFixedSizeBinary(it, 16) },
        { FixedSizeList.createFixedSizeList(it, 3) },
        { Map.createMap(it, true) },
        { Duration.createDuration(it, 3) },
        { empty(it, LargeBinary::startLargeBinary, LargeBinary::endLargeBinary) },
        { empty(it, LargeUtf8::startLargeUtf8, LargeUtf8::endLargeUtf8) },
        { empty(it, LargeList::startLargeList, LargeList::endLargeList) },
        { empty(it, RunEndEncoded::startRunEndEncoded, RunEndEncoded::endRunEndEncoded) },
        { empty(it, BinaryView::startBinaryView, BinaryView::endBinaryView) },
        { empty(it, Utf8View::startUtf8View, Utf8View::endUtf8View) },
        { empty(it, ListView::startListView, ListView::endListView) },
        { empty(it, LargeListView::startLargeListView, LargeListView::endLargeListView) },
    )

    /** Fields of all types. A few small schemas, because a test of n changes to n bytes takes a time of n². */
    val types = (1..26).chunked(9).map { numbers ->
        schema { builder ->
            numbers.map { field(builder, "f$it", it, everyType[it - 1](builder)) }
        }
    }

    /** Fields with children, a dictionary and metadata. */
    val nested = schema { builder ->
        val metadata = metadata(builder)
        val encoding = DictionaryEncoding.createDictionaryEncoding(builder, 7, Int.createInt(builder, 8, true), true, 0)
        val name = builder.createString("dictionary")
        val encoded = Field.createField(builder, name, true, Type.Utf8, utf8(builder), encoding, 0, metadata)
        listOf(encoded, nested(builder, depth = 3))
    }

    val batch = message { builder -> MessageHeader.RecordBatch to recordBatch(builder, columns = 3) }

    val dictionaryBatch = message { builder ->
        val data = recordBatch(builder, columns = 1)
        MessageHeader.DictionaryBatch to DictionaryBatch.createDictionaryBatch(builder, 7, data, true)
    }

    val footer = build { builder ->
        val metadata = metadata(builder)
        val fields = Schema.createFieldsVector(builder, intArrayOf(nested(builder, depth = 1)))
        val schema = Schema.createSchema(builder, 0, fields, metadata, 0)
        Footer.startDictionariesVector(builder, 1)
        Block.createBlock(builder, 8, 200, 64)
        val dictionaries = builder.endVector()
        Footer.startRecordBatchesVector(builder, 2)
        Block.createBlock(builder, 1000, 200, 640)
        Block.createBlock(builder, 300, 200, 640)
        val batches = builder.endVector()
        Footer.createFooter(builder, VERSION, schema, dictionaries, batches, metadata)
    }

    fun batch(columns: kotlin.Int) =
        message { builder -> MessageHeader.RecordBatch to recordBatch(builder, columns) }

    fun schema(fields: (FlatBufferBuilder) -> kotlin.collections.List<kotlin.Int>) = message { builder ->
        val vector = Schema.createFieldsVector(builder, fields(builder).toIntArray())
        val features = Schema.createFeaturesVector(builder, longArrayOf(1, 2))
        val metadata = metadata(builder)
        MessageHeader.Schema to Schema.createSchema(builder, 0, vector, metadata, features)
    }

    /** A message with a header, which the block creates with its type. */
    fun message(header: (FlatBufferBuilder) -> Pair<Byte, kotlin.Int>) = build { builder ->
        val metadata = metadata(builder)
        val (type, table) = header(builder)
        Message.createMessage(builder, VERSION, type, table, 4096, metadata)
    }

    fun build(root: (FlatBufferBuilder) -> kotlin.Int): ByteArray {
        val builder = FlatBufferBuilder()
        builder.finish(root(builder))
        return builder.sizedByteArray()
    }

    /** A struct with the children. */
    fun struct(builder: FlatBufferBuilder, vararg children: kotlin.Int): kotlin.Int {
        val type = empty(builder, Struct_::startStruct_, Struct_::endStruct_)
        val vector = Field.createChildrenVector(builder, children)
        return Field.createField(builder, builder.createString("s"), true, Type.Struct_, type, 0, vector, 0)
    }

    fun utf8(builder: FlatBufferBuilder) = empty(builder, Utf8::startUtf8, Utf8::endUtf8)

    /** A list of a list of … of a struct of text. */
    private fun nested(builder: FlatBufferBuilder, depth: kotlin.Int): kotlin.Int {
        val text = field(builder, "text", Type.Utf8.toInt(), utf8(builder))
        return (1..depth).fold(struct(builder, text)) { child, level ->
            val children = Field.createChildrenVector(builder, intArrayOf(child))
            val name = builder.createString("level $level")
            val type = empty(builder, List::startList, List::endList)
            Field.createField(builder, name, false, Type.List, type, 0, children, metadata(builder))
        }
    }

    private fun field(builder: FlatBufferBuilder, name: String, type: kotlin.Int, table: kotlin.Int) =
        Field.createField(builder, builder.createString(name), true, type.toByte(), table, 0, 0, 0)

    private fun metadata(builder: FlatBufferBuilder): kotlin.Int {
        val key = builder.createString("end")
        val pair = KeyValue.createKeyValue(builder, key, builder.createString("a value"))
        return Message.createCustomMetadataVector(builder, intArrayOf(pair))
    }

    private fun recordBatch(builder: FlatBufferBuilder, columns: kotlin.Int): kotlin.Int {
        RecordBatch.startNodesVector(builder, columns)
        repeat(columns) { FieldNode.createFieldNode(builder, 100, 3) }
        val nodes = builder.endVector()
        RecordBatch.startBuffersVector(builder, 2 * columns)
        repeat(2 * columns) { Buffer.createBuffer(builder, 64L * it, 60) }
        val buffers = builder.endVector()
        val compression = BodyCompression.createBodyCompression(builder, 1, 0)
        val counts = RecordBatch.createVariadicBufferCountsVector(builder, longArrayOf(2, 0))
        return RecordBatch.createRecordBatch(builder, 100, nodes, buffers, compression, counts)
    }

    private fun empty(
        builder: FlatBufferBuilder,
        start: (FlatBufferBuilder) -> Unit,
        end: (FlatBufferBuilder) -> kotlin.Int,
    ): kotlin.Int {
        start(builder)
        return end(builder)
    }
}
