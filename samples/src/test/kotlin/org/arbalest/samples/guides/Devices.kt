// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides

import org.arbalest.coroutines.*
import org.arbalest.device.*
import org.arbalest.device.DeviceType
import org.arbalest.device.sharing.*
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.nio.channels.SocketChannel
import java.util.UUID

// Memory and processes: the snippets of docs/guides/devices.md, and calls of docs/devices-reference.md.

fun find(uuid: String, pciBusId: String): Device {
    val gpu = Devices.device(DeviceType.CUDA, UUID.fromString(uuid)) // from nvidia-smi -L, without GPU-
    val same = Devices.deviceAt(DeviceType.CUDA, pciBusId) // as nvidia-smi or lspci prints it
    check(gpu == same) { "$uuid is $gpu, and at $pciBusId is $same" }
    return gpu
}

fun allocate(gpu: Device, bytes: Long): String {
    val managed = Devices.device(DeviceType.CUDA_MANAGED, gpu.id()) // a device type of its own, with the GPU's id
    return gpu.createStream().use { stream ->
        gpu.allocate(bytes).use { own ->
            gpu.hostMemory().orElseThrow().allocate(bytes).use { pinned ->
                managed.allocate(bytes).use { both ->
                    stream.memory().allocate(bytes).use { ordered -> // closing it frees it in stream order
                        pinned.segment().fill(1)
                        stream.copy(pinned, own)
                        stream.copy(own, both)
                        stream.copy(own, ordered)
                        stream.synchronize()
                        "$own, $pinned, $both, $ordered"
                    }
                }
            }
        }
    }
}

fun bounded(gpu: Device, batch: RecordBatch, limit: Long): MeteredMemory.Statistics {
    val memory = gpu.memory().limited(limit) // counts the allocations of this manager
    return batch.copyTo(memory, gpu.defaultStream()).use { there ->
        // ENOMEM with the numbers if the copy exceeds the limit
        there.synchronize()
        memory.statistics() // bytes in buffers now, their peak, their total
    }
}

fun pinned(gpu: Device, table: MemorySegment, to: DeviceBuffer, stream: DeviceStream, arena: Arena) {
    gpu.pin(table) { arena.close() }.use { buffer -> // the callback runs when the table may be freed
        stream.copy(buffer, to) // as fast as from hostMemory()
    } // does not wait: pinned until the callback runs
}

fun give(gpu: Device, batch: RecordBatch, socket: SocketChannel) {
    val memory = gpu.shareableMemory().orElseThrow()
    ArrayLink.over(socket).use { link -> // the link owns the socket, and closes it
        // send consumes the copy; its memory stays until the other process releases it
        batch.copyTo(memory, gpu.defaultStream()).use { link.send(it) }
    }
}

fun take(socket: SocketChannel): Double {
    var total = 0.0
    ArrayLink.over(socket).use { link ->
        while (true) (link.receive() ?: break).use { array ->
            array.asRecordBatch().copyTo(Devices.cpu()).use { here ->
                here.synchronize()
                total += here["price"].doubles().sum()
            }
        }
    }
    return total
}
