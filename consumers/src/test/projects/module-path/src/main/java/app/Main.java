// SPDX-License-Identifier: Apache-2.0
package app;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.arbalest.device.Devices;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.c.ArrowArrayStreamStruct;
import org.arbalest.device.c.CData;
import org.arbalest.device.c.CExport;
import org.arbalest.device.c.CImport;

/** A program that passes a batch to C and back. */
public final class Main {
  public static void main(String[] args) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment stream = arena.allocate(ArrowArrayStreamStruct.LAYOUT);
      try (BatchBuilder builder = BatchBuilder.of(Devices.cpu(), 3)) {
        RecordBatch prices = builder.float64("price", new double[] {1.5, 2.5, 38}).build();
        CData.exportStream(RecordBatchReader.of(prices.schema(), List.of(prices)), stream, CExport.DATA);
      }
      double total = 0;
      try (RecordBatchReader reader = CData.importStream(stream, CImport.DATA)) {
        for (RecordBatch next = reader.next(); next != null; next = reader.next()) {
          try (RecordBatch batch = next) {
            for (long row = 0; row < batch.length(); row++) total += batch.column("price").getDouble(row);
          }
        }
      }
      System.out.println("total " + total);
    }
    System.out.println("module " + RecordBatch.class.getModule().getName());
    System.out.println("from " + RecordBatch.class.getProtectionDomain().getCodeSource().getLocation());
  }
}
