// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.support.CCompiler
import org.arbalest.support.gpu.GpuDouble.Live
import org.arbalest.support.gpu.HipDouble
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.texts
import java.lang.foreign.Arena
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit.SECONDS
import kotlin.reflect.KClass

/** The choice of a GPU's pool, in processes that request pools. */
class RocmPoolSoakSpec : FunSpec({
    extension(CCompiler.needed)

    fun inChild(main: KClass<*>) {
        val child = childOf(main)
        withClue(child.output) { child.output.trim() shouldBe "good" }
    }

    test("a GPU, its streams and its copies take memory from a chosen pool, and from their own again [DEV-66]") {
        inChild(ChosenPool::class)
    }

    test("copies between GPUs are whole if the pools of both are chosen, whose settings stay as they are [DEV-66]") {
        inChild(ChosenPoolsOfTwo::class)
    }

    test("an allocation that waits for a stream in a chosen pool does not delay the library's own pool [DEV-66]") {
        inChild(WaitingPool::class)
    }

    test("a pool serves a block again at once, and a copy to it waits for the stream that freed it [DEV-31]") {
        inChild(ReusedBlock::class)
    }

    test("a pool of another GPU, or one that serves no memory, is refused, and nothing changes [DEV-66]") {
        inChild(RefusedPools::class)
    }
})

private val device by lazy { Devices.device(DeviceType.ROCM, 0) }

private fun begin() {
    HipDouble.load()
    System.setProperty(Pool.REQUESTED, "true")
    check(Rocm.device(device) == 0 && Gpu.open(0).pool.isThere)
}

private fun end() {
    eventually("all is freed") { ResourceCounters.now().isZero && HipDouble.live(Live.DEVICE) == 0L }
    check(HipDouble.lastError == 0) { "an error of the library's calls is left" }
    check(HipDouble.violation == "") { HipDouble.violation }
    println("good")
}

internal object ChosenPool {
    @JvmStatic
    fun main(args: Array<String>) {
        begin()
        val own = Gpu.open(0).pool.chosen()
        val theirs = Rocm.currentPool(device)
        check(theirs != own)
        fun served() = HipDouble.served(own) to HipDouble.served(theirs)
        device.createStream().use { stream ->
            val memory = stream.memory() // serves from the chosen pool, also if it is older than the choice
            fun allocate() = listOf(device.allocate(100), memory.allocate(100))
            val before = served()
            val kept = allocate()
            Rocm.usePool(device, theirs)
            val tried = served()
            check(tried == before.first + 2 to before.second + 1) { "$before $tried" }
            kept.forEach { it.close() } // memory of a pool that is not the chosen one any more
            allocate().forEach { it.close() }
            texts(1000).use { it.copyTo(device, stream) }.use { it.synchronize() }
            texts(1000).use { it.copyTo(memory, stream) }.use { it.synchronize() }
            served().let { check(it.first == tried.first && it.second >= tried.second + 4) { "$tried $it" } }
            val late = allocate()
            Rocm.usePool(device, 0)
            val after = served()
            late.forEach { it.close() }
            allocate().forEach { it.close() }
            served().let { check(it == after.first + 2 to after.second) { "$after $it" } }
            Rocm.usePool(device, theirs)
            Rocm.usePool(device, own)
            check(Gpu.open(0).pool.chosen() == own)
        }
        end()
    }
}

internal object ChosenPoolsOfTwo {
    private val getAttribute by lazy { Raw.function("hipMemPoolGetAttribute", JAVA_LONG, JAVA_INT, JAVA_LONG) }
    private val getAccess by lazy { Raw.function("hipMemPoolGetAccess", JAVA_LONG, JAVA_LONG, JAVA_LONG) }

    /** Returns a pool's two attributes that the library sets on its own pool, and its access from the other GPU. */
    private fun settings(pool: Long, other: Int): List<Long> = Arena.ofConfined().use { arena ->
        val out = arena.allocate(JAVA_LONG)
        val location = arena.allocate(8, 4)
        location.set(JAVA_INT, 0, 1) // hipMemLocationTypeDevice
        location.set(JAVA_INT, 4, other)
        listOf(
            { Raw.call(getAttribute, pool, HipMemory.POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES, out.address()) },
            { Raw.call(getAttribute, pool, HipMemory.POOL_RELEASE_THRESHOLD, out.address()) },
            { Raw.call(getAccess, out.address(), pool, location.address()) },
        ).map { call ->
            out.set(JAVA_LONG, 0, 0)
            check(call() == 0)
            out.get(JAVA_LONG, 0)
        }
    }

