// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.pyarrow

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.ipc.IpcCompression
import org.arbalest.device.ipc.IpcWriteOptions
import org.arbalest.device.types.FlatType.BinaryViewType
import org.arbalest.device.types.FlatType.Utf8ViewType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.device.types.NestedType.UnionType
import org.arbalest.interop.Batches
import org.arbalest.interop.Batches.part
import org.arbalest.interop.Had
import org.arbalest.interop.TypeCase
import org.arbalest.interop.Types
import org.arbalest.interop.python.IpcFiles
import org.arbalest.interop.python.IpcFiles.Kind
import org.arbalest.interop.python.PythonPeer
import org.arbalest.support.ResourceCountersExtension
import java.nio.file.Files

/** Tests that this library reads the files and streams that pyarrow writes, of arrays that pyarrow has made. */
class PyArrowIpcWriterSpec : FunSpec({
    extension(Had.needed { PythonPeer.missing })
    extension(ResourceCountersExtension)

    val folder = Files.createTempDirectory("arbalest-pyarrow")
    val peer = lazy { PythonPeer.start("pyarrow_ipc.py") }
    afterSpec {
        if (peer.isInitialized()) peer.value.close()
        folder.toFile().deleteRecursively()
    }
    val (ours, theirs) = listOf("ours", "theirs").map(folder::resolve)

    /** Lets pyarrow write arrays that it has made from 100 rows, and reads them. */
    fun shouldRead(type: TypeCase, kind: Kind, codec: IpcCompression, version: String, how: String,
        dictionaries: String = "replaced") {
        val batches = listOf(Batches.laid(type, 0, 30), Batches.laid(type, 25, 40).part(5, 20),
            Batches.laid(type, 0, 9).part(4, 0), Batches.laid(type, 50, 50))
        IpcFiles.write(ours, Kind.STREAM, Batches.schema(type), batches, IpcWriteOptions.defaults())
        peer.value.call("convert", ours, Kind.STREAM, theirs, kind, codec, version, how, dictionaries)
        IpcFiles.read(theirs, kind).use(Batches::read) shouldBe Batches.expected(type, 0 until 100)
    }

    for (how in listOf("combined", "taken", "built")) for (type in Types.all.filter { isPossible(it, how) }) {
        test("files and streams of $type by pyarrow have its values, from arrays that it has $how") {
            val dictionaries = if (how == "built") "unified" else "replaced"
            for (kind in Kind.entries) {
                for (codec in IpcCompression.entries) withClue("$kind, $codec") {
                    shouldRead(type, kind, codec, "V5", how, dictionaries)
                }
                // ArrowCppIpcWriterSpec has the known bug of run-ends in version 4
                if (type.type !is RunEndEncodedType) withClue("$kind, version 4") {
                    shouldRead(type, kind, IpcCompression.NONE, "V4", how, dictionaries)
                }
            }
        }
    }

    for (type in Types.all.filter { "dictionary" in it.name }) {
        test("the dictionaries of $type by pyarrow that differ from batch to batch have its values") {
            for (codec in IpcCompression.entries) {
                for (dictionaries in listOf("replaced", "deltas")) withClue("$codec, $dictionaries") {
                    shouldRead(type, Kind.STREAM, codec, "V5", "built", dictionaries)
                }
            }
        }
    }
})

/** Returns whether pyarrow can take rows from such an array, or build it from values of Python. */
private fun isPossible(type: TypeCase, how: String) = when (how) {
    "taken" -> type.type !is Utf8ViewType && type.type !is BinaryViewType && type.type !is RunEndEncodedType
    "built" -> type.type !is UnionType && type.name != "interval, months" && type.name != "interval, days and ms"
    else -> true
}
