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
import java.util.concurrent.atomic.AtomicInteger
import java.util.zip.CRC32C

/**
 * A device in main memory that processes can share. A message that claims to come from another process opens the memory
 * here, at the same address.
 */
class SharingFakeProvider : DeviceProvider {
    override fun types(): List<DeviceType> = listOf(SharingFake.TYPE)

    override fun probe(type: DeviceType): Availability = Availability.Ready(1)

    override fun open(type: DeviceType, id: Long): DeviceDriver = SharingFake

    override fun identity(type: DeviceType, id: Long): DeviceIdentity = DeviceIdentity(UUID(18, 7), null, -1)
}

/** A driver that records its allocations and the open handles. */
internal object SharingFake : SynchronousDriver {
    val TYPE = DeviceType(1003)

    private val blocks = ConcurrentSkipListMap<Long, Pair<Arena, Long>>()

    /** The number of allocations. */
    val live: Int get() = blocks.size

    /** Returns the sizes of the allocations. */
    fun sizes(): List<Long> = blocks.values.map { it.second }

    /** Returns the addresses of the allocations. */
    fun addresses(): List<Long> = blocks.keys.toList()

    /** The sizes of the open allocations, by address. */
    val opened: MutableMap<Long, Long> = ConcurrentHashMap()

    /** The mistakes of the library. */
    val wrong = ConcurrentLinkedQueue<String>()

    /** The number of exports. */
    val exports = AtomicInteger()

    /** An address that cannot be shared; 0 for none. */
    @Volatile
    var refused: Long = 0

    /** Checks at the end of a test that all handles are closed, all memory is freed, and no mistake was recorded. */
    fun shouldBeLeft() {
        try {
            eventually("all handles are closed and all memory is freed") { live == 0 && opened.isEmpty() }
            wrong.toList().shouldBeEmpty()
        } finally {
            // the next test starts without the leftovers of this one
            blocks.clear()
            opened.clear()
            wrong.clear()
            refused = 0
        }
    }

    override fun isCpuAccessible() = false

    override fun allocate(bytes: Long, alignment: Long): Long {
        val arena = Arena.ofShared()
        val address = arena.allocate(bytes, alignment).address()
        blocks[address] = arena to bytes
        return address
    }

    override fun free(address: Long, bytes: Long) {
        if (address in opened) wrong += "an open allocation was freed"
        val (arena, size) = checkNotNull(blocks.remove(address)) { "freed twice, or never allocated" }
        if (size != bytes) wrong += "$bytes bytes were freed of an allocation of $size"
        arena.close()
    }

    /** Copies bytes. Records a mistake and copies nothing if the range exceeds its allocation. */
    override fun copy(queue: Long, to: Long, from: Long, bytes: Long) {
        for (address in listOf(to, from)) {
            val (begin, block) = blocks.floorEntry(address) ?: continue
            val offset = address - begin
            if (offset < block.second && offset + bytes > block.second) {
                wrong += "a copy of $bytes bytes at offset $offset of an allocation of ${block.second} bytes"
                return
            }
        }
        val all = MemorySegment.NULL.reinterpret(Long.MAX_VALUE)
        MemorySegment.copy(all, from, all, to, bytes)
    }

    override fun sharing(): ProcessSharing = Sharing

    private object Sharing : ProcessSharing {
        override fun memory(): MemoryAllocator = Memory

        override fun prepare(address: Long): ProcessSharing.Shareable {
            val (begin, block) = checkNotNull(blocks.floorEntry(address))
            if (begin == refused) throw DeviceException(Errno.EINVAL, "this memory has no handle")
            return ProcessSharing.Shareable(begin, block.second, 1, 0)
        }

        override fun export(memory: ProcessSharing.Shareable): ByteArray {
            exports.incrementAndGet()
            return ByteBuffer.allocate(8).putLong(memory.base()).array()
        }

        override fun open(handle: ByteArray, bytes: Long): Long {
            val address = if (handle.size == 8) ByteBuffer.wrap(handle).getLong() else 0
            val block = blocks[address] ?: throw DeviceException(Errno.EINVAL, "no allocation has this handle")
            if (block.second < bytes) throw DeviceException(Errno.EINVAL,
                "an allocation is declared with $bytes bytes, but has ${block.second}")
            if (opened.put(address, bytes) != null) wrong += "an allocation was opened while it was open"
            return address
        }

        override fun close(handle: ByteArray, base: Long, bytes: Long) {
            if (opened.remove(base) != bytes) wrong += "an allocation was closed that was not open"
        }
    }

    /** The allocator of the memory that processes can share. */
    private object Memory : MemoryAllocator {
        override fun isCpuAccessible() = false

        override fun allocate(bytes: Long, alignment: Long): Long = SharingFake.allocate(bytes, alignment)

        override fun free(address: Long, bytes: Long) = SharingFake.free(address, bytes)
    }
}

/** Returns a message of this process, or one made from it, as if another process had sent it, with a valid checksum. */
internal fun ByteArray.fromElsewhere(): ByteArray {
    val bytes = clone()
    bytes[16] = (bytes[16] + 1).toByte()
    val checksum = CRC32C().apply { update(bytes, 16, size - 16) }
    ByteBuffer.wrap(bytes).order(LITTLE_ENDIAN).putInt(12, checksum.value.toInt())
    return bytes
}
