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

    test("text from memory, native or on the heap, is checked and appended without objects [BLD-09]") {
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
                    // As soon as it is compiled, which is done by another thread; buffers that grow take something.
                    generateSequence(::allocated).take(200).any { it < 20_000 } shouldBe true
                }
        }
    }
})
