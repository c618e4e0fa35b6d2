// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration

import org.arbalest.device.RecordBatch
import org.arbalest.integration.json.IntegrationFile
import org.arbalest.testkit.SkipWithout
import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.listDirectoryEntries

/** The JSON files of Arrow's integration suite, in a folder beside the project. */
internal object SuiteFiles {
    private val folder = Path.of("..", "..", "shared", "data", "integration")

    /** Skips a spec where the folder is missing. */
    val required = SkipWithout { "no data of the integration suite in $folder".takeIf { !Files.isDirectory(folder) } }

    val all: List<Path> =
        if (Files.isDirectory(folder)) folder.listDirectoryEntries("*.json").sorted() else emptyList()
}

/** Passes all batches to [block], which borrows them. */
internal fun IntegrationFile.withBatches(block: (List<RecordBatch>) -> Unit) {
    val batches = mutableListOf<RecordBatch>()
    try {
        repeat(batchCount()) { batches.add(batch(it)) }
        block(batches)
    } finally {
        batches.forEach(RecordBatch::close)
    }
}
