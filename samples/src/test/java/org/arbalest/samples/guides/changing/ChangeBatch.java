// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.changing;

import java.util.Arrays;
import org.arbalest.device.*;
import org.arbalest.device.builders.*;
import org.arbalest.device.columns.*;

public final class ChangeBatch {
  public static void main(String[] args) {
    try (BatchBuilder builder = BatchBuilder.of(Devices.cpu())) {
      builder.float64("price", new double[] {1.5, 2.0, 4.25}).int64("size", new long[] {10, 20, 30})
          .utf8("symbol", Arrays.asList("A", "B", null));
      try (RecordBatch batch = builder.build()) {
        Selection expensive = Selection.where(batch.column("price").asDoubles(), price -> price > 1.75);
        Selection small = Selection.where(batch.column("size").asLongs(), size -> size < 30);
        try (RecordBatch kept = batch.filter(expensive.and(small));
            RecordBatch taken = batch.take(2, 0);
            RecordBatch chosen = batch.select("symbol", "price");
            RecordBatch renamed = chosen.rename("price", "usd")) {
          System.out.println(kept.column("symbol").toList()); // [B]
          System.out.println(taken.column("price").toList()); // [4.25, 1.5]
          System.out.println(renamed.column("usd").toList()); // [1.5, 2.0, 4.25]
        }
      }
    }
  }
}
