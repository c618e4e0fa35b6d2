// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.devices

import kotlinx.coroutines.runBlocking
import org.arbalest.coroutines.*
import org.arbalest.device.*

fun main() = runBlocking {
    print(Devices.describe()) // each device, and why each other kind is missing
    val gpu = firstGpu()
    Devices.cpu().batch { float64("price", doubleArrayOf(1.5, 2.0, 4.25)) }.use { batch ->
        println("total: ${totalAfter(gpu, batch)}, after a copy to $gpu and back")
    }
}

fun firstGpu(): Device {
    for (type in listOf(DeviceType.CUDA, DeviceType.ROCM, DeviceType.OPENCL))
        if (Devices.availability(type) is Availability.Ready) return Devices.device(type, 0)
    return Devices.cpu() // without a GPU, the program still runs
}

suspend fun totalAfter(gpu: Device, batch: RecordBatch): Double =
    gpu.createStream().use { stream ->
        batch.copyTo(gpu, stream).use { onGpu -> // queued
            onGpu.copyTo(Devices.cpu(), stream).use { back -> // queued behind the first copy
                back.await() // suspends until the second copy is done
                back["price"].doubles().sum()
            }
        }
    }
