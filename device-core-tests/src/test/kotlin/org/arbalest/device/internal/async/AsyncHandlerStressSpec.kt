// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceException
import org.arbalest.device.Errno
import org.arbalest.device.async.AsyncArrayStream
import org.arbalest.device.async.AsyncQuirk
import org.arbalest.device.async.AsyncTask
import org.arbalest.device.c.ArrowAsyncTaskStruct
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowAsyncHandler
import org.arbalest.device.internal.abi.RawArrowAsyncProducer
import org.arbalest.device.internal.abi.RawArrowAsyncTask
import org.arbalest.device.internal.abi.RawArrowDeviceArray
import org.arbalest.device.internal.calls.Calls
import org.arbalest.device.support.Balanced
import org.arbalest.device.support.Interleavings
import org.arbalest.device.support.batch
import org.arbalest.device.support.release
import org.arbalest.device.support.released
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.lang.invoke.MethodHandles
import java.util.concurrent.CancellationException
import java.util.concurrent.Flow
import java.util.concurrent.atomic.AtomicInteger

/**
 * The consumer's side in every order of a producer's callbacks, a subscriber's calls and extractions, also inside each
 * other.
 */
class AsyncHandlerStressSpec : FunSpec({
    extension(Balanced)

    for (end in ConsumerModel.End.entries) {
        for (script in ConsumerModel.SCRIPTS) {
            test(
                "every order of $end and of the subscriber's $script obeys the rules [ASY-10, ASY-16, ASY-19, " +
                    "ASY-20, ASY-22, ASY-28]",
            ) {
                val orders = Interleavings(preemptions = 3).explore { ConsumerModel(this, end, script).run { ::check } }
                println("AsyncHandler, $end, $script: $orders orders")
                orders shouldBeGreaterThan 40
            }
        }
    }

    for (end in listOf(ConsumerModel.End.NULL_TASK, ConsumerModel.End.ON_ERROR)) {
        for (script in ConsumerModel.EARLY_SCRIPTS) {
            for (tasks in 0..2) {
                test(
                    "every order of $end after $tasks tasks and of $script obeys the rules, with a producer freed " +
                        "early [ASY-29]",
                ) {
                    val orders = Interleavings(preemptions = 2).explore {
                        ConsumerModel(this, end, script, tasks, isGoneEarly = true).run { ::check }
                    }
                    println("AsyncHandler, freed early, $end, $tasks tasks, $script: $orders orders")
                    orders shouldBeGreaterThan 5
                }
            }
        }
    }
})

