// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceArray
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
            val batches = List(file.batchCount()) { file.batch(it) }
            try {
                batches.forEach { it.validate(Validation.FULL) }
                val written = IntegrationFile.write(file.schema(), batches)
                val expected = Masked.of(path.readText())
                withClue(written.take(2000)) { Masked.of(written) shouldBe expected }
                val again = IntegrationFile.parse(written)
                SchemaComparison.difference(file.schema(), again.schema()).shouldBeNull()
                for ((i, batch) in batches.withIndex()) {
                    again.batch(i).use { BatchComparison.difference(i, batch, it).shouldBeNull() }
                }
            } finally {
                batches.forEach(DeviceArray::close)
            }
        }
    }
})
