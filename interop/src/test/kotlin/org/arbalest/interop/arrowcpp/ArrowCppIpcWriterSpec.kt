// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.arrowcpp

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.ipc.ArrowFile
import org.arbalest.device.ipc.ArrowStream
import org.arbalest.device.ipc.IpcCompression
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.interop.Batches
import org.arbalest.interop.Batches.part
import org.arbalest.interop.Had
import org.arbalest.interop.Types
import org.arbalest.support.ResourceCountersExtension
import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.inputStream

/** Tests that this library reads the files and streams of Arrow C++'s own writers. */
class ArrowCppIpcWriterSpec : FunSpec({
    extension(Had.needed { ArrowCpp.shimMissing })
    extension(ResourceCountersExtension)

    val path = Files.createTempFile("arbalest-ipc", null)
    afterSpec { Files.delete(path) }

    fun open(path: Path, isFile: Boolean) = if (isFile) ArrowFile.read(path) else ArrowStream.read(path.inputStream())

    for (type in Types.all) {
        test("files and streams of $type by Arrow C++ have its values, in either version and with each codec") {
            for (isFile in listOf(true, false)) for (version in listOf(4, 5)) for (codec in IpcCompression.entries) {
                withClue("${if (isFile) "file" else "stream"}, version $version, $codec") {
                    val batches = listOf(Batches.laid(type, 0, 30), Batches.laid(type, 25, 40).part(5, 20),
                        Batches.laid(type, 0, 9).part(4, 0), Batches.laid(type, 50, 50))
                    CppFiles.write(path, batches, isFile, codec, version)
                    open(path, isFile).use(Batches::read) shouldBe Batches.expected(type, 0 until 100)
                }
            }
        }
    }

    test("buffers of some MiB that Arrow C++ has compressed have its values") {
        val text = Field.of("text", DataType.UTF8)
        val number = Field.of("number", DataType.INT64)
        val rows = 200_000
        fun batch(): RecordBatch = BatchBuilder.of(Devices.cpu(), rows).use { batch ->
            val (texts, numbers) = batch.column(text) to batch.column(number)
            for (row in 0 until rows) {
                texts.append("some text of row ${row % 1000}, then ${row * 7919L}")
                numbers.append(row * row.toLong())
            }
            batch.build()
        }
        batch().use { expected ->
            for (codec in IpcCompression.entries) for (isFile in listOf(true, false)) withClue("$codec, $isFile") {
                CppFiles.write(path, listOf(expected.retain()), isFile, codec)
                open(path, isFile).use { reader ->
                    reader.next()!!.use { it.difference(expected) shouldBe null }
                    reader.next() shouldBe null
                }
            }
        }
    }

    for (type in Types.all.filter { "dictionary" in it.name }) {
        test("the changed dictionaries of $type in a stream by Arrow C++ have its values") {
            for (deltas in listOf(false, true)) for (codec in IpcCompression.entries) withClue("$deltas, $codec") {
                val batches = listOf(Batches.built(type, 0, 2), Batches.built(type, 2, 28), Batches.built(type, 30, 10))
                CppFiles.write(path, batches, isFile = false, codec, deltas = deltas)
                open(path, isFile = false).use(Batches::read) shouldBe Batches.expected(type, 0 until 40)
            }
        }

        test("the dictionary that grows by deltas of $type in a file by Arrow C++ has its values") {
            for (codec in IpcCompression.entries) withClue(codec) {
                val batches = listOf(Batches.built(type, 0, 2), Batches.built(type, 0, 10).part(2, 8),
                    Batches.built(type, 0, 30).part(10, 20))
                CppFiles.write(path, batches, isFile = true, codec, deltas = true)
                open(path, isFile = true).use(Batches::read) shouldBe Batches.expected(type, 0 until 30)
            }
        }
    }
})
