// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceException
import org.arbalest.device.RecordBatch
import org.arbalest.support.ResourceCountersExtension
import java.io.IOException

/** A reader as a sequence that lends its arrays. */
class ReaderSequenceSpec : FunSpec({
    extension(ResourceCountersExtension)

    test("useArrays closes each array before the next one, and closes the reader at the end") {
        var closed = 0
        val seen = mutableListOf<RecordBatch>()
        val ids = readerOf(4, { closed++ }).useArrays { batches ->
            batches.map { batch ->
                seen.forEach { it.isOpen shouldBe false }
                seen += batch
                batch.id
            }.toList()
        }
        ids shouldContainExactly listOf(0, 1, 2, 3)
        seen.last().isOpen shouldBe false
        closed shouldBe 1
    }

    test("useArrays loses nothing when the caller stops early, looks ahead or throws") {
        var closed = 0
        fun reader() = readerOf(4) { closed++ }
        reader().useArrays { it.first().id } shouldBe 0
        reader().useArrays { it.iterator().hasNext() } shouldBe true
        reader().useArrays { batches -> batches.map { it.retain() }.toList() }.onEach { it.isOpen shouldBe true }
            .forEach { it.close() }
        shouldThrow<IOException> {
            reader().useArrays { batches -> batches.forEach { if (it.id == 2L) throw IOException("full") } }
        }
        reader().useArrays { 7 } shouldBe 7
        closed shouldBe 5
        shouldThrow<NoSuchElementException> { readerOf(0).useArrays { it.iterator().next() } }
    }

    test("useArrays throws the error of the stream") {
        var at = 0L
        shouldThrow<DeviceException> {
            readerOf { if (at < 2) batchOf(at++) else throw IOException("no more tape") }.useArrays { it.count() }
        }
        at shouldBe 2
    }
})
