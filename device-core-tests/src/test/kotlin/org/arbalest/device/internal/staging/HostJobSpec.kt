// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.staging

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.util.concurrent.CountDownLatch

/** Copies that a queue leaves to the CPU. The queue may run a job while another thread ends it. */
class HostJobSpec : FunSpec({
    fun job(
        from: MemorySegment,
        to: MemorySegment,
        sizes: Sequence<Long> = generateSequence { from.byteSize() },
    ): HostJob {
        val pieces = CopyList()
        var at = 0L
        for (size in sizes) {
            if (at == from.byteSize()) break
            val bytes = minOf(size, from.byteSize() - at)
            pieces.add(to.address() + at, from.address() + at, bytes)
            at += bytes
        }
        return HostJob(pieces).apply { announceWrites() }
    }

    fun isPending(segment: MemorySegment): Boolean {
        val pieces = CopyList()
        pieces.add(0, segment.address(), segment.byteSize())
        return PendingWrites.touch(pieces).also { pieces.free() }
    }

    test("neither an ended job nor a completed job writes anything when it is run [DEV-40]") {
        Arena.ofConfined().use { arena ->
            val (source, target) = List(2) { arena.allocate(1000) }
            source.fill(1)
            val givenUp = job(source, target)
            isPending(target) shouldBe true
            givenUp.end()
            isPending(target) shouldBe false
            givenUp.run()
            target.get(JAVA_BYTE, 999) shouldBe 0
            val done = job(source, target)
            done.run()
            target.mismatch(source) shouldBe -1
            isPending(target) shouldBe false
            target.fill(0)
            done.run()
            done.end()
            target.get(JAVA_BYTE, 0) shouldBe 0
        }
    }

    test("a job has written all or nothing when end returns, and writes nothing after that [DEV-40]") {
        Arena.ofShared().use { arena ->
            val (source, target) = List(2) { arena.allocate(4000) }
            source.fill(1)
            repeat(500) {
                target.fill(0)
                val job = job(source, target, generateSequence { 100L })
                val start = CountDownLatch(1)
                val queue = Thread.ofPlatform().start { start.await(); job.run() }
                start.countDown()
                job.end()
                val seen = target.toArray(JAVA_BYTE)
                seen.distinct().size shouldBe 1
                queue.join()
                target.toArray(JAVA_BYTE).contentEquals(seen) shouldBe true
            }
            isPending(target) shouldBe false
        }
    }

    test("several threads copy a large job, and end waits for all of them, even if it is interrupted [DEV-40]") {
        Arena.ofShared().use { arena ->
            val (source, target) = List(2) { arena.allocate(24 shl 20) }
            for (i in 0 until source.byteSize() step 97) source.set(JAVA_BYTE, i, (i % 127 + 1).toByte())
            for (end in listOf(0, source.byteSize() - 1)) source.set(JAVA_BYTE, end, 1)
            val job = job(source, target, sequenceOf(1L, 5_000_000, 513 shl 10, 7, 3 shl 20) +
                generateSequence { 9_999_999L })
            val queue = Thread.ofPlatform().start { job.run() }
            while (target.get(JAVA_BYTE, 0) == 0.toByte()) Thread.onSpinWait()
            Thread.currentThread().interrupt()
            job.end()
            // read at once, because a copy in progress would go on during the other checks
            val last = target.get(JAVA_BYTE, target.byteSize() - 1)
            val wasInterrupted = Thread.interrupted()
            queue.join()
            wasInterrupted shouldBe true
            last shouldBe 1
            target.mismatch(source) shouldBe -1
        }
    }
})
