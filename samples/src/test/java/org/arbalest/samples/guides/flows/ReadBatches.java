// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.flows;

import java.util.List;
import org.arbalest.device.*;
import org.arbalest.device.builders.*;

public final class ReadBatches {
  public static void main(String[] args) {
    RecordBatch first = prices(1.5, 2.0);
    try (RecordBatchReader reader = RecordBatchReader.of(first.schema(), List.of(first, prices(4.25)))) {
      reader.forEach(batch -> System.out.println(batch.column("price").toList())); // [1.5, 2.0], then [4.25]
    }
  }

  static RecordBatch prices(double... values) {
    try (BatchBuilder builder = BatchBuilder.of(Devices.cpu(), values.length)) {
      return builder.float64("price", values).build();
    }
  }
}
