// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

import io.kotest.assertions.nondeterministic.eventually
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import org.apache.spark.sql.Dataset
import org.apache.spark.sql.Row
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import java.util.concurrent.CompletableFuture.supplyAsync
import java.util.concurrent.TimeUnit.SECONDS
import kotlin.concurrent.thread
import kotlin.io.path.Path
import kotlin.io.path.createTempDirectory
import kotlin.io.path.listDirectoryEntries
import kotlin.time.Duration.Companion.seconds

/** Functions whose tasks are killed during a blocked pull. The job is cancelled without an interrupt. */
class FunctionsKilledSpec : FunSpec({
    val schema = Schema.of(listOf(Field.of("id", DataType.INT64).withNullable(false)))

    afterTest {
        Cluster.session.conf().unset("spark.arbalest.columnar")
        Cluster.shouldHoldNothing()
    }

    /** Jobs that pull from readers which block in a folder. */
    val jobs = mapOf<String, (Dataset<Row>, String) -> Unit>(
        "a function of columns pulls" to { blocked, _ ->
            DataFrames.columns(blocked) { _, columns -> columns.next()?.close() }.collect()
        },
        "a function of mapColumns pulls" to { blocked, _ ->
            DataFrames.mapColumns(blocked, schema) { _, columns ->
                columns.next()?.close()
                columns
            }.count()
        },
        "Spark pulls the result of mapColumns, which pulls its columns" to { blocked, _ ->
            DataFrames.mapColumns(blocked, schema) { _, columns ->
                RecordBatchReader.of(schema) { columns.next() }
            }.count()
        },
        "Spark pulls the result of mapColumns, which blocks" to { _, folder ->
            DataFrames.mapColumns(Cluster.session.range(0, 100, 1, 2).toDF(), schema) { _, _ ->
                RecordBatchReader.of(schema, Blocked(Path(folder)))
            }.count()
        },
    )

    for (columnar in listOf(true, false)) {
        for ((what, job) in jobs) {
            test(
                "a task that is killed while $what leaves nothing open: " +
                    "${if (columnar) "as Spark has them" else "by rows"} [SPK-11]",
            ) {
                Cluster.session.conf().set("spark.arbalest.columnar", columnar)
                val folder = createTempDirectory("arbalest")
                val context = Cluster.session.sparkContext()
                val blocked = Cluster.read(Numbers::class.java, "does" to "block in $folder").select("id")
                val ended = thread {
                    context.setJobGroup("blocked", "", false)
                    runCatching { job(blocked, "$folder") }
                }
                try {
                    // each executor runs one task at a time
                    eventually(60.seconds) { folder.listDirectoryEntries() shouldHaveSize 2 }
                } finally {
                    context.cancelJobGroup("blocked")
                }
                ended.join(60_000)
                ended.isAlive shouldBe false
                supplyAsync { Cluster.read(Numbers::class.java).count() }.get(60, SECONDS) shouldBe 1200
                folder.toFile().deleteRecursively()
            }
        }
    }
})
