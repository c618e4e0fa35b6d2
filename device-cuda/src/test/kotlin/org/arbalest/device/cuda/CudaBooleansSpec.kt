// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.ArrayData
import org.arbalest.device.Availability
import org.arbalest.device.Conversion
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceStream
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.Validation
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.FixedSizeListType
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.contract.Held
import org.arbalest.testkit.contract.eventually
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import kotlin.random.Random

internal val BITS: Field = Field.of("b", DataType.BOOL)
internal val BYTES: Field = Field.bool8("b")

/** Creates random booleans in main memory; in bytes, each value except 0 is true. Every fourth one is null. */
internal fun randomBooleans(field: Field, rows: Int, hasNulls: Boolean, random: Random): DeviceArray {
    fun random(bytes: Int) = Devices.cpu().allocate(bytes.toLong()).also {
        MemorySegment.copy(random.nextBytes(bytes), 0, it.segment(), JAVA_BYTE, 0, bytes)
    }
    val bitmap = (rows + 7) / 8
    val values = random(if (field.type() == DataType.BOOL) bitmap else rows)
    if (field.type() != DataType.BOOL) for (i in 0L until rows step 2) values.segment().set(JAVA_BYTE, i, 0)
    val buffers = listOf(if (hasNulls) random(bitmap) else null, values)
    return DeviceArray.of(field, ArrayData.of(rows.toLong(), if (hasNulls) -1 else 0, buffers))
}

internal fun valuesOf(array: DeviceArray): List<Any?> = array.copyTo(Devices.cpu()).use { copy ->
    copy.synchronize()
    copy.validate(Validation.FULL)
    copy.asColumn().let { column -> (0 until column.length()).map { column.get(it) } }
}

/** The stored values from the first row on: bytes, or bits with those behind the last one. */
private fun stored(array: DeviceArray): List<Int> = ArrayData.of(array).use { data ->
    data.buffers()[1]!!.copyTo(Devices.cpu().memory()).use { buffer ->
        val bytes = buffer.segment().toArray(JAVA_BYTE).map { it.toInt() and 0xff }
        val rows = data.offset() + data.length()
        if (array.field().type() == DataType.BOOL) bytes.take(((rows + 7) / 8).toInt())
        else bytes.subList(data.offset().toInt(), rows.toInt())
    }
}

/** Converts slices on a GPU, and compares the results with conversions of the same slices by the CPU. */
internal fun compareSlices(stream: DeviceStream, starts: Iterable<Long>, counts: Iterable<Long>) {
    val random = Random(45)
    for ((from, to) in listOf(BITS to BYTES, BYTES to BITS)) for (hasNulls in listOf(false, true)) {
        randomBooleans(from, 280, hasNulls, random).use { here ->
            here.copyTo(stream.device(), stream).use { there ->
                for (start in starts) for (count in counts) withClue("$from, nulls: $hasNulls, $start, $count rows") {
                    there.slice(start, count).use { Cuda.convertTo(it, to, stream) }.use { result ->
                        here.slice(start, count).use { it.convertTo(to) }.use { expected ->
                            result.field() shouldBe to
                            valuesOf(result) shouldBe valuesOf(expected)
                        }
                    }
                }
            }
        }
    }
}

