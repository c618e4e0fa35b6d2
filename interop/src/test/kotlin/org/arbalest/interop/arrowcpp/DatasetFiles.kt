// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.arrowcpp

import org.apache.arrow.dataset.file.JniWrapper
import org.apache.arrow.dataset.jni.NativeMemoryPool
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceType
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.types.Schema
import org.arbalest.interop.Types
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.nio.file.Path
import org.apache.arrow.dataset.jni.JniWrapper as Datasets

/** The datasets of Arrow C++: files that it writes from streams, and reads as arrays. */
internal object DatasetFiles {
    enum class Format(
        /** The types that the format does not support, by the names of [Types]. */
        val refuses: Set<String>,
        /** The types that the format stores as other types. */
        val changes: Set<String>,
    ) {
        PARQUET(
            names("decimal32", "decimal64", "utf8 view", "binary view", "interval", "list view", "large list view",
                "fixed-size list") +
                names("sparse union", "dense union", "run-ends"),
            names("large", "date64", "time32, s", "timestamp, s", "dictionary", "list of dictionary"),
        ),
        ARROW(emptySet(), emptySet()),
    }

    private fun names(vararg starts: String): Set<String> =
        Types.all.map { it.name }.filter { name -> starts.any(name::startsWith) }.toSet()

    private val files: JniWrapper by lazy { ArrowCpp.library.let { JniWrapper.get() } }

    /**
     * Writes a stream into one file of a folder, to be called in a separate JVM. Arrow C++ pulls the stream on threads
     * that live as long as the process. A JVM without the fix of JDK-8391662 cannot end such a process by
     * `System.exit`.
     */
    fun write(stream: MemorySegment, format: Format, folder: Path) {
        files.writeFromScannerToFile(stream.address(), format.ordinal.toLong(), folder.toUri().toString(), arrayOf(),
            1024, "part-{i}")
    }

    /** Reads the batches of all files of a folder, which all must have this schema. */
    fun read(format: Format, folder: Path, schema: Schema): RecordBatchReader {
        val factory = files.makeFileSystemDatasetFactory(folder.toUri().toString(), format.ordinal, null)
        val dataset = try {
            Datasets.get().createDataset(factory, Datasets.get().inspectSchema(factory))
        } finally {
            Datasets.get().closeDatasetFactory(factory)
        }
        val pool = NativeMemoryPool.getDefault().nativeInstanceId
        val scanner = Datasets.get().createScanner(dataset, null, null, null, 16, format.ordinal, null, pool)
        return RecordBatchReader.of(schema, DeviceType.CPU, object : DeviceArrayReader.Source<RecordBatch> {
            override fun next(): RecordBatch? = Arena.ofConfined().use { arena ->
                val array = arena.allocate(ArrowArrayStruct.LAYOUT)
                if (Datasets.get().nextRecordBatch(scanner, array.address()))
                    CData.importBatch(array, CImport.DATA.schema(schema)) else null
            }

            override fun close() {
                Datasets.get().closeScanner(scanner)
                Datasets.get().closeDataset(dataset)
            }
        })
    }
}
