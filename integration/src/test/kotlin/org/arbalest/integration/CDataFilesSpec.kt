// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import org.arbalest.device.RecordBatch
import org.arbalest.device.Validation
import org.arbalest.device.c.ArrowArrayStreamStruct
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.integration.json.IntegrationFile
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.Arena
import kotlin.io.path.name
import kotlin.io.path.readText

/** Tests the files of Arrow's suite through the C data interface, by the functions that the suite calls. */
class CDataFilesSpec : FunSpec({
    extension(SuiteFiles.required)
    extension(ResourceCountersExtension)

    for (path in SuiteFiles.all) {
        val file = "$path"

        test("the schema and the batches of ${path.name} are the same after an export and an import") {
            Arena.ofConfined().use { arena ->
                val schema = ArrowSchemaStruct.allocate(arena)
                CDataTester.exportSchemaFromJson(file, schema.address()).shouldBeNull()
                CDataTester.importSchemaAndCompare(file, schema.address()).shouldBeNull()
                CDataTester.exportSchemaFromJson(file, schema.address()).shouldBeNull()
                // also the parts that a comparison with other implementations leaves out
                CData.importSchema(schema) shouldBe IntegrationFile.read(path).schema().schema().asField()
                val array = ArrowArrayStruct.allocate(arena)
                for (i in 0 until IntegrationFile.read(path).batchCount()) {
                    CDataTester.exportBatchFromJson(file, i, array.address()).shouldBeNull()
                    CDataTester.importBatchAndCompare(file, i, array.address()).shouldBeNull()
                }
            }
        }

        test("${path.name} has the same stream after an export and an import") {
            Arena.ofConfined().use { arena ->
                val stream = ArrowArrayStreamStruct.allocate(arena)
                CDataTester.exportStreamFromJson(file, stream.address()).shouldBeNull()
                CDataTester.importStreamAndCompare(file, stream.address()).shouldBeNull()
            }
        }

        test("${path.name} is the same text after an export, an import and writing") {
            Arena.ofConfined().use { arena ->
                val schema = ArrowSchemaStruct.allocate(arena)
                val array = ArrowArrayStruct.allocate(arena)
                val read = IntegrationFile.read(path)
                val batches = mutableListOf<RecordBatch>()
                try {
                    for (i in 0 until read.batchCount()) {
                        CDataTester.exportSchemaFromJson(file, schema.address()).shouldBeNull()
                        CDataTester.exportBatchFromJson(file, i, array.address()).shouldBeNull()
                        val options = CImport.DATA.schema(schema).validation(Validation.FULL)
                        batches.add(CData.importBatch(array, options))
                    }
                    val written = IntegrationFile.write(read.schema(), batches)
                    Masked.difference(path.readText(), written).shouldBeNull()
                } finally {
                    batches.forEach(RecordBatch::close)
                }
            }
        }
    }
})
