// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.core.extensions.TestCaseExtension
import io.kotest.core.test.TestCase
import io.kotest.engine.test.TestResult
import org.arbalest.device.Device
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Errno
import org.arbalest.device.MemoryAllocator
import org.arbalest.device.MemoryManager
import org.arbalest.support.gpu.CudaDouble
import org.arbalest.support.gpu.gpuProgram
import java.lang.foreign.Arena
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.util.concurrent.ConcurrentHashMap
import kotlin.reflect.KClass

/** A pool of another library, which takes whole units of 2 MiB from the driver by direct calls. */
internal class ForeignPool(private val device: Device, handleTypes: Int) : MemoryAllocator {
    private val allocateAsync = Raw.function("cuMemAllocFromPoolAsync", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG)
    private val freeAsync = Raw.function("cuMemFreeAsync", JAVA_LONG, JAVA_LONG)
    private val synchronize = Raw.function("cuStreamSynchronize", JAVA_LONG)
    private val destroy = Raw.function("cuMemPoolDestroy", JAVA_LONG)

    val pool: Long = Arena.ofConfined().use { arena ->
        val properties = arena.allocate(88, 8)
        listOf(1, handleTypes, 1, device.id().toInt()).forEachIndexed { i, value ->
            properties.setAtIndex(JAVA_INT, i.toLong(), value)
        }
        val out = arena.allocate(JAVA_LONG)
        check(Raw.call(Raw.function("cuMemPoolCreate", JAVA_LONG, JAVA_LONG), out.address(), properties.address()) == 0)
        out.get(JAVA_LONG, 0)
    }

    override fun isCpuAccessible() = false

    override fun alignment(): Long = 256

    override fun allocate(bytes: Long, alignment: Long): Long = Arena.ofConfined().use { arena ->
        val out = arena.allocate(JAVA_LONG)
        val size = (bytes + UNIT - 1) / UNIT * UNIT
        Raw.inContext(device) {
            val code = Raw.call(allocateAsync, out.address(), size, pool, 0L)
            if (code != 0) throw DeviceException(Errno.ENOMEM, "cuMemAllocFromPoolAsync: $code")
            check(Raw.call(synchronize, 0L) == 0)
        }
        out.get(JAVA_LONG, 0)
    }

    override fun free(address: Long, bytes: Long): Unit = Raw.inContext(device) {
        check(Raw.call(freeAsync, address, 0L) == 0)
        check(Raw.call(synchronize, 0L) == 0)
    }

    fun destroy(): Unit = check(Raw.call(destroy, pool) == 0)

    private companion object {
        const val UNIT = 2L shl 20
    }
}

/** A version of CUDA whose driver imports memory of pools. */
private const val IMPORTING = 13_010

/** A backend whose shared arrays are in a pool of another library. The pool has fabric handles. */
internal object PoolBackend : CudaBackend(DeviceType.CUDA) {
    private val pools = ConcurrentHashMap<Device, ForeignPool>()

    /** Makes the driver of this process import memory of pools while tests run. */
    val imports: TestCaseExtension = object : TestCaseExtension {
        override suspend fun intercept(testCase: TestCase, execute: suspend (TestCase) -> TestResult): TestResult {
            CudaDouble.reports(IMPORTING)
            return execute(testCase)
        }
    }

    fun pool(device: Device): ForeignPool =
        pools.computeIfAbsent(device) { ForeignPool(device, CuMap.HANDLE_TYPE_FABRIC) }

    override fun shareable(device: Device): MemoryManager = MemoryManager.of(device, pool(device))

    override val program: KClass<*> get() = CudaPoolProgram::class
    override val sharingCalls: List<String>
        get() = listOf(
            "cuStreamCreate", "cuStreamWaitEvent", "cuEventCreate", "cuEventRecord", "cuPointerGetAttribute",
            "cuMemGetAddressRange", "cuDriverGetVersion", "cuMemPoolExportToShareableHandle", "cuMemPoolExportPointer",
            "cuIpcGetEventHandle",
        )
    override val openingCalls: List<String>
        get() = listOf(
            "cuMemPoolImportFromShareableHandle", "cuMemPoolImportPointer", "cuPointerGetAttribute", "cuMemFree",
            "cuMemPoolDestroy",
        )
}

internal object CudaPoolProgram {
    @JvmStatic
    fun main(args: Array<String>) {
        CudaDouble.reported = IMPORTING
        gpuProgram(PoolBackend, args)
    }
}
