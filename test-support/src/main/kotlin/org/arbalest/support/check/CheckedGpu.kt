// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import org.arbalest.device.DeviceType
import org.arbalest.device.SyncEvent
import org.arbalest.support.gpu.GpuDouble
import kotlin.reflect.KClass

/**
 * What a backend says of itself so that [gpuCheck] can tell whether a machine's GPU and its driver do what the backend
 * needs. All but the calls of the runtime is shared.
 */
interface CheckedGpu {
    /** The runtime, in lower case: `cuda`. */
    val name: String

    /** Whose GPUs these are, for people. */
    val maker: String

    /** A GPU's own kind of memory, then pinned memory. */
    val types: List<DeviceType>

    /** The runtime in software, with which the check proves itself. */
    val double: GpuDouble

    /** The system property that says `driver` where specs are to run on a driver. */
    val driverProperty: String

    /** What is run as tests, in this order. */
    val specs: List<CheckedSpec>

    /** JMH's classes. */
    val benchmarks: List<KClass<*>>

    /** An object whose `main` calls [gpuCheck] with this. */
    val program: KClass<*>

    /** The runtime's own calls, for the first GPU; asked for once in a process, when the library is there. */
    fun raw(): RawGpu

    /** Suspends until an event is over, as users of coroutines do. */
    suspend fun await(event: SyncEvent)
}

/**
 * A spec of the check's.
 *
 * @property name for people
 * @property spec its class
 * @property needs the kind of device without which it cannot run
 * @property seconds what it may take on a GPU
 */
class CheckedSpec(val name: String, val spec: KClass<*>, val needs: DeviceType, val seconds: Long)

/**
 * A runtime's own calls, on one GPU, without anything of ours between. Each throws an [IllegalStateException] with its
 * name and code if it fails.
 */
interface RawGpu {
    /** What copies, as the runtime calls it. */
    val copyCall: String

    /** What a thread waits by. */
    val waitCall: String

    /** The GPU, as its driver names it. */
    val deviceName: String

    /** The driver and the runtime, with their versions. */
    val driver: String

    /** The GPU's memory, in bytes. */
    val memory: Long

    /** Makes the GPU the calling thread's, for as long as that lives. */
    fun enter()

    /** Queues a copy. */
    fun copy(to: Long, from: Long, bytes: Long, stream: Long)

    /**
     * Makes an event whose waiters sleep, as Arbalest's do: what is compared are copies and waits, not sleeping and
     * spinning.
     */
    fun createEvent(): Long

    /** Destroys it. */
    fun destroyEvent(event: Long)

    /** Queues that an event happens. */
    fun record(event: Long, stream: Long)

    /** Blocks until it has happened. */
    fun await(event: Long)
}
