// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

import io.kotest.assertions.nondeterministic.eventually
import io.kotest.assertions.throwables.shouldThrow
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

    fun overwrite(table: String, uri: String = started.value.uri) =
        Cluster.session.range(3, 5).write().format("arbalest").option("source", AdbcSource::class.java.name)
            .option("driver", "${folder.library}").option("database.uri", uri).option("table", table)
            .mode("overwrite").save()

    /** Overwrites by [table] while another transaction has stored 2 by [by]. Neither may keep rows of both. */
    suspend fun shouldWait(table: String, by: String, uri: String = started.value.uri) = connected { other ->
        other.isAutoCommit = false
        other.execute("DELETE FROM $by")
        other.execute("INSERT INTO $by VALUES (2)")
        val write = CompletableFuture.runAsync { overwrite(table, uri) }
        eventually(60.seconds) {
            connected { watching ->
                watching.longs("SELECT count(*) FROM pg_locks WHERE NOT granted") shouldBe listOf(1L)
            }
        }
        other.commit()
        write.get()
        other.longs("SELECT id FROM $by ORDER BY id") shouldBe listOf(3L, 4L)
        other.commit()
    }

    test("an overwrite waits for one that runs, and replaces its rows, also by views [SPK-27]") {
        connected {
            it.execute("CREATE TABLE w AS SELECT 1::bigint AS id")
            it.execute("CREATE VIEW part AS SELECT * FROM w WHERE id > 0")
            it.execute("CREATE VIEW \"all of\" AS SELECT * FROM part")
            it.execute("CREATE VIEW triggered AS SELECT DISTINCT id FROM w")
            it.execute("CREATE FUNCTION change() RETURNS trigger LANGUAGE plpgsql AS " +
                "'BEGIN IF TG_OP = ''DELETE'' THEN DELETE FROM w WHERE id = OLD.id; RETURN OLD; END IF; " +
                "INSERT INTO w VALUES (NEW.id); RETURN NEW; END'")
            it.execute("CREATE TRIGGER change INSTEAD OF INSERT OR DELETE ON triggered " +
                "FOR EACH ROW EXECUTE FUNCTION change()")
        }
        for (table in listOf("w", "part", "\"all of\"", "triggered")) withClue(table) { shouldWait(table, "w") }
        shouldWait("part", "\"all of\"")
    }

    test("an overwrite does not keep another's rows where a transaction reads only rows from before its begin " +
        "[SPK-27]") {
        connected { it.execute("CREATE TABLE empty (id bigint)") }
        for (level in listOf("repeatable", "serializable")) withClue(level) {
            val option = "?options=-cdefault_transaction_isolation%3D" +
                if (level == "repeatable") "repeatable%5C%20read" else level
            connected { it.execute("DELETE FROM empty") }
            shouldWait("empty", "empty", started.value.uri + option)
        }
    }

    test("an overwrite that may not lock what a view contains is refused with the way out [SPK-27]") {
        connected { it.execute(
            "CREATE ROLE owner LOGIN; CREATE TABLE known AS SELECT 1::bigint AS id; GRANT SELECT ON known TO owner; " +
                "CREATE TABLE mine AS SELECT 1::bigint AS id; ALTER TABLE mine OWNER TO owner; " +
                "CREATE VIEW checked AS SELECT * FROM mine WHERE id IN (SELECT id FROM known); " +
                "ALTER VIEW checked OWNER TO owner; GRANT CREATE ON SCHEMA public TO owner",
        ) }
        val error = shouldThrow<Exception> {
            overwrite("checked", started.value.uri.replace("postgres@", "owner@"))
        }.stackTraceToString()
        error shouldContain "permission denied for table known"
        error shouldContain "overwrite the table itself"
        connected { it.longs("SELECT id FROM mine") shouldBe listOf(1L) }
    }
})
