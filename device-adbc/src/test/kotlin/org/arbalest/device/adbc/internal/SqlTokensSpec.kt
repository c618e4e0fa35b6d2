// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe

class SqlTokensSpec : FunSpec({
    fun tokens(sql: String): String {
        val tokens = SqlTokens(sql)
        return generateSequence(tokens::next).joinToString(" ")
    }

    test("words are in capital letters, without those in literals, quoted names and comments [ADB-41]") {
        for ((sql, expected) in mapOf(
            "" to "",
            " \t\n" to "",
            "select a1, _b FROM é\u00a0;" to "SELECT A1 , _B FROM É\u00A0 ;",
            "'a''b' c" to "' C",
            "'a\\' b" to "' B",
            "E'a\\'b' c" to "' C",
            "e'a\\\\' b" to "' B",
            "E'a''b\\'c' d" to "' D",
            "name'a\\' b" to "NAME ' B",
            "E 'a\\' b" to "E ' B",
            "U&'a\\' b" to "U & ' B",
            "U&\"a'\" b" to "U & \" B",
            "B'01' X'1F' N'a'" to "B ' X ' N '",
            "\"a\"\"b\" c" to "\" C",
            "$$ a '\"--/* $$ b" to "$ B",
            "\$tag\$ a $$ \$ta\$ \$tag\$ b" to "$ B",
            "\$é1\$ a \$é1\$ b" to "$ B",
            "$1 = $2" to "$ 1 = $ 2",
            "a$$ b$$" to "A$$ B$$",
            "a -- b\nc --\rd" to "A C D",
            "a -- b" to "A --",
            "--" to "--",
            "a<--b" to "A < --",
            "a - b -/**/- c" to "A - B - - C",
            "a /* b /* c */ d */ e" to "A E",
            "a /*/ b */ c" to "A C",
            "a /**/ b /***/ c" to "A B C",
            "a '/*' b '*/' c" to "A ' B ' C",
            "a /* b" to "A",
            "a 'b" to "A '",
            "a \"b" to "A \"",
            "a E'b\\" to "A '",
            "a $$ b" to "A $",
            "a $" to "A $",
        )) withClue(sql) { tokens(sql) shouldBe expected }
    }
})
