// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainAll
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.support.CCompiler
import org.arbalest.support.gpu.CudaDouble
import org.arbalest.support.gpu.Prototypes
import org.arbalest.support.gpu.signatureContract
import org.arbalest.testkit.SkipWithout
import java.nio.file.Files
import java.nio.file.Path

/**
 * The signatures by which Java calls the driver, compared with the simulator's prototypes. The C compiler checks the
 * simulator's definitions against the same prototypes. [CuHeaderSpec] compares both with CUDA's own header.
 */
class CuSignatureSpec : FunSpec({
    extension(CCompiler.needed)
    extension(CudaDouble.extension)

    val prototypes = Prototypes("cuda_api.h")
    val calls by lazy {
        Devices.device(DeviceType.CUDA, 0)
        CuLibrary.functions().mapValues { it.value.type() }
    }

    val since = { CuLibrary.functions().mapValues { CuFunction.version(it.value.since()) } }

    include(signatureContract(prototypes, since) { calls })

    test("every needed function is in the table, and the oldest supported driver has it") {
        Devices.device(DeviceType.CUDA, 0)
        val needed = CuNeeded.NAMES.associateWith { CuLibrary.functions().getValue(it).since() }
        needed.filterValues { it > Cu.OLDEST }.keys.shouldBeEmpty()
        needed.getValue(CuNeeded.NAMES.first()) shouldBe Cu.OLDEST
    }

    test("a driver of any version may lack the functions of optional features") {
        Devices.device(DeviceType.CUDA, 0)
        val optional = CuLibrary.functions().filterValues { it.isOptional() }.keys
        optional shouldContainAll listOf(
            "cuIpcGetMemHandle", "cuIpcOpenMemHandle", "cuIpcCloseMemHandle", "cuIpcGetEventHandle",
            "cuIpcOpenEventHandle", "cuMemPrefetchAsync", "cuMemAdvise", "cuStreamIsCapturing",
            "cuDevicePrimaryCtxRelease",
        )
    }
})

