// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.contract

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.funSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotBeBlank
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.DeviceException
import org.arbalest.device.SyncEvent
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CountDownLatch
import java.util.concurrent.ExecutionException
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicInteger

internal fun eventContract(backend: Backend): TestFactory = funSpec {
    val device by lazy { backend.device }

    fun SyncEvent.future(): CompletableFuture<*> = onReady().toCompletableFuture()

    test("event: every kind of wait for a completed event returns immediately") {
        device.createStream().use { stream ->
            stream.record().use { event ->
                event.synchronize()
                event.isReady shouldBe true
                event.synchronize(Duration.ZERO) shouldBe true
                event.future().isDone shouldBe true
                event.device() shouldBe device
                stream.waitFor(event)
            }
        }
    }

    test("a thread, a thread with a limit and a stage wait for a pending event, and each is notified once [DEV-06]") {
        device.createStream().use { stream ->
            backend.held(stream) { gate ->
                if (gate != null) {
                    val event = stream.record()
                    event.isReady shouldBe false
                    event.synchronize(Duration.ofNanos(1)) shouldBe false
                    event.synchronize(Duration.ofSeconds(-5)) shouldBe false
                    val calls = AtomicInteger()
                    val stages = List(3) {
                        event.onReady().whenComplete { _, _ -> calls.incrementAndGet() }.toCompletableFuture()
                    }
                    val started = CountDownLatch(3)
                    val results = java.util.concurrent.ConcurrentLinkedQueue<Boolean>()
                    val threads = listOf(Thread.ofPlatform(), Thread.ofVirtual()).map { builder ->
                        builder.start { started.countDown().also { event.synchronize() }.also { results += true } }
                    } + Thread.ofPlatform().start {
                        started.countDown().also { results += event.synchronize(Duration.ofSeconds(5)) }
                    }
                    started.await()
                    stages.any { it.isDone } shouldBe false
                    results.isEmpty() shouldBe true
                    gate.open()
                    stages.forEach { it.get(5, SECONDS) }
                    threads.forEach { it.join() }
                    results.toList() shouldContainExactly listOf(true, true, true)
                    calls.get() shouldBe 3
                    event.isReady shouldBe true
                    event.close()
                }
            }
        }
    }

    test("event: a closed handle cannot be used, but its stages still complete") {
        device.createStream().use { stream ->
            backend.held(stream) { gate ->
                val event = stream.record()
                val stage = event.future()
                event.close()
                event.close()
                if (gate != null) {
                    for (use in listOf<() -> Unit>(
                        { event.isReady },
                        { event.synchronize() },
                        { event.onReady() },
                        { event.handle() },
                        { stream.waitFor(event) },
                    )) {
                        shouldThrow<IllegalStateException> { use() }.message shouldContain "closed"
                    }
                }
                gate?.open()
                stage.get(5, SECONDS)
            }
        }
    }

    test("event: a cancelled wait does not affect the work") {
        device.createStream().use { stream ->
            backend.held(stream) { gate ->
                stream.record().use { event ->
                    val given = event.future()
                    val kept = event.future()
                    given.cancel(true)
                    gate?.open()
                    kept.get(5, SECONDS)
                }
                eventually("the cancelled wait ends") { Held.now().waits() == 0L }
            }
        }
    }

    test("failed work fails every kind of wait, with an errno and the reason [DEV-14]") {
        device.createStream().use { stream ->
            backend.held(stream) { gate ->
                if (gate != null) {
                    val event = stream.record()
                    val early = event.future()
                    if (gate.fail()) {
                        val failures = listOf<() -> Unit>(
                            { event.synchronize() }, { event.isReady }, { event.synchronize(Duration.ofSeconds(5)) },
                            {
                                Thread.ofVirtual().start { runCatching { event.synchronize() } }.join()
                                    .also { event.synchronize() }
                            },
                        ).map { shouldThrow<DeviceException> { it() } }
                        val staged = listOf(early, event.future()).map {
                            shouldThrow<ExecutionException> { it.get(5, SECONDS) }
                                .cause.shouldBeInstanceOf<DeviceException>()
                        }
                        for (failure in failures + staged) {
                            (failure.errno() != 0) shouldBe true
                            failure.message.orEmpty().shouldNotBeBlank()
                            failure.message shouldContain device.toString()
                        }
                    } else {
                        early.get(5, SECONDS)
                    }
                    event.close()
                }
            }
        }
    }

    test("a wait for an array whose copy failed throws the failure, and the array is freed [DEV-14]") {
        device.createStream().use { stream ->
            numbers(100).use { source ->
                backend.held(stream) { gate ->
                    source.copyTo(device, stream).use { there ->
                        if (gate?.fail() == true) {
                            shouldThrow<DeviceException> { there.synchronize() }
                            shouldThrow<DeviceException> { there.isReady }
                        }
                    }
                }
            }
        }
    }

    test("event: two thousand events of many streams complete once each, and are released") {
        val streams = List(8) { device.createStream() }
        val calls = AtomicInteger()
        val stages = List(2000) { i ->
            streams[i % 8].record().use { event ->
                event.onReady().thenRun { calls.incrementAndGet() }.toCompletableFuture()
            }
        }
        CompletableFuture.allOf(*stages.toTypedArray()).get(5, SECONDS)
        calls.get() shouldBe 2000
        streams.forEach { it.close() }
    }
}
