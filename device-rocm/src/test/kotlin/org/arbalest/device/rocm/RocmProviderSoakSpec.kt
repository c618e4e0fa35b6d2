// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Availability
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.support.CCompiler
import org.arbalest.support.ChildJvm
import org.arbalest.support.NativeLibrary
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.gpu.GpuDouble.Live
import org.arbalest.support.gpu.HipDouble
import org.arbalest.support.gpu.gpuProviderContract
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.SymbolLookup
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.nio.file.Files
import kotlin.reflect.KClass

/** The probe of HIP: the available devices, and the reasons why HIP is unavailable. */
class RocmProviderSoakSpec : FunSpec({
    extension(CCompiler.needed)
    extension(hipDouble)
    extension(ResourceCountersExtension)

    include(gpuProviderContract(RocmBackend(DeviceType.ROCM)))

    val version = HipDouble.release

    test("the reason names a missing HIP, or a HIP that is too old [DEV-13]") {
        HipLibrary.missing(listOf("libamdhip64-none.so.7", "none.dll")) shouldBe
            "HIP was not found; looked for libamdhip64-none.so.7, none.dll"
        val old = NativeLibrary.compile("gpu/old_hip.c").file
        HipLibrary.missing(listOf("$old")) shouldBe
            "$old has no function hipDrvPointerGetAttributes; ROCm 5.2 or newer is needed"
        HipLibrary.missing().shouldBeNull()
    }

    test("a release that has every needed function but is too old is rejected for its version [DEV-13]") {
        val child = ChildJvm.run(TooOld::class, options = listOf("-Darbalest.hip=5.1"))
        withClue(child.output) { child.output.trim() shouldBe "HIP is of ROCm 5.1; ROCm 5.2 or newer is needed" }
    }

    test("a HIP that lacks a needed function is rejected, and the reason names the function [DEV-13]") {
        val lacking = HipDouble.compileAs("libamdhip64-lacking.so", setOf("hipEventQuery")).file
        HipLibrary.missing(listOf("$lacking")) shouldBe
            "$lacking has no function hipEventQuery; ROCm 5.2 or newer is needed"
    }

    test("a missing optional function returns NOT_SUPPORTED, and a missing needed function throws [DEV-13]") {
        val type = FunctionDescriptor.of(JAVA_INT, JAVA_LONG)
        HipLibrary.handle("hipNoSuchFunction", type, true).invokeWithArguments(0L) shouldBe Hip.NOT_SUPPORTED
        shouldThrow<IllegalStateException> { HipLibrary.handle("hipNoSuchFunction", type, false) }.message shouldBe
            "HIP has no function hipNoSuchFunction"
        val newest = if (HipDouble.isRocm5) 5_02_99999 else 7_01_99999
        for ((name, function) in HipLibrary.functions()) {
            withClue(name) { HipLibrary.has(name) shouldBe (function.since() <= newest) }
        }
        HostFunctions.LAUNCH.name() shouldBe if (HipDouble.isRocm5) "hipStreamAddCallback" else "hipLaunchHostFunc"
    }

    test("the probe reports HIP's error code, and the next probe calls HIP again [DEV-13]") {
        val provider = RocmProvider()
        fun reason() = (provider.probe(DeviceType.ROCM) as Availability.Missing).reason()
        HipDouble.reset(devices = 0)
        reason() shouldBe
            "hipGetDeviceCount failed: hipErrorNoDevice (100); HIP $version; is there an AMD GPU, and may this user " +
            "open /dev/kfd and /dev/dri/render*?"
        HipDouble.reset()
        HipDouble.fail("hipGetDeviceCount", code = 3)
        reason() shouldBe "hipGetDeviceCount failed: hipErrorNotInitialized (3); HIP $version"
        HipDouble.fail("hipGetDeviceCount", code = 3)
        HipDouble.fail("hipRuntimeGetVersion")
        reason() shouldBe "hipGetDeviceCount failed: hipErrorNotInitialized (3)"
        provider.probe(DeviceType.ROCM_HOST) shouldBe Availability.Ready(2)
        HipDouble.lastError shouldBe 0
    }

    test("the status has a line for each device type of each GPU [DEV-13]") {
        val text = Devices.describe()
        for (line in listOf(
            "ROCM:0: Arbalest Double 0, 1.0 GiB; HIP $version",
            "ROCM:1: Arbalest Double 1",
            "ROCM_HOST:1: pinned main memory for Arbalest Double 1",
        )) text shouldContain line
        for (function in listOf("hipDeviceGetName", "hipDeviceTotalMem")) {
            HipDouble.fail(function)
            shouldThrow<DeviceException> { RocmProvider().describe(DeviceType.ROCM, 0) }.message shouldBe
                "$function on ROCM:0 failed: hipErrorUnknown (999)"
        }
    }

    test("a GPU that fails to open leaks nothing, and opens the next time") { inChild(FailsToOpen::class) }

    test("a pool that HIP creates but cannot allocate from is not used") { inChild(PoolInName::class) }

    test("a HIP that the process has loaded is used instead of a newer one") {
        val newer = HipDouble.compileAs("libamdhip64.so.8", setOf("hipLaunchHostFunc"))
        inChild(Loaded::class, "${newer.file}")
    }

    test("a loaded HIP of an unread major version is refused, and no second HIP is loaded [DEV-64]") {
        inChild(UnreadLoaded::class)
    }

    test("a failure to reach a peer GPU names the call, and the next copy tries again") { inChild(PeerFails::class) }
})

