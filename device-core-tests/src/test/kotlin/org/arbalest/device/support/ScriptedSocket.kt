// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.support

import java.io.ByteArrayOutputStream
import java.net.Socket
import java.net.SocketAddress
import java.net.SocketOption
import java.nio.ByteBuffer
import java.nio.channels.AsynchronousCloseException
import java.nio.channels.ClosedChannelException
import java.nio.channels.SocketChannel
import java.nio.channels.spi.SelectorProvider
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.locks.ReentrantLock
import kotlin.concurrent.withLock

/** A connected socket whose other end is a test: what comes from there, what was written, and what fails. */
internal class ScriptedSocket : SocketChannel(SelectorProvider.provider()) {
    private val lock = ReentrantLock()
    private val arrived = lock.newCondition()

    /** In order, under the lock: bytes, failures, [END] and [CLOSED]. */
    private val coming = ArrayDeque<Any>()
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

    /**
     * As with the JDK's sockets, where memory on the heap is read into by way of memory outside of it: that is used up.
     */
    @Volatile
    var isOutOfMemory = false

    /** These bytes come. */
    fun say(bytes: ByteArray) = come(bytes)

    /** Whoever reads next fails. */
    fun fail(failure: Throwable) = come(failure)

    /** Nothing more comes. */
    fun hangUp() = come(END)

    private fun come(next: Any) = lock.withLock {
        coming.addLast(next)
        arrived.signalAll()
    }

    /** Whether all that came was read, and whoever has read it waits for more. */
    val isRead: Boolean get() = lock.withLock { coming.isEmpty() && lock.hasWaiters(arrived) }

    /** All that was written. */
    fun written(): ByteArray = synchronized(written) { written.toByteArray() }

    override fun read(target: ByteBuffer): Int {
        if (isOutOfMemory && !target.isDirect) throw OutOfMemoryError("Cannot reserve memory outside of the heap")
        return lock.withLock {
            while (coming.isEmpty()) arrived.await()
            when (val next = coming.first()) {
                is ByteArray -> {
                    val count = minOf(next.size, target.remaining())
                    target.put(next, 0, count)
                    if (count < next.size) coming[0] = next.copyOfRange(count, next.size) else coming.removeFirst()
                    count
                }
                is Throwable -> throw next.also { coming.removeFirst() }
                END -> -1
                else -> throw AsynchronousCloseException()
            }
        }
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
        come(CLOSED)
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
