// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.fake.FakeDevice
import org.arbalest.support.fake.FakeExtension
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.CyclicBarrier
import kotlin.random.Random

/**
 * Handles that one thread closes while others use them: a use works, or says that it came too late; the fake sees no
 * dead handle.
 */
class DeviceRaceSpec : FunSpec({
    extension(ResourceCountersExtension)
    extension(FakeExtension)

    val cpu = Devices.cpu()
    val device by lazy { Devices.device(DeviceType.EXT_DEV, 0) }
    val fake by lazy { device.let { FakeDevice.of(DeviceType.EXT_DEV, 0) } }

    fun numbers(): DeviceArray = BatchBuilder.of(cpu, 3).use { it.int64("n", longArrayOf(1, 2, 3)).build() }

    /** Runs the actions together, over and over; [make] prepares each round, and closes nothing. */
    fun <T> duels(rounds: Int, make: () -> T, vararg actions: (T) -> Unit) {
        val wrong = ConcurrentLinkedQueue<Throwable>()
        val barrier = CyclicBarrier(actions.size)
        var subject: T? = null
        val threads = actions.mapIndexed { i, action ->
            Thread.ofPlatform().start {
                repeat(rounds) {
                    if (i == 0) subject = make()
                    barrier.await()
                    try {
                        action(subject!!)
                    } catch (e: IllegalStateException) {
                        if ("closed" !in e.message!! && "freed" !in e.message!!) wrong += e
                    } catch (t: Throwable) {
                        wrong += t
                    }
                    barrier.await()
                }
            }
        }
        threads.forEach { it.join() }
        wrong.shouldBeEmpty()
    }

    test("an event that is closed while others ask, wait and are told") {
        device.createStream().use { stream ->
            duels<SyncEvent>(3_000, { stream.record() }, { it.close() }, { it.isReady }, { it.onReady() },
                { stream.waitFor(it) })
            duels<SyncEvent>(1_000, { stream.record() }, { it.close() }, { it.close() }, { it.synchronize() })
        }
    }

    test("a held event that is closed while the device completes it") {
        device.createStream().use { stream ->
            duels<SyncEvent>(1_000, { fake.hold().let { stream.record() } }, { it.close() }, { it.onReady() },
                { fake.release() })
        }
    }

    test("a stream that is closed while others queue") {
        cpu.allocate(64).use { from ->
            device.allocate(64).use { to ->
                duels<DeviceStream>(2_000, { device.createStream() }, { it.close() }, { it.copy(from, to) },
                    { it.record().close() }, { it.synchronize() })
            }
        }
    }

    test("an array that is closed while others copy it, keep it and wait for it") {
        device.createStream().use { stream ->
            val source = numbers()
            val make = { source.copyTo(device, stream) }
            duels<DeviceArray>(1_000, make, { it.close() }, { it.copyTo(cpu, stream).close() },
                { stream.keepAlive(it) }, { it.onReady() })
            source.close()
        }
    }

    test("random work of three threads, some of which fails, leaves nothing") {
        numbers().use { source ->
            val failures = ConcurrentLinkedQueue<Throwable>()
            val threads = List(3) { seed ->
                Thread.ofPlatform().start {
                    val random = Random(seed)
                    repeat(1_500) {
                        try {
                            device.createStream().use { stream ->
                                if (random.nextInt(10) == 0) fake.failCallNumber(random.nextInt(1, 8))
                                source.copyTo(device, stream).use { there ->
                                    if (random.nextBoolean()) stream.keepAlive(there)
                                    there.copyTo(if (random.nextBoolean()) cpu else device, stream).use {
                                        if (random.nextBoolean()) it.synchronize()
                                    }
                                }
                            }
                        } catch (_: DeviceException) {
                            // ordered
                        } catch (t: Throwable) {
                            failures += t
                        }
                    }
                }
            }
            threads.forEach { it.join() }
            failures.shouldBeEmpty()
        }
    }
})
