// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldStartWith
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.MemoryManager
import org.arbalest.device.RecordBatch
import org.arbalest.device.sharing.SharedArray
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.gpu.CudaDouble
import org.arbalest.support.gpu.GpuDouble.Live
import org.arbalest.support.gpu.SharingPeer
import org.arbalest.support.gpu.checked
import org.arbalest.support.gpu.hasNothingLeft
import org.arbalest.support.gpu.share
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers
import java.lang.foreign.Arena
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.nio.ByteBuffer
import java.nio.ByteOrder.LITTLE_ENDIAN
import java.util.HexFormat
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CyclicBarrier
import java.util.concurrent.Executor
import java.util.concurrent.TimeUnit.SECONDS

private const val UNIT = 2L shl 20
private const val HANDLE = 1 + 2 * 64

/** The imports of memory of another library's pool: their number, their users, and the rejected ones. */
class CudaSharingImportSoakSpec : FunSpec({
    extension(CCompiler.needed)
    extension(cudaDouble)
    extension(PoolBackend.imports)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    val device by lazy { PoolBackend.gpu(0) }

    test("memory of another library's pool is shared without a copy, also a slice, and without other calls [IPC-11]") {
        SharingPeer(PoolBackend).use { peer ->
            PoolBackend.share(1000).use { whole ->
                whole.synchronize()
                val before = CudaDouble.live(Live.DEVICE)
                whole.slice(500, 500).use { SharedArray.of(it) }.use { half ->
                    form(half.message()) shouldBe 3
                    peer.open("x", half.message()) shouldBe "$device 500 true"
                    peer.ask("live") shouldStartWith "1 0 false"
                    peer.ask("read", "x") shouldContain "a=${3 * 500}"
                    peer.ask("close", "x") shouldBe "closed"
                }
                CudaDouble.live(Live.DEVICE) shouldBe before
            }
            peer.ask("live") shouldBe "0 0 true"
        }
        PoolBackend.hasNothingLeft()
    }

    test("messages with another size or process of one allocation import it once; it is freed last [IPC-11]") {
        for (counts in listOf(false, true)) withClue("the driver counts imports: $counts") {
            CudaDouble.countsImports(counts)
            SharingPeer(PoolBackend).use { peer ->
                val message = peer.share(100)
                val messages = listOf(message, message.declared(UNIT - 1), message.fromAnother(), message)
                val before = imports()
                for ((round, order) in listOf(listOf(0, 1, 2, 3), listOf(3, 2, 1, 0), listOf(1, 3, 0, 2)).withIndex()) {
                    val opened = messages.map { SharedArray.open(it) }
                    imports() shouldBe before + round + 1
                    CudaDouble.live(Live.OPENED) shouldBe 1
                    for (i in order) {
                        opened[order.last()].lastValue() shouldBe 3 * 99L
                        opened[i].close()
                        PoolBackend.settle()
                        CudaDouble.violation shouldBe ""
                    }
                    PoolBackend.hasNothingLeft()
                }
            }
        }
    }

    test("two buffers in one allocation, and two allocations of one pool, import each and the pool once [IPC-11]") {
        SharingPeer(PoolBackend).use { peer ->
            val two = List(2) { PoolBackend.share(100) }.use { RecordBatch.ofColumns(listOf("x", "y"), it) }
            two.use { both ->
                both.synchronize()
                SharedArray.of(both).use { shared ->
                    handles(shared.message()).size shouldBe 2
                    peer.open("x", shared.message()) shouldBe "$device 100 true"
                    peer.ask("live") shouldStartWith "2 0 false"
                    peer.ask("read", "x") shouldContain "y={a=297"
                    peer.ask("close", "x") shouldBe "closed"
                }
            }
            peer.ask("live") shouldBe "0 0 true"
            val calls = CudaDouble.calls("cuMemPoolImportFromShareableHandle")
            val messages = List(3) { peer.share(100) }
            val opened = messages.map { SharedArray.open(it) }
            CudaDouble.live(Live.OPENED) shouldBe 3
            CudaDouble.live(Live.POOLS) shouldBe 1
            CudaDouble.calls("cuMemPoolImportFromShareableHandle") shouldBe calls + 1
            opened.forEach { it.close() }
        }
        PoolBackend.hasNothingLeft()
    }

    test("an array with memory in a pool and elsewhere is shared whole, or rejected before an export [IPC-11]") {
        val exports = { listOf("cuMemPoolExportToShareableHandle", "cuIpcGetMemHandle").sumOf { CudaDouble.calls(it) } }
        fun with(memory: MemoryManager): RecordBatch {
            val other = numbers(100).use { it.copyTo(memory, device.defaultStream()) }
            return listOf(PoolBackend.share(100), other).use { RecordBatch.ofColumns(listOf("x", "y"), it) }
                .also { it.synchronize() }
        }
        with(device.memory()).use { mixed ->
            val before = exports()
            val error = shouldThrow<DeviceException> { SharedArray.of(mixed) }
            error.errno() shouldBe Errno.EINVAL
            error.message shouldContain "is in a pool without a fabric handle"
            error.message shouldContain "copy it to the device's shareableMemory()"
            exports() shouldBe before
            mixed.isOpen shouldBe true
        }
        SharingPeer(PoolBackend).use { peer ->
            with(device.shareableMemory().get()).use { mixed ->
                SharedArray.of(mixed).use { shared ->
                    handles(shared.message()).map { (_, form) -> form }.toSet() shouldBe setOf<Byte>(1, 3)
                    peer.open("x", shared.message()) shouldBe "$device 100 true"
                    peer.ask("read", "x") shouldContain "y={a=297"
                    peer.ask("close", "x") shouldBe "closed"
                }
            }
            peer.ask("live") shouldBe "0 0 true"
        }
        PoolBackend.hasNothingLeft()
    }

    test("sharing a pool's memory fails with the way out on a driver or in a process that cannot [IPC-11]") {
        fun refusal(array: DeviceArray): String {
            val error = shouldThrow<DeviceException> { SharedArray.of(array) }
            error.errno() shouldBe Errno.EINVAL
            error.message shouldContain "copy it to the device's shareableMemory()"
            return error.message.orEmpty()
        }
        PoolBackend.share(10).use { array ->
            array.synchronize()
            CudaDouble.reports(13_000)
            refusal(array) shouldContain "the driver for CUDA 13.0 may end a process"
            CudaDouble.reports(12_080)
            SharedArray.of(array).close()
            CudaDouble.fabric(has = true, allowed = false)
            refusal(array) shouldContain "CUDA_ERROR_NOT_PERMITTED (800); fabric handles need an IMEX channel"
            CudaDouble.fabric(false)
            refusal(array) shouldContain "CUDA_ERROR_NOT_SUPPORTED (801); fabric handles need an IMEX channel"
            CudaDouble.fabric(true)
        }
        val plain = ForeignPool(device, 0)
        numbers(10).use { it.copyTo(MemoryManager.of(device, plain), device.defaultStream()) }.use { array ->
            array.synchronize()
            refusal(array) shouldContain "is in a pool without a fabric handle"
        }
        plain.destroy()
        SharingPeer(PoolBackend).use { peer ->
            SharedArray.open(peer.share(10)).use { opened ->
                refusal(opened) shouldContain "is in a pool of another process"
            }
        }
        PoolBackend.hasNothingLeft()
    }

    test("opening a pool's memory fails with the reason on a driver or in a process that cannot [IPC-11]") {
        SharingPeer(PoolBackend).use { peer ->
            val message = peer.share(10)
            val before = imports()
            CudaDouble.reports(13_000)
            refused(message, Errno.ENOSYS) shouldContain "the driver for CUDA 13.0 may end the process"
            imports() shouldBe before
            CudaDouble.reports(12_080)
            SharedArray.open(message).close()
            CudaDouble.fabric(has = true, allowed = false)
            PoolBackend.settle()
            refused(message, Errno.ENOSYS) shouldContain "(800); fabric handles need an IMEX channel"
            CudaDouble.fabric(true)
            peer.kill()
            refused(message) shouldContain "the process that shared it has ended"
        }
        PoolBackend.hasNothingLeft()
    }

    test("handles of a wrong length, of zeros, of another GPU, or that occur twice are rejected [IPC-11]") {
        SharingPeer(PoolBackend).use { peer ->
            val message = peer.share(100)
            val (place) = handles(message).single()
            for (from in listOf(1, 65)) {
                val zeros = message.clone().also { it.fill(0, place + from, place + from + 64) }
                refused(zeros.checked(zeros.size)) shouldContain "the bytes $from to ${from + 63} of an allocation's " +
                    "handle are all zero"
            }
            for (length in listOf(HANDLE - 1, HANDLE + 1, 65, 1)) {
                refused(message.withHandle(length)) shouldContain "a handle of form 3 with $length bytes is unknown"
            }
            refused(message.onAnotherGpu()) shouldContain "declared on CUDA:1, but is on CUDA:0"
            SharedArray.open(message).use {
                refused(message.onAnotherGpu()) shouldContain "declared on CUDA:1, but is on CUDA:0"
                refused(message.declared(UNIT + 1)) shouldContain "declared with ${UNIT + 1} bytes, but has $UNIT"
                it.lastValue() shouldBe 297L
            }
        }
        PoolBackend.hasNothingLeft()
    }

    test("an allocation with two handles is opened twice, and freed after both; no process opens its own [IPC-11]") {
        SharingPeer(PoolBackend).use { peer ->
            val message = peer.share(100)
            val (place) = handles(message).single()
            for (changed in listOf(HANDLE - 1, 64)) { // the last byte of either handle, which the simulator ignores
                val renamed = message.clone().also { it[place + changed]++ }.let { it.checked(it.size) }
                for (order in listOf(listOf(0, 1), listOf(1, 0))) {
                    val opened = listOf(message, renamed).map { SharedArray.open(it) }
                    CudaDouble.live(Live.OPENED) shouldBe 1
                    opened[order[0]].close()
                    PoolBackend.settle()
                    opened[order[1]].lastValue() shouldBe 297L
                    opened[order[1]].close()
                    PoolBackend.hasNothingLeft()
                }
            }
        }
        PoolBackend.share(10).use { own ->
            own.synchronize()
            SharedArray.of(own).use { refused(it.message().fromAnother()) shouldContain "names a pool of this process" }
        }
        PoolBackend.hasNothingLeft()
    }

    test("an import that cannot be undone is used by the next message, and freed after it [IPC-11]") {
        SharingPeer(PoolBackend).use { peer ->
            val message = peer.share(100)
            CudaDouble.fail("cuMemFree", code = Cu.NOT_PERMITTED)
            refused(message.declared(UNIT + 1)) shouldContain "but has $UNIT"
            eventually("the free is repeated") { isNothingImported() }
            CudaDouble.fail("cuMemFree", code = Cu.INVALID_VALUE)
            refused(message.declared(UNIT + 1)) shouldContain "but has $UNIT"
            CudaDouble.live(Live.OPENED) shouldBe 1
            val before = imports()
            SharedArray.open(message).use { it.lastValue() shouldBe 297L }
            imports() shouldBe before
        }
        PoolBackend.hasNothingLeft()
    }

    test("a free that fails is repeated, and no address is used after a free that succeeded [IPC-11]") {
        SharingPeer(PoolBackend).use { peer ->
            val message = peer.share(100)
            for (call in listOf("cuMemFree", "cuCtxPushCurrent", "cuCtxPopCurrent", "cuMemPoolDestroy")) {
                withClue(call) {
                    for (code in listOf(Cu.NOT_PERMITTED, 999)) {
                        val opened = SharedArray.open(message)
                        PoolBackend.settle()
                        CudaDouble.fail(call, code = code)
                        opened.close()
                        eventually("the memory is freed") { isNothingImported() }
                        CudaDouble.failNothing() shouldBe 0
                        SharedArray.open(message).use { it.lastValue() shouldBe 297L }
                        PoolBackend.hasNothingLeft()
                    }
                }
            }
        }
    }

    test("other GPUs reach an imported pool, and lose the access before its handle is used again [IPC-11]") {
        val second = PoolBackend.gpu(1)
        SharingPeer(PoolBackend).use { peer ->
            val message = peer.share(100, gpu = 1)
            CudaDouble.fail("cuMemPoolSetAccess")
            refused(message, Errno.EIO) shouldContain "cuMemPoolSetAccess on CUDA:1"
            CudaDouble.live(Live.POOLS) shouldBe 0
            SharedArray.open(message).use { there ->
                there.device() shouldBe second
                device.createStream().use { stream -> // the first GPU reaches the second
                    there.copyTo(Devices.cpu(), stream).use { back ->
                        back.synchronize()
                        back.asRecordBatch().column("a").getLong(99) shouldBe 297L
                    }
                }
            }
        }
        PoolBackend.hasNothingLeft()
        val next = ForeignPool(second, 0)
        CudaDouble.poolAccess(next.pool) shouldBe 2 // of its own GPU only
        next.destroy()
    }

    test("the simulator gives a second import the same address, and unmaps it with the first free, unless it counts") {
        SharingPeer(PoolBackend).use { peer ->
            val message = peer.share(100)
            val (place) = handles(message).single()
            Arena.ofConfined().use { arena ->
                val halves = arena.allocateFrom(JAVA_BYTE, *message.copyOfRange(place + 1, place + HANDLE))
                val out = arena.allocate(JAVA_LONG)
                fun import(pool: Long): Long {
                    Cu.MEM_POOL_IMPORT_POINTER.call(out.address(), pool, halves.address() + 64) shouldBe 0
                    return out.get(JAVA_LONG, 0)
                }
                Raw.inContext(device) {
                    Cu.MEM_POOL_IMPORT_FROM_SHAREABLE_HANDLE.call(out.address(), halves.address(), 8, 0) shouldBe 0
                    val pool = out.get(JAVA_LONG, 0)
                    Cu.MEM_ALLOC_FROM_POOL_ASYNC.call(out.address(), 100, pool, 0) shouldBe Cu.INVALID_VALUE
                    for (counts in listOf(false, true)) {
                        CudaDouble.countsImports(counts)
                        val address = import(pool)
                        import(pool) shouldBe address
                        Cu.MEM_FREE.call(address) shouldBe 0
                        CudaDouble.live(Live.OPENED) shouldBe if (counts) 1 else 0
                        if (counts) Cu.MEM_FREE.call(address) shouldBe 0
                    }
                    Cu.MEM_POOL_DESTROY.call(pool) shouldBe 0
                }
            }
        }
        PoolBackend.hasNothingLeft()
    }

    test("the simulator exports no allocation of a pool that was not exported itself, and imports none of its own") {
        val pool = ForeignPool(device, CuMap.HANDLE_TYPE_FABRIC)
        val address = pool.allocate(100, 256)
        Arena.ofConfined().use { arena ->
            val out = arena.allocate(64)
            Raw.inContext(device) {
                Cu.MEM_POOL_EXPORT_POINTER.call(out.address(), address) shouldBe Cu.INVALID_VALUE
                Cu.MEM_POOL_EXPORT_TO_SHAREABLE_HANDLE.call(out.address(), pool.pool, 8, 0) shouldBe 0
                Cu.MEM_POOL_IMPORT_FROM_SHAREABLE_HANDLE.call(out.address(), out.address(), 8, 0) shouldBe
                    Cu.INVALID_VALUE
                Cu.MEM_POOL_EXPORT_POINTER.call(out.address(), address) shouldBe 0
            }
        }
        pool.free(address, 100)
        pool.destroy()
    }

    test("threads that open and close one allocation at the same time read it whole [IPC-11]") {
        SharingPeer(PoolBackend).use { peer ->
            val message = peer.share(100)
            val messages = listOf(message, message.fromAnother(), message.declared(UNIT - 1))
            val start = CyclicBarrier(messages.size)
            val ownThread = Executor { Thread.ofPlatform().daemon().start(it) } // they wait for each other
            val threads = messages.map {
                CompletableFuture.runAsync({
                    start.await(5, SECONDS)
                    repeat(100) { _ ->
                        SharedArray.open(it).use { array -> array.lastValue() shouldBe 297L }
                        device.memory().trim() // an idle period, in which arrays are closed
                    }
                }, ownThread)
            }
            threads.forEach { it.get(30, SECONDS) }
            CudaDouble.violation shouldBe ""
        }
        PoolBackend.hasNothingLeft()
    }
})

