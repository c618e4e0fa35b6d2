// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.lifetime

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeInRange
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.ArrowDeviceArrayStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.support.ChildJvm
import java.lang.foreign.Arena
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit.MILLISECONDS
import java.util.logging.Handler
import java.util.logging.LogRecord
import java.util.logging.Logger

/** Tests of `-Dorg.arbalest.leaks`. Each runs a separate JVM, because the property is read only once. */
class LeaksReportSoakSpec : FunSpec({
    test("an unreachable open handle is reported with the place that created it, and closed handles are not") {
        val child = ChildJvm.run(LeakedHandles::class, options = listOf("-Dorg.arbalest.leaks=true"))
        withClue(child.output) {
            child.exitCode shouldBe 0
            for (what in listOf(
                "RecordBatch struct<n: int32>, 1 row, on CPU, 64 bytes", "DeviceStream of CPU", "SyncEvent of CPU",
            )) {
                child.output shouldContain "reported: LEAK: $what was never closed, created here:, in leak"
            }
            child.output shouldNotContain "in keepOrder"
        }
    }

    test("a number n watches about one in n handles, and an invalid value is reported") {
        val child = ChildJvm.run(LeakedHandles::class, "5000", "50", options = listOf("-Dorg.arbalest.leaks=50"))
        withClue(child.output) {
            child.exitCode shouldBe 0
            // 100 are expected; the range allows five standard deviations
            child.output.lines().count { it.startsWith("reported: LEAK: RecordBatch ") } shouldBeInRange 50..150
        }
        for (wrong in listOf("0", "often", "")) {
            ChildJvm.run(LeakedHandles::class, "1", "0", options = listOf("-Dorg.arbalest.leaks=$wrong"))
                .output shouldContain
                "org.arbalest.leaks is true, false or a number from 1 on, not \"$wrong\": no leak is reported"
        }
    }
})

internal object LeakedHandles {
    /** A strong reference, because java.util.logging keeps only a weak one. */
    private val logger = Logger.getLogger("org.arbalest.device")
    private fun make(): RecordBatch = BatchBuilder.of(Devices.cpu(), 1).use { it.int32("n", intArrayOf(1)).build() }

    private fun leak() {
        make().retain().close()
        Devices.cpu().createStream().record()
    }

    private fun leakOne() {
        make()
    }

    private fun keepOrder() {
        Arena.ofConfined().use { arena ->
            val out = arena.allocate(ArrowDeviceArrayStruct.LAYOUT)
            make().use { array ->
                CData.exportArray(array.retain(), out, CExport.DEVICE)
                Devices.cpu().createStream().use { stream -> stream.record().use { stream.waitFor(it) } }
                CData.importArray(out, CImport.DEVICE.schema(array.field())).move().use { it.slice(0, 1).close() }
            }
        }
    }

    @JvmStatic
    fun main(args: Array<String>) {
        val reports = object : Handler() {
            val seen = CountDownLatch(if (args.isEmpty()) 3 else Int.MAX_VALUE)

            override fun publish(record: LogRecord) {
                val made = record.thrown ?: return
                val caller = made.stackTrace.first { it.methodName.startsWith("leak") || it.methodName == "keepOrder" }
                println("reported: ${record.message}, in ${caller.methodName}")
                seen.countDown()
                reported++
            }

            @Volatile
            private var reported = 0

            /** Waits until [least] leaks are reported and five collections in a row find no more. */
            fun quiet(least: Int) {
                if (least == 0) return
                var before = 0
                var rounds = 0
                var still = 0
                while (++rounds < 200 && (reported < least || still < 5)) {
                    System.gc()
                    seen.await(50, MILLISECONDS)
                    still = if (reported == before) still + 1 else 0
                    before = reported
                }
            }

            override fun flush() = Unit

            override fun close() = Unit
        }
        logger.addHandler(reports)
        if (args.isEmpty()) {
            keepOrder()
            leak()
            var rounds = 0
            do System.gc() while (!reports.seen.await(50, MILLISECONDS) && ++rounds < 200)
        } else {
            repeat(args[0].toInt()) { leakOne() }
            reports.quiet(args[1].toInt())
        }
    }
}
