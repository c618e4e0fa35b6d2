// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriver.Live
import org.arbalest.support.adbc.FaultyDriverExtension
import java.nio.file.Files

class AdbcSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    val faulty by lazy { mapOf("driver" to "${Faulty.c.file}") }

    test("a URI connects to a file of DuckDB, which is closed with the connection [ADB-30]") {
        val file = tempdir().resolve("flights.db")
        Adbc.connect("duckdb://$file").use { it.execute("CREATE TABLE t AS SELECT 42 AS answer") }
        file.length() shouldBeGreaterThan 0
        Adbc.connect("duckdb:$file", mapOf("access_mode" to "read_only")).use { connection ->
            connection.query("SELECT answer FROM t").single() shouldBe 42
            shouldThrow<AdbcException> { connection.execute("DROP TABLE t") }.message shouldContain "read-only"
        }
        Adbc.connect("duckdb").use { it.query("SELECT ? + 1", 1).single() shouldBe 2 }
    }

    test("the database lives as long as its last connection, statement or result [ADB-30]") {
        val reader = Adbc.connect("faulty", faulty).use { it.query("SELECT id FROM t") }
        Faulty.c.live(Live.DATABASES) shouldBe 1
        reader.rows().size shouldBe 10
        Faulty.c.live(Live.DATABASES) shouldBe 0
        Adbc.open("faulty", faulty).use { database ->
            database.connect().close()
            database.connect().use { it.query("SELECT count(*) FROM t").single() shouldBe 10L }
        }
        Faulty.c.live(Live.DATABASES) shouldBe 0
    }

    test("a failure to open, to connect or to set the URI leaves nothing behind [ADB-30]") {
        val opening = listOf("DatabaseNew", "DatabaseSetOption", "DatabaseInit", "ConnectionNew", "ConnectionInit")
        for (function in opening) {
            Faulty.c.fail(function, status = 9)
            shouldThrow<AdbcException> { Adbc.connect("faulty://user:secret@host", faulty) }.message.let {
                it shouldContain function
                it shouldNotContain "secret"
            }
            Faulty.c.live(Live.DATABASES) shouldBe 0
        }
    }

    test("an unknown scheme is an error that names the driver and the searched places, without the URI [ADB-30]") {
        shouldThrow<IllegalArgumentException> { Adbc.connect("arbalestnowhere://user:secret@host/db") }.message.let {
            it shouldContain "no ADBC driver arbalestnowhere: looked for arbalestnowhere.toml, "
            it shouldContain "; install the driver there, or pass the path of its library or manifest"
            it shouldNotContain "secret"
        }
        shouldThrow<IllegalArgumentException> { Adbc.connect("") }.message shouldBe "the URI of the database is empty"
        shouldThrow<IllegalArgumentException> { Adbc.open("duckdb:x.db", mapOf("uri" to "y.db")) }.message shouldBe
            "the URI was passed twice: as the argument, and as the option uri"
        shouldThrow<IllegalArgumentException> { Adbc.open("duckdb", mapOf("driver" to 3)) }.message shouldBe
            "the option driver is not a string"
    }

    test("a connection string without a driver is an error without its text, which may have a password [ADB-30]") {
        for (text in listOf("host=db password=secret", "Server=db;Password=secret:1", "me@secret")) {
            shouldThrow<IllegalArgumentException> { Adbc.connect(text) }.message shouldBe
                "the URI of the database has no scheme, and is not the path of a driver; use a form such as " +
                "postgresql://host/database"
        }
        shouldThrow<IllegalArgumentException> { Adbc.connect("jdbc:postgresql://me:secret@host/db") }.message shouldBe
            "the URI of the database begins with jdbc:, but needs an ADBC driver; remove jdbc:, and check the rest " +
            "in the documentation of that driver"
        shouldThrow<IllegalArgumentException> { Adbc.connect("duckdb", mapOf("profile" to "prod")) }.message shouldBe
            "a profile was passed as the option profile; pass the URI profile://NAME instead"
        val strange = Files.createSymbolicLink(tempdir().toPath().resolve("a=b@c.so"), Faulty.c.file)
        Adbc.connect("$strange", mapOf("entrypoint" to "AdbcDriverInit")).close()
    }

    test("DuckDB of the jar is used if the caller names its entry point [ADB-30]") {
        Adbc.connect("duckdb", mapOf("entrypoint" to DuckDbDriver.ENTRY_POINT)).use { connection ->
            connection.query("SELECT 1").single() shouldBe 1
        }
    }
})
