// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceType
import org.arbalest.device.RecordBatch
import org.arbalest.device.async.AsyncProducer
import org.arbalest.device.async.AsyncSchema
import org.arbalest.device.async.WakingSubscription
import org.arbalest.device.c.ArrowAsyncHandlerStruct
import org.arbalest.device.c.ArrowAsyncTaskStruct
import org.arbalest.device.c.ArrowDeviceArrayStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.internal.abi.RawArrowAsyncHandler
import org.arbalest.device.internal.abi.RawArrowAsyncProducer
import org.arbalest.device.internal.abi.RawArrowAsyncTask
import org.arbalest.device.internal.array.ArrayRelease
import org.arbalest.device.internal.calls.Calls
import org.arbalest.device.internal.memory.NativeHeap
import org.arbalest.device.internal.schema.SchemaImporter
import org.arbalest.device.support.Balanced
import org.arbalest.device.support.Interleavings
import org.arbalest.device.support.batch
import org.arbalest.device.support.released
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.lang.invoke.MethodHandles
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.Flow
import java.util.concurrent.atomic.AtomicInteger

/**
 * The producer's side in every order of a publisher's signals, a consumer's calls, extractions and the executor's jobs.
 */
class AsyncExportStressSpec : FunSpec({
    extension(Balanced)

    for (fails in listOf(false, true)) {
        for (script in if (fails) ProducerModel.SCRIPTS.take(2) else ProducerModel.SCRIPTS) {
            test(
                "every order of ${if (fails) "a failure" else "an end"} and the consumer's $script obeys the rules " +
                    "[ASY-04, ASY-05, ASY-06, ASY-08, ASY-16, ASY-19, ASY-22, ASY-28]",
            ) {
                val orders = Interleavings(preemptions = 2).explore {
                    ProducerModel(this, fails, script, ProducerModel.Asked.BY_WHO_ACTS).run { ::check }
                }
                println("AsyncExport, ${if (fails) "onError" else "onComplete"}, $script: $orders orders")
                orders shouldBeGreaterThan 40
            }
        }
    }

    for (asked in listOf(ProducerModel.Asked.BY_THE_CONSUMER, ProducerModel.Asked.ANSWERS_AT_ONCE)) {
        val how = if (asked == ProducerModel.Asked.ANSWERS_AT_ONCE) ", answered at once" else ""
        for (script in ProducerModel.SCRIPTS) {
            test(
                "every order of the consumer's $script obeys the rules, with requests on its own thread$how [ASY-04, " +
                    "ASY-06, ASY-19, ASY-28]",
            ) {
                val orders = Interleavings(preemptions = 2).explore {
                    ProducerModel(this, false, script, asked).run { ::check }
                }
                println("AsyncExport, a waking subscription$how, $script: $orders orders")
                orders shouldBeGreaterThan 15
            }
        }
    }
})

