package org.arbalest.device.rocm

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
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
import org.arbalest.testkit.gpu.GpuDouble.Live
import org.arbalest.testkit.gpu.HipDouble
import java.lang.foreign.Arena
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
    extension(ValueGate.Opened)

    /** Goes through all that a batch can meet: pageable memory, the device, an export, an import, waits of each kind, and back. */
    fun journey(type: DeviceType) {
        val device = Devices.device(type, 1)
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
        val gpu = Gpu.open(1)
        return Live.entries.associateWith { kind ->
            HipDouble.live(kind) - when (kind) {
                Live.STREAMS -> gpu.waits.lanes().toLong() + gpu.threadWaits.places()
                Live.EVENTS -> gpu.staging.slots().toLong() + gpu.threadWaits.places()
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

    for (type in listOf(DeviceType.ROCM, DeviceType.ROCM_HOST)) {
        test("DEV-14 on $type each call that fails is named, and nothing is left of what was half done") {
            repeat(3) { journey(type) } // what is kept for good is there now
            eventually("the warm-up is over") { Ledger.now().run { waits() == 0L && buffers() == 0L } }
            Frees.drain()
            eventually("nothing is queued") { HipDouble.live(Live.COMMANDS) == 0L }
            val before = live()
            for (function in onTheWay + launch) {
                var nth = 0L
                do {
                    HipDouble.fail(function, ++nth, 999)
                    val failure = failureOf { journey(type) }
                    val pending = HipDouble.failNothing()
                    withClue("$function, call $nth") {
                        if (failure != null) failure.message shouldContain Regex("$function on ROCM\\w*:1 failed: hipErrorUnknown \\(999\\)")
                        eventually("it is all released: ${Ledger.now()}") { Ledger.now().run { waits() == 0L && events() == 0L && buffers() == 0L && queues() == 0L } }
                        Frees.drain()
                        eventually("HIP has it all back: $before, ${live()}") { live() == before }
                        HipDouble.violation shouldBe ""
                        if (HipDouble.currentDevice != 0) function shouldBe "hipSetDevice" // restoring it failed, and the log says so
                        Raw.setDevice(0)
                    }
                } while (pending == 0)
                withClue("$function was called") { (nth > 1 || function !in used(type)) shouldBe true }
            }
        }
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
        val gate = ValueGate(streams[0])
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
    DeviceType.ROCM -> onTheWay - "hipHostMalloc" - "hipStreamCreateWithPriority" + launch
    else -> listOf("hipGetDevice", "hipSetDevice", "hipHostMalloc", "hipEventRecord", launch)
}

private fun texts(rows: Int): DeviceArray = Devices.cpu().batchBuilder(rows).use { batch ->
    batch.int64("a", LongArray(rows) { it.toLong() }).utf8("t", List(rows) { "text $it" }).build()
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
