// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeLessThanOrEqualTo
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import kotlinx.coroutines.CoroutineStart.UNDISPATCHED
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceStream
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.fake.FakeDevice
import org.arbalest.support.fake.FakeExtension
import org.arbalest.testkit.contract.Held
import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicInteger

class AwaitSpec : FunSpec({
    extension(ResourceCountersExtension)
    extension(FakeExtension)

    val cpu = Devices.cpu()
    val device by lazy { Devices.device(DeviceType.EXT_DEV, 0) }
    val fake by lazy { device.let { FakeDevice.of(DeviceType.EXT_DEV, 0) } }

    suspend fun held(block: suspend (DeviceStream) -> Unit) = device.createStream().use { stream ->
        fake.hold()
        try {
            block(stream)
        } finally {
            fake.release()
        }
    }

    test("await does not suspend when the event has completed [DEV-06]") {
        device.createStream().use { stream ->
            stream.record().use { event ->
                coroutineScope { launch(start = UNDISPATCHED) { event.await() }.isCompleted shouldBe true }
                event.close()
                event.await() // works on a closed event, because its completion is already known
            }
        }
    }

    test("await frees the thread, and the coroutine resumes in its own dispatcher [DEV-06]") {
        held { stream ->
            Executors.newSingleThreadExecutor { Thread(it, "only") }.asCoroutineDispatcher().use { only ->
                withContext(only) {
                    stream.record().use { event ->
                        val order = mutableListOf<String>()
                        val waiting = launch(start = UNDISPATCHED) {
                            event.await()
                            order += Thread.currentThread().name
                        }
                        order += "the thread is free"
                        fake.release()
                        waiting.join()
                        order.map { it.substringBefore(" @") } shouldBe listOf("the thread is free", "only")
                    }
                }
            }
        }
    }

    test("cancelling await ends the wait immediately and does not stop the device's work [DEV-06]") {
        held { stream ->
            cpu.batch(rows = 3) { int64("n", longArrayOf(1, 2, 3)) }.use { source ->
                source.copyTo(device, stream).use { there ->
                    coroutineScope {
                        val waiting = launch(start = UNDISPATCHED) { there.await() }
                        waiting.isCompleted shouldBe false
                        waiting.cancelAndJoin()
                    }
                    Held.now().waits() shouldBe 2 // the cancelled wait, and the wait of the copy for its source
                    fake.release()
                    there.await()
                    there.copyTo(cpu, stream).use {
                        it.await()
                        it["n"].longs().toList() shouldBe listOf(1L, 2L, 3L)
                    }
                }
            }
        }
    }

    test("await throws the error of failed device work with errno and reason [DEV-14]") {
        held { stream ->
            fake.failNextCommand()
            val there = cpu.batch(rows = 1) { int64("n", longArrayOf(1)) }.use { it.copyTo(device, stream) }
            coroutineScope {
                val waiting = async(start = UNDISPATCHED) { runCatching { there.await() }.exceptionOrNull() }
                fake.release()
                for (error in listOf(waiting.await(), shouldThrow<DeviceException> { there.await() })) {
                    (error as DeviceException).errno() shouldBe Errno.EIO
                    error.message shouldContain "a command on EXT_DEV:0 failed: FAKE_LAUNCH_FAILED (719)"
                }
            }
            there.close()
        }
    }

    test("a batch built for a device has its data there after await") {
        val batch = device.batch(rows = 2) {
            float64("price", doubleArrayOf(1.5, 2.5))
            utf8("symbol") { row -> if (row == 0) "A" else null }
        }
        batch.use {
            it.device() shouldBe device
            it.await()
            it.copyTo(cpu).use { here ->
                here.await()
                here["price"].doubles().toList() shouldBe listOf(1.5, 2.5)
                here["symbol"].strings().toList() shouldBe listOf("A", null)
            }
        }
    }

    test("one library thread awaits 10,000 events at once, and half of the waits are cancelled") {
        held { stream ->
            val done = AtomicInteger()
            runBlocking(Dispatchers.Default) {
                val waits = List(10_000) {
                    val event = stream.record()
                    async(start = UNDISPATCHED) {
                        event.use { it.await() }
                        done.incrementAndGet()
                    }
                }
                Held.now().waits() shouldBe 10_000
                Thread.getAllStackTraces().keys.count { it.name.startsWith("arbalest-") } shouldBeLessThanOrEqualTo 2
                waits.filterIndexed { i, _ -> i % 2 == 0 }.forEach { it.cancel() }
                done.get() shouldBe 0
                fake.release()
                waits.filterIndexed { i, _ -> i % 2 == 1 }.awaitAll()
            }
            done.get() shouldBe 5_000
        }
    }
})
