// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.arbalest.device.*;
import org.arbalest.device.builders.*;
import org.arbalest.device.c.*;
import org.arbalest.device.columns.*;

/** A complete program in Java, for the README: a batch goes through a C struct, by its address, and comes back. */
public final class TradesJava {
  private TradesJava() {}

  public static void main(String[] args) {
    try (Arena arena = Arena.ofConfined()) {
      // by its address() arrow-java, DuckDB, Python and C know it
      MemorySegment stream = ArrowArrayStreamStruct.allocate(arena);
      produce(stream, new double[] {1.5, 2.0, 4.25}, Arrays.asList("A", null, "C"));
      System.out.println(total(stream)); // 7.75
    }
  }

  static void produce(MemorySegment stream, double[] prices, List<String> symbols) {
    try (BatchBuilder builder = BatchBuilder.of(Devices.cpu())) {
      DeviceArray trades = builder.float64("price", prices).utf8("symbol", symbols).build();
      try (DeviceArrayReader reader = DeviceArrayReader.of(trades.schema(), List.of(trades))) {
        // the struct holds the batch now, without a copy; its consumer releases it
        CData.exportStream(reader, stream, CExport.DATA);
      }
    }
  }

  static double total(MemorySegment stream) {
    double total = 0;
    try (DeviceArrayReader reader = CData.importStream(stream, CImport.DATA)) { // from any producer
      DeviceArray next;
      while ((next = reader.next()) != null) {
        try (DeviceArray batch = next) {
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
