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
import scala.Option
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicInteger
import kotlin.io.path.createTempDirectory
import kotlin.system.exitProcess

/** Programs that need a Spark application of their own, each in its own process. They print their results. */
internal object LonelyCluster {
    @JvmStatic
    fun main(arguments: Array<String>) = when (arguments.single()) {
        "ends" -> ends()
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

    private fun numbers(session: SparkSession, vararg options: Pair<String, String>) =
        session.read().format("arbalest").option("source", Numbers::class.java.name).options(options.toMap()).load()

    private fun Dataset<Row>.onDevice(): List<Long> = DataFrames.columns(this) { task, columns ->
        var rows = 0L
        task.onDevice(columns).forEach { rows += it.length() }
        task.stream().synchronize()
        rows
    }.collect()
}
