// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import org.apache.spark.sql.Dataset
import org.apache.spark.sql.Row
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

    fun expected(conditions: List<String>) =
        PushedTable.expected(PushedTable.read("pushDownPredicate" to false), conditions)

    test("the rows that DuckDB returns for 1,000 random conditions are Spark's [SPK-25]") {
        val random = Random(44)
        val conditions = List(1000) { PushedTable.condition(random, 2) }
        PushedTable.connected {
            val whole = PushedTable.shouldBeExpected(it, PushedTable.read(), conditions, expected(conditions))
            whole shouldBeGreaterThan 500
        }
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
