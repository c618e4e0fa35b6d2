// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Metadata
import java.lang.foreign.Arena
import java.lang.management.ManagementFactory

class RecentSchemasAllocationSoakSpec : FunSpec({
    test("a schema that was just exchanged crosses again without heap allocation [SCH-22]") {
        val threads = ManagementFactory.getThreadMXBean() as com.sun.management.ThreadMXBean
        val columns = Array(10) { Field.of("column $it", DataType.INT64).withMetadata(Metadata.of("number", "$it")) }
        val field = Field.of("", DataType.struct(*columns))
        Arena.ofConfined().use { arena ->
            val schema = arena.allocate(ArrowSchemaStruct.LAYOUT).address()
            fun allocated(): Long {
                val before = threads.currentThreadAllocatedBytes
                repeat(10_000) {
                    SchemaExport.exportSchema(field, schema)
                    SchemaImporter.importSchema(schema)
                }
                return threads.currentThreadAllocatedBytes - before
            }
            // The first rounds allocate, until another thread has compiled the code. The measurement allocates a bit.
            generateSequence(::allocated).take(200).any { it < 10_000 } shouldBe true
        }
    }
})
