// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.MemoryAllocator
import org.arbalest.device.MemoryManager
import org.arbalest.device.RecordBatch
import org.arbalest.support.EveryType
import org.arbalest.support.ResourceCountersExtension
import java.io.IOException
import java.io.InputStream
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.Callable
import java.util.concurrent.CountDownLatch
import java.util.concurrent.CyclicBarrier
import java.util.concurrent.Executors
import java.util.concurrent.Future
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicInteger
import kotlin.io.path.writeBytes

/** Memory and channels live as long as a file, a reader or an array uses them, and no longer. */
class ArrowFileLifetimeSpec : FunSpec() {
    private val names = arrayOf("int64", "utf8", "utf8_view", "dictionary", "dictionary_of_structs", "list")
    private val subjects by lazy { Subjects.everyType(IpcCompression.NONE) }
    private val file by lazy { subjects.single { it.inputs == Inputs.files }.bytes }
    private val stream by lazy { subjects.single { it.inputs == Inputs.streams }.bytes }
    private val options = IpcReadOptions.defaults()
    private val inMemory = options.withMemory(Devices.cpu().memory())

    private fun expected(from: Int): List<Any?> = EveryType.batch(from, 5).use(EveryType::rows)

    private fun atPath(action: (Path) -> Unit) {
        val path = Files.createTempFile("arbalest", ".arrow")
        try {
            path.writeBytes(file)
            action(path)
        } finally {
            Files.delete(path)
        }
    }

    /** Opens the file in each of the ways. */
    private fun eachFile(action: (ArrowFile) -> Unit) {
        atPath { action(ArrowFile.open(it)) }
        atPath { action(ArrowFile.open(it, inMemory)) }
        action(ArrowFile.open(ByteChannel(file), options))
        action(ArrowFile.open(MemorySegment.ofArray(file), {}, options))
    }

    /** Returns memory of the arena that runs an action before each allocation. */
    private fun hooked(arena: Arena, action: () -> Unit): MemoryManager =
        MemoryManager.of(Devices.cpu(), object : MemoryAllocator {
            override fun isCpuAccessible() = true

            override fun allocate(bytes: Long, alignment: Long): Long {
                action()
                return arena.allocate(bytes, alignment).address()
            }

            override fun free(address: Long, bytes: Long) {}
        })

    private fun <T> inThreads(count: Int, action: (Int) -> T): List<T> {
        val threads = Executors.newFixedThreadPool(count)
        try {
            val barrier = CyclicBarrier(count)
            val results: List<Future<T>> = List(count) {
                threads.submit(Callable {
                    barrier.await(5, SECONDS)
                    action(it)
                })
            }
            return results.map { it.get(20, SECONDS) }
        } finally {
            threads.shutdownNow()
        }
    }

