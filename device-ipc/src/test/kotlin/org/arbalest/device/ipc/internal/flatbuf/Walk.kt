// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.flatbuf

import com.google.flatbuffers.Table
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
import org.apache.arrow.flatbuf.Interval
import org.apache.arrow.flatbuf.KeyValue
import org.apache.arrow.flatbuf.LargeBinary
import org.apache.arrow.flatbuf.LargeList
import org.apache.arrow.flatbuf.LargeListView
import org.apache.arrow.flatbuf.LargeUtf8
import org.apache.arrow.flatbuf.ListView
import org.apache.arrow.flatbuf.Message
import org.apache.arrow.flatbuf.Null
import org.apache.arrow.flatbuf.RecordBatch
import org.apache.arrow.flatbuf.RunEndEncoded
import org.apache.arrow.flatbuf.Schema
import org.apache.arrow.flatbuf.SparseTensor
import org.apache.arrow.flatbuf.Struct_
import org.apache.arrow.flatbuf.Tensor
import org.apache.arrow.flatbuf.Time
import org.apache.arrow.flatbuf.Timestamp
import org.apache.arrow.flatbuf.Union
import org.apache.arrow.flatbuf.Utf8
import org.apache.arrow.flatbuf.Utf8View
import java.nio.ByteBuffer

/** Calls all accessors of the generated classes, except those of tensors. */
internal class Walk {
    /** The number of visited values: tables, elements of vectors, bytes of strings. */
    var visits = 0L
        private set

    fun message(bytes: ByteArray) {
        val message = Message.getRootAsMessage(ByteBuffer.wrap(bytes))
        call(message.version(), message.bodyLength())
        val header = message.header(HEADERS[message.headerType() - 1]())!!
        when (header) {
            is Schema -> schema(header)
            is DictionaryBatch -> dictionaryBatch(header)
            is RecordBatch -> recordBatch(header)
        }
        each(message.customMetadataLength()) { keyValue(message.customMetadata(it)) }
        each(message.customMetadataLength()) { keyValue(message.customMetadataVector().get(it)) }
    }

    fun footer(bytes: ByteArray) {
        val footer = Footer.getRootAsFooter(ByteBuffer.wrap(bytes))
        call(footer.version())
        footer.schema()?.let { schema(it) }
        each(footer.dictionariesLength()) { block(footer.dictionaries(it)) }
        each(footer.dictionariesLength()) { block(footer.dictionariesVector().get(it)) }
        each(footer.recordBatchesLength()) { block(footer.recordBatches(it)) }
        each(footer.recordBatchesLength()) { block(footer.recordBatchesVector().get(it)) }
        each(footer.customMetadataLength()) { keyValue(footer.customMetadata(it)) }
        each(footer.customMetadataLength()) { keyValue(footer.customMetadataVector().get(it)) }
    }

    private fun schema(schema: Schema) {
        call(schema.endianness())
        each(schema.fieldsLength()) { field(schema.fields(it)) }
        each(schema.fieldsLength()) { call(schema.fieldsVector().get(it).nullable()) }
        each(schema.customMetadataLength()) { keyValue(schema.customMetadata(it)) }
        each(schema.customMetadataLength()) { keyValue(schema.customMetadataVector().get(it)) }
        each(schema.featuresLength()) { call(schema.features(it), schema.featuresVector().get(it)) }
        bytes(schema.featuresAsByteBuffer(), schema::featuresInByteBuffer, schema.byteBuffer)
    }

    private fun field(field: Field) {
        string(field::name, field.nameAsByteBuffer(), field::nameInByteBuffer, field.byteBuffer)
        call(field.nullable())
        if (field.typeType() > 0) type(field.type(TYPES[field.typeType() - 1]())!!) else call(field.type(Null()))
        field.dictionary()?.let { dictionaryEncoding(it) }
        each(field.childrenLength()) { field(field.children(it)) }
        each(field.childrenLength()) { call(field.childrenVector().get(it).nullable()) }
        each(field.customMetadataLength()) { keyValue(field.customMetadata(it)) }
        each(field.customMetadataLength()) { keyValue(field.customMetadataVector().get(it)) }
    }

    private fun dictionaryEncoding(encoding: DictionaryEncoding) {
        call(encoding.id(), encoding.isOrdered, encoding.dictionaryKind())
        encoding.indexType()?.let { type(it) }
    }

