// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.arbalest.device.types.Field;
import org.arbalest.device.internal.memory.Stripes;
import org.jspecify.annotations.Nullable;

/**
 * The fields that were read last, with what C said of each: who says the same again means the same field, which is not
 * read anew (SCH-22).
 *
 * <p>A few for each number that threads share. They are never changed, only replaced, so that finding one takes no
 * lock.
 */
final class RecentSchemas {
  /** So many of them at most for each number. */
  static final int MOST = 8;

  /** The longest strings of a schema that is kept; and the most structs. */
  static final int MOST_BYTES = 32 << 10;

  static final int MOST_NODES = 1024;

  private record Seen(SchemaImage image, Field field) {}

  private static final AtomicReferenceArray<Seen @Nullable []> RECENT = new AtomicReferenceArray<>(Stripes.COUNT);

  private RecentSchemas() {}

  /** The field that a live schema is; null if it was not among the last. */
  static @Nullable Field find(long schema) {
    Seen[] recent = RECENT.get(Stripes.mine());
    if (recent == null) return null;
    for (Seen seen : recent) {
      if (seen.image.matches(schema)) return seen.field;
    }
    return null;
  }

  /** What was just read; in place of the oldest. */
  static void add(SchemaImage image, Field field) {
    int mine = Stripes.mine();
    Seen[] before = RECENT.get(mine);
    int kept = before == null ? 0 : Math.min(before.length, MOST - 1);
    Seen[] after = new Seen[kept + 1];
    after[0] = new Seen(image, field);
    if (before != null) System.arraycopy(before, 0, after, 1, kept);
    RECENT.set(mine, after); // another thread's, of the same moment, may be lost
  }
}
