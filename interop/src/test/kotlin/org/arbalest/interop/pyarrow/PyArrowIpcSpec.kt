// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.pyarrow

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.RecordBatch
import org.arbalest.device.ipc.IpcCompression
import org.arbalest.device.ipc.IpcWriteOptions
import org.arbalest.interop.Batches
import org.arbalest.interop.Batches.part
import org.arbalest.interop.Had
import org.arbalest.interop.TypeCase
import org.arbalest.interop.Types
import org.arbalest.interop.python.IpcFiles
import org.arbalest.interop.python.IpcFiles.Kind
import org.arbalest.interop.python.PythonPeer
import org.arbalest.interop.python.Texts
import org.arbalest.support.ResourceCountersExtension
import java.nio.file.Files

/**
 * Tests that pyarrow reads the Arrow files and streams that this library writes. pyarrow validates the batches, returns
 * the values as texts, and writes the batches again for this library.
 */
class PyArrowIpcSpec : FunSpec({
    extension(Had.needed { PythonPeer.missing })
    extension(ResourceCountersExtension)

    val folder = Files.createTempDirectory("arbalest-pyarrow")
    val peer = lazy { PythonPeer.start("pyarrow_ipc.py") }
    afterSpec {
        if (peer.isInitialized()) peer.value.close()
        folder.toFile().deleteRecursively()
    }

    val names = PythonPeer.lines("pyarrow_types.txt").map { it.split(" -> ") }.associate { it[0] to it[1] }

    /** Writes batches, lets pyarrow return their values and write them again, and reads these. */
    fun shouldRead(type: TypeCase, kind: Kind, options: IpcWriteOptions, batches: List<RecordBatch>, rows: List<Int>,
        back: Kind = kind.other) {
        val (ours, theirs) = listOf("ours", "theirs").map(folder::resolve)
        IpcFiles.write(ours, kind, Batches.schema(type), batches, options)
        val codec = IpcCompression.entries.let { it[(options.compression().ordinal + 1) % it.size] }
        peer.value.call("rows", ours, kind) shouldBe listOf(names[type.name]) +
            if ("interval, months" == type.name || "interval, days and ms" == type.name) listOf("no values")
            else rows.map { "$it ${Texts.of(Batches.plain(type.value(it)), type.type)}" }
        peer.value.call("copy", ours, kind, theirs, back, codec, "V5")
        IpcFiles.read(theirs, back).use(Batches::read) shouldBe Batches.expected(type, rows)
    }

    for (type in Types.all) test("pyarrow reads the values that were written of $type, in files and streams") {
        for (kind in Kind.entries) for (codec in IpcCompression.entries) for (alignment in listOf(8, 64)) {
            val options = IpcWriteOptions.defaults().withCompression(codec).withAlignment(alignment)
            withClue("$kind, $codec, $alignment, whole batches and slices") {
                val batches = listOf(Batches.laid(type, 0, 30), Batches.laid(type, 25, 40).part(5, 20),
                    Batches.laid(type, 0, 9).part(4, 0), Batches.laid(type, 50, 50, before = 0))
                shouldRead(type, kind, options.withMaxBatchRows(17), batches, (0 until 100).toList())
            }
            withClue("$kind, $codec, $alignment, nulls only") {
                val nulls = listOf(3, 8, 13, 18)
                shouldRead(type, kind, options, nulls.map { Batches.built(type, it, 1) }, nulls)
            }
            withClue("$kind, $codec, $alignment, no rows") {
                shouldRead(type, kind, options, listOf(Batches.built(type, 0, 0)), emptyList())
                shouldRead(type, kind, options, emptyList(), emptyList())
            }
        }
    }

    for (type in Types.all.filter { "dictionary" in it.name }) {
        test("pyarrow reads the changed dictionaries that were written of $type") {
            for (kind in Kind.entries) for (codec in IpcCompression.entries) for (deltas in listOf(false, true)) {
                withClue("$kind, $codec, $deltas") {
                    val options = IpcWriteOptions.defaults().withCompression(codec).withDictionaryDeltas(deltas)
                    val batches = listOf(Batches.built(type, 0, 2), Batches.built(type, 0, 30).part(2, 28),
                        Batches.built(type, 30, 10))
                    shouldRead(type, kind, options, batches, (0 until 40).toList(), back = kind)
                }
            }
        }
    }
})
