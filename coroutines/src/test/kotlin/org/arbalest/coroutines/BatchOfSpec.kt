// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.Validation
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Metadata
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.fake.FakeDevice
import org.arbalest.support.fake.FakeExtension
import java.lang.foreign.Arena
import java.lang.foreign.ValueLayout.ADDRESS
import java.lang.foreign.ValueLayout.JAVA_INT

/** Offset of the field `buffers` in `struct ArrowArray`. */
private const val BUFFERS = 40L

/** Record batches built from existing arrays. */
class BatchOfSpec : FunSpec({
    extension(ResourceCountersExtension)
    extension(FakeExtension)
    val cpu = Devices.cpu()

    /** Builds a batch and returns its only column. */
    fun array(columns: ColumnScope.() -> Unit): DeviceArray = cpu.batch(columns = columns).use { it.retainChild(0) }

    test("batchOf builds a batch from arrays of equal length, and the batch outlives their handles") {
        val prices = array {
            notNull.withMetadata(Metadata.of("unit", "USD")).float64("p", doubleArrayOf(1.5, 2.5, 3.5))
        }
        val words = array { utf8("w", listOf("a", null, "c")) }
        val states = array { dictionary("s", listOf("CA", "CA", null)) }
        val lists = cpu.batch(3) { list("l", { row -> List(row) { row.toLong() } }) { rows -> int64 { rows[it] } } }
            .use { it.retainChild(0) }
        val parts = listOf(prices, words, states, lists)
        val batch = batchOf("price" to prices, "word" to words, "state" to states, "list" to lists)
        parts.forEach { it.close() }
        batch.throughC().use {
            it.validate(Validation.FULL)
            it.schema()["price"] shouldBe Field.of("price", DataType.FLOAT64).withNullable(false)
                .withMetadata(Metadata.of("unit", "USD"))
            it.schema().names shouldBe listOf("price", "word", "state", "list")
            it["price"].values() shouldBe listOf(1.5, 2.5, 3.5)
            it["word"].values() shouldBe listOf("a", null, "c")
            it["state"].values() shouldBe listOf("CA", "CA", null)
            it["list"].values() shouldBe listOf(listOf<Long>(), listOf(1L), listOf(2L, 2L))
        }
    }

    test(
        "batchOf leaves the handles to the caller, and accepts an array twice, a slice, a batch and an imported array",
    ) {
        val ids = array { int64("id", longArrayOf(1, 2, 3, 4)) }
        val batch = cpu.batch { utf8("x", listOf("a", null)) }.throughC()
        val slice = ids.slice(1, 2)
        batchOf("a" to slice, "b" to slice, "c" to batch).use {
            it["a"].values() shouldBe listOf(2L, 3L)
            it["b"].values() shouldBe listOf(2L, 3L)
            it["c"]["x"].values() shouldBe listOf("a", null)
        }
        ids.asColumn().values() shouldBe listOf(1L, 2L, 3L, 4L)
        batch["x"].values() shouldBe listOf("a", null)
        listOf(ids, slice, batch).forEach { it.close() }
    }

    test("batchOf rejects invalid arguments with the column's name, and leaves the arrays to the caller") {
        val (two, three) = array { int64("x", longArrayOf(1, 2)) } to array { utf8("y", listOf("a", "b", "c")) }
        shouldThrow<IllegalArgumentException> { batchOf("a" to two, "b" to three) }.message shouldBe
            "column \"b\" has 3 rows, but column \"a\" has 2 rows; the columns of a batch have the same length"
        shouldThrow<IllegalArgumentException> { batchOf() }.message shouldContain "needs at least one array"
        shouldThrow<IllegalArgumentException> { batchOf("" to two) }.message shouldContain "needs a name"
        two.retain().let { closed ->
            closed.close()
            shouldThrow<IllegalStateException> { batchOf("a" to two, "b" to closed) }
        }
        two.copyTo(Devices.device(DeviceType.EXT_DEV, 0)).use { there ->
            there.synchronize()
            shouldThrow<IllegalArgumentException> { batchOf("a" to two, "b" to there) }.message shouldBe
                "column \"b\" is on EXT_DEV:0, but the other columns are on CPU; copy it there with copyTo"
        }
        two.asColumn().values() shouldBe listOf(1L, 2L)
        listOf(two, three).forEach { it.close() }
    }

    test("batchOf does not read a malformed array, which fails when it is read, and leaves the others unchanged") {
        val ids = array { int64("x", longArrayOf(1, 2)) }
        Arena.ofConfined().use { arena ->
            val (struct, schema) = arena.allocate(ArrowArrayStruct.LAYOUT) to arena.allocate(ArrowSchemaStruct.LAYOUT)
            CData.exportArray(array { utf8("y", listOf("a", "b")) }, struct, CExport.DATA.schemaTo(schema))
            val buffers = struct.reinterpret(ArrowArrayStruct.LAYOUT.byteSize()).get(ADDRESS, BUFFERS).reinterpret(24)
            buffers.getAtIndex(ADDRESS, 1).reinterpret(12).setAtIndex(JAVA_INT, 2, -1) // makes the last offset invalid
            CData.importArray(struct, CImport.DATA.schema(schema).validation(Validation.NONE)).use { bad ->
                batchOf("a" to ids, "b" to bad).use { batch ->
                    batch["a"].values() shouldBe listOf(1L, 2L)
                    shouldThrow<DeviceException> { batch.validate(Validation.FULL) }.errno() shouldBe Errno.EINVAL
                    shouldThrow<DeviceException> { batch["b"].values() }.errno() shouldBe Errno.EINVAL
                }
            }
        }
        ids.use { it.asColumn().values() shouldBe listOf(1L, 2L) }
    }

    test("a batch is ready when all its arrays are ready [DEV-05]") {
        val device = Devices.device(DeviceType.EXT_DEV, 0)
        val fake = FakeDevice.of(DeviceType.EXT_DEV, 0)
        val (ids, prices) = array { int64("x", longArrayOf(1, 2)) } to array { float64("y", doubleArrayOf(1.5, 2.5)) }
        val ready = ids.use { it.copyTo(device) }
        ready.synchronize()
        device.createStream().use { stream ->
            fake.hold()
            try {
                val late = prices.use { it.copyTo(device, stream) }
                val batch = batchOf("id" to ready, "price" to late)
                listOf(ready, late).forEach { it.close() }
                batch.use {
                    it.isReady shouldBe false
                    fake.release()
                    it.await()
                    it.copyTo(cpu).use { here ->
                        here.await()
                        here["id"].values() shouldBe listOf(1L, 2L)
                        here["price"].values() shouldBe listOf(1.5, 2.5)
                    }
                }
            } finally {
                fake.release()
            }
        }
    }
})
