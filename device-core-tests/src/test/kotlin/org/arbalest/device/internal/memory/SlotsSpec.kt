// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.memory

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.booleans.shouldBeTrue
import io.kotest.matchers.collections.shouldBeUnique
import io.kotest.matchers.longs.shouldNotBeZero
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import org.arbalest.device.support.together
import java.util.concurrent.atomic.AtomicIntegerArray
import java.util.concurrent.atomic.AtomicReferenceArray
import kotlin.random.Random

class SlotsSpec : FunSpec({
    test("a handle finds its owner until the slot is left, and nothing after that") {
        val owner = Any()
        val handle = Slots.take(owner)
        Slots.find(handle) shouldBeSameInstanceAs owner
        Slots.leave(handle)
        Slots.find(handle) shouldBe null
    }

    test("the handle of a slot's former owner does not find the next owner [OWN-07]") {
        val first = Slots.take("first")
        Slots.leave(first)
        val second = Slots.take("second")
        Slots.slot(second) shouldBe Slots.slot(first)
        Slots.find(first) shouldBe null
        Slots.find(second) shouldBe "second"
        Slots.leave(second)
    }

    test("renewing a handle makes all older handles stale, including those of nodes [OWN-07]") {
        val old = Slots.take("owner")
        val new = Slots.renew(old)
        Slots.find(old) shouldBe null
        Slots.find(Slots.node(old, 7)) shouldBe null
        Slots.find(Slots.node(new, 7)) shouldBe "owner"
        Slots.sameSlot(old, new) shouldBe false
        Slots.leave(new)
    }

    test("a node's handle contains the node's number and finds the same owner") {
        val handle = Slots.take("tree")
        for (node in listOf(0, 1, 2, 1023, 65_536, Slots.MOST_NODES - 1)) {
            val nodeHandle = Slots.node(handle, node)
            Slots.nodeOf(nodeHandle) shouldBe node
            Slots.slot(nodeHandle) shouldBe Slots.slot(handle)
            Slots.sameSlot(handle, nodeHandle).shouldBeTrue()
            Slots.find(nodeHandle) shouldBe "tree"
        }
        Slots.leave(handle)
    }

    test("a handle is never 0, even when the generations start over, and 0 finds nothing") {
        val slots = List(3) { Slots.take("slot $it") } // one of them may have index 0
        val renewed = slots.map { start ->
            var handle = start
            repeat((1 shl 20) + 3) {
                handle = Slots.renew(handle)
                if (handle ushr 44 == 0L || handle == 0L) error("the handle $handle has generation 0")
            }
            handle.shouldNotBeZero()
        }
        renewed.forEachIndexed { i, handle -> Slots.find(handle) shouldBe "slot $i" }
        Slots.find(0) shouldBe null
        renewed.forEach(Slots::leave)
    }

    test("a handle that was never issued finds nothing") {
        Slots.find(-1) shouldBe null
        Slots.find(0xffffff) shouldBe null
        Slots.find(1L shl 44 or 0xabcdef) shouldBe null
    }

    test("a stack gives each slot to one thread at a time, and loses none") {
        val count = 12
        val handles = List(count) { Slots.take("on a stack") }
        val slots = handles.map(Slots::slot).sorted()
        val stack = Slots.Stack()
        slots.forEach(stack::push)
        val held = AtomicIntegerArray(slots.last() + 1)
        together(4) { thread ->
            val random = Random(thread)
            val mine = ArrayDeque<Int>()
            repeat(200_000) {
                if (mine.size < 4 && random.nextBoolean()) {
                    val slot = stack.pop()
                    if (slot >= 0) {
                        check(held.incrementAndGet(slot) == 1) { "slot $slot has two owners" }
                        mine.add(slot)
                    }
                } else if (mine.isNotEmpty()) {
                    val slot = if (random.nextBoolean()) mine.removeFirst() else mine.removeLast()
                    check(held.decrementAndGet(slot) == 0) { "slot $slot had two owners" }
                    stack.push(slot)
                }
                if (random.nextInt(64) == 0) Thread.yield()
            }
            mine.forEach { held.decrementAndGet(it); stack.push(it) }
        }
        generateSequence { stack.pop().takeIf { it >= 0 } }.toList().sorted() shouldBe slots
        handles.forEach(Slots::leave)
    }

    test("slots that several threads take and leave keep their owners, and stale handles find nothing [OWN-07]") {
        val shared = AtomicReferenceArray<Any>(64)
        together(4) { thread ->
            val random = Random(100 + thread)
            val mine = ArrayDeque<Pair<Long, Any>>()
            val stale = ArrayDeque<Pair<Long, Any>>()
            repeat(100_000) {
                when (random.nextInt(5)) {
                    0, 1 -> Any().let { owner -> mine.add(Slots.take(owner) to owner) }
                    2 -> mine.removeFirstOrNull()?.let { entry ->
                        Slots.leave(entry.first)
                        stale.add(entry)
                        if (stale.size > 50) stale.removeFirst()
                    }
                    3 -> mine.lastOrNull()?.let { (handle, owner) ->
                        check(Slots.find(handle) === owner) { "a handle does not find its owner" }
                    }
                    else -> stale.forEach { (handle, owner) ->
                        check(Slots.find(handle) !== owner) { "a stale handle finds its former owner" }
                    }
                }
                if (mine.size > 40) mine.removeFirst().let { Slots.leave(it.first) }
                shared.lazySet(random.nextInt(64), it)
            }
            mine.map { Slots.slot(it.first) }.shouldBeUnique()
            mine.forEach { (handle, owner) ->
                check(Slots.find(handle) === owner)
                Slots.leave(handle)
            }
        }
    }

    test("slots are reused after they are left, and slots in use can fill more than one chunk") {
        val many = List(3_000) { Slots.take(it) }
        many.map(Slots::slot).shouldBeUnique()
        many.forEachIndexed { i, handle -> Slots.find(handle) shouldBe i }
        many.forEach(Slots::leave)
        val again = List(3_000) { Slots.take(it) }
        again.map(Slots::slot).toSet() shouldBe many.map(Slots::slot).toSet()
        again.zip(many).forEach { (new, old) -> new shouldNotBe old }
        again.forEach(Slots::leave)
    }
})
