// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.contract

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.funSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.Device
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.ArrowDeviceArrayStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.ADDRESS
import java.lang.foreign.ValueLayout.JAVA_LONG

/**
 * Tests with a consumer that works like libcudf: the owner of an imported array calls `release` without a wait
 * (cpp/src/interop/from_arrow_device.cu). It takes each null count above 0 for nulls, and every other one for none
 * (`column_view::has_nulls`, cpp/include/cudf/column/column_view.hpp).
 */
internal fun cudfContract(backend: Backend): TestFactory = funSpec {
    val device by lazy { backend.device }

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

private fun array(device: Device): DeviceArray = numbers(100).use { it.copyTo(device) }.also { it.synchronize() }

/** The counts of [nulls]' rows 1 to 4: the batch, `a`, the list, its items. */
private val SLICE_COUNTS = listOf(0L, 2L, 1L, 1L)

/** Creates five rows with nulls in a column, and in a list and its items. */
private fun nulls(): DeviceArray = BatchBuilder.of(Devices.cpu(), 5).use { batch ->
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

/** A consumer that owns an exported array. Closing it releases the array without a wait. */
internal class CudfPeer(array: DeviceArray, options: CExport) : AutoCloseable {
    private val arena = Arena.ofShared()
    private val struct = ArrowDeviceArrayStruct.allocate(arena).also { out ->
        try {
            CData.exportArray(array, out, options)
        } catch (e: Throwable) {
            arena.close()
            throw e
        }
    }

    /** The null count of each array, depth first. */
    val nullCounts: List<Long> get() = counts(struct)

    private fun counts(array: MemorySegment): List<Long> {
        val size = ArrowArrayStruct.LAYOUT.byteSize()
        val children = ArrowArrayStruct.nChildren(array)
        val list = ArrowArrayStruct.children(array).reinterpret(children * ADDRESS.byteSize())
        return listOf(ArrowArrayStruct.nullCount(array)) +
            (0 until children).flatMap { counts(list.getAtIndex(ADDRESS, it).reinterpret(size)) }
    }

    /** The values of the first column. */
    fun read(device: Device): DeviceBuffer {
        val child = ArrowArrayStruct.children(struct).reinterpret(8).get(ADDRESS, 0)
            .reinterpret(ArrowArrayStruct.LAYOUT.byteSize())
        val values = ArrowArrayStruct.buffers(child).reinterpret(16).getAtIndex(ADDRESS, 1).address()
        return DeviceBuffer.wrap(device, values, 8 * ArrowArrayStruct.length(child)) {}
    }

    override fun close() {
        NativeThread.release(struct) shouldBe true
        arena.close()
    }
}
