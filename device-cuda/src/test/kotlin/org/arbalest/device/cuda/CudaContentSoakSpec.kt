// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Availability
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.check.Batch
import org.arbalest.support.gpu.contentContract
import org.arbalest.support.gpu.isWholeIn
import org.arbalest.support.gpu.renew
import org.arbalest.support.gpu.twoGpus
import org.arbalest.testkit.SkipWithout

/**
 * Whole contents of many columns, mapped memory, chosen pools and managed memory. The spec runs on the simulator; the
 * GPU check runs it on a driver.
 */
class CudaContentSoakSpec : FunSpec({
    extension(CCompiler.needed)
    extension(cuda)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    val backend = CudaBackend(DeviceType.CUDA)
    val device by lazy { backend.gpu(0) }
    val cpu = Devices.cpu()
    val pools = SkipWithout { "${backend.gpu(0)} has no memory pools".takeUnless { backend.hasPool() } }

    include(contentContract(backend))

    test("batches are whole in memory of a chosen pool, also between GPUs that it lets not reach it [DEV-66]")
        .config(extensions = listOf(pools)) {
            val gpus = backend.gpus.take(2)
            gpus.forEach { Cuda.usePool(it, Cuda.currentPool(it)) }
            try {
                Batch(20, 8L shl 20, cpu.memory()).use { batch ->
                    for (from in gpus) for (to in gpus) to.createStream().use { stream ->
                        withClue("from $from to $to") {
                            batch.renew()
                            batch.array.copyTo(from).use { it.copyTo(to, stream) }.use { there ->
                                there.copyTo(cpu).use { batch.isWholeIn(it) }
                            }
                        }
                    }
                }
            } finally {
                gpus.forEach { Cuda.usePool(it, 0) }
            }
        }

    test("a pool of another GPU is refused, and the error names both GPUs [DEV-66]")
        .config(extensions = listOf(backend.twoGpus, pools)) {
            val other = Cuda.currentPool(backend.gpu(1))
            shouldThrow<DeviceException> { Cuda.usePool(device, other) }.message shouldContain
                "the pool's memory is memory of CUDA:1, but it was chosen for CUDA:0"
        }

    test("managed memory is whole between advice, prefetches and uses of the GPU and of the CPU")
        .config(extensions = listOf(hints)) {
            val managed = Devices.device(DeviceType.CUDA_MANAGED, 0)
            device.createStream().use { stream ->
                Batch(4, 8L shl 20, managed.memory()).use { batch ->
                    for (place in backend.gpus.take(2) + cpu) for (advice in MemoryAdvice.entries) {
                        withClue("$advice for $place") {
                            batch.renew()
                            Cuda.advise(batch.array, advice, place)
                            Cuda.prefetch(batch.array, place, stream)
                            batch.array.copyTo(cpu, stream).use { batch.isWholeIn(it) }
                            batch.array.copyTo(managed, stream).use { copy ->
                                Cuda.prefetch(copy, place, stream)
                                Cuda.prefetch(copy, cpu, stream)
                                stream.synchronize()
                                batch.isWholeIn(copy)
                            }
                        }
                    }
                }
            }
        }
})

private val hints = SkipWithout {
    (Devices.availability(DeviceType.CUDA_MANAGED) as? Availability.Missing)?.reason()
        ?: "the GPU cannot use managed memory while the CPU does (concurrentManagedAccess is 0)"
            .takeIf { Gpu.attribute(0, Cu.CONCURRENT_MANAGED_ACCESS) == 0 }
}
