// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Ledger
import org.arbalest.device.abi.ArrowDeviceArrayStruct
import org.arbalest.device.abi.DeviceType
import org.arbalest.device.abi.Errno
import org.arbalest.testkit.CCompiler
import org.arbalest.testkit.LedgerExtension
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers
import org.arbalest.testkit.gpu.CudaDouble
import org.arbalest.testkit.gpu.GpuDouble
import org.arbalest.testkit.gpu.gpuContract
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.ValueLayout.ADDRESS
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.lang.invoke.MethodHandles
import java.lang.invoke.MethodType
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit.SECONDS

/** What is asked of GPUs, and what CUDA asks for beyond that: contexts, host functions, managed memory. On the double. */
class CudaSpec : FunSpec({
    extension(CCompiler.needed)
    extension(CudaDouble.extension)
    extension(LedgerExtension)
    extension(gates.opened)

    include(gpuContract(CudaBackend(DeviceType.CUDA)))

    val device by lazy { Devices.device(DeviceType.CUDA, 0) }
    val cpu = Devices.cpu()

    test("DEV-10 every call restores the context that was current, or that there was none") {
        val current = Raw.function("cuCtxGetCurrent", JAVA_LONG)
        fun currentContext(): Long = Arena.ofConfined().use { arena ->
            val out = arena.allocate(JAVA_LONG)
            Raw.call(current, out.address()) shouldBe 0
            out.get(JAVA_LONG, 0)
        }
        val second = Devices.device(DeviceType.CUDA, 1)
        fun useAll() {
            device.createStream().use { stream ->
                numbers(100).use { it.copyTo(device, stream) }.use { there ->
                    there.copyTo(cpu, stream).use { back ->
                        back.synchronize()
                        back.isReady shouldBe true
                    }
                    stream.record().use { it.completion().toCompletableFuture().get(20, SECONDS) }
                    there.copyTo(second, second.defaultStream()).use { it.synchronize() }
                }
                stream.synchronize()
            }
        }
        currentContext() shouldBe 0
        useAll()
        currentContext() shouldBe 0
        Raw.inContext(second) {
            useAll()
            currentContext() shouldBe CudaProvider.gpu(second).context()
            CudaDouble.contextDepth shouldBe 1
        }
    }

    test("DEV-10 a virtual thread, which may go on on another OS thread, cannot hold on to a context") {
        shouldThrow<IllegalStateException> { virtually { Cuda.enter(device) } }.message shouldContain "platform thread"
    }

    test("DEV-10 a context that is entered is left once, by the thread that entered it") {
        val scope = Cuda.enter(device)
        CudaDouble.contextDepth shouldBe 1
        shouldThrow<IllegalStateException> { virtually { scope.close() } }.message shouldContain "left on another"
        scope.close()
        scope.close()
        CudaDouble.contextDepth shouldBe 0
    }

    test("DEV-10 a release from a host function, which may not call CUDA, is done elsewhere: of arrays, events, streams and pinned memory") {
        val linker = Linker.nativeLinker()
        val types = listOf(DeviceType.CUDA, DeviceType.CUDA_HOST, DeviceType.CUDA_MANAGED)
        for ((type, lenient) in types.flatMap { listOf(it to false, it to true) }) {
            CudaDouble.contextsInHostFunctions(lenient)
            val target = Devices.device(type, 0)
            device.createStream().use { stream ->
                device.createStream().use { held ->
                    Arena.ofConfined().use { arena ->
                        val ready = arena.allocate(ArrowDeviceArrayStruct.SIZE, 8)
                        val unready = arena.allocate(ArrowDeviceArrayStruct.SIZE, 8)
                        numbers(50).use { source ->
                            source.copyTo(target).also { it.synchronize() }.exportDeviceArray(ready)
                            val gate = gates.shut(held)
                            source.copyTo(target, held).exportDeviceArray(unready)
                            val event = held.record()
                            val other = device.createStream()
                            val done = CountDownLatch(1)
                            var failure: Throwable? = null
                            val body = Runnable {
                                try {
                                    release(ready.address())
                                    release(unready.address())
                                    event.isDone shouldBe false
                                    event.close()
                                    other.close()
                                } catch (e: Throwable) {
                                    failure = e
                                }
                                done.countDown()
                            }
                            val handle = MethodHandles.lookup().findVirtual(Runnable::class.java, "run", MethodType.methodType(Void.TYPE)).bindTo(body)
                            val function = linker.upcallStub(
                                MethodHandles.dropArguments(handle, 0, Long::class.java), FunctionDescriptor.ofVoid(JAVA_LONG), Arena.global(),
                            )
                            val launch = Raw.function("cuLaunchHostFunc", JAVA_LONG, JAVA_LONG, JAVA_LONG)
                            Raw.inContext(device) { Raw.call(launch, stream.handle(), function.address(), 1L) } shouldBe 0
                            done.await()
                            failure?.let { throw it }
                            gate.open()
                            eventually("all is released") { Ledger.now().run { events() == 0L && waits() == 0L } }
                            CudaDouble.contextsInHostFunctions(false)
                        }
                    }
                }
            }
        }
    }

    test("managed memory: prefetch and advice reach the driver with the place, the allocation and the stream") {
        val managed = Devices.device(DeviceType.CUDA_MANAGED, 0)
        device.createStream().use { stream ->
            managed.allocate(100_000).use { buffer ->
                Cuda.prefetch(buffer, Devices.device(DeviceType.CUDA, 1), stream)
                CudaDouble.hinted shouldBe listOf(0L, 1L, buffer.address(), 100_000L)
                Cuda.prefetch(buffer, cpu, stream)
                CudaDouble.hinted shouldBe listOf(0L, -1L, buffer.address(), 100_000L)
                MemoryAdvice.entries.forEachIndexed { i, advice ->
                    Cuda.advise(buffer, advice, cpu)
                    CudaDouble.hinted.take(2) shouldBe listOf(i + 1L, -1L)
                }
                Cuda.advise(buffer, MemoryAdvice.PREFERRED_LOCATION, device)
                CudaDouble.hinted.take(2) shouldBe listOf(3L, 0L)
            }
            val gate = gates.shut(stream)
            org.arbalest.testkit.contract.texts(1000).use { it.copyTo(managed, stream) }.use { batch ->
                Cuda.prefetch(batch, device, stream)
                CudaDouble.hinted.take(2) shouldBe listOf(0L, 0L)
                Cuda.advise(batch, MemoryAdvice.READ_MOSTLY, device)
            } // closed, and kept until the stream has moved it
            gate.open()
            stream.synchronize()
        }
        eventually("all is released") { Ledger.now().run { buffers() == 0L && waits() == 0L } }
    }

    test("managed memory: what is not managed, and a GPU that cannot share it, are refused with the reason") {
        val managed = Devices.device(DeviceType.CUDA_MANAGED, 0)
        device.createStream().use { stream ->
            device.allocate(100).use { own ->
                shouldThrow<DeviceException> { Cuda.prefetch(own, device, stream) }.run {
                    errno() shouldBe Errno.EINVAL
                    message shouldContain "cuMemPrefetchAsync on CUDA:0 failed: CUDA_ERROR_INVALID_VALUE (1), asked for 100 bytes at 0x"
                    message shouldContain "it is for managed memory"
                }
                shouldThrow<DeviceException> { Cuda.advise(own, MemoryAdvice.ACCESSED_BY, device) }.message shouldContain
                    "cuMemAdvise on CUDA:0 failed: CUDA_ERROR_INVALID_VALUE (1), asked for ACCESSED_BY for 100 bytes"
            }
            managed.allocate(100).use { buffer ->
                CudaDouble.fail("cuMemPrefetchAsync")
                shouldThrow<DeviceException> { Cuda.prefetch(buffer, cpu, stream) }.message shouldContain "unknown code (999)"
                CudaDouble.managedWithCpu(false)
                for (use in listOf({ Cuda.prefetch(buffer, device, stream) }, { Cuda.prefetch(buffer, cpu, stream) }, { Cuda.advise(buffer, MemoryAdvice.ACCESSED_BY, device) })) {
                    shouldThrow<DeviceException> { use() }.run {
                        errno() shouldBe Errno.ENOSYS
                        message shouldContain "concurrentManagedAccess is 0"
                    }
                }
                CudaDouble.managedWithCpu(true)
            }
            shouldThrow<IllegalArgumentException> { Cuda.prefetch(cpu.allocate(8).also { it.close() }, device, cpu.defaultStream()) }
        }
    }

    test("memory: never more managed memory than the GPU has free, and the error has the numbers") {
        val managed = Devices.device(DeviceType.CUDA_MANAGED, 0)
        val half = GpuDouble.MEMORY / 2
        managed.allocate(half - 8192).use {
            val error = shouldThrow<DeviceException> { managed.allocate(half) }
            error.errno() shouldBe Errno.ENOMEM
            error.message shouldContain "cuMemAllocManaged on CUDA_MANAGED:0 was not called: asked for $half bytes"
        }
        Frees.drain()
        managed.allocate(half).close()
        Frees.drain()
    }
})

private val releaseArray = Linker.nativeLinker().downcallHandle(FunctionDescriptor.ofVoid(ADDRESS))

private fun release(array: Long) {
    val struct = java.lang.foreign.MemorySegment.ofAddress(array).reinterpret(ArrowDeviceArrayStruct.SIZE)
    releaseArray.invoke(struct.get(ADDRESS, 64), struct)
}

private fun virtually(block: () -> Unit) {
    var failure: Throwable? = null
    Thread.ofVirtual().start { failure = runCatching(block).exceptionOrNull() }.join()
    failure?.let { throw it }
}
