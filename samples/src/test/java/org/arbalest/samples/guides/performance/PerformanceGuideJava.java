// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.performance;

import org.arbalest.device.RecordBatch;
import org.arbalest.device.columns.DoubleView;

/** The Java of docs/guides/performance.md. */
final class PerformanceGuideJava {
  private PerformanceGuideJava() {}

  static double total(RecordBatch batch) {
    DoubleView price = batch.column("price").asDoubles(); // one view for the whole loop
    double total = 0;
    for (long row = 0; row < price.length(); row++) {
      if (!price.isNull(row)) total += price.get(row);
    }
    return total;
  }
}
