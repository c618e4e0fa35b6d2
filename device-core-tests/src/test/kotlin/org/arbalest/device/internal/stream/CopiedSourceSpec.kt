// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceStream
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
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

/** Tests of readers whose arrays are copied to a device, some of them ahead of the pulls. */
class CopiedSourceSpec : FunSpec({
    extension(FakeExtension)
    extension(ResourceCountersExtension)

    val cpu = Devices.cpu()
    val device by lazy { Devices.device(DeviceType.EXT_DEV, 0) }
    val fake by lazy { device.let { FakeDevice.of(DeviceType.EXT_DEV, 0) } }

    /** A source of batches with 1, 2, 3, … rows. */
    class Tape(private val count: Int, private val before: (Int) -> Unit = {}) : DeviceArrayReader.Source<RecordBatch> {
        val made = AtomicInteger()
        val cancels = AtomicInteger()
        val closes = AtomicInteger()

        @Volatile
        var thread: Thread? = null

        override fun next(): RecordBatch? {
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

        fun reader(): RecordBatchReader = RecordBatchReader.of(numbers(0).use { it.schema() }, this)

        /** Waits until the pulling thread has nothing to do. */
        fun awaitWaiting(): Unit = eventually("the thread waits") { thread?.state == Thread.State.WAITING }

        fun awaitEnd(): Unit = check(thread!!.join(java.time.Duration.ofSeconds(5))) {
            "the copying thread did not end within 5 s"
        }
    }

    /** A gate that blocks a tape's pulls from the [from]th on. */
    class Gate(private val from: Int) : (Int) -> Unit {
        private val come = CountDownLatch(1)
        private val open = CountDownLatch(1)

        override fun invoke(pull: Int) {
            if (pull < from) return
            come.countDown()
            check(open.await(5, SECONDS)) { "the gate was not opened within 5 s" }
        }

        fun awaitThread(): Unit = check(come.await(5, SECONDS)) { "no thread pulled within 5 s" }

        fun open(): Unit = open.countDown()
    }

    fun copying(
        tape: Tape,
        ahead: Int,
        block: (RecordBatchReader, DeviceStream) -> Unit,
    ) = device.createStream().use { stream ->
        tape.reader().copyTo(device.memory(), stream, ahead).use { block(it, stream) }
        if (ahead > 0 && tape.thread != null) tape.awaitEnd()
        tape.closes.get() shouldBe 1
    }

    fun RecordBatch.rows(): List<Long> = use { there ->
        there.copyTo(cpu).use { it.synchronize(); it.column("a").toLongArray().toList() }
    }

    fun expected(rows: Int): List<Long> = List(rows) { it * 3L }

    fun <T> started(call: () -> T): Pair<FutureTask<T>, Thread> = FutureTask(call).let {
        it to thread(isDaemon = true, block = it::run)
    }

    fun FutureTask<*>.failure(): Throwable = shouldThrow<ExecutionException> { get(5, SECONDS) }.cause!!

    for (ahead in listOf(0, 1, 2, 7)) {
        test("a copied reader returns all batches on the device, in order, with $ahead ahead [STR-13]") {
            val tape = Tape(5)
            copying(tape, ahead) { copied, _ ->
                copied.deviceType() shouldBe DeviceType.EXT_DEV
                copied.schema().fields().map { it.name() } shouldBe listOf("a", "b")
                tape.thread shouldBe null // no batch was pulled yet
                for (rows in 1..5) copied.next()!!.also { it.device() shouldBe device }.rows() shouldBe expected(rows)
                copied.next() shouldBe null
                copied.next() shouldBe null
            }
        }

        test("a copied reader of no batches ends at once, with $ahead ahead [STR-13]") {
            copying(Tape(0), ahead) { copied, _ -> copied.next() shouldBe null }
        }
    }

    test("the given stream orders the copies, and each copy has its own event [STR-13]") {
        fake.hold()
        copying(Tape(3), 2) { copied, stream ->
            val arrays = List(3) { copied.next()!! }
            copied.next() shouldBe null // the end comes although no copy is complete
            arrays.map { it.isReady } shouldBe listOf(false, false, false)
            for (n in arrays.indices) {
                while (!arrays[n].isReady) fake.step(stream) shouldBe true
                arrays.map { it.isReady } shouldBe List(3) { it <= n }
            }
            fake.release()
            for ((n, array) in arrays.withIndex()) array.rows() shouldBe expected(n + 1)
        }
    }

    test("C pulls a copied reader as a stream of the device [STR-13]") {
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
        test("at most $ahead batches are copied before they are pulled [STR-14]") {
            val tape = Tape(10)
            copying(tape, ahead) { copied, _ ->
                for (pulled in 1..4) {
                    copied.next()!!.close()
                    eventually("the copying thread goes on") { tape.made.get() == pulled + ahead }
                    tape.awaitWaiting()
                    tape.made.get() shouldBe pulled + ahead
                }
            }
            tape.made.get() shouldBe 4 + ahead
        }
    }

    test("with 0 ahead, the pulling thread makes the batch and the copy [STR-14]") {
        val tape = Tape(3)
        copying(tape, 0) { copied, _ ->
            copied.next()!!.close()
            tape.made.get() shouldBe 1
            tape.thread shouldBe Thread.currentThread()
        }
    }

    test("a negative number or a closed reader is rejected, and the caller keeps the reader [STR-14]") {
        val tape = Tape(1)
        tape.reader().use { reader ->
            shouldThrow<IllegalArgumentException> { reader.copyTo(device.memory(), device.defaultStream(), -1) }
                .message shouldBe "ahead must not be negative, but is -1"
            reader.next()!!.close()
            reader.close()
            shouldThrow<IllegalStateException> { reader.copyTo(device.memory(), device.defaultStream(), 1) }
                .message shouldBe "the reader was closed"
        }
        tape.closes.get() shouldBe 1
    }

    for (ahead in listOf(0, 5)) {
        test("an error of the source comes after the earlier copies, and is repeated, with $ahead ahead [STR-15]") {
            val tape = Tape(9) { if (it == 3) throw DeviceException(Errno.EIO, "the tape tore") }
            copying(tape, ahead) { copied, _ ->
                copied.next()!!.rows() shouldBe expected(1)
                if (ahead > 0) tape.awaitEnd()
                for (rows in 2..3) copied.next()!!.rows() shouldBe expected(rows)
                repeat(2) { shouldThrow<DeviceException> { copied.next() }.message shouldBe "the tape tore" }
            }
        }

        test("an error of a copy comes after the earlier copies, with $ahead ahead [STR-15]") {
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

    test("an Error or a checked exception of the source arrives as it does without a thread [STR-15]") {
        copying(Tape(9) { throw AssertionError("no tape") }, 2) { copied, _ ->
            shouldThrow<AssertionError> { copied.next() }.message shouldBe "no tape"
        }
        copying(Tape(9) { throw IOException("no tape") }, 2) { copied, _ ->
            val error = shouldThrow<DeviceException> { copied.next() }
            error.errno() shouldBe Errno.EIO
            error.cause.shouldBeInstanceOf<IOException>()
        }
    }

    test("a stream of a third device makes the first pull fail [STR-15]") {
        Devices.device(DeviceType.EXT_DEV, 1).createStream().use { other ->
            val tape = Tape(2)
            tape.reader().copyTo(device.memory(), other, 2).use { copied ->
                shouldThrow<DeviceException> { copied.next() }.message shouldContain
                    "use a stream of a device that takes part"
            }
            tape.awaitEnd()
        }
    }

    test("a waiting pull can be interrupted, and the reader can then be closed [STR-15]") {
        val gate = Gate(1)
        val tape = Tape(3, gate)
        copying(tape, 2) { copied, _ ->
            copied.next()!!.close()
            gate.awaitThread()
            val (pull, puller) = started { runCatching { copied.next() } to Thread.currentThread().isInterrupted }
            eventually("the pull waits") { puller.state == Thread.State.WAITING }
            puller.interrupt()
            val (result, isInterrupted) = pull.get(5, SECONDS)
            result.exceptionOrNull().shouldBeInstanceOf<DeviceException>().errno() shouldBe Errno.ECANCELED
            isInterrupted shouldBe true
            gate.open()
        }
    }

    test("a copied reader that is never pulled makes no batch and starts no thread [STR-16]") {
        val tape = Tape(3)
        copying(tape, 2) { _, _ -> }
        tape.thread shouldBe null
        tape.made.get() shouldBe 0
    }

    test("closing while the copying thread waits releases the copies that were not pulled [STR-16]") {
        val tape = Tape(9)
        copying(tape, 3) { copied, _ ->
            copied.next()!!.close()
            eventually("the copying thread is 3 ahead") { tape.made.get() == 4 }
            tape.awaitWaiting()
        }
        tape.made.get() shouldBe 4
    }

    test("closing releases 30,000 copies that were not pulled, without a stack overflow [STR-16]") {
        val batches = object : DeviceArrayReader.Source<RecordBatch> {
            val made = AtomicInteger()

            override fun next(): RecordBatch = numbers(1).also { made.incrementAndGet() }
        }
        val copied = RecordBatchReader.of(numbers(0).use { it.schema() }, batches)
            .copyTo(cpu.memory(), cpu.defaultStream(), 30_000)
        copied.next()!!.close()
        eventually("the copying thread is 30,000 ahead") { batches.made.get() == 30_001 }
        copied.close()
    }

    test("closing during the thread's pull cancels the source, returns at once, and releases the last batch [STR-16]") {
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

    test("closing during a pull without a thread cancels the source, and closes it after the pull [STR-16]") {
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

    test("closing the reader and then its stream during a copy releases that copy [STR-16]") {
        val tape = Tape(9)
        val stream = device.createStream()
        val copied = tape.reader().copyTo(device.memory(), stream, 3)
        copied.next()!!.close()
        eventually("the copying thread is 3 ahead") { tape.made.get() == 4 }
        tape.awaitWaiting()
        val stop = fake.stop(FakeCall.ALLOCATE)
        copied.next()!!.close()
        stop.awaitThread()
        copied.close()
        stream.close()
        tape.closes.get() shouldBe 1 // no pull is in progress, so the source closes at once
        stop.open()
        tape.awaitEnd()
        tape.made.get() shouldBe 5
    }

    test("a pull that waits for a batch throws when the reader is closed [STR-16]") {
        val gate = Gate(0)
        val tape = Tape(9, gate)
        device.createStream().use { stream ->
            val copied = tape.reader().copyTo(device.memory(), stream, 1)
            val (pull, puller) = started { copied.next() }
            gate.awaitThread()
            eventually("the pull waits") { puller.state == Thread.State.WAITING }
            copied.close()
            pull.failure().message shouldBe "the reader was closed"
            gate.open()
            tape.awaitEnd()
            tape.closes.get() shouldBe 1
        }
    }

    test("pulls and closes by several threads at any time leave no array and no source open [STR-16]") {
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
