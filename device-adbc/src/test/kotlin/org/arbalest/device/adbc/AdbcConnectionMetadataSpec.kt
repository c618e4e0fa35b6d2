// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainAll
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.adbc.AdbcObjects.Depth
import org.arbalest.device.types.DataType
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriverExtension
import java.math.BigDecimal

class AdbcConnectionMetadataSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    val c by lazy { Faulty.c }

    test("info returns values of each type, null values and driver-specific ones, and omits unknown codes [ADB-15]") {
        Faulty.connected { connection ->
            val info = connection.info()
            info.vendorName()!!.isEmpty() shouldBe false
            info.vendorArrowVersion() shouldBe null
            info.values().containsKey(2) shouldBe true
            info.takesSql() shouldBe true
            info.takesSubstrait() shouldBe true
            info.substraitMinVersion() shouldBe "0.0.1"
            info.substraitMaxVersion() shouldBe "0.0.2"
            info.driverAdbcVersion().asLong shouldBe 1_001_000
            info[500] shouldBe false
            info[503] shouldBe 3L
            info[508] shouldBe listOf("SELECT", null, "")
            info[522] shouldBe 6L
            info[517] shouldBe mapOf(5L to listOf(1L, 7L), 8L to listOf<Long>(), 9L to null)
            info[10_000] shouldBe "an own one →"
            connection.info(0, 100, 12_345).values().keys shouldContainExactlyInAnyOrder listOf(0, 100)
            connection.info(12_345).values() shouldBe mapOf()
        }
    }

    test("objects returns each depth and applies each filter [ADB-16]") {
        Faulty.connected { connection ->
            connection.objects(AdbcObjects.to(Depth.CATALOGS)) shouldContainAll
                listOf(AdbcCatalog("memory", listOf()), AdbcCatalog("attic", listOf()))
            val schemas = connection.objects(AdbcObjects.to(Depth.SCHEMAS).inCatalog("mem%")).single()
            schemas.dbSchemas() shouldContainAll listOf(AdbcDbSchema("main", listOf()), AdbcDbSchema("aux", listOf()))
            fun tables(which: AdbcObjects) = connection.objects(which.inCatalog("memory")).flatMap { it.dbSchemas() }
                .flatMap { it.tables() }
            tables(AdbcObjects.to(Depth.TABLES)).map { it.name() } shouldContainExactlyInAnyOrder listOf("t", "child")
            tables(AdbcObjects.to(Depth.TABLES)).flatMap { it.columns() }.shouldBeEmpty()
            tables(AdbcObjects.to(Depth.TABLES).named("_")).map { it.name() } shouldContainExactly listOf("t")
            tables(AdbcObjects.to(Depth.TABLES).inSchema("aux")).shouldBeEmpty()
            tables(AdbcObjects.to(Depth.TABLES).ofTypes("VIEW")).shouldBeEmpty()
            tables(AdbcObjects.to(Depth.TABLES).ofTypes("VIEW", "BASE TABLE")).size shouldBe 2
            tables(AdbcObjects.to(Depth.TABLES).ofTypes()).shouldBeEmpty()
            tables(AdbcObjects.all().named("t").withColumn("%a%")).single().columns()
                .map { it.name() } shouldContainExactlyInAnyOrder listOf("name", "flag", "day", "at", "raw")
        }
    }

    test("columns have their JDBC and ODBC attributes, and constraints their columns and references [ADB-16]") {
        Faulty.connected { connection ->
            val tables = connection.objects(AdbcObjects.all().inCatalog("memory").inSchema("main")).single().dbSchemas()
                .single().tables().associateBy { it.name() }
            val columns = tables.getValue("t").columns()
            columns.map { it.name() } shouldContainExactly listOf("id", "name", "price", "flag", "day", "at", "raw")
            columns.map { it.position() } shouldContainExactly (1..7).toList()
            val id = columns.first()
            id.xdbc().nullable() shouldBe 0
            id.xdbc().isNullable() shouldBe "NO"
            columns.any {
                it.remarks() != null || it.xdbc().columnDef() != null || it.xdbc().isAutoincrement() != null
            } shouldBe true
            tables.getValue("t").constraints().single().let {
                it.type() shouldBe "PRIMARY KEY"
                it.columns() shouldContainExactly listOf("id")
                it.references().shouldBeEmpty()
            }
            val constraints = tables.getValue("child").constraints().associateBy { it.type() }
            constraints.keys shouldContainAll listOf("CHECK", "FOREIGN KEY", "PRIMARY KEY", "UNIQUE")
            constraints.getValue("FOREIGN KEY").let {
                it.columns() shouldContainExactly listOf("t_id")
                it.references() shouldContainExactly listOf(AdbcConstraint.Reference("memory", "main", "t", "id"))
            }
        }
    }

    test("tableSchema returns a table's schema or reports a missing table, and tableTypes lists the types [ADB-17]") {
        Faulty.connected { connection ->
            val schema = connection.tableSchema("t")
            schema shouldBe connection.tableSchema("memory", "main", "t")
            schema.fields().map { it.name() } shouldContainExactly
                listOf("id", "name", "price", "flag", "day", "at", "raw")
            schema.fields().first().type() shouldBe DataType.INT64
            schema.fields().first().isNullable shouldBe false
            shouldThrow<AdbcException> { connection.tableSchema("attic", null, "t") }.let {
                it.status() shouldBe AdbcStatus.NOT_FOUND
                it.operation() shouldBe "AdbcConnectionGetTableSchema(t)"
            }
            connection.tableTypes() shouldContainAll listOf("BASE TABLE")
        }
    }

    test("statistics returns values of each type for tables and columns, and exact ones on request [ADB-18]") {
        Faulty.connected { connection ->
            val exact = connection.statistics(null, null, "t", false)
            fun find(column: String?, key: Int) = exact.single { it.column() == column && it.key() == key }
            find(null, AdbcStatistic.ROW_COUNT).value() shouldBe 10L
            find("name", AdbcStatistic.NULL_COUNT).value() shouldBe 1L
            find("id", AdbcStatistic.MAX_VALUE).value().let { (it as Number).toLong() shouldBe 9 }
            exact.any { it.isApproximate } shouldBe false
            exact.map { it.catalog() to it.dbSchema() }.distinct() shouldContainExactly listOf("memory" to "main")
            val all = connection.statistics(null, null, null, true)
            val classes = (all + exact).mapNotNull { it.value() }.map { it::class }.toSet()
            classes shouldBe setOf(Long::class, Double::class, ByteArray::class, BigDecimal::class)
            connection.statisticNames() shouldBe mapOf(1024 to "arbalest.fake.ones")
        }
    }

    test("transactions commit, roll back, detect conflicts, and apply isolation levels and read-only mode [ADB-19]") {
        Faulty.driver.open(mapOf<String, Any>()).use { database ->
            database.connect().use { first ->
                database.connect().use { second ->
                    fun AdbcConnection.count() = query("SELECT COUNT(*) FROM t").single()
                    first.isAutoCommit shouldBe true
                    shouldThrow<AdbcException> { first.commit() }.status() shouldBe AdbcStatus.INVALID_STATE
                    shouldThrow<AdbcException> { first.rollback() }.status() shouldBe AdbcStatus.INVALID_STATE
                    first.isAutoCommit = false
                    first.isAutoCommit shouldBe false
                    first.execute("DELETE FROM t WHERE id = 1")
                    first.count() shouldBe 9L
                    second.count() shouldBe 10L
                    first.rollback()
                    first.count() shouldBe 10L
                    first.execute("DELETE FROM t WHERE id = 1")
                    first.commit()
                    second.count() shouldBe 9L
                    second.isAutoCommit = false
                    first.execute("DELETE FROM t WHERE id = 2")
                    shouldThrow<AdbcException> { second.execute("DELETE FROM t WHERE id = 2") }
                        .sqlState() shouldBe "40001"
                    second.rollback()
                    first.commit()
                    for (isolation in AdbcIsolation.entries) {
                        val refused = runCatching { second.setIsolation(isolation) }.exceptionOrNull() as AdbcException?
                        (refused?.status()) shouldBe if (isolation > AdbcIsolation.SNAPSHOT)
                            AdbcStatus.NOT_IMPLEMENTED else null
                    }
                    first.setReadOnly(true)
                    shouldThrow<AdbcException> { first.execute("DELETE FROM t") }.sqlState() shouldBe "25006"
                }
            }
        }
    }

    test("the current catalog and schema can be read and set [ADB-19]") {
        Faulty.connected { connection ->
            connection.currentCatalog() shouldBe "memory"
            connection.currentDbSchema() shouldBe "main"
            connection.setCurrentDbSchema("aux")
            connection.currentDbSchema() shouldBe "aux"
            connection.execute("CREATE TABLE w AS SELECT 4 AS id")
            connection.query("SELECT id FROM memory.aux.w").single() shouldBe 4L
            shouldThrow<AdbcException> { connection.setCurrentDbSchema("nowhere") }.status() shouldBe
                AdbcStatus.NOT_FOUND
            connection.setCurrentCatalog("attic")
            connection.setCurrentDbSchema("main")
            connection.ingest("x", reader(1))
            connection.query("SELECT id FROM attic.main.x").single() shouldBe 1L
        }
    }

    test("metadata that fails midway throws the driver's error and releases the result [ADB-15]") {
        Faulty.connected { connection ->
            for (call in listOf<(AdbcConnection) -> Unit>(
                { it.info() },
                { it.objects(AdbcObjects.all()) },
                { it.tableTypes() },
                { it.statistics(null, null, null, true) },
                { it.statisticNames() },
            )) {
                for (function in listOf("get_schema", "get_next")) {
                    c.fail(function, status = 5)
                    shouldThrow<AdbcException> { call(connection) }.message shouldContain "$function of the result"
                }
            }
        }
    }
})
