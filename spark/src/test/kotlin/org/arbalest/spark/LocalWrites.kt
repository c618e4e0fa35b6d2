// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

import org.apache.spark.SparkException
import org.apache.spark.TaskContext
import org.apache.spark.api.java.JavaSparkContext
import org.apache.spark.sql.Dataset
import org.apache.spark.sql.Row
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.api.java.UDF1
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.connector.write.LogicalWriteInfo
import org.apache.spark.sql.connector.write.PhysicalWriteInfo
import org.apache.spark.sql.connector.write.WriterCommitMessage
import org.apache.spark.sql.types.DataTypes
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.spark.internal.adbc.AdbcOptions
import org.arbalest.spark.internal.sink.AdbcSink
import org.arbalest.support.adbc.DuckDbLibrary
import java.util.Optional
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger
import kotlin.io.path.createTempDirectory

/**
 * Writes into DuckDB by Spark in this process, since only one process may write a DuckDB database. Prints the results
 * of all cases, each on one line.
 */
internal object LocalWrites {
    private val folder = createTempDirectory("arbalest")
    private val options = mapOf("driver" to "${DuckDbLibrary.file}", "entrypoint" to "duckdb_adbc_init",
        "database.path" to "$folder/written.duckdb")
    private val database = AdbcOptions.database(options)
    private val tasks = AtomicInteger()
    private lateinit var spark: SparkSession

    @JvmStatic
    fun main(arguments: Array<String>) {
        spark = SparkSession.builder().master("local[4, 2]").appName("writes").config("spark.ui.enabled", "false")
            .config("spark.sql.execution.arrow.maxRecordsPerBatch", "100").config("spark.arbalest.leaks", "fail")
            .config("spark.memory.offHeap.enabled", "true").config("spark.memory.offHeap.size", "128m").getOrCreate()
        spark.use {
            spark.udf().register("failing", UDF1<Long, Long> { id -> if (id == 1990L) error("no $id") else id },
                DataTypes.LongType)
            spark.udf().register("failing_once", UDF1<Long, Long> { id ->
                if (id % 1000 == 990L && failed.add(id)) error("no $id at first") else id
            }, DataTypes.LongType)
            spark.udf().register("counted", UDF1<Long, Long> { id -> id.also { tasks.incrementAndGet() } },
                DataTypes.LongType)
            cases()
            println("left: ${text("SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'arbalest%'")}")
            println("counters: ${ResourceCounters.now()}")
        }
        folder.toFile().deleteRecursively()
    }

    private val failed: MutableSet<Long> = ConcurrentHashMap.newKeySet()

