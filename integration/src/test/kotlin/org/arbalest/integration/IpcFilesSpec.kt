// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration

import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import org.arbalest.device.RecordBatch
import org.arbalest.device.ipc.ArrowFile
import org.arbalest.integration.json.IntegrationFile
import org.arbalest.support.ResourceCountersExtension
import kotlin.io.path.name
import kotlin.io.path.readText

/** Tests the files of Arrow's suite as Arrow files and streams, by the commands that the suite runs. */
class IpcFilesSpec : FunSpec({
    extension(SuiteFiles.required)
    extension(ResourceCountersExtension)
    val folder = tempdir().toPath()

    for (path in SuiteFiles.all) {
        test("${path.name} is the same after it was an Arrow file, an Arrow stream and an Arrow file") {
            val first = "${folder.resolve("first.arrow")}"
            val stream = "${folder.resolve("second.arrows")}"
            val last = folder.resolve("third.arrow")
            IpcTester.jsonToArrow("$path", first).shouldBeNull()
            IpcTester.validate("$path", first).shouldBeNull()
            IpcTester.fileToStream(first, stream).shouldBeNull()
            IpcTester.streamToFile(stream, "$last").shouldBeNull()
            IpcTester.validate("$path", "$last").shouldBeNull()

            val batches = mutableListOf<RecordBatch>()
            try {
                ArrowFile.open(last).use { file ->
                    // also the parts that a comparison with other implementations leaves out
                    file.schema() shouldBe IntegrationFile.read(path).schema().schema()
                    repeat(file.batchCount()) { batches.add(file.batch(it)) }
                }
                val written = IntegrationFile.write(IntegrationFile.read(path).schema(), batches)
                Masked.difference(path.readText(), written).shouldBeNull()
            } finally {
                batches.forEach(RecordBatch::close)
            }
        }
    }
})
