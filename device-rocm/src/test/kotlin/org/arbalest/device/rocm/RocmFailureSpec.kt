package org.arbalest.device.rocm

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
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
import org.arbalest.testkit.gpu.GpuDouble.Live
import org.arbalest.testkit.gpu.HipDouble
import org.arbalest.testkit.gpu.failEach
import java.util.concurrent.ExecutionException
import java.util.concurrent.TimeUnit.SECONDS

private val launch get() = HostFunctions.LAUNCH

/** Fail in the middle of a batch's journey. */
private val onTheWay = listOf(
    "hipGetDevice", "hipSetDevice", "hipStreamCreateWithFlags", "hipMallocFromPoolAsync", "hipStreamSynchronize", "hipHostMalloc", "hipMemcpyAsync",
    "hipDrvPointerGetAttributes", "hipEventCreateWithFlags", "hipEventRecord", "hipEventQuery", "hipEventSynchronize", "hipStreamWaitEvent",
    "hipStreamCreateWithPriority", "hipStreamQuery",
)

/** Fail when something is given back: it is lost, and the log says so. */
private val atTheEnd = listOf("hipEventDestroy", "hipStreamDestroy", "hipFreeAsync", "hipHostFree", "hipFree")

/** Fail when a GPU is opened, or asked for: see RocmProviderSpec. */
private val atTheBeginning = listOf(
    "hipGetDeviceCount", "hipRuntimeGetVersion", "hipDeviceGetName", "hipDeviceTotalMem", "hipDeviceGetStreamPriorityRange", "hipMemPoolCreate",
    "hipMemPoolSetAttribute", "hipMemPoolDestroy", "hipDeviceCanAccessPeer", "hipDeviceEnablePeerAccess", "hipMemPoolSetAccess", "hipMalloc",
)

/** Fail when memory is short. */
private val outOfMemory = listOf("hipMemPoolTrimTo", "hipMemGetInfo")

/** Every call of HIP's fails once, and a GPU dies. */
class RocmFailureSpec : FunSpec({
    extension(CCompiler.needed)
    extension(HipDouble.extension)
    extension(LedgerExtension)
    extension(gates.opened)

    /** What is kept for good. */
    fun kept(kind: Live): Long = Gpu.open(1).run {
        when (kind) {
            Live.STREAMS -> waits.lanes().toLong() + threadWaits.places()
            Live.EVENTS -> staging.slots().toLong() + threadWaits.places()
            Live.PINNED -> staging.blocks().toLong()
            else -> 0L
        }
    }

    for (type in listOf(DeviceType.ROCM, DeviceType.ROCM_HOST)) {
        test("DEV-14 on $type each call that fails is named, and nothing is left of what was half done") {
            val calls = HipDouble.failEach(Devices.device(type, 1), onTheWay + launch, ::kept, Frees::drain) { function ->
                if (HipDouble.currentDevice != 0) function shouldBe "hipSetDevice" // restoring it failed, and the log says so
                Raw.setDevice(0)
            }
            for (function in used(type)) withClue("calls of $function") { calls.getValue(function) shouldBeGreaterThan 0 }
        }
    }

    test("DEV-14 what fails when a thread waits is told to it, and does not come in the way of the next") {
        val child = childOf(FailingWaits::class)
        withClue(child.output) { child.output.trim() shouldBe "good" }
    }

    test("DEV-14 a free or a destroy that fails is said by the log, and everything else goes on") {
        for (function in atTheEnd) {
            val child = childOf(FailingFree::class, function)
            withClue("$function: ${child.output}") {
                child.exitCode shouldBe 0
                child.output shouldContain Regex("on ROCM\\w*:0 failed: hipErrorUnknown \\(999\\)")
            }
        }
    }

    test("DEV-14 what fails while memory is short") {
        val device = Devices.device(DeviceType.ROCM, 0)
        HipDouble.reset(memory = 4096)
        HipDouble.fail("hipMemPoolTrimTo")
        shouldThrow<DeviceException> { device.allocate(8192) }.message shouldBe "hipMemPoolTrimTo on ROCM:0 failed: hipErrorUnknown (999)"
        HipDouble.fail("hipMemGetInfo")
        shouldThrow<DeviceException> { device.allocate(8192) }.message shouldBe
            "hipMallocFromPoolAsync on ROCM:0 failed: hipErrorOutOfMemory (2), asked for 8192 bytes"
    }

    test("every call that has a code is made to fail here or when a GPU is opened") {
        Devices.device(DeviceType.ROCM, 0)
        val silent = listOf("hipGetErrorName", "hipGetLastError")
        val other = if (launch == "hipLaunchHostFunc") "hipStreamAddCallback" else "hipLaunchHostFunc" // that of the other release
        (onTheWay + launch + atTheEnd + atTheBeginning + outOfMemory + silent + other) shouldContainExactlyInAnyOrder HipLibrary.functions().keys
    }

    test("DEV-06 a GPU that dies tells all that wait: threads, stages, those that come later") {
        val device = Devices.device(DeviceType.ROCM, 1)
        val streams = List(2) { device.createStream() }
        val gate = gates.shut(streams[0])
        val held = streams[0].record()
        val other = streams[1].also { it.waitFor(held) }.record()
        val stages = listOf(held, other).map { it.completion().toCompletableFuture() }
        val waiting = Thread.ofPlatform().unstarted { held.synchronize() }
        var thrown: Throwable? = null
        waiting.setUncaughtExceptionHandler { _, e -> thrown = e }
        waiting.start()
        HipDouble.die(1)
        for (stage in stages) {
            val failure = shouldThrow<ExecutionException> { stage.get(20, SECONDS) }.cause.shouldBeInstanceOf<DeviceException>()
            failure.message shouldBe "hipEventQuery on ROCM:1 failed: hipErrorIllegalAddress (700)"
        }
        waiting.join()
        thrown.shouldBeInstanceOf<DeviceException>()
        for (use in listOf<() -> Unit>({ held.isDone }, { held.synchronize() }, { streams[1].synchronize() }, { streams[0].record() }, { device.allocate(8) })) {
            shouldThrow<DeviceException> { use() }.message shouldContain "hipErrorIllegalAddress (700)"
        }
        Devices.device(DeviceType.ROCM, 0).createStream().use { it.synchronize() }
        HipDouble.reset() // so that what is here can be given back
        gate.open()
        held.close()
        other.close()
        streams.forEach { it.close() }
    }

    test("the names of HIP's errors, and what they are to C") {
        HipErrors.describe(2) shouldBe "hipErrorOutOfMemory (2)"
        HipErrors.describe(12345) shouldBe "hipErrorUnknown (12345)"
        listOf(2, 1, 400, 801, 999).map(HipErrors::errno) shouldBe listOf(12, 22, 22, 38, 5)
    }
})

