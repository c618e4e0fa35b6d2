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
 * Handles that one thread closes while others use them. Each use works, or reports that the handle is closed. The fake
 * device receives no closed handle.
 */
class DeviceRaceSpec : FunSpec({
    extension(ResourceCountersExtension)
    extension(FakeExtension)

    val cpu = Devices.cpu()
    val device by lazy { Devices.device(DeviceType.EXT_DEV, 0) }
    val fake by lazy { device.let { FakeDevice.of(DeviceType.EXT_DEV, 0) } }

    fun numbers(): RecordBatch = BatchBuilder.of(cpu, 3).use { it.int64("n", longArrayOf(1, 2, 3)).build() }

    /**
     * Runs the actions at the same time, [rounds] times. [make] creates the subject of each round, and one action
     * closes it.
     */
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

    test("one thread can close an event while others query it, wait for it and register callbacks") {
        device.createStream().use { stream ->
            duels<SyncEvent>(3_000, { stream.record() }, { it.close() }, { it.isReady }, { it.onReady() },
                { stream.waitFor(it) })
            duels<SyncEvent>(1_000, { stream.record() }, { it.close() }, { it.close() }, { it.synchronize() })
        }
    }

    test("one thread can close an event while the device completes it") {
        device.createStream().use { stream ->
            duels<SyncEvent>(1_000, { fake.hold().let { stream.record() } }, { it.close() }, { it.onReady() },
                { fake.release() })
        }
    }

    test("one thread can close a stream while others queue work") {
        cpu.allocate(64).use { from ->
            device.allocate(64).use { to ->
                duels<DeviceStream>(2_000, { device.createStream() }, { it.close() }, { it.copy(from, to) },
                    { it.record().close() }, { it.synchronize() })
            }
        }
    }

    test("one thread can close an array while others copy it, keep it alive and wait for it") {
        device.createStream().use { stream ->
            val source = numbers()
            val make = { source.copyTo(device, stream) }
            duels<RecordBatch>(1_000, make, { it.close() }, { it.copyTo(cpu, stream).close() },
                { stream.keepAlive(it) }, { it.onReady() })
            source.close()
        }
    }

    test("random copies of three threads leak nothing, even if some calls fail") {
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
                            // the failure that the test injected
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
