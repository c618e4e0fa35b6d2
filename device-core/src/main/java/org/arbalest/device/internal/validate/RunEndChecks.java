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
    long before = 0;
    for (long run = 0; run < ends.count; run++) {
      long end = Integers.get(at, bits, run);
      if (end <= before) throw wrong(run, end, before);
      before = end;
    }
    if (before >= rows.start + rows.count) return;
    long row = Math.max(0, before - rows.start);
    throw new Malformed("row " + row + ": the runs end at " + before + ", but offset + length = " + (rows.start + rows.count));
  }

  private static Malformed wrong(long run, long end, long before) {
    String other = run == 0 ? "0" : "run_ends[" + (run - 1) + "] = " + before;
    return new Malformed("run_ends[" + run + "] = " + end + " is not behind " + other);
  }
}
