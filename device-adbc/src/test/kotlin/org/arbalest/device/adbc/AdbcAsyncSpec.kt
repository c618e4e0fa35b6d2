// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceException
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.async.AsyncArrayStream
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriver.Live
import org.arbalest.support.adbc.FaultyDriverExtension
import org.arbalest.testkit.contract.eventually
import java.util.concurrent.ExecutionException
import java.util.concurrent.TimeUnit.SECONDS

/** Tests of the async execution of a statement, by the test driver's prototype of it. */
class AdbcAsyncSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    val c by lazy { FaultyDriver.full }

    /** Runs [block] with a statement that has [sql]. */
    fun <T> statement(sql: String, block: (AdbcStatement) -> T): T = Faulty.connected(Faulty.draft) { connection ->
        connection.createStatement().use { statement ->
            statement.setSqlQuery(sql)
            block(statement)
        }
    }

    fun AsyncArrayStream.await() {
        released().toCompletableFuture().get(5, SECONDS)
    }

    fun RecordBatchReader.rows(): Long = use { reader ->
        generateSequence { reader.next() }.sumOf { batch -> batch.use { it.length() } }
    }

    test("an async execution pushes all batches, and the statement is usable again when it has ended [ADB-35]") {
        statement("SELECT * FROM batches(5, 100)") { statement ->
            repeat(2) {
                val stream = statement.executeQueryAsync()
                stream.reader(4).rows() shouldBe 500
                stream.await()
            }
            statement.executeQuery().rows() shouldBe 500
        }
    }

    test("a statement that is closed during an async execution is released after the driver's handler [ADB-35]") {
        val stream = statement("SELECT * FROM batches(3, 10)") { it.executeQueryAsync() }
        c.live(Live.STATEMENTS) shouldBe 1
        stream.reader(1).rows() shouldBe 30
        stream.await()
        eventually("the statement is released") { c.live(Live.DATABASES) == 0L }
    }

    test("closing the stream cancels the execution, and a change before its end is an error [ADB-35]") {
        statement("SELECT * FROM batches(1000000, 10)") { statement ->
            val stream = statement.executeQueryAsync()
            for (change in listOf({ statement.setSqlQuery("SELECT 1") }, { statement.executeQueryAsync().close() })) {
                shouldThrow<IllegalStateException> { change() }.message shouldContain "is executing asynchronously"
            }
            stream.close()
            stream.await()
            statement.setSqlQuery("SELECT 1")
            statement.executeQuery().single() shouldBe 1
        }
    }

    test("a failure of the query reaches the reader, and a failure to start is thrown [ADB-35]") {
        statement("SELECT * FROM fails(3, 2, 1)") { statement ->
            val stream = statement.executeQueryAsync()
            stream.reader(1).use { reader ->
                reader.next()!!.use { it.length() shouldBe 2 }
                shouldThrow<DeviceException> { reader.next() }.errno() shouldBe 5
            }
            shouldThrow<ExecutionException> { stream.await() }.cause!!::class shouldBe DeviceException::class
            c.fail("StatementExecuteQueryAsync", status = 10)
            val failure = shouldThrow<AdbcException> { statement.executeQueryAsync() }
            failure.operation() shouldBe "AdbcStatementExecuteQueryAsync"
            failure.status() shouldBe AdbcStatus.IO
        }
    }

    test("bound rows of an async execution are closed when it has ended [ADB-35]") {
        var isClosed = false
        statement("SELECT * FROM batches(1, 1)") { statement ->
            statement.bind(RecordBatchReader.of(IDS, object : DeviceArrayReader.Source<RecordBatch> {
                override fun next() = null

                override fun close() {
                    isClosed = true
                }
            }))
            statement.executeQueryAsync().reader(1).rows() shouldBe 1
            eventually("the reader is closed") { isClosed }
        }
    }

    test("a driver without the function, or loaded as 1.1.0, says so [ADB-35]") {
        Faulty.connected { connection ->
            connection.createStatement().use { statement ->
                statement.setSqlQuery("SELECT * FROM batches(1, 1)")
                shouldThrow<AdbcException> { statement.executeQueryAsync() }.message shouldContain
                    "the driver has no such function, or ADBC 1.2.0 was not requested"
            }
        }
    }
})
