// SPDX-License-Identifier: Apache-2.0
package org.arbalest.docs.image

import kotlinx.coroutines.runBlocking
import org.arbalest.coroutines.asFlow
import org.arbalest.coroutines.await
import org.arbalest.coroutines.batch
import org.arbalest.coroutines.doubles
import org.arbalest.coroutines.float64
import org.arbalest.coroutines.get
import org.arbalest.coroutines.rows
import org.arbalest.coroutines.utf8
import org.arbalest.device.Availability.Ready
import org.arbalest.device.DeviceType.OPENCL
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatchReader

/** A row of the batch. */
internal data class Trade(val price: Double, val symbol: String?)

/**
 * The program of the image of `LinkedImageSoakSpec`. It prints the devices, and passes a batch through a flow and, if
 * available, through an OpenCL device.
 */
internal fun main(): Unit = runBlocking {
    println("module: ${Devices::class.java.module}")
    print(Devices.describe())
    val cpu = Devices.cpu()
    val batch = cpu.batch(rows = 3) {
        float64("price") { row -> row + 0.5 }
        utf8("symbol") { row -> if (row == 1) null else "s$row" }
    }
    RecordBatchReader.of(batch.schema(), listOf(batch)).asFlow().collect { received ->
        var sum = 0.0
        received["price"].doubles().forEachValid { _, price -> sum += price }
        println("flow: $sum of ${received.rows<Trade>()}")
        if (Devices.availability(OPENCL) !is Ready) return@collect
        val device = Devices.device(OPENCL, 0)
        device.createStream().use { stream ->
            received.copyTo(device, stream).use { there ->
                there.copyTo(cpu, stream).use { back ->
                    back.await()
                    println("OpenCL: ${back["price"].doubles().toArray().sum()}")
                }
            }
        }
    }
}
