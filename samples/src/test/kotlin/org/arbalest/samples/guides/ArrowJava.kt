// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides

import org.apache.arrow.c.ArrowArray
import org.apache.arrow.c.ArrowSchema
import org.apache.arrow.c.CDataDictionaryProvider
import org.apache.arrow.c.Data
import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.vector.VectorSchemaRoot
import org.arbalest.device.RecordBatch
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import java.lang.foreign.MemorySegment

// A root to a batch and back, by Arrow Java's own arrow-c-data. docs/guides/sharing.md links here.

fun fromArrowJava(root: VectorSchemaRoot, allocator: BufferAllocator): RecordBatch =
    ArrowArray.allocateNew(allocator).use { array ->
        ArrowSchema.allocateNew(allocator).use { schema ->
            Data.exportVectorSchemaRoot(allocator, root, null, array, schema)
            CData.importBatch(MemorySegment.ofAddress(array.memoryAddress()),
                CImport.DATA.schema(MemorySegment.ofAddress(schema.memoryAddress())))
        }
    }

fun toArrowJava(
    batch: RecordBatch,
    allocator: BufferAllocator,
    dictionaries: CDataDictionaryProvider,
): VectorSchemaRoot =
    ArrowArray.allocateNew(allocator).use { array ->
        ArrowSchema.allocateNew(allocator).use { schema ->
            batch.compact().use { whole -> // Arrow Java 19 ignores the offset of a slice
                CData.exportArray(whole, MemorySegment.ofAddress(array.memoryAddress()),
                    CExport.DATA.schemaTo(MemorySegment.ofAddress(schema.memoryAddress())))
            }
            Data.importVectorSchemaRoot(allocator, array, schema, dictionaries)
        }
    }
