// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.Validation
import org.arbalest.device.spi.ArrayBridge
import org.arbalest.device.spi.ForeignArray
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.support.EveryType
import org.arbalest.support.ResourceCountersExtension
import java.io.ByteArrayOutputStream
import java.io.IOException
import java.lang.foreign.Arena
import java.lang.foreign.ValueLayout.JAVA_INT
import java.nio.file.Files

/** Batches and paths that a writer must not accept. */
class ArrowWriterInputSpec : FunSpec({
    extension(ResourceCountersExtension)
    val folder = tempdir().toPath()

    /** Makes a batch of one list or text column with these offsets, and one element or byte. */
    fun batch(arena: Arena, type: DataType, vararg offsets: Int): RecordBatch {
        val memory = arena.allocate(64, 64)
        offsets.forEachIndexed { i, offset -> memory.setAtIndex(JAVA_INT, i.toLong(), offset) }
        val rows = offsets.size - 1L
        val foreign = ForeignArray().array(rows, 0, 0).buffer(0, 0)
            .array(rows, 0, 0).buffer(0, 0).buffer(memory.address(), 4L * offsets.size)
        if (type == DataType.UTF8) foreign.buffer(memory.address() + 32, 1)
        else foreign.array(1, 0, 0).buffer(0, 0).buffer(memory.address() + 32, 8)
        return ArrayBridge.wrap(Schema.of(Field.of("bad", type)).asField(), foreign, Devices.cpu()) {}.asRecordBatch()
    }

    for (type in listOf(DataType.UTF8, DataType.list(DataType.INT64))) {
        test("offsets of $type that leave the data are an error, and are not followed [FIL-05]") {
            Arena.ofConfined().use { arena ->
                for (offsets in listOf(intArrayOf(0, 1 shl 28, 1), intArrayOf(0, -3, 1), intArrayOf(5, 0, 1))) {
                    batch(arena, type, *offsets).use { bad ->
                        bad.validate(Validation.STRUCTURAL)
                        val options = IpcWriteOptions.defaults().withMaxBatchRows(1)
                        ArrowWriter.stream(ByteArrayOutputStream(), bad.schema(), options).use { writer ->
                            val error = shouldThrow<DeviceException> { writer.write(bad) }
                            error.errno() shouldBe Errno.EINVAL
                            error.message shouldContain "cannot write column \"bad\": its offsets lead from"
                            shouldThrow<IllegalStateException> { writer.write(bad) }.message shouldContain
                                "failed before"
                        }
                    }
                }
            }
        }
    }

    test("a batch of another schema is rejected, and the writer still works [FIL-11]") {
        EveryType.batch(0, 4).use { batch ->
            batch.select("int64", "utf8").use { first ->
                batch.select("utf8", "int64").use { other ->
                    val output = ByteArrayOutputStream()
                    ArrowWriter.file(output, first.schema(), IpcWriteOptions.defaults()).use { writer ->
                        shouldThrow<IllegalArgumentException> { writer.write(other) }.message shouldContain
                            "cannot write the batch: the batch.int64 is named \"utf8\" instead of \"int64\""
                        writer.write(first)
                        writer.finish()
                    }
                }
            }
        }
    }

    test("a link keeps its target, and a path that is not a file is not replaced [FIL-10]") {
        EveryType.batch(0, 4).use { batch ->
            val target = Files.writeString(folder.resolve("target.arrow"), "old")
            val link = Files.createSymbolicLink(folder.resolve("link.arrow"), target)
            ArrowWriter.file(link, batch.schema(), IpcWriteOptions.defaults()).use { writer ->
                writer.write(batch)
                Files.readString(target) shouldBe "old"
                writer.finish()
            }
            Files.isSymbolicLink(link) shouldBe true
            ArrowFile.open(target).use { it.rowCount() shouldBe 4 }
            shouldThrow<IOException> {
                ArrowWriter.file(folder, batch.schema(), IpcWriteOptions.defaults())
            }.message shouldContain "is not a regular file"
        }
    }
})
