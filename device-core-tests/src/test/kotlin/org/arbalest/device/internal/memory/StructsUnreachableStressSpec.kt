// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.memory

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.async.AsyncProducer
import org.arbalest.device.async.AsyncSchema
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.ArrowArrayStreamStruct
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.ArrowAsyncHandlerStruct
import org.arbalest.device.c.ArrowDeviceArrayStreamStruct
import org.arbalest.device.c.ArrowDeviceArrayStruct
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.internal.abi.RawArrowAsyncHandler
import org.arbalest.device.internal.abi.RawArrowDeviceArray
import org.arbalest.device.internal.abi.RawArrowSchema
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.ChildJvm
import org.arbalest.support.fake.FakeDevice
import org.arbalest.testkit.contract.eventually
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemorySegment
import java.lang.foreign.StructLayout
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.lang.invoke.MethodHandles
import java.lang.ref.WeakReference
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executor
import java.util.concurrent.SubmissionPublisher
import kotlin.concurrent.thread

/**
 * Tests of structs in automatic arenas that the caller drops while a call runs. The collector frees such a struct as
 * soon as no reference to it remains.
 */
class StructsUnreachableStressSpec : FunSpec({
    extension(CCompiler.needed)

    fun good(child: ChildJvm) = withClue(child.output) {
        child.output.trim() shouldBe "good"
        child.exitCode shouldBe 0
    }

    // Compiled code drops a variable after its last use, which the test needs. Interpreted code keeps it.
    test("a struct that its caller dropped is not collected before the call's last access to it [OWN-14]") {
        good(ChildJvm.run(CollectedMeanwhile::class, options = listOf("-Xcomp", "-XX:CompileCommand=quiet",
            "-XX:CompileCommand=compileonly,org.arbalest.device.*::*")))
    }

    test("dropped structs are imported and exported whole while the collector runs often [OWN-14]") {
        good(ChildJvm.run(UnderPressure::class, options = listOf("-XX:+UseSerialGC", "-Xmx256m", "-Xmn1m")))
    }

    val field = Field.of("n", DataType.INT32)
    val calls = mapOf<String, (MemorySegment) -> Unit>(
        "ArrowSchema" to { CData.importSchema(it) },
        "ArrowArray" to { CData.importArray(it, CImport.DATA.schema(field)) },
        "ArrowDeviceArray" to { CData.importArray(it, CImport.DEVICE.schema(field)) },
        "ArrowArrayStream" to { CData.importStream(it, CImport.DATA).close() },
        "ArrowDeviceArrayStream" to { CData.importStream(it, CImport.DEVICE).close() },
        "ArrowAsyncDeviceStreamHandler" to {
            CData.exportAsyncStream(AsyncProducer.failed(IllegalStateException("not today")), it, Runnable::run,
                CExport.DEVICE)
        },
    )

    for ((struct, call) in calls) {
        test("an $struct in a closed arena or in another thread's arena is rejected before any access [OWN-14]") {
            val closed = Arena.ofConfined().use { it.allocate(256, 8) }
            shouldThrow<IllegalStateException> { call(closed) }.message shouldBe
                "$struct is in an arena that was closed"
            Arena.ofConfined().use { arena ->
                val confined = arena.allocate(256, 8).fill(0x5A)
                val failure = CompletableFuture.supplyAsync {
                    shouldThrow<WrongThreadException> { call(confined) }
                }.join()
                failure.message shouldBe "$struct is in an arena that is confined to another thread"
                confined.mismatch(arena.allocate(256, 8).fill(0x5A)) shouldBe -1
            }
        }
    }
})

/** A struct in an automatic arena to which only its user refers. */
private class Dropped(layout: StructLayout) {
    private var segment: MemorySegment? = Arena.ofAuto().allocate(layout).fill(0)
    private val watch = WeakReference(segment)

    val address: Long = checkNotNull(segment).address()

    /** Returns the struct, and drops this object's reference to it. */
    fun take(): MemorySegment = checkNotNull(segment).also { segment = null }

    /** Returns whether the struct is gone after a collection. Another unreachable object shows that one took place. */
    fun isCollected(): Boolean {
        val canary = WeakReference(Any())
        while (!canary.refersTo(null)) System.gc()
        return watch.refersTo(null)
    }
}

