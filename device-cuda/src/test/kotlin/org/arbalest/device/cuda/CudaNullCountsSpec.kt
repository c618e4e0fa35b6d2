// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.ArrayData
import org.arbalest.device.Device
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import kotlin.random.Random

/** More bits than core copies to main memory. */
internal const val MANY = 8L * (256 shl 10) + 77

/** A struct with nulls and two columns with nulls, whose number is unknown. The content depends on the rows. */
internal fun structWithNulls(rows: Long, device: Device): DeviceArray {
    val random = Random(rows)
    val bytes = (rows + 7) / 8
    fun bitmap() = Devices.cpu().allocate(bytes).use {
        MemorySegment.copy(random.nextBytes(bytes.toInt()), 0, it.segment(), JAVA_BYTE, 0, bytes.toInt())
        it.copyTo(device.memory())
    }
    val children = List(2) { ArrayData.of(rows, -1, listOf(bitmap(), bitmap())) }
    val type = StructType(listOf(Field.of("a", DataType.BOOL), Field.of("b", DataType.BOOL)))
    return DeviceArray.of(Field.of("s", type), ArrayData.of(rows, -1, listOf(bitmap()), children))
}

internal fun nullCounts(array: DeviceArray): List<Long> = ArrayData.of(array).use { data ->
    (data.children() + data).map { it.nullCount() }
}

/** Null counts on a GPU, on the simulator or the driver. */
class CudaNullCountsSpec : FunSpec({
    extension(CCompiler.needed)
    extension(cuda)
    extension(ResourceCountersExtension)
    extension(gates.opened)
    extension(KernelsOnDouble.extension)

    val device by lazy { Devices.device(DeviceType.CUDA, 0) }

    test("a GPU counts the nulls that the CPU counts, in small and in large bitmaps [ARR-22]") {
        for ((rows, start, length) in listOf(Triple(MANY, 13L, MANY - 50), Triple(MANY / 2, 3L, MANY / 2 - 9),
            Triple(100L, 7L, 90L), Triple(9L, 9L, 0L))) {
            fun counts(device: Device) = device.createStream().use { stream ->
                structWithNulls(rows, device).use { it.slice(start, length) }.use { it.countNulls(stream) }
                    .use { nullCounts(it) }
            }
            counts(device) shouldBe counts(Devices.cpu())
        }
    }
})
