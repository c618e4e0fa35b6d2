// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeUnique
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import org.arbalest.device.RecordBatch
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

    fun Arena.export(array: RecordBatch): MemorySegment = struct().also { CData.exportArray(array, it, CExport.DATA) }

    fun Arena.moveChild(array: MemorySegment, index: Long): MemorySegment =
        struct().also { RawArrowArray.move(child(array, index), it.address()) }

    test("exporting an array like the previous one reuses its slot and its block under a new handle") {
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

    test("exports of one array that exist at the same time share no struct [OWN-02]") {
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

    test("releasing a copy of a released struct does not release the slot's new export [OWN-07]") {
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

    test("releasing a copy of the released root does nothing while a moved child lives [OWN-07]") {
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

    test("children copied out and zeroed, as by Rust's ptr::replace, keep the export alive until released [OWN-06]") {
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

    test("releasing the root releases the children that are still in place [OWN-03]") {
        Arena.ofConfined().use { arena ->
            val root = arena.export(wide(3))
            val moved = arena.moveChild(root, 0)
            val children = (1L..2L).map { child(root, it) }
            release(root)
            children.forEach { RawArrowArray.release(it) shouldBe 0 }
            release(moved)
        }
    }

    test("any of thousands of columns can be moved out, and all parts released in any order [OWN-06]") {
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

    test("an export whose parts several threads release at once is freed once [OWN-06]") {
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
        // A struct with three children, which are all the same struct: a null array, which has no buffers.
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
                ArrayExport.export(Counted(base), layout, base, 0, 0, true, null, root.address())
                val parts = (0L..2L).map { arena.moveChild(root, it) } + root
                together(4) { thread -> release(parts[thread]) }
                frees.get() shouldBe round + 1
            }
        }
    }

    test("releasing the root releases an array of the consumer in a child's place by its own callback [OWN-03]") {
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

    test("exporting a closed handle fails and writes nothing [OWN-09]") {
        Arena.ofConfined().use { arena ->
            val consumed = batch(1).also(RecordBatch::close)
            val out = arena.garbage(RawArrowArray.SIZE)
            shouldThrow<IllegalStateException> { CData.exportArray(consumed, out, CExport.DATA) }
            out.shouldBeGarbage()
        }
    }
})
