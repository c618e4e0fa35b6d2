// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.pyarrow

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Devices
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.ipc.ArrowFile
import org.arbalest.device.ipc.ArrowStream
import org.arbalest.device.ipc.ArrowWriter
import org.arbalest.device.ipc.IpcCompression
import org.arbalest.device.ipc.IpcReadOptions
import org.arbalest.device.ipc.IpcWriteOptions
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.NestedType.UnionType
import org.arbalest.device.types.Schema
import org.arbalest.interop.Batches
import org.arbalest.interop.Had
import org.arbalest.interop.Types
import org.arbalest.interop.python.IpcFiles
import org.arbalest.interop.python.IpcFiles.Kind
import org.arbalest.interop.python.PythonPeer
import org.arbalest.support.EveryType
import org.arbalest.support.ResourceCountersExtension
import java.nio.file.Files

/** Tests the rest of the format with pyarrow: all types in one batch, metadata, large buffers, and old forms. */
class PyArrowIpcFormatSpec : FunSpec({
    extension(Had.needed { PythonPeer.missing })
    extension(ResourceCountersExtension)

    val folder = Files.createTempDirectory("arbalest-pyarrow")
    val peer = lazy { PythonPeer.start("pyarrow_ipc.py") }
    afterSpec {
        if (peer.isInitialized()) peer.value.close()
        folder.toFile().deleteRecursively()
    }
    val (ours, theirs) = listOf("ours", "theirs").map(folder::resolve)

    test("batches with every type come back from pyarrow with their values and their schema") {
        val metadata = Metadata.of("key", "value")
        EveryType.batch(0, 40).use { whole ->
            val schema = whole.schema().withMetadata(metadata)
            val expected = EveryType.rows(whole)
            for (kind in Kind.entries) for (back in Kind.entries) for (codec in IpcCompression.entries) {
                withClue("$kind to $back, $codec") {
                    val batches = listOf(whole.slice(0, 7), whole.slice(7, 33))
                    IpcFiles.write(ours, kind, schema, batches, IpcWriteOptions.defaults().withCompression(codec))
                    peer.value.call("copy", ours, kind, theirs, back, codec, "V5")
                    IpcFiles.read(theirs, back).use { reader ->
                        reader.schema().metadata() shouldBe metadata
                        fields(reader.schema()) shouldBe fields(schema)
                        val rows = generateSequence { reader.next() }.flatMap { it.use(EveryType::rows) }
                        rows.toList() shouldBe expected
                    }
                }
            }
        }
    }

    test("pyarrow and this library read the metadata that the other one writes, of all four kinds") {
        val field = Field.of("n", DataType.INT64).withMetadata(Metadata.of("of", "field"))
        val schema = Schema.of(listOf(field), Metadata.of("of", "schema"))
        fun batch() = BatchBuilder.of(Devices.cpu(), 1).use { builder ->
            builder.column(field).append(7L)
            builder.build()
        }
        for (kind in Kind.entries) withClue(kind) {
            val options = IpcWriteOptions.defaults().withMetadata(Metadata.of("of", "footer"))
            val writer = if (kind == Kind.FILE) ArrowWriter.file(ours, schema, options)
            else ArrowWriter.stream(ours, schema, options)
            writer.use {
                batch().use { batch ->
                    writer.write(batch, Metadata.of("of", "batch 0"))
                    writer.write(batch)
                }
                writer.finish()
            }
            val footer = if (kind == Kind.FILE) "{of: \"footer\"}" else "{}"
            peer.value.call("metadata", ours, kind) shouldBe
                listOf("{of: \"schema\"}", "{of: \"field\"}", footer, "{of: \"batch 0\"}", "{}")
            peer.value.call("copy", ours, kind, theirs, kind, IpcCompression.NONE, "V5")
            if (kind == Kind.FILE) ArrowFile.open(theirs, IpcReadOptions.defaults()).use { file ->
                file.schema() shouldBe schema
                file.metadata() shouldBe Metadata.of("of", "footer")
                (0..1).map(file::metadata) shouldBe listOf(Metadata.of("of", "batch 0"), Metadata.empty())
            } else ArrowStream.open(theirs, IpcReadOptions.defaults()).use { stream ->
                stream.schema() shouldBe schema
                val found = generateSequence { stream.next() }.map { it.use { stream.metadata() } }.toList()
                found shouldBe listOf(Metadata.of("of", "batch 0"), Metadata.empty())
            }
        }
    }

    test("large buffers by pyarrow, compressed or not, and messages as before Arrow 0.15, have their values") {
        for (kind in Kind.entries) for (codec in IpcCompression.entries) for (form in listOf("legacy", "new")) {
            if (form == "new" || codec == IpcCompression.NONE) withClue("$kind, $codec, $form") {
                peer.value.call("numbered", theirs, kind, codec, form)
                IpcFiles.read(theirs, kind).use { reader ->
                    var row = 0L
                    for (batch in generateSequence { reader.next() }) batch.use {
                        val (number, text) = batch.column("number") to batch.column("text")
                        for (i in 0 until batch.length()) {
                            check(number.get(i) == row.takeIf { row % 2 == 1L }) { "row $row has ${number.get(i)}" }
                            check(text.getString(i) == "text of row $row") { "row $row has ${text.getString(i)}" }
                            row++
                        }
                    }
                    row shouldBe 200_000
                }
            }
        }
    }

    test("a file by pyarrow's Feather API has its values") {
        for (codec in listOf("UNCOMPRESSED", "LZ4", "ZSTD")) withClue(codec) {
            peer.value.call("feather", theirs, codec)
            IpcFiles.read(theirs, Kind.FILE).use { reader ->
                reader.next()!!.use { it.column("number").toList() } shouldBe List(10) { it.toLong() }
                reader.next() shouldBe null
            }
        }
    }

    test("known bug: pyarrow crashes when it writes a union without rows that it has read, compressed") {
        val type = Types.all.first { it.type is UnionType }
        IpcFiles.write(ours, Kind.STREAM, Batches.schema(type), listOf(Batches.built(type, 0, 0)),
            IpcWriteOptions.defaults())
        val own = PythonPeer.start("pyarrow_ipc.py")
        shouldThrow<IllegalStateException> { own.call("crash", ours) }.message shouldContain "Python ended"
        shouldThrow<IllegalStateException> { own.close() }
    }
})

/** Returns the fields with their metadata in any order: pyarrow changes the order of an extension type's keys. */
private fun fields(schema: Schema) = schema.fields().map { field ->
    field.withMetadata(Metadata.empty()) to field.metadata().entries().map { it.key() to it.value() }.toSet()
}
