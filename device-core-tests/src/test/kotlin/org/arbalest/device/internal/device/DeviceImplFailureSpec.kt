// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Errno
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.internal.abi.RawArrowSchema
import org.arbalest.device.internal.array.ArrayRelease
import org.arbalest.device.internal.calls.Calls
import org.arbalest.device.internal.cpu.CpuProvider
import org.arbalest.device.internal.lifetime.Counts
import org.arbalest.device.internal.memory.Slots
import org.arbalest.device.internal.schema.SchemaImporter
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.spi.DeviceDriver
import org.arbalest.device.support.Balanced
import org.arbalest.device.support.batch
import org.arbalest.device.support.release
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import java.lang.foreign.Arena
import java.util.concurrent.atomic.AtomicLong

/** Operations that fail halfway, and that leave neither resources nor half of a result. */
class DeviceImplFailureSpec : FunSpec({
    extension(Balanced)

    val cpu = CpuProvider().open(DeviceType.CPU, -1)

    test("an array is released although its driver fails to free a buffer [OWN-11]") {
        val freed = mutableListOf<Long>()
        val driver = object : DeviceDriver by cpu {
            override fun free(address: Long, bytes: Long) {
                cpu.free(address, bytes)
                freed += bytes
                if (freed.size == 1) error("the driver has failed")
            }
        }
        val before = ResourceCounters.now()
        batch(100, DeviceImpl(DeviceType.CPU, -1, driver)).use { array ->
            Arena.ofConfined().use { arena ->
                val out = arena.struct()
                CData.exportArray(array.retain(), out, CExport.DATA)
                Calls.release(RawArrowArray.release(out.address()), out.address()) // as C releases it
            }
            freed shouldContainExactly emptyList()
        }
        freed.size shouldBe 1
        val left = ResourceCounters.now().since(before)
        left.arrays() shouldBe 0
        left.buffers() shouldBe 1 // the one whose free failed still counts
        Counts.BUFFERS.decrement()
        Counts.BUFFER_BYTES.add(-left.bufferBytes())
    }

    test("a builder that runs out of memory inside a value rejects more values, and cannot be built") {
        var left = 3 // lasts for the offsets and the text, but not for more text
        val scarce = object : DeviceDriver by cpu {
            override fun allocate(bytes: Long, alignment: Long): Long {
                if (left-- == 0) throw DeviceException(Errno.ENOMEM, "no memory left for $bytes bytes")
                return cpu.allocate(bytes, alignment)
            }
        }
        val before = ResourceCounters.now()
        BatchBuilder.of(DeviceImpl(DeviceType.CPU, -1, scarce), 2).use { builder ->
            left = 2
            val text = builder.column(Field.of("t", DataType.UTF8))
            shouldThrow<DeviceException> { text.append("x".repeat(1000)) }.errno() shouldBe Errno.ENOMEM
            shouldThrow<IllegalStateException> { text.append("y") }.message!! shouldContain "ran out of memory"
            shouldThrow<IllegalStateException> { builder.build() }
        }
        ResourceCounters.now().since(before).isZero shouldBe true
    }

    test("an export without a free slot writes nothing and leaves the handle open [OWN-09]") {
        val created = Slots::class.java.getDeclaredField("CREATED").apply { isAccessible = true }
            .get(null) as AtomicLong
        val before = ResourceCounters.now()
        batch(3).use { array ->
            Arena.ofConfined().use { arena ->
                val taken = mutableListOf<Long>()
                val count = created.get()
                created.set(1L shl 24)
                try {
                    val error = shouldThrow<DeviceException> {
                        while (true) { // takes the idle slots first
                            val out = arena.struct()
                            val schema = arena.allocate(ArrowSchemaStruct.LAYOUT)
                            RawArrowArray.setRelease(out.address(), 1)
                            RawArrowSchema.setRelease(schema.address(), 1)
                            try {
                                array.retain().use { CData.exportArray(it, out, CExport.DATA.schemaTo(schema)) }
                            } catch (e: DeviceException) {
                                RawArrowArray.release(out.address()) shouldBe 1
                                RawArrowSchema.release(schema.address()) shouldBe 1
                                throw e
                            }
                            SchemaImporter.giveBack(schema.address())
                            taken += out.address()
                        }
                    }
                    error.errno() shouldBe Errno.ENOMEM
                    error.message!! shouldContain "no slot is left"
                    array.isOpen shouldBe true
                } finally {
                    created.set(count)
                }
                taken.forEach(ArrayRelease::release)
            }
        }
        ResourceCounters.now().since(before).isZero shouldBe true
    }
})
