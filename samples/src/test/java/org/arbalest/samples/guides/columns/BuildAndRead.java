// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.columns;

import java.util.Arrays;
import org.arbalest.device.*;
import org.arbalest.device.builders.*;
import org.arbalest.device.columns.*;

public final class BuildAndRead {
  public static void main(String[] args) {
    try (BatchBuilder builder = BatchBuilder.of(Devices.cpu())) {
      builder.float64("price", new double[] {1.5, 2.0, 4.25}).utf8("symbol", Arrays.asList("A", null, "C"));
      try (RecordBatch batch = builder.build()) {
        DoubleView price = batch.column("price").asDoubles();
        double total = 0;
        for (long row = 0; row < price.length(); row++) total += price.getOrDefault(row, 0);
        System.out.println(total); // 7.75
        System.out.println(batch.column("symbol").toList()); // [A, null, C]
      }
    }
  }
}
