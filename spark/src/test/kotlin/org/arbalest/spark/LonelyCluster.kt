// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

import org.apache.spark.SparkConf
import org.apache.spark.TaskKilled
import org.apache.spark.api.java.JavaSparkContext
import org.apache.spark.deploy.master.Master
import org.apache.spark.deploy.worker.Worker
import org.apache.spark.scheduler.SparkListener
import org.apache.spark.scheduler.SparkListenerStageSubmitted
import org.apache.spark.scheduler.SparkListenerTaskEnd
import org.apache.spark.sql.Dataset
import org.apache.spark.sql.Row
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.ExplainMode
import scala.Option
import java.net.URI
import java.nio.file.Path
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicInteger
import kotlin.io.path.createTempDirectory
import kotlin.system.exitProcess

/** Programs that need a Spark application of their own, each in its own process. They print their results. */
internal object LonelyCluster {
    /** The property with the file of the logs' levels, for this process and its executors. */
    const val LOGGING = "log4j2.configurationFile"

    @JvmStatic
    fun main(arguments: Array<String>) = when (arguments[0]) {
        "ends" -> ends()
        "secrets" -> secrets(driver = arguments[1])
        "another device" -> anotherDevice()
        else -> speculates()
    }

    /**
     * Reads rows, makes columns on the executors' devices, and prints the remaining threads and the time in which each
     * executor ended.
     */
    private fun ends() {
        val session = Cluster.builder().getOrCreate()
        Cluster.awaitBoth(session)
        println("rows: ${numbers(session).onDevice().sum()}")
        val threads = session.sparkContext().let(::JavaSparkContext).parallelize(List(64) { it }, 64).flatMap {
            Thread.sleep(5) // so that both executors run some tasks
            Thread.getAllStackTraces().keys.filter { !it.isDaemon && it.isAlive }.map { it.name }.iterator()
        }
        println("threads: ${threads.distinct().collect().joinToString()}")
        val executors = Cluster.counters(session).keys.map { ProcessHandle.of(it).get() }
        val begin = System.nanoTime()
        val ended = executors.map { it.onExit().thenApply { (System.nanoTime() - begin) / 1_000_000 } }
        session.stop()
        println("ended: ${ended.joinToString { "${it.get(60, SECONDS)}" }}")
    }

    /** Assigns an address without a device to the executors. */
    private fun anotherDevice() {
        val session = Cluster.builder(address = "7").getOrCreate()
        println("rows: ${numbers(session).count()}")
        println("failed: ${runCatching { numbers(session).onDevice() }.exceptionOrNull()?.message}")
        session.stop()
    }

