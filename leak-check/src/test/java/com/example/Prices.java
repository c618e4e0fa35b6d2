// SPDX-License-Identifier: Apache-2.0
package com.example;

import org.arbalest.device.Devices;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.builders.BatchBuilder;

/** Code for the tests of docs/guides/leaks.md: it closes its array, or leaves it open. */
public final class Prices {
  /** Whether to leave the array open. */
  public static boolean forgets;

  public static RecordBatch forgotten;

  private Prices() {}

  static void read() {
    try (BatchBuilder builder = BatchBuilder.of(Devices.cpu(), 1)) {
      RecordBatch array = builder.int32("n", new int[] {1}).build();
      if (forgets) {
        forgotten = array;
      } else {
        array.close();
      }
    }
  }
}
