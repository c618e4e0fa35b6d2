// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.flows

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield
import org.arbalest.coroutines.*
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.c.ArrowArrayStreamStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.printed
import org.arbalest.testkit.contract.Held
import org.arbalest.testkit.contract.eventually
import java.io.IOException
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicInteger

private fun prices(vararg values: Double): RecordBatch = Devices.cpu().batch { float64("price", values) }

private fun reader(vararg batches: RecordBatch) = RecordBatchReader.of(batches[0].schema(), batches.toList())

/** The code of the guide to streams and Flow. */
class FlowGuideSpec : FunSpec({
    extension(ResourceCountersExtension)

    val schema = prices(1.0).use { it.schema() }

    test("the programs print the sum and the prices of each batch") {
        printed { main() }.trim().lines() shouldBe listOf("3.5", "4.25")
        printed { ReadBatches.main(arrayOf()) }.trim().lines() shouldBe
            listOf("[1.5, 2.0]", "[4.25]")
    }

    test("kept batches stay open, and are closed if the stream fails later") {
        longBatches(reader(prices(1.0), prices(1.0, 2.0)), 2).map { array -> array.use { it.length() } } shouldBe
            listOf(2L)
        var left = 3
        val broken = RecordBatchReader.of(schema, DeviceType.CPU) {
            if (left-- == 0) throw IOException("the disk is full") else prices(1.0)
        }
        shouldThrow<Exception> { longBatches(broken, 1) }.message shouldContain "the disk is full"
    }

    test("parallel workers count and sum batches") {
        rowsOf(reader(prices(1.0), prices(1.0, 2.0))) shouldBe 3
        sums(reader(prices(1.0), prices(1.0, 2.0))) shouldBe listOf(1.0, 3.0)
    }

    test("a channel of the application loses no batch if a worker fails") {
        val made = AtomicInteger()
        val endless = RecordBatchReader.of(schema, DeviceType.CPU) { prices(1.0).also { made.incrementAndGet() } }
        shouldThrow<IOException> {
            eachOnce(endless, 1) {
                // one batch in the worker, four in the queue, and one that waits for space
                while (made.get() < 6) yield()
                throw IOException("the disk is full")
            }
        }
        val worked = AtomicInteger()
        eachOnce(reader(*Array(9) { prices(1.0) }), 2) { worked.incrementAndGet() }
        worked.get() shouldBe 9
    }

    test("operators that need one batch at a time work, and close the reader") {
        var total = 0.0
        reader(prices(1.0), prices(2.0), prices(3.0)).asFlow().take(2).collect { total += it["price"].doubles()[0] }
        total shouldBe 3.0
    }

    test("a flow is exported as a C stream, also through an operator") {
        Arena.ofConfined().use { arena ->
            val stream = ArrowArrayStreamStruct.allocate(arena)
            exportDays(listOf(doubleArrayOf(1.5), doubleArrayOf(2.0)), schema, stream)
            var total = 0.0
            doubled(CData.importStream(stream, CImport.DATA).asFlow()).collect { total += it["price"].doubles()[0] }
            total shouldBe 7.0
        }
    }

    test("an exception of the flow reaches the consumer as an errno and a message") {
        Arena.ofConfined().use { arena ->
            val stream = ArrowArrayStreamStruct.allocate(arena)
            lendingFlow<RecordBatch> { throw IOException("the disk is full") }.asReader(schema).use {
                CData.exportStream(it, stream, CExport.DATA)
            }
            shouldThrow<DeviceException> {
                CData.importStream(stream, CImport.DATA).asFlow().collect { }
            }.message shouldContain "the disk is full"
        }
    }

    test("a flow drives an async consumer") {
        Executors.newCachedThreadPool().use { executor ->
            val start: (MemorySegment) -> Unit = { handler ->
                executor.execute {
                    runBlocking { produceDays(listOf(doubleArrayOf(1.5), doubleArrayOf(2.0)), schema, handler) }
                }
            }
            var total = 0.0
            CData.importAsyncStream(CImport.DEVICE) { handler -> start(handler) }.use { stream ->
                stream.asFlow().collect { total += it["price"].doubles()[0] }
            }
            total shouldBe 3.5
        }
        eventually("all resources are released") { Held.now().isZero }
    }
})
