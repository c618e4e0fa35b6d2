// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriver.Live
import org.arbalest.support.adbc.FaultyDriverExtension

class AdbcHandleSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    val c by lazy { Faulty.c }

    test("options of every type are set before and after opening, and read back, on every handle [ADB-03]") {
        Faulty.driver.open(mapOf(
            "fake.user.s" to "text",
            "fake.user.i" to 7,
            "fake.user.d" to 2.5,
            "fake.user.b" to byteArrayOf(0, 1, -1),
            "fake.user.f" to true,
        )).use { database ->
            database.connect(mapOf("fake.user.s" to "connection", "fake.user.l" to Long.MIN_VALUE)).use { connection ->
                connection.createStatement().use { statement ->
                    database.getOption("fake.user.s") shouldBe "text"
                    database.getLongOption("fake.user.i") shouldBe 7
                    database.getDoubleOption("fake.user.d") shouldBe 2.5
                    database.getBytesOption("fake.user.b") shouldBe byteArrayOf(0, 1, -1)
                    database.getOption("fake.user.f") shouldBe "true"
                    connection.getOption("fake.user.s") shouldBe "connection"
                    connection.getLongOption("fake.user.l") shouldBe Long.MIN_VALUE
                    for (handle in listOf(database, connection, statement)) {
                        handle.setOption("fake.user.s", "Zürich \uD83E\uDD86")
                        handle.getOption("fake.user.s") shouldBe "Zürich \uD83E\uDD86"
                        handle.setOption("fake.user.s", "")
                        handle.getOption("fake.user.s") shouldBe ""
                        handle.setOption("fake.user.l", Long.MAX_VALUE)
                        handle.getLongOption("fake.user.l") shouldBe Long.MAX_VALUE
                        handle.setOption("fake.user.d", -0.0)
                        handle.getDoubleOption("fake.user.d").toRawBits() shouldBe (-0.0).toRawBits()
                        handle.setOption("fake.user.b", byteArrayOf())
                        handle.getBytesOption("fake.user.b") shouldBe byteArrayOf()
                        handle.setOption("fake.user.f", false)
                        handle.getOption("fake.user.f") shouldBe "false"
                    }
                }
            }
        }
    }

    test("an option value of any length is returned whole [ADB-03]") {
        Faulty.connected { connection ->
            for (length in listOf(1, 254, 255, 256, 257, 1000, 100_000)) {
                val text = "x".repeat(length - 1) + "y"
                connection.setOption("fake.user.s", text)
                connection.getOption("fake.user.s") shouldBe text
                val bytes = ByteArray(length) { (it % 251).toByte() }
                connection.setOption("fake.user.b", bytes)
                connection.getBytesOption("fake.user.b") shouldBe bytes
            }
        }
    }

    test("an unknown option, or one of another type, throws with its key and without its value [ADB-03]") {
        Faulty.connected { connection ->
            shouldThrow<AdbcException> { connection.setOption("password", "secret") }.let {
                it.status() shouldBe AdbcStatus.NOT_IMPLEMENTED
                it.operation() shouldBe "AdbcConnectionSetOption(password)"
                it.message shouldNotContain "secret"
            }
            shouldThrow<AdbcException> { connection.getOption("nothing") }.status() shouldBe AdbcStatus.NOT_FOUND
            connection.setOption("fake.user.s", "text")
            shouldThrow<AdbcException> { connection.getLongOption("fake.user.s") }.operation() shouldBe
                "AdbcConnectionGetOptionInt(fake.user.s)"
        }
    }

    test("a database that the driver rejects to open is released [ADB-03]") {
        shouldThrow<AdbcException> { Faulty.driver.open(mapOf("uri" to "fake://refused")) }.let {
            it.operation() shouldBe "AdbcDatabaseInit"
            it.status() shouldBe AdbcStatus.IO
            it.sqlState() shouldBe "08001"
        }
        shouldThrow<AdbcException> { Faulty.driver.open(mapOf("username" to "u", "password" to "wrong")) }
            .status() shouldBe AdbcStatus.UNAUTHENTICATED
        shouldThrow<AdbcException> { Faulty.driver.open(mapOf("no.such" to "x")) }.operation() shouldBe
            "AdbcDatabaseSetOption(no.such)"
        shouldThrow<NullPointerException> {
            Faulty.driver.open(java.util.Collections.singletonMap<String, Any>("uri", null))
        }.message shouldBe "the option uri is null"
        c.live(Live.DATABASES) shouldBe 0
    }

    test("a failure in any step of opening leaves nothing behind [ADB-04]") {
        for (step in listOf("DatabaseNew", "DatabaseInit", "ConnectionNew", "ConnectionInit", "StatementNew")) {
            c.fail(step, status = AdbcStatus.INTERNAL.code())
            shouldThrow<AdbcException> { Faulty.connected { it.createStatement().close() } }
                .operation() shouldBe "Adbc$step"
        }
        Faulty.driver.open(mapOf<String, Any>()).use { database ->
            shouldThrow<AdbcException> { database.connect(mapOf("no.such" to 1)) }.operation() shouldBe
                "AdbcConnectionSetOptionInt(no.such)"
        }
    }

    test("handles closed in any order are released as statement, connection, database [ADB-04]") {
        val orders = listOf(0, 1, 2, 3).permutations()
        orders.size shouldBe 24
        for (order in orders) {
            val database = Faulty.driver.open(mapOf<String, Any>())
            val connection = database.connect()
            val statement = connection.createStatement()
            val reader = statement.query("SELECT * FROM batches(3, 4)")
            reader.next()!!.close()
            val handles = listOf<AutoCloseable>(reader, statement, connection, database)
            order.forEach { handles[it].close() }
            for (live in listOf(Live.STREAMS, Live.STATEMENTS, Live.CONNECTIONS, Live.DATABASES, Live.DRIVERS))
                c.live(live) shouldBe 0
        }
    }

    test("a result and a partition work after all handles that they came from are closed [ADB-04]") {
        val (reader, part) = Faulty.connected { connection ->
            val parts = connection.createStatement().use { it.setSqlQuery("SELECT * FROM t"); it.executePartitions() }
            connection.query("SELECT id FROM t") to connection.readPartition(parts.partitions().first())
        }
        c.live(Live.DATABASES) shouldBe 1
        reader.rows().size shouldBe 10
        part.rows().isEmpty() shouldBe false
        c.live(Live.DATABASES) shouldBe 0
    }

    test("toString of a handle names its kind and its driver [ADB-04]") {
        Faulty.connected { connection ->
            "$connection" shouldBe "connection of libadbc_driver_faulty.so"
            connection.driver() shouldBe Faulty.driver
            connection.createStatement().use { "$it" shouldContain "statement of " }
        }
    }
})

private fun <T> List<T>.permutations(): List<List<T>> =
    if (size <= 1) listOf(this) else indices.flatMap { i ->
        (take(i) + drop(i + 1)).permutations().map { listOf(this[i]) + it }
    }
