// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.databases

import io.kotest.assertions.nondeterministic.eventually
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldNotBeEmpty
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.longs.shouldBeInRange
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.coroutines.decimals
import org.arbalest.coroutines.get
import org.arbalest.coroutines.toList
import org.arbalest.device.Devices
import org.arbalest.device.adbc.AdbcConnection
import org.arbalest.device.adbc.AdbcDriver
import org.arbalest.device.adbc.AdbcException
import org.arbalest.device.adbc.AdbcPool
import org.arbalest.device.adbc.AdbcPoolOptions
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Interval
import org.arbalest.interop.adbc.rows
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.DriverFolder
import org.arbalest.support.adbc.PostgreSqlServer
import java.math.BigDecimal
import java.math.BigInteger
import java.time.Duration
import java.time.Instant
import java.time.LocalDate
import java.time.LocalDateTime
import java.time.LocalTime
import java.time.OffsetDateTime
import java.time.ZonedDateTime
import java.util.UUID
import java.util.concurrent.CompletableFuture
import kotlin.time.Duration.Companion.seconds

private data class Price(val price: BigDecimal?)

private val ID = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff")

/** An expression and its value for each SQL type of the page. */
private val LITERALS = mapOf(
    "boolean" to Literal("true", true),
    "smallint" to Literal("(-2)::smallint", -2L),
    "integer" to Literal("2147483647", 2147483647L),
    "bigint" to Literal("9223372036854775807", Long.MAX_VALUE),
    "real" to Literal("1.5::real", 1.5),
    "double precision" to Literal("0.1::float8", 0.1),
    "numeric" to Literal("-12.50", "-12.50"),
    "text" to Literal("'é'::text", "é"),
    "varchar" to Literal("'é'::varchar(9)", "é"),
    "char" to Literal("'é'::char(3)", "é  "),
    "enum" to Literal("'GLAD'::mood", "GLAD"),
    "json" to Literal("'{\"a\":1}'::json", "{\"a\":1}"),
    "jsonb" to Literal("'{\"a\":1}'::jsonb", "{\"a\": 1}"),
    "bytea" to Literal("'\\x01ff'::bytea", listOf<Byte>(1, -1)),
    "uuid" to Literal("'$ID'::uuid", ID),
    "date" to Literal("'1900-01-01'::date", LocalDate.of(1900, 1, 1).toEpochDay()),
    "time" to Literal("'01:02:03.000004'::time", 3_723_000_004),
    "timestamp" to Literal("'1969-12-31 23:59:59.999999'::timestamp", -1L),
    "timestamptz" to Literal("'1970-01-01 01:00:00+01'::timestamptz", 0L),
    "interval" to Literal("'1 month 2 days 0.000003'::interval", Interval(1, 2, 3000)),
    "money" to Literal("'12.34'::money", 1234L),
    "oid" to Literal("7::oid", 7L),
    "integer[]" to Literal("ARRAY[1, NULL]", listOf(1L, null)),
    "(integer, text)" to Literal("(1, 'a')::pair", mapOf("a" to 1L, "b" to "a")),
    "xml" to Literal("'<a/>'::xml", "<a/>".toByteArray().toList()),
    "timetz" to Literal("'00:00:00.000001+00'::timetz", List<Byte>(7) { 0 } + listOf<Byte>(1, 0, 0, 0, 0)),
    "bit" to Literal("B'101'", listOf<Byte>(0, 0, 0, 3, -96)),
    "inet" to Literal("'127.0.0.1'::inet", listOf<Byte>(2, 32, 0, 4, 127, 0, 0, 1)),
    "point" to Literal("point(0, 0)", List<Byte>(16) { 0 }),
    "int4range" to Literal("'empty'::int4range", listOf<Byte>(1)),
    "tsvector" to Literal("''::tsvector", List<Byte>(4) { 0 }),
)

