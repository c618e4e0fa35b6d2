// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.gpu

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.funSpec
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.sharing.ArrayLink
import org.arbalest.support.gpu.GpuDouble.Live
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers
import java.io.IOException
import java.net.StandardProtocolFamily.UNIX
import java.net.UnixDomainSocketAddress
import java.nio.ByteBuffer
import java.nio.channels.ServerSocketChannel
import java.nio.channels.SocketChannel
import java.nio.file.Path
import kotlin.random.Random

/** The contract of links between two processes, of which one may be killed. */
fun arrayLinkContract(backend: GpuBackend, kills: Int): TestFactory = funSpec {
    val device by lazy { backend.gpu(0) }
    val double = backend.double

    test("a link carries arrays both ways, and each is freed when the receiving process releases it [IPC-07]") {
        connection { path, accept ->
            SharingPeer(backend).use { peer ->
                peer.send("echo", "$path")
                accept().use { link ->
                    for (rows in listOf(1, 100, 0, 5000)) {
                        manyLayouts(rows).use { source ->
                            link.send(backend.toShareable(source, device))
                            link.receive()!!.use { back ->
                                // the array before may wait for an idle period
                                if (rows > 0) double.live(Live.OPENED) shouldBeGreaterThan 0
                                back.copyTo(Devices.cpu()).use {
                                    it.synchronize()
                                    source.difference(it).shouldBeNull()
                                }
                            }
                        }
                    }
                    eventually("all arrays are released") { link.unreleased() == 0 }
                    val closed = backend.share(5).also { it.close() }
                    shouldThrow<IllegalStateException> { link.send(closed) }
                    numbers(5).use { host ->
                        shouldThrow<DeviceException> { link.send(host) }
                        host.isOpen shouldBe true
                    }
                }
                peer.answer() shouldBe "echoed"
                peer.ask("live") shouldBe "0 0 true"
            }
        }
        backend.hasNothingLeft()
    }

    test("a closed link sends nothing, and stays connected until its sent arrays are released [IPC-07]") {
        connection { path, accept ->
            val here = accept.alongside { link("$path") }
            val (mine, other) = here
            repeat(3) { mine.send(backend.share(10)) }
            mine.unreleased() shouldBe 3
            mine.close()
            mine.close()
            shouldThrow<IllegalStateException> { backend.share(10).use { mine.send(it) } }
            mine.unreleased() shouldBe 3
            // receiving them fails, which releases them
            repeat(3) { shouldThrow<DeviceException> { other.receive() }.message shouldContain "from this process" }
            other.receive().shouldBeNull()
            mine.receive().shouldBeNull()
            eventually("all arrays are released") { mine.unreleased() == 0 }
            eventually("the connection is closed") {
                backend.share(1).use { array -> runCatching { other.send(array) }.exceptionOrNull() } is IOException
            }
            other.close()
        }
        backend.hasNothingLeft()
    }

    test("a link sends its greeting before the first array [IPC-07]") {
        connection { path, accept ->
            val (link, raw) = accept.alongside { SocketChannel.open(UnixDomainSocketAddress.of(path)) }
            link.send(backend.share(1))
            val first = ByteBuffer.allocate(8)
            while (first.hasRemaining()) check(raw.read(first) > 0)
            first.array().decodeToString() shouldBe "ARBLINK1"
            raw.close()
            eventually("the array is released") { link.unreleased() == 0 }
            link.close()
        }
        backend.hasNothingLeft()
    }

    test("an interrupted thread sends its array, stays interrupted, and the link stays usable [IPC-07]") {
        connection { path, accept ->
            val (mine, other) = accept.alongside { link("$path") }
            mine.send(backend.share(10))
            Thread.currentThread().interrupt()
            mine.send(backend.share(10).also { it.synchronize() })
            Thread.interrupted() shouldBe true
            mine.unreleased() shouldBe 2
            repeat(2) { shouldThrow<DeviceException> { other.receive() }.message shouldContain "from this process" }
            eventually("both arrays are released") { mine.unreleased() == 0 }
            other.close()
            mine.close()
        }
        backend.hasNothingLeft()
    }

    for (who in listOf("opened", "sent")) {
        test("a link that fails by an invalid frame of the process that $who the arrays frees no open array [IPC-07]") {
            socket { path, accept ->
                SharingPeer(backend).use { peer ->
                    peer.send("link", "$path")
                    val channel = accept()
                    val link = ArrayLink.over(channel)
                    peer.answer() shouldBe "linked"
                    repeat(2) { link.send(backend.share(10)) }
                    repeat(2) { peer.ask("receive", "$it") shouldBe "10" }
                    if (who == "opened") {
                        peer.ask("nonsense") shouldBe "written"
                        shouldThrow<IOException> { link.receive() }.message shouldContain "a frame of kind 9"
                        shouldThrow<IOException> { backend.share(1).use { link.send(it) } }.message shouldContain
                            "a frame of kind 9"
                        peer.ask("receive", "none") shouldContain "hung up"
                    } else {
                        channel.write(ByteBuffer.wrap(NONSENSE))
                        peer.ask("receive", "none") shouldContain "a frame of kind 9"
                    }
                    peer.ask("close", "0") shouldBe "closed"
                    link.unreleased().toLong() shouldBeGreaterThan 0
                    peer.ask("read", "1") shouldContain "a=27"
                    double.violation shouldBe ""
                    peer.ask("close", "1") shouldBe "closed"
                    eventually("all arrays are released") { link.unreleased() == 0 }
                    peer.ask("unlink") shouldBe "unlinked"
                    link.close()
                    eventually("the socket is closed") { !channel.isOpen }
                    peer.ask("live") shouldBe "0 0 true"
                }
            }
            backend.hasNothingLeft()
        }
    }

    test("closing a link releases the arrays that arrived but were not received [IPC-07]") {
        connection { path, accept ->
            val (mine, other) = accept.alongside { link("$path") }
            repeat(3) { mine.send(backend.share(10)) }
            other.close()
            eventually("all arrays are released") { mine.unreleased() == 0 }
            mine.receive().shouldBeNull()
            mine.close()
        }
        backend.hasNothingLeft()
    }

    test("a link rejects a socket that uses another protocol, and keeps no array [IPC-07]") {
        connection { path, accept ->
            for (words in listOf(
                "GET / HTTP/1.1\r\n\r\n",
                "ARBLINK1" + "\u0000\u0000\u0000\u0000" + "\u0009\u0000\u0000\u0000" + "12345678",
                "ARB",
                "ARBLINK1ab",
            )) {
                val (mine, other) = accept.alongside { SocketChannel.open(UnixDomainSocketAddress.of(path)) }
                other.write(ByteBuffer.wrap(words.encodeToByteArray()))
                if (words.length < 24) other.shutdownOutput()
                withClue(words) {
                    shouldThrow<IOException> { mine.receive() }.message shouldContain "the link has failed: "
                }
                shouldThrow<IOException> { backend.share(10).use { mine.send(it) } }
                mine.close()
                other.close()
            }
            SocketChannel.open(UNIX).use {
                shouldThrow<IllegalArgumentException> { ArrayLink.over(it) }.message shouldContain "connected"
            }
        }
        backend.hasNothingLeft()
    }

    test("a process that is killed at any point causes no leak in the other process [IPC-08]") {
        val random = Random(2026)
        var killedWithSome = 0
        repeat(kills) { round ->
            connection { path, accept ->
                val process = backend.start(GpuProgram.CHURNING, "$path", "$round")
                accept().use { link ->
                    val echoes = mutableListOf<DeviceArray>()
                    val collector = Thread.ofVirtual().start { link.collect(echoes) }
                    val last = 1 + random.nextInt(60)
                    var sent = 0
                    while (sent < last) {
                        link.send(backend.share(1 + random.nextInt(2000)))
                        sent++
                        if (random.nextInt(8) == 0) eventually("arrays are released") {
                            link.unreleased() < 4 + random.nextInt(4)
                        }
                    }
                    repeat(random.nextInt(200_000)) { Thread.onSpinWait() }
                    if (link.unreleased() > 0) killedWithSome++
                    process.destroyForcibly()
                    collector.join()
                    eventually("sent arrays are released") { link.unreleased() == 0 }
                    shouldThrow<IOException> { backend.share(1).use { link.send(it) } }
                    echoes.forEach { it.close() }
                }
                process.waitFor()
            }
            backend.hasNothingLeft()
            double.violation shouldBe ""
        }
        killedWithSome.toLong() shouldBeGreaterThan 0
    }
}

private fun <T> connection(block: (Path, () -> ArrayLink) -> T): T = socket { path, accept ->
    block(path) { ArrayLink.over(accept()) }
}

private fun <T> socket(block: (Path, () -> SocketChannel) -> T): T = SharingPeer.socket { path ->
    ServerSocketChannel.open(UNIX).use { server ->
        server.bind(UnixDomainSocketAddress.of(path))
        block(path, server::accept)
    }
}

/** Collects all arrays until the other process is gone; the memory that it shared may be gone before. */
private fun ArrayLink.collect(into: MutableList<DeviceArray>) {
    while (true) {
        try {
            into += receive() ?: return
        } catch (_: DeviceException) {
            continue
        } catch (_: IOException) {
            return
        }
    }
}

/** Connects both ends of a connection at the same time. */
private fun <T> (() -> ArrayLink).alongside(connect: () -> T): Pair<ArrayLink, T> {
    var other: Result<T>? = null
    val thread = Thread.ofVirtual().start { other = runCatching(connect) }
    val mine = this()
    thread.join()
    return mine to other!!.getOrThrow()
}
