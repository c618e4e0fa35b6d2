package org.arbalest.device.cuda

import io.kotest.core.extensions.TestCaseExtension
import io.kotest.core.test.TestCase
import io.kotest.engine.test.TestResult
import org.arbalest.device.Device
import org.arbalest.device.DeviceStream
import org.arbalest.device.Devices
import org.arbalest.device.abi.DeviceType
import org.arbalest.testkit.SkipWithout
import org.arbalest.testkit.contract.Backend
import org.arbalest.testkit.contract.Gate
import org.arbalest.testkit.gpu.CudaDouble
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemoryLayout
import java.lang.foreign.MemorySegment
import java.lang.foreign.SymbolLookup
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.lang.invoke.MethodHandle
import java.lang.invoke.VarHandle
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger

/** Whether the tests run on the driver's double; `-Darbalest.cuda=driver`, which the check gives, has them run on the driver. */
internal val onDouble: Boolean = System.getProperty("arbalest.cuda") != "driver"

/** Loads the double for a spec that runs on either. */
internal val cuda: TestCaseExtension = if (onDouble) CudaDouble.extension else SkipWithout.device(DeviceType.CUDA)

internal val jcudaNatives = SkipWithout {
    val system = "${System.getProperty("os.name")} on ${System.getProperty("os.arch")}"
    "JCuda has no natives for $system".takeUnless { system == "Linux on amd64" }
}

/** The first device of one of CUDA's kinds, on whatever `libcuda.so.1` there is: the double's or the driver's. */
internal class CudaBackend(private val type: DeviceType) : Backend {
    override val device: Device by lazy { Devices.device(type, 0) }

    override fun gate(stream: DeviceStream): Gate = ValueGate(stream)
}

/** Lets a stream wait for a word in pinned memory: no thread waits, and no host function is in the way of others. */
internal class ValueGate(stream: DeviceStream) : Gate {
    private val word = words.asSlice(4L * (next.getAndIncrement() % WORDS), 4)

    init {
        shut += this
        WORD.setRelease(word, 0L, 0)
        Raw.inContext(stream.device()) { check(Raw.call(waitValue, stream.handle(), word.address(), 1, 0) == 0) }
    }

    override fun open() {
        WORD.setRelease(word, 0L, 1)
        shut -= this
    }

    /** What fails on a GPU ends it for the process: see CudaFailureSpec. */
    override fun fail(): Boolean = false.also { open() }

    /** Opens what a test that failed has left shut, so that others do not hang behind it. */
    object Opened : TestCaseExtension {
        override suspend fun intercept(testCase: TestCase, execute: suspend (TestCase) -> TestResult): TestResult =
            execute(testCase).also { shut.toList().forEach(ValueGate::open) }
    }

    private companion object {
        val shut = ConcurrentLinkedQueue<ValueGate>()
        const val WORDS = 1 shl 16
        val WORD: VarHandle = JAVA_INT.varHandle()
        val next = AtomicInteger()
        val waitValue = Raw.function("cuStreamWaitValue32_v2", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT)

        /** As long as the process. */
        val words: MemorySegment by lazy {
            val alloc = Raw.function("cuMemHostAlloc", JAVA_LONG, JAVA_LONG, JAVA_INT)
            Raw.inContext(Devices.device(DeviceType.CUDA, 0)) {
                val out = Arena.ofAuto().allocate(JAVA_LONG)
                check(Raw.call(alloc, out.address(), 4L * WORDS, 1) == 0)
                MemorySegment.ofAddress(out.get(JAVA_LONG, 0)).reinterpret(4L * WORDS)
            }
        }
    }
}

/** The driver's functions, without anything of ours between. */
internal object Raw {
    private val library by lazy { SymbolLookup.libraryLookup("libcuda.so.1", Arena.global()) }
    private val push by lazy { function("cuCtxPushCurrent_v2", JAVA_LONG) }
    private val pop by lazy { function("cuCtxPopCurrent_v2", JAVA_LONG) }

    fun function(name: String, vararg parameters: MemoryLayout): MethodHandle =
        Linker.nativeLinker().downcallHandle(library.findOrThrow(name), FunctionDescriptor.of(JAVA_INT, *parameters))

    fun call(function: MethodHandle, vararg arguments: Any): Int = function.invokeWithArguments(*arguments) as Int

    fun <T> inContext(device: Device, block: () -> T): T {
        check(call(push, CudaProvider.gpu(device).context()) == 0)
        try {
            return block()
        } finally {
            check(call(pop, 0L) == 0)
        }
    }
}