/** One run of a C consumer, made of upcalls, with the library's producer. */
internal class ProducerModel(
    run: Interleavings.Run,
    private val fails: Boolean,
    private val script: List<String>,
    asked: Asked,
) {
    enum class Asked { BY_WHO_ACTS, BY_THE_CONSUMER, ANSWERS_AT_ONCE }

    private val arena = Arena.ofShared()
    private val handler = arena.allocate(ArrowAsyncHandlerStruct.LAYOUT)
    private val calls = CopyOnWriteArrayList<String>()
    private val inside = AtomicInteger()
    private val tasks = CopyOnWriteArrayList<MemorySegment>()
    private val jobs = ConcurrentLinkedQueue<Runnable>()
    private val closed = AtomicInteger()

    @Volatile private var requested = 0L

    @Volatile private var asked = 0L

    @Volatile private var stopped = false

    @Volatile private var released = false
    private val subscriber = CompletableFuture<Flow.Subscriber<in RecordBatch>>()
    private val done: CompletableFuture<Void>

    init {
        current = this
        faults.clear()
        RawArrowAsyncHandler.setOnSchema(handler.address(), ON_SCHEMA)
        RawArrowAsyncHandler.setOnNextTask(handler.address(), ON_NEXT_TASK)
        RawArrowAsyncHandler.setOnError(handler.address(), ON_ERROR)
        RawArrowAsyncHandler.setRelease(handler.address(), RELEASE)
        done = CData.exportAsyncStream(
            AsyncProducer.of(SCHEMA, { subscriber.complete(it); it.onSubscribe(subscription(asked)) }),
            handler,
            { jobs.add(it) },
            CExport.DEVICE,
        ).toCompletableFuture()
        run.actor("executor") {
            while (true) {
                step("run") { jobs.isNotEmpty() || run.othersDone("executor") }
                (jobs.poll() ?: break).run()
            }
        }
        if (asked != Asked.ANSWERS_AT_ONCE) run.actor("publisher") { publish(this) }
        run.actor("consumer") {
            for (call in script) {
                step(call) { "on_schema" in calls || released }
                if ("on_schema" in calls && !released) call(call)
            }
        }
        run.actor("extractor") {
            for (i in 0 until TASKS) {
                step("extract $i") { tasks.size > i || released }
                val task = tasks.getOrNull(i) ?: break
                extract(task, i)
            }
        }
    }

    private fun publish(actor: Interleavings.Actor) {
        for (i in 0 until TASKS) {
            actor.step("onNext $i") { asked > i || stopped || released }
            if (stopped || released) return
            subscriber.get().onNext(batch(1))
        }
        actor.step("onComplete or onError") { subscriber.isDone }
        if (fails) subscriber.get().onError(IllegalStateException("fails")) else subscriber.get().onComplete()
    }

    private fun call(what: String) {
        val producer = RawArrowAsyncHandler.producer(handler.address())
        CALLING.set(true)
        when (what) {
            "request" -> {
                requested++
                Calls.request(RawArrowAsyncProducer.request(producer), producer, 1)
            }
            "request(0)" -> Calls.request(RawArrowAsyncProducer.request(producer), producer, 0)
            else -> Calls.release(RawArrowAsyncProducer.cancel(producer), producer)
        }
        CALLING.remove()
    }

    /** Extracts each task twice. The first attempt passes an array for task 0, and NULL for task 1. */
    private fun extract(task: MemorySegment, index: Int) {
        val out = arena.allocate(ArrowDeviceArrayStruct.LAYOUT)
        val code = Calls.get(RawArrowAsyncTask.extractData(task.address()), task.address(),
            if (index == 0) out.address() else 0)
        if (code != 0) faults += "extract_data returned $code"
        if (index == 0) ArrayRelease.release(out.address())
        Interleavings.step("extract $index again")
        val again = Calls.get(RawArrowAsyncTask.extractData(task.address()), task.address(), out.address())
        if (again == 0 || RawArrowArray.release(out.address()) != 0L) faults += "a task was extracted twice"
        closed.incrementAndGet()
    }

    fun check() {
        arena.close()
        faults.shouldBeEmpty()
        done.isDone shouldBe true
        calls.count { it == "release" } shouldBe 1
        calls.last() shouldBe "release"
        if (calls.size > 1 && calls.first() != "on_error") calls.first() shouldBe "on_schema"
        calls.count { it == "on_schema" } shouldBe if (calls.first() == "on_schema") 1 else 0
        (calls.count { it == "task" } <= requested) shouldBe true
        closed.get() shouldBe tasks.size
        calls.count { it == "on_error" || it == "end" }.let { (it <= 1) shouldBe true }
        if ("request(0)" !in script && !fails) calls.count { it == "on_error" } shouldBe 0
    }

    private fun subscription(asked: Asked) = when (asked) {
        Asked.BY_WHO_ACTS -> Upstream()
        Asked.BY_THE_CONSUMER -> Waking()
        Asked.ANSWERS_AT_ONCE -> Hasty()
    }

    private open inner class Waking : Upstream(), WakingSubscription

    /** A waking subscription that signals inside `request`, although it promises not to. */
    private inner class Hasty : Waking() {
        override fun request(n: Long) {
            val to = subscriber.get()
            for (i in asked until asked + n) if (i < TASKS && !stopped) to.onNext(batch(1))
            super.request(n)
            if (asked == TASKS.toLong()) to.onComplete()
        }
    }

    private open inner class Upstream : Flow.Subscription {
        override fun request(n: Long) {
            asked += n
        }

        override fun cancel() {
            stopped = true
        }
    }

    private fun callback(what: String) {
        if (inside.getAndIncrement() != 0) faults += "$what during another callback"
        if (released) faults += "$what after release"
        if (CALLING.get() == true) faults += "$what inside a call by the consumer"
        calls += what
        Interleavings.step("in $what")
        inside.decrementAndGet()
    }

    companion object {
        private const val TASKS = 2
        val SCRIPTS = listOf(
            listOf("request", "request"), listOf("request", "cancel", "cancel"), listOf("cancel"),
            listOf("request", "request(0)"),
            listOf("request", "request", "cancel"),
        )
        private val faults = CopyOnWriteArrayList<String>()
        private val CALLING = ThreadLocal<Boolean>()

        @Volatile private lateinit var current: ProducerModel
        private val SCHEMA = batch(1).use { AsyncSchema.of(it.schema(), DeviceType.CPU) }
        private val ON_SCHEMA = stub("onSchema", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG))
        private val ON_NEXT_TASK = stub("onNextTask", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG))
        private val ON_ERROR = stub("onError", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG))
        private val RELEASE = stub("release", FunctionDescriptor.ofVoid(JAVA_LONG))

        private fun stub(name: String, type: FunctionDescriptor): Long =
            Linker.nativeLinker().upcallStub(
                MethodHandles.lookup().findStatic(ProducerModel::class.java, name, type.toMethodType()), type,
                Arena.global(),
            ).address()

        @JvmStatic
        fun onSchema(@Suppress("unused") self: Long, schema: Long): Int {
            SchemaImporter.giveBack(schema)
            current.callback("on_schema")
            return 0
        }

        @JvmStatic
        fun onNextTask(@Suppress("unused") self: Long, task: Long, @Suppress("unused") metadata: Long): Int {
            val model = current
            model.callback(if (task == 0L) "end" else "task")
            if (task != 0L) model.tasks += model.arena.allocate(ArrowAsyncTaskStruct.LAYOUT)
                .copyFrom(NativeHeap.segment(task, RawArrowAsyncTask.SIZE))
            return 0
        }

        @JvmStatic
        @Suppress("unused")
        fun onError(self: Long, code: Int, message: Long, metadata: Long) = current.callback("on_error")

        @JvmStatic
        fun release(@Suppress("unused") self: Long) {
            current.callback("release")
            current.released = true
        }
    }
}
