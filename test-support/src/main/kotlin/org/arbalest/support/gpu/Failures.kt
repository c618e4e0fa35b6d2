// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.gpu

import io.kotest.assertions.withClue
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.Device
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceStream
import org.arbalest.device.Devices
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowDeviceArray
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.tensors.DLPack
import org.arbalest.support.gpu.GpuDouble.Live
import org.arbalest.testkit.contract.Gate
import org.arbalest.testkit.contract.Held
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.texts
import java.lang.foreign.Arena
import java.util.concurrent.ExecutionException
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.TimeoutException
import java.util.logging.Level
import java.util.logging.Logger

/**
 * Uses a batch in each way possible on a device: pageable memory, the device, an export, an import, a tensor, waits of
 * each kind, and back.
 */
fun journey(device: Device, gate: (DeviceStream) -> Gate): Unit = Arena.ofConfined().use { arena ->
    device.createStream().use { stream ->
        texts(300).use { source ->
            source.copyTo(device, stream).use { there ->
                device.createStream().use { second ->
                    second.waitFor(there)
                    awaitHeld(device, second, gate)
                    there.retainChild(0).use {
                        DLPack.VERSIONED.importTensor(DLPack.VERSIONED.exportTensor(it, second), second)
                    }.close()
                    there.copyTo(device, second).use { copy ->
                        val out = arena.allocate(RawArrowDeviceArray.SIZE, 8)
                        CData.exportArray(copy.retain(), out, CExport.DEVICE)
                        CData.importArray(out, CImport.DEVICE.schema(source.schema())).use { it.synchronize() }
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
 * Lets a stream and a stage wait for work that is certainly not done: it is behind a gate. Nothing before the gate
 * makes a failing call wait.
 */
private fun awaitHeld(device: Device, stream: DeviceStream, shut: (DeviceStream) -> Gate) {
    device.createStream().use { held ->
        val gate = shut(held)
        try {
            held.record().use { stream.waitFor(it) }
            val ready = stream.record().use { it.onReady().toCompletableFuture() }
            gate.open()
            try {
                ready.get(5, SECONDS)
            } catch (e: TimeoutException) {
                throw IllegalStateException(
                    "a stage of $device has not completed after 5 seconds; ${ResourceCounters.now()}; ${threads()}", e,
                )
            }
        } finally {
            gate.open()
        }
    }
}

/** Returns the stacks of the library's threads, to diagnose a rare hang. */
private fun threads(): String = Thread.getAllStackTraces().filterKeys {
    it.name.startsWith("arbalest") || it.name.startsWith("ForkJoinPool")
}
    .map { (thread, at) -> "${thread.name} ${thread.state} ${at.take(8).joinToString(" < ")}" }
    .joinToString("\n  ", prefix = "\n  ")

/**
 * Fails calls like [failEach], but all calls of the function from the failing one on, until the journey ends. So the
 * calls that clean up after the first failure may fail, too, and the error need not name the function. Functions that
 * query the state of work are left out: an unknown code that repeats is their final result (DEV-24), while the
 * simulator would continue the work.
 */
fun GpuBackend.failFromEach(device: Device, functions: List<String>, kept: (Live) -> Long): Map<String, Long> {
    fun live(): Map<Live, Long> = Live.entries.associateWith { double.live(it) - kept(it) }
    repeat(3) { journey(device, ::gate) }
    eventually("the warm-up is over") { Held.now().run { waits() == 0L && buffers() == 0L } }
    drainFrees()
    trim()
    eventually("nothing is queued") { double.live(Live.COMMANDS) == 0L }
    val before = live()
    val asking = functions.filter { "Query" in it || "Synchronize" in it }
    return withoutLog {
        (functions - asking).associateWith { function -> failFromEach(device, function) { live() == before } }
    }
}

private fun GpuBackend.failFromEach(device: Device, function: String, isAsBefore: () -> Boolean): Long {
    var nth = 0L
    do {
        double.failFrom(function, ++nth, 999)
        var pending = 0
        withClue("$function, from call $nth on") {
            failureOf { journey(device, ::gate) }
            pending = double.failNothing()
            eventually("all resources are released: ${Held.now()}") {
                Held.now().run { waits() == 0L && events() == 0L && buffers() == 0L && queues() == 0L }
            }
            drainFrees()
            trim()
            eventually("the runtime's objects are released", isAsBefore)
            double.violation shouldBe ""
        }
    } while (pending == 0)
    return nth - 1
}

/**
 * Makes each call of [functions] fail once in a batch's journey to a device and back. The caller receives an error with
 * the function, the device and the code, and all memory is released, in the simulator, too.
 *
 * @param kept the number of simulator objects of a kind that the backend keeps permanently
 * @param each called after each journey, with the name of the failing function
 * @return the number of calls of each function in a journey
 */
fun GpuBackend.failEach(
    device: Device,
    functions: List<String>,
    kept: (Live) -> Long,
    each: (String) -> Unit = {},
): Map<String, Long> {
    fun live(): Map<Live, Long> = Live.entries.associateWith { double.live(it) - kept(it) }
    repeat(3) { journey(device, ::gate) } // objects that are kept permanently exist now
    eventually("the warm-up is over") { Held.now().run { waits() == 0L && buffers() == 0L } }
    drainFrees()
    trim()
    eventually("nothing is queued") { double.live(Live.COMMANDS) == 0L }
    val before = live()
    return withoutLog {
        functions.associateWith { function -> failEach(device, function, each) { live() == before } }
    }
}

private fun GpuBackend.failEach(
    device: Device,
    function: String,
    each: (String) -> Unit,
    isAsBefore: () -> Boolean,
): Long {
    var nth = 0L
    do {
        double.fail(function, ++nth, 999)
        var pending = 0
        withClue("$function, call $nth") {
            val failure = failureOf { journey(device, ::gate) }
            pending = double.failNothing()
            if (failure != null) failure.message shouldContain
                Regex("$function on \\w+:${device.id()} failed: .* \\(999\\)")
            eventually("all resources are released: ${Held.now()}") {
                Held.now().run { waits() == 0L && events() == 0L && buffers() == 0L && queues() == 0L }
            }
            drainFrees()
            trim()
            eventually("the runtime's objects are released", isAsBefore)
            double.violation shouldBe ""
            each(function)
        }
    } while (pending == 0)
    return nth - 1
}

/** Runs a block without logging, because hundreds of provoked errors would fill the log. */
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

/** Returns the failure of the block, or of the stage that it waited for. */
private fun failureOf(block: () -> Unit): DeviceException? = when (val failure = runCatching(block).exceptionOrNull()) {
    null -> null
    is ExecutionException -> failure.cause.shouldBeInstanceOf<DeviceException>()
    else -> failure.shouldBeInstanceOf<DeviceException>()
}
