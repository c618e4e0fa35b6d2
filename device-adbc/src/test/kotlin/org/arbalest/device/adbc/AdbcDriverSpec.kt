// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriver.Init
import org.arbalest.support.adbc.FaultyDriverExtension
import kotlin.io.path.writeText

class AdbcDriverSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())
    extension(FaultyDriverExtension { FaultyDriver.plain })

    val c by lazy { Faulty.c }

    fun load(): AdbcDriver = AdbcDriver.load(c.file)

    fun AdbcDriver.answers() = open(mapOf<String, Any>()).use { database ->
        database.connect().use { it.query("SELECT 42").single() }
    } shouldBe 42L

    test("the entry point is the caller's, the one of the library's name, or AdbcDriverInit [ADB-01]") {
        load().answers()
        c.entered shouldBe "AdbcDriverFaultyInit"
        AdbcDriver.load(FaultyDriver.plain.file).answers()
        FaultyDriver.plain.entered shouldBe "AdbcDriverInit"
        AdbcDriver.load(c.file, "arbalest_custom_entry").answers()
        c.entered shouldBe "arbalest_custom_entry"
        AdbcDriver.load("${c.file}", AdbcDriverSearch.everywhere().by("arbalest_custom_entry")).answers()
        c.entered shouldBe "arbalest_custom_entry"
    }

    test("an empty entry point in a manifest counts as absent [ADB-20]") {
        val drivers = tempdir().toPath()
        drivers.resolve("plain.toml").writeText("[Driver]\nentrypoint = ''\nshared = '${FaultyDriver.plain.file}'")
        AdbcDriver.load("plain", AdbcDriverSearch.nowhere().`in`(drivers)).answers()
        FaultyDriver.plain.entered shouldBe "AdbcDriverInit"
    }

    test("a driver is initialized as 1.1.0, and as 1.0.0 if it rejects 1.1.0 [ADB-01]") {
        load().version() shouldBe AdbcVersion.V1_1_0
        c.version shouldBe 1_001_000
        val old = AdbcDriver.load(c.file, "AdbcFaultyOldInit")
        old.version() shouldBe AdbcVersion.V1_0_0
        c.version shouldBe 1_000_000
        old.answers()
    }

    test("each database has its own driver table, which is released with the last handle made from it [ADB-01]") {
        val driver = load()
        c.live(FaultyDriver.Live.DRIVERS) shouldBe 0
        val database = driver.open(mapOf<String, Any>())
        c.live(FaultyDriver.Live.DRIVERS) shouldBe 1
        val reader = database.connect().use { it.query("SELECT * FROM t") }
        database.close()
        c.live(FaultyDriver.Live.DRIVERS) shouldBe 1
        val batch = reader.use { it.next()!! }
        c.live(FaultyDriver.Live.DRIVERS) shouldBe 0
        batch.use { it.column("id").toLongArray().toList() shouldBe (0L..9L).toList() }
        c.calls("driver.release") shouldBe c.calls("init")
    }

    test("a library without an entry point is rejected [ADB-02]") {
        shouldThrow<IllegalArgumentException> { AdbcDriver.load(FaultyDriver.notADriver) }.message.let {
            it shouldContain "is not an ADBC driver: it has no function Adbc"
            it shouldContain ", nor AdbcDriverInit"
        }
    }

    test("a failing init function throws the driver's error, even an incomplete one [ADB-02]") {
        c.init(Init.FAILS)
        shouldThrow<AdbcException> { load() }.let {
            it.status() shouldBe AdbcStatus.IO
            it.operation() shouldBe "AdbcDriverFaultyInit"
            it.driverMessage().isEmpty() shouldBe false
        }
        c.init(Init.SILENT)
        shouldThrow<AdbcException> { load() }.message shouldContain
            "AdbcDriverFaultyInit of ${c.file.fileName} failed: INTERNAL (9): the driver returned no message"
        c.init(Init.ODD_STATUS)
        shouldThrow<AdbcException> { load() }.let {
            it.status() shouldBe AdbcStatus.UNKNOWN
            it.statusCode() shouldBe 200
            it.message shouldContain "UNKNOWN (200)"
        }
        c.init(Init.REFUSES)
        shouldThrow<AdbcException> { load() }.status() shouldBe AdbcStatus.NOT_IMPLEMENTED
        c.version shouldBe 1_000_000
    }

    test("a failing init function that filled the table throws its error, and the table is released once [ADB-02]") {
        c.init(Init.FAILS_LATE)
        c.errors(FaultyDriver.Style.VENDOR_CODE)
        shouldThrow<AdbcException> { load() }.let {
            it.driverMessage() shouldContain "the licence is over"
            it.vendorCode().asInt shouldBe 4711
        }
        c.calls("driver.release") shouldBe 1
        c.live(FaultyDriver.Live.DRIVERS) shouldBe 0
    }

    test("an init function that fails only for a later database leaves nothing behind [ADB-02]") {
        val driver = load()
        c.init(Init.FAILS)
        shouldThrow<AdbcException> { driver.open(mapOf<String, Any>()) }.status() shouldBe AdbcStatus.IO
    }

    test("a table without mandatory functions throws with their names, and is released [ADB-02]") {
        c.init(Init.EMPTY)
        shouldThrow<AdbcException> { load() }.message shouldContain
            "INTERNAL (9): the driver's table lacks AdbcDatabaseInit, AdbcDatabaseNew, AdbcDatabaseRelease, " +
            "AdbcConnectionInit, AdbcConnectionNew, AdbcConnectionRelease, " +
            "AdbcStatementExecuteQuery, AdbcStatementNew, AdbcStatementRelease"
        c.init(Init.NORMAL)
        c.missing("StatementNew")
        shouldThrow<AdbcException> { load() }.message shouldContain "the driver's table lacks AdbcStatementNew"
    }

    test("functions of 1.1.0 are absent if the driver fills only the 1.0.0 part of the table [ADB-14]") {
        c.init(Init.IGNORES_VERSION)
        val driver = load()
        driver.answers()
        Faulty.connected(driver) {
            shouldThrow<AdbcException> { it.statisticNames() }.message shouldContain "the driver has no such function"
        }
    }

    test("a missing optional function throws NOT_IMPLEMENTED with its name [ADB-14]") {
        fun failing(member: String, call: (AdbcConnection, AdbcStatement) -> Unit) {
            c.missing(member)
            Faulty.connected(load()) { connection ->
                connection.createStatement().use { statement ->
                    statement.setSqlQuery("SELECT 1")
                    val error = shouldThrow<AdbcException> { call(connection, statement) }
                    error.status() shouldBe AdbcStatus.NOT_IMPLEMENTED
                    error.message shouldContain "Adbc$member"
                    error.message shouldContain "the driver has no such function"
                }
            }
            c.missing()
        }
        failing("StatementCancel") { _, statement -> statement.cancel() }
        failing("StatementPrepare") { _, statement -> statement.prepare() }
        failing("StatementBind") { _, statement -> statement.bind(ids(1)) }
        failing("StatementBindStream") { _, statement -> statement.bind(reader(1)) }
        failing("StatementExecuteSchema") { _, statement -> statement.executeSchema() }
        failing("StatementExecutePartitions") { _, statement -> statement.executePartitions() }
        failing("StatementGetParameterSchema") { _, statement -> statement.parameterSchema() }
        failing("StatementSetSubstraitPlan") { _, statement -> statement.setSubstraitPlan(byteArrayOf()) }
        failing("StatementSetOption") { _, statement -> statement.setIngest(AdbcIngest.into("x")) }
        failing("StatementSetOptionInt") { _, statement -> statement.setOption("fake.user.x", 1L) }
        failing("StatementSetOptionDouble") { _, statement -> statement.setOption("fake.user.x", 1.0) }
        failing("StatementSetOptionBytes") { _, statement -> statement.setOption("fake.user.x", byteArrayOf(1)) }
        failing("StatementGetOption") { _, statement -> statement.getOption("fake.user.x") }
        failing("StatementGetOptionInt") { _, statement -> statement.getLongOption("fake.user.x") }
        failing("StatementGetOptionDouble") { _, statement -> statement.progress() }
        failing("StatementGetOptionBytes") { _, statement -> statement.getBytesOption("fake.user.x") }
        failing("ConnectionCancel") { connection, _ -> connection.cancel() }
        failing("ConnectionCommit") { connection, _ -> connection.commit() }
        failing("ConnectionRollback") { connection, _ -> connection.rollback() }
        failing("ConnectionGetInfo") { connection, _ -> connection.info() }
        failing("ConnectionGetObjects") { connection, _ -> connection.objects(AdbcObjects.all()) }
        failing("ConnectionGetTableSchema") { connection, _ -> connection.tableSchema("t") }
        failing("ConnectionGetTableTypes") { connection, _ -> connection.tableTypes() }
        failing("ConnectionGetStatistics") { connection, _ -> connection.statistics(null, null, null, true) }
        failing("ConnectionGetStatisticNames") { connection, _ -> connection.statisticNames() }
        failing("ConnectionReadPartition") { connection, _ -> connection.readPartition(byteArrayOf(1)) }
        failing("ConnectionSetOption") { connection, _ -> connection.isAutoCommit = false }
        failing("ConnectionGetOption") { connection, _ -> connection.currentCatalog() }
        failing("ConnectionSetOptionInt") { connection, _ -> connection.setOption("fake.user.x", 1L) }
        failing("ConnectionGetOptionInt") { connection, _ -> connection.getLongOption("fake.user.x") }
    }

    test("a function of 1.1.0 that is called on a 1.0.0 driver throws with both versions [ADB-14]") {
        Faulty.connected(Faulty.old) { connection ->
            connection.query("SELECT id FROM t WHERE id = 3").single() shouldBe 3L
            connection.info(0).vendorName()!!.isEmpty() shouldBe false
            connection.ingest("u", reader(1, 2)) shouldBe 2
            connection.createStatement().use { statement ->
                shouldThrow<AdbcException> { statement.cancel() }.message shouldContain
                    "AdbcStatementCancel of ${c.file.fileName} failed: NOT_IMPLEMENTED (2): it is a driver of ADBC " +
                    "1.0.0, and this function is from 1.1.0"
                shouldThrow<AdbcException> { statement.setOption("fake.user.x", 1L) }.message shouldContain
                    "AdbcStatementSetOptionInt(fake.user.x)"
            }
            // Its error struct is that of 1.0.0, which has no space for details.
            shouldThrow<AdbcException> { connection.query("SELECT * FROM nowhere") }.let {
                it.status() shouldBe AdbcStatus.NOT_FOUND
                it.sqlState() shouldBe "42P01"
                it.details().shouldBeEmpty()
            }
            connection.query("SELECT * FROM fails(3, 2, 1)").use { reader ->
                shouldThrow<AdbcException> { reader.forEach {} }.driverMessage().isEmpty() shouldBe false
            }
        }
    }
})
