// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import org.apache.spark.TaskContext
import org.apache.spark.TaskContextImpl
import org.arbalest.device.adbc.AdbcException
import org.arbalest.device.adbc.AdbcStatus
import org.arbalest.spark.ColumnTask
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.testkit.contract.eventually
import java.lang.reflect.Proxy
import java.util.concurrent.Callable
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit.SECONDS
import kotlin.io.path.writeText

private val spark: Any = Class.forName("org.apache.spark.TaskContext${'$'}").getField("MODULE${'$'}").get(null)

private fun task() = spark.javaClass.getMethod("empty").invoke(spark) as TaskContextImpl

/** Runs [block] on this thread as Spark runs a task. */
private fun <T> TaskContextImpl.runs(block: () -> T): T {
    spark.javaClass.getMethod("setTaskContext", TaskContext::class.java).invoke(spark, this)
    try {
        return block()
    } finally {
        spark.javaClass.getMethod("unset").invoke(spark)
    }
}

class AdbcPartsSpec : FunSpec({
    extension(FaultyDriver.needed)

    val type = ColumnTask::class.java
    val unused = Proxy.newProxyInstance(type.classLoader, arrayOf(type)) { _, _, _ ->
        error("a query does not use its task")
    } as ColumnTask

    fun open(driver: String, entrypoint: String? = null) =
        AdbcParts.Query(AdbcParts.Database(driver, entrypoint, mapOf(), mapOf()), "SELECT id FROM t").open(unused)

    fun FaultyDriver.open() = open("$file")

    test("a task that is killed while another one connects to the shared database ends its wait [SPK-23]") {
        val driver = FaultyDriver.full
        driver.reset()
        Executors.newFixedThreadPool(2).use { threads ->
            driver.hold("ConnectionInit")
            val first = threads.submit { task().runs { driver.open().close() } }
            try {
                eventually("the first task connects") { driver.held == 1L }
                val killed = task()
                val second = threads.submit(Callable {
                    killed.runs { runCatching { driver.open() }.exceptionOrNull() to Thread.interrupted() }
                })
                killed.markInterrupted("by the test")
                val (failure, isInterrupted) = second.get(5, SECONDS)
                failure.shouldBeInstanceOf<AdbcException>().status() shouldBe AdbcStatus.CANCELLED
                isInterrupted shouldBe false
            } finally {
                driver.letGo()
            }
            first.get(5, SECONDS)
        }
        driver.calls("ConnectionInit") shouldBe 1
        driver.live(FaultyDriver.Live.DATABASES) shouldBe 0
    }

    test("a query that fails throws its own error, with failing releases as suppressed [SPK-23]") {
        val driver = FaultyDriver.plain
        try {
            driver.fail("StatementExecuteQuery", status = 10)
            driver.fail("ConnectionRelease", status = 5)
            val failure = shouldThrow<AdbcException> { task().runs { driver.open() } }
            failure.operation() shouldBe "AdbcStatementExecuteQuery"
            failure.suppressed.map { (it as AdbcException).operation() } shouldContainExactly
                listOf("AdbcConnectionRelease", "AdbcDatabaseRelease")
        } finally {
            driver.reset()
        }
    }

    test("a driver may be a connection profile, whose options are not those of the query [SPK-13]") {
        val driver = FaultyDriver.full
        driver.reset()
        val profile = tempdir().toPath().resolve("prod.toml")
        profile.writeText("profile_version = 1\ndriver = '${driver.file}'\n[Options]\nusername = 'u'\n" +
            "password = 'wrong'\n")
        shouldThrow<AdbcException> { task().runs { open("profile://$profile") } }.status() shouldBe
            AdbcStatus.UNAUTHENTICATED
        profile.writeText("profile_version = 1\ndriver = '${driver.file}'\n[Options]\n")
        task().runs { open("profile://$profile", "AdbcDriverInit").use { it.next()!!.close() } }
        shouldThrow<IllegalArgumentException> { task().runs { open("profile://nowhere") } }.message shouldContain
            "no connection profile nowhere: looked for nowhere.toml in "
        driver.live(FaultyDriver.Live.DATABASES) shouldBe 0
    }
})
