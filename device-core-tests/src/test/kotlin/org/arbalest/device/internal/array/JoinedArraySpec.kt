// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.Validation
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.internal.device.EventPoint
import org.arbalest.device.internal.lifetime.Leaks
import org.arbalest.device.internal.memory.NativeHeap
import org.arbalest.device.internal.schema.Layout
import org.arbalest.device.internal.schema.MalformedException
import org.arbalest.device.support.Balanced
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema

/** Batches of several owners: which of them checks a buffer, and what happens if one of them fails. */
class JoinedArraySpec : FunSpec({
    extension(Balanced)

    val number = Field.of("n", DataType.INT64)

    /** An owner of one column, which counts its bytes as 8. */
    open class Part(private val fault: String? = null) : Ownership(false) {
        val block = StructBlock(1, StructBlock.entries(Layout.of(number), 2))
        val struct: Long = block.node(Layout.of(number), 1, 0, 0, 2)
        val checked = mutableListOf<Pair<String, Long>>()
        val children = mutableListOf<Int>()
        var isFreed = false

        init {
            StructBlock.setBuffer(Layout.of(number), struct, 0, 0, 0)
            StructBlock.setBuffer(Layout.of(number), struct, 1, struct, 8)
        }

        override fun syncEvent() = 0L
        override fun mayHaveToWait() = false
        override fun event(): EventPoint? = null
        override fun isCpuAccessible() = true
        override fun bytes() = 8L

        override fun checkBuffers(field: Field, struct: Long, level: Validation) {
            checked += field.name() to struct
            children += field.type().children().size
        }

        override fun freeArray() {
            isFreed = true
            NativeHeap.free(block.address)
            if (fault != null) throw IllegalStateException(fault)
        }
    }

    fun batch(vararg names: String) = Schema.of(names.map(number::withName)).asField()

    /** Joins the columns of the owners, which the batch then holds alone. */
    fun joined(parts: List<Part>, names: List<String>): RecordBatch {
        val join = ColumnJoin(Devices.cpu(), 1)
        for ((part, name) in parts zip names) join.add(part, number.withName(name), part.struct, 0)
        val made = join.make(batch(*names.toTypedArray()))
        parts.distinct().forEach { it.release() }
        return made
    }

    test("each owner checks the buffers of its own columns only, also behind selections and joins [DEV-27]") {
        val (one, other) = Part() to Part()
        joined(listOf(one, other, one), listOf("a", "b", "c")).use { all ->
            all.validate(Validation.STRUCTURAL)
            one.checked shouldBe listOf("a" to one.struct, "c" to one.struct)
            other.checked shouldBe listOf("b" to other.struct)
            one.checked.clear()
            other.checked.clear()
            all.select("b").use { it.validate(Validation.STRUCTURAL) }
            one.checked shouldBe listOf()
            other.checked shouldBe listOf("b" to other.struct)
            other.checked.clear()
            RecordBatch.ofColumns(listOf("all"), listOf(all)).use { it.validate(Validation.STRUCTURAL) }
            one.checked.map { it.first } shouldBe listOf("a", "c")
            other.checked.map { it.first } shouldBe listOf("b")
        }
    }

    test("the error of an owner's check has the path from the batch [DEV-27]") {
        val strict = object : Part() {
            override fun checkBuffers(field: Field, struct: Long, level: Validation): Unit =
                throw MalformedException("buffers[1]: elsewhere")
        }
        joined(listOf(Part(), strict), listOf("a", "b")).use { all ->
            shouldThrow<DeviceException> { all.validate(Validation.STRUCTURAL) }.message shouldBe
                "$.b: buffers[1]: elsewhere"
            RecordBatch.ofColumns(listOf("all"), listOf(all)).use {
                shouldThrow<DeviceException> { it.validate(Validation.STRUCTURAL) }.message shouldBe
                    "$.all.b: buffers[1]: elsewhere"
            }
            all.retainChild(0).use { it.validate(Validation.STRUCTURAL) }
        }
    }

    test("the owner of a batch's own bitmap checks it without the columns, which others check [DEV-27]") {
        val (rows, column) = Part() to Part()
        val layout = Layout.of(batch("n"))
        val block = StructBlock(1, StructBlock.entries(layout, 1))
        val struct = block.node(layout, 1, 1, 0, 1)
        RawArrowArray.setBuffer(struct, 0, struct) // any bits
        val join = ColumnJoin(Devices.cpu(), 1)
        join.add(column, number, column.struct, 0)
        val made = join.make(batch("n"), rows, struct, 0)
        rows.release()
        column.release()
        made.use { all ->
            all.validate(Validation.STRUCTURAL)
            rows.checked.map { it.first } shouldBe listOf("")
            rows.children shouldBe listOf(0)
            column.checked shouldBe listOf("n" to column.struct)
        }
        NativeHeap.free(block.address)
    }

    test("memory that several columns share counts once [SEL-28]") {
        val (one, other) = Part() to Part()
        joined(listOf(one, other, one), listOf("a", "b", "c")).use { all ->
            RecordBatch.ofColumns(listOf("x", "y"), listOf(all, all)).use { twice ->
                all.select("b").use { less -> twice.withColumn("z", less) }.use {
                    RecordedArrays.bytes(DeviceArrayImpl.unwrap(it)) shouldBe 16
                }
            }
        }
    }

    test("an owner that fails to free its memory keeps no other from it, and the first failure is thrown [SEL-24]") {
        val parts = listOf(Part("first"), Part(), Part("second"), Part())
        val batch = joined(parts, listOf("a", "b", "c", "d"))
        val thrown = shouldThrow<IllegalStateException> { batch.select("d").also { batch.close() }.close() }
        parts.map { it.isFreed } shouldBe List(4) { true }
        thrown.message shouldBe "first"
        thrown.suppressed.map { it.message } shouldBe listOf("second")
    }

    test("a handle opens although its watch fails [OWN-21]") {
        val part = object : Part() {
            override fun bytes(): Long = throw IllegalStateException("the bytes are unknown")
        }
        Leaks.follow()
        try {
            val handle = DeviceArrayImpl.of(Devices.cpu(), number, part.struct, 0, 1).holding(part)
            handle.isOpen shouldBe true
            handle.close()
        } finally {
            Leaks.unfollow()
        }
        part.isFreed shouldBe true
    }
})
