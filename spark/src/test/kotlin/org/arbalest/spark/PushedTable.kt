// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

import io.kotest.assertions.withClue
import io.kotest.matchers.collections.shouldContainAll
import io.kotest.matchers.shouldBe
import org.apache.spark.sql.Dataset
import org.apache.spark.sql.Row
import org.arbalest.device.adbc.AdbcConnection
import org.arbalest.device.adbc.AdbcDriver
import org.arbalest.spark.internal.source.queriesOf
import org.arbalest.support.adbc.DuckDbLibrary
import kotlin.io.path.createTempDirectory
import kotlin.random.Random

/** A table with values at the edges of each type, in DuckDB or PostgreSQL, and conditions over it. */
internal object PushedTable {
    /** A column, its types in DuckDB and in Spark, its values, and further values for conditions. */
    private class Of(val name: String, val duck: String, val spark: String, val values: List<String>,
        val others: List<String> = listOf())

    private fun of(name: String, duck: String, spark: String, values: String, others: String = "") =
        Of(name, duck, spark, values.split("|"), others.split("|").filter { it.isNotEmpty() })

    private val columns = listOf(
        of("b", "TINYINT", "tinyint", "-128|-1|0|1|7|127"),
        of("s", "SMALLINT", "smallint", "-32768|-1|0|5|32767"),
        of("i", "INTEGER", "int", "-2147483648|-1|0|3|42|2147483647"),
        of("l", "BIGINT", "bigint", "-9223372036854775808|-1|0|6|9007199254740993|9223372036854775807",
            "9007199254740992|9223372036854775806"),
        of("ub", "UTINYINT", "smallint", "0|1|128|255", "-1|256"),
        of("ui", "UINTEGER", "bigint", "0|1|2147483648|4294967295", "-1|4294967296"),
        of("ul", "UBIGINT", "decimal(20,0)", "0|1|9223372036854775808|18446744073709551615",
            "-1|18446744073709551614|99999999999999999999"),
        of("h", "HUGEINT", "decimal(38,0)",
            "0|-1|99999999999999999999999999999999999999|-99999999999999999999999999999999999999",
            "99999999999999999999999999999999999998"),
        of("o", "BOOLEAN", "boolean", "true|false"),
        of("d9", "DECIMAL(9,2)", "decimal(9,2)", "-9999999.99|-0.01|0.00|1.10|9999999.99"),
        of("d18", "DECIMAL(18,4)", "decimal(18,4)", "-0.0001|0|1.1|12345678901234.5678", "12345678901234.5677"),
        of("d38", "DECIMAL(38,10)", "decimal(38,10)", "-1|0.0000000001|1.1|9999999999999999999999999999.9999999999",
            "9999999999999999999999999999.9999999998"),
        of("da", "DATE", "date", "0001-01-01|1582-10-10|1969-12-31|1970-01-01|2000-02-29|9999-12-31"),
        of("n", "TIMESTAMP", "timestamp_ntz", "0001-01-01 00:00:00|1883-11-18 12:00:00.000001|" +
            "1969-12-31 23:59:59.999999|2001-04-01 02:30:00|9999-12-31 23:59:59.999999"),
        of("z", "TIMESTAMPTZ", "timestamp", "1582-10-15 00:00:00+00|1883-11-18 12:00:00.000001+00|" +
            "2001-04-01 07:30:00+00|2001-10-28 05:30:00+00|2001-10-28 06:30:00+00|9999-12-30 23:59:59.999999+00",
            "2001-04-01 02:30:00|2001-10-28 01:30:00"),
        of("f", "DOUBLE", "double", "NaN|-0.0|0.0|1.5|Infinity|-Infinity"),
        of("t", "VARCHAR", "string", "|a|A|ä|it's|--|a |50%|5_0", "it''s|a\\b|a' OR 'a' = 'a|%|_"),
        of("tc", "VARCHAR COLLATE NOCASE", "string", "|a|A|b|Ab"),
        of("ta", "VARCHAR COLLATE NOACCENT", "string", "|a|ä|bä"),
    )

    /** The columns that PostgreSQL has, with their types there. */
    val postgreSql = mapOf("s" to "smallint", "i" to "integer", "l" to "bigint", "o" to "boolean", "da" to "date",
        "n" to "timestamp", "z" to "timestamptz", "f" to "double precision", "t" to "text",
        "tc" to "varchar(9) COLLATE \"de-x-icu\"")

    val file by lazy { "${createTempDirectory("arbalest").resolve("pushed.duckdb")}".also(::store) }

    fun read(vararg options: Pair<String, Any>): Dataset<Row> = Cluster.read(AdbcSource::class.java,
        "driver" to DuckDbLibrary.file, "entrypoint" to "duckdb_adbc_init", "database.path" to file,
        "database.access_mode" to "READ_ONLY", "database.threads" to 1, "table" to "t", *options)

