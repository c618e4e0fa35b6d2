// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldStartWith
import org.arbalest.device.Device
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.sharing.SharedArray
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.gpu.CudaDouble
import org.arbalest.support.gpu.GpuDouble.Live
import org.arbalest.support.gpu.SharingPeer
import org.arbalest.support.gpu.hasNothingLeft
import org.arbalest.testkit.contract.numbers
import java.lang.foreign.Arena
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.util.HexFormat

/** The sharing of memory of pools that have fabric handles, between two processes. */
class CudaSharingPoolSoakSpec : FunSpec({
    extension(CCompiler.needed)
    extension(cudaDouble)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    val device by lazy { Devices.device(DeviceType.CUDA, 0) }

    fun pooled(rows: Int, handles: Int = CuMap.HANDLE_TYPE_FABRIC) =
        withPool(device, poolOfOthers(device, handles)) { numbers(rows).use { it.copyTo(device) } }
            .also { it.synchronize() }

    test("another process opens memory of a pool without a copy, also of a slice, and frees it there [IPC-11]") {
        SharingPeer(FabricBackend).use { peer ->
            pooled(1000).use { whole ->
                whole.slice(500, 500).use { SharedArray.of(it) }.use { half ->
                    peer.open("x", half.message()) shouldBe "$device 500 true"
                    peer.ask("live") shouldStartWith "1 0 false"
                    peer.ask("read", "x") shouldContain "a=${3 * 500}"
                    peer.ask("close", "x") shouldBe "closed"
                }
            }
            peer.ask("live") shouldBe "0 0 true"
        }
        FabricBackend.hasNothingLeft()
    }

    test("an array in the library's own pool of another process is opened, read and closed [IPC-11]") {
        SharingPeer(FabricBackend).use { peer ->
            val message = HexFormat.of().parseHex(peer.ask("sharePooled", "0", "100"))
            SharedArray.open(message).use { array ->
                CudaDouble.live(Live.OPENED) shouldBe 1
                array.copyTo(Devices.cpu()).use {
                    it.synchronize()
                    it.column("a").getLong(99) shouldBe 297L
                }
            }
            FabricBackend.hasNothingLeft()
        }
    }

    test("each call that fails when a pool's memory is opened is named, and leaves nothing open [IPC-11]") {
        SharingPeer(FabricBackend).use { peer ->
            val message = HexFormat.of().parseHex(peer.ask("sharePooled", "0", "100"))
            for (function in listOf("cuMemPoolImportFromShareableHandle", "cuMemPoolSetAccess",
                "cuMemPoolImportPointer")) withClue(function) {
                CudaDouble.fail(function, code = 999)
                shouldThrow<DeviceException> { SharedArray.open(message) }.message shouldContain "$function on CUDA:0"
                CudaDouble.failNothing() shouldBe 0
                CudaDouble.live(Live.OPENED) shouldBe 0
            }
            CudaDouble.fabric(has = true, allowed = false)
            shouldThrow<DeviceException> { SharedArray.open(message) }.run {
                errno() shouldBe Errno.ENOSYS
                this.message shouldContain "(800); fabric handles need an IMEX channel"
            }
            CudaDouble.fabric(true)
            peer.kill()
            shouldThrow<DeviceException> { SharedArray.open(message) }.run {
                errno() shouldBe Errno.EINVAL
                this.message shouldContain "the process that shared it has ended"
            }
        }
        FabricBackend.hasNothingLeft()
    }

    test("each call that fails when a pool's memory is shared is named, and other pools are rejected [IPC-11]") {
        pooled(10).use { array ->
            for (function in listOf("cuMemPoolExportToShareableHandle", "cuMemPoolExportPointer")) withClue(function) {
                CudaDouble.fail(function, code = 999)
                shouldThrow<DeviceException> { SharedArray.of(array) }.message shouldContain "$function on CUDA:0"
                CudaDouble.failNothing() shouldBe 0
            }
            SharedArray.of(array).close()
        }
        pooled(10, handles = 0).use { array ->
            shouldThrow<DeviceException> { SharedArray.of(array) }.message shouldContain "is in a pool"
        }
    }

    test("the own pool has fabric handles if they are requested, and the process may use them [IPC-11]") {
        fun hasHandles(): Boolean {
            val pool = Arena.ofConfined().use { arena ->
                val out = arena.allocate(JAVA_LONG)
                Pool.tryCreate(Gpu.open(0), out) shouldBe 0
                out.get(JAVA_LONG, 0)
            }
            return withPool(device, pool) { numbers(10).use { it.copyTo(device) } }.use { array ->
                array.synchronize()
                runCatching { SharedArray.of(array).close() }.isSuccess
            }
        }
        hasHandles() shouldBe false
        System.setProperty(CudaSharing.FABRIC_REQUESTED, "true")
        try {
            hasHandles() shouldBe true
            CudaDouble.fabric(has = true, allowed = false)
            hasHandles() shouldBe false
            CudaDouble.fabric(false)
            hasHandles() shouldBe false
        } finally {
            CudaDouble.fabric(true)
            System.clearProperty(CudaSharing.FABRIC_REQUESTED)
        }
    }
})

/** Creates a pool as another library would, with a kind of handles or none. */
private fun poolOfOthers(device: Device, handles: Int): Long = Arena.ofConfined().use { arena ->
    val properties = arena.allocate(88, 8)
    listOf(1, handles, 1, device.id().toInt()).forEachIndexed { i, value ->
        properties.setAtIndex(JAVA_INT, i.toLong(), value)
    }
    val out = arena.allocate(JAVA_LONG)
    Cu.MEM_POOL_CREATE.call(out.address(), properties.address()) shouldBe 0
    out.get(JAVA_LONG, 0)
}

/** Runs a block while a pool serves a GPU's memory. */
private fun <T> withPool(device: Device, pool: Long, block: () -> T): T {
    Cuda.usePool(device, pool)
    return try {
        block()
    } finally {
        Cuda.usePool(device, 0)
    }
}
