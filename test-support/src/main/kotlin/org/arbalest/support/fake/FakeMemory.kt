// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.fake

import org.arbalest.device.Devices
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.util.TreeMap

/**
 * The memory of a fake device: main memory at tagged addresses. The CPU cannot use a tagged address, so an access
 * crashes the process, as with GPU memory. New memory is filled with [POISON], so that a read that comes too early is
 * detected.
 */
class FakeMemory(private val tag: Long) {
    /** The allocated blocks, by their addresses without the tag. */
    private val live = TreeMap<Long, Block>()

    private class Block(val bytes: Long, val isTagged: Boolean, val segment: MemorySegment, val memory: AutoCloseable)

    val count: Int get() = live.size

    fun allocate(bytes: Long, alignment: Long, isCpuAccessible: Boolean): Long {
        val memory = Devices.cpu().memory().allocate(bytes, alignment)
        return add(Block(bytes, !isCpuAccessible, memory.segment(), memory))
    }

    /** Allocates main memory that is never freed, and that core's resource counters therefore do not include. */
    fun allocateForGood(bytes: Long, alignment: Long): Long {
        val arena = Arena.ofShared()
        return add(Block(bytes, false, arena.allocate(bytes, alignment), arena))
    }

    private fun add(block: Block): Long {
        block.segment.fill(POISON)
        val address = block.segment.address()
        live[address] = block
        return if (block.isTagged) address or tag else address
    }

    /** Frees a block, if it exists. Returns the fault of the call, or null. */
    fun free(address: Long, bytes: Long): String? {
        val real = untagged(address)
        val block = live.remove(real) ?: return "$bytes bytes at ${hex(address)} were freed, which are not allocated"
        block.segment.fill(POISON)
        block.memory.close()
        return when {
            block.bytes != bytes -> "${block.bytes} bytes at ${hex(address)} were freed as $bytes bytes"
            block.isTagged != isTagged(address) ->
                "${hex(address)} was freed, but the allocation returned another address"
            else -> null
        }
    }

    /**
     * Returns memory of this device, or of the CPU, for the device's own access; null if a tagged address is in no
     * block.
     */
    fun segment(address: Long, bytes: Long): MemorySegment? {
        if (!isTagged(address)) return MemorySegment.ofAddress(address).reinterpret(bytes)
        val real = untagged(address)
        val (start, block) = live.floorEntry(real) ?: return null
        return if (real + bytes <= start + block.bytes) MemorySegment.ofAddress(real).reinterpret(bytes) else null
    }

    /** Returns whether bytes of main memory are within one block. */
    fun holds(address: Long, bytes: Long): Boolean =
        live.floorEntry(address)?.let { (start, block) -> address + bytes <= start + block.bytes } ?: false

    fun isTagged(address: Long): Boolean = address and TAGS == tag

    fun untagged(address: Long): Long = if (isTagged(address)) address and TAGS.inv() else address

    companion object {
        const val POISON: Byte = 0x5A

        /** The bits that identify the device. With one of them set, an address is not canonical on x86-64 and arm64. */
        private const val TAGS = -1L shl 52

        fun tag(number: Long): Long = 0x5A0L + number shl 52

        fun hex(address: Long): String = "0x" + address.toULong().toString(16)
    }
}
