// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides

import org.apache.arrow.c.ArrowArrayStream
import org.apache.arrow.c.Data
import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.vector.ipc.ArrowReader
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.duckdb.DuckDBConnection
import org.duckdb.DuckDBResultSet
import java.lang.foreign.MemorySegment
import java.sql.ResultSet

fun fromDuckDb(result: ResultSet, allocator: BufferAllocator): DeviceArrayReader {
    val theirs = result.unwrap(DuckDBResultSet::class.java).arrowExportStream(allocator, 65_536) as ArrowReader
    return ArrowArrayStream.allocateNew(allocator).use { stream ->
        Data.exportArrayStream(allocator, theirs, stream)
        CData.importStream(MemorySegment.ofAddress(stream.memoryAddress()), CImport.DATA) // moved out of the struct
    }
}

fun intoDuckDb(reader: DeviceArrayReader, duckDb: DuckDBConnection, allocator: BufferAllocator) {
    ArrowArrayStream.allocateNew(allocator).use { stream ->
        CData.exportStream(reader, MemorySegment.ofAddress(stream.memoryAddress()), CExport.DATA)
        duckDb.registerArrowStream("incoming", stream) // a view that can be read once
        duckDb.createStatement().use { sql ->
            sql.execute("CREATE TABLE trades AS FROM incoming")
            sql.execute("DROP VIEW incoming")
        }
    }
}
