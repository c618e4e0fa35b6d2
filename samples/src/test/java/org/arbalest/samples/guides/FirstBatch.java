// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.arbalest.device.*;
import org.arbalest.device.builders.*;
import org.arbalest.device.c.*;
import org.arbalest.device.columns.*;
import org.arbalest.device.monitoring.*;

public final class FirstBatch {
  public static void main(String[] args) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment stream = ArrowArrayStreamStruct.allocate(arena); // the C struct that both sides use
      produce(stream);
      System.out.println("total: " + consume(stream));
      try {
        consume(stream); // a mistake: the first import has emptied the struct
      } catch (DeviceException e) {
        System.out.println("error: " + e.getMessage());
      }
    }
    System.out.println("all released: " + ResourceCounters.now().isZero());
  }

  static void produce(MemorySegment out) {
    try (BatchBuilder builder = BatchBuilder.of(Devices.cpu(), 3)) {
      builder.float64("price", new double[] {1.5, 2.0, 4.25}).utf8("symbol", Arrays.asList("A", null, "C"));
      RecordBatch trades = builder.build();
      System.out.println(trades);
      try (RecordBatchReader reader = RecordBatchReader.of(trades.schema(), List.of(trades))) {
        CData.exportStream(reader, out, CExport.DATA); // the consumer of the struct releases the stream
      } // close does nothing after an export; it is for the case that the export fails
    }
  }

  static double consume(MemorySegment in) {
    double total = 0;
    try (RecordBatchReader reader = CData.importStream(in, CImport.DATA)) {
      RecordBatch next;
      while ((next = reader.next()) != null) {
        try (RecordBatch batch = next) {
          DoubleView price = batch.column("price").asDoubles();
          for (long row = 0; row < price.length(); row++) {
            if (!price.isNull(row)) total += price.get(row);
          }
        }
      }
    }
    return total;
  }
}
