// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.DeviceException
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriver.Live
import org.arbalest.support.adbc.FaultyDriver.Style
import org.arbalest.support.adbc.FaultyDriverExtension

/** Tests that let each call of the driver fail, alone or with all later calls, and check that nothing leaks. */
class AdbcDriverFaultsSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    val c by lazy { Faulty.c }

    fun connected(
        driver: AdbcDriver,
        block: (AdbcConnection) -> Unit,
    ): Unit = driver.open(mapOf("fake.user.a" to "b")).use { database ->
        database.connect(mapOf("fake.user.c" to 1)).use(block)
    }

    /** The calls under test, in parts: one run per call of a part is faster than one run per call of the whole. */
    val parts: List<(AdbcDriver) -> Unit> = listOf(
        { driver ->
            connected(driver) { connection ->
                connection.info()
                connection.objects(AdbcObjects.to(AdbcObjects.Depth.CATALOGS)) // the fastest depth with DuckDB
                connection.tableSchema("t")
                connection.tableTypes()
                connection.statistics(null, null, "t", true)
                connection.statisticNames()
                connection.currentCatalog()
            }
        },
        { driver ->
            connected(driver) { connection ->
                connection.isAutoCommit = false
                connection.ingest("x", reader(1, 2))
                connection.ingest(AdbcIngest.into("x").with(AdbcIngest.Mode.APPEND), ids(3))
                connection.commit()
                connection.execute("DELETE FROM x WHERE id = 1")
                connection.rollback()
            }
        },
        { driver ->
            connected(driver) { connection ->
                connection.createStatement().use { statement ->
                    statement.setSqlQuery("SELECT id FROM t WHERE id = ?")
                    statement.prepare()
                    statement.parameterSchema()
                    statement.executeSchema()
                    statement.bind(ids(1))
                    statement.executeQuery().rows()
                    statement.bind(reader(2, 3))
                    statement.executeQuery().rows()
                    statement.setSubstraitPlan("substrait\u0000SELECT 1".toByteArray())
                    statement.query("SELECT * FROM t")
                        .use { it.next()?.close() }
                    for (part in statement.executePartitions().partitions()) connection.readPartition(part).rows()
                }
            }
        },
    )

    /**
     * Runs [part] with a fault in its first call, its second call and so on, until no call is left to fail.
     * Returns the number of calls.
     *
     * A fault need not throw: the library ignores the failure of a cancel before a release.
     */
    fun sweep(part: (AdbcDriver) -> Unit, hasCome: () -> Boolean, fault: (Long) -> Unit): Int {
        val driver = Faulty.driver
        var nth = 0L
        while (true) {
            c.reset()
            fault(++nth)
            val error = runCatching { part(driver) }.exceptionOrNull()
            for (live in listOf(
                Live.STREAMS, Live.STATEMENTS, Live.CONNECTIONS, Live.DATABASES, Live.DRIVERS, Live.SCHEMAS,
                Live.ARRAYS, Live.ERRORS, Live.PARTITIONS,
            )) {
                if (c.live(live) != 0L) throw AssertionError("call $nth left $live behind", error)
            }
            if (c.violations != 0L) throw AssertionError("call $nth: ${c.violation}", error)
            if (error == null && !hasCome()) break
            if (error != null && error !is DeviceException) throw AssertionError("call $nth: unexpected failure", error)
        }
        c.reset() // the last fault was not reached
        return nth.toInt() - 1
    }

    fun sweep(hasCome: () -> Boolean = { c.outstanding == 0 }, fault: (Long) -> Unit): Int =
        parts.sumOf { sweep(it, hasCome, fault) }

    test("a failure of any single call leaves nothing behind [ADB-23]") {
        sweep { c.fail("", it, AdbcStatus.INTERNAL.code()) } shouldBeGreaterThan 50
    }

    test("a failure of any single call without an error message leaves nothing behind [ADB-23]") {
        sweep { n ->
            c.errors(Style.NO_MESSAGE, Style.NO_DETAILS, Style.NO_SQLSTATE, Style.NO_LAST_ERROR, Style.NO_STREAM_ERROR)
            c.fail("", n, AdbcStatus.CANCELLED.code())
        } shouldBeGreaterThan 50
    }

    test("a server that is lost before any call leaves nothing behind [ADB-23]") {
        sweep(hasCome = { false }) { c.loseServer(it - 1) } shouldBeGreaterThan 50
    }

    test("a lost server fails a pull with IO, and a query with its SQLSTATE [ADB-23]") {
        Faulty.connected { connection ->
            val reader = connection.query("SELECT * FROM batches(4, 2)")
            reader.next()!!.close()
            c.loseServer()
            runCatching { reader.next() }.exceptionOrNull().shouldBeInstanceOf<AdbcException>()
                .status() shouldBe AdbcStatus.IO
            runCatching { connection.query("SELECT 1") }.exceptionOrNull().shouldBeInstanceOf<AdbcException>()
                .sqlState() shouldBe "08006"
            reader.close()
            c.reviveServer()
            connection.query("SELECT 1").single() shouldBe 1L
        }
    }
})