/** The conversion of booleans on a GPU, on the simulator or the driver. */
class CudaBooleansSpec : FunSpec({
    extension(CCompiler.needed)
    extension(cuda)
    extension(ResourceCountersExtension)
    extension(gates.opened)
    extension(KernelsOnDouble.extension)

    val cpu = Devices.cpu()
    val device by lazy { Devices.device(DeviceType.CUDA, 0) }

    fun <T> withStream(block: (DeviceStream) -> T): T = device.createStream().use { stream ->
        block(stream).also { stream.synchronize() }
    }

    /** Loads the kernels, which may wait for all other work. */
    fun warmUp(stream: DeviceStream) =
        randomBooleans(BITS, 1, false, Random(1)).use { it.copyTo(device, stream) }.use {
            Cuda.convertTo(it, BYTES, stream).close()
            stream.synchronize()
        }

    test("slices of bits and of bytes have the same booleans as those that the CPU converts [REQ-24]") {
        withStream { compareSlices(it, listOf(0L, 8, 13), listOf(0L, 1, 8, 9, 65)) }
    }

    test("each byte except 0 is true, true is written as 1, and the bits behind the last one are 0 [REQ-24]") {
        val content = byteArrayOf(0, 1, -128, 2, 127, -1, 0, 64, 0, 3)
        val buffer = cpu.allocate(10).also { MemorySegment.copy(content, 0, it.segment(), JAVA_BYTE, 0, 10) }
        val source = DeviceArray.of(BYTES, ArrayData.of(10, 0, listOf(null, buffer)))
        withStream { stream ->
            source.use { it.copyTo(device, stream) }.use { Cuda.convertTo(it, BITS, stream) }.use { bits ->
                bits.synchronize()
                stored(bits) shouldBe listOf(0b10111110, 0b10)
                Conversion.of(bits)!!.copiedBytes() shouldBe 2
                Cuda.convertTo(bits, BYTES, stream).use { bytes ->
                    bytes.synchronize()
                    stored(bytes) shouldBe listOf(0, 1, 1, 1, 1, 1, 0, 1, 0, 1)
                }
                bits.slice(3, 6).use { Cuda.convertTo(it, BYTES, stream) }.use { bytes ->
                    bytes.synchronize()
                    stored(bytes) shouldBe listOf(1, 1, 1, 0, 1, 0)
                    ArrayData.of(bytes).use { it.offset() } shouldBe 0
                }
            }
        }
    }

    test("booleans in batches, structs and lists are converted, also sliced, and other columns are shared [REQ-24]") {
        fun schema(item: Field) = Schema.of(
            Field.of("n", DataType.INT64), item, Field.of("t", DataType.UTF8),
            Field.of("l", ListType(item)), Field.of("f", FixedSizeListType(item, 3)),
            Field.of("s", StructType(listOf(Field.of("n", DataType.INT32), item))),
        )

        fun batch(schema: Schema) = BatchBuilder.of(cpu, 40).use { batch ->
            val columns = schema.fields().map { batch.column(it) }
            val (n, b, t, l, f) = columns
            val s = columns.last()
            repeat(40) { row ->
                if (row % 6 == 1) n.appendNull() else n.append(row.toLong())
                if (row % 5 == 3) b.appendNull() else b.append(row % 3 == 0)
                t.append("text $row")
                if (row % 5 == 2) l.appendNull()
                else l.appendList(row % 4).let { repeat(row % 4) { i -> l.items().append(i % 2 == 0) } }
                if (row % 5 == 4) f.appendNull()
                else f.appendList(3).items().append(row % 2 == 0).appendNull().append(true)
                if (row % 7 == 3) s.appendNullWithParts()
                else s.appendStruct().apply { child(0).append(row.toLong()) }.child(1).append(row % 3 == 0)
            }
            batch.build()
        }
        withStream { stream ->
            for ((from, to) in listOf(BITS to BYTES, BYTES to BITS)) batch(schema(from)).use { here ->
                here.copyTo(device, stream).use { there ->
                    for ((start, count) in listOf(0L to 40L, 3L to 21L, 8L to 32L, 39L to 1L, 5L to 0L)) {
                        withClue("$from, $start, $count rows") {
                            val slice = there.slice(start, count)
                            val result = slice.use { Cuda.convertTo(it, schema(to).asField(), stream) }
                            result.use {
                                here.slice(start, count).use { expected -> valuesOf(it) shouldBe valuesOf(expected) }
                                if (count > 0) {
                                    it.column("n").bufferAddress(1) shouldBe there.column("n").bufferAddress(1)
                                    it.column("t").bufferAddress(2) shouldBe there.column("t").bufferAddress(2)
                                }
                                Cuda.convertTo(it, schema(from).asField(), stream).use { back ->
                                    valuesOf(back) shouldBe valuesOf(it)
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    test("the number of nulls and the bitmap of an array are those of its source, also with an offset [REQ-24]") {
        val source = randomBooleans(BITS, 50, true, Random(2)).use { withNulls ->
            withNulls.slice(3, 40).use { it.copyTo(cpu) }
        }
        withStream { stream ->
            source.use { it.copyTo(device, stream) }.use { there ->
                there.countNulls(stream).use { counted ->
                    Cuda.convertTo(counted, BYTES, stream).use { result ->
                        result.asColumn().nullCount() shouldBe counted.asColumn().nullCount()
                        result.asColumn().bufferAddress(0) shouldBe counted.asColumn().bufferAddress(0)
                        result.asColumn().offset() shouldBe counted.asColumn().offset()
                    }
                }
            }
        }
    }

    test("a conversion waits for its array and runs after it is closed, and the result has its own event [REQ-24]") {
        val expected = randomBooleans(BITS, 1000, true, Random(3)).use { here ->
            withStream { converting ->
                warmUp(converting)
                device.createStream().use { loading ->
                    val gate = gates.shut(loading)
                    val there = here.copyTo(device, loading)
                    val result = Cuda.convertTo(there, BYTES, converting)
                    there.close()
                    result.isReady shouldBe false
                    val unused = result.slice(5, 100)
                    val back = result.use { it.copyTo(cpu, converting) }
                    unused.close()
                    gate.open()
                    back.use {
                        it.synchronize()
                        it.asColumn().let { column -> (0 until column.length()).map { column.get(it) } }
                    }.also { it shouldBe valuesOf(here) }
                }
            }
        }
        expected.size shouldBe 1000
        eventually("all is released") { Held.now().run { buffers() == 0L && arrays() == 0L && waits() == 0L } }
    }

    test("a converted array that is closed before its conversion is done keeps the memory until then [REQ-24]") {
        withStream { stream ->
            warmUp(stream)
            val there = randomBooleans(BYTES, 1000, false, Random(4)).use { it.copyTo(device, stream) }
            stream.synchronize()
            eventually("the copy's source is released") { Held.now().buffers() == 1L }
            val gate = gates.shut(stream)
            there.use { Cuda.convertTo(it, BITS, stream).close() }
            Held.now().run { buffers() shouldBe 2 }
            gate.open()
        }
        eventually("all is released") { Held.now().run { buffers() == 0L && arrays() == 0L && waits() == 0L } }
    }

    test("a GPU converts nothing else: ENOSYS names the path, and the array stays open [REQ-10, REQ-24]") {
        val schema = Schema.of(BITS, Field.of("d", DataType.UTF8))
        val batch = BatchBuilder.of(cpu, 3).use { batch ->
            val (b, d) = schema.fields().map { batch.column(it) }
            repeat(3) { if (it == 1) b.appendNull() else b.append(true); d.append("x") }
            batch.build()
        }
        withStream { stream ->
            batch.use { it.copyTo(device, stream) }.use { there ->
                for ((path, wrong) in listOf(
                    "$.d" to Schema.of(BYTES, Field.of("d", DataType.UTF8_VIEW)),
                    "$.b" to Schema.of(BYTES.withNullable(false), Field.of("d", DataType.UTF8)),
                )) shouldThrow<DeviceException> { Cuda.convertTo(there, wrong.asField(), stream) }.run {
                    errno() shouldBe Errno.ENOSYS
                    message shouldContain path
                    message shouldContain "the CPU cannot read buffers on CUDA:0"
                }
                shouldThrow<IllegalArgumentException> {
                    Cuda.convertTo(there, Schema.of(Field.of("b", DataType.INT8)).asField(), stream)
                }.message shouldContain "$.b: bool cannot be converted to int8"
                Cuda.convertTo(there, Schema.of(BYTES).asField(), stream).use { valuesOf(it).size shouldBe 3 }
            }
        }
    }

    test("an array of another device or of main memory, and closed arrays and streams are rejected [REQ-24]") {
        val here = randomBooleans(BITS, 10, false, Random(5))
        val stream = device.createStream()
        val there = here.copyTo(device, stream)
        shouldThrow<IllegalArgumentException> { Cuda.convertTo(here, BYTES, stream) }.message shouldContain
            "is not a CUDA device"
        shouldThrow<IllegalArgumentException> {
            Cuda.convertTo(there, BYTES, cpu.defaultStream())
        }.message shouldContain "is not a CUDA device"
        stream.close()
        shouldThrow<IllegalStateException> { Cuda.convertTo(there, BYTES, stream) }.message shouldContain "closed"
        there.close()
        withStream { open ->
            shouldThrow<IllegalStateException> { Cuda.convertTo(there, BYTES, open) }.message shouldContain "closed"
        }
        here.close()
        eventually("all is released") { Held.now().run { buffers() == 0L && waits() == 0L } }
    }

    test("the CPU converts pinned and managed memory, which it reads [REQ-24]") {
        withStream { stream ->
            for (type in listOf(DeviceType.CUDA_HOST, DeviceType.CUDA_MANAGED)) {
                if (Devices.availability(type) is Availability.Missing) continue
                randomBooleans(BITS, 100, true, Random(6)).use { here ->
                    here.copyTo(Devices.device(type, 0)).use { Cuda.convertTo(it, BYTES, stream) }.use {
                        it.device().type() shouldBe type
                        valuesOf(it) shouldBe valuesOf(here)
                    }
                }
            }
        }
    }

    // on the simulator, the interpreter takes a minute; PtxSpec has such numbers
    if (!onDouble) test("more booleans than a launch has threads are converted, and back [REQ-24]") {
        val rows = 40_000_003
        withStream { stream ->
            randomBooleans(BITS, rows, false, Random(7)).use { here ->
                here.copyTo(device, stream).use { Cuda.convertTo(it, BYTES, stream) }.use { bytes ->
                    here.convertTo(BYTES).use { expected ->
                        bytes.copyTo(cpu, stream).use { it.synchronize(); it.contentEquals(expected) shouldBe true }
                    }
                    Cuda.convertTo(bytes, BITS, stream).use { bits ->
                        bits.copyTo(cpu, stream).use { it.synchronize(); it.contentEquals(here) shouldBe true }
                    }
                }
            }
        }
    }
})
