// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

import io.kotest.assertions.nondeterministic.eventually
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.apache.spark.sql.Dataset
import org.apache.spark.sql.Row
import org.arbalest.testkit.CCompiler
import org.arbalest.testkit.adbc.AdbcDouble
import java.nio.file.Files
import java.nio.file.Path
import java.util.OptionalInt
import kotlin.io.path.createDirectories
import kotlin.io.path.exists
import kotlin.time.Duration.Companion.seconds

/** Databases with ADBC drivers: DuckDB, which partitions nothing, and the double, which does. */
class AdbcSourceSpec : FunSpec({
    extension(CCompiler.needed)

    afterTest {
        eventually(20.seconds) { Cluster.ledgers().values.toSet() shouldBe setOf("0") }
    }

    val duckdb by lazy {
        val file = Path.of("target", "duckdb").createDirectories().resolve("libduckdb.so").toAbsolutePath()
        val name = "libduckdb_java.so_linux_${if (System.getProperty("os.arch") == "aarch64") "arm64" else "amd64"}"
        if (!file.exists()) AdbcSourceSpec::class.java.classLoader.getResourceAsStream(name)!!.use { Files.copy(it, file) }
        "$file"
    }

    fun read(vararg options: Pair<String, Any>): Dataset<Row> =
        Cluster.read(AdbcSource::class.java, "driver" to duckdb, "entrypoint" to "duckdb_adbc_init", "database.path" to ":memory:", *options)

    val query = "SELECT CASE WHEN range % 10 = 7 THEN NULL ELSE range END AS id, 'n' || range AS \"a \"\"name\"\"\" FROM range(1000)"

    test("SPK-13 a query in ranges of a column, which leave out nothing, nulls and what is beyond the bounds included; only the columns that are needed") {
        val rows = read("query" to query, "partitionColumn" to "id", "lowerBound" to 100, "upperBound" to 900, "numPartitions" to 7)
        rows.schema().catalogString() shouldBe "struct<id:bigint,a \"name\":string>"
        rows.javaRDD().numPartitions shouldBe 7
        rows.selectExpr("sum(id)", "count(*)", "count(id)").collectAsList().single().let { List(3) { n -> it.getLong(n) } } shouldBe
            listOf((0L until 1000).filter { it % 10 != 7L }.sum(), 1000L, 900L)
        rows.selectExpr("min(`a \"name\"`)").collectAsList().single().getString(0) shouldBe "n0"
        rows.count() shouldBe 1000
    }

    test("SPK-13 one query, where nobody says how to partition it and the driver cannot") {
        val rows = read("query" to query)
        rows.javaRDD().numPartitions shouldBe 1
        rows.count() shouldBe 1000
        read("table" to "range(7)").count() shouldBe 7
        rows.limit(3).collectAsList().size shouldBe 3
    }

    test("SPK-13 parts of the driver's own") {
        val rows = Cluster.read(AdbcSource::class.java, "driver" to AdbcDouble.full.file, "table" to "batches(10, 7)")
        val expected = rows.javaRDD().numPartitions
        (expected > 1) shouldBe true
        rows.selectExpr("count(id)", "count(DISTINCT id)").collectAsList().single().let { it.getLong(0) to it.getLong(1) } shouldBe (70L to 70L)
    }

    test("SPK-13 what is wrong is said") {
        shouldThrow<IllegalArgumentException> { read() }.message shouldContain "either option(\"query\", …) or option(\"table\", …)"
        shouldThrow<Exception> { read("query" to "SELECT nothing") }.message shouldContain "nothing"
        val source = AdbcSource()
        fun parts(vararg options: Pair<String, String>) = source.partitions(
            ScanRequest(mapOf("driver" to duckdb, "entrypoint" to "duckdb_adbc_init", "query" to query) + options, Numbers.ALL, listOf(), OptionalInt.empty()),
        )
        shouldThrow<IllegalArgumentException> { parts("lowerBound" to "1") }.message shouldBe "the option lowerBound needs partitionColumn"
        shouldThrow<IllegalArgumentException> { parts("partitionColumn" to "id", "lowerBound" to "1.5", "upperBound" to "2", "numPartitions" to "2") }.message shouldBe
            "the option lowerBound is 1.5, which is no integer"
        shouldThrow<IllegalArgumentException> { parts("partitionColumn" to "id", "lowerBound" to "3", "upperBound" to "2", "numPartitions" to "2") }.message shouldContain
            "upperBound is not below lowerBound"
    }
})
