// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.apache.arrow.c.CDataDictionaryProvider
import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.memory.RootAllocator
import org.apache.arrow.vector.VectorSchemaRoot
import org.arbalest.coroutines.*
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.samples.guides.sharing.fromDuckDb
import org.arbalest.samples.guides.sharing.intoDuckDb
import org.arbalest.support.ResourceCountersExtension
import org.duckdb.DuckDBConnection
import java.sql.DriverManager
import java.sql.ResultSet
import java.sql.SQLException

private class Recipes(
    val language: String,
    val fromDuckDb: (ResultSet, BufferAllocator) -> RecordBatchReader,
    val intoDuckDb: (RecordBatchReader, DuckDBConnection, BufferAllocator) -> Unit,
    val fromArrowJava: (VectorSchemaRoot, BufferAllocator) -> RecordBatch,
    val toArrowJava: (RecordBatch, BufferAllocator, CDataDictionaryProvider) -> VectorSchemaRoot,
)

/**
 * Runs the recipes of docs/guides/sharing.md, and those for arrow-c-data that it links to. The allocator fails a test
 * that leaves memory in it.
 */
class RecipesSpec : FunSpec({
    extension(ResourceCountersExtension)

    val recipes = listOf(
        Recipes("Java", SharingGuideJava::fromDuckDb, SharingGuideJava::intoDuckDb,
            ArrowJava::fromArrowJava, ArrowJava::toArrowJava),
        Recipes("Kotlin", ::fromDuckDb, ::intoDuckDb, ::fromArrowJava, ::toArrowJava),
    )
    fun <T> duckDb(block: (DuckDBConnection) -> T): T =
        DriverManager.getConnection("jdbc:duckdb:").use { block(it.unwrap(DuckDBConnection::class.java)) }

    for (recipe in recipes) {
        test("${recipe.language}: a DuckDB result is imported in several batches through arrow-java") {
            RootAllocator().use { allocator ->
                duckDb { connection ->
                    connection.createStatement().use { statement ->
                        statement.executeQuery("SELECT i, 'r' || i AS s FROM range(200000) t(i)").use { result ->
                            var rows = 0L
                            var total = 0L
                            var batches = 0
                            recipe.fromDuckDb(result, allocator).use { reader ->
                                reader.useArrays { arrays ->
                                    for (batch in arrays) {
                                        val column = batch["i"].longs()
                                        for (row in column.indices) total += column[row]
                                        batch["s"].strings()[0] shouldBe "r$rows"
                                        rows += batch.length()
                                        batches++
                                    }
                                }
                            }
                            rows shouldBe 200_000
                            total shouldBe 199_999L * 100_000
                            (batches > 1) shouldBe true
                        }
                    }
                }
            }
        }

        test("${recipe.language}: a reader becomes a table of DuckDB") {
            RootAllocator().use { allocator ->
                duckDb { connection ->
                    val batches = List(3) { n -> batch(n * 1000L, 1000) }
                    RecordBatchReader.of(batches[0].schema(), batches).use {
                        recipe.intoDuckDb(it, connection, allocator)
                    }
                    connection.createStatement().use { statement ->
                        statement.executeQuery("SELECT count(*), sum(id), count(name) FROM trades").use { result ->
                            result.next() shouldBe true
                            List(3) { result.getLong(it + 1) } shouldContainExactly listOf(3000, 2999L * 1500, 2000)
                        }
                    }
                }
            }
        }

        test("${recipe.language}: a batch goes to arrow-java and comes back, whole and as a slice") {
            RootAllocator().use { allocator ->
                CDataDictionaryProvider().use { dictionaries ->
                    for (cut in listOf(0L, 7L)) {
                        batch(0, 100).use { it.slice(cut, 50) }.use { ours ->
                            recipe.toArrowJava(ours, allocator, dictionaries).use { theirs ->
                                theirs.rowCount shouldBe 50
                                "${theirs.getVector("id").getObject(0)}" shouldBe "$cut"
                                recipe.fromArrowJava(theirs, allocator).use { it.contentEquals(ours) shouldBe true }
                            }
                        }
                    }
                }
            }
        }
    }

    test("a stream that fails makes DuckDB's statement fail with the source's message") {
        RootAllocator().use { allocator ->
            duckDb { connection ->
                var given = false
                val reader = RecordBatchReader.of(batch(0, 1).use { it.schema() }, DeviceType.CPU) {
                    check(!given) { "the source broke" }
                    given = true
                    batch(0, 10)
                }
                reader.use {
                    shouldThrow<SQLException> { intoDuckDb(it, connection, allocator) }.message shouldContain
                        "the source broke"
                }
            }
        }
    }

    test("DuckDB accepts only the stream class of arrow-java, and no address") {
        duckDb { connection ->
            runCatching { connection.registerArrowStream("incoming", 42L) }.exceptionOrNull()
                ?.message.orEmpty() shouldContain "ArrowArrayStream"
        }
    }
})

/** Creates rows that start at [from]. Every third row has no name. */
private fun batch(from: Long, rows: Int): RecordBatch = Devices.cpu().batch(rows) {
    int64("id", LongArray(rows) { from + it })
    utf8("name", List(rows) { row -> "n$row".takeIf { (from + row) % 3 != 0L } })
}
