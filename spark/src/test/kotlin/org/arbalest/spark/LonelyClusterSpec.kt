// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempfile
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import org.arbalest.device.Availability
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.support.ChildJvm
import org.arbalest.support.adbc.FaultyDriver

/** Tests that can run only once in a process, or that need an application of their own. */
class LonelyClusterSpec : FunSpec({
    val isThere = System.getenv("CI") != null || Devices.availability(DeviceType.OPENCL) is Availability.Ready

    fun run(vararg arguments: String, options: List<String> = listOf(), check: (Map<String, String>) -> Unit) {
        val child = ChildJvm.run(LonelyCluster::class, *arguments,
            options = listOf("--add-opens=java.base/sun.util.calendar=ALL-UNNAMED") + options, seconds = 300)
        withClue(child.output) {
            child.exitCode shouldBe 0
            child.output shouldNotContain "hunter2"
            check(child.output.lines().filter { ": " in it }.associate {
                it.substringBefore(": ") to it.substringAfter(": ")
            })
        }
    }

    test("executors that used their devices end immediately with their application [SPK-06]") {
        run("ends") { said ->
            said["rows"] shouldBe "1200"
            said["threads"] shouldBe "main" // with another such thread, an executor waits until it is killed
            val millis = said["ended"]!!.split(", ").map { it.toLong() }
            millis shouldHaveSize 2
            millis.max() shouldBeLessThan 9000 // after 10 s Spark kills an executor
        }
    }

    test("a task uses the device at its assigned address, and a missing device is reported [SPK-12]")
        .config(enabled = isThere) {
            run("another device") { said ->
                said["rows"] shouldBe "1200"
                said["failed"] shouldContain ":7 is unavailable"
            }
        }

    test("the killed first attempt of a speculated task leaves nothing open [SPK-06]") {
        run("speculates") { said ->
            said["sums"] shouldBe "[${(0L until 300).sum()}, ${(100_000L until 100_300).sum()}]"
            said["attempts"] shouldBe "first killed, speculative Success"
            said["counters"] shouldBe "[0, 0]"
        }
    }

    test("no secret of a driver's options is in plans, errors, the UI, the event log or a log of INFO [SPK-30]")
        .config(extensions = listOf(FaultyDriver.needed)) {
            val logging = tempfile(suffix = ".properties")
            logging.writeText("rootLogger.level = info\nrootLogger.appenderRef.console.ref = console\n" +
                "appender.console.type = Console\nappender.console.name = console\n" +
                "appender.console.target = SYSTEM_ERR\nappender.console.layout.type = PatternLayout\n" +
                "appender.console.layout.pattern = %d %p %c: %m%n%ex\n")
            val options = listOf("-D${LonelyCluster.LOGGING}=$logging")
            run("secrets", "${FaultyDriver.full.file}", options = options) { said ->
                said["rows"] shouldBe "6, 6"
                said["view"] shouldBe "6"
                said["failures"] shouldBe "7"
                said["leaks"] shouldBe "[]"
                said["redacted"] shouldContain "event "
                said["redacted"] shouldContain "SQL/execution/"
                said["logs"] shouldBe "2"
            }
        }
})
