// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArrayStream
import org.arbalest.device.support.struct
import org.arbalest.support.CCompiler
import org.arbalest.support.CPeer
import org.arbalest.support.PeerMoves
import org.arbalest.support.PeerStreams
import org.arbalest.support.PeerStreams.Flavour
import org.arbalest.support.PeerStreams.Flavour.*
import org.arbalest.support.PeerStreams.StreamCall
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import org.arbalest.testkit.contract.eventually
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.lang.invoke.MethodHandle
import java.lang.invoke.MethodHandles
import java.util.concurrent.CompletableFuture.supplyAsync
import java.util.concurrent.ExecutionException
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit.SECONDS

class StreamSourceSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    val threads = Executors.newCachedThreadPool { Thread(it).apply { isDaemon = true } }
    afterSpec { threads.shutdownNow() }

    /** Imports the peer's stream of 5 batches of 10 rows, as a plain stream and as a device stream. */
    fun both(vararg flavours: Flavour, at: Long = 2, code: Int = Errno.EIO, use: (RecordBatchReader) -> Unit) =
        Arena.ofConfined().use { arena ->
            for (kind in listOf(StructKind.STREAM, StructKind.DEVICE_STREAM)) {
                CPeer.reset()
                val stream = arena.struct(kind)
                val reader = if (kind == StructKind.STREAM) {
                    PeerStreams.stream(stream, 5, 10, flavours.toSet(), at, code)
                    CData.importStream(stream, CImport.DATA)
                } else {
                    PeerStreams.deviceStream(stream, 5, 10, flavours.toSet(), at, code)
                    CData.importStream(stream, CImport.DEVICE)
                }
                reader.use(use)
                stream.fill(0x5a)
                CPeer.counts().let { it.streams shouldBe 0; it.doubleReleases shouldBe 0; it.violation shouldBe "" }
                PeerStreams.calls(StreamCall.RELEASE) shouldBe 1
            }
        }

    fun ids(reader: RecordBatchReader): List<Long> =
        generateSequence { reader.next() }.flatMap { batch ->
            batch.use { it.column("id").toLongArray().toList() }
        }.toList()

    fun failure(reader: RecordBatchReader) = shouldThrow<DeviceException> { reader.next()?.close() }

    test("after the end the reader returns null, and calls the producer no more [STR-01]") {
        both { reader ->
            ids(reader) shouldBe (0L until 50).toList()
            repeat(3) { reader.next() shouldBe null }
            PeerStreams.calls(StreamCall.GET_NEXT) shouldBe 6
            PeerStreams.calls(StreamCall.GET_LAST_ERROR) shouldBe 0
        }
    }

    test("at the end the reader looks only at the array's release [STR-10]") {
        both(END_GARBAGE) { reader -> ids(reader) shouldBe (0L until 50).toList() }
    }

    test("a producer that returns 0 and writes nothing has ended its stream [STR-01]") {
        for (atStart in listOf(true, false)) Arena.ofConfined().use { arena ->
            fun callback(type: FunctionDescriptor, function: MethodHandle) =
                Linker.nativeLinker().upcallStub(function, type, arena).address()
            val stream = arena.struct(StructKind.STREAM)
            val producer = SilentEnd(if (atStart) 0 else 1)
            RawArrowArrayStream.setGetSchema(stream.address(),
                callback(SilentEnd.GET, SilentEnd.getSchema.bindTo(producer)))
            RawArrowArrayStream.setGetNext(stream.address(),
                callback(SilentEnd.GET, SilentEnd.getNext.bindTo(producer)))
            RawArrowArrayStream.setRelease(stream.address(),
                callback(SilentEnd.RELEASE, SilentEnd.release.bindTo(producer)))
            CData.importStream(stream, CImport.DATA).use { reader ->
                if (!atStart) reader.next()!!.close()
                reader.next() shouldBe null
            }
            producer.releases shouldBe 1
        }
    }

    test("the exception has the number and name of the producer's errno, also without a message [STR-02]") {
        for (code in listOf(Errno.EINVAL, Errno.ENOMEM, Errno.EIO, Errno.ENOSYS, Errno.ECANCELED, 74, -3)) {
            both(FAIL, TEXT_NULL, at = 0, code = code) { reader ->
                failure(reader).let {
                    it.errno() shouldBe code
                    it.message shouldBe "get_next failed with ${Errno.name(code)} and no message"
                    it.toString() shouldContain "${Errno.name(code)} ($code)"
                }
            }
        }
    }

    test("the text of an error is fetched once, and copied before the next call overwrites it [STR-03]") {
        both(FAIL, TEXT_VOLATILE) { reader ->
            repeat(2) { reader.next()!!.close() }
            PeerStreams.calls(StreamCall.GET_LAST_ERROR) shouldBe 0
            val first = failure(reader)
            first.message shouldBe "peer: batch 2 failed — code ${Errno.EIO}"
            repeat(2) { failure(reader).message shouldBe first.message }
            PeerStreams.calls(StreamCall.GET_LAST_ERROR) shouldBe 1
        }
    }

    test("a closed reader makes no call on its stream, which was released once [STR-04]") {
        both { reader ->
            reader.next()!!.close()
            repeat(3) { reader.close() }
            val calls = StreamCall.entries.map(PeerStreams::calls)
            shouldThrow<IllegalStateException> { reader.next() }.message shouldBe "the reader was closed"
            StreamCall.entries.map(PeerStreams::calls) shouldBe calls
        }
    }

    test("a released stream cannot be imported [STR-04]") {
        Arena.ofConfined().use { arena ->
            val stream = arena.struct(StructKind.STREAM)
            PeerStreams.stream(stream, 1, 1)
            PeerMoves.release(stream, StructKind.STREAM)
            shouldThrow<DeviceException> { CData.importStream(stream, CImport.DATA) }.message shouldContain
                "released before"
            PeerStreams.calls(StreamCall.GET_SCHEMA) shouldBe 0
        }
    }

    test("the chunks and the schema outlive the stream [STR-05]") {
        val kept = mutableListOf<RecordBatch>()
        both { reader -> generateSequence { reader.next() }.forEach(kept::add) }
        kept.map { it.column("id").getLong(9) } shouldBe List(2) { listOf(9L, 19L, 29L, 39L, 49L) }.flatten()
        kept.map { it.column("name").get(7) }.take(2) shouldBe listOf("row-7", "row-17")
        kept[0].schema().fields().map { it.name() } shouldBe listOf("id", "name")
        kept.forEach(RecordBatch::close)
    }

    test("the schema is fetched once, so that a producer need not repeat it [STR-06]") {
        both(SCHEMA_ONCE) { reader ->
            repeat(3) { reader.schema().fields().size shouldBe 2 }
            ids(reader).size shouldBe 50
            PeerStreams.calls(StreamCall.GET_SCHEMA) shouldBe 1
        }
    }

    test("a failure of get_schema throws its errno and text, and the stream is released once [STR-02]") {
        for (flavours in listOf(
            setOf(FAIL_SCHEMA), setOf(FAIL_SCHEMA, TEXT_NULL), setOf(FAIL_SCHEMA, FAIL_GARBAGE, TEXT_VOLATILE),
        )) {
            CPeer.reset()
            Arena.ofConfined().use { arena ->
                val stream = arena.struct(StructKind.STREAM)
                PeerStreams.stream(stream, 5, 10, flavours, 0, Errno.ENOSYS)
                val failure = shouldThrow<DeviceException> { CData.importStream(stream, CImport.DATA) }
                failure.errno() shouldBe Errno.ENOSYS
                failure.message shouldBe
                    if (TEXT_NULL in flavours) "get_schema failed with ENOSYS and no message"
                    else "peer: schema 0 failed — code ${Errno.ENOSYS}"
                RawArrowArrayStream.release(stream.address()) shouldBe 0
                PeerStreams.calls(StreamCall.RELEASE) shouldBe 1
            }
        }
    }

    test("two threads that pull in turn receive every chunk once [STR-07]") {
        both { reader ->
            val halves = List(2) { supplyAsync({ ids(reader) }, threads) }
            halves.flatMap { it.get(5, SECONDS) }.sorted() shouldBe (0L until 50).toList()
        }
    }

    test("a chunk on another device type is an error, and a chunk with another device id is not [STR-08]") {
        Arena.ofConfined().use { arena ->
            val stream = arena.struct(StructKind.DEVICE_STREAM)
            PeerStreams.deviceStream(stream, 5, 10, setOf(OTHER_DEVICE, DIRTY_RESERVED), at = 1, deviceId = 3,
                deviceType = 2)
            CData.importStream(stream, CImport.DEVICE).use { reader ->
                reader.deviceType() shouldBe DeviceType(2)
                reader.next()!!.use { it.device().toString() shouldBe "CUDA:3" }
                repeat(2) { failure(reader).message shouldContain "a stream of CUDA arrays returned one on" }
            }
        }
    }

    test("an error has errno and message, and is repeated even if the producer would go on [STR-09]") {
        for (flavours in listOf(arrayOf(FAIL), arrayOf(FAIL, FAIL_ONCE), arrayOf(FAIL, FAIL_ONCE, FAIL_GARBAGE))) {
            both(*flavours, code = Errno.ENOMEM) { reader ->
                repeat(2) { reader.next()!!.close() }
                val first = failure(reader)
                first.errno() shouldBe Errno.ENOMEM
                repeat(3) {
                    failure(reader).let { it.message shouldBe first.message; it.errno() shouldBe Errno.ENOMEM }
                }
                PeerStreams.calls(StreamCall.GET_NEXT) shouldBe 3
            }
        }
    }

    test("a malformed chunk makes all later pulls fail, and is released once [STR-09, ARR-18]") {
        both(BAD_CHILDREN) { reader ->
            repeat(2) { reader.next()!!.close() }
            repeat(2) { failure(reader).message shouldBe "n_children = 1, but the schema has 2" }
            CPeer.counts().arrays shouldBe 0
        }
        both(BAD_BUFFERS, at = 0) { reader ->
            repeat(2) { failure(reader).message shouldBe "$.name: n_buffers = 2, but an array of type utf8 has 3" }
        }
    }

    test("an offset beyond the data of one column does not affect reading another column") {
        both(BAD_OFFSETS, at = 0) { reader ->
            reader.next()!!.use { it.column("id").toLongArray().sum() shouldBe 45 }
        }
    }

    test(
        "closing a reader while the producer blocks returns at once; the stream is released after the pull",
    ) {
        both(GATE, at = 1) { reader ->
            reader.next()!!.close()
            val pull = supplyAsync({ reader.next() }, threads)
            eventually("a thread is at the gate") { CPeer.waitingAtGate != 0L }
            reader.close()
            PeerStreams.calls(StreamCall.RELEASE) shouldBe 0
            CPeer.openGate()
            shouldThrow<ExecutionException> { pull.get(5, SECONDS) }.cause!!.message shouldBe "the reader was closed"
            CPeer.shutGate()
        }
    }

    test("chunks that are sliced or unaligned read the same [STR-09]") {
        both(SLICED, UNALIGNED, END_GARBAGE) { reader -> ids(reader) shouldBe (0L until 50).toList() }
    }
})

/** A producer that gives some batches, and then returns 0 without a write to the out struct. */
internal class SilentEnd(private var batches: Int) {
    var releases = 0

    fun getSchema(@Suppress("UNUSED_PARAMETER") stream: Long, out: Long): Int {
        PeerStreams.batchSchema(MemorySegment.ofAddress(out))
        return 0
    }

    fun getNext(@Suppress("UNUSED_PARAMETER") stream: Long, out: Long): Int {
        if (batches-- > 0) PeerStreams.batch(MemorySegment.ofAddress(out), 0, 1)
        return 0
    }

    fun release(stream: Long) {
        releases++
        RawArrowArrayStream.setRelease(stream, 0)
    }

    companion object {
        val GET: FunctionDescriptor = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG)
        val RELEASE: FunctionDescriptor = FunctionDescriptor.ofVoid(JAVA_LONG)
        val getSchema = find("getSchema", GET)
        val getNext = find("getNext", GET)
        val release = find("release", RELEASE)

        private fun find(name: String, type: FunctionDescriptor): MethodHandle =
            MethodHandles.lookup().findVirtual(SilentEnd::class.java, name, type.toMethodType())
    }
}
