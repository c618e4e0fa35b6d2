// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.arbalest.device.*;
import org.arbalest.device.builders.*;
import org.arbalest.device.c.CData;
import org.arbalest.device.c.CExport;
import org.arbalest.device.c.CImport;
import org.arbalest.device.columns.*;
import org.jspecify.annotations.Nullable;

/** The Java of the README: a batch goes to C as a stream, then a stream comes from C. The structs are C's. */
final class ReadmeJava {
  private ReadmeJava() {}

  static double readme(List<@Nullable String> symbols, double[] prices, MemorySegment out, MemorySegment in) {
    try (BatchBuilder builder = BatchBuilder.of(Devices.cpu(), prices.length)) {
      DeviceArray trades = builder.float64("price", prices).utf8("symbol", symbols).build();
      try (DeviceArrayReader reader = DeviceArrayReader.of(trades.schema(), List.of(trades))) {
        CData.exportStream(reader, out, CExport.DATA); // C has it now, and releases it
      }
    }
    double total = 0;
    try (DeviceArrayReader reader = CData.importStream(in, CImport.DATA)) {
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
