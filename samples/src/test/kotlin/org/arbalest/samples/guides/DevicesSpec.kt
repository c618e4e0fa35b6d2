// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.coroutines.*
import org.arbalest.device.Device
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.MeteredMemory
import org.arbalest.device.RecordBatch
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.support.CCompiler
import org.arbalest.support.ChildJvm
import org.arbalest.support.gpu.CudaDouble
import org.arbalest.testkit.contract.eventually
import java.lang.foreign.Arena
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.net.StandardProtocolFamily
import java.net.UnixDomainSocketAddress
import java.nio.channels.ServerSocketChannel
import java.nio.channels.SocketChannel
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.CompletableFuture

/** The code of the guide to devices, on a simulated CUDA driver, in processes without another driver. */
class DevicesSpec : FunSpec({
    extension(CCompiler.needed)

    for (language in listOf("Java", "Kotlin")) {
        test("$language: a GPU is found by its identity, and each kind of memory, a limit and pinned memory work") {
            ChildJvm.run(DevicesOnDouble::class, language).run {
                withClue(output) { exitCode shouldBe 0 }
                output shouldContain "8192 bytes on CUDA:1, 8192 bytes on CUDA_HOST:1, 8192 bytes on CUDA_MANAGED:1, " +
                    "8192 bytes on CUDA:1"
                output shouldContain "all is well"
            }
        }

        test("$language: a batch is passed to another process") {
            val folder = Files.createTempDirectory("link")
            try {
                val (given, taken) = listOf("give", "take").map { part ->
                    CompletableFuture.supplyAsync({
                        ChildJvm.run(DevicesOnDouble::class, language, part, "${folder.resolve("s")}", seconds = 120)
                    }, Thread::startVirtualThread)
                }.map { it.join() }
                withClue(given.output + taken.output) {
                    given.exitCode shouldBe 0
                    taken.exitCode shouldBe 0
                    taken.output shouldContain "took 7.5"
                }
            } finally {
                folder.toFile().deleteRecursively()
            }
        }
    }
})

internal object DevicesOnDouble {
    @JvmStatic
    fun main(args: Array<String>) {
        CudaDouble.load()
        val isJava = args[0] == "Java"
        if (args.size == 1) here(isJava) else between(isJava, args[1], Path.of(args[2]))
        eventually("all resources are released") { ResourceCounters.now().isZero }
        check(CudaDouble.violations == 0L) { CudaDouble.violation }
        println("all is well")
    }

    private fun batch(): RecordBatch = Devices.cpu().batch { float64("price", doubleArrayOf(7.5)) }

    private fun here(isJava: Boolean) {
        val (uuid, place) = Devices.device(DeviceType.CUDA, 1).identity().let { "${it.uuid()}" to "${it.pciBusId()}" }
        val gpu: Device = if (isJava) DevicesJava.find(uuid, place) else find(uuid, place)
        println(if (isJava) DevicesJava.allocate(gpu, 8192) else allocate(gpu, 8192))
        val statistics: MeteredMemory.Statistics = batch().use {
            if (isJava) DevicesJava.bounded(gpu, it, 10_000) else bounded(gpu, it, 10_000)
        }
        check(statistics.currentCount() == 1L && statistics.limitBytes() == 10_000L) { "$statistics" }
        val arena = Arena.ofShared()
        val table = arena.allocate(100_000).fill(3)
        gpu.createStream().use { stream ->
            gpu.allocate(100_000).use { there ->
                if (isJava) DevicesJava.pinned(gpu, table, there, stream, arena)
                else pinned(gpu, table, there, stream, arena)
                stream.synchronize() // because copies of buffers do not wait for other streams
                there.copyTo(gpu.hostMemory().get()).use { check(it.segment().get(JAVA_BYTE, 99_999) == 3.toByte()) }
            }
        }
        eventually("the pinned memory is released") { !arena.scope().isAlive }
    }

    /** Runs one of two processes. The process that gives the batch listens, and the other connects when it does. */
    private fun between(isJava: Boolean, part: String, path: Path) {
        val address = UnixDomainSocketAddress.of(path)
        if (part == "give") {
            ServerSocketChannel.open(StandardProtocolFamily.UNIX).use { server ->
                server.bind(address)
                val gpu = Devices.device(DeviceType.CUDA, 0)
                batch().use {
                    if (isJava) DevicesJava.give(gpu, it, server.accept()) else give(gpu, it, server.accept())
                }
            }
        } else {
            lateinit var socket: SocketChannel
            eventually("the other process listens") { runCatching { socket = SocketChannel.open(address) }.isSuccess }
            println("took ${if (isJava) DevicesJava.take(socket) else take(socket)}")
        }
    }
}
