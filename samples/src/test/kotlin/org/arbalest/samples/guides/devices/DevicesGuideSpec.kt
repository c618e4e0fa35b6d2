// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.devices

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import kotlinx.coroutines.runBlocking
import org.arbalest.coroutines.await
import org.arbalest.coroutines.batch
import org.arbalest.coroutines.int64
import org.arbalest.device.Device
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceStream
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.samples.captured
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.SkipWithout
import org.jocl.CL
import org.jocl.cl_kernel

private typealias Scaled = (RecordBatch, cl_kernel, Long, DeviceStream) -> DeviceArray

/** The program at the start of the guide to devices, run on the devices of this machine. */
class DevicesGuideSpec : FunSpec({
    extension(ResourceCountersExtension)

    val programs = mapOf("Kotlin" to { main() }, "Java" to { GpuTotal.main(arrayOf()) })
    for ((language, program) in programs) {
        test("$language: the program lists the devices, and its batch comes back from one of them") {
            val run = captured { program().let { 0 } }
            run.output shouldContain "CPU: "
            run.output shouldContain "total: 7.75, after a copy to "
        }
    }
})

/** The kernel of the guide to devices, run on an OpenCL device. */
class KernelGuideSpec : FunSpec({
    extension(SkipWithout.device(DeviceType.OPENCL))
    extension(ResourceCountersExtension)

    val device by lazy { Devices.device(DeviceType.OPENCL, 0) }

    for ((language, scaled) in mapOf<String, Scaled>("Kotlin" to ::scaled, "Java" to KernelGuideJava::scaled)) {
        fun kernelOf(): cl_kernel =
            if (language == "Java") KernelGuideJava.compile(device, SCALE, "scale") else compile(device, SCALE, "scale")

        for (from in listOf(0L, 1L, 3L)) {
            test("$language: a kernel's output array keeps the input's nulls and offset, from row $from on") {
                val cents = listOf(100L, null, 250L, 7L)
                val kernel = kernelOf()
                try {
                    doubledOn(device, cents, from, kernel, scaled) shouldBe
                        cents.drop(from.toInt()).map { it?.let { cent -> 2 * cent } }
                } finally {
                    CL.clReleaseKernel(kernel)
                }
            }
        }

        test("$language: no kernel is queued for an array without rows") {
            val kernel = kernelOf()
            try {
                doubledOn(device, listOf(), 0, kernel, scaled) shouldBe listOf()
            } finally {
                CL.clReleaseKernel(kernel)
            }
        }
    }

    test("Kotlin: a batch is copied to the device, passes the kernel and is copied back") {
        Devices.cpu().batch { int64("cents", listOf(100L, null, 7L)) }.use { batch ->
            doubled(batch, device) shouldBe listOf(200L, null, 14L)
        }
    }
})

/**
 * Returns the doubled column of a slice on the device. Each input is closed immediately, while the kernel may still
 * run.
 */
private fun doubledOn(
    device: Device,
    cents: List<Long?>,
    from: Long,
    kernel: cl_kernel,
    scaled: Scaled,
): List<Any?> = device.createStream().use { stream ->
    val onDevice = Devices.cpu().batch { int64("cents", cents) }.use { it.copyTo(device, stream) }
    val slice = onDevice.use { it.slice(from, cents.size - from) }
    val result = slice.use { scaled(it, kernel, 2, stream) }
    val here = result.use { it.copyTo(Devices.cpu(), stream) }
    here.use {
        runBlocking { it.await() }
        it.asColumn().toList()
    }
}
