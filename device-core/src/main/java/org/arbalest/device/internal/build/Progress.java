// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.util.Arrays;
import org.arbalest.device.internal.schema.Layout;

/**
 * How far a builder and its parts are, so that an append which fails can be undone. What was saved is restored: it is
 * not worked out again from what is left, which does not tell what was appended ahead.
 */
final class Progress {
  private ColumnBuilderImpl[] builders = new ColumnBuilderImpl[1];
  private long[] lengths = new long[1];
  private long[] others = new long[1];
  private int count;

  /** Replaces what was saved before. */
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
   * Forgets what was appended since. A part that was added since has as many elements as there are rows that it belongs
   * to, or none.
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
