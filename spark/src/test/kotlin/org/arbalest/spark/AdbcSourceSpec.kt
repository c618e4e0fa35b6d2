// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

import io.kotest.assertions.nondeterministic.eventually
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContain
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.maps.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import org.apache.spark.SparkException
import org.apache.spark.sql.Dataset
import org.apache.spark.sql.Row
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.adbc.AdbcException
import org.arbalest.device.adbc.AdbcStatus
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.spark.internal.adbc.AdbcParts
import org.arbalest.support.adbc.DuckDbLibrary
import org.arbalest.support.adbc.FaultyDriver
import java.nio.file.Path
import java.util.OptionalInt
import kotlin.concurrent.thread
import kotlin.io.path.createTempDirectory
import kotlin.io.path.createTempFile
import kotlin.io.path.listDirectoryEntries
import kotlin.time.Duration.Companion.seconds

/** Databases with ADBC drivers: DuckDB, which does not partition results, and the faulty driver, which does. */
class AdbcSourceSpec : FunSpec({
    extension(FaultyDriver.needed)

    afterTest {
        Cluster.shouldHoldNothing()
    }

    val duckdb by lazy { "${DuckDbLibrary.file}" }

    fun read(vararg options: Pair<String, Any>): Dataset<Row> =
        Cluster.read(AdbcSource::class.java, "driver" to duckdb, "entrypoint" to "duckdb_adbc_init",
            "database.path" to ":memory:", *options)

    val query = "SELECT CASE WHEN range % 10 = 7 THEN NULL ELSE range END AS id, 'n' || range AS \"a \"\"name\"\"\" " +
        "FROM range(1000)"

    test(
        "ranges of a column cover all rows, also nulls and values beyond the bounds, for any selected columns [SPK-13]",
    ) {
        val rows = read("query" to query, "partitionColumn" to "id", "lowerBound" to 100, "upperBound" to 900,
            "numPartitions" to 7)
        rows.schema().catalogString() shouldBe "struct<id:bigint,a \"name\":string>"
        rows.javaRDD().numPartitions shouldBe 7
        rows.selectExpr("sum(id)", "count(*)", "count(id)").collectAsList().single().let {
            List(3) { n -> it.getLong(n) }
        } shouldBe
            listOf((0L until 1000).filter { it % 10 != 7L }.sum(), 1000L, 900L)
        rows.selectExpr("min(`a \"name\"`)").collectAsList().single().getString(0) shouldBe "n0"
        rows.count() shouldBe 1000
    }

    test("a query has one partition if neither the options nor the driver partition it [SPK-13]") {
        val rows = read("query" to query)
        rows.javaRDD().numPartitions shouldBe 1
        rows.count() shouldBe 1000
        read("table" to "range(7)").count() shouldBe 7
        rows.limit(3).collectAsList().size shouldBe 3
    }

    test("a driver that partitions results determines the partitions [SPK-13]") {
        val rows = Cluster.read(AdbcSource::class.java, "driver" to FaultyDriver.full.file, "table" to "batches(10, 7)")
        val expected = rows.javaRDD().numPartitions
        (expected > 1) shouldBe true
        rows.selectExpr("count(id)", "count(DISTINCT id)").collectAsList().single()
            .let { it.getLong(0) to it.getLong(1) } shouldBe (70L to 70L)
    }

    test("readers of one executor share a database, which the last of them closes, also after failures [SPK-23]") {
        val said = DataFrames.columns(Cluster.session.range(0, 1, 1, 1).toDF()) { task, _ -> SharedReaders.use(task) }
        said.collect().single() shouldBe "4 readers: 1 database, 1 live; 3 closed: 1 live; all closed: 0 live; " +
            "other options: 2 live, then 0; failed open: IO, 0 live; failed query: 0 live; next: 6 rows, 0 live"
    }

    /** Runs a query, waits until its task has created a file in the folder, and cancels the job. */
    suspend fun killed(rows: (folder: Path) -> Dataset<Row>) {
        val context = Cluster.session.sparkContext()
        val folder = createTempDirectory("arbalest")
        val job = thread {
            context.setJobGroup("endless", "", false)
            runCatching { rows(folder).collectAsList() }
        }
        try {
            eventually(60.seconds) { folder.listDirectoryEntries() shouldHaveSize 1 }
        } finally {
            context.cancelJobGroup("endless")
        }
        job.join(60_000)
        job.isAlive shouldBe false
        eventually(60.seconds) { Cluster.counters() shouldHaveSize 2 } // each executor runs one task at a time
        folder.toFile().deleteRecursively()
    }

    test("a query that is killed while DuckDB computes its first batch ends, and its executor stays usable [SPK-13]") {
        val endless = "SELECT sum(a.range * b.range) AS id FROM range(10000000) a, range(10000000) b"
        killed {
            Cluster.read(Pulled::class.java, "folder" to it, "driver" to duckdb, "entrypoint" to "duckdb_adbc_init",
                "query" to endless)
        }
    }

    test("a query that is killed while the driver executes it ends, and its executor stays usable [SPK-13]") {
        killed { Cluster.read(Held::class.java, "folder" to it) }
    }

    test("DuckDB reads a Parquet file of Spark with the same types and values as Spark [SPK-01, SPK-13]") {
        val file = "${createTempDirectory("arbalest")}/types.parquet"
        Cluster.session.sql(TYPES).coalesce(1).write().parquet(file)
        val spark = Cluster.session.read().parquet(file)
        val duck = read("table" to "read_parquet('$file/*.parquet')")
        duck.schema().catalogString() shouldBe spark.schema().catalogString()
        duck.collectAsList().map { "$it" }.sorted() shouldContainExactly spark.collectAsList().map { "$it" }.sorted()
        duck.count() shouldBe 50
    }

    test("the option `quote` sets the quotes around names, and a table's own condition stays apart [SPK-13, SPK-25]") {
        fun sql(vararg options: Pair<String, String>): String {
            val schema = Schema.of(Field.of("a`\"b", DataType.INT64))
            val bounds = mapOf("driver" to duckdb, "table" to "t", "partitionColumn" to "id", "lowerBound" to "0",
                "upperBound" to "1", "numPartitions" to "2")
            val parts = AdbcSource().partitions(ScanRequest(bounds + options, schema, listOf(), OptionalInt.empty()))
            return (parts.last() as AdbcParts.Query).sql()
        }
        sql() shouldBe "SELECT \"a`\"\"b\" FROM t WHERE \"id\" >= 0"
        sql("table" to "t WHERE x = 1") shouldBe
            "SELECT \"a`\"\"b\" FROM (SELECT * FROM t WHERE x = 1\n) AS arbalest WHERE \"id\" >= 0"
        sql("quote" to "`") shouldBe "SELECT `a``\"b` FROM t WHERE `id` >= 0"
    }

    fun faulty(vararg options: Pair<String, Any>) =
        Cluster.read(AdbcSource::class.java, "driver" to FaultyDriver.full.file, *options)

    test("a driver without schemas of queries gives the table's, or that of a query without rows [SPK-24]") {
        val driver = FaultyDriver.full
        driver.reset()
        driver.missing("StatementExecuteSchema")
        val typed = "information_schema.tables"
        try {
            faulty("table" to typed).schema().fieldNames().toList() shouldContain "table_name"
            driver.calls("ConnectionGetTableSchema") shouldBe 1
            driver.calls("StatementExecuteQuery") shouldBe 0
            faulty("table" to "$typed AS t").schema().fieldNames().toList() shouldContain "table_name"
            driver.calls("ConnectionGetTableSchema") shouldBe 1
            driver.calls("StatementExecuteQuery") shouldBe 1
            shouldThrow<Exception> { faulty("table" to "nowhere") }.message shouldContain "nowhere"
            driver.calls("ConnectionGetTableSchema") shouldBe 2
        } finally {
            driver.reset()
        }
    }

    test("the option `schema` declares the columns, so that the driver is not queried for them [SPK-24]") {
        val driver = FaultyDriver.full
        driver.reset()
        val declared = faulty("query" to "SELECT id FROM batches(2, 3)", "schema" to "id BIGINT")
        declared.schema().catalogString() shouldBe "struct<id:bigint>"
        driver.calls() shouldBe 0
        declared.selectExpr("count(id)").collectAsList().single().getLong(0) shouldBe 6
        val other = faulty("query" to "SELECT id FROM batches(2, 3)", "schema" to "id STRING")
        shouldThrow<SparkException> { other.collectAsList() }.message shouldContain
            "the reader has int64 as column id, of Spark's type bigint, which is string in the schema"
        shouldThrow<IllegalArgumentException> { faulty("table" to "t", "schema" to "id NUMBER") }.message shouldContain
            "the option schema is id NUMBER, but must list columns with types"
    }

    test("options of the driver keep their case [SPK-13, SPK-05]") {
        shouldThrow<Exception> {
            Cluster.read(AdbcSource::class.java, "driver" to FaultyDriver.full.file, "table" to "batches(1, 1)",
                "database.NoSuch.Option" to 1)
        }.message shouldContain "NoSuch.Option"
    }

    test("the redaction that RESET removes is back for the next plan [SPK-30]") {
        val session = read("table" to "range(1)").sparkSession().newSession()
        session.sql("RESET")
        session.sql("SELECT 1").count() shouldBe 1
        session.conf().get("spark.sql.redaction.options.regex") shouldContain "(?:database|connection)"
    }

    test("values that the session's own redaction names are hidden, and the library's too [SPK-30]") {
        val session = read("table" to "range(1)").sparkSession().newSession()
        val view = "EXPLAIN CREATE TEMPORARY VIEW hidden USING arbalest OPTIONS (mine 'hunter1', " +
            "`database.key` 'hunter2', `connection.uri` 'hunter3', place 'fake://user:hunter4@host', shown 'lynx')"
        fun explained() = session.sql(view).collectAsList().single().getString(0)
        for (own in listOf("(?i)^MINE$", "mine|theirs")) {
            session.conf().set("spark.sql.redaction.options.regex", own)
            explained() shouldContain "lynx"
            explained() shouldNotContain "hunter"
        }
        session.conf().unset("spark.sql.redaction.options.regex")
        explained() shouldContain "hunter1"
        session.conf().set("spark.sql.legacy.setCommandRejectsSparkCoreConfs", false)
        session.conf().set("spark.redaction.regex", "mine") // Spark's own default is gone
        explained() shouldNotContain "hunter"
    }

    test("an invalid option is rejected with its name and value [SPK-13]") {
        shouldThrow<IllegalArgumentException> { read() }.message shouldContain
            "either option(\"query\", …) or option(\"table\", …)"
        shouldThrow<IllegalArgumentException> { read("dbtable" to "t") }.message shouldBe
            "AdbcSource has no option dbtable; it has source, nanoseconds, driver, entrypoint, query, table, schema, " +
            "quote, partitionColumn, lowerBound, upperBound, numPartitions, pushDownPredicate, pushDownLimit, " +
            "pushDownAggregate, and the driver's own as database.… and connection.…, such as database.uri"
        shouldThrow<IllegalArgumentException> { read("table" to "range(7)", "pushDownLimit" to "no") }.message shouldBe
            "the option pushDownLimit is no, but must be true or false"
        shouldThrow<Exception> { read("query" to "SELECT nothing") }.message shouldContain "nothing"
        val source = AdbcSource()
        fun parts(vararg options: Pair<String, String>) = source.partitions(
            ScanRequest(mapOf("driver" to duckdb, "entrypoint" to "duckdb_adbc_init", "query" to query) + options,
                Numbers.ALL, listOf(), OptionalInt.empty()),
        )
        shouldThrow<IllegalArgumentException> { parts("lowerBound" to "1") }.message shouldBe
            "the option lowerBound needs partitionColumn"
        shouldThrow<IllegalArgumentException> {
            parts("partitionColumn" to "id", "lowerBound" to "1.5", "upperBound" to "2", "numPartitions" to "2")
        }.message shouldBe
            "the option lowerBound is 1.5, which is not an integer"
        shouldThrow<IllegalArgumentException> {
            parts("partitionColumn" to "id", "lowerBound" to "3", "upperBound" to "2", "numPartitions" to "2")
        }.message shouldContain
            "upperBound is not below lowerBound"
        fun partitionedBy(column: String) = shouldThrow<Exception> {
            read("query" to query, "partitionColumn" to column, "lowerBound" to 0, "upperBound" to 9,
                "numPartitions" to 2)
        }.message
        partitionedBy("nmae") shouldBe "partitionColumn is nmae, and the columns are [id, a \"name\"]"
        partitionedBy("a \"name\"") shouldBe "partitionColumn is a \"name\", which is utf8, but must be an integer " +
            "or a decimal; add a cast to the query"
    }
})

