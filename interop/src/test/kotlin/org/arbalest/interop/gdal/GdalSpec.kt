// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.gdal

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.RecordBatch
import org.arbalest.interop.Batches
import org.arbalest.interop.Had
import org.arbalest.support.ResourceCountersExtension
import java.nio.file.Files
import java.util.concurrent.Callable
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit.SECONDS

/** Tests streams that GDAL exports; GDAL does not import any. */
class GdalSpec : FunSpec({
    extension(Had.needed { Gdal.missing })
    extension(ResourceCountersExtension)

    fun inMemory(rows: Int) = Gdal.create("Memory", "", Gdal.kinds, rows)

    fun check(batch: RecordBatch, from: Int) {
        for (kind in Gdal.kinds) {
            for (row in 0 until batch.length()) {
                withClue("${kind.name}, row ${from + row}") {
                    Batches.plain(batch.column(kind.name).get(row)) shouldBe Gdal.value(kind.name, from + row.toInt())
                }
            }
        }
    }

    /** Checks the layer's rows in order, reads each batch also as a slice, and returns the number of rows. */
    fun readAll(dataset: Gdal.Dataset, batchRows: Int): Int = dataset.stream(batchRows).use { reader ->
        var rows = 0
        while (true) {
            reader.next()?.use { batch ->
                check(batch, rows)
                if (batch.length() > 2) batch.slice(1, batch.length() - 2).use { check(it, rows + 1) }
                rows += batch.length().toInt()
            } ?: break
        }
        rows
    }

    for (rows in listOf(0, 1, 5, 100)) {
        test("GDAL returns $rows features with fields of every type, every fifth of them null [ARR-12]") {
            inMemory(rows).use { readAll(it, 7) shouldBe rows }
        }
    }

    test("the first batch of a GDAL stream outlives the closed stream and dataset [STR-05]") {
        val batch = inMemory(100).use { dataset -> dataset.stream(7).use { it.next()!! } }
        batch.use { check(it, 0) }
    }

    test("a GDAL stream is closed before its first batch is pulled [STR-05]") {
        inMemory(10).use { it.stream(7).close() }
    }

    test("GDAL serves four threads at once, and other threads release its batches [OWN-10]") {
        val threads = Executors.newFixedThreadPool(4)
        try {
            val work = List(4) {
                Callable {
                    inMemory(100).use { dataset -> dataset.stream(7).use { reader -> List(5) { reader.next()!! } } }
                }
            }
            val batches = threads.invokeAll(work).flatMap { it.get() }
            threads.invokeAll(batches.map { batch -> Callable { batch.close() } }).forEach { it.get() }
        } finally {
            threads.shutdown()
            threads.awaitTermination(5, SECONDS)
        }
    }

    /** Runs [block] with an empty layer in a FlatGeobuf file. */
    fun withEmptyFlatGeobuf(block: (Gdal.Dataset) -> Unit) {
        val folder = Files.createTempDirectory("arbalest-gdal")
        val file = folder.resolve("empty.fgb")
        Gdal.create("FlatGeobuf", "$file", Gdal.kinds.filter { it.name == "int64" }, 0).close()
        Gdal.open(file).use(block)
        folder.toFile().deleteRecursively()
    }

    test("known bug: an empty FlatGeobuf layer returns empty batches until its consumer closes the reader") {
        withEmptyFlatGeobuf { dataset ->
            dataset.stream(7).use { reader -> repeat(1000) { reader.next()!!.use { it.length() shouldBe 0 } } }
        }
    }

    test("known bug: an empty FlatGeobuf layer returns empty batches until another thread closes the reader") {
        withEmptyFlatGeobuf { dataset ->
            val reader = dataset.stream(7)
            val begun = CountDownLatch(1)
            val thread = Executors.newSingleThreadExecutor()
            val reading = thread.submit(
                Callable {
                    shouldThrow<IllegalStateException> {
                        while (true) {
                            reader.next()?.close() ?: break
                            begun.countDown()
                        }
                    }.message
                },
            )
            begun.await()
            reader.close()
            reading.get(5, SECONDS) shouldBe "the reader was closed"
            thread.shutdown()
        }
    }
})
