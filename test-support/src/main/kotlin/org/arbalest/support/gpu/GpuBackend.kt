// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.gpu

import org.arbalest.device.Availability
import org.arbalest.device.Device
import org.arbalest.device.DeviceStream
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.testkit.contract.Gate
import kotlin.reflect.KClass

/** A backend of GPUs, whose kinds of memory are devices of their own, on a double that has two GPUs, or on a driver. */
interface GpuBackend : StagingBackend {
    /** A GPU's own kind of memory, then those that the CPU reads, too: first pinned memory. */
    val types: List<DeviceType>

    /** What the runtime calls what it does. */
    val words: GpuWords

    /** What the names of the backend's threads begin with: one frees, one for each GPU asks for events. */
    val threads: String

    /** An object whose `main` calls [gpuProgram] with this backend, for what needs a process of its own. */
    val program: KClass<*>

    /** The options of the JVM that [program] runs in. */
    val options: List<String> get() = emptyList()

    /** Whether the first GPU's memory is from a pool. */
    fun hasPool(): Boolean

    /** Whether an event goes to another process with its array. */
    val sharesEvents: Boolean get() = true

    /** What sharing an array calls that is not ready, and can fail. */
    val sharingCalls: List<String>

    /** What opening and closing an array of another process calls. */
    val openingCalls: List<String>

    /** What allocating memory calls that can be shared. */
    val shareableCalls: List<String>

    /**
     * Whether shared memory stays for whoever has it open, though the process is gone that shared it, or has freed it.
     */
    val isSharedForGood: Boolean get() = false

    /** The variable by which a process sees some of the machine's GPUs only, in another order. */
    val visibility: String

    /** Returns how many of a kind the backend, its gates included, keeps until the process ends. */
    fun kept(what: GpuDouble.Live): Long

    /** Has GPUs that are opened from now on use pools, where that is not their way anyhow. */
    fun requestPools() {}

    override fun trim(): Unit = types.forEach { type ->
        gpus.indices.forEach { Devices.device(type, it.toLong()).memory().trim() }
    }

    /** Whether the runtime's library, a real one, is there before the double is loaded. */
    fun isInstalled(): Boolean

    override fun gate(stream: DeviceStream): Gate

    /** One of the GPUs, by its own memory; a double has two. */
    fun gpu(ordinal: Int): Device = Devices.device(types[0], ordinal.toLong())

    /** All GPUs that there are. */
    val gpus: List<Device> get() = List((Devices.availability(types[0]) as Availability.Ready).devices(), ::gpu)
}

/**
 * What a runtime calls things, as errors quote it.
 *
 * @property allocation the function that a GPU's memory comes from, with pools
 * @property plainAllocation the same without pools
 * @property plainFree what gives that back
 * @property frees all functions that give something back, [plainFree] too
 * @property query the function that asks for an event
 * @property current the function that begins to make a GPU current for a thread
 * @property address the function that asks for an address
 * @property outOfMemory the name and number of the code for it
 * @property illegalAddress that for a GPU that has died of it
 * @property noDevice that for a runtime without a GPU
 * @property unknown that for the number 999
 * @property pins the functions by which memory of others is pinned
 * @property unpin the function that unpins it
 * @property absent what is said of a runtime that is not installed
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
