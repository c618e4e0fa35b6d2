// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.FunSpec
import io.kotest.core.spec.style.funSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceStream
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.ChildJvm
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.gpu.CudaDouble
import org.arbalest.support.gpu.GpuBackend
import org.arbalest.support.gpu.batchesCopied
import org.arbalest.support.gpu.stagedCopyContract
import org.arbalest.support.gpu.twoGpus
import org.arbalest.testkit.contract.columns
import org.arbalest.testkit.contract.numbers
import org.arbalest.testkit.contract.pageable
import java.lang.foreign.Arena
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG

/**
 * Copies from and to main memory of any kind, and between GPUs. The spec runs on the simulator; the GPU check runs it
 * on a driver.
 */
class CudaCopySoakSpec : FunSpec({
    extension(CCompiler.needed)
    extension(cuda)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    val backend = CudaBackend(DeviceType.CUDA)
    include(stagedCopyContract(backend))
    if (backend.onDouble) include(copiesOfDoubles(backend))
})

/** Returns the tests that need the simulator, which counts calls and can lack features. */
private fun copiesOfDoubles(backend: GpuBackend): TestFactory = funSpec {
    test("copy: a GPU that does not reach the other GPU copies by cuMemcpyPeerAsync")
        .config(extensions = listOf(backend.twoGpus)) {
            val (first, second) = List(2) { Devices.device(DeviceType.CUDA, it.toLong()) }
            for ((stream, far) in listOf(first to false, second to true)) {
                // on the simulator the first GPU reaches the second, and not the other way
                stream.createStream().use { by ->
                    val (peers, plain) = CudaDouble.calls("cuMemcpyPeerAsync") to CudaDouble.calls("cuMemcpyBatchAsync")
                    val here = first.allocate(100_000)
                    val there = second.allocate(100_000)
                    pageable(100_000, 5).use { source ->
                        source.copyTo(first.memory()).use { by.copy(it, there) }
                        by.copy(there, here)
                        by.synchronize()
                        here.copyTo(Devices.cpu().memory()).use { it.segment().mismatch(source.segment()) shouldBe -1 }
                    }
                    listOf(here, there).forEach { it.close() }
                    withClue("by a stream of $stream") {
                        CudaDouble.calls("cuMemcpyPeerAsync") - peers shouldBe if (far) 2L else 0L
                        (CudaDouble.calls("cuMemcpyBatchAsync") > plain) shouldBe true
                    }
                    columns(20).use { batch ->
                        batch.copyTo(first).use { one ->
                            one.copyTo(second, by).use { two ->
                                two.copyTo(Devices.cpu()).use { back ->
                                    back.synchronize()
                                    back.contentEquals(batch) shouldBe true
                                }
                            }
                        }
                    }
                }
            }
        }

    test("copy: a copy from an unreachable GPU leaves later copies of other memory in one batch [DEV-34]")
        .config(extensions = listOf(backend.twoGpus)) {
            // on the simulator the second GPU does not reach the first
            val (far, own) = List(2) { Devices.device(DeviceType.CUDA, it.toLong()) }
            own.createStream().use { stream ->
                val peers = CudaDouble.calls("cuMemcpyPeerAsync")
                far.allocate(100).use { from ->
                    own.allocate(100).use { to -> stream.copy(from, to); stream.synchronize() }
                }
                CudaDouble.calls("cuMemcpyPeerAsync") - peers shouldBe 1
                columns(100, own.hostMemory().get()).use { source ->
                    source.copyTo(own, stream).use { it.synchronize() }
                    val functions = listOf("cuMemcpyAsync", "cuMemcpyPeerAsync", "cuPointerGetAttribute")
                    val before = functions.map(CudaDouble::callsHere)
                    source.copyTo(own, stream).use { there ->
                        functions.map(CudaDouble::callsHere) shouldBe before // all the copies were one batch
                        there.copyTo(Devices.cpu(), stream).use { back ->
                            back.synchronize()
                            back.contentEquals(source) shouldBe true
                        }
                    }
                }
            }
        }

    test(
        "copy: on CUDA 13 one copy is a batch, and a small one prefers to overlap with kernels [DEV-34]",
    ).config(extensions = listOf(backend.batchesCopied)) {
        val device = Devices.device(DeviceType.CUDA, 0)
        val functions = listOf("cuMemcpyBatchAsync", "cuMemcpyAsync")
        fun calls(bytes: Long, stream: DeviceStream): List<Long> {
            val before = functions.map(CudaDouble::calls)
            device.hostMemory().get().allocate(bytes).use { from ->
                device.allocate(bytes).use { to -> stream.copy(from, to); stream.synchronize() }
            }
            return functions.map(CudaDouble::calls).zip(before) { now, then -> now - then }
        }
        device.createStream().use { stream ->
            for ((bytes, overlapping) in listOf(1L to 1L, (128L shl 10) to 1L, (128L shl 10) + 1 to 0L)) {
                CudaDouble.overlapping()
                calls(bytes, stream) shouldBe listOf(1, 0)
                CudaDouble.overlapping() shouldBe overlapping
            }
            device.wrapStream(1).use { legacy -> calls(100, legacy) shouldBe listOf(0, 1) }
            CudaDouble.batches(false)
            try {
                device.createStream().use { fresh -> calls(100, fresh)[1] shouldBe 1 }
            } finally {
                CudaDouble.batches(true)
            }
        }
    }

    test(
        "copy: without batch copies, each buffer is one driver call, and a failed call is named",
    ).config(extensions = listOf(backend.batchesCopied)) {
        val device = Devices.device(DeviceType.CUDA, 0)
        try {
            for (batches in listOf(true, false)) {
                CudaDouble.batches(batches)
                device.createStream().use { stream ->
                    columns(20).use { batch ->
                        val before = CudaDouble.calls("cuMemcpyAsync")
                        columns(20, device.hostMemory().get()).use { source ->
                            source.copyTo(device, stream).use { there ->
                                CudaDouble.calls("cuMemcpyAsync") - before shouldBe if (batches) 0L else 20L
                                there.copyTo(Devices.cpu(), stream).use { back ->
                                    back.synchronize()
                                    back.contentEquals(batch) shouldBe true
                                }
                            }
                            if (!batches) {
                                CudaDouble.fail("cuMemcpyAsync", 3L)
                                shouldThrow<DeviceException> { source.copyTo(device, stream) }.message shouldContain
                                    Regex("cuMemcpyAsync on CUDA:0 failed: .* \\(999\\), asked for 80000 bytes from 0x")
                            }
                        }
                    }
                }
            }
        } finally {
            CudaDouble.batches(true)
        }
    }

    for ((name, program) in listOf(
        "a GPU that reaches pageable memory copies without slots" to ReachesPageable::class,
        "registered memory that the GPU has at another address is not copied in one call [DEV-34]" to
            CopiesShifted::class,
        "a peer is far if the hardware has no access left, and near if other code has enabled it" to Peers::class,
    )) test("copy: $name") {
        val child = ChildJvm.run(program)
        withClue(child.output) { child.output.trim() shouldBe "good" }
    }
}

