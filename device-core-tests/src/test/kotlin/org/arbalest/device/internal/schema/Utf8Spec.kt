// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe

class Utf8Spec : FunSpec({
    /** Characters whose bytes are close to those of a question mark, in some bit or in the next byte. */
    val others = "a>@\u003d\u00bf\u017f\u0000~\u00ff\u263a".toList()

    test("half a surrogate pair is found at any position in texts of up to 25 characters [SCH-21]") {
        for (length in 1..25) {
            for (at in 0 until length) {
                for (other in others) {
                    val text = CharArray(length) { if (it == at) '\uD83D' else other }.concatToString()
                    Utf8.half(text, text.toByteArray()) shouldBe at
                    shouldThrow<IllegalArgumentException> { Utf8.bytes("it", text) }.message shouldBe
                        "it: character $at of the text, U+D83D, is half a surrogate pair"
                }
            }
        }
    }

    test("question marks and whole surrogate pairs are valid text [SCH-21]") {
        for (length in 0..25) {
            for (other in others) {
                for (whole in listOf("?", "\uD83D\uDE00", "")) {
                    val text = "$other".repeat(length) + whole + "$other".repeat(length)
                    Utf8.bytes("it", text).decodeToString() shouldBe text
                }
            }
        }
    }
})
