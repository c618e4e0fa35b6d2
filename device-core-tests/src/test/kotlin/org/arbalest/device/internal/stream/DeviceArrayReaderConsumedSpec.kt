// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldStartWith
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceStream
import org.arbalest.device.Devices
import org.arbalest.device.MemoryManager
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.async.AsyncProducer
import org.arbalest.device.c.ArrowArrayStreamStruct
import org.arbalest.device.c.ArrowDeviceArrayStreamStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.columns.Selection
import org.arbalest.device.support.batch
import org.arbalest.device.types.Field
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.Schema
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.contract.eventually
import java.lang.foreign.Arena
import java.lang.reflect.Modifier
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicReference
import java.util.function.Function

/** Tests of every call that consumes a reader. */
class DeviceArrayReaderConsumedSpec : FunSpec({
    extension(ResourceCountersExtension)

    val schema = batch(0).use { it.schema() }
    val cpu = Devices.cpu()
    val arena = Arena.ofShared()
    afterSpec { arena.close() }

    /** All methods of a reader that return another reader, by their names and the types of their parameters. */
    val methods = mapOf<List<Any>, RecordBatchReader.() -> RecordBatchReader>(
        listOf("convertTo", Field::class.java) to { convertTo(schema.asField()) },
        listOf("convertTo", Schema::class.java) to { convertTo(schema) },
        listOf("asRecordBatchReader") to { asRecordBatchReader() },
        listOf("pushDownNulls") to { pushDownNulls() },
        listOf("select", Array<String>::class.java) to { select("id") },
        listOf("select", IntArray::class.java) to { select(0) },
        listOf("filter", Function::class.java) to { filter { Selection.where(it.length()) { true } } },
        listOf("rebatch", Long::class.javaPrimitiveType!!) to { rebatch(2) },
        listOf("copyTo", MemoryManager::class.java, DeviceStream::class.java, Int::class.javaPrimitiveType!!) to
            { copyTo(cpu.memory(), cpu.defaultStream(), 0) },
    )

    val operations = methods.map { (key, call) -> "${key.first()}" to call } +
        listOf<Pair<String, RecordBatchReader.() -> RecordBatchReader>>(
            "copyTo" to { copyTo(cpu.memory(), cpu.defaultStream(), 2) },
            "an export" to {
                val stream = arena.allocate(ArrowArrayStreamStruct.LAYOUT)
                CData.exportStream(this, stream, CExport.DATA)
                CData.importStream(stream, CImport.DATA)
            },
            "an export" to {
                val stream = arena.allocate(ArrowDeviceArrayStreamStruct.LAYOUT)
                CData.exportStream(this, stream, CExport.DEVICE)
                CData.importStream(stream, CImport.DEVICE)
            },
        )

    /** A source of three batches of four rows. */
    class Batches(private val makesFewerColumns: Boolean) : DeviceArrayReader.Source<RecordBatch> {
        val closes = AtomicInteger()
        private val rest = MutableList(3) { batch(4) }
        private var columns: IntArray? = null

        override fun next(): RecordBatch? = rest.removeFirstOrNull()?.let { whole ->
            columns?.let { chosen -> whole.use { it.select(*chosen) } } ?: whole
        }

        override fun select(vararg columns: Int): Boolean {
            if (makesFewerColumns) this.columns = columns
            return makesFewerColumns
        }

        override fun close() {
            rest.forEach(RecordBatch::close)
            closes.incrementAndGet()
        }
    }

    fun RecordBatchReader.rows(): Long = use {
        var rows = 0L
        it.forEach { batch -> rows += batch.length() }
        rows
    }

    /** Calls [test] for each operation, before and after a pull. */
    fun each(test: (name: String, pulled: Int, source: Batches, reader: RecordBatchReader,
        operation: RecordBatchReader.() -> RecordBatchReader) -> Unit) {
        for ((name, operation) in operations) for (pulled in 0..1) for (makesFewer in listOf(true, false))
            withClue("$name after $pulled pulls, $makesFewer") {
                val source = Batches(makesFewer)
                val reader = RecordBatchReader.of(schema, source)
                repeat(pulled) { reader.next()!!.close() }
                test(name, pulled, source, reader, operation)
                source.closes.get() shouldBe 1
            }
    }

    test("the table has every method that returns another reader [STR-18]") {
        RecordBatchReader::class.java.methods
            .filter { it.returnType == RecordBatchReader::class.java && !Modifier.isStatic(it.modifiers) }
            .map { listOf(it.name, *it.parameterTypes) }.toSet() shouldBe methods.keys
    }

    test("every later call on a consumed reader throws, names the consuming call, and takes no rows [STR-18]") {
        each { name, pulled, _, reader, operation ->
            val result = reader.operation()
            val later = operations.map { it.second } +
                listOf<RecordBatchReader.() -> Any?>({ next() }, { forEach { } })
            for (call in later) shouldThrow<IllegalStateException> { reader.call() }.message shouldStartWith
                "the reader was consumed by $name: "
            reader.toString() shouldContain "(consumed by $name: "
            result.rows() shouldBe 12 - 4 * pulled
        }
    }

    test("closing a consumed reader does nothing, and closing the result closes the source once [STR-18]") {
        each { _, pulled, source, reader, operation ->
            val result = reader.operation()
            reader.close()
            source.closes.get() shouldBe 0
            result.rows() shouldBe 12 - 4 * pulled
            reader.close()
        }
        each { _, _, _, reader, operation -> reader.operation().close() }
    }

    test("a closed reader is not consumed, and a reader that ended or failed stays so in the result [STR-18]") {
        each { _, _, _, reader, operation ->
            reader.close()
            shouldThrow<IllegalStateException> { reader.operation() }.message shouldBe "the reader was closed"
        }
        each { _, _, _, reader, operation ->
            reader.forEach { }
            reader.operation().rows() shouldBe 0
        }
        for ((name, operation) in operations) withClue(name) {
            var calls = 0
            val reader = RecordBatchReader.of(schema) {
                calls++
                error("the disk is gone")
            }
            shouldThrow<DeviceException> { reader.next() }
            reader.operation().use { result ->
                shouldThrow<DeviceException> { result.next() }.message shouldContain "the disk is gone"
            }
            calls shouldBe 1
        }
    }

    test("a source cannot consume its own reader during a pull or a selection [STR-18]") {
        for ((name, operation) in operations) withClue(name) {
            val own = AtomicReference<RecordBatchReader>()
            RecordBatchReader.of(schema) { own.get().operation().use { null } }.also(own::set).use {
                shouldThrow<DeviceException> { it.next() }.message shouldContain
                    "the reader cannot be consumed by its own source, during a call of it"
            }
        }
    }

    test("an async export consumes its reader [STR-18]") {
        val source = Batches(false)
        val reader = RecordBatchReader.of(schema, source)
        CData.importAsyncStream(CImport.DEVICE) { handler ->
            CData.exportAsyncStream(AsyncProducer.of(reader, Metadata.empty()), handler, Runnable::run, CExport.DEVICE)
        }.use { stream ->
            shouldThrow<IllegalStateException> { reader.next() }.message shouldStartWith
                "the reader was consumed by an export: "
            reader.close()
            stream.reader(2).rows() shouldBe 12
        }
        eventually("the producer's thread closes the source") { source.closes.get() == 1 }
        CData.importAsyncStream(CImport.DEVICE) { handler ->
            val again = AsyncProducer.of(reader, Metadata.empty())
            shouldThrow<IllegalStateException> {
                CData.exportAsyncStream(again, handler, Runnable::run, CExport.DEVICE)
            }.message shouldStartWith "the reader was consumed by an export: "
            CData.exportAsyncStream(AsyncProducer.failed(IllegalStateException("consumed")), handler, Runnable::run,
                CExport.DEVICE)
        }.close()
    }
})
