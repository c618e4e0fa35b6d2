// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.backends

import io.kotest.core.spec.style.FunSpec
import org.arbalest.coroutines.*
import org.arbalest.device.*
import org.arbalest.device.spi.*
import org.arbalest.leakcheck.kotest.LeakExtension
import org.arbalest.testkit.contract.*
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.util.concurrent.ConcurrentHashMap

// The backend of docs/guides/backends.md: a device in main memory, which completes each call before it returns.

class HeapProvider : DeviceProvider {
    override fun types(): List<DeviceType> = listOf(DeviceType.EXT_DEV)

    override fun probe(type: DeviceType): Availability = Availability.Ready(1)

    override fun open(type: DeviceType, id: Long): DeviceDriver = HeapDriver("$type:$id")

    override fun describe(type: DeviceType, id: Long): String = "an example, in main memory"
}

class HeapDriver(private val name: String) : SynchronousDriver {
    private val blocks = ConcurrentHashMap<Long, Arena>()

    override fun isCpuAccessible(): Boolean = true

    override fun allocate(bytes: Long, alignment: Long): Long {
        val arena = Arena.ofShared()
        try {
            return arena.allocate(bytes, alignment).address().also { blocks[it] = arena }
        } catch (e: Throwable) {
            arena.close()
            if (e !is OutOfMemoryError) throw e
            throw DeviceException(Errno.ENOMEM, "heapAlloc on $name failed: asked for $bytes bytes", e)
        }
    }

    override fun free(address: Long, bytes: Long): Unit = blocks.remove(address)!!.close()

    override fun copy(queue: Long, to: Long, from: Long, bytes: Long): Unit =
        MemorySegment.copy(ALL, from, ALL, to, bytes)

    private companion object {
        val ALL: MemorySegment = MemorySegment.NULL.reinterpret(Long.MAX_VALUE)
    }
}

fun main() {
    val device = Devices.device(DeviceType.EXT_DEV, 0)
    Devices.cpu().batch { float64("price", doubleArrayOf(1.5, 2.0, 4.25)) }.use { batch ->
        batch.copyTo(device).use { copy ->
            copy.synchronize()
            println("total: ${copy["price"].doubles().sum()} on ${copy.device()}")
        }
    }
}

class HeapContract : FunSpec({
    extension(LeakExtension()) // each test must release all memory
    include(backendContract(object : Backend {
        override val device by lazy { Devices.device(DeviceType.EXT_DEV, 0) }

        override fun gate(stream: DeviceStream): Gate? = null // this device has no queue that can be held
    }))
})
