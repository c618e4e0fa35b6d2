// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda.check

import org.arbalest.device.cuda.Raw
import org.arbalest.support.check.RawGpu
import java.io.File
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG

private const val BLOCKING_WITHOUT_TIMES = 3

/** Direct calls of the driver's functions for the first GPU, in its primary context. */
internal class RawCuda : RawGpu {
    private val copyAsync = Raw.function("cuMemcpyAsync", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG)
    private val record = Raw.function("cuEventRecord", JAVA_LONG, JAVA_LONG)
    private val synchronize = Raw.function("cuEventSynchronize", JAVA_LONG)
    private val current = Raw.function("cuCtxGetCurrent", JAVA_LONG)
    private val push = Raw.function("cuCtxPushCurrent_v2", JAVA_LONG)
    private val context: Long

    override val copyCall: String get() = "cuMemcpyAsync"
    override val waitCall: String get() = "cuEventSynchronize"
    override val deviceName: String
    override val driver: String
    override val memory: Long

    init {
        Arena.ofConfined().use { arena ->
            val out = arena.allocate(256)
            ok("cuInit", Raw.call(Raw.function("cuInit", JAVA_INT), 0))
            ok(
                "cuDevicePrimaryCtxRetain",
                Raw.call(Raw.function("cuDevicePrimaryCtxRetain", JAVA_LONG, JAVA_INT), out.address(), 0),
            )
            context = out.get(JAVA_LONG, 0)
            ok("cuDeviceTotalMem", Raw.call(Raw.function("cuDeviceTotalMem_v2", JAVA_LONG, JAVA_INT), out.address(), 0))
            memory = out.get(JAVA_LONG, 0)
            ok("cuDriverGetVersion", Raw.call(Raw.function("cuDriverGetVersion", JAVA_LONG), out.address()))
            val version = out.get(JAVA_INT, 0)
            driver = listOfNotNull(installed(), "CUDA ${version / 1000}.${version % 1000 / 10}").joinToString(", ")
            ok(
                "cuDeviceGetName",
                Raw.call(Raw.function("cuDeviceGetName", JAVA_LONG, JAVA_INT, JAVA_INT), out.address(), 256, 0),
            )
            deviceName = out.getString(0)
        }
    }

    override fun enter(): Unit = Arena.ofConfined().use { arena ->
        val out: MemorySegment = arena.allocate(JAVA_LONG)
        ok("cuCtxGetCurrent", current.invoke(out.address()) as Int)
        if (out.get(JAVA_LONG, 0) != context) ok("cuCtxPushCurrent", push.invoke(context) as Int)
    }

    override fun copy(to: Long, from: Long, bytes: Long, stream: Long): Unit =
        ok(copyCall, copyAsync.invoke(to, from, bytes, stream) as Int)

    override fun createEvent(): Long = Arena.ofConfined().use { arena ->
        val out = arena.allocate(JAVA_LONG)
        ok(
            "cuEventCreate",
            Raw.call(Raw.function("cuEventCreate", JAVA_LONG, JAVA_INT), out.address(), BLOCKING_WITHOUT_TIMES),
        )
        out.get(JAVA_LONG, 0)
    }

    override fun destroyEvent(event: Long): Unit =
        ok("cuEventDestroy", Raw.call(Raw.function("cuEventDestroy_v2", JAVA_LONG), event))

    override fun record(event: Long, stream: Long): Unit = ok("cuEventRecord", record.invoke(event, stream) as Int)

    override fun await(event: Long): Unit = ok(waitCall, synchronize.invoke(event) as Int)

    /**
     * Returns the version of the driver's kernel module. The file's first line is like `NVRM version: NVIDIA UNIX Open
     * Kernel Module for x86_64 580.159.04 …`.
     */
    private fun installed(): String? =
        File("/proc/driver/nvidia/version").takeIf { it.canRead() }?.useLines { lines ->
            Regex("""\d+\.\d+(\.\d+)?""").find(lines.firstOrNull().orEmpty())?.value
        }?.let { "driver $it" }

    private fun ok(call: String, code: Int): Unit = check(code == 0) { "$call failed with $code" }
}
