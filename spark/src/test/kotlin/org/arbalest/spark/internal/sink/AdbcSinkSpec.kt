// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.sink

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema

class AdbcSinkSpec : FunSpec({
    fun matching(columns: List<String>, vararg there: String): List<String> =
        AdbcSink.matching(columns, Schema.of(there.map { Field.of(it, DataType.INT32) }), "t")

    test("columns match names of the table without their case only if no name is equal") {
        matching(listOf("ID", "b"), "id", "a", "b") shouldBe listOf("id", "b")
        matching(listOf("ID", "id"), "id", "ID") shouldBe listOf("ID", "id")
        matching(listOf("ID", "id"), "id", "Id") shouldBe listOf("Id", "id")
        shouldThrow<IllegalArgumentException> { matching(listOf("c", "a"), "a", "b") }.message shouldContain "[c]"
    }

    test("a column whose name matches two columns without its case is an error") {
        shouldThrow<IllegalArgumentException> { matching(listOf("Id"), "id", "ID") }.message shouldBe
            "cannot write the column Id into the table t: it has the columns [id, ID]; rename the column to one of " +
            "these"
    }
})
