// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.gpu

import org.arbalest.device.DeviceArray
import org.arbalest.device.Devices
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.ArrowDeviceArrayStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.support.ChildJvm
import org.arbalest.support.PeerNodes
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers
import java.lang.foreign.Arena
import java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit.SECONDS

/** The tests in a separate process: for a backend that is not open yet, a log, or an exit. */
enum class GpuProgram(val main: (GpuBackend, List<String>) -> Unit) {
    WITHOUT_POOLS({ backend, _ -> withoutPools(backend) }),
    COMES_LATER({ backend, _ -> comesLater(backend) }),
    LEAVES_ALL_OPEN({ backend, _ -> leavesAllOpen(backend) }),
    FREE_FAILS_FOR_NOW({ backend, arguments -> freeFailsForNow(backend, arguments.single()) }),
    FREE_FAILS({ backend, arguments -> freeFails(backend, arguments.single()) }),
    RUNTIME_GONE({ backend, _ -> runtimeGone(backend) }),
    SHARING({ backend, _ -> sharingProgram(backend) }),
    CHURNING({ backend, arguments -> churningProgram(backend, arguments[0], arguments[1].toLong()) }),
    IN_STREAM_ORDER({ backend, _ -> inStreamOrder(backend) }),
}

/** Runs a part of a contract in a separate process; for the `main` of [GpuBackend.program]. */
fun gpuProgram(backend: GpuBackend, args: Array<String>): Unit = GpuProgram.valueOf(args[0]).main(backend, args.drop(1))

fun GpuBackend.run(what: GpuProgram, vararg arguments: String): ChildJvm =
    ChildJvm.run(program, what.name, *arguments, options = options)

fun GpuBackend.start(
    what: GpuProgram,
    vararg arguments: String,
    environment: Map<String, String> = emptyMap(),
): Process =
    ChildJvm.start(program, what.name, *arguments, options = options, environment = environment)

private fun withoutPools(backend: GpuBackend) {
    val (double, words) = backend.double to backend.words
    double.reset(hasPools = false)
    val device = backend.gpu(0)
    check(!backend.hasPool())
    double.fail(words.plainAllocation)
    check("${words.plainAllocation} on $device failed: " +
        words.unknown in "${runCatching { device.allocate(100) }.exceptionOrNull()}")
    device.createStream().use { stream ->
        val gate = backend.gate(stream)
        device.allocate(100).close() // the runtime's own free waits for the gate, this one does not
        numbers(100).use { it.copyTo(device, stream) }.use { there ->
            there.copyTo(Devices.cpu(), stream).use { back ->
                gate.open()
                back.synchronize()
                check(back.column("a").getLong(99) == 297L)
            }
        }
        eventually("the copies are freed") { backend.trim(); double.live(GpuDouble.Live.DEVICE) == 0L }
        double.reset(memory = 4096, hasPools = false)
        // kept blocks are reused, also for sizes a little below a whole block
        repeat(20) { device.allocate(3000 - it * 10L).close() }
    }
    eventually("all is released") { ResourceCounters.now().isZero }
    backend.trim()
    check(double.live(GpuDouble.Live.DEVICE) == 0L)
    check(double.violation == "") { double.violation }
    println("good")
}

private fun comesLater(backend: GpuBackend) {
    if (backend.isInstalled()) return println("good") // the real library is loaded from now on

    fun failure() = "${runCatching { backend.gpu(0) }.exceptionOrNull()?.message}"

    /** Returns an array on the GPU, without rows. */
    fun imported(): DeviceArray = Arena.ofConfined().use { arena ->
        val (array, device) = arena.allocate(ArrowArrayStruct.LAYOUT) to arena.allocate(ArrowDeviceArrayStruct.LAYOUT)
        PeerNodes.array(array, length = 0, buffers = 2)
        PeerNodes.deviceArray(device, array, 0, backend.types[0].code())
        CData.importArray(device, CImport.DEVICE.schema(Field.of("n", DataType.INT32)))
    }
    check(backend.words.absent in failure()) { failure() }
    val early = imported()
    check(early.device().isOpaque)
    backend.double.reset(devices = 0) // loads the simulator
    check(backend.words.noDevice in failure()) { failure() }
    check(imported().use { it.device().isOpaque })
    backend.double.reset()
    check(!backend.gpu(0).isOpaque)
    check(!imported().use { it.device().isOpaque })
    check(early.device().isOpaque) // keeps its state
    early.close()
    check(ResourceCounters.now().arrays() == 0L)
    println("good")
}

private fun leavesAllOpen(backend: GpuBackend) {
    backend.double.load()
    val device = backend.gpu(0)
    val stream = device.createStream()
    backend.gate(stream)
    val there = numbers(100).copyTo(device, stream)
    checkNotNull(there.syncEvent()).onReady().thenRun { println("notified") }
    stream.copy(device.allocate(10), device.hostMemory().get().allocate(10))
    Thread.ofPlatform().daemon().start { there.synchronize() }
    println("good")
}

/** Checks a stream's memory: its allocation and free do not block, and happen in the stream's order. */
private fun inStreamOrder(backend: GpuBackend) {
    val double = backend.double
    double.load()
    backend.requestPools()
    val device = backend.gpu(0)
    check(backend.hasPool())
    val stream = device.createStream()
    val other = device.createStream()
    val gate = backend.gate(stream)
    val memory = stream.memory()
    val live = double.live(GpuDouble.Live.DEVICE)
    val freed = memory.allocate(1000, 4096)
    check(freed.address() % 4096 == 0L)
    freed.close()
    check(double.live(GpuDouble.Live.DEVICE) == live + 1) { "the memory was freed before the stream's earlier work" }
    check(other.record().use { eventually("another stream goes on") { it.isReady }; true })
    for (function in listOf(backend.words.frees.first { it.endsWith("FreeAsync") }, backend.words.current)) {
        val early = device.createStream()
        val block = early.memory().allocate(100)
        early.close()
        double.fail(function)
        block.close() // freed again, in a stream that still exists
        check(double.failNothing() == 0) { "$function was not called" }
        eventually("the block is freed") { backend.drainFrees(); double.live(GpuDouble.Live.DEVICE) == live + 1 }
    }
    device.createStream().use { captured ->
        val late = captured.memory().allocate(100)
        captured.synchronize()
        check(double.captured(captured.handle()) { late.close() } == 0L) { "the free is in the graph (DEV-60)" }
        eventually("the memory is freed after the capture") {
            backend.drainFrees()
            double.live(GpuDouble.Live.DEVICE) == live + 1
        }
    }
    check(double.violation == "") { double.violation }
    // other allocations do not wait for the stream
    CompletableFuture.runAsync { device.allocate(1000).close() }.get(5, SECONDS)
    val target = memory.allocate(8)
    val source = device.hostMemory().get().allocate(8)
    source.segment().set(JAVA_LONG_UNALIGNED, 0, 42)
    other.copy(source, target) // waits for the memory by itself
    val copied = other.record()
    check(!copied.isReady)
    numbers(100).use { it.copyTo(memory, other) }.use { there ->
        check(!there.isReady)
        stream.close() // the memory remains valid
        target.close()
        gate.open()
        copied.synchronize()
        there.copyTo(Devices.cpu(), other).use { back ->
            back.synchronize()
            check(back.column("a").getLong(99) == 297L)
        }
    }
    listOf(copied, source, other).forEach { it.close() }
    eventually("all is released") { ResourceCounters.now().isZero && double.live(GpuDouble.Live.DEVICE) == 0L }
    check(double.threadState == 0)
    println(if (double.violation == "") "good" else double.violation)
}
