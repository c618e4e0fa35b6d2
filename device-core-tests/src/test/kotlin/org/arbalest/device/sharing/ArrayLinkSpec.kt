// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.sharing

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.support.ScriptedSocket
import org.arbalest.device.support.SharingFake
import org.arbalest.device.support.fromElsewhere
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers
import java.io.IOException
import java.net.InetAddress
import java.net.InetSocketAddress
import java.nio.ByteBuffer
import java.nio.ByteOrder.LITTLE_ENDIAN
import java.nio.channels.ClosedChannelException
import java.nio.channels.ServerSocketChannel
import java.nio.channels.SocketChannel
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CountDownLatch
import java.util.concurrent.ExecutionException
import java.util.concurrent.TimeUnit.SECONDS

/** A link whose other end is the test, over a scripted socket. The sharing specs of CUDA and ROCm use two processes. */
class ArrayLinkSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    val device = Devices.device(SharingFake.TYPE, 0)

    afterTest { SharingFake.shouldBeLeft() }

    fun array(): RecordBatch = numbers(10).use { it.copyTo(device.shareableMemory().get(), device.defaultStream()) }

    fun linked(block: (ArrayLink, ScriptedSocket) -> Unit) {
        val socket = ScriptedSocket()
        val link = ArrayLink.over(socket)
        socket.say("ARBLINK1".encodeToByteArray())
        try {
            block(link, socket)
        } finally {
            socket.hangUp()
            link.close()
            eventually("the socket is closed") { !socket.isOpen }
        }
    }

    test(
        "a link whose reader runs out of memory fails, and keeps sent arrays until the peer hangs up [IPC-07]",
    ) {
        linked { link, socket ->
            repeat(2) { link.send(array()) }
            val receiving = soon { link.receive() }
            socket.fail(OutOfMemoryError("a frame of 60 MiB"))
            receiving.failure().message shouldContain "the link has failed: a frame of 60 MiB"
            shouldThrow<IOException> { array().use { link.send(it) } }.message shouldContain "a frame of 60 MiB"
            eventually("the peer learns that no array is open here") { socket.shuts.get() == 1 }
            socket.say(released(1)) // the link no longer parses it as a frame
            eventually("the rest of the input is read") { socket.isRead }
            link.unreleased() shouldBe 2
            eventually("only the sent arrays are left") { SharingFake.live == 2 }
            socket.hangUp()
            eventually("all arrays are freed") { link.unreleased() == 0 && SharingFake.live == 0 }
            eventually("the socket is closed") { !socket.isOpen }
        }
    }

    test(
        "a link whose reader gets no memory at all frees nothing before the peer hangs up [IPC-07]",
    ) {
        linked { link, socket ->
            link.send(array())
            socket.isOutOfMemory = true
            socket.fail(OutOfMemoryError("no memory"))
            repeat(3) { socket.fail(OutOfMemoryError("no memory to wait with")) }
            socket.say(ByteArray(10_000))
            eventually("the input is read") { socket.isRead }
            link.unreleased() shouldBe 1
            socket.hangUp()
            eventually("all arrays are freed") { link.unreleased() == 0 }
        }
    }

    test(
        "a sender that waits behind a blocked write is notified when the link fails [IPC-07]",
    ) {
        linked { link, socket ->
            val isWriting = CountDownLatch(1)
            val mayWrite = CountDownLatch(1)
            eventually("the link has sent its greeting") { socket.written().size == 8 }
            socket.onWrite = {
                isWriting.countDown()
                check(mayWrite.await(5, SECONDS))
            }
            val first = soon { link.send(array()) }
            try {
                isWriting.await(5, SECONDS) shouldBe true
                array().use { mine ->
                    val second = soon { link.send(mine) }
                    eventually("the second sender waits") { link.unreleased() == 2 }
                    socket.say(NO_FRAME)
                    second.failure().message shouldContain "a frame of kind 9"
                    mine.isOpen shouldBe true
                }
                first.isDone shouldBe false
                link.unreleased() shouldBe 1 // the peer may read and open a partly written array
            } finally {
                mayWrite.countDown()
            }
            first.get(5, SECONDS)
        }
    }

    test(
        "when a link fails, each waiting array is either written or still the sender's, never both [IPC-07]",
    ) {
        repeat(10) {
            linked { link, socket ->
                val mayWrite = CountDownLatch(1)
                eventually("the link has sent its greeting") { socket.written().size == 8 }
                socket.onWrite = { check(mayWrite.await(5, SECONDS)) }
                val mine = List(200) { array() }
                val sending = mine.map { array ->
                    soon(Thread.ofPlatform()) { // a platform thread takes long to wake
                        runCatching { link.send(array) }.onFailure { mayWrite.countDown() }.getOrThrow()
                    }
                }
                eventually("the senders wait") { link.unreleased() == 200 }
                socket.say(NO_FRAME) // the first sender that fails lets the link continue its writes
                val sent = sending.count { runCatching { it.get(5, SECONDS) }.isSuccess }
                eventually("the link has written everything") { socket.shuts.get() == 1 }
                socket.arrays().size shouldBe sent
                link.unreleased() shouldBe sent
                mine.count { !it.isOpen } shouldBe sent
                mine.forEach { it.close() }
                eventually("only the sent arrays are left") { SharingFake.live == sent }
            }
        }
    }

    test(
        "a closed link reads on until the peer hangs up, and accepts no more arrays [IPC-07]",
    ) {
        linked { link, socket ->
            link.close()
            eventually("the link has shut down its output") { socket.shuts.get() == 1 }
            val other = array().use { SharedArray.of(it) }
            repeat(3) { socket.say(arrays(it + 1L, other.message().fromElsewhere())) }
            eventually("the input is read") { socket.isRead }
            socket.isOpen shouldBe true
            link.receive().shouldBeNull()
            socket.hangUp()
            eventually("the socket is closed") { !socket.isOpen }
            SharingFake.opened.size shouldBe 0
            other.close()
        }
    }

    test("a closed link with nothing left to send hangs up at once if the peer sends an invalid frame [IPC-07]") {
        linked { link, socket ->
            link.close()
            eventually("the link has shut down its output") { socket.shuts.get() == 1 }
            socket.isOpen shouldBe true
            socket.say(NO_FRAME)
            eventually("the socket is closed although the peer's end is not") { !socket.isOpen }
        }
    }

    test("closing a link over TCP while the peer sends does not reset the connection [IPC-07]") {
        ServerSocketChannel.open().use { server ->
            server.bind(InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            SocketChannel.open(server.localAddress).use { raw ->
                val accepted = server.accept()
                ArrayLink.over(accepted).close()
                val said = ByteBuffer.allocate(100)
                while (raw.read(said) >= 0) continue
                said.position() shouldBe 24 // a greeting and the end
                raw.write(ByteBuffer.wrap("ARBLINK1".encodeToByteArray()))
                repeat(5) { raw.write(ByteBuffer.wrap(arrays(it + 1L, ByteArray(100_000)))) }
                raw.close()
                eventually("the socket is closed") { !accepted.isOpen }
            }
        }
    }

    test(
        "a link whose writer runs out of memory rejects sends, and shuts down when no array is open here [IPC-07]",
    ) {
        linked { link, socket ->
            link.send(array())
            val other = array().use { SharedArray.of(it) }
            socket.say(arrays(7, other.message().fromElsewhere()))
            val open = soon { link.receive()!! }.get(5, SECONDS)
            socket.onWrite = { throw OutOfMemoryError("Cannot reserve 65536 bytes of direct buffer memory") }
            array().use { mine ->
                soon { link.send(mine) }.failure().message shouldContain "direct buffer memory"
                mine.isOpen shouldBe true
            }
            soon { link.receive() }.failure().message shouldContain "the link has failed: Cannot reserve 65536 bytes"
            link.unreleased() shouldBe 1
            socket.shuts.get() shouldBe 0 // a shutdown would mean that nothing is open here
            open.close()
            other.close()
            eventually("the link has shut down its output") { socket.shuts.get() == 1 }
            link.unreleased() shouldBe 1
            socket.hangUp()
            eventually("all arrays are freed") { link.unreleased() == 0 }
        }
    }

    test("arrays that arrive after a failure are not opened, because their release could not be sent [IPC-07]") {
        linked { link, socket ->
            val other = array().use { SharedArray.of(it) }
            link.send(array())
            socket.say(arrays(7, other.message().fromElsewhere()))
            val open = link.receive()!!
            socket.onWrite = { throw OutOfMemoryError("no memory") }
            array().use { soon { link.send(it) }.failure() }
            socket.say(arrays(8, other.message().fromElsewhere()))
            eventually("the input is read") { socket.isRead }
            open.close()
            eventually("the link has shut down its output, because nothing is open here") { socket.shuts.get() == 1 }
            repeat(2) { shouldThrow<IOException> { link.receive() }.message shouldContain "no memory" }
            socket.hangUp()
            eventually("the socket is closed") { !socket.isOpen }
            other.close()
        }
    }

    test("an owner that frees a returned array slowly delays neither later frames nor senders [IPC-07]") {
        linked { link, socket ->
            val mayFree = CountDownLatch(1)
            val freeing = CountDownLatch(1)
            val slow = foreign(80) {
                freeing.countDown()
                check(mayFree.await(5, SECONDS))
            }
            val other = array().use { SharedArray.of(it) }
            try {
                link.send(slow)
                socket.say(released(1))
                freeing.await(5, SECONDS) shouldBe true
                socket.say(arrays(7, other.message().fromElsewhere()))
                soon { link.receive()!! }.get(5, SECONDS).close()
                soon { link.send(array()) }.get(5, SECONDS)
                socket.say(released(2))
                eventually("the second array is returned, too") { link.unreleased() == 0 }
                mayFree.count shouldBe 1
            } finally {
                mayFree.countDown()
            }
            other.close()
        }
    }

    test("an owner that frees an array slowly after the peer hung up does not delay the receiver [IPC-07]") {
        linked { link, socket ->
            val mayFree = CountDownLatch(1)
            try {
                link.send(foreign(80) { check(mayFree.await(5, SECONDS)) })
                socket.hangUp()
                soon { link.receive() }.failure().message shouldContain "hung up"
            } finally {
                mayFree.countDown()
            }
        }
    }

    test("the link shuts down its output once, even if that fails [IPC-07]") {
        linked { link, socket ->
            link.send(array())
            val mayFail = CountDownLatch(1)
            socket.onShut = {
                check(mayFail.await(5, SECONDS))
                throw ClosedChannelException()
            }
            socket.say(NO_FRAME)
            eventually("the link has tried to shut down its output") { socket.shuts.get() == 1 }
            link.close()
            mayFail.countDown()
            socket.hangUp()
            socket.writer.join(5_000)
            socket.writer.isAlive shouldBe false
            socket.shuts.get() shouldBe 1
        }
    }

    test(
        "an invalid message from a peer is rejected and released, and other arrays are not affected [IPC-06, IPC-07]",
    ) {
        linked { link, socket ->
            val other = array().use { SharedArray.of(it) }
            val good = other.message().fromElsewhere()
            link.send(array())
            socket.say(arrays(1, good))
            val first = link.receive()!!
            val nonsense = listOf(ByteArray(0), ByteArray(300) { 7 }, good.copyOf(good.size - 1),
                good.clone().also { it[40] = (it[40] + 1).toByte() })
            nonsense.forEachIndexed { i, it -> socket.say(arrays(2L + i, it)) }
            socket.say(arrays(9, good))
            repeat(nonsense.size) { shouldThrow<DeviceException> { link.receive() } }
            val last = link.receive()!!
            eventually("only the invalid messages are released") { socket.releases() == listOf(2L, 3L, 4L, 5L) }
            for (array in listOf(first, last)) array.copyTo(Devices.cpu()).asRecordBatch().use {
                it.column("a").getLong(9) shouldBe 27
            }
            link.unreleased() shouldBe 1
            last.close()
            first.close()
            eventually("all arrays are released") { socket.releases().sorted() == listOf(1L, 2L, 3L, 4L, 5L, 9L) }
            socket.say(released(1))
            eventually("the sent array is returned") { link.unreleased() == 0 }
            other.close()
        }
    }
})

