// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Availability
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.internal.abi.RawArrowDeviceArray
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.gpu.CudaDouble
import org.arbalest.support.gpu.gpuDriverContract
import org.arbalest.testkit.contract.Held
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.ValueLayout.ADDRESS
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.lang.invoke.MethodHandles
import java.lang.invoke.MethodType
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit.SECONDS

/**
 * The driver contract of GPUs, and CUDA's own rules for contexts and host functions. The spec runs on the simulator;
 * the GPU check runs it on a driver.
 */
class CudaDriverSpec : FunSpec({
    extension(CCompiler.needed)
    extension(cuda)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    val backend = CudaBackend(DeviceType.CUDA)
    include(gpuDriverContract(backend))

    val device by lazy { Devices.device(DeviceType.CUDA, 0) }
    val cpu = Devices.cpu()

    test("every call restores the thread's current context, or the state without one [DEV-10]") {
        val second = backend.gpus.last()
        fun useAll() {
            device.createStream().use { stream ->
                numbers(100).use { it.copyTo(device, stream) }.use { there ->
                    there.copyTo(cpu, stream).use { back ->
                        back.synchronize()
                        back.isReady shouldBe true
                    }
                    stream.record().use { it.onReady().toCompletableFuture().get(5, SECONDS) }
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
            if (onDouble) CudaDouble.contextDepth shouldBe 1
        }
    }

    test("default streams of another context of the GPU are rejected, those of other GPUs are not meant [DEV-67]") {
        fun refused() {
            val current = currentContext()
            for (handle in 0L..2L) shouldThrow<DeviceException> { device.wrapStream(handle) }.run {
                errno() shouldBe Errno.EINVAL
                message shouldContain "the handle $handle is that of a default stream of the current context " +
                    "0x${current.toString(16)}, but CUDA:0 works in its primary context " +
                    "0x${CudaProvider.gpu(device).context().toString(16)}"
            }
        }
        fun accepted() = (0L..2L).forEach { device.wrapStream(it).use { stream -> stream.synchronize() } }

        val create = Raw.function("cuCtxCreate_v2", JAVA_LONG, JAVA_INT, JAVA_INT)
        val context = Arena.ofConfined().use { arena ->
            val out = arena.allocate(JAVA_LONG)
            Raw.call(create, out.address(), 0, Cuda.device(device)) shouldBe 0
            out.get(JAVA_LONG, 0)
        }
        currentContext() shouldBe context
        try {
            refused()
            Raw.inContext(device) { accepted() }
            backend.gpus.filter { it != device }.forEach { it.wrapStream(0).use { stream -> stream.synchronize() } }
        } finally {
            Raw.call(Raw.function("cuCtxDestroy_v2", JAVA_LONG), context) shouldBe 0
        }
        accepted()
        if (onDouble) Raw.inContext(CudaDouble.greenContext(0)) { refused() }
    }

    test("a virtual thread cannot enter a context, as its OS thread may change [DEV-10]") {
        shouldThrow<IllegalStateException> { virtually { Cuda.enter(device) } }.message shouldContain "platform thread"
    }

    test("only the thread that entered a context leaves it, and a second close does nothing [DEV-10]") {
        val scope = Cuda.enter(device)
        currentContext() shouldBe CudaProvider.gpu(device).context()
        shouldThrow<IllegalStateException> { virtually { scope.close() } }.message shouldContain "left on another"
        scope.close()
        scope.close()
        currentContext() shouldBe 0
        if (onDouble) CudaDouble.contextDepth shouldBe 0
    }

    test(
        "objects that a host function releases are destroyed on another thread, as the function must not call CUDA " +
            "[DEV-10]",
    ) {
        val linker = Linker.nativeLinker()
        val types = backend.types.filter { Devices.availability(it) is Availability.Ready }
        for ((type, lenient) in types.flatMap {
            if (onDouble) listOf(it to false, it to true) else listOf(it to false)
        }) {
            if (onDouble) CudaDouble.contextsInHostFunctions(lenient)
            val target = Devices.device(type, 0)
            device.createStream().use { stream ->
                device.createStream().use { held ->
                    Arena.ofConfined().use { arena ->
                        val ready = arena.allocate(RawArrowDeviceArray.SIZE, 8)
                        val unready = arena.allocate(RawArrowDeviceArray.SIZE, 8)
                        numbers(50).use { source ->
                            CData.exportArray(source.copyTo(target).also { it.synchronize() }, ready, CExport.DEVICE)
                            val gate = gates.shut(held)
                            CData.exportArray(source.copyTo(target, held), unready, CExport.DEVICE)
                            val event = held.record()
                            val other = device.createStream()
                            val done = CountDownLatch(1)
                            var failure: Throwable? = null
                            val body = Runnable {
                                try {
                                    release(ready.address())
                                    release(unready.address())
                                    event.isReady shouldBe false
                                    event.close()
                                    other.close()
                                } catch (e: Throwable) {
                                    failure = e
                                }
                                done.countDown()
                            }
                            val handle = MethodHandles.lookup()
                                .findVirtual(Runnable::class.java, "run", MethodType.methodType(Void.TYPE)).bindTo(body)
                            val function = linker.upcallStub(
                                MethodHandles.dropArguments(handle, 0, Long::class.java),
                                FunctionDescriptor.ofVoid(JAVA_LONG), Arena.global(),
                            )
                            val launch = Raw.function("cuLaunchHostFunc", JAVA_LONG, JAVA_LONG, JAVA_LONG)
                            Raw.inContext(device) {
                                Raw.call(launch, stream.handle(), function.address(), 1L)
                            } shouldBe 0
                            done.await()
                            failure?.let { throw it }
                            gate.open()
                            eventually("events are released") { Held.now().run { events() == 0L && waits() == 0L } }
                            if (onDouble) CudaDouble.contextsInHostFunctions(false)
                        }
                    }
                }
            }
        }
    }
})

private fun currentContext(): Long = Arena.ofConfined().use { arena ->
    val out = arena.allocate(JAVA_LONG)
    Raw.call(Raw.function("cuCtxGetCurrent", JAVA_LONG), out.address()) shouldBe 0
    out.get(JAVA_LONG, 0)
}

private val releaseArray = Linker.nativeLinker().downcallHandle(FunctionDescriptor.ofVoid(ADDRESS))

private fun release(array: Long) {
    val struct = java.lang.foreign.MemorySegment.ofAddress(array).reinterpret(RawArrowDeviceArray.SIZE)
    releaseArray.invoke(struct.get(ADDRESS, 64), struct)
}

private fun virtually(block: () -> Unit) {
    var failure: Throwable? = null
    Thread.ofVirtual().start { failure = runCatching(block).exceptionOrNull() }.join()
    failure?.let { throw it }
}
