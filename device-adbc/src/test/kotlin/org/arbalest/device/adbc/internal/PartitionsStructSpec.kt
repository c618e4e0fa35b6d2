// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceException
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.ADDRESS
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.lang.foreign.ValueLayout.JAVA_LONG

class PartitionsStructSpec : FunSpec({
    /** Returns a struct with descriptors of one byte each, except for null, which is a null pointer. */
    fun Arena.partitions(count: Long, bytes: List<Byte?>?, lengths: List<Long>?): MemorySegment {
        val struct = allocate(PartitionsStruct.LAYOUT)
        struct.set(JAVA_LONG, 0, count)
        bytes?.let { all ->
            val pointers = allocate(ADDRESS, all.size.toLong())
            all.forEachIndexed { i, byte ->
                val pointer = byte?.let { allocateFrom(JAVA_BYTE, it) } ?: MemorySegment.NULL
                pointers.setAtIndex(ADDRESS, i.toLong(), pointer)
            }
            struct.set(ADDRESS, 8, pointers)
        }
        lengths?.let { struct.set(ADDRESS, 16, allocateFrom(JAVA_LONG, *it.toLongArray())) }
        return struct
    }

    test("the descriptors of all partitions are copied, also empty ones [ADB-22]") {
        Arena.ofConfined().use { arena ->
            PartitionsStruct.read(arena.partitions(0, null, null)) shouldBe listOf()
            PartitionsStruct.read(arena.partitions(3, listOf(7, null, 9), listOf(1, 0, 1))).map { it.toList() } shouldBe
                listOf(listOf<Byte>(7), listOf(), listOf<Byte>(9))
        }
    }

    test("a count, length or pointer that a driver may not return is an error with its position [ADB-23]") {
        Arena.ofConfined().use { arena ->
            val faults = listOf(
                arena.partitions(-1, null, null),
                arena.partitions(1L shl 40, null, null),
                arena.partitions(2, null, listOf(1, 1)),
                arena.partitions(2, listOf(1, 2), null),
                arena.partitions(2, listOf(1, 2), listOf(1, -5)),
                arena.partitions(2, listOf(1, 2), listOf(1, 1L shl 40)),
                arena.partitions(2, listOf(1, null), listOf(1, 8)),
            ).map { shouldThrow<DeviceException> { PartitionsStruct.read(it) }.message!! }
            faults.map { it.substringAfter("partitions: ") } shouldContainExactly listOf(
                "num_partitions is -1",
                "num_partitions is 1099511627776",
                "partitions is NULL, for a length of 2",
                "partition_lengths is NULL, for a length of 2",
                "partition_lengths[1] is -5",
                "partition_lengths[1] is 1099511627776",
                "partitions[1] is NULL, for a length of 8",
            )
        }
    }
})
