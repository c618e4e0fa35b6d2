// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldNotContain
import org.arbalest.device.Device
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.Validation
import org.arbalest.device.async.AsyncProducer
import org.arbalest.device.c.ArrowArrayStreamStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.staging.Staging
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.support.StagedGpu
import org.arbalest.device.support.StagedGpu.Companion.filled
import org.arbalest.device.support.StagedGpu.Companion.matches
import org.arbalest.device.types.Metadata
import org.arbalest.support.ChildJvm
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.fake.FakeDevice
import org.arbalest.support.fake.FakeExtension
import org.arbalest.testkit.contract.numbers
import org.arbalest.testkit.contract.settled
import org.arbalest.testkit.contract.texts
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.time.Duration
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.atomic.AtomicLong

/** Many virtual threads, and one carrier thread for all that wait. */
class WaitVirtualThreadsSpec : FunSpec({
    extension(FakeExtension)
    extension(ResourceCountersExtension)

    test("a thousand virtual threads import a stream each, and pull, read and close it") {
        val sum = AtomicLong()
        Arena.ofShared().use { arena ->
            val structs = List(1000) {
                val reader = numbers(5).use { batch ->
                    RecordBatchReader.of(batch.schema(), List(3) { batch.slice(1, 4) })
                }
                arena.allocate(ArrowArrayStreamStruct.LAYOUT).also { CData.exportStream(reader, it, CExport.DATA) }
            }
            Executors.newVirtualThreadPerTaskExecutor().use { threads ->
                val readers = structs.map { struct -> threads.submit { sum.addAndGet(pulled(struct)) } }
                readers.forEach { it.get() }
            }
        }
        sum.get() shouldBe 1000L * 3 * (3 + 6 + 9 + 12)
    }

    test("a waiting virtual thread leaves the only carrier to others, except in a call through C [DEV-22]") {
        val options = listOf("-Djdk.virtualThreadScheduler.parallelism=1", "-Djdk.virtualThreadScheduler.maxPoolSize=1")
        val child = ChildJvm.run(OneCarrier::class, options = options)
        withClue(child.output) {
            child.exitCode shouldBe 0
            val results = child.output.lines().filter { ": " in it }.associate {
                it.substringBefore(": ") to it.substringAfter(": ")
            }
            (Waits.NAMES - results.keys).shouldBeEmpty()
            results.filterKeys { it in Waits.NAMES }.filterValues { it != "left the carrier" }.keys.shouldBeEmpty()
            results["a stream pulled through C"] shouldBe "kept the carrier"
            results["left"] shouldBe "nothing"
            child.output shouldNotContain "violation" // the fake also reports threads that block in its driver unpinned
        }
    }
})

/** Returns the sum of a column over a stream's batches. */
private fun pulled(struct: MemorySegment): Long {
    var sum = 0L
    CData.importStream(struct, CImport.DATA).use { reader ->
        while (true) {
            (reader.next() ?: break).use { batch ->
                val column = batch.column("a").asLongs()
                for (row in 0 until column.length()) sum += column.get(row)
            }
        }
    }
    return sum
}

/** Calls that wait while the fake devices are held. Each comes with an action that ends its wait. */
private class Waits : AutoCloseable {
    private val cpu = Devices.cpu()
    private val device = Devices.device(DeviceType.EXT_DEV, 0)
    private val stranger = Devices.device(DeviceType.CUDA_MANAGED, 0)
    private val fake = FakeDevice.of(DeviceType.EXT_DEV, 0)
    private val stream = device.createStream()
    private val strangers = stranger.createStream()
    private val pool = Executors.newSingleThreadExecutor(Thread.ofPlatform().factory())

    /** Runs a case with an array on the device that is not ready. [FakeDevice.release] ends its wait. */
    fun onDevice(name: String, run: (Case, () -> Unit) -> Unit) {
        fake.hold()
        texts(20).use { it.copyTo(device, stream) }.use { there -> run(case(name, there), fake::release) }
        stream.synchronize()
    }

    private fun case(name: String, there: RecordBatch): Case = Case(name) {
        when (name) {
            "event.synchronize" -> there.syncEvent()!!.use { it.synchronize() }
            "event.synchronize with a limit" -> check(there.syncEvent()!!.use { it.synchronize(Duration.ofHours(1)) })
            "array.synchronize" -> there.synchronize()
            "array.validate" -> there.validate(Validation.FULL)
            "stream.synchronize" -> stream.synchronize()
            "stream.waitFor, of another runtime" -> strangers.waitFor(there)
            "array.copyTo, with texts" -> there.copyTo(cpu, stream).close()
            "buffer.copy" -> copiedBuffer(device)
            else -> error(name)
        }
    }

    /** Runs a copy through pinned memory that is all in use, by its own stream or by another. */
    fun onSlots(name: String, isOwn: Boolean, run: (Case, () -> Unit) -> Unit) {
        val gpu = StagedGpu(0)
        gpu.device.createStream().use { own ->
            gpu.device.createStream().use { other ->
                val gates = listOf(own, other).map(gpu::gate)
                val held = gpu.occupy(if (isOwn) own else other, Staging.MOST_SMALL)
                val (from, there, back) = Triple(filled(100, 1), gpu.device.allocate(100), filled(100, 2))
                run(Case(name) { own.copy(from, there) }) { gates[0].complete() }
                own.copy(there, back)
                own.synchronize()
                check(back.matches(100, 1))
                gates[1].complete()
                other.synchronize()
                (held + listOf(from, there, back)).forEach(DeviceBuffer::close)
            }
        }
    }

