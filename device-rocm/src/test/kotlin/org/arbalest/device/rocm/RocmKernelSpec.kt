// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceStream
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.gpu.HipDouble
import org.arbalest.testkit.contract.numbers
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.ADDRESS
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.lang.invoke.MethodHandles
import java.lang.invoke.MethodType

/** A user's kernel on a batch of columns, launched by FFM with HIP's own handles, ordinals and addresses. */
class RocmKernelSpec : FunSpec({
    extension(CCompiler.needed)
    extension(HipDouble.extension)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    test("a kernel reads a batch after its event, and the output is an array with its own event") {
        HipDouble.kernel("twice", TwiceOnCpu.address, parameters = 3)
        for (ordinal in 0..1) {
            val device = Devices.device(DeviceType.ROCM, ordinal.toLong())
            val rows = 100_003L
            device.createStream().use { loading ->
                device.createStream().use { computing ->
                    val gate = gates.shut(loading)
                    val batch = numbers(rows.toInt()).use { it.copyTo(device, loading) }
                    val out = device.allocate(8 * rows)
                    computing.waitFor(batch)
                    Raw.onDevice(device.id().toInt()) {
                        launchTwice(computing, batch.column("a").bufferAddress(1), out, rows)
                    }
                    computing.keepAlive(batch)
                    batch.close()
                    val data = ArrayData.of(rows, 0, listOf(null), listOf(ArrayData.of(rows, 0, listOf(null, out))))
                    val result =
                        RecordBatch.of(Schema.of(listOf(Field.of("twice", DataType.INT64))), data, computing)
                    result.isReady shouldBe false
                    val back = result.use { it.copyTo(Devices.cpu(), computing) }
                    gate.open()
                    back.use {
                        it.synchronize()
                        it.column("twice").toLongArray() shouldBe LongArray(rows.toInt()) { row -> 6L * row }
                    }
                }
            }
        }
    }
})

private fun launchTwice(
    stream: DeviceStream,
    from: Long,
    to: DeviceBuffer,
    rows: Long,
): Unit = Arena.ofConfined().use { arena ->
    val out = arena.allocate(ADDRESS)
    val loadData = Raw.function("hipModuleLoadData", ADDRESS, ADDRESS)
    Raw.call(loadData, out, arena.allocateFrom("twice")) shouldBe 0
    val module = out.get(ADDRESS, 0)
    Raw.call(Raw.function("hipModuleGetFunction", ADDRESS, ADDRESS, ADDRESS), out, module,
        arena.allocateFrom("twice")) shouldBe 0
    val function = out.get(ADDRESS, 0)
    val parameters = arena.allocate(ADDRESS, 3)
    listOf(from, to.address(), rows).forEachIndexed { i, value ->
        parameters.setAtIndex(ADDRESS, i.toLong(), arena.allocateFrom(JAVA_LONG, value))
    }
    val launch = Raw.function(
        "hipModuleLaunchKernel", ADDRESS, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT,
        JAVA_LONG, ADDRESS, ADDRESS,
    )
    val blocks = Math.ceilDiv(rows, 256L).toInt()
    Raw.call(launch, function, blocks, 1, 1, 256, 1, 1, 0, stream.handle(), parameters, MemorySegment.NULL) shouldBe 0
    Raw.call(Raw.function("hipModuleUnload", ADDRESS), module) shouldBe 0
}

/** The kernel's computation in Java, for the simulator. */
internal object TwiceOnCpu {
    val address: MemorySegment by lazy {
        val handle = MethodHandles.lookup()
            .findStatic(TwiceOnCpu::class.java, "run", MethodType.methodType(Void.TYPE, MemorySegment::class.java))
        Linker.nativeLinker().upcallStub(handle, FunctionDescriptor.ofVoid(ADDRESS), Arena.global())
    }

    @JvmStatic
    fun run(arguments: MemorySegment) {
        val list = arguments.reinterpret(24)
        fun argument(i: Int): Long = list.getAtIndex(ADDRESS, i.toLong()).reinterpret(8).get(JAVA_LONG, 0)
        val rows = argument(2)
        val from = HipDouble.at(argument(0), 8 * rows)
        val to = HipDouble.at(argument(1), 8 * rows)
        for (row in 0 until rows) to.setAtIndex(JAVA_LONG, row, 2 * from.getAtIndex(JAVA_LONG, row))
    }
}
