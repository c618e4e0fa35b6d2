// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldEndWith
import io.kotest.matchers.string.shouldStartWith
import org.arbalest.device.abi.ArrowArrayStreamStruct
import org.arbalest.device.abi.ArrowArrayStruct
import org.arbalest.device.abi.ArrowAsyncHandlerStruct
import org.arbalest.device.abi.ArrowAsyncProducerStruct
import org.arbalest.device.abi.ArrowAsyncTaskStruct
import org.arbalest.device.abi.ArrowDeviceArrayStreamStruct
import org.arbalest.device.abi.ArrowDeviceArrayStruct
import org.arbalest.device.abi.ArrowSchemaStruct
import org.arbalest.device.abi.DeviceType
import org.arbalest.device.abi.Errno
import org.arbalest.device.async.AsyncProducer
import org.arbalest.device.async.AsyncSchema
import org.arbalest.device.async.AsyncTask
import org.arbalest.device.support.Supplied
import org.arbalest.device.support.outcome
import org.arbalest.device.support.shouldBeGarbage
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.LedgerExtension
import org.arbalest.support.PeerConsumer
import org.arbalest.support.PeerMoves
import org.arbalest.support.PeerNodes
import org.arbalest.support.PeerStreams
import org.arbalest.support.StructKind
import java.io.IOException
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.SegmentAllocator
import java.util.concurrent.ForkJoinPool

