// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import io.kotest.matchers.types.shouldBeSameInstanceAs
import org.arbalest.device.adbc.AdbcException
import org.arbalest.device.adbc.AdbcStatus

class SecretsSpec : FunSpec({
    fun error(message: String, vararg options: Pair<String, String>): AdbcException = shouldThrow {
        Secrets.hiding<Any>(mapOf(*options)) {
            throw AdbcException.of("AdbcDatabaseInit", 10).sqlState("08001").vendorCode(7).message(message).build()
        }
    }

    test("a driver's error is thrown without passwords and values of options [SPK-30]") {
        val uri = "postgresql://user:50%off@host/db"
        val known = error("[libpq] invalid percent-encoded token: \"50%off\"", "uri" to uri)
        known.driverMessage() shouldBe "[libpq] invalid percent-encoded token: \"***\""
        known.message shouldContain "SQLSTATE 08001, vendor code 7"
        known.status() shouldBe AdbcStatus.IO
        error("missing key/value separator in URI: $uri", "uri" to uri).message shouldNotContain "off"
        error("no token hunter2 key", "connection.token" to "hunter2 key").message shouldNotContain "hunter2"
    }

    test("parts of values that a driver quotes are removed, as in libpq's errors [SPK-30]") {
        for ((message, uri, safe) in listOf(
            Triple("invalid integer value \"hunter\" for connection option \"port\"", "postgresql://u:hunter/2@h/db",
                "invalid integer value \"***\" for connection option \"***\""),
            Triple("missing \"=\" after \"secret\" in connection info string", "host=h password=my secret",
                "missing \"***\" after \"***\" in connection info string"),
            Triple("invalid percent-encoded token: \"s%zz\"", "postgresql://h/db?password=s%zz",
                "invalid percent-encoded token: \"***\""),
            Triple("missing \"=\" after \"a\"b\" in it", "host=h password=my a\"b", "missing \"***\" in it"),
        )) error(message, "uri" to uri).driverMessage() shouldBe safe
    }

    test("an error without such values stays") {
        val mine = AdbcException.of("AdbcDatabaseInit", 10).message("connection refused on 1").build()
        shouldThrow<AdbcException> {
            Secrets.hiding<Any>(mapOf("threads" to "1", "uri" to "postgresql://host/db")) { throw mine }
        } shouldBeSameInstanceAs mine
    }

    test("the URI of a database as the driver is rejected without its text [SPK-30]") {
        val message = shouldThrow<IllegalArgumentException> {
            AdbcOptions.database(mapOf("driver" to "postgresql://user:hunter2@host/db"))
        }.message
        message shouldContain "database.uri"
        message shouldNotContain "hunter2"
        AdbcOptions.database(mapOf("driver" to "profile://prod")).driver() shouldBe "profile://prod"
    }
})
