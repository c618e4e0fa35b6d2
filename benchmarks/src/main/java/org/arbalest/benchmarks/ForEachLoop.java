// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import org.arbalest.device.columns.ColumnView;
import org.arbalest.device.columns.LongView;
import org.openjdk.jmh.annotations.CompilerControl;
import org.openjdk.jmh.annotations.CompilerControl.Mode;

/** The loop of {@link ReadLoops} with a lambda, which the JIT may inline although it may not inline the loop. */
final class ForEachLoop {
  private ForEachLoop() {}

  @CompilerControl(Mode.DONT_INLINE)
  static long sumForEach(LongView values) {
    long[] sum = {0};
    values.forEachValid(row -> sum[0] += values.get(row));
    return sum[0];
  }

  /** Runs other lambdas, so that {@link #sumForEach} is not fast because the JIT knows only one lambda. */
  @CompilerControl(Mode.DONT_INLINE)
  static long sumOthers(ColumnView values) {
    long[] sum = {0};
    values.forEachValid(row -> sum[0]++);
    values.forEachValid(row -> sum[0] ^= row);
    values.forEachValid(row -> sum[0] = Math.max(sum[0], row));
    return sum[0];
  }
}
