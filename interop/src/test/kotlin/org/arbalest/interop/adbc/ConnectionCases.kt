// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContain
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.collections.shouldNotBeEmpty
import io.kotest.matchers.maps.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.adbc.AdbcConstraint
import org.arbalest.device.adbc.AdbcException
import org.arbalest.device.adbc.AdbcObjects
import org.arbalest.device.adbc.AdbcObjects.Depth
import org.arbalest.device.adbc.AdbcStatus
import org.arbalest.device.adbc.AdbcTable
import org.arbalest.interop.adbc.Feature.CANCELS
import org.arbalest.interop.adbc.Feature.RETURNS_OPTIONS
import org.arbalest.interop.adbc.Feature.STATISTICS
import java.util.concurrent.Callable
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors

private fun database(name: String, run: Session.() -> Unit) = Case("Database.$name", null, run)

private fun case(name: String, needs: Feature? = null, run: Session.() -> Unit) = Case("Connection.$name", needs, run)

/** The cases of databases. In C, a second release of a driver's object is an error; here a second close is not. */
internal val DATABASE_CASES: List<Case> = listOf(
    database("NewInit") {
        tested.open().let { opened ->
            opened.connect().use { rows("SELECT 42", it) shouldBe listOf(listOf(42L)) }
            repeat(2) { opened.close() }
            shouldThrow<IllegalStateException> { opened.connect() }.message shouldBe "the database was closed"
        }
    },
    database("Release") {
        tested.open().close()
        // The driver fails to initialise this database, and the library releases it.
        shouldThrow<AdbcException> { tested.driver.open(tested.refused) }
    },
)

