package org.arbalest.testkit.gpu

import io.kotest.assertions.withClue
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.Device
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Ledger
import org.arbalest.device.abi.ArrowDeviceArrayStruct
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.texts
import org.arbalest.testkit.gpu.GpuDouble.Live
import java.lang.foreign.Arena
import java.util.concurrent.ExecutionException
import java.util.concurrent.TimeUnit.SECONDS
import java.util.logging.Level
import java.util.logging.Logger

/** Goes through all that a batch can meet on a device: pageable memory, the device, an export, an import, waits of each kind, and back. */
public fun journey(device: Device): Unit = Arena.ofConfined().use { arena ->
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

/**
 * Lets each call of [functions] fail once in a [journey] on a device: whoever asked gets an error that names the function, the device and the
 * code, and all is given back, to the double too.
 *
 * @param kept what the backend keeps for good, of the double's
 * @param settle waits for frees of the backend's own that are under way
 * @param each is called after each journey, with the function that was to fail
 * @return how many calls of each function there are in a journey
 */
public fun GpuDouble.failEach(
    device: Device,
    functions: List<String>,
    kept: (Live) -> Long,
    settle: () -> Unit,
    each: (String) -> Unit = {},
): Map<String, Long> {
    fun live(): Map<Live, Long> = Live.entries.associateWith { live(it) - kept(it) }
    repeat(3) { journey(device) } // what is kept for good is there now
    eventually("the warm-up is over") { Ledger.now().run { waits() == 0L && buffers() == 0L } }
    settle()
    eventually("nothing is queued") { live(Live.COMMANDS) == 0L }
    val before = live()
    return withoutLog {
        functions.associateWith { function -> failEach(device, function, settle, each) { live() == before } }
    }
}

private fun GpuDouble.failEach(device: Device, function: String, settle: () -> Unit, each: (String) -> Unit, isAsBefore: () -> Boolean): Long {
    var nth = 0L
    do {
        fail(function, ++nth, 999)
        val failure = failureOf { journey(device) }
        val pending = failNothing()
        withClue("$function, call $nth") {
            if (failure != null) failure.message shouldContain Regex("$function on \\w+:${device.id()} failed: .* \\(999\\)")
            eventually("it is all released: ${Ledger.now()}") { Ledger.now().run { waits() == 0L && events() == 0L && buffers() == 0L && queues() == 0L } }
            settle()
            eventually("the runtime has it all back", isAsBefore)
            violation shouldBe ""
            each(function)
        }
    } while (pending == 0)
    return nth - 1
}

/** What is provoked here by the hundred would fill the log. */
private fun <T> withoutLog(block: () -> T): T {
    val logger = Logger.getLogger("org.arbalest")
    val level = logger.level
    logger.level = Level.OFF
    try {
        return block()
    } finally {
        logger.level = level
    }
}

/** The failure itself, or that of the stage that was waited for. */
private fun failureOf(block: () -> Unit): DeviceException? = when (val failure = runCatching(block).exceptionOrNull()) {
    null -> null
    is ExecutionException -> failure.cause.shouldBeInstanceOf<DeviceException>()
    else -> failure.shouldBeInstanceOf<DeviceException>()
}