/** A value and its text for each Java class of the page. */
private val VALUES = mapOf<String, Pair<Any, String>>(
    "Boolean" to (true to "true"),
    "Byte" to (1.toByte() to "1"),
    "Short" to (2.toShort() to "2"),
    "Integer" to (3 to "3"),
    "Long" to (4L to "4"),
    "Float" to (1.5f to "1.5"),
    "Double" to (2.5 to "2.5"),
    "BigDecimal" to (BigDecimal("-1.25") to "-1.25"),
    "BigInteger" to (BigInteger.TEN.pow(40) to "1" + "0".repeat(40)),
    "String" to ("é" to "é"),
    "Character" to ('a' to "a"),
    "enum" to (Mood.GLAD to "GLAD"),
    "byte[]" to (byteArrayOf(1, -1) to "\\x01ff"),
    "UUID" to (ID to "$ID"),
    "LocalDate" to (LocalDate.of(1900, 1, 1) to "1900-01-01"),
    "LocalTime" to (LocalTime.of(1, 2, 3, 4_000) to "01:02:03.000004"),
    "LocalDateTime" to (LocalDateTime.of(1900, 1, 2, 3, 4) to "1900-01-02 03:04:00"),
    "Instant" to (Instant.parse("1900-01-01T00:00:00.000001Z") to "1900-01-01 00:00:00.000001+00"),
    "OffsetDateTime" to (OffsetDateTime.parse("2024-01-01T01:00:00+01:00") to "2024-01-01 00:00:00+00"),
    "ZonedDateTime" to (ZonedDateTime.parse("2024-01-01T01:00:00+01:00[Europe/Paris]") to "2024-01-01 00:00:00+00"),
    "Duration" to (Duration.ofMillis(-1) to "-00:00:00.001"),
    "Interval" to (Interval(1, 2, 3000) to "1 mon 2 days 00:00:00.000003"),
    "List<Long>" to (listOf(1L, 2L) to "{1,2}"),
    "String[]" to (arrayOf("a", "b") to "{a,b}"),
)