    /** Uses the database without Spark. */
    fun <T> connected(use: (AdbcConnection) -> T): T = open("access_mode" to "READ_ONLY", path = file, use = use)

    private fun <T> open(vararg options: Pair<String, String>, path: String, use: (AdbcConnection) -> T): T =
        AdbcDriver.load(DuckDbLibrary.file, "duckdb_adbc_init").open(mapOf("path" to path, "threads" to "1", *options))
            .use { database -> database.connect().use(use) }

    private fun store(path: String) = open(path = path) { store(it, columns.associate { of -> of.name to of.duck }) }

    /** Creates the table `t` with the columns of these names and types. */
    fun store(connection: AdbcConnection, types: Map<String, String>) {
        val random = Random(1)
        connection.execute("CREATE TABLE t (id BIGINT, " + types.entries.joinToString { "${it.key} ${it.value}" } + ")")
        val rows = List(300) { id ->
            "($id, " + columns.filter { it.name in types }.joinToString {
                val value = it.values.random(random).replace("'", "''")
                val type = types.getValue(it.name).substringBefore(" COLLATE")
                if (random.nextInt(6) == 0) "NULL" else "CAST('$value' AS $type)"
            } + ")"
        }
        connection.execute("INSERT INTO t VALUES " + rows.joinToString())
    }

    /** Returns a random condition over columns of these names. */
    fun condition(random: Random, depth: Int, names: Set<String>? = null): String {
        fun part() = condition(random, depth - 1, names)
        return when (if (depth == 0) 9 else random.nextInt(10)) {
            0, 1, 2 -> "(${part()} AND ${part()})"
            3, 4 -> "(${part()} OR ${part()})"
            5 -> "NOT (${part()})"
            else -> leaf(columns.filter { names == null || it.name in names }.random(random), random)
        }
    }

    /** Returns the ids of the rows that fulfil each condition by Spark, which has the rows in its own memory. */
    fun expected(unpushed: Dataset<Row>, conditions: List<String>): List<List<Long>> {
        val own = Cluster.session.createDataFrame(unpushed.collectAsList(), unpushed.schema())
        return conditions.chunked(100).flatMap { some ->
            val rows = own.selectExpr("id", *some.toTypedArray()).collectAsList()
            some.indices.map { n -> rows.filter { it.get(n + 1) == true }.map { it.getLong(0) }.sorted() }
        }
    }

    /**
     * Checks that the database has Spark's rows for each condition, and perhaps more where Spark applies a part of it;
     * returns the number of conditions that the database decides.
     */
    fun shouldBeExpected(connection: AdbcConnection, table: Dataset<Row>, conditions: List<String>,
        expected: List<List<Long>>): Int {
        var whole = 0
        conditions.forEachIndexed { n, condition ->
            val rows = table.where(condition).select("id")
            val isWhole = "Filter " !in "${rows.queryExecution().optimizedPlan()}"
            withClue(condition) {
                val ids = queriesOf(rows).flatMap { connection.ids(it) }
                if (isWhole) ids.sortedBy { it as Long } shouldBe expected[n] else ids shouldContainAll expected[n]
            }
            if (isWhole) whole++
        }
        return whole
    }

    private fun AdbcConnection.ids(sql: String): List<Any?> = query(sql).use { rows ->
        generateSequence { rows.next() }.flatMap { batch -> batch.use { it.column(0).toList() } }.toList()
    }

    private fun leaf(column: Of, random: Random): String {
        val isText = column.spark == "string"
        val operator = (if (isText) listOf("=", "<>", "<=>") else listOf("=", "<>", "<", "<=", ">", ">=", "<=>"))
            .random(random)
        val values = column.values + column.others
        fun literal() = values.random(random).replace("\\", "\\\\").replace("'", "\\'")
            .let { "CAST('$it' AS ${column.spark})" }
        if (isText && random.nextInt(3) == 0)
            return "${listOf("startswith", "endswith", "contains").random(random)}(${column.name}, ${literal()})"
        return when (random.nextInt(9)) {
            0 -> "${column.name} IS NULL"
            1 -> "${column.name} IS NOT NULL"
            2 -> "${column.name} IN (${List(1 + random.nextInt(12)) { literal() }.joinToString()})"
            3 -> "${column.name} NOT IN (${literal()}, ${literal()}${if (random.nextInt(4) == 0) ", NULL" else ""})"
            4 -> "${literal()} $operator ${column.name}"
            5 -> if (column.name == "l") "l $operator id" else "${column.name} $operator ${column.name}"
            6 -> if (isText || column.spark in listOf("boolean", "date", "timestamp", "timestamp_ntz"))
                "${column.name} $operator ${literal()}"
            else "${column.name} $operator ${listOf("0", "1.005", "300", "-1.1", "1e3").random(random)}"
            else -> "${column.name} $operator ${literal()}"
        }
    }
}
