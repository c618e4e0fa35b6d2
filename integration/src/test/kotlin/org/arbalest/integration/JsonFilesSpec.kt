// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import org.arbalest.device.Validation
import org.arbalest.integration.json.IntegrationFile
import org.arbalest.support.ResourceCountersExtension
import kotlin.io.path.name
import kotlin.io.path.readText

/** Tests the reader and the writer of the JSON format with the files of Arrow's suite. */
class JsonFilesSpec : FunSpec({
    extension(SuiteFiles.required)
    extension(ResourceCountersExtension)

    for (path in SuiteFiles.all) {
        test("${path.name} is the same after it was read and written") {
            val file = IntegrationFile.read(path)
            file.withBatches { batches ->
                batches.forEach { it.validate(Validation.FULL) }
                val written = IntegrationFile.write(file.schema(), batches)
                Masked.difference(path.readText(), written).shouldBeNull()
                val again = IntegrationFile.parse(written)
                SchemaComparison.difference(file.schema(), again.schema()).shouldBeNull()
                for ((i, batch) in batches.withIndex()) {
                    again.batch(i).use { BatchComparison.difference(i, batch, it).shouldBeNull() }
                }
            }
        }

        test("a slice of each batch of ${path.name} is the same after it was written and read") {
            val file = IntegrationFile.read(path)
            file.withBatches { batches ->
                for (batch in batches.filter { it.length() > 2 }) batch.slice(2, batch.length() - 3).use { slice ->
                    val again = IntegrationFile.parse(IntegrationFile.write(file.schema(), listOf(slice)))
                    again.batch(0).use {
                        it.validate(Validation.FULL)
                        BatchComparison.difference(0, slice, it).shouldBeNull()
                    }
                }
            }
        }
    }
})