/** The signatures compared with CUDA's own header, which comes with the toolkit. */
class CuHeaderSpec : FunSpec({
    val folder = listOf("/usr/local/cuda/include", "/usr/include").map { Path.of(it) }.firstOrNull {
        Files.exists(it.resolve("cuda.h"))
    }

    extension(CCompiler.commandNeeded)
    extension(SkipWithout { "no cuda.h was found; install the CUDA toolkit".takeIf { folder == null } })
    extension(CudaDouble.extension)

    val prototypes = Prototypes("cuda_api.h")

    test("the simulator's prototypes and Java's signatures match CUDA's header") {
        Devices.device(DeviceType.CUDA, 0)
        val calls = CuLibrary.functions().mapValues { it.value.type() }
        prototypes.disagreement(calls, "#include <cuda.h>", listOfNotNull(folder)).shouldBeNull()
    }

    test("the toolkit defines a type for each function in the version that the table names") {
        val types = Files.readString(checkNotNull(folder).resolve("cudaTypedefs.h"))
        val version = Regex("#define CUDA_VERSION (\\d+)").find(Files.readString(folder.resolve("cuda.h")))
        val newest = checkNotNull(version).groupValues[1].toInt()
        Devices.device(DeviceType.CUDA, 0)
        val functions = CuLibrary.functions().filterValues { it.since() <= newest }
        functions.map { (name, function) -> "PFN_${name.removeSuffix("_v2")}_v${function.since()})" }
            .filter { it !in types }.shouldBeEmpty()
    }

    test("the constants and struct layouts in Java match CUDA's header") {
        val numbers = mapOf(
            "CUDA_SUCCESS" to Cu.SUCCESS, "CUDA_ERROR_INVALID_VALUE" to Cu.INVALID_VALUE,
            "CUDA_ERROR_OUT_OF_MEMORY" to Cu.OUT_OF_MEMORY,
            "CUDA_ERROR_DEINITIALIZED" to Cu.DEINITIALIZED, "CUDA_ERROR_INVALID_DEVICE" to Cu.INVALID_DEVICE,
            "CUDA_ERROR_INVALID_CONTEXT" to Cu.INVALID_CONTEXT, "CUDA_ERROR_INVALID_HANDLE" to Cu.INVALID_HANDLE,
            "CUDA_ERROR_NOT_READY" to Cu.NOT_READY,
            "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED" to Cu.PEER_ACCESS_ALREADY_ENABLED,
            "CUDA_ERROR_TOO_MANY_PEERS" to Cu.TOO_MANY_PEERS,
            "CUDA_ERROR_NOT_PERMITTED" to Cu.NOT_PERMITTED, "CUDA_ERROR_NOT_SUPPORTED" to Cu.NOT_SUPPORTED,
            "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR" to Cu.COMPUTE_CAPABILITY_MAJOR,
            "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR" to Cu.COMPUTE_CAPABILITY_MINOR,
            "CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS" to Cu.CONCURRENT_MANAGED_ACCESS,
            "CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED" to Cu.MEMORY_POOLS_SUPPORTED,
            "CU_EVENT_BLOCKING_SYNC" to Cu.EVENT_BLOCKING_SYNC,
            "CU_EVENT_DISABLE_TIMING" to Cu.EVENT_DISABLE_TIMING, "CU_STREAM_NON_BLOCKING" to Cu.STREAM_NON_BLOCKING,
            "CU_POINTER_ATTRIBUTE_MEMORY_TYPE" to CuMemory.POINTER_MEMORY_TYPE,
            "CU_MEMPOOL_ATTR_RELEASE_THRESHOLD" to CuMemory.POOL_RELEASE_THRESHOLD,
            "CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES" to CuMemory.POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES,
            "CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS" to CuIpc.MEM_LAZY_ENABLE_PEER_ACCESS,
            "CU_EVENT_INTERPROCESS" to CuIpc.EVENT_INTERPROCESS,
            "CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED" to CuIpc.IPC_EVENT_SUPPORTED,
            "CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID" to CuIdentity.HOST_NUMA_ID,
            "CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE" to CuIpc.IS_LEGACY_IPC_CAPABLE,
            "CUDA_ERROR_MAP_FAILED" to CuIpc.MAP_FAILED,
            "CU_MEM_HANDLE_TYPE_FABRIC" to CuMap.HANDLE_TYPE_FABRIC,
            "CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED" to CuMap.HANDLE_TYPE_FABRIC_SUPPORTED,
            "CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES" to CuMap.ALLOWED_HANDLE_TYPES,
            "CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE" to CuMap.POOL_HANDLE,
            "sizeof(CUmemPoolPtrExportData)" to 64, "CU_MEM_ACCESS_FLAGS_PROT_NONE" to 0,
            "__builtin_offsetof(CUmemPoolProps, handleTypes)" to 4,
            "sizeof(CUmemFabricHandle)" to 64, "sizeof(CUmemAllocationProp)" to 32,
            "__builtin_offsetof(CUmemAllocationProp, requestedHandleTypes)" to 4,
            "__builtin_offsetof(CUmemAllocationProp, location)" to 8,
            "__builtin_offsetof(CUmemAllocationProp, win32HandleMetaData)" to 16,
            "CU_MEM_ALLOC_GRANULARITY_MINIMUM" to 0,
            "sizeof(CUipcMemHandle)" to CuIpc.HANDLE_BYTES.toInt(),
            "sizeof(CUipcEventHandle)" to CuIpc.HANDLE_BYTES.toInt(), "sizeof(CUuuid)" to 16,
            "CU_MEMHOSTALLOC_PORTABLE" to CuMemory.HOST_ALLOC_PORTABLE,
            "CU_MEM_ATTACH_GLOBAL" to CuMemory.ATTACH_GLOBAL, "CU_MEMORYTYPE_HOST" to 1,
            "CU_MEM_ALLOCATION_TYPE_PINNED" to 1, "CU_MEM_LOCATION_TYPE_DEVICE" to 1,
            "CU_MEM_ACCESS_FLAGS_PROT_READWRITE" to 3,
            "CU_MEMHOSTREGISTER_PORTABLE" to CuRegister.PORTABLE,
            "CU_MEMHOSTREGISTER_DEVICEMAP" to CuRegister.DEVICE_MAP,
            "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED" to CuRegister.ALREADY_REGISTERED,
            "CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM" to CuRegister.CAN_USE_HOST_POINTER,
            "CU_MEM_ADVISE_SET_READ_MOSTLY" to MemoryAdvice.READ_MOSTLY.code(),
            "CU_MEM_ADVISE_UNSET_ACCESSED_BY" to MemoryAdvice.NOT_ACCESSED_BY.code(),
            "CU_MEM_LOCATION_TYPE_HOST" to 2, "sizeof(CUmemLocation)" to 8,
            "__builtin_offsetof(CUmemLocation, id)" to 4,
            "CU_POINTER_ATTRIBUTE_RANGE_START_ADDR" to 11, "CU_POINTER_ATTRIBUTE_RANGE_SIZE" to 12,
            "sizeof(CUmemPoolProps)" to 88, "sizeof(CUmemAccessDesc)" to 12,
            "__builtin_offsetof(CUmemPoolProps, location)" to 8,
            "__builtin_offsetof(CUmemAccessDesc, flags)" to 8,
        )
        val asserts = numbers.map { (name, value) -> """_Static_assert($name == $value, "$name");""" }
        prototypes.compile("#include <cuda.h>\n${asserts.joinToString("\n")}", listOfNotNull(folder)).shouldBeNull()
        prototypes.compile("#include <cuda.h>\n_Static_assert(CUDA_ERROR_NOT_READY == 601, \"no\");",
            listOfNotNull(folder)).shouldNotBeNull()
    }
})
