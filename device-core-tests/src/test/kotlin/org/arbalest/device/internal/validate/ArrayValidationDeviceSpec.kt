// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.validate

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.Validation
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.support.HandLaid
import org.arbalest.device.support.RawArray
import org.arbalest.device.support.SoundArrays
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.support.CCompiler
import org.arbalest.support.PeerNodes
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import org.arbalest.support.fake.FakeCall
import org.arbalest.support.fake.FakeDevice
import org.arbalest.support.fake.FakeExtension
import org.arbalest.testkit.contract.eventually
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.nio.ByteBuffer
import kotlin.concurrent.thread
import kotlin.random.Random

/** Tests of validation of arrays on a device. The CPU cannot reach that memory: any access would end the process. */
class ArrayValidationDeviceSpec : FunSpec({
    extension(CCompiler.needed)
    extension(FakeExtension)
    extension(ResourceCountersExtension)

    val device by lazy { Devices.device(DeviceType.EXT_DEV, 0) }
    val fake by lazy { device.let { FakeDevice.of(DeviceType.EXT_DEV, 0) } }

    /** Copies the array to the device, and passes the completed copy to [use]. */
    fun there(array: RawArray, use: (DeviceArray) -> Unit) = Arena.ofConfined().use { arena ->
        CData.importArray(array.laid(arena), CImport.DATA.schema(array.field)).use { it.copyTo(device) }.use { copy ->
            copy.synchronize()
            fake.reset()
            use(copy)
        }
    }

    /** Passes the same array without its null count. */
    fun uncounted(array: DeviceArray, use: (DeviceArray) -> Unit) = ArrayData.of(array).use { data ->
        DeviceArray.of(array.field(), ArrayData.of(data.length(), -1, data.buffers())).use(use)
    }

    fun raw(
        type: DataType,
        length: Int,
        vararg buffers: ByteBuffer?,
        nulls: Long = 0,
        children: List<RawArray> = listOf(),
        dictionary: RawArray? = null,
        name: String = "a",
    ) =
        RawArray(Field.of(name, type), length, nulls, 0, buffers.toMutableList(), children, dictionary)

    fun refused(array: RawArray, expected: String) = there(array) { copy ->
        copy.validate(Validation.STRUCTURAL)
        fake.copies().shouldBeEmpty()
        shouldThrow<DeviceException> { copy.validate(Validation.FULL) }.message shouldBe expected
    }

    val words =
        raw(DataType.UTF8, 2, null, RawArray.ints(0, 4, 5), ByteBuffer.wrap("fußb".encodeToByteArray()), name = "x")

    test("validation finds errors on a device as it does in main memory [VAL-12]") {
        val byte = RawArray.bytes(65, -1)
        refused(raw(DataType.UTF8, 2, null, RawArray.ints(0, 1, 2), byte),
            "row 1: not UTF-8: a text of 1 bytes has 0xff at 0")
        refused(raw(
            ListType(Field.of("x", DataType.INT8)),
            2,
            null,
            RawArray.ints(0, 3, 2),
            children = listOf(raw(DataType.INT8, 3, null, byte, name = "x")),
        ), "row 1: offsets[2] = 2 is before offsets[1] = 3")
        refused(
            raw(DataType.dictionary(DataType.INT8, DataType.UTF8), 2, null, RawArray.bytes(0, 2), dictionary = words),
            "row 1: index 2 is beyond the 2 values of the dictionary",
        )
        refused(raw(DataType.DATE64, 2, RawArray.bytes(0b10), RawArray.longs(1, 1), nulls = 1),
            "row 1: 1 milliseconds are not a whole number of days")
        val long = ByteBuffer.wrap("a text that is long".encodeToByteArray())
        val view = RawArray.ints(19, 0, 0, 0)
        refused(raw(DataType.UTF8_VIEW, 1, null, view, long, RawArray.longs(19)),
            "row 0: views[0] begins with 0x00000000, but in data buffer 0 at 0 is 0x61207465")
    }

    test("valid arrays of every type pass, whole and sliced, and so do random arrays [VAL-12]") {
        for (type in HandLaid.types) withClue(type) {
            HandLaid.imported(type, List(13) { it }, 3) { array ->
                array.copyTo(device).use { copy ->
                    copy.validate(Validation.FULL)
                    copy.slice(3, 7).use { it.validate(Validation.FULL) }
                }
            }
        }
        for (seed in 0 until 300) withClue(seed) {
            there(SoundArrays(Random(seed)).array()) { it.validate(Validation.FULL) }
        }
    }

    test(
        "validation copies only what it checks: no plain numbers, offsets and bytes of text, a slice's range [VAL-12]",
    ) {
        val validity = RawArray.bytes(0b1011)
        there(raw(DataType.INT64, 4, validity, RawArray.longs(1, 2, 3, 4), nulls = -1)) {
            uncounted(it) { array -> array.validate(Validation.FULL) }
            fake.copies().shouldBeEmpty()
        }
        there(raw(DataType.INT64, 4, validity, RawArray.longs(1, 2, 3, 4), nulls = 1)) {
            it.validate(Validation.FULL)
            fake.copies() shouldBe listOf(1L)
        }
        there(raw(DataType.BINARY, 2, null, RawArray.ints(0, 3, 5), ByteBuffer.allocate(5))) {
            it.validate(Validation.FULL)
            fake.copies() shouldBe listOf(12L)
        }
        there(words) {
            it.validate(Validation.FULL)
            fake.copies() shouldBe listOf(12L, 5L)
        }
        there(raw(DataType.UTF8, 3, null, RawArray.ints(0, 30, 31, 40), ByteBuffer.wrap(ByteArray(40) { 65 }))) {
            it.slice(1, 1).use { slice -> slice.validate(Validation.FULL) }
            fake.copies() shouldBe listOf(8L, 4L, 1L) // the slice's offsets, the array's last offset, the slice's text
        }
        there(raw(DataType.decimal128(9, 2), 2, RawArray.bytes(0b01), RawArray.longs(1, 0, 1, 0), nulls = -1)) {
            uncounted(it) { array -> array.validate(Validation.FULL) }
            fake.copies() shouldBe listOf(32L)
        }
    }

    test("full validation waits for the event, and structural validation does not [VAL-12]") {
        device.createStream().use { stream ->
            Arena.ofConfined().use { arena ->
                val wrong = raw(DataType.UTF8, 1, null, RawArray.ints(0, 1), RawArray.bytes(-1))
                CData.importArray(wrong.laid(arena), CImport.DATA.schema(wrong.field)).use { array ->
                    fake.hold()
                    array.copyTo(device, stream).use { copy ->
                        copy.validate(Validation.STRUCTURAL)
                        copy.isReady shouldBe false
                        var failure: Throwable? = null
                        val waiting = thread {
                            failure = runCatching { copy.validate(Validation.FULL) }.exceptionOrNull()
                        }
                        eventually("the thread waits") {
                            waiting.state == Thread.State.WAITING || waiting.state == Thread.State.TIMED_WAITING
                        }
                        fake.release()
                        waiting.join()
                        failure!!.message shouldBe "row 0: not UTF-8: a text of 1 bytes has 0xff at 0"
                    }
                    stream.synchronize()
                }
            }
        }
    }

    test("a failed validation, copy or event during an import on a device releases the array [VAL-12]") {
        Arena.ofConfined().use { arena ->
            val out = arena.struct(StructKind.DEVICE_ARRAY)
            val wrong = raw(DataType.UTF8, 1, null, RawArray.ints(0, 1), RawArray.bytes(-1))
            fun export() = CData.importArray(wrong.laid(arena), CImport.DATA.schema(wrong.field))
                .use { it.copyTo(device) }.use { it.synchronize(); CData.exportArray(it, out, CExport.DEVICE) }
            export()
            shouldThrow<DeviceException> {
                CData.importArray(out, CImport.DEVICE.schema(wrong.field).validation(Validation.FULL))
            }.message shouldBe "row 0: not UTF-8: a text of 1 bytes has 0xff at 0"
            RawArrowArray.release(out.address()) shouldBe 0
            export()
            fake.failCall(FakeCall.COPY, 2)
            shouldThrow<DeviceException> {
                CData.importArray(out, CImport.DEVICE.schema(wrong.field).validation(Validation.FULL))
            }.message!! shouldContain "fakeMemcpyAsync"
            RawArrowArray.release(out.address()) shouldBe 0
            device.createStream().use { stream ->
                fake.hold()
                CData.importArray(wrong.laid(arena), CImport.DATA.schema(wrong.field)).use { it.copyTo(device, stream) }
                    .use { CData.exportArray(it, out, CExport.DEVICE) }
                fake.failNextCommand()
                fake.release()
                shouldThrow<DeviceException> {
                    CData.importArray(out, CImport.DEVICE.schema(wrong.field).validation(Validation.FULL))
                }.message!! shouldContain "FAKE_LAUNCH_FAILED"
                RawArrowArray.release(out.address()) shouldBe 0
            }
        }
    }

    test("pinned memory is validated in place once its event has completed [VAL-12]") {
        val pinned = Devices.device(DeviceType.CUDA_HOST, 0)
        Arena.ofConfined().use { arena ->
            CData.importArray(words.laid(arena), CImport.DATA.schema(words.field)).use {
                it.copyTo(pinned)
            }.use { array ->
                array.synchronize()
                FakeDevice.of(DeviceType.CUDA_HOST, 0).reset()
                array.validate(Validation.FULL)
                FakeDevice.of(DeviceType.CUDA_HOST, 0).copies().shouldBeEmpty()
            }
        }
    }

    test("full validation of an opaque device throws ENOSYS, and an import releases the array [VAL-12]") {
        Arena.ofConfined().use { arena ->
            val (array, out) = arena.struct(StructKind.ARRAY) to arena.struct(StructKind.DEVICE_ARRAY)
            val field = Field.of("a", StructType(listOf(Field.of("t", DataType.UTF8))))
            fun make() {
                PeerNodes.array(array, length = 1, buffers = 1, children = 1)
                val text = MemorySegment.ofAddress(RawArrowArray.child(array.address(), 0))
                    .reinterpret(RawArrowArray.SIZE)
                PeerNodes.array(text, length = 1, buffers = 3)
                PeerNodes.setForeignBuffer(text, 1, MemorySegment.ofAddress(4096))
                PeerNodes.setForeignBuffer(text, 2, MemorySegment.ofAddress(4096))
                PeerNodes.deviceArray(out, array, deviceId = 3, deviceType = 17)
            }
            make()
            shouldThrow<DeviceException> {
                CData.importArray(out, CImport.DEVICE.schema(field).validation(Validation.FULL))
            }.errno() shouldBe Errno.ENOSYS
            RawArrowArray.release(out.address()) shouldBe 0
            make()
            CData.importArray(out, CImport.DEVICE.schema(field)).use {
                shouldThrow<DeviceException> { it.validate(Validation.FULL) }.errno() shouldBe Errno.ENOSYS
            }
        }
    }
})