    private fun copiedBuffer(device: Device) {
        device.allocate(16).use { it.copyTo(cpu.memory()).close() }
    }

    /** Runs a pull from a reader whose source waits. */
    fun onReader(name: String, isThroughC: Boolean, run: (Case, () -> Unit) -> Unit) {
        val gate = CountDownLatch(1)
        val schema = numbers(1).use { it.schema() }
        var left = 1
        var reader = RecordBatchReader.of(schema, DeviceType.CPU, DeviceArrayReader.Source<RecordBatch> {
            gate.await()
            if (left-- > 0) numbers(1) else null
        })
        Arena.ofShared().use { arena ->
            if (isThroughC) {
                val struct = arena.allocate(ArrowArrayStreamStruct.LAYOUT)
                CData.exportStream(reader, struct, CExport.DATA)
                reader = CData.importStream(struct, CImport.DATA)
            }
            reader.use { run(Case(name) { it.next()!!.close() }, gate::countDown) }
        }
    }

    /** Runs a pull from an async stream whose producer has not begun. */
    fun onAsync(name: String, run: (Case, () -> Unit) -> Unit) {
        lateinit var handler: MemorySegment
        val batches = numbers(1).use { batch -> RecordBatchReader.of(batch.schema(), List(3) { batch.retain() }) }
        CData.importAsyncStream(CImport.DEVICE) { handler = it }.use { stream ->
            val pull = Case(name) {
                stream.reader(1).use { reader -> while (true) (reader.next() ?: break).close() }
            }
            run(pull) {
                CData.exportAsyncStream(AsyncProducer.of(batches, Metadata.empty()), handler, pool, CExport.DEVICE)
            }
            stream.released().toCompletableFuture().join()
        }
    }

    override fun close() {
        stream.close()
        strangers.close()
        pool.close()
    }

    companion object {
        val ON_DEVICE = listOf(
            "event.synchronize", "event.synchronize with a limit", "array.synchronize", "array.validate",
            "stream.synchronize", "stream.waitFor, of another runtime", "array.copyTo, with texts", "buffer.copy",
        )
        const val OWN_SLOTS = "stream.copy, whose stream uses all slots"
        const val OTHERS_SLOTS = "stream.copy, where another stream uses all slots"
        const val READER = "reader.next, whose source waits"
        const val ASYNC = "asyncStream.reader, and its next"
        val NAMES = ON_DEVICE + OWN_SLOTS + OTHERS_SLOTS + READER + ASYNC
    }
}

private class Case(val name: String, val wait: () -> Unit)

internal object OneCarrier {
    /**
     * Runs a case whose wait another virtual thread ends. With one carrier it can do so only if the waiting thread has
     * left it.
     */
    private fun leaves(case: Case, release: () -> Unit) {
        val waiting = Thread.ofVirtual().start { case.wait() }
        val hasWaited = AtomicBoolean()
        val releasing = Thread.ofVirtual().start {
            val patience = System.nanoTime() + Duration.ofSeconds(3).toNanos()
            while (waiting.isAlive && !hasWaited.get() && System.nanoTime() < patience) {
                if (waiting.state == Thread.State.WAITING || waiting.state == Thread.State.TIMED_WAITING)
                    hasWaited.set(true) else Thread.yield()
            }
            release()
        }
        if (waiting.join(Duration.ofSeconds(5))) {
            releasing.join()
            println("${case.name}: ${if (hasWaited.get()) "left the carrier" else "did not wait"}")
        } else {
            println("${case.name}: kept the carrier")
            release()
            waiting.join()
            releasing.join()
        }
    }

    /**
     * Runs a case whose wait a platform thread ends. If the case kept the carrier, it goes on before the other virtual
     * thread.
     */
    private fun keeps(case: Case, release: () -> Unit) {
        val order = ConcurrentLinkedQueue<String>()
        val waiting = Thread.ofVirtual().start {
            case.wait()
            order += "the one that waited"
        }
        val other = Thread.ofVirtual().start { order += "the other" }
        val patience = System.nanoTime() + Duration.ofSeconds(5).toNanos()
        while (waiting.state != Thread.State.WAITING && waiting.isAlive && System.nanoTime() < patience)
            Thread.onSpinWait()
        check(waiting.state == Thread.State.WAITING) { "${case.name} did not wait within 5 seconds: ${waiting.state}" }
        release()
        waiting.join()
        other.join()
        println("${case.name}: ${if (order.first() == "the other") "left" else "kept"} the carrier")
    }

    @JvmStatic
    fun main(args: Array<String>) {
        StagedGpu(0).warmUp() // its slots stay allocated
        val before = settled()
        Waits().use { waits ->
            for (name in Waits.ON_DEVICE) waits.onDevice(name, ::leaves)
            waits.onSlots(Waits.OWN_SLOTS, isOwn = true, ::leaves)
            waits.onSlots(Waits.OTHERS_SLOTS, isOwn = false, ::leaves)
            waits.onReader(Waits.READER, isThroughC = false, ::leaves)
            waits.onAsync(Waits.ASYNC, ::leaves)
            waits.onReader("a stream pulled through C", isThroughC = true, ::keeps)
        }
        val patience = System.nanoTime() + Duration.ofSeconds(5).toNanos()
        while (!ResourceCounters.now().since(before).isZero && System.nanoTime() < patience) Thread.onSpinWait()
        println("left: ${if (ResourceCounters.now().since(before).isZero) "nothing" else ResourceCounters.now()}")
        FakeDevice.all().flatMap { it.violations() }.forEach { println("violation, $it") }
    }
}
