// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.support

import io.kotest.matchers.collections.shouldBeEmpty
import org.arbalest.device.Availability
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceIdentity
import org.arbalest.device.DeviceType
import org.arbalest.device.Errno
import org.arbalest.device.MemoryAllocator
import org.arbalest.device.spi.DeviceDriver
import org.arbalest.device.spi.DeviceProvider
import org.arbalest.device.spi.ProcessSharing
import org.arbalest.device.spi.SynchronousDriver
import org.arbalest.testkit.contract.eventually
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.nio.ByteBuffer
import java.nio.ByteOrder.LITTLE_ENDIAN
import java.util.UUID
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.ConcurrentSkipListMap
import java.util.zip.CRC32C

/**
 * A device in main memory that shares it: whoever says that he is another process opens it here, at the same address.
 */
class SharingFakeProvider : DeviceProvider {
    override fun types(): List<DeviceType> = listOf(SharingFake.TYPE)

    override fun probe(type: DeviceType): Availability = Availability.Ready(1)

    override fun open(type: DeviceType, id: Long): DeviceDriver = SharingFake

    override fun identity(type: DeviceType, id: Long): DeviceIdentity = DeviceIdentity(UUID(18, 7), null, -1)
}

/** What it has handed out, and what is open. */
internal object SharingFake : SynchronousDriver {
    val TYPE = DeviceType(1003)

    private val blocks = ConcurrentSkipListMap<Long, Pair<Arena, Long>>()

    /** How many allocations there are. */
    val live: Int get() = blocks.size

    /** How large they are. */
    fun sizes(): List<Long> = blocks.values.map { it.second }

    /** What is open, by where it begins. */
    val opened: MutableMap<Long, Long> = ConcurrentHashMap()

    /** What was done wrong. */
    val wrong = ConcurrentLinkedQueue<String>()

    /** At the end of a test: all is closed and freed, and nothing was done wrong. */
    fun shouldBeLeft() {
        eventually("all is closed and freed") { live == 0 && opened.isEmpty() }
        wrong.toList().shouldBeEmpty()
    }

    override fun isCpuAccessible() = false

    override fun allocate(bytes: Long, alignment: Long): Long {
        val arena = Arena.ofShared()
        val address = arena.allocate(bytes, alignment).address()
        blocks[address] = arena to bytes
        return address
    }

    override fun free(address: Long, bytes: Long) {
        if (address in opened) wrong += "what is open was freed"
        val (arena, size) = checkNotNull(blocks.remove(address)) { "freed twice" }
        if (size != bytes) wrong += "$bytes bytes were freed of $size"
        arena.close()
    }

    /** What is not there is not touched, and is a mistake. */
    override fun copy(queue: Long, to: Long, from: Long, bytes: Long) {
        for (address in listOf(to, from)) {
            val (begin, block) = blocks.floorEntry(address) ?: continue
            val offset = address - begin
            if (offset < block.second && offset + bytes > block.second) {
                wrong += "$bytes bytes at $offset of ${block.second}"
                return
            }
        }
        val all = MemorySegment.NULL.reinterpret(Long.MAX_VALUE)
        MemorySegment.copy(all, from, all, to, bytes)
    }

    override fun sharing(): ProcessSharing = Sharing

    private object Sharing : ProcessSharing {
        override fun memory(): MemoryAllocator = Memory

        override fun export(address: Long): ProcessSharing.Exported {
            val (begin, block) = checkNotNull(blocks.floorEntry(address))
            return ProcessSharing.Exported(begin, block.second, ByteBuffer.allocate(8).putLong(begin).array())
        }

        override fun open(handle: ByteArray, bytes: Long): Long {
            val address = if (handle.size == 8) ByteBuffer.wrap(handle).getLong() else 0
            val block = blocks[address] ?: throw DeviceException(Errno.EINVAL, "this handle is of nothing")
            if (block.second < bytes) throw DeviceException(Errno.EINVAL,
                "an allocation is said to have $bytes bytes, and has ${block.second}")
            if (opened.put(address, bytes) != null) wrong += "it is open already"
            return address
        }

        override fun close(handle: ByteArray, base: Long, bytes: Long) {
            if (opened.remove(base) != bytes) wrong += "it was not open"
        }
    }

    /** The same, by itself. */
    private object Memory : MemoryAllocator {
        override fun isCpuAccessible() = false

        override fun allocate(bytes: Long, alignment: Long): Long = SharingFake.allocate(bytes, alignment)

        override fun free(address: Long, bytes: Long) = SharingFake.free(address, bytes)
    }
}

/**
 * A message of this process, or one made from it, as another process sends it, with the checksum that it should have.
 */
internal fun ByteArray.fromElsewhere(): ByteArray {
    val bytes = clone()
    bytes[16] = (bytes[16] + 1).toByte()
    val checksum = CRC32C().apply { update(bytes, 16, size - 16) }
    ByteBuffer.wrap(bytes).order(LITTLE_ENDIAN).putInt(12, checksum.value.toInt())
    return bytes
}
