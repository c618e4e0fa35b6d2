package org.arbalest.testkit

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import org.arbalest.device.DeviceArray
import org.arbalest.device.Devices
import org.arbalest.device.abi.ArrowDeviceArrayStruct
import java.lang.foreign.Arena
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit.MILLISECONDS
import java.util.logging.Handler
import java.util.logging.LogRecord
import java.util.logging.Logger

/** `-Dorg.arbalest.leaks=true`, in a JVM of its own, since it is read once. */
class LeakReportSpec : FunSpec({
    test("a handle that became unreachable while it was open is reported, with the place that made it; others are not") {
        val child = ChildJvm.run(LeakedHandles::class, options = listOf("-Dorg.arbalest.leaks=true"))
        withClue(child.output) {
            child.exitCode shouldBe 0
            for (kind in listOf("DeviceArray", "DeviceStream", "SyncEvent")) {
                child.output shouldContain "reported: $kind made here was never closed, in leak"
            }
            child.output shouldNotContain "in keepOrder"
        }
    }
})

internal object LeakedHandles {
    private val logger = Logger.getLogger("org.arbalest.device") // held: java.util.logging does not
    private fun make(): DeviceArray = Devices.cpu().batchBuilder(1).use { it.int32("n", intArrayOf(1)).build() }

    private fun leak() {
        make().retain().close()
        Devices.cpu().createStream().record()
    }

    private fun keepOrder() {
        Arena.ofConfined().use { arena ->
            val out = arena.allocate(ArrowDeviceArrayStruct.LAYOUT)
            make().use { array ->
                array.retain().exportDeviceArray(out)
                Devices.cpu().createStream().use { stream -> stream.record().use { stream.waitFor(it) } }
                DeviceArray.importDeviceArray(out, array.field()).move().use { it.slice(0, 1).close() }
            }
        }
    }

    @JvmStatic
    fun main(args: Array<String>) {
        val reports = object : Handler() {
            val seen = CountDownLatch(3)

            override fun publish(record: LogRecord) {
                val made = record.thrown ?: return
                val caller = made.stackTrace.first { it.methodName == "leak" || it.methodName == "keepOrder" }
                println("reported: ${made.message}, in ${caller.methodName}")
                seen.countDown()
            }

            override fun flush() = Unit

            override fun close() = Unit
        }
        logger.addHandler(reports)
        keepOrder()
        leak()
        var rounds = 0
        do System.gc() while (!reports.seen.await(50, MILLISECONDS) && ++rounds < 200)
    }
}
