// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.internal.abi.RawArrowArrayStream
import org.arbalest.device.support.garbage
import org.arbalest.device.support.shouldBeGarbage
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.Drained
import org.arbalest.support.EveryType
import org.arbalest.support.PeerMoves
import org.arbalest.support.PeerNodes
import org.arbalest.support.PeerStreams
import org.arbalest.support.PeerStreams.Manner
import org.arbalest.support.PeerStreams.Manner.*
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import org.arbalest.testkit.contract.Held
import java.io.IOException
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.reflect.InvocationTargetException
import java.util.concurrent.CancellationException

class StreamExportSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    val schema = Schema.of(listOf(Field.of("id", DataType.INT64)))

    fun batch(first: Long, rows: Int = 10): RecordBatch =
        BatchBuilder.of(Devices.cpu(), rows).use { batch -> batch.int64("id", LongArray(rows) { first + it }).build() }

    fun source(batches: Int, atEnd: () -> RecordBatch? = { null }): DeviceArrayReader.Source<RecordBatch> {
        var next = 0
        return DeviceArrayReader.Source<RecordBatch> { if (next < batches) batch(10L * next++) else atEnd() }
    }

    /** Exports a stream that the peer drains, as a plain stream and as a device stream. */
    fun both(
        source: () -> DeviceArrayReader.Source<RecordBatch>,
        vararg manners: Manner,
        stopAfter: Long = -1,
        extra: Long = 3,
        look: (Drained) -> Unit,
    ) = Arena.ofConfined().use { arena ->
        val plain = arena.struct(StructKind.STREAM)
        RecordBatchReader.of(schema, source()).use { CData.exportStream(it, plain, CExport.DATA) }
        look(PeerStreams.drain(plain, manners.toSet(), stopAfter, extra))
        val device = arena.struct(StructKind.DEVICE_STREAM)
        RecordBatchReader.of(schema, DeviceType.CPU, source()).use { CData.exportStream(it, device, CExport.DEVICE) }
        PeerStreams.drainDevice(device, manners.toSet(), stopAfter, extra).let {
            it.typeDiffers + it.reservedDirty + it.cpuIdOdd + it.events shouldBe 0
            look(it)
        }
        Held.now().let { it.streams shouldBe 0; it.readers shouldBe 0 }
    }

    val all by lazy { EveryType.checksum(batch(0, 50)) }

    test("at the end get_next returns 0 and a released array, again and again, and reports no error [STR-01]") {
        both({ source(5) }) {
            it.ended shouldBe true
            it.code shouldBe 0
            it.checksum shouldBe all
            it.extraSame shouldBe 3
            it.extraOther shouldBe 0
            it.error shouldBe null
        }
        both({ source(0) }) { it.ended shouldBe true; it.batches shouldBe 0 }
    }

    test("an exception of a source becomes an errno and its whole text [STR-02, STR-03, STR-17]") {
        val failures = mapOf(
            DeviceException(74, "of its own") to (74 to "of its own"),
            IOException("disk on fire") to (Errno.EIO to "java.io.IOException: disk on fire"),
            OutOfMemoryError("heap") to (Errno.ENOMEM to "java.lang.OutOfMemoryError: heap"),
            IllegalArgumentException("no such table") to (Errno.EINVAL to "no such table"),
            UnsupportedOperationException("not yet") to (Errno.ENOSYS to "not yet"),
            CancellationException("stopped") to (Errno.ECANCELED to "stopped"),
            IOException() to (Errno.EIO to "java.io.IOException"),
            RuntimeException("up to \u0000 here") to (Errno.EIO to "up to \uFFFD here"),
            RuntimeException("päth → 東") to (Errno.EIO to "päth → 東"),
        )
        for ((failure, answer) in failures) {
            both({ source(2) { throw failure } }) {
                it.code shouldBe answer.first
                it.error!! shouldContain answer.second
                it.batches shouldBe 2
                it.ended shouldBe false
            }
        }
    }

    test("a stream without an error has no error text [STR-03]") {
        both({ source(1) }, extra = 0) { it.error shouldBe null }
    }

    test("a released stream answers a late call with EINVAL, and ignores a second release [STR-04]") {
        Arena.ofConfined().use { arena ->
            val stream = arena.struct(StructKind.STREAM)
            val copy = arena.struct(StructKind.STREAM)
            CData.exportStream(RecordBatchReader.of(schema, DeviceType.CPU, source(1)), stream, CExport.DATA)
            PeerMoves.copy(stream, copy, StructKind.STREAM)
            PeerMoves.releaseTwice(stream, StructKind.STREAM) shouldBe true
            PeerStreams.drain(copy).code shouldBe Errno.EINVAL
            RawArrowArrayStream.release(copy.address()) shouldBe 0
        }
    }

    test("a stream may be moved before its use, and a release closes the arrays that were not pulled [STR-04]") {
        Arena.ofConfined().use { arena ->
            for (released in listOf(true, false)) {
                val (stream, moved) = List(2) { arena.struct(StructKind.STREAM) }
                CData.exportStream(RecordBatchReader.of(schema, List(5) { batch(10L * it) }), stream, CExport.DATA)
                PeerMoves.move(stream, moved, StructKind.STREAM)
                stream.fill(0x5a)
                if (released) PeerMoves.releaseOnThread(moved, StructKind.STREAM)
                else PeerStreams.drain(moved).checksum shouldBe all
                Held.now().arrays shouldBe 0
            }
        }
        both({ source(5) }, stopAfter = 2, extra = 0) { it.batches shouldBe 2; it.ended shouldBe false }
    }

    test("chunks and schemas outlive the stream [STR-05]") {
        both({ source(5) }, KEEP, SCHEMA_OFTEN) { it.checksum shouldBe all; it.schemaDiffers shouldBe 0 }
    }

    test("the schema can be queried at any time, and is always the same [STR-06]") {
        both({ source(5) }, SCHEMA_OFTEN) {
            it.schemaCalls shouldBe 7
            it.schemaDiffers shouldBe 0
            it.checksum shouldBe all
        }
    }

    test("two threads that pull, in turn or at once, receive each chunk once [STR-07]") {
        val rows = Arena.ofConfined().use { arena ->
            val stream = arena.struct(StructKind.STREAM)
            CData.exportStream(RecordBatchReader.of(schema, DeviceType.CPU, source(200)), stream, CExport.DATA)
            PeerStreams.drain(stream).rowSum
        }
        for (manner in listOf(TAKE_TURNS, RACE)) {
            both({ source(200) }, manner, extra = 0) {
                it.code shouldBe 0
                it.batches shouldBe 200
                it.rows shouldBe 2000
                it.rowSum shouldBe rows
            }
        }
    }

    /** Returns an empty batch on CUDA:1, a device without a provider. */
    fun cuda(): RecordBatch = Arena.ofConfined().use { arena ->
        val (array, device) = arena.struct(StructKind.ARRAY) to arena.struct(StructKind.DEVICE_ARRAY)
        PeerNodes.array(array, length = 0, buffers = 1, children = 1)
        val column = MemorySegment.ofAddress(RawArrowArray.child(array.address(), 0)).reinterpret(RawArrowArray.SIZE)
        PeerNodes.array(column, length = 0, buffers = 2)
        PeerNodes.deviceArray(device, array, 1, 2)
        CData.importBatch(device, CImport.DEVICE.schema(schema))
    }

    test("a reader of a list has its batches' device, and accepts only one schema and device [STR-08]") {
        RecordBatchReader.of(schema, List(3) { cuda() }).use { reader ->
            reader.deviceType() shouldBe DeviceType(2)
            var seen = 0
            reader.forEach { it.device().type() shouldBe DeviceType(2); seen++ }
            seen shouldBe 3
        }
        RecordBatchReader.of(schema, listOf()).use { it.deviceType() shouldBe DeviceType.CPU }
        RecordBatchReader.of(schema, DeviceType(2), listOf()).use { it.deviceType() shouldBe DeviceType(2) }
        fun text() = BatchBuilder.of(Devices.cpu(), 0).use { it.utf8("id", listOf()).build() }
        fun mixed() = listOf(batch(0), cuda(), text())
        shouldThrow<IllegalArgumentException> { RecordBatchReader.of(schema, mixed()) }.message shouldBe
            "batch 1: a stream of CPU arrays returned one on CUDA:1"
        shouldThrow<IllegalArgumentException> { RecordBatchReader.of(schema, listOf(batch(0), text())) }
            .message shouldContain "batch 1: a stream returned an array of another type"
        shouldThrow<IllegalArgumentException> { RecordBatchReader.of(schema, DeviceType(2), mixed()) }
            .message shouldContain "batch 0: a stream of CUDA arrays"
    }

    test("a reader owns the arrays that it receives, even if it rejects them; closed or repeated ones fail [OWN-16]") {
        val given = List(2) { batch(it.toLong()) }
        RecordBatchReader.of(schema, given).use { reader ->
            given.map { it.isOpen } shouldBe listOf(false, false)
            reader.next()!!.use { it.column("id").getLong(0) shouldBe 0L }
        }
        val refusals = listOf(
            listOf(batch(0).also { it.close() }, batch(1)),
            batch(0).let { listOf(batch(1), it, it) },
            listOf(batch(0), null, batch(1)),
            listOf(batch(0), BatchBuilder.of(Devices.cpu(), 0).use { it.utf8("id", listOf()).build() }, batch(1)),
        )
        for (batches in refusals) {
            @Suppress("UNCHECKED_CAST")
            shouldThrow<RuntimeException> { RecordBatchReader.of(schema, batches as List<RecordBatch>) }
            batches.filterNotNull().forEach { it.isOpen shouldBe false }
        }
        val unknown = batch(0)
        val of =
            RecordBatchReader::class.java.getMethod("of", Schema::class.java, DeviceType::class.java, List::class.java)
        shouldThrow<InvocationTargetException> { of.invoke(null, schema, null, listOf(unknown)) }
            .cause!!::class shouldBe NullPointerException::class
        unknown.isOpen shouldBe false
        val twice = batch(0)
        shouldThrow<IllegalStateException> { RecordBatchReader.of(schema, listOf(twice, twice)) }.message shouldBe
            "batch 1 was closed or exported, or is in the list twice"
    }

    test("a source that returns a closed array makes the stream fail [OWN-16]") {
        val closed = batch(0).also { it.close() }
        RecordBatchReader.of(schema, DeviceType.CPU) { closed }.use { reader ->
            repeat(2) {
                shouldThrow<DeviceException> { reader.next() }.message shouldContain
                    "a stream returned an array that was closed or exported"
            }
        }
    }

    test("forEach closes each array after its action, also if that throws, and leaves the reader open") {
        val seen = mutableListOf<RecordBatch>()
        RecordBatchReader.of(schema, DeviceType.CPU, source(4)).use { reader ->
            shouldThrow<IOException> { reader.forEach { seen += it; if (seen.size == 2) throw IOException("full") } }
            seen.map { it.isOpen } shouldBe listOf(false, false)
            val kept = mutableListOf<RecordBatch>()
            reader.forEach { kept += it.retain() }
            kept.map { it.column("id").getLong(0) } shouldBe listOf(20L, 30L)
            kept.forEach(RecordBatch::close)
            reader.next() shouldBe null
        }
    }

    test("a chunk of another device type or data type ends an exported stream with an error [STR-08]") {
        fun mixed(other: RecordBatch) = DeviceArrayReader.Source<RecordBatch> { other }
        both({ mixed(cuda()) }, extra = 0) {
            it.code shouldBe Errno.EINVAL
            it.error shouldBe "a stream of CPU arrays returned one on CUDA:1"
        }
        val text = { BatchBuilder.of(Devices.cpu(), 0).use { it.utf8("id", listOf()).build() } }
        both({ mixed(text()) }, extra = 0) {
            it.code shouldBe Errno.EINVAL
            it.error!! shouldContain "returned an array of"
        }
    }

    test("all later calls repeat an error with its text, and the source is not pulled again [STR-09]") {
        var asked = 0
        both({ asked = 0; source(2) { asked++; throw IOException("disk on fire") } }, extra = 5) {
            it.code shouldBe Errno.EIO
            it.error!! shouldContain "disk on fire"
            it.extraSame shouldBe 5
            it.extraOther shouldBe 0
            asked shouldBe 1
        }
    }

    test("each repeated error has its text, and the schema is still available [STR-09]") {
        both({ source(1) { throw IOException("disk on fire") } }, SCHEMA_OFTEN, extra = 2) {
            it.schemaDiffers shouldBe 0
            it.error!! shouldContain "disk on fire"
        }
    }

    test("a stream of another device cannot be exported as a plain stream [STR-08]") {
        Arena.ofConfined().use { arena ->
            val stream = arena.garbage(StructKind.STREAM.size)
            RecordBatchReader.of(schema, DeviceType(2), source(1)).use { reader ->
                shouldThrow<DeviceException> { CData.exportStream(reader, stream, CExport.DATA) }.message shouldContain
                    "export a device stream"
                stream.shouldBeGarbage()
            }
        }
    }

    test("a second export of a reader throws, and writes nothing, not even to the first struct [OWN-09]") {
        Arena.ofConfined().use { arena ->
            val (stream, other) = arena.struct(StructKind.STREAM) to arena.garbage(StructKind.DEVICE_STREAM.size)
            val reader = RecordBatchReader.of(schema, List(2) { batch(it.toLong()) })
            CData.exportStream(reader, stream, CExport.DATA)
            shouldThrow<IllegalStateException> { CData.exportStream(reader, other, CExport.DEVICE) }.message shouldBe
                "the reader was consumed by an export: its consumer receives the arrays"
            other.shouldBeGarbage()
            shouldThrow<IllegalStateException> { CData.exportStream(reader, stream, CExport.DATA) }.message shouldBe
                "the reader was consumed by an export: its consumer receives the arrays"
            shouldThrow<IllegalStateException> { reader.next() }.message shouldBe
                "the reader was consumed by an export: its consumer receives the arrays"
            reader.close()
            PeerStreams.drain(stream).batches shouldBe 2
        }
    }

    test("an exported stream that passes through C and back gives the same batches [STR-05]") {
        Arena.ofConfined().use { arena ->
            val (there, back) = List(2) { arena.struct(StructKind.DEVICE_STREAM) }
            CData.exportStream(RecordBatchReader.of(schema, DeviceType.CPU, source(5)), there, CExport.DEVICE)
            CData.exportStream(CData.importStream(there, CImport.DEVICE), back, CExport.DEVICE)
            PeerStreams.drainDevice(back, setOf(KEEP)).checksum shouldBe all
        }
    }
})
