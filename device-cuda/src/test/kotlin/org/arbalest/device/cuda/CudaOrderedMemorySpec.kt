// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.MemoryAllocator
import org.arbalest.device.MemoryManager
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers
import java.lang.foreign.Arena
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.util.concurrent.atomic.AtomicInteger

private const val LEGACY = 1L
private const val PER_THREAD = 2L

/** Allocates and frees in the default stream of the calling thread, from the process's pool, as RMM does for cuDF. */
private object InThreadStream : MemoryAllocator {
    private val device by lazy { Devices.device(DeviceType.CUDA, 0) }
    private val allocate by lazy {
        Raw.function("cuMemAllocFromPoolAsync", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG)
    }
    private val free by lazy { Raw.function("cuMemFreeAsync", JAVA_LONG, JAVA_LONG) }
    val live = AtomicInteger()

    @Volatile var size = 0L

    override fun isCpuAccessible() = false

    override fun alignment() = 256L

    override fun allocate(bytes: Long, alignment: Long): Long = Arena.ofConfined().use { arena ->
        val out = arena.allocate(JAVA_LONG)
        Raw.inContext(device) {
            check(Raw.call(allocate, out.address(), bytes, Cuda.currentPool(device), PER_THREAD) == 0)
        }
        live.incrementAndGet()
        size = bytes
        out.get(JAVA_LONG, 0)
    }

    override fun free(address: Long, bytes: Long) {
        Raw.inContext(device) { check(Raw.call(free, address, PER_THREAD) == 0) }
        live.decrementAndGet()
    }
}

/** Memory of an allocator that works in the default streams of threads, on the simulator or the driver. */
class CudaOrderedMemorySpec : FunSpec({
    extension(CCompiler.needed)
    extension(cuda)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    val device by lazy { Devices.device(DeviceType.CUDA, 0) }

    test("copies wait for a thread's default stream, whose earlier work uses the block, by the legacy one [DEV-31]") {
        device.wrapStream(LEGACY).use { legacy ->
            val memory = MemoryManager.of(legacy, InThreadStream)
            device.createStream().use { other ->
                numbers(1000).use { source ->
                    source.copyTo(memory, other).use { it.synchronize() }
                    eventually("the first copy's memory is freed") { InThreadStream.live.get() == 0 }
                    val bytes = InThreadStream.size
                    device.wrapStream(PER_THREAD).use { cudf ->
                        val earlier = InThreadStream.allocate(bytes, 256)
                        device.allocate(bytes).use { fives ->
                            Devices.cpu().allocate(bytes).use { here ->
                                here.segment().fill(5)
                                cudf.copy(here, fives)
                                cudf.synchronize()
                            }
                            val gate = gates.shut(cudf)
                            DeviceBuffer.wrap(device, earlier, bytes) {}.use { cudf.copy(fives, it) }
                            InThreadStream.free(earlier, bytes) // a pool may serve it again at once
                            source.copyTo(memory, other).use { copy ->
                                copy.isReady shouldBe false
                                gate.open()
                                cudf.synchronize()
                                copy.copyTo(Devices.cpu(), other).use { back ->
                                    back.synchronize()
                                    back.contentEquals(source) shouldBe true
                                }
                            }
                        }
                    }
                }
            }
            eventually("all memory is freed") { InThreadStream.live.get() == 0 }
        }
    }
})
