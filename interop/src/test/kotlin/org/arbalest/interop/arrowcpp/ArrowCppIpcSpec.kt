// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.arrowcpp

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.RecordBatch
import org.arbalest.device.ipc.ArrowWriter
import org.arbalest.device.ipc.IpcCompression
import org.arbalest.device.ipc.IpcWriteOptions
import org.arbalest.device.types.DataType
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.interop.Batches
import org.arbalest.interop.Batches.part
import org.arbalest.interop.Had
import org.arbalest.interop.TypeCase
import org.arbalest.interop.Types
import org.arbalest.support.ResourceCountersExtension
import java.nio.file.Files

/**
 * Tests that Arrow C++ reads the Arrow files that this library writes. [ArrowCppFilesSpec] tests the other direction.
 */
class ArrowCppIpcSpec : FunSpec({
    extension(Had.needed { ArrowCpp.missing })
    extension(ResourceCountersExtension)

    val folder = Files.createTempDirectory("arbalest-ipc")
    afterSpec { folder.toFile().deleteRecursively() }

    fun shouldRead(type: TypeCase, options: IpcWriteOptions, make: (Int) -> RecordBatch?, rows: Iterable<Int>) {
        val place = Files.createTempDirectory(folder, "files")
        ArrowWriter.writeFile(place.resolve("part-0"), Batches.stream(type, make), options)
        DatasetFiles.read(DatasetFiles.Format.ARROW, place, Batches.schema(type)).use(Batches::read) shouldBe
            Batches.expected(type, rows)
    }

    // A dataset of Arrow C++ 21 reads the batches of a file by several threads. With deltas of dictionaries, one of
    // them crashed, in arrow::ipc::HasUnresolvedNestedDict. So files with dictionaries have one batch here.
    val (encoded, plain) = Types.all.partition { hasDictionary(it.type) }

    for (type in encoded) test("Arrow C++ reads the values that were written of $type, in one batch, with each codec") {
        for (codec in IpcCompression.entries) for (alignment in listOf(8, 64)) withClue("$codec, $alignment") {
            val options = IpcWriteOptions.defaults().withCompression(codec).withAlignment(alignment)
            shouldRead(type, options, { if (it < 1) Batches.built(type, 0, 60).part(10, 50) else null }, 10 until 60)
            shouldRead(type, options, { if (it < 1) Batches.built(type, 3, 1) else null }, listOf(3))
            shouldRead(type, options, { if (it < 1) Batches.built(type, 0, 0) else null }, emptyList())
        }
    }

    for (type in plain) {
        test("Arrow C++ reads the values that were written of $type, in slices, with each codec and alignment") {
            for (codec in IpcCompression.entries) for (alignment in listOf(8, 64)) withClue("$codec, $alignment") {
                val options = IpcWriteOptions.defaults().withCompression(codec).withAlignment(alignment)
                shouldRead(type, options.withMaxBatchRows(17), {
                    when (it) {
                        0 -> Batches.laid(type, 0, 30)
                        1 -> Batches.laid(type, 25, 40).part(5, 20)
                        2 -> Batches.laid(type, 0, 9).part(4, 0)
                        3 -> Batches.laid(type, 50, 50, before = 0)
                        else -> null
                    }
                }, 0 until 100)
            }
        }

        test("Arrow C++ reads the values that were written of $type, in batches from a builder") {
            for (codec in IpcCompression.entries) withClue(codec) {
                shouldRead(type, IpcWriteOptions.defaults().withCompression(codec), {
                    when (it) {
                        0 -> Batches.built(type, 0, 2)
                        1 -> Batches.built(type, 2, 28)
                        2 -> Batches.built(type, 20, 40).part(10, 30)
                        else -> null
                    }
                }, 0 until 60)
            }
        }

        test("Arrow C++ reads rows of $type that are all null, and a file without rows") {
            val nulls = listOf(3, 8, 13, 18)
            for (codec in IpcCompression.entries) withClue(codec) {
                val options = IpcWriteOptions.defaults().withCompression(codec)
                shouldRead(type, options, { if (it < 4) Batches.built(type, nulls[it], 1) else null }, nulls)
                shouldRead(type, options, { if (it < 1) Batches.built(type, 0, 0) else null }, emptyList())
                shouldRead(type, options, { null }, emptyList())
            }
        }
    }
})

private fun hasDictionary(type: DataType): Boolean =
    type is DictionaryType || type.children().any { hasDictionary(it.type()) }
