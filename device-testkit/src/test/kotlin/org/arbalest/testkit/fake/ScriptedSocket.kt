// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.fake

import java.io.ByteArrayOutputStream
import java.net.Socket
import java.net.SocketAddress
import java.net.SocketOption
import java.nio.ByteBuffer
import java.nio.channels.AsynchronousCloseException
import java.nio.channels.ClosedChannelException
import java.nio.channels.SocketChannel
import java.nio.channels.spi.SelectorProvider
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.atomic.AtomicInteger

/** A connected socket whose other end is a test: what comes from there, what was written, and what fails. */
internal class ScriptedSocket : SocketChannel(SelectorProvider.provider()) {
    private val coming = LinkedBlockingQueue<Any>()
    private val written = ByteArrayOutputStream()

    /** Called before each write, on the link's thread; may wait, or throw. */
    @Volatile
    var onWrite: (ByteBuffer) -> Unit = {}

    /** Called when nothing more is to be written, on the link's thread; may wait, or throw. */
    @Volatile
    var onShut: () -> Unit = {}

    /** How often it was said that nothing more will be written. */
    val shuts = AtomicInteger()

    /** Whoever has written last. */
    @Volatile
    lateinit var writer: Thread

    /** As with the JDK's sockets, where memory on the heap is read into by way of memory outside of it: that is used up. */
    @Volatile
    var isOutOfMemory = false

    /** These bytes come. */
    fun say(bytes: ByteArray) = coming.add(bytes)

    /** Whoever reads next fails. */
    fun fail(failure: Throwable) = coming.add(failure)

    /** Nothing more comes. */
    fun hangUp() = coming.add(END)

    /** Whether all that came was read. */
    val isRead: Boolean get() = coming.isEmpty()

    /** All that was written. */
    fun written(): ByteArray = synchronized(written) { written.toByteArray() }

    override fun read(target: ByteBuffer): Int {
        if (isOutOfMemory && !target.isDirect) throw OutOfMemoryError("Cannot reserve memory outside of the heap")
        return when (val next = coming.take()) {
            is ByteArray -> {
                val count = minOf(next.size, target.remaining())
                target.put(next, 0, count)
                if (count < next.size) putBack(next.copyOfRange(count, next.size))
                count
            }
            is Throwable -> throw next
            END -> (-1).also { putBack(END) }
            else -> throw AsynchronousCloseException().also { putBack(CLOSED) }
        }
    }

    private fun putBack(rest: Any) {
        val behind = ArrayList<Any>().also(coming::drainTo)
        coming.add(rest)
        coming.addAll(behind)
    }

    override fun write(source: ByteBuffer): Int {
        writer = Thread.currentThread()
        onWrite(source)
        if (!isOpen) throw ClosedChannelException()
        val bytes = ByteArray(source.remaining()).also(source::get)
        synchronized(written) { written.write(bytes) }
        return bytes.size
    }

    override fun shutdownOutput(): SocketChannel {
        writer = Thread.currentThread()
        shuts.incrementAndGet()
        onShut()
        if (!isOpen) throw ClosedChannelException()
        return this
    }

    override fun implCloseSelectableChannel() {
        coming.add(CLOSED)
    }

    override fun isConnected() = true

    override fun isConnectionPending() = false

    override fun implConfigureBlocking(block: Boolean) = Unit

    override fun toString() = "a scripted socket"

    override fun read(targets: Array<ByteBuffer>, offset: Int, length: Int): Long = unused()

    override fun write(sources: Array<ByteBuffer>, offset: Int, length: Int): Long = unused()

    override fun bind(local: SocketAddress?): SocketChannel = unused()

    override fun <T> setOption(name: SocketOption<T>, value: T): SocketChannel = unused()

    override fun <T> getOption(name: SocketOption<T>): T = unused()

    override fun supportedOptions(): Set<SocketOption<*>> = unused()

    override fun shutdownInput(): SocketChannel = unused()

    override fun socket(): Socket = unused()

    override fun connect(remote: SocketAddress): Boolean = unused()

    override fun finishConnect(): Boolean = unused()

    override fun getRemoteAddress(): SocketAddress = unused()

    override fun getLocalAddress(): SocketAddress = unused()

    private fun unused(): Nothing = error("a link does not do this")

    private companion object {
        val END = Any()
        val CLOSED = Any()
    }
}