/** Tests Apache's driver of PostgreSQL with a server, and the tables of its page. */
internal class PostgreSqlSpec : FunSpec({
    val folder = DriverFolder("postgresql")
    val driver by lazy { AdbcDriver.load(folder.library) }
    extension(folder.needed { PostgreSqlServer.missing })
    extension(ResourceCountersExtension)

    val started = lazy {
        PostgreSqlServer.start().also { server ->
            driver.open(mapOf("uri" to server.uri)).use { database ->
                database.connect().use {
                    it.execute("CREATE TYPE mood AS ENUM ('GLAD'); CREATE TYPE pair AS (a integer, b text)")
                }
            }
        }
    }
    afterSpec { if (started.isInitialized()) started.value.close() }

    fun connected(block: (AdbcConnection) -> Unit): Unit = driver.open(mapOf("uri" to started.value.uri))
        .use { database -> database.connect().use(block) }

    fun bothWays(block: (AdbcConnection) -> Unit): Unit = connected { connection ->
        connection.execute("SET TIME ZONE 'Asia/Tokyo'")
        withClue("with autocommit") { block(connection) }
        connection.setAutoCommit(false)
        withClue("in a transaction") { block(connection) }
        connection.rollback()
    }

    test("each SQL type of the page arrives as its type, by COPY and without") {
        val page = TypesPage("postgresql")
        connected { connection ->
            page.shouldBeResults(LITERALS) { connection.query("SELECT $it AS v") }
            page.shouldBeResults(LITERALS) { connection.query("SELECT $it AS v WHERE $1", true) }
        }
    }

    test("each Java class of the page becomes its SQL type") {
        val page = TypesPage("postgresql")
        page.parameters.keys shouldBe VALUES.keys
        connected { connection ->
            for ((name, sample) in VALUES) withClue(name) {
                val (value, text) = sample
                val expected = if (value is Instant || value is OffsetDateTime || value is ZonedDateTime)
                    "($1 AT TIME ZONE 'UTC')::text || '+00'" else "$1::text"
                connection.query("SELECT pg_typeof($1)::text, $expected", value).rows().single() shouldBe
                    listOf(page.parameters[name], text)
            }
        }
    }

    test("statements that PostgreSQL rejects within COPY have a result") {
        bothWays { connection ->
            connection.execute("CREATE TABLE IF NOT EXISTS t (id serial, v text)")
            for (sql in listOf(
                "EXPLAIN SELECT 1", "SHOW TimeZone", "SELECT 1 -- one", "SELECT 1;\n", "SELECT 1; /* one */",
                "INSERT INTO t (v) VALUES ('a') RETURNING id", "WITH x AS (SELECT 1) SELECT * FROM x -- one",
                "explain (format json) VALUES (1)", "TABLE t", "(SELECT 1) UNION ALL (SELECT 2);",
                "SELECT * FROM t FOR UPDATE", "SELECT '--'", "SELECT 1; /* a /* b */ c */",
            )) withClue(sql) { connection.query(sql).rows().shouldNotBeEmpty() }
            connection.query("CREATE TABLE IF NOT EXISTS u (id int)").rows() shouldBe listOf()
            connection.query("SELECT 1 AS a INTO TEMPORARY selected").rows() shouldBe listOf()
            connection.execute("DROP TABLE selected")
            connection.query("SHOW TimeZone").rows() shouldBe listOf(listOf("Asia/Tokyo"))
        }
    }

    test("rows that a statement changes are counted, and stay although its result is closed early") {
        connected { connection ->
            connection.execute("CREATE TABLE kept (id int)")
            val insert = "INSERT INTO kept SELECT generate_series(1, 100000) RETURNING id"
            for (sql in listOf(insert, "WITH changed AS ($insert) SELECT * FROM changed")) withClue(sql) {
                connection.createStatement().use { statement ->
                    statement.setSqlQuery(sql)
                    statement.executeQuery().close()
                    statement.affectedRows() shouldBe 100_000
                }
            }
            connection.query("SELECT count(*) FROM kept").rows() shouldBe listOf(listOf(200_000L))
        }
    }

    test("numeric is read as BigDecimal") {
        connected { connection ->
            val sql = "SELECT unnest(ARRAY[12.50, NULL, 1e40, -1e-40]) AS price"
            val values = listOf(BigDecimal("12.50"), null, BigDecimal.TEN.pow(40), BigDecimal("-1e-40"))
            connection.query(sql).use { it.next()!!.use { batch ->
                batch.toList<Price>().map(Price::price).map { it?.stripTrailingZeros() } shouldBe
                    values.map { it?.stripTrailingZeros() }
                batch["price"].decimals()[0] shouldBe BigDecimal("12.50")
                batch.column(0).getDouble(0) shouldBe 12.5
            } }
            for (none in listOf("NaN", "Infinity", "-Infinity")) {
                connection.query("SELECT '$none'::numeric AS price").use { it.next()!!.use { batch ->
                    shouldThrow<ArithmeticException> { batch.column(0).getDecimal(0) }.message shouldContain
                        "column \"price\", row 0: \""
                    "${batch.column(0).getDouble(0)}" shouldBe none
                } }
            }
            connection.query("SELECT avg(i) AS price FROM generate_series(1, 2) i").use { it.next()!!.use { batch ->
                batch.column(0).getDecimal(0).compareTo(BigDecimal("1.5")) shouldBe 0
            } }
        }
    }

    test("a list by value is compared with each of its elements") {
        connected { connection ->
            val ids = listOf(listOf(2L), listOf(4L))
            val sql = "SELECT i FROM generate_series(1::bigint, 5) i WHERE i = ANY($1) ORDER BY i"
            for (list in listOf(listOf(4L, 2L), longArrayOf(2, 4), intArrayOf(2, 4), setOf(2, 4)))
                connection.query(sql, list).rows() shouldBe ids
            connection.query(sql, LongArray(0)).rows() shouldBe listOf()
            connection.query("SELECT 'b' = ANY($1), $2 = ANY($3)", listOf("a", "b"), ID, listOf(ID)).rows() shouldBe
                listOf(listOf(true, true))
            connection.query("SELECT $1::text", listOf(LocalDate.EPOCH)).rows() shouldBe listOf(listOf("{1970-01-01}"))
        }
    }

    test("nanoseconds of values are cut off, and those of bound batches refused") {
        connected { connection ->
            val sql = "SELECT $1::text, $2::text, $3::text"
            val time = LocalTime.of(1, 2, 3, 4_567)
            val before = LocalDateTime.of(1969, 12, 31, 23, 59, 59, 999_999_999)
            val cut = listOf("01:02:03.000004", "1969-12-31 23:59:59.999999", "{01:02:03.000004}")
            connection.query(sql, time, before, listOf(time)).rows() shouldBe listOf(cut)
            connection.createStatement().use { statement ->
                statement.setSqlQuery(sql)
                statement.prepare()
                statement.bindValues(time, before, listOf(time))
                statement.executeQuery().rows() shouldBe listOf(cut)
                val nanos = Field.of("a", DataType.timestamp(ArrowTimeUnit.NANOSECOND, null))
                fun batch(time: LocalDateTime) = BatchBuilder.of(Devices.cpu(), 1).use {
                    it.column(nanos, listOf(time))
                    it.build()
                }
                statement.setSqlQuery("SELECT $1::text")
                statement.bind(batch(before.withNano(999_999_000)))
                statement.executeQuery().rows() shouldBe listOf(listOf("1969-12-31 23:59:59.999999"))
                shouldThrow<IllegalArgumentException> { statement.bind(batch(before)) }
                shouldThrow<IllegalArgumentException> { connection.ingest("nanos", batch(before)) }
            }
        }
    }

    test("text needs a cast for json, uuid, enums and dates, except null and a prepared json") {
        connected { connection ->
            connection.execute("CREATE TABLE casts (j jsonb, u uuid, m mood, d date)")
            val values = arrayOf<Any?>("{\"a\":1}", "$ID", "GLAD", "2024-10-04")
            connection.execute("INSERT INTO casts VALUES ($1::jsonb, $2::uuid, $3::mood, $4::date)", *values) shouldBe 1
            shouldThrow<AdbcException> { connection.execute("INSERT INTO casts (j) VALUES ($1)", "{}") }
                .sqlState() shouldBe "42804"
            connection.execute("INSERT INTO casts VALUES ($1, $2, $3, $4)", null, null, null, null) shouldBe 1
            connection.createStatement().use { statement ->
                statement.setSqlQuery("INSERT INTO casts (j, u, d) VALUES ($1, $2, $3)")
                statement.prepare()
                statement.bindValues("{\"b\":2}", ID, LocalDate.EPOCH)
                statement.executeUpdate() shouldBe 1
            }
            connection.query("SELECT j::text FROM casts WHERE j IS NOT NULL").rows() shouldBe
                listOf(listOf("{\"a\": 1}"), listOf("{\"b\": 2}"))
        }
    }

    test("a query with another open result ends that result") {
        connected { connection ->
            connection.query("SELECT generate_series(1, 10000000)").use { first ->
                first.next()!!.close()
                connection.query("SELECT 1").rows() shouldBe listOf(listOf(1L))
                shouldThrow<AdbcException> { while (first.next()?.close() != null) Unit }.message shouldContain
                    "which may have ended this result"
            }
            connection.query("SELECT 1 WHERE $1", true).use { first ->
                connection.query("SELECT 2").rows() shouldBe listOf(listOf(2L))
                first.rows() shouldBe listOf(listOf(1L))
            }
        }
    }

    test("many rows are stored with their own values and the table's defaults, as one statement or as one per row") {
        val types = "id bigint UNIQUE, name text, at timestamptz, day date, price numeric, tags text[], " +
            "made serial, rank int DEFAULT 7, twice bigint GENERATED ALWAYS AS (id * 2) STORED"
        val at = Instant.parse("1900-01-01T00:00:00.000001Z")
        fun row(id: Int, tags: List<String>?) = listOf(id.toLong(), "né '$id'\n".takeIf { id % 3 > 0 },
            at.plusSeconds(id.toLong()).takeIf { id % 5 > 0 }, LocalDate.EPOCH.minusDays(id.toLong()),
            BigDecimal("-0.50").takeIf { id % 7 > 0 }, tags)
        val all = "SELECT id, name, (at AT TIME ZONE 'UTC')::text, day::text, price::text, tags::text, made, rank, " +
            "twice"
        fun stored(connection: AdbcConnection, table: String) = connection.query("$all FROM $table ORDER BY id").rows()
        connected { connection ->
            for (hasLists in listOf(false, true)) withClue("lists: $hasLists") {
                val names = "id, name, at, day, price" + if (hasLists) ", tags" else ""
                val values = "$1, $2, $3, $4, $5" + if (hasLists) ", $6" else ""
                val rows = List(457) { id -> row(id, listOf("a", "$id")).take(if (hasLists) 6 else 5) }
                for ((table, autoCommit) in mapOf("each" to true, "once" to false)) {
                    connection.execute("CREATE TABLE $table ($types)")
                    connection.isAutoCommit = autoCommit
                    connection.executeMany("INSERT INTO $table ($names) VALUES ($values)", rows) shouldBe 457
                    if (!autoCommit) connection.isAutoCommit = true
                }
                val stored = stored(connection, "once")
                stored shouldBe stored(connection, "each")
                stored[3] shouldBe listOf(3L, null, "1900-01-01 00:00:03.000001", "1969-12-29", "-0.5",
                    "{a,3}".takeIf { hasLists }, 4L, 7L, 6L)
                stored[5][2] shouldBe null
                stored[456].takeLast(3) shouldBe listOf(457L, 7L, 912L)
                connection.execute("DROP TABLE each")
                connection.execute("DROP TABLE once")
            }
        }
    }

    test("a row in the middle that is stored already leaves none in a transaction, and else the rows before it") {
        fun rows(value: (Int) -> Any?) = List(200) { listOf((if (it == 150) 0 else it).toLong(), value(it)) }
        val insert = "INSERT INTO middle VALUES ($1, $2)"
        val values = mapOf<String, (Int) -> Any?>("text" to { "$it" }, "text[]" to { listOf("$it") },
            "timestamptz" to { Instant.ofEpochSecond(it.toLong()) }, "timestamptz NULL" to { null })
        for ((type, value) in values) withClue(type) {
            connected { connection ->
                fun count() = connection.query("SELECT count(*) FROM middle").rows().single().single()
                connection.execute("DROP TABLE IF EXISTS middle")
                connection.execute("CREATE TABLE middle (id bigint UNIQUE, value $type)")
                connection.isAutoCommit = false
                shouldThrow<AdbcException> { connection.executeMany(insert, rows(value)) }.sqlState() shouldBe "23505"
                shouldThrow<AdbcException> { connection.commit() }.sqlState() shouldBe "25P02"
                connection.rollback()
                count() shouldBe 0
                connection.isAutoCommit = true
                shouldThrow<AdbcException> { connection.executeMany(insert, rows(value)) }.sqlState() shouldBe "23505"
                count() shouldBe if (type.startsWith("timestamptz")) 0L else 150L
                connection.executeMany(insert, listOf(listOf(1000L, value(0)))) shouldBe 1 // the session is usable
                connection.isAutoCommit shouldBe true
            }
            connected { it.query("SELECT 1 FROM middle WHERE id = 1000").rows() shouldBe listOf(listOf(1L)) }
        }
    }

    test("a null item of a list is refused with its parameter and row, and no row is stored") {
        bothWays { connection ->
            connection.execute("CREATE TABLE IF NOT EXISTS items (id bigint, list bigint[])")
            val rows = listOf(listOf(1L, listOf(1L)), listOf(2L, listOf(1L, null, 3L)))
            val message = shouldThrow<IllegalArgumentException> {
                connection.executeMany("INSERT INTO items VALUES ($1, $2)", rows)
            }.message
            message shouldContain "column 2, row 1: the list has a null item"
            connection.query("SELECT count(*) FROM items").rows() shouldBe listOf(listOf(0L))
        }
    }

    test("a query with an Instant that ends early or fails leaves no transaction, zone or lost write") {
        val at = Instant.parse("2024-10-04T05:06:07Z")
        connected { it.execute("CREATE TABLE times (id bigint UNIQUE, at timestamptz)") }
        fun use(connection: AdbcConnection, id: Long) {
            connection.execute("INSERT INTO times VALUES ($1, $2)", id, at) shouldBe 1
            connection.query("SELECT id FROM times, generate_series(1, 9) WHERE at <= $1", at).close()
            connection.execute("INSERT INTO times VALUES ($1, NULL)", id + 1) shouldBe 1
            shouldThrow<AdbcException> { connection.execute("INSERT INTO times VALUES ($1, $2)", id, at) }
                .sqlState() shouldBe "23505"
            connection.execute("INSERT INTO times VALUES ($1, $2)", id + 2, null) shouldBe 1
            connection.isAutoCommit shouldBe true
        }
        connected { use(it, 10) }
        AdbcPool.of({ driver.open(mapOf("uri" to started.value.uri)) },
            AdbcPoolOptions.of(1, Duration.ofSeconds(9))).use { pool ->
            for (id in listOf(20L, 30L)) pool.acquire().use { use(it.connection(), id) }
            pool.statistics().created shouldBe 1
        }
        connected {
            it.query("SELECT id FROM times ORDER BY id").rows().map { row -> row.single() } shouldBe
                listOf(10L, 11L, 12L, 20L, 21L, 22L, 30L, 31L, 32L)
        }
        bothWays { connection ->
            connection.query("SELECT id FROM times, generate_series(1, 9) WHERE at <= $1", at).close()
            connection.query("SHOW TimeZone").rows() shouldBe listOf(listOf("Asia/Tokyo"))
            connection.query("SELECT ('2024-01-01 20:00+00'::timestamptz)::date::text").rows() shouldBe
                listOf(listOf("2024-01-02"))
        }
    }

    test("infinity and times that no column can hold are refused") {
        connected { connection ->
            for ((sql, what) in mapOf("'infinity'::timestamptz" to "infinity", "'-infinity'::timestamp" to "-infinity",
                "'infinity'::date" to "infinity", "'-infinity'::date" to "-infinity",
                "'294276-12-31'::timestamp" to "a time after the year 294246",
                "ARRAY['infinity'::date]" to "infinity")) withClue(sql) {
                shouldThrow<AdbcException> { connection.query("SELECT $sql AS moment").use { it.forEach {} } }
                    .driverMessage() shouldContain "the value is $what,"
                shouldThrow<AdbcException> {
                    connection.query("SELECT $sql AS moment WHERE $1", true).use { it.forEach {} }
                }.driverMessage() shouldContain "the value is $what,"
            }
            connection.query("SELECT '294246-12-31'::timestamp, '4713-01-01 BC'::date").rows().size shouldBe 1
        }
    }

    test("a pool waits for a server that stops and comes back, and replaces its connections") {
        val options = AdbcPoolOptions.of(2, Duration.ofSeconds(60)).aliveBypassWindow(Duration.ZERO)
        AdbcPool.of({ driver.open(mapOf("uri" to started.value.uri)) }, options).use { pool ->
            fun one() = pool.acquire().use { it.connection().query("SELECT 1").rows() }
            pool.acquire().use { one() }
            started.value.stop()
            val waiting = List(4) { CompletableFuture.supplyAsync(::one) }
            eventually(60.seconds) { pool.statistics().connectFailures shouldBeGreaterThan 0 }
            waiting.count { it.isDone } shouldBe 0
            started.value.start()
            waiting.forEach { it.get() shouldBe listOf(listOf(1L)) }
            with(pool.statistics()) {
                timeouts shouldBe 0
                validationFailures shouldBe 2
                created shouldBeInRange 3L..4L
            }
        }
    }

    test("DISCARD ALL after each lease removes its search path, time limits and locks") {
        val options = AdbcPoolOptions.of(1, Duration.ofSeconds(9)).connectionResetSql("DISCARD ALL")
        AdbcPool.of({ driver.open(mapOf("uri" to started.value.uri)) }, options).use { pool ->
            val state = "SELECT current_setting('search_path'), current_setting('statement_timeout'), " +
                "(SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid())"
            fun state() = pool.acquire().use { it.connection().query(state).rows().single() }
            val before = state()
            pool.acquire().use { lease ->
                lease.connection().execute("SET search_path = pg_catalog; SET statement_timeout = 9999")
                lease.connection().query("SELECT pg_advisory_lock(58)").close()
            }
            state() shouldBe before
            before.last() shouldBe 0
            pool.statistics().created shouldBe 1
        }
    }
})
