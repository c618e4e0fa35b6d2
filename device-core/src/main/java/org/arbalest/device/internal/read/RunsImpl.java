// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import org.arbalest.device.columns.Column;
import org.arbalest.device.columns.Runs;
import org.arbalest.device.internal.schema.RunEnds;

/** The runs of a range of rows. See {@link Runs}. */
public final class RunsImpl implements Runs {
  private final ColumnImpl column;
  private final RunEndValues runs;
  private long run = -1;
  private long start;
  private long end;

  RunsImpl(ColumnImpl column, RunEndValues runs) {
    this.column = column;
    this.runs = runs;
  }

  @Override
  public boolean next() {
    column.checkReadable();
    if (end == column.length) return false;
    long at = column.offset + end;
    long next = run < 0 ? runs.run(at) : run + 1;
    if (next >= runs.count()) throw runs.noRunAt(column, at);
    long behind = runs.end(next);
    if (behind <= at) throw column.malformed(at, RunEnds.notBehind(next, behind, at));
    start = end;
    end = Math.min(behind - column.offset, column.length);
    run = next;
    return true;
  }

  @Override
  public long start() {
    return start;
  }

  @Override
  public long end() {
    return end;
  }

  @Override
  public long length() {
    return end - start;
  }

  @Override
  public long value() {
    if (run < 0) throw new IllegalStateException("no run yet: call next() first");
    return run;
  }

  @Override
  public Column values() {
    return runs.values();
  }

  @Override
  public String toString() {
    return run < 0 ? "before the first run of " + column.title()
        : "rows " + start + " to " + (end - 1) + " of " + column.title();
  }
}