/** One run of a C producer, made of upcalls, with the library's handler. */
internal class ConsumerModel(
    run: Interleavings.Run,
    private val end: End,
    private val script: List<String>,
    private val tasks: Int = 2,
    private val isGoneEarly: Boolean = false,
) {
    enum class End { NULL_TASK, ON_ERROR, RELEASE_ALONE }

    private val arena = Arena.ofShared()
    private val producer = arena.allocate(64, 8)
    private val extracted = List(tasks) { AtomicInteger() }
    private val cancels = AtomicInteger()
    private val requests = AtomicInteger()
    private val releases = AtomicInteger()
    private val signalling = AtomicInteger()

    @Volatile private var demand = 0L

    @Volatile private var sent = 0

    /** Whether the producer may be freed already. */
    @Volatile private var gone = false

    /** Whether the source has ended or failed. The producer polls it with or without demand, as Arrow C++ does. */
    @Volatile private var exhausted = false

    private val signalled = java.util.concurrent.CopyOnWriteArrayList<AsyncTask>()
    private val signals = java.util.concurrent.CopyOnWriteArrayList<String>()
    private lateinit var subscription: Flow.Subscription
    private val arrays: AsyncArrayStream
    private var handler = 0L

    init {
        current = this
        faults.clear()
        RawArrowAsyncProducer.setDeviceType(producer.address(), 1)
        RawArrowAsyncProducer.setRequest(producer.address(), REQUEST)
        RawArrowAsyncProducer.setCancel(producer.address(), CANCEL)
        val quirks = listOfNotNull(AsyncQuirk.PRODUCER_ENDS_EARLY.takeIf { isGoneEarly })
        arrays = CData.importAsyncStream(CImport.DEVICE.quirks(*quirks.toTypedArray()), { handler = it.address() })
        RawArrowAsyncHandler.setProducer(handler, producer.address())
        arrays.released().whenComplete { _, _ -> releases.incrementAndGet() }
        if ("subscribe" !in script) arrays.subscribe(Subscriber())
        run.actor("producer") { produce(this) }
        run.actor("subscriber") {
            for (call in script) {
                step(call)
                when (call) {
                    "subscribe" -> arrays.subscribe(Subscriber())
                    "request" -> subscription.request(1)
                    "cancel" -> subscription.cancel()
                    else -> arrays.close()
                }
            }
        }
        run.actor("holder") {
            for (i in 0 until tasks) {
                step("take task $i") { signalled.size > i || run.othersDone("holder") }
                val task = signalled.getOrNull(i) ?: break
                if (i % 2 == 0) task.extract().close() else task.close()
            }
        }
    }

    private fun produce(actor: Interleavings.Actor) {
        actor.step("on_schema")
        val schema = arena.allocate(ArrowSchemaStruct.LAYOUT)
        CData.exportSchema(SCHEMA.asField(), schema)
        Calls.get(RawArrowAsyncHandler.onSchema(handler), handler, schema.address()) shouldBe 0
        val task = arena.allocate(ArrowAsyncTaskStruct.LAYOUT)
        while (sent < tasks) {
            actor.step("on_next_task ${sent + 1}") { demand > sent || cancels.get() > 0 }
            if (cancels.get() > 0 && demand <= sent) break // the demand is met all the same: late tasks
            RawArrowAsyncTask.setExtractData(task.address(), EXTRACT)
            RawArrowAsyncTask.setPrivateData(task.address(), sent++.toLong())
            Calls.onNextTask(RawArrowAsyncHandler.onNextTask(handler), handler, task.address(), 0) shouldBe 0
            task.fill(-1)
        }
        exhausted = true
        goEarly()
        actor.step("end")
        when (end) {
            End.NULL_TASK -> Calls.onNextTask(RawArrowAsyncHandler.onNextTask(handler), handler, 0, 0)
            End.ON_ERROR -> Calls.onError(RawArrowAsyncHandler.onError(handler), handler, Errno.EIO, 0, 0)
            End.RELEASE_ALONE -> {}
        }
        gone = end != End.RELEASE_ALONE // as arrow-go does
        actor.step("release")
        Calls.release(RawArrowAsyncHandler.release(handler), handler)
        gone = true
    }

    /** Frees the struct once its owners have ended: the source and its tasks. */
    private fun goEarly() {
        if (isGoneEarly && exhausted && extracted.take(sent).all { it.get() > 0 }) gone = true
    }

    fun check() {
        arena.close()
        faults.shouldBeEmpty()
        releases.get() shouldBe 1
        (cancels.get() <= 1) shouldBe true
        extracted.take(sent).map { it.get() } shouldBe List(sent) { 1 }
        signals.first() shouldBe "onSubscribe"
        val (ends, others) = signals.drop(1).partition { it != "onNext" }
        if (ends.isNotEmpty()) ends shouldBe listOf(signals.last())
        (ends.singleOrNull() in expectedEnds()) shouldBe true
        if ("cancel" !in script && "close" !in script) others.size shouldBe
            minOf(sent, script.count { it == "request" })
    }

    /** Returns the last signals that the subscriber may receive; null stands for no signal. */
    private fun expectedEnds(): Set<String?> {
        val last = when (end) {
            End.NULL_TASK -> "onComplete"
            End.ON_ERROR, End.RELEASE_ALONE -> "onError ${Errno.EIO}"
        }
        return when {
            "cancel" in script -> setOf(null, last)
            "close" in script -> setOf("onError closed", last)
            else -> setOf(last)
        }
    }

    /** Runs a call by the library, which must not reach a freed producer. */
    private fun called(what: String, act: () -> Unit) {
        check(!gone) { "$what was called on a freed producer" }
        Interleavings.step("in $what")
        check(!gone) { "the producer was freed during $what" }
        act()
    }

    /** Adds demand. Requests come one at a time, but a cancel may run meanwhile, on any thread (ASY-08). */
    private fun requested(n: Long) {
        check(requests.getAndIncrement() == 0) { "request was called during another request" }
        called("request") { demand += n }
        requests.decrementAndGet()
    }

    private inner class Subscriber : Flow.Subscriber<AsyncTask> {
        override fun onSubscribe(s: Flow.Subscription) {
            subscription = s
            signal("onSubscribe")
        }

        override fun onNext(task: AsyncTask) {
            signalled += task
            signal("onNext")
        }

        override fun onError(t: Throwable) = signal(
            "onError ${if (t is DeviceException) t.errno() else if (t is CancellationException) "closed" else t}",
        )

        override fun onComplete() = signal("onComplete")

        private fun signal(what: String) {
            if (signalling.getAndIncrement() != 0) faults += "$what during another signal"
            signals += what
            Interleavings.step("in $what")
            signalling.decrementAndGet()
        }
    }

    companion object {
        val EARLY_SCRIPTS = listOf(
            listOf("request", "request"), listOf("subscribe", "request", "request"), listOf("request", "cancel"),
            listOf("cancel"), listOf("request", "close"),
            listOf("close"),
        )
        val SCRIPTS = listOf(listOf("request", "request"), listOf("request", "cancel"), listOf("cancel"),
            listOf("request", "close"))
        private val faults = java.util.concurrent.CopyOnWriteArrayList<String>()

        @Volatile private lateinit var current: ConsumerModel
        private val SCHEMA = batch(1).use { it.schema() }
        private val REQUEST = stub("request", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG))
        private val CANCEL = stub("cancel", FunctionDescriptor.ofVoid(JAVA_LONG))
        private val EXTRACT = stub("extract", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG))

        private fun stub(name: String, type: FunctionDescriptor): Long =
            Linker.nativeLinker().upcallStub(
                MethodHandles.lookup().findStatic(ConsumerModel::class.java, name, type.toMethodType()), type,
                Arena.global(),
            ).address()

        @JvmStatic
        fun request(@Suppress("unused") self: Long, n: Long) = guarded { current.requested(n) }

        @JvmStatic
        fun cancel(@Suppress("unused") self: Long) = guarded {
            current.run { called("cancel") { cancels.incrementAndGet() } }
        }

        @JvmStatic
        fun extract(task: Long, out: Long): Int {
            guarded {
                current.extracted[RawArrowAsyncTask.privateData(task).toInt()].incrementAndGet()
                Interleavings.step(if (out == 0L) "in extract_data(NULL)" else "in extract_data")
                current.goEarly()
                if (out != 0L) batch(1).use {
                    CData.exportArray(it, MemorySegment.ofAddress(out).reinterpret(RawArrowDeviceArray.SIZE),
                        CExport.DEVICE)
                }
            }
            return 0
        }

        /** Runs [action] and records its exception, since nothing may be thrown into C. */
        private fun guarded(action: () -> Unit) {
            try {
                action()
            } catch (t: Throwable) {
                faults += t.toString()
            }
        }
    }
}
