// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.MemorySegment
import kotlin.random.Random

/** Choices of fields of structs: the batches are those of `select`, and other buffers are not read. */
class ArrowFilePathsSpec : FunSpec({
    extension(ResourceCountersExtension)

    val words = DataType.dictionary(DataType.INT8, DataType.UTF8)
    val inner = Field.of(
        "inner",
        StructType(listOf(Field.of("x", DataType.INT32), Field.of("w", words), Field.of("t", DataType.UTF8_VIEW))),
    )
    val outer = Field.of(
        "outer", StructType(listOf(Field.of("big", DataType.UTF8), inner, Field.of("flag", DataType.BOOL))),
    )

    /** Two columns: a number, and structs, every third of which is null. */
    fun batch(rows: Int): RecordBatch = BatchBuilder.of(Devices.cpu()).use { builder ->
        val random = Random(rows)
        val numbers = builder.column(Field.of("n", DataType.INT64))
        val structs = builder.column(outer)
        for (row in 0 until rows) {
            numbers.append(row.toLong())
            if (row % 3 == 2) {
                structs.appendNullWithParts()
                continue
            }
            structs.child("big").append("big $row")
            val below = structs.child("inner")
            if (row % 5 == 4) below.appendNullWithParts()
            else {
                below.child("x").append(row.toLong())
                below.child("w").append("word ${random.nextInt(3)}")
                below.child("t").append("a text that is not inline $row")
                below.appendStruct()
            }
            structs.child("flag").append(row % 2 == 0)
            structs.appendStruct()
        }
        builder.build()
    }

    val choices = listOf(
        listOf("outer.flag"),
        listOf("outer.inner"),
        listOf("outer.inner.w", "n"),
        listOf("n", "outer.inner.t", "outer.big"),
        listOf("outer.flag", "outer.inner.w", "outer.inner.x"), // in another order than the source
        listOf("outer"),
        listOf(),
    )

    for (codec in listOf(IpcCompression.NONE, IpcCompression.ZSTD)) for (paths in choices) {
        test("the chosen fields $paths, with $codec, are those of select [FIL-04]") {
            val names = paths.toTypedArray()
            listOf(batch(20), batch(7)).let { batches ->
                val expected = batches.map { if (paths.isEmpty()) it.drop("n", "outer") else it.select(*names) }
                val options = IpcReadOptions.defaults().withColumns(*names)
                val write = IpcWriteOptions.defaults().withCompression(codec)
                for (input in Inputs.quick) withClue(input) {
                    var next = 0
                    val format = if (input.isFile) Format.FILE else Format.STREAM
                    input.read(format.write(write, *batches.toTypedArray()), options) {
                        it.schema() shouldBe expected[next].schema()
                        it.valueDifference(expected[next++]).shouldBeNull()
                        Inputs.readEveryValue(it)
                    } shouldBe 27
                }
                (batches + expected).forEach(RecordBatch::close)
            }
        }
    }

    test("buffers of other fields of a struct are neither read nor decompressed [FIL-04]") {
        batch(20_000).use { batch ->
            for (codec in listOf(IpcCompression.NONE, IpcCompression.ZSTD)) {
                val bytes = Format.FILE.write(IpcWriteOptions.defaults().withCompression(codec), batch)
                val memory = Devices.cpu().memory().metered()
                val options = IpcReadOptions.defaults().withMemory(memory).withColumns("outer.flag")
                ArrowFile.open(ByteChannel(bytes), options).use { file ->
                    file.batch(0).use { it.length() shouldBe 20_000 }
                }
                // two bitmaps of structs, one of values, and one of their nulls
                check(memory.statistics().totalBytes() < 4 * 20_000 / 8 * 3) { memory.statistics() }
            }
        }
    }

    test("a reader of chosen fields selects among them") {
        batch(10).use { batch ->
            val bytes = Format.FILE.write(IpcWriteOptions.defaults(), batch)
            val options = IpcReadOptions.defaults().withColumns("n", "outer.inner.x", "outer.flag")
            val reader = ArrowFile.open(MemorySegment.ofArray(bytes), {}, options).use(ArrowFile::reader)
            reader.select("outer.flag").use { selected ->
                batch.select("outer.flag").use { expected ->
                    selected.next()!!.use { it.valueDifference(expected).shouldBeNull() }
                }
            }
        }
    }

    test("a path that leads nowhere, is given twice, or overlaps another one is an error") {
        val bytes = batch(1).use { Format.FILE.write(IpcWriteOptions.defaults(), it) }
        fun message(vararg paths: String) = shouldThrow<IllegalArgumentException> {
            ArrowFile.open(MemorySegment.ofArray(bytes), {}, IpcReadOptions.defaults().withColumns(*paths)).close()
        }.message!!
        message("outer.missing") shouldContain "missing"
        message("n.x") shouldContain "n.x"
        message("outer", "outer.flag") shouldContain "outer"
        message("outer.flag", "outer.flag") shouldContain "twice"
    }
})