private fun isNothingImported(): Boolean = CudaDouble.live(Live.OPENED) == 0L && CudaDouble.live(Live.POOLS) == 0L

private fun imports(): Long = CudaDouble.calls("cuMemPoolImportPointer")

private fun refused(message: ByteArray, errno: Int = Errno.EINVAL): String {
    val error = shouldThrow<DeviceException> { SharedArray.open(message) }
    error.errno() shouldBe errno
    return error.message.orEmpty()
}

private fun SharingPeer.share(rows: Int, gpu: Int = 0): ByteArray =
    HexFormat.of().parseHex(ask("share", "$gpu", "$rows"))

private fun DeviceArray.lastValue(): Long = copyTo(Devices.cpu()).use {
    it.synchronize()
    it.asRecordBatch().column("a").getLong(length() - 1)
}

private fun <A : DeviceArray, R> List<A>.use(block: (List<A>) -> R): R =
    try {
        block(this)
    } finally {
        forEach { it.close() }
    }

/** Returns the places and forms of a message's handles. */
private fun handles(message: ByteArray): List<Pair<Int, Byte>> {
    val words = ByteBuffer.wrap(message).order(LITTLE_ENDIAN)
    words.position(16 + 16 + 4 + 16)
    words.skipBytes() // the PCI bus id
    words.skipBytes() // the event
    return List(words.getInt()) {
        words.getLong()
        val place = words.position() + 4
        words.skipBytes()
        place to message[place]
    }
}

