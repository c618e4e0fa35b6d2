// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

import io.kotest.assertions.nondeterministic.eventually
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.adbc.AdbcConnection
import org.arbalest.device.adbc.AdbcDriver
import org.arbalest.support.adbc.DriverFolder
import org.arbalest.support.adbc.PostgreSqlServer
import java.util.concurrent.CompletableFuture
import kotlin.random.Random
import kotlin.time.Duration.Companion.seconds

/** Queries that a PostgreSQL server decides, compared with Spark's own answers, and writes into it. */
class AdbcPostgreSqlSpec : FunSpec({
    val folder = DriverFolder("postgresql")
    extension(folder.needed { PostgreSqlServer.missing })

    fun open(server: PostgreSqlServer) = AdbcDriver.load(folder.library).open(mapOf("uri" to server.uri))

    val started = lazy {
        PostgreSqlServer.start().also { server ->
            open(server).use { of -> of.connect().use { PushedTable.store(it, PushedTable.postgreSql) } }
        }
    }
    suspend fun connected(use: suspend (AdbcConnection) -> Unit) = open(started.value).use { of ->
        of.connect().use { use(it) }
    }
    afterSpec { if (started.isInitialized()) started.value.close() }

    beforeTest {
        val conf = Cluster.session.conf()
        conf.set("spark.sql.session.timeZone", "America/New_York")
        conf.set("spark.sql.datetime.java8API.enabled", true)
    }

    afterTest {
        Cluster.session.conf().unset("spark.sql.session.timeZone")
        Cluster.session.conf().unset("spark.sql.datetime.java8API.enabled")
        Cluster.shouldHoldNothing()
        Cluster.mended().shouldBeEmpty()
    }

    fun read(vararg options: Pair<String, Any>) = Cluster.read(AdbcSource::class.java, "driver" to folder.library,
        "database.uri" to started.value.uri, "table" to "t", *options)

    test("the rows that PostgreSQL returns for 500 random conditions are Spark's [SPK-25]") {
        val random = Random(46)
        val names = PushedTable.postgreSql.keys
        val conditions = List(500) { PushedTable.condition(random, 2, names) }
        val expected = PushedTable.expected(read("pushDownPredicate" to false), conditions)
        connected {
            PushedTable.shouldBeExpected(it, read(), conditions, expected) shouldBeGreaterThan 100
        }
    }

    test("searches, aggregates, groups and first rows have Spark's answers [SPK-25, SPK-26]") {
        val off = read("pushDownPredicate" to false, "pushDownLimit" to false, "pushDownAggregate" to false)
        for ((sql, pushed) in mapOf(
            "SELECT id FROM v WHERE t LIKE '%-%' OR endswith(t, 'ä') ORDER BY id" to "accepted [",
            "SELECT id FROM v WHERE startswith(tc, 'A') OR contains(t, '_') ORDER BY id" to "accepted [",
            "SELECT id FROM v WHERE contains(t, '\\'') OR startswith(t, '') ORDER BY id" to "accepted [",
            "SELECT count(*), count(t), min(s), max(i), min(l), sum(s), sum(i), avg(i) FROM v" to "aggregates [",
            "SELECT s, count(*), max(l), sum(i) FROM v GROUP BY s ORDER BY s" to "aggregates [",
            "SELECT o, tc, count(*) FROM v GROUP BY o, tc ORDER BY o, tc" to "aggregates [",
            "SELECT i, sum(s) AS x FROM v GROUP BY i ORDER BY x DESC, i NULLS LAST LIMIT 3" to "aggregates [",
            "SELECT DISTINCT t FROM v ORDER BY t" to "groups [",
            "SELECT i, id FROM v ORDER BY i DESC NULLS FIRST, id LIMIT 60" to "order [",
        )) withClue(sql) {
            off.createOrReplaceTempView("v")
            val expected = Cluster.session.sql(sql).collectAsList()
            read().createOrReplaceTempView("v")
            val rows = Cluster.session.sql(sql)
            "${rows.queryExecution().executedPlan()}" shouldContain pushed
            rows.collectAsList() shouldBe expected
        }
    }

    fun AdbcConnection.longs(sql: String): List<Long> = query(sql).use { rows ->
        generateSequence { rows.next() }.flatMap { batch -> batch.use { it.column(0).toList() } }.map { it as Long }
            .toList()
    }

    test("an overwrite waits for one that runs, and replaces its rows [SPK-27]") {
        connected { it.execute("CREATE TABLE w AS SELECT 1::bigint AS id") }
        connected { other ->
            other.isAutoCommit = false
            other.execute("DELETE FROM w")
            other.execute("INSERT INTO w VALUES (2)")
            val write = CompletableFuture.runAsync {
                Cluster.session.range(3, 5).write().format("arbalest").option("source", AdbcSource::class.java.name)
                    .option("driver", "${folder.library}").option("database.uri", started.value.uri)
                    .option("table", "w").mode("overwrite").save()
            }
            eventually(60.seconds) {
                connected { watching ->
                    watching.longs("SELECT count(*) FROM pg_locks WHERE NOT granted") shouldBe listOf(1L)
                }
            }
            other.commit()
            write.get()
            other.longs("SELECT id FROM w ORDER BY id") shouldBe listOf(3L, 4L)
        }
    }
})
