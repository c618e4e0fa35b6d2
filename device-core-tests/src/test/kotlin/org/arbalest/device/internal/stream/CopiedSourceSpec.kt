// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceStream
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.c.ArrowDeviceArrayStreamStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.fake.FakeCall
import org.arbalest.support.fake.FakeDevice
import org.arbalest.support.fake.FakeExtension
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers
import java.io.IOException
import java.lang.foreign.Arena
import java.util.concurrent.CountDownLatch
import java.util.concurrent.CyclicBarrier
import java.util.concurrent.ExecutionException
import java.util.concurrent.FutureTask
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicInteger
import kotlin.concurrent.thread
import kotlin.random.Random

/** Readers whose arrays are copied to a device, some ahead of whoever pulls. */
class CopiedSourceSpec : FunSpec({
    extension(FakeExtension)
    extension(ResourceCountersExtension)

    val cpu = Devices.cpu()
    val device by lazy { Devices.device(DeviceType.EXT_DEV, 0) }
    val fake by lazy { device.let { FakeDevice.of(DeviceType.EXT_DEV, 0) } }

    /** Batches of 1, 2, 3, … rows. */
    class Tape(private val count: Int, private val before: (Int) -> Unit = {}) : DeviceArrayReader.Source {
        val made = AtomicInteger()
        val cancels = AtomicInteger()
        val closes = AtomicInteger()

        @Volatile
        var thread: Thread? = null

        override fun next(): DeviceArray? {
            thread = Thread.currentThread()
            before(made.get())
            return if (made.get() == count) null else numbers(made.incrementAndGet())
        }

        override fun cancel() {
            cancels.incrementAndGet()
        }

        override fun close() {
            closes.incrementAndGet()
        }

        fun reader(): DeviceArrayReader = DeviceArrayReader.of(numbers(0).use { it.schema() }, this)

        /** Until the thread that pulls does nothing but wait. */
        fun awaitWaiting(): Unit = eventually("the thread waits") { thread?.state == Thread.State.WAITING }

        fun awaitEnd(): Unit = check(thread!!.join(java.time.Duration.ofSeconds(5))) {
            "the thread that copies goes on"
        }
    }

    /** What blocks a tape's pulls from the [from]th on. */
    class Gate(private val from: Int) : (Int) -> Unit {
        private val come = CountDownLatch(1)
        private val open = CountDownLatch(1)

        override fun invoke(pull: Int) {
            if (pull < from) return
            come.countDown()
            check(open.await(5, SECONDS)) { "nobody opened the gate" }
        }

        fun awaitThread(): Unit = check(come.await(5, SECONDS)) { "nobody pulled" }

        fun open(): Unit = open.countDown()
    }

    fun copying(
        tape: Tape,
        ahead: Int,
        block: (DeviceArrayReader, DeviceStream) -> Unit,
    ) = device.createStream().use { stream ->
        tape.reader().copyTo(device.memory(), stream, ahead).use { block(it, stream) }
        if (ahead > 0 && tape.thread != null) tape.awaitEnd()
        tape.closes.get() shouldBe 1
    }

    fun DeviceArray.rows(): List<Long> = use { there ->
        there.copyTo(cpu).use { it.synchronize(); it.column("a").toLongArray().toList() }
    }

    fun expected(rows: Int): List<Long> = List(rows) { it * 3L }

    fun <T> started(call: () -> T): Pair<FutureTask<T>, Thread> = FutureTask(call).let {
        it to thread(isDaemon = true, block = it::run)
    }

    fun FutureTask<*>.failure(): Throwable = shouldThrow<ExecutionException> { get(5, SECONDS) }.cause!!

    for (ahead in listOf(0, 1, 2, 7)) {
        test("a reader's batches are on the device, in order, $ahead ahead [STR-13]") {
            val tape = Tape(5)
            copying(tape, ahead) { copied, _ ->
                copied.deviceType() shouldBe DeviceType.EXT_DEV
                copied.schema().fields().map { it.name() } shouldBe listOf("a", "b")
                tape.thread shouldBe null // nothing was pulled yet
                for (rows in 1..5) copied.next()!!.also { it.device() shouldBe device }.rows() shouldBe expected(rows)
                copied.next() shouldBe null
                copied.next() shouldBe null
            }
        }

        test("a reader without batches has none on the device, $ahead ahead [STR-13]") {
            copying(Tape(0), ahead) { copied, _ -> copied.next() shouldBe null }
        }
    }

    test("the copies are ordered by the stream that was given, and each has its event [STR-13]") {
        fake.hold()
        copying(Tape(3), 2) { copied, stream ->
            val arrays = List(3) { copied.next()!! }
            copied.next() shouldBe null // though none of them is copied
            arrays.map { it.isReady } shouldBe listOf(false, false, false)
            for (n in arrays.indices) {
                while (!arrays[n].isReady) fake.step(stream) shouldBe true
                arrays.map { it.isReady } shouldBe List(3) { it <= n }
            }
            fake.release()
            for ((n, array) in arrays.withIndex()) array.rows() shouldBe expected(n + 1)
        }
    }

    test("C pulls such a reader as a stream of the device [STR-13]") {
        Arena.ofConfined().use { arena ->
            val struct = ArrowDeviceArrayStreamStruct.allocate(arena)
            copying(Tape(4), 2) { copied, _ ->
                CData.exportStream(copied, struct, CExport.DEVICE)
                CData.importStream(struct, CImport.DEVICE).use { reader ->
                    for (rows in 1..4) reader.next()!!.rows() shouldBe expected(rows)
                }
            }
        }
    }

    for (ahead in 1..3) {
        test("no more than $ahead are copied that nobody has pulled [STR-14]") {
            val tape = Tape(10)
            copying(tape, ahead) { copied, _ ->
                for (pulled in 1..4) {
                    copied.next()!!.close()
                    eventually("the thread has gone on") { tape.made.get() == pulled + ahead }
                    tape.awaitWaiting()
                    tape.made.get() shouldBe pulled + ahead
                }
            }
            tape.made.get() shouldBe 4 + ahead
        }
    }

    test("with 0 ahead whoever pulls makes the batch, and the copy [STR-14]") {
        val tape = Tape(3)
        copying(tape, 0) { copied, _ ->
            copied.next()!!.close()
            tape.made.get() shouldBe 1
            tape.thread shouldBe Thread.currentThread()
        }
    }

    test("a negative number is refused, and so is a reader that is closed; the reader is still the caller's [STR-14]") {
        val tape = Tape(1)
        tape.reader().use { reader ->
            shouldThrow<IllegalArgumentException> { reader.copyTo(device.memory(), device.defaultStream(), -1) }
                .message shouldBe "ahead is -1, and cannot be negative"
            reader.next()!!.close()
            reader.close()
            shouldThrow<IllegalStateException> { reader.copyTo(device.memory(), device.defaultStream(), 1) }
                .message shouldBe "the reader was closed"
        }
        tape.closes.get() shouldBe 1
    }

    for (ahead in listOf(0, 5)) {
        test("what the source fails with comes behind what was copied before, and again, $ahead ahead [STR-15]") {
            val tape = Tape(9) { if (it == 3) throw DeviceException(Errno.EIO, "the tape tore") }
            copying(tape, ahead) { copied, _ ->
                copied.next()!!.rows() shouldBe expected(1)
                if (ahead > 0) tape.awaitEnd()
                for (rows in 2..3) copied.next()!!.rows() shouldBe expected(rows)
                repeat(2) { shouldThrow<DeviceException> { copied.next() }.message shouldBe "the tape tore" }
            }
        }

        test("what a copy fails with comes behind what was copied before, $ahead ahead [STR-15]") {
            val tape = Tape(9)
            fake.failCall(FakeCall.ALLOCATE, 3)
            copying(tape, ahead) { copied, _ ->
                copied.next()!!.close()
                if (ahead > 0) tape.awaitEnd()
                copied.next()!!.close()
                shouldThrow<DeviceException> { copied.next() }.message shouldContain "fakeAlloc"
                tape.made.get() shouldBe 3
            }
            fake.refused shouldBe 1
        }
    }

    test("an Error, and an exception that is no DeviceException, come as without a thread [STR-15]") {
        copying(Tape(9) { throw AssertionError("no tape") }, 2) { copied, _ ->
            shouldThrow<AssertionError> { copied.next() }.message shouldBe "no tape"
        }
        copying(Tape(9) { throw IOException("no tape") }, 2) { copied, _ ->
            val error = shouldThrow<DeviceException> { copied.next() }
            error.errno() shouldBe Errno.EIO
            error.cause.shouldBeInstanceOf<IOException>()
        }
    }

    test("a stream of a third device is an error of the first pull [STR-15]") {
        Devices.device(DeviceType.EXT_DEV, 1).createStream().use { other ->
            val tape = Tape(2)
            tape.reader().copyTo(device.memory(), other, 2).use { copied ->
                shouldThrow<DeviceException> { copied.next() }.message shouldContain
                    "it has to be of a device that takes part"
            }
            tape.awaitEnd()
        }
    }

    test("whoever waits can be interrupted, and closes [STR-15]") {
        val gate = Gate(1)
        val tape = Tape(3, gate)
        copying(tape, 2) { copied, _ ->
            copied.next()!!.close()
            gate.awaitThread()
            val (pull, puller) = started { runCatching { copied.next() } to Thread.currentThread().isInterrupted }
            eventually("it waits") { puller.state == Thread.State.WAITING }
            puller.interrupt()
            val (result, isInterrupted) = pull.get(5, SECONDS)
            result.exceptionOrNull().shouldBeInstanceOf<DeviceException>().errno() shouldBe Errno.ECANCELED
            isInterrupted shouldBe true
            gate.open()
        }
    }

    test("one that nobody pulls makes nothing, and no thread [STR-16]") {
        val tape = Tape(3)
        copying(tape, 2) { _, _ -> }
        tape.thread shouldBe null
        tape.made.get() shouldBe 0
    }

    test("closed while the thread waits for room, copies that nobody pulled are given back [STR-16]") {
        val tape = Tape(9)
        copying(tape, 3) { copied, _ ->
            copied.next()!!.close()
            eventually("it is 3 ahead") { tape.made.get() == 4 }
            tape.awaitWaiting()
        }
        tape.made.get() shouldBe 4
    }

    test("30,000 copies that nobody pulled are given back, on a stack of any depth [STR-16]") {
        val batches = object : DeviceArrayReader.Source {
            val made = AtomicInteger()

            override fun next(): DeviceArray = numbers(1).also { made.incrementAndGet() }
        }
        val copied = DeviceArrayReader.of(numbers(0).use { it.schema() }, batches)
            .copyTo(cpu.memory(), cpu.defaultStream(), 30_000)
        copied.next()!!.close()
        eventually("it is 30,000 ahead") { batches.made.get() == 30_001 }
        copied.close()
    }

    test(
        "closed while the thread pulls, the source is asked to give up, nobody waits, and what it makes then is " +
            "given back [STR-16]",
    ) {
        val gate = Gate(1)
        val tape = Tape(9, gate)
        device.createStream().use { stream ->
            val copied = tape.reader().copyTo(device.memory(), stream, 3)
            copied.next()!!.close()
            gate.awaitThread()
            copied.close()
            tape.cancels.get() shouldBe 1
            tape.closes.get() shouldBe 0
        }
        gate.open()
        tape.awaitEnd()
        tape.closes.get() shouldBe 1
        tape.made.get() shouldBe 2
    }

    test(
        "closed by another thread while somebody pulls in place, the source is asked to give up, and closed behind " +
            "the pull [STR-16]",
    ) {
        val gate = Gate(0)
        val tape = Tape(9, gate)
        copying(tape, 0) { copied, _ ->
            val (pull, _) = started { copied.next() }
            gate.awaitThread()
            copied.close()
            tape.cancels.get() shouldBe 1
            tape.closes.get() shouldBe 0
            gate.open()
            pull.failure().message shouldBe "the reader was closed"
        }
    }

    test("closed while the thread copies, with its stream behind it, that copy is given back [STR-16]") {
        val tape = Tape(9)
        val stream = device.createStream()
        val copied = tape.reader().copyTo(device.memory(), stream, 3)
        copied.next()!!.close()
        eventually("it is 3 ahead") { tape.made.get() == 4 }
        tape.awaitWaiting()
        val stop = fake.stop(FakeCall.ALLOCATE)
        copied.next()!!.close()
        stop.awaitThread()
        copied.close()
        stream.close()
        tape.closes.get() shouldBe 1 // the source is not pulled
        stop.open()
        tape.awaitEnd()
        tape.made.get() shouldBe 5
    }

    test("closed while somebody waits for a batch, that pull throws [STR-16]") {
        val gate = Gate(0)
        val tape = Tape(9, gate)
        device.createStream().use { stream ->
            val copied = tape.reader().copyTo(device.memory(), stream, 1)
            val (pull, puller) = started { copied.next() }
            gate.awaitThread()
            eventually("it waits") { puller.state == Thread.State.WAITING }
            copied.close()
            pull.failure().message shouldBe "the reader was closed"
            gate.open()
            tape.awaitEnd()
            tape.closes.get() shouldBe 1
        }
    }

    test("pulled and closed by several threads at any time, 300 times, everything is given back [STR-16]") {
        val random = Random(16)
        device.createStream().use { stream ->
            repeat(300) {
                val tape = Tape(random.nextInt(8))
                val copied = tape.reader().copyTo(device.memory(), stream, random.nextInt(4))
                val pulls = random.nextInt(8)
                val go = CyclicBarrier(3)
                val threads = List(2) {
                    started {
                        go.await()
                        runCatching { repeat(pulls) { copied.next()?.close() } }.exceptionOrNull()
                    }
                }
                go.await()
                repeat(random.nextInt(5_000)) { Thread.onSpinWait() }
                copied.close()
                for ((pull, _) in threads) pull.get(5, SECONDS)?.message.let { message ->
                    (message == null || message == "the reader was closed") shouldBe true
                }
                eventually("the source is closed") { tape.closes.get() == 1 }
            }
        }
    }
})
