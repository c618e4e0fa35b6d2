// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.contract

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.funSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Device
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.ArrowDeviceArrayStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.columns.Column
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.IntType
import org.arbalest.device.types.NestedType
import org.arbalest.device.types.Schema
import java.lang.foreign.Arena
import java.lang.foreign.ValueLayout.JAVA_LONG

/**
 * Tests with a consumer that works like libcudf: the owner of an imported array calls `release` without a wait
 * (cpp/src/interop/from_arrow_device.cu). It takes each null count above 0 for nulls, and every other one for none
 * (`column_view::has_nulls`, cpp/include/cudf/column/column_view.hpp). It rejects dictionaries with unsigned indices
 * ("cudf dictionary requires a signed type for the indices", from_arrow_device.cu).
 */
internal fun cudfContract(backend: Backend): TestFactory = funSpec {
    val device by lazy { backend.device }

    /** Copies a batch to the device, converts two rows there, and checks the result's column in main memory. */
    fun converted(batch: RecordBatch, start: Long, field: Field, check: (Column) -> Unit) {
        batch.use { it.copyTo(device) }.use { it.slice(start, 2) }.use { slice ->
            slice.convertTo(field).use { it.copyTo(Devices.cpu()) }.use { here ->
                here.synchronize()
                check(here.column(0))
            }
        }
    }

    test("cudf: a consumer that takes an unknown null count for 0 finds the nulls of a copied slice [ARR-22]") {
        nulls().use { it.slice(1, 4) }.use { it.copyTo(device) }.use { array ->
            array.synchronize()
            CudfPeer(array, CExport.DEVICE).use { it.nullCounts shouldBe SLICE_COUNTS }
        }
    }

    test("cudf: on request a slice on the device is exported with all its null counts [ARR-22]") {
        device.createStream().use { stream ->
            nulls().use { it.copyTo(device, stream) }.use { it.slice(1, 4) }.use { slice ->
                backend.held(stream) { gate ->
                    gate?.open()
                    CudfPeer(slice.retain(), CExport.DEVICE.countNulls(stream))
                        .use { it.nullCounts shouldBe SLICE_COUNTS }
                }
                slice.countNulls(stream).use { counted ->
                    CudfPeer(counted.retain(), CExport.DEVICE).use { it.nullCounts shouldBe SLICE_COUNTS }
                    counted.fetch() shouldBe slice.fetch()
                }
                val options = CExport.DEVICE.requested(slice.field()).countNulls(stream)
                CudfPeer(slice.retain(), options).use { it.nullCounts shouldBe SLICE_COUNTS }
            }
        }
    }

    test("cudf: memory that a consumer releases under its queued work stays until the work is done [OWN-22]") {
        device.createStream().use { consumer ->
            val array = numbers(65_536).use { it.copyTo(device) }
            array.synchronize()
            device.allocate(8 * 65_536).use { end ->
                val before = settled()
                backend.held(consumer) { gate ->
                    val peer = CudfPeer(array, CExport.DEVICE.consumerStream(consumer))
                    peer.read(device).use { consumer.copy(it, end) }
                    consumer.record().use { read ->
                        peer.close()
                        repeat(20) { array(device).close() } // would free the memory, if it was regarded as unused
                        eventually("the other arrays are freed") { Held.now().run { waits() <= 2 && arrays() <= 1 } }
                        ResourceCounters.now().since(before).run { exports() to arrays() } shouldBe
                            if (gate == null) 0L to -1L else 0L to 0L
                        gate?.open()
                        read.synchronize()
                    }
                    eventually("the memory is freed") {
                        ResourceCounters.now().since(before).run { arrays() == -1L && waits() == 0L }
                    }
                }
                end.copyTo(Devices.cpu().memory()).use { it.segment().getAtIndex(JAVA_LONG, 9_999) shouldBe 29_997 }
            }
        }
    }

    for ((own, signed) in SIGNED) {
        test("cudf: a dictionary with indices of ${own.bits()} bits is refused if unsigned, and else taken [REQ-23]") {
            enums(own, 3).use { it.copyTo(device) }.use { array ->
                array.synchronize()
                shouldThrow<IllegalStateException> { CudfPeer(array.retain(), CExport.DEVICE) }.message shouldContain
                    "dictionary 'e' has indices of uint${own.bits()}"
                CudfPeer(array.retain(), CExport.DEVICE.requested(enumSchema(signed))).use { peer ->
                    peer.field.type() shouldBe enumSchema(signed).asField().type()
                    peer.readEnums(device, signed) shouldBe listOf("v2", null, "v0", "v1", "v2")
                }
            }
        }
    }

    test("cudf: indices beyond the signed range are widened before they are copied to a GPU [REQ-10, REQ-23]") {
        val wide = CExport.DEVICE.requested(enumSchema(DataType.INT16))
        enums(DataType.UINT8, 200).use { here ->
            here.copyTo(device).use { array ->
                array.synchronize()
                if (device.isCpuAccessible) {
                    CudfPeer(array.retain(), wide).use { it.readEnums(device, DataType.INT16)[0] shouldBe "v199" }
                } else {
                    shouldThrow<DeviceException> { CudfPeer(array, wide) }.run {
                        errno() shouldBe Errno.ENOSYS
                        message shouldContain "copy the array to the CPU first, with copyTo"
                    }
                }
            }
            here.convertTo(enumSchema(DataType.INT16).asField()).use { it.copyTo(device) }.use { array ->
                array.synchronize()
                CudfPeer(array.retain(), CExport.DEVICE).use {
                    it.readEnums(device, DataType.INT16) shouldBe listOf("v199", null, "v0", "v1", "v199")
                }
            }
        }
    }

    test("cudf: conversions that read no value take a slice from any row [REQ-10, REQ-23]") {
        val signed = enumSchema(DataType.INT8).asField()
        val always = Schema.of(Field.of("b", DataType.BOOL).withNullable(false)).asField()
        for (start in 1L..3L) {
            converted(enums(DataType.UINT8, 3), start, signed) { column ->
                List(2) { row -> if (column.isNull(row.toLong())) null else column.getString(row.toLong()) } shouldBe
                    listOf("v2", null, "v0", "v1", "v2").drop(start.toInt()).take(2)
            }
            converted(odd(20), start, always) { column -> column.getBoolean(0) shouldBe (start % 2 == 1L) }
        }
    }

    test("cudf: an export whose bitmaps another device's stream cannot count leaves the array open [ARR-22]") {
        if (device.isCpuAccessible || device.type() == DeviceType.CPU) return@test
        nulls().use { it.copyTo(device) }.use { it.slice(1, 4) }.use { slice ->
            Arena.ofConfined().use { arena ->
                val out = ArrowDeviceArrayStruct.allocate(arena)
                shouldThrow<IllegalArgumentException> {
                    CData.exportArray(slice, out, CExport.DEVICE.countNulls(Devices.cpu().defaultStream()))
                }
                slice.length() shouldBe 4
            }
        }
    }
}

