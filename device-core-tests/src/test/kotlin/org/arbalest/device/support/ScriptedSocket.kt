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

/** A connected socket whose other end is the test: the test supplies input and failures, and reads the output. */
internal class ScriptedSocket : SocketChannel(SelectorProvider.provider()) {
    private val lock = ReentrantLock()
    private val arrived = lock.newCondition()

    /** The input in order, under the lock: bytes, failures, [END] and [CLOSED]. */
    private val coming = ArrayDeque<Any>()
    private val written = ByteArrayOutputStream()

    /** Called before each write, on the link's thread. It may wait or throw. */
    @Volatile
    var onWrite: (ByteBuffer) -> Unit = {}

    /** Called when the link shuts down its output, on the link's thread. It may wait or throw. */
    @Volatile
    var onShut: () -> Unit = {}

    /** The number of calls of [shutdownOutput]. */
    val shuts = AtomicInteger()

    /** The thread that last wrote or shut down the output. */
    @Volatile
    lateinit var writer: Thread

    /**
     * Whether reads into heap memory fail. A JDK socket reads into the heap through a buffer outside of it, and that
     * memory is exhausted.
     */
    @Volatile
    var isOutOfMemory = false

    /** Adds bytes to the input. */
    fun say(bytes: ByteArray) = come(bytes)

    /** Makes the next read fail. */
    fun fail(failure: Throwable) = come(failure)

    /** Ends the input. */
    fun hangUp() = come(END)

    private fun come(next: Any) = lock.withLock {
        coming.addLast(next)
        arrived.signalAll()
    }

    /** Whether all input was read and the reader waits for more. */
    val isRead: Boolean get() = lock.withLock { coming.isEmpty() && lock.hasWaiters(arrived) }

    /** Returns all bytes that were written. */
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

    private fun unused(): Nothing = error("a link does not call this method")

    private companion object {
        val END = Any()
        val CLOSED = Any()
    }
}
