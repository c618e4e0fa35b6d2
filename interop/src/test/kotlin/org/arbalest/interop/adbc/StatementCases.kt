// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.matchers.collections.shouldBeIn
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceException
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.adbc.AdbcException
import org.arbalest.device.adbc.AdbcStatus
import org.arbalest.device.adbc.AdbcVersion
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.interop.Built
import org.arbalest.interop.adbc.Feature.CANCELS
import org.arbalest.interop.adbc.Feature.EXECUTES_SCHEMA
import org.arbalest.interop.adbc.Feature.PARTITIONS
import org.arbalest.interop.adbc.Feature.RETURNS_OPTIONS
import org.arbalest.interop.adbc.Session.Companion.TABLE
import org.arbalest.interop.adbc.Session.Companion.batch

private fun case(name: String, needs: Feature? = null, run: Session.() -> Unit) = Case("Statement.$name", needs, run)

private val INTS = listOf(DataType.INT32, DataType.INT64)
private val FLOATS = listOf(DataType.FLOAT32, DataType.FLOAT64)
private val TEXTS = listOf(DataType.UTF8, DataType.LARGE_UTF8)

/** Expects one value, of one of [types]. */
private fun Session.selects(sql: String, value: Any, types: List<DataType>) {
    connection.query(sql).let { reader ->
        val type = reader.schema().fields().single().type()
        reader.rows() shouldBe listOf(listOf(value))
        type shouldBeIn types
    }
}

private fun Session.returnsSchema(sql: String, types: List<DataType>) = statement { statement ->
    statement.setSqlQuery(sql)
    statement.executeSchema().fields().single().type() shouldBeIn types
}

private fun Session.fives() {
    connection.execute("CREATE TABLE delete_test (foo INT)")
    connection.execute("INSERT INTO delete_test (foo) VALUES (1), (2), (3), (4), (5)").shouldBeCount(5)
}

