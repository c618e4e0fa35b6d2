package org.arbalest.samples

import org.arbalest.device.abi.DeviceType
import kotlin.system.exitProcess

/** [Kernel.kt]'s job on the first GPU of NVIDIA's: the kernel is PTX, which the driver translates, and is launched by JCuda. */
fun main(args: Array<String>): Unit = exitProcess(runKernel(args, DeviceType.CUDA, ::CudaHistogram))
