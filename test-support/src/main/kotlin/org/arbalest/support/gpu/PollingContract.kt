// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.gpu

import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.funSpec
import io.kotest.matchers.shouldBe
import org.arbalest.support.gpu.GpuDouble.Live
import org.arbalest.testkit.contract.Gate
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers
import org.arbalest.testkit.contract.pageable
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit.SECONDS

/**
 * The contract of waits on a GPU whose streams share few hardware connections. Each connection runs its work in the
 * order of queueing.
 */
fun pollingContract(backend: GpuBackend): TestFactory = funSpec {
    val device by lazy { backend.gpu(0) }
    val double = backend.double

    for (connections in listOf(1, 2, 4)) {
        test("with $connections hardware connections, a wait is not blocked by a wait for a later event [DEV-25]") {
            double.connections(connections)
            val streams = List(2) { device.createStream() }
            val gates = mutableListOf<Gate>()
            try {
                val (early, late) = streams.map { stream ->
                    gates += backend.gate(stream)
                    stream.record()
                }
                val lateStages = List(40) { late.onReady().toCompletableFuture() }
                val lateThread = CompletableFuture.runAsync { late.synchronize() }
                // the first notification opens the gate of the others
                val opening = early.onReady().thenRun { gates[1].open() }.toCompletableFuture()
                val earlyThread = CompletableFuture.runAsync { early.synchronize() }
                gates[0].open()
                opening.get(5, SECONDS)
                (lateStages + lateThread + earlyThread).forEach { it.get(5, SECONDS) }
                early.close()
                late.close()
            } finally {
                gates.forEach { it.open() }
                streams.forEach { it.close() }
            }
        }
    }

    for (connections in listOf(2, 4)) {
        test("with $connections hardware connections, waits for one stream do not block work of another [DEV-25]") {
            double.connections(connections)
            // created one after the other, so they do not share a connection
            val streams = List(2) { device.createStream() }
            val gate = backend.gate(streams[0])
            try {
                val held = streams[0].record()
                val stages = List(40) { held.onReady().toCompletableFuture() }
                val threads = List(2 * connections) { Thread.ofPlatform().daemon().start { held.synchronize() } }
                eventually("the threads have started") { threads.all { it.state != Thread.State.NEW } }
                val copies = CompletableFuture.runAsync {
                    repeat(20) {
                        pageable(1000, it).use { from ->
                            pageable(1000, 99).use { to ->
                                streams[1].copy(from, to)
                                streams[1].record().use { event ->
                                    event.onReady().toCompletableFuture().get(5, SECONDS)
                                }
                                to.segment().mismatch(from.segment()) shouldBe -1
                            }
                        }
                    }
                    streams[1].synchronize()
                }
                copies.get(5, SECONDS)
                stages.count { it.isDone } shouldBe 0
                gate.open()
                stages.forEach { it.get(5, SECONDS) }
                threads.forEach { it.join() }
                held.close()
            } finally {
                gate.open()
                streams.forEach { it.close() }
            }
        }
    }

    for (connections in listOf(2, 4, 8)) {
        test(
            "with $connections hardware connections, large copies to pageable memory in a held stream block no other " +
                "stream [DEV-25]",
        ) {
            double.connections(connections)
            val streams = List(connections) { device.createStream() }
            val gate = backend.gate(streams[0])
            val size = 3 * backend.slotSizes.second + 1
            val there = device.allocate(size)
            val back = pageable(size, 1)
            try {
                repeat(2) { streams[0].copy(there, back) }
                for (stream in streams.drop(1)) stream.record().use {
                    it.onReady().toCompletableFuture().get(5, SECONDS)
                }
            } finally {
                gate.open()
                streams.forEach { it.synchronize() }
                streams.forEach { it.close() }
                listOf(there, back).forEach { it.close() }
            }
        }
    }

    test("a batch is copied and awaited with a single connection for all streams [DEV-25]") {
        double.connections(1)
        repeat(3) {
            device.createStream().use { stream ->
                numbers(1000).use { it.copyTo(device, stream) }.use { there ->
                    // null if the array is already ready
                    there.syncEvent()?.use { it.onReady().toCompletableFuture() }?.get(5, SECONDS)
                    there.synchronize()
                }
                stream.synchronize()
            }
        }
        eventually("no command is left") { double.live(Live.COMMANDS) == 0L }
    }
}