internal val STATEMENT_CASES: List<Case> = listOf(
    case("NewInit") {
        connection.createStatement().let { opened ->
            repeat(2) { opened.close() }
            shouldThrow<IllegalStateException> { opened.executeUpdate() }.message shouldBe "the statement was closed"
        }
        statement { shouldThrow<AdbcException> { it.executeUpdate() }.status() shouldBe AdbcStatus.INVALID_STATE }
    },
    case("Release") { connection.createStatement().close() },
    case("SqlPartitionedInts", PARTITIONS) {
        val parts = statement { statement ->
            statement.setSqlQuery("SELECT 42")
            statement.executePartitions()
        }
        parts.affectedRows().shouldBeCount(1)
        parts.schema()?.let { it.fields().single().type() shouldBeIn INTS }
        database.connect().use { other ->
            parts.partitions().flatMap { other.readPartition(it).rows() } shouldBe listOf(listOf(42L))
        }
    },
    case("SqlPrepareGetParameterSchema") {
        statement { statement ->
            statement.setSqlQuery("SELECT ?, ?")
            statement.prepare()
            runCatching { statement.parameterSchema() }.onSuccess { it.fields().size shouldBe 2 }
                .onFailure { (it as AdbcException).status() shouldBe AdbcStatus.NOT_IMPLEMENTED }
        }
    },
    case("SqlPrepareSelectNoParams") {
        statement { statement ->
            statement.setSqlQuery("SELECT 1")
            statement.prepare()
            statement.executeQuery().rows() shouldBe listOf(listOf(1L))
        }
    },
    case("SqlPrepareSelectParams") {
        statement { statement ->
            statement.setSqlQuery("SELECT ?, ?")
            statement.prepare()
            statement.bind(Session.SAMPLE())
            statement.executeQuery().rows() shouldBe listOf(listOf(42L, "foo"), listOf(-42L, null), listOf(null, ""))
        }
    },
    case("SqlPrepareUpdate") {
        ingest(TABLE, batch("int64s", 42, -42, null))
        statement { statement ->
            statement.setSqlQuery("INSERT INTO bulk_ingest VALUES (?)")
            statement.prepare()
            statement.bind(batch("int64s", 42, -42, null))
            statement.executeUpdate().shouldBeCount(3)
        }
        rows("SELECT * FROM bulk_ingest ORDER BY int64s ASC NULLS FIRST") shouldBe
            listOf(null, null, -42L, -42L, 42L, 42L).map { listOf(it) }
    },
    // ADBC's suite has only a comment here that describes the missing test.
    case("SqlPrepareUpdateNoParams") {
        ingest(TABLE, batch("int64s"))
        statement { statement ->
            statement.setSqlQuery("INSERT INTO bulk_ingest VALUES (1)")
            statement.prepare()
            repeat(2) { statement.executeUpdate().shouldBeCount(1) }
        }
        rows("SELECT * FROM bulk_ingest") shouldBe listOf(listOf(1L), listOf(1L))
    },
    case("SqlPrepareUpdateStream") {
        ingest(TABLE, batch("ints"))
        statement { statement ->
            statement.setSqlQuery("INSERT INTO bulk_ingest VALUES (?)")
            statement.prepare()
            statement.bind(RecordBatchReader.of(Schema.of(Field.of("ints", DataType.INT64)),
                listOf(batch("ints", 1, 2, null, 3), batch("ints", null, 3))))
            statement.executeUpdate().shouldBeCount(6)
        }
        rows("SELECT * FROM bulk_ingest ORDER BY ints ASC NULLS FIRST") shouldBe
            listOf(null, null, 1L, 2L, 3L, 3L).map { listOf(it) }
    },
    case("SqlPrepareErrorNoQuery") {
        statement { shouldThrow<AdbcException> { it.prepare() }.status() shouldBe AdbcStatus.INVALID_STATE }
    },
    case("SqlPrepareErrorParamCountMismatch") {
        statement { statement ->
            statement.setSqlQuery("SELECT ?, ?")
            statement.prepare()
            shouldThrow<AdbcException> {
                statement.bind(batch("int64s", 42, -42, null))
                statement.executeQuery().rows()
            }
        }
    },
    case("SqlBind") {
        statement { statement ->
            statement.execute("CREATE TABLE bindtest (col1 INTEGER, col2 TEXT)")
            statement.setSqlQuery("INSERT INTO bindtest VALUES (?, ?)")
            val fields = listOf(DataType.INT32, DataType.UTF8).map { Field.of("", it) }
            statement.bind(Built.batch(fields.zip(listOf(listOf(null, -123L, 123L), listOf("abc", null, "defg")))))
            statement.executeUpdate().shouldBeCount(3)
            statement.query("SELECT * FROM bindtest ORDER BY col1 ASC NULLS FIRST").rows() shouldBe
                listOf(listOf(null, "abc"), listOf(-123L, null), listOf(123L, "defg"))
        }
    },
    case("SqlQueryEmpty") {
        connection.execute("CREATE TABLE queryempty (FOO INT)")
        connection.query("SELECT * FROM queryempty WHERE 1=0").use { reader ->
            reader.schema().fields().size shouldBe 1
            reader.forEach { it.length() shouldBe 0 }
        }
    },
    case("SqlQueryInts") { selects("SELECT 42", 42L, INTS) },
    case("SqlQueryFloats") { selects("SELECT CAST(1.5 AS FLOAT)", 1.5, FLOATS) },
    case("SqlQueryStrings") { selects("SELECT 'SaShiSuSeSo'", "SaShiSuSeSo", TEXTS) },
    case("SqlQueryInsertRollback") {
        connection.setAutoCommit(false)
        connection.execute("CREATE TABLE rollbacktest (a INT)")
        connection.commit()
        connection.execute("INSERT INTO rollbacktest (a) VALUES (1)")
        connection.rollback()
        rows("SELECT * FROM rollbacktest") shouldBe emptyList()
    },
    case("SqlQueryCancel", CANCELS) {
        statement { statement ->
            statement.query("SELECT 'SaShiSuSeSo'").use { reader ->
                statement.cancel()
                runCatching { reader.forEach {} }.onFailure { (it as DeviceException).errno() shouldBe Errno.ECANCELED }
            }
        }
        rows("SELECT 42") shouldBe listOf(listOf(42L))
    },
    case("SqlQueryErrors") { shouldThrow<AdbcException> { connection.execute("this is not a query") } },
    case("SqlQueryTrailingSemicolons") { rows("SELECT current_date;;;").size shouldBe 1 },
    case("SqlQueryRowsAffectedDelete") {
        fives()
        connection.execute("DELETE FROM delete_test WHERE foo >= 3").shouldBeCount(3)
        rows("SELECT foo FROM delete_test ORDER BY foo ASC") shouldBe listOf(listOf(1L), listOf(2L))
    },
    // A reader does not report how many rows were affected, so the case reads the remaining rows.
    case("SqlQueryRowsAffectedDeleteStream") {
        fives()
        connection.query("DELETE FROM delete_test WHERE foo >= 3").rows()
        rows("SELECT foo FROM delete_test ORDER BY foo ASC") shouldBe listOf(listOf(1L), listOf(2L))
    },
    case("SqlSchemaInts", EXECUTES_SCHEMA) { returnsSchema("SELECT 42", INTS) },
    case("SqlSchemaFloats", EXECUTES_SCHEMA) { returnsSchema("SELECT CAST(1.5 AS FLOAT)", FLOATS) },
    case("SqlSchemaStrings", EXECUTES_SCHEMA) { returnsSchema("SELECT 'hi'", TEXTS) },
    case("SqlSchemaErrors", EXECUTES_SCHEMA) {
        statement { shouldThrow<AdbcException> { it.executeSchema() }.status() shouldBe AdbcStatus.INVALID_STATE }
    },
    case("Transactions") {
        fun isAutoCommit(isOn: Boolean) {
            if (RETURNS_OPTIONS !in tested.lacks) connection.isAutoCommit shouldBe isOn
        }
        database.connect().use { second ->
            isAutoCommit(true)
            connection.setAutoCommit(false)
            isAutoCommit(false)
            sample()
            rows("SELECT * FROM bulk_ingest").size shouldBe 3
            shouldThrow<AdbcException> { rows("SELECT * FROM bulk_ingest", second) }
            connection.rollback()
            shouldThrow<AdbcException> { rows("SELECT * FROM bulk_ingest") }
            connection.rollback()
            sample()
            connection.commit()
            rows("SELECT * FROM bulk_ingest", second).size shouldBe 3
        }
    },
    case("ConcurrentStatements") {
        statement { first ->
            statement { second ->
                first.query("SELECT 'SaShiSuSeSo'").use { one ->
                    second.query("SELECT 'SaShiSuSeSo'").rows() shouldBe listOf(listOf("SaShiSuSeSo"))
                    one.rows() shouldBe listOf(listOf("SaShiSuSeSo"))
                }
            }
        }
    },
    // In ADBC's suite, a driver writes an error struct with the size of 1.0.0, as drivers of 1.0.0 do.
    case("ErrorCompatibility") {
        val error = shouldThrow<AdbcException> { connection.query("SELECT * FROM thistabledoesnotexist") }
        error.driverMessage() shouldContain "thistabledoesnotexist"
        if (tested.driver.version() == AdbcVersion.V1_0_0) error.details() shouldBe emptyList()
    },
    case("ResultIndependence") {
        val reader = database.connect().use { other -> statement(other) { it.query("SELECT 42") } }
        reader.rows() shouldBe listOf(listOf(42L))
    },
    case("ResultInvalidation") {
        statement { statement ->
            statement.query("SELECT 42").use { first ->
                statement.executeQuery().use { second ->
                    shouldThrow<DeviceException> { first.next() }.errno() shouldBe Errno.ECANCELED
                    second.rows() shouldBe listOf(listOf(42L))
                }
            }
        }
    },
)
