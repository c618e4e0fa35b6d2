// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import com.sun.management.ThreadMXBean
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeLessThan
import org.arbalest.device.RecordBatchReader
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriverExtension
import java.lang.management.ManagementFactory

private const val WARM_UP = 20_000
private const val MEASURED = 20_000

class HeapSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    val threads = ManagementFactory.getThreadMXBean() as ThreadMXBean

    /** Returns the bytes of heap that one pulled and closed batch allocates. */
    fun RecordBatchReader.bytesPerBatch(): Long = use { reader ->
        repeat(WARM_UP) { reader.next()!!.close() }
        val before = threads.currentThreadAllocatedBytes
        repeat(MEASURED) { reader.next()!!.close() }
        (threads.currentThreadAllocatedBytes - before) / MEASURED
    }

    test("pulling and closing a batch of a result allocates less than 250 bytes of heap [ADB-27]") {
        val bytes = Faulty.connected { it.query("SELECT * FROM batches(${WARM_UP + MEASURED}, 1)").bytesPerBatch() }
        println("$bytes bytes of heap for each batch of a result")
        bytes shouldBeLessThan 250
    }
})
