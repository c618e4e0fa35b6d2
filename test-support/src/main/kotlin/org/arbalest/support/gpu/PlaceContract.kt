// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.gpu

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.funSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.Validation
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.ArrowDeviceArrayStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType
import org.arbalest.support.CPeer
import org.arbalest.support.PeerNodes
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_LONG

private val STRUCT =
    Field.of("", NestedType.StructType(listOf(Field.of("a", DataType.INT64), Field.of("b", DataType.INT64))))

/** The contract of imported arrays that are not on the device that they name. */
fun placeContract(backend: GpuBackend): TestFactory = funSpec {
    val device by lazy { backend.gpu(0) }

    /** Returns a batch of two columns with a device of a type, and the given address for each column. */
    fun imported(
        type: DeviceType,
        level: Validation,
        a: Long,
        b: Long,
        rows: Long = 8,
    ): DeviceArray = Arena.ofConfined().use { arena ->
        val (array, struct) = arena.allocate(ArrowArrayStruct.LAYOUT) to arena.allocate(ArrowDeviceArrayStruct.LAYOUT)
        PeerNodes.array(array, length = rows, buffers = 1, children = 2)
        for ((i, address) in listOf(a, b).withIndex()) {
            val child = MemorySegment.ofAddress(RawArrowArray.child(array.address(), i.toLong()))
                .reinterpret(RawArrowArray.SIZE)
            PeerNodes.array(child, length = rows, buffers = 2)
            PeerNodes.setForeignBuffer(child, 1, MemorySegment.ofAddress(address))
        }
        PeerNodes.deviceArray(struct, array, 0, type.code())
        CData.importArray(struct, CImport.DEVICE.schema(STRUCT).validation(level))
    }

    fun refused(type: DeviceType, level: Validation, a: Long, b: Long, words: String) {
        val live = CPeer.counts().arrays
        val error = shouldThrow<DeviceException> { imported(type, level, a, b) }
        error.errno() shouldBe Errno.EINVAL
        error.message shouldBe words
        CPeer.counts().arrays shouldBe live // the producer has its array back
    }

    fun <T> with(vararg buffers: DeviceBuffer, block: (List<Long>) -> T): T {
        try {
            return block(buffers.map { it.address() })
        } finally {
            buffers.forEach { it.close() }
        }
    }

    test("an import rejects a buffer that is not on the array's GPU, with the path, address and places [DEV-27]") {
        val type = backend.types[0]
        with(
            device.allocate(64),
            backend.gpu(1).allocate(64),
            Devices.cpu().allocate(64),
            device.hostMemory().get().allocate(64),
        ) { (here, there, pageable, pinned) ->
            fun hex(address: Long) = "0x" + address.toString(16)
            val on = "but the array is declared on $type:0"
            refused(type, Validation.STRUCTURAL, there, here,
                "$.a: buffers[1]: ${hex(there)} is memory of $type:1, $on")
            refused(type, Validation.STRUCTURAL, pageable, here,
                "$.a: buffers[1]: ${hex(pageable)} is pageable main memory, $on")
            refused(type, Validation.FULL, here, pageable,
                "$.b: buffers[1]: ${hex(pageable)} is pageable main memory, $on")
            // only one address is checked, so that imports remain fast
            imported(type, Validation.STRUCTURAL, here, pageable).close()
            imported(type, Validation.NONE, pageable, pageable).close()
            imported(type, Validation.FULL, pinned, here).close()
            imported(type, Validation.FULL, pageable, pageable, rows = 0).close() // an empty buffer may be anywhere
        }
    }

    test("an import rejects a GPU's own memory in an array of a type that the CPU reads [DEV-27]") {
        for (type in backend.types.drop(1)) {
            with(
                device.allocate(64), Devices.device(type, 0).allocate(64), device.hostMemory().get().allocate(64),
            ) { (there, good, pinned) ->
                val words = "$.a: buffers[1]: 0x${there.toString(16)} is memory of ${backend.types[0]}:0, but the " +
                    "array is declared on $type:0"
                refused(type, Validation.STRUCTURAL, there, good, words)
                imported(type, Validation.FULL, good, pinned).close()
            }
        }
    }

    test("an import queries a buffer's place also during a capture, and accepts a place that is unknown [DEV-27]") {
        with(device.allocate(64)) { (here) ->
            backend.double.capturing { imported(backend.types[0], Validation.FULL, here, here).close() }
            backend.double.fail(backend.words.address, 1, 999)
            imported(backend.types[0], Validation.STRUCTURAL, here, here).close()
            backend.double.failNothing() shouldBe 0
        }
    }

    test("an import rejects an impossible event pointer without querying it [DEV-27]") {
        Arena.ofConfined().use { arena ->
            val (array, struct) = arena.allocate(ArrowArrayStruct.LAYOUT) to
                arena.allocate(ArrowDeviceArrayStruct.LAYOUT)
            val event = arena.allocateFrom(JAVA_LONG, 2)
            PeerNodes.array(array, length = 0, buffers = 2)
            PeerNodes.deviceArray(struct, array, 0, backend.types[0].code(), event)
            val error = shouldThrow<DeviceException> {
                CData.importArray(struct, CImport.DEVICE.schema(Field.of("n", DataType.INT32)))
            }
            error.errno() shouldBe Errno.EINVAL
            error.message shouldContain "its sync_event points to 0x2, which is not an event of $device"
            shouldThrow<DeviceException> { device.adoptEvent(2) }.errno() shouldBe Errno.EINVAL
        }
    }
}
