// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.polars

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.RecordBatch
import org.arbalest.device.ipc.IpcCompression
import org.arbalest.device.ipc.IpcWriteOptions
import org.arbalest.device.types.FlatType.Utf8ViewType
import org.arbalest.interop.Batches
import org.arbalest.interop.Batches.part
import org.arbalest.interop.Had
import org.arbalest.interop.TypeCase
import org.arbalest.interop.Types
import org.arbalest.interop.python.IpcFiles
import org.arbalest.interop.python.IpcFiles.Kind
import org.arbalest.interop.python.PythonError
import org.arbalest.interop.python.PythonPeer
import org.arbalest.interop.python.Texts
import org.arbalest.support.ResourceCountersExtension
import java.nio.file.Files

/** Tests that Polars and this library read the files and streams that the other one writes. */
class PolarsIpcSpec : FunSpec({
    extension(Had.needed { PythonPeer.missing })
    extension(ResourceCountersExtension)

    val folder = Files.createTempDirectory("arbalest-polars")
    val peer = lazy { PythonPeer.start("polars_ipc.py") }
    afterSpec {
        if (peer.isInitialized()) peer.value.close()
        folder.toFile().deleteRecursively()
    }
    val (ours, theirs) = listOf("ours", "theirs").map(folder::resolve)

    fun write(type: TypeCase, kind: Kind, batches: List<RecordBatch>, options: IpcWriteOptions) =
        IpcFiles.write(ours, kind, Batches.schema(type), batches, options)

    /** Writes batches, compares the values that Polars reads, and reads the copies that Polars writes. */
    fun shouldRead(type: TypeCase, kind: Kind, options: IpcWriteOptions, batches: List<RecordBatch>, rows: List<Int>) {
        write(type, kind, batches, options)
        val values = rows.associateWith { row -> type.value(row)?.let(change(type)) }
        val isMapped = kind == Kind.FILE && options.compression() == IpcCompression.NONE && type.name != "map"
        val ways = if (isMapped) listOf("file", "mapped") else listOf("$kind")
        for (way in ways) withClue("read as $way") {
            peer.value.call("rows", ours, way).drop(1) shouldBe
                values.map { (row, value) -> "$row ${Texts.of(Batches.plain(value), type.type)}" }
        }
        for (back in Kind.entries) for (level in listOf("oldest", "newest")) withClue("copied to $back, $level") {
            peer.value.call("copy", ours, kind, theirs, back, options.compression(), level)
            IpcFiles.read(theirs, back).use(Batches::read) shouldBe
                values.entries.associate { (row, value) -> row.toLong() to Batches.plain(value) }
        }
    }

    for (type in Types.all.filter { it.name !in REJECTED }) {
        test("files and streams of $type are exchanged with Polars") {
            for (kind in Kind.entries) for (codec in IpcCompression.entries) withClue("$kind, $codec") {
                val options = IpcWriteOptions.defaults().withCompression(codec)
                shouldRead(type, kind, options, slices(type), (0 until 100).toList())
                if (codec == IpcCompression.NONE) withClue("aligned to 8 bytes") {
                    shouldRead(type, kind, options.withAlignment(8), slices(type), (0 until 100).toList())
                }
            }
        }

        test("files and streams of $type without values are exchanged with Polars") {
            for (kind in Kind.entries) for (codec in IpcCompression.entries) withClue("$kind, $codec") {
                val options = IpcWriteOptions.defaults().withCompression(codec)
                // in a small batch, compression makes nothing smaller
                shouldRead(type, kind, options, listOf(Batches.built(type, 3, 1)), listOf(3))
                shouldRead(type, kind, options, listOf(Batches.built(type, 0, 0)), emptyList())
                shouldRead(type, kind, options, emptyList(), emptyList())
            }
        }
    }

    for ((name, words) in REJECTED) test("Polars rejects files and streams of $name") {
        val type = Types.all.single { it.name == name }
        for (kind in Kind.entries) for (codec in IpcCompression.entries) withClue("$kind, $codec") {
            write(type, kind, slices(type), IpcWriteOptions.defaults().withCompression(codec))
            shouldThrow<PythonError> { peer.value.call("rows", ours, kind) }.message shouldContain words
        }
    }

    for (type in Types.all.filter { "dictionary" in it.name }) {
        fun batches() = listOf(Batches.built(type, 0, 2), Batches.built(type, 0, 30).part(2, 28))

        test("Polars reads streams of $type with dictionaries that are replaced") {
            for (codec in IpcCompression.entries) withClue(codec) {
                val options = IpcWriteOptions.defaults().withCompression(codec)
                shouldRead(type, Kind.STREAM, options, batches(), (0 until 30).toList())
            }
        }

        test("Polars rejects streams and files of $type with deltas of dictionaries") {
            for (kind in Kind.entries) for (codec in IpcCompression.entries) withClue("$kind, $codec") {
                write(type, kind, batches(),
                    IpcWriteOptions.defaults().withCompression(codec).withDictionaryDeltas(true))
                shouldThrow<PythonError> { peer.value.call("rows", ours, kind) }.message shouldContain
                    "delta dictionary batches not supported"
            }
        }
    }

    test("known bug: Polars panics at a compressed array of views with an empty data buffer") {
        val type = Types.all.single { it.type is Utf8ViewType }
        for (kind in Kind.entries) for (codec in IpcCompression.entries.drop(1)) withClue("$kind, $codec") {
            val options = IpcWriteOptions.defaults().withCompression(codec)
            write(type, kind, listOf(Batches.laid(type, 0, 100, before = 0)), options)
            shouldThrow<PythonError> { peer.value.call("rows", ours, kind) }.message shouldContain
                "range end index 8 out of range for slice of length 0"
        }
    }

    test("known bug: Polars maps no file with a map into memory") {
        val type = Types.all.single { it.name == "map" }
        write(type, Kind.FILE, slices(type), IpcWriteOptions.defaults())
        shouldThrow<PythonError> { peer.value.call("rows", ours, "mapped") }.message shouldContain
            "not yet implemented"
    }
})

/** Returns 100 rows. */
private fun slices(type: TypeCase): List<RecordBatch> = listOf(Batches.laid(type, 0, 30),
    Batches.laid(type, 25, 40).part(5, 20), Batches.laid(type, 0, 9).part(4, 0), Batches.laid(type, 50, 50))

/** The types that Polars does not have, and a part of its message. */
private val REJECTED = mapOf(
    "decimal256" to "operator does not support primitive `Int256`",
    "interval, months" to "cannot create series from Interval(YearMonth)",
    "interval, days and ms" to "operator does not support primitive `DaysMs`",
    "interval, months, days and ns" to "month_day_nano_interval",
    "list view" to "not yet implemented",
    "large list view" to "not yet implemented",
    "sparse union" to "cannot create series from Union",
    "sparse union, ids 5 and 3" to "cannot create series from Union",
    "dense union" to "cannot create series from Union",
    "run-ends, int16" to "not yet implemented",
    "run-ends, int32" to "not yet implemented",
    "run-ends, int64" to "not yet implemented",
)

/** Polars has times in nanoseconds only, and no timestamps and durations in seconds. */
private fun change(type: TypeCase): (Any) -> Any? = when (type.name) {
    "time32, s" -> { value -> value as Long * 1_000_000_000 }
    "time32, ms" -> { value -> value as Long * 1_000_000 }
    "time64, us", "timestamp, s", "duration, s" -> { value -> value as Long * 1_000 }
    else -> { value -> value }
}
