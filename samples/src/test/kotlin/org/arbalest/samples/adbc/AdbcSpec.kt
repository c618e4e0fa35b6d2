// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.coroutines.batch
import org.arbalest.coroutines.get
import org.arbalest.coroutines.int64
import org.arbalest.coroutines.longs
import org.arbalest.device.DataType
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Field
import org.arbalest.device.Schema
import org.arbalest.device.abi.DeviceType
import org.arbalest.samples.adbc.AdbcStatement.IngestMode
import org.arbalest.testkit.LedgerExtension
import java.io.IOException
import java.nio.file.Path

private val IDS = Schema.of(Field.of("id", DataType.INT64))

private fun ids(vararg ids: Long): DeviceArray = Devices.cpu().batch(ids.size) { int64("id", ids) }

private fun reader(vararg ids: Long): DeviceArrayReader = DeviceArrayReader.of(IDS, listOf(ids(*ids)))

/** A stream that breaks after one batch. */
private fun failing(): DeviceArrayReader {
    var pulls = 0
    return DeviceArrayReader.of(IDS, DeviceType.CPU) { if (pulls++ == 0) ids(1) else throw IOException("the tape tore") }
}

private fun AdbcStatement.long(sql: String): Long = query(sql).use { reader -> reader.next()!!.use { it.column(0).longs()[0] } }

class AdbcSpec : FunSpec({
    extension(LedgerExtension)

    fun open() = DuckDbDriver.load().open(mapOf("path" to ":memory:"))

    fun <T> withStatement(block: (AdbcStatement) -> T): T = open().use { it.connect().use { c -> c.createStatement().use(block) } }

    test("the driver is loaded once") {
        (DuckDbDriver.load() === DuckDbDriver.load()) shouldBe true
    }

    test("closing the database closes what was opened from it; closing that again does nothing") {
        val database = open()
        val connection = database.connect()
        val statement = connection.createStatement()
        database.close()
        shouldThrow<IllegalStateException> { statement.execute("SELECT 1") }.message shouldBe "statement was closed together with its connection"
        shouldThrow<IllegalStateException> { connection.createStatement() }.message shouldBe "connection was closed together with its database"
        shouldThrow<IllegalStateException> { database.connect() }.message shouldBe "database was closed; open another"
        listOf(statement, connection, database).forEach(AutoCloseable::close)
    }

    test("a result outlives its statement, connection and database") {
        val reader = withStatement { it.query("SELECT range AS id FROM range(10)") }
        val batch = reader.use { it.next()!! }
        batch.use { it["id"].longs().toList() shouldBe (0L until 10).toList() }
    }

    test("two results of two connections are pulled by turns") {
        open().use { database ->
            val readers = List(2) { database.connect().createStatement().query("SELECT range AS id FROM range(5000)") }
            var rows = 0L
            for (turn in 0 until 3) readers.forEach { reader -> reader.next()?.use { rows += it.length() } }
            readers.forEach(DeviceArrayReader::close)
            rows shouldBe 10_000
        }
    }

    test("a result that is not read to its end is released") {
        withStatement { it.query("SELECT range AS id FROM range(1000000)").use { reader -> reader.next()!!.close() } }
    }

    test("a batch goes in as a table, and comes back") {
        withStatement {
            it.ingest("ids", reader(1, 2, 39)) shouldBe 3
            it.long("SELECT sum(id)::BIGINT FROM ids") shouldBe 42
            it.ingest("ids", IngestMode.APPEND, reader(58))
            it.long("SELECT sum(id)::BIGINT FROM ids") shouldBe 100
            it.ingest("ids", IngestMode.REPLACE, reader(7))
            it.long("SELECT sum(id)::BIGINT FROM ids") shouldBe 7
        }
    }

    test("a stream that fails is thrown with its own words, though DuckDB takes it for the end") {
        withStatement {
            val error = shouldThrow<AdbcException> { it.ingest("ids", failing()) }
            error.vendorCode() shouldBe 5
            error.driverMessage() shouldContain "the tape tore"
            error.message shouldContain "get_next of the stream failed: UNKNOWN (1), vendor code 5"
        }
    }

    test("an error names the function, the status and the driver's words") {
        withStatement {
            val error = shouldThrow<AdbcException> { it.execute("SELECT nothing") }
            error.message shouldContain "failed: ${error.status()} (${error.statusCode()})"
            error.driverMessage() shouldContain "nothing"
            it.ingest("ids", reader(1))
            shouldThrow<AdbcException> { it.ingest("ids", reader(1)) }.driverMessage() shouldContain "ids"
            shouldThrow<AdbcException> { it.setOption("no.such.option", "secret") }.message.let { text ->
                text shouldContain "StatementSetOption(no.such.option)"
                ("secret" in text!!) shouldBe false
            }
        }
    }

    test("an error in a later row is the stream's") {
        withStatement {
            it.query("SELECT CASE WHEN range = 999999 THEN error('row ' || range) ELSE range END AS id FROM range(1000000)").use { reader ->
                shouldThrow<DeviceException> { while (true) reader.next()?.close() ?: break }.message shouldContain "row 999999"
            }
        }
    }

    test("a reader that was spent cannot be taken in") {
        withStatement {
            val spent = reader(1).also(DeviceArrayReader::close)
            shouldThrow<IllegalStateException> { it.ingest("ids", spent) }.message shouldBe "the reader was closed"
        }
    }

    test("a file that is no driver is refused") {
        shouldThrow<IllegalArgumentException> { AdbcDriver.load(Path.of("no-such-file.so")) }.message shouldContain "no ADBC driver at"
        shouldThrow<AdbcException> { DuckDbDriver.load().open(mapOf("path" to "/no/such/folder/x.db")) }.message shouldContain "DatabaseInit"
    }
})
