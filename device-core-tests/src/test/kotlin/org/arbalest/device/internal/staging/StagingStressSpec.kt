// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.staging

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceStream
import org.arbalest.device.Devices
import org.arbalest.device.support.StagedGpu
import org.arbalest.device.support.StagedGpu.Companion.fill
import org.arbalest.device.support.StagedGpu.Companion.matches
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.fake.FakeCall
import org.arbalest.support.fake.FakeExtension
import org.arbalest.testkit.contract.eventually
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger
import kotlin.random.Random

/** Tests of copies through pinned memory, in every order in which a device may run them. */
class StagingStressSpec : FunSpec({
    extension(StagedGpu.kept)
    extension(ResourceCountersExtension)
    extension(FakeExtension)

    val gpu by lazy { StagedGpu(0) }
    val fake by lazy { gpu.fake }

    /**
     * A stream, and buffers of one size that only this stream uses. [content] is the expected content of each buffer,
     * or null after a failed copy into it.
     */
    class Chain(val size: Long, seed: Int) : AutoCloseable {
        val stream: DeviceStream = gpu.device.createStream()
        val buffers: List<DeviceBuffer> = listOf(Devices.cpu().memory(), gpu.device.memory(), Devices.cpu().memory(),
            gpu.device.memory(), gpu.pinned, Devices.cpu().memory())
            .map { it.allocate(size) }
        val content: Array<Int?> = Array(buffers.size) { null }

        init {
            for (i in buffers.indices) if (buffers[i].isCpuAccessible) {
                content[i] = seed + i
                buffers[i].fill(size, seed + i)
            }
        }

        fun copy(random: Random) {
            val from = random.nextInt(buffers.size)
            val to = (from + random.nextInt(1, buffers.size)) % buffers.size
            val what = content[from]
            content[to] = null
            try {
                stream.copy(buffers[from], buffers[to])
                content[to] = what
            } catch (_: DeviceException) {
                // the test requested this failure
            }
        }

        /** Returns the index of the first buffer with wrong content. */
        fun wrong(): Int? = buffers.indices.firstOrNull { i ->
            val what = content[i]
            what != null && !(if (buffers[i].isCpuAccessible) buffers[i].matches(size, what)
            else gpu.matches(buffers[i], size, what))
        }

        override fun close() {
            stream.close()
            buffers.forEach(DeviceBuffer::close)
        }
    }

    fun size(random: Random): Long = when (random.nextInt(400)) {
        0 -> random.nextLong(2 * Staging.LARGE, 4 * Staging.LARGE)
        in 1..20 -> random.nextLong(Staging.SMALL - 100, Staging.SMALL + 100)
        else -> random.nextLong(1, 300)
    }

    test("three thousand random programs copy correctly when one thread runs the commands in any order [DEV-40]") {
        repeat(3_000) { seed ->
            val random = Random(seed)
            if (seed % 10 == 0) eventually("all slots are released before seed $seed") { gpu.staging.inUse() == 0 }
            fake.interleave(seed)
            val others = if (seed % 10 == 0) gpu.device.createStream() else null
            val gate = others?.let(gpu::gate)
            val held = others?.let { gpu.occupy(it, Staging.MOST_SMALL - random.nextInt(4)) }
            val chains = List(3) { Chain(size(random), 10 * it) }
            repeat(random.nextInt(5, 40)) {
                val chain = chains[random.nextInt(chains.size)]
                when (random.nextInt(20)) {
                    in 0..11 -> chain.copy(random)
                    in 12..15 -> fake.stepAny(random)
                    16 -> runCatching { chain.stream.record().use(chains[random.nextInt(chains.size)].stream::waitFor) }
                    17, 18 -> chain.stream.synchronize()
                    else -> if (seed % 3 == 0) fake.failCallNumber(random.nextInt(1, 6))
                }
            }
            fake.failCallNumber(Int.MAX_VALUE)
            gate?.complete()
            chains.forEach { it.stream.synchronize() }
            fake.release()
            withClue("seed $seed, of ${chains.map { it.size }} bytes") {
                chains.map { it.wrong() } shouldBe List(3) { null }
                fake.violations() shouldBe listOf()
            }
            chains.forEach(Chain::close)
            others?.close()
            held?.forEach(DeviceBuffer::close)
        }
    }

    test("four threads with failing calls on a device that steps at random never share a slot [DEV-40]") {
        val wrong = ConcurrentLinkedQueue<String>()
        val left = AtomicInteger(4)
        fake.hold()
        val devices = List(2) { seed ->
            Thread.ofPlatform().start {
                val random = Random(seed)
                while (left.get() > 0) if (!fake.stepAny(random)) Thread.onSpinWait()
            }
        }
        val shared = gpu.device.createStream()
        val threads = List(4) { number ->
            Thread.ofPlatform().start {
                try {
                    val random = Random(100 + number)
                    repeat(400) { round ->
                        Chain(size(random), 1000 * number + round).use { chain ->
                            repeat(random.nextInt(3, 20)) {
                                if (number == 3 && random.nextInt(30) == 0)
                                    fake.failCall(COPYING.random(random), random.nextInt(1, 4))
                                chain.copy(random)
                                if (number < 2) {
                                    chain.stream.synchronize()
                                    shared.copy(chain.buffers[0], chain.buffers[1])
                                    shared.synchronize()
                                    chain.content[1] = chain.content[0]
                                }
                            }
                            chain.stream.synchronize()
                            chain.wrong()?.let {
                                wrong += "thread $number, round $round, ${chain.size} bytes: buffer $it"
                            }
                        }
                    }
                } catch (e: DeviceException) {
                    if ("FAKE_DEVICE_LOST" !in e.message!! && "FAKE_OUT_OF_MEMORY" !in e.message!!) wrong += "$e"
                } catch (t: Throwable) {
                    wrong += t.stackTraceToString()
                } finally {
                    left.decrementAndGet()
                }
            }
        }
        threads.forEach { it.join() }
        devices.forEach { it.join() }
        COPYING.forEach { fake.failCall(it, Int.MAX_VALUE) }
        fake.release()
        shared.close()
        wrong.toList() shouldBe listOf()
    }
})

/** The calls that may fail while another thread creates its buffers. */
private val COPYING = listOf(FakeCall.COPY, FakeCall.RUN_ON_HOST, FakeCall.WAIT)
