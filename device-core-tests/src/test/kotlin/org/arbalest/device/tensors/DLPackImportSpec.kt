// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.tensors

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.Validation
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.support.CTensors
import org.arbalest.device.support.CTensors.Said
import org.arbalest.device.support.see
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Extension.Bool8
import org.arbalest.device.types.Extension.FixedShapeTensor
import org.arbalest.support.CCompiler
import org.arbalest.support.PeerMoves
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import org.arbalest.testkit.contract.Held
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_LONG

/** Tensors of a producer in C as columns, and invalid tensors. */
class DLPackImportSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    /** Passes main memory with the numbers from 0 on to [use], and checks that all deleters were called once. */
    fun <T> counting(count: Long, use: (DeviceBuffer) -> T): T = Devices.cpu().allocate(8 * count).use { buffer ->
        for (i in 0 until count) buffer.segment().setAtIndex(JAVA_LONG, i, i)
        use(buffer).also {
            CTensors.liveTensors shouldBe 0
            CTensors.deletedTwice shouldBe 0
        }
    }

    fun DeviceArray.longs(): List<Long> = asColumn().toLongArray().toList()

    for (form in DLPack.entries) {
        test(
            "$form: a tensor is imported without a copy, and its deleter is called once, after the last reference " +
                "[DLP-06]",
        ) {
            counting(8) { memory ->
                val said = Said(memory.address(), longArrayOf(4), byteOffset = 16,
                    flags = DLManagedTensorVersionedStruct.READ_ONLY)
                val array = form.importTensor(CTensors.make(form, said))
                array.asColumn().bufferAddress(1) shouldBe memory.address() + 16
                array.field().run { Triple(name(), type(), isNullable) } shouldBe Triple("", DataType.INT64, false)
                array.longs() shouldContainExactly listOf(2L, 3L, 4L, 5L)
                array.validate(Validation.FULL)
                val slice = array.slice(1, 2)
                array.close()
                CTensors.liveTensors shouldBe 1
                Arena.ofConfined().use { arena ->
                    val out = arena.struct(StructKind.ARRAY)
                    CData.exportArray(slice, out, CExport.DATA) // passed on to a consumer of Arrow data
                    CTensors.liveTensors shouldBe 1
                    PeerMoves.release(out, StructKind.ARRAY)
                }
                CTensors.liveTensors shouldBe 0
            }
        }

        test("$form: an imported tensor is exported and imported again without a copy [DLP-06]") {
            counting(6) { memory ->
                val there =
                    form.exportTensor(form.importTensor(CTensors.make(form, Said(memory.address(), longArrayOf(3, 2)))))
                form.see(there).run { Triple(shape, strides, data) } shouldBe
                    Triple(listOf(3L, 2L), listOf(2L, 1L), memory.address())
                form.importTensor(there).use {
                    it.asColumn().getTensor(2).values().toLongArray().toList() shouldBe listOf(4L, 5L)
                }
                CTensors.liveTensors shouldBe 0
            }
        }

        test("$form: a tensor may have no deleter, no elements, no strides, or no dimensions [DLP-06]") {
            counting(4) { memory ->
                form.importTensor(CTensors.make(form, Said(memory.address(), longArrayOf(4), hasDeleter = false)))
                    .use { it.longs() shouldBe listOf(0L, 1L, 2L, 3L) }
                form.importTensor(CTensors.make(form, Said(0, longArrayOf(0)))).use { array ->
                    CTensors.liveTensors shouldBe 0 // there is no memory to keep
                    array.length() shouldBe 0
                }
                form.importTensor(CTensors.make(form, Said(0, longArrayOf(0), deviceType = 7))).use {
                    it.device().isOpaque shouldBe true
                }
                form.importTensor(
                    CTensors.make(form, Said(memory.address(), longArrayOf(5, 0), longArrayOf(9, 9), byteOffset = -1)),
                ).use { array ->
                    array.length() shouldBe 5
                    array.asColumn().getTensor(4).shape() shouldBe listOf(0)
                }
                form.importTensor(CTensors.make(form, Said(memory.address() + 24, null))).use {
                    it.longs() shouldBe listOf(3L)
                }
            }
        }

        test("$form: contiguous elements become a fixed-shape tensor, in any order of their dimensions [DLP-08]") {
            counting(48) { memory ->
                fun shapes(shape: LongArray, strides: LongArray?): FixedShapeTensor {
                    val tensor = CTensors.make(form, Said(memory.address(), shape, strides))
                    val expected = CTensors.read(form, CTensors.make(form, Said(
                        memory.address(),
                        shape,
                        strides ?: LongArray(shape.size) { i -> shape.drop(i + 1).fold(1L, Long::times) },
                        hasDeleter = false,
                    )), 8 * shape.fold(1L, Long::times))
                    return form.importTensor(tensor).use { array ->
                        array.length() shouldBe shape[0]
                        val out = form.exportTensor(array.retain())
                        form.see(out).shape shouldBe shape.toList()
                        CTensors.read(form, out, expected.size.toLong()).toList() shouldBe expected.toList()
                        form.delete(out)
                        array.field().extension() as FixedShapeTensor
                    }
                }
                shapes(longArrayOf(2, 3, 8), null) shouldBe FixedShapeTensor(listOf(3, 8), listOf(), listOf())
                shapes(longArrayOf(2, 3, 8), longArrayOf(24, 8, 1)) shouldBe
                    FixedShapeTensor(listOf(3, 8), listOf(), listOf())
                shapes(longArrayOf(2, 3, 8), longArrayOf(24, 1, 3)) shouldBe
                    FixedShapeTensor(listOf(8, 3), listOf(), listOf(1, 0))
                shapes(longArrayOf(2, 2, 3, 4), longArrayOf(24, 4, 8, 1)) shouldBe
                    FixedShapeTensor(listOf(3, 2, 4), listOf(), listOf(1, 0, 2))
                shapes(longArrayOf(2, 4, 2, 3), longArrayOf(24, 1, 12, 4)) shouldBe
                    FixedShapeTensor(listOf(2, 3, 4), listOf(), listOf(2, 0, 1))
                shapes(longArrayOf(1, 3, 8), longArrayOf(-77, 8, 1)) shouldBe
                    FixedShapeTensor(listOf(3, 8), listOf(), listOf())
                shapes(longArrayOf(2, 1, 3, 8), longArrayOf(24, 999, 1, 3)).shape()
                    .filter { it > 1 } shouldBe listOf(8, 3)
            }
        }

        test("$form: elements with gaps are rejected by importTensor, and copied by importCopy [DLP-08]") {
            counting(48) { memory ->
                val cases = mapOf(
                    longArrayOf(4) to longArrayOf(2), longArrayOf(4) to longArrayOf(0),
                    longArrayOf(6, 8) to longArrayOf(1, 6), longArrayOf(3, 4) to longArrayOf(8, 1),
                    longArrayOf(3, 4) to longArrayOf(16, 2),
                )
                for ((shape, strides) in cases) withClue("${shape.toList()} by ${strides.toList()}") {
                    fun make() = CTensors.make(form, Said(memory.address(), shape, strides))
                    val error = shouldThrow<DeviceException> { form.importTensor(make()) }
                    error.errno() shouldBe Errno.EINVAL
                    error.message shouldContain
                        "shape ${shape.toList()}, strides ${strides.toList()}; use importCopy()"
                    CTensors.liveTensors shouldBe 0
                    val expected = form.run {
                        CTensors.read(
                            this,
                            CTensors.make(this, Said(memory.address(), shape, strides, hasDeleter = false)),
                            8 * shape.fold(1L, Long::times),
                        )
                    }
                    form.importCopy(make()).use { array ->
                        CTensors.liveTensors shouldBe 0
                        array.length() shouldBe shape[0]
                        val out = form.exportTensor(array.retain())
                        form.see(out).run { this.shape to this.strides } shouldBe
                            (shape.toList() to List(shape.size) { i -> shape.drop(i + 1).fold(1L, Long::times) })
                        CTensors.read(form, out, expected.size.toLong()).toList() shouldBe expected.toList()
                        form.delete(out)
                    }
                }
                // elements in reverse order
                form.importCopy(CTensors.make(form, Said(memory.address() + 40, longArrayOf(6), longArrayOf(-1))))
                    .use { it.longs() shouldBe listOf(5L, 4L, 3L, 2L, 1L, 0L) }
                form.importCopy(CTensors.make(form, Said(memory.address(), longArrayOf(3)))).use { array ->
                    array.asColumn().bufferAddress(1) shouldNotBe memory.address()
                    array.longs() shouldBe listOf(0L, 1L, 2L)
                }
            }
        }

        test("$form: strides that lead beyond the address space are rejected before a read [DLP-08, DLP-09]") {
            counting(48) { memory ->
                val (most, least) = Long.MAX_VALUE to Long.MIN_VALUE
                val at = memory.address()
                val cases = listOf(
                    longArrayOf(2) to longArrayOf(most), longArrayOf(2) to longArrayOf(least),
                    longArrayOf(3) to longArrayOf(1L shl 59), longArrayOf(3) to longArrayOf(-1L shl 59),
                    longArrayOf(2) to longArrayOf(-(at / 8)), longArrayOf(2) to longArrayOf((most - at) / 8),
                    longArrayOf(2, 2) to longArrayOf(1L shl 59, 1L shl 59),
                    longArrayOf(2, 1) to longArrayOf(most, most),
                    longArrayOf(1, 2) to longArrayOf(3, most), longArrayOf(2, 2, 2) to longArrayOf(-1, 1L shl 60, 1),
                )
                for ((shape, strides) in cases) withClue("${shape.toList()} by ${strides.toList()}") {
                    val tensor = CTensors.make(form, Said(at, shape, strides))
                    val error = shouldThrow<DeviceException> { form.importCopy(tensor) }
                    error.errno() shouldBe Errno.EINVAL
                    error.message shouldContain "the tensor's elements are beyond the address space: data = 0x"
                    error.message shouldContain "shape ${shape.toList()}, strides ${strides.toList()}"
                    CTensors.liveTensors shouldBe 0
                }
                // a dimension of one element has any stride
                form.importCopy(CTensors.make(form, Said(at, longArrayOf(1, 3), longArrayOf(most, 2))))
                    .use { it.length() shouldBe 1 }
            }
        }

        test("$form: an invalid tensor, or one without a column type, is rejected with its numbers and released " +
            "[DLP-09]") {
            counting(4) { memory ->
                val at = memory.address()
                val one = longArrayOf(4)
                val wrong = mapOf(
                    Said(at, one, ndim = -1) to "ndim = -1 is not within 0..64",
                    Said(at, one, ndim = Int.MAX_VALUE) to "ndim = 2147483647 is not",
                    Said(at, null, ndim = 2) to "shape is NULL, but it has 2 dimensions",
                    Said(at, longArrayOf(4, -3)) to "shape[1] = -3 is negative",
                    Said(at, longArrayOf(0, -3)) to "shape[1] = -3 is negative",
                    Said(at, longArrayOf(Long.MAX_VALUE)) to "does not fit in memory",
                    Said(at, longArrayOf(1L shl 32, 1L shl 32)) to "does not fit in memory",
                    Said(at, longArrayOf(1, 1L shl 32)) to "more than 2147483647 elements in a row",
                    Said(at, longArrayOf(0, 1L shl 32)) to "more than 2147483647 elements in a row",
                    Said(at, longArrayOf(1, 1L shl 20, 1L shl 20)) to "more than 2147483647 elements in a row",
                    Said(0, one) to "data is NULL", Said(Long.MIN_VALUE, one) to "beyond the 63 bits",
                    Said(at, one, byteOffset = -8) to "byte_offset = 18446744073709551608 is beyond",
                    Said(Long.MAX_VALUE - 63, one, byteOffset = 64) to
                        "data = 0x7fffffffffffffc0 + byte_offset = 64 is beyond the address space",
                    Said(Long.MAX_VALUE - 15, one) to
                        "data = 0x7ffffffffffffff0 + byte_offset = 0 is beyond the address space",
                    Said(at, one, byteOffset = Long.MAX_VALUE) to "byte_offset = 9223372036854775807 is beyond",
                    Said(at, one, lanes = 4) to "vectors of 4 lanes", Said(at, one, lanes = 0) to "vectors of 0 lanes",
                    Said(at, one, code = DLTensorStruct.BFLOAT, bits = 16) to
                        "its elements are kDLBfloat of 16 bits, for which Arrow has no type",
                    Said(at, one, code = DLTensorStruct.COMPLEX, bits = 64) to "kDLComplex of 64 bits",
                    Said(at, one, code = DLTensorStruct.BOOL, bits = 1) to "kDLBool of 1 bits",
                    Said(at, one, code = DLTensorStruct.FLOAT, bits = 8) to "kDLFloat of 8 bits",
                    Said(at, one, bits = 128) to "kDLInt of 128 bits", Said(at, one, bits = 4) to "kDLInt of 4 bits",
                    Said(at, one, code = 7, bits = 8) to "kDLFloat8_e3m4 of 8 bits",
                    Said(at, one, code = 14, bits = 8) to "kDLFloat8_e8m0fnu of 8 bits",
                    Said(at, one, code = 16, bits = 6) to "kDLFloat6_e3m2fn of 6 bits",
                    Said(at, one, code = 17, bits = 4) to "kDLFloat4_e2m1fn of 4 bits",
                    Said(at, one, code = 17, bits = 4, lanes = 2) to
                        "vectors of 2 lanes of kDLFloat4_e2m1fn of 4 bits, but a column has no vectors",
                    Said(at, one, code = 18, bits = 4) to "its elements are DLPack's type code 18 of 4 bits, for which",
                    Said(at, one, code = 18, bits = 4, lanes = 2) to
                        "vectors of 2 lanes of DLPack's type code 18 of 4 bits",
                    Said(at, one, deviceType = 4) to "OPENCL:0, where its data is a cl_mem",
                )
                for ((said, why) in wrong) withClue(why) {
                    for (import in listOf(form::importTensor, form::importCopy)) {
                        val error = shouldThrow<DeviceException> { import(CTensors.make(form, said)) }
                        error.message shouldContain why
                        error.errno() shouldBe Errno.EINVAL
                        CTensors.liveTensors shouldBe 0
                    }
                }
                Held.now().arrays() shouldBe 0
            }
        }

        test("$form: memory that cannot be a tensor's struct is rejected and not read [DLP-09]") {
            Arena.ofConfined().use { arena ->
                for (bad in listOf(
                    MemorySegment.NULL,
                    arena.allocate(100, 8).asSlice(4),
                    arena.allocate(56),
                    MemorySegment.ofArray(LongArray(10)),
                )) {
                    shouldThrow<IllegalArgumentException> { form.importTensor(bad) }
                    shouldThrow<IllegalArgumentException> { form.importCopy(bad) }
                    shouldThrow<IllegalArgumentException> { form.delete(bad) }
                }
            }
        }

        test("$form: booleans of one byte and all number types are imported [DLP-06]") {
            Devices.cpu().allocate(16).use { memory ->
                memory.segment().fill(0).set(JAVA_LONG, 0, 0x0100L)
                form.importTensor(
                    CTensors.make(form, Said(memory.address(), longArrayOf(3), code = DLTensorStruct.BOOL, bits = 8)),
                ).use { array ->
                    array.field().extension() shouldBe Bool8()
                    List(3) { array.asColumn().getBoolean(it.toLong()) } shouldBe listOf(false, true, false)
                }
                val types = mapOf(
                    DLTensorStruct.INT to listOf(DataType.INT8, DataType.INT16, DataType.INT32, DataType.INT64),
                    DLTensorStruct.UINT to listOf(DataType.UINT8, DataType.UINT16, DataType.UINT32, DataType.UINT64),
                    DLTensorStruct.FLOAT to listOf(null, DataType.FLOAT16, DataType.FLOAT32, DataType.FLOAT64),
                )
                for ((code, of) in types) of.forEachIndexed { i, type ->
                    if (type != null) form.importTensor(
                        CTensors.make(form, Said(memory.address(), longArrayOf(1), code = code, bits = 8 shl i)),
                    ).use { it.field().type() shouldBe type }
                }
            }
            CTensors.liveTensors shouldBe 0
        }

        test("$form: a tensor on a device without a backend is passed on, but not with an offset [DLP-06]") {
            counting(4) { memory ->
                val vulkan = Said(memory.address(), longArrayOf(4), deviceType = 7, deviceId = 3)
                val array = form.importTensor(CTensors.make(form, vulkan))
                array.device().run { "$this" to isOpaque } shouldBe ("VULKAN:3" to true)
                val out = form.exportTensor(array.slice(1, 3))
                array.close()
                form.see(out).run { listOf(data, byteOffset, device) } shouldBe listOf(memory.address(), 8L, 7 to 3)
                form.delete(out)
                val error = shouldThrow<DeviceException> {
                    form.importTensor(
                        CTensors.make(form, Said(memory.address(), longArrayOf(3), deviceType = 7, byteOffset = 8)),
                    )
                }
                error.message shouldContain "byte_offset = 8 cannot be added to a value that may not be an address"
                shouldThrow<DeviceException> { form.importCopy(CTensors.make(form, vulkan)) }.message shouldContain
                    "the tensor is on VULKAN:3, from which the CPU cannot copy it"
            }
        }
    }

    test("a tensor of another major version is only deleted, and a newer minor version is imported [DLP-10]") {
        counting(4) { memory ->
            for (major in listOf(0, 2, -1))
                for (import in listOf(DLPack.VERSIONED::importTensor, DLPack.VERSIONED::importCopy)) {
                    val tensor = CTensors.make(DLPack.VERSIONED, Said(memory.address(), longArrayOf(4), major = major))
                    shouldThrow<DeviceException> { import(tensor) }.message shouldBe
                        "the tensor has the DLPack version ${major.toUInt()}.7, and only 1 is supported"
                    CTensors.liveTensors shouldBe 0
                }
            DLPack.VERSIONED.importTensor(
                CTensors.make(DLPack.VERSIONED, Said(memory.address(), longArrayOf(4), flags = 7)),
            ).use { it.longs() shouldBe listOf(0L, 1L, 2L, 3L) }
        }
    }

    test("a thousand imports and exports leave no resources [DLP-06]") {
        counting(4) { memory ->
            for (form in DLPack.entries) repeat(1000) {
                val array = form.importTensor(CTensors.make(form, Said(memory.address(), longArrayOf(4))))
                CTensors.delete(form, form.exportTensor(array))
            }
            Held.now().run { listOf(arrays(), exports(), buffers()) } shouldBe listOf(0L, 0L, 1L)
        }
    }
})
