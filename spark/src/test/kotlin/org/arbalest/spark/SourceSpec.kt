// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

import io.kotest.assertions.nondeterministic.eventually
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.maps.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import org.apache.spark.TaskContext
import org.apache.spark.scheduler.SparkListener
import org.apache.spark.scheduler.SparkListenerStageSubmitted
import org.apache.spark.scheduler.SparkListenerTaskStart
import org.apache.spark.sql.Dataset
import org.apache.spark.sql.Row
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.arbalest.device.types.Schema
import org.arbalest.spark.internal.source.ArbalestProvider
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit.SECONDS
import kotlin.concurrent.thread
import kotlin.io.path.createTempDirectory
import kotlin.io.path.listDirectoryEntries
import kotlin.time.Duration.Companion.seconds
import org.apache.spark.sql.classic.Dataset as ClassicDataset

/** The data source, with executors in separate JVMs. */
class SourceSpec : FunSpec({
    beforeTest { Numbers.lastRequest = null }

    // Tasks release their resources before the job ends. Killed tasks release them soon after.
    afterTest { Cluster.shouldHoldNothing() }

    fun Dataset<Row>.plan(): String = (this as ClassicDataset<Row>).queryExecution().executedPlan().toString()

    fun Dataset<Row>.rows(): List<List<Any?>> = collectAsList().map { row -> List(row.size()) { row.get(it) } }

    fun message(block: () -> Unit): String = generateSequence(shouldThrow<Exception>(block) as Throwable) { it.cause }
        .joinToString("\n") { "${it.message}" }

    for (adaptive in listOf(true, false)) {
        test("executors in separate JVMs read the rows, with adaptive execution $adaptive [SPK-04]") {
            Cluster.session.conf().set("spark.sql.adaptive.enabled", adaptive)
            val numbers = Cluster.read(Numbers::class.java)
            numbers.count() shouldBe 1200
            val pids = numbers.select("pid").distinct().rows().map { it.single() as Long }
            pids shouldHaveSize 2
            (ProcessHandle.current().pid() in pids) shouldBe false
            numbers.createOrReplaceTempView("numbers")
            val sql = "SELECT name, count(*), sum(id), max(half) FROM numbers WHERE half >= 1 GROUP BY name " +
                "ORDER BY name"
            val ids = (0L..3).flatMap { p -> (0L..2).flatMap { b -> List(100) { (p * 1000 + b) * 100 + it to it } } }
                .filter { it.second >= 2 }
            val expected = ids.groupBy { (_, i) -> if (i % 10 == 3) null else "n${i % 7}" }
                .map { (name, of) ->
                    listOf(name, of.size.toLong(), of.sumOf { it.first }, of.maxOf { it.second } / 2.0)
                }
                .sortedBy { it[0] as String? ?: "" }
            Cluster.session.sql(sql).rows() shouldBe expected
        }
    }

    test("Spark queries a source only for the needed columns, and the plan stays columnar [SPK-05]") {
        val plan = Cluster.read(Numbers::class.java).selectExpr("half + id AS sum").also { it.count() }.plan()
        Cluster.read(Numbers::class.java).select("id", "half").rows().size shouldBe 1200
        Numbers.lastRequest!!.schema().fields().map { it.name() } shouldBe listOf("id", "half")
        plan shouldContain "ColumnarToRow"
        val select = Cluster.read(Numbers::class.java).select("half").plan()
        select shouldNotContain "Project"
        Cluster.read(Numbers::class.java).count()
        Numbers.lastRequest!!.schema().fields().size shouldBe 0
    }

    test("Spark does not repeat conditions that the source accepts, evaluates others, and passes on a limit [SPK-05]") {
        val all = Cluster.read(Numbers::class.java, "accepts" to ">")
        all.where("half > 1000").count() shouldBe 1200 // because the source accepts the condition but does not apply it
        Numbers.lastRequest!!.predicates().map { "$it" } shouldBe listOf("half > 1000.0")
        Cluster.read(Numbers::class.java).where("half > 48").count() shouldBe 36
        Numbers.lastRequest!!.predicates() shouldBe listOf()
        all.select("id").limit(7).count() shouldBe 7
        all.select("id").limit(5).rows() shouldHaveSize 5
        Numbers.lastRequest!!.limit().asInt shouldBe 5
        all.where("half > 48").limit(5).rows() shouldHaveSize 5
    }

    test("Spark uses the source's estimates for the read columns, and broadcasts a small source [SPK-05]") {
        fun Dataset<Row>.stats() = (this as ClassicDataset<Row>).queryExecution().optimizedPlan().stats()
        val some = Cluster.read(Numbers::class.java, "bytesOfColumn" to 5000)
        some.stats().sizeInBytes().toLong() shouldBe 20_000
        some.select("id", "half").stats().sizeInBytes().toLong() shouldBe 10_000
        val large = Cluster.read(Numbers::class.java, "bytesOfColumn" to (1L shl 40))
        some.stats().rowCount().get().toLong() shouldBe 1200
        // The size of text is unknown.
        Cluster.read(Numbers::class.java).select("id", "name").join(large, "id").plan() shouldNotContain
            "BroadcastHashJoin"
        Cluster.read(Numbers::class.java).select("id", "half").join(large, "id").plan() shouldContain
            "BroadcastHashJoin"
        Cluster.read(Numbers::class.java).select("half").stats().sizeInBytes().toLong() shouldBe 1200 * 8
        some.join(large, "id").plan() shouldContain "BroadcastHashJoin"
        shouldThrow<IllegalStateException> { Cluster.read(Numbers::class.java, "estimatedRows" to -1).stats() }
            .message shouldContain "estimates -1 rows; return OptionalLong.empty() for an unknown value"
        shouldThrow<IllegalStateException> { Cluster.read(Numbers::class.java, "bytesOfColumn" to -1).stats() }
            .message shouldContain "estimates -4 bytes; return OptionalLong.empty() for an unknown value"
        large.join(large.withColumnRenamed("half", "other"), "id").plan() shouldNotContain "BroadcastHashJoin"
    }

    test("Spark reads a source once if a query uses it twice [SPK-05]") {
        Cluster.session.conf().set("spark.sql.adaptive.enabled", false)
        val numbers = Cluster.read(Numbers::class.java)
        fun sums(times: Int) = numbers.groupBy("name").agg(mapOf("id" to "sum"))
            .selectExpr("name", "`sum(id)` * $times AS sum")
        val both = sums(1).join(sums(2), "name")
        both.plan() shouldContain "ReusedExchange"
        both.count() shouldBe 7
        val other = Cluster.read(Numbers::class.java, "rows" to 50).groupBy("name").agg(mapOf("id" to "sum"))
        sums(1).join(other, "name").plan() shouldNotContain "ReusedExchange"
        val case = Cluster.read(Numbers::class.java, "Rows" to 50).groupBy("name").agg(mapOf("id" to "sum"))
        // A source may distinguish options that differ only in case.
        other.join(case.select("name"), "name").plan() shouldNotContain "ReusedExchange"
    }

    test("options keep the case of their names, and are found in any case [SPK-05]") {
        Cluster.read(Numbers::class.java, "spanOf.Years" to 7).count()
        val options = Numbers.lastRequest!!.options()
        ("spanOf.Years" in options.keys.toList()) shouldBe true
        options["SPANOF.YEARS"] shouldBe "7"
    }

    test("each load queries the schema of a source once [SPK-05]") {
        val before = Numbers.schemas.get()
        val numbers = Cluster.read(Numbers::class.java)
        numbers.count()
        Numbers.schemas.get() - before shouldBe 1
        Cluster.read(Numbers::class.java)
        Numbers.schemas.get() - before shouldBe 2
        val provider = ArbalestProvider()
        fun options(rows: Int) =
            CaseInsensitiveStringMap(mapOf("source" to Numbers::class.java.name, "rows" to "$rows"))
        provider.inferSchema(options(1))
        provider.getTable(numbers.schema(), arrayOf(), options(2).asCaseSensitiveMap()) // arguments of another load
        Numbers.schemas.get() - before shouldBe 4
    }

    test("a partition's hosts become Spark's preferred locations [SPK-04]") {
        val plan = (Cluster.read(Numbers::class.java, "hosts" to "one,other") as ClassicDataset<Row>).queryExecution()
            .executedPlan()
        val scan = plan.collectLeaves().head() as BatchScanExec
        val read = scan.inputRDD()
        read.preferredLocations(read.partitions()[0]).mkString(",") shouldBe "one,other"
    }

    test("a task that reads several partitions closes each one before it opens the next [SPK-06]") {
        Cluster.read(Numbers::class.java, "does" to "one by one", "partitions" to 20).coalesce(1)
            .selectExpr("count(id)").rows() shouldBe listOf(listOf(6000L))
    }

    for (stream in listOf("C stream", "C device stream", "async stream")) {
        test(
            "a partition may open as a reader of " +
                "${if (stream.startsWith("C")) "a $stream's address" else "an $stream"}, which may be endless or " +
                "fail [SPK-04, SPK-06]",
        ) {
            val expected = Cluster.read(Numbers::class.java)
                .selectExpr("sum(id)", "sum(half)", "min(name)", "count(name)").rows()
            Cluster.read(Numbers::class.java, "does" to stream)
                .selectExpr("sum(id)", "sum(half)", "min(name)", "count(name)").rows() shouldBe expected
            Cluster.read(Numbers::class.java, "does" to stream, "batches" to -1).limit(1000).rows() shouldHaveSize 1000
            message { Cluster.read(Numbers::class.java, "does" to "fail, $stream").count() } shouldContain
                "the stream of partition"
        }
    }

    test("a limit ends endless streams [SPK-06]") {
        Cluster.read(Numbers::class.java, "batches" to -1).limit(1).rows() shouldHaveSize 1
        Cluster.read(Numbers::class.java, "batches" to -1).selectExpr("id + 1").limit(1000).rows() shouldHaveSize 1000
    }

    test("tasks that are killed without an interrupt during a pull end, and their executors stay usable [SPK-06]") {
        val context = Cluster.session.sparkContext()
        val folder = createTempDirectory("arbalest")
        val job = thread {
            context.setJobGroup("blocked", "", false)
            runCatching { Cluster.read(Numbers::class.java, "does" to "block in $folder").count() }
        }
        try {
            eventually(60.seconds) { folder.listDirectoryEntries() shouldHaveSize 2 }
        } finally {
            context.cancelJobGroup("blocked")
        }
        job.join(60_000)
        job.isAlive shouldBe false
        Cluster.read(Numbers::class.java).count() shouldBe 1200 // each executor runs one task at a time
        folder.toFile().deleteRecursively()
    }

    test("a blocked attempt is killed and leaves nothing open when Spark runs its task twice [SPK-06]") {
        val context = Cluster.session.sparkContext()
        val tasks = LinkedBlockingQueue<Long>()
        val listener = object : SparkListener() {
            override fun onTaskStart(start: SparkListenerTaskStart) {
                if (start.taskInfo().index() == 0 && start.taskInfo().attemptNumber() == 0)
                    tasks += start.taskInfo().taskId()
            }
        }
        val folder = createTempDirectory("arbalest")
        Cluster.listen() // waits for the events of all earlier tasks
        context.addSparkListener(listener)
        try {
            val rows = CompletableFuture.supplyAsync {
                Cluster.read(Numbers::class.java, "does" to "block once in $folder", "partitions" to 2).count()
            }
            val stands = tasks.poll(60, SECONDS)!!
            try {
                eventually(60.seconds) { folder.listDirectoryEntries() shouldHaveSize 1 }
                eventually(60.seconds) {
                    context.statusTracker().getActiveStageIds().any {
                        context.statusTracker().getStageInfo(it).get().numCompletedTasks() == 1
                    } shouldBe true
                }
            } finally {
                context.killTaskAttempt(stands, false, "another attempt succeeded") shouldBe true
            }
            rows.get(60, SECONDS) shouldBe 600
            folder.toFile().deleteRecursively()
        } finally {
            context.removeSparkListener(listener)
        }
    }

    for (columnar in listOf(true, false))
        test(
            "1 GB of text passes through executors of 512 MB, ${if (columnar) "internal rows" else "by rows"} " +
                "[SPK-06]",
        ) {
            Cluster.session.conf().set("spark.arbalest.columnar", columnar)
            Cluster.session.conf().set("spark.sql.execution.arrow.maxRecordsPerBatch", 1000)
            try {
                val rows = Cluster.session.range(0, 1 shl 16, 1, 4)
                    .selectExpr("repeat(CAST(id % 10 AS string), 16384) AS s")
                val bytes = DataFrames.columns(rows) { _, columns ->
                    var bytes = 0L
                    columns.forEach { batch ->
                        batch.column("s").let { s -> for (row in 0 until s.length()) bytes += s.getString(row).length }
                    }
                    bytes
                }
                bytes.collect().sum() shouldBe (1L shl 30)
            } finally {
                Cluster.session.conf().unset("spark.arbalest.columnar")
                Cluster.session.conf().unset("spark.sql.execution.arrow.maxRecordsPerBatch")
            }
        }

    test("1 GB of numbers passes through executors of 512 MB, to Spark and to functions [SPK-06]") {
        val rows = Cluster.read(Numbers::class.java, "does" to "many", "partitions" to 4, "batches" to 32,
            "rows" to 1_048_576).select("id")
        rows.selectExpr("count(id)").collectAsList().single().getLong(0) shouldBe (1L shl 27)
        val bytes = DataFrames.columns(rows) { _, columns ->
            var bytes = 0L
            columns.forEach { batch -> bytes += 8 * batch.length() }
            bytes
        }
        bytes.collect().sum() shouldBe (1L shl 30)
    }

    test("100 jobs of five kinds leave nothing open on either executor [SPK-06]") {
        val executors = Cluster.counters().keys
        executors shouldHaveSize 2
        val rows = Cluster.read(Numbers::class.java).select("id")
        val used = mutableSetOf<Long>()
        repeat(100) { job ->
            when (job % 5) {
                0 -> rows.count() shouldBe 1200
                1 -> rows.limit(7).rows() shouldHaveSize 7
                2 -> used += DataFrames.columns(rows) { _, columns ->
                    columns.forEach {}
                    ProcessHandle.current().pid()
                }.collect()
                3 -> DataFrames.mapColumns(rows, DataFrames.schema(rows)) { _, columns -> columns }
                    .selectExpr("count(id)").rows() shouldBe listOf(listOf(1200L))
                4 -> DataFrames.mapColumns(rows, DataFrames.schema(rows)) { task, columns -> task.onDevice(columns) }
                    .selectExpr("count(id)").rows() shouldBe listOf(listOf(1200L))
            }
        }
        used shouldBe executors
        eventually(20.seconds) { Cluster.counters() shouldBe executors.associateWith { "0" } }
    }

    test("a stream that fails makes the job fail with its message [SPK-06]") {
        message { Cluster.read(Numbers::class.java, "does" to "fail").count() } shouldContain "the stream of partition"
        message { Cluster.read(Numbers::class.java, "does" to "fail in open").count() } shouldContain
            "no stream for partition"
    }

    /**
     * Runs a block that kills an executor, checks that the executor ended and was replaced, and returns the repaired
     * task failures.
     */
    suspend fun killing(block: () -> Unit): List<String> {
        val before = Cluster.counters().keys
        before shouldHaveSize 2
        block()
        eventually(20.seconds) { before.filter { ProcessHandle.of(it).isPresent } shouldHaveSize 1 }
        eventually(60.seconds) { Cluster.counters() shouldHaveSize 2 }
        val mended = Cluster.mended()
        mended.filter { it.startsWith("executor ") } shouldHaveSize 1
        return mended.filter { !it.startsWith("executor ") }
    }

    test("Spark replaces an executor that is killed during a stream, and the result is correct [SPK-06]") {
        val expected = Cluster.read(Numbers::class.java).selectExpr("sum(id)", "count(*)").rows()
        val mended = killing {
            Cluster.read(Numbers::class.java, "does" to "kill").selectExpr("sum(id)", "count(*)")
                .rows() shouldBe expected
        }
        mended.single() shouldContain "ExecutorLostFailure"
    }

    test("Spark reads the source again for an executor that is killed in a later stage [SPK-06]") {
        Cluster.session.conf().set("spark.sql.adaptive.enabled", false) // so that the query is one job
        val attempts = ConcurrentLinkedQueue<Pair<Int, Int>>()
        val listener = object : SparkListener() {
            override fun onStageSubmitted(submitted: SparkListenerStageSubmitted) {
                attempts += submitted.stageInfo().stageId() to submitted.stageInfo().attemptNumber()
            }
        }
        val numbers = Cluster.read(Numbers::class.java).select("id", "half").repartition(4)
        val sums = DataFrames.columns(numbers) { task, columns ->
            val isFirst = TaskContext.get().stageAttemptNumber() == 0 && task.attempt() == 0
            if (isFirst && task.partition() == 0) kill()
            var sum = 0L
            columns.forEach { sum += it.column("id").toLongArray().sum() }
            sum
        }
        Cluster.session.sparkContext().addSparkListener(listener)
        try {
            val mended = killing {
                sums.collect().sum() shouldBe (0L..3).sumOf { p -> (p * 100_000 until p * 100_000 + 300).sum() }
            }
            mended.any { "FetchFailed" in it } shouldBe true
            // The stage that reads the source, and the stage after it.
            attempts.filter { it.second > 0 }.map { it.first }.toSet() shouldHaveSize 2
        } finally {
            Cluster.session.sparkContext().removeSparkListener(listener)
        }
    }

    test("a partition whose columns do not match the schema is rejected with the column's name [SPK-07]") {
        message {
            Cluster.read(Numbers::class.java, "does" to "other type").agg(mapOf("half" to "sum")).rows()
        } shouldContain
            "the reader has float32 as column half, of Spark's type float, which is double in the schema"
        message {
            Cluster.read(Numbers::class.java, "does" to "other nulls").agg(mapOf("id" to "sum")).rows()
        } shouldContain
            "column id may have nulls in the reader, but not in the schema: the reader's field needs " +
            "withNullable(false)"
        message {
            Cluster.read(Numbers::class.java, "does" to "fewer columns").select("id", "half").rows()
        } shouldContain
            "the reader has no column id, which is in the schema; it has [half]"
        Cluster.read(Numbers::class.java, "does" to "more columns").selectExpr("sum(half)").rows() shouldBe
            listOf(listOf(12 * 100 * 99 / 4.0))
    }

    test("a reader with more columns than Spark needs makes only the needed ones, if it can [SEL-12]") {
        Cluster.read(Numbers::class.java, "does" to "selects").selectExpr("sum(half)").rows() shouldBe
            listOf(listOf(12 * 100 * 99 / 4.0))
    }

    test("an invalid source or option is rejected when the DataFrame is created [SPK-08]") {
        message { Cluster.session.read().format("arbalest").load() } shouldContain "needs option(\"source\""
        message { Cluster.session.read().format("arbalest").option("source", "no.Such").load() } shouldContain
            "there is no class no.Such"
        message { Cluster.session.read().format("arbalest").option("source", "java.lang.String").load() } shouldContain
            "java.lang.String, which the option source names, does not implement"
        message {
            Cluster.session.read().format("arbalest").option("source", "org.arbalest.spark.Sources.Failing").load()
        } shouldContain "a nested class is named with $, as its file is"
        message { Cluster.read(Sources.Failing::class.java) } shouldContain "Sources\$Failing, which the option " +
            "source names, failed in its constructor: java.lang.IllegalStateException: no engine"
        message { Cluster.read(Sources.Nothing::class.java) } shouldContain "Sources\$Nothing returned null for its " +
            "schema"
        message { Cluster.read(Numbers::class.java, "does" to "no partitions").count() } shouldContain
            "Numbers returned null for its partitions"
        Cluster.session.conf().set("spark.arbalest.pool", "2g")
        try {
            message { Cluster.read(Numbers::class.java) } shouldContain
                "there is no setting spark.arbalest.pool; there are spark.arbalest.columnar, spark.arbalest.device, "
        } finally {
            Cluster.session.conf().unset("spark.arbalest.pool")
        }
        message { Cluster.read(Numbers::class.java, "nanoseconds" to "round") } shouldContain
            "the option nanoseconds is round, but must be refuse or truncate"
    }
})

/** Invalid sources. */
class Sources {
    companion object {
        /** Returns null, as a Java source may. */
        @Suppress("UNCHECKED_CAST")
        fun <T> nothing(): T = null as T
    }

    class Failing : ColumnSource {
        init {
            error("no engine")
        }

        override fun schema(options: Map<String, String>) = Numbers.ALL

        override fun partitions(request: ScanRequest) = listOf<ColumnPartition>()
    }

    class Nothing : ColumnSource {
        override fun schema(options: Map<String, String>): Schema = nothing()

        override fun partitions(request: ScanRequest) = listOf<ColumnPartition>()
    }
}
