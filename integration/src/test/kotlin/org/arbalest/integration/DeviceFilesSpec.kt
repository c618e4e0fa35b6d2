// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import org.arbalest.device.c.ArrowDeviceArrayStreamStruct
import org.arbalest.device.c.ArrowDeviceArrayStruct
import org.arbalest.integration.json.IntegrationFile
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.Arena
import java.util.concurrent.CompletionStage
import java.util.concurrent.TimeUnit
import kotlin.io.path.name

/** Tests the files of Arrow's suite through the device interface, which the suite itself does not test. */
class DeviceFilesSpec : FunSpec({
    extension(SuiteFiles.required)
    extension(ResourceCountersExtension)

    for (path in SuiteFiles.all) {
        val file = "$path"

        test("the batches of ${path.name} are the same after an export and an import as device arrays") {
            Arena.ofConfined().use { arena ->
                val array = ArrowDeviceArrayStruct.allocate(arena)
                for (i in 0 until IntegrationFile.read(path).batchCount()) {
                    DeviceTester.exportBatchFromJson(file, i, array.address()).shouldBeNull()
                    DeviceTester.importBatchAndCompare(file, i, array.address()).shouldBeNull()
                }
            }
        }

        test("${path.name} has the same device stream after an export and an import") {
            Arena.ofConfined().use { arena ->
                val stream = ArrowDeviceArrayStreamStruct.allocate(arena)
                DeviceTester.exportStreamFromJson(file, stream.address()).shouldBeNull()
                DeviceTester.importStreamAndCompare(file, stream.address()).shouldBeNull()
            }
        }

        test("${path.name} has the same async stream after an export and an import") {
            val exports = mutableListOf<CompletionStage<Void>>()
            DeviceTester.importAsyncStreamAndCompare(file) { handler ->
                exports.add(DeviceTester.exportAsyncStreamFromJson(file, handler))
            }.shouldBeNull()
            exports.single().toCompletableFuture().get(5, TimeUnit.SECONDS)
        }
    }
})
