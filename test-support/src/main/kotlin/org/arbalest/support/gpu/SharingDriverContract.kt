// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.gpu

import io.kotest.assertions.withClue
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.funSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import org.arbalest.device.Devices
import org.arbalest.device.sharing.ArrayLink
import org.arbalest.device.sharing.SharedArray
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers
import java.net.StandardProtocolFamily.UNIX
import java.net.UnixDomainSocketAddress
import java.nio.channels.ServerSocketChannel
import java.util.HexFormat
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit.SECONDS

/** The rows of a large batch: 16 MiB. */
private const val ROWS = 1 shl 20

/**
 * The part of the contract of sharing between two processes that runs on a driver as well as on a simulator. See
 * [sharingContract] for the rest. Each test compares all values.
 */
fun sharingDriverContract(backend: GpuBackend): TestFactory = funSpec {
    val device by lazy { backend.gpu(0) }
    var other: SharingPeer? = null

    /** Runs a block with the other process. After a failure, the next test starts another one. */
    fun <T> withPeer(block: (SharingPeer) -> T): T {
        val peer = other ?: SharingPeer(backend).also { other = it }
        try {
            return block(peer)
        } catch (e: Throwable) {
            other = null
            peer.kill()
            throw e
        }
    }

    afterSpec { other?.close() }

    /** Checks that this process has closed all that another process shared, if the runtime can count that. */
    fun hasNothingLeft() {
        if (backend.onDouble) backend.hasNothingLeft()
    }

    for (ordinal in 0..1) {
        test("$ROWS rows on GPU $ordinal are whole in another process, and its rows are whole in this one [IPC-01]")
            .config(extensions = listOfNotNull(backend.twoGpus.takeIf { ordinal > 0 })) {
                val gpu = backend.gpu(ordinal)
                withPeer { peer ->
                    numbers(ROWS).use { rows ->
                        backend.toShareable(rows, gpu).use { there ->
                            there.synchronize()
                            SharedArray.of(there)
                        }.use { shared ->
                            peer.open("x", shared.message()) shouldBe "$gpu $ROWS true"
                            peer.ask("hash", "x") shouldBe "${rows.numbersHash()}"
                            peer.ask("close", "x") shouldBe "closed"
                        }
                        val message = HexFormat.of().parseHex(peer.ask("share", "$ordinal", "$ROWS"))
                        val closed = CountDownLatch(1)
                        SharedArray.open(message) { closed.countDown() }.use { theirs ->
                            theirs.device() shouldBe gpu
                            theirs.copyTo(Devices.cpu()).use { it.numbersHash() shouldBe rows.numbersHash() }
                        }
                        gpu.memory().trim()
                        withClue("the owner is notified") { closed.await(5, SECONDS) shouldBe true }
                    }
                }
                hasNothingLeft()
            }
    }

    test("another process reads shared arrays of many layouts and slices whole [IPC-01]") {
        withPeer { peer ->
            for ((rows, from, count) in listOf(Triple(100, 0L, 100L), Triple(100, 13L, 50L), Triple(0, 0L, 0L))) {
                val there = manyLayouts(rows).use { backend.toShareable(it, device) }.use { it.slice(from, count) }
                there.synchronize()
                SharedArray.of(there).use { shared ->
                    there.close()
                    peer.open("x", shared.message()) shouldBe "$device $count true"
                    manyLayouts(rows).use { all ->
                        all.slice(from, count).use { peer.ask("read", "x") shouldBe "${it.rows(1000)}" }
                    }
                    peer.ask("close", "x") shouldBe "closed"
                }
            }
        }
        hasNothingLeft()
    }

    test("another process's GPU waits for a shared array that is not ready, and then reads it whole [IPC-02]") {
        withPeer { peer ->
            device.createStream().use { stream ->
                val gate = backend.gate(stream)
                val there = numbers(100).use { it.copyTo(backend.shareable(device), stream) }
                if (!backend.sharesEvents) gate.open()
                there.use { SharedArray.of(it) }.use { shared ->
                    peer.open("x", shared.message()) shouldBe "$device 100 ${!backend.sharesEvents}"
                    if (backend.sharesEvents) {
                        peer.ask("queue", "x") shouldBe "queued false"
                        gate.open()
                    }
                    peer.ask("hash", "x") shouldBe numbers(100).use { "${it.numbersHash()}" }
                    peer.ask("close", "x") shouldBe "closed"
                }
                stream.synchronize()
            }
        }
        hasNothingLeft()
    }

    test("a link carries arrays to another process and back, whole [IPC-07]") {
        SharingPeer.socket { path ->
            ServerSocketChannel.open(UNIX).use { server ->
                server.bind(UnixDomainSocketAddress.of(path))
                withPeer { peer ->
                    peer.send("echo", "$path")
                    ArrayLink.over(server.accept()).use { link ->
                        for (rows in listOf(1, 100, 0, 5000)) manyLayouts(rows).use { source ->
                            link.send(backend.toShareable(source, device))
                            link.receive()!!.use { it.copyTo(Devices.cpu()) }.use { back ->
                                back.synchronize()
                                source.difference(back).shouldBeNull()
                            }
                        }
                        eventually("all arrays are released") { link.unreleased() == 0 }
                    }
                    peer.answer() shouldBe "echoed"
                }
            }
        }
        hasNothingLeft()
    }
}
