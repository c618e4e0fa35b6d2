// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.apache.arrow.flatbuf.Type
import org.arbalest.device.DeviceArray
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.ipc.Crafted.BatchOf
import org.arbalest.device.ipc.Crafted.FieldOf
import org.arbalest.support.ResourceCountersExtension
import java.io.ByteArrayOutputStream

/** Arrays without elements whose only offset is not 0: Arrow C++ writes them for a slice without rows. */
class EmptyBatchesSpec : FunSpec({
    extension(ResourceCountersExtension)

    val text = FieldOf("t", Crafted.type(Type.Utf8))
    val list = FieldOf("l", Crafted.type(Type.List), listOf(FieldOf("item", Crafted.int64)))
    val none = 0L to 0L
    val body = Crafted.longs(2, 3)

    /** A list of rows without items, whose own items are lists; [rows] is their number. */
    fun nested(rows: Long) = FieldOf("n", Crafted.type(Type.List), listOf(list)) to BatchOf(
        rows, listOf(rows to 0L, none, none), listOf(none, 16L to 4 * (rows + 1), none, 0L to 4L, none, none),
    )

    val cases = mapOf(
        "text" to (text to BatchOf(0, listOf(none), listOf(none, 0L to 4L, none))),
        "large text" to
            (FieldOf("t", Crafted.type(Type.LargeUtf8)) to BatchOf(0, listOf(none), listOf(none, 0L to 8L, none))),
        "a list" to (list to BatchOf(0, listOf(none, none), listOf(none, 0L to 4L, none, none))),
        "a large list" to (
            FieldOf("l", Crafted.type(Type.LargeList), listOf(FieldOf("item", Crafted.int64))) to
                BatchOf(0, listOf(none, none), listOf(none, 8L to 8L, none, none))
            ),
        "a list of lists" to nested(0),
        "a list with rows, but without items, of lists" to nested(3),
    )

    for ((name, case) in cases) test("a batch without elements is read, whatever its offset is: $name [FIL-16]") {
        val (field, batch) = case
        val bytes = body + ByteArray(16)
        val message = Crafted.batchMessage(batch, bytes.size.toLong())
        val file = Crafted.file(listOf(field), batches = listOf(message to bytes))
        val stream = Crafted.join(Crafted.framed(Crafted.schemaMessage(field)), Crafted.framed(message, bytes))
        fun use(read: RecordBatch) {
            Inputs.readEveryValue(read)
            read.compact().use(Inputs::readEveryValue)
            read.copyTo(Devices.cpu()).use(Inputs::readEveryValue)
            DeviceArray.concat(listOf(read, read)).use(Inputs::readEveryValue)
            val output = ByteArrayOutputStream()
            ArrowWriter.stream(output, read.schema(), IpcWriteOptions.defaults()).use {
                it.write(read)
                it.finish()
            }
            Inputs.INPUT_STREAM.read(output.toByteArray()) shouldBe read.length()
        }
        for (input in Inputs.files) withClue(input) { input.read(file, use = ::use) shouldBe batch.rows }
        for (input in Inputs.streams) withClue(input) { input.read(stream, use = ::use) shouldBe batch.rows }
    }
})