    init {
        extension(ResourceCountersExtension)

        test("a batch outlives its file [FIL-02]") {
            eachFile { file ->
                val batch = file.batch(1)
                file.close()
                batch.use { EveryType.rows(it) shouldContainExactly expected(2) }
            }
        }

        test("a reader outlives its file [FIL-02]") {
            eachFile { file ->
                val reader = file.reader()
                file.close()
                reader.use {
                    for (from in listOf(0, 2)) {
                        it.next()!!.use { batch -> EveryType.rows(batch) shouldContainExactly expected(from) }
                    }
                    it.next() shouldBe null
                }
            }
        }

        test("a closed file gives neither batches nor readers, and closing it again does nothing") {
            eachFile { file ->
                file.reader().use { reader ->
                    file.close()
                    file.close()
                    shouldThrow<IllegalStateException> { file.batch(0) }.message!! shouldContain "closed"
                    shouldThrow<IllegalStateException> { file.reader() }
                    shouldThrow<IllegalStateException> { file.rowCount() }
                    reader.next()!!.use { EveryType.rows(it) shouldContainExactly expected(0) }
                }
                file.schema().fields().size shouldBe EveryType.fields.size
            }
        }

        test("a segment is freed once, after the last array of a file [FIL-13]") {
            Arena.ofShared().use { arena ->
                val freed = AtomicInteger()
                val segment = arena.allocate(file.size.toLong(), 64).copyFrom(MemorySegment.ofArray(file))
                val opened = ArrowFile.open(segment, { freed.incrementAndGet() }, options)
                val reader = opened.reader()
                val first = opened.batch(0)
                val second = reader.next()!!
                val slice = first.slice(1, 2)
                for (handle in listOf(opened, first, reader, second)) {
                    handle.close()
                    freed.get() shouldBe 0
                }
                slice.close()
                freed.get() shouldBe 1
                opened.close()
                freed.get() shouldBe 1
            }
        }

        test("a segment is freed once, after the last array of a stream [FIL-13]") {
            Arena.ofShared().use { arena ->
                val freed = AtomicInteger()
                val segment = arena.allocate(stream.size.toLong(), 64).copyFrom(MemorySegment.ofArray(stream))
                val opened = ArrowStream.open(segment, { freed.incrementAndGet() }, options)
                val batches = List(2) { opened.next()!! }
                opened.next() shouldBe null
                opened.close()
                opened.close()
                batches[0].close()
                freed.get() shouldBe 0
                batches[1].use { EveryType.rows(it) shouldContainExactly expected(2) }
                freed.get() shouldBe 1
            }
        }

        test("a segment that is no file is not freed, because it stays with the caller [FIL-13]") {
            Arena.ofConfined().use { arena ->
                val freed = AtomicInteger()
                val segment = arena.allocate(100)
                val onFree = Runnable { freed.incrementAndGet() }
                shouldThrow<IpcException> { ArrowFile.open(segment, onFree, options) }
                shouldThrow<IpcException> { ArrowStream.open(segment.asSlice(0, 3), onFree, options) }
                freed.get() shouldBe 0
            }
        }

        test("an exception of the code that frees a segment leaves no dictionaries open") {
            Arena.ofShared().use { arena ->
                val segment = arena.allocate(file.size.toLong(), 64).copyFrom(MemorySegment.ofArray(file))
                val opened = ArrowFile.open(segment, { error("of the application") }, options)
                val batch = opened.batch(0)
                opened.close()
                batch.close()
            }
        }

        test("an exception in the application's block closes everything") {
            eachFile { file ->
                shouldThrow<IllegalStateException> {
                    file.use { it.reader().use { reader -> reader.next()!!.use { error("of the application") } } }
                }
            }
        }

        test("a column that does not exist leaves the channel to the caller [FIL-13]") {
            val channel = ByteChannel(file)
            shouldThrow<IllegalArgumentException> { ArrowFile.open(channel, options.withColumns("missing")) }
            channel.isOpen shouldBe true
            ArrowFile.open(channel, options).close()
            channel.isOpen shouldBe false
            eachFile { it.close() }
        }

        test("threads read batches of one file with dictionaries at the same time") {
            eachFile { file ->
                file.use {
                    val rows = inThreads(4) { thread ->
                        List(10) { i ->
                            if (thread % 2 == 0) file.batch(i % 2).use(EveryType::rows)
                            else file.reader().select(*names).use { r -> r.next()!!.use { it.length() } }
                        }
                    }
                    for ((thread, of) in rows.withIndex()) for ((i, row) in of.withIndex()) {
                        row shouldBe if (thread % 2 == 0) expected(2 * (i % 2)) else 5L
                    }
                }
            }
        }

        test("a file that a thread closes while others read is released after them") {
            repeat(20) {
                eachFile { file ->
                    inThreads(3) { thread ->
                        if (thread == 0) file.close()
                        else try {
                            file.batch(1).use { EveryType.rows(it) shouldContainExactly expected(2) }
                        } catch (e: IllegalStateException) {
                            e.message!! shouldContain "closed"
                        }
                    }
                }
            }
        }

        /** An input that gives some bytes, and then waits until it is closed. */
        class Waiting(private val bytes: ByteArray) : InputStream() {
            val isWaiting = CountDownLatch(1)
            val isClosed = CountDownLatch(1)
            private var at = 0

            override fun read(): Int = throw UnsupportedOperationException()

            override fun read(target: ByteArray, offset: Int, length: Int): Int {
                val count = minOf(length, bytes.size - at)
                if (count == 0) {
                    isWaiting.countDown()
                    check(isClosed.await(5, SECONDS)) { "not closed" }
                    throw IOException("the input was closed")
                }
                bytes.copyInto(target, offset, at, at + count)
                at += count
                return count
            }

            override fun close() = isClosed.countDown()
        }

        test("closing a reader ends its blocked read") {
            val input = Waiting(stream.copyOf(stream.size - 100))
            val reader = ArrowStream.read(input, options)
            inThreads(2) { thread ->
                if (thread == 0) {
                    reader.next()!!.close()
                    shouldThrow<IllegalStateException> { reader.next() }.message!! shouldContain "closed"
                } else {
                    check(input.isWaiting.await(5, SECONDS))
                    reader.close()
                }
            }
        }

        test("closing a stream ends its blocked read") {
            val input = Waiting(stream.copyOf(stream.size - 100))
            val opened = ArrowStream.open(input, options)
            inThreads(2) { thread ->
                if (thread == 0) {
                    opened.next()!!.close()
                    shouldThrow<IOException> { opened.next() }
                } else {
                    check(input.isWaiting.await(5, SECONDS))
                    opened.close()
                }
            }
            shouldThrow<IllegalStateException> { opened.next() }
        }

        test("a stream in memory that is closed during a read is freed after the read") {
            val bytes = Subjects.everyType(IpcCompression.LZ4_FRAME).single { it.inputs == Inputs.streams }.bytes
            Arena.ofShared().use { arena ->
                val segment = arena.allocate(bytes.size.toLong(), 64).copyFrom(MemorySegment.ofArray(bytes))
                val freed = AtomicInteger()
                var opened: ArrowStream? = null
                val closing = hooked(arena) {
                    opened?.close()
                    freed.get() shouldBe 0
                }
                opened = ArrowStream.open(segment, { freed.incrementAndGet() }, options.withMemory(closing))
                opened.next()!!.close()
                freed.get() shouldBe 1
                shouldThrow<IllegalStateException> { opened.next() }
            }
        }

        for (compression in IpcCompression.entries) {
            test("an allocation that fails, with $compression, leaves nothing") {
                for (subject in Subjects.everyType(compression)) {
                    var allocations = 0
                    var failing = -1
                    Arena.ofShared().use { arena ->
                        val memory = hooked(arena) {
                            if (allocations++ == failing) throw DeviceException(Errno.ENOMEM, "the memory is full")
                        }
                        val input = if (subject.inputs == Inputs.files) Inputs.FILE_CHANNEL else Inputs.INPUT_STREAM
                        input.read(subject.bytes, options.withMemory(memory)) {}
                        for (number in 0 until allocations) {
                            allocations = 0
                            failing = number
                            val thrown = shouldThrow<DeviceException> {
                                input.read(subject.bytes, options.withMemory(memory)) {}
                            }
                            thrown.message!! shouldContain "full"
                        }
                    }
                }
            }
        }

        test("a stream in memory that a thread closes while another one reads is freed after the read") {
            Arena.ofShared().use { arena ->
                val segment = arena.allocate(stream.size.toLong(), 64).copyFrom(MemorySegment.ofArray(stream))
                repeat(50) {
                    val freed = AtomicInteger()
                    val isReading = AtomicInteger()
                    val onFree = Runnable {
                        isReading.get() shouldBe 0
                        freed.incrementAndGet()
                    }
                    val opened = ArrowStream.open(segment, onFree, options)
                    inThreads(2) { thread ->
                        if (thread == 0) opened.close()
                        else try {
                            opened.next()?.use { batch: RecordBatch -> EveryType.rows(batch) }
                        } catch (e: IllegalStateException) {
                            e.message!! shouldContain "closed"
                        }
                    }
                    freed.get() shouldBe 1
                }
            }
        }
    }
}
