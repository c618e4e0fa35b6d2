package org.arbalest.device.cuda

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Ledger
import org.arbalest.device.abi.ArrowDeviceArrayStruct
import org.arbalest.device.abi.DeviceType
import org.arbalest.testkit.CCompiler
import org.arbalest.testkit.LedgerExtension
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.gpu.CudaDouble
import org.arbalest.testkit.gpu.GpuDouble.Live
import java.lang.foreign.Arena
import java.util.concurrent.ExecutionException
import java.util.concurrent.TimeUnit.SECONDS

/** Every call of the driver's fails once, and a GPU dies. */
class CudaFailureSpec : FunSpec({
    extension(CCompiler.needed)
    extension(CudaDouble.extension)
    extension(LedgerExtension)
    extension(ValueGate.Opened)

    val types = listOf(DeviceType.CUDA, DeviceType.CUDA_HOST, DeviceType.CUDA_MANAGED)

    /** Goes through all that a batch can meet: pageable memory, the device, an export, an import, waits of each kind, and back. */
    fun journey(type: DeviceType) {
        val device = Devices.device(type, 0)
        Arena.ofConfined().use { arena ->
            device.createStream().use { stream ->
                texts(300).use { source ->
                    source.copyTo(device, stream).use { there ->
                        device.createStream().use { second ->
                            second.waitFor(there)
                            second.record().use { it.completion().toCompletableFuture().get(20, SECONDS) }
                            there.copyTo(device, second).use { copy ->
                                val out = arena.allocate(ArrowDeviceArrayStruct.SIZE, 8)
                                copy.retain().exportDeviceArray(out)
                                DeviceArray.importDeviceArray(out, source.schema()).use { it.synchronize() }
                                copy.copyTo(Devices.cpu(), second).use { back ->
                                    back.synchronize()
                                    back.column("t").getString(7) shouldBe "text 7"
                                }
                            }
                            second.synchronize()
                        }
                    }
                }
                stream.synchronize()
            }
        }
    }

    fun live(): Map<Live, Long> {
        val gpu = Gpu.open(0)
        return Live.entries.associateWith { kind ->
            CudaDouble.live(kind) - when (kind) {
                Live.STREAMS -> gpu.waits.lanes().toLong()
                Live.EVENTS -> gpu.staging.slots().toLong()
                Live.PINNED -> gpu.staging.blocks().toLong()
                else -> 0L
            }
        }
    }

    /** The failure itself, or that of the stage that was waited for. */
    fun failureOf(block: () -> Unit): DeviceException? = when (val failure = runCatching(block).exceptionOrNull()) {
        null -> null
        is ExecutionException -> failure.cause.shouldBeInstanceOf<DeviceException>()
        else -> failure.shouldBeInstanceOf<DeviceException>()
    }

    val failing = listOf(
        "cuStreamCreate", "cuMemAllocFromPoolAsync", "cuStreamSynchronize", "cuMemHostAlloc", "cuMemAllocManaged", "cuMemGetInfo", "cuMemcpyAsync",
        "cuPointerGetAttribute", "cuEventCreate", "cuEventRecord", "cuEventSynchronize", "cuStreamWaitEvent", "cuLaunchHostFunc",
    )
    for (type in types) {
        test("DEV-14 on $type each call that fails is named, and nothing is left of what was half done") {
            repeat(3) { journey(type) } // what is kept for good is there now
            eventually("the warm-up is over") { Ledger.now().run { waits() == 0L && buffers() == 0L } }
            Frees.drain()
            eventually("nothing is queued") { CudaDouble.live(Live.COMMANDS) == 0L }
            val before = live()
            for (function in failing) {
                var nth = 0L
                do {
                    CudaDouble.fail(function, ++nth, 999)
                    val failure = failureOf { journey(type) }
                    val pending = CudaDouble.failNothing()
                    withClue("$function, call $nth") {
                        if (failure != null) failure.message shouldContain Regex("$function on CUDA\\w*:0 failed: unknown code \\(999\\)")
                        eventually("it is all released: ${Ledger.now()}") { Ledger.now().run { waits() == 0L && events() == 0L && buffers() == 0L && queues() == 0L } }
                        Frees.drain()
                        eventually("the driver has it all back: $before, ${live()}") { live() == before }
                        CudaDouble.violation shouldBe ""
                        CudaDouble.contextDepth shouldBe 0
                    }
                } while (pending == 0)
                withClue("$function was called") { (nth > 1 || function !in used(type)) shouldBe true }
            }
        }
    }

    test("DEV-14 a free or a destroy that fails is said by the log, and everything else goes on") {
        for (function in listOf("cuEventDestroy", "cuStreamDestroy", "cuMemFreeAsync", "cuMemFreeHost", "cuMemFree")) {
            val child = org.arbalest.testkit.ChildJvm.run(FailingFree::class, function)
            withClue(child.output) {
                child.exitCode shouldBe 0
                child.output shouldContain Regex("on CUDA\\w*:0 failed: unknown code \\(999\\)")
            }
        }
    }

    test("DEV-06 a GPU that dies tells all that wait: threads, stages, those that come later") {
        val device = Devices.device(DeviceType.CUDA, 1)
        val streams = List(2) { device.createStream() }
        val gate = ValueGate(streams[0])
        val held = streams[0].record()
        val other = streams[1].also { it.waitFor(held) }.record()
        val stages = listOf(held, other).map { it.completion().toCompletableFuture() }
        val waiting = Thread.ofPlatform().unstarted { held.synchronize() }
        var thrown: Throwable? = null
        waiting.setUncaughtExceptionHandler { _, e -> thrown = e }
        waiting.start()
        CudaDouble.die(1)
        for (stage in stages) {
            val failure = shouldThrow<ExecutionException> { stage.get(20, SECONDS) }.cause.shouldBeInstanceOf<DeviceException>()
            failure.message shouldBe "cuEventQuery on CUDA:1 failed: CUDA_ERROR_ILLEGAL_ADDRESS (700)"
        }
        waiting.join()
        thrown.shouldBeInstanceOf<DeviceException>()
        for (use in listOf<() -> Unit>({ held.isDone }, { held.synchronize() }, { streams[1].synchronize() }, { streams[0].record() }, { device.allocate(8) })) {
            shouldThrow<DeviceException> { use() }.message shouldContain "CUDA_ERROR_ILLEGAL_ADDRESS (700)"
        }
        Devices.device(DeviceType.CUDA, 0).createStream().use { it.synchronize() }
        CudaDouble.reset() // so that what is here can be given back
        gate.open()
        held.close()
        other.close()
        streams.forEach { it.close() }
    }

    test("the names of the driver's errors") {
        CuErrors.describe(2) shouldBe "CUDA_ERROR_OUT_OF_MEMORY (2)"
        CuErrors.describe(12345) shouldBe "unknown code (12345)"
    }
})

