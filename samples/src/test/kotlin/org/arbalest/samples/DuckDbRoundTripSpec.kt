// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.adbc.AdbcConnection
import org.arbalest.device.adbc.DuckDbDriver
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.fake.FakeDevice
import org.arbalest.testkit.contract.Held
import org.arbalest.testkit.contract.eventually

/**
 * Exports from DuckDB that are cut into slices, copied to a device and back, ingested by DuckDB, and then compared.
 *
 * Structs are not cut, because DuckDB ignores the offset of a struct.
 */
class DuckDbRoundTripSpec : FunSpec({
    extension(ResourceCountersExtension)

    val columns = mapOf(
        "bool" to "i % 3 = 0",
        "tinyint" to "(i % 200 - 100)::TINYINT",
        "smallint" to "(i * 7 - 9000)::SMALLINT",
        "integer" to "(i * 100003)::INTEGER",
        "bigint" to "i * 10000000019",
        "hugeint" to "i::HUGEINT * 10000000000000000003",
        "utinyint" to "(i % 256)::UTINYINT",
        "usmallint" to "(i * 13)::USMALLINT",
        "uinteger" to "(i * 800000)::UINTEGER",
        "ubigint" to "(i::UHUGEINT * 3000000000000000)::UBIGINT",
        "float" to "(i / 7)::FLOAT",
        "double" to "i / 13",
        "decimal(4,1)" to "(i % 999 / 10)::DECIMAL(4,1)",
        "decimal(9,2)" to "(i * 1.25)::DECIMAL(9,2)",
        "decimal(18,3)" to "(i * 12345.678)::DECIMAL(18,3)",
        "decimal(38,10)" to "(i * 98765432.1)::DECIMAL(38,10)",
        "varchar, short" to "'r' || i",
        "varchar, long" to "repeat('µ' || i, 1 + (i % 9)::INTEGER)",
        "blob" to "('b' || i)::BLOB",
        "date" to "DATE '1969-12-01' + i::INTEGER",
        "time" to "TIME '00:00:01' + INTERVAL 1 SECOND * i",
        "timestamp" to "TIMESTAMP '1969-12-31 12:00:00' + INTERVAL 1 HOUR * i",
        "timestamp_s" to "(TIMESTAMP '2001-01-01' + INTERVAL 1 HOUR * i)::TIMESTAMP_S",
        "timestamp_ms" to "(TIMESTAMP '2001-01-01' + INTERVAL 1 HOUR * i)::TIMESTAMP_MS",
        "timestamp_ns" to "(TIMESTAMP '2001-01-01' + INTERVAL 1 HOUR * i)::TIMESTAMP_NS",
        "interval" to "INTERVAL 1 DAY * i",
        "uuid" to "uuid()",
        "enum" to "(['red', 'green', 'blue'][1 + i % 3])::colour",
        "list" to "[i, NULL, i + 1]",
        "list of lists" to "[[i::VARCHAR, 'x'], [], NULL]",
        "list, empty or not" to "range(i % 4)",
        "struct" to "{'a': i, 'b': 'v' || i, 'c': {'d': [i]}}",
        "map" to "map {'k' || i: i, 'l': NULL}",
        "array" to "[i, i + 1, i + 2]::BIGINT[3]",
        "list of structs" to "[{'x': i, 'y': 's' || i}, NULL]",
    )
    val settings = listOf(
        "by default" to "",
        "with views" to "SET arrow_output_version = '1.4'",
        "with list views" to "SET arrow_output_list_view = true",
        "with 64-bit offsets" to "SET arrow_large_buffer_size = true",
    )

    for ((how, setting) in settings) {
        for ((type, expression) in columns) {
            test("a DuckDB column of type $type passes a device and comes back unchanged, exported $how [ARR-12]") {
                DuckDbDriver.open().use { database ->
                    database.connect().use { connection ->
                        connection.execute("CREATE TYPE colour AS ENUM ('red', 'green', 'blue')")
                        if (setting.isNotEmpty()) connection.execute(setting)
                        connection.execute("CREATE TABLE before AS SELECT i, CASE WHEN i % 5 <> 2 THEN $expression " +
                            "END AS v FROM range(5000) t(i)")
                        database.connect().use { other ->
                            if (setting.isNotEmpty()) other.execute(setting)
                            connection.copy("SELECT i, v FROM before ORDER BY i", other, "after",
                                inSlices = type != "struct")
                        }
                        val count = "SELECT count(*)::BIGINT AS n FROM"
                        fun differences(a: String, b: String) =
                            connection.number(
                                "$count (SELECT i, v::VARCHAR FROM $a EXCEPT ALL SELECT i, v::VARCHAR FROM $b)",
                            )
                        connection.number("$count after") shouldBe 5000
                        connection.number("$count after WHERE v IS NULL") shouldBe 1000
                        differences("before", "after") shouldBe 0
                        differences("after", "before") shouldBe 0
                    }
                }
                eventually("all resources are released") { Held.now().isZero }
                FakeDevice.of(DeviceType.EXT_DEV, 0).violations().shouldBeEmpty()
            }
        }
    }
})

private fun AdbcConnection.number(sql: String): Long = query(sql).use { reader ->
    reader.next()!!.use { it.column("n").getLong(0) }
}

/** Returns the array as a copy on the CPU, after a copy to a device whose memory the CPU cannot access. */
private fun RecordBatch.thereAndBack(): RecordBatch =
    copyTo(Devices.device(DeviceType.EXT_DEV, 0)).use { it.copyTo(Devices.cpu()) }

/**
 * Copies a query's result into a table. Each batch passes a device as a whole, or is cut into a short slice and a long
 * slice, of which only the long one passes the device.
 */
private fun AdbcConnection.copy(
    sql: String,
    to: AdbcConnection,
    table: String,
    inSlices: Boolean,
) = query(sql).use { reader ->
    val cut = ArrayDeque<RecordBatch>()
    val slices = RecordBatchReader.of(reader.schema(), reader.deviceType()) {
        if (cut.isEmpty()) {
            reader.next()?.use { batch ->
                val first = if (inSlices) minOf(3, batch.length()) else 0
                if (first > 0) cut += batch.slice(0, first)
                if (batch.length() > first) cut += batch.slice(first, batch.length() - first).use { it.thereAndBack() }
            }
        }
        cut.removeFirstOrNull()
    }
    to.ingest(table, slices)
}
