// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.task

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldEndWith
import io.kotest.matchers.string.shouldStartWith
import org.apache.spark.SparkConf
import org.apache.spark.TaskContextImpl
import org.apache.spark.TaskKilledException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.SkipWithout
import java.util.concurrent.Callable
import java.util.concurrent.CountDownLatch
import java.util.concurrent.ExecutionException
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit.SECONDS

class ExecutorDeviceSpec : FunSpec({
    extension(SkipWithout.device(DeviceType.OPENCL))
    extension(ResourceCountersExtension)

    fun settings(vararg entries: Pair<String, String>): DeviceSettings {
        val conf = SparkConf(false)
        for ((name, value) in entries) conf.set(name, value)
        return DeviceSettings.of(conf)
    }

    /** Creates an empty task, as Spark's own tests do. Kotlin cannot access Scala companions without reflection. */
    fun task(): TaskContextImpl {
        val companion = Class.forName("org.apache.spark.TaskContext${'$'}").getField("MODULE${'$'}").get(null)
        return companion.javaClass.getMethod("empty").invoke(companion) as TaskContextImpl
    }

    test("the configuration selects the device, and invalid values are rejected [SPK-12]") {
        settings() shouldBe DeviceSettings("auto", "gpu", 2, 1L shl 30)
        settings("spark.arbalest.device" to "CPU", "spark.arbalest.device.resource" to "fpga",
            "spark.arbalest.device.tasks" to "1", "spark.arbalest.device.pool" to "16m") shouldBe
            DeviceSettings("cpu", "fpga", 1, 16L shl 20)
        shouldThrow<IllegalArgumentException> { settings("spark.arbalest.device" to "tpu") }.message shouldBe
            "spark.arbalest.device is tpu, but must be auto, cuda, rocm, opencl or cpu"
        shouldThrow<IllegalArgumentException> { settings("spark.arbalest.device.tasks" to "0") }.message shouldBe
            "spark.arbalest.device.tasks is 0, and is at least 1"
        settings("spark.arbalest.device" to "cpu").device(listOf("7")) shouldBe Devices.cpu()
        shouldThrow<IllegalStateException> { settings("spark.arbalest.device" to "rocm").device(listOf()) }
            .message shouldContain "spark.arbalest.device is rocm, which this executor does not have: "
        for (address in listOf("GPU-xyz", "99999999999999999999", "gpu0")) {
            shouldThrow<IllegalArgumentException> {
                settings("spark.arbalest.device" to "opencl").device(listOf(address))
            }.message shouldContain
                "Spark has assigned the address $address of the resource gpu, and devices are known by a number, "
        }
    }

    test("the log says which device `auto` selected and why, but nothing about a named one [SPK-12]") {
        val device = settings().device(listOf())
        val choice = settings().choice(device)!!
        choice shouldStartWith "tasks use the device $device, because spark.arbalest.device is auto"
        DeviceSettings.BEST_FIRST.takeWhile { it != device.type() }.forEach { choice shouldContain "$it: " }
        choice shouldEndWith "; name a type in the configuration if all executors must use the same"
        settings("spark.arbalest.device" to "opencl").choice(device) shouldBe null
    }

    test(
        "a device admits a limited number of tasks, others wait unless killed, and the last one empties the pool " +
            "[SPK-12]",
    ) {
        val device = Devices.device(DeviceType.OPENCL, 0)
        val shared = ExecutorDevice(device, DeviceSettings("opencl", "gpu", 2, 1L shl 20))
        repeat(2) { shared.enter(task()) }
        shared.pool().allocate(4096, 64).close()
        Executors.newFixedThreadPool(2).use { pool ->
            val killed = task()
            val waits = pool.submit { shared.enter(killed) }
            killed.markInterrupted("enough")
            shouldThrow<ExecutionException> { waits.get(20, SECONDS) }
                .cause!!::class shouldBe TaskKilledException::class
            val begun = CountDownLatch(1)
            val third = pool.submit(Callable {
                begun.countDown()
                shared.enter(task())
                "in"
            })
            begun.await()
            third.isDone shouldBe false
            shared.leave()
            third.get(20, SECONDS) shouldBe "in"
        }
        shared.pool().keptBytes() shouldBe 4096
        repeat(2) { shared.leave() }
        shared.pool().keptBytes() shouldBe 0
        shared.pool().close()
    }
})