/** Readers that a task of an executor opens itself. */
private object SharedReaders {
    private val driver = FaultyDriver.full

    fun use(task: ColumnTask): String {
        driver.reset()
        driver.forgetLive()
        val said = mutableListOf<String>()
        val readers = List(4) { open(task) }
        said += "4 readers: ${driver.calls("DatabaseInit")} database, $live"
        readers.drop(1).forEach { it.next()!!.close() }
        readers.drop(1).forEach { it.close() }
        said += "3 closed: $live"
        readers[0].next()!!.close()
        readers[0].close()
        said += "all closed: $live"
        val others = listOf(open(task), open(task, mapOf("username" to "other")))
        said += "other options: $live, then " + others.forEach { it.close() }.let { live.substringBefore(' ') }
        driver.fail("DatabaseInit", status = AdbcStatus.IO.code())
        val failed = runCatching { open(task) }.exceptionOrNull() as AdbcException
        said += "failed open: ${failed.status()}, $live"
        driver.fail("StatementExecuteQuery", status = AdbcStatus.IO.code())
        check(runCatching { open(task) }.isFailure)
        said += "failed query: $live"
        said += "next: ${open(task).use { reader -> reader.next()!!.use { it.length() } }} rows, $live"
        driver.reset()
        return said.joinToString("; ")
    }

