// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.arbalest.device.types.Field;
import org.arbalest.device.internal.memory.Stripes;
import org.jspecify.annotations.Nullable;

/**
 * A cache of the schemas that were imported last, with the contents of their C structs. A schema with the same contents
 * gives the same field, and is not parsed again (SCH-22).
 *
 * <p>Each stripe of threads has a list of a few entries. A list is replaced and never changed, so lookups take no lock.
 */
final class RecentSchemas {
  /** The most entries for each stripe. */
  static final int MOST = 8;

  /** The longest strings of a cached schema, in bytes; {@link #MOST_NODES} is the most structs. */
  static final int MOST_BYTES = 32 << 10;

  static final int MOST_NODES = 1024;

  private record Seen(SchemaImage image, Field field) {}

  private static final AtomicReferenceArray<Seen @Nullable []> RECENT = new AtomicReferenceArray<>(Stripes.COUNT);

  private RecentSchemas() {}

  /** Returns the field of a live schema, or null if the cache does not have it. */
  static @Nullable Field find(long schema) {
    Seen[] recent = RECENT.get(Stripes.mine());
    if (recent == null) return null;
    for (Seen seen : recent) {
      if (seen.image.matches(schema)) return seen.field;
    }
    return null;
  }

  /** Adds a schema that was just read, in place of the oldest entry. */
  static void add(SchemaImage image, Field field) {
    int mine = Stripes.mine();
    Seen[] before = RECENT.get(mine);
    int kept = before == null ? 0 : Math.min(before.length, MOST - 1);
    Seen[] after = new Seen[kept + 1];
    after[0] = new Seen(image, field);
    if (before != null) System.arraycopy(before, 0, after, 1, kept);
    RECENT.set(mine, after); // an entry that another thread adds at the same moment may be lost
  }
}
