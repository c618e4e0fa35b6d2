// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import org.arbalest.device.DeviceType
import org.arbalest.device.SyncEvent
import org.arbalest.support.gpu.GpuDouble
import kotlin.reflect.KClass

/**
 * A backend's part of [gpuCheck], which checks whether a machine's GPU and driver do what the backend needs. Everything
 * except the calls of the runtime is shared.
 */
interface CheckedGpu {
    /** The runtime, in lower case: `cuda`. */
    val name: String

    /** The maker of these GPUs, for display. */
    val maker: String

    /** The type of a GPU's own memory, then the type of pinned memory. */
    val types: List<DeviceType>

    /** The simulator of the runtime, on which the check is tested. */
    val double: GpuDouble

    /** The name of the system property that has the value `driver` when specs run on a driver. */
    val driverProperty: String

    /** The specs that run as tests, in this order. */
    val specs: List<CheckedSpec>

    /** The JMH classes. */
    val benchmarks: List<KClass<*>>

    /** An object whose `main` calls [gpuCheck] with this backend. */
    val program: KClass<*>

    /** Returns the runtime's own calls, for the first GPU. Called once in a process, if the library is available. */
    fun raw(): RawGpu

    /** Suspends until an event is complete, like users of coroutines. */
    suspend fun await(event: SyncEvent)
}

/**
 * A spec of the check.
 *
 * @property name for display
 * @property spec its class
 * @property needs the type of the device that it requires
 * @property seconds its time limit on a GPU, in seconds
 * @property isInPython whether a Python program starts its process, so that both are in one process
 */
class CheckedSpec(
    val name: String,
    val spec: KClass<*>,
    val needs: DeviceType,
    val seconds: Long,
    val isInPython: Boolean = false,
)

/**
 * A runtime's own calls, on one GPU, without Arbalest. Each throws an [IllegalStateException] with its name and code if
 * it fails.
 */
interface RawGpu {
    /** The runtime's name of its copy function. */
    val copyCall: String

    /** The runtime's name of its wait function. */
    val waitCall: String

    /** The driver's name of the GPU. */
    val deviceName: String

    /** The names and versions of the driver and the runtime. */
    val driver: String

    /** The size of the GPU's memory, in bytes. */
    val memory: Long

    /** Makes the GPU current on the calling thread, until the thread ends. */
    fun enter()

    /** Queues a copy. */
    fun copy(to: Long, from: Long, bytes: Long, stream: Long)

    /**
     * Creates an event whose waiters sleep, like Arbalest's events. The comparison is between copies and waits, not
     * between sleeping and spinning.
     */
    fun createEvent(): Long

    /** Destroys an event. */
    fun destroyEvent(event: Long)

    /** Queues the recording of an event. */
    fun record(event: Long, stream: Long)

    /** Blocks until an event is complete. */
    fun await(event: Long)
}
