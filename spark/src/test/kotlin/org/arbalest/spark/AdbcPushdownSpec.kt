// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import org.apache.spark.sql.Dataset
import org.apache.spark.sql.Row
import org.apache.spark.sql.functions.expr
import org.arbalest.spark.internal.source.queriesOf

/** Plans of queries whose work the database does, and their answers. */
class AdbcPushdownSpec : FunSpec({
    afterTest {
        Cluster.session.conf().unset("spark.sql.ansi.enabled")
        Cluster.shouldHoldNothing()
        Cluster.mended().shouldBeEmpty()
    }

    val ranges = arrayOf("partitionColumn" to "i", "lowerBound" to 0, "upperBound" to 100, "numPartitions" to 3)
    val off = arrayOf("pushDownPredicate" to false, "pushDownLimit" to false, "pushDownAggregate" to false)

    fun read(vararg options: Pair<String, Any>) = PushedTable.read(*options)

    fun Dataset<Row>.sorted() = collectAsList().map { "$it" }.sorted()

    fun Dataset<Row>.plan() = "${queryExecution().executedPlan()}"

    test("plans have the conditions that the database decides, and filters for the others [SPK-25]") {
        val condition = "l > 5 AND da IN (DATE'2000-02-29', DATE'1969-12-31') AND tc = 'a' AND i IS NOT NULL"
        val expected = read(*off).where(condition).count()
        for (rows in listOf(read(), read(*ranges))) {
            val some = rows.where(condition)
            some.plan() shouldNotContain " Filter "
            some.plan() shouldContain "accepted ["
            some.count() shouldBe expected
        }
        val mixed = read().where("l > 5 AND t < 'a'")
        mixed.plan() shouldContain " Filter "
        mixed.plan() shouldContain "accepted [l IS NOT NULL, t IS NOT NULL, l > 5]"
        read("pushDownPredicate" to false).where("l > 5").plan() shouldContain "accepted []"
    }

    test("searches in text are Spark's, whatever the collation, and a pattern's signs have no meaning [SPK-25]") {
        for (condition in listOf("startswith(tc, 'A')", "endswith(t, ' ')", "contains(t, '\\'')", "t LIKE '%-%'",
            "NOT contains(ta, 'a')", "startswith(t, '%')", "startswith(t, '')", "contains(t, '_') OR ta LIKE 'ä%'")) {
            val found = read().where(condition)
            withClue(condition) {
                found.plan() shouldNotContain " Filter "
                found.select("id").sorted() shouldBe read(*off).where(condition).select("id").sorted()
            }
        }
        queriesOf(read().where("t LIKE 'a%'")).single() shouldContain "prefix(\"t\" COLLATE \"C\", 'a')"
        for (condition in listOf("t LIKE 'a_'", "startswith(t, 'a\\\\')", "upper(t) LIKE 'A%'"))
            withClue(condition) { read().where(condition).plan() shouldContain " Filter " }
    }

    test("a limit is in the plan and in each query, unless Spark filters first [SPK-25]") {
        read().where("l > 5").limit(3).plan() shouldContain "limit 3"
        queriesOf(read().where("l > 5").limit(3)).single() shouldContain " LIMIT 3"
        read().where("f > 5").limit(3).plan() shouldNotContain "limit 3"
        read(*ranges).where("l > 5").limit(3).collectAsList().size shouldBe 3
        queriesOf(read("pushDownLimit" to false).limit(3)).single() shouldNotContain "LIMIT"
    }

    test("the first rows of an order are Spark's, for each place of nulls, from one partition and several [SPK-25]") {
        val tables = listOf(read(), read(*ranges))
        for (order in listOf("i", "l DESC", "d9 NULLS LAST, id", "da DESC NULLS FIRST, id", "z NULLS LAST, id")) {
            val keys = order.split(", ").map { it.split(" ")[0] }.toTypedArray()
            fun first(rows: Dataset<Row>): Dataset<Row> {
                rows.createOrReplaceTempView("pushed")
                return Cluster.session.sql("SELECT * FROM pushed WHERE id > 20 ORDER BY $order LIMIT 60")
            }
            val expected = first(read(*off)).selectExpr(*keys).collectAsList()
            for (rows in tables) withClue(order) {
                first(rows).plan() shouldContain ", order ["
                first(rows).selectExpr(*keys).collectAsList() shouldBe expected
            }
        }
        for (order in listOf("t", "f", "o", "i + 1")) read().selectExpr("*").orderBy(
            expr(order),
        ).limit(3).plan() shouldNotContain ", order ["
    }

    val aggregates = arrayOf("count(*)", "count(l)", "count(t)", "count(f)", "min(b)", "max(s)", "min(i)", "max(l)",
        "min(ub)", "max(ui)", "max(ul)", "min(h)", "min(d9)", "max(d38)", "min(da)", "max(n)", "max(z)", "sum(b)",
        "sum(s)", "sum(i)", "sum(ub)", "sum(ui)", "avg(i)", "avg(s)")

    test("aggregates have Spark's answers, from one partition and several, also without rows [SPK-26]") {
        for (condition in listOf("true", "id > 100 AND l IS NOT NULL", "id < 0")) {
            val expected = read(*off).where(condition).selectExpr(*aggregates).collectAsList()
            for (rows in listOf(read(), read(*ranges))) {
                val some = rows.where(condition).selectExpr(*aggregates)
                some.plan() shouldContain ", aggregates ["
                withClue(condition) { "${some.collectAsList()}" shouldBe "$expected" }
            }
        }
        val others = listOf("count(DISTINCT i)", "sum(DISTINCT i)", "sum(d9)", "sum(ul)", "sum(f)", "min(f)", "min(t)",
            "max(o)", "avg(l)", "avg(ui)", "sum(i + 1)", "count_if(i > 1)")
        for (other in others)
            withClue(other) { read().selectExpr(other).plan() shouldNotContain ", aggregates [" }
        read().groupBy("f").count().plan() shouldNotContain ", aggregates ["
        read().where("f > 1").selectExpr("count(*)").plan() shouldNotContain ", aggregates ["
        read("pushDownAggregate" to false).selectExpr("count(*)").plan() shouldNotContain ", aggregates ["
    }

    test("groups have Spark's answers, from one partition and several [SPK-26]") {
        val functions = aggregates.drop(1).toTypedArray()
        for (by in listOf("ul, o", "d9, da", "n, z", "tc", "t, ta")) {
            val keys = by.split(", ").map { expr(it) }.toTypedArray()
            fun grouped(rows: Dataset<Row>) =
                rows.where("id > 20").groupBy(*keys)
                    .agg(expr(aggregates[0]), *functions.map { expr(it) }.toTypedArray())
            val expected = grouped(read(*off)).sorted()
            for (rows in listOf(read(), read(*ranges))) withClue(by) {
                grouped(rows).plan() shouldContain ", groups ["
                grouped(rows).sorted() shouldBe expected
            }
        }
        val distinct = read().selectExpr("tc", "o").distinct()
        distinct.plan() shouldContain ", groups ["
        distinct.sorted() shouldBe read(*off).selectExpr("tc", "o").distinct().sorted()
        for (by in listOf("f", "b + 1", "i, f", "upper(t)")) withClue(by) {
            val rows = read().groupBy(*by.split(", ").map { expr(it) }.toTypedArray()).count()
            rows.plan() shouldNotContain ", groups ["
        }
        read("pushDownAggregate" to false).groupBy("b").count().plan() shouldNotContain ", groups ["
    }

    test("the first groups of an order are Spark's, and the database sorts them [SPK-26]") {
        fun first(rows: Dataset<Row>, select: String, order: String): Dataset<Row> {
            rows.createOrReplaceTempView("pushed")
            return Cluster.session.sql("SELECT $select FROM pushed GROUP BY tc, b ORDER BY $order LIMIT 7")
        }
        for ((select, order) in listOf("b, count(*) AS n" to "n DESC, b", "b, sum(i) AS s" to "s NULLS LAST, b",
            "b" to "b, max(l) DESC NULLS FIRST", "b, count(f)" to "count(f), b",
            "max(da)" to "max(da) DESC, min(d9)")) {
            val pushed = first(read(), select, order)
            withClue("$select ORDER BY $order") {
                pushed.plan() shouldContain ", order ["
                queriesOf(pushed).single() shouldContain " LIMIT 7"
                pushed.plan() shouldNotContain "HashAggregate"
                pushed.collectAsList() shouldBe first(read(*off), select, order).collectAsList()
                first(read(*ranges), select, order).plan() shouldNotContain ", order ["
            }
        }
        fun averages(rows: Dataset<Row>) = rows.groupBy("tc").agg(expr("avg(i)"), expr("sum(s)"))
        averages(read()).plan() shouldNotContain "HashAggregate"
        averages(read()).sorted() shouldBe averages(read(*off)).sorted()
        averages(read(*ranges)).plan() shouldContain "HashAggregate"
        val limited = read().groupBy("b").count().limit(3)
        queriesOf(limited).single() shouldContain " GROUP BY 1 LIMIT 3"
        limited.collectAsList().size shouldBe 3
        for ((select, order) in listOf("tc, count(*)" to "tc", "sum(l)" to "sum(l)", "b, avg(i) AS a" to "a"))
            withClue(order) { first(read(), select, order).plan() shouldNotContain ", order [" }
    }

    test("sums of groups beyond a bigint wrap around beside others as in Spark [SPK-26]") {
        Cluster.session.conf().set("spark.sql.ansi.enabled", false)
        val max = Long.MAX_VALUE
        val table = "table" to "(VALUES (1, $max), (1, $max), (1, 5), (2, 7), (2, NULL), (3, NULL)) AS v(k, l)"
        val functions = arrayOf("count(*)", "count(k)", "sum(l)", "sum(k)", "min(l)", "max(k)").map { expr(it) }
        fun sums(vararg options: Pair<String, Any>) = PushedTable.read(table, *options).groupBy("k")
            .agg(functions[0], *functions.drop(1).toTypedArray())
        sums().plan() shouldContain ", groups [k]"
        sums().sorted() shouldBe sums(*off).sorted()
        PushedTable.connected { connection ->
            connection.query(queriesOf(sums()).single()).use { rows ->
                // four of the first group
                generateSequence { rows.next() }.sumOf { batch -> batch.use { it.length() } } shouldBe 6L
            }
        }
    }

    test("a sum beyond a bigint fails, wraps around or is null as in Spark [SPK-26]") {
        val conf = Cluster.session.conf()
        val exact = read(*off).where("l < 0").selectExpr("sum(CAST(l AS decimal(38)))").first().getDecimal(0)
        (exact < Long.MIN_VALUE.toBigDecimal() * 4.toBigDecimal()) shouldBe true
        for (condition in listOf("l > 6", "l < 0", "l IS NOT NULL")) {
            fun sums(function: String, vararg options: Pair<String, Any>): Dataset<Row> {
                val sums = read(*options).where(condition).selectExpr("$function(l)")
                sums.plan().contains(", aggregates [") shouldBe options.isEmpty()
                return sums
            }
            conf.set("spark.sql.ansi.enabled", false)
            sums("sum").collectAsList() shouldBe sums("sum", *off).collectAsList()
            sums("sum", *ranges, *off).collectAsList() shouldBe sums("sum", *off).collectAsList()
            conf.set("spark.sql.ansi.enabled", true)
            if (condition == "l IS NOT NULL") continue // the sum of a prefix may overflow even if that of all does not
            sums("try_sum").first().isNullAt(0) shouldBe true
            sums("try_sum", *off).first().isNullAt(0) shouldBe true
            for (options in listOf(arrayOf(), off))
                shouldThrow<Exception> { sums("sum", *options).collectAsList() }.message shouldContain "overflow"
        }
    }

    test("sums at the ends of each range of bigints wrap around as in Spark [SPK-26]") {
        Cluster.session.conf().set("spark.sql.ansi.enabled", false)
        val twice = "VALUES (9223372036854775807), (9223372036854775807)" // 2^64 - 2
        for ((last, sum) in mapOf(-2L to -4L, -1L to -3L, 0L to -2L, 1L to -1L, 2L to 0L)) withClue(last) {
            val sums = read("table" to "($twice, ($last)) AS v(l)").selectExpr("sum(l)")
            sums.plan() shouldContain ", aggregates ["
            sums.first().getLong(0) shouldBe sum
        }
    }
})
