// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow;

import java.lang.ref.WeakReference;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A schema of Arrow Java's and ours that says the same. The last ones are remembered by the identity of theirs, which
 * roots have for good, without keeping it alive; one with dictionaries holds as long as the provider says the same of
 * what their values are.
 */
final class RootPlan {
  private static final int REMEMBERED = 256;
  private static final AtomicReferenceArray<@Nullable Known> RECENT = new AtomicReferenceArray<>(REMEMBERED);

  final Schema schema;
  final VectorPlan[] columns;

  /** About how many buffers all columns have. */
  final int buffers;

  final boolean hasDenseUnion;

  /** The field of an array that was found to be like this schema; others may be, too. */
  private volatile @Nullable Field alike;

  private RootPlan(Schema schema, VectorPlan[] columns) {
    this.schema = schema;
    this.columns = columns;
    int all = 0;
    boolean dense = false;
    for (VectorPlan column : columns) {
      all += column.buffers;
      dense |= column.hasDenseUnion;
    }
    this.buffers = all;
    this.hasDenseUnion = dense;
  }

  static RootPlan of(org.apache.arrow.vector.types.pojo.Schema schema, @Nullable DictionaryProvider dictionaries) {
    Objects.requireNonNull(schema, "schema");
    int place = System.identityHashCode(schema) % REMEMBERED;
    Known known = RECENT.get(place);
    if (known != null && known.schema.refersTo(schema) && known.plan.isTrue(dictionaries)) return known.plan;
    try {
      RootPlan plan = read(schema, dictionaries);
      RECENT.set(place, new Known(new WeakReference<>(schema), plan));
      return plan;
    } catch (Unfit e) {
      throw e.toDeviceException();
    }
  }

  private static RootPlan read(org.apache.arrow.vector.types.pojo.Schema schema,
      @Nullable DictionaryProvider dictionaries) {
    VectorPlan[] columns = VectorPlan.children(schema.getFields(), dictionaries);
    return new RootPlan(Schema.of(VectorPlan.fields(columns), ArrowSchemas.metadata(schema.getCustomMetadata())),
        columns);
  }

  /** Whether a provider's dictionaries are those that it was made with. */
  private boolean isTrue(@Nullable DictionaryProvider dictionaries) {
    for (VectorPlan column : columns) {
      if (column.hasDictionary && !column.isTrue(dictionaries)) return false;
    }
    return true;
  }

  /** Throws {@link Unfit} unless batches of another field are like this schema. */
  @SuppressWarnings("ReferenceEquality") // what is equal, and not the same, is looked at
  void requireLike(Field other) {
    Field mine = schema.asField();
    if (mine == other || alike == other) return;
    VectorPlan.requireLike(mine, other);
    alike = other;
  }

  private record Known(WeakReference<org.apache.arrow.vector.types.pojo.Schema> schema, RootPlan plan) {}
}
