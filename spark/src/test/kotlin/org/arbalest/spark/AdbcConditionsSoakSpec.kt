// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainAll
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import org.apache.spark.sql.Dataset
import org.apache.spark.sql.Row
import org.arbalest.device.adbc.AdbcConnection
import org.arbalest.spark.internal.source.queriesOf
import kotlin.random.Random

/** Conditions that DuckDB decides, compared with Spark's own answers. */
class AdbcConditionsSoakSpec : FunSpec({
    beforeTest {
        val conf = Cluster.session.conf()
        conf.set("spark.sql.session.timeZone", "America/New_York")
        conf.set("spark.sql.datetime.java8API.enabled", true) // dates of java.sql lack days of October 1582
    }

    afterTest {
        Cluster.session.conf().unset("spark.sql.session.timeZone")
        Cluster.session.conf().unset("spark.sql.datetime.java8API.enabled")
        Cluster.shouldHoldNothing()
        Cluster.mended().shouldBeEmpty()
    }

    /** Returns the ids of the rows that fulfil each condition by Spark, which has the rows in its own memory. */
    fun expected(conditions: List<String>): List<List<Long>> {
        val read = PushedTable.read("pushDownPredicate" to false)
        val own = Cluster.session.createDataFrame(read.collectAsList(), read.schema())
        return conditions.chunked(100).flatMap { some ->
            val rows = own.selectExpr("id", *some.toTypedArray()).collectAsList()
            some.indices.map { n -> rows.filter { it.get(n + 1) == true }.map { it.getLong(0) }.sorted() }
        }
    }

    fun AdbcConnection.ids(sql: String): List<Any?> = query(sql).use { rows ->
        generateSequence { rows.next() }.flatMap { batch -> batch.use { it.column(0).toList() } }.toList()
    }

    /** Spark applies a part of some conditions itself: the database then has all of Spark's rows, and perhaps more. */
    test("the rows that DuckDB returns for 1,000 random conditions are Spark's [SPK-25]") {
        val random = Random(44)
        val conditions = List(1000) { PushedTable.condition(random, 2) }
        val expected = expected(conditions)
        val table = PushedTable.read()
        var whole = 0
        PushedTable.connected { connection ->
            conditions.forEachIndexed { n, condition ->
                val rows = table.where(condition).select("id")
                val isWhole = "Filter " !in "${rows.queryExecution().optimizedPlan()}"
                withClue(condition) {
                    val ids = queriesOf(rows).flatMap { connection.ids(it) }
                    if (isWhole) ids.sortedBy { it as Long } shouldBe expected[n] else ids shouldContainAll expected[n]
                }
                if (isWhole) whole++
            }
        }
        whole shouldBeGreaterThan 500
    }

    test("60 random conditions have Spark's answers when executors read the rows [SPK-25]") {
        val random = Random(45)
        val conditions = List(60) { PushedTable.condition(random, 2) }
        val table = PushedTable.read()
        val answers = conditions.withIndex().chunked(20).flatMap { some ->
            some.map { (n, condition) -> table.where(condition).selectExpr("$n AS n", "id") }
                .reduce(Dataset<Row>::union).collectAsList()
        }.groupBy({ it.getInt(0) }, { it.getLong(1) })
        expected(conditions).forEachIndexed { n, ids ->
            withClue(conditions[n]) { answers[n].orEmpty().sorted() shouldBe ids }
        }
    }
})
