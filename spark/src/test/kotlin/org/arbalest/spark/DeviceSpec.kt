// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.apache.spark.TaskContext
import org.apache.spark.sql.api.java.UDF1
import org.apache.spark.sql.types.DataTypes
import org.arbalest.device.Availability
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import java.util.concurrent.TimeUnit.SECONDS

/** The executors' device, which is the PoCL device if there is one. */
class DeviceSpec : FunSpec({
    val isThere = System.getenv("CI") != null || Devices.availability(DeviceType.OPENCL) is Availability.Ready
    val expected = if (isThere) "OPENCL" else "CPU"

    afterTest {
        Cluster.shouldHoldNothing()
    }

    test("a function moves columns to the task's device, and its result is a DataFrame: $expected [SPK-12]") {
        val schema = Schema.of(listOf(Field.of("id", DataType.INT64).withNullable(false)))
        val there = DataFrames.mapColumns(Cluster.session.range(0, 100_000, 1, 8).toDF(), schema) { task, columns ->
            val moved = task.onDevice(columns)
            check(moved.deviceType() == task.device().type() && task.stream().device() == task.device() &&
                task.memory().device() == task.device())
            moved
        }
        there.selectExpr("sum(id)", "count(id)").collectAsList().single()
            .let { it.getLong(0) to it.getLong(1) } shouldBe (4_999_950_000 to 100_000L)
        DataFrames.columns(there) { task, _ -> task.device().type().name() }.collect().toSet() shouldBe setOf(expected)
    }

    test(
        "a function's result on the device is pulled on the task's thread, where TaskContext is available: $expected " +
            "[SPK-12]",
    ) {
        val rows = Cluster.session.range(0, 1000, 1, 4).toDF().groupBy("id").count().select("id")
        val schema = DataFrames.schema(rows)
        val there = DataFrames.mapColumns(rows, schema) { task, columns ->
            val moved = task.onDevice(columns)
            RecordBatchReader.of(schema, task.device().type()) {
                checkNotNull(TaskContext.get()) { "pulled on ${Thread.currentThread()}, which has no TaskContext" }
                moved.next()
            }
        }
        there.selectExpr("sum(id)").collectAsList().single().getLong(0) shouldBe 499_500L
    }

    test("a source moves its columns to the task's device: $expected [SPK-12]") {
        val rows = Cluster.read(Numbers::class.java, "does" to "device", "batches" to 20)
        rows.selectExpr("sum(id % 100)", "count(id)").collectAsList().single()
            .let { it.getLong(0) to it.getLong(1) } shouldBe (4950L * 80 to 8_000L)
        rows.limit(1).collectAsList().size shouldBe 1
    }

    test("a separate thread pulls and copies a source to the task's device, two batches ahead of Spark [SPK-12]")
        .config(enabled = isThere) {
            val waits = UDF1<Long, Boolean> { id ->
                val batch = (id / 100 % 1000).toInt()
                // Spark is still reading this batch.
                check(Numbers.pull((id / 100_000).toInt(), minOf(batch + 2, 20)).await(10, SECONDS)) {
                    "the batch two ahead was not pulled within 10 s"
                }
                true
            }
            Cluster.session.udf().register("ahead", waits, DataTypes.BooleanType)
            val rows = Cluster.read(Numbers::class.java, "does" to "device ahead", "batches" to 20)
            rows.selectExpr("bool_and(ahead(id))", "count(id)").collectAsList().single()
                .let { it.getBoolean(0) to it.getLong(1) } shouldBe (true to 8_000L)
        }

    test("a failed task and a reader that is never pulled leave nothing open on the device [SPK-12]") {
        val failed = runCatching {
            DataFrames.columns(Cluster.session.range(0, 1000, 1, 2).toDF()) { task, columns ->
                task.onDevice(columns).use { it.next()!!.close() }
                check(task.partition() < 0) { "the model broke" }
            }.collect()
        }
        (failed.exceptionOrNull()?.message?.contains("the model broke") == true) shouldBe true
        DataFrames.columns(Cluster.session.range(0, 1000, 1, 2).toDF()) { task, columns ->
            task.onDevice(columns).schema().fields().size
        }.collect() shouldBe listOf(1, 1)
    }
})
