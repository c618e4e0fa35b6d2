// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.MemoryAllocator
import org.arbalest.device.MemoryManager
import org.arbalest.device.RecordBatch
import org.arbalest.device.sharing.SharedArray
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.gpu.CudaDouble
import org.arbalest.support.gpu.GpuDouble.Live
import org.arbalest.support.gpu.sharingContract
import org.arbalest.testkit.contract.numbers
import java.lang.foreign.Arena
import java.lang.foreign.MemoryLayout
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG

/** The sharing of arrays between two processes by fabric handles. The arrays' memory is created for such handles. */
class CudaSharingFabricSoakSpec : FunSpec({
    extension(CCompiler.needed)
    extension(cudaDouble)
    extension(ResourceCountersExtension)
    extension(gates.opened)
    beforeSpec { System.setProperty(CudaSharing.FABRIC_REQUESTED, "true") }
    afterSpec { System.clearProperty(CudaSharing.FABRIC_REQUESTED) }

    include(sharingContract(FabricBackend))

    fun onGpu(device: Long = 0): RecordBatch {
        val gpu = Devices.device(DeviceType.CUDA, device)
        return numbers(100).use { it.copyTo(gpu.shareableMemory().get(), gpu.defaultStream()) }
            .also { it.synchronize() }
    }

    /** Returns the form of the first handle in the array's message. */
    fun form(array: RecordBatch): Byte = SharedArray.of(array).use { shared ->
        val message = shared.message()
        val place = array.device().identity().pciBusId()!!.length
        message[16 + 16 + 4 + 16 + 4 + place + 4 + 4 + 8 + 4]
    }

    test("the form of a shared handle depends on the array's memory, not on the current property [IPC-10]") {
        val fabric = onGpu()
        System.clearProperty(CudaSharing.FABRIC_REQUESTED)
        val plain = onGpu()
        System.setProperty(CudaSharing.FABRIC_REQUESTED, "true")
        form(fabric) shouldBe 2
        form(plain) shouldBe 1
        CudaDouble.fabric(false)
        onGpu().use { form(it) shouldBe 1 } // the device has no fabric handles
        CudaDouble.fabric(true)
        listOf(fabric, plain).forEach { it.close() }
        CudaBackend(DeviceType.CUDA).settle()
        CudaDouble.live(Live.DEVICE) shouldBe 0
        CudaDouble.live(Live.RESERVED) shouldBe 0
    }

    test("an allocation without permission for fabric handles names the missing IMEX channel [IPC-10]") {
        val gpu = Devices.device(DeviceType.CUDA, 0)
        CudaBackend(DeviceType.CUDA).settle()
        CudaDouble.fabric(has = true, allowed = false)
        val error = shouldThrow<DeviceException> { gpu.shareableMemory().get().allocate(100) }
        error.errno() shouldBe Errno.ENOSYS
        error.message shouldContain "CUDA_ERROR_NOT_PERMITTED (800); fabric handles need an IMEX channel"
        CudaDouble.live(Live.DEVICE) shouldBe 0
    }

    test("sharing rejects a pool's memory, and memory that was mapped without a fabric handle [IPC-10]") {
        val gpu = Devices.device(DeviceType.CUDA, 0)
        numbers(10).use { it.copyTo(MemoryManager.of(gpu, UsersMappings), gpu.defaultStream()) }.use { array ->
            array.synchronize()
            shouldThrow<DeviceException> { SharedArray.of(array) }.message shouldContain
                "mapped without a fabric handle"
            Arena.ofConfined().use { arena ->
                val handle = arena.allocate(64)
                Raw.inContext(gpu) {
                    Raw.call(UsersMappings.plainHandle, handle.address(), UsersMappings.address)
                } shouldBe Cu.INVALID_VALUE
            }
        }
        CudaDouble.live(Live.RESERVED) shouldBe 0
        numbers(10).use { it.copyTo(gpu) }.use { pooled ->
            pooled.synchronize()
            shouldThrow<DeviceException> { SharedArray.of(pooled) }.message shouldContain "is in a pool"
        }
    }

    test("fabric memory is written by its own GPU, and read by each GPU that reaches it [IPC-10]") {
        for ((memory, stream) in listOf(0L to 0L, 1L to 1L, 1L to 0L)) { // the first GPU reaches the second
            onGpu(memory).use { there ->
                Devices.device(DeviceType.CUDA, stream).createStream().use {
                    there.copyTo(Devices.cpu(), it).use { back ->
                        back.synchronize()
                        back.column("a").getLong(99) shouldBe 297L
                    }
                }
            }
        }
    }
})

private object FabricBackend : CudaBackend(DeviceType.CUDA) {
    override val options: List<String> get() = listOf("-D${CudaSharing.FABRIC_REQUESTED}=true")
    override val isSharedForGood: Boolean get() = true
    override val sharingCalls: List<String>
        get() = listOf(
            "cuStreamCreate", "cuStreamWaitEvent", "cuEventCreate", "cuEventRecord", "cuPointerGetAttribute",
            "cuMemGetAddressRange", "cuMemRetainAllocationHandle", "cuMemExportToShareableHandle", "cuMemRelease",
            "cuIpcGetEventHandle",
        )
    override val openingCalls: List<String>
        get() = listOf("cuMemImportFromShareableHandle", "cuMemAddressReserve", "cuMemMap", "cuMemSetAccess",
            "cuMemRelease", "cuMemAddressFree", "cuMemUnmap")
    override val shareableCalls: List<String>
        get() = listOf("cuMemCreate", "cuMemAddressReserve", "cuMemMap", "cuMemSetAccess", "cuMemRelease",
            "cuMemAddressFree", "cuMemUnmap")
}

/** An allocator of a user who maps memory without a fabric handle. It has one allocation at a time. */
private object UsersMappings : MemoryAllocator {
    private const val UNIT = 2L shl 20
    val plainHandle by lazy { Raw.function("cuIpcGetMemHandle", JAVA_LONG, JAVA_LONG) }
    var address: Long = 0
        private set

    override fun isCpuAccessible() = false

    override fun allocate(bytes: Long, alignment: Long): Long = Arena.ofConfined().use { arena ->
        val out = arena.allocate(JAVA_LONG)
        fun call(name: String, vararg arguments: Any) {
            val types = arguments.map { if (it is Int) JAVA_INT else JAVA_LONG }.toTypedArray<MemoryLayout>()
            check(Raw.call(Raw.function(name, *types), *arguments) == 0) { name }
        }
        val properties = arena.allocate(32, 8)
        properties.set(JAVA_INT, 0, 1)
        properties.set(JAVA_INT, 8, 1)
        call("cuMemCreate", out.address(), UNIT, properties.address(), 0L)
        val handle = out.get(JAVA_LONG, 0)
        call("cuMemAddressReserve", out.address(), UNIT, 0L, 0L, 0L)
        address = out.get(JAVA_LONG, 0)
        call("cuMemMap", address, UNIT, 0L, handle, 0L)
        call("cuMemRelease", handle)
        val access = arena.allocate(12, 4)
        access.set(JAVA_INT, 0, 1)
        access.set(JAVA_INT, 8, 3)
        call("cuMemSetAccess", address, UNIT, access.address(), 1L)
        address
    }

    override fun free(address: Long, bytes: Long) {
        for (name in listOf("cuMemUnmap", "cuMemAddressFree"))
            check(Raw.call(Raw.function(name, JAVA_LONG, JAVA_LONG), address, UNIT) == 0)
    }
}
