// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import org.arbalest.device.DeviceException;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.RunEnds;
import org.jspecify.annotations.Nullable;

/**
 * Reads the values of run-end-encoded columns. It first looks for the run of a position in the last run and in the next
 * one, and then by binary search. A loop over the rows therefore needs no search.
 */
final class RunEndValues extends Redirected {
  private final RunEnds ends;
  private @Nullable ColumnImpl values;

  /** The run that was found last, by any thread. Each lookup checks it before use. */
  private int last;

  RunEndValues(ColumnImpl column) {
    super(column);
    this.ends = RunEnds.of(Layout.of(field), column.struct);
  }

  long count() {
    return ends.count();
  }

  /** Returns the position after a run. */
  long end(long run) {
    return ends.end(run);
  }

  ColumnImpl values() {
    ColumnImpl known = values;
    if (known == null) values = known = column.childAt(1);
    return known;
  }

  @Override
  ColumnImpl source(long at) {
    return values();
  }

  @Override
  long row(ColumnImpl source, long at) {
    return run(at);
  }

  /** Returns the run at a position. */
  long run(long at) {
    int known = last;
    if (isIn(known, at)) return known;
    long run = isIn(known + 1, at) ? known + 1 : search(at);
    last = (int) Math.min(run, Integer.MAX_VALUE - 1);
    return run;
  }

  private boolean isIn(int run, long at) {
    return run < ends.count() && at < end(run) && (run == 0 || at >= end(run - 1));
  }

  private long search(long at) {
    long run = ends.find(at);
    if (run == ends.count()) throw noRunAt(column, at);
    return run;
  }

  DeviceException noRunAt(ColumnImpl rows, long at) {
    return rows.malformed(at, ends.endBefore(rows.offset + rows.length));
  }

  /** Returns how many rows of a column have a null value. */
  long countNulls(ColumnImpl rows) {
    if (values().nullCount() == 0) return 0;
    long nulls = 0;
    RunsImpl runs = new RunsImpl(rows, this);
    while (runs.next()) nulls += values().isNull(runs.value()) ? runs.length() : 0;
    return nulls;
  }
}