    private fun cases() {
        sql("CREATE TABLE t (id BIGINT NOT NULL, name VARCHAR)", "INSERT INTO t VALUES (-1, 'old')")
        // The second of four partitions is empty.
        val rows = ids("id", "CASE WHEN id % 10 = 3 THEN NULL ELSE 'n' || id END AS name")
            .filter("id < 1000 OR id >= 2000")
        rows.write("append", "t")
        println("append: ${state()}")
        rows.selectExpr("name AS NAME", "id AS Id").write("append", "main.t")
        println("append by name: ${state()}")
        rows.filter("id < 10").write("overwrite", "\"t\"")
        println("overwrite: ${state()}")
        rows.filter("false").write("overwrite", "t")
        println("overwrite with nothing: ${state()}")
        rows.write("append", "made")
        println("create: ${state("made")}")
        rows.filter("false").write("overwrite", "main.\"made, too\"")
        println("create without rows: ${state("\"made, too\"")}")
        ids("failing_once(id) AS id", "'x' AS name").write("append", "t")
        println("retried: ${state()}, ${failed.size} tasks failed once")
        for (mode in listOf("append", "overwrite")) println("failed $mode: " +
            "${failure { ids("failing(id) AS id", "'x' AS name").write(mode, "t") }.contains("no 1990")}, ${state()}")
        println("failed create: ${failure { ids("failing(id) AS id").write("append", "new") }.contains("no 1990")}, " +
            text("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'new'"))
        println("null: ${failure { ids("nullif(id, 7) AS id", "'x' AS name").write("append", "t") }}")
        println("null overwrites: ${failure { ids("nullif(id, 7) AS id", "'x' AS name").write("overwrite", "t") }}")
        println("after: ${state()}")
        println("columns: ${failure { ids("id", "id AS nam", "id AS more").write("append", "t") }}")
        sql("CREATE VIEW seen AS SELECT * FROM t")
        println("a view: ${failure { ids("counted(id) AS id", "'x' AS name").write("append", "seen") }}, " +
            "${tasks.get()} rows computed")
        println("types: ${failure { ids("array(id) AS id", "'x' AS name").write("append", "t") }}")
        println("no type: ${failure { spark.sql("SELECT parse_json('1') AS id").write("append", "new") }}")
        println("twice: ${failure { ids("id", "id AS Id").write("append", "t") }}")
        println("same names: ${failure { ids("id", "id").write("append", "new") }}")
        println("query: ${failure { ids("id").write("append", "t", "query" to "SELECT 1") }}")
        println("no table: ${failure { ids("id").write("append", "range(3)") }}")
        println("no driver: ${failure { ids("id").write("append", "t", "driver" to "/nowhere.so") }}")
        println("no columns: ${failure { ids().write("append", "t") }}")
        val partitioned = ids("id").write().format("arbalest").option("source", AdbcSource::class.java.name)
            .options(options).option("table", "t").partitionBy("id").mode("append")
        println("partitions: ${failure { partitioned.save() }}")
        val numbers = "source" to Numbers::class.java.name
        println("another source: ${failure { ids("id").write("append", "t", numbers) }}")
        val given = spark.read().format("arbalest").option("source", Numbers::class.java.name).schema("id INT")
        println("a given schema: ${failure { given.load().count() }}")
        filled()
        modes()
        types()
        attempts()
    }

    /** Writes some of the columns of a table that fills the others. */
    private fun filled() {
        sql("CREATE SEQUENCE serial", "CREATE TABLE filled (name VARCHAR, id BIGINT DEFAULT nextval('serial'), " +
            "day DATE DEFAULT DATE '2020-02-29', hi VARCHAR GENERATED ALWAYS AS ('hi ' || name), " +
            "needed INTEGER NOT NULL)")
        fun state() = text("SELECT count(*) || ' ' || count(DISTINCT id) || ' ' || min(day) || ' ' || " +
            "coalesce(max(hi), '') || ' ' || count(needed) FROM filled")
        ids("CAST(id AS INT) AS needed", "'n' AS NAME").write("append", "filled")
        println("filled: ${state()}")
        ids("DATE'2000-01-01' AS day", "CAST(id AS INT) AS needed").filter("needed < 5").write("overwrite", "filled")
        println("filled again: ${state()}")
        println("generated: ${failure { ids("1 AS needed", "'x' AS hi").write("append", "filled") }}")
        println("needed: ${failure { ids("'n' AS name").write("overwrite", "filled") }}")
        println("filled at last: ${text("SELECT count(*) || ' ' || sum(needed) FROM filled")}")
    }

    /** Writes in the modes in which the table should not exist. */
    private fun modes() {
        val exists = "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'once'"
        for ((mode, table) in mapOf("error" to "\"on ce\"", "errorifexists" to "main.once2", "ignore" to "once3")) {
            failed.clear()
            ids("failing_once(id) AS id", "'x' AS name").write(mode, table)
            println("$mode: ${state(table)}, ${failed.size} tasks failed once")
            tasks.set(0)
            println("$mode again: ${failure { ids("counted(id) AS id").write(mode, table) }}, ${state(table)}, " +
                "${tasks.get()} rows computed")
        }
        for (mode in listOf("error", "ignore")) println("failed $mode: " +
            "${failure { ids("failing(id) AS id").write(mode, "once") }.contains("no 1990")}, ${text(exists)}")
        println("default: ${failure { ids("id").write(null, "once3") }}")
        val numbers = "source" to Numbers::class.java.name
        println("another source's mode: ${failure { ids("id").write("ignore", "once", numbers) }}")
    }

    /** Writes a row of each type and a row of nulls, and reads them again. */
    private fun types() {
        val rows = spark.sql(WRITTEN_TYPES).repartition(2)
        rows.write("append", "types")
        rows.write("append", "types") // into columns that DuckDB has made
        val back = spark.read().format("arbalest").options(options)
            .option("source", AdbcSource::class.java.name).option("table", "types").load()
        val expected = rows.unionAll(rows).sortedRows()
        val found = back.sortedRows()
        println("types back: ${if (found == expected) "equal" else "$found is not $expected"}")
        println("types of columns: ${back.schema().catalogString() == rows.schema().catalogString()}, " +
            back.schema().catalogString())
    }

    private fun Dataset<Row>.sortedRows(): List<String> =
        collectAsList().map { row -> List(row.size()) { text(row.get(it)) }.joinToString() }.sorted()

    private fun text(value: Any?): String = if (value is ByteArray) value.contentToString() else "$value"

    /** Has three attempts write the same partition, as speculation may do, of which Spark accepts one. */
    private fun attempts() {
        val type = StructType().add("id", DataTypes.LongType).add("name", DataTypes.StringType)
        sql("DELETE FROM t")
        val write = AdbcSink(options + ("source" to AdbcSource::class.java.name) + ("table" to "t"), object :
            LogicalWriteInfo {
            override fun options() = CaseInsensitiveStringMap(mapOf())
            override fun queryId() = "attempts"
            override fun schema() = type
            override fun rowIdSchema() = Optional.empty<StructType>()
            override fun metadataSchema() = Optional.empty<StructType>()
        }, false).build().toBatch()
        val factory = write.createBatchWriterFactory(PhysicalWriteInfo { 1 })
        val messages = JavaSparkContext(spark.sparkContext()).parallelize(listOf(1, 2, 3), 3).map { number ->
            val writer = factory.createWriter(0, TaskContext.get().taskAttemptId())
            writer.writeAll((0 until 250L).map<Long, InternalRow> { GenericInternalRow(arrayOf(it, null)) }.iterator())
            if (number == 3) writer.abort()
            writer.commit().also { writer.close() }
        }.collect()
        write.commit(arrayOf<WriterCommitMessage>(messages[1]))
        println("attempts: ${state()}")
    }

    private fun ids(vararg columns: String): Dataset<Row> = spark.range(0, 4000, 1, 4).selectExpr(*columns)

    /** Writes in a mode, or in Spark's default mode. */
    private fun Dataset<Row>.write(mode: String?, table: String, vararg more: Pair<String, String>) {
        val writer = write().format("arbalest").option("source", AdbcSource::class.java.name).options(options)
            .option("table", table).options(more.toMap())
        (if (mode == null) writer else writer.mode(mode)).save()
    }

    /** Returns the number of rows, the sum of ids, and the number of names. */
    private fun state(table: String = "t") = text("SELECT count(*) || ' ' || coalesce(sum(id), 0) || ' ' || " +
        "count(name) FROM $table")

    private fun failure(call: () -> Unit): String {
        val thrown = runCatching { call() }.exceptionOrNull() ?: return "no failure"
        val cause = if (thrown is SparkException) thrown.cause ?: thrown else thrown
        return "${cause.javaClass.simpleName} ${cause.message}".replace('\n', ' ')
    }

    private fun sql(vararg statements: String) =
        database.connected { connection -> statements.forEach(connection::execute) }

    private fun text(query: String): String = database.connected { connection ->
        connection.query("SELECT CAST(x AS VARCHAR) FROM ($query) AS q(x)").use { rows ->
            rows.next()!!.use { it.column(0).getString(0) }
        }
    }
}

private const val WRITTEN_TYPES = """
SELECT CAST(id AS int) i, id * 10000000000 l, CAST(id AS tinyint) b, CAST(id AS smallint) h, id % 2 = 0 o,
  CAST(id AS float) / 3 f, CAST(id AS double) / 7 d,
  CAST(id AS decimal(9, 2)) d9, CAST(-id AS decimal(18, 4)) d18,
  CAST(CAST(id AS decimal(38, 10)) / 3 AS decimal(38, 10)) d38,
  CAST(id AS string) s, repeat(CAST(id AS string), 30) long, CAST(CAST(id AS string) AS binary) bin,
  date_add(DATE'1969-12-30', CAST(id AS int)) da,
  CAST(timestamp_micros(id * 999999 - 5) AS timestamp_ntz) n, timestamp_micros(id * 999999 - 5) t,
  array(id, NULL, -id) a, array(array('x', NULL), NULL) aa,
  named_struct('x', CAST(id AS int), 'y', CAST(NULL AS string)) st, map('k', id, 'l', NULL) m
FROM range(1, 50)
UNION ALL
SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
  NULL
"""
