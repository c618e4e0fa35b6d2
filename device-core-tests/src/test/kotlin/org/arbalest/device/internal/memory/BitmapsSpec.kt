// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.memory

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.lang.foreign.Arena
import kotlin.random.Random

class BitmapsSpec : FunSpec({
    test("bits are numbered from the least significant bit") {
        Arena.ofConfined().use { arena ->
            val bitmap = arena.allocate(3).address()
            for (i in listOf(0L, 3L, 8L, 23L)) Bitmaps.set(bitmap, i)
            NativeHeap.getBytes(bitmap, 3) shouldBe byteArrayOf(0b1001, 1, 0x80.toByte())
            (0L..23L).filter { Bitmaps.get(bitmap, it) } shouldBe listOf(0L, 3L, 8L, 23L)
        }
    }

    test("countOnes counts the ones of any range, and ignores bits outside it") {
        val random = Random(7)
        Arena.ofConfined().use { arena ->
            val bytes = random.nextBytes(64)
            val bitmap = arena.allocate(64).address().also { NativeHeap.putBytes(it, bytes) }
            repeat(20_000) {
                val from = random.nextInt(512)
                val length = random.nextInt(512 - from + 1)
                val expected = (from until from + length).count { bytes[it shr 3].toInt() shr (it and 7) and 1 == 1 }
                Bitmaps.countOnes(bitmap, from.toLong(), length.toLong()) shouldBe expected
            }
        }
    }
})
