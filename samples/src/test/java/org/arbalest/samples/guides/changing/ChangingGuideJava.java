// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.changing;

import org.arbalest.device.*;
import org.arbalest.device.columns.*;

/** The Java of docs/guides/changing.md, except the program that it begins with. */
final class ChangingGuideJava {
  private ChangingGuideJava() {}

  static RecordBatchReader expensive(RecordBatchReader trades, double limit) {
    return trades.select("symbol", "price")
        .filter(batch -> Selection.where(batch.column("price").asDoubles(), price -> price > limit))
        .rebatch(64_000); // the last batch may be shorter
  }
}
