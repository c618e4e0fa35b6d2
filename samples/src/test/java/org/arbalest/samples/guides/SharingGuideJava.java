// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides;

import java.lang.foreign.MemorySegment;
import java.sql.*;
import java.util.List;
import org.apache.arrow.c.ArrowArrayStream;
import org.apache.arrow.c.Data;
import org.apache.arrow.memory.*;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.arbalest.device.*;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.c.*;
import org.duckdb.*;

public final class SharingGuideJava {
  public static void main(String[] args) throws SQLException {
    try (BufferAllocator allocator = new RootAllocator();
        Connection jdbc = DriverManager.getConnection("jdbc:duckdb:");
        BatchBuilder builder = BatchBuilder.of(Devices.cpu())) {
      RecordBatch trades = builder.float64("price", new double[] {1.5, 2.0, 4.25}).build();
      try (RecordBatchReader reader = RecordBatchReader.of(trades.schema(), List.of(trades))) {
        intoDuckDb(reader, jdbc.unwrap(DuckDBConnection.class), allocator);
      }
      try (Statement sql = jdbc.createStatement();
          ResultSet result = sql.executeQuery("SELECT max(price) AS price FROM trades");
          RecordBatchReader reader = fromDuckDb(result, allocator)) {
        reader.forEach(batch -> System.out.println(batch.column("price").getDouble(0))); // 4.25
      }
    }
  }

  static void intoDuckDb(RecordBatchReader reader, DuckDBConnection duckDb, BufferAllocator allocator)
      throws SQLException {
    try (ArrowArrayStream stream = ArrowArrayStream.allocateNew(allocator);
        Statement create = duckDb.createStatement();
        Statement drop = duckDb.createStatement()) { // DuckDB closes a statement that fails
      CData.exportStream(reader, MemorySegment.ofAddress(stream.memoryAddress()), CExport.DATA);
      try {
        duckDb.registerArrowStream("incoming", stream); // a view that can be read once
        create.execute("CREATE TABLE trades AS FROM incoming");
      } finally {
        drop.execute("DROP VIEW IF EXISTS incoming"); // it has the address of the stream
        stream.release(); // if DuckDB has not read it
      }
    }
  }

  static RecordBatchReader fromDuckDb(ResultSet result, BufferAllocator allocator) throws SQLException {
    ArrowReader reader = (ArrowReader) result.unwrap(DuckDBResultSet.class).arrowExportStream(allocator, 65_536);
    try (ArrowArrayStream stream = ArrowArrayStream.allocateNew(allocator)) {
      Data.exportArrayStream(allocator, reader, stream);
      // the import moves the stream out of the struct
      return CData.importStream(MemorySegment.ofAddress(stream.memoryAddress()), CImport.DATA);
    }
  }
}
