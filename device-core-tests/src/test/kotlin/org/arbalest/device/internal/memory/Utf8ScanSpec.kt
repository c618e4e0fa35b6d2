// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.memory

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.nio.ByteBuffer
import java.nio.CharBuffer
import kotlin.random.Random

/** Tests of the automaton against the JDK's decoder, which rejects the sequences that RFC 3629 forbids. */
class Utf8ScanSpec : FunSpec({
    val arena = Arena.ofShared()
    afterSpec { arena.close() }
    val memory: MemorySegment = arena.allocate(4096, 8)
    val decoder = Charsets.UTF_8.newDecoder()
    val characters = CharBuffer.allocate(4096)

    // Reads the result: an exception for each rejected sequence would take most of the time.
    fun isDecoded(bytes: ByteArray): Boolean =
        !decoder.reset().decode(ByteBuffer.wrap(bytes), characters.clear(), true).isError

    fun check(bytes: ByteArray, at: Long = 0) {
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, memory, at, bytes.size.toLong())
        val (address, size) = memory.address() + at to bytes.size.toLong()
        val isValid = Utf8Scan.isValid(address, size)
        if (isValid != isDecoded(bytes)) withClue(bytes.joinToString(" ") { "%02x".format(it) }) {
            isValid shouldBe isDecoded(bytes)
        }
        if (isValid) Utf8Scan.wrong(address, size) shouldBe size
        val ascii = bytes.indexOfFirst { it < 0 }
        if (ascii < 0) Utf8Scan.ascii(address, size) shouldBe
            size else check(Utf8Scan.ascii(address, size) in ascii - 7L..ascii)
    }

    test("the scan and the decoder agree on every short sequence at the limits of the rules [VAL-06]") {
        for (a in 0..255) {
            check(byteArrayOf(a.toByte()))
            for (b in 0..255) check(byteArrayOf(a.toByte(), b.toByte()))
        }
        val edges = listOf(0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1,
            0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF7, 0xF8, 0xFF)
        for (a in 0xC0..0xFF) for (b in 0..255) for (c in edges) {
            check(byteArrayOf(a.toByte(), b.toByte(), c.toByte()))
            if (a >= 0xF0) for (d in edges) check(byteArrayOf(a.toByte(), b.toByte(), c.toByte(), d.toByte()))
        }
    }

    test("the scan and the decoder agree on a character that ASCII interrupts at any place [VAL-06]") {
        for (before in 0..80) for (between in listOf(0, 1, 7, 8, 9, 16, 40)) {
            check("é".encodeToByteArray() + ByteArray(before) { 'a'.code.toByte() } + 0xC3.toByte() +
                ByteArray(between) { 'b'.code.toByte() } + 0xA9.toByte())
        }
    }

    test("the scan and the decoder agree on long texts at any address, intact, changed or cut [VAL-06]") {
        val random = Random(7)
        val words = listOf("a", "ASCII for a while, longer than a word of the machine", "é", "Москва", "日本語",
            "\uD83D\uDE00", "\u0800", "\uFFFF", "\uDBFF\uDFFF", "\u0000")
        repeat(20_000) {
            val text = List(random.nextInt(12)) { words.random(random) }.joinToString("").encodeToByteArray()
            check(text, random.nextLong(16))
            if (text.isEmpty()) return@repeat
            check(text.copyOf().also { it[random.nextInt(text.size)] = random.nextInt().toByte() }, random.nextLong(16))
            check(text.copyOf(random.nextInt(text.size)), random.nextLong(16))
            check(text.copyOfRange(random.nextInt(text.size), text.size), random.nextLong(16))
        }
    }

    test("the position of the first invalid byte is found [VAL-06]") {
        fun wrong(vararg bytes: Int): Long {
            memory.asByteBuffer().put(ByteArray(bytes.size) { bytes[it].toByte() })
            return Utf8Scan.wrong(memory.address(), bytes.size.toLong())
        }
        wrong(65, 0xFF, 66) shouldBe 1
        wrong(0xC3, 65) shouldBe 1
        wrong(65, 66, 0xE0, 0x9F, 0x80) shouldBe 3
        wrong(65, 0xF4, 0x90) shouldBe 2
        wrong(65, 0xC3) shouldBe 2
    }
})
