// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.Devices
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.lang.management.ManagementFactory

class TextBuilderAllocationSpec : FunSpec({
    extension(ResourceCountersExtension)

    test("text from native or heap memory is checked and appended without allocating objects [BLD-09]") {
        val threads = ManagementFactory.getThreadMXBean() as com.sun.management.ThreadMXBean
        val text = "grüße, an alle".encodeToByteArray()
        Arena.ofConfined().use { arena ->
            val native = arena.allocate(text.size.toLong()).also {
                MemorySegment.copy(text, 0, it, JAVA_BYTE, 0, text.size)
            }
            for (type in listOf(DataType.UTF8, DataType.LARGE_UTF8, DataType.UTF8_VIEW))
                for (value in listOf(native, MemorySegment.ofArray(text))) {
                    fun allocated(): Long = BatchBuilder.of(Devices.cpu(), 20_000).use { batch ->
                        val column = batch.column(Field.of("a", type))
                        val before = threads.currentThreadAllocatedBytes
                        repeat(20_000) { column.append(value) }
                        threads.currentThreadAllocatedBytes - before
                    }
                    // This holds once another thread has compiled the code. Buffers that grow allocate a few bytes.
                    generateSequence(::allocated).take(200).any { it < 20_000 } shouldBe true
                }
        }
    }
})
