package org.arbalest.device.rocm

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Devices
import org.arbalest.device.abi.DeviceType
import org.arbalest.testkit.CCompiler
import org.arbalest.testkit.SkipWithout
import org.arbalest.testkit.gpu.HipDouble
import org.arbalest.testkit.gpu.Prototypes
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.MemoryLayout
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.nio.file.Files
import java.nio.file.Path
import java.util.Collections

/** That Java calls HIP as it is: beside the double's prototypes, which its definitions must meet to compile, and beside HIP's own header. */
class HipSignatureSpec : FunSpec({
    extension(CCompiler.needed)
    extension(HipDouble.extension)

    val prototypes = Prototypes("hip_api.h")
    val calls by lazy {
        Devices.device(DeviceType.ROCM, 0)
        HipLibrary.functions().mapValues { it.value.type() }
    }

    test("what Java calls is what the double defines") {
        prototypes.disagreement(calls).shouldBeNull()
    }

    test("a wrong width, a wrong number of arguments and a wrong order cannot pass") {
        prototypes.disagreement(calls + ("hipFlip" to FunctionDescriptor.of(JAVA_INT))) shouldBe "hipFlip is called, and is not in hip_api.h"
        for ((name, type) in calls) {
            val arguments = type.argumentLayouts()
            fun with(list: List<MemoryLayout>) =
                prototypes.disagreement(mapOf(name to FunctionDescriptor.of(type.returnLayout().get(), *list.toTypedArray())))
            withClue(name) {
                with(arguments + JAVA_INT) shouldBe "$name takes ${arguments.size} arguments, and is called with ${arguments.size + 1}"
                for (i in arguments.indices) {
                    val flipped = arguments.toMutableList().also { it[i] = if (it[i] == JAVA_LONG) JAVA_INT else JAVA_LONG }
                    with(flipped).shouldNotBeNull() shouldContain "$name: argument ${i + 1} is no"
                }
                for (i in 1 until arguments.size) {
                    val swapped = arguments.toMutableList().also { Collections.swap(it, i - 1, i) }
                    if (swapped != arguments) with(swapped).shouldNotBeNull() shouldContain "$name: argument"
                }
            }
        }
    }

    test("a double that defines a function otherwise does not compile") {
        val swapped = "hipError_t hipMemcpyAsync(const void* from, void* to, size_t bytes, hipMemcpyKind kind, hipStream_t stream) { return 0; }"
        prototypes.compile("#include \"hip_api.h\"\n$swapped").shouldNotBeNull() shouldContain "conflicting types for"
    }
})

/** HIP's own header: Debian's `libamdhip64-dev`, or ROCm's. */
class HipHeaderSpec : FunSpec({
    val folders = listOf("/usr/include", "/opt/rocm/include").map { Path.of(it) }.filter { Files.exists(it.resolve("hip/hip_runtime_api.h")) }

    extension(CCompiler.needed)
    extension(SkipWithout { "there is no hip/hip_runtime_api.h".takeIf { folders.isEmpty() && System.getenv("CI") != "true" } })
    extension(HipDouble.extension)

    val header = "#define __HIP_PLATFORM_AMD__\n#include <hip/hip_runtime_api.h>"
    val prototypes = Prototypes("hip_api.h")

    test("the double's prototypes, and what Java calls, are HIP's own") {
        Devices.device(DeviceType.ROCM, 0)
        prototypes.disagreement(HipLibrary.functions().mapValues { it.value.type() }, header, folders).shouldBeNull()
    }

    test("the numbers that Java passes are HIP's own") {
        val numbers = mapOf(
            "hipSuccess" to Hip.SUCCESS, "hipErrorInvalidValue" to Hip.INVALID_VALUE, "hipErrorOutOfMemory" to Hip.OUT_OF_MEMORY,
            "hipErrorDeinitialized" to Hip.DEINITIALIZED, "hipErrorNoDevice" to Hip.NO_DEVICE, "hipErrorInvalidDevice" to Hip.INVALID_DEVICE,
            "hipErrorInvalidContext" to Hip.INVALID_CONTEXT, "hipErrorInvalidHandle" to Hip.INVALID_HANDLE, "hipErrorNotReady" to Hip.NOT_READY,
            "hipErrorPeerAccessAlreadyEnabled" to Hip.PEER_ACCESS_ALREADY_ENABLED, "hipErrorNotSupported" to Hip.NOT_SUPPORTED,
            "hipEventBlockingSync" to Hip.EVENT_BLOCKING_SYNC, "hipEventDisableTiming" to Hip.EVENT_DISABLE_TIMING,
            "hipStreamNonBlocking" to Hip.STREAM_NON_BLOCKING, "hipMemPoolAttrReleaseThreshold" to HipMemory.POOL_RELEASE_THRESHOLD,
            "hipHostMallocPortable" to HipMemory.HOST_MALLOC_PORTABLE, "hipHostMallocCoherent" to HipMemory.HOST_MALLOC_COHERENT,
            "hipMemcpyDefault" to 4, "HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL" to 9, "HIP_POINTER_ATTRIBUTE_HOST_POINTER" to 4,
            "hipMemAllocationTypePinned" to 1, "hipMemLocationTypeDevice" to 1, "hipMemAccessFlagsProtReadWrite" to 3, "sizeof(hipMemPoolProps)" to 88,
            "sizeof(hipMemAccessDesc)" to 12, "__builtin_offsetof(hipMemPoolProps, location)" to 8, "__builtin_offsetof(hipMemAccessDesc, flags)" to 8,
        )
        val asserts = numbers.map { (name, value) -> """_Static_assert($name == $value, "$name");""" }
        prototypes.compile("$header\n${asserts.joinToString("\n")}", folders).shouldBeNull()
        prototypes.compile("$header\n_Static_assert(hipErrorNotReady == 601, \"no\");", folders).shouldNotBeNull()
    }
})
