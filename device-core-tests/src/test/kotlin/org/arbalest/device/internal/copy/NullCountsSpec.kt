// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.support.SharingFake
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.support.ResourceCountersExtension
import java.util.concurrent.atomic.AtomicInteger

/** The size of a bitmap that no main memory can receive, in bytes. */
private const val TOO_LARGE = 1L shl 48

/** Failures while nulls are counted. Specs of the backends count on devices. */
class NullCountsSpec : FunSpec({
    extension(ResourceCountersExtension)

    test("without main memory for the bitmap the count fails with ENOMEM, and all but the array is released [ARR-22]") {
        val device = Devices.device(SharingFake.TYPE, 0)
        val freed = AtomicInteger()
        val (bitmap, values) = List(2) {
            DeviceBuffer.wrap(device, 4096, TOO_LARGE) { freed.incrementAndGet() }
        }
        val data = ArrayData.of(8 * TOO_LARGE, -1, listOf(bitmap, values))
        DeviceArray.of(Field.of("n", DataType.BOOL), data).use { array ->
            device.createStream().use { stream ->
                repeat(2) { shouldThrow<DeviceException> { array.countNulls(stream) }.errno() shouldBe Errno.ENOMEM }
            }
            freed.get() shouldBe 0
        }
        freed.get() shouldBe 2
    }
})
