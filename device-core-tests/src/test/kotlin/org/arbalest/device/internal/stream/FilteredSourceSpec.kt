// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.columns.Selection
import org.arbalest.device.support.batch
import org.arbalest.support.ResourceCountersExtension
import java.util.concurrent.CountDownLatch
import kotlin.concurrent.thread

class FilteredSourceSpec : FunSpec({
    extension(ResourceCountersExtension)

    fun reader(vararg lengths: Int) = RecordBatchReader.of(batch(0).use { it.schema() }, lengths.map { batch(it) })

    fun ids(reader: RecordBatchReader): List<List<Any?>> = buildList {
        reader.use { it.forEach { batch -> add(batch.column("id").toList()) } }
    }

    fun above(limit: Long): (RecordBatch) -> Selection =
        { Selection.where(it.column("id").asLongs()) { id -> id > limit && id != 6L } }

    test("a filtered reader has the selected rows, without batches that have none [SEL-10]") {
        ids(reader(3, 0, 8, 5, 10).filter(above(4))) shouldBe listOf(listOf(5L, 7L), listOf(5L, 7L, 8L, 9L))
        ids(reader(3, 2).filter(above(4))) shouldBe listOf()
    }

    test("a selection that throws ends the stream, and nothing is left [SEL-08, SEL-10]") {
        reader(3, 8, 10).filter { batch ->
            Selection.where(batch.column("id").asLongs()) { 6 / (it - 5) < 0 }
        }.use { reader ->
            reader.next()!!.close()
            repeat(2) {
                shouldThrow<DeviceException> { reader.next() }.message shouldContain "/ by zero"
            }
        }
    }

    test("a selection of another length, or none, ends the stream with the reason [SEL-05, SEL-10]") {
        reader(3).filter { Selection.where(2) { false } }.use {
            shouldThrow<DeviceException> { it.next() }.message shouldContain
                "cannot filter an array of 3 rows by a selection of 2 rows"
        }
    }

    test("filtering consumes the reader, unless it was closed [SEL-10]") {
        val closed = reader(1)
        closed.close()
        shouldThrow<IllegalStateException> { closed.filter(above(4)) }
    }

    test("rows on a device are filtered only if they follow each other; the error names the ways out [SEL-06]") {
        val device = Devices.device(DeviceType.EXT_DEV, 0)
        batch(9).use { it.copyTo(device) }.use { there ->
            there.synchronize()
            there.filter(Selection.where(9) { it in 2..5 }).use { it.length() shouldBe 4 }
            there.take(3, 4).use { it.length() shouldBe 2 }
            val error = shouldThrow<DeviceException> { there.filter(Selection.where(9) { it % 2 == 0L }) }
            error.errno() shouldBe Errno.ENOSYS
            error.message shouldContain "cannot filter an array on $device, because the CPU cannot read its buffers; " +
                "copy the array to the CPU first, with copyTo, or run a kernel on the device"
            shouldThrow<DeviceException> { there.take(4, 3) }.errno() shouldBe Errno.ENOSYS
        }
    }

    test("closing a filtered reader during its condition ends the pull [SEL-10]") {
        val (inside, go) = CountDownLatch(1) to CountDownLatch(1)
        val reader = RecordBatchReader.of(batch(0).use { it.schema() }, listOf(batch(3), batch(4))).filter {
            inside.countDown()
            go.await()
            Selection.where(it.length()) { row -> row != 1L }
        }
        var failure: Throwable? = null
        val pull = thread { failure = runCatching { reader.next()?.close() }.exceptionOrNull() }
        inside.await()
        reader.close()
        go.countDown()
        pull.join()
        (failure is IllegalStateException) shouldBe true
    }
})
