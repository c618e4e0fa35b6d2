// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.fake.FakeDevice
import org.arbalest.support.fake.FakeExtension
import org.arbalest.testkit.contract.eventually

private const val BLOCK = 4096L

/** Serves one block of a device again and again. Like RMM, it does not wait for the work that still uses the block. */
private class OneBlock(device: Device) : MemoryAllocator, AutoCloseable {
    private val block = device.allocate(BLOCK)
    val address = block.address()
    val calls = mutableListOf<String>()

    override fun isCpuAccessible() = false

    override fun alignment() = 64L

    override fun allocate(bytes: Long, alignment: Long): Long {
        check(bytes <= BLOCK) { "a block has $BLOCK bytes, not $bytes" }
        calls += "allocate"
        return address
    }

    override fun free(address: Long, bytes: Long) {
        calls += "free"
    }

    override fun close() = block.close()
}

/** Memory of the application's allocator in the order of a stream, on a device whose work runs step by step. */
class StreamOrderedMemorySpec : FunSpec({
    extension(ResourceCountersExtension)
    extension(FakeExtension)

    val cpu = Devices.cpu()
    val device by lazy { Devices.device(DeviceType.EXT_DEV, 0) }
    val fake by lazy { device.let { FakeDevice.of(DeviceType.EXT_DEV, 0) } }

    fun RecordBatch.rows(): List<Long> = copyTo(cpu).use {
        it.synchronize()
        it.column("n").toLongArray().toList()
    }

    fun batch(): RecordBatch = BatchBuilder.of(cpu, 4).use { it.int64("n", longArrayOf(1, 2, 3, 4)).build() }

    for ((name, wrapped) in listOf<Pair<String, (MemoryManager) -> MemoryManager>>(
        "plain" to { it },
        "metered" to { it.metered() },
        "limited" to { it.limited(BLOCK) },
        "guarded" to { memory -> memory.withOutOfMemoryHandler { _, _ -> false } },
        "pooled" to { MemoryPool.of(it, 1 shl 20) },
    )) test("$name memory of a stream: copies of other streams wait for work that still uses the block [DEV-31]") {
        OneBlock(device).use { blocks ->
            device.createStream().use { owner ->
                device.createStream().use { other ->
                    val memory = wrapped(MemoryManager.of(owner, blocks))
                    fake.hold()
                    fake.launch(owner, blocks.address, BLOCK) { it.fill(0x77) } // the block's earlier user
                    val there = batch().use { it.copyTo(memory, other) }
                    while (fake.step(other)) Unit
                    there.isReady shouldBe false
                    fake.release()
                    there.use { it.rows() } shouldContainExactly listOf(1L, 2L, 3L, 4L)
                    other.synchronize()
                    (memory as? AutoCloseable)?.close()
                }
            }
            eventually("the block is freed") { blocks.calls.last() == "free" }
        }
    }

    test("memory of a stream is freed while that stream uses it, and after the work of other streams [DEV-31]") {
        OneBlock(device).use { blocks ->
            device.createStream().use { owner ->
                device.createStream().use { other ->
                    val memory = MemoryManager.of(owner, blocks)
                    fake.hold()
                    memory.allocate(100).use { fake.launch(owner, it.address(), 100) { bytes -> bytes.fill(1) } }
                    blocks.calls shouldContainExactly listOf("allocate", "free")
                    val target = memory.allocate(64)
                    device.allocate(64).use { other.copy(it, target) }
                    target.close()
                    blocks.calls.size shouldBe 3
                    fake.release()
                    eventually("the copy's target is freed") { blocks.calls.size == 4 }
                }
            }
        }
    }

    test("memory of a stream outlives the stream, which then serves no more") {
        OneBlock(device).use { blocks ->
            val stream = device.createStream()
            val memory = MemoryManager.of(stream, blocks)
            val there = batch().use { it.copyTo(memory, stream) }
            stream.close()
            there.use { it.rows() } shouldContainExactly listOf(1L, 2L, 3L, 4L)
            shouldThrow<IllegalStateException> { memory.allocate(8) }.message shouldBe "the stream was closed"
            eventually("the block is freed") { blocks.calls.last() == "free" }
        }
    }

    test("memory that the CPU accesses cannot be in the order of a stream, for which the CPU does not wait") {
        val allocator = object : MemoryAllocator {
            override fun isCpuAccessible() = true

            override fun allocate(bytes: Long, alignment: Long) = error("not called")

            override fun free(address: Long, bytes: Long) = error("not called")
        }
        device.createStream().use { stream ->
            withClue("the message names the stream and the remedy") {
                shouldThrow<IllegalArgumentException> { MemoryManager.of(stream, allocator) }.message.run {
                    this shouldContain "cannot be in the order of the stream of EXT_DEV:0"
                    this shouldContain "return false from isCpuAccessible()"
                }
            }
        }
    }
})
