// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.c

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldEndWith
import io.kotest.matchers.string.shouldStartWith
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.async.AsyncProducer
import org.arbalest.device.async.AsyncQuirk
import org.arbalest.device.async.AsyncSchema
import org.arbalest.device.async.AsyncTask
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.internal.abi.RawArrowSchema
import org.arbalest.device.support.Supplied
import org.arbalest.device.support.outcome
import org.arbalest.device.support.shouldBeGarbage
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.PeerConsumer
import org.arbalest.support.PeerMoves
import org.arbalest.support.PeerNodes
import org.arbalest.support.PeerStreams
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import java.io.IOException
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.SegmentAllocator
import java.util.concurrent.CompletionStage
import java.util.concurrent.ForkJoinPool

/** Imports and exports by struct addresses, as Arrow Java, DuckDB and Python pass them, and invalid addresses. */
class CDataSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    val pool = ForkJoinPool.commonPool()
    val schema = Schema.of(listOf(Field.of("id", DataType.INT64)))

    fun ids(rows: Int): RecordBatch = BatchBuilder.of(Devices.cpu(), rows).use {
        it.int64("id", LongArray(rows) { i -> 7L + i }).build()
    }

    /** Returns the address without a size, as C passes it. */
    fun MemorySegment.pointer() = MemorySegment.ofAddress(address())

    fun RecordBatch.last() = column("id").getLong(length() - 1)

    test("an array and its schema are imported by pointer [OWN-08]") {
        Arena.ofConfined().use { arena ->
            val (array, type) = ArrowArrayStruct.allocate(arena) to ArrowSchemaStruct.allocate(arena)
            PeerStreams.batch(array, 10, 3)
            PeerStreams.batchSchema(type)
            CData.importBatch(array.pointer(), CImport.DATA.schema(type.pointer())).use { it.last() shouldBe 12 }
            RawArrowArray.release(array.address()) to RawArrowSchema.release(type.address()) shouldBe (0L to 0L)

            PeerStreams.batchSchema(type)
            val known = Schema.ofStruct(CData.importSchema(type.pointer()))
            PeerStreams.batch(array, 20, 3)
            CData.importBatch(array.pointer(), CImport.DATA.schema(known)).use { it.last() shouldBe 22 }
            PeerStreams.batchSchema(type)
            PeerStreams.batch(array, 30, 3)
            CData.importBatch(array.pointer(), CImport.DATA.schema(CData.importSchema(type.pointer())))
                .use { it.last() shouldBe 32 }
        }
    }

    test("a device array and its schema are imported by pointer [OWN-08]") {
        Arena.ofConfined().use { arena ->
            val (array, type) = ArrowDeviceArrayStruct.allocate(arena) to ArrowSchemaStruct.allocate(arena)
            fun make(first: Long) = ArrowArrayStruct.allocate(arena).let { plain ->
                PeerStreams.batch(plain, first, 3)
                PeerNodes.deviceArray(array, plain, -1, 1)
            }
            make(10)
            PeerStreams.batchSchema(type)
            CData.importBatch(array.pointer(), CImport.DEVICE.schema(type.pointer())).use { it.last() shouldBe 12 }
            PeerStreams.batchSchema(type)
            val known = Schema.ofStruct(CData.importSchema(type.pointer()))
            make(20)
            CData.importBatch(array.pointer(), CImport.DEVICE.schema(known)).use { it.last() shouldBe 22 }
            make(30)
            CData.importBatch(array.pointer(), CImport.DEVICE.schema(known.asField())).use { it.last() shouldBe 32 }
        }
    }

    test("streams are imported and exported by pointer [STR-01]") {
        Arena.ofConfined().use { arena ->
            val (plain, device) = ArrowArrayStreamStruct.allocate(arena) to ArrowDeviceArrayStreamStruct.allocate(arena)
            PeerStreams.stream(plain, 3, 10)
            PeerStreams.deviceStream(device, 3, 10)
            CData.exportStream(CData.importStream(plain.pointer(), CImport.DATA), plain.pointer(), CExport.DATA)
            CData.exportStream(CData.importStream(device.pointer(), CImport.DEVICE), device.pointer(), CExport.DEVICE)
            PeerStreams.drain(plain).let { it.code to it.rows } shouldBe (0 to 30)
            PeerStreams.drainDevice(device).let { it.code to it.rows } shouldBe (0 to 30)
        }
    }

    test("arrays and schemas are exported by pointer, and C reads them [OWN-09]") {
        Arena.ofConfined().use { arena ->
            val (array, device, type) = Triple(ArrowArrayStruct.allocate(arena), ArrowDeviceArrayStruct.allocate(arena),
                ArrowSchemaStruct.allocate(arena))
            fun sumOf(array: MemorySegment, kind: StructKind) = PeerNodes.sum(array, type, "id").also {
                PeerMoves.release(array, kind)
                PeerMoves.release(type, StructKind.SCHEMA)
            }
            CData.exportArray(ids(3), array.pointer(), CExport.DATA.schemaTo(type.pointer()))
            sumOf(array, StructKind.ARRAY) shouldBe 24
            CData.exportArray(ids(4), device.pointer(), CExport.DEVICE.schemaTo(type.pointer()))
            sumOf(device, StructKind.DEVICE_ARRAY) shouldBe 34
            CData.exportSchema(schema.asField(), type)
            CData.exportArray(ids(5), array.pointer(), CExport.DATA)
            sumOf(array, StructKind.ARRAY) shouldBe 45
            CData.exportSchema(schema.asField(), type)
            CData.exportArray(ids(6), device.pointer(), CExport.DEVICE)
            sumOf(device, StructKind.DEVICE_ARRAY) shouldBe 57
        }
    }

    test("an async handler is passed by pointer, and receives arrays, tasks, a reader's arrays or an error [ASY-19]") {
        fun described() = AsyncSchema(schema, DeviceType.CPU, Metadata.empty())
        val ways = listOf<(MemorySegment) -> Unit>(
            {
                CData.exportAsyncStream(AsyncProducer.of(described(), Supplied(2, null) { ids(3) }), it, pool,
                    CExport.DEVICE).outcome().getOrThrow()
            },
            {
                CData.exportAsyncStream(
                    AsyncProducer.ofTasks(described(), Supplied(2, null) { AsyncTask.of(ids(3), Metadata.empty()) }),
                    it,
                    pool,
                    CExport.DEVICE,
                ).outcome().getOrThrow()
            },
            {
                CData.exportAsyncStream(
                    AsyncProducer.of(RecordBatchReader.of(schema, listOf(ids(3), ids(3))), Metadata.empty()),
                    it,
                    pool,
                    CExport.DEVICE,
                ).outcome().getOrThrow()
            },
        )
        for (produce in ways) PeerConsumer(5, emptySet(), 0, 0, 0, 1).use { consumer ->
            produce(consumer.handler.pointer())
            consumer.join()
            consumer.results().let { it.rows to it.ends } shouldBe (6L to 1L)
        }
        PeerConsumer(5, emptySet(), 0, 0, 0, 1).use { consumer ->
            CData.exportAsyncStream(AsyncProducer.failed(IOException("no such table")), consumer.handler, Runnable::run,
                CExport.DEVICE)
            consumer.join()
            consumer.results().let { it.message to it.releases } shouldBe ("java.io.IOException: no such table" to 1L)
        }
    }

    val wrong = mapOf(
        0L to "is NULL",
        -8L to "must be at an address below 2^63, which 0xfffffffffffffff8 is not",
        4097L to "must be aligned to 8 bytes, which 0x1001 is not",
        4100L to "must be aligned to 8 bytes, which 0x1004 is not",
    )

    fun refused(struct: String, call: (MemorySegment) -> Unit) {
        for ((address, why) in wrong) withClue("$struct at $address") {
            shouldThrow<IllegalArgumentException> { call(MemorySegment.ofAddress(address)) }.message shouldBe
                "$struct $why"
        }
    }

    test("an import rejects an invalid address with the reason, and touches no struct [OWN-20]") {
        Arena.ofConfined().use { arena ->
            val (array, device, type) = Triple(ArrowArrayStruct.allocate(arena), ArrowDeviceArrayStruct.allocate(arena),
                ArrowSchemaStruct.allocate(arena))
            PeerStreams.batch(array, 0, 3)
            PeerStreams.batchSchema(type)
            refused("ArrowArray") { CData.importArray(it, CImport.DATA.schema(type)) }
            refused("ArrowSchema") { CData.importArray(array, CImport.DATA.schema(it)) }
            refused("ArrowArray") { CData.importArray(it, CImport.DATA.schema(schema)) }
            refused("ArrowArray") { CData.importArray(it, CImport.DATA.schema(schema.asField())) }
            refused("ArrowDeviceArray") { CData.importArray(it, CImport.DEVICE.schema(type)) }
            refused("ArrowSchema") { CData.importArray(device, CImport.DEVICE.schema(it)) }
            refused("ArrowDeviceArray") { CData.importArray(it, CImport.DEVICE.schema(schema)) }
            refused("ArrowDeviceArray") { CData.importArray(it, CImport.DEVICE.schema(schema.asField())) }
            refused("ArrowArrayStream") { CData.importStream(it, CImport.DATA) }
            refused("ArrowDeviceArrayStream") { CData.importStream(it, CImport.DEVICE) }
            refused("ArrowSchema") { Schema.ofStruct(CData.importSchema(it)) }
            refused("ArrowSchema") { CData.importSchema(it) }
            CData.importBatch(array, CImport.DATA.schema(type)).use { it.last() shouldBe 2 }
        }
    }

    test("an export rejects an invalid address, and leaves the other struct and the handle unchanged [OWN-20]") {
        Arena.ofConfined().use { arena ->
            val (array, device, type) = Triple(ArrowArrayStruct.allocate(arena), ArrowDeviceArrayStruct.allocate(arena),
                ArrowSchemaStruct.allocate(arena))
            ids(3).use { batch ->
                refused("ArrowArray") { CData.exportArray(batch, it, CExport.DATA) }
                refused("ArrowDeviceArray") { CData.exportArray(batch, it, CExport.DEVICE) }
                for ((out, struct, options) in listOf(
                    Triple(array, "ArrowArray", CExport.DATA), Triple(device, "ArrowDeviceArray", CExport.DEVICE),
                )) {
                    refused(struct) { type.fill(0x5a); CData.exportArray(batch, it, options.schemaTo(type)) }
                    type.shouldBeGarbage()
                    refused("ArrowSchema") { out.fill(0x5a); CData.exportArray(batch, out, options.schemaTo(it)) }
                    out.shouldBeGarbage()
                }
                refused("ArrowSchema") { CData.exportSchema(batch.schema().asField(), it) }
                refused("ArrowSchema") { CData.exportSchema(batch.field(), it) }
                batch.last() shouldBe 9
            }
            RecordBatchReader.of(schema, listOf(ids(3))).use { reader ->
                refused("ArrowArrayStream") { CData.exportStream(reader, it, CExport.DATA) }
                refused("ArrowDeviceArrayStream") { CData.exportStream(reader, it, CExport.DEVICE) }
                refused("ArrowAsyncDeviceStreamHandler") {
                    CData.exportAsyncStream(AsyncProducer.of(reader, Metadata.empty()), it, pool, CExport.DEVICE)
                }
                reader.next()!!.use { it.last() shouldBe 9 }
            }
            refused("ArrowAsyncDeviceStreamHandler") {
                CData.exportAsyncStream(AsyncProducer.failed(IOException()), it, Runnable::run, CExport.DEVICE)
            }
        }
    }

    test("a newly allocated struct is rejected as already released [OWN-01]") {
        Arena.ofConfined().use { arena ->
            fun said(call: () -> Unit) = shouldThrow<DeviceException> { call() }
                .also { it.errno() shouldBe Errno.EINVAL }.message!!
            said { CData.importArray(ArrowArrayStruct.allocate(arena), CImport.DATA.schema(schema)) } shouldBe
                "the array was released before it was imported"
            said { CData.importArray(ArrowDeviceArrayStruct.allocate(arena), CImport.DEVICE.schema(schema)) } shouldBe
                "the array was released before it was imported"
            said { Schema.ofStruct(CData.importSchema(ArrowSchemaStruct.allocate(arena))) } shouldEndWith
                "was released before it was imported"
            said { CData.importStream(ArrowArrayStreamStruct.allocate(arena), CImport.DATA) } shouldEndWith
                "was released before it was imported"
            said { CData.importStream(ArrowDeviceArrayStreamStruct.allocate(arena), CImport.DEVICE) } shouldEndWith
                "was released before it was imported"
            shouldThrow<IllegalArgumentException> {
                CData.exportAsyncStream(AsyncProducer.failed(IOException()), ArrowAsyncHandlerStruct.allocate(arena),
                    Runnable::run, CExport.DEVICE)
            }
        }
    }

    /** The schema of a stream of [PeerStreams], and the same schema with text in its first column. */
    val streamed = Schema.of(Field.of("id", DataType.INT64).withNullable(false), Field.of("name", DataType.UTF8))
    val text = Schema.of(Field.of("id", DataType.UTF8).withNullable(false), Field.of("name", DataType.UTF8))

    test("an import rejects and releases a stream with another schema than expected [STR-01]") {
        Arena.ofConfined().use { arena ->
            val stream = ArrowArrayStreamStruct.allocate(arena)
            PeerStreams.stream(stream, 1, 10)
            shouldThrow<DeviceException> { CData.importStream(stream, CImport.DATA.schema(text)) }.message shouldBe
                "the schema is not the expected one: $.id: \"id: int64 not null\", and \"id: utf8 not " +
                "null\" is expected"
            ArrowArrayStreamStruct.releaseCallback(stream) shouldBe MemorySegment.NULL
            PeerStreams.stream(stream, 1, 10)
            CData.importStream(stream, CImport.DATA.schema(streamed)).use { reader ->
                reader.next()!!.use { it.length() shouldBe 10 }
            }
        }
    }

    test(
        "an expected C schema is consumed, its nullability is ignored, and an unreadable one releases the stream " +
            "[OWN-08]",
    ) {
        Arena.ofConfined().use { arena ->
            val (stream, type) = ArrowArrayStreamStruct.allocate(arena) to ArrowSchemaStruct.allocate(arena)
            PeerStreams.stream(stream, 1, 10)
            CData.exportSchema(streamed.asField().withNullable(true), type)
            CData.importStream(stream, CImport.DATA.schema(type)).close()
            ArrowSchemaStruct.releaseCallback(type) shouldBe MemorySegment.NULL

            PeerStreams.stream(stream, 1, 10)
            shouldThrow<DeviceException> {
                CData.importStream(stream, CImport.DATA.schema(ArrowSchemaStruct.allocate(arena)))
            }
            ArrowArrayStreamStruct.releaseCallback(stream) shouldBe MemorySegment.NULL

            PeerStreams.stream(stream, 1, 10)
            CData.exportSchema(streamed.asField(), type)
            shouldThrow<IllegalArgumentException> { CData.importStream(MemorySegment.NULL, CImport.DATA.schema(type)) }
            CData.importStream(stream, CImport.DATA.schema(type)).close() // the refused call changed neither struct
        }
    }

    test("an async stream with another schema than expected ends with EINVAL [ASY-03]") {
        val ones = Schema.of(Field.of("id", DataType.UTF8))
        val reader = RecordBatchReader.of(schema, listOf(ids(3)))
        lateinit var produced: CompletionStage<Void>
        CData.importAsyncStream(CImport.DEVICE.schema(ones)) {
            produced = CData.exportAsyncStream(AsyncProducer.of(reader, Metadata.empty()), it, pool, CExport.DEVICE)
        }.use { stream ->
            val failure = stream.schema().outcome().exceptionOrNull()
            failure.shouldBeInstanceOf<DeviceException>().errno() shouldBe Errno.EINVAL
            failure.message shouldStartWith "the schema is not the expected one: $.id"
            stream.released().outcome().exceptionOrNull() shouldBe failure
            produced.outcome().exceptionOrNull().shouldBeInstanceOf<DeviceException>().errno() shouldBe Errno.EINVAL
            shouldThrow<IllegalStateException> { reader.next() }
        }
    }

    test("an option that has no meaning for the call is rejected, and nothing is changed") {
        Arena.ofConfined().use { arena ->
            val (array, stream) = ArrowArrayStruct.allocate(arena) to ArrowArrayStreamStruct.allocate(arena)
            ids(3).use { batch ->
                shouldThrow<IllegalArgumentException> {
                    CData.exportArray(batch, array, CExport.DATA.consumerStream(Devices.cpu().defaultStream()))
                }.message shouldStartWith "consumerStream needs CExport.DEVICE: an ArrowArray has no event"
                RecordBatchReader.of(schema, listOf(batch.retain())).use { reader ->
                    shouldThrow<IllegalArgumentException> {
                        CData.exportStream(reader, stream,
                            CExport.DATA.schemaTo(arena.allocate(ArrowSchemaStruct.LAYOUT)))
                    }
                    shouldThrow<IllegalArgumentException> {
                        CData.exportStream(reader, stream, CExport.DATA.requested(text))
                    }
                    shouldThrow<IllegalArgumentException> {
                        CData.exportStream(reader, stream, CExport.DATA.quirks(AsyncQuirk.DROPS_TASKS))
                    }.message shouldContain "quirks"
                    shouldThrow<IllegalArgumentException> {
                        CData.exportStream(reader, stream, CExport.DATA.consumerStream(Devices.cpu().defaultStream()))
                    }
                    reader.next()!!.close()
                }
                shouldThrow<IllegalArgumentException> { CData.importArray(array, CImport.DATA) }.message shouldContain
                    "CImport.schema"
                shouldThrow<IllegalArgumentException> {
                    CData.importArray(array, CImport.DATA.schema(schema).quirks(AsyncQuirk.PRODUCER_STAYS))
                }.message shouldContain "quirks"
                shouldThrow<IllegalArgumentException> {
                    CData.importStream(stream, CImport.DATA.quirks(AsyncQuirk.PRODUCER_STAYS))
                }.message shouldContain "quirks"
                shouldThrow<IllegalArgumentException> {
                    CData.exportArray(batch, array, CExport.DATA.quirks(AsyncQuirk.DROPS_TASKS))
                }.message shouldContain "quirks"
                // a repeated quirk counts once
                CImport.DEVICE.quirks(AsyncQuirk.PRODUCER_STAYS, AsyncQuirk.PRODUCER_STAYS).toString() shouldContain
                    "[PRODUCER_STAYS]"
                shouldThrow<IllegalArgumentException> { CData.importAsyncStream(CImport.DATA) { error("not refused") } }
                    .message shouldContain "CImport.DEVICE"
                val producer = AsyncProducer.failed(IOException())
                shouldThrow<IllegalArgumentException> {
                    CData.exportAsyncStream(producer, array, Runnable::run, CExport.DATA)
                }.message shouldContain "CExport.DEVICE"
                shouldThrow<IllegalArgumentException> {
                    CData.exportAsyncStream(producer, array, Runnable::run, CExport.DEVICE.requested(text))
                }.message shouldContain "quirks"
                batch.last() shouldBe 9
            }
        }
    }

    test("a struct accessor checks the bounds of the memory, and that its arena is open") {
        val small = Arena.ofAuto().allocate(8, 8)
        shouldThrow<IndexOutOfBoundsException> { ArrowArrayStruct.offset(small) }
        shouldThrow<IndexOutOfBoundsException> { ArrowSchemaStruct.setFlags(small, 2) }
        val closed = Arena.ofConfined().use { ArrowDeviceArrayStruct.allocate(it) }
        shouldThrow<IllegalStateException> { ArrowDeviceArrayStruct.deviceId(closed) }
        Arena.ofConfined().use { arena ->
            val array = ArrowDeviceArrayStruct.allocate(arena)
            ArrowArrayStruct.setLength(array, 7)
            ArrowArrayStruct.setReleaseCallback(array, MemorySegment.ofAddress(42))
            val moved = ArrowDeviceArrayStruct.allocate(arena)
            ArrowDeviceArrayStruct.move(array, moved)
            ArrowArrayStruct.length(moved) shouldBe 7
            ArrowArrayStruct.releaseCallback(moved).let { it.address() to it.byteSize() } shouldBe (42L to 0L)
            ArrowArrayStruct.releaseCallback(array) shouldBe MemorySegment.NULL
        }
    }

    test("a producer can be exported only once") {
        val producer = AsyncProducer.of(RecordBatchReader.of(schema, listOf(ids(3))), Metadata.empty())
        PeerConsumer(5, emptySet(), 0, 0, 0, 1).use { consumer ->
            CData.exportAsyncStream(producer, consumer.handler, pool, CExport.DEVICE).outcome().getOrThrow()
            consumer.join()
        }
        PeerConsumer(5, emptySet(), 0, 0, 0, 1).use { consumer ->
            shouldThrow<IllegalStateException> {
                CData.exportAsyncStream(producer, consumer.handler, pool, CExport.DEVICE)
            }
            CData.exportAsyncStream(AsyncProducer.failed(IOException()), consumer.handler, Runnable::run,
                CExport.DEVICE)
            consumer.join()
        }
    }

    test("move() rejects a source that it cannot mark as released") {
        Arena.ofConfined().use { arena ->
            val array = ArrowArrayStruct.allocate(arena)
            ArrowArrayStruct.setLength(array, 7)
            shouldThrow<IllegalArgumentException> { ArrowArrayStruct.move(array, array) }
            val other = ArrowArrayStruct.allocate(arena)
            shouldThrow<IllegalArgumentException> { ArrowArrayStruct.move(array.asReadOnly(), other) }
            ArrowArrayStruct.length(other) shouldBe 0
        }
    }

    test("allocate() returns each struct with its size, aligned and zeroed, even in used memory [OWN-01]") {
        val all = mapOf<(SegmentAllocator) -> MemorySegment, Long>(
            ArrowSchemaStruct::allocate to 72, ArrowArrayStruct::allocate to 80, ArrowArrayStreamStruct::allocate to 40,
            ArrowDeviceArrayStruct::allocate to 128, ArrowDeviceArrayStreamStruct::allocate to 48,
            ArrowAsyncHandlerStruct::allocate to 48, ArrowAsyncTaskStruct::allocate to 16,
            ArrowAsyncProducerStruct::allocate to 40,
        )
        Arena.ofConfined().use { arena ->
            for ((allocate, size) in all) {
                val used = SegmentAllocator.prefixAllocator(arena.allocate(128, 8).fill(0x5a))
                for (allocator in listOf(arena, used)) allocate(allocator).let { struct ->
                    struct.byteSize() shouldBe size
                    struct.address() and 7 shouldBe 0
                    struct.mismatch(arena.allocate(size)) shouldBe -1
                }
            }
        }
    }
})
