// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.support

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.matchers.shouldBe
import org.arbalest.device.columns.ByteStringView
import java.lang.foreign.MemorySegment
import java.util.Arrays
import kotlin.math.sign
import kotlin.random.Random

/** Values that are hard to distinguish, and the result that each read method must return for them in any layout. */
internal class ByteStringCases(seed: Int, count: Int) {
    private val random = Random(seed)

    /**
     * Values of every length up to 40, on both sides of the 12 bytes that a view holds inline. Many share a prefix and
     * have few distinct bytes, some of them negative.
     */
    val values: List<ByteArray> = List(count) { i ->
        val length = if (i < 41) i else random.nextInt(41)
        val alike = random.nextInt(length + 1)
        ByteArray(length) { if (it < alike) 1 else listOf(0, 1, 127, -128, -1).random(random).toByte() }
    }

    /** Checks that the rows of [strings] are the values: reads each row, and compares random pairs of rows. */
    fun check(strings: ByteStringView, pairs: Int) {
        for ((row, value) in values.withIndex()) check(strings, row.toLong(), value)
        repeat(pairs) {
            val (one, other) = random.nextInt(values.size) to random.nextInt(values.size)
            withClue("${values[one].toList()} and ${values[other].toList()}") { check(strings, one, other) }
        }
    }

    private fun check(strings: ByteStringView, row: Long, value: ByteArray) {
        val target = ByteArray(50)
        strings.byteLength(row) shouldBe value.size
        strings.byteLengthOrDefault(row, 7) shouldBe value.size
        strings.getBytes(row) shouldBe value
        List(value.size) { strings.byteAt(row, it.toLong()) } shouldBe value.toList()
        shouldThrow<IndexOutOfBoundsException> { strings.byteAt(row, value.size.toLong()) }
        strings.copyTo(row, MemorySegment.ofArray(target), 5)
        target.copyOfRange(5, 5 + value.size) shouldBe value
        shouldThrow<IndexOutOfBoundsException> { strings.copyTo(row, MemorySegment.ofArray(target), 51L - value.size) }
        // the value differs in one byte, at each position
        for (i in value.indices) strings.contentEquals(row, value.clone().also { it[i]++ }) shouldBe false
    }

    private fun check(strings: ByteStringView, one: Int, other: Int) {
        val (mine, theirs) = values[one] to values[other]
        strings.contentEquals(one.toLong(), theirs) shouldBe mine.contentEquals(theirs)
        strings.contentEquals(one.toLong(), strings, other.toLong()) shouldBe mine.contentEquals(theirs)
        strings.startsWith(one.toLong(), theirs) shouldBe
            (mine.size >= theirs.size && mine.copyOf(theirs.size).contentEquals(theirs))
        strings.compare(one.toLong(), theirs).sign shouldBe Arrays.compareUnsigned(mine, theirs).sign
        strings.compare(one.toLong(), strings, other.toLong()).sign shouldBe Arrays.compareUnsigned(mine, theirs).sign
        if (mine.contentEquals(theirs)) strings.hash(one.toLong()) shouldBe strings.hash(other.toLong())
    }
}