    private fun type(type: Table) {
        when (type) {
            is org.apache.arrow.flatbuf.Int -> call(type.bitWidth(), type.isSigned)
            is FloatingPoint -> call(type.precision())
            is Decimal -> call(type.precision(), type.scale(), type.bitWidth())
            is Date -> call(type.unit())
            is Time -> call(type.unit(), type.bitWidth())
            is Timestamp -> {
                call(type.unit())
                string(type::timezone, type.timezoneAsByteBuffer(), type::timezoneInByteBuffer, type.byteBuffer)
            }
            is Interval -> call(type.unit())
            is Union -> {
                call(type.mode())
                each(type.typeIdsLength()) { call(type.typeIds(it), type.typeIdsVector().get(it)) }
                bytes(type.typeIdsAsByteBuffer(), type::typeIdsInByteBuffer, type.byteBuffer)
            }
            is FixedSizeBinary -> call(type.byteWidth())
            is FixedSizeList -> call(type.listSize())
            is org.apache.arrow.flatbuf.Map -> call(type.keysSorted())
            is Duration -> call(type.unit())
        }
    }

    private fun dictionaryBatch(batch: DictionaryBatch) {
        call(batch.id(), batch.isDelta)
        batch.data()?.let { recordBatch(it) }
    }

    private fun recordBatch(batch: RecordBatch) {
        call(batch.length())
        each(batch.nodesLength()) { node(batch.nodes(it)) }
        each(batch.nodesLength()) { node(batch.nodesVector().get(it)) }
        each(batch.buffersLength()) { buffer(batch.buffers(it)) }
        each(batch.buffersLength()) { buffer(batch.buffersVector().get(it)) }
        batch.compression()?.let { compression(it) }
        each(batch.variadicBufferCountsLength()) {
            call(batch.variadicBufferCounts(it), batch.variadicBufferCountsVector().get(it))
        }
        bytes(batch.variadicBufferCountsAsByteBuffer(), batch::variadicBufferCountsInByteBuffer, batch.byteBuffer)
    }

    private fun compression(compression: BodyCompression) = call(compression.codec(), compression.method())

    private fun node(node: FieldNode) = call(node.length(), node.nullCount())

    private fun buffer(buffer: Buffer) = call(buffer.offset(), buffer.length())

    private fun block(block: Block) = call(block.offset(), block.metaDataLength(), block.bodyLength())

    private fun keyValue(pair: KeyValue) {
        string(pair::key, pair.keyAsByteBuffer(), pair::keyInByteBuffer, pair.byteBuffer)
        string(pair::value, pair.valueAsByteBuffer(), pair::valueInByteBuffer, pair.byteBuffer)
    }

    private fun string(text: () -> String?, view: ByteBuffer?, move: (ByteBuffer) -> ByteBuffer?, whole: ByteBuffer) {
        try {
            call(text())
        } catch (malformed: IllegalArgumentException) {
            check(malformed.message!!.startsWith("Invalid UTF-8")) { malformed }
        }
        bytes(view, move, whole)
    }

    private fun bytes(view: ByteBuffer?, move: (ByteBuffer) -> ByteBuffer?, whole: ByteBuffer) {
        if (view == null) return
        check(move(whole.duplicate()) == view) // reads all bytes
        visits += view.remaining()
    }

    private inline fun each(length: Int, element: (Int) -> Unit) = repeat(length, element)

    @Suppress("UNUSED_PARAMETER")
    private fun call(vararg results: Any?) {
        visits++
    }

    private companion object {
        val HEADERS = listOf(::Schema, ::DictionaryBatch, ::RecordBatch, ::Tensor, ::SparseTensor)

        val TYPES: List<() -> Table> = listOf(
            ::Null, { org.apache.arrow.flatbuf.Int() }, ::FloatingPoint, ::Binary, ::Utf8, ::Bool, ::Decimal, ::Date,
            ::Time, ::Timestamp, ::Interval, { org.apache.arrow.flatbuf.List() }, ::Struct_, ::Union,
            ::FixedSizeBinary, ::FixedSizeList, { org.apache.arrow.flatbuf.Map() }, ::Duration, ::LargeBinary,
            ::LargeUtf8, ::LargeList, ::RunEndEncoded, ::BinaryView, ::Utf8View, ::ListView, ::LargeListView,
        )
    }
}
