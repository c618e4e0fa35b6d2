// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.spark

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.apache.spark.sql.SparkSession
import org.arbalest.spark.DataFrames
import org.arbalest.spark.kotlin.arbalest
import org.arbalest.support.printed
import java.io.File
import kotlin.io.path.createTempDirectory

private fun <T> onSpark(block: (SparkSession) -> T): T =
    SparkSession.builder().master("local[2]").config("spark.ui.enabled", "false").appName("guide").getOrCreate()
        .use(block)

private val SUMS = listOf(49_995_000L, 149_995_000L)
private const val SUM_OF_HALVES = 99_995_000.0

/** Runs the code of docs/guides/spark.md and spark-clusters.md. */
class SparkGuideSpec : FunSpec({
    test("the program prints the output on the page") {
        File("../docs/guides/spark.md").readText() shouldContain
            printed { SparkGuideJava.main(arrayOf()) }.let { "\n```\n${it.trim()}\n```\n" }
    }

    test("the program that writes prints the output on its page") {
        val folder = createTempDirectory("arbalest")
        File("../docs/guides/spark-clusters.md").readText() shouldContain
            printed { SparkWritesJava.main(arrayOf("$folder/squares.duckdb")) }.let { "\n```\n${it.trim()}\n```\n" }
        folder.toFile().deleteRecursively()
    }

    test("Java: a function of mapColumns makes a column") {
        onSpark { spark ->
            val ids = spark.read().arbalest<SparkGuideJava.Ids>()
            FunctionsJava.halves(ids).groupBy().sum("half").first().getDouble(0) shouldBe SUM_OF_HALVES
        }
    }

    test("Java: a function's arrays on the task's device become a DataFrame") {
        onSpark { spark ->
            val ids = spark.read().arbalest<SparkGuideJava.Ids>()
            val schema = DataFrames.schema(ids)
            DataFrames.mapColumns(ids, schema) { task, columns -> FunctionsJava.scores(task, columns, schema) }
                .groupBy().sum("id").first().getLong(0) shouldBe SUMS.sum()
        }
    }

    test("Kotlin: functions return a value for each partition, or a column") {
        onSpark { spark ->
            val (sums, halves) = sumsAndHalves(spark)
            sums shouldBe SUMS
            halves.groupBy().sum("half").first().getDouble(0) shouldBe SUM_OF_HALVES
        }
    }
})
