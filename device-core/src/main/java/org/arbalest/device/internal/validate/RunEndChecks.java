// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.validate;

import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.internal.schema.RunEnds;

/** Checks of the ends of all runs of an array, including runs outside the visible range. */
final class RunEndChecks {
  private RunEndChecks() {}

  static void check(HostBuffers buffers, Rows rows) {
    Rows child = rows.child(0);
    RunEnds ends = new RunEnds(buffers.elements(child, 1, child.layout.width()), child.layout.bits, child.count);
    long run = Scan.standstill(ends.address(), ends.bits(), ends.count());
    if (run < ends.count())
      throw new MalformedException(RunEnds.notBehind(run, ends.end(run), run == 0 ? 0 : ends.end(run - 1)));
    if (ends.last() >= rows.start + rows.count) return;
    throw new MalformedException(
        "row " + Math.max(0, ends.last() - rows.start) + ": " + ends.endBefore(rows.start + rows.count));
  }
}
