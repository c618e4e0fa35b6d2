// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.duckdb

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.types.Extension
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.interop.Had
import org.arbalest.support.ResourceCountersExtension
import java.util.UUID

/** Tests the extension types that each available version of DuckDB writes and reads. */
internal class DuckDbExtensionTypesSpec : FunSpec({
    extension(ResourceCountersExtension)

    for (duckDb in listOf(DuckDb.jdbc, DuckDb.npm)) {
        val needed = Had.needed { duckDb.missing }
        val (a, b) = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff") to UUID(-1, 1)

        test("${duckDb.name} takes our UUIDs, finds them and returns them [EXT-03]")
            .config(extensions = listOf(needed)) {
                duckDb.connected { connection ->
                    val id = Field.uuid("id")
                    val batch = BatchBuilder.of(Devices.cpu(), 3).use { batch ->
                        batch.column(id).append(a).appendNull().append(b)
                        batch.build()
                    }
                    connection.ingest("t", RecordBatchReader.of(Schema.of(id), listOf(batch)))
                    connection.number(
                        "SELECT count(*)::BIGINT FROM t WHERE typeof(id) = 'UUID' AND id::VARCHAR IN ('$a', '$b')",
                    ) shouldBe 2
                    connection.execute("SET arrow_lossless_conversion = true")
                    connection.query("SELECT id FROM t") { reader ->
                        reader.next()!!.use { rows ->
                            (0 until rows.length()).map { rows.column("id").get(it) } shouldContainExactly
                                listOf(a, null, b)
                        }
                    }
                }
            }

        test(
            "${duckDb.name} exports UUIDs, 8-bit booleans and opaque types as extension types " +
                "[EXT-02, EXT-04, EXT-12]",
        ).config(extensions = listOf(needed)) {
            duckDb.connected { connection ->
                connection.execute("SET arrow_lossless_conversion = true")
                connection.query(
                    "SELECT '$a'::UUID AS id, true AS flag, 12345678901234567890::HUGEINT AS huge, '101'::BIT AS " +
                        "bits, [NULL, '$b'::UUID] AS ids",
                ) { reader ->
                    reader.next()!!.use { row ->
                        fun field(name: String): Field = row.column(name).field()
                        row.column("id").getUuid(0) shouldBe a
                        row.column("ids").get(0) shouldBe listOf(null, b)
                        field("flag").extension() shouldBe Extension.Bool8()
                        row.column("flag").get(0) shouldBe true
                        field("huge").extension() shouldBe Extension.Opaque("hugeint", "DuckDB")
                        field("bits").extension() shouldBe Extension.Opaque("bit", "DuckDB")
                    }
                }
            }
        }
    }
})
