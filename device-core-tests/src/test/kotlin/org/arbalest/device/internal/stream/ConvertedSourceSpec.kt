// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.MemorySegment

/** A reader in the layout of another field. */
class ConvertedSourceSpec : FunSpec({
    extension(ResourceCountersExtension)

    test("a reader of encoded structs becomes a reader of batches [REQ-02]") {
        val ids = BatchBuilder.of(Devices.cpu(), 2).use { it.int64("id", longArrayOf(7, 8)).build() }
        val values = ids.field()
        val indices = Devices.cpu().allocate(3)
        indices.segment().copyFrom(MemorySegment.ofArray(byteArrayOf(1, 0, 1)))
        val encoded = Field.of("", DataType.dictionary(DataType.INT8, values.type()))
        val array = ids.use {
            DeviceArray.of(encoded, ArrayData(3, 0, 0, listOf(null, indices), listOf(), ArrayData.of(it)))
        }
        array.use {
            val structs = DeviceArrayReader.of(encoded, DeviceType.CPU) { array.retain() }.convertTo(values)
            structs.asRecordBatchReader().use { reader ->
                reader.schema().fields().map { it.name() } shouldBe listOf("id")
                reader.next()!!.use { it.column("id").asLongs().toArray() shouldBe longArrayOf(8, 7, 8) }
            }
        }
    }
})
