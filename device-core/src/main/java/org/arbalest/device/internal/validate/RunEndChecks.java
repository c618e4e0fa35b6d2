// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.validate;

import org.arbalest.device.internal.memory.Integers;
import org.arbalest.device.internal.schema.Malformed;

/** The ends of all runs of an array, of which only some may be shown. */
final class RunEndChecks {
  private RunEndChecks() {}

  static void check(HostBuffers buffers, Rows rows) {
    Rows ends = rows.child(0);
    long bits = ends.layout.bits;
    long at = buffers.elements(ends, 1, ends.layout.width());
    long run = Scan.standstill(at, bits, ends.count);
    if (run < ends.count) throw wrong(run, Integers.get(at, bits, run), run == 0 ? 0 : Integers.get(at, bits, run - 1));
    long before = ends.count == 0 ? 0 : Integers.get(at, bits, ends.count - 1);
    if (before >= rows.start + rows.count) return;
    long row = Math.max(0, before - rows.start);
    throw new Malformed("row " + row + ": the runs end at " + before + ", but offset + length = " + (rows.start + rows.count));
  }

  private static Malformed wrong(long run, long end, long before) {
    String other = run == 0 ? "0" : "run_ends[" + (run - 1) + "] = " + before;
    return new Malformed("run_ends[" + run + "] = " + end + " is not behind " + other);
  }
}