private fun array(device: Device): RecordBatch = numbers(100).use { it.copyTo(device) }.also { it.synchronize() }

/** The counts of [nulls]' rows 1 to 4: the batch, `a`, the list, its items. */
private val SLICE_COUNTS = listOf(0L, 2L, 1L, 1L)

/** Creates five rows with nulls in a column, and in a list and its items. */
private fun nulls(): RecordBatch = BatchBuilder.of(Devices.cpu(), 5).use { batch ->
    val a = batch.column(Field.of("a", DataType.INT64))
    for (value in listOf(null, 1L, null, 3L, null)) if (value == null) a.appendNull() else a.append(value)
    val lists = batch.column(Field.of("l", NestedType.ListType(Field.of("item", DataType.INT32))))
    for (row in 0L until 5) {
        if (row == 3L) {
            lists.appendNull()
            continue
        }
        lists.appendList(1)
        if (row % 2 == 0L) lists.items().append(row) else lists.items().appendNull()
    }
    batch.build()
}

/** Creates a batch of booleans without nulls, which says of each row whether its number is odd. */
private fun odd(rows: Int): RecordBatch = BatchBuilder.of(Devices.cpu(), rows).use { batch ->
    val column = batch.column(Field.of("b", DataType.BOOL))
    for (row in 0 until rows) column.append(row % 2 == 1)
    batch.build()
}

/** The unsigned types of indices, as DuckDB's enums have, each with the signed type of the same width. */
private val SIGNED = listOf(
    DataType.UINT8 to DataType.INT8, DataType.UINT16 to DataType.INT16, DataType.UINT32 to DataType.INT32,
    DataType.UINT64 to DataType.INT64,
)

private fun enumSchema(index: IntType) = Schema.of(Field.of("e", DataType.dictionary(index, DataType.UTF8)))

/** Creates five rows of a dictionary with [count] texts: the last, a null, the first, the second, the last. */
private fun enums(index: IntType, count: Int): RecordBatch = BatchBuilder.of(Devices.cpu(), 5).use { batch ->
    val column = batch.column(enumSchema(index).fields().single())
    for (value in 0 until count) column.dictionary().append("v$value")
    for (row in listOf(count - 1, -1, 0, 1, count - 1)) {
        if (row < 0) column.appendNull() else column.appendIndex(row.toLong())
    }
    batch.build()
}
