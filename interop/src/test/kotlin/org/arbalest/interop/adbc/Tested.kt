// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.adbc

import io.kotest.matchers.collections.shouldBeIn
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.adbc.AdbcConnection
import org.arbalest.device.adbc.AdbcDatabase
import org.arbalest.device.adbc.AdbcDriver
import org.arbalest.device.adbc.AdbcIngest
import org.arbalest.device.adbc.AdbcStatement
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.interop.Batches.plain
import org.arbalest.interop.Built

/** The optional functions of a driver. */
internal enum class Feature {
    /** `AdbcConnectionGetOption`. */
    RETURNS_OPTIONS,

    /** `AdbcStatementCancel`, `AdbcConnectionCancel`. */
    CANCELS,

    /** `AdbcStatementExecuteSchema`. */
    EXECUTES_SCHEMA,

    /** `AdbcConnectionGetStatisticNames`. */
    STATISTICS,

    /** `AdbcStatementExecutePartitions`. */
    PARTITIONS,
}

/**
 * A driver, and how it differs from other drivers. Every driver must pass the cases that are not mentioned here.
 *
 * @property refused options of a database that the driver does not open
 * @property info the driver's information about itself, by code
 * @property otherSchema a schema that is not the current one
 * @property setUp the statements that are executed in each database before its use
 * @property cancelled a part of the message of a cancelled call
 * @property lacks the features that the driver lacks, each with the reason; cases that need one are skipped
 * @property returns the types, by name, that the driver returns as other types
 * @property fails the names of the cases that the driver fails, each with a part of the failure's message
 */
internal class Tested(
    val name: String,
    val missing: () -> String? = { null },
    load: () -> AdbcDriver,
    private val options: Map<String, Any> = emptyMap(),
    val refused: Map<String, Any>,
    val info: Map<Int, Any>,
    val otherSchema: String,
    private val setUp: List<String> = emptyList(),
    val cancelled: String = "CANCELLED (11)",
    val lacks: Map<Feature, String> = emptyMap(),
    val returns: Map<String, Returned> = emptyMap(),
    val fails: Map<String, String> = emptyMap(),
) {
    val driver: AdbcDriver by lazy(load)

    fun open(): AdbcDatabase = driver.open(options)

    /** Runs [block] with a new database. */
    fun run(block: Session.() -> Unit): Unit = open().use { database ->
        database.connect().use { connection ->
            setUp.forEach(connection::execute)
            Session(this, database, connection).block()
        }
    }
}

/** A type that the driver returns instead of another, and the conversion of a value to it. */
internal class Returned(val type: DataType, val value: (Any) -> Any = { it })

/** A case of ADBC's own suite, with the same name. */
internal class Case(val name: String, val needs: Feature?, val run: Session.() -> Unit)

/** A database with one connection, and the steps that the cases share. */
internal class Session(val tested: Tested, val database: AdbcDatabase, val connection: AdbcConnection) {
    fun <T> statement(of: AdbcConnection = connection, block: (AdbcStatement) -> T): T = of.createStatement().use(block)

    fun rows(sql: String, of: AdbcConnection = connection): List<List<Any?>> = of.query(sql).rows()

    fun ingest(target: AdbcIngest, batch: RecordBatch, of: AdbcConnection = connection): Unit =
        batch.length().let { rows -> of.ingest(target, batch).shouldBeCount(rows) }

    /** The suite's table `bulk_ingest`: `int64s` and `strings`. */
    fun sample(target: AdbcIngest = TABLE): Unit = ingest(target, SAMPLE())

    companion object {
        val TABLE: AdbcIngest = AdbcIngest.into("bulk_ingest")

        val SAMPLE_FIELDS = listOf(Field.of("int64s", DataType.INT64), Field.of("strings", DataType.UTF8))
        val SAMPLE = { Built.batch(SAMPLE_FIELDS.zip(listOf(listOf(42L, -42L, null), listOf("foo", null, "")))) }

        fun batch(name: String, vararg values: Long?): RecordBatch =
            Built.batch(listOf(Field.of(name, DataType.INT64) to values.toList()))

        fun texts(name: String, vararg values: String?): RecordBatch =
            Built.batch(listOf(Field.of(name, DataType.UTF8) to values.toList()))
    }
}

/** Expects this count to be [rows], or -1, since a driver may not know the count. */
internal fun Long.shouldBeCount(rows: Long): Long = this shouldBeIn listOf(rows, -1L)

/** Returns all rows of a result, and closes the result. */
internal fun RecordBatchReader.rows(): List<List<Any?>> = use { reader ->
    buildList {
        reader.forEach { batch ->
            for (row in 0 until batch.length())
                add(List(batch.schema().fields().size) { plain(batch.column(it).get(row)) })
        }
    }
}