/** Runs an action on a thread of its own, because it may wait forever. */
private fun <T> soon(
    threads: Thread.Builder = Thread.ofVirtual(),
    what: () -> T,
): CompletableFuture<T> = CompletableFuture<T>().also { result ->
    threads.start { runCatching(what).fold(result::complete, result::completeExceptionally) }
}

/** Returns the error of an action that must fail soon. */
private fun CompletableFuture<*>.failure(): IOException = shouldThrow<ExecutionException> { get(5, SECONDS) }
    .cause as IOException

/** Returns an array in memory of the fake that the test allocates and frees. */
private fun foreign(bytes: Long, onFree: () -> Unit): DeviceArray {
    val device = Devices.device(SharingFake.TYPE, 0)
    val address = SharingFake.allocate(bytes, 64)
    val buffer = DeviceBuffer.wrap(device, address, bytes) {
        onFree()
        SharingFake.free(address, bytes)
    }
    val column = ArrayData.of(bytes / 8, 0, listOf(null, buffer))
    return DeviceArray.of(Schema.of(Field.of("a", DataType.INT64)).asField(),
        ArrayData.of(bytes / 8, 0, listOf(null), listOf(column)))
}

private fun frame(kind: Int, number: Long, payload: ByteArray = ByteArray(0)): ByteArray =
    ByteBuffer.allocate(16 + payload.size).order(LITTLE_ENDIAN).putInt(payload.size).putInt(kind).putLong(number)
        .put(payload).array()

/** A frame of the unknown kind 9, on which the link fails. */
private val NO_FRAME = frame(9, 0)

/** Returns a frame with an array of the other end. */
private fun arrays(number: Long, message: ByteArray) = frame(1, number, message)

/** Returns a frame in which the other end releases an array of this end. */
private fun released(number: Long) = frame(2, number)

/** Returns the numbers of the other end's arrays that the link has released. */
private fun ScriptedSocket.releases(): List<Long> = frames(2)

/** Returns the numbers of the arrays that the link has written. */
private fun ScriptedSocket.arrays(): List<Long> = frames(1)

/** Returns the numbers of the written frames of a kind. */
private fun ScriptedSocket.frames(kind: Int): List<Long> {
    val bytes = ByteBuffer.wrap(written()).order(LITTLE_ENDIAN).position(8)
    val numbers = mutableListOf<Long>()
    while (bytes.remaining() >= 16) {
        val length = bytes.getInt()
        val isMeant = bytes.getInt() == kind
        val number = bytes.getLong()
        if (isMeant) numbers += number
        bytes.position(bytes.position() + length)
    }
    return numbers
}
