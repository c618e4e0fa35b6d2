// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.async.AsyncProducer
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.support.outcome
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.CPeer
import org.arbalest.support.Consumed
import org.arbalest.support.PeerConsumer
import org.arbalest.support.PeerConsumer.Quirk
import org.arbalest.support.PeerConsumer.Quirk.*
import org.arbalest.support.ResourceCountersExtension
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit.SECONDS

/**
 * A pull stream that blocks, cannot be interrupted, and feeds a C handler. The end of the stream does not wait for the
 * pull.
 */
class ReaderFeedSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    val schema = Schema.of(listOf(Field.of("id", DataType.INT64)))
    val one = Executors.newSingleThreadExecutor { Thread(it).apply { isDaemon = true } } // the pull blocks its thread
    afterSpec { one.shutdownNow() }

    /** A source of one batch. It then blocks until the gate opens, and returns a batch that is no longer wanted. */
    class Blocked : DeviceArrayReader.Source<RecordBatch> {
        val blocks = CountDownLatch(1)
        val gate = CountDownLatch(1)
        val closed = CountDownLatch(1)
        private var pulls = 0

        override fun next(): RecordBatch {
            if (pulls++ > 0) {
                blocks.countDown()
                check(gate.await(5, SECONDS)) { "the gate did not open within 5 seconds" }
            }
            return BatchBuilder.of(Devices.cpu(), 1).use { it.int64("id", longArrayOf(1)).build() }
        }

        override fun close() = closed.countDown()
    }

    fun consume(quirk: Quirk, check: (Consumed, Throwable?) -> Unit) {
        val source = Blocked()
        PeerConsumer(5, setOf(quirk, GATE_EXTRACT), at = 0).use { consumer ->
            val produced = CData.exportAsyncStream(
                AsyncProducer.of(RecordBatchReader.of(schema, DeviceType.CPU, source), Metadata.empty()),
                consumer.handler,
                one,
                CExport.DEVICE,
            )
            try {
                source.blocks.await()
                CPeer.openGate()
                val failure = produced.outcome().exceptionOrNull()
                consumer.join() shouldBe true
                source.closed.count shouldBe 1L // the pull still blocks
                check(consumer.results(), failure)
            } finally {
                source.gate.countDown()
                CPeer.openGate()
            }
        }
        CPeer.shutGate()
        source.closed.await(5, SECONDS) shouldBe true
    }

    test("a consumer that requests 0 tasks receives an error while the source blocks [ASY-05]") {
        consume(REQUEST_ZERO) { seen, failure ->
            failure.shouldBeInstanceOf<DeviceException>().message shouldContain "request(0)"
            seen.code shouldBe Errno.EINVAL
            seen.errors shouldBe 1
            seen.releases shouldBe 1
        }
    }

    test("a consumer that cancels is released while the source blocks [ASY-28]") {
        consume(CANCEL_OUTSIDE) { seen, failure ->
            failure shouldBe null
            seen.errors shouldBe 0
            seen.releases shouldBe 1
        }
    }
})