private fun ByteBuffer.skipBytes() {
    val length = getInt()
    position(position() + length)
}

private fun form(message: ByteArray): Int = handles(message).single().second.toInt()

/** Returns the message with another size of its allocation. */
private fun ByteArray.declared(bytes: Long): ByteArray = clone().also {
    val (place) = handles(it).single()
    ByteBuffer.wrap(it).order(LITTLE_ENDIAN).putLong(place - 12, bytes)
}.let { it.checked(it.size) }

/** Returns the message as if another process had sent it. */
private fun ByteArray.fromAnother(): ByteArray = clone().also { it[17]++ }.let { it.checked(it.size) }

/** Returns the message as if the array were on the second GPU. */
private fun ByteArray.onAnotherGpu(): ByteArray {
    val other = clone()
    other[16 + 16 + 4 + 8]++ // the last byte of the UUID: see ipc_uuid
    return other.checked(other.size)
}

/** Returns the message with its handle cut, or extended, to a length. */
private fun ByteArray.withHandle(length: Int): ByteArray {
    val (place) = handles(this).single()
    val handle = copyOfRange(place, place + HANDLE).copyOf(length)
    val size = ByteBuffer.allocate(4).order(LITTLE_ENDIAN).putInt(length).array()
    val bytes = copyOf(place - 4) + size + handle + copyOfRange(place + HANDLE, this.size)
    return bytes.checked(bytes.size)
}