/** A program that copies memory of another owner, which the GPU has at another address, as with WSL2. */
internal object CopiesShifted {
    private val register by lazy { Raw.function("cuMemHostRegister_v2", JAVA_LONG, JAVA_LONG, JAVA_INT) }

    @JvmStatic
    fun main(@Suppress("UNUSED_PARAMETER") args: Array<String>) {
        CudaDouble.load()
        CudaDouble.shifted(true)
        val device = Devices.device(DeviceType.CUDA, 0)
        val bytes = 80_000L
        val theirs = Arena.ofAuto().allocate(2 * bytes, 4096)
        for (i in 0 until bytes / 4) theirs.setAtIndex(JAVA_LONG, i, i)
        check(Raw.inContext(device) { Raw.call(register, theirs.address(), theirs.byteSize(), 0) } == 0)
        val columns = DeviceBuffer.wrap(Devices.device(DeviceType.CUDA_HOST, 0), theirs.address(), 2 * bytes) {}
            .use { all -> listOf(0L, bytes).map { ArrayData.of(bytes / 8, 0, listOf(null, all.slice(it, bytes))) } }
        val schema = Schema.of(listOf("a", "b").map { Field.of(it, DataType.INT64) })
        RecordBatch.of(schema, ArrayData.of(bytes / 8, 0, listOf(null), columns)).use { source ->
            device.createStream().use { stream ->
                source.copyTo(device, stream).use { there ->
                    there.copyTo(source.device(), stream).use { back ->
                        back.synchronize()
                        check(back.contentEquals(source))
                    }
                }
            }
        }
        check(CudaDouble.calls("cuMemcpyBatchAsync") == 0L)
        check(CudaDouble.violation == "") { CudaDouble.violation }
        println("good")
    }
}

/** A program on a GPU whose access to its first peer is refused, and to its second is enabled already. */
internal object Peers {
    @JvmStatic
    fun main(@Suppress("UNUSED_PARAMETER") args: Array<String>) {
        CudaDouble.usualDevices = 3
        CudaDouble.load()
        val (own, far, near) = List(3) { Devices.device(DeviceType.CUDA, it.toLong()) }
        CudaDouble.fail("cuCtxEnablePeerAccess", code = 711)
        val enable = Raw.function("cuCtxEnablePeerAccess", JAVA_LONG, JAVA_INT)
        for ((peer, copies) in listOf(far to 1L, near to 0L)) own.createStream().use { stream ->
            if (peer == near) Raw.inContext(own) { check(Raw.call(enable, Cuda.context(near), 0) == 0) }
            val before = CudaDouble.calls("cuMemcpyPeerAsync")
            numbers(100_000).use { source ->
                source.copyTo(peer).use { there ->
                    there.copyTo(own, stream).use { here -> // the stream waits for the peer's event
                        here.copyTo(Devices.cpu(), stream).use { back ->
                            back.synchronize()
                            check(back.contentEquals(source))
                        }
                    }
                }
            }
            check(CudaDouble.calls("cuMemcpyPeerAsync") - before == copies)
        }
        check(CudaDouble.failNothing() == 0)
        check(CudaDouble.violation == "") { CudaDouble.violation }
        println("good")
    }
}

/** A program that copies on a GPU that reaches pageable memory, such as that of a GH200. */
internal object ReachesPageable {
    @JvmStatic
    fun main(@Suppress("UNUSED_PARAMETER") args: Array<String>) {
        CudaDouble.reachPageable(true)
        CudaDouble.load()
        val device = Devices.device(DeviceType.CUDA, 0)
        device.createStream().use { stream ->
            numbers(100_000).use { source ->
                val gate = gates.shut(stream)
                source.copyTo(device, stream).use { there ->
                    there.copyTo(Devices.cpu(), stream).use { back ->
                        gate.open() // neither copy has waited
                        back.synchronize()
                        check(back.contentEquals(source))
                    }
                }
            }
        }
        check(staging().slots() == 0)
        check(CudaDouble.violation == "") { CudaDouble.violation }
        println("good")
    }
}
