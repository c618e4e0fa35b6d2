// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

import org.apache.spark.api.java.JavaSparkContext
import org.apache.spark.sql.Dataset
import org.apache.spark.sql.Row
import org.apache.spark.sql.SparkSession
import org.arbalest.device.Ledger
import java.nio.file.attribute.PosixFilePermissions
import kotlin.io.path.createTempFile
import kotlin.io.path.writeText

/** Spark with two executors, in JVMs of their own, for all tests of this JVM. */
internal object Cluster {
    private val started = lazy { builder().getOrCreate() }

    val session: SparkSession by started

    fun builder(): SparkSession.Builder = SparkSession.builder()
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
        .config("spark.worker.resource.gpu.discoveryScript", discovery())
        .config("spark.executor.resource.gpu.amount", "1")
        .config("spark.task.resource.gpu.amount", "1")

    /** What tells each worker, as a script beside `nvidia-smi` would, that it has one device, the first. */
    private fun discovery(): String {
        val script = createTempFile("devices", ".sh", PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")))
        script.writeText("#!/bin/sh\necho '{\"name\": \"gpu\", \"addresses\": [\"0\"]}'\n")
        script.toFile().deleteOnExit()
        return "$script"
    }

    fun stop() {
        if (started.isInitialized()) session.stop()
    }

    /** What each executor's JVM holds, by its pid, once all of its tasks are over. */
    fun ledgers(of: SparkSession = session): Map<Long, String> {
        val found = of.sparkContext().let(::JavaSparkContext).parallelize(List(64) { it }, 64).map {
            Thread.sleep(5) // so that both executors have some
            "${ProcessHandle.current().pid()}=${if (Ledger.now().isZero) "0" else Ledger.now()}"
        }
        return found.collect().associate { it.substringBefore('=').toLong() to it.substringAfter('=') }
    }

    fun read(source: Class<out ColumnSource>, vararg options: Pair<String, Any>): Dataset<Row> {
        val reader = session.read().format("arbalest").option("source", source.name)
        for ((name, value) in options) reader.option(name, "$value")
        return reader.load()
    }
}
