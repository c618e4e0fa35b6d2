// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.types

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.support.block
import org.arbalest.device.support.refused
import org.arbalest.support.ResourceCountersExtension

/** Fields with the same name, which Arrow allows. */
class SchemaRepeatedNamesSpec : FunSpec({
    extension(ResourceCountersExtension)

    fun refused(block: () -> Any?): String = shouldThrow<IllegalArgumentException> { block() }.message!!
    fun int(name: String) = Field.of(name, DataType.INT32)

    /** Returns a batch of x, y, x, and of a struct of a, a. */
    fun batch(): RecordBatch = BatchBuilder.of(Devices.cpu(), 1).use { batch ->
        batch.int32("x", intArrayOf(1)).int32("y", intArrayOf(2)).int32("x", intArrayOf(3))
        val struct = batch.column(Field.of("s", DataType.struct(int("a"), int("a")))).appendStruct()
        struct.child(0).append(4)
        struct.child(1).append(5)
        batch.build()
    }

    test("a batch rejects a name that several columns have, with their indices, and returns each column by index") {
        batch().use { array ->
            refused { array.column("x") } shouldBe
                "the batch has 2 fields \"x\", at [0, 2]; ask by the index, or choose by select(int...)"
            (0..2).map { array.column(it).getInt(0) } shouldBe listOf(1, 2, 3)
            array.column("y").getInt(0) shouldBe 2
            refused { array.column("z") } shouldBe "the batch has no field \"z\"; it has [x, y, x, s]"
        }
    }

    test("a struct rejects a name that several fields have, also if it is read as a map") {
        batch().use { array ->
            val struct = array.column("s")
            val what = "column \"s\" has 2 fields \"a\", at [0, 1]; ask by the index, or choose by select(int...)"
            refused { struct.column("a") } shouldBe what
            refused { struct.get(0) } shouldBe what
            struct.column(1).getInt(0) shouldBe 5
        }
    }

    test("a schema rejects a repeated name in field, indexOf and select, but not in contains") {
        val schema = Schema.of(int("x"), int("y"), int("x"), int("x"))
        val what = "the schema has 3 fields \"x\", at [0, 2, 3]; ask by the index, or choose by select(int...)"
        refused { schema.field("x") } shouldBe what
        refused { schema.indexOf("x") } shouldBe what
        refused { schema.select("y", "x") } shouldBe what
        listOf(schema.contains("x"), schema.contains("y"), schema.contains("z")) shouldBe listOf(true, true, false)
        listOf(schema.indexOf("y"), schema.indexOf("z")) shouldBe listOf(1, -1)
        schema.field("z") shouldBe null
    }

    test("a struct's builder rejects a repeated name, also of an added field, and returns each field by index") {
        BatchBuilder.of(Devices.cpu(), 0).use { batch ->
            val struct = batch.column(Field.of("s", DataType.struct(int("a"))))
            struct.child("a") shouldBe struct.child(0)
            val added = struct.addChild(int("a"))
            refused { struct.child("a") } shouldBe
                "column \"s\" has 2 fields \"a\", at [0, 1]; ask by the index, or choose by select(int...)"
            refused { struct.child("b") } shouldBe "column \"s\" has no field \"b\"; it has [a, a]"
            struct.child(1) shouldBe added
            shouldThrow<IndexOutOfBoundsException> { struct.child(2) }
        }
    }
})
