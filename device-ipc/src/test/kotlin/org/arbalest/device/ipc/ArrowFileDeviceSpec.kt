// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatchReader
import org.arbalest.support.EveryType
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.fake.FakeDevice
import org.arbalest.support.fake.FakeExtension

/** Files of batches that are on a device, and reading into memory that a device shares. */
class ArrowFileDeviceSpec : FunSpec({
    extension(FakeExtension)
    extension(ResourceCountersExtension)
    val folder = tempdir().toPath()

    fun device() = Devices.device(DeviceType.EXT_DEV, 0)

    test("a batch on a device is written by the transfer that copyTo makes [FIL-12]") {
        val device = device()
        val fake = FakeDevice.of(DeviceType.EXT_DEV, 0)
        EveryType.batch(0, 30).use { here ->
            here.copyTo(device).use { there ->
                there.synchronize()
                fake.reset()
                there.copyTo(Devices.cpu()).use { it.synchronize() }
                val needed = fake.copies()
                fake.reset()
                val file = folder.resolve("device.arrow")
                val batches = listOf(there.retain())
                ArrowWriter.writeFile(file, RecordBatchReader.of(there.schema(), device.type(), batches))
                fake.copies() shouldBe needed
                ArrowFile.open(file).use { it.batch(0).use { read -> read.difference(here).shouldBeNull() } }
            }
        }
        fake.violations() shouldHaveSize 0
    }

    test("a file is read into memory that a device shares, and copied ahead to the device [FIL-12]") {
        val device = device()
        val file = folder.resolve("shared.arrow")
        EveryType.batch(0, 30).use { here ->
            ArrowWriter.file(file, here.schema(), IpcWriteOptions.defaults()).use { writer ->
                repeat(5) { writer.write(here) }
                writer.finish()
            }
            val pinned = device.hostMemory().get()
            val options = IpcReadOptions.defaults().withMemory(pinned)
            ArrowFile.read(file, options).use { it.next()!!.use { batch -> batch.device() shouldBe pinned.device() } }
            device.createStream().use { stream ->
                ArrowFile.read(file, options).copyTo(device.memory(), stream, 2).use { reader ->
                    repeat(5) {
                        reader.next()!!.use { there ->
                            there.device() shouldBe device
                            there.copyTo(Devices.cpu()).use { back ->
                                back.synchronize()
                                back.difference(here).shouldBeNull()
                            }
                        }
                    }
                    reader.next().shouldBeNull()
                }
            }
        }
    }
})