private fun used(type: DeviceType): List<String> = when (type) {
    DeviceType.CUDA -> listOf("cuMemAllocFromPoolAsync", "cuMemcpyAsync", "cuLaunchHostFunc", "cuEventRecord")
    DeviceType.CUDA_HOST -> listOf("cuMemHostAlloc", "cuLaunchHostFunc", "cuEventRecord")
    else -> listOf("cuMemAllocManaged", "cuMemGetInfo", "cuMemcpyAsync")
}

private fun texts(rows: Int): DeviceArray = Devices.cpu().batchBuilder(rows).use { batch ->
    batch.int64("a", LongArray(rows) { it.toLong() }).utf8("t", List(rows) { "text $it" }).build()
}

/** Lets one call of a function that gives something back fail, and goes on. */
internal object FailingFree {
    @JvmStatic
    fun main(args: Array<String>) {
        CudaDouble.reset(hasPools = args[0] != "cuMemFree")
        val device = Devices.device(DeviceType.CUDA, 0)
        val stream = device.createStream()
        repeat(2) {
            numbers(10).use { it.copyTo(device, stream) }.use { there -> there.copyTo(Devices.cpu(), stream).use { it.synchronize() } }
            device.hostMemory().get().allocate(8).close()
            device.createStream().close()
            if (it == 0) CudaDouble.fail(args[0], 1, 999)
        }
        stream.close()
        eventually("all but one is given back") {
            Ledger.now().run { waits() == 0L && events() == 0L && queues() == 0L && buffers() <= 1L }
        }
        Frees.drain()
    }
}
