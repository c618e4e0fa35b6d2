// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.gpu

import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.funSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.Devices
import org.arbalest.device.tensors.DLPack
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import java.lang.foreign.ValueLayout.JAVA_LONG

private const val ROWS = 1000L

/** The contract of the runtime's default stream, in which a producer works that knows no streams. */
fun defaultStreamContract(backend: GpuBackend): TestFactory = funSpec {
    val device by lazy { backend.gpu(0) }
    val cpu = Devices.cpu()

    for (form in DLPack.entries) test("$form: a tensor without a stream is ready after the default stream [DLP-15]") {
        device.wrapStream(0).use { producer ->
            cpu.allocate(8 * ROWS).use { here ->
                for (i in 0 until ROWS) here.segment().setAtIndex(JAVA_LONG, i, 3 * i)
                val there = device.allocate(here.size())
                val gate = backend.gate(producer)
                here.copyTo(device.memory()).use { producer.copy(it, there) }
                val data = ArrayData.of(ROWS, 0, listOf(null, there))
                // this export stands for a producer that queued the copy, and adds no wait
                val tensor = form.exportTensor(DeviceArray.of(Field.of("a", DataType.INT64), data))
                form.importTensor(tensor).use { array ->
                    array.isReady shouldBe false
                    device.createStream().use { other ->
                        array.copyTo(cpu, other).use { back ->
                            gate.open()
                            back.synchronize()
                            back.asColumn().toLongArray().toList() shouldBe List(ROWS.toInt()) { 3L * it }
                        }
                    }
                }
            }
        }
    }
}
