// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides;

import java.lang.foreign.MemorySegment;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.apache.arrow.c.ArrowArrayStream;
import org.apache.arrow.c.Data;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.c.CData;
import org.arbalest.device.c.CExport;
import org.arbalest.device.c.CImport;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBResultSet;

/** DuckDB's JDBC driver, both ways. */
final class DuckDbJava {
  private DuckDbJava() {}

  static DeviceArrayReader fromDuckDb(ResultSet result, BufferAllocator allocator) throws SQLException {
    ArrowReader theirs = (ArrowReader) result.unwrap(DuckDBResultSet.class).arrowExportStream(allocator, 65_536);
    try (ArrowArrayStream stream = ArrowArrayStream.allocateNew(allocator)) {
      Data.exportArrayStream(allocator, theirs, stream);
      // moved out of the struct
      return CData.importStream(MemorySegment.ofAddress(stream.memoryAddress()), CImport.DATA);
    }
  }

  static void intoDuckDb(DeviceArrayReader reader, DuckDBConnection duckDb, BufferAllocator allocator)
      throws SQLException {
    try (ArrowArrayStream stream = ArrowArrayStream.allocateNew(allocator); Statement sql = duckDb.createStatement()) {
      CData.exportStream(reader, MemorySegment.ofAddress(stream.memoryAddress()), CExport.DATA);
      duckDb.registerArrowStream("incoming", stream); // a view that can be read once
      sql.execute("CREATE TABLE trades AS FROM incoming");
      sql.execute("DROP VIEW incoming");
    }
  }
}
