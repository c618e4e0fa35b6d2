// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

import io.kotest.assertions.nondeterministic.eventually
import io.kotest.matchers.shouldBe
import org.apache.spark.TaskFailedReason
import org.apache.spark.TaskKilled
import org.apache.spark.api.java.JavaSparkContext
import org.apache.spark.scheduler.JobFailed
import org.apache.spark.scheduler.SparkListener
import org.apache.spark.scheduler.SparkListenerExecutorRemoved
import org.apache.spark.scheduler.SparkListenerJobEnd
import org.apache.spark.scheduler.SparkListenerJobStart
import org.apache.spark.scheduler.SparkListenerTaskEnd
import org.apache.spark.sql.Dataset
import org.apache.spark.sql.Row
import org.apache.spark.sql.SparkSession
import org.arbalest.device.monitoring.ResourceCounters
import scala.jdk.javaapi.CollectionConverters
import java.nio.file.attribute.PosixFilePermissions
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.TimeoutException
import kotlin.io.path.createTempFile
import kotlin.io.path.writeText
import kotlin.time.Duration.Companion.seconds

/** Spark with two executors in separate JVMs, shared by all tests of this JVM. */
internal object Cluster {
    private val mended = Mended()
    private val started = lazy {
        val started = builder().getOrCreate()
        try {
            started.sparkContext().addSparkListener(mended)
            awaitBoth(started)
        } catch (t: Throwable) {
            // the next access starts Spark again
            runCatching { started.stop() }.exceptionOrNull()?.let(t::addSuppressed)
            throw t
        }
        started
    }

    val session: SparkSession by started

    fun builder(address: String = "0"): SparkSession.Builder = SparkSession.builder()
        .master("local-cluster[2,1,1024]")
        .appName("arbalest")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.executorEnv.SPARK_SCALA_VERSION", "2.13")
        .config("spark.executor.extraClassPath", System.getProperty("java.class.path"))
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.executor.memory", "512m") // less than some tests read
        .config("spark.memory.offHeap.enabled", "true")
        .config("spark.memory.offHeap.size", "128m")
        .config("spark.arbalest.leaks", "fail")
        .config("spark.worker.resource.gpu.amount", "1")
        .config("spark.worker.resource.gpu.discoveryScript", discovery(address))
        .config("spark.executor.resource.gpu.amount", "1")
        .config("spark.task.resource.gpu.amount", "1")

    /**
     * Creates the script that reports one device with this address to each worker, as a script around `nvidia-smi`
     * would.
     */
    fun discovery(address: String): String {
        val script = createTempFile("devices", ".sh",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")))
        script.writeText("#!/bin/sh\necho '{\"name\": \"gpu\", \"addresses\": [\"$address\"]}'\n")
        script.toFile().deleteOnExit()
        return "$script"
    }

    fun stop() {
        if (started.isInitialized()) session.stop()
    }

    /**
     * Returns the failures that Spark has repaired silently since the last call: executors that it lost, for instance
     * by a crash, and failed tasks of jobs that succeeded.
     */
    fun mended(): List<String> {
        if (!started.isInitialized()) return listOf()
        listen()
        return mended.take()
    }

    /** Waits until the listeners have received all events. */
    fun listen(of: SparkSession = session) = of.sparkContext().listenerBus().waitUntilEmpty(60_000)

    /** Waits for both executors, because Spark starts as soon as the first is available. */
    fun awaitBoth(of: SparkSession) {
        val start = System.nanoTime()
        while (true) {
            val there = try {
                counters(of).keys
            } catch (_: TimeoutException) {
                setOf()
            }
            if (there.size == 2) return
            check(System.nanoTime() - start < 120e9) { "two executors must start within 120 s, but only $there did" }
        }
    }

    /**
     * Waits until both executors hold nothing. An executor that answers alone could hide another whose task still runs.
     */
    suspend fun shouldHoldNothing() = eventually(60.seconds) { counters().values.toList() shouldBe listOf("0", "0") }

    /** Returns the resources that each executor's JVM holds after all its tasks, by its pid. */
    fun counters(of: SparkSession = session): Map<Long, String> {
        val found = of.sparkContext().let(::JavaSparkContext).parallelize(List(64) { it }, 64).map {
            Thread.sleep(5) // so that both executors run some tasks
            "${ProcessHandle.current().pid()}=${if (ResourceCounters.now().isZero) "0" else ResourceCounters.now()}"
        }
        val job = found.collectAsync()
        return try {
            job.get(60, SECONDS).associate { it.substringBefore('=').toLong() to it.substringAfter('=') }
        } finally {
            job.cancel(true)
        }
    }

    fun read(source: Class<out ColumnSource>, vararg options: Pair<String, Any>): Dataset<Row> {
        val reader = session.read().format("arbalest").option("source", source.name)
        for ((name, value) in options) reader.option(name, "$value")
        return reader.load()
    }
}

/** Failures that Spark repaired. Without this listener, tests would pass by the second attempt that Spark makes. */
private class Mended : SparkListener() {
    private class Failure(val stage: Int, val words: String)

    // Guarded by this object's monitor.
    private val stages = mutableMapOf<Int, Set<Any>>()
    private val failures = mutableListOf<Failure>()
    private val mended = mutableListOf<String>()

    @Synchronized
    override fun onExecutorRemoved(removed: SparkListenerExecutorRemoved) {
        mended += "executor ${removed.executorId()}: ${removed.reason()}"
    }

    @Synchronized
    override fun onJobStart(start: SparkListenerJobStart) {
        stages[start.jobId()] = CollectionConverters.asJava(start.stageIds()).toSet()
    }

    /** Ignores killed tasks, which tests kill on purpose. */
    @Synchronized
    override fun onTaskEnd(end: SparkListenerTaskEnd) {
        val reason = end.reason() as? TaskFailedReason ?: return
        if (reason !is TaskKilled) failures += Failure(end.stageId(),
            "task ${end.taskInfo().id()} of stage ${end.stageId()}: ${reason.toErrorString()}")
    }

    @Synchronized
    override fun onJobEnd(end: SparkListenerJobEnd) {
        val ofJob = stages.remove(end.jobId()).orEmpty()
        val (own, others) = failures.partition { it.stage in ofJob }
        failures.clear()
        failures += others
        if (end.jobResult() !is JobFailed) mended += own.map { it.words }
    }

    @Synchronized
    fun take(): List<String> = mended.toList().also { mended.clear() }
}
