// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.vortex

import dev.vortex.jni.NativeDataSource
import dev.vortex.jni.NativeExpression
import dev.vortex.jni.NativeLoader
import dev.vortex.jni.NativePartition
import dev.vortex.jni.NativeScan
import dev.vortex.jni.NativeSession
import dev.vortex.jni.NativeWriter
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceType
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.c.ArrowArrayStreamStruct
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.types.Schema
import org.arbalest.interop.Engine
import org.arbalest.interop.EngineException
import org.arbalest.interop.Kept
import org.arbalest.interop.TypeCase
import org.arbalest.interop.Types
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.nio.file.Files
import java.nio.file.Path

/** The Vortex engine, which uses arrow-rs at its boundary. It writes batches into files and reads streams from them. */
internal object Vortex : Engine {
    private const val NOT_EQUAL: Byte = 1

    override val name: String get() = "arrow-rs"

    override val missing: String? by lazy {
        runCatching { NativeLoader.loadJni() }.exceptionOrNull()?.let { "no Vortex: $it" }
    }

    override val refuses: Map<String, String> = Types.all.map { it.name }.mapNotNull { name ->
        when {
            name == "fixed-size binary" || name == "map" -> name to "Arrow data type not supported"
            name.startsWith("duration") || name.startsWith("interval") ||
                "union" in name -> name to "Arrow data type not supported"
            name.startsWith("run-ends") -> name to "Array encoding not implemented"
            else -> null
        }
    }.toMap()

    /** Writes the batches of a stream one by one, since Vortex does not import streams. */
    override fun take(
        stream: MemorySegment,
        type: TypeCase,
    ): Kept = CData.importStream(stream, CImport.DATA).use { reader ->
        val folder = Files.createTempDirectory("arbalest-vortex")
        try {
            write(folder, reader)
            VortexFile(folder)
        } catch (e: Throwable) {
            folder.toFile().deleteRecursively()
            throw e
        }
    }

    private fun write(folder: Path, reader: RecordBatchReader) = Arena.ofConfined().use { arena ->
        val schema = arena.allocate(ArrowSchemaStruct.LAYOUT)
        val array = arena.allocate(ArrowArrayStruct.LAYOUT)
        CData.exportSchema(reader.schema().asField(), schema)
        val session = NativeSession.newSession()
        try {
            val writer = NativeWriter.create(session, folder.uri(), schema.address(), mapOf())
            try {
                while (true) {
                    reader.next()?.use { CData.exportArray(it, array, CExport.DATA) } ?: break
                    if (!NativeWriter.writeBatch(writer, array.address(), schema.address()))
                        throw EngineException("Vortex did not write a batch: writeBatch returned false")
                }
            } finally {
                NativeWriter.close(writer)
            }
        } finally {
            NativeSession.free(session)
            Schema.ofStruct(CData.importSchema(schema))
        }
    }

    private fun Path.uri() = resolve("t.vortex").toUri().toString()

    private class VortexFile(private val folder: Path) : Kept {
        private val session = NativeSession.newSession()
        private val source = NativeDataSource.open(session, arrayOf(folder.uri()), mapOf())

        override fun differences(): Long {
            val root = NativeExpression.root()
            val (v, w) = NativeExpression.getItem("v", root) to NativeExpression.getItem("w", root)
            val differ = NativeExpression.binary(NOT_EQUAL, v, w)
            val onlyOne = NativeExpression.binary(NOT_EQUAL, NativeExpression.isNull(v), NativeExpression.isNull(w))
            val filter = NativeExpression.or(longArrayOf(differ, onlyOne))
            try {
                return scan(filter).use { reader ->
                    var rows = 0L
                    while (true) reader.next()?.use { rows += it.length() } ?: break
                    rows
                }
            } finally {
                listOf(filter, onlyOne, differ, w, v, root).forEach(NativeExpression::free)
            }
        }

        override fun give(out: MemorySegment) = CData.exportStream(scan(0), out, CExport.DATA)

        /** Returns a stream of the partitions of a scan, one after the other. */
        private fun scan(filter: Long): RecordBatchReader {
            val scan = NativeScan.create(source, 0, filter, 0, 0, null, null, 0, 0, true)
            val field = Arena.ofConfined().use { arena ->
                val schema = arena.allocate(ArrowSchemaStruct.LAYOUT)
                NativeScan.arrowSchema(scan, schema.address())
                Schema.ofStruct(CData.importSchema(schema))
            }
            var partition: RecordBatchReader? = null
            return RecordBatchReader.of(field, DeviceType.CPU, object : DeviceArrayReader.Source<RecordBatch> {
                override fun next(): RecordBatch? {
                    while (true) {
                        val open = partition ?: nextPartition(scan) ?: return null
                        partition = open
                        open.next()?.let { return it }
                        open.close()
                        partition = null
                    }
                }

                override fun close() {
                    partition?.close()
                    NativeScan.free(scan)
                }
            })
        }

        private fun nextPartition(scan: Long): RecordBatchReader? = Arena.ofConfined().use { arena ->
            val partition = NativeScan.nextPartition(scan)
            if (partition == 0L) return null
            val stream = arena.allocate(ArrowArrayStreamStruct.LAYOUT)
            NativePartition.scanArrow(session, partition, stream.address())
            CData.importStream(stream, CImport.DATA)
        }

        override fun close() {
            NativeDataSource.free(source)
            NativeSession.free(session)
            folder.toFile().deleteRecursively()
        }
    }
}
