// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldEndWith
import io.kotest.matchers.string.shouldNotContain
import org.arbalest.device.DeviceException
import org.arbalest.device.Errno
import org.arbalest.device.c.ArrowArrayStreamStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriver.Style
import org.arbalest.support.adbc.FaultyDriverExtension
import java.io.ByteArrayOutputStream
import java.io.ObjectInputStream
import java.io.ObjectOutputStream
import java.lang.foreign.Arena

class AdbcExceptionSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    val c by lazy { Faulty.c }

    fun failed(): AdbcException = Faulty.connected { connection ->
        shouldThrow<AdbcException> { connection.query("SELECT * FROM nowhere") }
    }

    fun failedLater(): AdbcException =
        Faulty.connected { connection ->
            connection.query("SELECT * FROM fails(3, 2, 1)").use { reader ->
                shouldThrow<AdbcException> { reader.forEach {} }
            }
        }

    test("an error has the driver's status, SQLSTATE, message and details, and the SQL [ADB-07]") {
        val error = failed()
        error.operation() shouldBe "AdbcStatementExecuteQuery"
        error.status() shouldBe AdbcStatus.NOT_FOUND
        error.statusCode() shouldBe 3
        error.sqlState() shouldBe "42P01"
        error.vendorCode().isEmpty shouldBe true
        error.driverMessage() shouldContain "nowhere"
        error.message shouldBe
            "AdbcStatementExecuteQuery of libadbc_driver_faulty.so failed: NOT_FOUND (3), SQLSTATE 42P01: " +
            "${error.driverMessage()}; the SQL: SELECT * FROM nowhere"
        error.errno() shouldBe AdbcStatus.NOT_FOUND.errno()
        error.details() shouldContainExactly
            listOf(AdbcErrorDetail("arbalest.function", "StatementExecuteQuery".toByteArray()),
                AdbcErrorDetail("arbalest.bytes", byteArrayOf(0, 1, -1)))
        "${error.details().first()}" shouldBe "arbalest.function = StatementExecuteQuery"
        "$error" shouldBe "org.arbalest.device.adbc.AdbcException: ${error.message}"
    }

    test("each status code has its name, and an unknown code is UNKNOWN with its number [ADB-07]") {
        for (code in 1..255) {
            c.fail("StatementPrepare", status = code)
            Faulty.connected { connection ->
                connection.createStatement().use { statement ->
                    val error = shouldThrow<AdbcException> { statement.prepare() }
                    error.statusCode() shouldBe code
                    error.status() shouldBe AdbcStatus.entries.getOrElse(code - 1) { AdbcStatus.UNKNOWN }
                    error.status().code() shouldBe if (code <= 14) code else 1
                }
            }
        }
        AdbcStatus.entries.map { it.name } shouldContainExactly
            ("UNKNOWN NOT_IMPLEMENTED NOT_FOUND ALREADY_EXISTS INVALID_ARGUMENT INVALID_STATE INVALID_DATA INTEGRITY " +
                "INTERNAL IO CANCELLED TIMEOUT UNAUTHENTICATED UNAUTHORIZED")
                .split(' ')
        AdbcStatus.CANCELLED.errno() shouldBe Errno.ECANCELED
    }

    test("an incomplete error of the driver is readable, and is released once [ADB-07]") {
        c.errors(Style.NO_MESSAGE)
        failed().let {
            it.driverMessage() shouldBe ""
            it.message shouldContain "SQLSTATE 42P01: the driver returned no message; the SQL: "
        }
        c.errors(Style.NO_SQLSTATE)
        failed().sqlState() shouldBe ""
        c.errors(Style.NO_DETAILS)
        failed().details().shouldBeEmpty()
        c.errors(Style.VENDOR_CODE)
        failed().let {
            it.vendorCode().asInt shouldBe 4711
            it.message shouldContain ", vendor code 4711: "
            it.details().shouldBeEmpty()
        }
        c.errors(Style.NOT_UTF8)
        failed().driverMessage() shouldContain "\uFFFD"
        c.errors(Style.LONG)
        failed().driverMessage().length shouldBe 65_536
        c.errors(Style.FOREIGN)
        failed().driverMessage().isEmpty() shouldBe false
        c.errors(Style.NO_MESSAGE, Style.NO_SQLSTATE, Style.NO_DETAILS)
        failed().message shouldBe "AdbcStatementExecuteQuery of libadbc_driver_faulty.so failed: NOT_FOUND (3): the " +
            "driver returned no message; the SQL: SELECT * FROM nowhere"
    }

    test("details are not queried if the driver provides none [ADB-07]") {
        c.errors(Style.NO_DETAILS)
        failed()
        failedLater()
        c.calls("ErrorGetDetailCount") shouldBe 0
        c.errors()
        failed()
        c.calls("ErrorGetDetailCount") shouldBe 1
    }

    test("a detail with an impossible length does not hide the error [ADB-07]") {
        c.errors(Style.ODD_DETAIL)
        failed().let {
            it.status() shouldBe AdbcStatus.NOT_FOUND
            "${it.details().last()}" shouldBe "arbalest.bytes = of -1 bytes, as the driver says"
        }
    }

    test("an error of a 1.0.0 driver is readable and has no details [ADB-07]") {
        for (style in Style.entries) {
            c.errors(style)
            Faulty.connected(Faulty.old) { connection ->
                shouldThrow<AdbcException> { connection.query("SELECT * FROM nowhere") }.let {
                    it.status() shouldBe AdbcStatus.NOT_FOUND
                    it.details().shouldBeEmpty()
                }
            }
        }
    }

    test("the SQL in a message is one line of at most 200 characters, and no surrogate pair is cut [ADB-07]") {
        fun of(sql: String) = Faulty.connected { connection -> shouldThrow<AdbcException> { connection.query(sql) } }
            .message!!.substringAfter("; the SQL: ")
        of("  SELEKT\n\n  x,\ty ") shouldBe "SELEKT x, y"
        of("x".repeat(200)) shouldBe "x".repeat(200)
        of("x".repeat(201)) shouldBe "x".repeat(200) + "…"
        of("x".repeat(199) + "\uD83E\uDD86" + "y") shouldBe "x".repeat(199) + "…"
        of("x".repeat(198) + "\uD83E\uDD86" + "y") shouldBe "x".repeat(198) + "\uD83E\uDD86…"
    }

    test("an error of an ingestion names its table, until the statement has a query [ADB-07]") {
        Faulty.connected { connection ->
            connection.createStatement().use { statement ->
                statement.setIngest(AdbcIngest.into("nowhere").with(AdbcIngest.Mode.APPEND))
                c.fail("StatementBind", status = AdbcStatus.IO.code())
                shouldThrow<AdbcException> { statement.bind(ids(1)) }.operation() shouldBe "AdbcStatementBind(nowhere)"
                for (bind in listOf({ statement.bind(ids(1)) }, { statement.bind(reader(1)) })) {
                    bind()
                    shouldThrow<AdbcException> { statement.executeUpdate() }.let {
                        it.operation() shouldBe "AdbcStatementExecuteQuery(nowhere)"
                        it.message shouldContain "AdbcStatementExecuteQuery(nowhere) of libadbc_driver_faulty.so failed"
                    }
                }
                shouldThrow<AdbcException> { statement.query("SELECT * FROM nowhere") }.operation() shouldBe
                    "AdbcStatementExecuteQuery"
            }
        }
    }

    test("an error that does not concern a query has no SQL, even after a query on the same statement [ADB-07]") {
        Faulty.connected { connection ->
            shouldThrow<AdbcException> { connection.tableSchema("nowhere") }.message shouldNotContain "the SQL"
            connection.createStatement().use { statement ->
                statement.setSqlQuery("SELECT 1")
                statement.setIngest(AdbcIngest.into("t"))
                statement.bind(ids(1))
                shouldThrow<AdbcException> { statement.executeUpdate() }.message shouldNotContain "the SQL"
            }
        }
    }

    test("a result that fails midway throws the driver's error with its details [ADB-08]") {
        val error = failedLater()
        error.operation() shouldBe "get_next of the result"
        error.status() shouldBe AdbcStatus.INVALID_DATA
        error.sqlState() shouldBe "22012"
        error.errno() shouldBe Errno.EIO
        error.details().isEmpty() shouldBe false
        error.message shouldEndWith "; the SQL: SELECT * FROM fails(3, 2, 1)"
    }

    test(
        "without ErrorFromArrayStream the error is the stream's own, and without a message it has the errno [ADB-08]",
    ) {
        c.errors(Style.NO_STREAM_ERROR)
        failedLater().let {
            it.status() shouldBe AdbcStatus.IO
            it.errno() shouldBe Errno.EIO
            it.driverMessage().isEmpty() shouldBe false
            it.details().shouldBeEmpty()
        }
        c.errors(Style.NO_STREAM_ERROR, Style.NO_LAST_ERROR)
        failedLater().message shouldBe
            "get_next of the result of libadbc_driver_faulty.so failed: IO (10), EIO: the driver returned no " +
            "message; the " +
            "SQL: SELECT * FROM fails(3, 2, 1)"
        c.errors()
        c.missing("ErrorFromArrayStream")
        failedLater().details().shouldBeEmpty()
    }

    test("each errno of a stream maps to the nearest status [ADB-08]") {
        c.errors(Style.NO_STREAM_ERROR)
        for ((errno, status) in mapOf(
            Errno.ECANCELED to AdbcStatus.CANCELLED,
            Errno.EINVAL to AdbcStatus.INVALID_ARGUMENT,
            Errno.ENOSYS to AdbcStatus.NOT_IMPLEMENTED,
            Errno.EIO to AdbcStatus.IO,
            4 to AdbcStatus.UNKNOWN,
            // Other values of arrow-adbc's drivers, with Linux numbers: ENOTSUP, ENOENT, EEXIST, ETIMEDOUT, EACCES.
            95 to AdbcStatus.NOT_IMPLEMENTED,
            2 to AdbcStatus.NOT_FOUND,
            17 to AdbcStatus.ALREADY_EXISTS,
            110 to AdbcStatus.TIMEOUT,
            13 to AdbcStatus.UNAUTHORIZED,
        )) {
            Faulty.connected { connection ->
                c.fail("get_next", status = errno)
                connection.query("SELECT * FROM t").use { reader ->
                    val error = shouldThrow<AdbcException> { reader.next() }
                    error.errno() shouldBe errno
                    error.status() shouldBe status
                    shouldThrow<DeviceException> { reader.next() }.cause shouldBe error
                }
            }
        }
    }

    test("a status is exported to C as the errno that arrow-adbc's drivers use [ADB-08]") {
        AdbcStatus.entries.map { it.errno() } shouldContainExactly
            listOf(5, 95, 2, 17, 22, 22, 5, 5, 5, 5, 125, 110, 13, 13) // Linux numbers
    }

    test("a schema that cannot be read fails the query, and the stream is released [ADB-08]") {
        c.fail("get_schema", status = Errno.EIO)
        Faulty.connected { connection ->
            shouldThrow<AdbcException> { connection.query("SELECT * FROM t") }.operation() shouldBe
                "get_schema of the result"
        }
    }

    test("a bound reader's failure is thrown even if the driver reports it only in get_schema [ADB-10]") {
        c.endBindingsThatFail()
        Faulty.connected { connection ->
            connection.createStatement().use { statement ->
                statement.setSqlQuery("SELECT id FROM t WHERE id = ?")
                statement.bind(failing())
                c.fail("get_schema", status = Errno.EIO)
                val error = shouldThrow<DeviceException> { statement.executeQuery() }
                error.message shouldBe "java.io.IOException: the tape tore"
                (error.suppressed.single() as AdbcException).operation() shouldBe "get_schema of the result"
            }
        }
    }

    test("a failing bound result throws its own error, and does not suppress itself [ADB-10]") {
        Faulty.driver.open(mapOf<String, Any>()).use { database ->
            database.connect().use { from ->
                database.connect().use { to ->
                    to.createStatement().use { statement ->
                        statement.setSqlQuery("SELECT id FROM t WHERE id = ?")
                        statement.bind(from.query("SELECT * FROM fails(3, 2, 0)"))
                        shouldThrow<AdbcException> { statement.executeQuery().use { it.rows() } }.status() shouldBe
                            AdbcStatus.INVALID_DATA
                    }
                }
            }
        }
    }

    test("a result exported to C keeps its errno and its message [ADB-08]") {
        Faulty.connected { connection ->
            val reader = connection.query("SELECT * FROM fails(3, 2, 1)")
            Arena.ofConfined().use { arena ->
                val struct = ArrowArrayStreamStruct.allocate(arena)
                CData.exportStream(reader, struct, CExport.DATA)
                CData.importStream(struct, CImport.DATA).use { inC ->
                    inC.next()!!.close()
                    val error = shouldThrow<DeviceException> { inC.next() }
                    error.errno() shouldBe Errno.EIO
                    error.message shouldContain
                        "get_next of the result of libadbc_driver_faulty.so failed: INVALID_DATA (7)"
                    (error.cause is AdbcException) shouldBe true
                }
            }
        }
    }

    test("an error survives Java serialization [ADB-07]") {
        val error = failed()
        val bytes = ByteArrayOutputStream().also { ObjectOutputStream(it).writeObject(error) }.toByteArray()
        val read = ObjectInputStream(bytes.inputStream()).readObject() as AdbcException
        read.message shouldBe error.message
        read.details() shouldBe error.details()
        read.sqlState() shouldBe "42P01"
    }
})