    private val live get() = "${driver.live(FaultyDriver.Live.DATABASES)} live"

    private fun open(task: ColumnTask, options: Map<String, String> = mapOf()): RecordBatchReader =
        AdbcParts.Query(AdbcParts.Database("${driver.file}", null, options, mapOf()), "SELECT id FROM batches(2, 3)")
            .open(task)
}

/** An ADBC query that creates a file in a folder when it is pulled. */
class Pulled : ColumnSource {
    private val source = AdbcSource()

    override fun schema(options: Map<String, String>): Schema = source.schema(options - "folder")

    override fun partitions(request: ScanRequest): List<ColumnPartition> {
        val folder = request.options()["folder"]!!
        return source.partitions(
            ScanRequest(request.options() - "folder", request.schema(), request.predicates(), request.limit()),
        ).map { part ->
            ColumnPartition { task ->
                val reader = part.open(task)
                RecordBatchReader.of(
                    reader.schema(),
                    object : DeviceArrayReader.Source<RecordBatch> {
                        override fun next(): RecordBatch? {
                            createTempFile(Path.of(folder))
                            return reader.next()
                        }

                        override fun cancel() = reader.close()

                        override fun close() = reader.close()
                    },
                )
            }
        }
    }
}

/**
 * A query that the driver does not answer until it is cancelled. It creates a file in a folder when the driver runs it.
 */
