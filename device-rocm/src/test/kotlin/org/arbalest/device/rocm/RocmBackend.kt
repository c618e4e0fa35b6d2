package org.arbalest.device.rocm

import io.kotest.core.extensions.TestCaseExtension
import io.kotest.core.test.TestCase
import io.kotest.engine.test.TestResult
import org.arbalest.device.Device
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceStream
import org.arbalest.device.Devices
import org.arbalest.device.abi.DeviceType
import org.arbalest.testkit.contract.Backend
import org.arbalest.testkit.contract.Gate
import org.arbalest.testkit.gpu.HipDouble
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemoryLayout
import java.lang.foreign.MemorySegment
import java.lang.foreign.SymbolLookup
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.lang.invoke.MethodHandle
import java.lang.invoke.VarHandle
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger

/** The first device of one of ROCm's kinds, on the double. */
internal class RocmBackend(private val type: DeviceType) : Backend {
    override val device: Device by lazy { Devices.device(type, 0) }

    override fun gate(stream: DeviceStream): Gate = ValueGate(stream)
}

/** Lets a stream wait for a word in pinned memory: no thread waits, and no host function is in the way of others. */
internal class ValueGate(stream: DeviceStream) : Gate {
    private val word = words.asSlice(4L * (next.getAndIncrement() % WORDS), 4)

    init {
        shut += this
        WORD.setRelease(word, 0L, 0)
        check(Raw.call(waitValue, stream.handle(), word.address(), 1, 0, -1) == 0)
    }

    override fun open() {
        WORD.setRelease(word, 0L, 1)
        shut -= this
    }

    /** What fails on a GPU ends it for the process: see RocmFailureSpec. */
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
        val waitValue = Raw.function("hipStreamWaitValue32", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT)

        /** As long as the process. */
        val words: MemorySegment by lazy {
            val malloc = Raw.function("hipHostMalloc", JAVA_LONG, JAVA_LONG, JAVA_INT)
            val out = Arena.ofAuto().allocate(JAVA_LONG)
            check(Raw.call(malloc, out.address(), 4L * WORDS, 0) == 0)
            MemorySegment.ofAddress(out.get(JAVA_LONG, 0)).reinterpret(4L * WORDS)
        }
    }
}

/** HIP's functions, without anything of ours between. */
internal object Raw {
    private val library by lazy {
        HipDouble.load()
        SymbolLookup.libraryLookup("libamdhip64.so.7", Arena.global())
    }
    private val setDeviceFunction by lazy { function("hipSetDevice", JAVA_INT) }

    fun function(name: String, vararg parameters: MemoryLayout): MethodHandle =
        Linker.nativeLinker().downcallHandle(library.findOrThrow(name), FunctionDescriptor.of(JAVA_INT, *parameters))

    fun call(function: MethodHandle, vararg arguments: Any): Int = function.invokeWithArguments(*arguments) as Int

    /** Runs a block with another device current. */
    fun <T> onDevice(ordinal: Int, block: () -> T): T {
        val before = HipDouble.currentDevice
        setDevice(ordinal)
        try {
            return block()
        } finally {
            setDevice(before)
        }
    }

    fun setDevice(ordinal: Int): Unit = check(call(setDeviceFunction, ordinal) == 0)
}

/** Main memory with a pattern. */
internal fun pageable(size: Long, seed: Int): DeviceBuffer = Devices.cpu().allocate(size).also { buffer ->
    val segment = buffer.segment()
    for (i in 0 until size) segment.set(JAVA_BYTE, i, pattern(i, seed))
}

internal fun pattern(i: Long, seed: Int): Byte = (i * 31 + i / 4096 + seed).toByte()

/** A batch of numbers in main memory. */
internal fun numbers(rows: Int): DeviceArray = Devices.cpu().batchBuilder(rows).use { batch ->
    batch.int64("a", LongArray(rows) { it * 3L }).float64("b", DoubleArray(rows) { it / 2.0 }).build()
}
