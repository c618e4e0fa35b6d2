// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.util.Arrays;

/**
 * How far a builder and its parts are, so that an append which fails can be undone. What was saved is restored: it is not worked out again from what is
 * left, which does not tell what was appended ahead.
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

  /** Forgets what was appended since. Parts that were added since, or have replaced others, become empty. */
  void restore(ColumnBuilderImpl builder) {
    int saved = 0;
    while (saved < count && builders[saved] != builder) saved++;
    long length = saved < count ? lengths[saved] : 0;
    if (builder.length() > length) builder.truncate(length);
    builder.restored(saved < count ? others[saved] : 0);
    for (ColumnBuilderImpl part : builder.parts()) restore(part);
  }
}
