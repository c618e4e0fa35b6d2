// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.gpu

import io.kotest.assertions.withClue
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.funSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.support.ChildJvm
import org.arbalest.support.Leaving
import org.arbalest.support.gpu.GpuDouble.Live
import org.arbalest.testkit.SkipWithout
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers

/**
 * The contract of exits, on a [double]. A process ends with its own exit code while the runtime calls functions that a
 * backend registered. The runtime calls them after the end of the JVM, in a static destructor that also joins the
 * threads of earlier callbacks.
 */
fun exitContract(double: GpuDouble): TestFactory = funSpec {
    fun leave(how: Leaving, vararg options: String): ChildJvm {
        val release = System.getProperty("arbalest.hip")?.let { listOf("-Darbalest.hip=$it") }.orEmpty()
        val quick = listOf("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
        return ChildJvm.run(WorkAtExit::class, "${double::class.simpleName}", how.name,
            options = quick + release + options)
    }

    val version = Runtime.version().feature()
    val guarded = listOf(SkipWithout { "JDK $version needs no exit guard, and has none".takeIf { version > 27 } })

    for (how in Leaving.entries - Leaving.PROCESS_EXIT) {
        test("the process ends by $how while the runtime calls our host functions and joins its threads [OWN-17]")
            .config(extensions = guarded) {
                val child = leave(how)
                withClue(child.output) {
                    child.output shouldContain "leaving"
                    child.output shouldContain
                        Regex("""the driver ends: [1-9] host functions called, [1-9] threads joined""")
                    child.output shouldNotContain "notified"
                    child.output shouldNotContain "fatal error"
                    child.exitCode shouldBe how.code
                }
            }
    }

    test("without the exit guard, a host function that is called after the JVM's end does not return [OWN-17]")
        .config(extensions = guarded) {
            val child = leave(Leaving.SYSTEM_EXIT, "-Dorg.arbalest.exitGuard=false")
            withClue(child.output) {
                child.output shouldContain "a thread of the driver does not end"
                child.exitCode shouldBe 99
            }
        }

    test("after ProcessExit.exit the runtime does no more work [OWN-18]") {
        val child = leave(Leaving.PROCESS_EXIT)
        withClue(child.output) {
            child.output shouldContain "leaving"
            child.output shouldNotContain "the driver ends"
            child.exitCode shouldBe Leaving.PROCESS_EXIT.code
        }
    }
}

/** A separate process that exits with a copy and a wait in a stream, which the simulator holds until then. */
object WorkAtExit {
    @JvmStatic
    fun main(args: Array<String>) {
        val (double, type) = if (args[0] == CudaDouble::class.simpleName) CudaDouble to DeviceType.CUDA
        else HipDouble to DeviceType.ROCM
        double.endWithProcess()
        val stream = Devices.device(type, 0).createStream()
        val there = numbers(1000).use { it.copyTo(stream.device(), stream) }
        there.copyTo(Devices.cpu(), stream).use { it.synchronize() } // the stream's thread has called back
        stream.record().use { it.onReady().toCompletableFuture().join() } // and so has another thread
        eventually("no thread of the simulator is in a callback, which would not return") {
            double.live(Live.COMMANDS) == 0L
        }
        double.hold(stream)
        val back = there.copyTo(Devices.cpu(), stream)
        checkNotNull(back.syncEvent()).onReady().thenRun { println("notified") }
        println("leaving")
        Leaving.valueOf(args[1]).leave()
    }
}