    @JvmStatic
    fun main(args: Array<String>) {
        begin()
        val gpus = List(2) { Devices.device(DeviceType.ROCM, it.toLong()) }
        val own = gpus.indices.map { Gpu.open(it).pool.chosen() }
        val pools = gpus.map { Rocm.currentPool(it) }
        fun settings() = pools.mapIndexed { i, pool -> settings(pool, 1 - i) }
        val before = settings()
        check(before == List(2) { listOf(1L, 0L, 0L) }) { "$before" } // HIP's defaults
        gpus.forEachIndexed { i, gpu -> Rocm.usePool(gpu, pools[i]) }
        texts(1000).use { source ->
            for (by in gpus) for ((from, to) in listOf(gpus, gpus.reversed())) by.createStream().use { stream ->
                source.copyTo(from).use { it.copyTo(to, stream) }.use { there ->
                    there.copyTo(Devices.cpu()).use { back ->
                        back.synchronize()
                        check(back.contentEquals(source))
                    }
                }
            }
        }
        check(settings() == before) { "${settings()}" }
        // on the simulator GPU 0 reaches GPU 1, and may use the memory of the library's pool there
        check(own.mapIndexed { i, pool -> settings(pool, 1 - i)[2] } == listOf(0L, 3L))
        gpus.forEach { Rocm.usePool(it, 0) }
        end()
    }
}

internal object WaitingPool {
    @JvmStatic
    fun main(args: Array<String>) {
        begin()
        Rocm.usePool(device, Rocm.currentPool(device))
        device.createStream().use { stream ->
            val gate = gates.shut(stream)
            stream.memory().allocate(100).close() // the free is behind the gate, and the pool waits for it
            val before = HipDouble.calls("hipStreamSynchronize")
            val waiting = CompletableFuture<Unit>()
            Thread.ofPlatform().daemon().start { waiting.complete(device.allocate(100).close()) }
            eventually("the allocation waits") { HipDouble.calls("hipStreamSynchronize") > before }
            Rocm.usePool(device, 0)
            CompletableFuture.runAsync { device.allocate(100).close() }.get(5, SECONDS)
            check(!waiting.isDone)
            gate.open()
            waiting.get(5, SECONDS)
        }
        end()
    }
}

internal object ReusedBlock {
    @JvmStatic
    fun main(args: Array<String>) {
        begin()
        device.createStream().use { stream ->
            val memory = stream.memory()
            val first = texts(100)
            device.createStream().use { other ->
                val before = first.copyTo(memory, stream)
                val address = before.column("a").bufferAddress(1)
                before.synchronize()
                val gate = gates.shut(stream)
                before.close() // the free is behind the gate
                first.copyTo(memory, other).use { again ->
                    check(again.column("a").bufferAddress(1) == address) { "the block was not served again" }
                    check(!again.isReady)
                    gate.open()
                    again.copyTo(Devices.cpu()).use {
                        it.synchronize()
                        check(it.contentEquals(first)) { "the copy did not wait for the stream" }
                    }
                }
            }
            first.close()
        }
        end()
    }
}

internal object RefusedPools {
    private fun refused(pool: Long): DeviceException =
        runCatching { Rocm.usePool(device, pool) }.exceptionOrNull() as DeviceException

    @JvmStatic
    fun main(args: Array<String>) {
        begin()
        val own = Gpu.open(0).pool.chosen()
        val theirs = Rocm.currentPool(device)
        val other = Rocm.currentPool(Devices.device(DeviceType.ROCM, 1))
        refused(other).let {
            check(it.errno() == Errno.EINVAL)
            check("the pool's memory is memory of ROCM:1, but it was chosen for ROCM:0" in it.message.orEmpty()) { it }
        }
        refused(2).let { check("0x2 is not a pool of ROCM:0" in it.message.orEmpty()) { it } }
        for ((function, code, words) in listOf(
            Triple("hipMallocFromPoolAsync", 1, "hipErrorInvalidValue (1), asked for 256 bytes of the chosen pool"),
            Triple("hipStreamSynchronize", 999, "hipErrorUnknown (999), asked for the end of an allocation"),
            Triple("hipDrvPointerGetAttributes", 999, "the pool's memory is unknown to HIP"),
        )) {
            HipDouble.fail(function, code = code)
            refused(theirs).let { check(words in it.message.orEmpty()) { it } }
            check(HipDouble.failNothing() == 0) { function }
            check(Gpu.open(0).pool.chosen() == own)
        }
        HipDouble.fail("hipDeviceGetMemPool", code = Hip.NOT_SUPPORTED)
        (runCatching { Rocm.currentPool(device) }.exceptionOrNull() as DeviceException).let {
            check(it.errno() == Errno.ENOSYS && "hipDeviceGetMemPool on ROCM:0 failed" in it.message.orEmpty()) { it }
        }
        HipDouble.fail("hipMallocFromPoolAsync", code = Hip.OUT_OF_MEMORY)
        Rocm.usePool(device, theirs) // a second attempt, after the library's pool was trimmed
        check(HipDouble.failNothing() == 0 && Gpu.open(0).pool.chosen() == theirs)
        Rocm.usePool(device, 0)
        device.hostMemory().get().allocate(100).use {
            check(HipAddress.outside(Gpu.open(0), it.address()) == "pinned or managed memory")
        }
        device.hostMemory().get().trim()
        end()
    }
}
