// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.adbc

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe

class TableNameSpec : FunSpec({
    fun parsed(text: String, quote: String = "\"") =
        TableName.parse(text, quote)?.run { listOf(catalog(), dbSchema(), name()) }

    test("names of one to three parts are a table, with or without quotes [SPK-24]") {
        parsed("flights") shouldBe listOf(null, null, "flights")
        parsed(" main . flights ") shouldBe listOf(null, "main", "flights")
        parsed("db.main.flüge_\$1") shouldBe listOf("db", "main", "flüge_\$1")
        parsed("\"a \"\"b\"\".c\".t") shouldBe listOf(null, "a \"b\".c", "t")
        parsed("`a``b`.`c\"`", "`") shouldBe listOf(null, "a`b", "c\"")
    }

    test("any other text is no name of a table [SPK-24]") {
        for (text in listOf("", " ", ".", "t.", ".t", "a.b.c.d", "range(7)", "t x", "t AS x", "t, u", "(SELECT 1) AS t",
            "1t", "'t'", "\"t", "t\"", "\"\"", "t -- c", "t;", "`t`", "a..b")) {
            parsed(text) shouldBe null
        }
    }
})
