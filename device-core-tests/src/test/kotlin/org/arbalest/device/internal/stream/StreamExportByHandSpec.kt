// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceType
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.c.ArrowArrayStreamStruct
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.internal.abi.RawArrowArrayStream
import org.arbalest.device.internal.calls.Calls
import org.arbalest.device.internal.schema.SchemaImporter
import org.arbalest.device.support.ProducerByHand
import org.arbalest.support.ResourceCountersExtension
import java.io.IOException
import java.lang.foreign.Arena

/** Tests of an exported pull stream whose functions the test calls one by one, as a C consumer does. */
class StreamExportByHandSpec : FunSpec({
    extension(ResourceCountersExtension)

    class Stream(arena: Arena, source: DeviceArrayReader.Source<RecordBatch>) {
        private val struct = arena.allocate(ArrowArrayStreamStruct.LAYOUT)
        private val at = struct.address()

        init {
            val schema = ProducerByHand.one().use { it.schema() }
            CData.exportStream(RecordBatchReader.of(schema, DeviceType.CPU, source), struct, CExport.DATA)
        }

        fun next(out: Long) = Calls.get(RawArrowArrayStream.getNext(at), at, out)

        fun schema(out: Long) = Calls.get(RawArrowArrayStream.getSchema(at), at, out)

        fun lastError() = Calls.getText(RawArrowArrayStream.getLastError(at), at)

        fun release() = Calls.release(RawArrowArrayStream.release(at), at)
    }

    test("at the end and after an error, get_next overwrites out with a released array [STR-01]") {
        Arena.ofConfined().use { arena ->
            for (failure in listOf(null, IOException("disk gone"))) {
                val stream = Stream(arena) { failure?.let { throw it } }
                repeat(2) {
                    val out = arena.allocate(ArrowArrayStruct.LAYOUT).fill(0x5A)
                    stream.next(out.address()) shouldBe if (failure == null) 0 else Errno.EIO
                    RawArrowArray.release(out.address()) shouldBe 0
                }
                stream.release()
            }
        }
    }

    test("get_last_error returns a text after a failed call, and NULL after a successful one [STR-03]") {
        Arena.ofConfined().use { arena ->
            val stream = Stream(arena) { throw IOException("disk gone") }
            val schema = arena.allocate(ArrowSchemaStruct.LAYOUT).address()
            stream.lastError() shouldBe 0
            repeat(2) {
                stream.next(arena.allocate(ArrowArrayStruct.LAYOUT).address()) shouldBe Errno.EIO
                stream.lastError() shouldNotBe 0
                stream.schema(schema) shouldBe 0
                SchemaImporter.giveBack(schema)
                stream.lastError() shouldBe 0
            }
            stream.release()
        }
    }
})
