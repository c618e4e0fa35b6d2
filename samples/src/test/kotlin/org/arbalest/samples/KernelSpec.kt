// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.adbc.DuckDbDriver
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.SkipWithout
import java.io.File
import java.nio.file.Path

class KernelSpec : FunSpec({
    extension(SkipWithout.device(DeviceType.OPENCL))
    extension(ResourceCountersExtension)
    val folder = tempdir().toPath()

    fun parquet(name: String, sql: String): Path = folder.resolve(name).also { file ->
        DuckDbDriver.open().use { database ->
            database.connect().use { it.execute("COPY ($sql) TO '$file' (FORMAT parquet)") }
        }
    }

    test("a kernel on the device counts the delays of the included flights like the CPU") {
        val run = captured { runSamples("kernel") }
        run.error shouldBe ""
        run.code shouldBe 0
        run.output shouldContain Regex("400,000 flights, [\\d,]+ rows per second, on OPENCL:0")
        run.output.lines().filter { Regex("\\| [A-Z]{3} .*").matches(it) } shouldHaveSize 10
        run.output shouldContain "ORD    |  22,146 |"
        run.output shouldContain "229 airports: matches the CPU's own answer"
    }

    test("the kernel counts more airports than a byte can number, and delays beyond the classes") {
        val sql = "SELECT 'A' || (i % 700) AS origin, (i * 7919) % 5000 - 2500 AS delay, 1 AS distance FROM " +
            "range(100000) t(i)"
        val run = captured { runSamples("kernel", "--file", "${parquet("many.parquet", sql)}") }
        run.error shouldBe ""
        run.output shouldContain "700 airports: matches the CPU's own answer"
    }

    test("a file without flights has no counts, and a missing file causes a one-line error") {
        val none = parquet("none.parquet", "SELECT 'A' AS origin, 1 AS delay, 2 AS distance LIMIT 0")
        captured { runSamples("kernel", "--file", "$none") }.run {
            error shouldBe ""
            output shouldContain "0 airports: matches the CPU's own answer"
        }
        captured { runSamples("kernel", "--file", "nowhere.parquet") }.run {
            code shouldBe 1
            error.trimEnd() shouldBe "kernel: there is no file nowhere.parquet"
        }
    }

    test("without an OpenCL platform, the sample prints the reason and counts on the CPU [DEV-13]") {
        process(
            classPath.joinToString(File.pathSeparator), "kernel", environment = mapOf("OCL_ICD_VENDORS" to "/nowhere"),
        ).run {
            error shouldBe ""
            code shouldBe 0
            output shouldContain "No OPENCL, because the OpenCL library has no platform: CL_PLATFORM_NOT_FOUND_KHR " +
                "(-1001): counting on the CPU alone."
            output shouldContain "ORD    |  22,146 |"
        }
    }

    test("the OpenCL device is available without JOCL, and without a platform the reason is printed") {
        val withoutJocl = classPath.filterNot { "jocl" in it.name }.joinToString(File.pathSeparator)
        process(withoutJocl, "devices").output shouldContain "| OPENCL:0 "
        process(withoutJocl, "devices", environment = mapOf("OCL_ICD_VENDORS" to "/nowhere"))
            .output shouldContain "no platform"
    }

    test("the table of devices has a line for each available and each missing device") {
        val table = devicesTable(Devices.status())
        for (words in listOf("| CPU ", "| OPENCL:0 ", "| CUDA ", "| ROCM ")) table shouldContain words
    }
})
