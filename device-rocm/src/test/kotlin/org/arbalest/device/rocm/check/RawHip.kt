// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm.check

import org.arbalest.device.rocm.Raw
import org.arbalest.support.check.RawGpu
import java.lang.foreign.Arena
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG

private const val BLOCKING_WITHOUT_TIMES = 3
private const val BY_ADDRESS = 4 // hipMemcpyDefault

/** Direct calls of HIP's functions for the first GPU. */
internal class RawHip : RawGpu {
    private val copyAsync = Raw.function("hipMemcpyAsync", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG)
    private val record = Raw.function("hipEventRecord", JAVA_LONG, JAVA_LONG)
    private val synchronize = Raw.function("hipEventSynchronize", JAVA_LONG)

    override val copyCall: String get() = "hipMemcpyAsync"
    override val waitCall: String get() = "hipEventSynchronize"
    override val deviceName: String
    override val driver: String
    override val memory: Long

    init {
        Arena.ofConfined().use { arena ->
            val out = arena.allocate(256)
            ok("hipDeviceTotalMem", Raw.call(Raw.function("hipDeviceTotalMem", JAVA_LONG, JAVA_INT), out.address(), 0))
            memory = out.get(JAVA_LONG, 0)
            ok("hipRuntimeGetVersion", Raw.call(Raw.function("hipRuntimeGetVersion", JAVA_LONG), out.address()))
            val version = out.get(JAVA_INT, 0)
            driver = "HIP ${version / 10_000_000}.${version / 100_000 % 100}.${version % 100_000}"
            ok(
                "hipDeviceGetName",
                Raw.call(Raw.function("hipDeviceGetName", JAVA_LONG, JAVA_INT, JAVA_INT), out.address(), 256, 0),
            )
            deviceName = out.getString(0)
        }
    }

    override fun enter(): Unit = Raw.setDevice(0)

    override fun copy(to: Long, from: Long, bytes: Long, stream: Long): Unit =
        ok(copyCall, copyAsync.invoke(to, from, bytes, BY_ADDRESS, stream) as Int)

    override fun createEvent(): Long = Arena.ofConfined().use { arena ->
        val out = arena.allocate(JAVA_LONG)
        ok("hipEventCreateWithFlags", Raw.call(Raw.function("hipEventCreateWithFlags", JAVA_LONG, JAVA_INT),
            out.address(), BLOCKING_WITHOUT_TIMES))
        out.get(JAVA_LONG, 0)
    }

    override fun destroyEvent(event: Long): Unit =
        ok("hipEventDestroy", Raw.call(Raw.function("hipEventDestroy", JAVA_LONG), event))

    override fun record(event: Long, stream: Long): Unit = ok("hipEventRecord", record.invoke(event, stream) as Int)

    override fun await(event: Long): Unit = ok(waitCall, synchronize.invoke(event) as Int)

    private fun ok(call: String, code: Int): Unit = check(code == 0) { "$call failed with $code" }
}
