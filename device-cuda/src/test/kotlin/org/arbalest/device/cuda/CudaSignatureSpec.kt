package org.arbalest.device.cuda

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
import org.arbalest.testkit.gpu.CudaDouble
import org.arbalest.testkit.gpu.Prototypes
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.MemoryLayout
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.nio.file.Files
import java.nio.file.Path
import java.util.Collections

/** That Java calls the driver as it is: beside the double's prototypes, which its definitions must meet to compile, and beside CUDA's own header. */
class CudaSignatureSpec : FunSpec({
    extension(CCompiler.needed)
    extension(CudaDouble.extension)

    val prototypes = Prototypes("cuda_api.h")
    val calls by lazy {
        Devices.device(DeviceType.CUDA, 0)
        CuLibrary.functions().mapValues { it.value.type() }
    }

    test("what Java calls is what the double defines") {
        prototypes.disagreement(calls).shouldBeNull()
    }

    test("a wrong width, a wrong number of arguments and a wrong order cannot pass") {
        prototypes.disagreement(calls + ("cuFlip" to FunctionDescriptor.of(JAVA_INT))) shouldBe "cuFlip is called, and is not in cuda_api.h"
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
        val swapped = "CUresult cuMemcpyDtoH_v2(CUdeviceptr from, void* to, size_t bytes) { return 0; }"
        prototypes.compile("#include \"cuda_api.h\"\n$swapped").shouldNotBeNull() shouldContain "conflicting types for"
    }
})

/** CUDA's own header, where the toolkit is installed. */
class CudaHeaderSpec : FunSpec({
    val folder = listOf("/usr/local/cuda/include", "/usr/include").map { Path.of(it) }.firstOrNull { Files.exists(it.resolve("cuda.h")) }

    extension(CCompiler.needed)
    extension(SkipWithout { "there is no cuda.h".takeIf { folder == null } })
    extension(CudaDouble.extension)

    val prototypes = Prototypes("cuda_api.h")

    test("the double's prototypes, and what Java calls, are the driver's own") {
        Devices.device(DeviceType.CUDA, 0)
        val calls = CuLibrary.functions().mapValues { it.value.type() }
        prototypes.disagreement(calls, "#include <cuda.h>", listOfNotNull(folder)).shouldBeNull()
    }

    test("the numbers that Java passes are the driver's own") {
        val numbers = mapOf(
            "CUDA_SUCCESS" to Cu.SUCCESS, "CUDA_ERROR_INVALID_VALUE" to Cu.INVALID_VALUE, "CUDA_ERROR_OUT_OF_MEMORY" to Cu.OUT_OF_MEMORY,
            "CUDA_ERROR_DEINITIALIZED" to Cu.DEINITIALIZED, "CUDA_ERROR_INVALID_DEVICE" to Cu.INVALID_DEVICE,
            "CUDA_ERROR_INVALID_CONTEXT" to Cu.INVALID_CONTEXT, "CUDA_ERROR_INVALID_HANDLE" to Cu.INVALID_HANDLE,
            "CUDA_ERROR_NOT_READY" to Cu.NOT_READY, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED" to Cu.PEER_ACCESS_ALREADY_ENABLED,
            "CUDA_ERROR_NOT_PERMITTED" to Cu.NOT_PERMITTED, "CUDA_ERROR_NOT_SUPPORTED" to Cu.NOT_SUPPORTED,
            "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR" to Cu.COMPUTE_CAPABILITY_MAJOR,
            "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR" to Cu.COMPUTE_CAPABILITY_MINOR,
            "CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS" to Cu.CONCURRENT_MANAGED_ACCESS,
            "CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED" to Cu.MEMORY_POOLS_SUPPORTED, "CU_EVENT_BLOCKING_SYNC" to Cu.EVENT_BLOCKING_SYNC,
            "CU_EVENT_DISABLE_TIMING" to Cu.EVENT_DISABLE_TIMING, "CU_STREAM_NON_BLOCKING" to Cu.STREAM_NON_BLOCKING,
            "CU_POINTER_ATTRIBUTE_MEMORY_TYPE" to CuMemory.POINTER_MEMORY_TYPE, "CU_MEMPOOL_ATTR_RELEASE_THRESHOLD" to CuMemory.POOL_RELEASE_THRESHOLD,
            "CU_MEMHOSTALLOC_PORTABLE" to CuMemory.HOST_ALLOC_PORTABLE, "CU_MEM_ATTACH_GLOBAL" to CuMemory.ATTACH_GLOBAL, "CU_MEMORYTYPE_HOST" to 1,
            "CU_MEM_ALLOCATION_TYPE_PINNED" to 1, "CU_MEM_LOCATION_TYPE_DEVICE" to 1, "CU_MEM_ACCESS_FLAGS_PROT_READWRITE" to 3,
            "sizeof(CUmemPoolProps)" to 88, "sizeof(CUmemAccessDesc)" to 12, "__builtin_offsetof(CUmemPoolProps, location)" to 8,
            "__builtin_offsetof(CUmemAccessDesc, flags)" to 8,
        )
        val asserts = numbers.map { (name, value) -> """_Static_assert($name == $value, "$name");""" }
        prototypes.compile("#include <cuda.h>\n${asserts.joinToString("\n")}", listOfNotNull(folder)).shouldBeNull()
        prototypes.compile("#include <cuda.h>\n_Static_assert(CUDA_ERROR_NOT_READY == 601, \"no\");", listOfNotNull(folder)).shouldNotBeNull()
    }
})
