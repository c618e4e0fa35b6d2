// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldStartWith
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.objects.Records
import org.arbalest.device.statistics.Statistics
import org.arbalest.device.support.struct
import org.arbalest.device.tensors.DLPack
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.device.types.NestedType.UnionType
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.EveryType
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import org.arbalest.support.fake.FakeExtension
import org.arbalest.support.withNullRows
import org.arbalest.testkit.contract.eventually
import java.lang.foreign.Arena

/**
 * Batches with null rows, which are null in the batch's own bitmap, and the treatment of these rows when a batch is
 * split into columns.
 */
class DeviceArrayNullRowsSpec : FunSpec({
    extension(CCompiler.needed)
    extension(FakeExtension)
    extension(ResourceCountersExtension)

    val cpu = Devices.cpu()
    val number = Field.of("v", DataType.INT64)

    fun batch(field: Field = number): RecordBatch = BatchBuilder.of(cpu, 3).use { batch ->
        batch.column(field).append(1).append(42).append(3)
        batch.build()
    }

    fun nullRow(field: Field = number, isCounted: Boolean = true): RecordBatch =
        batch(field).withNullRows(1, isCounted = isCounted)

    fun column(name: String): RecordBatch = EveryType.batch(0, 20).use { whole ->
        whole.convertTo(whole.schema().select(name).asField())
    }

    fun refused(what: String, block: () -> Unit) {
        val before = ResourceCounters.now()
        val thrown = shouldThrow<DeviceException> { block() }
        thrown.errno() shouldBe Errno.EINVAL
        thrown.message!! shouldStartWith what
        ResourceCounters.now() shouldBe before
    }

    val cuts = listOf(0 to 60, 0 to 1, 1 to 59, 7 to 9, 8 to 16, 13 to 1, 21 to 30, 60 to 0)
    val own = (0 until 60).filter { it % 5 == 1 || it in 30..33 }.toIntArray()

    for (isCounted in listOf(true, false)) {
        test(
            "pushDownNulls makes null rows into nulls of every column with a bitmap, null count known: $isCounted " +
                "[REQ-21]",
        ) {
            val kept = EveryType.fields.filter { it.type() !is UnionType && it.type() !is RunEndEncodedType }
            val all = EveryType.batch(0, 60).use { it.convertTo(Schema.of(kept).asField()) }
            val nothing = kept.associate { it.name() to null }
            val expected = EveryType.rows(all).mapIndexed { row, values -> if (row in own) nothing else values }
            all.withNullRows(*own, isCounted = isCounted).use { batch ->
                for ((from, count) in cuts) withClue("$count from $from") {
                    batch.slice(from.toLong(), count.toLong()).use { cut ->
                        cut.pushDownNulls().use { pushed ->
                            pushed.field() shouldBe batch.field()
                            pushed.validate(Validation.FULL)
                            EveryType.rows(pushed) shouldBe expected.subList(from, from + count)
                            pushed.asColumn().nullCount() shouldBe 0
                        }
                        for (i in kept.indices) cut.pushDownNulls().use { it.retainChild(i) }.use {
                            EveryType.rows(it) shouldBe expected.subList(from, from + count).map { row ->
                                (row as Map<*, *>)[kept[i].name()]
                            }
                        }
                    }
                }
            }
        }
    }

    test("after pushDownNulls a batch exports no bitmap and no offset, and its columns have the right rows [REQ-21]") {
        for ((from, count) in listOf(0L to 3L, 1L to 2L, 2L to 1L)) Arena.ofConfined().use { arena ->
            val out = arena.struct(StructKind.ARRAY)
            CData.exportArray(nullRow(isCounted = false).use { whole ->
                whole.slice(from, count).use { it.pushDownNulls() }
            }, out, CExport.DATA)
            listOf(RawArrowArray.buffer(out.address(), 0), RawArrowArray.nullCount(out.address()),
                RawArrowArray.offset(out.address())) shouldBe listOf(0L, 0L, 0L)
            CData.importBatch(out, CImport.DATA.schema(Schema.of(number))).use {
                it.column(0).toList() shouldBe listOf(1L, null, 3L).subList(from.toInt(), (from + count).toInt())
            }
        }
    }

    test("pushDownNulls also removes a bitmap whose null count is 0 [REQ-21]") {
        Arena.ofConfined().use { arena ->
            val out = arena.struct(StructKind.ARRAY)
            CData.exportArray(batch().withNullRows().use { whole -> whole.slice(1, 2).use { it.pushDownNulls() } },
                out, CExport.DATA)
            listOf(RawArrowArray.buffer(out.address(), 0), RawArrowArray.offset(out.address())) shouldBe listOf(0L, 0L)
            CData.importBatch(out, CImport.DATA.schema(Schema.of(number))).use {
                it.column(0).toList() shouldBe listOf(42L, 3L)
            }
        }
    }

    test("pushDownNulls copies nothing if no row is null, and otherwise only bitmaps [REQ-21]") {
        batch().use { whole ->
            whole.pushDownNulls().use {
                Conversion.of(it) shouldBe null
                it.column(0).bufferAddress(1) shouldBe whole.column(0).bufferAddress(1)
            }
        }
        nullRow().use { whole ->
            whole.pushDownNulls().use {
                Conversion.of(it) shouldBe Conversion(1, 1, 1)
                it.column(0).bufferAddress(1) shouldBe whole.asColumn().column(0).bufferAddress(1)
            }
        }
        shouldThrow<IllegalArgumentException> {
            batch().use { whole -> whole.retainChild(0).use { it.asRecordBatch() } }
        }.message shouldBe "a record batch is an array of structs, but this is an array of v: int64"
    }

    test("pushDownNulls rejects a null row only if it is in the slice and a column cannot hold nulls [REQ-21]") {
        for (name in listOf("sparse_union", "dense_union", "runs")) column(name).withNullRows(7).use { batch ->
            refused("$.$name: row 7 of the batch is null in the batch's own bitmap, but ") { batch.pushDownNulls() }
            batch.slice(8, 10).use { cut ->
                cut.pushDownNulls().use {
                    it.column(0).toList() shouldBe batch.asColumn().column(0).toList().subList(8, 18)
                }
            }
        }
        val strict = number.withNullable(false)
        nullRow(strict).use { batch ->
            refused("$.v: row 1 of the batch is null in the batch's own bitmap, but this column is not nullable: " +
                "call convertTo with a schema in which it is") { batch.pushDownNulls() }
            batch.convertTo(batch.field().withType(DataType.struct(number))).use { wide ->
                wide.pushDownNulls().use { it.column("v").toList() shouldBe listOf(1L, null, 3L) }
            }
        }
    }

    test("a batch with null rows rejects column() by index and by name, but asColumn().column() works [REQ-21]") {
        for (isCounted in listOf(true, false)) nullRow(isCounted = isCounted).use { batch ->
            for (read in listOf({ batch.column(0) }, { batch.column("v") })) {
                refused("the batch has 1 null row in its own bitmap only, not in its columns: " +
                    "pushDownNulls() returns") { read() }
            }
            batch.asColumn().column("v").toList() shouldBe listOf(1L, 42L, 3L)
            batch.slice(2, 1).use { it.column("v").toList() shouldBe listOf(3L) }
        }
    }

    test(
        "retainChild returns the stored values; after pushDownNulls it has the nulls, and a tensor rejects it " +
            "[REQ-21]",
    ) {
        nullRow().use { batch ->
            batch.retainChild(0).use { child ->
                child.asColumn().toList() shouldBe listOf(1L, 42L, 3L)
                Conversion.of(child) shouldBe null
            }
            batch.pushDownNulls().use { it.retainChild(0) }.use { child ->
                child.asColumn().toList() shouldBe listOf(1L, null, 3L)
                refused("$.v: 1 of 3 values are null, but a tensor has no " +
                    "nulls") { DLPack.VERSIONED.exportTensor(child) }
            }
        }
    }

    test("for a null row, Records throws, toString prints null, and Statistics omits the columns [REQ-21]") {
        nullRow().use { batch ->
            shouldThrow<NoSuchElementException> { Records.of(Numbered::class.java).toList(batch) }
                .message shouldContain "row 1"
            batch.toString().lines().drop(4) shouldBe listOf("    1", "null", "    3")
            Statistics.compute(batch).let { statistics ->
                statistics.whole().rowCount().asLong shouldBe 3
                statistics.columns().isEmpty() shouldBe true
                statistics.toArray().withNullRows(0).use { refused("row 0: is null") { Statistics.of(it) } }
            }
        }
    }

    test("a copy, a concatenation, a conversion and compact() keep the null rows of a batch [REQ-21]") {
        nullRow().use { batch ->
            val wide = batch.field().withType(DataType.struct(number.withName("v")))
            for (kept in listOf(batch.copyTo(cpu), DeviceArray.concat(listOf(batch)), batch.convertTo(wide),
                batch.compact())) kept.use { it.difference(batch) shouldBe null }
            batch.pushDownNulls().use { it.difference(batch) shouldBe "[1]: {v: null}, and null" }
        }
    }

    test("a reader's pushDownNulls converts each pulled batch, and a rejected batch fails the stream [REQ-21]") {
        val schema = nullRow().use { it.schema() }
        RecordBatchReader.of(schema, listOf(nullRow(), nullRow(isCounted = false))).pushDownNulls().use { reader ->
            reader.schema() shouldBe schema
            repeat(2) { reader.next()!!.use { it.column("v").toList() shouldBe listOf(1L, null, 3L) } }
            reader.next() shouldBe null
        }
        val strict = nullRow(number.withNullable(false))
        RecordBatchReader.of(strict.schema(), listOf(strict)).pushDownNulls().use { reader ->
            repeat(2) {
                shouldThrow<DeviceException> { reader.next() }.message!! shouldStartWith
                    "$.v: row 1 of the batch is null"
            }
        }
        Arena.ofConfined().use { arena ->
            val out = arena.struct(StructKind.STREAM)
            CData.exportStream(DeviceArrayReader.of(number, DeviceType.CPU) { null }, out, CExport.DATA)
            val thrown = shouldThrow<DeviceException> { CData.importStream(out, CImport.DATA) }
            thrown.errno() shouldBe Errno.EINVAL
            thrown.message shouldContain "a stream of record batches has arrays of structs"
        }
    }

    test("pushDownNulls on a device fails with ENOSYS, unless the null count of the batch is 0 [REQ-21]") {
        val device = Devices.device(DeviceType.EXT_DEV, 0)
        nullRow().use { it.copyTo(device) }.use { there ->
            there.synchronize()
            eventually("the copy has released its source") { ResourceCounters.now().waits() == 0L }
            shouldThrow<DeviceException> { there.pushDownNulls() }.errno() shouldBe Errno.ENOSYS
            there.retainChild(0).close()
            refused("the batch has 1 null row in its own bitmap only") { there.column(0) }
            there.slice(0, 1).use { cut ->
                shouldThrow<DeviceException> { cut.column(0) }.errno() shouldBe Errno.ENOSYS
            }
        }
        batch().use { it.copyTo(device) }.use { there ->
            there.pushDownNulls().use { Conversion.of(it) shouldBe null }
            there.retainChild(0).close()
            there.column(0).bufferAddress(1) shouldBe there.asColumn().column(0).bufferAddress(1)
        }
    }
}) {
    @JvmRecord
    data class Numbered(val v: Long?)
}