private fun used(type: DeviceType): List<String> = when (type) {
    DeviceType.ROCM -> onTheWay - "hipHostMalloc" - "hipStreamCreateWithPriority" - "hipEventSynchronize" - "hipStreamQuery" + launch
    else -> listOf("hipGetDevice", "hipSetDevice", "hipHostMalloc", "hipEventRecord", launch)
}

/** Lets one call of a function that gives something back fail, and goes on. */
internal object FailingFree {
    @JvmStatic
    fun main(args: Array<String>) {
        HipDouble.reset(hasPools = args[0] != "hipFree")
        val device = Devices.device(DeviceType.ROCM, 0)
        val stream = device.createStream()
        repeat(2) {
            numbers(10).use { it.copyTo(device, stream) }.use { there -> there.copyTo(Devices.cpu(), stream).use { it.synchronize() } }
            device.hostMemory().get().allocate(8).close()
            device.createStream().close()
            if (it == 0) HipDouble.fail(args[0], 1, 999)
        }
        stream.close()
        eventually("all but one is given back") {
            Ledger.now().run { waits() == 0L && events() == 0L && queues() == 0L && buffers() <= 1L }
        }
        Frees.drain()
    }
}

/** Lets each call fail that a thread's wait makes, one after the other. */
internal object FailingWaits {
    @JvmStatic
    fun main(args: Array<String>) {
        HipDouble.load()
        val device = Devices.device(DeviceType.ROCM, 1)
        val stream = device.createStream()
        val streams = HipDouble.live(Live.STREAMS)
        val gate = gates.shut(stream)
        val event = stream.record()
        for (function in listOf("hipStreamCreateWithPriority", "hipEventCreateWithFlags", "hipStreamWaitEvent", "hipEventRecord", "hipEventSynchronize")) {
            HipDouble.fail(function)
            val failure = runCatching { event.synchronize() }.exceptionOrNull()
            check(failure is DeviceException && "$function on ROCM:1 failed: hipErrorUnknown (999)" in failure.message.orEmpty()) { "$function: $failure" }
            check(HipDouble.failNothing() == 0)
            check(Gpu.open(1).threadWaits.places() == 0)
            check(HipDouble.live(Live.EVENTS) <= 3) { "$function left an event" } // the one that is waited for, and what closes the streams that were used
        }
        gate.open()
        event.synchronize()
        eventually("only lanes and places are kept") {
            HipDouble.live(Live.STREAMS) == streams + Gpu.open(1).run { waits.lanes() + threadWaits.places() } &&
                HipDouble.live(Live.EVENTS) == 1L + Gpu.open(1).threadWaits.places()
        }
        check(HipDouble.violation == "") { HipDouble.violation }
        println("good")
    }
}
