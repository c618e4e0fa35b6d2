// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.adbc.AdbcObjects.Depth
import org.arbalest.device.types.DataType
import org.arbalest.support.ResourceCountersExtension

class DuckDbMetadataSpec : FunSpec({
    extension(ResourceCountersExtension)

    fun <T> prepared(block: (AdbcConnection) -> T): T = DuckDb.connected {
        it.execute(
            "CREATE TABLE p (id BIGINT PRIMARY KEY, name VARCHAR NOT NULL DEFAULT 'x', u INTEGER UNIQUE CHECK (u > 3))",
        )
        it.execute("CREATE TABLE q (id BIGINT, pid BIGINT REFERENCES p (id))")
        it.execute("CREATE VIEW v AS SELECT * FROM p")
        block(it)
    }

    test("info returns the driver's values by code, all or only the requested ones [ADB-15]") {
        DuckDb.connected { connection ->
            val info = connection.info()
            info.vendorName() shouldBe "duckdb"
            info.vendorVersion() shouldBe "v2.0.0"
            info.driverName() shouldBe "ADBC DuckDB Driver"
            info.driverAdbcVersion().asLong shouldBe 1_001_000
            connection.info(0, 103, 9999).values() shouldBe mapOf(0 to "duckdb", 103 to 1_001_000L)
        }
    }

    test("objects are returned to the requested depth [ADB-16]") {
        prepared { connection ->
            fun at(depth: Depth) = connection.objects(AdbcObjects.to(depth).inCatalog("memory"))
            at(Depth.CATALOGS).single() shouldBe AdbcCatalog("memory", listOf())
            at(Depth.SCHEMAS).single().dbSchemas().single() shouldBe AdbcDbSchema("main", listOf())
            val tables = at(Depth.TABLES).single().dbSchemas().single().tables()
            tables.map { it.name() to it.type() } shouldContainExactlyInAnyOrder
                listOf("p" to "BASE TABLE", "q" to "BASE TABLE", "v" to "VIEW")
            tables.flatMap { it.columns() }.shouldBeEmpty()
            at(Depth.COLUMNS).single().dbSchemas().single().tables().sumOf { it.columns().size } shouldBe 8
            // The order of the tables is not fixed.
            fun AdbcCatalog.tables() = dbSchemas().flatMap { it.tables() }.toSet()
            connection.objects(AdbcObjects.all()).single { it.name() == "memory" }.tables() shouldBe
                at(Depth.COLUMNS).single().tables()
        }
    }

    test("objects are found by patterns and table types, with columns and constraints [ADB-16]") {
        prepared { connection ->
            fun find(which: AdbcObjects) = connection.objects(which.inCatalog("mem%").inSchema("m_in"))
                .flatMap { it.dbSchemas() }.flatMap { it.tables() }
            find(AdbcObjects.to(Depth.TABLES).ofTypes("VIEW")).single().name() shouldBe "v"
            find(AdbcObjects.to(Depth.TABLES).named("nowhere%")).shouldBeEmpty()
            val p = find(AdbcObjects.all().named("p").withColumn("i_")).single()
            val id = p.columns().single()
            id.name() shouldBe "id"
            id.position() shouldBe 1
            id.xdbc().typeName() shouldBe "BIGINT"
            id.xdbc().columnSize() shouldBe 64
            id.xdbc().isNullable() shouldBe "NO"
            id.xdbc().isAutoincrement() shouldBe null
            val q = find(AdbcObjects.all().named("q")).single()
            q.constraints().single().let {
                it.type() shouldBe "FOREIGN KEY"
                it.columns() shouldContainExactly listOf("pid")
            }
        }
    }

    test("tableSchema returns a table's schema, and tableTypes the types of tables [ADB-17]") {
        prepared { connection ->
            connection.tableTypes() shouldContainExactlyInAnyOrder listOf("BASE TABLE", "VIEW")
            val schema = connection.tableSchema("memory", "main", "p")
            schema shouldBe connection.tableSchema("p")
            schema.fields().map { it.name() to it.type() } shouldContainExactly
                listOf("id" to DataType.INT64, "name" to DataType.UTF8, "u" to DataType.INT32)
            shouldThrow<AdbcException> { connection.tableSchema("nowhere") }.message shouldContain
                "AdbcConnectionGetTableSchema(nowhere)"
        }
    }

    test("statistics returns the row count of a table [ADB-18]") {
        prepared { connection ->
            val q = connection.statistics("memory", "main", "q", true).single()
            q shouldBe AdbcStatistic("memory", "main", "q", null, AdbcStatistic.ROW_COUNT, 0.0, true)
            connection.statisticNames() shouldBe mapOf()
        }
    }

    test("transactions commit and roll back, and the current schema is set and read [ADB-19]") {
        prepared { connection ->
            fun ids() = connection.query("SELECT id FROM p ORDER BY id").rows().map { it.single() }
            connection.isAutoCommit shouldBe true
            shouldThrow<AdbcException> { connection.commit() }.status() shouldBe AdbcStatus.INVALID_STATE
            connection.isAutoCommit = false
            connection.execute("INSERT INTO p VALUES (1, 'a', 4)")
            connection.rollback()
            ids().shouldBeEmpty()
            connection.execute("INSERT INTO p VALUES (2, 'a', 5)")
            connection.commit()
            connection.isAutoCommit = true
            ids() shouldContainExactly listOf(2L)
            connection.currentCatalog() shouldBe "memory"
            connection.currentDbSchema() shouldBe "main"
            connection.execute("CREATE SCHEMA other")
            connection.setCurrentDbSchema("other")
            connection.currentDbSchema() shouldBe "other"
            shouldThrow<AdbcException> { connection.setIsolation(AdbcIsolation.SERIALIZABLE) }.message shouldContain
                "AdbcConnectionSetOption(adbc.connection.transaction.isolation_level)"
        }
    }
})
