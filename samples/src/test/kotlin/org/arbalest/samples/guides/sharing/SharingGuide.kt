// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.sharing

import org.apache.arrow.c.ArrowArrayStream
import org.apache.arrow.c.Data
import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.memory.RootAllocator
import org.apache.arrow.vector.ipc.ArrowReader
import org.arbalest.coroutines.*
import org.arbalest.device.*
import org.arbalest.device.c.*
import org.duckdb.DuckDBConnection
import org.duckdb.DuckDBResultSet
import java.lang.foreign.MemorySegment
import java.sql.DriverManager
import java.sql.ResultSet

fun main() {
    RootAllocator().use { allocator ->
        DriverManager.getConnection("jdbc:duckdb:").use { jdbc ->
            val trades = Devices.cpu().batch { float64("price", doubleArrayOf(1.5, 2.0, 4.25)) }
            RecordBatchReader.of(trades.schema(), listOf(trades)).use {
                intoDuckDb(it, jdbc.unwrap(DuckDBConnection::class.java), allocator)
            }
            jdbc.createStatement().use { sql ->
                sql.executeQuery("SELECT max(price) AS price FROM trades").use { result ->
                    fromDuckDb(result, allocator).useArrays { batches ->
                        for (batch in batches) println(batch["price"].doubles()[0]) // 4.25
                    }
                }
            }
        }
    }
}

fun intoDuckDb(reader: RecordBatchReader, duckDb: DuckDBConnection, allocator: BufferAllocator) {
    ArrowArrayStream.allocateNew(allocator).use { stream ->
        CData.exportStream(reader, MemorySegment.ofAddress(stream.memoryAddress()), CExport.DATA)
        try {
            duckDb.registerArrowStream("incoming", stream) // a view that can be read once
            duckDb.createStatement().use { it.execute("CREATE TABLE trades AS FROM incoming") }
        } finally {
            // the view has the address of the stream
            duckDb.createStatement().use { it.execute("DROP VIEW IF EXISTS incoming") }
            stream.release() // if DuckDB has not read it
        }
    }
}

fun fromDuckDb(result: ResultSet, allocator: BufferAllocator): RecordBatchReader {
    val reader = result.unwrap(DuckDBResultSet::class.java).arrowExportStream(allocator, 65_536) as ArrowReader
    return ArrowArrayStream.allocateNew(allocator).use { stream ->
        Data.exportArrayStream(allocator, reader, stream)
        // the import moves the stream out of the struct
        CData.importStream(MemorySegment.ofAddress(stream.memoryAddress()), CImport.DATA)
    }
}