/** A program that checks, in the middle of each call that takes structs, whether the collector would free them. */
internal object CollectedMeanwhile {
    private val early = mutableListOf<String>()
    private var looked = 0
    private var what = ""
    private var watched = listOf<Dropped>()
    private val lookOnRelease = stub("look", FunctionDescriptor.ofVoid(JAVA_LONG))
    private val lookOnSchema = stub("onSchema", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG))
    private val onTask = stub("onTask", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG))
    private val lookOnError = stub("onError", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG))
    private val format = Arena.global().allocateFrom("i")

    private fun stub(name: String, type: FunctionDescriptor): Long {
        val target = MethodHandles.lookup().findStatic(CollectedMeanwhile::class.java, name, type.toMethodType())
        return Linker.nativeLinker().upcallStub(target, type, Arena.global()).address()
    }

    @JvmStatic
    @Suppress("UNUSED_PARAMETER")
    fun look(struct: Long) {
        looked++
        if (watched.any { it.isCollected() }) early += what
    }

    @JvmStatic
    fun onSchema(handler: Long, schema: Long): Int {
        look(handler)
        releaseOf(RawArrowSchema.release(schema), schema)
        return 5 // an errno: the handler wants no arrays
    }

    @JvmStatic
    @Suppress("UNUSED_PARAMETER")
    fun onTask(handler: Long, task: Long, metadata: Long): Int = 5

    @JvmStatic
    @Suppress("UNUSED_PARAMETER")
    fun onError(handler: Long, code: Int, message: Long, metadata: Long) = look(handler)

    private fun releaseOf(function: Long, struct: Long) {
        Linker.nativeLinker().downcallHandle(FunctionDescriptor.ofVoid(JAVA_LONG))
            .invokeWithArguments(MemorySegment.ofAddress(function), struct)
    }

    /** Runs [call] and assigns each look to [what]. The call must cause exactly [looks] looks. */
    private fun during(what: String, looks: Int, vararg structs: Dropped, call: () -> Unit) {
        this.what = what
        watched = structs.toList()
        looked = 0
        call()
        check(looked == looks) { "$what: the structs were looked at $looked times, not $looks times" }
    }

    private fun schema() = Dropped(ArrowSchemaStruct.LAYOUT).also {
        RawArrowSchema.setFormat(it.address, format.address())
        RawArrowSchema.setRelease(it.address, lookOnRelease)
    }

    /** Returns an array without buffers, which an import rejects and releases in place. */
    private fun malformed(layout: StructLayout) = Dropped(layout).also {
        RawArrowArray.setRelease(it.address, lookOnRelease)
        if (layout == ArrowDeviceArrayStruct.LAYOUT) RawArrowDeviceArray.setDeviceType(it.address, 1)
    }

    private fun refused(call: () -> Unit) {
        val why = runCatching(call).exceptionOrNull()
        check("n_buffers" in "$why") { "$why" }
    }

    private fun imports() {
        val field = Field.of("n", DataType.INT32)
        schema().let { during("importSchema", 1, it) { CData.importSchema(it.take()) } }
        val (array, device) = ArrowArrayStruct.LAYOUT to ArrowDeviceArrayStruct.LAYOUT
        malformed(array).let {
            during("importArray", 1, it) { refused { CData.importArray(it.take(), CImport.DATA.schema(field)) } }
        }
        malformed(device).let {
            during("importDeviceArray", 1, it) {
                refused { CData.importArray(it.take(), CImport.DEVICE.schema(field)) }
            }
        }
        (malformed(array) to schema()).let { (a, s) ->
            during("importArray with its schema", 2, a, s) {
                refused { CData.importArray(a.take(), CImport.DATA.schema(s.take())) }
            }
        }
        (malformed(device) to schema()).let { (a, s) ->
            during("importDeviceArray with its schema", 2, a, s) {
                refused { CData.importArray(a.take(), CImport.DEVICE.schema(s.take())) }
            }
        }
    }

    /** Runs [call] in a thread, and looks at the structs when the thread waits. */
    private fun whileItWaits(
        what: String,
        vararg structs: Dropped,
        call: () -> Unit,
        goOn: () -> Unit,
    ) = during(what, 1, *structs) {
        val caller = thread { call() }
        eventually("the caller waits") { caller.state == Thread.State.WAITING }
        look(0)
        goOn()
        caller.join()
    }

    private fun ints() = BatchBuilder.of(Devices.cpu(), 3).use { it.int32("n", intArrayOf(1, 2, 3)).build() }

    private fun exportArrays() {
        val device = Devices.device(DeviceType.CUDA_HOST, 0)
        val fake = FakeDevice.of(DeviceType.CUDA_HOST, 0)
        fun waits(what: String, layout: StructLayout, export: (RecordBatch, Dropped, Dropped) -> Unit) {
            val (out, schema) = Dropped(layout) to Dropped(ArrowSchemaStruct.LAYOUT)
            fake.hold()
            val copy = ints().use { it.copyTo(device) }.use { it.viewOrCopyTo(Devices.cpu()) }
            whileItWaits(what, out, schema, call = { export(copy, out, schema) }, goOn = fake::release)
        }
        waits("exportArray", ArrowArrayStruct.LAYOUT) { array, out, _ ->
            CData.exportArray(array, out.take(), CExport.DATA)
        }
        waits("exportArray with its schema", ArrowArrayStruct.LAYOUT) { array, out, schema ->
            CData.exportArray(array, out.take(), CExport.DATA.schemaTo(schema.take()))
        }
        waits("exportDeviceArray", ArrowDeviceArrayStruct.LAYOUT) { array, out, _ ->
            CData.exportArray(array, out.take(), CExport.DEVICE)
        }
        waits("exportDeviceArray with its schema", ArrowDeviceArrayStruct.LAYOUT) { array, out, schema ->
            CData.exportArray(array, out.take(), CExport.DEVICE.schemaTo(schema.take()))
        }
    }

    /** Exports streams while a pull is in progress, so that each export waits for the pull. */
    private fun exportStreams() {
        fun waits(what: String, layout: StructLayout, export: (RecordBatchReader, Dropped) -> Unit) {
            val (pulling, goOn) = CountDownLatch(1) to CountDownLatch(1)
            val reader = RecordBatchReader.of(Schema.of(Field.of("n", DataType.INT32)), DeviceType.CPU) {
                pulling.countDown()
                goOn.await()
                null
            }
            val puller = thread { reader.next() }
            pulling.await()
            val out = Dropped(layout)
            whileItWaits(what, out, call = { export(reader, out) }, goOn = goOn::countDown)
            puller.join()
        }
        waits("exportStream", ArrowArrayStreamStruct.LAYOUT) { reader, out ->
            CData.exportStream(reader, out.take(), CExport.DATA)
        }
        waits("exportDeviceArrayStream", ArrowDeviceArrayStreamStruct.LAYOUT) { reader, out ->
            CData.exportStream(reader, out.take(), CExport.DEVICE)
        }
    }

    private fun handler() = Dropped(ArrowAsyncHandlerStruct.LAYOUT).also {
        RawArrowAsyncHandler.setOnSchema(it.address, lookOnSchema)
        RawArrowAsyncHandler.setOnNextTask(it.address, onTask)
        RawArrowAsyncHandler.setOnError(it.address, lookOnError)
        RawArrowAsyncHandler.setRelease(it.address, lookOnRelease)
    }

    private fun handlers() {
        handler().let {
            during("refuse", 2, it) {
                CData.exportAsyncStream(AsyncProducer.failed(IllegalStateException("not today")), it.take(),
                    Runnable::run, CExport.DEVICE)
            }
        }
        val schema = AsyncSchema(Schema.of(Field.of("n", DataType.INT32)), DeviceType.CPU, Metadata.empty())
        val later = mutableListOf<Runnable>() // run after exportAsyncStream has returned
        SubmissionPublisher<RecordBatch>().use { arrays ->
            handler().let {
                during("produce", 2, it) {
                    CData.exportAsyncStream(AsyncProducer.of(schema, arrays), it.take(), Executor(later::add),
                        CExport.DEVICE)
                    while (later.isNotEmpty()) later.removeFirst().run()
                }
            }
        }
    }

    @JvmStatic
    fun main(args: Array<String>) {
        imports()
        exportArrays()
        exportStreams()
        handlers()
        println(if (early.isEmpty()) "good" else "collected too early: $early")
    }
}

/**
 * A program that exchanges large schemas in dropped structs. It needs no timing: the calls themselves make the garbage
 * for the collector.
 */
internal object UnderPressure {
    private const val ROUNDS = 3000
    private val schema = Schema.of(List(300) { Field.of("column $it", DataType.INT32) })

    private fun out(layout: StructLayout): MemorySegment = Arena.ofAuto().allocate(layout)

    /** Overwrites freed memory. */
    private fun churn() {
        while (!Thread.interrupted()) Arena.ofConfined().use { arena -> repeat(100) { arena.allocate(72).fill(0x5A) } }
    }

    private fun exported(): MemorySegment = out(ArrowSchemaStruct.LAYOUT).also {
        CData.exportSchema(schema.asField(), it)
    }

    @JvmStatic
    fun main(args: Array<String>) {
        val churning = thread(isDaemon = true) { churn() }
        repeat(ROUNDS) {
            // leaks, because no consumer releases it; the test only needs the write into the struct
            CData.exportSchema(schema.asField(), out(ArrowSchemaStruct.LAYOUT))
            check(Schema.ofStruct(CData.importSchema(exported())) == schema) { "round $it: the schemas differ" }
        }
        churning.interrupt()
        println("good")
    }
}
