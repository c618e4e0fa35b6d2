package org.arbalest.device.cuda

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeSameInstanceAs
import org.arbalest.device.DeviceArray
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
import org.arbalest.testkit.gpu.GpuDouble.Live
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.ValueLayout.ADDRESS
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.lang.invoke.MethodHandles
import java.lang.invoke.MethodType
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit.SECONDS

/** What CUDA asks for beyond the contract: contexts, host functions, waits, memory. On the double. */
class CudaSpec : FunSpec({
    extension(CCompiler.needed)
    extension(CudaDouble.extension)
    extension(LedgerExtension)
    extension(gates.opened)

    val device by lazy { Devices.device(DeviceType.CUDA, 0) }
    val gpu by lazy { CudaProvider.gpu(device) }
    val cpu = Devices.cpu()

    test("DEV-16 pinned memory with device_id −1 is served as the first GPU's, reached by the others, and goes on with −1") {
        val pinned = Devices.device(DeviceType.CUDA_HOST, -1)
        pinned.isOpaque shouldBe false
        Arena.ofConfined().use { arena ->
            val out = arena.allocate(ArrowDeviceArrayStruct.LAYOUT)
            val second = Devices.device(DeviceType.CUDA, 1)
            second.createStream().use { stream ->
                val gate = gates.shut(stream)
                val (there, field) = numbers(500).use { it.copyTo(second, stream).use { there -> there.copyTo(pinned.memory(), stream) to it.field() } }
                there.use { it.exportDeviceArray(out) }
                ArrowDeviceArrayStruct.deviceId(out.address()) shouldBe -1
                ArrowDeviceArrayStruct.deviceType(out.address()) shouldBe DeviceType.CUDA_HOST.code()
                DeviceArray.importDeviceArray(out, field).use { taken ->
                    taken.device() shouldBeSameInstanceAs pinned
                    taken.isReady shouldBe false
                    taken.viewOrCopyTo(second).use { it.device() shouldBe second }
                    gate.open()
                    taken.synchronize()
                    numbers(500).use { taken.column(0).toLongArray() shouldBe it.column(0).toLongArray() }
                    taken.slice(1, 2).use { it.exportDeviceArray(out) }
                    ArrowDeviceArrayStruct.deviceId(out.address()) shouldBe -1
                    DeviceArray.importDeviceArray(out, field).close()
                }
                stream.synchronize()
            }
        }
    }

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

    test("DEV-10 virtual threads change their OS threads while they wait for each other, and take no context along") {
        val failures = java.util.concurrent.ConcurrentLinkedQueue<Throwable>()
        val threads = List(64) { seed ->
            Thread.ofVirtual().unstarted {
                device.createStream().use { stream ->
                    repeat(20) {
                        numbers(20_000 + seed).use { it.copyTo(device, stream) }.use { there -> there.copyTo(cpu, stream).use { it.synchronize() } }
                        CudaDouble.contextDepth shouldBe 0
                        Thread.yield()
                    }
                }
            }.apply { setUncaughtExceptionHandler { _, e -> failures += e } }
        }
        threads.forEach { it.start() }
        threads.forEach { it.join() }
        failures.firstOrNull()?.let { throw it }
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

    test("wait: an event behind a held one is told all the same, and each gets a stream of its own, which is used again") {
        device.createStream().use { held ->
            device.createStream().use { free ->
                val gate = gates.shut(held)
                held.record().use { late ->
                    val last = late.completion().toCompletableFuture()
                    repeat(100) { free.record().use { it.completion().toCompletableFuture().get(20, SECONDS) } }
                    last.isDone shouldBe false
                    gate.open()
                    last.get(20, SECONDS)
                    (gpu.waits.lanes() <= 32) shouldBe true
                }
            }
        }
    }

    test("wait: ten thousand events at once, from many streams") {
        val streams = List(20) { device.createStream() }
        val gates = streams.map { gates.shut(it) }
        val stages = List(10_000) { streams[it % 20].record().use { event -> event.completion().toCompletableFuture() } }
        stages.count { it.isDone } shouldBe 0
        gates.forEach { it.open() }
        stages.forEach { it.get(20, SECONDS) }
        streams.forEach { it.close() }
        val mine = Thread.getAllStackTraces().keys.map { it.name }.filter { it.startsWith("arbalest") }.sorted()
        mine.filter { it.startsWith("arbalest-cuda") } shouldContainExactly listOf("arbalest-cuda-frees", "arbalest-cuda-watch")
    }

    test("memory: freed memory of a GPU does not wait for the GPU, nor does closing pinned memory") {
        device.createStream().use { stream ->
            val gate = gates.shut(stream)
            device.allocate(1000).close()
            device.hostMemory().get().allocate(1000).close()
            Devices.device(DeviceType.CUDA_MANAGED, 0).allocate(1000).close()
            gate.open()
            stream.synchronize()
        }
    }

    test("memory: any alignment") {
        for (alignment in listOf(1L, 64, 256, 512, 4096)) {
            device.memory().allocate(777, alignment).use { it.address() % alignment shouldBe 0 }
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

    test("DEV-14 out of memory in the middle of a batch leaves nothing") {
        eventually("all is free") { CudaDouble.live(Live.DEVICE) == 0L }
        CudaDouble.reset(memory = 1 shl 20)
        val held = device.allocate(1 shl 16)
        cpu.batchBuilder(100_000).use { it.int64("a", LongArray(100_000)).int64("b", LongArray(100_000)).build() }.use { large ->
            val error = shouldThrow<DeviceException> { large.copyTo(device) }
            error.errno() shouldBe Errno.ENOMEM
            error.message shouldContain "CUDA_ERROR_OUT_OF_MEMORY (2)"
            error.message shouldContain "; 983040 of the GPU's 1048576 bytes are free"
        }
        numbers(100).use { it.copyTo(device).use { there -> there.copyTo(cpu).use { back -> back.synchronize() } } }
        held.close()
        eventually("it is all freed") { CudaDouble.live(Live.DEVICE) == 0L }
    }

    test("streams: the legacy default stream, by its handle 0, is a stream to wrap") {
        device.wrapStream(0).use { stream ->
            numbers(10).use { source ->
                source.copyTo(device, stream).use { there ->
                    there.copyTo(cpu, stream).use {
                        it.synchronize()
                        it.column("a").getLong(9) shouldBe 27
                    }
                }
            }
        }
    }

    test("devices: two GPUs copy to each other, and wait for each other's events, without main memory") {
        val second = Devices.device(DeviceType.CUDA, 1)
        device.createStream().use { one ->
            second.createStream().use { two ->
                val gate = gates.shut(one)
                numbers(2000).use { source ->
                    source.copyTo(device, one).use { a ->
                        val pinned = CudaDouble.live(Live.PINNED)
                        a.copyTo(second, two).use { b ->
                            b.device() shouldBeSameInstanceAs second
                            b.isReady shouldBe false
                            CudaDouble.live(Live.PINNED) shouldBe pinned
                            gate.open()
                            b.copyTo(cpu, two).use { back ->
                                back.synchronize()
                                back.column("a").toLongArray() shouldBe LongArray(2000) { it * 3L }
                            }
                        }
                    }
                }
            }
        }
    }

    test("DEV-11 pinned and managed memory is the CPU's to read after the wait, without a copy") {
        for (type in listOf(DeviceType.CUDA_HOST, DeviceType.CUDA_MANAGED)) {
            val shared = Devices.device(type, 0)
            device.createStream().use { stream ->
                val gate = gates.shut(stream)
                numbers(10).use { it.copyTo(shared, stream) }.use { there ->
                    there.isReady shouldBe false
                    val buffers = Ledger.now()
                    val viewing = java.util.concurrent.CompletableFuture.supplyAsync { there.viewOrCopyTo(cpu) }
                    gate.open()
                    viewing.get(20, SECONDS).use { view ->
                        view.synchronize()
                        (Ledger.now().since(buffers).buffers() <= 0) shouldBe true
                        view.column("a").getLong(3) shouldBe 9
                    }
                }
            }
        }
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
