// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContain
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.support.ChildJvm
import org.arbalest.testkit.SkipWithout
import java.lang.foreign.ValueLayout.JAVA_INT
import java.nio.file.Files
import java.nio.file.Path

/** The installed HIP, such as Debian's `libamdhip64-5`, in its own process. A GPU is not necessary. */
class HipEngineSpec : FunSpec({
    val child by lazy { ChildJvm.run(RealHip::class) }
    val lines by lazy { child.output.lines() }

    extension(SkipWithout {
        "HIP is not installed; install ROCm or libamdhip64-5"
            .takeIf { System.getenv("CI") != "true" && lines.any { "HIP was not found" in it } }
    })

    test("a process that loads and queries the installed HIP exits with code 0") {
        withClue(child.output) { child.exitCode shouldBe 0 }
    }

    test("without a GPU, the devices are unavailable, and the reason has HIP's error code [DEV-13]") {
        if (Files.exists(Path.of("/dev/kfd"))) {
            lines.filter { it.startsWith("probe ") }.size shouldBe 2
        } else {
            for (type in listOf("ROCM", "ROCM_HOST")) {
                val line = lines.single { it.startsWith("probe $type:") }
                line shouldContain
                    Regex("""unavailable, because hipGetDeviceCount failed: hipErrorNoDevice \(100\); """ +
                        """HIP \d+\.\d+; is there an AMD GPU""")
            }
            lines.single { it.startsWith("open: ") } shouldContain "ENOSYS"
        }
    }

    test("the installed HIP has exactly the functions of its own and earlier releases") {
        val functions = lines.filter { it.startsWith("function ") }.map { it.split(' ') }
        (functions.size > 30) shouldBe true
        functions.filter { (_, _, age, there) -> (age == "known") != (there == "there") }.shouldBeEmpty()
        val absent = functions.filter { it[3] == "absent" }.map { it[1] }
        if (lines.any { "HIP 5.2;" in it }) absent shouldContain "hipLaunchHostFunc"
    }
})

internal object RealHip {
    @JvmStatic
    fun main(args: Array<String>) {
        for (type in listOf(DeviceType.ROCM, DeviceType.ROCM_HOST))
            println("probe $type: ${RocmProvider().probe(type)}")
        try {
            println("open: ${Devices.device(DeviceType.ROCM, 0)}")
        } catch (e: DeviceException) {
            println("open: $e")
        }
        if (HipLibrary.missing() != null) return
        val version = Hip.scratch()
        check(Hip.RUNTIME_GET_VERSION.call(version.address()) == Hip.SUCCESS) { "hipRuntimeGetVersion failed" }
        val installed = version.get(JAVA_INT, 0)
        for ((name, function) in HipLibrary.functions()) {
            val age = if (function.since() <= installed) "known" else "younger"
            println("function $name $age ${if (HipLibrary.has(name)) "there" else "absent"}")
        }
    }
}
