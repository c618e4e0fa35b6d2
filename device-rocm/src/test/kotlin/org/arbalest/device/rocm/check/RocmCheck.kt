// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm.check

import org.arbalest.coroutines.await
import org.arbalest.device.DeviceType
import org.arbalest.device.SyncEvent
import org.arbalest.device.rocm.RocmContractSpec
import org.arbalest.device.rocm.RocmCopy
import org.arbalest.device.rocm.RocmCopySoakSpec
import org.arbalest.device.rocm.RocmDriverSpec
import org.arbalest.device.rocm.RocmEvents
import org.arbalest.device.rocm.RocmHostContractSpec
import org.arbalest.support.check.CheckedGpu
import org.arbalest.support.check.CheckedSpec
import org.arbalest.support.check.RawGpu
import org.arbalest.support.check.gpuCheck
import org.arbalest.support.gpu.GpuDouble
import org.arbalest.support.gpu.HipDouble
import kotlin.reflect.KClass
import kotlin.system.exitProcess

/** The check that Arbalest works with this machine's AMD GPU and runtime. */
object RocmCheck : CheckedGpu {
    override val name: String get() = "rocm"
    override val maker: String get() = "AMD"
    override val types: List<DeviceType> get() = listOf(DeviceType.ROCM, DeviceType.ROCM_HOST)
    override val double: GpuDouble get() = HipDouble
    override val driverProperty: String get() = "arbalest.rocm"
    override val specs: List<CheckedSpec>
        get() = listOf(
            CheckedSpec("contract, GPU memory", RocmContractSpec::class, DeviceType.ROCM, 60),
            CheckedSpec("contract, pinned memory", RocmHostContractSpec::class, DeviceType.ROCM_HOST, 60),
            CheckedSpec("contract, GPUs", RocmDriverSpec::class, DeviceType.ROCM, 90),
            CheckedSpec("contract, copies", RocmCopySoakSpec::class, DeviceType.ROCM, 60),
        )
    override val benchmarks: List<KClass<*>> get() = listOf(RocmCopy::class, RocmEvents::class)
    override val program: KClass<*> get() = RocmCheck::class
    private val calls by lazy { RawHip() }

    override fun raw(): RawGpu = calls

    override suspend fun await(event: SyncEvent): Unit = event.await()

    @JvmStatic
    fun main(args: Array<String>): Unit = exitProcess(gpuCheck(this, args))
}
