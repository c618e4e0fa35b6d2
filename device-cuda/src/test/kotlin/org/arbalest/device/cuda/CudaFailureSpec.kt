package org.arbalest.device.cuda

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Ledger
import org.arbalest.device.abi.DeviceType
import org.arbalest.testkit.CCompiler
import org.arbalest.testkit.LedgerExtension
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers
import org.arbalest.testkit.gpu.CudaDouble
import org.arbalest.testkit.gpu.GpuDouble.Live
import org.arbalest.testkit.gpu.failEach
import java.util.concurrent.ExecutionException
import java.util.concurrent.TimeUnit.SECONDS

/** Every call of the driver's fails once, and a GPU dies. */
class CudaFailureSpec : FunSpec({
    extension(CCompiler.needed)
    extension(CudaDouble.extension)
    extension(LedgerExtension)
    extension(gates.opened)

    val types = listOf(DeviceType.CUDA, DeviceType.CUDA_HOST, DeviceType.CUDA_MANAGED)

    /** What is kept for good. */
    fun kept(kind: Live): Long = Gpu.open(0).run {
        when (kind) {
            Live.STREAMS -> waits.lanes().toLong()
            Live.EVENTS -> staging.slots().toLong()
            Live.PINNED -> staging.blocks().toLong()
            else -> 0L
        }
    }

    val failing = listOf(
        "cuStreamCreate", "cuMemAllocFromPoolAsync", "cuStreamSynchronize", "cuMemHostAlloc", "cuMemAllocManaged", "cuMemGetInfo", "cuMemcpyAsync",
        "cuPointerGetAttribute", "cuEventCreate", "cuEventRecord", "cuEventSynchronize", "cuStreamWaitEvent", "cuLaunchHostFunc",
    )
    for (type in types) {
        test("DEV-14 on $type each call that fails is named, and nothing is left of what was half done") {
            val calls = CudaDouble.failEach(Devices.device(type, 0), failing, ::kept, Frees::drain) { CudaDouble.contextDepth shouldBe 0 }
            for (function in used(type)) withClue("calls of $function") { calls.getValue(function) shouldBeGreaterThan 0 }
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
        val gate = gates.shut(streams[0])
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
