// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainAll
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.support.CCompiler
import org.arbalest.support.gpu.HipDouble
import org.arbalest.support.gpu.Prototypes
import org.arbalest.support.gpu.signatureContract
import org.arbalest.testkit.SkipWithout
import java.nio.file.Files
import java.nio.file.Path

/**
 * The signatures by which Java calls HIP, compared with the simulator's prototypes. The C compiler checks the
 * simulator's definitions against the same prototypes. [HipHeaderSpec] compares both with HIP's own header.
 */
class HipSignatureSpec : FunSpec({
    extension(CCompiler.needed)
    extension(HipDouble.extension)

    val prototypes = Prototypes("hip_api.h")
    val calls by lazy {
        Devices.device(DeviceType.ROCM, 0)
        HipLibrary.functions().mapValues { it.value.type() }
    }

    val since = { HipLibrary.functions().mapValues { HipFunction.version(it.value.since()) } }

    include(signatureContract(prototypes, since) { calls })

    test("every needed function is in the table, and the oldest supported release has it") {
        Devices.device(DeviceType.ROCM, 0)
        val needed = HipNeeded.NAMES.associateWith { HipLibrary.functions().getValue(it).since() }
        needed.filterValues { it > Hip.OLDEST }.keys.shouldBeEmpty()
        needed.getValue(HipNeeded.NAMES.first()) shouldBe needed.values.max()
    }

    test("a release of any version may lack the functions of optional features") {
        Devices.device(DeviceType.ROCM, 0)
        val optional = HipLibrary.functions().filterValues { it.isOptional() }.keys
        optional shouldContainAll listOf(
            "hipMemPoolCreate", "hipMemPoolDestroy", "hipMemPoolSetAttribute", "hipMemPoolSetAccess",
            "hipMemPoolTrimTo", "hipDeviceGetMemPool", "hipMallocFromPoolAsync", "hipFreeAsync", "hipIpcGetMemHandle",
            "hipIpcOpenMemHandle",
            "hipIpcCloseMemHandle", "hipDeviceGetUuid", "hipThreadExchangeStreamCaptureMode", "hipStreamIsCapturing",
        )
    }
})

/** The signatures compared with HIP's own header, of Debian's `libamdhip64-dev` or of ROCm. */
class HipHeaderSpec : FunSpec({
    val folders = listOf("/usr/include", "/opt/rocm/include").map { Path.of(it) }.filter {
        Files.exists(it.resolve("hip/hip_runtime_api.h"))
    }

    extension(CCompiler.commandNeeded)
    extension(SkipWithout {
        "no hip/hip_runtime_api.h was found; install libamdhip64-dev"
            .takeIf { folders.isEmpty() && System.getenv("CI") != "true" }
    })
    extension(HipDouble.extension)

    val header = "#define __HIP_PLATFORM_AMD__\n#include <hip/hip_runtime_api.h>"
    val prototypes = Prototypes("hip_api.h")

    test("the simulator's prototypes and Java's signatures match HIP's header") {
        Devices.device(DeviceType.ROCM, 0)
        prototypes.disagreement(HipLibrary.functions().mapValues { it.value.type() }, header, folders).shouldBeNull()
    }

    test("the constants and struct layouts in Java match HIP's header") {
        val numbers = mapOf(
            "hipSuccess" to Hip.SUCCESS, "hipErrorInvalidValue" to Hip.INVALID_VALUE,
            "hipErrorOutOfMemory" to Hip.OUT_OF_MEMORY, "hipErrorDeinitialized" to Hip.DEINITIALIZED,
            "hipErrorNoDevice" to Hip.NO_DEVICE, "hipErrorInvalidDevice" to Hip.INVALID_DEVICE,
            "hipErrorInvalidContext" to Hip.INVALID_CONTEXT, "hipErrorInvalidHandle" to Hip.INVALID_HANDLE,
            "hipErrorNotReady" to Hip.NOT_READY,
            "hipErrorPeerAccessAlreadyEnabled" to Hip.PEER_ACCESS_ALREADY_ENABLED,
            "hipErrorNotSupported" to Hip.NOT_SUPPORTED,
            "hipEventBlockingSync" to Hip.EVENT_BLOCKING_SYNC, "hipEventDisableTiming" to Hip.EVENT_DISABLE_TIMING,
            "hipStreamNonBlocking" to Hip.STREAM_NON_BLOCKING,
            "hipMemPoolAttrReleaseThreshold" to HipMemory.POOL_RELEASE_THRESHOLD,
            "hipMemPoolReuseAllowInternalDependencies" to HipMemory.POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES,
            "hipHostMallocPortable" to HipMemory.HOST_MALLOC_PORTABLE,
            "hipHostMallocCoherent" to HipMemory.HOST_MALLOC_COHERENT,
            "hipErrorInvalidDevicePointer" to HipIpc.INVALID_DEVICE_POINTER,
            "sizeof(hipIpcMemHandle_t)" to HipIpc.HANDLE_BYTES.toInt(), "sizeof(hipUUID)" to 16,
            "(HIP_VERSION < 50300000 ? ${HipIpc.OLD_MEM_LAZY_ENABLE_PEER_ACCESS} : " +
                "${HipIpc.MEM_LAZY_ENABLE_PEER_ACCESS}) - hipIpcMemLazyEnablePeerAccess" to 0,
            "hipMemcpyDefault" to 4, "HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL" to 9,
            "HIP_POINTER_ATTRIBUTE_HOST_POINTER" to 4, "hipMemAllocationTypePinned" to 1,
            "hipMemLocationTypeDevice" to 1, "hipMemAccessFlagsProtReadWrite" to 3, "sizeof(hipMemPoolProps)" to 88,
            "sizeof(hipMemAccessDesc)" to 12, "__builtin_offsetof(hipMemPoolProps, location)" to 8,
            "__builtin_offsetof(hipMemAccessDesc, flags)" to 8,
        )
        val asserts = numbers.map { (name, value) -> """_Static_assert($name == $value, "$name");""" }
        prototypes.compile("$header\n${asserts.joinToString("\n")}", folders).shouldBeNull()
        prototypes.compile("$header\n_Static_assert(hipErrorNotReady == 601, \"no\");", folders).shouldNotBeNull()
    }
})