internal val CONNECTION_CASES: List<Case> = listOf(
    case("NewInit") {
        database.connect().let { opened ->
            rows("SELECT 42", opened) shouldBe listOf(listOf(42L))
            repeat(2) { opened.close() }
            shouldThrow<IllegalStateException> { opened.createStatement() }.message shouldBe "the connection was closed"
        }
    },
    case("Release") {
        database.connect().close()
        shouldThrow<AdbcException> { database.connect(mapOf("adbc.no.such.option" to "x")) }
    },
    case("Concurrent") {
        database.connect().use { second ->
            rows("SELECT 1") shouldBe listOf(listOf(1L))
            rows("SELECT 2", second) shouldBe listOf(listOf(2L))
        }
        rows("SELECT 3") shouldBe listOf(listOf(3L))
    },
    case("AutocommitDefault") {
        shouldThrow<AdbcException> { connection.commit() }.status() shouldBe AdbcStatus.INVALID_STATE
        shouldThrow<AdbcException> { connection.rollback() }.status() shouldBe AdbcStatus.INVALID_STATE
        shouldThrow<AdbcException> { connection.setOption("adbc.connection.autocommit", "invalid") }
    },
    case("AutocommitToggle") { for (isOn in listOf(true, false, false, true)) connection.setAutoCommit(isOn) },
    case("MetadataCurrentCatalog", RETURNS_OPTIONS) { connection.currentCatalog() shouldBe "memory" },
    case("MetadataCurrentDbSchema", RETURNS_OPTIONS) { connection.currentDbSchema() shouldBe "main" },
    case("MetadataGetInfo") {
        for ((code, value) in tested.info) connection.info(code).values() shouldContainExactly mapOf(code to value)
    },
    case("MetadataGetTableSchema") {
        sample()
        connection.tableSchema("bulk_ingest").fields() shouldBe Session.SAMPLE_FIELDS
    },
    case("MetadataGetTableSchemaDbSchema") {
        sample(Session.TABLE.inSchema(tested.otherSchema))
        connection.tableSchema(null, tested.otherSchema, "bulk_ingest").fields() shouldBe Session.SAMPLE_FIELDS
        shouldThrow<AdbcException> { connection.tableSchema(null, "main", "bulk_ingest") }
    },
    case("MetadataGetTableSchemaEscaping") {
        shouldThrow<AdbcException> { connection.tableSchema("(SELECT CURRENT_TIME)") }.status() shouldBe
            AdbcStatus.NOT_FOUND
    },
    case("MetadataGetTableSchemaNotFound") {
        shouldThrow<AdbcException> { connection.tableSchema("thistabledoesnotexist") }.status() shouldBe
            AdbcStatus.NOT_FOUND
    },
    case("MetadataGetTableTypes") {
        sample()
        connection.tableTypes().shouldNotBeEmpty()
    },
    case("MetadataGetObjectsCatalogs") {
        connection.objects(AdbcObjects.to(Depth.CATALOGS)).let { catalogs ->
            catalogs.map { it.name() } shouldContain "memory"
            catalogs.flatMap { it.dbSchemas() }.shouldBeEmpty()
        }
        connection.objects(AdbcObjects.to(Depth.CATALOGS).inCatalog("this catalog does not exist")).shouldBeEmpty()
    },
    case("MetadataGetObjectsDbSchemas") {
        connection.objects(AdbcObjects.to(Depth.SCHEMAS)).flatMap { it.dbSchemas() }.let { schemas ->
            schemas.map { it.name() } shouldContain "main"
            schemas.flatMap { it.tables() }.shouldBeEmpty()
        }
        connection.objects(AdbcObjects.to(Depth.SCHEMAS).inSchema("this schema does not exist"))
            .flatMap { it.dbSchemas() }.shouldBeEmpty()
    },
    case("MetadataGetObjectsTables") {
        sample()
        for ((pattern, isThere) in listOf(null to true, "bulk_%" to true, "asdf%" to false)) {
            withClue(pattern) {
                val which = AdbcObjects.to(Depth.TABLES).let { if (pattern == null) it else it.named(pattern) }
                val tables = connection.objects(which).flatMap { it.dbSchemas() }.flatMap { it.tables() }
                tables.any { it.name() == "bulk_ingest" } shouldBe isThere
                tables.flatMap { it.columns() }.shouldBeEmpty()
                tables.flatMap { it.constraints() }.shouldBeEmpty()
            }
        }
    },
    case("MetadataGetObjectsTablesTypes") {
        sample()
        connection.objects(AdbcObjects.to(Depth.TABLES).ofTypes("this_table_type_does_not_exist"))
            .flatMap { it.dbSchemas() }.flatMap { it.tables() }.shouldBeEmpty()
    },
    case("MetadataGetObjectsColumns") {
        sample()
        fun columns(which: AdbcObjects) = tables(which.inCatalog("memory").inSchema("main")).getValue("bulk_ingest")
            .columns().map { it.name() to it.position() }
        columns(AdbcObjects.all()) shouldContainExactlyInAnyOrder listOf("int64s" to 1, "strings" to 2)
        columns(AdbcObjects.all().withColumn("in%")) shouldContainExactlyInAnyOrder listOf("int64s" to 1)
    },
    // ADBC's suite has only a comment here that describes the missing test.
    case("MetadataGetObjectsConstraints") {
        connection.execute("CREATE TABLE constrained (a INTEGER UNIQUE, b INTEGER, CHECK (b > 3))")
        val constraints = tables(AdbcObjects.all()).getValue("constrained").constraints().associateBy { it.type() }
        constraints.keys shouldBe setOf("UNIQUE", "CHECK") // some drivers also report the columns of a check
        constraints.getValue("UNIQUE").columns() shouldBe listOf("a")
    },
    case("MetadataGetObjectsPrimaryKey") {
        connection.execute("CREATE TABLE adbc_pkey_test (id INTEGER PRIMARY KEY)")
        connection.execute("CREATE TABLE adbc_composite_pkey_test (id_primary_col1 INTEGER, id_primary_col2 INTEGER, " +
            "PRIMARY KEY (id_primary_col1, id_primary_col2))")
        val tables = tables(AdbcObjects.all())
        tables.getValue("adbc_pkey_test").let { table ->
            table.columns().map { it.name() } shouldBe listOf("id")
            table.constraints().map { it.type() to it.columns() } shouldBe listOf("PRIMARY KEY" to listOf("id"))
        }
        tables.getValue("adbc_composite_pkey_test").let { table ->
            val columns = listOf("id_primary_col1", "id_primary_col2")
            table.columns().map { it.name() } shouldContainExactlyInAnyOrder columns
            table.constraints().map { it.type() to it.columns() } shouldBe listOf("PRIMARY KEY" to columns)
        }
    },
    case("MetadataGetObjectsForeignKey") {
        connection.execute("CREATE TABLE adbc_fkey_parent_1_test (id INTEGER PRIMARY KEY)")
        connection.execute("CREATE TABLE adbc_fkey_parent_2_test (id_primary_col1 INTEGER, id_primary_col2 INTEGER, " +
            "PRIMARY KEY (id_primary_col1, id_primary_col2))")
        connection.execute(
            "CREATE TABLE adbc_fkey_child_test (id_child_col1 INTEGER PRIMARY KEY, id_child_col2 INTEGER, " +
                "id_child_col3 INTEGER REFERENCES adbc_fkey_parent_1_test (id), " +
                "FOREIGN KEY (id_child_col1, id_child_col2) REFERENCES adbc_fkey_parent_2_test (id_primary_col1, " +
                "id_primary_col2))",
        )
        val child = tables(AdbcObjects.all()).getValue("adbc_fkey_child_test")
        child.columns().map { it.name() } shouldContainExactlyInAnyOrder
            listOf("id_child_col1", "id_child_col2", "id_child_col3")
        fun key(table: String, column: String) = AdbcConstraint.Reference("memory", "main", table, column)
        child.constraints().map {
            Triple(it.type(), it.columns(), it.references())
        } shouldContainExactlyInAnyOrder listOf(
            Triple("PRIMARY KEY", listOf("id_child_col1"), emptyList()),
            Triple("FOREIGN KEY", listOf("id_child_col3"), listOf(key("adbc_fkey_parent_1_test", "id"))),
            Triple(
                "FOREIGN KEY", listOf("id_child_col1", "id_child_col2"),
                listOf(key("adbc_fkey_parent_2_test", "id_primary_col1"),
                    key("adbc_fkey_parent_2_test", "id_primary_col2")),
            ),
        )
    },
    // ADBC's suite cancels a stream of objects. Here the objects come all at once, so another thread cancels.
    case("MetadataGetObjectsCancel", CANCELS) {
        val started = CountDownLatch(1)
        val outcome = Executors.newSingleThreadExecutor().use { pool ->
            val objects = pool.submit(
                Callable {
                    started.countDown()
                    runCatching { connection.objects(AdbcObjects.to(Depth.CATALOGS)) }
                },
            )
            started.await()
            do {
                // no call is running
                runCatching { connection.cancel() }.onFailure {
                    (it as AdbcException).status() shouldBe AdbcStatus.INVALID_STATE
                }
            } while (!objects.isDone)
            objects.get()
        }
        outcome.onFailure { it.message shouldContain tested.cancelled }.onSuccess { it.shouldNotBeEmpty() }
        rows("SELECT 42") shouldBe listOf(listOf(42L))
    },
    case("MetadataGetStatisticNames", STATISTICS) {
        connection.statisticNames().keys.forEach { (it >= 1024) shouldBe true }
    },
)

/** Returns the tables of the current catalog and schema, by name. */
private fun Session.tables(which: AdbcObjects): Map<String, AdbcTable> =
    connection.objects(which).filter { it.name() == "memory" }
        .flatMap { it.dbSchemas() }.filter { it.name() == "main" }.flatMap { it.tables() }.associateBy { it.name() }
