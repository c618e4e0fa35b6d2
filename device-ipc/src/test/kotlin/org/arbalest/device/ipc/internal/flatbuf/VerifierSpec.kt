// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.flatbuf

import com.google.flatbuffers.FlatBufferBuilder
import com.sun.management.ThreadMXBean
import io.kotest.assertions.throwables.shouldNotThrowAny
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.apache.arrow.flatbuf.Field
import org.apache.arrow.flatbuf.Message
import org.apache.arrow.flatbuf.MessageHeader
import org.apache.arrow.flatbuf.Tensor
import org.apache.arrow.flatbuf.Type
import org.arbalest.device.ipc.IpcException
import java.lang.management.ManagementFactory
import java.nio.ByteBuffer
import java.nio.ByteOrder

class VerifierSpec : FunSpec({
    test("each table has all slots of the generated class, in the types' order") {
        val slots = mutableMapOf<String, Int>()
        collect(ArrowTables.MESSAGE, slots)
        collect(ArrowTables.FOOTER, slots)
        for ((table, count) in slots - listOf("Tensor", "SparseTensor")) {
            var generated = 0
            val builder = object : FlatBufferBuilder() {
                override fun startTable(fields: Int) {
                    generated = fields
                }
            }
            val type = Class.forName("org.apache.arrow.flatbuf.$table")
            type.getMethod("start$table", FlatBufferBuilder::class.java).invoke(null, builder)
            withClue(table) { count shouldBe generated }
        }
        ArrowTables.TYPES.map { it.name() } shouldBe Type.names.drop(1)
        ArrowTables.HEADERS.map { it.name() } shouldBe MessageHeader.names.drop(1)
    }

    test("an error counts positions from the caller's, and has the path and the sizes") {
        val bytes = Messages.schema { listOf(Messages.struct(it), Messages.struct(it, Messages.struct(it))) }
        val raw = Raw(bytes)
        val child = raw.element(raw.field(raw.element(raw.field(raw.header(), FIELDS), 1), CHILDREN), 0)
        val name = raw.field(child, NAME)
        raw.put(name, 5000)

        val buffer = ByteBuffer.allocate(bytes.size + 40).order(ByteOrder.LITTLE_ENDIAN)
        buffer.put(13, bytes).position(13).limit(13 + bytes.size)
        val error = shouldThrow<IpcException> { Verifier.message(buffer, 1000) }

        error.position() shouldBe 1000L + name
        error.message shouldBe "at byte ${1000 + name}: Schema.fields[1].children[0].name: the offset 5000 at offset " +
            "$name leads beyond the end; the Message has ${bytes.size} bytes"
        buffer.position() shouldBe 13
    }

    test("an error in a footer names its schema") {
        val bytes = Messages.footer.copyOf()
        val raw = Raw(bytes)
        val schema = raw.target(raw.field(raw.root(), 1))
        raw.put(raw.target(raw.field(schema, FIELDS)), -1)

        shouldThrow<IpcException> { Verifier.footer(little(bytes), 0) }.message shouldContain
            "Footer.schema.fields: 4294967295 elements of 4 bytes at offset "
    }

    test("a vtable before the message is rejected, although the buffer has these bytes") {
        val bytes = Messages.batch.copyOf()
        val raw = Raw(bytes)
        raw.put(raw.root(), raw.root() + 8)
        val buffer = ByteBuffer.allocate(bytes.size + 8).order(ByteOrder.LITTLE_ENDIAN).put(8, bytes).position(8)
        buffer.putShort(0, 4).putShort(2, 4)

        shouldThrow<IpcException> { Verifier.message(buffer, 0) }.message shouldContain
            "the vtable at offset -8 is outside"
    }

    test("each invalid size of a vtable or a table is rejected") {
        for ((offset, size) in listOf(0 to 0, 0 to 2, 0 to 7, 0 to 0x8004, 0 to 0x7ffe, 2 to 3, 2 to 0xffff)) {
            val bytes = Messages.batch.copyOf()
            val raw = Raw(bytes)
            raw.buffer.putShort(raw.vtable(raw.header()) + offset, size.toShort())
            val what = if (offset == 0) "vtable at offset" else "table of $size bytes"
            rejection(bytes) shouldContain "RecordBatch: the $what"
        }
    }

    test("a field that does not fit into its table is rejected") {
        for (offset in listOf(1, 3, 0x7ffc, 0x8004)) {
            val bytes = Messages.batch.copyOf()
            val raw = Raw(bytes)
            raw.buffer.putShort(raw.vtable(raw.header()) + 4, offset.toShort())
            rejection(bytes) shouldContain
                "RecordBatch.length: the field of 8 bytes at $offset does not fit into the table of "
        }
    }

    test("a size or offset that the generated classes read as negative is rejected") {
        val bytes = Messages.batch.copyOf(70_000)
        val raw = Raw(bytes)
        val vtable = raw.vtable(raw.header())
        val size = raw.buffer.getShort(vtable)
        raw.buffer.putShort(vtable, 0x8004.toShort())
        rejection(bytes) shouldContain "an invalid size of 32772"

        raw.buffer.putShort(vtable, size).putShort(vtable + 2, -1).putShort(vtable + 4, 0x8004.toShort())
        rejection(bytes) shouldContain "the field of 8 bytes at 32772 does not fit into the table of 65535 bytes"
    }

    test("an unknown type and an unknown header are rejected with their numbers") {
        val bytes = Messages.schema { listOf(Messages.struct(it)) }
        val raw = Raw(bytes)
        val type = raw.field(raw.element(raw.field(raw.header(), FIELDS), 0), TYPE_TYPE)
        bytes[type] = 27
        rejection(bytes) shouldBe
            "at byte $type: Schema.fields[0].type: type 27 is unknown; the Message has ${bytes.size} bytes"

        bytes[raw.field(raw.root(), HEADER_TYPE)] = -1
        rejection(bytes) shouldContain
            "Message.header: header 255 is unknown"
    }

    test("a union with either its type or its table is rejected, and with neither accepted") {
        val typeOnly = Messages.schema { listOf(Field.createField(it, 0, true, Type.Utf8, 0, 0, 0, 0)) }
        rejection(typeOnly) shouldContain
            "Schema.fields[0].type: the table of the type Utf8 is missing"
        val tableOnly = Messages.schema { listOf(Field.createField(it, 0, true, 0, Messages.utf8(it), 0, 0, 0)) }
        rejection(tableOnly) shouldContain
            "Schema.fields[0].type: the type of the table is missing"
        val neither = Messages.schema { listOf(Field.createField(it, 0, true, 0, 0, 0, 0, 0)) }
        shouldNotThrowAny { Verifier.message(little(neither), 0) }
    }

    test("a message without header is rejected") {
        val bytes = Messages.build { Message.createMessage(it, 4, 0, 0, 0, 0) }
        rejection(bytes) shouldContain
            "Message.header: the header is missing"
    }

    test("a tensor verifies, because the readers reject it by name") {
        val bytes = Messages.message {
            Tensor.startTensor(it)
            Tensor.addTypeType(it, 99)
            MessageHeader.Tensor to it.endTable()
        }
        shouldNotThrowAny { Verifier.message(little(bytes), 0) }
    }

    test("a child that is its parent is rejected") {
        val bytes = Messages.schema { listOf(Messages.struct(it, Messages.struct(it))) }
        val raw = Raw(bytes)
        val parent = raw.element(raw.field(raw.header(), FIELDS), 0)
        val child = raw.target(raw.field(parent, CHILDREN)) + 4
        raw.put(child, parent - child)
        rejection(bytes) shouldContain
            "Schema.fields[0].children[0]: the offset ${(parent - child).toUInt()} at offset $child leads beyond"
        raw.put(child, 0)
        rejection(bytes) shouldContain "leads nowhere"
    }

    test("fields that share their children exponentially are rejected at once") {
        val bytes = Messages.schema { builder ->
            listOf((1..60).fold(Messages.struct(builder)) { child, _ ->
                Messages.struct(builder, *IntArray(16) { child })
            })
        }
        rejection(bytes) shouldContain
            "shared tables, vectors and strings exceed 16 times the size; the Message has ${bytes.size} bytes"
    }

    test("fields that share one long name are rejected, because each would become a copy of it") {
        val bytes = Messages.schema { builder ->
            val name = builder.createString("x".repeat(100_000))
            List(100) { Field.createField(builder, name, true, Type.Utf8, Messages.utf8(builder), 0, 0, 0) }
        }
        rejection(bytes) shouldContain "exceed 16 times the size"
    }

    test("fields may share a child, a type and metadata") {
        val bytes = Messages.schema { builder ->
            val child = Messages.struct(builder)
            listOf(child, child, Messages.struct(builder, child, child))
        }
        shouldNotThrowAny { Verifier.message(little(bytes), 0) }
    }

    test("the deepest field that core supports verifies, and 10,000 levels are rejected") {
        fun nested(levels: Int) =
            Messages.schema { builder ->
                listOf((2..levels).fold(Messages.struct(builder)) { child, _ -> Messages.struct(builder, child) })
            }
        shouldNotThrowAny { Verifier.message(little(nested(64)), 0) }
        rejection(nested(10_000)) shouldContain
            ": tables nest deeper than 128 levels; the Message has "
    }

    test("a big-endian buffer is the caller's error") {
        shouldThrow<IllegalArgumentException> { Verifier.message(ByteBuffer.wrap(Messages.batch), 0) }
    }

    test("the check of a batch allocates at most 50 bytes") {
        val threads = ManagementFactory.getThreadMXBean() as ThreadMXBean
        val buffer = little(Messages.batch(10))
        repeat(1000) { Verifier.message(buffer, 0) }
        val before = threads.currentThreadAllocatedBytes
        repeat(1000) { Verifier.message(buffer, 0) }
        (threads.currentThreadAllocatedBytes - before) shouldBeLessThan 50 * 1000L
    }
}) {
    /** Access to the offsets of a message. */
    private class Raw(bytes: ByteArray) {
        val buffer = little(bytes)

        fun root() = target(0)

        fun header() = target(field(root(), HEADER))

        fun vtable(table: Int) = table - buffer.getInt(table)

        /** The position of a field. */
        fun field(table: Int, slot: Int): Int = table + buffer.getShort(vtable(table) + 4 + 2 * slot)

        fun target(position: Int) = position + buffer.getInt(position)

        /** The table that an element of a vector refers to. */
        fun element(field: Int, index: Int) = target(target(field) + 4 + 4 * index)

        fun put(position: Int, value: Int) {
            buffer.putInt(position, value)
        }
    }

    private companion object {
        const val HEADER_TYPE = 1
        const val HEADER = 2
        const val FIELDS = 1
        const val NAME = 0
        const val TYPE_TYPE = 2
        const val CHILDREN = 5

        fun little(bytes: ByteArray): ByteBuffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)

        fun rejection(bytes: ByteArray): String =
            shouldThrow<IpcException> { Verifier.message(little(bytes), 0) }.message!!

        fun collect(table: TableType, slots: MutableMap<String, Int>) {
            if (slots.put(table.name(), table.size()) != null) return
            for (i in 0..<table.size()) table.slot(i).tables().forEach { collect(it, slots) }
        }
    }
}
