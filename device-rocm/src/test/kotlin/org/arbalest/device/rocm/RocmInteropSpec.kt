// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.NativeLibrary
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.gpu.HipDouble
import org.arbalest.testkit.SkipWithout
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemoryLayout
import java.lang.foreign.ValueLayout.ADDRESS
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.atomic.AtomicInteger

/**
 * A user's C++ library that calls HIP, on the simulator. It exchanges handles, events, memory and addresses with
 * Arbalest.
 */
class RocmInteropSpec : FunSpec({
    extension(CCompiler.commandNeeded)
    extension(
        SkipWithout { (CCompiler.cpp as? CCompiler.Missing)?.reason?.takeUnless { System.getenv("CI") == "true" } },
    )
    extension(HipDouble.extension)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    fun result(rows: Long, out: DeviceBuffer, stream: org.arbalest.device.DeviceStream): RecordBatch {
        val data = ArrayData.of(rows, 0, listOf(null), listOf(ArrayData.of(rows, 0, listOf(null, out))))
        return RecordBatch.of(Schema.of(listOf(Field.of("twice", DataType.INT64))), data, stream)
    }

    fun RecordBatch.shouldBeSixTimesItsRow() = use { it.copyTo(Devices.cpu()) }.use {
        it.synchronize()
        it.column("twice").toLongArray() shouldBe LongArray(it.length().toInt()) { row -> 6L * row }
    }

    test("a user's C++ library launches a kernel in our stream, on our addresses, with the device entered") {
        HipDouble.kernel("twice", TwiceOnCpu.address, parameters = 3)
        for (ordinal in 0..1) {
            val device = Devices.device(DeviceType.ROCM, ordinal.toLong())
            Rocm.device(device) shouldBe ordinal
            val rows = 10_007L
            device.createStream().use { stream ->
                val gate = gates.shut(stream)
                val batch = numbers(rows.toInt()).use { it.copyTo(device, stream) }
                val out = device.allocate(8 * rows)
                Rocm.enter(device).use {
                    HipDouble.currentDevice shouldBe ordinal
                    Scale.call("scale_column", JAVA_LONG to Scale.image, JAVA_LONG to stream.handle(),
                        JAVA_LONG to batch.column("a").bufferAddress(1),
                        JAVA_LONG to out.address(), JAVA_LONG to rows) shouldBe 0
                }
                HipDouble.currentDevice shouldBe 0
                stream.keepAlive(batch)
                batch.close()
                val result = result(rows, out, stream)
                result.isReady shouldBe false
                gate.open()
                result.shouldBeSixTimesItsRow()
            }
        }
    }

    test("a stream, memory and an event of a user's library are wrapped or adopted, and its memory is freed once") {
        HipDouble.kernel("twice", TwiceOnCpu.address, parameters = 3)
        val device = Devices.device(DeviceType.ROCM, 0)
        val rows = 1_003L
        val handle = Scale.made("scale_stream")
        device.wrapStream(handle).use { theirs ->
            val gate = gates.shut(theirs)
            numbers(rows.toInt()).use { it.copyTo(device) }.use { batch ->
                batch.synchronize()
                val address = Scale.made("scale_memory", JAVA_LONG to 8 * rows)
                val frees = AtomicInteger()
                val out = DeviceBuffer.wrap(device, address, 8 * rows) {
                    frees.incrementAndGet()
                    Scale.call("scale_free", JAVA_LONG to address) shouldBe 0
                }
                Scale.call("scale_column", JAVA_LONG to Scale.image, JAVA_LONG to handle,
                    JAVA_LONG to batch.column("a").bufferAddress(1),
                    JAVA_LONG to out.address(), JAVA_LONG to rows) shouldBe 0
                val event = device.adoptEvent(Scale.made("scale_event", JAVA_LONG to handle))
                device.createStream().use { ours ->
                    ours.waitFor(event)
                    event.isReady shouldBe false
                    event.close()
                    val result = result(rows, out, ours)
                    result.isReady shouldBe false
                    gate.open()
                    result.shouldBeSixTimesItsRow()
                }
                eventually("the memory is freed") { frees.get() > 0 } // by another thread, after its last use
                frees.get() shouldBe 1
            }
        }
        Scale.call("scale_end_stream", JAVA_LONG to handle) shouldBe 0
    }

    val headers = listOf("/usr/include", "/opt/rocm/include").map { Path.of(it) }
        .firstOrNull { Files.exists(it.resolve("hip/hip_runtime_api.h")) }
    val withoutHeader = SkipWithout {
        "no hip/hip_runtime_api.h was found; install libamdhip64-dev"
            .takeIf { headers == null && System.getenv("CI") != "true" }
    }
    test("the user's library compiles with HIP's own header").config(extensions = listOf(withoutHeader)) {
        Scale.byHeaders(headers!!).find("scale_column").isPresent shouldBe true
    }

    test("a device is entered and left once, by one platform thread [DEV-10]") {
        val second = Devices.device(DeviceType.ROCM, 1)
        val scope = Rocm.enter(second)
        HipDouble.currentDevice shouldBe 1
        var failure: Throwable? = null
        Thread.ofVirtual().start { failure = runCatching { scope.close() }.exceptionOrNull() }.join()
        failure!!.message shouldContain "left on another"
        Thread.ofVirtual().start { failure = runCatching { Rocm.enter(second) }.exceptionOrNull() }.join()
        failure!!.message shouldContain "platform thread"
        scope.close()
        scope.close()
        HipDouble.currentDevice shouldBe 0
        shouldThrow<IllegalArgumentException> { Rocm.device(Devices.cpu()) }.message shouldContain
            "CPU is not a ROCm device"
    }
})

/** The user's library. It is linked with the simulator as it would be with HIP. */
private object Scale {
    private val built by lazy {
        HipDouble.load()
        val hip = Files.readAllLines(Path.of("/proc/self/maps")).first { it.endsWith("/libhip.so") }
            .let { it.substring(it.indexOf('/')) }
        hip to compile(hip)
    }

    private val library get() = built.second

    private fun compile(hip: String, vararg flags: String): NativeLibrary =
        NativeLibrary.compileCpp(listOf("/org/arbalest/device/rocm/scale.cpp"),
            listOf("-std=c++17") + flags, listOf(hip))

    /** Compiles the library with HIP's own header, found in [folder]. */
    fun byHeaders(folder: Path): NativeLibrary =
        compile(built.first, "-D__HIP_PLATFORM_AMD__", "-DHIP_BY_HEADERS", "-idirafter", "$folder")

    /** The address of a kernel's code for the simulator, which is a string with the kernel's name. */
    val image: Long by lazy { Arena.global().allocateFrom("twice").address() }

    fun call(name: String, vararg arguments: Pair<MemoryLayout, Long>): Int {
        val type = FunctionDescriptor.of(JAVA_INT, *arguments.map { it.first }.toTypedArray())
        return Linker.nativeLinker().downcallHandle(library.findOrThrow(name), type)
            .invokeWithArguments(arguments.map { it.second }) as Int
    }

    /** Calls a function, and returns the value that it writes through its first argument. */
    fun made(name: String, vararg arguments: Pair<MemoryLayout, Long>): Long = Arena.ofConfined().use { arena ->
        val out = arena.allocate(ADDRESS)
        call(name, JAVA_LONG to out.address(), *arguments) shouldBe 0
        out.get(JAVA_LONG, 0)
    }
}