class Held : ColumnSource {
    override fun schema(options: Map<String, String>): Schema = Schema.of(Field.of("id", DataType.INT64))

    override fun partitions(request: ScanRequest): List<ColumnPartition> {
        val folder = request.options()["folder"]!!
        return listOf(
            ColumnPartition { task -> // each executor has its own copy of the driver
                FaultyDriver.full.hold("StatementExecuteQuery")
                thread(isDaemon = true) {
                    val start = System.nanoTime()
                    while (FaultyDriver.full.held == 0L && System.nanoTime() - start < 60e9) Thread.sleep(1)
                    if (FaultyDriver.full.held > 0) createTempFile(Path.of(folder))
                }
                AdbcParts.Query(AdbcParts.Database("${FaultyDriver.full.file}", null, mapOf(), mapOf()),
                    "SELECT id FROM batches(1, 1)").open(task)
            },
        )
    }
}

/** A query for a row of each type that both systems have, and a row of nulls. */
private const val TYPES = """
SELECT CAST(id AS int) i, id * 10000000000 l, CAST(id AS tinyint) b, CAST(id AS smallint) h, id % 2 = 0 o,
  CAST(id AS float) / 3 f, CAST(id AS double) / 7 d,
  CAST(id AS decimal(9, 2)) d9, CAST(-id AS decimal(18, 4)) d18,
  CAST(CAST(id AS decimal(38, 10)) / 3 AS decimal(38, 10)) d38,
  CAST(id AS string) s, repeat(CAST(id AS string), 30) long, date_add(DATE'1969-12-30', CAST(id AS int)) da,
  CAST(timestamp_micros(id * 999999 - 5) AS timestamp_ntz) n, array(id, NULL, -id) a, array(array('x', NULL), NULL) aa,
  named_struct('x', CAST(id AS int), 'y', CAST(NULL AS string)) st, map('k', id, 'l', NULL) m
FROM range(1, 50)
UNION ALL
SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
"""
