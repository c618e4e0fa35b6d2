// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.builders

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.longs.shouldBeGreaterThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.internal.cpu.CpuProvider
import org.arbalest.device.internal.device.DeviceImpl
import org.arbalest.device.internal.memory.NativeHeap
import org.arbalest.device.spi.DeviceDriver
import org.arbalest.device.support.Balanced
import org.arbalest.device.support.batch
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.StructType
import kotlin.random.Random

class BatchBuilderSpec : FunSpec({
    extension(Balanced)

    /** A driver of main memory that allows [left] allocations, fills them with garbage, and counts the live ones. */
    class Scarce(
        private var left: Int,
        private val cpu: DeviceDriver = CpuProvider().open(DeviceType.CPU, -1),
    ) : DeviceDriver by cpu {
        var live = 0
        var asked = 0

        override fun isCpuAccessible() = true

        override fun allocate(bytes: Long, alignment: Long): Long {
            asked++
            if (left-- == 0) throw DeviceException(Errno.ENOMEM, "cannot allocate $bytes bytes: none are left")
            live++
            return cpu.allocate(bytes, alignment).also { NativeHeap.fill(it, bytes, 0x5a) }
        }

        override fun free(address: Long, bytes: Long) {
            live--
            cpu.free(address, bytes)
        }
    }

    fun device(driver: DeviceDriver) = DeviceImpl(DeviceType.CPU, -1, driver)

    /** Appends columns of every kind, all of which have to grow. */
    fun fill(batch: BatchBuilder, rows: Int) {
        batch.column(Field.of("n", DataType.INT32)).also { c -> repeat(rows) { c.append(it.toLong()) } }
            .setNulls { it == 1 }
        batch.column(Field.of("b", DataType.BOOL)).also { c ->
            repeat(rows) { if (it % 5 == 3) c.appendNull() else c.append(true) }
        }
        batch.utf8("t", List(rows) { if (it % 7 == 6) null else "row number $it" })
        val words = batch.column(Field.of("d", DataType.dictionary(DataType.INT16, DataType.UTF8)))
        repeat(rows) { if (it % 4 == 0) words.appendNull() else words.append("word ${it % 50}") }
        val item = Field.of("item", StructType(listOf(Field.of("x", DataType.FLOAT64))))
        val lists = batch.column(Field.of("l", ListType(item)))
        repeat(rows) {
            lists.appendList(2)
            repeat(2) { lists.items().appendStruct().child("x").append(0.5) }
        }
    }

    test("a growing column keeps its values when its memory moves") {
        val driver = Scarce(-1)
        BatchBuilder.of(device(driver), 1000).use { batch ->
            fill(batch, 1000)
            batch.build().use { array ->
                driver.asked shouldBeGreaterThan 15
                array.column("n").isNull(1) shouldBe true
                for (row in listOf(0L, 2L, 998L, 999L)) {
                    array.column("n").getLong(row) shouldBe row
                    array.column("t").get(row) shouldBe if (row % 7 == 6L) null else "row number $row"
                    array.column("d").get(row) shouldBe if (row % 4 == 0L) null else "word ${row % 50}"
                    array.column("b").get(row) shouldBe if (row % 5 == 3L) null else true
                    array.column("l").get(row) shouldBe List(2) { mapOf("x" to 0.5) }
                }
                array.column("t").nullCount() shouldBe 142
            }
        }
        driver.live shouldBe 0
    }

    test("any failing allocation throws the driver's error and leaks nothing") {
        val needed = Scarce(-1).also { driver ->
            BatchBuilder.of(device(driver), 300).use { fill(it, 300); it.build().close() }
        }.asked
        for (n in 0 until needed) {
            val driver = Scarce(n)
            val failure = shouldThrow<DeviceException> {
                BatchBuilder.of(device(driver), 300).use {
                    fill(it, 300)
                    it.build().close()
                }
            }
            failure.errno() shouldBe Errno.ENOMEM
            driver.live shouldBe 0
        }
        val enough = Scarce(needed)
        BatchBuilder.of(device(enough), 300).use { fill(it, 300); it.build().close() }
        enough.live shouldBe 0
    }

    test("an exception between columns leaks nothing, and neither does a batch that is never built") {
        val driver = Scarce(-1)
        shouldThrow<NoSuchElementException> {
            BatchBuilder.of(device(driver), 10).use {
                fill(it, 10)
                throw NoSuchElementException("thrown between two columns")
            }
        }
        BatchBuilder.of(device(driver), 10).use { fill(it, 3) }
        driver.live shouldBe 0
    }

    test("build() rejects a column with too few values, which the caller can then complete") {
        BatchBuilder.of(Devices.cpu(), 3).use { batch ->
            val column = batch.column(Field.of("short", DataType.INT8)).append(1L).append(2L)
            shouldThrow<IllegalStateException> { batch.build() }.message.let {
                it shouldContain "\"short\""
                it shouldContain "2 values"
                it shouldContain "3 rows"
            }
            column.append(3L)
            batch.build().use { it.column("short").getLong(2) shouldBe 3 }
        }
        BatchBuilder.of(Devices.cpu(), 1).use { batch ->
            val lists = batch.column(Field.of("l", ListType(Field.of("item", DataType.INT8)))).appendList(2)
            lists.items().append(1L)
            shouldThrow<IllegalStateException> { batch.build() }.message shouldContain
                "the lists have 2 elements, but 1 were appended"
        }
    }

    test("a batch without a row count takes the length of its columns, and rejects different lengths [BLD-20]") {
        for (rows in listOf(0, 1, 1000)) BatchBuilder.of(Devices.cpu()).use { batch ->
            batch.rows() shouldBe 0
            fill(batch, rows)
            batch.rows() shouldBe rows
            val array = batch.build()
            array.use {
                it.length() shouldBe rows
                BatchBuilder.of(Devices.cpu(), rows).use { counted ->
                    fill(counted, rows)
                    counted.build().use { right -> it.difference(right) shouldBe null }
                }
            }
        }
        BatchBuilder.of(Devices.cpu()).use { it.build().use { empty -> empty.length() shouldBe 0 } }
        BatchBuilder.of(Devices.cpu().memory()).use { batch ->
            val short = batch.column(Field.of("short", DataType.INT8)).append(1L).append(2L)
            batch.int64("long", longArrayOf(1, 2, 3))
            shouldThrow<IllegalStateException> { batch.build() }.message shouldBe
                "column \"long\" has 3 values, but column \"short\" has 2"
            short.append(3L)
            batch.build().use { it.length() shouldBe 3 }
        }
    }

    test("boolean arrays of any length can be appended at any bit, between nulls and single values") {
        repeat(300) { seed ->
            val random = Random(seed)
            val expected = mutableListOf<Boolean?>()
            BatchBuilder.of(Devices.cpu()).use { batch ->
                val column = batch.column(Field.of("b", DataType.BOOL))
                repeat(20) {
                    when (random.nextInt(4)) {
                        0 -> column.append(true).also { expected += true }
                        1 -> column.appendNulls(3).also { expected += listOf(null, null, null) }
                        else -> BooleanArray(random.nextInt(70)) { random.nextBoolean() }.let { values ->
                            column.appendAll(values)
                            expected += values.toList()
                        }
                    }
                }
                column.length() shouldBe expected.size.toLong()
                batch.build().use { array -> array.column(0).toList() shouldBe expected }
            }
        }
    }

    test("boolean arrays can be appended after a value that was removed because its run grew") {
        repeat(100) { seed ->
            val random = Random(seed)
            val expected = mutableListOf<Boolean?>()
            BatchBuilder.of(Devices.cpu()).use { batch ->
                val column = batch.column(
                    Field.of("b", DataType.runEndEncoded(DataType.INT32, Field.of("values", DataType.BOOL))),
                )
                repeat(30) {
                    if (random.nextBoolean()) {
                        // all except the first extend the run and are removed
                        repeat(random.nextInt(1, 4)) { column.append(true).also { expected += true } }
                    } else {
                        repeat(random.nextInt(1, 20)) {
                            val value = random.nextBoolean()
                            column.values().appendAll(booleanArrayOf(value))
                            column.appendRun(2)
                            expected += listOf(value, value)
                        }
                    }
                }
                batch.build().use { array -> array.column(0).toList() shouldBe expected }
            }
        }
    }

    test("all bytes after the values are zero, and only an unnecessary validity is NULL") {
        BatchBuilder.of(device(Scarce(-1)), 3).use { batch ->
            batch.int32("n", intArrayOf(-1, -1, -1)).utf8("t", listOf("a", null, "bc"))
            batch.column(Field.of("b", DataType.BOOL)).appendAll(booleanArrayOf(true, true, true))
            batch.build().use { array ->
                fun tail(column: Int, buffer: Int, used: Int, size: Int) {
                    val address = array.column(column).bufferAddress(buffer)
                    NativeHeap.getBytes(address + used, size - used).all { it == 0.toByte() } shouldBe true
                    address % 64 shouldBe 0 // ARR-14
                }
                array.column(0).bufferAddress(0) shouldBe 0
                tail(0, 1, 12, 64)
                tail(1, 0, 1, 64)
                tail(1, 1, 16, 64)
                tail(1, 2, 3, 64)
                NativeHeap.getByte(array.column(1).bufferAddress(0)) shouldBe 0b101
                NativeHeap.getByte(array.column(2).bufferAddress(1)) shouldBe 0b111
                tail(2, 1, 1, 64)
            }
        }
    }

    test("an empty batch has offsets, and no NULL except the validity [ARR-08]") {
        BatchBuilder.of(Devices.cpu(), 0).use { batch ->
            batch.utf8("t", listOf())
            batch.build().use { array ->
                val column = array.column("t")
                column.bufferAddress(1) shouldBeGreaterThanOrEqual 1
                NativeHeap.getInt(column.bufferAddress(1)) shouldBe 0
                column.bufferAddress(2) shouldBeGreaterThanOrEqual 1
            }
        }
    }

    test("a column builder that outlives its batch cannot change the array or allocate memory [OWN-13]") {
        val item = Field.of("x", DataType.BOOL)
        val batch = BatchBuilder.of(Devices.cpu(), 1)
        val kept = listOf(DataType.INT64, DataType.UTF8, DataType.BOOL, StructType(listOf(item)), ListType(item))
            .mapIndexed { i, type -> batch.column(Field.of("c$i", type)) }
        kept[0].append(1L)
        kept[1].append("one")
        kept[2].append(false)
        kept[3].appendStruct().child("x").append(true)
        kept[4].appendList(0)
        val array = batch.build()
        shouldThrow<IllegalStateException> { kept[0].append(2L) }
        shouldThrow<IllegalStateException> { kept[1].append("two") }
        shouldThrow<IllegalStateException> { kept[2].append(true) }
        array.asColumn().get(0) shouldBe
            mapOf("c0" to 1L, "c1" to "one", "c2" to false, "c3" to mapOf("x" to true), "c4" to listOf<Any>())
        array.close()
        batch.close()
        for (column in kept) {
            shouldThrow<IllegalStateException> { column.setNulls { true } }
            shouldThrow<IllegalStateException> { column.appendNull() }
        }
        shouldThrow<IllegalStateException> { batch.column(item) }
        shouldThrow<IllegalStateException> { batch.build() }
    }

    test("a column cannot be read after its handle is closed") {
        val array = BatchBuilder.of(Devices.cpu(), 2).use { it.utf8("t", listOf("a", null)).build() }
        val column = array.column("t")
        column.nullCount() shouldBe 1
        array.close()
        shouldThrow<IllegalStateException> { column.nullCount() }
        shouldThrow<IllegalStateException> { column.isNull(0) }
        shouldThrow<IllegalStateException> { column.getString(0) }
    }
})
