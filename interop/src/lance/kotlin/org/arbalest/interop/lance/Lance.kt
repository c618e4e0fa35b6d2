// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.lance

import org.apache.arrow.c.ArrowArrayStream
import org.apache.arrow.memory.RootAllocator
import org.arbalest.interop.Engine
import org.arbalest.interop.Kept
import org.arbalest.interop.TypeCase
import org.arbalest.interop.Types
import org.lance.Dataset
import org.lance.ipc.LanceScanner
import org.lance.ipc.ScanOptions
import java.lang.foreign.MemorySegment
import java.nio.file.Files
import java.nio.file.Path

/**
 * The Lance engine, which uses arrow-rs at its boundary. It writes streams into datasets on disk and reads streams from
 * them. Its classes require the classes of arrow-java, which here only carry addresses.
 */
internal object Lance : Engine {
    private val openStream = LanceScanner::class.java.getDeclaredMethod("openStream", java.lang.Long.TYPE)
        .apply { trySetAccessible() }

    override val name: String get() = "Lance"
    override val missing: String? get() = null

    override val refuses: Map<String, String> = Types.all.map { it.name }.mapNotNull { name ->
        when {
            name == "map" -> name to "Map data type is only supported in Lance file format 2.2+"
            name in setOf("decimal32", "decimal64", "list view", "large list view") -> name to "Unsupported data type"
            listOf("8 view", "y view", "interval", "union", "run-ends").any { it in name } ->
                name to "Unsupported data type"
            else -> null
        }
    }.toMap()

    override fun take(stream: MemorySegment, type: TypeCase): Kept {
        val folder = Files.createTempDirectory("arbalest-lance")
        val allocator = RootAllocator()
        try {
            val dataset = Dataset.write().allocator(allocator).stream(ArrowArrayStream.wrap(stream.address()))
                .uri("$folder/t.lance").execute()
            return Table(folder, allocator, dataset)
        } catch (e: Throwable) {
            allocator.close()
            folder.toFile().deleteRecursively()
            throw e
        }
    }

    private class Table(
        private val folder: Path,
        private val allocator: RootAllocator,
        private val dataset: Dataset,
    ) : Kept {
        private val scanners = mutableListOf<LanceScanner>()

        override fun differences(): Long =
            dataset.countRows("v != w OR (v IS NULL AND w IS NOT NULL) OR (v IS NOT NULL AND w IS NULL)")

        override fun give(out: MemorySegment) {
            val scanner = dataset.newScan(ScanOptions.Builder().build()).also(scanners::add)
            openStream.invoke(scanner, out.address())
        }

        override fun close() {
            scanners.forEach { it.close() }
            dataset.close()
            allocator.close()
            folder.toFile().deleteRecursively()
        }
    }
}
