// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.gpu

import org.arbalest.device.Availability
import org.arbalest.device.Device
import org.arbalest.device.DeviceStream
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.MemoryManager
import org.arbalest.testkit.contract.Gate
import kotlin.reflect.KClass

/**
 * A backend of GPUs, on a simulator with two GPUs, or on a driver. Each kind of a GPU's memory is a separate device.
 */
interface GpuBackend : StagingBackend {
    /** The type of a GPU's own memory, then the types that the CPU also reads: first pinned memory. */
    val types: List<DeviceType>

    /** The runtime's names for its functions. */
    val words: GpuWords

    /** The beginning of the names of the backend's threads: one frees memory, and one for each GPU queries events. */
    val threads: String

    /** An object whose `main` calls [gpuProgram] with this backend, for tests in a separate process. */
    val program: KClass<*>

    /** The options for the JVM of [program]. */
    val options: List<String> get() = emptyList()

    /** Returns whether the first GPU's memory comes from a pool. */
    fun hasPool(): Boolean

    /** Makes what the backend makes once on request, and keeps. */
    fun makeLasting() {}

    /** Returns the memory of arrays that the contract of sharing shares. */
    fun shareable(device: Device): MemoryManager = device.shareableMemory().get()

    /** Whether an event is sent to another process with its array. */
    val sharesEvents: Boolean get() = true

    /** The functions that can fail when an array that is not ready is shared. */
    val sharingCalls: List<String>

    /** The functions that are called when an array of another process is opened and closed. */
    val openingCalls: List<String>

    /** The functions that are called when shareable memory is allocated. */
    val shareableCalls: List<String>

    /**
     * Whether shared memory remains valid for the process that opened it, although the owner has freed it or has ended.
     */
    val isSharedForGood: Boolean get() = false

    /** The environment variable that restricts a process to some of the machine's GPUs, in another order. */
    val visibility: String

    /** Returns how many objects of a kind the backend, its gates included, keeps until the process ends. */
    fun kept(what: GpuDouble.Live): Long

    /** Makes GPUs that are opened from now on use pools, if that is not their default. */
    fun requestPools() {}

    /** Those of the [types] that the GPUs have: managed memory is missing on some. */
    val present: List<DeviceType> get() = types.filter { Devices.availability(it) is Availability.Ready }

    override fun trim(): Unit = present.forEach { type ->
        gpus.indices.forEach { Devices.device(type, it.toLong()).memory().trim() }
    }

    /** Returns whether a real library of the runtime was installed before the simulator is loaded. */
    fun isInstalled(): Boolean

    override fun gate(stream: DeviceStream): Gate

    /** Returns one of the GPUs, as the device of its own memory; a simulator has two. */
    fun gpu(ordinal: Int): Device = Devices.device(types[0], ordinal.toLong())

    /** All available GPUs. */
    val gpus: List<Device> get() = List((Devices.availability(types[0]) as Availability.Ready).devices(), ::gpu)
}

/**
 * The names of a runtime, in the form of error messages.
 *
 * @property allocation the function that allocates a GPU's memory, with pools
 * @property plainAllocation the function that allocates it without pools
 * @property plainFree the function that frees memory without pools
 * @property frees all functions that release something, [plainFree] included
 * @property query the function that queries an event
 * @property current the first function that is called to make a GPU current on a thread
 * @property address the function that queries an address
 * @property outOfMemory the name and number of the code for too little memory
 * @property illegalAddress the name and number of the code for a GPU that failed at an illegal address
 * @property noDevice the name and number of the code for a runtime without a GPU
 * @property unknown the name and number of the code 999
 * @property pins the functions that pin memory of another owner
 * @property unpin the function that unpins it
 * @property absent the message about a runtime that is not installed
 */
class GpuWords(
    val allocation: String,
    val plainAllocation: String,
    val plainFree: String,
    val frees: List<String>,
    val query: String,
    val current: String,
    val address: String,
    val outOfMemory: String,
    val illegalAddress: String,
    val noDevice: String,
    val unknown: String,
    val absent: String,
    val pins: List<String>,
    val unpin: String,
)
