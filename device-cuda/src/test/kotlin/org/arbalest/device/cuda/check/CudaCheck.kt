// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda.check

import org.arbalest.coroutines.await
import org.arbalest.device.DeviceType
import org.arbalest.device.SyncEvent
import org.arbalest.device.cuda.CudaBooleansSpec
import org.arbalest.device.cuda.CudaContentSoakSpec
import org.arbalest.device.cuda.CudaContractSpec
import org.arbalest.device.cuda.CudaCopy
import org.arbalest.device.cuda.CudaCopySoakSpec
import org.arbalest.device.cuda.CudaDriverSpec
import org.arbalest.device.cuda.CudaEvents
import org.arbalest.device.cuda.CudaHostContractSpec
import org.arbalest.device.cuda.CudaKernelEngineSpec
import org.arbalest.device.cuda.CudaManagedContractSpec
import org.arbalest.device.cuda.CudaProcessesSoakSpec
import org.arbalest.support.check.CheckedGpu
import org.arbalest.support.check.CheckedSpec
import org.arbalest.support.check.RawGpu
import org.arbalest.support.check.gpuCheck
import org.arbalest.support.gpu.CudaDouble
import org.arbalest.support.gpu.GpuDouble
import kotlin.reflect.KClass
import kotlin.system.exitProcess

/** The check that Arbalest works with this machine's NVIDIA GPU and driver. */
object CudaCheck : CheckedGpu {
    override val name: String get() = "cuda"
    override val maker: String get() = "NVIDIA"
    override val types: List<DeviceType> get() = listOf(DeviceType.CUDA, DeviceType.CUDA_HOST, DeviceType.CUDA_MANAGED)
    override val double: GpuDouble get() = CudaDouble
    override val driverProperty: String get() = "arbalest.cuda"
    override val specs: List<CheckedSpec>
        get() = listOf(
            CheckedSpec("contract, GPU memory", CudaContractSpec::class, DeviceType.CUDA, 60),
            CheckedSpec("contract, pinned memory", CudaHostContractSpec::class, DeviceType.CUDA_HOST, 60),
            CheckedSpec("contract, managed memory", CudaManagedContractSpec::class, DeviceType.CUDA_MANAGED, 60),
            CheckedSpec("contract, GPUs", CudaDriverSpec::class, DeviceType.CUDA, 90),
            CheckedSpec("contract, copies", CudaCopySoakSpec::class, DeviceType.CUDA, 60),
            CheckedSpec("contract, contents", CudaContentSoakSpec::class, DeviceType.CUDA, 60),
            CheckedSpec("contract, processes", CudaProcessesSoakSpec::class, DeviceType.CUDA, 60),
            CheckedSpec("a kernel: booleans converted", CudaBooleansSpec::class, DeviceType.CUDA, 60),
            CheckedSpec("a kernel: flights counted", CudaKernelEngineSpec::class, DeviceType.CUDA, 60),
            CheckedSpec("Python", CudaInPython::class, DeviceType.CUDA, 90, isInPython = true),
        )
    override val benchmarks: List<KClass<*>> get() = listOf(CudaCopy::class, CudaEvents::class)
    override val program: KClass<*> get() = CudaCheck::class
    private val calls by lazy { RawCuda() }

    override fun raw(): RawGpu = calls

    override suspend fun await(event: SyncEvent): Unit = event.await()

    @JvmStatic
    fun main(args: Array<String>): Unit = exitProcess(gpuCheck(this, args))
}
