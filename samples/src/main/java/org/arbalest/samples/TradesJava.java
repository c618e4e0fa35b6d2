// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;
import org.arbalest.device.*;
import org.arbalest.device.abi.ArrowArrayStreamStruct;
import org.arbalest.device.builders.*;
import org.arbalest.device.columns.*;

/** A complete program in Java, for the README: a batch goes through a C struct, by its address, and comes back. */
public final class TradesJava {
  private TradesJava() {}

  public static void main(String[] args) {
    try (Arena arena = Arena.ofConfined()) {
      long stream = ArrowArrayStreamStruct.allocate(arena).address(); // what arrow-java, DuckDB, Python and C take
      produce(stream, new double[] {1.5, 2.0, 4.25}, Arrays.asList("A", null, "C"));
      System.out.println(total(stream)); // 7.75
    }
  }

  static void produce(long stream, double[] prices, List<String> symbols) {
    try (BatchBuilder builder = Devices.cpu().batchBuilder()) {
      DeviceArray trades = builder.float64("price", prices).utf8("symbol", symbols).build();
      try (DeviceArrayReader reader = DeviceArrayReader.of(trades.schema(), List.of(trades))) {
        reader.exportStream(stream); // whoever has the struct has the batch now, without a copy, and releases it
      }
    }
  }

  static double total(long stream) {
    double total = 0;
    try (DeviceArrayReader reader = DeviceArrayReader.importStream(stream)) { // of ours, or of anybody's
      DeviceArray next;
      while ((next = reader.next()) != null) {
        try (DeviceArray batch = next) {
          Doubles price = batch.column("price").asDoubles();
          for (long row = 0; row < price.length(); row++) total += price.get(row);
        }
      }
    }
    return total;
  }
}