/** Structs that are known by their addresses, as arrow-java, DuckDB and Python know them. */
class DeviceArrayAddressesSpec : FunSpec({
    extension(CCompiler.needed)
    extension(LedgerExtension)

    val pool = ForkJoinPool.commonPool()
    val schema = Schema.of(listOf(Field.of("id", DataType.INT64)))

    fun ids(rows: Int): DeviceArray = Devices.cpu().batchBuilder(rows).use { it.int64("id", LongArray(rows) { i -> 7L + i }).build() }

    fun DeviceArray.last() = column("id").getLong(length() - 1)

    test("an array and its schema come by their addresses [OWN-08]") {
        Arena.ofConfined().use { arena ->
            val (array, type) = ArrowArrayStruct.allocate(arena) to ArrowSchemaStruct.allocate(arena)
            PeerStreams.batch(array, 10, 3)
            PeerStreams.batchSchema(type)
            DeviceArray.importArray(array.address(), type.address()).use { it.last() shouldBe 12 }
            ArrowArrayStruct.release(array.address()) to ArrowSchemaStruct.release(type.address()) shouldBe (0L to 0L)

            PeerStreams.batchSchema(type)
            val known = Schema.importSchema(type.address())
            PeerStreams.batch(array, 20, 3)
            DeviceArray.importArray(array.address(), known).use { it.last() shouldBe 22 }
            PeerStreams.batchSchema(type)
            PeerStreams.batch(array, 30, 3)
            DeviceArray.importArray(array.address(), Field.importSchema(type.address())).use { it.last() shouldBe 32 }
        }
    }

    test("a device array and its schema come by their addresses [OWN-08]") {
        Arena.ofConfined().use { arena ->
            val (array, type) = ArrowDeviceArrayStruct.allocate(arena) to ArrowSchemaStruct.allocate(arena)
            fun make(first: Long) = ArrowArrayStruct.allocate(arena).let { plain ->
                PeerStreams.batch(plain, first, 3)
                PeerNodes.deviceArray(array, plain, -1, 1)
            }
            make(10)
            PeerStreams.batchSchema(type)
            DeviceArray.importDeviceArray(array.address(), type.address()).use { it.last() shouldBe 12 }
            PeerStreams.batchSchema(type)
            val known = Schema.importSchema(type.address())
            make(20)
            DeviceArray.importDeviceArray(array.address(), known).use { it.last() shouldBe 22 }
            make(30)
            DeviceArray.importDeviceArray(array.address(), known.asField()).use { it.last() shouldBe 32 }
        }
    }

    test("streams come and go by their addresses [STR-01]") {
        Arena.ofConfined().use { arena ->
            val (plain, device) = ArrowArrayStreamStruct.allocate(arena) to ArrowDeviceArrayStreamStruct.allocate(arena)
            PeerStreams.stream(plain, 3, 10)
            PeerStreams.deviceStream(device, 3, 10)
            DeviceArrayReader.importStream(plain.address()).exportStream(plain.address())
            DeviceArrayReader.importDeviceArrayStream(device.address()).exportDeviceArrayStream(device.address())
            PeerStreams.drain(plain).let { it.code to it.rows } shouldBe (0 to 30)
            PeerStreams.drainDevice(device).let { it.code to it.rows } shouldBe (0 to 30)
        }
    }

    test("arrays and schemas go to addresses, and C reads them [OWN-09]") {
        Arena.ofConfined().use { arena ->
            val (array, device, type) = Triple(ArrowArrayStruct.allocate(arena), ArrowDeviceArrayStruct.allocate(arena), ArrowSchemaStruct.allocate(arena))
            fun sumOf(array: MemorySegment, kind: StructKind) = PeerNodes.sum(array, type, "id").also {
                PeerMoves.release(array, kind)
                PeerMoves.release(type, StructKind.SCHEMA)
            }
            ids(3).exportArray(array.address(), type.address())
            sumOf(array, StructKind.ARRAY) shouldBe 24
            ids(4).exportDeviceArray(device.address(), type.address())
            sumOf(device, StructKind.DEVICE_ARRAY) shouldBe 34
            schema.exportSchema(type.address())
            ids(5).exportArray(array.address())
            sumOf(array, StructKind.ARRAY) shouldBe 45
            schema.asField().exportSchema(type.address())
            ids(6).exportDeviceArray(device.address())
            sumOf(device, StructKind.DEVICE_ARRAY) shouldBe 57
        }
    }

    test("a handler is driven by its address: by arrays, by tasks, by a reader, and refused [ASY-19]") {
        fun described() = AsyncSchema(schema.asField(), DeviceType.CPU, Metadata.empty())
        val ways = listOf<(Long) -> Unit>(
            { AsyncProducer.produce(it, described(), Supplied(2, null) { ids(3) }, pool).outcome().getOrThrow() },
            { AsyncProducer.produceTasks(it, described(), Supplied(2, null) { AsyncTask.of(ids(3), Metadata.empty()) }, pool).outcome().getOrThrow() },
            { AsyncProducer.produce(it, DeviceArrayReader.of(schema, listOf(ids(3), ids(3))), Metadata.empty(), pool).outcome().getOrThrow() },
        )
        for (produce in ways) PeerConsumer(5, emptySet(), 0, 0, 0, 1).use { consumer ->
            produce(consumer.handler.address())
            consumer.join()
            consumer.results().let { it.rows to it.ends } shouldBe (6L to 1L)
        }
        PeerConsumer(5, emptySet(), 0, 0, 0, 1).use { consumer ->
            AsyncProducer.refuse(consumer.handler.address(), IOException("no such table"))
            consumer.join()
            consumer.results().let { it.message to it.releases } shouldBe ("java.io.IOException: no such table" to 1L)
        }
    }

    val wrong = mapOf(
        0L to "(0x0) is no address of an # it is NULL",
        -8L to "(0xfffffffffffffff8) is no address of an # it is beyond the 63 bits that Java reaches",
        Long.MIN_VALUE to "(0x8000000000000000) is no address of an # it is beyond the 63 bits that Java reaches",
        4097L to "(0x1001) is no address of an # it is not aligned to 8 bytes",
        4100L to "(0x1004) is no address of an # it is not aligned to 8 bytes",
    )

    fun refused(parameter: String, struct: String, call: (Long) -> Unit) {
        for ((address, why) in wrong) withClue("$struct at $address") {
            shouldThrow<IllegalArgumentException> { call(address) }.message shouldBe "$parameter = $address ${why.replace("#", "$struct:")}"
        }
    }

    test("what can be no address is refused by an import, which names it, and nothing is touched [OWN-20]") {
        Arena.ofConfined().use { arena ->
            val (array, device, type) = Triple(ArrowArrayStruct.allocate(arena), ArrowDeviceArrayStruct.allocate(arena), ArrowSchemaStruct.allocate(arena))
            PeerStreams.batch(array, 0, 3)
            PeerStreams.batchSchema(type)
            refused("arrayAddress", "ArrowArray") { DeviceArray.importArray(it, type.address()) }
            refused("schemaAddress", "ArrowSchema") { DeviceArray.importArray(array.address(), it) }
            refused("arrayAddress", "ArrowArray") { DeviceArray.importArray(it, schema) }
            refused("arrayAddress", "ArrowArray") { DeviceArray.importArray(it, schema.asField()) }
            refused("arrayAddress", "ArrowDeviceArray") { DeviceArray.importDeviceArray(it, type.address()) }
            refused("schemaAddress", "ArrowSchema") { DeviceArray.importDeviceArray(device.address(), it) }
            refused("arrayAddress", "ArrowDeviceArray") { DeviceArray.importDeviceArray(it, schema) }
            refused("arrayAddress", "ArrowDeviceArray") { DeviceArray.importDeviceArray(it, schema.asField()) }
            refused("streamAddress", "ArrowArrayStream") { DeviceArrayReader.importStream(it) }
            refused("streamAddress", "ArrowDeviceArrayStream") { DeviceArrayReader.importDeviceArrayStream(it) }
            refused("schemaAddress", "ArrowSchema") { Schema.importSchema(it) }
            refused("schemaAddress", "ArrowSchema") { Field.importSchema(it) }
            DeviceArray.importArray(array.address(), type.address()).use { it.last() shouldBe 2 }
        }
    }

    test("what can be no address is refused by an export; the other struct is not written, and the handle is not spent [OWN-20]") {
        Arena.ofConfined().use { arena ->
            val (array, device, type) = Triple(ArrowArrayStruct.allocate(arena), ArrowDeviceArrayStruct.allocate(arena), ArrowSchemaStruct.allocate(arena))
            ids(3).use { batch ->
                refused("outAddress", "ArrowArray") { batch.exportArray(it) }
                refused("outAddress", "ArrowDeviceArray") { batch.exportDeviceArray(it) }
                for ((out, struct, export) in listOf<Triple<MemorySegment, String, (Long, Long) -> Unit>>(
                    Triple(array, "ArrowArray", batch::exportArray), Triple(device, "ArrowDeviceArray", batch::exportDeviceArray),
                )) {
                    refused("outAddress", struct) { type.fill(0x5a); export(it, type.address()) }
                    type.shouldBeGarbage()
                    refused("schemaOutAddress", "ArrowSchema") { out.fill(0x5a); export(out.address(), it) }
                    out.shouldBeGarbage()
                }
                refused("outAddress", "ArrowSchema") { batch.schema().exportSchema(it) }
                refused("outAddress", "ArrowSchema") { batch.field().exportSchema(it) }
                batch.last() shouldBe 9
            }
            DeviceArrayReader.of(schema, listOf(ids(3))).use { reader ->
                refused("outAddress", "ArrowArrayStream") { reader.exportStream(it) }
                refused("outAddress", "ArrowDeviceArrayStream") { reader.exportDeviceArrayStream(it) }
                refused("handlerAddress", "ArrowAsyncDeviceStreamHandler") { AsyncProducer.produce(it, reader, Metadata.empty(), pool) }
                reader.next()!!.use { it.last() shouldBe 9 }
            }
            refused("handlerAddress", "ArrowAsyncDeviceStreamHandler") { AsyncProducer.refuse(it, IOException()) }
        }
    }

    test("memory for a struct that was just allocated, or is released, is refused by its address as by its segment [OWN-01]") {
        Arena.ofConfined().use { arena ->
            fun said(call: () -> Unit) = shouldThrow<DeviceException> { call() }.also { it.errno() shouldBe Errno.EINVAL }.message!!
            said { DeviceArray.importArray(ArrowArrayStruct.allocate(arena).address(), schema) } shouldBe "the array was released before it was imported"
            said { DeviceArray.importDeviceArray(ArrowDeviceArrayStruct.allocate(arena).address(), schema) } shouldBe "the array was released before it was imported"
            said { Schema.importSchema(ArrowSchemaStruct.allocate(arena).address()) } shouldEndWith "was released before it was imported"
            said { DeviceArrayReader.importStream(ArrowArrayStreamStruct.allocate(arena).address()) } shouldEndWith "was released before it was imported"
            said { DeviceArrayReader.importDeviceArrayStream(ArrowDeviceArrayStreamStruct.allocate(arena).address()) } shouldEndWith "was released before it was imported"
            shouldThrow<IllegalArgumentException> { AsyncProducer.refuse(ArrowAsyncHandlerStruct.allocate(arena).address(), IOException()) }
        }
    }

    test("a segment with such an address is refused, too [OWN-20]") {
        shouldThrow<IllegalArgumentException> { DeviceArrayReader.importStream(MemorySegment.ofAddress(-8)) }.message shouldStartWith
            "ArrowArrayStream must be within the 63 bits that Java reaches, which 0xfffffffffffffff8 is not"
    }

    test("each struct is allocated in its size, aligned, all zero, whatever was in the memory before [OWN-01]") {
        val all = mapOf<(SegmentAllocator) -> MemorySegment, Long>(
            ArrowSchemaStruct::allocate to 72, ArrowArrayStruct::allocate to 80, ArrowArrayStreamStruct::allocate to 40, ArrowDeviceArrayStruct::allocate to 128,
            ArrowDeviceArrayStreamStruct::allocate to 48, ArrowAsyncHandlerStruct::allocate to 48, ArrowAsyncTaskStruct::allocate to 16,
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