    /**
     * Lets Spark speculate. Spark starts a second attempt only on another host, but all hosts of `local-cluster` are
     * the same.
     */
    private fun speculates() {
        val own = mapOf("spark.speculation" to "true", "spark.speculation.interval" to "100ms",
            "spark.speculation.quantile" to "0.5", "spark.speculation.multiplier" to "1.1")
        val builder = Cluster.builder()
        own.forEach(builder::config)
        val conf = SparkConf().set("spark.master.rest.enabled", "false").set("spark.worker.resource.gpu.amount", "1")
            .set("spark.worker.resource.gpu.discoveryScript", Cluster.discovery("0"))
        val master = Master.startRpcEnvAndEndpoint("127.0.0.1", 0, 0, conf)._1()
        val url = "spark://127.0.0.1:${master.address().port()}"
        for (number in 1..2) Worker.startRpcEnvAndEndpoint("127.0.0.$number", 0, 0, 1, 1024, arrayOf(url), null,
            Option.apply(number as Any), conf, Option.empty())
        val session = builder.master(url).getOrCreate()
        Cluster.awaitBoth(session)
        val ends = ConcurrentLinkedQueue<String>() // of the first task in the stage of two tasks
        val stage = AtomicInteger(-1)
        session.sparkContext().addSparkListener(object : SparkListener() {
            override fun onStageSubmitted(submitted: SparkListenerStageSubmitted) {
                if (submitted.stageInfo().numTasks() == 2) stage.set(submitted.stageInfo().stageId())
            }

            override fun onTaskEnd(end: SparkListenerTaskEnd) {
                val task = end.taskInfo()
                if (end.stageId() != stage.get() || task.index() != 0) return
                val attempt = if (task.speculative()) "speculative" else "first"
                ends += "$attempt ${if (end.reason() is TaskKilled) "killed" else "${end.reason()}"}"
            }
        })
        val ids = numbers(session, "does" to "block once in ${createTempDirectory("arbalest")}", "partitions" to "2")
        println("sums: ${DataFrames.columns(ids) { _, columns ->
            var sum = 0L
            columns.forEach { sum += it.column("id").toLongArray().sum() }
            sum
        }.collect()}")
        // The test kills this process if this takes too long.
        val counters = generateSequence { Cluster.counters(session) }.first { now ->
            ends.size == 2 && now.size == 2 && now.values.all { it == "0" }
        }
        println("counters: ${counters.values}")
        println("attempts: ${ends.sorted().joinToString()}")
        session.stop()
        exitProcess(0) // ends the master and its workers
    }

    /**
     * Reads and writes with secrets in a driver's options, also in jobs that fail, and prints the places where Spark
     * displays or logs one. Each secret contains `hunter2`.
     */
    private fun secrets(driver: String) {
        val folder = createTempDirectory("arbalest")
        val session = Cluster.builder().config("spark.ui.enabled", "true").config("spark.ui.port", "0")
            .config("spark.eventLog.enabled", "true").config("spark.eventLog.dir", "${folder.toUri()}")
            .config("spark.eventLog.compress", "false").config("spark.task.maxFailures", "1")
            // the application's own expressions, without Spark's default
            .config("spark.redaction.regex", "(?i)private").config("spark.sql.redaction.options.regex", "(?i)mine")
            .config("spark.private.key", "hunter2 private")
            .config("spark.executor.extraJavaOptions", "-D$LOGGING=${System.getProperty(LOGGING)}").getOrCreate()
        val options = mapOf("source" to AdbcSource::class.java.name, "driver" to driver,
            "database.uri" to "fake://user:hunter2@host", "database.password" to "hunter2 password",
            "database.fake.user.header" to "hunter2 header", "connection.fake.user.key" to "hunter2 key")

        // before the session has found the source
        session.sql("CREATE TEMPORARY VIEW secret USING arbalest OPTIONS (table 'batches(2, 3)', " +
            options.entries.joinToString { "`${it.key}` '${it.value}'" } + ")")
        val said = mutableListOf("view: ${session.sql("SELECT id FROM secret").collectAsList().size}")

        fun read(table: String) =
            session.read().format("arbalest").options(options).option("table", table).load()
        val rows = read("batches(2, 3)")
        said += "rows: ${rows.cache().count()}, ${rows.onDevice().sum()}"
        val other = session.newSession().range(3) // this thread's session stays the first one

        fun write(data: Dataset<*>, vararg more: Pair<String, String>, mode: String = "append") =
            data.write().format("arbalest").options(options + more).option("table", "t").mode(mode).save()
        val uri = "postgresql://user:hunter2@host/database"
        val failures = listOf({ write(rows) }, { write(rows, mode = "error") }, { write(other) },
            { write(other, "uri" to uri) }, { write(other, "driver" to uri) },
            { read("fails(3, 2, 1)").collectAsList() }, { read("nowhere").count() })
        val errors = failures.mapNotNull { runCatching(it).exceptionOrNull()?.stackTraceToString() }
        said += "failures: ${errors.size}"

        val places = mutableMapOf("errors" to errors.joinToString())
        for (mode in listOf("simple", "extended", "codegen", "cost", "formatted"))
            places["explain $mode"] = rows.queryExecution().explainString(ExplainMode.fromString(mode))
        Cluster.listen(session)
        val ui = session.sparkContext().uiWebUrl().get()
        val id = session.sparkContext().applicationId()
        val executions = session.sharedState().statusStore().executionsCount()
        val api = "api/v1/applications/$id"
        for (page in listOf("jobs/", "stages/", "storage/", "environment/", "SQL/", "$api/environment",
            "$api/sql?details=true&planDescription=true&length=1000") +
            (0 until executions).map { "SQL/execution/?id=$it" }) places[page] = URI("$ui/$page").toURL().readText()
        session.stop()
        val logs = Path.of(System.getenv("SPARK_HOME"), "work", id)
        for (file in (folder.toFile().walk() + logs.toFile().walk()).filter { it.isFile && !it.name.endsWith(".jar") })
            places[(if (file.startsWith(logs.toFile())) "log " else "event ") + file] = file.readText()
        said.forEach(::println)
        println("leaks: ${places.filterValues { "hunter2" in it }.keys}")
        println("redacted: ${places.filterValues { "database.uri" in it }.keys}")
        println("logs: ${places.count { (name, text) -> name.startsWith("log ") && " INFO " in text }}")
        folder.toFile().deleteRecursively()
    }

    private fun numbers(session: SparkSession, vararg options: Pair<String, String>) =
        session.read().format("arbalest").option("source", Numbers::class.java.name).options(options.toMap()).load()

    private fun Dataset<Row>.onDevice(): List<Long> = DataFrames.columns(this) { task, columns ->
        var rows = 0L
        task.onDevice(columns).forEach { rows += it.length() }
        task.stream().synchronize()
        rows
    }.collect()
}
