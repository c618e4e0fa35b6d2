// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.arrowcpp

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.support.ResourceCountersExtension
import java.io.IOException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit.SECONDS

/** Tests our device streams in both directions: Arrow C++ imports each stream and exports it again. */
class ArrowCppDeviceStreamSpec : FunSpec({
    extension(ArrowCppBridge.needed)
    extension(ResourceCountersExtension)

    fun reader(batches: Int, failure: Exception? = null): RecordBatchReader {
        var next = 0
        return RecordBatchReader.of(Numbered.schema, DeviceType.CPU, object : DeviceArrayReader.Source<RecordBatch> {
            override fun next(): RecordBatch? = if (next < batches) Numbered.batch(next++)
            else failure?.let { throw it }
        })
    }

    for (batches in listOf(0, 1, 200)) {
        test("a device stream of $batches batches passes through Arrow C++ unchanged") {
            throughArrowCpp(reader(batches)).use { taken ->
                taken.schema() shouldBe Numbered.schema
                taken.deviceType() shouldBe DeviceType.CPU
                generateSequence { taken.next() }.map { it.use(Numbered::rows) }.toList() shouldBe
                    (0 until batches).map(Numbered::rows)
                taken.next() shouldBe null
            }
        }

        test("a failure after $batches batches passes through Arrow C++ with its message") {
            throughArrowCpp(reader(batches, IOException("disk gone"))).use { taken ->
                repeat(batches) { number -> taken.next()!!.use(Numbered::rows) shouldBe Numbered.rows(number) }
                shouldThrow<DeviceException> { taken.next() }.message!! shouldContain "disk gone"
            }
        }
    }

    test("the batches of a consumer that stops early outlive the stream") {
        val kept = throughArrowCpp(reader(10)).use { taken -> List(3) { taken.next()!! } }
        kept.mapIndexed { number, array -> array.use(Numbered::rows) shouldBe Numbered.rows(number) }
    }

    test("a stream passes through Arrow C++ five times, and another thread releases its batches") {
        var stream = reader(5)
        repeat(5) { stream = throughArrowCpp(stream) }
        val arrays = stream.use { taken -> List(5) { taken.next()!! } }
        Thread.ofPlatform().start {
            arrays.forEachIndexed { number, array -> check(array.use(Numbered::rows) == Numbered.rows(number)) }
        }.join()
    }

    test("four device streams pass through Arrow C++ at once") {
        List(4) {
            CompletableFuture.runAsync({
                repeat(10) {
                    throughArrowCpp(reader(20)).use { taken ->
                        generateSequence { taken.next() }.map { it.use(Numbered::rows) }.toList() shouldBe
                            (0 until 20).map(Numbered::rows)
                    }
                }
            }, { Thread.ofPlatform().start(it) })
        }.forEach { it.get(HANG_SECONDS, SECONDS) }
    }
})

/** Limits a test that hangs. It is long, since the test does much work. */
private const val HANG_SECONDS = 60L
