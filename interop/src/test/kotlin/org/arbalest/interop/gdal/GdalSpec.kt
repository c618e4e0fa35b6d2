// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.gdal

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceArray
import org.arbalest.interop.Batches
import org.arbalest.interop.Had
import org.arbalest.support.ResourceCountersExtension
import java.nio.file.Files
import java.util.concurrent.Callable
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit.SECONDS

/** GDAL gives, and takes nothing. */
class GdalSpec : FunSpec({
    extension(Had.needed { Gdal.missing })
    extension(ResourceCountersExtension)

    fun inMemory(rows: Int) = Gdal.create("Memory", "", Gdal.kinds, rows)

    fun check(batch: DeviceArray, from: Int) {
        for (kind in Gdal.kinds) {
            for (row in 0 until batch.length()) {
                withClue("${kind.name}, row ${from + row}") {
                    Batches.plain(batch.column(kind.name).get(row)) shouldBe Gdal.value(kind.name, from + row.toInt())
                }
            }
        }
    }

    /** The layer's rows in order, each batch also as a slice of it; how many there are. */
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
        test("GDAL gives $rows features with fields of every type, and every fifth of them null [ARR-12]") {
            inMemory(rows).use { readAll(it, 7) shouldBe rows }
        }
    }

    test("a stream of GDAL's is left after one batch, which outlives the stream and the dataset [STR-05]") {
        val batch = inMemory(100).use { dataset -> dataset.stream(7).use { it.next()!! } }
        batch.use { check(it, 0) }
    }

    test("a stream of GDAL's is left before its first batch [STR-05]") {
        inMemory(10).use { it.stream(7).close() }
    }

    test(
        "GDAL is used by four threads at once, and its batches are released by others than those that pulled " +
            "them [OWN-10]",
    ) {
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

    test(
        "its bug: an empty FlatGeobuf layer gives batches without rows for ever; who has seen enough closes the reader",
    ) {
        withEmptyFlatGeobuf { dataset ->
            dataset.stream(7).use { reader -> repeat(1000) { reader.next()!!.use { it.length() shouldBe 0 } } }
        }
    }

    test(
        "its bug: an empty FlatGeobuf layer gives batches without rows for ever; another thread stops who " +
            "does not see it",
    ) {
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
