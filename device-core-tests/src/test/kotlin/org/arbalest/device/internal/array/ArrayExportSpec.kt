// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeUnique
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import org.arbalest.device.DeviceArray
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.internal.abi.RawArrowArray.SIZE
import org.arbalest.device.internal.device.EventPoint
import org.arbalest.device.internal.memory.NativeHeap
import org.arbalest.device.internal.memory.Slots
import org.arbalest.device.internal.schema.Layout
import org.arbalest.device.support.Balanced
import org.arbalest.device.support.batch
import org.arbalest.device.support.copyOf
import org.arbalest.device.support.garbage
import org.arbalest.device.support.release
import org.arbalest.device.support.released
import org.arbalest.device.support.shouldBeGarbage
import org.arbalest.device.support.struct
import org.arbalest.device.support.together
import org.arbalest.device.support.wide
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.util.concurrent.atomic.AtomicInteger
import kotlin.random.Random

class ArrayExportSpec : FunSpec({
    extension(Balanced)

    fun child(array: MemorySegment, index: Long) = RawArrowArray.child(array.address(), index)

    fun handle(array: MemorySegment) = RawArrowArray.privateData(array.address())

    fun Arena.export(array: DeviceArray): MemorySegment = struct().also { CData.exportArray(array, it, CExport.DATA) }

    fun Arena.moveChild(array: MemorySegment, index: Long): MemorySegment =
        struct().also { RawArrowArray.move(child(array, index), it.address()) }

    test("exporting an array like the one before takes its slot and its block again, under another handle") {
        Arena.ofConfined().use { arena ->
            val seen = mutableListOf<Long>()
            val first = arena.export(wide(5))
            val (slot, block) = Slots.slot(handle(first)) to child(first, 0)
            release(first)
            repeat(100) {
                val again = arena.export(wide(5))
                Slots.slot(handle(again)) shouldBe slot
                child(again, 0) shouldBe block
                seen += handle(again)
                release(again)
            }
            seen.shouldBeUnique()
        }
    }

    test("the structs that an export is made of are its own: two at a time share none [OWN-02]") {
        Arena.ofConfined().use { arena ->
            val batch = wide(3)
            val exports = List(20) { arena.export(batch.retain()) }
            exports.map { child(it, 0) }.shouldBeUnique()
            exports.map { handle(it) }.shouldBeUnique()
            exports.shuffled(Random(1)).forEach(::release)
            batch.column(2).getLong(0) shouldBe 2
            batch.close()
        }
    }

    test("a copy of a struct that was released does not release the export that uses its slot now [OWN-07]") {
        Arena.ofConfined().use { arena ->
            val old = arena.export(wide(2))
            val copy = arena.copyOf(old.address())
            val copyOfChild = arena.copyOf(child(old, 1))
            release(old)
            val new = arena.export(wide(2))
            Slots.slot(handle(new)) shouldBe Slots.slot(handle(copy))
            release(copy)
            release(copyOfChild)
            released(copy) shouldBe true
            Balanced.held().exports shouldBe 1
            RawArrowArray.release(child(new, 1)) shouldNotBe 0
            release(new)
        }
    }

    test("a second release through a copy of the root, while a child lives, does nothing [OWN-07]") {
        Arena.ofConfined().use { arena ->
            val root = arena.export(wide(3))
            val copy = arena.copyOf(root.address())
            val moved = arena.moveChild(root, 1)
            release(root)
            released(root) shouldBe true
            repeat(3) { release(arena.copyOf(copy.address())) }
            Balanced.held().exports shouldBe 1
            NativeHeap.getLong(RawArrowArray.buffer(moved.address(), 1)) shouldBe 1
            release(moved)
        }
    }

    test("children that are replaced by zeroes, as by Rust's ptr::replace, are released elsewhere [OWN-06]") {
        Arena.ofConfined().use { arena ->
            for (childrenFirst in listOf(true, false)) {
                val root = arena.export(wide(4))
                val taken = listOf(0L, 2L).map { i ->
                    arena.copyOf(child(root, i)).also { NativeHeap.fill(child(root, i), SIZE, 0) }
                }
                val order = if (childrenFirst) taken + root else listOf(root) + taken
                order.forEachIndexed { i, struct ->
                    Balanced.held().exports shouldBe 1
                    release(struct)
                    Balanced.held().exports shouldBe if (i < 2) 1 else 0
                }
            }
        }
    }

    test("releasing the root releases the children that were not moved out, in place [OWN-03]") {
        Arena.ofConfined().use { arena ->
            val root = arena.export(wide(3))
            val moved = arena.moveChild(root, 0)
            val children = (1L..2L).map { child(root, it) }
            release(root)
            children.forEach { RawArrowArray.release(it) shouldBe 0 }
            release(moved)
        }
    }

    test("of thousands of columns, any may be moved out, and all are released in any order [OWN-06]") {
        val columns = 5_000
        repeat(3) { seed ->
            Arena.ofConfined().use { arena ->
                val random = Random(seed)
                val root = arena.export(wide(columns))
                val moved = (0L until columns).filter { random.nextInt(3) == 0 }.map { arena.moveChild(root, it) }
                val order = (moved + root).shuffled(random)
                for (struct in order) {
                    Balanced.held().exports shouldBe 1
                    release(struct)
                }
                Balanced.held().exports shouldBe 0
            }
        }
    }

    test("parts of one export that several threads release at once free it once [OWN-06]") {
        val frees = AtomicInteger()
        class Counted(private val node: Long) : Ownership(false) {
            override fun syncEvent() = 0L
            override fun mayHaveToWait() = false
            override fun event(): EventPoint? = null
            override fun isCpuAccessible() = true

            override fun freeArray() {
                frees.incrementAndGet()
                NativeHeap.free(node)
            }
        }
        // A struct of three children, all of them one struct without buffers of its own: null arrays.
        val layout = Layout.of(Field.of("", NestedType.StructType(List(3) { Field.of("n$it", DataType.NULL) })))
        Arena.ofConfined().use { arena ->
            repeat(300) { round ->
                val base = NativeHeap.allocate(SIZE * 2 + 4 * 8)
                NativeHeap.fill(base, SIZE * 2 + 4 * 8, 0)
                RawArrowArray.setNBuffers(base, 1)
                RawArrowArray.setBuffers(base, base + SIZE * 2)
                RawArrowArray.setNChildren(base, 3)
                RawArrowArray.setChildren(base, base + SIZE * 2 + 8)
                for (i in 0L..2L) RawArrowArray.setChild(base, i, base + SIZE)
                val root = arena.struct()
                ArrayExport.export(Counted(base), layout, base, 0, 0, true, root.address())
                val parts = (0L..2L).map { arena.moveChild(root, it) } + root
                together(4) { thread -> release(parts[thread]) }
                frees.get() shouldBe round + 1
            }
        }
    }

    test("a consumer's own array in a child's place is released by its own function [OWN-03]") {
        Arena.ofConfined().use { arena ->
            val one = arena.export(wide(2))
            val two = arena.export(wide(2))
            val mine = arena.moveChild(one, 0)
            RawArrowArray.move(child(two, 0), child(one, 0))
            release(one)
            Balanced.held().exports shouldBe 2
            release(mine)
            Balanced.held().exports shouldBe 1
            release(two)
        }
    }

    test("a handle that is consumed cannot be exported, and nothing is written [OWN-09]") {
        Arena.ofConfined().use { arena ->
            val consumed = batch(1).also(DeviceArray::close)
            val out = arena.garbage(RawArrowArray.SIZE)
            shouldThrow<IllegalStateException> { CData.exportArray(consumed, out, CExport.DATA) }
            out.shouldBeGarbage()
        }
    }
})
