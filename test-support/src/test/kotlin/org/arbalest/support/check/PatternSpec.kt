// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE

class PatternSpec : FunSpec({
    fun segment(bytes: Long, piece: Int = 0): MemorySegment =
        Arena.ofAuto().allocate(bytes, 8).also { Pattern.fill(it, piece) }

    test("a single wrong byte is found and named at any position [CHK-02]") {
        for (bytes in listOf(8L, 640, 65536, (40L shl 20) + 8)) {
            val expected = segment(bytes)
            Pattern.compare(expected, segment(bytes)) { "whole" }
            for (at in listOf(0, bytes / 2, bytes - 1)) {
                val spoilt = segment(bytes)
                spoilt.set(JAVA_BYTE, at, (spoilt.get(JAVA_BYTE, at).toInt() xor 1).toByte())
                shouldThrow<SpoiltException> { Pattern.compare(expected, spoilt) { "a copy" } }.message shouldContain
                    "a copy: byte $at of $bytes is 0x"
            }
        }
    }

    test("swapped and shifted pieces, and pieces of an earlier round, are detected [CHK-02]") {
        val bytes = 65536L
        val first = segment(bytes)
        first.mismatch(segment(bytes, piece = 1)) shouldBe 0
        first.asSlice(0, 4096).mismatch(first.asSlice(4096, 4096)) shouldBe 0
        val later = segment(bytes).also { Pattern.stamp(it, 0, 0) }
        val latest = segment(bytes).also { Pattern.stamp(it, 0, 1) }
        for (page in 0 until bytes step 4096) {
            for ((a, b) in listOf(first to later, later to latest))
                (a.asSlice(page, 4096).mismatch(b.asSlice(page, 4096)) in 0L..7L) shouldBe true
        }
        later.asSlice(bytes - 8, 8).mismatch(latest.asSlice(bytes - 8, 8)) shouldBe 0
    }

    test("a copy by several threads is complete at any size") {
        for (bytes in listOf(8L, 65536, 3L shl 20, (5L shl 20) + 24, (70L shl 20) + 8)) {
            val from = segment(bytes)
            val to = Arena.ofAuto().allocate(bytes, 8)
            HostCopy(bytes).use { it.run(to, from) }
            Pattern.compare(from, to) { "memcpy" }
        }
    }
})
