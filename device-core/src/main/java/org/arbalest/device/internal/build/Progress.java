// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.util.Arrays;
import org.arbalest.device.internal.schema.Layout;

/**
 * The saved progress of a builder and its parts, which undoes an append that fails. It is saved, because the remaining
 * data do not show which elements the caller appended ahead.
 */
final class Progress {
  private ColumnBuilderImpl[] builders = new ColumnBuilderImpl[1];
  private long[] lengths = new long[1];
  private long[] others = new long[1];
  private int count;

  /** Saves the progress, in place of any saved before. */
  void save(ColumnBuilderImpl builder) {
    count = 0;
    add(builder);
  }

  private void add(ColumnBuilderImpl builder) {
    if (count == builders.length) {
      builders = Arrays.copyOf(builders, 2 * count);
      lengths = Arrays.copyOf(lengths, 2 * count);
      others = Arrays.copyOf(others, 2 * count);
    }
    builders[count] = builder;
    lengths[count] = builder.length();
    others[count++] = builder.progress();
    for (ColumnBuilderImpl part : builder.parts()) add(part);
  }

  /**
   * Removes everything appended since {@link #save}. A part that was added since keeps one element per row if it shares
   * the rows of its parent, and otherwise none.
   */
  void restore(ColumnBuilderImpl builder) {
    restore(builder, 0);
  }

  private void restore(ColumnBuilderImpl builder, long ofNew) {
    int saved = 0;
    while (saved < count && builders[saved] != builder) saved++;
    long length = saved < count ? lengths[saved] : ofNew;
    if (builder.length() > length) builder.truncate(length);
    builder.restored(saved < count ? others[saved] : 0);
    boolean sharesRows = Layout.of(builder.field()).shape.sharesRows();
    for (ColumnBuilderImpl part : builder.parts()) restore(part, sharesRows ? builder.length() : 0);
  }
}
