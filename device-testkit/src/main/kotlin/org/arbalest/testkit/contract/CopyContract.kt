// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.contract

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.funSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.Validation
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.ArrowDeviceArrayStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.testkit.SkipWithout
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import kotlin.random.Random

internal fun copyContract(backend: Backend): TestFactory = funSpec {
    val device by lazy { backend.device }
    val cpu = Devices.cpu()

    test("copy: a batch copied to the device, within it and back is equal") {
        batch(100).use { source ->
            source.copyTo(device).use { there ->
                there.device() shouldBeSameInstanceAs device
                there.schema() shouldBe source.schema()
                there.fetch() shouldBe source.rows()
                there.copyTo(device).use { it.fetch() shouldBe source.rows() }
            }
        }
    }

    test("copy: random slices of slices are equal after a copy to the device and back") {
        val random = Random(42)
        batch(200).use { source ->
            val rows = source.rows()
            repeat(30) {
                val from = random.nextInt(200)
                val count = random.nextInt(200 - from + 1)
                val cut = random.nextInt(count + 1)
                source.slice(from.toLong(), count.toLong()).use { slice ->
                    slice.copyTo(device).use { there ->
                        there.fetch() shouldBe rows.subList(from, from + count)
                        there.slice(cut.toLong(), count - cut.toLong()).use {
                            it.fetch() shouldBe rows.subList(from + cut, from + count)
                        }
                    }
                }
            }
        }
    }

    test("copy: a copy is one allocation, and its source can be closed immediately") {
        val source = batch(1000)
        val rows = source.rows()
        device.createStream().use { stream ->
            val before = settled()
            source.copyTo(device, stream).use { there ->
                source.close()
                there.fetch() shouldBe rows
                eventually("only the copy is open") {
                    ResourceCounters.now().since(before).run { arrays() == 0L && buffers() < 0 }
                }
            }
        }
    }

    test(
        "copy: validation on the device accepts a valid array and its slices, and names the fault of an invalid one " +
            "[VAL-12]",
    ) {
        batch(100).use { source ->
            source.copyTo(device).use { there ->
                there.validate(Validation.FULL)
                there.slice(13, 50).use { it.validate(Validation.FULL) }
            }
        }
        val text = ArrayData.of(2, 0, listOf(null, buffer(intArrayOf(0, 1, 2)), buffer(intArrayOf(0xFF41))))
        DeviceArray.of(
            Schema.of(Field.of("t", DataType.UTF8)).asField(), ArrayData.of(2, 0, listOf(null), listOf(text)),
        ).use { source ->
            source.copyTo(device).use { there ->
                there.validate(Validation.STRUCTURAL)
                shouldThrow<DeviceException> { there.validate(Validation.FULL) }.message shouldBe
                    "$.t: row 1: not UTF-8: a text of 1 bytes has 0xff at 0"
            }
        }
    }

    test(
        "copy: a slice with an offset beyond the array's last offset is rejected, even where the CPU cannot read " +
            "[ARR-20]",
    ) {
        val schema = Schema.of(Field.of("t", DataType.UTF8))
        Arena.ofConfined().use { arena ->
            val out = ArrowDeviceArrayStruct.allocate(arena)
            val text = ArrayData.of(3, 0, listOf(null, buffer(intArrayOf(0, 1, Int.MAX_VALUE, 3)), buffer(IntArray(1))))
            RecordBatch.of(schema, ArrayData.of(3, 0, listOf(null), listOf(text)), cpu.defaultStream())
                .use { lies ->
                    // an imported array does not have the sizes of its buffers
                    CData.exportArray(lies.copyTo(device).also { it.synchronize() }, out, CExport.DEVICE)
                }
            CData.importArray(out, CImport.DEVICE.schema(schema)).use { array ->
                array.slice(0, 2).use { slice ->
                    shouldThrow<DeviceException> { slice.copyTo(cpu) }.message shouldBe
                        "$.t: offsets[2] = 2147483647 is beyond the last, offsets[3] = 3"
                }
                array.slice(0, 1).use { slice -> slice.copyTo(cpu).use { it.synchronize() } }
            }
        }
    }

    test("copy: batches on the CPU and the device are concatenated on either, and can be closed immediately") {
        val all = listOf(batch(40), batch(0).use { it.copyTo(device) }, batch(7, 40).use { it.copyTo(device) },
            batch(30, 40).use { it.slice(7, 23) })
        val rows = all.flatMap { it.fetch() }
        device.createStream().use { stream ->
            val there = DeviceArray.concat(all, device.memory(), stream)
            val here = DeviceArray.concat(all.reversed(), cpu.memory(), stream)
            val likeFirst = DeviceArray.concat(listOf(all[2], all[0]))
            val one = DeviceArray.concat(listOf(all[2]), device.memory(), stream)
            all.forEach(DeviceArray::close)
            there.use {
                it.device() shouldBeSameInstanceAs device
                it.fetch() shouldBe rows
            }
            here.use { it.fetch() shouldBe rows.drop(47) + rows.subList(40, 47) + rows.take(40) }
            likeFirst.use {
                it.device() shouldBeSameInstanceAs device
                it.fetch() shouldBe rows.subList(40, 47) + rows.take(40)
            }
            one.use { it.fetch() shouldBe rows.subList(40, 47) }
        }
    }

    test("copy: batches without rows and without columns are copied") {
        batch(0).use { source -> source.copyTo(device).use { it.fetch() shouldBe listOf() } }
        BatchBuilder.of(cpu, 3).use { it.build() }.use { source ->
            source.copyTo(device).use { it.fetch().size shouldBe 3 }
        }
    }

    test("copy: a batch that is built for the device is on the device") {
        BatchBuilder.of(device, 3).use {
            it.int64("id", longArrayOf(1, 2, 3)).utf8("t", listOf("a", null, "ccc")).build()
        }.use { batch ->
            batch.device() shouldBeSameInstanceAs device
            batch.fetch() shouldBe
                listOf(mapOf("id" to 1L, "t" to "a"), mapOf("id" to 2L, "t" to null), mapOf("id" to 3L, "t" to "ccc"))
        }
    }

    test("copy: the CPU reads a batch in host memory without a copy") {
        device.hostMemory().ifPresent { host ->
            BatchBuilder.of(host, 2).use { it.int64("id", longArrayOf(5, 6)).build() }.use { batch ->
                val before = settled()
                batch.viewOrCopyTo(cpu).use {
                    it.device() shouldBeSameInstanceAs cpu
                    it.column("id").toLongArray() shouldBe longArrayOf(5, 6)
                    ResourceCounters.now().since(before).buffers() shouldBe 0
                }
            }
        }
    }

    test("copy: viewOrCopyTo copies only to another device") {
        batch(10).use { source ->
            source.viewOrCopyTo(device).use { there ->
                there.fetch() shouldBe source.rows()
                val before = settled()
                there.viewOrCopyTo(device).use { ResourceCounters.now().since(before).buffers() shouldBe 0 }
            }
        }
    }

    test("copy: a stream copies another stream's result without a wait of the CPU") {
        batch(50).use { source ->
            device.createStream().use { one ->
                device.createStream().use { two ->
                    source.copyTo(device, one).use { a ->
                        a.copyTo(device, two).use { it.fetch() shouldBe source.rows() }
                    }
                }
            }
        }
    }

    test("copy: a stream of an uninvolved device is rejected with the names of the devices [DEV-21]") {
        batch(5).use { source ->
            device.createStream().use { stream ->
                if (device != cpu) {
                    shouldThrow<IllegalArgumentException> { source.copyTo(cpu, stream) }.message shouldBe
                        "a stream of $device was given for a copy on CPU; use a stream of a device that takes part"
                }
                source.copyTo(device, stream).use { there -> there.copyTo(cpu, stream).use { it.synchronize() } }
            }
            source.copyTo(device, cpu.defaultStream()).use { it.synchronize() }
        }
    }

    fun second() = runCatching { Devices.device(device.type(), device.id() + 1) }
    val two = SkipWithout { "one ${device.type()} device".takeIf { second().isFailure } }

    test("copy: an array is copied between two devices of this type").config(extensions = listOf(two)) {
        val second = second().getOrThrow()
        batch(60).use { source ->
            source.copyTo(device).use { a ->
                a.copyTo(second).use { b ->
                    b.device() shouldBeSameInstanceAs second
                    b.fetch() shouldBe source.rows()
                    b.copyTo(device, second.defaultStream()).use { it.fetch() shouldBe source.rows() }
                }
            }
        }
    }
}

private fun buffer(ints: IntArray): DeviceBuffer =
    Devices.cpu().allocate(4L * ints.size).also { it.segment().copyFrom(MemorySegment.ofArray(ints)) }
