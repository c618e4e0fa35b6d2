// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.fake.FakeDevice
import org.arbalest.support.fake.FakeExtension

/** The devices whose streams a copy or a concatenation accepts or refuses. */
class DeviceStreamChoiceSpec : FunSpec({
    extension(ResourceCountersExtension)
    extension(FakeExtension)

    val cpu = Devices.cpu()
    val device by lazy { Devices.device(DeviceType.EXT_DEV, 0) }
    val pinned by lazy { Devices.device(DeviceType.CUDA_HOST, 0) }

    fun text(rows: Int): RecordBatch = BatchBuilder.of(cpu, rows).use { batch ->
        batch.int64("id", LongArray(rows) { it.toLong() }).utf8("text", List(rows) { "row $it" }).build()
    }

    test("a CPU stream copies between host memories, and between host memory and a device [DEV-21]") {
        val rows = LongArray(10) { it.toLong() }
        fun RecordBatch.rows() = copyTo(cpu).use { it.synchronize(); it.column("id").toLongArray() }
        fun MemoryManager.text() = text(10).use { it.copyTo(this, device().defaultStream()) }.also { it.synchronize() }
        val hosts = listOf(pinned.memory(), device.hostMemory().get())
        for (from in hosts) for (to in hosts) {
            from.text().use { array -> array.copyTo(to, cpu.defaultStream()).use { it.rows() shouldBe rows } }
        }
        hosts[0].text().use { array ->
            array.copyTo(device, cpu.defaultStream()).use { there ->
                there.rows() shouldBe rows
                there.copyTo(hosts[0], cpu.defaultStream()).use { it.rows() shouldBe rows }
                shouldThrow<IllegalArgumentException> { there.copyTo(device, cpu.defaultStream()) }.message shouldBe
                    "a stream of CPU was given for a copy on EXT_DEV:0; use a stream of a device that takes part"
            }
        }
    }

    test("concat rejects the stream of a third device before it queues work, and names all devices [DEV-21]") {
        val other = Devices.device(DeviceType.EXT_DEV, 1)
        text(10).use { here ->
            here.copyTo(device).use { there ->
                other.createStream().use { stream ->
                    fun refused(route: String, arrays: List<RecordBatch>, to: Device) {
                        shouldThrow<IllegalArgumentException> {
                            DeviceArray.concat(arrays, to.memory(), stream)
                        }.message shouldBe
                            "a stream of EXT_DEV:1 was given for a concatenation of arrays on $route; use a stream " +
                            "of a device that takes part"
                    }
                    refused("EXT_DEV:0, CPU, to EXT_DEV:0", listOf(there, here, there), device)
                    refused("EXT_DEV:0, to CPU", listOf(there, there), cpu)
                    refused("CPU, to EXT_DEV:0", listOf(here), device)
                    FakeDevice.of(DeviceType.EXT_DEV, 1).pending(stream) shouldBe 0
                    DeviceArray.concat(listOf(there, here), other.memory(), stream).use { it.synchronize() }
                    there.copyTo(other).use { third ->
                        DeviceArray.concat(listOf(there, third), cpu.memory(), stream).use { it.length() shouldBe 20 }
                    }
                }
            }
        }
    }
})