/** Runs a program in a child process, on the simulator of the same release. */
internal fun childOf(main: KClass<*>, vararg arguments: String): ChildJvm =
    ChildJvm.run(main, *arguments, options = RocmBackend(DeviceType.ROCM).options)

private fun inChild(main: KClass<*>, vararg arguments: String) {
    val child = childOf(main, *arguments)
    withClue(child.output) {
        child.output.trim() shouldBe "good"
        child.exitCode shouldBe 0
    }
}

internal object FailsToOpen {
    @JvmStatic
    fun main(args: Array<String>) {
        HipDouble.load()
        System.setProperty(Pool.REQUESTED, "true")
        RocmProvider().probe(DeviceType.ROCM)
        for (function in listOf(
            "hipGetDevice", "hipSetDevice", "hipMemPoolCreate", "hipDeviceTotalMem", "hipMemPoolSetAttribute",
            "hipStreamCreateWithFlags", "hipMallocFromPoolAsync", "hipStreamSynchronize", "hipFreeAsync",
        )) {
            HipDouble.fail(function)
            val failure = runCatching { Gpu.open(1) }.exceptionOrNull()
            check(failure is DeviceException && "$function on ROCM:1 failed: " +
                "hipErrorUnknown (999)" in failure.message.orEmpty()) { "$function: $failure" }
            check(HipDouble.live(Live.STREAMS) == 0L) { function }
            if (function != "hipFreeAsync") eventually(function) { HipDouble.live(Live.DEVICE) == 0L }
        }
        HipDouble.fail("hipMemPoolSetAttribute")
        HipDouble.fail("hipMemPoolDestroy")
        val both = checkNotNull(runCatching { Gpu.open(1) }.exceptionOrNull())
        check("hipMemPoolSetAttribute" in "${both.message}" &&
            "hipMemPoolDestroy" in "${both.suppressed.single().message}")
        Devices.device(DeviceType.ROCM, 1).createStream().use { it.synchronize() }
        println("good")
    }
}

internal object TooOld {
    @JvmStatic
    fun main(args: Array<String>) {
        HipDouble.load()
        println((RocmProvider().probe(DeviceType.ROCM) as? Availability.Missing)?.reason())
    }
}

internal object PoolInName {
    @JvmStatic
    fun main(args: Array<String>) {
        HipDouble.load()
        System.setProperty(Pool.REQUESTED, "true")
        HipDouble.fail("hipMallocFromPoolAsync", code = Hip.NOT_SUPPORTED)
        val device = Devices.device(DeviceType.ROCM, 0)
        check(!Gpu.open(0).pool.isThere)
        check(HipDouble.live(Live.STREAMS) == 0L)
        check(HipDouble.lastError == 0)
        numbers(100).use { it.copyTo(device) }.use { there -> there.copyTo(Devices.cpu()).use { it.synchronize() } }
        println("good")
    }
}

internal object Loaded {
    @JvmStatic
    fun main(args: Array<String>) {
        HipDouble.compileAs("libamdhip64.so.6")
        check(HipLibrary.missing(listOf("libamdhip64-none.so", args[0], "libamdhip64.so.6")) == null)
        check(HipLibrary.has("hipLaunchHostFunc")) // the newer library lacks this function
        println("good")
    }
}

internal object UnreadLoaded {
    @JvmStatic
    fun main(args: Array<String>) {
        val folder = Files.createTempDirectory("rocm").toRealPath()
        val unread = folder.resolve("libamdhip64.so.11")
        try {
            Files.copy(HipDouble.compileAs("libamdhip64.so.11").file, unread)
            SymbolLookup.libraryLookup(unread, Arena.global())
            val reason = (RocmProvider().probe(DeviceType.ROCM) as? Availability.Missing)?.reason()
            check("the process has loaded $unread, a major version" in "$reason") { "$reason" }
            check("-D${HipSearch.ANY_VERSION}=true" in "$reason")
            System.setProperty(HipSearch.ANY_VERSION, "true")
            check(HipSearch.ofProcess().names().first() == "$unread")
        } finally {
            folder.toFile().deleteRecursively()
        }
        println("good")
    }
}

internal object PeerFails {
    @JvmStatic
    fun main(args: Array<String>) {
        HipDouble.load()
        System.setProperty(Pool.REQUESTED, "true")
        val devices = List(2) { Devices.device(DeviceType.ROCM, it.toLong()) }
        numbers(100).use { it.copyTo(devices[1]) }.use { there ->
            for (function in listOf("hipDeviceCanAccessPeer", "hipDeviceEnablePeerAccess", "hipMemPoolSetAccess")) {
                HipDouble.fail(function)
                val failure = runCatching { there.copyTo(devices[0]) }.exceptionOrNull()
                check("$function on ROCM" in failure?.message.orEmpty()) { "$function: $failure" }
            }
            // access is already enabled in one direction; the copy back needs the other one
            there.copyTo(devices[0]).use { it.copyTo(devices[1]).use { back -> back.synchronize() } }
        }
        check(HipDouble.lastError == 0)
        eventually("all resources are released") { ResourceCounters.now().isZero }
        println("good")
    }
}
